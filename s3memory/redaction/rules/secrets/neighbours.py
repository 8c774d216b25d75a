"""Random values that the words beside them call a secret: in settings, commands, tables, lists and sentences.

Values come first: what is random enough is rare. What stands around each is judged then, by what the nearest word says
that says anything (see `nouns`), so that no phrase has to be listed. A value whose neighbourhood says that it is an id,
a digest or a version stays, as does one about which nothing is said.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from s3memory.redaction.model import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading import items, nouns, tools
from s3memory.redaction.rules.reading.random_values import RandomValue, goes_on, random_value_at
from s3memory.redaction.rules.secrets.handed_over import is_all_of_its_line
from s3memory.redaction.rules.secrets.said import ABOVE, BEFORE, BEHIND, is_called_a_secret
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_LONGEST_HEAD = 64
_GOING_ON, _LONGEST_REST = frozenset("|$^~!#*[{"), 100
_LINES_OF_A_HEADING = 2

# Of a line with a bullet, where the value itself may begin before its run.
_BEGINNING = r"[ \t>#*+|\"'`(\[{0-9.)~-]{0,32}[^\n]{0,2}"
_BETWEEN_ITEMS = (
    r"[\"'`*]{0,3}[.;,][ ](?:and[ ])?[A-Za-z][\w.-]{1,20}[ ]?[:=][ ]?[\"'`*]{0,3}|"
    r"[\"'`*]{0,3}[ \t]{0,3}(?:[,;/|]|and|or|und|et|y)?(?:[ \t]{1,3}(?:and|or|und|et|y))?[ \t]{0,3}"
    r"(?:\r?\n[ \t>*+-]{0,12}(?:[0-9]{1,3}[.):][ \t]{1,3})?)?[\"'`*]{0,3}"
)
_BETWEEN_ARGUMENTS = r"[\"'],[ ]?\r?\n[ \t]{0,28}[\"']"  # of a call, each on a line of its own
_LONGEST_BETWEEN = 34
_VARIABLE = r"[A-Z][A-Z0-9]{0,15}(?:_[A-Z0-9]{1,15}){1,6}|[a-z][a-z0-9]{0,15}(?:_[a-z0-9]{1,15}){1,6}"
_DIFFERENCE = 2  # as of base64 with its padding and without

_CALLS = (
    *("new(", "init(", "connect(", "client(", "configure(", "setup(", "start(", "make(", "create("),
    *("new ", "headers", ".run("),
)
# A capital letter before this sign is the end of a name as well.
_SET = "="
_LOGGING_IN = ("logged in", "log in", "logs in", "logged on", "signed in", "sign in", "signs in")
_ANCHORS = (
    _SET,
    *_LOGGING_IN,
    "client",
    "consumer",
    " app ",
    *nouns.ANCHORS,
    *tools.ANCHORS,
    *_CALLS,
    "x-",
    "prod",
    "sandbox",
    "staging",
    "live",
)


class NeighbourRule(Rule):
    """A rule that starts at random values, and reads what is around them."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the random values that are called a secret."""
        text, behind = subject.text, 0
        places = _places_of_names(subject)
        before: RandomValue | None = None
        for start, end in subject.runs:
            if start < behind or not subject.has_digit(start, end) or _is_variable(text, start, end):
                continue
            is_set = text[start - 1 : start] == _SET and text[start - 2 : start - 1].isupper()
            is_near = is_set or _any_of(places, start - BEFORE - ABOVE, end + BEHIND)
            is_line = is_all_of_its_line(text, start, end)
            if not (is_near or is_line):
                continue
            is_alone = before is None or start - before.end > _LONGEST_BETWEEN
            if is_alone and not (is_set or is_line) and not _may_be_named(text, places, start, end):
                continue
            value = random_value_at(text, start, end)
            behind = end if value is None else value.end
            if value is None:
                continue
            is_line = is_line and (value.start, value.end) == (start, end)
            if is_line or is_called_a_secret(text, value) or (before and _is_next_to(text, before, value)):
                yield Span(self.kind, value.start, _end_of_string(text, value))
                before = value


def _is_variable(text: str, start: int, end: int) -> bool:
    """Whether a run is the name of a setting, whose value is another: "AUTH0_CLIENT_ID=..."."""
    return text.startswith(_SET, end) and compiled(_VARIABLE).fullmatch(text, start, end) is not None


def _end_of_string(text: str, value: RandomValue) -> int:
    """Return where the string ends that a value begins, if a sign goes on behind it as in no sentence."""
    quote = text[value.start - 1 : value.start]
    if quote not in ("'", '"') or text[value.end : value.end + 1] not in _GOING_ON:
        return value.end
    escape = "\\" * text.startswith("\\", value.start - 2)
    end = text.find(escape + quote, value.end, value.end + _LONGEST_REST)
    return value.end if end < 0 or "\n" in text[value.end : end] else end


def _any_of(places: list[int], first: int, last: int) -> bool:
    nearest = bisect_left(places, first)
    return nearest < len(places) and places[nearest] <= last


def _may_be_named(text: str, places: list[int], start: int, end: int) -> bool:
    """Whether one of `places` is where a name of the run at `start` can stand.

    Above, only if nothing but a bullet is before the run: the others are named on their line, unless they go on.
    """
    if goes_on(text, start, end):
        return True
    first = max(0, start - _LONGEST_HEAD - BEFORE)
    line = text.rfind("\n", first, start) + 1
    if line and compiled(_BEGINNING).fullmatch(text, line, start):
        return True
    if line and start - line <= items.LONGEST_LABEL and _is_named_above(text, places, line):
        return True
    return _any_of(places, line or first, end + BEHIND)


def _is_named_above(text: str, places: list[int], line: int) -> bool:
    """Whether the last of `places` before a line is on the one above, which may be a heading of items with labels."""
    last = bisect_left(places, line) - 1
    return last >= 0 and places[last] >= line - ABOVE and text.count("\n", places[last], line) <= _LINES_OF_A_HEADING


def _places_of_names(subject: Subject) -> list[int]:
    """Return where in the text a word stands that may name a secret, in order."""
    places = list(_places(subject.folded, (word for word in subject.held(_ANCHORS) if word != _SET)))
    text = subject.text
    if not text.isascii():
        places += _places(text, (word for word in nouns.ANCHORS_BEYOND_ASCII if word[0] in text))
    return sorted(places)


def _places(text: str, words: Iterable[str]) -> Iterator[int]:
    for word in words:
        position = text.find(word)
        while position >= 0:
            yield position
            position = text.find(word, position + len(word))


def _is_next_to(text: str, before: RandomValue, value: RandomValue) -> bool:
    """Whether the value is the next of a list of secrets, in which nothing but signs is between them."""
    if value.start - before.end > _LONGEST_BETWEEN:
        return False
    gap, prefix = text[before.end : value.start], compiled(r"[A-Za-z]{2,8}[0-9]?[-_]").match(value.text)
    if prefix and before.text.startswith(prefix[0]) and "\n" not in gap:
        return True
    is_item = "\n" in gap and gap.strip() != ""
    is_like = abs(len(value.text) - len(before.text)) <= is_item * _DIFFERENCE or ("," in gap and "\n" not in gap)
    is_argument = compiled(_BETWEEN_ARGUMENTS).fullmatch(gap) is not None
    return is_argument or (is_like and compiled(_BETWEEN_ITEMS).fullmatch(gap) is not None)


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
