"""Makes the lexicon of `s3memory/redaction/rules/scoring` of the words in `words/`: a file for each language.

    python -m redaction.lexicon > s3memory/redaction/rules/scoring/lexicon.bin

`words/README.md` says what each kind is.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from unicodedata import category, normalize

from s3memory.redaction.rules.scoring.lexicon import Lexicon, runs_in
from s3memory.redaction.text.combining_marks import marks_as_letters

WORDS = Path(__file__).parent / "words"
_WITHOUT_STROKES = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "\u0131": "i", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)


def words_by_kind() -> dict[str, list[str]]:
    """Return the words of all languages by what they say."""
    words: dict[str, list[str]] = {}
    for path in sorted(WORDS.glob("*.toml")):
        for kind, those in tomllib.loads(path.read_text("utf-8")).items():
            named = runs_in(marks_as_letters(those))
            words.setdefault(kind, []).extend((*named, *map(_without_accents, named)))
    return words


def _without_accents(word: str) -> str:
    """Return a word as people type it who have no keys for its accents."""
    bare = (letter for letter in normalize("NFD", word.translate(_WITHOUT_STROKES)) if category(letter) != "Mn")
    return normalize("NFC", "".join(bare))


if __name__ == "__main__":
    sys.stdout.buffer.write(Lexicon.of(words_by_kind()).stored())
