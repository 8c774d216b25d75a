"""Memories of other programs as sources of an import: one module for each program. Nothing here writes.

Names that are not allowed in a memory path are changed by `mending`, in the same way every time. So an import that is
run again finds the files that it has written.
"""
