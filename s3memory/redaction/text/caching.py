"""Caches for judgements about values and words, because texts repeat the same words over and over.

The values that `cached_until_forgotten` caches come from the texts, secrets among them, so `forget` clears them after
each text.
`WordCache` holds only the hashes of words, so it keeps its entries from one text to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, ParamSpec, TypeVar, cast

_MAX_CACHED_VALUES = 8_000
_MAX_KNOWN = 50_000

_P = ParamSpec("_P")
_T = TypeVar("_T")
_W = TypeVar("_W", str, bytes)

_cache_clearers: list[Callable[[], None]] = []


def cached_until_forgotten(judge: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return `judge` with a cache, which `forget` clears. Its result may depend on its arguments alone."""
    remembered = lru_cache(maxsize=_MAX_CACHED_VALUES)(judge)
    _cache_clearers.append(remembered.cache_clear)
    return cast("Callable[_P, _T]", remembered)


def forget() -> None:
    """Clear the caches of all judged functions. Other threads that are searching a text then judge its values again."""
    for clear in _cache_clearers:
        clear()


class WordCache(Generic[_W, _T]):
    """A cache of what a function returns for a word, keyed by the hash of the word: no text is kept.

    Args:
        judge: The function. Its result may depend on the word alone, and must not hold any of it.
        most: How many words are kept at most. When there are more, the cache starts over.
    """

    def __init__(self, judge: Callable[[_W], _T], *, most: int = _MAX_KNOWN) -> None:
        self._judge: Callable[[_W], _T] = judge
        self._known: dict[int, _T] = {}
        self._most = most

    def __getitem__(self, word: _W) -> _T:
        known, number = self._known, hash(word)  # another thread may start the cache over in the meantime
        if number in known:
            return known[number]
        if len(known) >= self._most:
            known = self._known = {}
        result = known[number] = self._judge(word)
        return result

    def of_all(self, words: Sequence[_W]) -> list[_T]:
        """Return the result for each of `words`. The lookup of those that are known runs without a Python loop."""
        results = [*map(self._known.get, map(hash, words))]
        if None not in results:
            return cast("list[_T]", results)
        return [self[word] if result is None else result for word, result in zip(words, results, strict=True)]
