"""Key rings at work: found, made, opened, cached. It knows the stored format and the bucket, but no memory files."""
