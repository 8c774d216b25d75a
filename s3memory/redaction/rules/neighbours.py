"""Random values that the words beside them call a secret: in settings, commands, tables, lists and sentences.

Values come first: what is random enough is rare. What stands around each is judged then, by what the nearest word says
that says anything (see `nouns`), so that no phrase has to be listed. A value whose neighbourhood says that it is an id,
a digest or a version stays, as does one about which nothing is said.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from s3memory.redaction.compiling import compiled
from s3memory.redaction.judged import judged
from s3memory.redaction.model import PLACEHOLDER_START, Span, behind_placeholders
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import nouns
from s3memory.redaction.rules.columns import Columns
from s3memory.redaction.subject import Subject
from s3memory.redaction.values import is_identifier, is_placeholder, is_slug, is_term, looks_random
from s3memory.redaction.wording import is_gibberish

_LEAST, _LEAST_OF_A_KEY, _LEAST_OF_A_BARE_KEY = 14, 18, 20
_BEFORE, _BEHIND, _ABOVE = 110, 48, 160
_LONGEST_HEAD = 64
_MOST_WORDS_BETWEEN = 7
_MOST_WORDS_OF_A_HEADING = 9
_MOST_TAILS = 3
_EDGE_OF_CELL = ' \t`*_"'

_FURTHEST = _BEFORE + _ABOVE
_HEAD = r"[A-Za-z0-9+/_.~-]*\Z"
_MORE_OF_A_VALUE = (".", "=", "~", "%")
_ALSO_IN_HEADS = (".", "~")  # beside what is in runs
_TAIL = r"(?:[A-Za-z0-9+/_=.~-]|%(?:2[BbFf]|3[Dd])){0,512}"
_JOINT = r"[^\w/]*\Z"
_ESCAPE = r"\\(?:[nrt]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}"
_SIGN = r"[=:>|(,\u2192\uff1a]"
_FIELDS = r"[,;&{}\u3001\u3002\uff0c]|[.!?] |\| |\t"
_RANDOM = r"(?=[A-Za-z+/]{0,40}[0-9])[A-Za-z0-9+/]{20,}+"
_NO_NAME = r"::|\barn:|(?i:public(?![^\n]{10,80}[ ,]private)|certificate)"
# Whoever has such a link needs nothing else: a webhook, an invitation, a reset.
_LINK_THAT_OPENS = (
    r"(?i)://(?:[\w.-]{0,60}\.)?(?:hooks?|webhooks?)\.[\w.-]+/\S*\Z"
    r"|://[^\s/]+/(?:\S*/)?(?:hooks?|webhooks?|incoming|invites?|invitations?|join|reset(?:[_-]?password)?|password[_-]reset"
    r"|magic(?:[_-]?link)?|activate|activation|shared?|sharing|private|unlisted|feeds?|sso|otl|i?cal|ics|upload|onetimesecret"
    r"|guests?|recover|confirm|verify|secrets?|send|passwordless|accept(?:[_-]?invit\w{0,8})?)/(?:[\w.-]{1,40}/){0,3}\Z"
)
# A UUID names a record sooner than it opens something: only a step that is taken once, or by a machine, opens.
_STEP_WITH_ID = (
    r"(?i)://[^\s/]*(?:(?:hooks?|webhooks?|ping)\.|[.-](?:hooks?|webhooks?|ping)\.)[\w.-]+/\S*\Z"
    r"|://[^\s/]+/(?:\S*/)?(?:hooks?|webhooks?|invites?|invitations?|reset(?:[_-]?password)?|password[_-]reset"
    r"|magic(?:[_-]?link)?|activate|guests?|recover|sso|otl|onetimesecret|passwordless|accept[_-]?invit\w{0,8})/\Z"
)
# A single letter stands for one of these, or for anything else: a value that is no digest tells.
_SHORT_LINK = r"://(?!docs\.google\.)[^\s/]+/(?:[\w.-]{1,40}/)?[a-z]/\Z"
# Of a node of a chain, which bills whoever has it.
_NODE = r"(?i)://[^\s/]*(?:mainnet|testnet|sepolia|\brpc|alchemy|infura|quiknode)[^\s/]*/(?:v[0-9]/)?\Z"
_KEY_OF_AN_API = r"(?i)(?:[/.-]api[./-]|/v[0-9]{1,2}/)\S{0,100}[?&](?:key|token)=\Z"
_HOST_THAT_SHARES = (
    r"(?i)://(?:[\w-]{0,40}\.)?[\w-]{0,20}(?:paste|files?|share|drop|cloud|bin|transfer|send)[\w-]{0,20}\."
)
_STEP_THAT_OPENS = (
    r"(?i)/[\w-]{0,20}(?:signup|sign-up|invit|join|reset|recover|verify|confirm|activat|magic|unsubscribe)"
    r"[\w-]{0,24}/?\?"
)
_OPENS_ITSELF = r"(?i)(?:private|secret|share|shared|invite|magic)[-_]"
_SAID_OF_LINK = (
    r"(?i)\b(?:magic|shared?|private|secret|invit\w+|reset|log[- ]?in|sign[- ]?in|one[- ]time|unlisted"
    r"|passwordless|guest|join|(?:web)?hook|verif\w+|confirm\w*|activat\w+|recover\w*|logs (?:you|me|us) in"
    r"|lets (?:you|me|us|anyone) in)\b[^\n]{0,24}\Z"
)
_SAID_BEHIND_LINK = (
    r"[\w/?=&.-]{0,40}[\"'`*)>]{0,3}[ ]{0,2}[\n(,;:\u2013\u2014-]{1,2}[ ]{0,2}"
    r"(?i:any(?:one|body) (?:with|who has|can)|(?:no|without)(?: a)? (?:log[- ]?in|password|account|auth))"
)
_SIGNED = frozenset(("signature", "sig", "sign", "code", "hmac", "tok", "appid"))
_NAME_AND_SLASH = r"[A-Z]?[a-z]{2,32}/"
_PARAMETER = r"[?&;#]([\w.\[\]-]{1,64})=\Z"
_LINK = (
    r"[\"'`*)\u201d\u00bb\u2019]{0,3}(?:\.(?=[ ](?:<-|\u2190|is\b|as\b)))?[ \t]{0,3}"
    r"(?:\(|\[|#|//|--?|\u2013|\u2014|[,;=:]|<-|\u2190|is\b|as\b|are\b|was\b|\u3067|\u306f|\u662f)[ \t]{0,3}"
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
_FENCE = r"[ \t>]{0,8}(?:```|~~~)[^\n]{0,24}\n\Z"
_BETWEEN_ITEMS = (
    r"[\"'`*]{0,3}[;,][ ](?:and[ ])?[A-Za-z][\w.-]{1,20}[ ]?[:=][ ]?[\"'`*]{0,3}|"
    r"[\"'`*]{0,3}[ \t]{0,3}(?:[,;/|]|and|or|und|et|y)?(?:[ \t]{1,3}(?:and|or|und|et|y))?[ \t]{0,3}"
    r"(?:\r?\n[ \t>*+-]{0,12})?[\"'`*]{0,3}"
)
_LONGEST_BETWEEN = 24

_FINGERPRINT = r"(?:0x)?[0-9A-F]{40}"  # of OpenPGP
_UUID = r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_HEXADECIMAL = "0123456789abcdef"
_PIECES = r"[A-Za-z0-9+]+"
_TIMES = r"[0-9]{8}[Tt_-]?[0-9]{4,6}(?:[0-9]{3,6})?[Zz]?|[0-9]{4}-[0-9]{2}-[0-9]{2}T.*"
_COUNTING = ("abcdef", "012345", "123456", "example", "sample", "dummy", "foobar")
_MADE_UP = r"(.)\1{4}|test[-_]?(?:key|token|secret)"
_FILE = r"(?i).*\.(?:[a-z]{1,4}|json|yaml|html|lock|toml|jpeg|webp)"
_POD = r"[a-z][a-z0-9-]{2,60}-[a-z0-9]{8,10}-[a-z0-9]{5}"  # of Kubernetes
_DIGEST = r"(?i)(?:sha[0-9]{1,3}|md5|h1|blake[0-9a-z]{0,3}|sha-[0-9]{1,3})[-:=]"
_HUMPS = r"(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4})+"
_LEAST_PIECE, _LEAST_OF_EACH = 6, 3
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
_FILLERS = frozenset(("the", "new", "one", "now", "it", "is", "s", "here", "current", "use", "please"))
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
_ANCHORS = (*nouns.ANCHORS, *sorted(_PROVIDERS))


class _Value(NamedTuple):
    """A random value: where it stands, and how much it takes to call it a secret."""

    text: str
    start: int
    end: int
    is_uuid: bool
    is_hexadecimal: bool


class NeighbourRule(Rule):
    """A rule that starts at random values, and reads what is around them."""

    __slots__ = ()

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the random values that are called a secret."""
        text, behind = subject.text, 0
        places = _places_of_names(subject)
        columns = Columns(text if places else "")
        before: _Value | None = None
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
            value = _value_at(text, start, end)
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
    if text[start - 1 : start] in _ALSO_IN_HEADS or text[end : end + 1] in _MORE_OF_A_VALUE:
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


