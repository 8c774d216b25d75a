"""Looking, history, restoring, redacting and verifying on the command line; every documented line is run."""

from __future__ import annotations

import json
import re
import shlex
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from string import Template
from typing import TYPE_CHECKING

import pytest
from support.buckets import copy_objects, new_bucket
from support.cli_runs import Closed, Run
from support.repository import REPOSITORY

from s3memory import LocalKeyWrapper, MemoryCommands
from s3memory.admin.search import expression
from s3memory.admin.verify import Kind
from s3memory.cli.confirming import confirm
from s3memory.cli.output import printable
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PAGE = (REPOSITORY / "docs" / "operations.md").read_text("utf-8")
SECTION = PAGE.partition("\n## Looking, history, verifying, audit\n")[2].partition("\n## ")[0]
DOCUMENTED = [line for block in re.findall(r"```console\n(.*?)```", SECTION, re.DOTALL) for line in block.splitlines()]
KEY = LocalKeyWrapper.generate_key_text()
THEN = datetime(2026, 1, 31, 12, tzinfo=UTC)
COMMANDS = ["ls", "cat", "stat", "du", "grep", "tenants", "history", "diff", "restore", "redact-version", "verify"]


def configured(patch: pytest.MonkeyPatch, bucket: str) -> MemoryCommands:
    patch.setenv("S3MEMORY_BUCKET", bucket)
    patch.setenv("S3MEMORY_LOCAL_KEY", KEY)
    patch.setenv("S3MEMORY_TENANT", "acme")
    return MemoryCommands.from_env(actor="agent-1")


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch, bucket: str) -> MemoryCommands:
    """A configured tenant, empty yet."""
    return configured(monkeypatch, bucket)


@pytest.fixture(scope="module")
def story(s3: S3Client) -> tuple[str, str]:
    """What the page speaks of, before and after its time: the bucket, and the first version of the plan."""
    bucket = new_bucket()
    with pytest.MonkeyPatch.context() as patch:
        memory = configured(patch, bucket)
        at(patch, THEN - timedelta(hours=1))
        memory.create("/memories/plan.md", "# Plan\n- [ ] ship\n")
        memory.create("/memories/customers/ann.md", "asked for a refund\n")
        memory.create("/memories/customers/old/bob.md", "left\n")
        at(patch, THEN + timedelta(hours=1))
        memory.str_replace("/memories/plan.md", "[ ]", "[x]")
        memory.rename("/memories/customers/ann.md", "/memories/customers/anna.md")
        memory.delete("/memories/customers/old")
    versions = s3.list_object_versions(Bucket=bucket, Prefix="memories/acme/plan.md")["Versions"]
    return bucket, versions[-1]["VersionId"]


def at(patch: pytest.MonkeyPatch, moment: datetime) -> None:
    patch.setattr("moto.s3.models.utcnow", lambda: moment.replace(tzinfo=None))


@pytest.fixture
def version(
    monkeypatch: pytest.MonkeyPatch,
    memory: MemoryCommands,
    story: tuple[str, str],
    bucket: str,
) -> str:
    """The story in a bucket of the test's own, an hour after its end. The plan's first version."""
    stored, first = story
    copy_objects(stored, bucket)
    at(monkeypatch, THEN + timedelta(hours=2))
    return first


WRITING = [line for line in DOCUMENTED if shlex.split(line)[1] in {"restore", "redact-version"}]


def test_each_documented_command_that_only_looks_runs(run: Run, version: str) -> None:
    for line in DOCUMENTED:
        if line not in WRITING:
            run_documented(run, version, line)


@pytest.mark.parametrize("line", WRITING)
def test_each_documented_command_that_writes_runs(run: Run, version: str, line: str) -> None:
    run_documented(run, version, line)


def run_documented(run: Run, version: str, line: str) -> None:
    program, *arguments = shlex.split(Template(line).substitute(version=shlex.quote(version)))
    assert program == "s3memory"
    ran = run(*arguments)
    has_answer = arguments[0] in {"diff", "grep"}  # 1 says that they differ, or that nothing matched
    assert ran.exit_code in ({0, 1} if has_answer else {0}), ran.err
    assert ran.out or arguments[0] == "verify"
    if "--json" in arguments:
        assert all(isinstance(result, dict) for result in ran.results)


def test_each_kind_of_finding_is_documented() -> None:
    table = SECTION.partition("| kind |")[2].partition("\n\n")[0]
    first_cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert sorted(re.findall(r"`([a-z-]+)`", "".join(first_cells))) == sorted(Kind)


def test_each_command_is_documented() -> None:
    assert {shlex.split(line)[1] for line in DOCUMENTED} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples_that_fits_a_terminal(run: Run, command: str) -> None:
    ran = run(command, "--help")
    assert ran.exit_code == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    assert f"s3memory {command}" in ran.out.partition("Examples:")[2]


