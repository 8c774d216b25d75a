"""Reads the configuration of a `PatternRedactor`: the policy from one line, or everything from TOML.

```toml
kinds = ["password", "jwt"]      # in place of all

[policy]
jwt = "tag"
card-number = "block"
email = "report"

[allow]
values = ["..."]
patterns = ["TEST-[0-9]{1,9}"]
paths = ["/memories/examples/"]

[[rules]]
kind = "ticket"
pattern = "TICKET-[0-9]{1,9}"
keywords = ["TICKET-"]
```
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from s3memory.errors import ConfigurationError
from s3memory.redaction.allowlist import Allowlist
from s3memory.redaction.custom import CustomRule
from s3memory.redaction.patterns import PatternRedactor

_FIELDS = ("kinds", "policy", "allow", "rules", "budget_seconds")


def parsed_policy(text: str) -> dict[str, str]:
    """Return the policy of a line such as ``card-number=block,email=redact``.

    Raises:
        ConfigurationError: It is not such a line, or it names a kind twice.
    """
    policy: dict[str, str] = {}
    for part in text.split(","):
        kind, equals, mode = (word.strip() for word in part.partition("="))
        if not (kind and equals and mode):
            raise ConfigurationError("it must be kinds and modes, as in card-number=block,email=redact")
        if kind in policy:
            raise ConfigurationError(f"{kind} stands in it twice")
        policy[kind] = mode
    return policy


def redactor_from_toml(text: str) -> PatternRedactor:
    """Return the redactor that a TOML document describes.

    Raises:
        ConfigurationError: It is not TOML, or a field is unknown or malformed. The message contains no value of the
            allow-list and no pattern.
    """
    import tomllib  # most processes read no configuration

    try:
        document = tomllib.loads(text)
    except ValueError as error:
        # The position of the error can be shown; the line itself may contain a value.
        position = re.search(r"at (?:line \d+, column \d+|end of document)(?=\)\Z)", str(error))
        raise ConfigurationError(f"it is not TOML{f' {position[0]}' if position else ''}") from None
    return redactor_from(document)


def redactor_from(fields: Mapping[str, Any]) -> PatternRedactor:
    """Return the redactor that the fields of a document describe. Raises as `redactor_from_toml` does."""
    _check_fields("", fields, _FIELDS)
    arguments: dict[str, Any] = dict(fields)
    if "allow" in fields:
        _check_fields("allow.", fields["allow"], ("values", "patterns", "paths"))
        arguments["allow"] = Allowlist(**fields["allow"])
    if "policy" in fields and not isinstance(fields["policy"], Mapping):
        raise ConfigurationError("policy is a table of kinds and modes")
    if fields.get("kinds") == [] and not fields.get("rules"):
        raise ConfigurationError("kinds is empty, so nothing would be redacted; leave it out to redact all kinds")
    if "rules" in fields:
        if not isinstance(fields["rules"], list):
            raise ConfigurationError("rules is a list of tables")
        arguments["rules"] = [_rule(number, rule) for number, rule in enumerate(fields["rules"], 1)]
    return PatternRedactor(**arguments)


def _rule(number: int, fields: Mapping[str, Any]) -> CustomRule:
    try:
        _check_fields("", fields, ("kind", "pattern", "keywords"), required=("kind", "pattern"))
        return CustomRule(**fields)
    except ConfigurationError as error:
        raise ConfigurationError(f"rule {number}: {error}") from None


def _check_fields(where: str, fields: object, known: tuple[str, ...], *, required: tuple[str, ...] = ()) -> None:
    if not isinstance(fields, Mapping):
        raise ConfigurationError(f"{where.rstrip('.') or 'it'} is a table")
    for name in fields:
        if name not in known:
            raise ConfigurationError(f"{where}{name} is not a field; there are {', '.join(known)}")
    for name in required:
        if name not in fields:
            raise ConfigurationError(f"{where}{name} is missing")
