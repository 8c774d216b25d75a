"""``python -m s3memory`` is ``s3memory``."""

from s3memory.cli import main

main()
