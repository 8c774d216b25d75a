"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

TenantOption = Annotated[
    str | None,
    typer.Option("--tenant", help="Whose memory. Default: S3MEMORY_TENANT.", metavar="NAME", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON in place of text.")]
