"""Decodes what is encoded or disguised in a text: the views of the text, which the rules search as well."""

from s3memory.redaction.decoding.views import decoded_texts, find_in_views

__all__ = ["decoded_texts", "find_in_views"]
