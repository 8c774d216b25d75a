"""Every command causes one event, which reports everything except the content of the memory."""

from __future__ import annotations

import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from conftest import TENANT, MakeCommands, MakeStore
from support.cli_runs import Run
from support.clock import SetClock
from support.faults import FaultLayer, refused
from support.recorder import Recorder

from s3memory import KmsKeyWrapper, LocalKeyWrapper, MemoryCommands, MemoryStore, S3MemoryTool
from s3memory.admin.listing_files import list_files, usage
from s3memory.admin.search import search
from s3memory.admin.verify import verify
from s3memory.admin.versions.history import history
from s3memory.admin.versions.point_in_time import read_text
from s3memory.audit import LOGGER, AuditEvent, LogAuditor, Outcome
from s3memory.errors import BackendError, NotFoundError, RedactionError, S3MemoryError
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor, Redaction, UncheckedTextError
from s3memory.store import tree
from s3memory.store.files import StoredFiles
from s3memory.store.matching import fixed_text

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

MARK = "marzipan"
SECRET = "AKIA" + "Z7QX3LMP5TBV2KNW"


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def commands(make_commands: MakeCommands, recorder: Recorder) -> MemoryCommands:
    return make_commands(auditor=recorder, actor="agent-1")


def path(text: str = "") -> MemoryPath:
    return MemoryPath.parse(f"/memories/{text}")


EACH: list[tuple[dict[str, Any], Outcome, str | None]] = [
    ({"command": "create", "path": f"/memories/{MARK}/a", "file_text": f"{MARK}\n"}, Outcome.DONE, None),
    ({"command": "create", "path": f"/memories/{MARK}/a", "file_text": MARK}, Outcome.REFUSED, "AlreadyExistsError"),
    ({"command": "view", "path": f"/memories/{MARK}/a"}, Outcome.DONE, None),
    ({"command": "view", "path": f"/memories/{MARK}"}, Outcome.DONE, None),
    ({"command": "view", "path": f"/memories/no-{MARK}"}, Outcome.REFUSED, "NotFoundError"),
    (
        {"command": "str_replace", "path": f"/memories/{MARK}/a", "old_str": MARK, "new_str": f"new {MARK}"},
        Outcome.DONE,
        None,
    ),
    ({"command": "insert", "path": f"/memories/{MARK}/a", "insert_line": 0, "insert_text": MARK}, Outcome.DONE, None),
    ({"command": "rename", "old_path": f"/memories/{MARK}/a", "new_path": f"/memories/{MARK}/b"}, Outcome.DONE, None),
    ({"command": "rename", "old_path": f"/memories/{MARK}", "new_path": f"/memories/c{MARK}"}, Outcome.DONE, None),
    ({"command": "delete", "path": f"/memories/c{MARK}"}, Outcome.DONE, None),
    ({"command": "delete", "path": f"/memories/c{MARK}"}, Outcome.REFUSED, "NotFoundError"),
]