@pytest.mark.usefixtures("version")
class TestLooking:
    def test_files_are_listed_one_a_line_now_and_then(self, run: Run) -> None:
        assert run("ls").out.splitlines() == ["/memories/customers/anna.md", "/memories/plan.md"]
        assert run("ls", "--at", "2026-01-31T12:00:00Z", "/memories/customers").out.splitlines() == [
            "/memories/customers/ann.md",
            "/memories/customers/old/bob.md",
        ]

    def test_a_file_is_listed_by_its_own_path(self, run: Run) -> None:
        ran = run("ls", "--long", "/memories/plan.md")
        assert ran.out.split() == ["18", "2026-01-31T13:00:00Z", "/memories/plan.md"]

    def test_what_is_not_there_is_refused(self, run: Run) -> None:
        for arguments in (
            ["ls", "/memories/pl"],
            ["ls", "--tree", "/memories/pl"],
            ["cat", "/memories/no"],
            ["stat", "/memories/no"],
            ["du", "/memories/no"],
            ["grep", "ship", "/memories/no"],
            ["grep", "ship", "/memories/pl"],
        ):
            ran = run(*arguments)
            assert (ran.exit_code, ran.out) == (1, ""), arguments
            assert "does not exist" in ran.err

    def test_a_file_that_is_asked_for_and_a_directory_says_so(self, run: Run) -> None:
        for path in ("/memories", "/memories/customers"):
            ran = run("cat", path)
            told = f"s3memory: {path} is a directory: cat prints one file. `s3memory ls` lists its files.\n"
            assert (ran.exit_code, ran.out, ran.err) == (1, "", told)

    @pytest.mark.parametrize("command", ["cat", "diff"])
    def test_a_time_before_a_file_is_told_as_times_are_everywhere(self, run: Run, command: str) -> None:
        ran = run(command, "/memories/plan.md", "--at", "2020-01-01Z")
        assert ran.exit_code == 1
        assert "did not exist at 2020-01-01T00:00:00Z, or that version is not kept" in ran.err

    def test_the_tree_is_drawn(self, run: Run) -> None:
        assert run("ls", "--tree", "--at", "2026-01-31T12:00:00Z").out.splitlines() == [
            "/memories",
            "├── customers/",
            "│   ├── ann.md",
            "│   └── old/",
            "│       └── bob.md",
            "└── plan.md",
        ]

    def test_a_text_comes_byte_for_byte(self, run: Run, memory: MemoryCommands) -> None:
        text = "no newline at the end, \x1b[31m red, \u202e and \r\n é"
        memory.create("/memories/odd", text)
        assert run("cat", "/memories/odd").out == text

    def test_a_terminal_is_shown_no_control_characters(
        self, run: Run, memory: MemoryCommands, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory.create("/memories/odd", "\x1b]0;title\x07\tand \u202e\n")
        monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
        assert run("cat", "/memories/odd").out == "\\x1b]0;title\\x07\tand \\u202e\n"
        assert "\x1b" not in run("grep", "title").out

    def test_what_is_printable_stays_as_it_is(self) -> None:
        assert printable("a\tb\né ☕ \U0001f60e") == "a\tb\né ☕ \U0001f60e"

    def test_a_file_is_told_by_its_version_hash_and_actor(self, run: Run) -> None:
        (status,) = run("stat", "/memories/plan.md", "--json").results
        assert status["kind"] == "file"
        assert (status["size_bytes"], status["lines"], status["generation"]) == (18, 2, 1)
        assert (status["actor"], status["modified"]) == ("agent-1", "2026-01-31T13:00:00Z")
        assert status["version_id"] == run("history", "/memories/plan.md", "--json").results[0]["version_id"]

    def test_usage_is_summed_by_directory(self, run: Run) -> None:
        counted = {one["path"]: one for one in run("du", "--depth", "2", "--versions", "--json").results}
        assert set(counted) == {"/memories", "/memories/customers", "/memories/customers/old"}
        assert (counted["/memories"]["files"], counted["/memories"]["size_bytes"]) == (2, 18 + 19)
        assert counted["/memories"]["versions"] == 3
        assert counted["/memories/customers/old"] == {
            "path": "/memories/customers/old",
            "files": 0,
            "size_bytes": 0,
            "versions": 1,
            "versions_bytes": 5,
            "newest": None,
        }
        assert [one["path"] for one in run("du", "--depth", "0", "--json").results] == ["/memories"]

    def test_one_of_a_kind_is_counted_in_the_singular_and_stays_in_its_column(
        self, run: Run, s3: S3Client, bucket: str
    ) -> None:
        whole, part = run("du").out.splitlines()
        assert (whole.split()[:2], part.split()[:2]) == (["2", "files"], ["1", "file"])
        assert whole.index(" B ") == part.index(" B ")
        for said in ("1 object or folder belongs to no tenant", "2 objects or folders belong to no tenant"):
            s3.put_object(Bucket=bucket, Key=f"memories/stray-{said[0]}", Body=b"")
            assert run("tenants").err == f"s3memory: {said}: see s3memory verify --all\n"

    def test_lines_that_match_are_told_with_their_places(self, run: Run) -> None:
        ran = run("grep", "[x]")
        assert (ran.exit_code, ran.out) == (0, "/memories/plan.md:2:- [x] ship\n")
        assert run("grep", "--files", "-i", "REFUND").out == "/memories/customers/anna.md\n"
        assert run("grep", "--at", "2026-01-31T12:00:00Z", "[ ]").out == "/memories/plan.md:2:- [ ] ship\n"

    def test_where_only_paths_are_asked_for_json_holds_no_text(self, run: Run) -> None:
        ran = run("grep", "--files", "--json", "-i", "refund|ship", "-E")
        assert ran.results == [{"path": "/memories/customers/anna.md"}, {"path": "/memories/plan.md"}]

    def test_a_search_of_the_past_reads_the_versions_of_then(self, run: Run) -> None:
        ran = run("grep", "--json", "--at", "2026-01-31T12:00:00Z", "-E", "ship|left")
        assert ran.results == [
            {"path": "/memories/customers/old/bob.md", "line": 1, "text": "left"},
            {"path": "/memories/plan.md", "line": 2, "text": "- [ ] ship"},
        ]

    def test_without_a_match_it_says_so_by_its_exit_code(self, run: Run) -> None:
        assert (run("grep", "nowhere").exit_code, run("grep", "nowhere").out) == (1, "")

    def test_behind_the_last_line_feed_no_line_begins(self, run: Run, memory: MemoryCommands) -> None:
        memory.create("/memories/ended", "a\n\nb\n")
        memory.create("/memories/open", "a\n ")
        memory.create("/memories/empty", "")
        assert run("grep", "--regex", "^ ?$").out == "/memories/ended:2:\n/memories/open:2: \n"

    def test_an_expression_that_takes_too_long_is_ended(
        self, run: Run, memory: MemoryCommands, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("s3memory.admin.search.FILE_SECONDS", 0.2)
        memory.create("/memories/trap", "a" * 40 + "b\n")
        ran = run("grep", "--regex", "^(a+)+$")
        assert ran.exit_code == 1
        assert "takes too long for /memories/trap" in ran.err

    def test_outside_of_the_main_thread_there_is_no_timer_for_an_expression(self) -> None:
        with ThreadPoolExecutor(1) as pool, pytest.raises(ConfigurationError, match="only in the main thread"):
            pool.submit(expression, "a").result()

    def test_a_text_of_two_lines_is_refused_since_no_line_has_it(self, run: Run) -> None:
        for text in (["one\ntwo"], ["--regex", "^a\n"]):
            ran = run("grep", *text)
            assert (ran.exit_code, ran.err) == (2, "s3memory: TEXT must be one line, since lines are searched\n")

    def test_a_text_in_another_encoding_is_refused_since_no_line_has_it(self, run: Run) -> None:
        ran = run("grep", "Jos\udce9")
        assert ran.exit_code == 2
        assert "not in the encoding of this terminal" in ran.err

    def test_what_is_no_expression_is_refused(self, run: Run) -> None:
        ran = run("grep", "--regex", "(")
        assert ran.exit_code == 2
        assert "not a regular expression" in ran.err

    def test_an_expression_that_python_warns_of_is_searched_for(self, run: Run) -> None:
        ran = run("grep", "--regex", "[[x]ship|[[]x[]] ship")
        assert (ran.out, ran.err) == ("/memories/plan.md:2:- [x] ship\n", "")

    def test_what_does_not_open_is_told_and_the_rest_searched(self, run: Run, s3: S3Client, bucket: str) -> None:
        s3.put_object(Bucket=bucket, Key="memories/acme/broken", Body=b"x" * 100)
        ran = run("grep", "ship")
        assert (ran.exit_code, ran.out) == (3, "/memories/plan.md:2:- [x] ship\n")
        assert "/memories/broken does not open" in ran.err

    @pytest.mark.parametrize("moment", ["yesterday", "2026-01-31T12:00:00", "2026-01-31", "2026-01-31Z\n"])
    def test_a_time_without_a_zone_is_refused(self, run: Run, moment: str) -> None:
        assert run("ls", "--at", moment).exit_code == 2

    @pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-01:00"])
    @pytest.mark.parametrize("command", ["ls", "restore /memories"])
    def test_a_time_that_utc_has_no_year_for_is_refused(self, run: Run, command: str, moment: str) -> None:
        ran = run(*command.split(), "--at", moment)
        assert (ran.exit_code, "a time whose year in UTC is between 1 and 9999" in ran.err) == (2, True)

    @pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    def test_the_first_and_the_last_time_are_times(self, run: Run, moment: str) -> None:
        assert run("ls", "--at", moment).exit_code == 0

    def test_a_date_in_utc_is_its_first_second(self, run: Run) -> None:
        assert "append Z for UTC" in run("ls", "--at", "2026-02-01").err
        assert run("ls", "--at", "2026-02-01Z").out == run("ls").out
        assert run("ls", "--at", "2026-01-31Z").out == ""
        assert run("ls", "--at", "2026-01-31Z").exit_code == 0

    def test_a_tenant_whose_erasure_was_interrupted_is_listed_by_its_versions(
        self, run: Run, s3: S3Client, bucket: str
    ) -> None:
        """The key ring was destroyed, and of what agents had deleted before, versions are left."""
        for key in ("memories/gone/a", "redactions/redacted/1", "keyrings/ringless", "memories/left"):
            s3.put_object(Bucket=bucket, Key=key, Body=b"")
            s3.delete_object(Bucket=bucket, Key=key)
        assert [one["tenant"] for one in run("tenants", "--json").results] == ["acme"]
        listed = run("tenants", "--versions").out.splitlines()
        left = [f"{name}\t(nothing current)" for name in ("gone", "redacted", "ringless")]
        assert [line for line in listed if not line.startswith("acme")] == left
        assert [one["has_memories"] for one in run("tenants", "--versions", "--json").results] == [True] + 3 * [False]
        assert "memories/gone/a" in run("manifest", "--all", "--versions").out
        assert "memories/gone/a" not in run("manifest", "--all").out

    def test_tenants_are_listed_with_what_they_lack(self, run: Run, s3: S3Client, bucket: str) -> None:
        s3.put_object(Bucket=bucket, Key="memories/lost/a", Body=b"")
        s3.put_object(Bucket=bucket, Key="keyrings/new", Body=b"")
        # moto lists folders of which only deleted objects are left, so acme's intents are among them.
        listed = [line.replace("\t(changes under way)", "") for line in run("tenants").out.splitlines()]
        assert listed == ["acme", "lost\t(no key ring)", "new\t(no memories)"]
        assert [one["tenant"] for one in run("tenants", "--json").results] == ["acme", "lost", "new"]


class TestHistory:
    def test_a_history_is_a_line_for_each_version(self, run: Run, version: str) -> None:
        shown = run("history", "/memories/plan.md").out.splitlines()
        header, newest, note, oldest, _ = shown
        assert header.split() == ["TIME", "VERSION", "BYTES", "CHANGE"]
        assert newest.startswith("2026-01-31T13:00:00Z  ")
        assert newest.endswith("edited")
        assert header.index("CHANGE") == newest.index("edited")
        assert re.fullmatch(r"    latest; sha256 [0-9a-f]{12}; by agent-1", note)
        assert oldest.split()[1:] == [version, "18", "created"]
        assert max(map(len, shown)) <= 80

    @pytest.mark.usefixtures("version")
    def test_a_moved_file_is_followed(self, run: Run) -> None:
        moved, source = run("history", "--follow", "--json", "/memories/customers/anna.md").results
        assert (moved["operation"], source["path"]) == ("moved-here", "/memories/customers/ann.md")
        assert moved["moved_from"] == {
            "path": "/memories/customers/ann.md",
            "version_id": source["version_id"],
            "is_same_text": True,
        }
        assert "from /memories/customers/ann.md" in run("history", "--follow", "/memories/customers/anna.md").out

    @pytest.mark.usefixtures("version")
    def test_a_version_that_does_not_open_is_exit_code_3(self, run: Run, s3: S3Client, bucket: str) -> None:
        s3.put_object(Bucket=bucket, Key="memories/acme/plan.md", Body=b"x" * 100)
        ran = run("history", "/memories/plan.md")
        assert ran.exit_code == 3
        assert "does-not-open" in ran.out.splitlines()[2]

    def test_what_differs_is_shown(self, run: Run, version: str) -> None:
        ran = run("diff", "/memories/plan.md")
        assert ran.exit_code == 1
        lines = ran.out.splitlines()
        assert lines[0] == f"--- /memories/plan.md@{version}\t2026-01-31T11:00:00Z"
        assert lines[2:] == ["@@ -1,2 +1,2 @@", " # Plan", "-- [ ] ship", "+- [x] ship"]
        assert run("diff", "/memories/plan.md", "--from", version, "--to", version).exit_code == 0
        assert run("diff", "/memories/customers/anna.md").exit_code == 1, "there is no version before"

    @pytest.mark.parametrize(
        "more", [[], ["--at", "2026-01-31T12:00:00Z"], ["--from", "one", "--to", "other"]], ids=len
    )
    @pytest.mark.parametrize("path", ["/memories", "/memories/customers"])
    @pytest.mark.usefixtures("version")
    def test_a_diff_of_a_directory_says_that_it_is_one_and_what_to_do(
        self, run: Run, path: str, more: list[str]
    ) -> None:
        ran = run("diff", path, *more)
        assert (ran.exit_code, ran.out) == (1, "")
        assert f"{path} is a directory: diff compares versions of one file. `s3memory ls` lists its files" in ran.err

    @pytest.mark.usefixtures("version")
    def test_a_diff_of_what_never_was_says_so(self, run: Run) -> None:
        assert "does not exist, and no version of it is kept" in run("diff", "/memories/never").err

    @pytest.mark.usefixtures("version")
    def test_a_diff_of_a_deleted_file_leads_to_the_option_and_to_the_versions(self, run: Run) -> None:
        ran = run("diff", "/memories/customers/old/bob.md")
        told = "does not exist any more: name the newer version with --to. `s3memory history` lists the versions.\n"
        assert (ran.exit_code, ran.err) == (1, f"s3memory: The path /memories/customers/old/bob.md {told}")

    def test_a_version_is_restored_as_a_new_one(self, run: Run, version: str) -> None:
        ran = run("restore", "/memories/plan.md", "--version", version)
        assert (ran.exit_code, ran.out) == (0, "/memories/plan.md: restored\n")
        assert run("cat", "/memories/plan.md").out == "# Plan\n- [ ] ship\n"
        newest = run("history", "/memories/plan.md", "--json").results[0]
        assert (newest["operation"], newest["same_text_as"]) == ("edited", version)
        assert run("restore", "/memories/plan.md", "--version", version).err == "0 restored, 1 same, 0 refused\n"

    def test_what_does_not_open_is_replaced_and_told(self, run: Run, version: str, s3: S3Client, bucket: str) -> None:
        (stored,) = s3.list_objects_v2(Bucket=bucket, Prefix="memories/acme/plan.md")["Contents"]
        s3.put_object(Bucket=bucket, Key=stored["Key"], Body=b"altered")
        assert run("verify", "--tenant", "acme").exit_code == 1
        restore = ["restore", "/memories/plan.md", "--version", version]
        ran = run(*restore, "--dry-run")
        told = "/memories/plan.md: would be restored (the current file does not open)\n"
        assert (ran.exit_code, ran.out) == (0, told)
        assert run(*restore).out == "/memories/plan.md: restored (the file before did not open)\n"
        assert run("verify", "--tenant", "acme").exit_code == 0

    @pytest.mark.usefixtures("version")
    def test_a_dry_run_restores_nothing(self, run: Run, s3: S3Client, bucket: str) -> None:
        before = s3.list_object_versions(Bucket=bucket)["Versions"]
        ran = run("restore", "--at", "2026-01-31T12:00:00Z", "--dry-run")
        assert ran.exit_code == 0
        assert ran.out.count("would be restored") == 3
        assert s3.list_object_versions(Bucket=bucket)["Versions"] == before

    @pytest.mark.usefixtures("memory")
    def test_what_does_not_open_is_no_file_of_then_and_exit_code_3(
        self, run: Run, memory: MemoryCommands, s3: S3Client, bucket: str
    ) -> None:
        for name in ("a", "b"):
            memory.create(f"/memories/{name}", "text")
        s3.put_object(Bucket=bucket, Key="memories/acme/a", Body=b"altered")
        for dry_run in (["--dry-run"], []):
            ran = run("restore", "--at", "2126-01-31Z", *dry_run)
            assert (ran.exit_code, ran.out.count("\n")) == (3, 1)
            assert ran.out.startswith("/memories/a: refused (The file /memories/a does not open")
            assert ran.err.startswith("0 restored, 1 same, 1 refused")
        first, second = run("restore", "--at", "2126-01-31Z", "--json").results
        assert [one["is_unreadable"] for one in (first, second)] == [True, False]

    @pytest.mark.usefixtures("version")
    def test_a_moment_before_everything_is_told_as_nothing_kept(self, run: Run) -> None:
        ran = run("restore", "--at", "2020-01-01T00:00:00Z")
        told = "s3memory: Nothing was stored at /memories at 2020-01-01T00:00:00Z, or no version of it is kept\n"
        assert (ran.exit_code, ran.out, ran.err) == (1, "", told)

    @pytest.mark.usefixtures("version")
    def test_a_path_that_never_was_is_told_as_one(self, run: Run) -> None:
        ran = run("restore", "/memories/custmers", "--at", "2126-01-31Z", "--dry-run")
        told = (
            "s3memory: Nothing was stored at /memories/custmers at 2126-01-31T00:00:00Z, or no version of it is kept\n"
        )
        assert (ran.exit_code, ran.out, ran.err) == (1, "", told)

    @pytest.mark.parametrize("more", [[], ["--version", "1", "--at", "2026-01-31T12:00:00Z"]], ids=["none", "both"])
    @pytest.mark.usefixtures("memory")
    def test_one_of_version_and_time_has_to_be_given(self, run: Run, more: list[str]) -> None:
        assert run("restore", "/memories/plan.md", *more).exit_code == 2


def test_the_help_of_stat_takes_a_directory_as_its_examples_do(run: Run) -> None:
    assert "The memory path of a file or directory." in run("stat", "--help").out


class TestRedacting:
    def test_a_script_says_yes_and_how_many(self, run: Run, version: str) -> None:
        redact = ["redact-version", "/memories/plan.md", "--version", version]
        assert run(*redact).exit_code == 2, "nobody is asked where there is no terminal"
        assert run(*redact, "--yes").exit_code == 2
        assert run(*redact, "--yes", "--expect-count", "2").exit_code == 1
        assert run("cat", "/memories/plan.md", "--version", version).exit_code == 0
        assert run(*redact, "--yes", "--expect-count", "1").exit_code == 0
        for command in ("cat", "restore"):
            ran = run(command, "/memories/plan.md", "--version", version)
            assert ran.exit_code == 1
            assert f"Version {version} of /memories/plan.md was redacted at 20" in ran.err
        assert "There is no version no-such" in run("cat", "/memories/plan.md", "--version", "no-such").err
        oldest = run("history", "/memories/plan.md", "--json").results[-1]
        assert (oldest["version_id"], oldest["operation"], oldest["sha256"]) == (version, "created", None)
        assert oldest["redaction"]["redacted_by"] is None
        assert "redacted" in run("history", "/memories/plan.md").out

    def test_a_person_types_the_tenants_name(self, run: Run, version: str) -> None:
        redact = ["redact-version", "/memories/plan.md", "--version", version]
        assert run(*redact, stdin=b"acme2\n", terminal=True).exit_code == 1
        assert run("cat", "/memories/plan.md", "--version", version).exit_code == 0
        assert run(*redact, stdin=b"acme\n", terminal=True).exit_code == 0
        assert run("cat", "/memories/plan.md", "--version", version).exit_code == 1

    def test_run_again_it_says_when_and_that_the_text_may_be_there_again(self, run: Run, version: str) -> None:
        """The run before may have been killed before it had looked for what a restore stored meanwhile."""
        redact = ["redact-version", "/memories/plan.md", "--version", version]
        yes = ["--yes", "--expect-count", "1"]
        assert run(*redact, *yes).exit_code == 0
        for more in (yes, ["--dry-run"], []):
            ran = run(*redact, *more)
            assert ran.exit_code == 0
            assert f"version {version} of " in ran.out
            assert " was redacted at 20" in ran.out
            assert f"version {version} was redacted at 20" in ran.err
            assert "check the file's history" in ran.err
        assert run(*redact, *yes, "--json").results[0]["same_text"] is None

    def test_what_does_not_open_may_have_the_text_and_is_told(
        self, run: Run, version: str, s3: S3Client, bucket: str
    ) -> None:
        stored = s3.list_object_versions(Bucket=bucket)["Versions"]
        key = next(one["Key"] for one in stored if one["VersionId"] == version)
        unread = s3.put_object(Bucket=bucket, Key=key, Body=b"does not open")["VersionId"]
        ran = run("redact-version", "/memories/plan.md", "--version", version, "--dry-run", "--json")
        assert ran.results[0]["unread"] == [unread]
        assert f"version {unread} does not open, so it is not known whether it has the same text" in ran.err

    def test_a_dry_run_destroys_nothing_and_asks_nobody(
        self, run: Run, version: str, s3: S3Client, bucket: str
    ) -> None:
        before = s3.list_object_versions(Bucket=bucket)["Versions"]
        ran = run("redact-version", "/memories/plan.md", "--version", version, "--dry-run", "--json")
        assert ran.results[0]["dry_run"] is True
        assert s3.list_object_versions(Bucket=bucket)["Versions"] == before

    def test_a_count_that_differs_refuses_even_a_person(self) -> None:
        with pytest.raises(ConfigurationError):
            confirm("x", tenant="acme", count=1, yes=True, expect_count=None)


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("ls", "done"),
        ("ls --tree /memories/customers", "done"),
        ("ls /memories/nowhere", "refused"),
        ("cat /memories/plan.md", "done"),
        ("cat plan.md", "refused"),
        ("cat /memories/plan.md --tenant nobody", "refused"),
        ("stat /memories/plan.md", "done"),
        ("stat /memories/nowhere", "refused"),
        ("du /memories/customers", "done"),
        ("grep refund /memories/customers", "done"),
        ("grep ship /memories/nowhere", "refused"),
        ("history /memories/plan.md", "done"),
        ("diff /memories/plan.md", "done"),
        ("diff /memories/customers", "refused"),
        ("restore /memories/plan.md --version $version --dry-run", "done"),
        ("restore /memories/plan.md --version $version", "done"),
        ("restore /memories/plan.md --version nope", "refused"),
        ("restore /memories/customers --at 2026-01-31T12:00:00Z --dry-run", "done"),
        ("restore /memories/customers --at 2026-01-31T12:00:00Z", "done"),
        ("redact-version /memories/plan.md --version $version --dry-run", "done"),
        ("redact-version /memories/plan.md --version $version --yes --expect-count 1", "done"),
        ("redact-version /memories/plan.md --version $version --yes --expect-count 2", "refused"),
        ("redact-version /memories/plan.md --version $version", "failed"),  # there is nobody to ask
        ("redact-version /memories/plan.md --version nope", "refused"),
        ("verify", "done"),
        ("scan", "done"),
        ("repair", "done"),
        ("repair --dry-run", "done"),
    ],
)
def test_each_command_is_one_audit_event_with_the_path_that_was_named(
    run: Run, version: str, monkeypatch: pytest.MonkeyPatch, line: str, outcome: str
) -> None:
    monkeypatch.setenv("S3MEMORY_AUDIT", "paths")
    command, *arguments = Template(line).substitute(version=version).split()
    (event,) = (json.loads(told) for told in run(command, *arguments).err.splitlines() if told.startswith("{"))
    assert (event["operation"], event["outcome"]) == (command, outcome)
    sent = [one for one in arguments if one.startswith("/memories") or one.endswith(".md")]
    assert event["paths"] == ([] if command in {"verify", "scan", "repair"} else sent or ["/memories"])


