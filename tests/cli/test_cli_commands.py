"""The commands of the CLI, in this process and over moto: what they read, what they write, what they exit with."""

from __future__ import annotations

import base64
import json
import re
import sys
from itertools import groupby
from typing import TYPE_CHECKING

import pytest
from support.cli_runs import Run
from support.for_each import for_each

from s3memory import LocalKeyWrapper
from s3memory.cli.app import CommandTable
from s3memory.cli.ending import exit_code_of
from s3memory.cli.groups import CommandRow
from s3memory.commands import MemoryCommands
from s3memory.config.variables import VARIABLES
from s3memory.errors import (
    AccessDeniedError,
    ConfigurationError,
    ConflictError,
    IntegrityError,
    NotFoundError,
    S3MemoryError,
    UnavailableError,
)
from s3memory.s3.deletes import ConditionalDeletes

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

VIEW_ROOT = {"command": "view", "path": "/memories"}
CREATE = {"command": "create", "path": "/memories/likes.md", "file_text": "tea ☕\n"}
VIEW = {"command": "view", "path": "/memories/likes.md"}
ALL_COMMANDS = [
    *(row.name for row in CommandTable.rows if row.name != "keys"),
    *(f"keys {name}" for name in ("show", "rotate", "rewrap", "retire")),
]
COMMANDS = ["call", "demo", "keygen", "redact", "repair", "scan", "settings"]


def lines(*inputs: object) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in inputs).encode()


