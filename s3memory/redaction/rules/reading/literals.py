"""Reads the value after a name: where it starts, where it ends, and whether it is quoted."""

from __future__ import annotations

from typing import NamedTuple

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, PLACEHOLDER_START, without_placeholders
from s3memory.redaction.text.compiling import compiled

# A quoted value ends at its quote; YAML and SQL double a quote inside the value. A value with escaped quotes is itself
# inside a string, as with JSON in JSON. Letters or a sign before a quote say how a language reads the string: u8"v" in
# C++, N'v' in SQL, @"v" and $"v" in C#.
_QUOTED = (
    r"(?:(?:u8|[fbruFBRULN@$]{0,2})(?:"
    r"\"(?P<double>(?:[^\"\\\n]|\\.){1,1024}+)\""
    r"|'(?P<single>(?!')(?:[^'\\\n]|\\.|''(?=\w)|'\\''(?!')){1,1024}+)'"
    r"|`(?P<tick>[^`\n]{1,1024}+)`)"
    r"|\\\"(?P<escaped>[^\"\\\n]{1,1024}+)\\\""
    r"|\\'(?P<apostrophe>[^'\\\n]{1,1024}+)\\')"
)
_QUOTED_STARTS = "\"'`\\fbruFBRULN@$"

_STOPS = "\u3002\uff0c\u3001\uff1b\uff01\uff1f\u300d\u300f\uff09\u3011\u300b\u201d\u201c\u00bb\u2026"

# A bare value ends at a space, or where something else plainly begins: the next setting, a closing tag, the rest of the
# string around it. A comma or a quote in the middle of a password is part of it. A placeholder is no value, but text
# directly after it may be the rest of one, unless a link, a host or another field follows.
_PLACEHOLDER = rf"{PLACEHOLDER_PATTERN.pattern}(?![,;:@/&|.?=()\]\"'`-])"
_INNER_SIGN = (
    rf"\[(?!{PLACEHOLDER_START[1:]})|[\"'`](?=\w)|<(?!/[A-Za-z]|br)"
    r"|[,;](?=[^\s\"'`])(?![A-Z]\w{2,15} [A-Z]\w{1,15}=)"  # "Initial Catalog=" is the next setting
)
_MIDDLE = rf"[^\s\"'`,;&<\[{_STOPS}]|{_PLACEHOLDER}|{_INNER_SIGN}"
_BARE = rf"(?:{_MIDDLE}(?![\w-]{{2,40}}[=:])|&(?![\w-]{{1,40}}=|#|(?:amp|quot|lt|gt|apos);)){{1,256}}+"
_SETTING = rf"(?:{_MIDDLE}|&(?![&\s\"'`])){{1,256}}+"
# Ends a bare value that has no space after it: an escaped line end, an arrow, the next field.
_BORDER = r"(?:\\r)?\\[nrt]|%0[AaDd]|<-|>>|~~(?=[\s.,;]|\Z)|[\u2013\u2014\u2192]|\|(?=[\w.-]{1,40}[=:])|/\Z"
_MIN_LENGTH_BEFORE_BORDER = 4
_SPACE = r"\s|</|\Z"
# A line of a properties file, as of Java, Gradle and systemd, and the further words of its value.
_PROPERTY = r"[ \t]*(?=[\w.-]*[a-z])[\w.-]{1,80}=[ ]?"
_MORE_WORDS = r"[ ][^\n#;=\"']{1,128}(?=\r?\n|\Z)"
# An assignment in quotes, and the further words of its value: set "PASSWORD=a b", -e 'PASSWORD=a b'.
_ASSIGNMENT_IN_QUOTES, _MAX_ASSIGNMENT_LENGTH = r"(?:\A|[\s\[(,=])(?P<quote>[\"'])[A-Za-z_][\w.-]{0,80}=\Z", 84
_MORE_WORDS_IN_QUOTES = r"[ ][^\n\"'=;]{1,128}(?=[\"'])"
_CLOSING_TAG, _REST_OF_TAG = r"\s{0,40}</", r"[^\s<]{0,4096}+\s{0,40}</"  # the second after a value that was cut
END_OF_LINE = r"[\"'`*,;]{0,3}[ \t]{0,20}(?:#[^\n]{0,80})?(?:\\n|\r?\n|\Z)"
"""A pattern of what may stand between a value and the end of its line: quotes, a comma, a comment."""

