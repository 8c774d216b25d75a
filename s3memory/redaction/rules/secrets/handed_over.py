"""Random values that nothing beside them calls a secret.

A call hands them to a client, your header carries them, they log you in, or a sentence brings them in after it has
named them: "they share a secret. For Velmora that's ...".
"""

from __future__ import annotations

from s3memory.redaction.rules.reading import nouns, tools
from s3memory.redaction.rules.reading.key_verbs import IS
from s3memory.redaction.rules.reading.random_values import RandomValue, has_form_of_an_id
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set

_LEAST, _LEAST_OF_HEXADECIMAL, _MOST_WORDS_OF_A_HEADER = 20, 32, 3
_CALL_OF_A_CLIENT = (
    r"(?i)(?<![a-z])(?:new|init\w*|connect|\w{0,20}client|configure|setup|start|log_?in|auth\w*|(?:bot|app)\.run)[ ]?"
    r"\((?:[^()\n]{0,60},[ ]?)?[\"'`]\Z"
)
_CALL_THAT_MAKES = (
    r"(?:(?<![A-Za-z])new[ ][A-Z][\w.\\]{1,60}|(?i:\b(?:make|create|build|open)))[ ]?\((?:[^()\n]{0,60},[ ]?)?[\"'`]\Z"
)
# "X-...", which are your own headers; any name in what is plainly a list of headers; a variable of a shell.
_HEADER = (
    r"(?i)(?<![a-z0-9])x-[a-z0-9-]{2,40}[\"'`]?[ ]?[:=,]?[ ]?[\"'`]?\Z"
    r"|headers?\b[^\n]{0,60}[\"'][a-z][a-z0-9]{1,20}(?:-[a-z0-9]{2,20}){1,3}[\"'][ ]?[:,][ ]?[\"']\Z"
    r"|(?-i:(?:\A|[\s;&\"'(])[A-Z][A-Z0-9]*_[A-Z0-9_]+=[\"']?)\Z"
    r"|(?-i:(?:\A|[ ;&(])[A-Z]{3,20}=[\"']?)\Z"
)
# Words of headers that servers, caches, browsers and mail write themselves.
_OF_SERVERS = word_set("""
    age browser bytes cache client content data debug device edns encoding etag file firefox hit host idempotency info
    install instance message mode next node page pod pop purgeid ray received region replica replicas rid rlafr route
    runtime score served server sha source spam spdy state status tag tags time timer trace ua user varnish version via
    view worker zone
""")
_LOGGED_IN = (
    r"(?i)(?<![a-z])(?:(?:log|sign)(?:ged|ed|s|ging|ing)?[ -](?:in|on)|authenticat(?:e|es|ed|ing))"
    r"(?:[ ](?:to|at|as)[ ][\"'`*]{0,2}[\w. @-]{1,30}[\"'`*]{0,2})?[ ](?:with|w/|using|via)[ ][\"'`*]{0,3}\Z"
)
_BEHIND_A_STAGE = r"(?i)(?<![a-z])(?:prod(?:uction)?|sandbox|staging|live)[ ]?[:=]?[ ]?[\"'`]?\Z"
# The id of a client, and its secret behind a slash.
_BEHIND_A_CLIENT = (
    r"(?i)(?<![a-z])(?:client|consumer|oauth2?|(?<=[a-z] )app|api)(?:[ _-]?(?:id|key))?[ :=]{1,3}[\"'`*]{0,2}"
    r"(?=[a-z_-]{0,20}[0-9])[a-z0-9_-]{8,64}[\"'`*]{0,2}[ ]?/[ ]?[\"'`*]{0,2}\Z"
)
# All of a line that is no more than a name and the value: "- Harborview (sandbox): v".
_BARE_NAME = (
    r"(?:\A|\n)[ \t>*\u2022+-]{0,6}\*{0,2}"
    r"(?P<name>[A-Z][\w&'-]{1,20}(?:[ .][A-Za-z][\w&'-]{1,20}){0,2}(?:[ ]\([a-z -]{2,20}\))?)"
    r"\*{0,2}(?:[ ]?(?:[:=\u2192\u2013\u2014-]|->))?[ ][`\"']?\Z"
)
_END_OF_BARE = r"[`\"']?[.,;]?(?:[ \t]*(?:\r?\n|\Z)|[ ]{1,3}[(#\u2013\u2014-])"
_LEAST_BARE, _MOST_BARE, _LONGEST_NAME = 32, 128, 72
# Of files in Google's drive and in IPFS; addresses of Solana and keys of Bitcoin have their own alphabet.
_ID_OF_A_FILE = r"1[\w-]{32,43}|Qm\w{44}|[1-9A-HJ-NP-Za-km-z]{43,44}"
_REACH = 170
_BROUGHT_IN = (
    r"(?i)(?:(?<![a-z])(?:are|reads?|says|goes|g[ai]ve(?:[ ](?:me|us))?|got|sen[dt](?:[ ](?:me|us))?|copied"
    r"|pasted|take|now|value|zwar|namely|n\u00e4mlich|voici|ecco|joka on|(?:it|that)['\u2019]s)[ ]"
    rf"|(?<![^\W\d_])(?:{IS})[ ]?"
    r"|(?<![:=] )(?<=[^\W\d_] |[,)] )[^\W\d_]{2,20}(?:[:\uff1a]|[ ][\u2013\u2014-])[ ]"
    r"|cookie\b[^\n]{0,120}[;:,'\"][ ]?[\w.-]{1,40}=)[\"'`*\u201c]{0,3}\Z"
)
OTHER_VALUE = r"(?=[A-Za-z+/]{0,40}[0-9])[A-Za-z0-9+/]{20,}+"
# What is encrypted stays, and so does the key of a domain's mail, which is public.
_FOR_ALL_TO_SEE = r"\bENC\[|\bv=DKIM1\b"
_DETERMINERS = word_set("the this that my our your new old a each same per with")


