"""Operators' jobs on a tenant's memory, as functions: the command line calls them, and so can other programs.

Each works on a `MemoryStore`, prints nothing, and reports its progress (see `s3memory.progress`). None asks for
confirmation: the command line does, before anything that can't be undone. With a store of
``MemoryStore.refusing_writes``, any of them is a dry run.

`verify.verify_file`, `scanning.scan_file` and `resealing.reseal_file` do for one file what `verify`, `scan` and
`reseal` do for all files of a tenant. `s3memory.bulk` calls these.
"""
