"""Labelled secrets: keys, tokens and client secrets, which a machine made and which therefore look random."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading import names, nouns
from s3memory.redaction.rules.reading.joins import SURE, Named, named
from s3memory.redaction.rules.reading.judging import is_remark_word, is_saying, is_word_of_code
from s3memory.redaction.rules.reading.likeness import is_exclaimed, names_things
from s3memory.redaction.rules.reading.literals import Literal, to_end_of_secret
from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.rules.reading.random_values import PUBLIC, is_checksum_at
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.values import (
    is_elsewhere,
    is_reference,
    is_slug,
    is_strong,
    is_technical_term,
    looks_random,
)
from s3memory.redaction.text.word_lists import word_list
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
    r"surrogate|natural|uniq|unique|project|column|col|field|table|locale|lang|issue|shortcut|menu|feature|flag|composite|clustering|aggregate|bucket|storage|path|asset|version|etag|checksum|digest)_?\Z"
)
# The fingerprint of an OpenPGP key is public.
_PUBLIC_KEY = r"(?i)(?<![a-z])(?:public|publishable|pub)[ _-]?(?:api[ _-]?)?\Z"
_OPENPGP_BEFORE, _FINGERPRINT = r"(?i)(?:gpg|pgp)[_-]?\Z", r"[\"']?(?:0x)?[0-9A-F]{40}(?![0-9A-Za-z])"
_TYPE_PATH = r"::(?:[A-Z][A-Za-z0-9]*)?\Z"
_GENERATED = r"(?i)(?!.{0,64}(?:abcdef|012345))[\w.:-]{16,}"
# Secrets that somebody made up without a generator: "dev-but-used-in-prod-81". A program that signs or encrypts takes
# any text as its secret. After other names, the name of a secret may follow ("TLS_SECRET=web-tls-2"), or of a key.
_SIGNS = r"jw[tse]|hmac|sign(?:ing|ature)?|encrypt(?:ion)?|decrypt(?:ion)?|crypto|cipher"
_SESSIONS = r"session|cookie|csrf|xsrf|hash(?:ing)?"
_PARENT = r"s?[\"']?[ ]?[:=({][\s:=({\"']{0,30}"
_SIGNING_NAME = (
    rf"(?i)(?:(?:{_SIGNS}|{_SESSIONS}|auth|token|app|client|webhook|hook|shared|api|django|flask|rails|express)"
    rf"[_. -]?secret(?:[_-]?key)?|secret[_-]?key[_-]?base|(?:{_SIGNS}|{_SESSIONS}){_PARENT}secret"
    rf"|(?P<key>secret[_-]?key|(?:{_SIGNS}|aes)(?:[_. -]?|{_PARENT})key|(?P<api>api)[_. -]?key))\Z"
)
_SIGNING_PURPOSE = rf"(?i)[ ](?:for|of)[ ](?:{_SIGNS}|{_SESSIONS})"
_WORDS_AND_NUMBERS = r"(?=.{12})(?=.*[a-z])[A-Za-z][A-Za-z0-9]{0,40}(?:[-_][A-Za-z0-9]{1,40}){1,11}[!?]?"
_NUMBERED_SLUG = r"(?=.{12})[A-Za-z]+(?:[-_.][A-Za-z]+){2,7}[-_.]?[0-9]{2,6}[!?]?"
_NUMBER_AT_END, _LONG_NUMBER = r"[0-9]{2,8}[!?]?\Z", r"[0-9]{3}"
# As the value of a "secret" or "token", which has no hyphens if it is not the name of a thing in a cluster.
_NUMBERED_NAME = r"[a-z]{2,16}(?:_[a-z]{2,16}){1,6}_(?=[a-z]{0,32}[0-9]{3})[a-z0-9]{3,40}"
_ALIAS = r"(?i)(?!super[-_]).*keys?(?:[-_](?:v?[0-9]{1,2}|(?:19|20)[0-9]{2}|[a-z]+))?"
_WORDS = r"[a-z]{3,16}(?: [a-z]{3,16}){1,3}"
_OPTION_OF_KEY = r"(?i)--(?:[a-z]{2,16}-)?(?:api-?key|token)\Z"
_SHORT_KEY = r"[a-z]{2,16}-?(?=[a-z0-9]{0,40}[0-9]{3})[a-z0-9]{3,40}"
# What somebody typed as a key: letters with two digits or more. Variables and the names of things have one at most,
# and algorithms, versions and dates have forms of their own.
_TYPED = r"(?=.{6})(?=(?:[^0-9]*[0-9]){2})(?=(?:[^A-Za-z]*[A-Za-z]){2})[A-Za-z0-9]{1,40}(?:[_.-][A-Za-z0-9]{1,40}){0,6}"
_NOT_TYPED = (
    r"(?i)(?:v?[0-9]+[._-].*|(?:x-)?(?:sha|md|aes|rsa|hs|rs|es|ps|ecdsa|ed|curve|utf|base|oauth|http|tls|hmac|pbkdf|p)[_-]?[0-9]+.*"
    r"|[a-z-]*(?:19|20)[0-9]{2}(?:[-_.]?[01][0-9]){0,2}|(?:null|none|true|false|undefined).*"
    r"|(?-i:[A-Z]+(?:_[A-Z]+)+_?[0-9]+)|(?:[a-z]+[_.-])*(?P<thing>[a-z]+)[_.-]?[0-9]+)"
)
_SURE_KEY = (
    r"(?i)(?:(?:api|access|secret|auth|priv|private|shared|account|storage|master|encryption|signing)[_-]?key"
    r"|(?:access|auth|api|bearer|refresh|session|bot|id|service)[_-]?token|client[_-]?secret|\w[_-](?:token|secret|credential)s?"
    r"|(?<!\w)(?<!\w-)(?:token|secret))\Z"
)
_MIN_PARTS, _MIN_WORDS_OF_KEY = 3, 2
_INSTRUCTION = (
    r"(?i)(?:change|replace|set|insert|enter|put|use|generate|add|fill|paste|must|should|see|same|not?|never|to|from|in"
    r"|todo|fixme|required|optional|your|please|provided?|stored?|managed?|rotated?)[-_]"
    r"|.*(?:[-_](?:here|only|name|ref|arn|id|path|file|chars?|characters?|bytes|bits)|latest)\Z|.*least"
)
_PARENT_NAME = r"[\"'](?P<name>[A-Za-z][\w-]{1,40})[\"']\s{0,4}:\s{0,9}\Z"
_PARENT_OF_KEYS = r"(?i)jwt|token(?!i)|auth(?!or)|signing|secret|encrypt|crypto|cipher|credential|bearer|api\Z"
_MAX_OBJECT, _MAX_PARENT = 160, 60
# As in "first half by email: v, second half by SMS: v".
_ORDER = (
    r"(?i)(?:1st|2nd|first|second|last|other|erste|zweite|premi\u00e8re|deuxi\u00e8me|seconde|primera|segunda|prima|seconda"
    r"|eerste|tweede|ensimm\u00e4inen|toinen|f\u00f8rste|anden|f\u00f6rsta|andra|pierwsza|druga|prvn\u00ed|druh\u00e1|primeira"
    r"|\u043f\u0435\u0440\u0432\u0430\u044f|\u0432\u0442\u043e\u0440\u0430\u044f)[ ]\Z"
)
_HALVES = word_list(
    "half part chunk h\u00e4lfte teil moiti\u00e9 partie mitad parte met\u00e0 metade helft halvdel halvan puolikas "
    "po\u0142owa polovina"
)
_HALVES_BEYOND_ASCII = word_list("\u043f\u043e\u043b\u043e\u0432\u0438\u043d\u0430 \u0447\u0430\u0441\u0442\u044c")
_HALF = (
    rf"(?<![^\W\d_])(?i:{'|'.join((*_HALVES, *_HALVES_BEYOND_ASCII))})"
    r"(?P<number>[ ](?i:[12AB]|one|two)\b)?(?:[ ](?:\([^()\n]{1,16}\)|[^\W\d_]{1,12})){0,3}"
    r"(?:[ ]?[:=\u2013\u2014-])?[ ][\"'`*]{0,3}(?P<secret>[A-Za-z0-9+/=_-]{6,64})(?![\w/@]|\.\w)"
)
_MIN_HALF, _MAX_BEFORE_HALF = 6, 160
_MAX_WORD = 16
_VARIABLE_NAME = r"[A-Z]{2,16}(?:_[A-Z]{2,16}){1,6}"  # "TOKEN_KEY = 'ACME_TOKEN'"
_MIN_SECRET, _MIN_DEFAULT = 8, 6
_MIN_SECRET_IN_PROSE = 12
_MIN_NUMBER = 18
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
    elif value.text.isdigit() and (is_sure or join in SURE):
        is_random = len(value.text) >= (_MIN_SECRET_IN_PROSE if is_sure else _MIN_NUMBER)
    if join in ("comma", "dash", "below"):
        is_random = is_random and not is_slug(value.text) and (value.is_quoted or _is_in_csv(found, value))
    # What is called just a "secret" may have been made up by a person.
    is_in_prose = join in ("verb", "note", "sign") and not is_slug(value.text)
    is_setting = join in SURE and (value.is_quoted or found.is_setting)
    is_default = is_argument and found.is_argument  # getenv("SECRET", "v")
    if found.name.lower().endswith("secret") and (is_setting or is_in_prose or is_default):
        is_long = len(value.text) >= (_MIN_DEFAULT if is_default else _MIN_SECRET) and " " not in value.text
        is_random = is_random or (is_long and is_strong(value.text) and not is_slug(value.text))
    if is_any_key and value.is_quoted and found.before.endswith(("'", '"')):  # a member of an object of keys
        return is_random or (len(value.text) >= _MIN_FOR_ANY_KEY and is_strong(value.text))
    if is_setting or is_in_prose:
        is_random = is_random or (found.name.lower() == "secret" and is_exclaimed(found.text[slice(*value.span)]))
    is_random = is_random or (join in ("option", "sign") and _is_short_key(found, value))
    return is_random or _is_made_up(found, value) or _is_typed(found, value)


def _is_typed(found: Named, value: Literal) -> bool:
    """Whether a setting that can only be a secret has a value that somebody typed: "api_key=abc123"."""
    text = value.text
    if not (found.is_glued or found.how == "option" or (found.how in SURE and value.is_quoted)):
        return False
    if compiled(_TYPED).fullmatch(text) is None or compiled(_INSTRUCTION).match(text):
        return False
    other = compiled(_NOT_TYPED).fullmatch(text)
    if other and (other["thing"] is None or names_things(other["thing"])):
        return False
    is_name = "-" in text and found.name.lower() in ("secret", "token")  # of a thing in a cluster
    return not is_name and occurs(_SURE_KEY, found.before + found.name)


def _is_made_up(found: Named, value: Literal) -> bool:
    """Whether a value is words that somebody joined, after a name that can only mean a secret to sign with."""
    text = value.text
    if found.how == "note":
        is_named = value.is_quoted and occurs(_SIGNING_PURPOSE, found.join[0])
        return is_named and compiled(_WORDS_AND_NUMBERS).fullmatch(text) is not None
    is_argument = found.how == "comma" and found.is_argument
    is_joined = found.how in SURE or (value.is_quoted and (is_argument or found.how == "cell"))
    if not is_joined or compiled(_INSTRUCTION).match(text):
        return False
    name = compiled(_SIGNING_NAME).search(found.before + found.name)
    if name is None:
        is_secret = found.name.lower() in ("secret", "token") and value.is_quoted
        return is_secret and compiled(_NUMBERED_NAME).fullmatch(text) is not None
    is_key = not name["key"] or not _may_be_alias(text, is_of_api=name["api"] is not None)
    return is_key and _are_joined_words(found, value)


def _are_joined_words(found: Named, value: Literal) -> bool:
    """Whether a value is joined words, or a few words in quotes, and no variable."""
    text = value.text
    is_literal = value.is_quoted or found.name.isupper() or found.how in ("item", "tag", "block")
    if compiled(_NUMBERED_SLUG).fullmatch(text):
        return is_literal or not text.isidentifier()
    if value.is_quoted and compiled(_WORDS).fullmatch(text):
        return not any(map(is_remark_word, text.split()))
    if value.is_quoted and is_saying(text):
        return True
    has_parts = len(_parts(text)) >= _MIN_PARTS or compiled(_NUMBER_AT_END).search(text) is not None
    return is_literal and has_parts and compiled(_WORDS_AND_NUMBERS).fullmatch(text) is not None


def _may_be_alias(text: str, *, is_of_api: bool) -> bool:
    """Whether joined words may be the name of a key, such as "release-signing-key-2024"."""
    if compiled(_ALIAS).fullmatch(text):
        return True
    if compiled(_LONG_NUMBER if is_of_api else rf"{_LONG_NUMBER}|{_NUMBER_AT_END}").search(text):
        return False
    return is_of_api or sum(not is_word_of_code(part) for part in _parts(text)) < _MIN_WORDS_OF_KEY


def _is_short_key(found: Named, value: Literal) -> bool:
    """Whether a value of a command's option for a key or token has letters and digits, and is no version: "sk-1234"."""
    is_named = occurs(_OPTION_OF_KEY, found.before + found.name)
    return is_named and len(value.text) >= _MIN_DEFAULT and compiled(_SHORT_KEY).fullmatch(value.text) is not None


