"""The demo's output for people: the conversations, the bucket's content, the costs and the checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from s3memory.cli.demo.evidence import COPIED, FLIPPED, Claim, Invocation, Probe, StoredVersion
from s3memory.cli.demo.story import Act
from s3memory.testing.messages_script import text_of

_SPEAKER_COLUMNS = 7
_INDENT = (0, 0, 0, 2)
_DUMPED_BYTES = 16
_S3_COLUMNS = {
    "GET": ("GetObject",),
    "HEAD": ("HeadObject",),
    "LIST": ("ListObjectsV2",),
    "PUT": ("PutObject",),
    "DELETE": ("DeleteObject", "DeleteObjects"),
}
_ATTACKS = {
    FLIPPED: "One bit of the file is flipped in the bucket. Viewing it says:",
    COPIED: "It is put back, and copied to another object key. Viewing the copy says:",
}


class Show:
    """Writes to a console, which is quiet for ``--json``."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._is_unicode = console.encoding.lower().startswith("utf")
        self._acts = 0

    def opening(self, *, scripted: bool, own_store: bool) -> None:
        """Say what is about to happen."""
        store = "your S3 bucket" if own_store else "moto plays S3 and KMS on this machine"
        claude = "a script plays Claude" if scripted else "Claude is the real one"
        self._print(Text("An agent whose memory is encrypted in S3", style="bold"))
        self._text(
            f"Here, {store}, and {claude}; the agent runs on the SDK's own tool runner. Each conversation runs in "
            "its own process, as on AWS Lambda. They share the bucket and nothing else."
        )

    def act(self, act: Act, pid: int) -> None:
        """Begin a conversation."""
        self._heading(act.title, f"process {pid}")
        self._said("user", Text(act.prompt), style="bold")

    def message(self, message: Mapping[str, Any]) -> None:
        """Show Claude's text, its commands, or their results."""
        for block in message["content"]:
            if block["type"] == "text" and block["text"]:
                self._said("claude", Text(block["text"]), style="cyan")
            elif block["type"] == "tool_use":
                self._said("", _command(block["input"]))
            elif block["type"] == "tool_result":
                style = "red" if block.get("is_error") else "dim"
                self._said("memory", Text(text_of(block.get("content")).expandtabs(), style=style), style=style)

    def bucket(self, versions: Sequence[StoredVersion]) -> None:
        """Show the objects in the bucket, and their first bytes."""
        current = [version for version in versions if version.is_current]
        self._heading("What is in the bucket", f"{len(versions)} versions of objects, {len(current)} current")
        for version in current:
            self._print(Padding(Text.assemble(version.object_key, (f"  {len(version.body)} bytes", "dim")), _INDENT))
            self._print(Padding(_dumped(version.body[:_DUMPED_BYTES]), (0, 0, 0, 4)))
        self._print()
        self._text(
            "A memory is 4 bytes of format, 4 of the key's generation, and ciphertext. A key ring is JSON, with keys "
            "that only KMS unwraps. For globex, S3MEMORY_NAME_MODE=encrypted hides the file names as well."
        )

    def attacks(self, probes: Mapping[str, Probe]) -> None:
        """Show what views of tampered files return."""
        self._heading("Somebody tampers with the bucket", "viewed with s3memory call")
        for name, attack in _ATTACKS.items():
            self._text(attack)
            self._said("memory", Text(probes[name].content, style="red"), style="red")

    def costs(self, invocations: Sequence[Invocation]) -> None:
        """Show how many requests of each kind the servers got."""
        self._heading("What it cost", "S3 requests by kind, KMS requests")
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column("Process", overflow="fold")
        for heading in ("Commands", *_S3_COLUMNS, "KMS"):
            table.add_column(heading, overflow="fold", justify="right")
        for number, invocation in enumerate(invocations, 1):
            counts = Counter(request.operation for request in invocation.requests)
            s3 = [sum(counts[operation] for operation in operations) for operations in _S3_COLUMNS.values()]
            kms = sum(request.service == "kms" for request in invocation.requests)
            cells = (f"{number} {invocation.tenant}", len(invocation.tool_uses), *s3, kms)
            table.add_row(*(Text(str(cell), style="dim" if cell == 0 else "") for cell in cells))
        self._print(Padding(table, _INDENT))

    def checks(self, checks: Sequence[Claim], *, seconds: float) -> None:
        """Show what was checked, and the results."""
        self._heading("Checked", f"{seconds:.1f} s")
        marks = {True: ("✓", "green"), False: ("✗", "bold red")}
        if not self._is_unicode:
            marks = {True: ("ok", "green"), False: ("FAILED", "bold red")}
        for check in checks:
            mark, style = marks[check.held]
            claim = Text(check.claim, style="" if check.held else style)
            self._print(Padding(_pair(Text(mark, style=style), claim), _INDENT))

    def closing(self) -> None:
        """Say how to go on from here."""
        self._print()
        self._text("To give your own agent a memory like this, pass one more tool to its tool runner:")
        self._text('tools=[S3MemoryTool.from_env(tenant="acme")]', style="bold", indent=6)
        self._text("The agent above is s3memory/cli/agent.py; `s3memory settings` lists the variables it reads.")

    def _heading(self, title: str, aside: str) -> None:
        self._acts += 1
        line = Table.grid(expand=True)
        line.add_column(ratio=1)
        line.add_column(justify="right")
        line.add_row(Text(f"{self._acts}. {title}", style="bold"), Text(aside, style="dim"))
        self._print()
        self._print(line)
        # rich draws a rule without a title in Unicode even where the terminal has none.
        self._print(Rule(style="dim", characters="─" if self._is_unicode else "-"))

    def _text(self, text: str, *, style: str = "", indent: int = 2) -> None:
        self._print(Padding(Text(text, style=style), (0, 0, 0, indent)))

    def _said(self, speaker: str, what: Text, *, style: str = "") -> None:
        grid = _pair(Text(speaker, style=style), what, first_columns=_SPEAKER_COLUMNS)
        self._print(Padding(grid, _INDENT))

    def _print(self, what: RenderableType = "") -> None:
        if self._console.is_terminal:
            self._console.print(what)
            return
        # rich pads lines with blanks, which nobody wants in a file.
        with self._console.capture() as captured:
            self._console.print(what)
        for line in captured.get().splitlines():
            self._console.file.write(line.rstrip() + "\n")
        self._console.file.flush()


def _command(tool_input: Mapping[str, Any]) -> Text:
    """Return a memory command in a form for people."""
    rest = dict(tool_input)
    name = str(rest.pop("command", "?"))
    paths = [str(rest.pop(field)) for field in ("path", "old_path", "new_path") if field in rest]
    line = Text.assemble((name, "bold yellow"), " ", " to ".join(paths))
    for field, value in rest.items():
        shown = f"\n{value}".rstrip("\n").replace("\n", "\n  ") if "\n" in str(value) else f" {value}"
        line.append(f"\n{field}:", style="yellow").append(shown)
    return line


def _dumped(body: bytes) -> Text:
    """Return bytes in hexadecimal and, next to that, as ASCII where they are printable."""
    readable = "".join(chr(byte) if chr(byte).isascii() and chr(byte).isprintable() else "." for byte in body)
    return Text.assemble((f"{body.hex(' ')} ..", "yellow"), f"   {readable}")


def _pair(first: Text, second: Text, *, first_columns: int | None = None) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=first_columns, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(first, second)
    return grid
