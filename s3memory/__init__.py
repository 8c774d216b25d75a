"""An encrypted, multi-tenant Amazon S3 backend for Claude's memory tool."""
