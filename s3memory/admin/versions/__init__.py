"""Older versions of files: their history, restoring them, and destroying the content of single versions."""
