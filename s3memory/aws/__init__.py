"""AWS clients, sessions, credentials and errors. No other package imports botocore."""
