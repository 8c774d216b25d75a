"""Reading the value that stands behind a name: where it starts, where it ends, and whether quotes say so."""

from __future__ import annotations

from typing import NamedTuple

from s3memory.redaction.model import PLACEHOLDER_PATTERN, PLACEHOLDER_START, without_placeholders
from s3memory.redaction.text.compiling import compiled

# A quoted value ends at its quote, which YAML and SQL write twice within one. One with escaped quotes is inside a
# string itself, as JSON inside JSON.
_QUOTED = (
    r"(?:[fbru]{0,2}(?:"
    r"\"(?P<double>(?:[^\"\\\n]|\\.){1,1024}+)\""
    r"|'(?P<single>(?!')(?:[^'\\\n]|\\.|''(?=\w)){1,1024}+)'"
    r"|`(?P<tick>[^`\n]{1,1024}+)`)"
    r"|\\\"(?P<escaped>[^\"\\\n]{1,1024}+)\\\""
    r"|\\'(?P<apostrophe>[^'\\\n]{1,1024}+)\\')"
)
_STARTS_OF_QUOTED = "\"'`\\fbru"

_STOPS = "\u3002\uff0c\u3001\uff1b\uff01\uff1f\u300d\u300f\uff09\u3011\u300b\u201d\u201c\u00bb\u2026"

# Without quotes it ends at a space, or where something else plainly begins: the next setting, a closing tag, the
# rest of a string that the whole is in. A comma or a quote in the middle of a password is part of it.
# What was redacted before is no value, but what is glued to it may be the rest of one: no link, host or next field.
_MARK = rf"{PLACEHOLDER_PATTERN.pattern}(?![,;:@/&|.?=()\]\"'`-])"
_SIGN = (
    rf"\[(?!{PLACEHOLDER_START[1:]})|[\"'`](?=\w)|<(?!/[A-Za-z]|br)"
    r"|[,;](?=[^\s\"'`])(?![A-Z]\w{2,15} [A-Z]\w{1,15}=)"  # "Initial Catalog=" is the next one
)
_MIDDLE = rf"[^\s\"'`,;&<\[{_STOPS}]|{_MARK}|{_SIGN}"
_BARE = rf"(?:{_MIDDLE}(?![\w-]{{2,40}}[=:])|&(?![\w-]{{1,40}}=|#|(?:amp|quot|lt|gt|apos);)){{1,256}}+"
_SETTING = rf"(?:{_MIDDLE}|&(?![&\s\"'`])){{1,256}}+"
# What ends a value although nothing but what follows it says so: an escaped line end, the next field, an arrow.
_BORDER = r"(?:\\r)?\\[nrt]|%0[AaDd]|<-|>>|~~(?=[\s.,;]|\Z)|[\u2013\u2014\u2192]|\|(?=[\w.-]{1,40}[=:])|/\Z"
_LEAST_BEFORE_A_BORDER = 4
_SPACE = r"\s|\Z"
# A line of a file of properties, as Java, Gradle and systemd have it, and what may go on in it.
_PROPERTY = r"[ \t]*(?=[\w.-]*[a-z])[\w.-]{1,80}=[ ]?"
_WORDS_BEHIND = r"[ ][^\n#;=\"']{1,128}(?=\r?\n|\Z)"
# An assignment that is all in quotes, with what may go on in it: set "PASSWORD=a b", -e 'PASSWORD=a b'.
_ALL_IN_QUOTES, _LONGEST_BEFORE = r"(?:\A|[\s\[(,=])(?P<quote>[\"'])[A-Za-z_][\w.-]{0,80}=\Z", 84
_WORDS_IN_QUOTES = r"[ ][^\n\"'=;]{1,128}(?=[\"'])"
_CLOSING_TAG = r"\s{0,40}</"
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_CLOSING_QUOTES = "\"'`,;"
_LONGEST = 256
_JUDGED = 64


class Literal(NamedTuple):
    """A value as it is written.

    Attributes:
        text: What to judge: without placeholders, and no more than the start of one that is very long.
        span: Where that stands, with what may be punctuation or may be part of it.
        is_quoted: Quotes or backticks delimit it.
        is_tagged: A closing tag follows it.
    """

    text: str
    span: tuple[int, int]
    is_quoted: bool = False
    is_tagged: bool = False


def literal_at(text: str, position: int, *, is_setting: bool) -> Literal | None:
    """Return the value that starts at `position`, or `None` where there is none.

    In an env file a setting goes on to the next space, whatever it looks like.
    """
    position += 2 * text.startswith(("**", "__"), position)  # in bold
    may_be_quoted = text[position : position + 1] in _STARTS_OF_QUOTED
    if may_be_quoted and (quoted := compiled(_QUOTED).match(text, position)) and (group := quoted.lastgroup):
        text = without_placeholders(quoted[group])
        return Literal(text[:_JUDGED], quoted.span(group), is_quoted=True) if text else None
    position += text.startswith(('"', "'", "`"), position)
    if not (bare := compiled(_SETTING if is_setting else _BARE).match(text, position)):
        return None
    border = compiled(_BORDER).search(bare[0], _LEAST_BEFORE_A_BORDER)
    value = _without_punctuation(bare[0][: border.start()] if border else bare[0])
    if value.startswith("*") and bare[0].startswith("*", len(value)):  # in italics
        position, value = position + 1, value[1:]
    # An exclamation mark may be the sentence's or the password's: it is not judged, but it goes.
    span = (position, position + len(value))
    is_tagged = compiled(_CLOSING_TAG).match(text, bare.end()) is not None and not value.startswith("<")
    text = without_placeholders(value).rstrip("!")
    return Literal(text[:_JUDGED], span, is_tagged=is_tagged) if text else None


def to_its_end(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return `span`, the place of a literal that is a secret, up to where it ends.

    It ends behind it if it was cut for its length, or at its first space: in a file of properties, which has no quotes,
    and where name and value are in quotes together.
    """
    start, end = span
    if end - start < _LONGEST:
        return start, _end_of_property(text, start, end)
    end = next(compiled(_SPACE).finditer(text, end)).start()
    return start, start + len(text[start:end].rstrip(_CLOSING_QUOTES))


def _end_of_property(text: str, start: int, end: int) -> int:
    if text[end : end + 1] != " ":
        return end
    if opened := compiled(_ALL_IN_QUOTES).search(text, max(0, start - _LONGEST_BEFORE), start):
        rest = compiled(_WORDS_IN_QUOTES).match(text, end)
        return rest.end() if rest and text.startswith(opened["quote"], rest.end()) else end
    rest = compiled(_WORDS_BEHIND).match(text, end)
    if rest is None:
        return end
    begin = text.rfind("\n", max(0, start - _LONGEST), start) + 1
    if not compiled(_PROPERTY).fullmatch(text, begin, start):
        return end
    before = text.rfind("\n", max(0, begin - _LONGEST), max(0, begin - 1)) + 1
    is_one_of_several = any(compiled(_PROPERTY).match(text, line) for line in (before, rest.end() + 1) if line != begin)
    return end + len(rest[0].rstrip()) if is_one_of_several else end


def _without_punctuation(value: str) -> str:
    while value and not value.endswith("****"):  # of a mask
        last = value[-1]
        if last in ".,;:?*_'\"`|\\" or (last in _CLOSERS and value.count(_CLOSERS[last]) < value.count(last)):
            value = value[:-1]
        else:
            break
    return value
