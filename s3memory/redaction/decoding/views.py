"""The views of a text: what it says with escapes and disguises read, and what its blocks decode to, twice over.

Each kind of view is taken of the text, and each kind again of those views. In a view of a view, only what has to do
with what was decoded before is decoded further: the rest was, in the text itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from s3memory.redaction.decoding.blocks import blocks
from s3memory.redaction.decoding.characters import readings
from s3memory.redaction.decoding.layout import layout, wraps
from s3memory.redaction.decoding.view import Replacement, View
from s3memory.redaction.model import Span
from s3memory.redaction.refusals import UncheckedTextError

_DEPTH = 2
# All views together are at most so many times as long as the text, or this long: no text is that comes by itself.
_MOST_TIMES = 4
_LEAST_CHARACTERS = 4096

Find = Callable[[str], Iterable[Span]]


def find_in_views(text: str, find: Find) -> Iterator[Span]:
    """Yield what `find` finds in the views of `text`, where it stands in `text`.

    Raises:
        UncheckedTextError: The views are too long.
    """
    return _Views(text, find).below(text, _DEPTH)


def decoded_texts(text: str) -> list[str]:
    """Return the views of `text`, what it says once decoded; it raises as `find_in_views` does."""
    seen: list[str] = []

    def note(view: str) -> Iterable[Span]:
        seen.append(view)
        return ()

    list(find_in_views(text, note))
    return seen


class _Views:
    """The views of one text, as far as there is room for them."""

    def __init__(self, text: str, find: Find) -> None:
        self._find = find
        self._room_characters = max(_MOST_TIMES * len(text), _LEAST_CHARACTERS)

    def below(self, text: str, depth: int, of: View | None = None) -> Iterator[Span]:
        """Yield what is found in the views of `text`, itself the text of the view `of` if that is given."""
        decoded = [(readings(text), depth), (blocks(text, is_view=of is not None), depth)]
        if of is None:
            decoded += [(wraps(text), depth), (layout(text), 0)]
        for those, levels in decoded:
            if replacements := [one for one in those if of is None or of.is_changed(one[0], one[1])]:
                spans = self._spans(text, replacements, levels, is_whole=False)
                # What reaches the end of a window may go on behind it: a key without an end does.
                yield from self._spans(text, replacements, levels, is_whole=True) or () if spans is None else spans

    def _spans(self, text: str, replacements: list[Replacement], depth: int, *, is_whole: bool) -> list[Span] | None:
        view = View(text, replacements, is_whole=is_whole)
        # Without its layout, a text is hardly longer: that takes no room, and nothing is decoded further.
        self._room_characters -= len(view.text) if depth else 0
        if self._room_characters < 0:
            raise UncheckedTextError("encoded")
        spans = []
        deeper = self.below(view.text, depth - 1, view) if depth > 1 else ()
        for found in (self._find(view.text), deeper):
            for span in found:
                origin = view.origin(span.start, span.end)
                if origin is not None:
                    spans.append(Span(span.kind, *origin))
                elif not is_whole:
                    return None
        return spans
