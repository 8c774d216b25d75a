"""Names in a table: what they are looked up by, and the pattern of each."""

from __future__ import annotations

import re

from s3memory.redaction.text.word_lists import phrase_list, phrase_set


def cased(name: str) -> tuple[str, ...]:
    """Return how a name beyond Latin stands in a sentence, where it begins one, and in a heading."""
    return tuple(dict.fromkeys((name, name[0].upper() + name[1:], name.upper())))


class NameTable:
    """Names, in stems or as whole words, in any language: an underscore is a space, a hyphen or an underscore.

    Args:
        stems: The beginnings of names, apart by spaces.
        words: Whole names.
    """

    def __init__(self, stems: str, words: str = "") -> None:
        self._by_anchor: dict[str, list[str]] = {}
        self._words = phrase_set(words)
        for name in (*phrase_list(stems), *phrase_list(words)):
            is_latin = any("a" <= letter <= "z" for letter in name)
            # As it stands in `Subject.folded`, or else in the text.
            for anchor in (name.encode("ascii", "replace").decode("ascii"),) if is_latin else cased(name):
                self._by_anchor.setdefault(anchor, []).append(name)

    @property
    def anchors(self) -> tuple[str, ...]:
        """What the names are looked up by, as `Subject.folded` has it, or the text where they are beyond Latin."""
        return tuple(self._by_anchor)

    def pattern(self, anchor: str) -> str:
        """Return a pattern of the names that are looked up by `anchor`."""
        names = "|".join(map(self._spelled, self._by_anchor[anchor]))
        return f"{_WORD_START}(?:{names})" if anchor.isascii() else names

    def _spelled(self, name: str) -> str:
        spelled = f"(?i:{re.escape(name)})".replace(r"\ ", "[ _-]")
        return spelled + _WORD_END * (name in self._words)


# At the start of a word, or at a hump.
_WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]))"
_WORD_END = r"(?![a-z0-9]|[A-Z]{2})"
