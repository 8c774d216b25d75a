"""Settings from ``S3MEMORY_*`` environment variables: the one table of them, read only when asked to.

An unknown ``S3MEMORY_*`` variable is an error, since a misspelt one would silently leave a default in force.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from s3memory.errors import ConfigurationError
from s3memory.keyring import KeyWrapper
from s3memory.limits import Limits
from s3memory.names import NAME_MODES
from s3memory.paths import check_prefix, check_tenant

PREFIX = "S3MEMORY_"

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def _text(value: str) -> str:
    return value


def _flag(value: str) -> bool:
    lowered = value.lower()
    if lowered not in _TRUE | _FALSE:
        raise ValueError("it must be true or false")
    return lowered in _TRUE


def _positive(value: str) -> int:
    if not value.isascii() or not value.isdigit() or int(value) < 1:
        raise ValueError("it must be a positive integer")
    return int(value)


def _file_bytes(value: str) -> int:
    return Limits(max_file_bytes=_positive(value)).max_file_bytes


def _view_chars(value: str) -> int:
    return Limits(max_view_chars=_positive(value)).max_view_chars


def _url(value: str) -> str:
    try:
        parts = urlsplit(value)
        is_complete = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_complete = False
    if not is_complete:
        raise ValueError("it must be a URL such as https://host:port")
    return value


def _bucket(value: str) -> str:
    # A bucket's name, or the ARN or alias of an access point.
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]|arn:[!-~]+", value):
        raise ValueError("it must be the name of a bucket or the ARN of an access point")
    return value


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in choices:
            raise ValueError(f"it must be {' or '.join(choices)}")
        return value

    return parse


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable: its name without ``S3MEMORY_``, how it is read, and what it is for."""

    name: str
    parse: Callable[[str], Any]
    purpose: str

    @property
    def full_name(self) -> str:
        """The name with its prefix."""
        return PREFIX + self.name


