"""Random values that the words beside them call a secret: in settings, commands, tables, lists and sentences.

Values come first: what is random enough is rare. What stands around each is judged then, by what the nearest word says
that says anything (see `nouns`), so that no phrase has to be listed. A value whose neighbourhood says that it is an id,
a digest or a version stays, as does one about which nothing is said.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import PLACEHOLDER_START, Span, behind_placeholders
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import nouns
from s3memory.redaction.rules.columns import Columns
from s3memory.redaction.rules.random_values import LEAST, LEAST_BESIDE, RandomValue, goes_on, random_value_at
from s3memory.redaction.subject import Subject

_LEAST_OF_A_KEY, _LEAST_OF_A_BARE_KEY = 18, 20
_BEFORE, _BEHIND, _ABOVE = 110, 48, 160
_LONGEST_HEAD = 64
_MOST_WORDS_BETWEEN = 7
_MOST_WORDS_OF_A_HEADING = 9
_MOST_TAILS, _MOST_FIELDS = 3, 4
_SHORTEST_API = len("my-api")
_SHORTEST_API = len("my-api")
_EDGE_OF_CELL = ' \t`*_"'

_FURTHEST = _BEFORE + _ABOVE
_JOINT = r"[^\w/]*\Z"
_SIGN = r"[=:>|(,\u2192\uff1a]"
_FIELDS = r"[,;&{}\u3001\u3002\uff0c]|[.!?] |\| |\t"
_RANDOM = r"(?=[A-Za-z+/]{0,40}[0-9])[A-Za-z0-9+/]{20,}+"
_NO_NAME = r"::|\barn:|(?i:public(?![^\n]{0,80}[ ,]private)|certificate)"
_PARAMETER = r"[?&;#]([\w.\[\]-]{1,64})=\Z"
_LINK = (
    r"[\"'`*)\u201d\u00bb\u2019]{0,3}(?:\.(?=[ ](?:<-|\u2190|is\b|as\b)))?[ \t]{0,3}"
    r"(?:\(|\[|#|//|--?|\u2013|\u2014|[,;=:]|<-|\u2190|is\b|as\b|are\b|was\b|to(?=[ ](?:auth|log|sign|decrypt|unlock))"
    r"|\u3067|\u306f|\u662f)[ \t]{0,3}"
    r"(?P<words>[^\n.;:()|\[\]]{2,40})"
)
# What a sentence says of it at its end, in brackets.
_REMARK = (
    r"[\"'`*)\u201d\u00bb\u2019]{0,3}\.?(?:[ ][^\W\d_][\w'-]{0,20}){0,5}"
    r"(?:[ ]\(|[;,][ ])(?P<words>[^().;\n]{2,40})(?:[).;\n]|\Z)"
)
_BULLET = r"[ \t>#*+|\"'`(\[{-]{0,12}(?:[0-9]{1,3}[.)][ \t]{1,3})?[\"'`]{0,3}"
# Of a line with a bullet, where the value itself may begin before its run.
_BEGINNING = r"[ \t>#*+|\"'`(\[{0-9.)~-]{0,32}[^\n]{0,2}"
_END_OF_ITEM = r"[\"'`*,;)\]}|]{0,4}[ \t]{0,9}(?:\r?\n|\Z|#|//|\()"
_CALL_OF_A_CLIENT = (
    r"(?i)(?<![a-z])(?:new|init\w*|connect|\w{0,20}client|configure|setup|start|log_?in|auth\w*)[ ]?"
    r"\((?:[^()\n]{0,60},[ ]?)?[\"'`]\Z"
)
_HEADER = r"(?i)(?<![a-z0-9])x-[a-z0-9-]{2,40}[\"'`]?[ ]?[:=,]?[ ]?[\"'`]?\Z"
_BEHIND_A_STAGE = r"(?i)(?<![a-z])(?:prod(?:uction)?|sandbox|staging|live)[ ]?[:=]?[ ]?[\"'`]?\Z"
_FENCE = r"[ \t>]{0,8}(?:```|~~~)[^\n]{0,24}\n\Z"
_BETWEEN_ITEMS = (
    r"[\"'`*]{0,3}[.;,][ ](?:and[ ])?[A-Za-z][\w.-]{1,20}[ ]?[:=][ ]?[\"'`*]{0,3}|"
    r"[\"'`*]{0,3}[ \t]{0,3}(?:[,;/|]|and|or|und|et|y)?(?:[ \t]{1,3}(?:and|or|und|et|y))?[ \t]{0,3}"
    r"(?:\r?\n[ \t>*+-]{0,12})?[\"'`*]{0,3}"
)
_LONGEST_BETWEEN = 24

_FINGERPRINT = r"(?:0x)?[0-9A-F]{40}"  # of OpenPGP
_DETERMINERS = ("the", "this", "that", "my", "our", "your", "new", "old")
_SMALL_WORDS = (
    *_DETERMINERS,
    "a",
    "with",
    "for",
    "by",
    "of",
    "on",
    "to",
    "and",
    "or",
    "per",
    "each",
    "in",
    "at",
    "same",
)
_FILLERS = frozenset(
    (
        *("the", "new", "one", "now", "it", "is", "s", "here", "current", "use", "please", "reads", "says", "shows"),
        *("before", "after", "then", "previous", "previously", "ours", "mine", "value", "so"),
    )
)
_LINKS = frozenset(
    (
        *("is", "are", "was", "be", "to", "set", "now", "as", "use", "using", "with", "equals", "reads", "be", "has"),
        *("ist", "lautet", "est", "es", "sera", "jest", "er", "\u00e9", "\u00e8", "s", "it", "this", "that", "here"),
        *(
            "rotated",
            "renewed",
            "replaced",
            "regenerated",
            "reissued",
            "one",
            "new",
            "following",
            "becomes",
            "value",
            "called",
            "says",
            "got",
            "gave",
            "me",
            "you",
            "i",
            "we",
            "they",
            "uses",
        ),
    )
)
# "the key for the weather service is ..."
_OF_WHAT = (["for"], ["of"], ["to"])
# As good as a sign, behind what is called a secret.
_VERBS = frozenset(("is", "ist", "lautet", "est", "es", "jest", "becomes", "equals", "reads", "\u00e8", "\u00e9"))
# Services whose keys have no form of their own: their name and a sign are enough.
_PROVIDERS = frozenset(
    (
        *("algolia", "datadog", "mistral", "cohere", "mailgun", "mailjet", "postmark", "sparkpost", "vonage", "twilio"),
        *("zendesk", "freshdesk", "coinbase", "binance", "kraken", "infura", "hetzner", "vultr", "linode", "scaleway"),
        *("cloudflare", "fastly", "openweathermap", "virustotal", "rollbar", "bugsnag", "sumologic", "codecov"),
        *("deepl", "deepgram", "assemblyai", "elevenlabs", "openrouter", "sendgrid", "pushover", "pushbullet"),
        *("gotify", "ntfy", "raindrop", "pinboard", "todoist", "airtable", "opsgenie", "pagerduty", "newrelic"),
        *("honeycomb", "papertrail", "loggly", "etherscan", "moralis", "maptiler", "mapbox", "tomtom", "geoapify"),
        *("opencage", "ipinfo", "ipstack", "abuseipdb", "shodan", "censys", "clearbit", "mixpanel", "posthog"),
        *("openweather", "wakatime", "brevo", "messagebird", "nexmo", "plivo", "bunnycdn", "tinypng"),
    )
)
_CALLS = ("new(", "init(", "connect(", "client(", "configure(", "setup(", "start(")
_ANCHORS = (*nouns.ANCHORS, *sorted(_PROVIDERS), *_CALLS, " x-", '"x-', "'x-", "prod", "sandbox", "staging")


class NeighbourRule(Rule):
    """A rule that starts at random values, and reads what is around them."""

    __slots__ = ()

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the random values that are called a secret."""
        text, behind = subject.text, 0
        places = _places_of_names(subject)
        columns = Columns(text if places else "")
        before: RandomValue | None = None
        for start, end in subject.runs if places else ():
            if start < behind or not subject.has_digit(start, end):
                continue
            nearest = bisect_left(places, start - _FURTHEST)
            is_near = nearest < len(places) and places[nearest] <= end + _BEHIND
            column = columns.head_of(start)
            is_below = column is not None and _any_of(places, *column)
            if not is_near and not is_below:
                continue
            is_alone = before is None or start - before.end > _LONGEST_BETWEEN
            if is_alone and not is_below and not _may_be_named(text, places, nearest, start, end):
                continue
            value = random_value_at(text, start, end)
            behind = end if value is None else value.end
            if value is None:
                continue
            head = text[slice(*column)] if column and is_below else ""
            if _is_called_a_secret(text, value, head) or (before and _is_next_to(text, before, value)):
                yield Span(self.kind, value.start, value.end)
                before = value


