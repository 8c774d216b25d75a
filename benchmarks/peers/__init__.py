"""Alternatives to s3memory with the same six commands. Each is imported only in the environment that has its libraries.

All store files as objects under `PREFIX`. Each has its own bucket, which ``BENCH_BUCKET`` names.
"""

PREFIX = "memories/acme/"
ROOT = "/memories"
