"""A handler runs on this machine as on Lambda: through AWS's own runtime interface client."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from support.lambda_runtime import InitError, LambdaFunction

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="awslambdaric is for Linux")


def function(tmp_path: Path, source: str, **more: Any) -> LambdaFunction:
    (tmp_path / "tried.py").write_text(dedent(source), "utf-8")
    arguments: dict[str, Any] = {"search_path": [tmp_path], "environment": {}, "site_packages": False, **more}
    return LambdaFunction("tried.handler", **arguments)


def test_a_process_serves_one_event_after_another(tmp_path: Path) -> None:
    source = """
    import os
    seen = []
    def handler(event, context):
        seen.append(event["name"])
        print("saw", len(seen))
        in_time = 0 < context.get_remaining_time_in_millis() <= 9000
        home, setting = os.environ.get("HOME"), os.environ["SETTING"]
        return {"seen": seen, "setting": setting, "home": home, "in_time": in_time,
                "id": context.aws_request_id, "tenant": context.tenant_id}
    """
    with function(tmp_path, source, environment={"SETTING": "x"}, timeout_seconds=9) as tried:
        first, second = tried.invoke({"name": "a"}), tried.invoke({"name": "ü"}, tenant_id="acme")
    assert first.response == {
        "seen": ["a"], "setting": "x", "home": None, "in_time": True, "id": first.request_id, "tenant": None,
    }  # fmt: skip
    assert second.response["seen"] == ["a", "ü"]
    assert second.response["tenant"] == "acme"
    assert (first.log, second.log) == ("saw 1\n", "saw 2\n")
    assert tried.asked[:4] == ["next", "response", "next", "response"]


def test_an_exception_of_a_handler_is_reported_and_the_process_stays(tmp_path: Path) -> None:
    source = """
    count = 0
    def handler(event, context):
        global count
        count += 1
        if count == 1:
            raise KeyError("no such thing")
        return count
    """
    with function(tmp_path, source) as tried:
        failed, after = tried.invoke({}), tried.invoke({})
    assert failed.error is not None
    assert (failed.error.error_type, failed.error.message) == ("KeyError", "'no such thing'")
    assert "tried.py" in failed.error.stack_trace[0]
    assert failed.response is None
    assert (after.response, after.error) == (2, None)


@pytest.mark.parametrize(
    ("source", "error_type"),
    [
        ("raise ValueError('set it')", "ValueError"),
        ("import nowhere_to_be_found", "Runtime.ImportModuleError"),
        ("x = 1", "Runtime.HandlerNotFound"),
        ("import os; os._exit(3)", "Runtime.ExitError"),
    ],
)
def test_a_failing_init_phase_is_reported(tmp_path: Path, source: str, error_type: str) -> None:
    tried = function(tmp_path, source)
    with pytest.raises(InitError) as caught, tried:
        pass
    assert caught.value.error.error_type == error_type
    assert ("init/error" in tried.asked) == (error_type != "Runtime.ExitError")


def test_a_function_that_takes_too_long_is_killed_and_the_next_event_starts_a_new_process(tmp_path: Path) -> None:
    source = """
    import os, threading
    def handler(event, context):
        if event == "hang":
            threading.Event().wait()
        if event == "exit":
            os._exit(1)
        return os.getpid()
    """
    with function(tmp_path, source, timeout_seconds=5) as tried:
        before = tried.invoke("")
        gone = tried.invoke("exit")
        after = tried.invoke("")
    with function(tmp_path, source, timeout_seconds=0.3) as tried:
        slow = tried.invoke("hang")
    assert before.response != after.response
    assert gone.error is not None
    assert gone.error.error_type == "Runtime.ExitError"
    assert slow.error is not None
    assert slow.error.error_type == "Sandbox.Timedout"


def test_snapshot_hooks_run_between_the_init_phase_and_the_first_event(tmp_path: Path) -> None:
    source = """
    from snapshot_restore_py import register_after_restore, register_before_snapshot
    done = ["init"]
    register_before_snapshot(done.append, "before")
    register_after_restore(done.append, "after")
    def handler(event, context):
        return done
    """
    with function(tmp_path, source, snap_start=True) as tried:
        assert tried.invoke({}).response == ["init", "before", "after"]
        assert tried.asked[:2] == ["restore/next", "next"]


def test_a_function_can_be_isolated_from_installed_packages(tmp_path: Path) -> None:
    source = """
    from importlib.util import find_spec
    def handler(event, context):
        return find_spec("boto3") is not None
    """
    for site_packages in (True, False):
        with function(tmp_path, source, site_packages=site_packages) as tried:
            assert tried.invoke({}).response is site_packages