def _any_of(places: list[int], start: int, end: int) -> bool:
    nearest = bisect_left(places, start)
    return nearest < len(places) and places[nearest] < end


def _may_be_named(text: str, places: list[int], nearest: int, start: int, end: int) -> bool:
    """Whether one of `places`, from the nearest one before on, is where a name of the run at `start` can stand.

    Above, only if nothing but a bullet is before the run: the others are named on their line, unless they go on.
    """
    if goes_on(text, start, end):
        return True
    first = max(0, start - _LONGEST_HEAD - _BEFORE)
    line = text.rfind("\n", first, start) + 1
    if line and compiled(_BEGINNING).fullmatch(text, line, start):
        return True
    nearest = bisect_left(places, line or first, nearest)
    return nearest < len(places) and places[nearest] <= end + _BEHIND


def _places_of_names(subject: Subject) -> list[int]:
    """Return where in the text a word stands that may name a secret, in order."""
    places = list(_places(subject.folded, subject.held(_ANCHORS)))
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
    gap = text[before.end : value.start] if value.start - before.end <= _LONGEST_BETWEEN else "-"
    is_like = len(value.text) == len(before.text) or ("," in gap and "\n" not in gap)
    return is_like and compiled(_BETWEEN_ITEMS).fullmatch(gap) is not None


