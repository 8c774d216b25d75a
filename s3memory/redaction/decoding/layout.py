"""What only lays a text out, between a name and its value: a Markdown link around the value, an emoji, a line end.

A reader takes the value for what it would be without these, so that no rule has to know of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.decoding.view import Replacement
from s3memory.redaction.text.compiling import compiled

# The text of the link is one word. Its brackets go, and its address with them.
_LINK = r"\[(?P<text>[^\s\[\]]{4,128})\]\((?P<address>[^()\s]{1,300})\)"
# Pictures and dingbats, but for the arrow that is a sign.
_EMOJI = r"[\u2600-\u27a0\u27a2-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]*[ ]?"
# A line that is one word, perhaps below an empty line.
_ALONE = (
    r"\n(?:[ \t>]{0,8}\r?\n)?(?P<indent>[ \t>]{0,16})(?P<bullet>[-*+][ ]{1,3})?"
    r"(?=\S{4,103}+[ \t]{0,8}+(?:[\r\n]|\Z))"  # says soon that a line is more than one word
    r"(?=[\"'`*]{0,3}(?P<value>[^\s\"'`]{4,96})[\"'`*]{0,3}[.,;]?[ \t]{0,8}(?:\r?\n|\Z))"
)
_NO_VALUE = r"[\[({<}\])].*|.*(?:://|[:({\[=,])|.*\(\)|.*[;,|].*|#?[A-Za-z_][\w.-]*=[^=].*"
_NEXT_ITEM = r"[^\n]*\n[ \t>]{0,16}[-*+][ ]"
_LONGEST_LINE = 160
_HEADING = r"[ \t>]{0,8}(?:#{1,6}[ ].*|\*\*.*\*\*|[^\W\d_]+(?:[ ][^\W\d_]+){0,2})"
_SIGNS = (":", "=", "\uff1a", "?")
_FENCE = "```"


def layout(text: str) -> list[Replacement]:
    """Return what in `text` is layout, and what a reader reads there."""
    return _without_overlaps(sorted([*_links(text), *_emoji(text), *_next_lines(text)]))


def _links(text: str) -> Iterator[Replacement]:
    if "](" not in text:
        return
    for link in compiled(_LINK).finditer(text):
        if "://" not in link["text"]:
            yield link.start(), link.start("text"), ""
            yield link.end("text"), link.end(), ""


def _emoji(text: str) -> Iterator[Replacement]:
    if text.isascii():
        return
    for found in compiled(_EMOJI).finditer(text):
        start, end = found.span()
        is_between_words = text[start - 1 : start].isalnum() and text[end : end + 1].isalnum()
        yield start, end, " " if is_between_words else ""


def _next_lines(text: str) -> Iterator[Replacement]:
    """Yield the line ends before a word that stands alone and has a number or hyphens in it, below a line of text."""
    for found in compiled(_ALONE).finditer(text):
        value = found["value"]
        if not (any(map(str.isdigit, value)) or value.count("-") > 1) or compiled(_NO_VALUE).fullmatch(value):
            continue
        start = found.start() - text.startswith("\r", found.start() - 1)
        above = text[max(text.rfind("\n", 0, start) + 1, start - _LONGEST_LINE) : start]
        is_said = above.endswith(_SIGNS) or above.strip("#*_ ").isalpha() or " " in above.strip()
        # An item of a list of its own: of several, each may be something else.
        is_item = found["bullet"] and (
            (not above.endswith(":") and _indent(above) >= len(found["indent"]))
            or compiled(_NEXT_ITEM).match(text, found.end()) is not None
        )
        if is_said and not is_item and not above.strip().startswith(_FENCE):
            # Below a heading, or as an item of its own, the value is what the line above names.
            is_name = found["bullet"] or compiled(_HEADING).fullmatch(above)
            yield start, found.end(), ": " if is_name and not above.endswith(_SIGNS) else " "


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def _without_overlaps(replacements: list[Replacement]) -> list[Replacement]:
    kept: list[Replacement] = []
    for one in replacements:
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept
