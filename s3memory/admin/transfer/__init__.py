"""Exports memories as tar files, and imports memories from such files and from other programs."""