def _is_next_to(text: str, before: _Value, value: _Value) -> bool:
    """Whether the value is the next of a list of secrets, in which nothing but signs is between them."""
    gap = text[before.end : value.start] if value.start - before.end <= _LONGEST_BETWEEN else "-"
    is_like = len(value.text) == len(before.text) or ("," in gap and "\n" not in gap)
    return is_like and compiled(_BETWEEN_ITEMS).fullmatch(gap) is not None


def _value_at(text: str, start: int, end: int) -> _Value | None:
    """Return the value that the run is part of, if it is random."""
    if text[start - 1 : start] in _ALSO_IN_HEADS:
        head = compiled(_HEAD).search(text, max(0, start - _LONGEST_HEAD), start)
        start = head.start() if head else start
    tail = compiled(_TAIL).match(text, end)
    end = tail.end() if tail else end
    # The run can start inside an escape. An address says where something is, a call what is done.
    if escape := compiled(_ESCAPE).match(text, max(0, start - 1)):
        start = min(escape.end(), end)
    if text[start - 1 : start] in ("@", "$") or text[end : end + 1] in ("@", "("):
        return None
    whole = text[start:end]
    if whole.startswith("/"):  # of a path, its longest part
        part = max(whole.split("/"), key=len)
        start, whole = start + whole.find(part), part
    elif name := compiled(_NAME_AND_SLASH).match(whole):
        start, whole = start + name.end(), whole[name.end() :]
    value = whole.rstrip(".-_~%").lstrip(".-_~+=")
    start += whole.find(value) if value else 0
    if len(value) < _LEAST or not _is_random(value):
        return None
    is_hexadecimal = not value.strip("0123456789abcdefABCDEF-")
    is_uuid = compiled(_UUID).fullmatch(value) is not None
    return _Value(value, start, start + len(value), is_uuid, is_hexadecimal)


