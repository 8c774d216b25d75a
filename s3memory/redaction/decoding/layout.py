"""What only lays a text out: a Markdown link around a value, an emoji, a line end before a value or inside a token.

A reader takes the value for what it would be without these, so that no rule has to know of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.decoding.view import Replacement
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import runs_of
from s3memory.redaction.text.values import looks_random

# The text of the link is one word. Its brackets go, and its address with them.
_LINK = r"\[(?P<text>[^\s\[\]]{4,128})\]\((?P<address>[^()\s]{1,300})\)"
# What marks up one word: HTML, BBCode, LaTeX, Markdown, a terminal. The sign comes first, so that `re` skips to it.
_MARKED_UP = (
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
_UNDERLINE = r"\r?\n(?:={3,80}|-{3,80})[ \t]{0,8}\Z"
_SIGNS = (":", "=", "\uff1a", "?")
_FENCE = "```"
_SEVERAL = 2

# Tokens that were broken at the end of a line: what stands on the next line alone goes on with them.
_LEAST = 16
# Shorter lines were not broken for their length. A backslash says that a line goes on.
_LEAST_COLUMN = 50
_BREAK = (
    r"[ \t]{0,2}(?P<mark>\\)?\r?\n[ \t>#*|]{0,16}(?P<rest>[A-Za-z0-9+/_-]{6,512}={0,2})"
    r"(?=[\"'`,;.)\]}]{0,3}[ \t]{0,9}(?:\r?\n|\Z))"
)
# The next line has a token of its own, or a word.
_ANOTHER = r"[A-Za-z][A-Za-z0-9]{1,9}[_-]|eyJ|[A-Z]?[a-z]+\Z|[0-9]+\Z|[A-Z]+\Z"


def layout(text: str) -> list[Replacement]:
    """Return what in `text` is layout, and what a reader reads there."""
    kept: list[Replacement] = []
    for one in sorted([*_links(text), *_emoji(text), *_next_lines(text), *markup(text)]):
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept


def markup(text: str) -> Iterator[Replacement]:
    """Yield the tags and signs in `text` that mark up a word, with nothing in their place."""
    for found in compiled(_MARKED_UP).finditer(text):
        start, end = found.span()
        if found.lastgroup:
            yield start, found.start(found.lastgroup), ""
            yield found.end(found.lastgroup), end, ""
        else:
            yield start, end, " " if text[start] == "<" else ""


def _links(text: str) -> Iterator[Replacement]:
    for link in compiled(_LINK).finditer(text) if "](" in text else ():
        # A commit that is shown by the end of its address is none of the words around it.
        if "://" not in link["text"] and not link["address"].endswith("/commit/" + link["text"].strip("`")):
            yield link.start(), link.start("text"), ""
            yield link.end("text"), link.end(), ""


def _emoji(text: str) -> Iterator[Replacement]:
    for found in () if text.isascii() else compiled(_EMOJI).finditer(text):
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
        if underline := compiled(_UNDERLINE).search(text, max(0, start - _LONGEST_LINE), start):
            start = underline.start()
        above = text[max(text.rfind("\n", 0, start) + 1, start - _LONGEST_LINE) : start]
        if above.count(":") >= _SEVERAL and value.count(":") >= _SEVERAL:
            continue  # the names of fields, and below them the fields of a line
        is_said = above.endswith(_SIGNS) or above.strip("#*_ ").isalpha() or " " in above.strip()
        # An item of a list of its own: of several, each may be something else.
        is_item = found["bullet"] and (
            (not above.endswith(":") and _indent(above) >= len(found["indent"]))
            or compiled(_NEXT_ITEM).match(text, found.end()) is not None
        )
        if is_said and not is_item and not above.strip().startswith(_FENCE):
            # Below a heading, or as an item of its own, the value is what the line above names.
            is_name = found["bullet"] or underline or compiled(_HEADING).fullmatch(above)
            yield start, found.end(), ": " if is_name and not above.endswith(_SIGNS) else " "


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def wraps(text: str) -> Iterator[Replacement]:
    """Yield each line end in `text` that is inside a token, with nothing in its place."""
    for start, end in runs_of(text, _LEAST):
        broken = compiled(_BREAK).match(text, end)
        if broken is None:
            continue
        rest, is_marked = broken["rest"], broken["mark"] is not None
        if not is_marked and len(rest) >= end - start:  # the rest of a token is shorter than a line of it
            continue
        if compiled(_ANOTHER).match(rest) or not any(map(str.isdigit, text[start:end])):
            continue
        line = text.rfind("\n", max(0, start - _LEAST_COLUMN), start) + 1 or max(0, start - _LEAST_COLUMN)
        is_long = is_marked or end - line >= _LEAST_COLUMN
        if is_long or (looks_random(rest, least=_LEAST) and looks_random(text[start:end])):
            yield end, broken.start("rest"), ""