def _is_called_a_secret(text: str, value: RandomValue, head: str) -> bool:
    first = max(0, value.start - _BEFORE)
    line = text.rfind("\n", first, value.start) + 1 or first
    before = behind_placeholders(text[line : value.start])
    if compiled(_BULLET).fullmatch(before) and compiled(_END_OF_ITEM).match(text, value.end) and line > first:
        return _is_below_its_name(text, line, value) or _is_named_behind(text, value)
    chunk = before.split()[-1] if before[-1:].strip() and before.split() else ""
    if compiled(_NO_NAME).search(before):
        return False
    if "://" in chunk:  # a matter of links
        return False
    if chunk.startswith("/"):
        name = compiled(_PARAMETER).search(chunk)
        return name is not None and _said(name[1], "=", value) is True
    joint = compiled(_JOINT).search(before)
    cut = joint.start() if joint else len(before)
    said = _said(before[:cut], before[cut:], value)
    if said is None and head:
        said = _said(head.strip(_EDGE_OF_CELL), ":", value)
    if said is None:
        said = _is_named_behind(text, value) or _is_handed_over(before, value)
    return said


def _is_handed_over(before: str, value: RandomValue) -> bool:
    """Whether a value goes to what connects, stands behind a header of one's own, or is told by where it is used."""
    if value.is_uuid:
        return False
    if compiled(_CALL_OF_A_CLIENT).search(before):
        return True
    if value.is_hexadecimal or len(value.text) < _LEAST_OF_A_BARE_KEY:
        return False
    header = compiled(_HEADER).search(before)
    if header:
        words = nouns.words_of(header[0])
        return nouns.meaning(words, len(words) - 1) != nouns.HARMLESS
    return compiled(_BEHIND_A_STAGE).search(before) is not None


def _said(said: str, joint: str, value: RandomValue) -> bool | None:
    """Return whether the last word of `said` that says anything says that a secret is joined to it, if any does."""
    if not said:
        return None
    is_signed = compiled(_SIGN).search(joint) is not None
    # Another random value says nothing, whatever its letters spell.
    fields = compiled(_FIELDS).split(compiled(_RANDOM).sub(",", said))
    words = nouns.words_of(fields[-1])
    if _FILLERS.issuperset(words):  # "rotated, the new one is ..."
        words = nouns.words_of(" ".join(fields[-_MOST_FIELDS:]))
    place = len(words) - 1
    between = tails = 0
    while place >= 0 and between <= _MOST_WORDS_BETWEEN:
        word = words[place]
        said_by_it = nouns.meaning(words, place, is_beside=between == 0, is_uuid=value.is_uuid)
        if said_by_it == nouns.HARMLESS:
            return False
        if said_by_it == nouns.SECRET:
            is_joined = is_signed or words[-1] in _VERBS
            return between == 0 or (len(value.text) >= LEAST and (is_joined or not value.is_hexadecimal))
        if said_by_it == nouns.KEY:
            is_of = words[place + 1 : place + 2] in _OF_WHAT and words[-1] in _VERBS
            return _is_key(words, place, value, is_signed=is_signed, is_beside=between == 0 or is_of)
        if (word in _PROVIDERS or (word.endswith("api") and len(word) > _SHORTEST_API)) and not value.is_uuid:
            return (is_signed or between == 0) and len(value.text) >= _LEAST_OF_A_KEY
        if word in _LINKS or (nouns.is_tail(word) and tails < _MOST_TAILS):
            tails += 1
        else:
            between += 1
        place -= 1
    return None


