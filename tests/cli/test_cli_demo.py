"""The demo: the whole of it once, what it concludes from what it saw, and that it leaves nothing behind."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from s3memory.cli import main
from s3memory.cli.demo import run, story
from s3memory.cli.demo.evidence import (
    COPIED,
    FLIPPED,
    RESTORED,
    Claim,
    Evidence,
    Invocation,
    Probe,
    StoredVersion,
    conclude,
)
from s3memory.cli.demo.show import Show
from s3memory.cli.demo.stage import DemoError, running
from s3memory.testing import ScriptedMessagesAPI, ServedRequest

pytestmark = pytest.mark.long

DEMO = [sys.executable, "-m", "s3memory", "demo"]
MARK = "CLI_DEMO_TEST"
TOKEN = "not-a-token-but-looked-for"
A_KMS_REQUEST = ServedRequest("kms", "Decrypt", "/", 200)
REFUSED = "Error: The file /memories/deploy.md does not open."
NOTE = f"- Deploys: {story.REMEMBERED}\n- Deploy token: [REDACTED:github-token]"


def processes_marked(mark: str) -> list[int]:
    """Return the processes that have inherited an environment variable of this value."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in environ.read_bytes().split(b"\0"):
                found.append(int(environ.parent.name))
        except OSError:
            continue
    return found


def environment(mark: str, **more: str) -> dict[str, str]:
    return os.environ | {MARK: mark} | more


def demonstrated(*arguments: str, **more: str) -> dict[str, Any]:
    """Run the demo in a process of its own. Return its report."""
    mark = uuid.uuid4().hex
    done = subprocess.run(  # noqa: S603 - this interpreter and our program
        [*DEMO, "--json", *arguments], env=environment(mark, **more), capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert processes_marked(mark) == []
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if report["ok"] else 1)
    return report


def test_the_demo_shows_what_it_claims() -> None:
    # Settings of whoever runs it are none of its business.
    report = demonstrated(S3MEMORY_BUKET="misspelt", AWS_PROFILE="missing", HTTP_PROXY="http://127.0.0.1:9")
    assert [check["claim"] for check in report["checks"] if not check["held"]] == []
    assert len(report["checks"]) == 11
    assert report["ok"]
    first, second, third = report["invocations"]
    assert len({first["pid"], second["pid"], third["pid"]}) == 3
    assert [one["tenant"] for one in report["invocations"]] == ["acme", "acme", "globex"]
    kms = [{key: n for key, n in one["requests"].items() if key.startswith("kms")} for one in report["invocations"]]
    made = {"kms GenerateDataKey": 1, "kms Decrypt": 1}
    assert kms == [made, {"kms Decrypt": 1}, made]
    current = {stored["object_key"]: stored for stored in report["objects"] if stored["is_current"]}
    assert {"keyrings/acme", "keyrings/globex", "memories/acme/deploy.md"} < set(current)
    assert current["memories/acme/deploy.md"]["first_bytes"].startswith(b"S3M1".hex())
    assert [probe["is_error"] for probe in report["tampering"]] == [True, True, False]


def test_a_live_demo_asks_the_api_of_the_environment() -> None:
    script = [step for act in story.acts(story.made_up_token()) for step in act.script]
    with ScriptedMessagesAPI(script) as api:
        report = demonstrated("--live", **api.environment)
    assert report["ok"]
    assert report["tampering"] == []
    assert [one["tenant"] for one in report["invocations"]] == ["acme", "acme", "globex"]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes by their environment")