@pytest.mark.usefixtures("version")
@pytest.mark.parametrize(
    ("line", "outcome", "exit_code"),
    [
        ("ls --json", "done", 0),
        ("ls", "done", 0),
        ("ls --tree", "done", 0),
        ("grep ship", "done", 0),
        ("du", "done", 0),
        ("verify --json", "done", 0),
        ("manifest", "done", 0),
        ("history /memories/plan.md", "done", 0),
        ("tenants --json", "done", 0),
        ("repair --dry-run --json", "done", 0),
        ("restore /memories --at 2026-01-31T12:00:00Z --json", "crashed", 1),  # before all is restored
    ],
)
def test_output_that_nobody_reads_to_its_end_is_no_failure_of_what_only_reads(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: str, outcome: str, exit_code: int
) -> None:
    monkeypatch.setenv("S3MEMORY_AUDIT", "on")
    monkeypatch.setattr(sys, "stdout", Closed())
    command, *arguments = line.split()
    ran = run(command, *arguments)
    (event,) = (json.loads(told) for told in ran.err.splitlines() if told.startswith("{"))
    assert (event["operation"], event["outcome"], ran.exit_code) == (command, outcome, exit_code)
    assert ("run it again" in ran.err) is bool(exit_code)
    assert [one.name for one in threading.enumerate() if one.name.startswith("s3memory-stream")] == []


