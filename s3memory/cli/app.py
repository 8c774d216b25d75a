"""The commands by their names, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from s3memory.cli import exit_codes
from s3memory.cli.archive import archive, unarchive
from s3memory.cli.browse import browse
from s3memory.cli.call import call
from s3memory.cli.demo.command import demo
from s3memory.cli.doctor import doctor
from s3memory.cli.erase import erase, receipt
from s3memory.cli.expire import expire
from s3memory.cli.exporting import export
from s3memory.cli.history import diff, history
from s3memory.cli.importing import import_
from s3memory.cli.key_rings import keys
from s3memory.cli.keys import keygen
from s3memory.cli.look import cat, du, grep, ls, stat, tenants
from s3memory.cli.manifest import manifest
from s3memory.cli.mcp import mcp
from s3memory.cli.mirror import mirror
from s3memory.cli.redact import redact
from s3memory.cli.repair import repair
from s3memory.cli.reseal import reseal
from s3memory.cli.restore import redact_version, restore
from s3memory.cli.scan import scan
from s3memory.cli.settings import settings
from s3memory.cli.verify import verify

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help keeps the line breaks of examples, and is written in half the time.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - see the package's docstring

        typer.echo(f"s3memory {version('s3memory')}")
        raise typer.Exit


@app.callback(epilog=f"\b{exit_codes.HELP}")
def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Encrypted, multi-tenant S3 storage for Claude's memory tool.

    Bucket, key and tenant come from S3MEMORY_* environment variables: see `s3memory settings`.

    \b
    Examples:
      s3memory demo                                # see it work, offline, in a few seconds
      export S3MEMORY_LOCAL_KEY="$(s3memory keygen)"
      s3memory call '{"command": "view", "path": "/memories"}'
    """  # noqa: D301 - \b is how the help is told to keep line breaks


_WORKING: tuple[Callable[..., None], ...] = (demo, call, mcp, mirror, settings, keygen, repair, redact, scan)
_LOOKING: tuple[Callable[..., None], ...] = (
    browse,
    ls,
    cat,
    stat,
    du,
    grep,
    tenants,
    history,
    diff,
    restore,
    redact_version,
    verify,
)
_KEEPING: tuple[Callable[..., None], ...] = (
    reseal,
    expire,
    archive,
    unarchive,
    erase,
    receipt,
    export,
    manifest,
    doctor,
)
for _command in (*_WORKING, *_LOOKING, *_KEEPING):
    app.command()(_command)
app.command("import")(import_)
app.add_typer(keys, name="keys")
