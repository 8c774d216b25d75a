"""Asking before what can't be undone: a typed tenant name, or how many objects a script expects to lose."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from s3memory.cli.reading import printable
from s3memory.errors import ConfigurationError, RefusedError

if TYPE_CHECKING:
    from s3memory.store.memory_store import MemoryStore

YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask. Needs --expect-count.")]
ExpectCountOption = Annotated[
    int | None,
    typer.Option("--expect-count", help="Go on only if it concerns so many.", metavar="N", min=0, show_default=False),
]


def where(store: MemoryStore) -> str:
    """Return in which bucket, below which prefix and on which server a memory lies: a name may be of another one."""
    endpoint_url, bucket = store.objects.bucket_identity
    return printable(f"bucket {bucket}, prefix {store.objects.prefix or '(none)'}, {endpoint_url}")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody can be asked there. A process may have been started without the stream at all."""
    return stream is not None and stream.isatty()


def confirm(what: str, *, tenant: str, count: int, yes: bool, expect_count: int | None) -> None:
    """Go on only if a person or a script has said so, or nothing can be lost. The question goes to standard error.

    Args:
        what: what is about to happen, as a sentence: it is shown.
        tenant: whose memory: its name is what a person has to type.
        count: how many objects, versions or files it concerns.
        yes: the script says so.
        expect_count: how many the script expects; where it is given, a difference refuses.

    Raises:
        ConfigurationError: there is nobody to ask, or `yes` came without a count.
        RefusedError: the answer was no, there was none, or the count differs.
    """
    if expect_count is not None and expect_count != count:
        raise RefusedError(f"It concerns {count}, and --expect-count says {expect_count}. Nothing was changed.")
    if count == 0:
        return
    if yes:
        if expect_count is None:
            raise ConfigurationError(f"--yes needs --expect-count (it would be {count})")
        return
    if not is_terminal(sys.stdin):
        raise ConfigurationError(f"there is no terminal to ask at: give --yes --expect-count {count}")
    if _answer_to(f"{what}\nType the tenant's name ({tenant}) to go on: ") != tenant:
        raise RefusedError("That is not the tenant's name. Nothing was changed.")


def _answer_to(question: str) -> str:
    """Ask on standard error: typer's prompt leaves some of its own on standard output, which is for data.

    Raises:
        RefusedError: the input ended, or was interrupted.
    """
    sys.stderr.write(question)
    sys.stderr.flush()
    try:
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        line = ""
    if not line:
        sys.stderr.write("\n")
        raise RefusedError("There was no answer. Nothing was changed.")
    return line.strip()
