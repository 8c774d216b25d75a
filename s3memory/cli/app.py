"""The table of commands, and the options and help text of ``s3memory`` itself."""

from __future__ import annotations

from typing import Annotated

import typer

from s3memory.cli.ending import HELP
from s3memory.cli.groups import CommandRow, Table, plain_typer

_START, _AGENTS, _LOOK, _PAST = "Getting started", "Serving agents", "Reading a memory", "Undoing and cleaning up"
_SECRETS, _KEYS, _MOVE = "Finding secrets and personal data", "Keys", "Tenants, moving and erasing"


class CommandTable(Table):
    """The commands of ``s3memory``, as its help lists them."""

    rows = (
        CommandRow(
            "demo", "demo.command", "Watch an agent with an encrypted memory, offline.", _START, only_reads=True
        ),
        CommandRow("settings", "settings", "List the S3MEMORY_* environment variables.", _START, only_reads=True),
        CommandRow("keygen", "keygen", "Make a local key for S3MEMORY_LOCAL_KEY.", _START, only_reads=True),
        CommandRow("doctor", "doctor", "Check how safely the bucket and the key are set up.", _START),
        CommandRow("call", "call", "Run memory tool inputs: JSON in, JSON out.", _AGENTS),
        CommandRow("mcp", "mcp", "Serve the memory to MCP clients, such as Claude Code.", _AGENTS),
        CommandRow("mirror", "mirror", "Keep a memory in a folder while a command runs.", _AGENTS),
        CommandRow("browse", "browse", "Explore a memory in a full-screen terminal view.", _LOOK, only_reads=True),
        CommandRow("ls", "look", "List files.", _LOOK, only_reads=True),
        CommandRow("cat", "look", "Print a file's text.", _LOOK, only_reads=True),
        CommandRow("stat", "look", "Show the details of a file or directory.", _LOOK, only_reads=True),
        CommandRow("du", "look", "Count files and bytes by directory.", _LOOK, only_reads=True),
        CommandRow("grep", "look", "Search the decrypted texts, line by line.", _LOOK, only_reads=True),
        CommandRow("history", "history", "List the versions of a file, newest first.", _LOOK, only_reads=True),
        CommandRow("diff", "history", "Compare two versions of a file.", _LOOK, only_reads=True),
        CommandRow("verify", "verify", "Check that everything opens and is where it belongs.", _LOOK, only_reads=True),
        CommandRow("restore", "restore", "Put older versions back, each as a new one.", _PAST),
        CommandRow("repair", "repair", "Finish what a crash interrupted.", _PAST),
        CommandRow("expire", "expire", "Delete files that nobody has used for a while.", _PAST),
        CommandRow("redact", "redact", "Redact a text: standard input to standard output.", _SECRETS, only_reads=True),
        CommandRow("scan", "scan", "Find stored text that would be redacted today.", _SECRETS),
        CommandRow("redact-version", "restore", "Destroy the text of one older version.", _SECRETS),
        CommandRow("keys", "keys", "Show and change a tenant's data keys.", _KEYS),
        CommandRow("reseal", "reseal", "Re-encrypt all files under the newest data key.", _KEYS),
        CommandRow("tenants", "look", "List the tenants in the bucket.", _MOVE, only_reads=True),
        CommandRow("archive", "archive", "Make a tenant read-only.", _MOVE),
        CommandRow("unarchive", "archive", "Make an archived tenant writable again.", _MOVE),
        CommandRow("export", "export", "Write a tenant's files to one file.", _MOVE),
        CommandRow("import", "import_", "Import files into a tenant's memory.", _MOVE),
        CommandRow(
            "manifest", "manifest", "List the objects of a bulk job, as its engine reads them.", _MOVE, only_reads=True
        ),
        CommandRow("erase", "erase", "Destroy all data of a tenant, for good.", _MOVE),
        CommandRow("receipt", "erase", "Check the receipt of an erasure, and show it.", _MOVE, only_reads=True),
    )


app = plain_typer(
    cls=CommandTable,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

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
      (umask 077 && s3memory keygen > local.key)
      export S3MEMORY_BUCKET=agent-memory S3MEMORY_LOCAL_KEY_FILE="$PWD/local.key"
      s3memory call --tenant acme '{"command": "view", "path": "/memories"}'
    """
