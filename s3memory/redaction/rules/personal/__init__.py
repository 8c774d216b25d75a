"""Personal data, which notes may legitimately hold: each module is loaded only when a policy names one of its kinds."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from importlib.util import find_spec

from s3memory._extras import installing
from s3memory.errors import ConfigurationError
from s3memory.redaction.kinds import PERSONAL_KINDS
from s3memory.redaction.rule import Rule

_MODULES = {"email": "addresses", "ip-address": "addresses", "national-id": "national_ids", "phone": "phones"}
_LIBRARIES = {"national-id": ("stdnum", "python-stdnum"), "phone": ("phonenumbers", "phonenumbers")}


def personal_rules(kinds: Collection[str] = PERSONAL_KINDS) -> tuple[Rule, ...]:
    """Return the rules for those of `kinds` that are personal data.

    Raises:
        ConfigurationError: A library that one of them needs is not installed.
    """
    asked = sorted(PERSONAL_KINDS.intersection(kinds))
    for kind in asked:
        module, library = _LIBRARIES.get(kind, ("", ""))
        if module and find_spec(module) is None:
            raise ConfigurationError(
                f"redacting {kind} needs {library}: {installing(['s3memory[redaction-personal]'])}"
            )
    modules = (import_module(f"{__name__}.{_MODULES[kind]}") for kind in asked)
    return tuple(
        rule for kind, module in zip(asked, modules, strict=True) for rule in module.RULES if rule.kind == kind
    )
