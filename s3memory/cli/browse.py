"""``s3memory browse``: a full-screen, read-only view of a memory."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import typer

from s3memory._extras import ensure_installed
from s3memory.audit import LOGGER
from s3memory.audit.emf import printed_on
from s3memory.cli.ending import FAILED, OK
from s3memory.cli.options import TenantOption
from s3memory.cli.stores import stored_memory
from s3memory.errors import ConfigurationError


def browse(tenant: TenantOption = None) -> None:
    """Explore a memory in a full-screen terminal view.

    Shows the tree, each file's text with redactions marked, its history and its changes, and searches all texts.
    Keys are listed at the bottom; the mouse works too. Nothing is changed, since the client refuses writes, and no
    text goes to disk or to a log. A directory is listed when you open it.

    Examples:
      s3memory browse --tenant acme

    Exit codes:
      0  you quit the browser
      1  nothing is stored for the tenant, or the browser failed
      2  a setting is wrong, the extra "browse" is missing, or this is not a
         terminal
      3  the store can't be reached or refuses access
    """
    ensure_installed("s3memory browse", {"textual": "s3memory[browse]"})
    if not (sys.stdin.isatty() and sys.stderr.isatty()):  # where Textual reads from and draws to
        raise ConfigurationError("browse needs a terminal: use s3memory ls, cat, history, diff and grep")
    # Textual reads them on import: they could make it keep a log, or save screenshots.
    for name in [name for name in os.environ if name.startswith("TEXTUAL")]:
        del os.environ[name]
    from s3memory.cli.browser.app import Browser  # it imports the extra's library

    with stored_memory(tenant, "browse") as store:
        browser = Browser(store)
    with _events_held_back():  # outside of the event above: each request of the browser is an event of its own
        browser.run()
    raise typer.Exit(FAILED if browser.return_code else OK)


@contextmanager
def _events_held_back() -> Iterator[None]:
    """Hold audit events back until the screen is free again."""
    handlers = [one for one in logging.getLogger(LOGGER).handlers if isinstance(one, logging.StreamHandler)]
    held = StringIO()
    streams = [handler.setStream(held) for handler in handlers]
    try:
        with printed_on(held):
            yield
    finally:
        for handler, stream in zip(handlers, streams, strict=True):
            handler.setStream(stream)
        sys.stderr.write(held.getvalue())
