"""Random values without a label next to them, which their context still shows to be secrets.

A call passes them to a client, a custom header carries them, somebody logs in with them, or a sentence names them first
and gives them later: "they share a secret. For Velmora that's ...".
"""

from __future__ import annotations

from s3memory.redaction.rules.reading import nouns, tools
from s3memory.redaction.rules.reading.linking_words import IS
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.random_values import RandomValue, has_form_of_identifier
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.word_lists import word_set

_MIN_LENGTH, _MIN_HEX_LENGTH, _MAX_HEADER_WORDS = 20, 32, 3
_CLIENT_CALL = (
    r"(?i)(?<![a-z])(?:new|init\w*|connect|\w{0,20}client|configure|setup|start|log_?in|auth\w*|(?:bot|app)\.run)[ ]?"
    r"\((?:[^()\n]{0,60},[ ]?)?[\"'`]\Z"
)
_CONSTRUCTOR_CALL = (
    r"(?:(?<![A-Za-z])new[ ][A-Z][\w.\\]{1,60}|(?i:\b(?:make|create|build|open)))[ ]?\((?:[^()\n]{0,60},[ ]?)?[\"'`]\Z"
)
# A custom header ("X-..."), any header in a literal of headers, or an assignment to a shell variable.
_HEADER_OR_VARIABLE = (
    r"(?i)(?<![a-z0-9])x-[a-z0-9-]{2,40}[\"'`]?[ ]?[:=,]?[ ]?[\"'`]?\Z"
    r"|headers?\b[^\n]{0,60}[\"'][a-z][a-z0-9]{1,20}(?:-[a-z0-9]{2,20}){1,3}[\"'][ ]?[:,][ ]?[\"']\Z"
    r"|(?-i:(?:\A|[\s;&\"'(])[A-Z][A-Z0-9]*_[A-Z0-9_]+=[\"']?)\Z"
    r"|(?-i:(?:\A|[ ;&(])[A-Z]{3,20}=[\"']?)\Z"
)
# Words of "X-" headers that servers, caches, browsers and mail programs set, and which carry no secret.
_SERVER_HEADER_WORDS = word_set("""
    age browser bytes cache client content data debug device edns encoding etag file firefox hit host idempotency info
    install instance message mode next node page pod pop purgeid ray received region replica replicas rid rlafr route
    runtime score served server sha source spam spdy state status tag tags time timer trace ua user varnish version via
    view worker zone
""")
# As in "logged in to acme with".
_LOGGED_IN = (
    r"(?i)(?<![a-z])(?:(?:log|sign)(?:ged|ed|s|ging|ing)?[ -](?:in|on)|authenticat(?:e|es|ed|ing))"
    r"(?:[ ](?:to|at|as)[ ][\"'`*]{0,2}[\w. @-]{1,30}[\"'`*]{0,2})?[ ](?:with|w/|using|via)[ ][\"'`*]{0,3}\Z"
)
# A stage and perhaps a sign, as in "sandbox: ".
_AFTER_STAGE = r"(?i)(?<![a-z])(?:prod(?:uction)?|sandbox|staging|live)[ ]?[:=]?[ ]?[\"'`]?\Z"
# The id of a client and a slash, as in "client 9f2c1ab07d3e / ".
_AFTER_CLIENT_ID = (
    r"(?i)(?<![a-z])(?:client|consumer|oauth2?|(?<=[a-z] )app|api)(?:[ _-]?(?:id|key))?[ :=]{1,3}[\"'`*]{0,2}"
    r"(?=[a-z_-]{0,20}[0-9])[a-z0-9_-]{8,64}[\"'`*]{0,2}[ ]?/[ ]?[\"'`*]{0,2}\Z"
)
# The start of a line that has only a name and the value: "- Harborview (sandbox): gT7k...".
_BARE_NAME = (
    r"(?:\A|\n)[ \t>*\u2022+-]{0,6}\*{0,2}"
    r"(?P<name>[A-Z][\w&'-]{1,20}(?:[ .][A-Za-z][\w&'-]{1,20}){0,2}(?:[ ]\([a-z -]{2,20}\))?)"
    r"\*{0,2}(?:[ ]?(?:[:=\u2192\u2013\u2014-]|->))?[ ][`\"']?\Z"
)
_LINE_END = r"[`\"']?[.,;]?(?:[ \t]*(?:\r?\n|\Z)|[ ]{1,3}[(#\u2013\u2014-])"
_MIN_BARE, _MAX_BARE, _MAX_NAME = 32, 128, 72
# Ids of files in Google Drive and IPFS, and what is written in base58, such as addresses of Solana.
_FILE_ID_OR_ADDRESS = r"1[\w-]{32,43}|Qm\w{44}|[1-9A-HJ-NP-Za-km-z]{43,44}"
_CHARS_BEFORE = 170
# What introduces a value: "it reads ", "that's ", "for Velmora: ".
_INTRODUCED = (
    r"(?i)(?:(?<![a-z])(?:are|reads?|says|goes|g[ai]ve(?:[ ](?:me|us))?|got|sen[dt](?:[ ](?:me|us))?|copied"
    r"|pasted|take|now|value|zwar|namely|n\u00e4mlich|voici|ecco|joka on|(?:it|that)['\u2019]s)[ ]"
    rf"|(?<![^\W\d_])(?:{IS})[ ]?"
    r"|(?<![:=] )(?<=[^\W\d_] |[,)] )[^\W\d_]{2,20}(?:[:\uff1a]|[ ][\u2013\u2014-])[ ]"
    r"|cookie\b[^\n]{0,120}[;:,'\"][ ]?[\w.-]{1,40}=)[\"'`*\u201c]{0,3}\Z"
)
OTHER_VALUE = r"(?=[A-Za-z+/]{0,40}[0-9])[A-Za-z0-9+/]{20,}+"
"""Another random value on the line, whose letters must not be read as words."""

