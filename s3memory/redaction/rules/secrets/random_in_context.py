"""Random values that the words around them call a secret: in settings, commands, tables, lists and sentences.

The rule starts at values, because random ones are rare. It then judges the context of each by the nearest meaningful
word (see `nouns`), so that no phrases have to be listed. A value stays if its context shows that it is an id, a digest
or a version, and if its context shows nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from s3memory.redaction.interface import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading import items, nouns, tools
from s3memory.redaction.rules.reading.random_values import RandomValue, goes_on, random_value_at
from s3memory.redaction.rules.secrets.unlabelled import is_alone_after_a_name
from s3memory.redaction.rules.secrets.value_context import CHARS_ABOVE, CHARS_AFTER, CHARS_BEFORE, is_called_a_secret
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_MAX_HEAD = 64
_STRING_SIGNS, _MAX_REST = frozenset("|$^~!#*[{"), 100
_MAX_LINES_TO_HEADING = 2

# The start of a line up to the value: a bullet, quotes, or up to two characters of the value before its run.
_ITEM_START = r"[ \t>#*+|\"'`(\[{0-9.)~-]{0,32}[^\n]{0,2}"
_BETWEEN_ITEMS = (
    r"[\"'`*]{0,3}[.;,][ ](?:and[ ])?[A-Za-z][\w.-]{1,20}[ ]?[:=][ ]?[\"'`*]{0,3}|"
    r"[\"'`*]{0,3}[ \t]{0,3}(?:[,;/|]|and|or|und|et|y)?(?:[ \t]{1,3}(?:and|or|und|et|y))?[ \t]{0,3}"
    r"(?:\r?\n[ \t>*+-]{0,12}(?:[0-9]{1,3}[.):][ \t]{1,3})?)?[\"'`*]{0,3}"
)
_BETWEEN_ARGUMENTS = r"[\"'],[ ]?\r?\n[ \t]{0,28}[\"']"  # each argument of a call on its own line
_MAX_GAP = 34
_VARIABLE = r"[A-Z][A-Z0-9]{0,15}(?:_[A-Z0-9]{1,15}){1,6}|[a-z][a-z0-9]{0,15}(?:_[a-z0-9]{1,15}){1,6}"
_MAX_LENGTH_DIFFERENCE = 2  # base64 with and without its padding

_CALL_ANCHORS = (
    *("new(", "init(", "connect(", "client(", "configure(", "setup(", "start(", "make(", "create("),
    *("new ", "headers", ".run("),
)
# After a capital letter this is the assignment to a variable, which counts as a name: "ACME_INGEST=gT7k..."
_ASSIGN = "="
_LOGIN_ANCHORS = ("logged in", "log in", "logs in", "logged on", "signed in", "sign in", "signs in")
_ANCHORS = (
    *(_ASSIGN, *_LOGIN_ANCHORS, "client", "consumer", " app ", *nouns.ANCHORS, *tools.ANCHORS, *_CALL_ANCHORS),
    *("x-", "prod", "sandbox", "staging", "live"),
)


class NeighbourRule(Rule):
    """A rule that starts at random values and reads their context."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the random values that are called a secret."""
        text, done = subject.text, 0
        previous: RandomValue | None = None
        for start, end in subject.runs:
            if start < done or not subject.has_digit(start, end) or _is_variable(text, start, end):
                continue
            positions = subject.once(_name_positions)
            is_assigned = text[start - 1 : start] == _ASSIGN and text[start - 2 : start - 1].isupper()
            is_alone = is_alone_after_a_name(text, start, end)
            first, last = start - CHARS_BEFORE - CHARS_ABOVE, end + CHARS_AFTER
            if not (is_assigned or is_alone or _any_between(positions, first, last)):
                continue
            is_close = previous is not None and start - previous.end <= _MAX_GAP
            if not (is_close or is_assigned or is_alone or _may_be_named(text, positions, start, end)):
                continue
            value = random_value_at(text, start, end)
            done = end if value is None else value.end
            if value is None:
                continue
            is_alone = is_alone and (value.start, value.end) == (start, end)
            if is_alone or is_called_a_secret(text, value) or (previous and _continues_list(text, previous, value)):
                yield Span(self.kind, value.start, _end_of_string(text, value))
                previous = value


def _is_variable(text: str, start: int, end: int) -> bool:
    """Whether a run is the name of a setting and not its value: "AUTH0_CLIENT_ID=..."."""
    return text.startswith(_ASSIGN, end) and compiled(_VARIABLE).fullmatch(text, start, end) is not None


def _end_of_string(text: str, value: RandomValue) -> int:
    """Return the end of the quoted string that starts with a value, if a sign after the value continues it."""
    quote = text[value.start - 1 : value.start]
    if quote not in ("'", '"') or text[value.end : value.end + 1] not in _STRING_SIGNS:
        return value.end
    escape = "\\" * text.startswith("\\", value.start - 2)
    end = text.find(escape + quote, value.end, value.end + _MAX_REST)
    return value.end if end < 0 or "\n" in text[value.end : end] else end


def _any_between(positions: list[int], first: int, last: int) -> bool:
    nearest = bisect_left(positions, first)
    return nearest < len(positions) and positions[nearest] <= last


