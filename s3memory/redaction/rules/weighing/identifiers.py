"""Names of code, settings, resources and people's accounts, which are weighed as passwords are.

By its form alone, a name in camelCase could be a password. It is none where others stand around it.
"""

from __future__ import annotations

from s3memory.redaction.rules.weighing.behind_names import name_before
from s3memory.redaction.text.compiling import compiled

_BEFORE, _NEAR, _LEAST_NEAR = 120, 300, 2
_SERVICES = (
    "aws|s3|kms|iam|sts|ec2|ecs|ecr|eks|sns|sqs|ssm|rds|lambda|logs|events|dynamodb|secretsmanager|cloudwatch|cloudtrail"
    "|cloudformation|cognito-(?:idp|identity)|bedrock|glue|athena|states|elasticloadbalancing|organizations"
)
# What right before it says that it is a piece of a longer name: of a resource of AWS, of a link, of a module.
_PIECES = (
    r"::\Z"
    r"|(?<![^\s\"'`(\[<])(?:arn:[^\s\"'`]*|[a-z][a-z0-9+]{1,9}://[^\s\"'`?#@]*/|[a-z_]+(?:\.[a-z_]+)+:)\Z"
    rf"|(?<![\w.-])(?:{_SERVICES}):\Z"
    r"|\]\([^\s)?@]*\Z"
    r"|\bnew[ ][\w.]+\((?:this|self|scope|stack),[ ]?[\"'`]\Z"
    r"|\bpull[ ]request[ ]\S{1,24}[ ]from[ ]\Z"
    r"|[ ](?:height|width|size|border|align|class|rel|lang|target|colspan|rowspan)=[\"']\Z"  # of HTML
)
# In a scope, or as a link of reStructuredText or HTML.
_GOES_ON = r"::|`_(?!\w)|(?:</[a-z][a-z0-9]{0,9}>){0,3}</(?:a|h[1-6]|th|title)>"
_REFERENCES = r"(?i:refs?|see|closes|fixe[sd]|resolves)[: ]+[`*]{0,2}#[0-9]+\S*"
_ACTION = rf"(?:{_SERVICES}):(?:[A-Z][A-Za-z0-9]*|\*)\S*"  # of a policy, or a key of its conditions
_WHOLE = (
    r"(?i:cve|ghsa|rhsa|dsa|usn)-[0-9a-z]{4}[0-9a-z:-]*|#[0-9]{3,6}`?"  # what a change is about
    r"|(?:[0-9a-f]{2}:){15}[0-9a-f]{2}"  # a fingerprint
    r"|v?[0-9]{1,4}(?:\.[0-9]{1,4}){2,3}"  # a version
    r"|[A-Za-z][\w.-]*(?:[<>]=?|[~=!]=)[0-9]+(?:\.[0-9*]+)*"  # what a package requires
    r"|(?:AES|RSA|SHA|DES|3DES|HMAC|ECDSA|PKCS[0-9]+(?:v[0-9_.]+)?)[_-](?:[A-Z]{1,4}[0-9]{0,4}|[0-9]{2,4})(?:[_-][A-Z0-9]+)*"
)
_PATH_BEFORE, _PATH_BEHIND, _LEAST_OF_A_PATH = r"[\"'`](?:[a-z]+:)+\Z", r"(?::[a-z]+)*[\"'`]", 3
_CAMEL, _PASCAL = r"[a-z]+[0-9]?(?:[A-Z][a-z]+)+", r"(?:[A-Z][a-z]+){2,}"
_PART = r"[A-Za-z_][A-Za-z0-9_]*"
_NAME = rf"{_CAMEL}|{_PASCAL}"
_PATH = rf"(?=[\w.]*(?:[a-z][A-Z][a-z]|[a-z]_[a-z]|[A-Z]_[A-Z])){_PART}(?:\.{_PART})+"
# What no sentence has: a name in camelCase, one with an underscore in backticks, one that is called or scoped.
_OTHERS = (
    r"(?<![\w.])[a-z]{2,}(?:[A-Z][a-z]+)+[A-Za-z]*|`[A-Za-z]+(?:[_.][A-Za-z]+)+`|[A-Za-z_]+(?:\.[A-Za-z_]+)+(?=\()"
    r"|[A-Z][a-z]+(?:[A-Z][a-z]+)+(?=[.(])|[A-Za-z]+::[A-Za-z]+"
)
_CAPITALS, _IN_CAPITALS, _LONGEST_SHOUT = r"(?:[A-Z]{2,}[ ,.-]+){3}\Z", r"[A-Z]{2,}(?:,?[ ][A-Z]{2,})+", 60
_AROUND, _LEAST_USES, _WORD_BEFORE = 4_000, 4, r"([^\W\d_]+)[^\w\n]{0,4}\Z"
_LONGEST_WORD = 24


def is_identifier(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` is a name that code, a service or a website knows something by."""
    if compiled(_PIECES).search(text, max(0, start - _BEFORE), start) or compiled(_GOES_ON).match(text, end):
        return True
    if any(compiled(one).fullmatch(text, start, end) for one in (_ACTION, _REFERENCES)) or _is_of_a_path(
        text, start, end
    ):
        return True
    may_be_one = compiled(_NAME).fullmatch(text, start, end) is not None
    if may_be_one or compiled(_PATH).fullmatch(text, start, end):
        name = name_before(text, start) if may_be_one else None
        return _is_among_others(text, start, end) and (name is None or name.kind == "pin")  # "its code is `SlowDown`"
    may_be_one = compiled(_WHOLE).fullmatch(text, start, end) is not None
    may_be_one = may_be_one or _is_a_term(text, start, end) or _is_shouted(text, start, end)
    return may_be_one and name_before(text, start) is None


def _is_of_a_path(text: str, start: int, end: int) -> bool:
    """Whether it is a part of words that are joined by colons, in quotes: "system:serviceaccount:agents:agent"."""
    before = compiled(_PATH_BEFORE).search(text, max(0, start - _BEFORE), start)
    behind = compiled(_PATH_BEHIND).match(text, end)
    return before is not None and behind is not None and (before[0] + behind[0]).count(":") >= _LEAST_OF_A_PATH


def _is_among_others(text: str, start: int, end: int) -> bool:
    word = text[start:end]
    around = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    others = {other for part in around for other in compiled(_OTHERS).findall(part)}
    return sum(word not in other for other in others) >= _LEAST_NEAR or text.startswith("()", end)


def _is_shouted(text: str, start: int, end: int) -> bool:
    """Whether words in capitals go on with others, as in the terms of a licence."""
    before = compiled(_CAPITALS).search(text, max(0, start - _LONGEST_SHOUT), start)
    return before is not None and compiled(_IN_CAPITALS).fullmatch(text, start, end) is not None


def _is_a_term(text: str, start: int, end: int) -> bool:
    """Whether a word comes again and again, each time behind another word: so it is what the text is about."""
    word, before = text[start:end], set[str]()
    at = text.find(word, max(0, start - _AROUND), end + _AROUND)
    while at >= 0 and len(before) < _LEAST_USES:
        behind = at + len(word)
        is_word = not (text[at - 1 : at].isalnum() or text[behind : behind + 1].isalnum())
        if is_word and (last := compiled(_WORD_BEFORE).search(text, max(0, at - _LONGEST_WORD), at)):
            before.add(last[1])
        at = text.find(word, behind, end + _AROUND)
    return len(before) >= _LEAST_USES
