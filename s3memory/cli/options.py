"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def optional(flag: str, text: str, metavar: str) -> Any:
    """Return an option that may be left out: its help shows no default.

    Args:
        flag: as it is typed.
        text: what the help says of it.
        metavar: what stands for its value there.
    """
    return typer.Option(flag, help=text, metavar=metavar, show_default=False)


TenantOption = Annotated[
    str | None,
    optional("--tenant", "Whose memory. Default: S3MEMORY_TENANT.", "NAME"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON in place of text.")]
PolicyOption = Annotated[
    list[str] | None,
    optional(
        "--policy",
        "What becomes of a kind: redact, tag, block, report or off. May be given more than once.",
        "KIND=MODE",
    ),
]
PersonalOption = Annotated[
    bool, typer.Option("--personal", help="Look for e-mail and IP addresses, phone numbers and national ids as well.")
]
PathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help="A memory path. Default: /memories.", show_default=False)
]
FileArgument = Annotated[str, typer.Argument(metavar="PATH", help="The memory path of a file.", show_default=False)]
AtOption = Annotated[
    str | None,
    optional("--at", "As it was then: 2026-01-31T12:00:00Z.", "TIME"),
]
VersionOption = Annotated[
    str | None,
    optional("--version", "Which version: see s3memory history.", "ID"),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done. No write is sent.")]
