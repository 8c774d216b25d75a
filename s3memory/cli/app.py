"""The table of commands, and what they have in common."""

from __future__ import annotations

from typing import Annotated

import typer

from s3memory.cli.ending import HELP
from s3memory.cli.groups import Row, Table

_START, _AGENTS, _LOOK, _PAST = "Getting started", "Serving agents", "Reading a memory", "Undoing and cleaning up"
_SECRETS, _KEYS, _MOVE = "Finding secrets and personal data", "Keys", "Tenants, moving and erasing"


class Commands(Table):
    """The commands of ``s3memory``, as its help lists them."""

    rows = (
        Row("demo", "demo.command", "Watch an agent with an encrypted memory, offline.", _START),
        Row("settings", "settings", "List the S3MEMORY_* environment variables.", _START),
        Row("keygen", "keygen", "Make a local key for S3MEMORY_LOCAL_KEY.", _START),
        Row("doctor", "doctor", "Report what is weaker here than it should be.", _START),
        Row("call", "call", "Run memory tool inputs: JSON in, JSON out.", _AGENTS),
        Row("mcp", "mcp", "Serve the memory to MCP clients, such as Claude Code.", _AGENTS),
        Row("mirror", "mirror", "Keep a memory in a folder while a command runs.", _AGENTS),
        Row("browse", "browse", "Explore a memory in a full-screen terminal view.", _LOOK),
        Row("ls", "look", "List files.", _LOOK),
        Row("cat", "look", "Print a file's text.", _LOOK),
        Row("stat", "look", "Show the details of a file or directory.", _LOOK),
        Row("du", "look", "Count files and bytes by directory.", _LOOK),
        Row("grep", "look", "Search the decrypted texts, line by line.", _LOOK),
        Row("history", "history", "List the versions of a file, newest first.", _LOOK),
        Row("diff", "history", "Compare two versions of a file.", _LOOK),
        Row("verify", "verify", "Check that everything opens and is where it belongs.", _LOOK),
        Row("restore", "restore", "Put older versions back, each as a new one.", _PAST),
        Row("repair", "repair", "Finish what a crash interrupted.", _PAST),
        Row("expire", "expire", "Delete files that nobody has used for a while.", _PAST),
        Row("redact", "redact", "Redact a text: standard input to standard output.", _SECRETS),
        Row("scan", "scan", "Find stored text that would be redacted today.", _SECRETS),
        Row("redact-version", "restore", "Destroy the text of one older version.", _SECRETS),
        Row("keys", "keys", "Show and change a tenant's data keys.", _KEYS),
        Row("reseal", "reseal", "Re-encrypt all files under the newest data key.", _KEYS),
        Row("tenants", "look", "List the tenants in the bucket.", _MOVE),
        Row("archive", "archive", "Make a tenant read-only.", _MOVE),
        Row("unarchive", "archive", "Make an archived tenant writable again.", _MOVE),
        Row("export", "export", "Write a tenant's files to one file.", _MOVE),
        Row("import", "import_", "Import files into a tenant's memory.", _MOVE),
        Row("manifest", "manifest", "List the objects of a bulk job, as its engine reads them.", _MOVE),
        Row("erase", "erase", "Destroy everything of a tenant, for good.", _MOVE),
        Row("receipt", "erase", "Check the receipt of an erasure, and show it.", _MOVE),
    )


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help keeps the line breaks of examples, and is written in half the time.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - not loaded for anything else

        typer.echo(f"s3memory {version('s3memory')}")
        raise typer.Exit


@app.callback(epilog=HELP.strip())
def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Encrypted, multi-tenant S3 storage for Claude's memory tool.

    Bucket, key and tenant come from S3MEMORY_* environment variables: see `s3memory settings`.

    Examples:
      s3memory demo                              # see it work, offline
      export S3MEMORY_LOCAL_KEY="$(s3memory keygen)"
      s3memory call '{"command": "view", "path": "/memories"}'
    """