def _is_key(words: list[str], place: int, value: RandomValue, *, is_signed: bool, is_beside: bool) -> bool:
    """Whether a key is one that opens something: by the word before it, or by the value where there is none."""
    if compiled(_FINGERPRINT).fullmatch(value.text):
        return False
    is_bare = place == 0 or words[place - 1] in _SMALL_WORDS
    is_pointed_at = is_signed or (place > 0 and words[place - 1] in _DETERMINERS and not value.is_hexadecimal)
    if is_bare and (value.is_uuid or not (is_pointed_at and is_beside)):
        return False
    if is_beside and (not is_bare or words[place - 1 : place] in (["old"], ["new"])):
        return len(value.text) >= LEAST_BESIDE
    return len(value.text) >= (_LEAST_OF_A_BARE_KEY if is_bare else LEAST)


def _is_named_behind(text: str, value: RandomValue) -> bool:
    """Whether what stands behind the value says that it is a secret: "... is the deploy token", "... (API key)"."""
    link = compiled(_LINK).match(text, value.end, value.end + _BEHIND)
    if link is None and not value.is_hexadecimal:
        link = compiled(_REMARK).match(text, value.end)
    if link is None or PLACEHOLDER_START in link[0]:
        return False
    words = nouns.words_of(link["words"])[:5]
    for place in range(len(words)):
        said_by_it = nouns.meaning(words, place, is_beside=False, is_uuid=value.is_uuid)
        if said_by_it == nouns.HARMLESS:
            return False
        if said_by_it == nouns.SECRET:
            follows = words[place + 1 : place + 2]
            return not (follows and nouns.meaning(words, place + 1, is_beside=True) == nouns.HARMLESS)
        if said_by_it == nouns.KEY and _is_key(words, place, value, is_signed=False, is_beside=True):
            return True
    return False


def _is_below_its_name(text: str, line: int, value: RandomValue) -> bool:
    """Whether the line above that has anything on it names a secret, and the value is all of its own line."""
    above = text[max(0, line - _ABOVE) : line]
    if fence := compiled(_FENCE).search(above):
        above = above[: fence.start()]
    above = above.rstrip(" \t\r\n>")
    if not above or "\n" * 3 in text[max(0, line - 3) : line]:
        return False
    heading = above[above.rfind("\n") + 1 :]
    if PLACEHOLDER_START in heading:
        return False
    is_heading = heading.endswith((":", "\uff1a", "**", "?")) or heading.lstrip(" >").startswith(
        ("#", "**", "//", "--")
    )
    words = nouns.words_of(heading)
    if not is_heading and len(words) > _MOST_WORDS_OF_A_HEADING:
        return False
    return _said(heading.rstrip(" :*_`\uff1a)").replace(",", " "), ":", value) is True


RULES = (
    NeighbourRule(
        kind="secret",
        anchors=(),
        scan=True,
        pattern="",
        source="https://cwe.mitre.org/data/definitions/798.html",
        samples=(
            "the Acme auth token «{mixed 32}» works",
            "acme login «{mixed 32}»",
            "acme --deploy-pat «{mixed 24}» push",
            "client_token: «{mixed 24}»",
            "«{mixed 32}» is the token of the deploy bot",
            "GET /v1/rows?key=«{mixed 32}»&limit=5",
            "Token of the CI:\n\n    «{mixed 24}»\n",
            "| service | token |\n|---|---|\n| acme | «{mixed 24}» |",
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
        ),
    ),
)
