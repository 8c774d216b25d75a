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
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from s3memory.audit import Auditor, LogAuditor
from s3memory.errors import ConfigurationError
from s3memory.limits import Limits
from s3memory.names import NAME_MODES
from s3memory.open_keyring import KeyWrapper
from s3memory.paths import check_prefix, check_tenant

if TYPE_CHECKING:
    from s3memory.clients import ClientSource
    from s3memory.keywrap_local import LocalKeyWrapper
    from s3memory.redaction import PatternRedactor, Redactor
    from s3memory.tenant_sessions import TenantSessions

PREFIX = "S3MEMORY_"

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def _text(value: str) -> str:
    return value


def _key_ids(value: str) -> tuple[str, ...]:
    key_ids = tuple(part.strip() for part in value.split(","))
    if not all(key_ids):
        raise ValueError("it must name keys, apart by commas")
    return key_ids


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


def _role_arn(value: str) -> str:
    if not re.fullmatch(r"arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]+", value):
        raise ValueError("it must be the ARN of an IAM role")
    return value


def _policy(value: str) -> Mapping[str, str]:
    from s3memory.redaction import PatternRedactor  # noqa: PLC0415 - not loaded where it is not used
    from s3memory.redaction.configuration import parsed_policy  # noqa: PLC0415 - same

    return PatternRedactor(policy=parsed_policy(value)).policy


def _local_key(value: str) -> LocalKeyWrapper:
    from s3memory.keywrap_local import LocalKeyWrapper  # noqa: PLC0415 - not loaded where it is not used

    return LocalKeyWrapper.from_text(value)