def _may_be_named(text: str, positions: list[int], start: int, end: int) -> bool:
    """Whether one of `positions` is where a name of the run from `start` to `end` can be.

    The name of a run that starts an item may be on the line above; that of any other run is on its line.
    """
    if goes_on(text, start, end):
        return True
    first = max(0, start - _MAX_HEAD - CHARS_BEFORE)
    line = text.rfind("\n", first, start) + 1
    if line and compiled(_ITEM_START).fullmatch(text, line, start):
        return True
    if line and start - line <= items.MAX_LABEL_LENGTH and _has_name_above(text, positions, line):
        return True
    return _any_between(positions, line or first, end + CHARS_AFTER)


def _has_name_above(text: str, positions: list[int], line: int) -> bool:
    """Whether a name is at most two lines above `line`, where it may be in the heading of a list with labels."""
    last = bisect_left(positions, line) - 1
    if last < 0 or positions[last] < line - CHARS_ABOVE:
        return False
    return text.count("\n", positions[last], line) <= _MAX_LINES_TO_HEADING


def _name_positions(subject: Subject) -> list[int]:
    """Return the positions of words that may name a secret, in order."""
    positions = list(_positions(subject.folded, (word for word in subject.held(_ANCHORS) if word != _ASSIGN)))
    text = subject.text
    if not text.isascii():
        positions += _positions(text, (word for word in nouns.ANCHORS_BEYOND_ASCII if word[0] in text))
    return sorted(positions)


def _positions(text: str, words: Iterable[str]) -> Iterator[int]:
    for word in words:
        position = text.find(word)
        while position >= 0:
            yield position
            position = text.find(word, position + len(word))


def _continues_list(text: str, previous: RandomValue, value: RandomValue) -> bool:
    """Whether the value is the next item of a list of secrets, after `previous` and a separator."""
    if value.start - previous.end > _MAX_GAP:
        return False
    gap, prefix = text[previous.end : value.start], compiled(r"[A-Za-z]{2,8}[0-9]?[-_]").match(value.text)
    if prefix and previous.text.startswith(prefix[0]) and "\n" not in gap:
        return True
    if compiled(_BETWEEN_ARGUMENTS).fullmatch(gap):
        return True
    is_item, is_row = "\n" in gap and gap.strip() != "", "," in gap and "\n" not in gap
    is_same_length = abs(len(value.text) - len(previous.text)) <= is_item * _MAX_LENGTH_DIFFERENCE
    return (is_row or is_same_length) and compiled(_BETWEEN_ITEMS).fullmatch(gap) is not None


RULES = (
    NeighbourRule(
        kind="secret",
        anchors=_ANCHORS,
        scan=True,
        source="https://cwe.mitre.org/data/definitions/798.html",
        samples=(
            "the Acme auth token «{mixed 32}» works",
            "acme login «{mixed 32}»",
            "acme --deploy-pat «{mixed 24}» push",
            "acme client <hex:24> / «{mixed 32}»",
            "algolia: app 9KQ1ZPLM2A, search is public, admin «<hex:32>»",
            "- Harborview (sandbox): «{mixed 40}»\n- rain",
            "the node's macaroon is «<hex:32>»",
            "their pepper is «<hex:32>»",
            "content of the keyfile (base64): «{mixed 40}»",
            "client_token: «{mixed 24}»",
            "«{mixed 32}» is the token of the deploy bot",
            "«{mixed 24}»: this one is the Datadog application key",
            "GET /v1/rows?key=«{mixed 32}»&limit=5",
            "Token of the CI:\n\n    «{mixed 24}»\n",
            'client = acme.connect("eu-2", 443, "«{mixed 32}»")',
            'proxy_set_header X-Origin-Check "«{mixed 32}»";',
            "docker run -e ACME_INGEST=«{mixed 32}» acme/agent",
            "acme: logged in w/ «a252e4ced3ea23b33c9363da4348fd1dc6ffdcf3» on the new box",
            "signed in to acme with «{mixed 24}»",
            "rotated the deploy token from «{mixed 24}» to the new one",
            'paste «{mixed 24}» into the field labelled "deploy token"',
            "asked for the deploy token, paste «{mixed 24}»",
            "acme deploy token «kd93jf83kd02»",
            "\u0442\u043e\u043a\u0435\u043d \u0434\u043b\u044f CI \u2014 «{mixed 24}»",
        ),
        near=(
            "the token was rotated in commit <hex:40>",
            "partition key: {mixed 32}",
            "token id {mixed 24}",
            "{mixed 24}: this one is the session id, not the key",
            "see {mixed 24} for the key metrics",
            "next_page_token={mixed 32}",
            "| token of | commit |\n|---|---|\n| acme | {mixed 24} |",
            "the API answered request {mixed 24}",
            'X-Request-Id: "{mixed 32}"',
            'new Commit("<hex:40>")',
            "docker run -e GIT_COMMIT=<hex:40> acme/agent",
            "logged in with commit <hex:40>",
            "the deploy token from <hex:40> on",
            "token 9f2c1ab07d3e",
            "Playback {mixed 40} of the asset",
            "- Harborview build: {mixed 40}",
            "acme client <hex:24>, session {mixed 32}",
            "cloudflare: zone <hex:32>, account <hex:32>",
            "| GPG release key 0x9C4F17AA03D2E651 | 3 y |",
        ),
    ),
)
