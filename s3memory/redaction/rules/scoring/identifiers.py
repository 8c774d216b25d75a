"""Names of code, settings, resources and people's accounts, which are weighed as passwords are.

By its form alone, a name in camelCase could be a password. It is none where it stands as names of code do, with others
around it, and nothing before it calls it a secret or says that somebody uses it.
"""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.rules.scoring.labelled_values import has_label, label_before
from s3memory.redaction.text.compiling import compiled

_BEFORE, _NEAR, _LEAST_NEAR = 120, 300, 2
# What says that it is a piece of something longer, whatever that is called: a resource of AWS, a construct, a branch.
_PIECES = (
    r"(?<![^\s\"'`(\[<])arn:[^\s\"'`]*\Z"
    r"|\bnew[ ][\w.]+\((?:this|self|scope|stack),[ ]?[\"'`]\Z"
    r"|\bpull[ ]request[ ]\S{1,24}[ ]from[ ]\Z"
)
_SERVICES = (
    "aws|s3|kms|iam|sts|ec2|ecs|ecr|eks|sns|sqs|ssm|rds|lambda|logs|events|dynamodb|secretsmanager|cloudwatch|cloudtrail"
    "|cloudformation|cognito-(?:idp|identity)|bedrock|glue|athena|states|elasticloadbalancing|organizations"
)
_ACTION = r"(?:[A-Z][a-z]+)+[A-Za-z]*\*?(?:[:/][A-Za-z0-9:/*-]*)?"  # of a policy, or a key of its conditions
_PART = r"[A-Za-z_][A-Za-z0-9_]*"
_DOTTED = rf"(?=[\w.]*(?:[a-z][A-Z][a-z]|[a-z]_[a-z]|[A-Z]_[A-Z])){_PART}(?:\.{_PART})+"
# What stands before a name, it, and what stands behind it: the first ones whatever is before them.
_SURE_PLACES = (
    (r"", _DOTTED, r"\("),  # a method that is called
    (r"`\Z", r"(?=[\w.]*(?:_|[a-z][A-Z]))[A-Za-z_]+(?:\.[A-Za-z_]+){2,}", r"`"),
    (
        r"[ ](?:height|width|size|border|colspan|rowspan)=[\"']\Z",
        r"[0-9]{1,4}(?:px|%|em)?(?:[\"']\S*)?",
        r"",
    ),  # of HTML
    (r"[\"'`]\Z", rf"(?:{_SERVICES}):{_ACTION}", r"[\"'`]"),
    (rf"[\"'`](?:{_SERVICES}):\Z", _ACTION, r"[\"'`]"),
    (r"(?:\A|\n)[\w.-]{1,40}[ ]?=[ ]?[a-z_]+(?:\.[a-z_]+)+:\Z", r"[A-Za-z]+(?:_[A-Za-z]+)*", r"[ \t]*(?:\r?\n|\Z)"),
)
_PLACES = (
    (r"(?<![^\s\"'`(\[<])https?://[^\s\"'`?#@]*/\Z", r"[\w.-]+", r""),
    (r"\]\((?:#|\.{0,2}/|https?:)[^\s)?@]*\Z", r"[\w./#-]+", r"[^\s)]*\)"),  # where a link of Markdown leads
    (r"<\Z", r"[\w.+-]+@[\w.-]+", r">"),
    (r"`\Z", r"[\w.#/-]+", r"`_(?!\w)"),  # a link of reStructuredText
    (r">\Z", r"[A-Z]*[a-z]*[A-Z]{0,2}", r"(?:</[a-z][a-z0-9]{0,9}>){0,3}</a>"),
    (r"(?:\A|\n)[ \t]*\.\.[ ]\Z", r"[a-z-]+", r"::"),  # a directive of it
    (r"[\"'`](?:[a-z]+:)+\Z", r"[a-z]+", r"(?::[a-z]+)*[\"'`]"),  # "system:serviceaccount:agents:agent"
)
_IS_A_PATH, _LEAST_OF_A_PATH = _PLACES[-1], 3
_SCOPED, _IN_A_SCOPE = r"(?<![\w:])[A-Z]\w*(?:::\w+)*::\Z", r"[A-Z][A-Za-z0-9]*"
_REFERENCES = r"(?i:refs?|see|closes|fixe[sd]|resolves)[: ]+[`*]{0,2}#[0-9]+\S*"
_WHOLE = (
    r"(?i:cve|ghsa|rhsa|dsa|usn)-[0-9a-z]{4}[0-9a-z:-]*"  # what a change is about
    r"|(?:[0-9a-f]{2}:){15}[0-9a-f]{2}"  # a fingerprint
    r"|v?[0-9]{1,4}(?:\.[0-9]{1,4}){2,3}"  # a version
    r"|(?:RS|ES|HS|PS)(?:256|384|512)|AWS[A-Z][A-Za-z]{4,}"
    r"|[a-z]+(?:_[a-z]+)*_(?:ids?|url|uri|name|type|at|ms|count)|[a-z_]+=|[a-z]=[0-9]+(?:[KMG]i?B)?"
    r"|[A-Za-z][\w.-]*(?:[<>]=?|[~=!]=)[0-9]+(?:\.[0-9*]+)*"  # what a package requires
    r"|(?:AES|RSA|SHA|DES|3DES|HMAC|ECDSA|PKCS[0-9]+(?:v[0-9_.]+)?)[_-](?:[A-Z]{1,4}[0-9]{0,4}|[0-9]{2,4})(?:[_-][A-Z0-9]+)*"
)
_NAME = r"[a-z]+[0-9]?(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}|[A-Z][a-z]+[A-Z]+[0-9][A-Z][a-z]+"
# As names of code stand: called, in backticks, set or passed in code, or as all that a call is told.
_STANDS_IN_CODE = (
    (r"", r"\("),
    (r"`(?:[\w.]+\.)?\Z", r"`"),
    (r"\w[ ]?[:=][ ]\Z", r"[,;][ \t]*(?:\r?\n|\Z|//)"),
    (
        r"\b(?!\w*(?i:cred|pass|login|auth|secret|token|pin|connect))[a-z]+[A-Z]\w*\([\"'`]\Z",
        r"[\"'`]\)",
    ),
)
# Who gets in with it, or is it: no name of code stands there.
_USES = r"[\"'`*]{0,2}[ ](?:gets|lets|opens|unlocks|works|is[ ](?:the|my|our|his|her|their))\b"
_USED = (
    r"(?i)(?:[/|,>]|(?<!\w)\(|\b(?:with|using|uses?|takes|wants|accepts|needs|typed?|types|enter|try|tried|back[ ]to"
    r"|word|said|says|it['\u2019]s|opens|unlocks)|\bis|it:)[ ]?[\"'`*]{0,2}\Z"
)
# What no sentence has: a name in camelCase, one with an underscore in backticks, one that is called or scoped.
_OTHERS = (
    r"(?<![\w.])[a-z]{2,}(?:[A-Z][a-z]+)+[A-Za-z]*|`[A-Za-z]+(?:[_.][A-Za-z]+)+`|[A-Za-z_]+(?:\.[A-Za-z_]+)+(?=\()"
    r"|[A-Z][a-z]+(?:[A-Z][a-z]+)+(?=[.(])|[A-Za-z]+::[A-Za-z]+"
)
_CAPITALS, _IN_CAPITALS, _LONGEST_SHOUT = r"(?:[A-Z]{2,}[ ,.-]+){3}\Z", r"[A-Z]{2,}(?:,?[ ][A-Z]{2,})+", 60
# In running text, a plain word: behind another one, and with one behind it.
_TERM, _AROUND, _LEAST_USES, _MOST_USES = r"[a-z]+[0-9](?:[a-z]+)?|[A-Za-z]+", 4_000, 4, 16
_WORD_BEFORE, _WORD_BEHIND, _LONGEST_WORD = r"(?<![^\W\d_])([^\W\d_]+)[ ]`{0,2}\Z", r"`{0,2}[ ][^\W\d_]", 24
_JOINED = r"[\w-]"


