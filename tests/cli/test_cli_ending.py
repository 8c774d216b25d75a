"""How commands begin and end: whose bucket it is, what an interruption leaves, pipes, addresses and kinds of keys."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from support.cli_runs import Closed, Run
from support.faults import FaultLayer, other_writer_first
from support.unique import unique

from s3memory import LocalKeyWrapper, MemoryCommands, forget_keys
from s3memory.aws import clients
from s3memory.testing import MotoServer

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

CLI = [sys.executable, "-m", "s3memory"]


@pytest.fixture
def memory(settings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> MemoryCommands:
    """A tenant with two files, one of which has an older version."""
    monkeypatch.chdir(tmp_path)
    commands = MemoryCommands.from_env()
    commands.create("/memories/a.md", "one\n")
    commands.insert("/memories/a.md", 1, "two\n")
    commands.create("/memories/b.md", "three\n")
    return commands


@pytest.fixture
def oldest(memory: MemoryCommands, run: Run) -> str:
    return str(run("history", "/memories/a.md", "--json").results[-1]["version_id"])


def interrupt() -> None:
    raise KeyboardInterrupt


@pytest.fixture
def client() -> S3Client:
    from s3memory.aws import clients  # noqa: PLC0415 - the client is made here, so that the layer can be put around it

    return clients.PROCESS.s3_client()


@pytest.mark.parametrize(
    "line",
    [
        "erase --tenant acme --dry-run",
        "erase --tenant acme --yes --expect-count 1",
        "keys retire --dry-run",
        "keys retire",
        "expire --older-than 1d --dry-run",
        "expire --older-than 1d --json",
        "repair --discard-unreadable --dry-run",
        "redact-version /memories/a.md --version {oldest} --dry-run",
        "redact-version /memories/a.md --version {oldest}",
        "import new --existing overwrite --dry-run",
    ],
)
def test_what_destroys_names_the_place_in_its_first_line(
    run: Run, oldest: str, bucket: str, tmp_path: Path, line: str
) -> None:
    (tmp_path / "new").mkdir()
    first = run(*line.format(oldest=oldest).split()).err.splitlines()[0]
    endpoint = re.escape("https://s3.eu-central-1.amazonaws.com")
    account = re.escape("account 123456789012 (of the credentials)")
    assert re.fullmatch(f"bucket {bucket}, prefix .*, endpoint {endpoint}, {account}", first)


@pytest.mark.usefixtures("memory")
def test_an_answer_that_names_no_account_leaves_it_unknown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of what stands in for STS."""
    nothing: dict[str, object] = {}
    stand_in = SimpleNamespace(get_caller_identity=lambda: nothing)
    monkeypatch.setattr(clients.PROCESS, "sts_client", lambda **_: stand_in)
    ran = run("erase", "--tenant", "acme", "--dry-run")
    assert ran.exit_code == 0
    assert ran.err.splitlines()[0].endswith("account unknown (ResponseParserError)")


