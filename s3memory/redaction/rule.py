r"""What a rule is, and how it is run in bounded time.

A rule looks for a literal, its anchor, with `str.find`, and tries its pattern only where the anchor stands: no text
without anchors costs more than the search for them, and nothing is compiled until an anchor turns up. The time is
linear in the text by construction:

- a repeat in a pattern is bounded, or it is possessive and the last thing in the pattern;
- the search goes on behind a match, whether the match is taken or not, so that such a last run is read once;
- no repeat is inside another, and `locate` reads the match and a window of fixed size, or on to where the secret ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import Span

Location = tuple[int, int] | None

_SIGNS = bytes(ord("0") if chr(code).isdigit() else ord("a") if chr(code).isalpha() else code for code in range(128))
_SIGNS += bytes(range(128, 256))

DIGITS = "0-9"
HEX = "0-9a-f"
ALNUM = "A-Za-z0-9"
UPPER_ALNUM = "A-Z0-9"
BASE32 = "A-Z2-7"
BASE64URL = "A-Za-z0-9_-"

# A token starts a word. In JSON and in URLs the character before it can be the tail of an escape, such as "\n" or
# "%3D", which is no part of a word either.
WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"

# Tokens that documentation makes up. Tight enough that a random token is none (less than one in ten million).
_MADE_UP = r"x{5}|X{5}|EXAMPLE|example|[Yy]our[-_]|YOUR[-_]"


def whole(match: re.Match[str]) -> Location:
    """Locate the secret: all that matched."""
    return match.span()


def secret_group(match: re.Match[str]) -> Location:
    """Locate the secret: the group of that name."""
    return match.span("secret")


def unless_made_up(match: re.Match[str]) -> Location:
    """Locate the secret: all that matched, unless documentation made it up."""
    return None if compiled(_MADE_UP).search(match["body"]) else match.span()


class Run(NamedTuple):
    """So many characters of one alphabet, which is the inside of a character class.

    Without `most` it is as long as it goes on, which only the last part of a shape may be.
    """

    alphabet: str
    least: int
    most: int | None = None

    def pattern(self) -> str:
        """Return the run as a regular expression."""
        if self.most is None:
            return f"[{self.alphabet}]{{{self.least},}}+"
        return f"[{self.alphabet}]{{{self.least},{self.most}}}"


class Subject:
    """A text to search, and what is looked up in it first: most rules find nothing in most texts.

    Attributes:
        text: The text.
        ascii: As long as the text, with "?" for all beyond ASCII.
        folded: The same in lower case.
    """

    __slots__ = ("_signs", "_words", "ascii", "folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.ascii = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
        self.folded = self.ascii.lower()
        self._words: str | None = None
        self._signs: bytes | None = None

    def may_hold(self, anchor: str) -> bool:
        """Whether `anchor` could stand in the text: its longest word does, whatever its case.

        A text has each of its words many times. Once is enough to tell, and a fraction of the text to search.
        """
        if self._words is None:
            self._words = "\n".join(dict.fromkeys(self.folded.split()))
        return _longest_word(anchor) in self._words

    def has_signs(self, signs: tuple[bytes, ...]) -> bool:
        r"""Whether one of `signs` stands in the text, with its letters read as ``a`` and its digits as ``0``.

        With other characters than ASCII in it, the text has the sign ``\xff``.
        """
        if self._signs is None:
            beyond = b"" if self.text.isascii() else b"\xff"
            self._signs = self.ascii.encode("ascii").translate(_SIGNS) + beyond
        return any(sign in self._signs for sign in signs)


@cache
def _longest_word(anchor: str) -> str:
    return max(anchor.lower().split(), key=len)


# Not frozen, since some three hundred are made by an import.
@dataclass(slots=True, kw_only=True, eq=False)
class Rule:
    r"""One format of something sensitive.

    Attributes:
        kind: What is found, as it stands in the placeholder.
        anchors: ASCII literals, one of which stands in every text that the rule finds something in; none: any may.
        pattern: What has to stand at an anchor, from its first character on.
        source: Where the format is documented.
        locate: Says where in a match the secret stands, or that there is none after all.
        fold: The anchors are lower case and are looked up in the lower-cased text.
        scan: The pattern does not start at an anchor: it is searched for wherever an anchor stands in the text.
        signs: One of these stands in every text that the rule finds something in: see `Subject.has_signs`.
        prefixes: Of a token: one of these starts it.
        shape: Of a token: what follows the prefix.
        samples: Texts in which the rule finds what is between « and », for a test: ``<alnum:24>`` stands for so many
            characters of one of the alphabets of `table`, ``{password}`` for a value that the test makes. A token
            needs none: its shape says enough.
        near: Texts almost like these, in which it finds nothing.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    source: str
    locate: Callable[[re.Match[str]], Location] = whole
    fold: bool = False
    scan: bool = False
    signs: tuple[bytes, ...] = ()
    prefixes: tuple[str, ...] = ()
    shape: tuple[str | Run, ...] = ()
    samples: tuple[str, ...] = ()
    near: tuple[str, ...] = ()

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what the rule finds in the text of `subject`."""
        text, haystack = subject.text, subject.folded if self.fold else subject.ascii
        anchors = [anchor for anchor in self.anchors if subject.may_hold(anchor)]
        if (self.anchors and not anchors) or (self.signs and not subject.has_signs(self.signs)):
            return
        if self.scan:
            if not anchors or any(anchor in haystack for anchor in anchors):
                for found in compiled(self.pattern).finditer(text):
                    if location := self.locate(found):
                        yield Span(self.kind, *location)
            return
        for anchor in anchors:
            position = haystack.find(anchor)
            while position >= 0:
                behind = position + len(anchor)
                if match := compiled(self.pattern).match(text, position):
                    behind = max(behind, match.end())
                    if location := self.locate(match):
                        yield Span(self.kind, *location)
                        behind = max(behind, location[1])
                position = haystack.find(anchor, behind)


def token(
    kind: str,
    prefixes: str | tuple[str, ...],
    *shape: str | Run,
    source: str,
    anchors: tuple[str, ...] = (),
    locate: Callable[[re.Match[str]], Location] = unless_made_up,
) -> Rule:
    """Return the rule for a token: one of `prefixes`, then literals and runs of characters in that order.

    The token ends where no further character of its alphabet follows, whatever else does: a full stop, a bracket,
    a backtick, a table's bar. A token without a prefix needs `anchors`: literals that stand inside it.

    Raises:
        ValueError: A run before the end of the shape has no upper bound, or there is nothing to look for.
    """
    prefixes = (prefixes,) if isinstance(prefixes, str) else prefixes
    if not (prefixes or anchors):
        raise ValueError("a token needs a prefix or anchors")
    if any(isinstance(part, Run) and part.most is None for part in shape[:-1]):
        raise ValueError("only the last run of a token may be without an upper bound")
    start = "|".join(map(re.escape, prefixes))
    body = "".join([part.pattern() if isinstance(part, Run) else re.escape(part) for part in shape])
    last = next(part for part in reversed(shape) if isinstance(part, Run) and part.least)
    return Rule(
        kind=kind,
        anchors=anchors or prefixes,
        pattern=f"{WORD_START}(?:{start})(?P<body>{body})(?![{last.alphabet}])",
        source=source,
        locate=locate,
        scan=not prefixes,
        prefixes=prefixes,
        shape=shape,
    )


def exactly(count: int, alphabet: str) -> Run:
    """Return a run of `count` characters."""
    return Run(alphabet, count, count)


def at_least(count: int, alphabet: str) -> Run:
    """Return a run of `count` characters or more, to its end: only for the end of a token."""
    return Run(alphabet, count)