def is_an_argument(before: str, value: RandomValue) -> bool:
    """Whether a call hands the value to a client."""
    if value.is_uuid:
        return False
    if compiled(_CALL_OF_A_CLIENT).search(before):
        return True
    return not value.is_hexadecimal and _is_long(value) and compiled(_CALL_THAT_MAKES).search(before) is not None


def is_behind_your_own(before: str, value: RandomValue) -> bool:
    """Whether the value stands behind your own header, a variable or a stage."""
    if value.is_hexadecimal or not _is_long(value):
        return False
    header = compiled(_HEADER).search(before)
    if header:
        words = nouns.words_of(header[0])[-_MOST_WORDS_OF_A_HEADER:]
        is_of_server = "-" in header[0] and not _OF_SERVERS.isdisjoint(words[-2:])
        return not is_of_server and nouns.meaning(words, len(words) - 1) != nouns.HARMLESS
    return compiled(_BEHIND_A_STAGE).search(before) is not None


def is_all_of_its_line(text: str, start: int, end: int) -> bool:
    """Whether a line is a name and what stands from `start` to `end`, long and of three kinds of characters.

    Nobody keeps such a value beside a name alone but a key: ids are called what they are of.
    """
    if not _LEAST_BARE <= end - start <= _MOST_BARE:
        return False
    name = compiled(_BARE_NAME).search(text, max(0, start - _LONGEST_NAME), start)
    if name is None or not compiled(_END_OF_BARE).match(text, end):
        return False
    value, words = text[start:end], nouns.words_of(name["name"])
    is_mixed = any(map(str.isupper, value)) and any(map(str.islower, value)) and any(map(str.isdigit, value))
    is_file = compiled(_ID_OF_A_FILE).fullmatch(value) is not None or has_form_of_an_id(value)
    is_thing = any(
        nouns.meaning(words, place) == nouns.HARMLESS or word in tools.NO_KEYS for place, word in enumerate(words)
    )
    return is_mixed and not is_file and not is_thing


def is_behind_a_client(before: str, value: RandomValue) -> bool:
    """Whether the id of a client and a slash stand before the value: "client v / ..."."""
    return _is_long(value) and compiled(_BEHIND_A_CLIENT).search(before) is not None


def logs_in(before: str, value: RandomValue) -> bool:
    """Whether `before` ends in what says that somebody logged in with the value."""
    return _is_long(value) and compiled(_LOGGED_IN).search(before) is not None


def is_told_later(text: str, value: RandomValue) -> bool:
    """Whether a verb or a sign brings `value` in, and what was named last on its line is a secret."""
    if not (_is_long(value) or value.is_uuid) or "=" in value.text.rstrip("="):
        return False
    before = text[max(0, value.start - _REACH) : value.start].rpartition("\n")[2]
    if not compiled(_BROUGHT_IN).search(before) or compiled(_FOR_ALL_TO_SEE).search(before):
        return False
    words = nouns.words_of(compiled(OTHER_VALUE).sub(",", before))
    for place in reversed(range(len(words))):
        said = nouns.meaning(words, place, is_beside=False, is_uuid=value.is_uuid)
        if said == nouns.KEY:
            return not value.is_uuid and place > 0 and words[place - 1] not in _DETERMINERS
        if said != nouns.NOTHING:
            return said == nouns.SECRET
    return False


def _is_long(value: RandomValue) -> bool:
    """Whether the value is so long that it is no word and no short hash, and no UUID."""
    return not value.is_uuid and len(value.text) >= (_LEAST_OF_HEXADECIMAL if value.is_hexadecimal else _LEAST)
