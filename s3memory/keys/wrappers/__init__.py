"""Key wrappers: AWS KMS, or keys that the program holds. Each knows only its service and the format."""
