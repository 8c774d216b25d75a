"""What a text says once it is decoded: the views of a text, beside the text itself, that rules look at."""

from s3memory.redaction.decoding.views import decoded_texts, find_in_views

__all__ = ["decoded_texts", "find_in_views"]