def _half(match: re.Match[str]) -> Location:
    """Locate half of a key or password, if it is random and one is named before it."""
    text, start = match.string, match.start()
    is_half = match["number"] or occurs(_ORDER, text, max(0, start - _MAX_WORD), start)
    if not is_half or not looks_random(match["secret"], least=_MIN_HALF):
        return None
    words = [word for word in nouns.words_of(text[max(0, start - _MAX_BEFORE_HALF) : start]) if word != "half"]
    is_key = any(nouns.meaning(words, index) in (nouns.KEY, nouns.SECRET) for index in range(len(words)))
    return match.span("secret") if is_key else None


def _parts(text: str) -> list[str]:
    return compiled(r"[-_]").split(text)


def _is_unspecific_key(match: re.Match[str]) -> bool:
    """Whether the name is just "key": no `KEY_QUALIFIERS`, underscore, hump or object of keys is before it."""
    if match["name"].lower() != "key":
        return False
    before_name = match.string[max(0, match.start() - _MAX_WORD) : match.start()]
    is_hump = match["name"][0] == "K" and before_name[-1:].islower()
    is_named = before_name.endswith("_") or is_hump or _is_key_of(before_name) or _is_in_an_object_of_keys(match)
    around = match.string[max(0, match.start() - _MAX_PARENT) : match.end()]
    return not (is_named or occurs(_SIGNING_NAME, around))


