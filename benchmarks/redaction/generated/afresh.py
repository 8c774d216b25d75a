"""Secrets said in ways that were thought of last: those held out were written once no rule was to change any more."""

from __future__ import annotations

import random
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path

from redaction.generated.marks import Note, Part, Secret, fill, note
from redaction.samples import ALNUM, BASE64URL, HEX, LOWER_ALNUM, Maker, made_of, picked, seeded

_LISTED = tomllib.loads(Path(__file__).with_name("afresh.toml").read_text("utf-8"))
ENGLISH, LINKS, TOKENS, COOKIES = (
    f"afresh: {name}" for name in ("passwords in English", "links that open", "tokens of unseen forms", "cookies")
)
ROWS = {"english": ENGLISH, "link": LINKS, "token": TOKENS, "cookie": COOKIES}
_EACH, _EACH_INNOCENT = 4, 2
_ACCOUNTS = ("ops-bot", "jo.miller", "svc_report", "ana@example.org", "root", "kiosk2", "lena", "build")
_WRAPS = ("{}", "{}", "`{}`", "{}", '"{}"', "**{}**")
_LINES = (
    *("{}", "- {}", "{}", "> {}", "NOTE: {}", "[10:42] mo: {}", "* {}", "{}"),
    "Notes from 2026-03-04\n\n{}\n\nNext: the invoice run.",
)
# Where there are only keys with digits on them.
_OF_DIGITS = ("keypad", "alarm", "safe ", "PIN", "passcode", "combo", "door to", "locker", "Entry code")
_WORDS = (
    *("harbor", "lantern", "gravel", "mustard", "pickle", "thistle", "bramble", "walnut", "comet", "pebble"),
    *("saddle", "quarry", "ribbon", "maple", "copper", "falcon", "ginger", "marble", "velvet", "tulip"),
)
_LEET = ("tr0ub4dor", "m0onl1ght", "c0ff33b34n", "gr4v3lp1t", "p1ckl3jar", "w4lnut5")


def _number(rng: random.Random, least: int, most: int) -> str:
    return str(rng.randrange(least, most))


_PASSWORDS: dict[str, Maker] = {
    "word and number": lambda rng: picked(rng, _WORDS).title() + _number(rng, 10, 9999),
    "word, number, sign": lambda rng: picked(rng, _WORDS).title() + _number(rng, 10, 9999) + picked(rng, "!?#$*"),
    "digits for letters": lambda rng: picked(rng, _LEET) + picked(rng, ("", "!", "_9")),
    "random": lambda rng: made_of(rng, ALNUM + "!@#$%^&*", rng.choice((10, 12, 14))),
    "letters, digits": lambda rng: made_of(rng, string.ascii_lowercase, 6) + made_of(rng, string.digits, 3),
    "words": lambda rng: "-".join(rng.sample(_WORDS, rng.choice((3, 4)))),
    "words and number": lambda rng: "-".join(rng.sample(_WORDS, 2)) + "-" + _number(rng, 10, 99),
    "humps": lambda rng: "".join(word.title() for word in rng.sample(_WORDS, 3)) + _number(rng, 1, 99),
    "groups": lambda rng: "-".join(made_of(rng, LOWER_ALNUM, 4) for _ in range(3)),
    "digits": lambda rng: made_of(rng, string.digits, rng.choice((6, 8))),
    "two words": lambda rng: (
        picked(rng, _WORDS) + picked(rng, "!@#$%&*+=") + picked(rng, _WORDS).upper() + _number(rng, 1, 99)
    ),
    "word and year": lambda rng: picked(rng, _WORDS).title() + picked(rng, "@_.#") + _number(rng, 1960, 2027),
}
_TOKENS: dict[str, Maker] = {
    "32 letters and digits": lambda rng: made_of(rng, ALNUM, 32),
    "40 letters and digits": lambda rng: made_of(rng, ALNUM, 40),
    "32 hexadecimal": lambda rng: made_of(rng, HEX, 32),
    "40 hexadecimal": lambda rng: made_of(rng, HEX, 40),
    "prefix": lambda rng: made_of(rng, string.ascii_lowercase, 3) + picked(rng, "_-") + made_of(rng, ALNUM, 28),
    "base64": lambda rng: made_of(rng, ALNUM + "+/", 43) + "=",
    "base64 of URLs": lambda rng: made_of(rng, BASE64URL, 36),
    "20 letters and digits": lambda rng: made_of(rng, ALNUM, 20),
    "dotted": lambda rng: f"{made_of(rng, ALNUM, 8)}.{made_of(rng, ALNUM, 24)}",
    "26 small": lambda rng: made_of(rng, LOWER_ALNUM, 26),
}


def notes(split: str) -> Iterator[Note]:
    """Yield every phrase of `split`, with several shapes of values."""
    for listed, row in ROWS.items():
        for phrase in _LISTED[split][listed]:
            rng = seeded(f"generated:afresh:{split}:{listed}:{phrase}")
            for _ in range(_EACH):
                before, _, behind = rng.choice(_LINES).partition("{}")
                fields = {name: _value(rng, row, phrase) for name in "vwt"}
                yield note(split, phrase, [before, *fill(phrase, u=rng.choice(_ACCOUNTS), **fields), behind])


def innocent(split: str) -> Iterator[Note]:
    """Yield what is said likewise without a secret."""
    for listed in ROWS:
        for phrase in _LISTED[split][f"{listed}_innocent"]:
            rng = seeded(f"generated:afresh:{split}:{listed}:{phrase}")
            for _ in range(_EACH_INNOCENT):
                text = phrase.replace("{u}", rng.choice(_ACCOUNTS)).replace("{h}", made_of(rng, HEX, 40))
                yield note(split, phrase, [rng.choice(_LINES).replace("{}", text)])


def _value(rng: random.Random, row: str, phrase: str) -> list[Part]:
    is_password = row == ENGLISH
    makers = _PASSWORDS if is_password else _TOKENS
    is_of_digits = is_password and any(word in phrase for word in _OF_DIGITS)
    shape = "digits" if is_of_digits else rng.choice(list(makers))
    is_quoted = "`" in phrase or "'" in phrase
    before, _, behind = rng.choice(_WRAPS if is_password and not is_quoted else ("{}",)).partition("{}")
    return [before, Secret(row, shape, makers[shape](rng)), behind]
