"""``python -m s3memory.cli`` is ``s3memory``."""

from s3memory.cli import main

main()