@pytest.mark.usefixtures("version")
def test_a_record_that_does_not_open_is_told_behind_the_history(run: Run, s3: S3Client, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="redactions/acme/x", Body=b"")
    ran = run("history", "/memories/plan.md", "--json")
    assert (ran.exit_code, len(ran.results)) == (3, 3)
    assert ran.results[-1] == {"problem": "record-does-not-open", "object_key": "redactions/acme/x"}
    ran = run("history", "/memories/plan.md")
    assert (ran.exit_code, len(ran.out.splitlines())) == (3, 5)
    assert ran.err == "s3memory: redactions/acme/x does not open as the record of a redacted version\n"


@pytest.mark.usefixtures("version")
class TestVerify:
    def test_what_is_whole_is_exit_code_0(self, run: Run) -> None:
        ran = run("verify", "--tenant", "acme", "--versions")
        assert (ran.exit_code, ran.out) == (0, "")
        assert ran.err == "acme: 2 files, 3 older versions: 0 findings\n"

    def test_findings_are_lines_of_json_and_exit_code_1(self, run: Run, s3: S3Client, bucket: str) -> None:
        s3.put_object(Bucket=bucket, Key="memories/acme/broken", Body=b"x" * 100)
        s3.put_object(Bucket=bucket, Key="memories/acme/folder/", Body=b"")
        ran = run("verify", "--json")
        assert ran.exit_code == 1
        *findings, summary = ran.results
        assert [(one["kind"], one["path"]) for one in findings] == [
            ("does-not-open", "/memories/broken"),
            ("stray-object", None),
        ]
        assert summary == {
            "type": "tenant",
            "tenant": "acme",
            "files": 3,
            "versions": 0,
            "intents_under_way": 0,
            "records": 0,
            "findings": 2,
            "is_settled": True,
        }
        assert "acme: stray-object: memories/acme/folder/" in run("verify").out

    def test_a_tenant_that_may_not_be_used_keeps_no_other_from_being_verified(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("S3MEMORY_NAME_MODE", "encrypted-required")
        MemoryCommands.from_env(tenant="zeta").create("/memories/a", "text")
        ran = run("verify", "--all", "--json")
        assert ran.exit_code == 3
        assert "acme: not everything was verified" in ran.err
        assert [one["tenant"] for one in ran.results] == ["zeta"]

    @pytest.mark.parametrize("line", ["verify --tenant zeta", "verify --all", "verify --all --json"])
    def test_findings_are_in_the_exit_code_if_nobody_reads_them(
        self, run: Run, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch, line: str
    ) -> None:
        MemoryCommands.from_env(tenant="zeta").create("/memories/a", "text")  # behind acme, which has no findings
        s3.put_object(Bucket=bucket, Key="memories/zeta/a", Body=b"x" * 100)
        monkeypatch.setenv("S3MEMORY_AUDIT", "on")
        monkeypatch.setattr(sys, "stdout", Closed())
        ran = run(*line.split())
        assert ran.exit_code == 1
        events = [json.loads(told) for told in ran.err.splitlines() if told.startswith("{")]
        assert {(event["operation"], event["outcome"]) for event in events} == {("verify", "done")}

    def test_what_is_not_verified_is_in_the_exit_code_if_nobody_reads_it(
        self, run: Run, s3: S3Client, bucket: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        s3.put_object(Bucket=bucket, Key="memories/lost/a", Body=b"")
        monkeypatch.setattr(sys, "stdout", Closed())
        assert run("verify", "--all").exit_code == 3

    def test_all_tenants_are_verified_and_what_is_nobodys_told(self, run: Run, s3: S3Client, bucket: str) -> None:
        MemoryCommands.from_env(tenant="acme-2").create("/memories/a", "text")
        s3.put_object(Bucket=bucket, Key="memories/left-here", Body=b"")
        s3.put_object(Bucket=bucket, Key="memories/lost/a", Body=b"")
        ran = run("verify", "--all", "--json")
        assert ran.exit_code == 3, "nothing of the lost one was verified"
        found = [(one["tenant"], one["kind"]) for one in ran.results if one["type"] == "finding"]
        assert sorted(found, key=str) == [("lost", "key-ring-missing"), (None, "stray-object")]
        assert [one["tenant"] for one in ran.results if one["type"] == "tenant"] == ["acme-2", "acme", "lost"]

    def test_a_key_ring_that_does_not_open_is_exit_code_3(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
        for arguments in (["--tenant", "acme"], ["--all"]):
            ran = run("verify", *arguments)
            assert ran.exit_code == run("ls", "/memories/customers", "--tenant", "acme").exit_code == 3
            assert "acme: key-ring-unreadable: keyrings/acme" in ran.out

    def test_a_key_ring_that_does_not_open_is_told_with_the_reason(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
        reason = "The tenant's key ring does not open with the configured local key."
        assert run("verify", "--tenant", "acme").out == f"acme: key-ring-unreadable: keyrings/acme ({reason})\n"
        assert run("verify", "--tenant", "acme", "--json").results[0]["reason"] == reason
        monkeypatch.delenv("S3MEMORY_LOCAL_KEY")
        monkeypatch.setenv("S3MEMORY_KMS_KEY_ID", "alias/agent-memory")
        assert "made with another kind of key than the one configured" in run("verify", "--tenant", "acme").out

    def test_a_store_out_of_reach_is_exit_code_3(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("S3MEMORY_BUCKET", "no-such-bucket")
        assert run("verify").exit_code == 3
        assert run("verify", "--all").exit_code == 3

    @pytest.mark.parametrize(
        "line", ["scan", "export --dry-run x", "reseal", "expire --older-than 90d --dry-run", "keys show --count"]
    )
    def test_what_is_no_memory_file_is_named_by_the_command_that_others_lead_to(
        self, run: Run, s3: S3Client, bucket: str, line: str
    ) -> None:
        strays = [f"memories/acme/{name}" for name in ("folder/", "a//b")]
        for key in strays:
            s3.put_object(Bucket=bucket, Key=key, Body=b"")
        for more in ([], ["--json"]):
            told = [one for one in run(*line.split(), *more).err.splitlines() if "not memory files" in one]
            _, what, leading = told[0].split(": ")
            assert (len(told), what) == (1, "2 objects are not memory files")
            named = run(*leading.removesuffix("` to see them").removeprefix("run `s3memory ").split()).out
            assert all(f"acme: stray-object: {key}" in named for key in strays)

    def test_a_tenant_and_all_contradict(self, run: Run) -> None:
        ran = run("verify", "--tenant", "acme", "--all")
        assert (ran.exit_code, ran.err) == (2, "s3memory: give either --tenant or --all\n")

    def test_a_name_that_is_empty_is_neither_the_tenant_of_the_settings_nor_all(self, run: Run) -> None:
        for more in ([], ["--all"]):
            ran = run("verify", "--tenant", "", *more)
            assert (ran.exit_code, ran.out) == (2, "")


@pytest.mark.usefixtures("version")
@pytest.mark.parametrize(
    "line",
    [
        "history /memories/plan.md --json",
        "ls --json",
        "stat /memories/plan.md --json",
        "expire --older-than 0m --dry-run --json",
    ],
)
def test_json_times_are_utc_to_the_second_in_one_form(run: Run, line: str) -> None:
    times = re.findall(r'"modified": "([^"]*)"', run(*line.split()).out)
    assert times
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", time) for time in times)
