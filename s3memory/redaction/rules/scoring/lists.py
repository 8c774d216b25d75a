"""Lists of data: of so many candidates, one after the other, nothing is said of any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from s3memory.redaction.model import without_placeholders
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.text.compiling import compiled

Place = tuple[int, int]

_MANY = 9
_DENSE, _LITTLE = 280, 160
_LINES_OF_A_BLOCK, _LONGEST_LINE = 3, 1_000
_NAME_OF_SOMEBODY = r"[*-]?[ ]?[A-Z\u00c0-\u00de][\w.'\u2019-]*(?:[ ][(\"]?[A-Z\u00c0-\u00de][\w.'\u2019-]*[)\"]?){1,3}"
_LINES_OF_NAMES, _LEAST_NAMES = 6, 4
_NEIGHBOURS, _LEAST_OF_A_NAME, _LONGEST_LIST = 4, 6, 2_000
_FIRST_PART, _ITEM, _AROUND_AN_ITEM = (
    r"[A-Za-z]{2,16}[0-9]{0,2}[._-]",
    r"[ \t]*([\"'])[^\"'\n]{2,64}\1,?\r?",
    " \t\r,\"'",
)


def without_data(candidates: list[Place], are_data: Callable[[list[Place]], bool]) -> Iterator[Place]:
    """Yield `candidates` but those that are data together with so many around them, as `are_data` says.

    At the ends of a list these are on one side: what is next there would be an end once one is redacted.
    """
    for number, place in enumerate(candidates):
        first = max(0, min(number - _MANY // 2, len(candidates) - _MANY))
        those = candidates[first : first + _MANY]
        if len(those) < _MANY or not are_data(those):
            yield place


def are_dense(text: str, places: list[Place]) -> bool:
    """Whether what stands at `places` is on one line, and that is short."""
    around = text[places[0][0] : places[-1][1]]
    return "\n" not in around and len(without_placeholders(around)) < _DENSE


def is_in_encoded_block(text: str, start: int, end: int) -> bool:
    """Whether what stands there is of a line of an encoded file, of three or more that are full and as long."""
    line, stop = line_around(text, start, end, _LONGEST_LINE)
    if " " in text[line:stop]:
        return False
    reach = 2 * (stop - line + 1) + 1  # two such lines, and a character more: a longer line shows that it is one
    around = text[max(0, line - reach) : stop + reach].split("\n")
    lengths = [len(part) if " " not in part else 0 for part in around]
    full = [stop - line] * _LINES_OF_A_BLOCK
    return any(lengths[first : first + len(full)] == full for first in range(len(lengths)))


def is_among_names(text: str, start: int, end: int) -> bool:
    """Whether what stands there is a line of its own in a list of people, as of those who wrote a program."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if stop < 0 or (line, stop) != (start, end):
        return False
    above = text[max(0, line - _LITTLE) : max(0, line - 1)].split("\n")[-_LINES_OF_NAMES // 2 :]
    below = text[stop + 1 : stop + 1 + _LITTLE].split("\n")[: _LINES_OF_NAMES // 2]
    return sum(compiled(_NAME_OF_SOMEBODY).fullmatch(name) is not None for name in (*above, *below)) >= _LEAST_NAMES


def is_in_series(text: str, start: int, end: int) -> bool:
    """Whether what stands there is an item among others that begin alike, each in quotes on a line of its own."""
    first = compiled(_FIRST_PART).match(text, start, end)
    if first is None or text[start - 1 : start] not in ("'", '"'):
        return False
    line, stop = line_around(text, start, end, _LITTLE)
    around = (
        *text[max(0, line - _DENSE) : line].splitlines()[-_LEAST_NAMES:],
        *text[stop : stop + _DENSE].splitlines(),
    )
    alike = [
        one for one in around if compiled(_ITEM).fullmatch(one) and one.strip(_AROUND_AN_ITEM).startswith(first[0])
    ]
    return len(alike) >= _LEAST_NAMES


def is_in_order(text: str, start: int, end: int) -> bool:
    """Whether what stands there is a line of its own among words or numbers that are in order."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if text[line:start].strip() or text[end : len(text) if stop < 0 else stop].strip():
        return False
    above = text[max(0, line - _DENSE) : line].splitlines()[: -_NEIGHBOURS - 1 : -1]
    below = text[stop + 1 : stop + 1 + _DENSE].splitlines()[:_NEIGHBOURS] if stop >= 0 else []
    before, behind = ([*takewhile(_is_word, lines)] for lines in (above, below))
    words = [one.strip().casefold() for one in (*reversed(before), text[start:end], *behind)]
    by_size = int if all(map(str.isdecimal, words)) else str
    are_in_order = len(words) > _NEIGHBOURS and words == sorted({*words}, key=by_size)
    return are_in_order and not _is_below_a_name(text, line)


def _is_below_a_name(text: str, start: int) -> bool:
    """Whether the line above the list whose line begins at `start` names a secret, as a heading or in a sentence."""
    above = text[max(0, start - _LONGEST_LIST) : start].splitlines()
    said = next((line for line in reversed(above) if len(line.split()) > 1 or has_label(line)), "")
    return has_label(said) or any(has_label(word[:-1]) for word in said.split() if word[-1] in "sS")


def _is_word(line: str) -> bool:
    return len(line.split()) == 1


def is_named_in_its_row(text: str, start: int, end: int) -> bool:
    """Whether another cell of its row ends as it does, as names of settings and of variables do."""
    line, stop = line_around(text, start, end, _DENSE)
    if "|" not in text[line:start] or "|" not in text[end:stop]:
        return False
    word, cells = text[start:end].casefold(), text[line:stop].casefold().split("|")
    others = (other for other in (cell.strip(" \t`*") for cell in cells) if len(other) >= _LEAST_OF_A_NAME)
    names = (other for other in others if other != word and other.isidentifier())
    return word.isidentifier() and any(word.endswith(other) or other.endswith(word) for other in names)


def have_little_between(text: str, places: list[Place]) -> bool:
    """Whether there is little between what stands at `places`, on however many lines."""
    around = without_placeholders(text[places[0][0] : places[-1][1]])
    return len(around) - sum(end - start for start, end in places) < _LITTLE