@judged
def _is_random(value: str) -> bool:
    if not looks_random(value) and not _is_of_one_case(value):
        return False
    if compiled(_UUID).fullmatch(value):  # one in ten has no part that is mixed
        return not _is_made_up(value)
    pieces = compiled(_PIECES).findall(value)
    longest = max(pieces, key=len)
    joined = "".join(pieces)
    are_words = not is_gibberish(joined)
    # Words, numbers and words with a number, joined, are a name; what has a random part is none.
    if longest is not value and not any(map(_is_mixed, pieces)) and are_words:
        return False
    is_path = value.count("/") + value.count(".") >= 2 and len(longest) < _LEAST  # noqa: PLR2004 - a path or a host
    if is_path and (are_words or not looks_random(joined)):
        return False
    if _is_made_up(value) or any(compiled(named).fullmatch(value) for named in (_POD, _TIMES, _FILE)):
        return False
    is_name = is_identifier(value) or is_slug(value) or is_term(value)
    return not (is_name or compiled(_DIGEST).match(value) or is_placeholder(value))


def _is_of_one_case(value: str) -> bool:
    """Whether `value` is letters of one case and digits, and no words: few neighbours differ in kind, as in base32."""
    if not value.isalnum() or value.isalpha() or not (value.isupper() or value.islower()):
        return False
    n_digits = sum(map(str.isdigit, value))
    is_hexadecimal = not value.lower().strip(_HEXADECIMAL) and _LEAST_OF_EACH <= n_digits <= len(value) - _LEAST_OF_EACH
    return is_hexadecimal or is_gibberish(value)


def _is_made_up(value: str) -> bool:
    folded = value.lower()
    return any(map(folded.__contains__, _COUNTING)) or compiled(_MADE_UP).search(folded) is not None


def _is_mixed(piece: str) -> bool:
    is_one = len(piece) >= _LEAST_PIECE and not piece.isalpha() and not piece.isdigit()
    return is_one and looks_random(piece, least=_LEAST_PIECE)


