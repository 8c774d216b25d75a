"""Rules for tokens: a prefix, followed by literals and runs of characters from one alphabet.

The shape of a token is parsed and turned into a regular expression only when a text contains its prefix: most texts
contain none of the three hundred or so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from s3memory.redaction.rule import Locate, Location, Rule
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.wording import are_words

BASE64URL = "A-Za-z0-9_-"

# A token starts a word. In JSON and in URLs the character before it can be the end of an escape, such as "\n" or
# "%3D", which is not part of a word either.
WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"

# Example tokens in documentation ("xoxb-xxxxx", "your-token"). Strict enough that a random token matches less than once
# in ten million. Numbers and hyphens alone ("12345-67890-") are a token whose last part is masked.
_EXAMPLE = r"x{5}|X{5}|EXAMPLE|example|[Yy]our[-_]|YOUR[-_]|\Axox[bp]-|\A(?:[0-9]{1,20}-){1,9}\Z"
# An identifier in code and the words in it: "Slack_BOT_TOKEN", "requiredCharacteristicTypes".
_CODE_NAME, _WORD = r"(?:[0-9]-)?[A-Za-z]+(?:[-_][A-Za-z]+)*", r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"
_EXAMPLE_WORDS = "my the app bot user access secret token key api slack replace with goes here"
_MIN_MEAN_WORD_LETTERS, _MIN_EXAMPLE_WORDS, _MAX_NAME_CHARACTERS = 3, 2, 160
_MAX_SHARE_OF_ONE_CHARACTER = 0.6

MIN_TOKEN_CHARACTERS = 16
"""The minimum length of a token with a prefix."""


def unless_example(match: re.Match[str]) -> Location:
    """Locate the secret, which is the whole match, unless it is an example or an identifier in code."""
    body = match["body"]
    repeats_one = max(map(body.count, set(body))) >= max(
        _MAX_SHARE_OF_ONE_CHARACTER * len(body), MIN_TOKEN_CHARACTERS // 2
    )
    return None if repeats_one or compiled(_EXAMPLE).search(body) or _is_code_name(body) else match.span()


def _is_code_name(body: str) -> bool:
    """Whether the part after the prefix consists of words, as in an identifier in code, and not of random letters."""
    if len(body) > _MAX_NAME_CHARACTERS or compiled(_CODE_NAME).fullmatch(body) is None:
        return False
    words = compiled(_WORD).findall(body)
    if sum(word.lower() in _EXAMPLE_WORDS.split() for word in words) >= max(_MIN_EXAMPLE_WORDS, len(words) // 2):
        return True
    return sum(map(len, words)) >= _MIN_MEAN_WORD_LETTERS * len(words) and are_words(body)


class Run(NamedTuple):
    """A run of `least` to `most` characters of `alphabet`, which is the inside of a character class.

    Without `most`, the run goes on to the end of the token.
    """

    alphabet: str
    least: int
    most: int | None = None

    def pattern(self) -> str:
        """Return the run as a regular expression."""
        if self.most is None:
            return f"[{self.alphabet}]{{{self.least},}}+"
        return f"[{self.alphabet}]{{{self.least},{self.most}}}"


class Token(Rule):
    """A rule for one token format: one of `prefixes`, followed by its shape.

    The token must not be followed by another character of its last alphabet. Anything else may follow: a full stop, a
    bracket, a backtick, the bar of a table. A token contains no space.

    Args:
        kind: The kind of its findings; `source` and `locate` are as for any rule.
        prefixes: One of these starts the token. Without any, `anchors` must be literals inside the token.
        read_shape: Yields what follows the prefix, in order. It is called when the shape is first needed, and may
            raise `ValueError`.
        anchors: The literals to search for; the prefixes by default.

    Raises:
        ValueError: There are neither prefixes nor anchors.
    """

    def __init__(
        self,
        kind: str,
        prefixes: tuple[str, ...],
        read_shape: Callable[[], Iterable[str | Run]],
        *,
        source: str,
        anchors: tuple[str, ...] = (),
        locate: Locate = unless_example,
    ) -> None:
        if not (prefixes or anchors):
            raise ValueError("a token needs a prefix or anchors")
        super().__init__(kind=kind, anchors=anchors or prefixes, source=source, locate=locate, scan=not prefixes)
        self.prefixes = prefixes
        self._read_shape = read_shape
        self._shape: tuple[str | Run, ...] = ()
        self._made_pattern = ""

    @property
    def shape(self) -> tuple[str | Run, ...]:
        """What follows the prefix. Raises `ValueError` if that is not a valid shape."""
        if not self._shape:
            shape = tuple(self._read_shape())
            if any(isinstance(part, Run) and part.most is None for part in shape[:-1]):
                raise ValueError("only the last run of a token may be without an upper bound")
            if any(isinstance(part, str) and " " in part for part in shape):
                raise ValueError("a token has no space in it")
            shortest = sum(part.least if isinstance(part, Run) else len(part) for part in shape)
            if self.prefixes and min(map(len, self.prefixes)) + shortest < MIN_TOKEN_CHARACTERS:
                raise ValueError(f"a token with a prefix is {MIN_TOKEN_CHARACTERS} characters long or longer")
            self._shape = shape
        return self._shape

    @property
    def pattern(self) -> str:
        """The regular expression to match at an anchor."""
        if not self._made_pattern:
            start = "|".join(map(re.escape, self.prefixes))
            body = "".join([part.pattern() if isinstance(part, Run) else re.escape(part) for part in self.shape])
            last = next(part for part in reversed(self.shape) if isinstance(part, Run) and part.least)
            self._made_pattern = f"{WORD_START}(?:{start})(?P<body>{body})(?![{last.alphabet}])"
        return self._made_pattern
