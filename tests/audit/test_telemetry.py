"""Audit events as spans and as metrics."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from conftest import TENANT, MakeCommands
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from support.cli_runs import Run
from support.faults import FaultLayer, refused
from support.repository import REPOSITORY

from s3memory import LocalKeyWrapper, MemoryCommands, S3MemoryError
from s3memory.audit import AuditEvent, EmfAuditor, OpenTelemetryAuditor, Outcome
from s3memory.audit.emf import printed_on
from s3memory.config.settings import Settings

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

MARK = "marzipan"
SECRET = "AKIA" + "Z7QX3LMP5TBV2KNW"
COMMANDS: dict[str, dict[str, Any]] = {
    "create": {"path": f"/memories/{MARK}.md", "file_text": f"{MARK}\n"},
    "view": {"path": f"/memories/{MARK}.md"},
    "str_replace": {"path": f"/memories/{MARK}.md", "old_str": MARK, "new_str": f"{MARK}!"},
    "insert": {"path": f"/memories/{MARK}.md", "insert_line": 0, "insert_text": MARK},
    "rename": {"old_path": f"/memories/{MARK}.md", "new_path": f"/memories/{MARK}2.md"},
    "delete": {"path": f"/memories/{MARK}2.md"},
}


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


class TestSpans:
    @pytest.fixture
    def exporter(self) -> InMemorySpanExporter:
        return InMemorySpanExporter()

    @pytest.fixture
    def provider(self, exporter: InMemorySpanExporter) -> TracerProvider:
        made = TracerProvider()
        made.add_span_processor(SimpleSpanProcessor(exporter))
        return made

    def test_each_command_is_a_client_span_named_by_the_conventions(
        self, make_commands: MakeCommands, provider: TracerProvider, exporter: InMemorySpanExporter
    ) -> None:
        commands = make_commands(auditor=OpenTelemetryAuditor(provider))
        for command, parameters in COMMANDS.items():
            commands.call({"command": command, **parameters})
        commands.search(MARK)
        commands.clear()
        spans = exporter.get_finished_spans()
        assert [(span.name, attributes(span)["s3memory.command"]) for span in spans] == [
            ("create_memory", "create"),
            ("search_memory", "view"),
            ("update_memory", "str_replace"),
            ("update_memory", "insert"),
            ("update_memory", "rename"),
            ("delete_memory", "delete"),
            ("search_memory", "search"),
            ("delete_memory", "clear"),
        ]
        for span in spans:
            assert span.kind is SpanKind.CLIENT
            assert attributes(span)["gen_ai.operation.name"] == span.name
            assert attributes(span)["gen_ai.memory.store.id"] == TENANT
            assert "gen_ai.memory.record.id" not in attributes(span)
            assert span.status.status_code is StatusCode.UNSET
        assert [attributes(span).get("gen_ai.memory.record.count") for span in spans[:4]] == [1, None, 1, 1]
        assert MARK not in "".join(span.to_json() for span in spans)

    def test_a_span_lasts_as_long_as_its_command_and_is_a_child_of_the_surrounding_span(
        self, make_commands: MakeCommands, provider: TracerProvider, exporter: InMemorySpanExporter
    ) -> None:
        commands = make_commands(auditor=OpenTelemetryAuditor(provider))
        with provider.get_tracer("agent").start_as_current_span("execute_tool memory"):
            commands.view("/memories")
        inner, outer = exporter.get_finished_spans()
        assert inner.parent is not None
        assert outer.context is not None
        assert inner.parent.span_id == outer.context.span_id
        assert outer.start_time is not None
        assert inner.start_time is not None
        assert inner.end_time is not None
        assert outer.start_time - 10**6 <= inner.start_time < inner.end_time

    def test_refusals_and_failures_are_errors_with_a_type_and_no_text(
        self, make_commands: MakeCommands, provider: TracerProvider, exporter: InMemorySpanExporter, s3: S3Client
    ) -> None:
        commands = make_commands(auditor=OpenTelemetryAuditor(provider))
        with pytest.raises(S3MemoryError):
            commands.view(f"/memories/{MARK}.md")
        commands.create("/memories/a.md", "")
        with FaultLayer(s3) as faults:
            faults.hit("GetObject", refused(403, "AccessDenied"))
            with pytest.raises(S3MemoryError):
                commands.view("/memories/a.md")
        missing, _, denied = exporter.get_finished_spans()
        assert attributes(missing)["error.type"] == "NotFoundError"
        assert attributes(denied)["error.type"] == "AccessDeniedError"
        assert {span.status.status_code for span in (missing, denied)} == {StatusCode.ERROR}
        assert MARK not in missing.to_json()
        assert not missing.events

    def test_paths_are_named_on_request_and_operators_commands_keep_their_names(
        self, make_commands: MakeCommands, provider: TracerProvider, exporter: InMemorySpanExporter
    ) -> None:
        from s3memory.admin.verify import verify  # noqa: PLC0415 - kept apart from what the module is about

        commands = make_commands(auditor=OpenTelemetryAuditor(provider, with_paths=True))
        commands.create("/memories/a.md", MARK)
        verify(commands.store, print)
        created, verified = exporter.get_finished_spans()
        assert attributes(created)["gen_ai.memory.record.id"] == "/memories/a.md"
        assert verified.name == "verify"
        assert "gen_ai.operation.name" not in attributes(verified)

    def test_without_a_provider_the_global_one_is_used_which_does_nothing_by_default(
        self, make_commands: MakeCommands
    ) -> None:
        assert make_commands(auditor=OpenTelemetryAuditor()).create("/memories/a.md", "x")


def event(*, redactions: dict[str, int]) -> AuditEvent:
    return AuditEvent(
        tenant=TENANT,
        operation="create",
        outcome=Outcome.DONE,
        error=None,
        started_at=datetime.now(UTC),
        duration_seconds=0.1,
        requests={},
        version_ids=(),
        redactions=redactions,
        actor=None,
        paths=(),
    )


class TestMetrics:
    @pytest.fixture
    def commands(self, make_commands: MakeCommands) -> MemoryCommands:
        return make_commands(auditor=EmfAuditor(), actor="agent-1")

    def test_each_command_is_one_line_in_the_embedded_metric_format(
        self, commands: MemoryCommands, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for command, parameters in COMMANDS.items():
            commands.call({"command": command, **parameters})
        out = capsys.readouterr().out
        lines = [json.loads(line) for line in out.splitlines()]
        assert [line["operation"] for line in lines] == list(COMMANDS)
        for line in lines:
            assert line["tenant"] == TENANT
            assert isinstance(line["_aws"]["Timestamp"], int)
            for directive in line["_aws"]["CloudWatchMetrics"]:
                assert directive["Namespace"] == "s3memory"
                assert not any("tenant" in dimensions for dimensions in directive["Dimensions"])
                assert all(name in line for dimensions in directive["Dimensions"] for name in dimensions)
                assert all(isinstance(line[metric["Name"]], int | float) for metric in directive["Metrics"])
        assert MARK not in out

    def test_refusals_failures_and_redactions_by_kind_are_counted(
        self, commands: MemoryCommands, capsys: pytest.CaptureFixture[str], s3: S3Client
    ) -> None:
        commands.create("/memories/a.md", f"key {SECRET}\n")
        with pytest.raises(S3MemoryError):
            commands.create("/memories/a.md", "")
        with FaultLayer(s3) as faults:
            faults.hit("GetObject", refused(403, "AccessDenied"))
            with pytest.raises(S3MemoryError):
                commands.view("/memories/a.md")
        out = capsys.readouterr().out
        stored, refusal, failure = (json.loads(line) for line in out.splitlines())
        assert (stored["Redactions"], stored["Refusals"], stored["Failures"]) == (1, 0, 0)
        (kind,) = (name for name in stored if name.startswith("Redactions."))
        assert stored[kind] == 1
        assert stored["_aws"]["CloudWatchMetrics"][1]["Metrics"] == [{"Name": kind, "Unit": "Count"}]
        assert (refusal["Refusals"], refusal["Failures"], refusal["error"]) == (1, 0, "AlreadyExistsError")
        assert (failure["Refusals"], failure["Failures"], failure["error"]) == (0, 1, "AccessDeniedError")
        assert SECRET not in out

    def test_a_directive_has_no_more_metrics_than_cloudwatch_allows(self, capsys: pytest.CaptureFixture[str]) -> None:
        kinds = {f"kind-{number}" for number in range(201)}
        EmfAuditor().audit(event(redactions=dict.fromkeys(kinds, 1)))
        _, *directives = json.loads(capsys.readouterr().out)["_aws"]["CloudWatchMetrics"]
        assert [len(one["Metrics"]) for one in directives] == [100, 100, 1]
        assert {metric["Name"] for one in directives for metric in one["Metrics"]} == {f"Redactions.{k}" for k in kinds}

    def test_if_a_protocol_uses_stdout_the_lines_go_elsewhere(
        self, commands: MemoryCommands, capsys: pytest.CaptureFixture[str]
    ) -> None:
        stream = io.StringIO()
        with printed_on(stream):
            commands.create("/memories/a.md", "")
        assert json.loads(stream.getvalue())["operation"] == "create"
        assert capsys.readouterr().out == ""
        commands.view("/memories/a.md")
        assert json.loads(capsys.readouterr().out)["operation"] == "view"

    def test_a_setting_switches_metrics_on_and_the_command_line_keeps_its_output_clean(
        self, run: Run, bucket: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert isinstance(Settings.from_env({"S3MEMORY_AUDIT": "emf"}).auditor(), EmfAuditor)
        for name, value in {
            "BUCKET": bucket,
            "LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
            "TENANT": TENANT,
            "AUDIT": "emf",
        }.items():
            monkeypatch.setenv(f"S3MEMORY_{name}", value)
        ran = run("call", '{"command": "view", "path": "/memories"}')
        assert set(json.loads(ran.out)) == {"content", "is_error"}
        assert json.loads(ran.err)["operation"] == "view"


def test_neither_is_loaded_by_default() -> None:
    program = "import sys, s3memory.audit; print('opentelemetry' in sys.modules, 's3memory.audit.emf' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout.split() == ["False", "False"]


def test_the_dashboard_shows_existing_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    text = (REPOSITORY / "terraform" / "dashboard.json").read_text("utf-8")
    widgets = json.loads(text)["widgets"]
    named = set(re.findall(r'MetricName=\\?"(\w+)', text.replace('\\"', '"')))
    named |= {row[1] for widget in widgets for row in widget["properties"].get("metrics", []) if len(row) > 1}
    EmfAuditor().audit(event(redactions={}))
    (made,) = json.loads(capsys.readouterr().out)["_aws"]["CloudWatchMetrics"]
    assert named | {"Redactions"} == {metric["Name"] for metric in made["Metrics"]}
    # CloudWatch's grid is 24 columns wide, and widgets must not overlap.
    cells = [
        (x, y)
        for one in widgets
        for x in range(one["x"], one["x"] + one["width"])
        for y in range(one["y"], one["y"] + one["height"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) == 23