VARIABLES = (
    Variable("BUCKET", _bucket, "Name of the S3 bucket. Required."),
    Variable("PREFIX", check_prefix, "What all object keys begin with: empty (the default), or ending in `/`."),
    Variable("TENANT", check_tenant, "The tenant, where the program does not name one. `from_env(tenant=...)` wins."),
    Variable("KMS_KEY_ID", _text, "KMS key that wraps the data keys: id, ARN or `alias/...`. This or a local key."),
    Variable("LOCAL_KEY", _text, "Base64 of 32 bytes, several apart by commas: the first wraps, all unwrap."),
    Variable("LOCAL_KEY_FILE", _text, "A file that holds what `S3MEMORY_LOCAL_KEY` would."),
    Variable("ENDPOINT_URL", _url, "Another S3 server than AWS, such as a local one."),
    Variable("KMS_ENDPOINT_URL", _url, "Another KMS server than AWS."),
    Variable("NAME_MODE", _one_of(*NAME_MODES), "`plain` (the default) or `encrypted` file names, for new tenants."),
    Variable("MAX_FILE_BYTES", _file_bytes, "Size limit of one file in bytes. Default 102400."),
    Variable("MAX_VIEW_CHARS", _view_chars, "Length limit of one view in characters. Default 16000."),
    Variable("READ_ONLY", _flag, "`true` refuses every write. Default `false`."),
    Variable("OVERWRITE", _flag, "`true` lets `create` replace a file that exists. Default `false`."),
    Variable("REDACTION", _one_of("on", "off"), "`on` (the default) redacts secrets before text is stored."),
    Variable("KEY_CACHE_SECONDS", _positive, "How long unwrapped keys stay in memory. Default 900."),
    Variable(
        "CHECKSUMS",
        _one_of("when_supported", "when_required"),
        "`when_required` for S3-compatible servers that refuse checksums. Default `when_supported`.",
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The variables that are set, parsed. Its repr shows names only: one of them is a key."""

    values: Mapping[str, Any]

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the ``S3MEMORY_*`` variables; an empty one counts as not set.

        Args:
            environ: the process's environment if left out.

        Raises:
            ConfigurationError: a variable is unknown or malformed. The text names it, and shows no value.
        """
        environ = os.environ if environ is None else environ
        known = {variable.full_name: variable for variable in VARIABLES}
        values: dict[str, Any] = {}
        for full_name in sorted(name for name in environ if name.startswith(PREFIX)):
            variable = known.get(full_name)
            if variable is None:
                close = difflib.get_close_matches(full_name, known, n=1)
                hint = f"; did you mean {close[0]}?" if close else ""
                raise ConfigurationError(f"{full_name} is not a setting of s3memory{hint}")
            if not environ[full_name]:
                continue
            try:
                values[variable.name] = variable.parse(environ[full_name])
            except ValueError as error:
                raise ConfigurationError(f"{full_name} is malformed: {error}") from None
        settings = cls(values)
        settings._refuse_contradictions()
        return settings

    def get(self, name: str, default: Any = None) -> Any:
        """Return a variable's value."""
        return self.values.get(name, default)

    def require(self, name: str) -> Any:
        """Return a variable's value.

        Raises:
            ConfigurationError: it is not set.
        """
        if name not in self.values:
            raise ConfigurationError(f"{PREFIX}{name} is not set")
        return self.values[name]

    def key_wrapper(self) -> KeyWrapper:
        """Return the key wrapper that is configured.

        Raises:
            ConfigurationError: none is, or a local key is malformed or its file can't be read.
        """
        if "KMS_KEY_ID" in self.values:
            from s3memory.keywrap_kms import KmsKeyWrapper  # noqa: PLC0415 - not loaded where it is not used

            return KmsKeyWrapper(self.values["KMS_KEY_ID"], endpoint_url=self.get("KMS_ENDPOINT_URL")).prepare()
        from s3memory.keywrap_local import LocalKeyWrapper  # noqa: PLC0415 - same

        name, text = self._local_key()
        try:
            return LocalKeyWrapper.from_text(text)
        except ConfigurationError as error:
            raise ConfigurationError(f"{PREFIX}{name} is malformed: {error}") from None

    def limits(self) -> Limits:
        """Return the limits that are configured."""
        fields = {"max_file_bytes": self.get("MAX_FILE_BYTES"), "max_view_chars": self.get("MAX_VIEW_CHARS")}
        return Limits(**{name: value for name, value in fields.items() if value is not None})

    def __repr__(self) -> str:
        return f"Settings({', '.join(sorted(self.values))})"

    def _local_key(self) -> tuple[str, str]:
        if "LOCAL_KEY" in self.values:
            return "LOCAL_KEY", self.values["LOCAL_KEY"]
        if "LOCAL_KEY_FILE" not in self.values:
            raise ConfigurationError(
                f"{PREFIX}KMS_KEY_ID is not set, nor is {PREFIX}LOCAL_KEY or {PREFIX}LOCAL_KEY_FILE: "
                "one of them has to name a key"
            )
        try:
            return "LOCAL_KEY_FILE", Path(self.values["LOCAL_KEY_FILE"]).read_text("ascii")
        except (OSError, ValueError):
            raise ConfigurationError(f"{PREFIX}LOCAL_KEY_FILE names a file that can't be read") from None

    def _refuse_contradictions(self) -> None:
        keys = [name for name in ("KMS_KEY_ID", "LOCAL_KEY", "LOCAL_KEY_FILE") if name in self.values]
        if len(keys) > 1:
            raise ConfigurationError(f"{' and '.join(PREFIX + name for name in keys)} are both set: choose one key")
        if "KMS_ENDPOINT_URL" in self.values and "KMS_KEY_ID" not in self.values:
            raise ConfigurationError(f"{PREFIX}KMS_ENDPOINT_URL is set, but {PREFIX}KMS_KEY_ID is not")
