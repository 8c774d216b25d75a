"""Removes layout: a Markdown link or tags around a value, an emoji, a line end before a value or inside a token.

A view without them shows the value as a reader sees it, so no rule has to deal with layout.
"""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.decoding.view import Replacement
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import runs_of
from s3memory.redaction.text.values import looks_random

# A link whose text is one word: "[hunter2](https://example.com)". The brackets and the address are removed.
_LINK = r"\[(?P<text>[^\s\[\]]{4,128})\]\((?P<address>[^()\s]{1,300})\)"
# Markup around one word: "<b>hunter2</b>", "[code]hunter2[/code]", "\\texttt{hunter2}", "~~hunter2~~", a terminal's
# escapes. The first character stands alone in front, so that `re` skips to it.
_MARKUP = (
    r"[<\[\\~=|_\x1b\u200b\u200e\u200f\u2060\ufeff](?:"
    r"(?<=<)(?:br[ ]?/?>|[A-Za-z][A-Za-z0-9]{0,9}(?:[ ][^<>\n]{1,200})?>(?:<[A-Za-z][^<>\n]{0,200}>){0,3}"
    r"(?P<in_tags>[^<>\s]{4,200})(?:</[A-Za-z][A-Za-z0-9]{0,9}>){1,4})"
    r"|(?<=\[)(?P<code>[a-z]{1,8})(?:=[^\]\n]{1,40})?\](?P<in_code>[^\s\[\]]{4,200})\[/(?P=code)\]"
    r"|(?<=\\)(?:text(?:tt|bf|it)|emph|verb)\{(?P<in_braces>[^\s{}]{4,200})\}"
    r"|(?<=~)~(?<![\w~]~~)(?P<in_tildes>[^\s~]{4,200})~~(?![\w~])"
    r"|(?<==)=(?<![\w=]==)(?P<in_signs>[^\s=|]{4,200})==(?![\w=])"
    r"|(?<=\|)\|(?<![\w|]\|\|)(?P<in_bars>[^\s|]{4,200})\|\|(?![\w|])"
    r"|(?<=_)(?<!\w_)(?!_)(?P<in_lines>[^\s|]{3,200}?[^\s_])_(?!\w)"
    r"|(?<=\x1b)\[[0-9;]{0,12}m|(?<=[\u200b\u200e\u200f\u2060\ufeff]))"
)
# Pictures and dingbats, except for the arrow U+27A1, which may be a separator.
_EMOJI = r"[\u2600-\u27a0\u27a2-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]*[ ]?"
# A line that is one word, perhaps after an empty line.
_VALUE_ON_NEXT_LINE = (
    r"\n(?:[ \t>]{0,8}\r?\n)?(?P<indent>[ \t>]{0,16})(?P<bullet>[-*+][ ]{1,3})?"
    r"(?=\S{4,103}+[ \t]{0,8}+(?:[\r\n]|\Z))"  # fails fast if the line is more than one word
    r"(?=[\"'`*]{0,3}(?P<value>[^\s\"'`]{4,96})[\"'`*]{0,3}[.,;]?[ \t]{0,8}(?:\r?\n|\Z))"
)
_NO_VALUE = r"[\[({<}\])].*|.*(?:://|[:({\[=,])|.*\(\)|.*[;,|].*|#?[A-Za-z_][\w.-]*=[^=].*"
_NEXT_ITEM = r"[^\n]*\n[ \t>]{0,16}[-*+][ ]"
_MAX_LINE = 160
_HEADING = r"[ \t>]{0,8}(?:#{1,6}[ ].*|\*\*.*\*\*|[^\W\d_]+(?:[ ][^\W\d_]+){0,2})"
_UNDERLINE = r"\r?\n(?:={3,80}|-{3,80})[ \t]{0,8}\Z"
_LABEL_ENDS = (":", "=", "\uff1a", "?")
_FENCE = "```"
_SEVERAL = 2

# Tokens that were wrapped at the end of a line: the next line has nothing but the rest of the token.
_MIN_TOKEN = 16
# A shorter line wasn't wrapped for its length. A backslash at its end continues a line of any length.
_MIN_COLUMN = 50
_LINE_BREAK = (
    r"[ \t]{0,2}(?P<mark>\\)?\r?\n[ \t>#*|]{0,16}(?P<rest>[A-Za-z0-9+/_-]{6,512}={0,2})"
    r"(?=[\"'`,;.)\]}]{0,3}[ \t]{0,9}(?:\r?\n|</|\Z))"
)
# A tag that opens before the first line: the lines of its base64 are as long as one another.
_OPENING_TAG, _MAX_TAG = r"<[A-Za-z][\w:.-]{0,40}(?:[ ][^<>\n]{1,80})?>\s{0,40}\Z", 180
# The next line is a token of its own ("ghp_...", "eyJ..."), or a word or a number.
_NOT_THE_REST = r"[A-Za-z][A-Za-z0-9]{1,9}[_-]|eyJ|[A-Z]?[a-z]+\Z|[0-9]+\Z|[A-Z]+\Z"


