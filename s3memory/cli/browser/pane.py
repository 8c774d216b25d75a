"""A pane of lines that wrap at its width, whatever that becomes."""

from __future__ import annotations

from collections.abc import Iterable

from s3memory._extras import extra

with extra("browse", "s3memory browse"):
    from rich.text import Text
    from textual.events import Resize
    from textual.widgets import RichLog


class Pane(RichLog):
    """Lines, wrapped again when the pane's width changes: `RichLog` itself wraps them once and for all.

    Args:
        name: the widget's id.
    """

    def __init__(self, name: str) -> None:
        super().__init__(id=name, wrap=True, min_width=1, auto_scroll=False)
        self._texts: list[Text] = []
        self._wrapped_at = 0

    def show(self, lines: Iterable[Text]) -> None:
        """Show these lines from their beginning, in place of others."""
        self._texts = list(lines)
        self._wrap()
        self.scroll_home(animate=False)

    def on_resize(self, event: Resize) -> None:
        """Wrap at the new width."""
        if event.size.width != self._wrapped_at:
            self._wrap()

    def _wrap(self) -> None:
        self._wrapped_at = self.size.width
        self.clear()
        for text in self._texts if self._wrapped_at else ():  # a pane that was never seen has no width yet
            self.write(text)