_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_CLOSING_QUOTES = "\"'`,;"
_MAX_LENGTH = 256
_MAX_JUDGED_LENGTH = 64


class Literal(NamedTuple):
    """A value as a text has it.

    Attributes:
        text: The part to judge: without placeholders, and only the start of a very long value.
        span: The span of the value, including a final exclamation mark that may be punctuation.
        is_quoted: Quotes or backticks delimit it.
        is_tagged: A closing tag follows it.
    """

    text: str
    span: tuple[int, int]
    is_quoted: bool = False
    is_tagged: bool = False


def literal_at(text: str, position: int, *, is_setting: bool) -> Literal | None:
    """Return the value that starts at `position`, or `None` if there is none.

    With `is_setting`, for a line of an env file, the value ends at the next space only.
    """
    position += 2 * text.startswith(("**", "__"), position)  # in bold
    may_be_quoted = text[position : position + 1] in _QUOTED_STARTS
    if may_be_quoted and (quoted := compiled(_QUOTED).match(text, position)) and (group := quoted.lastgroup):
        text = without_placeholders(quoted[group])
        return Literal(text[:_MAX_JUDGED_LENGTH], quoted.span(group), is_quoted=True) if text else None
    position += text.startswith(('"', "'", "`"), position)
    if not (bare := compiled(_SETTING if is_setting else _BARE).match(text, position)):
        return None
    border = compiled(_BORDER).search(bare[0], _MIN_LENGTH_BEFORE_BORDER)
    value = _without_punctuation(bare[0][: border.start()] if border else bare[0])
    if value.startswith("*") and bare[0].startswith("*", len(value)):  # in italics
        position, value = position + 1, value[1:]
    # A final exclamation mark may belong to the sentence or to the password: it is not judged, but redacted.
    span = (position, position + len(value))
    closing_tag = compiled(_CLOSING_TAG if len(bare[0]) < _MAX_LENGTH else _REST_OF_TAG).match(text, bare.end())
    is_tagged = closing_tag is not None and not value.startswith("<")
    text = without_placeholders(value).rstrip("!")
    return Literal(text[:_MAX_JUDGED_LENGTH], span, is_tagged=is_tagged) if text else None


def to_end_of_secret(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the span of a secret literal, extended to the end of the secret.

    The secret ends later than the literal if that was cut for its length, or at a space that belongs to the secret: in
    a properties file, which has no quotes, and where quotes enclose name and value together.
    """
    start, end = span
    if end - start < _MAX_LENGTH:
        return start, _end_of_property(text, start, end)
    end = next(compiled(_SPACE).finditer(text, end)).start()
    return start, start + len(text[start:end].rstrip(_CLOSING_QUOTES))


def _end_of_property(text: str, start: int, end: int) -> int:
    """Return the end of a value that goes on after a space at `end`, or `end` if it doesn't."""
    if text[end : end + 1] != " ":
        return end
    if opened := compiled(_ASSIGNMENT_IN_QUOTES).search(text, max(0, start - _MAX_ASSIGNMENT_LENGTH), start):
        rest = compiled(_MORE_WORDS_IN_QUOTES).match(text, end)
        return rest.end() if rest and text.startswith(opened["quote"], rest.end()) else end
    rest = compiled(_MORE_WORDS).match(text, end)
    if rest is None:
        return end
    begin = text.rfind("\n", max(0, start - _MAX_LENGTH), start) + 1
    if not compiled(_PROPERTY).fullmatch(text, begin, start):
        return end
    above = text.rfind("\n", max(0, begin - _MAX_LENGTH), max(0, begin - 1)) + 1
    is_one_of_several = any(compiled(_PROPERTY).match(text, line) for line in (above, rest.end() + 1) if line != begin)
    return end + len(rest[0].rstrip()) if is_one_of_several else end


def _without_punctuation(value: str) -> str:
    """Return `value` without punctuation, quotes and unmatched brackets at its end."""
    while value and not value.endswith("****"):  # a mask
        last = value[-1]
        if last not in ".,;:?*_'\"`|\\" and (last not in _CLOSERS or value.count(_CLOSERS[last]) >= value.count(last)):
            break
        value = value[:-1]
    return value
