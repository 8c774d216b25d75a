"""What people would use instead, under the same six commands. Each is imported only where its libraries are.

All keep files as objects under `PREFIX`, in a bucket of their own that ``BENCH_BUCKET`` names.
"""

PREFIX = "memories/acme/"
ROOT = "/memories"
