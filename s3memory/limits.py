"""Limits that a deployment can choose, and constants that it can't. Units are in the names."""

from __future__ import annotations

from dataclasses import dataclass, fields

from s3memory.errors import ConfigurationError

MAX_PATH_SEGMENTS = 20
"""Segments below ``/memories`` in one memory path."""

MAX_PATH_CHARS = 4_096
"""Characters of a path as it was sent; a longer one is refused before it is parsed."""

MAX_OBJECT_KEY_BYTES = 1_024
"""S3's limit for an object key, in UTF-8; moto does not enforce it, so this package does."""

MAX_VIEW_LINES = 999_999
"""Lines of a file that `view` numbers: the line number column is six digits wide."""

MAX_TEXT_BYTES = 32 * 1024 * 1024
"""The largest text that `Limits` can allow, in UTF-8."""

_SEAL_BYTES = 64 * 1024

MAX_SEALED_BYTES = MAX_TEXT_BYTES + _SEAL_BYTES
"""The largest text with its seal: a larger object is refused before it is read."""

MIN_READABLE_BYTES = 4 * 1024 * 1024
"""A file up to this size can be read whatever the current limit, so that lowering the limit hides no existing file."""

MAX_KEY_RING_BYTES = 256 * 1024
"""A key ring of several hundred generations. A larger one is refused before it is read."""

LIST_PAGE_KEYS = 1_000
"""Keys in one page of ListObjectsV2, the most that S3 returns."""

MAX_REFUSED = 100
"""If S3 refuses this many objects before it returns any, permissions are missing in general, not for single objects."""

MIN_VIEW_CHARS = 2_000
"""The minimum for a view: smaller ones have no room for the header, one path of maximum length and the paging line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on files, views and writes, and on all data of a tenant.

    Attributes:
        max_file_bytes: UTF-8 bytes of one file, after redaction.
        max_view_chars: characters of one `view` result, paging line included, and of the lines shown around an edit.
        max_search_files: how many files one `search` opens.
        max_tries: how many times a compare-and-swap is attempted before the command fails with a conflict.
        max_tenant_files: how many files a tenant may have; ``None`` for any number. Every `create` then costs a LIST
            for each 1,000 files.
        max_tenant_bytes: UTF-8 bytes of all its files together; ``None`` for any number. Every write that makes a file
            longer then costs the same LIST requests.

    Raises:
        ConfigurationError: a value is not a positive integer, or too small to be of use.
    """

    max_file_bytes: int = 102_400
    max_view_chars: int = 16_000
    max_search_files: int = 2_000
    max_tries: int = 16
    max_tenant_files: int | None = None
    max_tenant_bytes: int | None = None

    @property
    def max_sealed_bytes(self) -> int:
        """The largest sealed file that is read: a larger object is refused before it is read."""
        return max(self.max_file_bytes, MIN_READABLE_BYTES) + _SEAL_BYTES

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigurationError(f"Limits.{field.name} must be a positive integer")
        if self.max_view_chars < MIN_VIEW_CHARS:
            raise ConfigurationError(f"Limits.max_view_chars must be at least {MIN_VIEW_CHARS}")
        if self.max_file_bytes > MAX_TEXT_BYTES:
            raise ConfigurationError(f"Limits.max_file_bytes must be at most {MAX_TEXT_BYTES}")


# A command may carry two texts of the largest file's size, and JSON may write each byte as six.
_TEXTS, _BYTES_ESCAPED, _BYTES_AROUND = 2, 6, 65_536


def max_input_bytes(limits: Limits) -> int:
    """Return the size in bytes of the largest command that the limits allow, as JSON."""
    return _TEXTS * _BYTES_ESCAPED * limits.max_file_bytes + _BYTES_AROUND
