"""The table of ``S3MEMORY_*`` environment variables: how each is parsed, and what it is for. Nothing is read here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from s3memory.aws.addresses import is_url
from s3memory.errors import InvalidInputError
from s3memory.format.names import ENCRYPTED_REQUIRED, NAME_MODES
from s3memory.limits import Limits
from s3memory.paths import MemoryPath, check_prefix, check_tenant
from s3memory.s3.bucket_name import check_bucket, check_bucket_owner

if TYPE_CHECKING:
    from s3memory.keys.wrappers.local import LocalKeyWrapper

PREFIX = "S3MEMORY_"

TENANT_FIELD = "{tenant}"
"""The placeholder for the tenant in the name of a KMS key."""

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def _key_ids(value: str) -> tuple[str, ...]:
    key_ids = tuple(part.strip() for part in value.split(","))
    if not all(key_ids):
        raise ValueError("it must name keys, separated by commas")
    if any("{" in part or "}" in part for part in "".join(key_ids).split(TENANT_FIELD)):
        raise ValueError(f"the only field that a key's name may hold is {TENANT_FIELD}")
    return key_ids


def _flag(value: str) -> bool:
    lowered = value.lower()
    if lowered not in _TRUE | _FALSE:
        raise ValueError("it must be true, on, yes or 1, or false, off, no or 0")
    return lowered in _TRUE


def _positive(value: str) -> int:
    if not re.fullmatch("0*[1-9][0-9]{0,14}", value):
        raise ValueError("it must be a positive integer of at most 15 digits")
    return int(value)


def _limit(name: str) -> Callable[[str], int]:
    def parse(value: str) -> int:
        number: int = getattr(Limits(**{name: _positive(value)}), name)
        return number

    return parse


def _url(value: str) -> str:
    if not is_url(value):
        raise ValueError("it must be a URL such as https://host:port")
    return value


def _address(value: str) -> str:
    return _url("" if "?" in value or "#" in value else value)  # requests append paths to the address


def _policy(value: str) -> Mapping[str, str]:
    from s3memory.redaction import PatternRedactor
    from s3memory.redaction.configuration import parsed_policy

    return PatternRedactor(policy=parsed_policy(value)).policy


def local_key(value: str) -> LocalKeyWrapper:
    """Return the key wrapper for the local keys in a text. Raise `ConfigurationError` if they are malformed."""
    from s3memory.keys.wrappers.local import LocalKeyWrapper

    return LocalKeyWrapper.from_text(value)


def _actor(value: str) -> str:
    from s3memory.format.actor_labels import check_actor

    return check_actor(value)


def _mounts(value: str) -> tuple[tuple[str, str, bool], ...]:
    """Return the mount points, each with its tenant and whether it is read-only."""
    mounts: dict[str, tuple[str, str, bool]] = {}
    for part in value.split(","):
        path, _, tenant = map(str.strip, part.rpartition("="))
        try:
            at = MemoryPath.parse(path)
        except InvalidInputError:
            raise ValueError("it must be like /memories/team=tenant or /memories/team=tenant:ro") from None
        if at.is_root or str(at) in mounts:
            raise ValueError("the memory of the tenant itself is at /memories, and a path takes one mount")
        read_only = tenant.endswith(":ro")
        mounts[str(at)] = (str(at), check_tenant(tenant.removesuffix(":ro")), read_only)
    return tuple(mounts.values())


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in choices:
            raise ValueError(f"it must be {' or '.join(choices)}")
        return value

    return parse


def _matching(pattern: str, wanted: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(f"it must be {wanted}")
        return value

    return parse


_name = _matching(r"\S(.*\S)?", "a text on one line")
_role_arn = _matching(r"arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]+", "the ARN of an IAM role")
# https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
_external_id = _matching(r"[\w+=,.@:/-]{2,1224}", "2 to 1,224 letters, digits and _+=,.@:/-")
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
_table = _matching(
    r"(arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:[0-9]{12}:table/)?[A-Za-z0-9_.-]{3,255}",
    "the name or the ARN of a DynamoDB table",
)


class Variable(NamedTuple):
    """One environment variable: its name without ``S3MEMORY_``, how it is parsed, and what it is for."""

    name: str
    parse: Callable[[str], Any]
    purpose: str

    @property
    def full_name(self) -> str:
        """The name with its prefix."""
        return PREFIX + self.name


VARIABLES = (
    Variable("BUCKET", check_bucket, "Name of the S3 bucket. Required."),
    Variable("BUCKET_OWNER", check_bucket_owner, "AWS account (12 digits) that the bucket must belong to."),
    Variable("PREFIX", check_prefix, "What all object keys begin with: empty (the default), or ending in `/`."),
    Variable("TENANT", check_tenant, "The tenant, where the program does not name one. `from_env(tenant=...)` wins."),
    Variable(
        "MOUNTS",
        _mounts,
        "Other tenants' memories in this one, separated by commas: `/memories/team=tenant`, or `...:ro` to read only.",
    ),
    Variable("ACTOR", _actor, "Who makes the changes: a label that is sealed beside each text. None by default."),
    Variable(
        "AUDIT",
        _one_of("off", "on", "paths", "emf"),
        "`on` logs every command to `s3memory.audit`, `paths` with memory paths; `emf` prints metrics. Default `off`.",
    ),
    Variable(
        "TENANT_ROLE_ARN",
        _role_arn,
        "Role to assume for each tenant, with session tag `tenant`; otherwise the process's own credentials are used.",
    ),
    Variable("TENANT_EXTERNAL_ID", _external_id, "External id that the tenants' role asks for. None by default."),
    Variable(
        "KMS_KEY_ID",
        _key_ids,
        "KMS key that wraps the data keys: id, ARN or `alias/...`, with `{tenant}` if each tenant has its own key. "
        "Set this or a local key. Comma-separated: the first key wraps, any of them unwraps.",
    ),
    Variable("LOCAL_KEY", local_key, "Base64 of 32 bytes. Comma-separated: the first key wraps, any of them unwraps."),
    Variable("LOCAL_KEY_FILE", str, "A file that holds what `S3MEMORY_LOCAL_KEY` would."),
    Variable(
        "TRANSPORT",
        _one_of("boto3", "fast"),
        "What carries the requests to AWS: `boto3` (the default), or `fast` for libcurl, which needs `s3memory[fast]`.",
    ),
    Variable("ENDPOINT_URL", _address, "An S3 server other than AWS's, such as a local one."),
    Variable(
        "KMS_ENDPOINT_URL", _address, "A KMS server other than AWS's. With a local key, only `keys rewrap` uses it."
    ),
    Variable(
        "NAME_MODE",
        _one_of(*NAME_MODES, ENCRYPTED_REQUIRED),
        "`plain` (the default) or `encrypted` file names, for new tenants. `encrypted-required` refuses tenants whose "
        "names are plain.",
    ),
    Variable("MAX_FILE_BYTES", _limit("max_file_bytes"), "Size limit of one file in bytes. Default 102400."),
    Variable("MAX_VIEW_CHARS", _limit("max_view_chars"), "Length limit of one view in characters. Default 16000."),
    Variable("MAX_SEARCH_FILES", _positive, "How many files one search opens. Default 2000."),
    Variable(
        "MAX_TENANT_FILES", _positive, "How many files a tenant may have. Each count costs a LIST for 1,000 files."
    ),
    Variable(
        "MAX_TENANT_BYTES",
        _positive,
        "Size limit of all files of a tenant together, in bytes. Each count costs the same.",
    ),
    Variable(
        "TOUCH_AFTER_DAYS",
        _positive,
        "A view of a file that was stored more than so many days ago stores it again, so that expiry counts it as "
        "used.",
    ),
    Variable("READ_ONLY", _flag, "`true` refuses every write. Default `false`."),
    Variable("OVERWRITE", _flag, "`true` lets `create` replace a file that exists. Default `false`."),
    Variable("REDACTION", _flag, "`on` (the default) redacts secrets before text is stored; `off` stores it as it is."),
    Variable("REDACTION_POLICY", _policy, "What to do with each kind of finding: `card-number=block,email=redact`."),
    Variable("REDACTION_FILE", str, "A TOML file with the policy, an allow-list and your own rules."),
    Variable(
        "MCP_ISSUER", _url, "Who issues the tokens of an MCP server's clients. Set this and the next three, or none."
    ),
    Variable("MCP_AUDIENCE", _name, "The audience of those tokens: their `aud`."),
    Variable("MCP_JWKS_URL", _url, "Where the issuer publishes its keys."),
    Variable("MCP_TENANT_CLAIM", _name, "The claim of a token that names the tenant."),
    Variable(
        "MCP_RESOURCE_URL", _url, "The URL that clients use, if it is not the address that the MCP server listens on."
    ),
    Variable("KEY_CACHE_SECONDS", _positive, "How long unwrapped keys are used. Default 900 seconds."),
    Variable(
        "KEY_RING_TABLE",
        _table,
        "DynamoDB table, name or ARN, that records each tenant's newest key ring, so that an older one is refused.",
    ),
    Variable(
        "CHECKSUMS",
        _one_of("when_supported", "when_required"),
        "`when_required` for S3-compatible servers that refuse checksums. Default `when_supported`.",
    ),
)
