"""Lists of data: many candidates in a row are no secrets, as nothing is label_line of any one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from s3memory.redaction.interface import without_placeholders
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.rules.scoring.lexicon import PREFIX, kinds_of, words_in
from s3memory.redaction.text.compiling import compiled, occurs

Range = tuple[int, int]

_LIST_LENGTH = 9
_MAX_CHARACTERS_OF_LINE, _MAX_CHARACTERS_BETWEEN = 280, 160
_LINES_OF_A_BLOCK, _LONGEST_LINE = 3, 1_000
_PERSON = r"[*-]?[ ]?[A-Z\u00c0-\u00de][\w.'\u2019-]*(?:[ ][(\"]?[A-Z\u00c0-\u00de][\w.'\u2019-]*[)\"]?){1,3}"
_NAME_AND_NUMBER = (
    r"[ \t]*(?:[-*\u2022][ ])?[^\W\d_][^\d\n:|=]{1,30}?(?:[ ]?[:\u2013\u2014]|[ ]-|\t|[ ]{2,16})?[ ]?"
    r"(?:(?i:ext\.?|x|dw\.?|int\.)[ ]?)?(?P<number>[0-9]{3,5})[ \t.,]*"
)
_EXTENSIONS = (
    r"(?i)(?<![^\W\d_])(?:ext(?:ension)?s?|phones?|telephones?|durchwahl\w*|nebenstelle\w*|toestel\w*|doorkies\w*|anknytning\w*"
    r"|lokalnum\w*|intern[oi]|ramal|ramais|dahili|klapk\w*|wewn\w*|mellék\w*|extensi[oó]n(?:es)?|postes?|доб|внутренн\w*|linka|linky"
    r"|alanumero\w*)(?![^\W\d_])|内線|내선|分机"
)
_SAME_DIGITS_OF_EXTENSIONS = 2
_LINES_OF_NAMES, _MIN_NEIGHBOURS = 6, 4
_NEIGHBOURS, _MIN_NAME_CHARACTERS, _MAX_LIST_CHARACTERS = 4, 6, 2_000
_BEGINNING, _QUOTED_ITEM, _ITEM_PUNCTUATION = (
    r"[A-Za-z]{2,16}[0-9]{0,2}[._-]",
    r"[ \t]*([\"'])[^\"'\n]{2,64}\1,?\r?",
    " \t\r,\"'",
)


def without_data(candidates: list[Range], are_data: Callable[[list[Range]], bool]) -> Iterator[Range]:
    """Yield `candidates` without those that are data together with their neighbours, as `are_data` decides.

    At either end of a list all neighbours are on one side. Otherwise redacting the item at an end would make the next
    one the end, and so on.
    """
    for number, span in enumerate(candidates):
        first = max(0, min(number - _LIST_LENGTH // 2, len(candidates) - _LIST_LENGTH))
        those = candidates[first : first + _LIST_LENGTH]
        if len(those) < _LIST_LENGTH or not are_data(those):
            yield span


def are_dense(text: str, spans: list[Range]) -> bool:
    """Whether `spans` are close together on one line."""
    around = text[spans[0][0] : spans[-1][1]]
    return "\n" not in around and len(without_placeholders(around)) < _MAX_CHARACTERS_OF_LINE


def is_in_encoded_block(text: str, start: int, end: int) -> bool:
    """Whether a span is in an encoded block: three or more lines without spaces and of equal length."""
    line, stop = line_around(text, start, end, _LONGEST_LINE)
    if " " in text[line:stop]:
        return False
    reach = 2 * (stop - line + 1) + 1  # two such lines, and a character more: a longer line shows that it is one
    around = text[max(0, line - reach) : stop + reach].split("\n")
    lengths = [len(part) if " " not in part else 0 for part in around]
    full = [stop - line] * _LINES_OF_A_BLOCK
    return any(lengths[first : first + len(full)] == full for first in range(len(lengths)))


def is_among_names(text: str, start: int, end: int) -> bool:
    """Whether a span is a line of its own in a list of people, such as the authors of a program."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if stop < 0 or (line, stop) != (start, end):
        return False
    above = text[max(0, line - _MAX_CHARACTERS_BETWEEN) : max(0, line - 1)].split("\n")[-_LINES_OF_NAMES // 2 :]
    below = text[stop + 1 : stop + 1 + _MAX_CHARACTERS_BETWEEN].split("\n")[: _LINES_OF_NAMES // 2]
    return sum(compiled(_PERSON).fullmatch(name) is not None for name in (*above, *below)) >= _MIN_NEIGHBOURS


def is_among_extensions(text: str, start: int, end: int) -> bool:
    """Whether a number is after a name, as a number next to it that begins alike, or beside words for telephones."""
    line, stop = line_around(text, start, end, _MAX_CHARACTERS_BETWEEN)
    if not text[start:end].isdigit() or compiled(_NAME_AND_NUMBER).fullmatch(text, line, stop) is None:
        return False
    above, below = text[max(0, line - _MAX_CHARACTERS_OF_LINE) : line], text[stop : stop + _MAX_CHARACTERS_OF_LINE]
    beside = (*above.splitlines()[-1:], *below.splitlines()[1:2])
    numbers = [one["number"] for one in map(compiled(_NAME_AND_NUMBER).fullmatch, beside) if one is not None]
    are_extensions = occurs(_EXTENSIONS, above + below)
    length = 0 if are_extensions else _SAME_DIGITS_OF_EXTENSIONS
    is_alike = any(len(one) == end - start and one[:length] == text[start : start + length] for one in numbers)
    if not is_alike or has_label(above + below):
        return False
    return "lock" not in kinds_of(word[:PREFIX] for word in words_in((above + below).lower()))


def is_in_series(text: str, start: int, end: int) -> bool:
    """Whether a span is one of several items with the same beginning, each quoted on a line of its own."""
    first = compiled(_BEGINNING).match(text, start, end)
    if first is None or text[start - 1 : start] not in ("'", '"'):
        return False
    line, stop = line_around(text, start, end, _MAX_CHARACTERS_BETWEEN)
    around = (
        *text[max(0, line - _MAX_CHARACTERS_OF_LINE) : line].splitlines()[-_MIN_NEIGHBOURS:],
        *text[stop : stop + _MAX_CHARACTERS_OF_LINE].splitlines(),
    )
    alike = [
        one
        for one in around
        if compiled(_QUOTED_ITEM).fullmatch(one) and one.strip(_ITEM_PUNCTUATION).startswith(first[0])
    ]
    return len(alike) >= _MIN_NEIGHBOURS


def is_in_order(text: str, start: int, end: int) -> bool:
    """Whether a span is a line of its own among words or numbers that are in order."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if text[line:start].strip() or text[end : len(text) if stop < 0 else stop].strip():
        return False
    above = text[max(0, line - _MAX_CHARACTERS_OF_LINE) : line].splitlines()[: -_NEIGHBOURS - 1 : -1]
    below = text[stop + 1 : stop + 1 + _MAX_CHARACTERS_OF_LINE].splitlines()[:_NEIGHBOURS] if stop >= 0 else []
    before, behind = ([*takewhile(_is_word, lines)] for lines in (above, below))
    words = [one.strip().casefold() for one in (*reversed(before), text[start:end], *behind)]
    by_size = int if all(map(str.isdecimal, words)) else str
    are_in_order = len(words) > _NEIGHBOURS and words == sorted({*words}, key=by_size)
    return are_in_order and not _is_below_label(text, line)


def _is_below_label(text: str, start: int) -> bool:
    """Whether the line above the list whose line starts at `start` has a label: a heading, or a sentence."""
    above = text[max(0, start - _MAX_LIST_CHARACTERS) : start].splitlines()
    label_line = next((line for line in reversed(above) if len(line.split()) > 1 or has_label(line)), "")
    return has_label(label_line) or any(has_label(word[:-1]) for word in label_line.split() if word[-1] in "sS")


def _is_word(line: str) -> bool:
    return len(line.split()) == 1


def is_named_in_its_row(text: str, start: int, end: int) -> bool:
    """Whether another cell of its row has the same ending, as a setting and its variable do."""
    line, stop = line_around(text, start, end, _MAX_CHARACTERS_OF_LINE)
    if "|" not in text[line:start] or "|" not in text[end:stop]:
        return False
    word, cells = text[start:end].casefold(), text[line:stop].casefold().split("|")
    others = (other for other in (cell.strip(" \t`*") for cell in cells) if len(other) >= _MIN_NAME_CHARACTERS)
    names = (other for other in others if other != word and other.isidentifier())
    return word.isidentifier() and any(word.endswith(other) or other.endswith(word) for other in names)


def have_little_between(text: str, spans: list[Range]) -> bool:
    """Whether there is little text between `spans`, on however many lines."""
    around = without_placeholders(text[spans[0][0] : spans[-1][1]])
    return len(around) - sum(end - start for start, end in spans) < _MAX_CHARACTERS_BETWEEN
