"""Requests to S3, and what their responses prove. This package knows objects and their keys, not their contents."""
