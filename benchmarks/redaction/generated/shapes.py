"""What people choose for a password: shapes, every second of which is held out."""

from __future__ import annotations

import random
import string

from redaction.samples import ALNUM, HEX, LOWER_ALNUM, Maker, made_of

_WORDS = (
    *("amber", "bishop", "cobalt", "dragon", "ember", "falcon", "ginger", "harbor", "indigo", "juniper", "kettle"),
    *("lemon", "marble", "nectar", "orchid", "pepper", "quiver", "ribbon", "saddle", "tulip", "umbra", "velvet"),
    *("walnut", "yonder", "zephyr", "anchor", "bottle", "candle", "domino", "engine", "fabric", "garlic", "hammer"),
)
_BEYOND = ("Grün", "Straße", "Élan", "niño", "café", "żaba", "Ångström", "çiçek", "über", "jalapeño")
_SYLLABLES = ("tak", "vem", "ro", "lin", "du", "mas", "ke", "por", "zil", "fa", "gro", "nub")
_WALKS = ("qwe", "asd", "zxc", "poi", "lkj", "rty", "fgh", "vbn")


def words(rng: random.Random, count: int) -> list[str]:
    """Return so many words."""
    return rng.sample(_WORDS, count)


def _strong(rng: random.Random) -> str:
    letters = [rng.choice(string.ascii_lowercase), rng.choice(string.ascii_uppercase), rng.choice(string.digits)]
    return "".join(letters) + made_of(rng, ALNUM, rng.randint(5, 9)) + rng.choice("!?$%&+#@") + made_of(rng, ALNUM, 2)


def _hexadecimal(rng: random.Random) -> str:
    return made_of(rng, HEX, rng.choice((12, 16, 20)))


def _word_and_year(rng: random.Random) -> str:
    return words(rng, 1)[0].capitalize() + str(rng.randint(1975, 2027)) + rng.choice("!?.$#")


def _two_words_dotted(rng: random.Random) -> str:
    return ".".join([*(word.capitalize() for word in words(rng, 2)), str(rng.randint(2, 99))])


def _hyphenated(rng: random.Random) -> str:
    return "-".join(words(rng, rng.choice((3, 4))))


def _underscored(rng: random.Random) -> str:
    return "_".join([*words(rng, 2), str(rng.randint(10, 999))])


def _substituted(rng: random.Random) -> str:
    return "".join(words(rng, 2)).translate(str.maketrans("aeios", "43105")) + rng.choice(("", "!", "x"))


def _punctuated(rng: random.Random) -> str:
    return made_of(rng, ALNUM, 4) + rng.choice(";:&|~^") + made_of(rng, ALNUM, 4) + rng.choice("}>]*=") + "7q"


def _grouped(rng: random.Random) -> str:
    return "-".join(made_of(rng, LOWER_ALNUM, 4) for _ in range(3))


def _joined(rng: random.Random) -> str:
    first, second = words(rng, 2)
    return f"{first.capitalize()}{rng.choice('#+&/')}{second.capitalize()}{rng.randint(1, 9)}"


def _pin(rng: random.Random) -> str:
    return made_of(rng, string.digits, rng.choice((6, 8)))


def _grouped_digits(rng: random.Random) -> str:
    return "-".join(made_of(rng, string.digits, 4) for _ in range(2))


def _word_and_digits(rng: random.Random) -> str:
    return words(rng, 1)[0] + made_of(rng, string.digits, rng.choice((2, 3, 4)))


def _walk(rng: random.Random) -> str:
    return rng.choice(_WALKS) + made_of(rng, string.digits, 3) + rng.choice(_WALKS).upper()


def _beyond_ascii(rng: random.Random) -> str:
    return rng.choice(_BEYOND) + made_of(rng, string.digits, 2) + rng.choice("!-_") + words(rng, 1)[0]


def _syllables(rng: random.Random) -> str:
    return "-".join("".join(rng.choices(_SYLLABLES, k=2)) for _ in range(3)) + str(rng.randint(1, 9))


def _dotted(rng: random.Random) -> str:
    return f"{made_of(rng, LOWER_ALNUM, 2)}.{made_of(rng, LOWER_ALNUM, 4)}.{made_of(rng, string.digits, 2)}"


def _plain_word(rng: random.Random) -> str:
    return words(rng, 1)[0] + words(rng, 1)[0]


SHAPES: dict[str, Maker] = {
    "strong": _strong,
    "hexadecimal": _hexadecimal,
    "word and year": _word_and_year,
    "two words dotted": _two_words_dotted,
    "hyphenated words": _hyphenated,
    "underscored words": _underscored,
    "substituted": _substituted,
    "punctuated": _punctuated,
    "grouped": _grouped,
    "joined words": _joined,
    "digits": _pin,
    "grouped digits": _grouped_digits,
    "word and digits": _word_and_digits,
    "keyboard walk": _walk,
    "beyond ASCII": _beyond_ascii,
    "syllables": _syllables,
    "dotted": _dotted,
    "plain words": _plain_word,
}


def _with_spaces(rng: random.Random) -> str:
    return " ".join(words(rng, 4))


def _with_spaces_and_number(rng: random.Random) -> str:
    return " ".join([*(word.capitalize() for word in words(rng, 3)), str(rng.randint(2, 99))])


# Only ever between quotes: without them nobody can say where they end.
SPACED: dict[str, Maker] = {"spaced words": _with_spaces, "spaced words and number": _with_spaces_and_number}
