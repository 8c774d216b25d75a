"""Rules for tokens: a prefix, and behind it literals and runs of characters of one alphabet.

What a format is in so many words is read, and made a regular expression of, when a text has its prefix: of some three
hundred formats, most texts have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from s3memory.redaction.rule import Locate, Location, Rule
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.wording import are_words

BASE64URL = "A-Za-z0-9_-"

# A token starts a word. In JSON and in URLs the character before it can be the tail of an escape, such as "\n" or
# "%3D", which is not part of a word either.
WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"

# Tokens that documentation makes up. Tight enough that a random token is none (less than one in ten million).
# A token of numbers and hyphens goes on behind its last hyphen, with what somebody put a mask for.
_MADE_UP = r"x{5}|X{5}|EXAMPLE|example|[Yy]our[-_]|YOUR[-_]|\Axox[bp]-|\A(?:[0-9]{1,20}-){1,9}\Z"
# What is joined as names are, and the words of one: "Slack_BOT_TOKEN", "requiredCharacteristicTypes".
_NAME, _WORD = r"(?:[0-9]-)?[A-Za-z]+(?:[-_][A-Za-z]+)*", r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"
_SAID = "my the app bot user access secret token key api slack replace with goes here"
_LEAST_LETTERS_OF_A_WORD, _LEAST_SAID, _LONGEST_NAME = 3, 2, 160
_MOST_OF_ONE = 0.6

LEAST_CHARACTERS = 16
"""No token with a prefix is shorter."""


def unless_made_up(match: re.Match[str]) -> Location:
    """Locate the secret: all that matched, unless documentation made it up."""
    body = match["body"]
    is_of_one = max(map(body.count, set(body))) >= max(_MOST_OF_ONE * len(body), LEAST_CHARACTERS // 2)
    return None if is_of_one or compiled(_MADE_UP).search(body) or _is_name(body) else match.span()


def _is_name(body: str) -> bool:
    """Whether what stands behind a prefix is words, as in names of code that begin alike: random letters are none."""
    if len(body) > _LONGEST_NAME or compiled(_NAME).fullmatch(body) is None:
        return False
    words = compiled(_WORD).findall(body)
    if sum(word.lower() in _SAID.split() for word in words) >= max(_LEAST_SAID, len(words) // 2):
        return True
    return sum(map(len, words)) >= _LEAST_LETTERS_OF_A_WORD * len(words) and are_words(body)


class Run(NamedTuple):
    """So many characters of one alphabet, the inside of a character class; without `most`, all to a token's end."""

    alphabet: str
    least: int
    most: int | None = None

    def pattern(self) -> str:
        """Return the run as a regular expression."""
        if self.most is None:
            return f"[{self.alphabet}]{{{self.least},}}+"
        return f"[{self.alphabet}]{{{self.least},{self.most}}}"


class Token(Rule):
    """The rule for a token: one of `prefixes`, then its shape.

    The token ends where no further character of its alphabet follows, whatever else does: a full stop, a bracket,
    a backtick, a table's bar. It has no space in it.

    Args:
        kind: What is found; `source` and `locate`, too, are as for any rule.
        prefixes: One of these starts it. A token without one needs `anchors`: literals that stand inside it.
        read_shape: Yields what follows, in that order, when it is first asked for. It may raise `ValueError`.
        anchors: The prefixes if left out.

    Raises:
        ValueError: There is nothing to look for.
    """

    def __init__(
        self,
        kind: str,
        prefixes: tuple[str, ...],
        read_shape: Callable[[], Iterable[str | Run]],
        *,
        source: str,
        anchors: tuple[str, ...] = (),
        locate: Locate = unless_made_up,
    ) -> None:
        if not (prefixes or anchors):
            raise ValueError("a token needs a prefix or anchors")
        super().__init__(kind=kind, anchors=anchors or prefixes, source=source, locate=locate, scan=not prefixes)
        self.prefixes = prefixes
        self._read_shape = read_shape
        self._shape: tuple[str | Run, ...] = ()

    @property
    def shape(self) -> tuple[str | Run, ...]:
        """What follows the prefix; a `ValueError` where it can't be what a token's shape is."""
        if not self._shape:
            shape = tuple(self._read_shape())
            if any(isinstance(part, Run) and part.most is None for part in shape[:-1]):
                raise ValueError("only the last run of a token may be without an upper bound")
            if any(isinstance(part, str) and " " in part for part in shape):
                raise ValueError("a token has no space in it")
            inside = sum(part.least if isinstance(part, Run) else len(part) for part in shape)
            if self.prefixes and min(map(len, self.prefixes)) + inside < LEAST_CHARACTERS:
                raise ValueError(f"a token with a prefix is {LEAST_CHARACTERS} characters long or longer")
            self._shape = shape
        return self._shape

    @property
    def pattern(self) -> str:
        """What has to stand at an anchor, as a regular expression."""
        if not self._pattern:
            start = "|".join(map(re.escape, self.prefixes))
            body = "".join([part.pattern() if isinstance(part, Run) else re.escape(part) for part in self.shape])
            last = next(part for part in reversed(self.shape) if isinstance(part, Run) and part.least)
            self._pattern = f"{WORD_START}(?:{start})(?P<body>{body})(?![{last.alphabet}])"
        return self._pattern