def _is_in_an_object_of_keys(match: re.Match[str]) -> bool:
    """Whether the name of the enclosing object shows that it holds keys: `"Jwt": {"Issuer": "acme", "Key": ...}`."""
    text, start = match.string, match.start()
    if text[start - 1 : start] not in ("'", '"'):
        return False
    opened = text.rfind("{", max(0, start - _MAX_OBJECT), start)
    if opened < 0 or "}" in text[opened:start]:
        return False
    parent = compiled(_PARENT_NAME).search(text, max(0, opened - _MAX_PARENT), opened)
    return parent is not None and occurs(_PARENT_OF_KEYS, parent["name"])


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


def _is_part_of_a_name(found: Named) -> bool:  # noqa: PLR0911 - one question after the other
    """Whether the name is part of a URL, a URN or a type, or of the name of a token or key that is no secret."""
    around = found.before
    name = found.name.lower().lstrip("_")
    if around.endswith("?") and "badge" in around:
        return True  # a badge of a README is public
    if "://" in around and compiled(r"://[^\s/@?#]{0,40}\Z").search(around):
        return True  # the user of a URL: see credentials.py
    if found.name[0].isupper() and compiled(_TYPE_PATH).search(around):
        return True
    if around[-1:] in (":", "/") and found.sign == ":" and found.text[found.end - 1] == ":":
        return True
    if _is_any_key(found):
        is_openpgp = compiled(_OPENPGP_BEFORE).search(around) is not None
        is_fingerprint = is_openpgp and compiled(_FINGERPRINT).match(found.text, found.end) is not None
        return is_fingerprint or occurs(_HARMLESS_KEY, around)
    if name == "key":
        return occurs(_PUBLIC_KEY, around)
    return name == "token" and occurs(_HARMLESS, around)