@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_stops_everything_and_is_no_traceback() -> None:
    mark = uuid.uuid4().hex
    with subprocess.Popen(  # noqa: S603 - this interpreter and our program
        DEMO, env=environment(mark), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        assert demo.stderr is not None
        for line in demo.stdout:
            if line.startswith("1. "):
                break
        assert len(processes_marked(mark)) > 1
        demo.send_signal(signal.SIGINT)
        assert demo.wait(timeout=30) == 130
        assert "Traceback" not in demo.stderr.read()
    assert processes_marked(mark) == []


def invocation(tenant: str, *uses: tuple[str, str, bool], answer: str = "") -> Invocation:
    """Return an invocation of commands, their results, and whether these were errors."""
    messages: list[Mapping[str, Any]] = []
    for number, (command, content, is_error) in enumerate(uses):
        tool_input = {"command": command, "path": "/memories"}
        use = {"type": "tool_use", "id": str(number), "input": tool_input}
        result = {"type": "tool_result", "tool_use_id": str(number), "content": content, "is_error": is_error}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    messages.append({"role": "assistant", "content": [{"type": "text", "text": answer}]})
    requests = [A_KMS_REQUEST, ServedRequest("s3", "GetObject", "/b/memories/a", 200)]
    return Invocation("title", tenant, 1, 0.1, messages, requests)


READ = ("view", NOTE, False)
EMPTY = ("view", "0B\t/memories", False)
LISTED = ("view", f"126B\t{story.KEPT}", False)
ERROR = ("view", REFUSED, True)

FIRST = invocation(
    "acme", *((command, "done", False) for command in ("view", "create", "str_replace", "insert", "rename"))
)
SECOND = invocation("acme", READ, answer="On Tuesdays.")
TOLD = invocation("acme", ("view", NOTE + TOKEN, False), answer="On Tuesdays.")
THIRD = invocation("globex", EMPTY, ERROR, ERROR)
VERSIONS = [
    StoredVersion("keyrings/acme", b"{}"),
    StoredVersion("memories/acme/deploy.md", b"S3M1\x00\x00\x00\x01\xff"),
    StoredVersion("memories/acme/notes.md", b"S3M1\x00\x00\x00\x01\xfe", is_current=False),
    StoredVersion("memories/globex/c2VhbGVk", b"S3M1\x00\x00\x00\x01\xfd"),
]
PROBES = {
    FLIPPED: Probe(FLIPPED, REFUSED, is_error=True),
    COPIED: Probe(COPIED, REFUSED, is_error=True),
    RESTORED: Probe(RESTORED, NOTE, is_error=False),
}
GOOD = Evidence(TOKEN, [FIRST, SECOND, THIRD], VERSIONS, PROBES, ["agent-memory", "arn:"])


def but(name: str, content: str, *, is_error: bool) -> Evidence:
    """Return the good evidence but for one probe."""
    return replace(GOOD, probes={**PROBES, name: Probe(name, content, is_error=is_error)})


def with_version(object_key: str, body: bytes) -> Evidence:
    return replace(GOOD, versions=[*VERSIONS, StoredVersion(object_key, body, is_current=False)])


def failed(evidence: Evidence) -> list[str]:
    return [check.claim for check in conclude(evidence) if not check.held]


def test_good_evidence_bears_every_claim_out() -> None:
    assert failed(GOOD) == []
    assert len(conclude(GOOD)) == 11


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (replace(GOOD, invocations=[replace(FIRST, messages=FIRST.messages[:4]), SECOND, THIRD]), "viewed, created"),
        (replace(GOOD, invocations=[FIRST, invocation("acme", READ), THIRD]), "recalled"),
        (replace(GOOD, invocations=[FIRST, invocation("acme", answer="Tuesday"), THIRD]), "redacted"),
        (replace(GOOD, invocations=[FIRST, TOLD, THIRD]), "redacted"),
        (replace(GOOD, invocations=[FIRST, SECOND, invocation("globex", LISTED, ERROR, ERROR)]), "globex saw nothing"),
        (replace(GOOD, invocations=[FIRST, SECOND, invocation("globex", EMPTY, READ)]), "globex saw nothing"),
        (replace(GOOD, invocations=[FIRST, SECOND, replace(THIRD, messages=[])]), "globex saw nothing"),
        (with_version("memories/acme/notes.md", b"S3M1.. Deploys: on Tuesdays"), "readable"),
        (with_version("keyrings/acme", TOKEN.encode()), "readable"),
        (replace(GOOD, versions=[]), "readable"),
        (with_version("memories/globex/deploy.md", b"S3M1"), "names of globex"),
        (replace(GOOD, versions=VERSIONS[:3]), "names of globex"),
        (replace(GOOD, invocations=[FIRST, SECOND, replace(THIRD, requests=2 * [A_KMS_REQUEST])]), "one data key"),
        (replace(GOOD, invocations=[FIRST, SECOND, replace(THIRD, requests=[])]), "one data key"),
        (but(FLIPPED, NOTE, is_error=False), "flipped bit"),
        (but(FLIPPED, "", is_error=False), "flipped bit"),
        (but(COPIED, NOTE, is_error=False), "copied"),
        (but(FLIPPED, "arn:aws:s3:::somewhere", is_error=True), "an ARN"),
        (but(COPIED, "NoSuchKey in agent-memory", is_error=True), "an ARN"),
        (but(RESTORED, REFUSED, is_error=True), "opened again"),
        (replace(GOOD, probes={}), "flipped bit"),
    ],
)  # fmt: skip
def test_evidence_against_a_claim_refutes_it(evidence: Evidence, claim: str) -> None:
    assert any(claim in failed_claim for failed_claim in failed(evidence))


def test_with_a_real_claude_only_what_must_hold_is_checked() -> None:
    live = replace(GOOD, versions=None, probes={}, resource_names=(), scripted=False)
    live = replace(live, invocations=[replace(FIRST, messages=[]), SECOND, replace(THIRD, messages=[])])
    assert failed(live) == []
    assert 0 < len(conclude(live)) < 5


