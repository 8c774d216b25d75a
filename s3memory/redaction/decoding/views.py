"""Searches the views of a text: its escapes, disguised characters, encoded blocks and layout, decoded up to twice.

There is a view of the text for each kind of encoding, and a view of each of those for what is encoded twice. In a view
of a view, only what touches the earlier decoding is decoded further: the rest is in the views of the text itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from s3memory.redaction.decoding.characters import readings
from s3memory.redaction.decoding.encoded_blocks import blocks
from s3memory.redaction.decoding.layout import layout, wraps
from s3memory.redaction.decoding.view import Replacement, View
from s3memory.redaction.interface import Span
from s3memory.redaction.refusals import UncheckedTextError

_MAX_DEPTH = 2
# The views may be this many times as long as the text, all together, or this long. No ordinary text exceeds that.
_MAX_TIMES = 4
_MIN_LIMIT_CHARACTERS = 4096

Find = Callable[[str], Iterable[Span]]


def find_in_views(text: str, find: Find) -> Iterator[Span]:
    """Yield what `find` finds in the views of `text`, as spans in `text`.

    Raises:
        UncheckedTextError: The views are too long.
    """
    return _Views(text, find).below(text, _MAX_DEPTH)


def decoded_texts(text: str) -> list[str]:
    """Return the texts of all views of `text`. It raises as `find_in_views` does."""
    seen: list[str] = []

    def note(view: str) -> Iterable[Span]:
        seen.append(view)
        return ()

    list(find_in_views(text, note))
    return seen


class _Views:
    """The views of one text, and how many characters more they may have."""

    def __init__(self, text: str, find: Find) -> None:
        self._find = find
        self._characters_left = max(_MAX_TIMES * len(text), _MIN_LIMIT_CHARACTERS)

    def below(self, text: str, depth: int, of: View | None = None) -> Iterator[Span]:
        """Yield what is found in the views of `text`, which is the text of the view `of` if that is given."""
        decoded = [(readings(text), depth), (blocks(text, is_view=of is not None), depth)]
        if of is None:
            decoded += [(wraps(text), depth), (layout(text), 0)]
        for found, levels in decoded:
            if replacements := [one for one in found if of is None or of.is_changed(one[0], one[1])]:
                spans = self._spans(text, replacements, levels, is_whole=False)
                # What reaches the end of a window may go on after it, such as a private key whose end is missing.
                yield from self._spans(text, replacements, levels, is_whole=True) or () if spans is None else spans

    def _spans(self, text: str, replacements: list[Replacement], depth: int, *, is_whole: bool) -> list[Span] | None:
        view = View(text, replacements, is_whole=is_whole)
        # The view without layout isn't decoded further, and is hardly longer than the text: it doesn't count.
        self._characters_left -= len(view.text) if depth else 0
        if self._characters_left < 0:
            raise UncheckedTextError("encoded")
        # Much of what is found in a long encoded stretch is the same span in the text: all of the stretch.
        spans: dict[Span, None] = {}
        deeper = self.below(view.text, depth - 1, view) if depth > 1 else ()
        for found in (self._find(view.text), deeper):
            for span in found:
                origin = view.origin(span.start, span.end)
                if origin is not None:
                    spans[Span(span.kind, *origin)] = None
                elif not is_whole:
                    return None
        return [*spans]
