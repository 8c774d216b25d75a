"""Libraries that could carry the requests to S3, beside boto3: what they cost. ``python -m transports``."""