# Encrypted values, and the public DKIM key of a domain.
_PUBLIC_OR_ENCRYPTED = r"\bENC\[|\bv=DKIM1\b"
_DETERMINERS = word_set("the this that my our your new old a each same per with")


def is_client_argument(before: str, value: RandomValue) -> bool:
    """Whether a call passes the value to a client: `Orbit.connect("eu-west", "gT7k...")`."""
    if value.is_uuid:
        return False
    if occurs(_CLIENT_CALL, before):
        return True
    return not value.is_hexadecimal and _is_long(value) and compiled(_CONSTRUCTOR_CALL).search(before) is not None


def follows_header_variable_or_stage(before: str, value: RandomValue) -> bool:
    """Whether the value follows a custom header, a shell variable or the name of a stage: "X-Edge-Verify: gT7k..."."""
    if value.is_hexadecimal or not _is_long(value):
        return False
    header = compiled(_HEADER_OR_VARIABLE).search(before)
    if header:
        words = nouns.words_of(header[0])[-_MAX_HEADER_WORDS:]
        is_server_header = "-" in header[0] and not _SERVER_HEADER_WORDS.isdisjoint(words[-2:])
        return not is_server_header and nouns.meaning(words, len(words) - 1) != nouns.HARMLESS
    return occurs(_AFTER_STAGE, before)


def is_alone_after_a_name(text: str, start: int, end: int) -> bool:
    """Whether a line has only a name and the value from `start` to `end`, long and of three kinds of characters.

    Such a value is a key: somebody who notes an id also notes what it identifies.
    """
    if not _MIN_BARE <= end - start <= _MAX_BARE:
        return False
    name = compiled(_BARE_NAME).search(text, max(0, start - _MAX_NAME), start)
    if name is None or not compiled(_LINE_END).match(text, end):
        return False
    value, words = text[start:end], nouns.words_of(name["name"])
    is_mixed = any(map(str.isupper, value)) and any(map(str.islower, value)) and any(map(str.isdigit, value))
    is_file_id = compiled(_FILE_ID_OR_ADDRESS).fullmatch(value) is not None or has_form_of_identifier(value)
    names_a_thing = any(
        nouns.meaning(words, index) == nouns.HARMLESS or word in tools.NO_KEYS for index, word in enumerate(words)
    )
    return is_mixed and not is_file_id and not names_a_thing


def follows_client_id(before: str, value: RandomValue) -> bool:
    """Whether the id of a client and a slash are before the value: "client 9f2c1ab07d3e / gT7k..."."""
    return _is_long(value) and occurs(_AFTER_CLIENT_ID, before)


def follows_login_verb(before: str, value: RandomValue) -> bool:
    """Whether `before` ends in a phrase such as "logged in with"."""
    return _is_long(value) and occurs(_LOGGED_IN, before)


def is_introduced_later(text: str, value: RandomValue) -> bool:
    """Whether a verb or a sign introduces `value`, and the last thing that its line names before it is a secret."""
    if not (_is_long(value) or value.is_uuid) or "=" in value.text.rstrip("="):
        return False
    before = text[line_start(text, value.start, _CHARS_BEFORE) : value.start]
    if not occurs(_INTRODUCED, before) or compiled(_PUBLIC_OR_ENCRYPTED).search(before):
        return False
    words = nouns.words_of(compiled(OTHER_VALUE).sub(",", before))
    for index in reversed(range(len(words))):
        verdict = nouns.meaning(words, index, is_beside=False, is_uuid=value.is_uuid)
        if verdict == nouns.KEY:
            return not value.is_uuid and index > 0 and words[index - 1] not in _DETERMINERS
        if verdict != nouns.NOTHING:
            return verdict == nouns.SECRET
    return False


def _is_long(value: RandomValue) -> bool:
    """Whether the value is too long for a word or a short hash, and is not a UUID."""
    return not value.is_uuid and len(value.text) >= (_MIN_HEX_LENGTH if value.is_hexadecimal else _MIN_LENGTH)
