"""Older versions of files: their history, putting them back, and destroying what one of them says."""