def is_identifier(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` is a name that code, a service or a website knows something by."""
    if compiled(_PIECES).search(text, max(0, start - _BEFORE), start):
        return True
    if compiled(_REFERENCES).fullmatch(text, start, end) or _is_in_one_of(_SURE_PLACES, text, start, end):
        return True
    is_one = (
        compiled(_WHOLE).fullmatch(text, start, end) is not None
        or _is_in_one_of(_PLACES, text, start, end)
        or _is_scoped(text, start, end)
        or _is_of_code(text, start, end)
        or _is_shouted(text, start, end)
    )
    return is_one and label_before(text, start) is None


def _is_in_one_of(places: Iterable[tuple[str, str, str]], text: str, start: int, end: int) -> bool:
    begin = max(0, start - _BEFORE)
    for place in places:
        before, word, behind = (compiled(one) for one in place)
        if word.fullmatch(text, start, end) and (there := behind.match(text, end)):
            led = before.search(text, begin, start)
            if led and (place != _IS_A_PATH or (led[0] + there[0]).count(":") >= _LEAST_OF_A_PATH):
                return True
    return False


def _is_scoped(text: str, start: int, end: int) -> bool:
    """Whether it is a type in a scope: "AWS::KMS::Key", but not "PIN::Kettle"."""
    led = compiled(_SCOPED).search(text, max(0, start - _BEFORE), start)
    return led is not None and compiled(_IN_A_SCOPE).fullmatch(text, start, end) is not None and not has_label(led[0])


def _is_of_code(text: str, start: int, end: int) -> bool:
    """Whether it stands as a name of code does, with others around it."""
    if not any(compiled(one).fullmatch(text, start, end) for one in (_NAME, _DOTTED)):
        return False
    begin = max(0, start - _BEFORE)
    stands = any(
        compiled(behind).match(text, end) and (not before or compiled(before).search(text, begin, start))
        for before, behind in _STANDS_IN_CODE
    )
    is_used = compiled(_USED).search(text, begin, start) or compiled(_USES).match(text, end)
    said = text[begin:start].rstrip(" \"'`").rsplit(None, 1)[-1:]
    return stands and not is_used and not any(map(has_label, said)) and _is_among_others(text, start, end)


def _is_among_others(text: str, start: int, end: int) -> bool:
    word = text[start:end]
    around = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    others = {other for part in around for other in compiled(_OTHERS).findall(part)}
    return sum(word not in other for other in others) >= _LEAST_NEAR or text.startswith("()", end)


def _is_shouted(text: str, start: int, end: int) -> bool:
    """Whether words in capitals go on with others, as in the terms of a licence."""
    before = compiled(_CAPITALS).search(text, max(0, start - _LONGEST_SHOUT), start)
    return before is not None and compiled(_IN_CAPITALS).fullmatch(text, start, end) is not None


def is_recurring_term(text: str, start: int, end: int) -> bool:
    """Whether a word comes again and again in sentences, each time behind another word: these are about it.

    That is looked for further away than what is remembered of a word's surroundings.
    """
    if not compiled(_TERM).fullmatch(text, start, end):
        return False
    word, stop = text[start:end], end + _AROUND
    before: set[str] = set()
    n_left = _MOST_USES
    at = text.find(word, max(0, start - _AROUND), stop)
    while at >= 0 and n_left:
        n_left -= 1
        behind = at + len(word)
        if not compiled(_JOINED).search(text[at - 1 : at] + text[behind : behind + 1]):
            if label_before(text, at):
                return False
            last = compiled(_WORD_BEFORE).search(text, max(0, at - _LONGEST_WORD), at)
            if last and compiled(_WORD_BEHIND).match(text, behind):
                before.add(last[1])
        at = text.find(word, behind, stop)
    return len(before) >= _LEAST_USES and label_before(text, start) is None
