"""Tokens of the formats that other scanners know, made from their own patterns: run in their environment, not in ours.

Only the patterns are read, and strings made that fit them, from a seed. They are the nearest to formats that this
package's authors did not write down themselves.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import random
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import betterleaks
import detect_secrets.plugins
import rstr

_SEED = 20261120
_EXAMPLES = 6
_LEAST_LENGTH = 16
_LEAST_PREFIX = 3
_LONGEST_RULES = 2_000_000

# What is no secret: ids, addresses and names of accounts; what other rows of the report have; and rules that are
# about a name and not about a format.
_OTHER = re.compile(
    r"generic-|curl-|jwt|private-key|pkcs12|-id(?:\.\d)?$|domain|-url|-host|username|-name|address|project-|"
    r"connection-string|credential-uri|service-account$|default-credentials|kubernetes-secret|nuget-config|"
    r"webhook|sidekiq|tf-password|mail-address|public|-pub-|passphrase|session-cookie"
)
_PYTHON = (
    ("[[:alnum:]]", "[A-Za-z0-9]"),
    ("(?i)", ""),
    ("(?i:", "(?:"),
    ("(?-i:", "(?:"),
    (r"\z", "$"),
    ("(?s:", "(?:"),
)


def _betterleaks_rules() -> list[dict[str, object]]:
    """Return the rules that the library carries: a TOML text inside its shared object, up to the first zero byte."""
    library = next(Path(betterleaks.__file__).parent.glob("libbetterleaks.*o*")).read_bytes()
    start = library.find(b"[[rules]]")
    text = library[start : start + _LONGEST_RULES].decode("utf-8", "replace")
    # The text ends somewhere in other data: at the last line where what was read until then is TOML.
    text = text[: text.rfind("[[rules]]")]
    rules: list[dict[str, object]] = tomllib.loads(text)["rules"]
    return rules


def _secret_part(pattern: str) -> str | None:  # noqa: C901 - a small parser is one loop
    """Return the first group that captures, or all of a pattern without one."""
    for old, new in _PYTHON:
        pattern = pattern.replace(old, new)
    is_class, depth, start = False, 0, -1
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            position += 1
        elif character == "[":
            is_class = True
        elif character == "]":
            is_class = False
        elif not is_class and character == "(":
            if start < 0 and pattern[position + 1] != "?":
                start, depth = position, 1
            elif start >= 0:
                depth += 1
        elif not is_class and character == ")" and start >= 0:
            depth -= 1
            if not depth:
                return pattern[start + 1 : position]
        position += 1
    return pattern.removeprefix(r"\b").removesuffix(r"\b") if start < 0 else None


def _examples(rule: str, pattern: str) -> list[str]:
    maker = rstr.Rstr(random.Random(f"{_SEED}:{rule}"))  # noqa: S311 - they only look like secrets
    made = [maker.xeger(pattern) for _ in range(_EXAMPLES)]
    return [text for text in made if len(text) >= _LEAST_LENGTH and not re.search(r"\s", text)]


def _formats() -> Iterator[dict[str, object]]:
    for rule in _betterleaks_rules():
        name, pattern = str(rule["id"]), rule.get("regex")
        if not isinstance(pattern, str) or _OTHER.search(name) or (part := _secret_part(pattern)) is None:
            continue
        try:
            examples = _examples(name, part)
        except (re.error, KeyError, ValueError):
            continue
        prefix = _common_prefix(examples)
        provider = name.partition("-")[0]
        if examples:
            yield {"rule": name, "name": "" if len(prefix) >= _LEAST_PREFIX else provider, "examples": examples}
    for plugin in _detect_secrets_plugins():
        for number, pattern in enumerate(getattr(plugin, "denylist", ())):
            examples = _examples(f"{plugin.__name__}{number}", pattern.pattern)
            if len(_common_prefix(examples)) >= _LEAST_PREFIX:
                yield {"rule": f"detect-secrets {plugin.__name__} {number}", "name": "", "examples": examples}


def _common_prefix(texts: list[str]) -> str:
    prefix = texts[0] if texts else ""
    while prefix and not all(text.startswith(prefix) for text in texts):
        prefix = prefix[:-1]
    return prefix


def _detect_secrets_plugins() -> Iterator[type]:
    wanted = ("Aws", "GitHub", "GitLab", "Npm", "OpenAI", "Pypi", "SendGrid", "Slack", "Square", "Stripe", "Telegram")
    for module in pkgutil.iter_modules(detect_secrets.plugins.__path__):
        for name, value in vars(importlib.import_module(f"detect_secrets.plugins.{module.name}")).items():
            if isinstance(value, type) and name.startswith(wanted) and name.endswith("Detector"):
                yield value


if __name__ == "__main__":
    json.dump(list(_formats()), sys.stdout)
