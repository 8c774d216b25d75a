"""Requests to S3 and what their answers prove. It knows objects and their keys, and nothing of what they hold."""
