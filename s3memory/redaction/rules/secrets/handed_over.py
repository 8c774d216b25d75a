"""Random values that nothing calls a secret, but that a call hands to a client, your header carries, or logs you in."""

from __future__ import annotations

from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.random_values import RandomValue
from s3memory.redaction.text.compiling import compiled

_LEAST, _MOST_WORDS_OF_A_HEADER = 20, 3
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
_OF_SERVERS = frozenset(
    (
        *("age", "browser", "bytes", "cache", "client", "content", "data", "debug", "device", "edns", "encoding"),
        *("etag", "file", "firefox", "hit", "host", "idempotency", "info", "install", "instance", "message", "mode"),
        *("next", "node", "page", "pod", "pop", "purgeid", "ray", "received", "region", "replica", "replicas"),
        *("rid", "rlafr", "route", "runtime", "score", "served", "server", "sha"),
        *("source", "spam", "spdy", "state", "status", "tag", "tags", "time", "timer", "trace", "ua"),
        *("user", "varnish", "version", "via", "view", "worker", "zone"),
    )
)
_LOGGED_IN = (
    r"(?i)(?<![a-z])(?:(?:log|sign)(?:ged|ed|s|ging|ing)?[ -](?:in|on)|authenticat(?:e|es|ed|ing))"
    r"(?:[ ](?:to|at|as)[ ][\w. -]{1,30})?[ ](?:with|w/|using|via)[ ][\"'`*]{0,3}\Z"
)
_LEAST_OF_HEXADECIMAL = 32
_BEHIND_A_STAGE = r"(?i)(?<![a-z])(?:prod(?:uction)?|sandbox|staging|live)[ ]?[:=]?[ ]?[\"'`]?\Z"


def is_an_argument(before: str, value: RandomValue) -> bool:
    """Whether a call hands the value to a client."""
    if value.is_uuid:
        return False
    if compiled(_CALL_OF_A_CLIENT).search(before):
        return True
    return _is_long(value) and compiled(_CALL_THAT_MAKES).search(before) is not None


def is_behind_your_own(before: str, value: RandomValue) -> bool:
    """Whether the value stands behind your own header, a variable or a stage."""
    if value.is_uuid or not _is_long(value):
        return False
    header = compiled(_HEADER).search(before)
    if header:
        words = nouns.words_of(header[0])[-_MOST_WORDS_OF_A_HEADER:]
        is_of_server = "-" in header[0] and not _OF_SERVERS.isdisjoint(words[-2:])
        return not is_of_server and nouns.meaning(words, len(words) - 1) != nouns.HARMLESS
    return compiled(_BEHIND_A_STAGE).search(before) is not None


def logs_in(before: str, value: RandomValue) -> bool:
    """Whether `before` ends in what says that somebody logged in with the value."""
    is_long = len(value.text) >= (_LEAST_OF_HEXADECIMAL if value.is_hexadecimal else _LEAST)
    return is_long and not value.is_uuid and compiled(_LOGGED_IN).search(before) is not None


def _is_long(value: RandomValue) -> bool:
    return not value.is_hexadecimal and len(value.text) >= _LEAST