class TestCommands:
    def test_each_command_is_one_event_with_its_name_outcome_and_tenant(
        self, commands: MemoryCommands, recorder: Recorder
    ) -> None:
        for sent, outcome, error in EACH:
            before = len(recorder.events)
            try:
                commands.call(sent)
            except S3MemoryError:
                assert outcome is Outcome.REFUSED
            assert len(recorder.events) == before + 1
            event = recorder.last
            assert (event.operation, event.outcome, event.error) == (sent["command"], outcome, error)
            assert (event.tenant, event.actor) == (TENANT, "agent-1")
            assert event.started_at.tzinfo is not None
            assert 0 < event.duration_seconds < 60

    def test_no_event_contains_memory_content_or_paths(self, commands: MemoryCommands, recorder: Recorder) -> None:
        for sent, _, _ in EACH:
            try:
                commands.call(sent)
            except S3MemoryError:
                continue
        assert len(recorder.events) == len(EACH)
        assert MARK not in str(recorder.events)

    def test_paths_are_reported_if_the_auditor_asks_for_them_and_texts_never(self, make_commands: MakeCommands) -> None:
        recorder = Recorder(with_paths=True)
        commands = make_commands(auditor=recorder)
        commands.create("/memories/a", MARK)
        commands.call({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"})
        with pytest.raises(S3MemoryError):
            commands.view("/etc/\x1b[2J" + "x" * 5_000)
        assert [one.paths for one in recorder.events[:2]] == [("/memories/a",), ("/memories/a", "/memories/b")]
        (hostile,) = recorder.last.paths
        assert hostile.startswith("/etc/\\x1b[2J")
        assert len(hostile) < 1_100
        assert MARK not in str(recorder.events)

    def test_a_command_that_does_not_start_for_lack_of_time_is_an_event(self, make_commands: MakeCommands) -> None:
        recorder = Recorder(with_paths=True)
        commands = make_commands(auditor=recorder, remaining_seconds=lambda: 0.0)
        for sent, _, _ in EACH:
            with pytest.raises(S3MemoryError, match="no time left"):
                commands.call(sent)
            paths = tuple(sent[name] for name in ("path", "old_path", "new_path") if name in sent)
            told = (recorder.last.operation, recorder.last.outcome, recorder.last.paths)
            assert told == (sent["command"], Outcome.FAILED, paths)
        with pytest.raises(S3MemoryError, match="no time left"):
            commands.clear()
        assert (recorder.last.operation, recorder.last.error) == ("clear", "UnavailableError")

    def test_a_path_that_the_redactor_refuses_is_not_reported_to_an_auditor_either(
        self, make_commands: MakeCommands
    ) -> None:
        recorder = Recorder(with_paths=True)
        commands = make_commands(auditor=recorder)
        commands.create("/memories/a", "")
        with pytest.raises(RedactionError):
            commands.create(f"/memories/key {SECRET}.txt", "")
        with pytest.raises(RedactionError):
            commands.rename("/memories/a", f"/memories/{SECRET}")
        assert [one.paths for one in recorder.events[1:]] == [("(refused)",), ("(refused)", "(refused)")]

    def test_a_path_on_which_the_redactor_fails_is_not_reported_either(self, make_commands: MakeCommands) -> None:
        class OfNames:
            def redact(self, text: str, /) -> Redaction:
                if "Anna" in text:
                    raise UncheckedTextError
                return Redaction(text)

        recorder = Recorder(with_paths=True)
        commands = make_commands(auditor=recorder, redactor=OfNames())
        with pytest.raises(RedactionError):
            commands.create("/memories/Anna Smith.md", "x")
        assert recorder.last.paths == ("(refused)",)

    def test_a_path_is_reported_if_the_redactor_refuses_only_the_text(self, make_commands: MakeCommands) -> None:
        recorder = Recorder(with_paths=True)
        commands = make_commands(auditor=recorder, redactor=PatternRedactor(policy={"*": "block"}))
        with pytest.raises(RedactionError):
            commands.create("/memories/a", SECRET)
        assert recorder.last.paths == ("/memories/a",)

    def test_an_auditor_whose_with_paths_fails_does_not_stop_a_command(self, make_commands: MakeCommands) -> None:
        class Broken(Recorder):
            @property
            def with_paths(self) -> bool:
                raise OSError

            @with_paths.setter
            def with_paths(self, value: bool) -> None: ...

        recorder = Broken()
        make_commands(auditor=recorder).create("/memories/a", "")
        assert recorder.last.paths == ()

    @pytest.mark.parametrize("sent", [{"command": "format"}, "view", {"command": "view"}, None], ids=repr)
    def test_input_that_is_not_a_command_is_also_an_event(
        self, commands: MemoryCommands, recorder: Recorder, sent: object
    ) -> None:
        with pytest.raises(S3MemoryError):
            commands.call(sent)
        assert [(one.operation, one.outcome) for one in recorder.events] == [("call", Outcome.REFUSED)]

    def test_requests_of_all_threads_are_counted(self, commands: MemoryCommands, recorder: Recorder) -> None:
        """The counts are those of the table in docs/semantics.md."""
        commands.create("/memories/warm", "")
        commands.create("/memories/d/e/a", "text")
        assert recorder.last.requests == {"HeadObject": 2, "ListObjectsV2": 1, "PutObject": 1}
        commands.view("/memories/d/e")
        assert recorder.last.requests == {"GetObject": 1, "ListObjectsV2": 1}
        commands.insert("/memories/d/e/a", 0, "more")
        assert recorder.last.requests == {"GetObject": 1, "PutObject": 1}
        commands.delete("/memories/d/e/a")
        assert recorder.last.requests == {"DeleteObject": 1, "ListObjectsV2": 1}

    def test_requests_to_kms_and_retries_are_counted(
        self, make_commands: MakeCommands, recorder: Recorder, s3: S3Client
    ) -> None:
        kms = boto3.client("kms")
        wrapper = KmsKeyWrapper(kms.create_key()["KeyMetadata"]["KeyId"], kms_client=kms)
        make_commands(key_wrapper=wrapper, auditor=recorder, key_cache=KeyCache()).create("/memories/a.md", "text")
        assert recorder.last.requests["GenerateDataKey"] == 1
        make_commands(key_wrapper=wrapper, auditor=recorder, key_cache=KeyCache()).view("/memories/a.md")
        assert recorder.last.requests == {"Decrypt": 1, "GetObject": 2}
        commands = make_commands(key_wrapper=wrapper, auditor=recorder)
        commands.view("/memories/a.md")
        with FaultLayer(s3) as faults:
            faults.hit("GetObject", refused(503, "SlowDown"))
            commands.view("/memories/a.md")
        assert recorder.last.requests == {"GetObject": 2}

    def test_written_versions_are_named(
        self, commands: MemoryCommands, recorder: Recorder, s3: S3Client, bucket: str
    ) -> None:
        commands.create("/memories/warm", "")
        commands.create("/memories/a", "text")
        created = s3.head_object(Bucket=bucket, Key=f"memories/{TENANT}/a")["VersionId"]
        assert list(recorder.last.version_ids) == [created]
        commands.rename("/memories/a", "/memories/b")
        renamed = s3.head_object(Bucket=bucket, Key=f"memories/{TENANT}/b")["VersionId"]
        marker = s3.list_object_versions(Bucket=bucket, Prefix=f"memories/{TENANT}/a")["DeleteMarkers"][0]["VersionId"]
        assert list(recorder.last.version_ids) == [renamed, marker]
        commands.view("/memories/b")
        assert list(recorder.last.version_ids) == []

    @pytest.mark.parametrize("crash", [KeyboardInterrupt, BrokenPipeError])
    def test_a_store_error_is_a_failure_and_any_other_exception_a_crash(
        self,
        commands: MemoryCommands,
        recorder: Recorder,
        s3: S3Client,
        monkeypatch: pytest.MonkeyPatch,
        crash: type[BaseException],
    ) -> None:
        commands.create("/memories/a", "text")
        with FaultLayer(s3) as faults:
            faults.hit("GetObject", refused(403, "AccessDenied"))
            with pytest.raises(BackendError):
                commands.view("/memories/a")
        assert (recorder.last.outcome, recorder.last.error) == (Outcome.FAILED, "AccessDeniedError")

        def fail(*_: object, **__: object) -> None:
            raise crash(MARK)

        monkeypatch.setattr(StoredFiles, "read", fail)
        with pytest.raises(crash):
            commands.view("/memories/a")
        assert (recorder.last.outcome, recorder.last.error) == (Outcome.CRASHED, crash.__name__)
        assert MARK not in str(recorder.last)

    def test_parallel_commands_count_their_own_requests(self, make_commands: MakeCommands) -> None:
        """All use one client, as the stores of a process do."""
        recorders = [Recorder() for _ in range(8)]
        make_commands().create("/memories/warm", "")
        meeting = threading.Barrier(len(recorders), timeout=60)

        def run(number: int) -> None:
            commands = make_commands(auditor=recorders[number])
            meeting.wait()
            for step in range(3):
                commands.create(f"/memories/{number}/{step}", "text")

        with ThreadPoolExecutor(len(recorders)) as pool:
            list(pool.map(run, range(len(recorders))))
        expected = {"HeadObject": 1, "ListObjectsV2": 1, "PutObject": 1}
        assert [[one.requests for one in each.events] for each in recorders] == [[expected] * 3] * len(recorders)

    def test_a_failing_auditor_does_not_hold_back_an_answer(
        self, make_commands: MakeCommands, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Failing(Recorder):
            def audit(self, event: AuditEvent, /) -> None:
                raise RuntimeError(f"{MARK} {event}")

        commands = make_commands(auditor=Failing())
        assert "created" in commands.create("/memories/a", "text")
        assert "text" in commands.view("/memories/a")
        assert caplog.messages == ["the auditor failed: RuntimeError"] * 2
        assert MARK not in caplog.text

    def test_an_auditor_that_hides_that_it_is_async_is_reported_because_its_events_are_lost(
        self, make_commands: MakeCommands, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def heard_later(_event: AuditEvent) -> None: ...

        class Hiding(Recorder):
            def audit(self, event: AuditEvent, /) -> Any:
                return heard_later(event)

        make_commands(auditor=Hiding()).create("/memories/a", "text")
        assert caplog.messages == ["the auditor failed: its method audit is async, and nobody awaits it"]

    def test_the_tool_and_clearing_are_audited_too(self, make_commands: MakeCommands, recorder: Recorder) -> None:
        tool = S3MemoryTool.from_commands(make_commands(auditor=recorder))
        tool.call({"command": "create", "path": "/memories/a", "file_text": "text"})
        tool.clear_all_memory()
        assert recorder.operations() == ["create", "clear"]

    def test_nothing_is_audited_by_default(self, make_commands: MakeCommands, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG, logger="s3memory")
        make_commands().create("/memories/a", "text")
        assert caplog.messages == []


class TestOperators:
    @pytest.fixture
    def store(self, make_store: MakeStore, recorder: Recorder) -> MemoryStore:
        made = make_store(auditor=recorder)
        for number in range(5):
            made.create(path(f"d/{number}"), "text")
        return made

    def test_each_function_is_one_event_with_all_its_requests(self, store: MemoryStore, recorder: Recorder) -> None:
        verify(store, print)
        assert (recorder.last.operation, recorder.last.requests["GetObject"]) == ("verify", 6)
        history(store, path("d/1"))
        assert recorder.last.requests == {"GetObject": 1, "ListObjectVersions": 1, "ListObjectsV2": 1}
        read_text(store, path("d/1"))
        usage(store, path())
        tree.repair(store)
        assert recorder.operations() == ["verify", "history", "cat", "du", "repair"]

    def test_a_generator_is_an_event_when_it_ends_or_is_closed(self, store: MemoryStore, recorder: Recorder) -> None:
        found = search(store, path(), fixed_text("text"))
        next(found)
        assert recorder.events == []
        read_text(store, path("d/1"))
        assert recorder.operations() == ["cat"], "what is done in between is an event of its own"
        assert recorder.last.requests == {"GetObject": 1}
        assert len(list(found)) == 4
        assert (recorder.last.operation, recorder.last.outcome) == ("grep", Outcome.DONE)
        assert recorder.last.requests == {"GetObject": 5, "ListObjectsV2": 1}
        entries = list_files(store, path())
        next(entries)
        entries.close()  # type: ignore[attr-defined]  # it is a generator
        assert (recorder.last.operation, recorder.last.outcome) == ("ls", Outcome.DONE)

    def test_an_error_is_in_the_event(self, store: MemoryStore, recorder: Recorder) -> None:
        with pytest.raises(NotFoundError):
            history(store, path("nowhere"))
        assert (recorder.last.outcome, recorder.last.error) == (Outcome.REFUSED, "NotFoundError")

    def test_scans_are_audited(self, store: MemoryStore, recorder: Recorder) -> None:
        from s3memory.admin.scanning import scan  # noqa: PLC0415 - kept apart from what the module is about

        scan(store, PatternRedactor())
        assert recorder.operations() == ["scan"]


class TestTheLog:
    def test_an_event_is_one_json_object(self, make_commands: MakeCommands, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO, logger=LOGGER)
        commands = make_commands(auditor=LogAuditor(), actor="agënt")
        commands.create("/memories/a", MARK)
        with pytest.raises(S3MemoryError):
            commands.create("/memories/a", MARK)
        first, second = (json.loads(message) for message in caplog.messages)
        assert all(message.isascii() and "\n" not in message for message in caplog.messages)
        assert set(first) == {field.name for field in AuditEvent.__dataclass_fields__.values()}
        assert (first["operation"], first["outcome"], first["error"]) == ("create", "done", None)
        assert (second["outcome"], second["error"]) == ("refused", "AlreadyExistsError")
        assert [record.levelname for record in caplog.records] == ["INFO", "INFO"]
        assert MARK not in caplog.text

    def test_a_failure_is_a_warning(
        self, make_commands: MakeCommands, caplog: pytest.LogCaptureFixture, s3: S3Client
    ) -> None:
        commands = make_commands(auditor=LogAuditor())
        with FaultLayer(s3) as faults:
            faults.hit("GetObject", refused(403, "AccessDenied"))
            faults.hit("GetObject", refused(403, "AccessDenied"), nth=2)
            faults.hit("ListObjectsV2", refused(403, "AccessDenied"))
            with pytest.raises(BackendError):
                commands.view("/memories/a")
        assert [record.levelname for record in caplog.records if record.name == LOGGER] == ["WARNING"]

    @pytest.fixture
    def environment(self, monkeypatch: pytest.MonkeyPatch, bucket: str) -> dict[str, Any]:
        variables = {
            "S3MEMORY_BUCKET": bucket,
            "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
            "S3MEMORY_TENANT": TENANT,
        }
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return variables

    @pytest.mark.parametrize(("value", "paths"), [("on", []), ("paths", [f"/memories/{MARK}"])])
    def test_the_command_line_writes_events_to_stderr_on_request(
        self, run: Run, environment: dict[str, Any], monkeypatch: pytest.MonkeyPatch, value: str, paths: list[str]
    ) -> None:
        assert environment
        assert "{" not in run("tenants").err
        monkeypatch.setenv("S3MEMORY_AUDIT", value)
        ran = run("call", json.dumps({"command": "view", "path": f"/memories/{MARK}"}))
        event = json.loads(ran.err.splitlines()[-1])
        assert (event["operation"], event["outcome"], event["paths"]) == ("view", "refused", paths)
        assert json.loads(run("tenants").err.splitlines()[0])["tenant"] is None
        assert logging.getLogger(LOGGER).handlers == []

    def test_history_is_audited_through_the_command_line(
        self, run: Run, environment: dict[str, Any], monkeypatch: pytest.MonkeyPatch, at: SetClock
    ) -> None:
        at(0)
        assert environment
        MemoryCommands.from_env().create("/memories/a", "text")
        monkeypatch.setenv("S3MEMORY_AUDIT", "on")
        assert [json.loads(line)["operation"] for line in run("history", "/memories/a").err.splitlines()] == ["history"]
        assert [json.loads(line)["operation"] for line in run("ls").err.splitlines()] == ["ls"]


def test_an_event_is_plain_data(commands: MemoryCommands, recorder: Recorder) -> None:
    commands.create("/memories/a", "text")
    assert json.dumps(asdict(recorder.last), default=str)
