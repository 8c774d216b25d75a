"""The second transport, of ``s3memory[fast]``: libcurl signs, sends and receives without the interpreter's lock.

It supports only the requests that this package and its Lambda function need. Nothing here imports botocore, except
`surroundings`, if the environment variables alone do not say which credentials to use.
"""
