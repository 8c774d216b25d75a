"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

TenantOption = Annotated[
    str | None,
    typer.Option("--tenant", help="Whose memory. Default: S3MEMORY_TENANT.", metavar="NAME", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON in place of text.")]
PolicyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        help="What becomes of a kind: redact, tag, block, report or off. May be given more than once.",
        metavar="KIND=MODE",
        show_default=False,
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
    typer.Option(
        "--at",
        help="As it was then: 2026-01-31T12:00:00Z.",
        metavar="TIME",
        show_default=False,
    ),
]
VersionOption = Annotated[
    str | None,
    typer.Option("--version", help="Which version: see s3memory history.", metavar="ID", show_default=False),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done. No write is sent.")]
