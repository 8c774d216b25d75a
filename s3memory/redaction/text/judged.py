"""What a value is taken for, remembered while texts are looked through: texts say the same words over and over.

The values are those of the texts, secrets among them: whoever has looked through a text forgets them all. What is told
of plain words is remembered by their hashes, from one text to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, ParamSpec, TypeVar, cast

_MOST_REMEMBERED = 8_000
_MOST_KNOWN = 50_000

_P = ParamSpec("_P")
_T = TypeVar("_T")
_W = TypeVar("_W", str, bytes)

_forget: list[Callable[[], None]] = []


def judged(judge: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return `judge`, which has to be a function of its arguments alone, with a memory for what it returned."""
    remembered = lru_cache(maxsize=_MOST_REMEMBERED)(judge)
    _forget.append(remembered.cache_clear)
    return cast("Callable[_P, _T]", remembered)


def forget() -> None:
    """Forget all values, those of texts that other threads look through as well: they are judged again."""
    for clear in _forget:
        clear()


class KnownWords(Generic[_W, _T]):
    """What `tell` tells of a word alone, holding nothing of it, by hashes: texts are made of the same words.

    At most so many are known at once, and no text is kept.
    """

    def __init__(self, tell: Callable[[_W], _T], *, most: int = _MOST_KNOWN) -> None:
        self._tell: Callable[[_W], _T] = tell
        self._known: dict[int, _T] = {}
        self._most = most

    def __getitem__(self, word: _W) -> _T:
        known, number = self._known, hash(word)  # another thread may start over meanwhile
        if number in known:
            return known[number]
        if len(known) >= self._most:
            known = self._known = {}
        told = known[number] = self._tell(word)
        return told

    def of_all(self, words: Sequence[_W]) -> list[_T]:
        """Return what is told of each of many words; one step of the interpreter is enough for all that are known."""
        told = [*map(self._known.get, map(hash, words))]
        if None not in told:
            return cast("list[_T]", told)
        return [self[word] if of_word is None else of_word for word, of_word in zip(words, told, strict=True)]
