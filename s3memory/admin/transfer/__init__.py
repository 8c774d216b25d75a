"""Memories that leave and come in: exports as tar files, and imports from them and from other programs."""