def _is_called_a_secret(text: str, value: _Value, head: str) -> bool:
    first = max(0, value.start - _BEFORE)
    line = text.rfind("\n", first, value.start) + 1 or first
    before = behind_placeholders(text[line : value.start])
    if compiled(_BULLET).fullmatch(before) and compiled(_END_OF_ITEM).match(text, value.end) and line > first:
        return _is_below_its_name(text, line, value) or _is_named_behind(text, value)
    chunk = before.split()[-1] if before[-1:].strip() and before.split() else ""
    if compiled(_NO_NAME).search(before):
        return False
    if "://" in chunk or chunk.startswith("/"):
        said_of_it = before[: len(before) - len(chunk)]
        if name := compiled(_PARAMETER).search(chunk):
            is_said = not value.is_uuid and compiled(_SAID_OF_LINK).search(said_of_it) is not None
            is_key = value.is_uuid and compiled(_KEY_OF_AN_API).search(chunk) is not None
            is_named = is_key or _said(name[1], "=", value) is True or not _SIGNED.isdisjoint(nouns.words_of(name[1]))
            return is_named or is_said or compiled(_STEP_THAT_OPENS).search(chunk) is not None
        if value.is_uuid:
            return compiled(_STEP_WITH_ID).search(chunk) is not None
        return (
            _is_link_that_opens(said_of_it, chunk, value)
            or compiled(_SAID_BEHIND_LINK).match(text, value.end) is not None
        )
    joint = compiled(_JOINT).search(before)
    cut = joint.start() if joint else len(before)
    said = _said(before[:cut], before[cut:], value)
    if said is None and head:
        said = _said(head.strip(_EDGE_OF_CELL), ":", value)
    return _is_named_behind(text, value) if said is None else said


def _is_link_that_opens(said: str, chunk: str, value: _Value) -> bool:
    if any(compiled(link).search(chunk) for link in (_LINK_THAT_OPENS, _NODE)):
        return True
    if compiled(_OPENS_ITSELF).match(value.text):
        return True
    is_called = compiled(_SAID_OF_LINK).search(said) is not None
    return is_called or (
        compiled(_SHORT_LINK).search(chunk) is not None
        and (not value.is_hexadecimal or compiled(_HOST_THAT_SHARES).search(chunk) is not None)
    )


def _said(said: str, joint: str, value: _Value) -> bool | None:
    """Return whether the last word of `said` that says anything says that a secret is joined to it, if any does."""
    if not said:
        return None
    is_signed = compiled(_SIGN).search(joint) is not None
    # Another random value says nothing, whatever its letters spell.
    fields = compiled(_FIELDS).split(compiled(_RANDOM).sub(",", said))
    words = nouns.words_of(fields[-1])
    if len(fields) > 1 and _FILLERS.issuperset(words):  # "rotated, the new one is ..."
        words = nouns.words_of(fields[-2]) + words
    place = len(words) - 1
    between = tails = 0
    while place >= 0 and between <= _MOST_WORDS_BETWEEN:
        word = words[place]
        said_by_it = nouns.meaning(words, place, is_beside=between == 0, is_uuid=value.is_uuid)
        if said_by_it == nouns.HARMLESS:
            return False
        if said_by_it == nouns.SECRET:
            return between == 0 or not value.is_hexadecimal or is_signed or words[-1] in _VERBS
        if said_by_it == nouns.KEY:
            return _is_key(words, place, value, is_signed=is_signed, is_beside=between == 0)
        if (word in _PROVIDERS or (word.endswith("api") and len(word) > _LEAST_PIECE)) and not value.is_uuid:
            return (is_signed or between == 0) and len(value.text) >= _LEAST_OF_A_KEY
        if word in _LINKS or (nouns.is_tail(word) and tails < _MOST_TAILS):
            tails += 1
        else:
            between += 1
        place -= 1
    return None


def _is_key(words: list[str], place: int, value: _Value, *, is_signed: bool, is_beside: bool) -> bool:
    """Whether a key is one that opens something: by the word before it, or by the value where there is none."""
    if compiled(_FINGERPRINT).fullmatch(value.text):
        return False
    is_bare = place == 0 or words[place - 1] in _SMALL_WORDS
    is_pointed_at = is_signed or (place > 0 and words[place - 1] in _DETERMINERS and not value.is_hexadecimal)
    if is_bare and (value.is_uuid or not (is_pointed_at and is_beside)):
        return False
    return len(value.text) >= (_LEAST_OF_A_BARE_KEY if is_bare else _LEAST)


def _is_named_behind(text: str, value: _Value) -> bool:
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


def _is_below_its_name(text: str, line: int, value: _Value) -> bool:
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
            "https://api.example.org/v1/rows?key=«{mixed 32}»&limit=5",
            "Token of the CI:\n\n    «{mixed 24}»\n",
            "| service | token |\n|---|---|\n| acme | «{mixed 24}» |",
            "https://acme.example.org/guest/«<hex:32>»",
            "\u0442\u043e\u043a\u0435\u043d \u0434\u043b\u044f CI \u2014 «{mixed 24}»",
        ),
        near=(
            "the token was rotated in commit <hex:40>",
            "partition key: {mixed 32}",
            "token id {mixed 24}",
            "see {mixed 24} for the key metrics",
            "next_page_token={mixed 32}",
            "https://example.org/token/{mixed 32}",
            "| token of | commit |\n|---|---|\n| acme | {mixed 24} |",
            "the API answered request {mixed 24}",
        ),
    ),
)
