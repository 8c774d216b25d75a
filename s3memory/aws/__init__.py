"""AWS clients, sessions, credentials and errors. botocore is known here, in `s3memory.s3` and in the KMS wrapper."""
