"""Keys of providers that no table knows: a short prefix, and behind it what only a generator writes."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, RunRule
from s3memory.redaction.rules.reading.random_values import is_sum_at
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder, looks_random
from s3memory.redaction.text.wording import is_gibberish

# Prefixes of digests, files and ids, behind which something random stands as well.
_PREFIX = (
    r"(?!(?i:sha[0-9]{1,3}|md5|ssh|data|chunk|bundle|build|hash|commit|main|index|vendors?|file|image|img|session|sess|"
    r"request|req|gen|prj|dpl|trace|span|message|msg|chatcmpl|run|thread|event|evt|order|upload|cursor|page|etag|version|key|id)[_-])"
    r"(?:(?P<kind>sk|rk|pat|tok)[-_][a-z][a-z0-9]{1,11}|[a-z][a-z0-9]{2,14}|[A-Z][A-Z0-9]{2,14})[_-](?:(?i:live|test|prod|dev|key|token|secret|api|pat|sk|v[0-9])[_-]){0,3}(?=[A-Za-z0-9])"
)
_LOWER = r"(?i)\w{0,15}(?:live|prod|key|token|secret|api|pat|[sp]k[0-9]?)[_-]\Z"
# The run can start inside an escape: with the "n" of "\\n".
_ESCAPE = r"\\(?:[nrt]|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2}"
_TAIL, _SIGNS = r"[A-Za-z0-9+/]*+={1,2}(?![\w=])", frozenset("+/")
# More words of the name of a constant: "NODE_SEA_FUSE_...".
_SHOUTED = r"\A(?:[A-Z]{2,12}_)+"
_LEAST_OF_EACH = 3
_LEAST_BODY, _LEAST_BODY_OF_A_KIND, _LEAST_RUN = 28, 20, 24
_ONE_IN = 8


def _key(match: re.Match[str]) -> Location:
    text, (start, end) = match.string, match.span()
    if is_sum_at(text, start):
        return None
    if escape := compiled(_ESCAPE).match(text, max(0, start - 1)):
        start = escape.end()
    run = text[start:end].strip("_-")
    start = text.find(run, start)
    end = start + len(run)
    if (start and text[start - 1] in "/.@+") or text[end : end + 1] == "@":
        return None
    if not _SIGNS.isdisjoint(run) or text[end : end + 1] in _SIGNS:  # of base64 with its padding, or a path
        tail = compiled(_TAIL).match(text, end)
        if tail is None:
            return None
        end = tail.end()
    prefix = compiled(_PREFIX).match(run)
    if prefix is None:
        return None
    body = compiled(_SHOUTED).sub("", run[prefix.end() :])
    counts = (sum(map(str.isupper, body)), sum(map(str.islower, body)), sum(map(str.isdigit, body)))
    is_mixed = min(counts) >= _LEAST_OF_EACH or (
        min(counts[1:]) >= _LEAST_OF_EACH and (prefix["kind"] or compiled(_LOWER).match(prefix[0]))
    )
    # Names with humps have a number here and there, and their letters follow one another as in words.
    is_no_name = is_gibberish(body) or not counts[0] or counts[2] * _ONE_IN >= len(body)
    least = _LEAST_BODY_OF_A_KIND if prefix["kind"] else _LEAST_BODY
    is_random = len(body) >= least and looks_random(body) and is_no_name
    return (start, end) if is_mixed and is_random and not is_placeholder(body) else None


RULES = (
    RunRule(
        kind="api-key",
        least=_LEAST_RUN,
        pattern=r"[A-Za-z0-9_-]{24,}+|(?<![\w/+-])[a-z]{2,8}[0-9]?_[A-Za-z0-9+/]{24,}+",
        locate=_key,
        source="https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/",
        samples=("we use «acme_live_{mixed 40}» there", "and «pk1_<hex:64>»", "acme: «ptr_{mixed 28}/<alnum:12>=»,"),
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
