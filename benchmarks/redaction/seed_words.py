"""Makes `s3memory/redaction/rules/reading/seed_word_table.py` from the word lists of BIP-39.

    python -m redaction.seed_words FOLDER > s3memory/redaction/rules/reading/seed_word_table.py

FOLDER has a file for each language, a word a line, as https://github.com/bitcoin/bips/tree/master/bip-0039 does.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path

from s3memory.redaction.rules.reading.seed_words import TABLE_BITS, folded, places

LANGUAGES = (
    *("english", "spanish", "french", "italian", "portuguese", "czech", "korean", "japanese"),
    *("chinese_simplified", "chinese_traditional"),
)
_WIDTH = 100


def main(folder: Path) -> None:
    """Write the table to standard output."""
    table = bytearray(TABLE_BITS // 8)
    for language in LANGUAGES:
        for word in (folder / f"{language}.txt").read_text("utf-8").split():
            for place in places(folded(word)):
                table[place >> 3] |= 1 << (place & 7)
    text = base64.b64encode(bytes(table)).decode("ascii")
    print('"""A Bloom filter of the words of BIP-39 in ten languages: see `benchmarks/redaction/seed_words.py`."""\n')
    print("TABLE = (")
    for start in range(0, len(text), _WIDTH):
        print(f'    "{text[start : start + _WIDTH]}"')
    print(")")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
