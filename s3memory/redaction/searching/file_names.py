"""A file whose name says what it holds, and whose text is only that: the name stands beside no value in the text."""

from __future__ import annotations

from collections.abc import Iterator

from s3memory.redaction.model import PLACEHOLDER_START, Span
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.names import CHOSEN
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_phrase, is_slug, is_strong, is_term, looks_random
from s3memory.redaction.text.wording import is_predicate

_NAMING_SEGMENTS = 2
_LEAST, _LEAST_RANDOM, _MOST = 4, 12, 512


class NamedFile:
    """A detector for one file: finds a text that is a value and nothing else, if the path calls it a secret."""

    def __init__(self, path: str) -> None:
        segments = path.rsplit("/", _NAMING_SEGMENTS)[-_NAMING_SEGMENTS:]
        words = [word for segment in segments for word in nouns.words_of(segment.rpartition(".")[0] or segment)]
        meanings = [nouns.meaning(words, place, is_beside=False) for place in range(len(words))]
        self._is_password = any(compiled(rf"(?ai:{CHOSEN})").search(segment) for segment in segments)
        self._is_secret = nouns.HARMLESS not in meanings and (nouns.SECRET in meanings or nouns.KEY in meanings)

    def find(self, text: str, /) -> Iterator[Span]:
        """Yield all of the text but the space around it, if that is one value."""
        value = text.strip()
        if not (self._is_password or self._is_secret) or not _LEAST <= len(value) <= _MOST:
            return
        if len(value.split()) > 1 or PLACEHOLDER_START in value or is_elsewhere(value) or is_term(value):
            return
        is_one = looks_random(value, least=_LEAST_RANDOM) and not is_slug(value)
        if self._is_password:
            is_typical = is_strong(value) or value.isdigit() or is_phrase(value)
            is_one = is_one or (is_typical and not is_slug(value) and not is_predicate(value))
        if is_one:
            start = text.index(value)
            yield Span("password" if self._is_password else "secret", start, start + len(value))