@pytest.mark.usefixtures("memory")
def test_the_place_has_the_account_that_the_bucket_must_belong_to(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3MEMORY_BUCKET_OWNER", "123456789012")
    monkeypatch.setenv("S3MEMORY_PREFIX", "test/")
    assert (
        run("erase", "--tenant", "acme", "--dry-run")
        .err.splitlines()[0]
        .endswith("amazonaws.com, account 123456789012")
    )
    assert ", prefix test/, " in run("erase", "--tenant", "acme", "--dry-run").err


@pytest.mark.usefixtures("settings", "no_clients_of_other_tests")
def test_the_place_is_told_without_a_password_that_its_address_holds_and_so_is_a_receipts(
    run: Run, shared_server: MotoServer, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared_server.make_bucket(bucket)
    address = shared_server.endpoint_url
    monkeypatch.setenv("S3MEMORY_ENDPOINT_URL", address.replace("//", "//anna:hunter2@"))
    ran = run("erase", "--tenant", "acme")
    assert f"endpoint {address}, account unknown" in ran.err.splitlines()[0]
    assert ran.json["endpoint"] == address
    assert "hunter2" not in ran.err + ran.out


@pytest.mark.usefixtures("memory")
class TestInterrupted:
    @pytest.mark.parametrize(
        ("line", "operation", "told"),
        [
            ("ls", "ListObjectsV2", "Nothing was changed."),
            ("grep one", "GetObject", "Nothing was changed."),
            ("verify", "ListObjectsV2", "Nothing was changed."),
            ("keys show --count", "ListObjectVersions", "Nothing was changed."),
            ("erase --tenant acme --yes --expect-count 4", "ListObjectVersions", "Nothing was changed."),
            ("export acme.tar", "GetObject", "No file was created."),
            ("export acme.tar --dry-run", "GetObject", "No file was created."),
            ("manifest", "ListObjectsV2", "The output so far is not a manifest."),
            ("scan --fix", "ListObjectsV2", "Completed work is kept: run it again to continue."),
            ("reseal", "ListObjectsV2", "Completed work is kept: run it again to continue."),
            ("reseal --dry-run", "ListObjectsV2", "Nothing was changed."),
            ("keys rotate", "PutObject", "The key ring may have changed: see `s3memory keys show`."),
            ("keys rotate --dry-run", "GetObject", "Nothing was changed."),
            ("archive", "PutObject", "It may be done: see `s3memory keys show`."),
            ("erase --tenant acme --yes --expect-count 4", "DeleteObjects", "there is no receipt yet: run it again."),
        ],
    )
    def test_a_command_says_what_it_leaves(  # noqa: PLR0917 - fixtures
        self, run: Run, client: S3Client, tmp_path: Path, line: str, operation: str, told: str
    ) -> None:
        forget_keys()
        with FaultLayer(client) as faults:
            faults.hit(operation, other_writer_first(interrupt))
            ran = run(*line.split())
        assert ran.exit_code == 130
        assert "s3memory: Interrupted. " in ran.err
        assert told in ran.err.splitlines()[-1]
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
    def test_a_signal_that_would_end_the_process_ends_a_command_as_ctrl_c_does(
        self, run: Run, client: S3Client, tmp_path: Path, number: signal.Signals
    ) -> None:
        before = signal.signal(number, signal.SIG_DFL)  # whoever started the tests may have it ignored
        try:
            with FaultLayer(client) as faults:
                faults.hit("GetObject", other_writer_first(lambda: os.kill(os.getpid(), number)), nth=2)
                ran = run("export", "acme.tar")
            assert signal.getsignal(number) is signal.SIG_DFL
        finally:
            signal.signal(number, before)
        assert ran.exit_code == 128 + number
        assert "s3memory: Interrupted. Progress: " in ran.err
        assert "No file was created." in ran.err.splitlines()[-1]
        assert list(tmp_path.iterdir()) == [], "no plaintext stays"

    def test_a_signal_that_the_caller_ignores_ends_nothing(self, run: Run, client: S3Client) -> None:
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            with FaultLayer(client) as faults:
                faults.hit("GetObject", other_writer_first(lambda: os.kill(os.getpid(), signal.SIGHUP)))
                assert run("export", "acme.tar").exit_code == 0
        finally:
            signal.signal(signal.SIGHUP, before)

    def test_what_was_done_is_counted(self, run: Run, client: S3Client) -> None:
        assert run("keys", "rotate").exit_code == 0
        with FaultLayer(client) as faults:
            faults.hit("PutObject", other_writer_first(interrupt), nth=2)
            ran = run("reseal")
        assert ran.exit_code == 130
        assert re.search(r"Progress: [0-9]+( of [0-9]+)? \([^)]+\)\. Completed work is kept", ran.err)
        assert run("reseal").exit_code == 0

    def test_an_agent_loop_hears_how_many_inputs_were_answered(self, run: Run, client: S3Client) -> None:
        view = b'{"command": "view", "path": "/memories/a.md"}\n'
        with FaultLayer(client) as faults:
            faults.hit("GetObject", other_writer_first(interrupt), nth=2)
            ran = run("call", stdin=view * 3)
        assert (ran.exit_code, len(ran.results)) == (130, 1)
        assert "1 input answered" in ran.err


@pytest.fixture(scope="session")
def environment(shared_server: MotoServer) -> dict[str, str]:
    """The environment of a process with a memory of 40 files."""
    name = unique("piped")
    shared_server.make_bucket(name)
    settings = {"S3MEMORY_BUCKET": name, "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}
    environ = os.environ | shared_server.environment | settings | {"S3MEMORY_TENANT": "acme"}
    environ.pop("S3MEMORY_KMS_ENDPOINT_URL", None)  # another module's
    inputs = "".join(
        f'{{"command": "create", "path": "/memories/{number}", "file_text": "tea\\n"}}\n' for number in range(40)
    )
    subprocess.run([*CLI, "call"], env=environ, input=inputs, text=True, check=True, capture_output=True)  # noqa: S603
    return environ


# All that only reads ends so in this process, as test_cli_looking holds.
@pytest.mark.parametrize(
    ("command", "exit_code"),
    [("ls", 0), ("diff /memories/1", 1)],  # there is no version before this one
)
def test_a_reader_that_goes_away_is_no_failure(environment: dict[str, str], command: str, exit_code: int) -> None:
    script = f"set -o pipefail; {' '.join(CLI)} {command} | true"
    inputs = '{"command": "view", "path": "/memories"}\n' * 3
    done = subprocess.run(  # noqa: S603 - our program
        ["/bin/bash", "-c", script], env=environment, input=inputs, capture_output=True, text=True, check=False
    )
    assert done.returncode == exit_code
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr


@pytest.mark.usefixtures("memory")
class TestNobodyReads:
    """The exit code of what changes something says what became of it, whoever reads what it writes."""

    @pytest.fixture
    def sources(self, tmp_path: Path) -> None:
        """A folder with a file that can't be imported, beside one that can be."""
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "binary").write_bytes(b"\xff")
        (tmp_path / "new" / "text").write_text("tea\n")

    @pytest.mark.usefixtures("sources")
    @pytest.mark.parametrize(
        ("line", "exit_code", "left"),
        [
            ("erase --tenant acme --yes --expect-count 4", 0, []),
            ("import new --partial", 1, ["/memories/a.md", "/memories/b.md", "/memories/text"]),
            ("import new --existing overwrite", 1, ["/memories/a.md", "/memories/b.md"]),
            ("keys retire", 0, ["/memories/a.md", "/memories/b.md"]),
            ("expire --older-than 1d --yes --expect-count 0", 0, ["/memories/a.md", "/memories/b.md"]),
            ("mirror {folder} -- cp new/binary {folder}", 1, ["/memories/a.md", "/memories/b.md"]),
            ("mirror {folder} -- cp new/text {folder}", 0, ["/memories/a.md", "/memories/b.md", "/memories/text"]),
        ],
    )
    @pytest.mark.parametrize("error", [None, OSError(errno.EIO, "Input/output error")], ids=["pipe", "terminal"])
    def test_standard_error(  # noqa: PLR0917 - fixtures
        self,
        run: Run,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        error: OSError | None,
        line: str,
        exit_code: int,
        left: list[str],
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", Closed(error))
            assert run(*line.format(folder=tmp_path / "folder").split()).exit_code == exit_code
        assert run("ls").out.splitlines() == left

    @pytest.mark.usefixtures("sources")
    @pytest.mark.parametrize("more", [[], ["--json"]], ids=["text", "json"])
    def test_the_outcome_of_an_import(self, run: Run, monkeypatch: pytest.MonkeyPatch, more: list[str]) -> None:
        monkeypatch.setattr(sys, "stdout", Closed())
        assert run("import", "new", "--partial", *more).exit_code == 1
        assert run("import", "new", "--dry-run", *more).exit_code == 1
        (Path("new") / "binary").unlink()
        assert run("import", "new", *more).exit_code == 0

    @pytest.mark.parametrize("error", [BrokenPipeError(errno.EPIPE, "gone"), OSError(errno.ENOSPC, "No space left")])
    def test_a_receipt_that_gets_nowhere_else_is_on_standard_error(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, error: OSError
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Closed(error))
            ran = run("erase", "--tenant", "acme", "--yes", "--expect-count", "4")
        assert ran.exit_code == 1
        assert '"tenant":"acme"' in next(line for line in ran.err.splitlines() if line.startswith("{"))
        assert run("ls").exit_code == 1, "all is destroyed"

    def test_an_outcome_that_gets_nowhere_else_is_on_standard_error(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """What was done can't be told again: a second rotation would make another key."""
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Closed(OSError(errno.ENOSPC, "No space left")))
            rotated, exported = run("keys", "rotate", "--json"), run("export", "acme.tar", "--json")
        for ran in (rotated, exported):
            assert ran.exit_code == 1
            assert ran.err.startswith("s3memory: The output can't be written: No space left. This is it:\n{")
        assert json.loads(rotated.err.splitlines()[1]) == {
            "tenant": "acme",
            "dry_run": False,
            "newest_before": 1,
            "newest": 2,
        }
        assert json.loads(exported.err.splitlines()[1])["files"] == 2
        assert (tmp_path / "acme.tar").exists()

    def test_a_receipt_is_out_before_anything_is_said_about_it(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = io.TextIOWrapper(io.BytesIO(), write_through=True)
        monkeypatch.setattr(sys, "stdout", lines)
        monkeypatch.setattr(sys, "stderr", lines)
        run("erase", "--tenant", "acme", "--yes", "--expect-count", "4")
        lines.seek(0)
        assert [line.split()[0] for line in lines][-3].startswith("{")

    @pytest.mark.parametrize("error", [BrokenPipeError(errno.EPIPE, "gone"), OSError(errno.ENOSPC, "No space left")])
    def test_the_answers_to_an_agent_loop_end_it_with_how_many_were_read(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, error: OSError
    ) -> None:
        inputs = "".join(f'{{"command": "delete", "path": "/memories/{name}.md"}}\n' for name in "ab")
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Closed(error))
            ran = run("call", stdin=inputs.encode())
        assert ran.exit_code == 1
        assert "0 inputs answered; the one that was running may have taken effect." in ran.err
        assert run("ls").out == "/memories/b.md\n"

    @pytest.mark.parametrize("line", ["--version", "--help", "ls --help", "keys --help"])
    def test_a_help_text_that_gets_nowhere(self, run: Run, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Closed(OSError(errno.ENOSPC, "No space left")))
            ran = run(*line.split())
            assert (ran.exit_code, ran.err) == (1, "s3memory: The output can't be written: No space left.\n")

    def test_what_only_reads_is_done(self, run: Run, monkeypatch: pytest.MonkeyPatch, oldest: str) -> None:
        receipt = run("erase", "--tenant", "nobody", "--receipt", "receipt.json")
        assert receipt.exit_code == 0
        monkeypatch.setattr(sys, "stdout", Closed())
        lines = (
            "settings", "keygen", "ls", "cat /memories/a.md", "stat /memories/a.md", "du", "grep one", "verify",
            "history /memories/a.md", "tenants", "redact", "manifest", "receipt receipt.json", "keys show",
            f"diff /memories/a.md --from {oldest} --to {oldest}", "restore /memories --at 2126-01-31Z --dry-run",
        )  # fmt: skip
        assert {line: (ran := run(*line.split())).exit_code for line in lines} == dict.fromkeys(lines, 0), ran.err


def test_a_process_whose_standard_error_nobody_reads_ends_as_it_would_otherwise(environment: dict[str, str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*CLI, "erase", "--tenant", "nobody", "--yes", "--expect-count", "0"]
    done = subprocess.run(  # noqa: S603 - our program
        command, env=environment | {"S3MEMORY_AUDIT": "on"}, stdout=subprocess.PIPE, stderr=writer, check=False
    )
    os.close(writer)
    assert (done.returncode, b'"found_nothing"' in done.stdout) == (0, True)


def shell(environment: dict[str, str], line: str) -> subprocess.CompletedProcess[str]:
    script = f"{' '.join(CLI)} {line}"
    return subprocess.run(  # noqa: S603 - our program
        ["/bin/bash", "-c", script], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
@pytest.mark.parametrize("command", ["ls", "cat /memories/1"])
def test_output_that_can_not_be_written_is_told_and_a_failure(environment: dict[str, str], command: str) -> None:
    done = shell(environment, f"{command} > /dev/full")
    assert done.returncode == 1
    assert re.fullmatch(r"s3memory: The output can't be written: No space left on device\.[^\[\n]*\n", done.stderr)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("redact <&-", (0, "", "0 redacted\n")),
        ("ls >&-", (1, "", "s3memory: The output can't be written: Bad file descriptor.\n")),
        ("ls /memories/0 2>&-", (0, "/memories/0\n", "")),
    ],
)
def test_a_closed_input_or_error_stream_is_an_empty_one_and_a_closed_output_can_not_be_written(
    environment: dict[str, str], line: str, told: tuple[int, str, str]
) -> None:
    done = shell(environment, line)
    assert (done.returncode, done.stdout, done.stderr) == told


@pytest.mark.usefixtures("memory")
class TestNothingThere:
    def test_a_listing_of_before_anything_existed_says_so(self, run: Run) -> None:
        ran = run("ls", "--at", "2001-01-31Z")
        assert (ran.exit_code, ran.out) == (0, "")
        assert ran.err.startswith("No file of acme was stored at 2001-01-31T00:00:00Z")

    def test_tenants_below_a_prefix_without_any_says_so(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, bucket: str
    ) -> None:
        monkeypatch.setenv("S3MEMORY_PREFIX", "wrong/")
        ran = run("tenants")
        assert (ran.exit_code, ran.out) == (0, "")
        assert ran.err == f"No tenant has data in bucket {bucket} below prefix wrong/: see S3MEMORY_PREFIX.\n"


class TestHints:
    @pytest.mark.parametrize("transport", ["boto3", "fast"])
    @pytest.mark.parametrize("setting", ["S3MEMORY_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])
    @pytest.mark.usefixtures("memory")
    def test_a_server_out_of_reach_is_named_with_what_sets_its_address(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, setting: str, transport: str
    ) -> None:
        from s3memory.aws.clients import forget_clients  # noqa: PLC0415 - as the settings change

        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"http://127.0.0.1:{free.getsockname()[1]}"
        monkeypatch.setenv(setting, address)
        monkeypatch.setenv("S3MEMORY_TRANSPORT", transport)
        forget_clients()
        ran = run("ls")
        forget_clients()
        assert ran.exit_code == 3
        assert f"No answer from {address}: see {setting}." in ran.err
        assert "acme" not in ran.err

    @pytest.mark.usefixtures("memory")
    def test_a_wrong_kind_of_key_names_both_kinds_and_the_settings(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("S3MEMORY_LOCAL_KEY")
        monkeypatch.setenv("S3MEMORY_KMS_KEY_ID", "alias/agent-memory")
        forget_keys()
        ran = run("cat", "/memories/a.md")
        assert ran.exit_code == 3
        for told in ('"local"', '"aws-kms"', "S3MEMORY_LOCAL_KEY", "S3MEMORY_KMS_KEY_ID"):
            assert told in ran.err


class TestOptions:
    @pytest.mark.usefixtures("memory")
    @pytest.mark.parametrize("line", ["verify", "manifest", "erase --dry-run"])
    def test_a_tenant_is_named_by_the_same_option_everywhere_and_by_nothing_else(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, line: str
    ) -> None:
        monkeypatch.delenv("S3MEMORY_TENANT")
        command = line.split()
        assert run(*command, "--tenant", "acme").exit_code == 0
        assert run(*command).exit_code == 2
        positional = run(*command, "acme")
        assert (positional.exit_code, positional.out) == (2, "")
        assert positional.err.splitlines()[-1].endswith("(acme). A tenant is named with --tenant.")

    @pytest.mark.usefixtures("memory")
    def test_an_erasure_is_of_one_tenant_that_is_named(self, run: Run) -> None:
        for named in ([], ["--tenant", "acme", "--tenant", "acme"], ["--tenant", ""]):
            assert run("erase", *named, "--dry-run").exit_code == 2

    @pytest.mark.parametrize("columns", [40, 60, 80, 100, 160])
    def test_settings_fit_a_terminal_of_any_width_and_cut_nothing(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
    ) -> None:
        from s3memory.cli import main  # noqa: PLC0415 - the fixture sets a width of its own
        from s3memory.config.variables import VARIABLES  # noqa: PLC0415 - same

        monkeypatch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit):
            main(["settings"])
        out = capsys.readouterr().out
        words = out.split()
        assert all(
            word in words for variable in VARIABLES for word in f"{variable.full_name} {variable.purpose}".split()
        )
        assert "…" not in out
        if columns >= 60:
            assert max(map(len, out.splitlines())) <= columns

    def test_a_diff_counts_lines_as_stat_does(self, run: Run, memory: MemoryCommands) -> None:
        memory.create("/memories/c.md", "one\ntwo")
        memory.insert("/memories/c.md", 2, "three")
        (status,) = run("stat", "/memories/c.md", "--json").results
        diff = run("diff", "/memories/c.md").out
        assert f"+1,{status['lines']} @@" in diff
        assert diff.count("\\ No newline at end of file") == 1, "of the older one"
