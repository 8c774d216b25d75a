"""What its kind lets stay is left alone by the kinds that match it as well, but tell less of it.

`token=` and a provider's token is an assignment, too. Where the policy leaves the provider's kind in the text, the
assignment must not take it out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable
from operator import attrgetter

from s3memory.redaction.kinds import SPECIFIC, specificity
from s3memory.redaction.merging import merge
from s3memory.redaction.model import Span
from s3memory.redaction.rules import KINDS


def out_of_shadow(text: str, spans: Iterable[Span], staying: Collection[Span]) -> list[Span]:
    """Return `spans` without those that a span which stays is over.

    A span is, over what has the same letters and digits and a kind that tells no more; and over all parts of it, if it
    is a credential in one word. What has spaces in it may hold anything else as well: a private key without its end
    is all of the text below.
    """
    if not staying:
        return list(spans)
    most_specific: dict[tuple[int, int], int] = {}
    for span in staying:
        place = _core(text, span)
        most_specific[place] = max(most_specific.get(place, 0), specificity(span.kind))
    words = merge(span for span in staying if _is_credential_in_one_word(text, span))

    def is_shadowed(span: Span) -> bool:
        start, end = _core(text, span)
        nearest = bisect_right(words, start, key=attrgetter("start")) - 1
        is_part = nearest >= 0 and end <= words[nearest].end
        return is_part or most_specific.get((start, end), -1) >= specificity(span.kind)

    return [span for span in spans if not is_shadowed(span)]


def _is_credential_in_one_word(text: str, span: Span) -> bool:
    has_format = span.kind in KINDS and specificity(span.kind) == SPECIFIC
    return has_format and len(text[span.start : span.end].split(None, 1)) == 1


def _core(text: str, span: Span) -> tuple[int, int]:
    """Return where a span stands without the punctuation around it, which another rule may draw elsewhere."""
    start, end = span.start, span.end
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return start, end
