"""What operators do to a tenant's memory, as functions: the command line shows them, and others can call them.

Each works on a `MemoryStore`, asks nobody, prints nothing, and reports its progress: see `s3memory.progress`. Before
what can't be undone, the command line asks. With a store of ``MemoryStore.refusing_writes``, any of them is a dry run.

`verify.verify_file`, `scanning.scan_file` and `resealing.reseal_file` do for one file what `verify`, `scan` and
`reseal` do for all files of a tenant. `s3memory.bulk` calls these.
"""
