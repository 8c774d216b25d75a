"""What operators do to a tenant's memory, as functions: the command line shows them, and others can call them.

Each works on a `MemoryStore`, asks nobody, prints nothing, and tells whoever watches how far it is: see
`s3memory.progress`. What can't be undone is asked for by the command line before it calls. A store of
``MemoryStore.refusing_writes`` makes any of them a dry run.

What `verify`, `scan` and `reseal` do with all files of a tenant can be had for one: `verify.verify_file`,
`scanning.scan_file`, `resealing.reseal_file`. `s3memory.bulk` calls these.
"""
