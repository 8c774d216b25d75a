"""AWS clients, sessions, credentials and errors. In production code, only this package imports botocore."""
