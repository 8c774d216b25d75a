"""What wraps data keys: AWS KMS, or keys that the program has. Each knows its service and the format alone."""
