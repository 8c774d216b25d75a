"""The ``S3MEMORY_*`` environment variables and the objects that they configure. Only `s3memory.cli` also reads some."""
