"""Memories of other programs as sources of an import: one module a program. Nothing here writes.

Where a program's name is not allowed here, `mending` says what it becomes: the same every time, so that an import that
is run again finds what it has done.
"""