@pytest.fixture
def shown() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def text_of(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def show_all(console: Console, checks: Sequence[Claim]) -> None:
    show = Show(console)
    show.opening(scripted=True, own_store=False)
    show.act(story.acts(TOKEN)[0], 4711)
    for message in [*SECOND.messages, *THIRD.messages]:
        show.message(message)
    show.bucket(VERSIONS)
    show.attacks(PROBES)
    show.costs(GOOD.invocations)
    show.checks(checks, seconds=1.0)
    show.closing()


@pytest.mark.parametrize("width", [40, 80, 120])
def test_what_is_shown_fits_the_width_and_ends_no_line_in_blanks(shown: io.TextIOWrapper, width: int) -> None:
    show_all(Console(file=shown, width=width), conclude(GOOD))
    lines = text_of(shown).splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []


def test_texts_are_shown_as_they_are_and_not_as_markup(shown: io.TextIOWrapper) -> None:
    show_all(Console(file=shown, width=80), conclude(GOOD))
    assert "[REDACTED:github-token]" in text_of(shown)


def test_what_held_is_ticked_and_what_did_not_is_crossed(shown: io.TextIOWrapper) -> None:
    Show(Console(file=shown, width=80)).checks(
        [Claim("water is wet", held=True), Claim("ice is hot", held=False)], seconds=1
    )
    assert "✓ water is wet" in text_of(shown)
    assert "✗ ice is hot" in text_of(shown)


def test_a_terminal_without_unicode_gets_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    show_all(Console(file=stream, width=80), [Claim("water is wet", held=True), Claim("ice is hot", held=False)])
    assert "ok water is wet" in text_of(stream)
    assert "FAILED ice is hot" in text_of(stream)


@pytest.mark.parametrize("no_color", [False, True])
def test_there_is_colour_on_a_terminal_unless_no_color_is_set(shown: io.TextIOWrapper, *, no_color: bool) -> None:
    variables = {"TERM": "xterm-256color"} | ({"NO_COLOR": "1"} if no_color else {})
    show_all(Console(file=shown, width=80, force_terminal=True, _environ=variables), conclude(GOOD))
    assert ("\x1b[32m" in text_of(shown)) is not no_color


@pytest.mark.parametrize("arguments", [["demo"], ["demo", "--json"]], ids=["text", "json"])
def test_a_claim_that_does_not_hold_makes_the_demo_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    bad = but(FLIPPED, NOTE, is_error=False)
    monkeypatch.setattr(run, "perform", lambda *_, **__: (bad, conclude(bad)))
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    captured = capsys.readouterr()
    assert ended.value.code == 1
    assert captured.err == "s3memory: a check failed: see the list of checks\n"
    if "--json" in arguments:
        assert json.loads(captured.out)["ok"] is False
    else:
        assert "✗ A file with one flipped bit was refused" in captured.out


def test_a_demo_whose_agent_fails_says_why_and_exits_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    acts = [replace(act, settings={"S3MEMORY_BUKET": "x"}) for act in story.acts(TOKEN)]
    monkeypatch.setattr(story, "acts", lambda _: acts)
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--json"])
    captured = capsys.readouterr()
    assert (ended.value.code, captured.out) == (1, "")
    assert captured.err.startswith(
        "s3memory: the demo could not finish: -m s3memory.cli.agent ended with exit code 1\n"
    )
    assert "S3MEMORY_BUKET is not a setting" in captured.err


def test_a_child_process_has_pipes_and_ends_with_its_context() -> None:
    with running(["-c", "print(input())"], os.environ, timeout_seconds=30) as child:
        child.send("hello")
        assert child.lines.readline() == "hello\n"


def test_no_file_of_the_working_folder_shadows_a_module_of_a_child_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.chdir(tmp_path)
    with running(["-c", "import json; print(json.dumps(1))"], dict(os.environ), timeout_seconds=60) as child:
        assert child.lines.readline() == "1\n"


def test_a_child_process_that_fails_is_an_error_with_the_end_of_what_it_said() -> None:
    program = "import sys; print(*range(100), sep='\\n', file=sys.stderr); sys.exit(3)"

    def send_too_late() -> None:
        with running(["-c", program], os.environ, timeout_seconds=30) as child:
            child.lines.read()
            child.send("nobody reads this, and that is no error of its own")

    with pytest.raises(DemoError, match=r"(?s)ended with exit code 3\n95\n.*99$"):
        send_too_late()


def test_a_child_process_that_takes_too_long_is_killed() -> None:
    with (
        pytest.raises(DemoError, match="ended with exit code"),
        running(["-c", "import time; time.sleep(60)"], os.environ, timeout_seconds=0.2) as child,
    ):
        assert child.lines.read() == ""


def test_a_child_process_is_killed_when_the_body_fails() -> None:
    mark = uuid.uuid4().hex

    def fail() -> None:
        with running(["-c", "import time; time.sleep(60)"], environment(mark), timeout_seconds=60):
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert processes_marked(mark) == []