def _actor(value: str) -> str:
    from s3memory.actors import check_actor  # noqa: PLC0415 - not loaded where it is not used

    return check_actor(value)


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
    Variable("ACTOR", _actor, "Who makes the changes: a label that is sealed beside each text. None by default."),
    Variable(
        "AUDIT",
        _one_of("off", "on", "paths"),
        "`on` logs every command to `s3memory.audit`, `paths` with memory paths. Default `off`.",
    ),
    Variable(
        "TENANT_ROLE_ARN",
        _role_arn,
        "Role to assume for each tenant, with session tag `tenant`; otherwise the process's own credentials are used.",
    ),
    Variable(
        "KMS_KEY_ID",
        _key_ids,
        "KMS key that wraps the data keys: id, ARN or `alias/...`. This or a local key. Several apart by commas: the "
        "first wraps, all unwrap.",
    ),
    Variable("LOCAL_KEY", _local_key, "Base64 of 32 bytes, several apart by commas: the first wraps, all unwrap."),
    Variable("LOCAL_KEY_FILE", _text, "A file that holds what `S3MEMORY_LOCAL_KEY` would."),
    Variable("ENDPOINT_URL", _url, "Another S3 server than AWS, such as a local one."),
    Variable("KMS_ENDPOINT_URL", _url, "Another KMS server than AWS."),
    Variable("NAME_MODE", _one_of(*NAME_MODES), "`plain` (the default) or `encrypted` file names, for new tenants."),
    Variable("MAX_FILE_BYTES", _file_bytes, "Size limit of one file in bytes. Default 102400."),
    Variable("MAX_VIEW_CHARS", _view_chars, "Length limit of one view in characters. Default 16000."),
    Variable("MAX_TENANT_FILES", _positive, "How many files a tenant may have. A count costs a LIST for 1,000 files."),
    Variable("MAX_TENANT_BYTES", _positive, "Size limit of a tenant's files together, in bytes. It costs the same."),
    Variable("TOUCH_AFTER_DAYS", _positive, "Store a file again when it is viewed and was not for so many days."),
    Variable("READ_ONLY", _flag, "`true` refuses every write. Default `false`."),
    Variable("OVERWRITE", _flag, "`true` lets `create` replace a file that exists. Default `false`."),
    Variable("REDACTION", _one_of("on", "off"), "`on` (the default) redacts secrets before text is stored."),
    Variable("REDACTION_POLICY", _policy, "What becomes of a kind: `card-number=block,email=redact`."),
    Variable("REDACTION_FILE", _text, "A TOML file with the policy, an allow-list and rules of one's own."),
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
            except (ValueError, ConfigurationError) as error:
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

    def key_wrapper(self, source: ClientSource | None = None) -> KeyWrapper:
        """Return the key wrapper that is configured.

        Args:
            source: whose client calls KMS; the process's if left out.

        Raises:
            ConfigurationError: none is, or the file of a local key can't be read or is malformed.
        """
        if "KMS_KEY_ID" in self.values:
            from s3memory.keywrap_kms import KmsKeyWrapper  # noqa: PLC0415 - not loaded where it is not used

            wrapper = KmsKeyWrapper(*self.values["KMS_KEY_ID"], endpoint_url=self.get("KMS_ENDPOINT_URL"))
            return (wrapper if source is None else wrapper.with_clients(source)).prepare()
        if "LOCAL_KEY" in self.values:
            wrapper_of_text: LocalKeyWrapper = self.values["LOCAL_KEY"]
            return wrapper_of_text
        text = self._local_key_file()
        try:
            return _local_key(text)
        except ConfigurationError as error:
            raise ConfigurationError(f"{PREFIX}LOCAL_KEY_FILE is malformed: {error}") from None

    def tenant_sessions(self) -> TenantSessions | None:
        """Return the process's sessions for the tenants' role, or ``None`` where no such role is set."""
        if "TENANT_ROLE_ARN" not in self.values:
            return None
        from s3memory.tenant_sessions import shared_tenant_sessions  # noqa: PLC0415 - not loaded where it is not used

        return shared_tenant_sessions(self.values["TENANT_ROLE_ARN"])

    def redactor(self) -> Redactor | None:
        """Return the redactor that is configured, or ``None`` where redaction is off.

        That with all defaults loads its rules when it is first used, others at once: what is malformed shows here.

        Raises:
            ConfigurationError: its policy or file is malformed, or the file can't be read.
        """
        if self.get("REDACTION") == "off" or not self.values.keys().isdisjoint({"REDACTION_POLICY", "REDACTION_FILE"}):
            return self.pattern_redactor()
        from s3memory.redaction.default import DEFAULT_REDACTOR  # noqa: PLC0415 - not loaded where it is not used

        return DEFAULT_REDACTOR

    def pattern_redactor(self) -> PatternRedactor | None:
        """Return the redactor that is configured, with its rules, or ``None`` where redaction is off.

        Raises:
            ConfigurationError: as for `redactor`.
        """
        if self.get("REDACTION") == "off":
            return None
        from s3memory.redaction import PatternRedactor  # noqa: PLC0415 - not loaded where it is not used

        if "REDACTION_FILE" in self.values:
            return self._redactor_from_file(self.values["REDACTION_FILE"])
        return PatternRedactor(policy=self.get("REDACTION_POLICY", {}))

    @staticmethod
    def _redactor_from_file(path: str) -> PatternRedactor:
        from s3memory.redaction.configuration import redactor_from_file  # noqa: PLC0415 - not loaded where it is not used

        try:
            return redactor_from_file(Path(path))
        except ConfigurationError as error:
            raise ConfigurationError(f"{PREFIX}REDACTION_FILE is malformed: {error}") from None

    def auditor(self) -> Auditor | None:
        """Return the auditor that is configured, or ``None`` where commands are not audited."""
        wanted = self.get("AUDIT", "off")
        return None if wanted == "off" else LogAuditor(with_paths=wanted == "paths")

    def limits(self) -> Limits:
        """Return the limits that are configured."""
        names = ("max_file_bytes", "max_view_chars", "max_tenant_files", "max_tenant_bytes")
        fields = {name: self.get(name.upper()) for name in names}
        return Limits(**{name: value for name, value in fields.items() if value is not None})

    def __repr__(self) -> str:
        return f"Settings({', '.join(sorted(self.values))})"

    def _local_key_file(self) -> str:
        if "LOCAL_KEY_FILE" not in self.values:
            raise ConfigurationError(
                f"{PREFIX}KMS_KEY_ID is not set, nor is {PREFIX}LOCAL_KEY or {PREFIX}LOCAL_KEY_FILE: "
                "one of them has to name a key"
            )
        try:
            return Path(self.values["LOCAL_KEY_FILE"]).read_text("ascii")
        except (OSError, ValueError):
            raise ConfigurationError(f"{PREFIX}LOCAL_KEY_FILE names a file that can't be read") from None

    def _refuse_contradictions(self) -> None:
        keys = [name for name in ("KMS_KEY_ID", "LOCAL_KEY", "LOCAL_KEY_FILE") if name in self.values]
        if len(keys) > 1:
            raise ConfigurationError(f"{' and '.join(PREFIX + name for name in keys)} are both set: choose one key")
        if {"REDACTION_POLICY", "REDACTION_FILE"} <= self.values.keys():
            raise ConfigurationError(
                f"{PREFIX}REDACTION_POLICY and {PREFIX}REDACTION_FILE are both set: put the policy into the file"
            )
        if "KMS_ENDPOINT_URL" in self.values and "KMS_KEY_ID" not in self.values:
            raise ConfigurationError(f"{PREFIX}KMS_ENDPOINT_URL is set, but {PREFIX}KMS_KEY_ID is not")