def layout(text: str) -> list[Replacement]:
    """Return the layout in `text`, in order, and what replaces it: nothing, a space or a colon."""
    kept: list[Replacement] = []
    for replacement in sorted([*_links(text), *_emoji(text), *_next_lines(text), *markup(text)]):
        if not kept or replacement[0] >= kept[-1][1]:
            kept.append(replacement)
    return kept


def markup(text: str) -> Iterator[Replacement]:
    """Yield the tags and signs in `text` that mark up a word, to be removed; a line break becomes a space."""
    for found in compiled(_MARKUP).finditer(text):
        start, end = found.span()
        if found.lastgroup:
            yield start, found.start(found.lastgroup), ""
            yield found.end(found.lastgroup), end, ""
        else:
            yield start, end, " " if text[start] == "<" else ""


def _links(text: str) -> Iterator[Replacement]:
    for link in compiled(_LINK).finditer(text) if "](" in text else ():
        # A link to a commit that shows its hash isn't the value of a label before it.
        if "://" not in link["text"] and not link["address"].endswith("/commit/" + link["text"].strip("`")):
            yield link.start(), link.start("text"), ""
            yield link.end("text"), link.end(), ""


def _emoji(text: str) -> Iterator[Replacement]:
    for found in () if text.isascii() else compiled(_EMOJI).finditer(text):
        start, end = found.span()
        is_between_words = text[start - 1 : start].isalnum() and text[end : end + 1].isalnum()
        yield start, end, " " if is_between_words else ""


def _next_lines(text: str) -> Iterator[Replacement]:
    """Yield the line ends between a line that describes a value and the value alone on the next line.

    Such a value is one word that has a digit or several hyphens. It is joined to the line above by a colon if that is
    its label, or else by a space.
    """
    for found in compiled(_VALUE_ON_NEXT_LINE).finditer(text):
        value = found["value"]
        if not (any(map(str.isdigit, value)) or value.count("-") > 1) or compiled(_NO_VALUE).fullmatch(value):
            continue
        start = found.start() - text.startswith("\r", found.start() - 1)
        if underline := compiled(_UNDERLINE).search(text, max(0, start - _MAX_LINE), start):
            start = underline.start()
        above = text[max(text.rfind("\n", 0, start) + 1, start - _MAX_LINE) : start]
        if above.count(":") >= _SEVERAL and value.count(":") >= _SEVERAL:
            continue  # names of fields separated by colons, and below them their values
        is_described = above.endswith(_LABEL_ENDS) or above.strip("#*_ ").isalpha() or " " in above.strip()
        # In a list of several items, each may be something else.
        is_item = found["bullet"] and (
            (not above.endswith(":") and _indent(above) >= len(found["indent"]))
            or compiled(_NEXT_ITEM).match(text, found.end()) is not None
        )
        if is_described and not is_item and not above.strip().startswith(_FENCE):
            # Below a heading, or as the only item, the value is what the line above names.
            is_name = found["bullet"] or underline or compiled(_HEADING).fullmatch(above)
            yield start, found.end(), ": " if is_name and not above.endswith(_LABEL_ENDS) else " "


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def wraps(text: str) -> Iterator[Replacement]:
    """Yield each line end in `text` that is inside a token, to be removed."""
    next_line = -1
    for start, end in runs_of(text, _MIN_TOKEN):
        broken = compiled(_LINE_BREAK).match(text, end)
        if broken is None:
            continue
        rest, is_marked = broken["rest"], broken["mark"] is not None
        is_tagged = (
            start == next_line or compiled(_OPENING_TAG).search(text, max(0, start - _MAX_TAG), start) is not None
        )
        # The rest of a wrapped token is shorter than its first part.
        if not is_marked and len(rest) >= end - start + is_tagged:
            continue
        if compiled(_NOT_THE_REST).match(rest) or not (is_tagged or any(map(str.isdigit, text[start:end]))):
            continue
        line = text.rfind("\n", max(0, start - _MIN_COLUMN), start) + 1 or max(0, start - _MIN_COLUMN)
        next_line = broken.start("rest") if is_tagged else -1
        is_long = is_marked or is_tagged or end - line >= _MIN_COLUMN
        if is_long or (looks_random(rest, least=_MIN_TOKEN) and looks_random(text[start:end])):
            yield end, broken.start("rest"), ""
