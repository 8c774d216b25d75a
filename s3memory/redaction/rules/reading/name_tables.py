"""Tables of names, with the anchors that a text is searched for and the pattern of each name."""

from __future__ import annotations

import re

from s3memory.redaction.text.word_lists import phrase_list, phrase_set


def cased(name: str) -> tuple[str, ...]:
    """Return a name in lower case, capitalized and in upper case, for names in other scripts than Latin."""
    return tuple(dict.fromkeys((name, name[0].upper() + name[1:], name.upper())))


class NameTable:
    """Names in any language, as stems or whole words; an underscore stands for a space.

    Args:
        stems: The beginnings of names, separated by spaces.
        words: Whole names, separated by spaces.
    """

    def __init__(self, stems: str, words: str = "") -> None:
        self._by_anchor: dict[str, list[str]] = {}
        self._words = phrase_set(words)
        for name in (*phrase_list(stems), *phrase_list(words)):
            is_latin = any("a" <= letter <= "z" for letter in name)
            # As in `Subject.folded`, or as in the text itself for other scripts.
            for anchor in (name.encode("ascii", "replace").decode("ascii"),) if is_latin else cased(name):
                self._by_anchor.setdefault(anchor, []).append(name)

    @property
    def anchors(self) -> tuple[str, ...]:
        """What to search for: in `Subject.folded`, or in the text itself for names in other scripts than Latin."""
        return tuple(self._by_anchor)

    def pattern(self, anchor: str) -> str:
        """Return a pattern of the names that have `anchor`."""
        names = "|".join(map(self._pattern_of, self._by_anchor[anchor]))
        return f"{_WORD_START}(?:{names})" if anchor.isascii() else names

    def _pattern_of(self, name: str) -> str:
        return f"(?i:{re.escape(name)})" + _WORD_END * (name in self._words)


# At the start of a word, or at a capital within one: "recoveryCode".
_WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]))"
_WORD_END = r"(?![a-z0-9]|[A-Z]{2})"
