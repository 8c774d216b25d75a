"""Compares the cost of libraries that could send the requests to S3 with boto3's. ``python -m transports``."""
