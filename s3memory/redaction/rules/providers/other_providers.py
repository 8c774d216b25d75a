"""Keys of providers that are in no table: a short prefix, followed by a value that only a generator can have made."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule, RunRule
from s3memory.redaction.rules.reading.random_values import is_checksum_at
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_identifier, is_placeholder, looks_random
from s3memory.redaction.text.wording import is_gibberish

# A prefix of a key. The lookahead excludes prefixes of digests, files and ids, after which random values are no secret.
_PREFIX = (
    r"(?!(?i:sha[0-9]{1,3}|md5|ssh|data|chunk|bundle|build|hash|commit|main|index|vendors?|file|image|img|session|sess|"
    r"request|req|gen|prj|dpl|trace|span|message|msg|chatcmpl|run|thread|event|evt|order|upload|cursor|page|etag|version|key|id)[_-])"
    r"(?:(?P<kind>sk|rk|pat|tok)[-_][a-z][a-z0-9]{1,11}|[a-z][a-z0-9]{2,14}|[A-Z][A-Z0-9]{2,14})[_-](?:(?i:live|test|prod|dev|key|token|secret|api|pat|sk|v[0-9])[_-]){0,3}(?=[A-Za-z0-9])"
)
# Prefixes with a word for a key and an environment or a version: "k2sk_v1_", "acme_live_sk_".
_TELLING_PREFIX = (
    r"(?i)(?:[a-z0-9]{1,12}[_-])?[a-z0-9]{0,8}(?:key|token|secret|api|[sr]k|tok|pat)[0-9]?[_-](?:live|test|prod|dev|v[0-9])[_-]\Z"
    r"|(?:[a-z0-9]{1,12}[_-])?(?:live|test|prod|v[0-9])[_-](?:key|token|secret|api|[sr]k|tok|pat)[_-]\Z"
)
_DOTTED_BODY = r"[A-Za-z0-9_-]{8,64}(?:\.[A-Za-z0-9_-]{6,64}){0,3}"
# After one of these a body without capital letters counts as well: "acme_live_", "pk1_".
_PREFIX_OF_LOWER_CASE = r"(?i)\w{0,15}(?:live|prod|key|token|secret|api|pat|[sp]k[0-9]?)[_-]\Z"
# The run can start inside an escape: with the "n" of "\\n".
_ESCAPE = r"\\(?:[nrt]|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2}"
_BASE64_TAIL, _BASE64_SIGNS = r"[A-Za-z0-9+/]*+={1,2}(?![\w=])", frozenset("+/")
# Further words in upper case are part of the prefix: "NODE_SEA_FUSE_...".
_UPPER_CASE_WORDS = r"\A(?:[A-Z]{2,12}_)+"
_REST_OF_HOST = r"(?:\.[a-z0-9-]{1,40}){1,5}\.(?:com|net|org|io|dev|app|cloud)(?![\w-])"
_MIN_OF_EACH = 3
_MIN_BODY, _MIN_BODY_OF_A_KIND, _MIN_RUN = 28, 20, 24
_MAX_CHARACTERS_PER_DIGIT = 8


def _key(match: re.Match[str]) -> Location:
    """Locate a run that has the prefix of a key and a random body, without an escape before it."""
    text, (start, end) = match.string, match.span()
    if escape := compiled(_ESCAPE).match(text, max(0, start - 1)):
        start = escape.end()
    run = text[start:end].strip("_-")
    start = text.find(run, start)
    end = start + len(run)
    if (start and text[start - 1] in "/.@+") or text[end : end + 1] == "@" or compiled(_REST_OF_HOST).match(text, end):
        return None
    if not _BASE64_SIGNS.isdisjoint(run) or text[end : end + 1] in _BASE64_SIGNS:  # base64 with its padding, or a path
        tail = compiled(_BASE64_TAIL).match(text, end)
        if tail is None:
            return None
        end = tail.end()
    prefix = compiled(_PREFIX).match(run)
    if prefix is None or is_checksum_at(text, match.start()):
        return None
    body = compiled(_UPPER_CASE_WORDS).sub("", run[prefix.end() :])
    counts = _counts(body)
    is_mixed = min(counts) >= _MIN_OF_EACH or (
        min(counts[1:]) >= _MIN_OF_EACH and (prefix["kind"] or compiled(_PREFIX_OF_LOWER_CASE).match(prefix[0]))
    )
    # A name in camel case has few digits, and letters that follow one another as in words.
    is_not_a_name = is_gibberish(body) or not counts[0] or counts[2] * _MAX_CHARACTERS_PER_DIGIT >= len(body)
    prefix_tells_kind = prefix["kind"] or compiled(_TELLING_PREFIX).match(prefix[0])
    least = _MIN_BODY_OF_A_KIND if prefix_tells_kind else _MIN_BODY
    is_random = len(body) >= least and looks_random(body) and is_not_a_name
    return (start, end) if is_mixed and is_random and not is_placeholder(body) else None


def _counts(body: str) -> tuple[int, int, int]:
    """Return how many upper-case letters, lower-case letters and digits `body` has."""
    return sum(map(str.isupper, body)), sum(map(str.islower, body)), sum(map(str.isdigit, body))


def _dotted_key(match: re.Match[str]) -> Location:
    body = match["body"]
    is_key = len(body) >= _MIN_BODY_OF_A_KIND and min(_counts(body)) >= _MIN_OF_EACH and looks_random(body)
    return match.span() if is_key and not is_identifier(body) and not is_placeholder(body) else None


RULES = (
    Rule(
        kind="api-key",
        anchors=("_live.", "_test.", "_prod.", "_v1.", "_v2."),
        scan=True,
        pattern=rf"(?<![\w./-])[a-z][a-z0-9]{{1,11}}_(?:live|test|prod|v[12])\.(?P<body>{_DOTTED_BODY})(?![\w-])",
        locate=_dotted_key,
        source="https://github.com/semgrep/semgrep-rules/tree/develop/generic/secrets",
        samples=("«api_live.{mixed 10}.{mixed 10}_{mixed 10}»", "it has «ak_v1.{mixed 24}»."),
        near=("module_v1.BillingHandler.createInvoice2", "suite_test.py", "api_live.example.org"),
    ),
    RunRule(
        kind="api-key",
        least=_MIN_RUN,
        pattern=r"[A-Za-z0-9_-]{24,}+|(?<![\w/+-])[a-z]{2,8}[0-9]?_[A-Za-z0-9+/]{24,}+",
        locate=_key,
        source="https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/",
        samples=(
            "we use «acme_live_{mixed 40}» there",
            "and «pk1_<hex:64>»",
            "«k2sk_v1_{mixed 24}»",
            "acme: «ptr_{mixed 28}/<alnum:12>=»,",
        ),
        near=(
            "acme_live_<lower:12>",
            "chunk-<hex:40>",
            "gen-1730000000-{mixed 40}",
            "dpl_{mixed 28}",
            "acme_{mixed 28}/images/a.png",
            "acme.py,sha256=acme_{mixed 38},1234",
        ),
    ),
)
