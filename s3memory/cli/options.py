"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def optional(flag: str, text: str, metavar: str, **more: Any) -> Any:
    """Return an option that may be left out, whose help shows no default."""
    return typer.Option(flag, help=text, metavar=metavar, show_default=False, **more)


def flag(*names_and_text: str) -> Any:
    """Return an option without a value, from its names and, last, its help."""
    *names, text = names_and_text
    return typer.Option(*names, help=text)


def argument(metavar: str, text: str) -> Any:
    """Return an argument whose help shows no default."""
    return typer.Argument(metavar=metavar, help=text, show_default=False)


TenantOption = Annotated[str | None, optional("--tenant", "The tenant. Default: S3MEMORY_TENANT.", "NAME")]
JsonOption = Annotated[bool, flag("--json", "Print JSON instead of text.")]
PolicyOption = Annotated[
    list[str] | None,
    optional("--policy", "How to treat a kind: redact, tag, block, report or off. Repeatable.", "KIND=MODE"),
]
PersonalOption = Annotated[
    bool,
    flag(
        "--personal",
        "Also look for e-mail and IP addresses, phone numbers and national IDs. Needs s3memory[redaction-personal].",
    ),
]
PathArgument = Annotated[str, argument("PATH", "A memory path. Default: /memories.")]
FileArgument = Annotated[str, argument("PATH", "The memory path of a file.")]
AtOption = Annotated[str | None, optional("--at", "As of this time, such as 2026-01-31T12:00:00Z.", "TIME")]
VersionOption = Annotated[str | None, optional("--version", "A version's ID: see s3memory history.", "ID")]
VersionsOption = Annotated[bool, flag("--versions", "Include older versions.")]
DryRunOption = Annotated[bool, flag("--dry-run", "Only show what would be done. Sends no writes.")]
