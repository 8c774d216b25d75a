"""`Table`: commands as rows of a table, each loaded when it is used, and the layout of their help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from itertools import groupby
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from s3memory.cli.ending import (
    NOTHING_CHANGED,
    SHARED_CODES,
    interrupted_by_signals,
    note_if_interrupted,
    report_and_exit,
    success_if_unread,
)
from s3memory.cli.waiting import report_if_slow


class CommandRow(NamedTuple):
    """A command.

    Attributes:
        name: the name as it is typed.
        module: the module below ``s3memory.cli`` that has a function, or a `typer.Typer`, with the command's name.
        help: one line; the function's docstring begins with it.
        group: the heading that the help lists it under.
        only_reads: whether it changes nothing, whatever its options.
    """

    name: str
    module: str
    help: str
    group: str
    only_reads: bool = False


class Command(TyperCommand):
    """A command whose help keeps the lines of its examples and exit codes, and names its arguments plainly."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.help = formatted_help(self.help)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what was typed. Refuse surplus arguments, and options that are given twice."""
        _, _, typed = self.make_parser(ctx).parse_args(args=[*args])
        for one in typed:  # given two tenants, say, the library would use the last one
            if isinstance(one, TyperOption) and not (one.is_flag or one.multiple) and typed.count(one) > 1:
                ctx.fail(f"{one.opts[0]} can be given only once.")
        ctx.allow_extra_args = True  # the library's own refusal could not give the hint below
        try:
            surplus = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")  # a prefix of pydantic's
            raise
        if surplus:
            may_be_tenant = not surplus[0].startswith("/") and any(one.name == "tenant" for one in self.params)
            hint = ". A tenant is named with --tenant." if may_be_tenant else ""
            ctx.fail(f"Got unexpected extra argument(s) ({' '.join(surplus)}){hint}")
        return surplus

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage line after the command's name, with optional arguments in brackets."""
        arguments = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *(_name_of(one) if one.required else f"[{_name_of(one)}]" for one in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what arguments and options mean, without the types that the library puts after arguments."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            if record is not None and one.param_type_name == "argument":
                sections["Arguments"].append((_name_of(one), record[1]))
            elif record is not None:
                sections["Options"].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _name_of(argument: Any) -> str:
    return str(argument.metavar or argument.name)


class ReadingCommand(Command):
    """A command that changes nothing. A reader of its output may close the pipe when it has seen enough."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with success_if_unread(nullcontext()):
            return super().invoke(ctx)


class Table(TyperGroup):
    """A group that loads a command when it is used, so that ``--help`` and ``keygen`` do not wait for the others.

    Subclasses hold the rows.
    """

    rows: Sequence[CommandRow] = ()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{**options, "commands": {}})
        self.commands: Any = {row.name: row for row in self.rows}
        self.help, self.epilog = formatted_help(self.help), formatted_help(self.epilog)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse what was typed. ``--help`` and ``--version`` print at this point, before `invoke`."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except OSError:
            with report_and_exit(), success_if_unread(nullcontext()):
                raise

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as the library calls it
        """Load a command, or return `None` if there is none with this name."""
        row = self.commands.get(cmd_name)
        if row is None:
            return None
        function = "import_" if row.name == "import" else row.name.replace("-", "_")
        with note_if_interrupted(NOTHING_CHANGED):
            loaded = getattr(import_module(f"s3memory.cli.{row.module}"), function)
        if not isinstance(loaded, typer.Typer):
            group = plain_typer()
            group.command(row.name, cls=ReadingCommand if row.only_reads else Command)(loaded)
            loaded = group
        return typer.main.get_command(loaded)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as the library calls it
        """Write what each command does, group by group."""
        width = max(len(row.name) for row in self.rows)
        for group, rows in groupby(self.rows, key=lambda row: row.group):
            with formatter.section(group):
                formatter.write_dl([(f"{row.name:<{width}}", row.help) for row in rows])

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with report_and_exit(), interrupted_by_signals(), report_if_slow():
            return super().invoke(ctx)


def plain_typer(**more: Any) -> typer.Typer:
    """Return a program or group of commands without completion, and without tracebacks that show local variables."""
    # Plain help keeps the line breaks of examples, and is rendered in half the time.
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, **more)


def formatted_help(text: str | None) -> str | None:
    r"""Return a help text, with the exit codes that most commands share if its own list stops before those.

    A ``\b`` before the examples and the exit codes tells the library not to wrap them.
    """
    if text is None:
        return None
    _, has_codes, codes = text.partition("\nExit codes:\n")
    if has_codes and not re.search("(?m)^  [23]  ", codes):
        text = f"{text.rstrip()}\n{SHARED_CODES}"
    return re.sub(r"(?m)^(?=(?:Examples|Exit codes):)", "\b\n", text)
