"""The second transport, of ``s3memory[fast]``: libcurl signs, sends and receives while the interpreter's lock is free.

It only makes the requests that this package and its function on Lambda need. Nothing here imports botocore, except
`surroundings` if the environment alone does not say which credentials to use.
"""
