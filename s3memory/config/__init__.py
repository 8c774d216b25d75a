"""The ``S3MEMORY_*`` environment variables, and what is made of them. Nothing else reads the environment."""