@pytest.mark.usefixtures("settings")
class TestCall:
    def test_an_input_as_argument_gives_one_line_of_json(self, run: Run) -> None:
        ran = run("call", json.dumps(VIEW_ROOT))
        assert ran.exit_code == 0
        assert ran.err == ""
        (result,) = ran.results
        assert result == {"content": result["content"], "is_error": False}
        assert result["content"].endswith("0B\t/memories")

    @pytest.mark.parametrize("arguments", [["call"], ["call", "-"]], ids=["nothing", "dash"])
    def test_without_an_argument_each_line_of_standard_input_is_an_input(self, run: Run, arguments: list[str]) -> None:
        ran = run(*arguments, stdin=lines(CREATE, VIEW))
        assert ran.exit_code == 0
        assert [result["is_error"] for result in ran.results] == [False, False]
        assert "tea ☕" in ran.results[1]["content"]

    def test_results_are_ascii_so_that_no_locale_breaks_a_line(self, run: Run) -> None:
        separators = {**CREATE, "file_text": "one\u2028two\x85three\n"}
        ran = run("call", stdin=lines(separators, VIEW))
        assert ran.out.isascii()
        assert "one\u2028two\x85three" in ran.results[1]["content"]

    def test_an_input_may_be_utf_8_that_is_not_escaped(self, run: Run) -> None:
        ran = run("call", stdin=json.dumps(CREATE, ensure_ascii=False).encode() + b"\n" + lines(VIEW))
        assert "tea ☕" in ran.results[1]["content"]

    def test_an_input_may_have_windows_line_ends_and_a_byte_order_mark(self, run: Run) -> None:
        ran = run("call", stdin=b"\xef\xbb\xbf" + json.dumps(VIEW_ROOT).encode() + b"\r\n")
        assert ran.exit_code == 0

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param(b"view /memories", id="words"),
            pytest.param(b"", id="empty"),
            pytest.param(b'{"command": "view"', id="cut"),
            pytest.param(b'{"command": "\xff"}', id="not utf-8"),
            pytest.param(b"[" * 100_000, id="nested without end"),
        ],
    )
    def test_a_line_that_is_no_json_is_an_error_result_and_the_next_one_is_carried_out(
        self, run: Run, line: bytes
    ) -> None:
        ran = run("call", stdin=line + b"\n" + lines(VIEW_ROOT))
        assert ran.exit_code == 1
        assert [result["is_error"] for result in ran.results] == [True, False]
        assert ran.results[0]["content"].startswith("Error: The input is not JSON")

    def test_a_number_of_more_digits_than_python_reads_is_json_whose_parameter_is_refused(self, run: Run) -> None:
        sent = json.dumps({**CREATE, "command": "insert", "insert_line": 0, "insert_text": "x"})
        ran = run("call", stdin=sent.replace(": 0", f": {'9' * 5_000}").encode())
        assert ran.exit_code == 1
        assert [result["is_error"] for result in ran.results] == [True]
        assert "JSON" not in ran.results[0]["content"]
        assert "insert_line" in ran.results[0]["content"]

    def test_a_line_that_no_command_can_fill_is_an_error_result_and_the_next_one_is_carried_out(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("S3MEMORY_MAX_FILE_BYTES", "100")
        longest = 2 * 6 * 100 + 65_536
        fits, is_longer = b" " * (longest - len(lines(VIEW_ROOT)) + 1) + lines(VIEW_ROOT), b" " * (longest + 1) + b"\n"
        ran = run("call", stdin=fits + is_longer + b"x" * 500_000 + b"\n" + lines(VIEW_ROOT) + b"x" * (longest + 1))
        assert ran.exit_code == 1
        assert [result["is_error"] for result in ran.results] == [False, True, True, False, True]
        refusals = {result["content"] for result in ran.results if result["is_error"]}
        assert refusals == {"Error: The input is larger than any command may be"}

    @pytest.mark.parametrize("value", [[], "view", None, 1, {"command": "format"}], ids=repr)
    def test_json_that_is_no_command_is_an_error_result(self, run: Run, value: object) -> None:
        ran = run("call", json.dumps(value))
        assert ran.exit_code == 1
        assert [result["is_error"] for result in ran.results] == [True]

    def test_a_refused_command_is_an_error_result_in_the_words_of_the_contract(self, run: Run) -> None:
        ran = run("call", json.dumps(VIEW))
        assert ran.exit_code == 1
        expected = "The path /memories/likes.md does not exist. Please provide a valid path."
        assert ran.results == [{"content": expected, "is_error": True}]

    def test_one_error_among_results_makes_the_exit_code_1(self, run: Run) -> None:
        ran = run("call", stdin=lines(VIEW, VIEW_ROOT))
        assert ran.exit_code == 1
        assert [result["is_error"] for result in ran.results] == [True, False]

    def test_no_line_gives_no_line(self, run: Run) -> None:
        ran = run("call", stdin=b"")
        assert (ran.exit_code, ran.out) == (0, "")

    def test_an_unexpected_exception_does_not_leak(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> str:
            raise RuntimeError("arn:aws:s3:::agent-memory")

        monkeypatch.setattr(MemoryCommands, "call", fail)
        ran = run("call", json.dumps(VIEW_ROOT))
        assert ran.exit_code == 1
        assert ran.results[0]["is_error"]
        assert "internal error" in ran.results[0]["content"]
        assert "arn:aws" not in ran.out + ran.err

    def test_the_tenant_of_the_command_line_goes_before_that_of_the_environment(self, run: Run) -> None:
        assert run("call", json.dumps(CREATE)).exit_code == 0
        assert run("call", "--tenant", "globex", json.dumps(VIEW)).exit_code == 1
        assert run("call", "--tenant", "acme", json.dumps(VIEW)).exit_code == 0

    def test_a_setting_that_is_missing_is_named_before_anything_is_read(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("S3MEMORY_BUCKET")
        ran = run("call", stdin=lines(VIEW_ROOT))
        assert (ran.exit_code, ran.out) == (2, "")
        assert ran.err == "s3memory: S3MEMORY_BUCKET is not set: put the name of your S3 bucket into the environment\n"

    def test_a_person_at_a_terminal_is_told_what_to_type(self, run: Run) -> None:
        ran = run("call", terminal=True)
        assert (ran.exit_code, ran.out) == (0, "")
        assert "one per line" in ran.err


class TestKeygen:
    def test_a_key_is_the_base64_of_32_bytes_and_nothing_else_is_written(self, run: Run) -> None:
        ran = run("keygen")
        assert ran.exit_code == 0
        assert len(base64.b64decode(ran.out.removesuffix("\n"), validate=True)) == 32
        assert ran.err == ""

    def test_no_two_keys_are_the_same(self, run: Run) -> None:
        assert run("keygen").out != run("keygen").out

    def test_a_key_is_what_the_settings_take(self, run: Run) -> None:
        LocalKeyWrapper.from_text(run("keygen").out)


class TestSettings:
    def test_every_variable_is_listed_with_its_purpose(self, run: Run) -> None:
        ran = run("settings", "--json")
        assert ran.exit_code == 0
        assert [(row["name"], row["purpose"]) for row in json.loads(ran.out)] == [
            (variable.full_name, variable.purpose) for variable in VARIABLES
        ]

    @pytest.mark.usefixtures("settings")
    @pytest.mark.parametrize("arguments", [[], ["--json"]], ids=["table", "json"])
    def test_values_are_never_shown(self, run: Run, local_key: str, bucket: str, arguments: list[str]) -> None:
        ran = run("settings", *arguments)
        assert ran.exit_code == 0
        assert local_key not in ran.out + ran.err
        assert bucket not in ran.out + ran.err

    @pytest.mark.usefixtures("settings")
    def test_what_is_set_is_said_to_be(self, run: Run) -> None:
        is_set = {row["name"]: row["is_set"] for row in json.loads(run("settings", "--json").out)}
        assert {name for name, value in is_set.items() if value} == {
            "S3MEMORY_BUCKET",
            "S3MEMORY_LOCAL_KEY",
            "S3MEMORY_TENANT",
        }

    def test_the_table_names_every_variable_and_holds_no_colour(self, run: Run) -> None:
        ran = run("settings")
        assert all(variable.full_name in ran.out for variable in VARIABLES)
        assert "\x1b" not in ran.out

    def test_a_misspelt_variable_is_named_and_the_table_shown(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("S3MEMORY_BUKET", "b")
        ran = run("settings", "--json")
        assert ran.exit_code == 2
        assert json.loads(ran.out)
        assert ran.err == "s3memory: S3MEMORY_BUKET is not a setting of s3memory; did you mean S3MEMORY_BUCKET?\n"


@pytest.mark.usefixtures("settings")
class TestRepair:
    @pytest.fixture
    def interrupted(self, settings: None, run: Run) -> None:  # noqa: ARG002 - the settings come first
        """A directory whose delete was announced, and then S3 went away."""
        for name in ("a", "b"):
            assert run("call", json.dumps({**CREATE, "path": f"/memories/old/{name}"})).exit_code == 0

        def fail(*_: object) -> list[str]:
            raise UnavailableError("The memory store is not available right now.")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ConditionalDeletes, "many", fail)
            assert run("call", json.dumps({"command": "delete", "path": "/memories/old"})).exit_code == 1

    @pytest.mark.usefixtures("interrupted")
    def test_a_dry_run_lists_what_is_unfinished_and_changes_nothing(self, run: Run) -> None:
        for _ in range(2):
            ran = run("repair", "--dry-run")
            assert (ran.exit_code, ran.out, ran.err) == (0, "delete /memories/old\n", "1 unfinished\n")

    @pytest.mark.usefixtures("interrupted")
    def test_a_repair_finishes_it_and_says_so(self, run: Run) -> None:
        ran = run("repair", "--tenant", "acme")
        assert (ran.exit_code, ran.out, ran.err) == (0, "delete /memories/old\n", "1 finished\n")
        assert run("repair").out == ""
        assert run("call", json.dumps({"command": "view", "path": "/memories/old"})).exit_code == 1

    @pytest.mark.usefixtures("interrupted")
    def test_json_holds_the_fields_of_each_operation(self, run: Run) -> None:
        operation = {"operation": "delete", "path": "/memories/old", "new_path": "/memories/old"}
        ran = run("repair", "--dry-run", "--json")
        found = {"operations": [operation], "failures": [], "unreadable_objects": []}
        assert json.loads(ran.out) == {"dry_run": True, **found}
        assert ran.err == ""
        assert json.loads(run("repair", "--json").out) == {"dry_run": False, **found}

    @pytest.mark.usefixtures("interrupted")
    def test_what_does_not_open_is_told_beside_what_is_unfinished(self, run: Run, s3: S3Client, bucket: str) -> None:
        junk = ["intents/acme/ ", "intents/acme/~"]  # before and behind what is unfinished
        for object_key in junk:
            s3.put_object(Bucket=bucket, Key=object_key, Body=b"x" * 100)
        ran = run("repair", "--dry-run")
        assert (ran.exit_code, ran.out) == (3, "delete /memories/old\n")
        assert [f"s3memory: {object_key}: What is stored here" in ran.err for object_key in junk] == [True, True]
        ran = run("repair", "--dry-run", "--json")
        assert (ran.exit_code, ran.json["unreadable_objects"]) == (3, junk)
        assert [one["path"] for one in ran.json["operations"]] == ["/memories/old"]
        ran = run("repair")
        assert (ran.exit_code, ran.out) == (3, "delete /memories/old\n"), "the real run has passed by, too"
        told = ran.err.splitlines()
        assert [line.partition(": What is stored here")[0] for line in told[:-1]] == [
            f"s3memory: {key}" for key in junk
        ]
        assert told[-1] == "1 finished, 2 not"
        assert run("repair", "--dry-run", "--json").json["operations"] == []

    @pytest.mark.usefixtures("interrupted")
    def test_what_cant_be_finished_is_told_with_its_reason_beside_what_is(self, run: Run) -> None:
        def fail(*_: object) -> bool:
            raise UnavailableError("The memory store is not available right now.")

        for name in ("one", "two"):
            assert run("call", json.dumps({**CREATE, "path": f"/memories/{name}/a"})).exit_code == 0
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(ConditionalDeletes, "one", fail)
                moved = {"command": "rename", "old_path": f"/memories/{name}", "new_path": f"/memories/moved/{name}"}
                assert run("call", json.dumps(moved)).exit_code == 1
        # A file where the directory was to go, and the copy that was made there is gone.
        assert run("call", json.dumps({"command": "delete", "path": "/memories/moved/two"})).exit_code == 0
        assert run("call", json.dumps({**CREATE, "path": "/memories/moved/two"})).exit_code == 0
        ran = run("repair")
        reason = "The destination /memories/moved/two already exists"
        assert ran.exit_code == 1
        assert sorted(ran.out.splitlines()) == ["delete /memories/old", "rename /memories/one to /memories/moved/one"]
        assert ran.err.splitlines() == [
            f"s3memory: rename /memories/two to /memories/moved/two: {reason}",
            "2 finished, 1 not",
        ]
        (failure,) = run("repair", "--json").json["failures"]
        assert failure.pop("object_key").startswith("intents/acme/")
        paths = {"path": "/memories/two", "new_path": "/memories/moved/two"}
        assert failure == {"operation": "rename", **paths, "reason": reason}

    def test_a_store_that_refuses_access_is_exit_code_3_in_one_line(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("S3MEMORY_BUCKET", "no-such-bucket")
        ran = run("repair")
        assert (ran.exit_code, ran.out) == (3, "")
        assert ran.err.startswith("s3memory: The memory store refused access")
        assert ran.err.count("\n") == 1


class TestHelp:
    def test_the_help_lists_every_command_and_every_exit_code(self, run: Run) -> None:
        ran = run("--help")
        assert ran.exit_code == 0
        assert all(f"  {command}" in ran.out for command in COMMANDS)
        assert all(f"    {code}  " in ran.out for code in range(4))

    @pytest.mark.parametrize("group", [[], ["keys"]], ids=["all", "keys"])
    def test_each_command_is_summed_up_in_a_line_that_is_not_cut(self, run: Run, group: list[str]) -> None:
        commands = run(*group, "--help").out.partition("Show this message and exit.\n")[2]
        assert commands
        assert "..." not in commands.replace("TENANT...", "")

    @for_each("command", ["", *ALL_COMMANDS])
    @for_each("flag", ["--help", "-h"])
    def test_each_command_has_help_that_fits_a_terminal(self, run: Run, command: str, flag: str) -> None:
        ran = run(*command.split(), flag)
        assert ran.exit_code == 0
        assert max(map(len, ran.out.splitlines())) <= 80
        assert "\b" not in ran.out

    @for_each("command", ALL_COMMANDS)
    def test_arguments_are_named_as_they_are_typed_and_without_types(self, run: Run, command: str) -> None:
        told = run(*command.split(), "--help").out
        usage, arguments = told.splitlines()[0], told.partition("Arguments:\n")[2].partition("\n\n")[0]
        assert not set("{}<>") & set(usage + arguments)
        pieces = usage.partition(" [OPTIONS]")[2].replace("[", "").replace("]", "").strip()
        named = re.findall(r"(?m)^  (\S.*?)  ", arguments)
        assert pieces == " ".join(named)

    def test_an_argument_that_can_be_left_out_is_in_brackets(self, run: Run) -> None:
        for command, ends in (
            ("ls", "[OPTIONS] [PATH]"),
            ("cat", "[OPTIONS] PATH"),
            ("mirror", "[OPTIONS] DIR -- COMMAND..."),
        ):
            assert run(command, "--help").out.splitlines()[0].endswith(f" {ends}")

    def test_a_value_that_is_none_of_those_is_refused_in_one_sentence(self, run: Run) -> None:
        ran = run("import", "x", "--existing", "bad")
        assert (ran.exit_code, ran.out) == (2, "")
        assert "Invalid value for '--existing': 'bad' is not one of 'refuse', 'skip', 'overwrite'." in ran.err

    @pytest.mark.parametrize("group", [[], ["keys"]], ids=["all", "keys"])
    def test_no_group_offers_to_install_a_completion(self, run: Run, group: list[str]) -> None:
        assert "completion" not in run(*group, "--help").out

    @for_each("row", CommandTable.rows, ids=lambda row: row.name)
    def test_the_table_says_of_each_command_what_its_own_help_begins_with(self, run: Run, row: CommandRow) -> None:
        assert run(row.name, "--help").out.splitlines()[2].strip() == row.help

    @for_each("command", ALL_COMMANDS)
    def test_each_help_comes_with_examples(self, run: Run, command: str) -> None:
        assert f"s3memory {command}" in run(*command.split(), "--help").out.partition("Examples:")[2]

    def test_each_command_is_in_one_group(self) -> None:
        groups = [group for group, _ in groupby(row.group for row in CommandTable.rows)]
        assert len(groups) == len(set(groups))

    def test_codes_that_most_commands_share_are_in_the_help_of_each(self, run: Run) -> None:
        for command in ("restore", "grep", "keys retire"):
            codes = run(*command.split(), "--help").out.partition("Exit codes:")[2].partition("Options:")[0]
            assert [line[4] for line in codes.splitlines() if re.match("    [0-9]  ", line)] == ["0", "1", "2", "3"]

    def test_the_version_is_that_of_the_package(self, run: Run) -> None:
        ran = run("--version")
        assert ran.exit_code == 0
        assert ran.out.startswith("s3memory 0.")

    @pytest.mark.parametrize("arguments", [["forget"], ["call", "--bogus"], ["call", "{}", "{}"], []], ids=str)
    def test_wrong_usage_is_exit_code_2_and_writes_no_data(self, run: Run, arguments: list[str]) -> None:
        ran = run(*arguments)
        assert ran.exit_code == 2
        assert "Usage: s3memory" in (ran.err if arguments else ran.out + ran.err)

    @pytest.mark.parametrize("line", ["scan acme", "keys show acme", "export acme acme.tar", "doctor acme --json"])
    def test_a_tenant_without_its_option_leads_to_the_option(self, run: Run, line: str) -> None:
        ran = run(*line.split())
        assert (ran.exit_code, ran.out) == (2, "")
        assert ran.err.splitlines()[-1].endswith(" A tenant is named with --tenant.")

    @pytest.mark.parametrize(
        ("line", "option"),
        [
            ("erase --tenant acme --tenant globex --yes --expect-count 0", "--tenant"),
            ("keys rotate --tenant acme --tenant=acme", "--tenant"),
            ("cat /memories/a --at 2026-01-31T12:00:00Z --at 2026-01-30T12:00:00Z", "--at"),
        ],
    )
    def test_of_two_values_for_what_takes_one_none_is_taken(self, run: Run, line: str, option: str) -> None:
        ran = run(*line.split())
        assert (ran.exit_code, ran.out) == (2, "")
        assert ran.err.splitlines()[-1].endswith(f"{option} can be given only once.")

    @pytest.mark.parametrize("line", ["cat /memories/a /memories/b", "tenants acme", "redact notes.md"])
    def test_what_can_be_no_tenant_does_not(self, run: Run, line: str) -> None:
        ran = run(*line.split())
        assert (ran.exit_code, "unexpected extra argument" in ran.err, "--tenant" in ran.err) == (2, True, False)

    @pytest.mark.parametrize(
        ("error", "exit_code"),
        [
            (NotFoundError("x"), 1),
            (ConflictError("x"), 1),
            (ConfigurationError("x"), 2),
            (AccessDeniedError("x"), 3),
            (UnavailableError("x"), 3),
            (IntegrityError("x"), 3),
        ],
        ids=lambda value: type(value).__name__ if isinstance(value, S3MemoryError) else "",
    )
    def test_an_error_has_the_exit_code_of_what_a_caller_would_do(self, error: S3MemoryError, exit_code: int) -> None:
        assert exit_code_of(error) == exit_code


class TestMissingLibraries:
    @pytest.mark.parametrize("library", ["typer", "rich"])
    def test_without_the_libraries_of_the_cli_one_line_names_the_extra(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, library: str
    ) -> None:
        monkeypatch.setitem(sys.modules, library, None)
        ran = run("--help")
        assert (ran.exit_code, ran.out) == (2, "")
        assert ran.err == (
            f"s3memory: the command line needs {library}, not installed here. "
            "Install with: pip install '.[cli]', in a clone of s3memory\n"
        )

    @pytest.mark.parametrize(
        ("library", "requirement"),
        [
            ("moto", "'.[local]', in a clone of s3memory"),
            ("flask", "'.[local]', in a clone of s3memory"),
            ("anthropic", "'anthropic'"),
        ],
    )
    def test_without_the_libraries_of_the_demo_one_line_says_what_to_install(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, library: str, requirement: str
    ) -> None:
        monkeypatch.setitem(sys.modules, library, None)
        ran = run("demo")
        assert (ran.exit_code, ran.out) == (2, "")
        assert ran.err == (
            f"s3memory: the demo needs {library}, not installed here. Install with: pip install {requirement}\n"
        )

    def test_a_live_demo_without_an_api_key_says_so(self, run: Run) -> None:
        ran = run("demo", "--live")
        assert (ran.exit_code, ran.out) == (2, "")
        assert "ANTHROPIC_API_KEY is not set" in ran.err
