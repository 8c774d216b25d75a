"""Secrets that are named: keys, tokens and client secrets, which a machine made and which look like it."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading import names
from s3memory.redaction.rules.reading.joins import SURE, Named, named
from s3memory.redaction.rules.reading.literals import Literal, to_its_end
from s3memory.redaction.rules.reading.random_values import PUBLIC, is_sum_at
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_reference, is_slug, is_strong, is_term, looks_random
from s3memory.redaction.text.wording import is_gibberish

# Tokens that are passed back and forth, those of language models, and keys that are only names.
_HARMLESS = (
    r"(?i)(?:(?:next|previous)(?:[ _-]?(?:forward|backward|list|batch|result|item|set|shard|query))?"
    r"|page|continuation|continue|cancel(?:l?ation)?|sync|resume|start"
    r"|end|stop|special|pad|mask|eos|bos|unk|idempotency|client|sequence|request|change|update|action|starting|unit"
    r"|product|csrf|xsrf|lock|fencing|design|scroll|cursor|marker|public[ _-]?key"
    r"|(?:hash|fingerprint|checksum|name|id)[ ]of[ ](?:the|this|a|each))[ _-]?\Z"
)
_NAMING = (
    r"(?i)(?:public|primary|foreign|partition|sort|cache|object|idempotency|dedup\w{0,12}|row|hash|lookup|index|group|"
    r"translation|message|routing|site|shard|state|lock|item|file|registry|map|dict|data|meta|sub|any|arrow|enter|tab|pub|"
    r"ssh|host|known|hot|short|fn|ctrl|shift|s3|range|order|search|event|metric|trace|cursor|record|entity|doc|page|query|"
    r"surrogate|natural|unique|composite|clustering|aggregate|bucket|storage|path|asset|version|etag|checksum|digest)_?\Z"
)
# By which a key is found on a server of keys.
_OF_OPENPGP, _FINGERPRINT = r"(?i)(?:gpg|pgp)[_-]?\Z", r"[\"']?(?:0x)?[0-9A-F]{40}(?![0-9A-Za-z])"
_TYPE = r"::(?:[A-Z][A-Za-z0-9]*)?\Z"
_GENERATED = r"(?i)(?!.{0,64}(?:abcdef|012345))[\w.:-]{16,}"
# What somebody made up for want of a generator: "dev-but-used-in-prod-81".
_NAME_OF_THE_KEY = r"(?i)secret[_-]?key(?:[_-]?base)?"
_NUMBERED_SLUG = r"(?=.{12})[A-Za-z]+(?:[-_.][A-Za-z]+){2,7}[-_.]?[0-9]{2,6}[!?]?"
_PARENT = r"[\"'](?P<name>[A-Za-z][\w-]{1,40})[\"']\s{0,4}:\s{0,9}\Z"
_OF_KEYS = r"(?i)jwt|token(?!i)|auth(?!or)|signing|secret|encrypt|crypto|cipher|credential|bearer|api\Z"
_OBJECT, _LONGEST_PARENT = 160, 60
_LONGEST_WORD = 16
_NAME_OF_A_VARIABLE = r"[A-Z]{2,16}(?:_[A-Z]{2,16}){1,6}"  # "TOKEN_KEY = 'ACME_TOKEN'"
_LEAST_SECRET = 8
_LEAST_SECRET_IN_PROSE = 12
_LEAST_FOR_ANY_KEY = 20


def _secret(match: re.Match[str]) -> Location:
    found = None if _is_no_name(match) else named(match)
    if found is None or found.how == "gap" or found.is_redacted:
        return None
    value = found.value()
    if value is None or is_term(value.text) or (found.how == "tag" and not value.is_tagged):
        return None
    if found.name.lower().endswith("pat") and not compiled(_GENERATED).fullmatch(value.text):
        return None  # a pattern
    is_code = not value.is_quoted and not found.is_setting and is_reference(value.text)
    # A name that ends as its own name does is the variable of it: `self._hostKey = hostKey`.
    is_variable = value.text.isidentifier() and value.text.lower().endswith(found.name.lower().lstrip("_"))
    if (
        is_code
        or (is_variable and not value.is_quoted)
        or not _is_secret(found, value)
        or is_elsewhere(value.text)
        or _is_part_of_a_name(found)
        or compiled(PUBLIC).fullmatch(value.text) is not None
        or is_sum_at(found.text, value.span[0])
    ):
        return None
    return to_its_end(found.text, value.span)


def _is_secret(found: Named, value: Literal) -> bool:
    join = found.how
    if found.name.lower().startswith("credential") and compiled(r"\w[\w.@+-]{0,63}[:/]").match(value.text):
        return False  # a pair: see pairs.py
    if compiled(r"[a-z_]{2,20}=[\w-]{1,20}").fullmatch(value.text):
        return False  # a field of its own: "auth: type=oauth2 flow=device"
    if compiled(_NAME_OF_A_VARIABLE).fullmatch(value.text):
        return False
    is_sure = join in SURE and (value.is_quoted or join in ("tag", "block") or found.is_setting or join == "option")
    is_argument = join == "comma" and value.is_quoted
    least = _LEAST_SECRET if join in SURE or is_argument else _LEAST_SECRET_IN_PROSE
    is_random = looks_random(value.text, least=least)
    is_like_one = len(value.text) >= _LEAST_SECRET_IN_PROSE
    is_random = is_random or (is_like_one and " " not in value.text and is_gibberish(value.text))
    if is_any_key := _is_any_key(found):
        is_random = is_random and (is_sure or _is_variable(found)) and len(value.text) >= _LEAST_FOR_ANY_KEY
    elif is_sure and value.text.isdigit():
        is_random = is_like_one
    if join in ("comma", "dash", "below"):
        is_random = is_random and not is_slug(value.text) and (value.is_quoted or _is_in_csv(found, value))
    # What is called a secret and nothing else may have been made up by somebody.
    is_said = join in ("verb", "note", "sign") and not is_slug(value.text)
    if found.name.lower().endswith("secret") and ((join in SURE and (value.is_quoted or found.is_setting)) or is_said):
        is_long = len(value.text) >= _LEAST_SECRET and " " not in value.text
        is_random = is_random or (is_long and is_strong(value.text) and not is_slug(value.text))
    if is_any_key and value.is_quoted and found.before.endswith(("'", '"')):  # of an object of keys
        return is_random or (len(value.text) >= _LEAST_FOR_ANY_KEY and is_strong(value.text))
    if join in SURE and (value.is_quoted or found.is_setting) and compiled(_NAME_OF_THE_KEY).fullmatch(found.name):
        is_random = is_random or compiled(_NUMBERED_SLUG).fullmatch(value.text) is not None
    return is_random


def _is_no_name(match: re.Match[str]) -> bool:
    """Whether this is a "key" that is neither one of `KEY_OF`, nor behind a hump or an underscore."""
    if match["name"].lower() != "key":
        return False
    behind = match.string[max(0, match.start() - _LONGEST_WORD) : match.start()]
    is_hump = match["name"][0] == "K" and behind[-1:].islower()
    return not (behind.endswith("_") or is_hump or _is_key_of(behind) or _is_in_an_object_of_keys(match))


def _is_in_an_object_of_keys(match: re.Match[str]) -> bool:
    """Whether the object that the name is in says what it is the key of: `"Jwt": {"Issuer": "acme", "Key": ...}`."""
    text, start = match.string, match.start()
    if text[start - 1 : start] not in ("'", '"'):
        return False
    opened = text.rfind("{", max(0, start - _OBJECT), start)
    if opened < 0 or "}" in text[opened:start]:
        return False
    parent = compiled(_PARENT).search(text, max(0, opened - _LONGEST_PARENT), opened)
    return parent is not None and compiled(_OF_KEYS).search(parent["name"]) is not None


def _is_key_of(before: str) -> bool:
    return before.rstrip(" _.-").lower().endswith(names.KEY_OF)


def _is_any_key(found: Named) -> bool:
    return found.name.lower() == "key" and not _is_key_of(found.before)


def _is_variable(found: Named) -> bool:
    """Whether this is a name as of an environment variable: `OPENAI_KEY`."""
    return found.name == "KEY" and compiled(r"[A-Z]{3}_\Z").search(found.before) is not None


def _is_in_csv(found: Named, value: Literal) -> bool:
    """Whether name and value are fields of one line, with nothing around them but commas."""
    end = value.span[1]
    return (
        found.join["comma"] == "," and found.text[found.end - 1] == "," and found.text[end : end + 1] in ("", ",", "\n")
    )


def _is_part_of_a_name(found: Named) -> bool:
    """Whether "secret:" or "token:" is inside a URN, or names a token or a key that is no secret."""
    around = found.before
    name = found.name.lower().lstrip("_")
    if around.endswith("?") and "badge" in around:
        return True  # what a README shows to everybody
    if "://" in around and compiled(r"://[^\s/@]{0,40}\Z").search(around):
        return True  # the user, whose password stands before the host: see credentials.py
    if found.name[0].isupper() and compiled(_TYPE).search(around):
        return True
    if around[-1:] in (":", "/") and found.sign == ":" and found.text[found.end - 1] == ":":
        return True
    if _is_any_key(found):
        is_of_a_key = compiled(_OF_OPENPGP).search(around) and compiled(_FINGERPRINT).match(found.text, found.end)
        return is_of_a_key is not None or compiled(_NAMING).search(around) is not None
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
    # Personal access tokens. In small letters it is somebody's name, or the start of a path.
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
