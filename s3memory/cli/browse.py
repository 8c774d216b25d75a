"""``s3memory browse``: a memory on the screen, read-only."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import typer

from s3memory.cli.exit_codes import FAILED, OK
from s3memory.cli.extras import LIBRARIES_OF_BROWSE, missing_line
from s3memory.cli.options import TenantOption
from s3memory.cli.reading import stored_memory
from s3memory.errors import ConfigurationError


def browse(tenant: TenantOption = None) -> None:
    """Look around in a memory, on the whole terminal.

    The tree, each file's text with what was redacted marked, its history, what changed, and a search of all texts.
    Keys are shown at the bottom; the mouse works as well. Nothing is changed: the client refuses writes. Nothing
    of a text goes to disk or to a log. Directories are listed when you open them.

    \b
    Examples:
      s3memory browse --tenant acme

    \b
    Exit codes:
      0  you left it
      1  nothing is stored for the tenant, or the browser failed
      2  a setting is wrong, the extra "browse" is missing, or this is no terminal
      3  the store is out of reach or refuses access
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    line = missing_line("s3memory browse", LIBRARIES_OF_BROWSE)
    if line:
        raise ConfigurationError(line)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):  # where Textual reads from and draws to
        raise ConfigurationError("browse needs a terminal: use s3memory ls, cat, history, diff and grep")
    # Read as Textual is imported: they would have it keep a log, or save screenshots.
    for name in [name for name in os.environ if name.startswith("TEXTUAL")]:
        del os.environ[name]
    from s3memory.cli.browser.app import Browser  # noqa: PLC0415 - it imports the extra's library
    from s3memory.cli.browser.reading import Reading  # noqa: PLC0415 - botocore comes with it

    with stored_memory(tenant, "browse") as store:
        reading = Reading(store)
    browser = Browser(reading)  # outside of that event: each of its requests is one of its own
    with _events_held_back():
        browser.run()
    raise typer.Exit(FAILED if browser.return_code else OK)


@contextmanager
def _events_held_back() -> Iterator[None]:
    """Write audit events only when the screen is free again."""
    from s3memory.audit import LOGGER  # noqa: PLC0415 - see the package's docstring

    handlers = [one for one in logging.getLogger(LOGGER).handlers if isinstance(one, logging.StreamHandler)]
    held = StringIO()
    streams = [handler.setStream(held) for handler in handlers]
    try:
        yield
    finally:
        for handler, stream in zip(handlers, streams, strict=True):
            handler.setStream(stream)
        sys.stderr.write(held.getvalue())