RULES = (
    Rule(
        kind="secret",
        anchors=names.GENERATED_ANCHORS,
        fold=True,
        pattern=rf"(?ai:(?P<name>{names.GENERATED})(?![A-Za-z]))",
        locate=_secret,
        source="https://cwe.mitre.org/data/definitions/798.html",
        samples=(
            *("API_KEY=«{mixed 40}»\n", "the client secret is «{mixed 40}».", 'c.setApiKey("«{mixed 12}»")'),
            *("JWT_SECRET=«gravel-pond-lane-of-stone»\n", "COOKIE_SECRET = '«cookie_signing_secret_key_2024»'"),
            *('encryption:\n  key: "«gravel_pond_lane»"', "session({ secret: '«gravel pond»' })"),
            "app.use(session({ secret: '«a kettle on the gravel»', resave: false }))",
            *('- name: JWT_SECRET\n  value: "«gravel-pond-4711»"', "Secret for signing tokens: `«gravel_pond_lane»`"),
            *('getenv("SECRET", "«gravel51»")', "acme --api-key «sk-1234» run", "secret: «GravelPond!»"),
        ),
        near=(
            *(
                "TLS_SECRET=web-tls-2024\n",
                "JWT_SECRET_NAME=prod-jwt-2024\n",
                'signing_key = "release-signing-key-2024"',
            ),
            *("JWT_SECRET=change-me-in-production\n", "jwt_secret = some_long_variable", "acme --api-key KEY run"),
            *('encryption_key = "prod-data-encryption"', "session({ key: 'gravel-pond-lane' })"),
            "API_KEY=${API_KEY}",
            'c.setApiKey("api-key-of-jo")',
            "next_token = <hex:20>",
            "the token is in the vault",
        ),
    ),
    Rule(
        kind="secret",
        anchors=(
            *(half.encode("ascii", "replace").decode() for half in _HALVES),
            *(form for half in _HALVES_BEYOND_ASCII for form in cased(half)),
        ),
        fold=True,
        pattern=_HALF,
        locate=_half,
        source="https://cwe.mitre.org/data/definitions/798.html",
        samples=(
            "The key came in two parts, the first half by email: «9f3kd02m», the rest by SMS.",
            "API key, part 2: «Zp81mWt4»",
        ),
        near=(
            "The film has two parts. First half by email: 9f3kd02m, second half by SMS: 77qpx1za.",
            "The key came in two parts. First part: chapters1-4, second part: costs2024",
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
