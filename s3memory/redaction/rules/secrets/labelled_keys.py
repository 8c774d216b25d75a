"""Labelled secrets: keys, tokens and client secrets, which a machine made and which therefore look random."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading import names
from s3memory.redaction.rules.reading.joins import SURE, Named, named
from s3memory.redaction.rules.reading.literals import Literal, to_end_of_secret
from s3memory.redaction.rules.reading.random_values import PUBLIC, is_checksum_at
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import (
    is_elsewhere,
    is_reference,
    is_slug,
    is_strong,
    is_technical_term,
    looks_random,
)
from s3memory.redaction.text.wording import is_gibberish

# Before "token": pagination tokens, tokens of language models, and others that are no secret.
_HARMLESS = (
    r"(?i)(?:(?:next|previous)(?:[ _-]?(?:forward|backward|list|batch|result|item|set|shard|query))?"
    r"|page|continuation|continue|cancel(?:l?ation)?|sync|resume|start"
    r"|end|stop|special|pad|mask|eos|bos|unk|idempotency|client|sequence|request|change|update|action|starting|unit"
    r"|product|csrf|xsrf|lock|fencing|design|scroll|cursor|marker|public[ _-]?key"
    r"|(?:hash|fingerprint|checksum|name|id)[ ]of[ ](?:the|this|a|each))[ _-]?\Z"
)
# Before "key": keys that are only names, such as those of databases, and public ones.
_HARMLESS_KEY = (
    r"(?i)(?:public|primary|foreign|partition|sort|cache|object|idempotency|dedup\w{0,12}|row|hash|lookup|index|group|"
    r"translation|message|routing|site|shard|state|lock|item|file|registry|map|dict|data|meta|sub|any|arrow|enter|tab|pub|"
    r"ssh|host|known|hot|short|fn|ctrl|shift|s3|range|order|search|event|metric|trace|cursor|record|entity|doc|page|query|"
    r"surrogate|natural|unique|composite|clustering|aggregate|bucket|storage|path|asset|version|etag|checksum|digest)_?\Z"
)
# The fingerprint of an OpenPGP key is public.
_OPENPGP_BEFORE, _FINGERPRINT = r"(?i)(?:gpg|pgp)[_-]?\Z", r"[\"']?(?:0x)?[0-9A-F]{40}(?![0-9A-Za-z])"
_TYPE_PATH = r"::(?:[A-Z][A-Za-z0-9]*)?\Z"
_GENERATED = r"(?i)(?!.{0,64}(?:abcdef|012345))[\w.:-]{16,}"
# A key that somebody made up without a generator: "dev-but-used-in-prod-81".
_SIGNING_KEY = r"(?i)secret[_-]?key(?:[_-]?base)?"
_NUMBERED_SLUG = r"(?=.{12})[A-Za-z]+(?:[-_.][A-Za-z]+){2,7}[-_.]?[0-9]{2,6}[!?]?"
_PARENT_NAME = r"[\"'](?P<name>[A-Za-z][\w-]{1,40})[\"']\s{0,4}:\s{0,9}\Z"
_PARENT_OF_KEYS = r"(?i)jwt|token(?!i)|auth(?!or)|signing|secret|encrypt|crypto|cipher|credential|bearer|api\Z"
_MAX_OBJECT, _MAX_PARENT = 160, 60
_MAX_WORD = 16
_VARIABLE_NAME = r"[A-Z]{2,16}(?:_[A-Z]{2,16}){1,6}"  # "TOKEN_KEY = 'ACME_TOKEN'"
_MIN_SECRET = 8
_MIN_SECRET_IN_PROSE = 12
_MIN_FOR_ANY_KEY = 20


def _secret(match: re.Match[str]) -> Location:
    """Locate the value of a name, if both look like those of a secret and the value is not code or elsewhere."""
    found = None if _is_unspecific_key(match) else named(match)
    if found is None or found.how == "gap" or found.is_redacted:
        return None
    value = found.value()
    if value is None or is_technical_term(value.text) or (found.how == "tag" and not value.is_tagged):
        return None
    if found.name.lower().endswith("pat") and not compiled(_GENERATED).fullmatch(value.text):
        return None  # "pat" for "pattern"
    is_code = not value.is_quoted and not found.is_setting and is_reference(value.text)
    # A value that ends in the name of the setting is a variable: `self._hostKey = hostKey`.
    is_variable = value.text.isidentifier() and value.text.lower().endswith(found.name.lower().lstrip("_"))
    if (
        is_code
        or (is_variable and not value.is_quoted)
        or not _is_secret(found, value)
        or is_elsewhere(value.text)
        or _is_part_of_a_name(found)
        or compiled(PUBLIC).fullmatch(value.text) is not None
        or is_checksum_at(found.text, value.span[0])
    ):
        return None
    return to_end_of_secret(found.text, value.span)


def _is_secret(found: Named, value: Literal) -> bool:
    """Whether a value is as random as its name and the join between them require."""
    join = found.how
    if found.name.lower().startswith("credential") and compiled(r"\w[\w.@+-]{0,63}[:/]").match(value.text):
        return False  # a user and a password: see passwords/pairs.py
    if compiled(r"[a-z_]{2,20}=[\w-]{1,20}").fullmatch(value.text):
        return False  # a field of its own: "auth: type=oauth2 flow=device"
    if compiled(_VARIABLE_NAME).fullmatch(value.text):
        return False
    is_sure = join in SURE and (value.is_quoted or join in ("tag", "block") or found.is_setting or join == "option")
    is_argument = join == "comma" and value.is_quoted
    least = _MIN_SECRET if join in SURE or is_argument else _MIN_SECRET_IN_PROSE
    is_random = looks_random(value.text, least=least)
    is_long_enough = len(value.text) >= _MIN_SECRET_IN_PROSE
    is_random = is_random or (is_long_enough and " " not in value.text and is_gibberish(value.text))
    if is_any_key := _is_any_key(found):
        is_random = is_random and (is_sure or _is_variable(found)) and len(value.text) >= _MIN_FOR_ANY_KEY
    elif is_sure and value.text.isdigit():
        is_random = is_long_enough
    if join in ("comma", "dash", "below"):
        is_random = is_random and not is_slug(value.text) and (value.is_quoted or _is_in_csv(found, value))
    # What is called just a "secret" may have been made up by a person.
    is_in_prose = join in ("verb", "note", "sign") and not is_slug(value.text)
    is_setting = join in SURE and (value.is_quoted or found.is_setting)
    if found.name.lower().endswith("secret") and (is_setting or is_in_prose):
        is_long = len(value.text) >= _MIN_SECRET and " " not in value.text
        is_random = is_random or (is_long and is_strong(value.text) and not is_slug(value.text))
    if is_any_key and value.is_quoted and found.before.endswith(("'", '"')):  # a member of an object of keys
        return is_random or (len(value.text) >= _MIN_FOR_ANY_KEY and is_strong(value.text))
    if is_setting and compiled(_SIGNING_KEY).fullmatch(found.name):
        is_random = is_random or compiled(_NUMBERED_SLUG).fullmatch(value.text) is not None
    return is_random


def _is_unspecific_key(match: re.Match[str]) -> bool:
    """Whether the name is just "key": no `KEY_QUALIFIERS`, underscore, hump or object of keys is before it."""
    if match["name"].lower() != "key":
        return False
    before_name = match.string[max(0, match.start() - _MAX_WORD) : match.start()]
    is_hump = match["name"][0] == "K" and before_name[-1:].islower()
    return not (before_name.endswith("_") or is_hump or _is_key_of(before_name) or _is_in_an_object_of_keys(match))


def _is_in_an_object_of_keys(match: re.Match[str]) -> bool:
    """Whether the name of the enclosing object shows that it holds keys: `"Jwt": {"Issuer": "acme", "Key": ...}`."""
    text, start = match.string, match.start()
    if text[start - 1 : start] not in ("'", '"'):
        return False
    opened = text.rfind("{", max(0, start - _MAX_OBJECT), start)
    if opened < 0 or "}" in text[opened:start]:
        return False
    parent = compiled(_PARENT_NAME).search(text, max(0, opened - _MAX_PARENT), opened)
    return parent is not None and compiled(_PARENT_OF_KEYS).search(parent["name"]) is not None


def _is_key_of(before: str) -> bool:
    return before.rstrip(" _.-").lower().endswith(names.KEY_QUALIFIERS)


def _is_any_key(found: Named) -> bool:
    return found.name.lower() == "key" and not _is_key_of(found.before)


def _is_variable(found: Named) -> bool:
    """Whether this is the name of an environment variable: `OPENAI_KEY`."""
    return found.name == "KEY" and compiled(r"[A-Z]{3}_\Z").search(found.before) is not None


def _is_in_csv(found: Named, value: Literal) -> bool:
    """Whether name and value are adjacent fields of a line of CSV."""
    end = value.span[1]
    return (
        found.join["comma"] == "," and found.text[found.end - 1] == "," and found.text[end : end + 1] in ("", ",", "\n")
    )


def _is_part_of_a_name(found: Named) -> bool:
    """Whether the name is part of a URL, a URN or a type, or of the name of a token or key that is no secret."""
    around = found.before
    name = found.name.lower().lstrip("_")
    if around.endswith("?") and "badge" in around:
        return True  # a badge of a README is public
    if "://" in around and compiled(r"://[^\s/@]{0,40}\Z").search(around):
        return True  # the user of a URL: see credentials.py
    if found.name[0].isupper() and compiled(_TYPE_PATH).search(around):
        return True
    if around[-1:] in (":", "/") and found.sign == ":" and found.text[found.end - 1] == ":":
        return True
    if _is_any_key(found):
        is_openpgp = compiled(_OPENPGP_BEFORE).search(around) is not None
        is_fingerprint = is_openpgp and compiled(_FINGERPRINT).match(found.text, found.end) is not None
        return is_fingerprint or compiled(_HARMLESS_KEY).search(around) is not None
    return name == "token" and compiled(_HARMLESS).search(around) is not None


RULES = (
    Rule(
        kind="secret",
        anchors=names.GENERATED_ANCHORS,
        fold=True,
        pattern=rf"(?ai:(?P<name>{names.GENERATED})(?![A-Za-z]))",
        locate=_secret,
        source="https://cwe.mitre.org/data/definitions/798.html",
        samples=("API_KEY=«{mixed 40}»\n", "the client secret is «{mixed 40}».", 'c.setApiKey("«{mixed 12}»")'),
        near=(
            "API_KEY=${API_KEY}",
            'c.setApiKey("api-key-of-jo")',
            "next_token = <hex:20>",
            "the token is in the vault",
        ),
    ),
    # Personal access tokens. In lower case, "pat" is a name or the start of "path".
    Rule(
        kind="secret",
        anchors=("PAT",),
        pattern=r"(?P<name>(?<![A-Za-z0-9_-])PAT(?![A-Za-z]))",
        locate=_secret,
        source="https://docs.github.com/authentication/keeping-your-account-and-data-secure",
        samples=("the PAT is «{mixed 40}».",),
        near=("the PAT is in the vault", "PATH=/usr/bin"),
    ),
)
