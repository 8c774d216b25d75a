"""Candidates that are random values, and the features that only these have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from s3memory.redaction.interface import PLACEHOLDER_START
from s3memory.redaction.rules.reading import nouns, tools
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.rules.reading.random_values import MIN_LENGTH_NEXT_TO_NAME, is_uuid, random_value_at
from s3memory.redaction.rules.scoring.forms import Form
from s3memory.redaction.rules.scoring.lists import have_little_between, without_data
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_CHARACTERS_BEFORE, _CHARACTERS_AFTER, _CHARACTERS_ABOVE = 110, 60, 300
_MAX_WORDS_AFTER, _MAX_WORDS_ABOVE = 8, 60
_MAX_DISTANCE = 4
_LABEL_CHARACTERS, _WORD_CHARACTERS, _MAX_VALUE_CHARACTERS = 48, 20, 256
_NAME_IN_CODE = r"(?:\A|\n)[ \t]*[\"']?[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+[\"']?:\Z|(?:\A|[ \t\n])[A-Z_]{5,}=\Z"
_QUOTES = " \"'`"
_PUBLIC = r"(?i:\bpublic\b)[^,;.\n]*\Z|\barn:\S*\Z|\w::\w+[\"']?[ ]?[:=][ ]?[\"']?\Z"  # or a type of CloudFormation
_SIGNS_OF_PUBLIC = ("ublic", "arn:", "::")
_BASE64_JSON = "eyJ"  # in base64, what begins with a brace and a quote: cursors and claims
_DATA_URL = "base64,"  # of an image
_ELLIPSES = ("...", "\u2026")
_HEXADECIMAL = r"[0-9A-Fa-f]+"
_PREFIX = r"([A-Za-z]{1,8})[0-9]?[_-]"
_MAX_STEPS, _STEP = 4, 8


def value_candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """Yield the spans of the random values in a text, without lists of data."""
    text, behind = subject.text, 0
    runs = [
        (start, end)
        for start, end in subject.runs
        if MIN_LENGTH_NEXT_TO_NAME <= end - start <= _MAX_VALUE_CHARACTERS and subject.has_digit(start, end)
    ]
    for start, end in without_data(runs, partial(have_little_between, text)):
        if start < behind or _is_labelled_elsewhere(text, start):
            continue
        value = random_value_at(text, start, end)
        behind = end if value is None else value.end
        if value is not None and PLACEHOLDER_START not in value.text and not text.startswith(_ELLIPSES, value.end):
            yield value.start, value.end


def _is_labelled_elsewhere(text: str, start: int) -> bool:
    """Whether the words before a value make it harmless ("trace v", "public"), or other rules judge it."""
    before = text[max(0, start - _LABEL_CHARACTERS) : start]
    name = before.rstrip(_QUOTES)
    if (
        "://" in before.rpartition(" ")[2]
        or name.endswith(_DATA_URL)
        or (name.endswith((":", "=")) and compiled(_NAME_IN_CODE).search(name))
    ):
        return True
    words = nouns.words_of(before[-_WORD_CHARACTERS:])[-2:]
    is_harmless = bool(words) and nouns.meaning(words, len(words) - 1) == nouns.HARMLESS
    may_be_public = any(sign in before for sign in _SIGNS_OF_PUBLIC)
    return is_harmless or (may_be_public and compiled(_PUBLIC).search(before) is not None)


def form_of_value(value: str) -> Form:
    """Return the form of a random value."""
    if is_uuid(value) or value.startswith(_BASE64_JSON):
        return Form.named("uuid" if is_uuid(value) else "json")
    prefix = compiled(_PREFIX).match(value)
    if compiled(_HEXADECIMAL).fullmatch(value):
        name = f"hexadecimal:{len(value) // _STEP}"
    else:
        cases = f"{'A' * any(map(str.isupper, value))}{'a' * any(map(str.islower, value))}"
        name = f"{cases}:{min(len(value) // _STEP, _MAX_STEPS)}:{'.' * (not value.isalnum())}"
    return Form.named(name, [f"prefix:{prefix[1]}"] if prefix else ())


def value_feature_names(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the feature names of the nouns and tools nearest to a random value."""
    uuid = is_uuid(text[start:end])
    first, last = line_around(text, start, end, _CHARACTERS_BEFORE)
    before = nouns.words_of(text[first:start])
    behind = nouns.words_of(text[end : min(last, end + _CHARACTERS_AFTER)])[:_MAX_WORDS_AFTER]
    above = nouns.words_of(text[max(0, first - _CHARACTERS_ABOVE) : first])[-_MAX_WORDS_ABOVE:]
    for words, where in ((before, "before"), (above, "above")):
        said, distance = _last_meaning(words, is_uuid=uuid)
        yield f"said {where}:{said}"
        yield f"said {where}:{said}:{distance}"
    yield f"said behind:{_first_meaning(behind, is_uuid=uuid)}"
    for words, where in ((before, "before"), (behind, "behind"), (above, "above")):
        if any(tools.is_tool(words, place) for place in range(len(words))):
            yield f"tool {where}"


def _last_meaning(words: list[str], *, is_uuid: bool) -> tuple[str, int]:
    """Return the meaning of the last of `words` that has one, and how many words follow it, up to `_MAX_DISTANCE`."""
    for distance, place in enumerate(reversed(range(len(words)))):
        said = nouns.meaning(words, place, is_beside=distance == 0, is_uuid=is_uuid)
        if said != nouns.NOTHING:
            return said, min(distance, _MAX_DISTANCE)
    return nouns.NOTHING, 0


def _first_meaning(words: list[str], *, is_uuid: bool) -> str:
    """Return the meaning of the first of `words` that has one."""
    for place in range(len(words)):
        said = nouns.meaning(words, place, is_beside=False, is_uuid=is_uuid)
        if said != nouns.NOTHING:
            return said
    return nouns.NOTHING
