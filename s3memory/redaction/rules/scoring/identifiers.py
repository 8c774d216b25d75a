"""Identifiers of code, settings, resources and accounts, which look like passwords to the models.

By its form alone a name in camelCase could be a password. It is an identifier where it is used as code uses names, with
others around it, and no label or verb before it makes it a secret.
"""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.rules.scoring.labelled_values import has_label, label_before
from s3memory.redaction.text.compiling import compiled, occurs

_BEFORE, _NEAR, _MIN_OTHERS = 120, 300, 2
# Before a part of a longer identifier, whatever its label: an ARN, the id of a construct, a branch.
_BEFORE_PART = (
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
_LIST_OF_IDS = (
    r"(?i)\b(?:job|run|task|request|trace|order|message|build|batch|event|document|project|device)s?[ _-]ids?:"
    r"[^\n]{0,60}\Z"
)
# Identifiers as (before, name, after), even after the label of a secret.
_SURE_USES = (
    (r"", _DOTTED, r"\("),  # a method that is called
    (r"`\Z", r"(?=[\w.]*(?:_|[a-z][A-Z]))[A-Za-z_]+(?:\.[A-Za-z_]+){2,}", r"`"),
    (
        r"[ ](?:height|width|size|border|colspan|rowspan)=[\"']\Z",
        r"[0-9]{1,4}(?:px|%|em)?(?:[\"']\S*)?",
        r"",
    ),  # of HTML
    (r"[\"'`]\Z", rf"(?:{_SERVICES}):{_ACTION}", r"[\"'`]"),
    # An OpenPGP key, and records that prove who has a domain
    (
        r"(?i)\b(?:gpg|pgp|openpgp|signing[ -]?key|key[ -]?id)[ :=]{1,3}\Z",
        r"(?:0x)?(?:[0-9A-F]{8}){1,2}|[0-9A-F]{40}",
        r"",
    ),
    (r"(?i)-(?:site-|domain-)?verification=\Z|\bTXT[ ][\"']?\Z", r"[\w=-]+", r""),
    (rf"[\"'`](?:{_SERVICES}):\Z", _ACTION, r"[\"'`]"),
    (r"(?:\A|\n)[\w.-]{1,40}[ ]?=[ ]?[a-z_]+(?:\.[a-z_]+)+:\Z", r"[A-Za-z]+(?:_[A-Za-z]+)*", r"[ \t]*(?:\r?\n|\Z)"),
)
_USES_WITHOUT_LABEL = (
    (r"(?<![^\s\"'`(\[<])https?://[^\s\"'`?#@]*/\Z", r"[\w.-]+", r""),
    (r"\]\((?:#|\.{0,2}/|https?:)[^\s)?@]*\Z", r"[\w./#-]+", r"[^\s)]*\)"),  # where a link of Markdown leads
    (r"<\Z", r"[\w.+-]+@[\w.-]+", r">"),
    (r"`\Z", r"[\w.#/-]+", r"`_(?!\w)"),  # a link of reStructuredText
    (r">\Z", r"[A-Z]*[a-z]*[A-Z]{0,2}", r"(?:</[a-z][a-z0-9]{0,9}>){0,3}</a>"),
    (r"(?:\A|\n)[ \t]*\.\.[ ]\Z", r"[a-z-]+", r"::"),  # a directive of it
    (
        _LIST_OF_IDS,
        r"[\w.:-]+",
        r"",
    ),
    (
        r"(?i)\b(?:x-(?:served-by|request-id|amz-[\w-]{1,20}|cache|trace-id|correlation-id)|cf-ray)[ :]{1,2}\Z",
        r"[\w.:-]+",
        r"",
    ),
    (r"(?i)\bplaylists?[^\n]{0,24}\Z|[?&]list=\Z", r"(?:PL|UU|OL|FL|RD)[\w-]{10,40}", r""),  # of YouTube
    (r"[\"'`](?:[a-z]+:)+\Z", r"[a-z]+", r"(?::[a-z]+)*[\"'`]"),  # "system:serviceaccount:agents:agent"
)
_COLON_PATH, _MIN_COLONS = _USES_WITHOUT_LABEL[-1], 3
_SCOPED, _IN_A_SCOPE = r"(?<![\w:])[A-Z]\w*(?:::\w+)*::\Z", r"[A-Z][A-Za-z0-9]*"
_REFERENCES = r"(?i:refs?|see|closes|fixe[sd]|resolves)[: ]+[`*]{0,2}#[0-9]+\S*"
_IDENTIFIER = (
    r"(?i:cve|ghsa|rhsa|dsa|usn)-[0-9a-z]{4}[0-9a-z:-]*"  # what a change is about
    r"|(?:[0-9a-f]{2}:){15}[0-9a-f]{2}"  # a fingerprint
    r"|[A-Z]{3}-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"  # a device, such as a GPU
    r"|v?[0-9]{1,4}(?:\.[0-9]{1,4}){2,3}"  # a version
    r"|(?:RS|ES|HS|PS)(?:256|384|512)|AWS[A-Z][A-Za-z]{4,}"
    r"|[a-z]+(?:_[a-z]+)*_(?:ids?|url|uri|name|type|at|ms|count)|[a-z_]+=|[a-z]=[0-9]+(?:[KMG]i?B)?"
    r"|[A-Za-z][\w.-]*(?:[<>]=?|[~=!]=)[0-9]+(?:\.[0-9*]+)*"  # what a package requires
    r"|(?:AES|RSA|SHA|DES|3DES|HMAC|ECDSA|PKCS[0-9]+(?:v[0-9_.]+)?)[_-](?:[A-Z]{1,4}[0-9]{0,4}|[0-9]{2,4})(?:[_-][A-Z0-9]+)*"
)
_NAME = r"[a-z]+[0-9]?(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}|[A-Z][a-z]+[A-Z]+[0-9][A-Z][a-z]+"
# How code uses a name, as (before, after): called, in backticks, assigned or passed, or as the only argument.
_USES_IN_CODE = (
    (r"", r"\("),
    (r"`(?:[\w.]+\.)?\Z", r"`"),
    (r"\w[ ]?[:=][ ]\Z", r"[,;][ \t]*(?:\r?\n|\Z|//)"),
    (
        r"\b(?!\w*(?i:cred|pass|login|auth|secret|token|pin|connect))[a-z]+[A-Z]\w*\([\"'`]\Z",
        r"[\"'`]\)",
    ),
)
# Verbs and signs next to a password, but not next to an identifier: "opens with", "is the".
_USED_AFTER = r"[\"'`*]{0,2}[ ](?:gets|lets|opens|unlocks|works|is[ ](?:the|my|our|his|her|their))\b"
_USED_BEFORE = (
    r"(?i)(?:[/|,>]|(?<!\w)\(|\b(?:with|using|uses?|takes|wants|accepts|needs|typed?|types|enter|try|tried|back[ ]to"
    r"|word|said|says|it['\u2019]s|opens|unlocks)|\bis|it:)[ ]?[\"'`*]{0,2}\Z"
)
# Other identifiers nearby: in camelCase, with an underscore in backticks, called or scoped.
_OTHER_IDENTIFIERS = (
    r"(?<![\w.])[a-z]{2,}(?:[A-Z][a-z]+)+[A-Za-z]*|`[A-Za-z]+(?:[_.][A-Za-z]+)+`|[A-Za-z_]+(?:\.[A-Za-z_]+)+(?=\()"
    r"|[A-Z][a-z]+(?:[A-Z][a-z]+)+(?=[.(])|[A-Za-z]+::[A-Za-z]+"
)
_CAPITALS, _IN_CAPITALS, _MAX_CAPITALS = r"(?:[A-Z]{2,}[ ,.-]+){3}\Z", r"[A-Z]{2,}(?:,?[ ][A-Z]{2,})+", 60
# A word in running text has a word before and after it.
_TERM, _REACH, _MIN_USES, _MAX_USES = r"[a-z]+[0-9](?:[a-z]+)?|[A-Za-z]+", 4_000, 4, 16
_WORD_BEFORE, _WORD_AFTER, _MAX_WORD = r"(?<![^\W\d_])([^\W\d_]+)[ ]`{0,2}\Z", r"`{0,2}[ ][^\W\d_]", 24
_JOINED = r"[\w-]"


def is_identifier(text: str, start: int, end: int) -> bool:
    """Whether a span is an identifier of code, a service or a website."""
    if compiled(_BEFORE_PART).search(text, max(0, start - _BEFORE), start):
        return True
    if compiled(_REFERENCES).fullmatch(text, start, end) or _matches_use(_SURE_USES, text, start, end):
        return True
    is_one = (
        compiled(_IDENTIFIER).fullmatch(text, start, end) is not None
        or _matches_use(_USES_WITHOUT_LABEL, text, start, end)
        or _is_scoped(text, start, end)
        or _is_of_code(text, start, end)
        or _is_shouted(text, start, end)
    )
    return is_one and label_before(text, start) is None


def _matches_use(uses: Iterable[tuple[str, str, str]], text: str, start: int, end: int) -> bool:
    begin = max(0, start - _BEFORE)
    for use in uses:
        before, word, after = (compiled(one) for one in use)
        if word.fullmatch(text, start, end) and (there := after.match(text, end)):
            lead = before.search(text, begin, start)
            if lead and (use != _COLON_PATH or (lead[0] + there[0]).count(":") >= _MIN_COLONS):
                return True
    return False


def _is_scoped(text: str, start: int, end: int) -> bool:
    """Whether a span is a type in a scope: "AWS::KMS::Key", but not "PIN::Kettle"."""
    lead = compiled(_SCOPED).search(text, max(0, start - _BEFORE), start)
    return lead is not None and compiled(_IN_A_SCOPE).fullmatch(text, start, end) is not None and not has_label(lead[0])


def _is_of_code(text: str, start: int, end: int) -> bool:
    """Whether a span is used as code uses names, with other identifiers nearby."""
    if not any(compiled(one).fullmatch(text, start, end) for one in (_NAME, _DOTTED)):
        return False
    begin = max(0, start - _BEFORE)
    stands = any(
        compiled(after).match(text, end) and (not before or compiled(before).search(text, begin, start))
        for before, after in _USES_IN_CODE
    )
    is_used = occurs(_USED_BEFORE, text, begin, start) or compiled(_USED_AFTER).match(text, end)
    said = text[begin:start].rstrip(" \"'`").rsplit(None, 1)[-1:]
    return stands and not is_used and not any(map(has_label, said)) and _is_among_others(text, start, end)


def _is_among_others(text: str, start: int, end: int) -> bool:
    word = text[start:end]
    around = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    others = {other for part in around for other in compiled(_OTHER_IDENTIFIERS).findall(part)}
    return sum(word not in other for other in others) >= _MIN_OTHERS or text.startswith("()", end)


def _is_shouted(text: str, start: int, end: int) -> bool:
    """Whether a span is part of a longer text in capitals, such as the terms of a licence."""
    before = compiled(_CAPITALS).search(text, max(0, start - _MAX_CAPITALS), start)
    return before is not None and compiled(_IN_CAPITALS).fullmatch(text, start, end) is not None


def is_recurring_term(text: str, start: int, end: int) -> bool:
    """Whether a text is about a word: it recurs in sentences, after a different word each time, and never has a label.

    The search reaches further than the context by which scores are remembered, so the result must not be remembered.
    """
    if not compiled(_TERM).fullmatch(text, start, end):
        return False
    word, stop = text[start:end], end + _REACH
    before: set[str] = set()
    n_left = _MAX_USES
    at = text.find(word, max(0, start - _REACH), stop)
    while at >= 0 and n_left:
        n_left -= 1
        after = at + len(word)
        if not compiled(_JOINED).search(text[at - 1 : at] + text[after : after + 1]):
            if label_before(text, at):
                return False
            last = compiled(_WORD_BEFORE).search(text, max(0, at - _MAX_WORD), at)
            if last and compiled(_WORD_AFTER).match(text, after):
                before.add(last[1])
        at = text.find(word, after, stop)
    return len(before) >= _MIN_USES and label_before(text, start) is None
