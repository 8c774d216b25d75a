"""The second transport, of ``s3memory[fast]``: libcurl signs, sends and receives while the interpreter's lock is free.

It makes the requests that boto3's clients make for this package and its function on Lambda, and no others. Nothing here
imports botocore but `surroundings`, where the environment alone does not say whose credentials to use.
"""
