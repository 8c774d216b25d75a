"""The fixtures that users' tests get, in runs of pytest of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib

import pytest
from support.repository import REPOSITORY

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]

PLUGIN = "s3memory.testing.pytest_plugin"


@pytest.fixture(autouse=True)
def _no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, text: str) -> pytest.RunResult:
    pytester.makepyfile(text)
    return pytester.runpytest_subprocess("-p", PLUGIN)


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"s3memory": PLUGIN}


def test_the_fixtures_work_together_and_each_test_has_a_bucket_of_its_own(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S3MEMORY_TENANT", "of the developer")
    monkeypatch.setenv("S3MEMORY_MISSPELT", "x")
    monkeypatch.setenv("AWS_PROFILE", "production")
    run(
        pytester,
        """
        import os
        import anthropic, boto3, pytest
        from s3memory import MemoryCommands, S3MemoryTool
        from s3memory.testing import Turn

        NOTE = [{"command": "create", "path": "/memories/tea.md", "file_text": "Anna: tea"}]
        seen = []

        def ask(tool):
            return anthropic.Anthropic().beta.messages.tool_runner(
                model="claude-sonnet-5-5", max_tokens=99, tools=[tool], messages=[{"role": "user", "content": "Hi"}]
            ).until_done()

        def test_an_agent_remembers(claude_script, memory_tool, memory_contents):
            claude = claude_script([Turn("", NOTE), Turn("Noted.")])
            assert ask(memory_tool(tenant="anna")).content[0].text == "Noted."
            assert [result.is_error for result in claude.tool_results] == [False]
            assert memory_contents(tenant="anna") == {"/memories/tea.md": "Anna: tea"}
            assert memory_contents(tenant="bert") == {}

        @pytest.mark.parametrize("number", [1, 2])
        def test_a_bucket_is_new_and_the_settings_name_it(number, s3memory_bucket, memory_commands, memory_contents):
            assert s3memory_bucket not in seen
            seen.append(s3memory_bucket)
            assert memory_contents(tenant="anna") == {}
            assert os.environ["S3MEMORY_BUCKET"] == s3memory_bucket
            S3MemoryTool.from_env(tenant="anna").call({**NOTE[0]})
            assert "tea" in memory_commands(tenant="anna").view("/memories/tea.md")
            assert "tea" in memory_commands("anna", read_only=True).view("/memories/tea.md")
            assert boto3.client("s3").get_bucket_versioning(Bucket=s3memory_bucket)["Status"] == "Enabled"

        def test_aws_is_not_reached(s3memory_aws):
            assert boto3.client("sts").get_caller_identity()["Account"] == "123456789012"
            assert "AWS_PROFILE" not in os.environ
        """,
    ).assert_outcomes(passed=4)


def test_the_contents_are_those_of_the_memory_that_the_test_has_made_with_whatever_arguments(
    pytester: pytest.Pytester,
) -> None:
    run(
        pytester,
        """
        import pytest
        from s3memory import Limits, LocalKeyWrapper, S3MemoryTool

        NOTE = {"command": "create", "path": "/memories/tea.md", "file_text": "Anna: tea"}
        FILES = {"/memories/tea.md": "Anna: tea"}
        OTHER_KEY = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())

        @pytest.mark.parametrize("more", [{"prefix": "agents/"}, {"key_wrapper": OTHER_KEY}, {"read_only": False}])
        def test_made_with(more, memory_tool, memory_contents):
            memory_tool(tenant="anna", **more).call(NOTE)
            assert memory_contents(tenant="anna") == FILES
            assert memory_contents(tenant="bert") == {}

        def test_two_of_a_tenant(memory_tool, memory_contents):
            memory_tool(prefix="agents/").call(NOTE)
            memory_tool()
            assert memory_contents() == {}
            assert memory_contents(prefix="agents/") == FILES

        def test_a_file_that_only_the_limits_it_was_made_with_allow(memory_commands, memory_contents):
            text = "tea\\n" * 1_200_000
            memory_commands(limits=Limits(max_file_bytes=5_000_000), redactor=None).create("/memories/tea.md", text)
            assert memory_contents() == {"/memories/tea.md": text}

        def test_settings_of_the_tests_own(s3memory_bucket, memory_commands, memory_contents, monkeypatch):
            monkeypatch.setenv("S3MEMORY_PREFIX", "agents/")
            S3MemoryTool.from_env(tenant="anna").call(NOTE)
            assert "tea.md" in memory_commands(tenant="anna").view("/memories")
            assert memory_contents(tenant="anna") == FILES
        """,
    ).assert_outcomes(passed=6)


def test_a_client_that_was_made_before_them_fails_a_test_in_place_of_reaching_aws(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
        import boto3

        early = boto3.client("s3", "eu-central-1", aws_access_key_id="real", aws_secret_access_key="real")

        def test_it(s3memory_bucket):
            try:
                early.list_buckets()
            except Exception:
                pass  # as an agent may
        """,
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*a request to s3.eu-central-1.amazonaws.com: its client was made before*"])


def test_users_own_fixtures_of_moto_begin_anew_after_them_as_before(pytester: pytest.Pytester) -> None:
    run(
        pytester,
        """
        import boto3
        import pytest
        from moto import mock_aws

        @pytest.fixture
        def theirs():
            with mock_aws():
                client = boto3.client("s3", "us-east-1")
                client.create_bucket(Bucket="theirs")
                yield client

        def use(client):
            assert "Contents" not in client.list_objects_v2(Bucket="theirs")
            client.put_object(Bucket="theirs", Key="a", Body=b"")

        def test_before(theirs):
            use(theirs)

        def test_ours(memory_tool):
            memory_tool().call({"command": "create", "path": "/memories/a", "file_text": "tea"})

        def test_ours_of_the_same_name(memory_tool):
            memory_tool().call({"command": "create", "path": "/memories/a", "file_text": "tea"})

        @mock_aws
        def test_ours_inside_theirs(memory_tool):
            memory_tool().call({"command": "create", "path": "/memories/a", "file_text": "tea"})

        def test_after(theirs):
            use(theirs)

        def test_both(memory_tool, theirs):
            memory_tool().call({"command": "create", "path": "/memories/a", "file_text": "tea"})
            use(theirs)

        def test_after_both(theirs):
            use(theirs)
        """,
    ).assert_outcomes(passed=7)


def test_a_moto_of_users_own_that_outlives_them_keeps_what_it_holds(pytester: pytest.Pytester) -> None:
    run(
        pytester,
        """
        import boto3
        import pytest
        from moto import mock_aws

        @pytest.fixture(scope="module")
        def kept():
            with mock_aws():
                client = boto3.client("s3", "us-east-1")
                client.create_bucket(Bucket="kept")
                yield client

        def test_one_that_is_kept(memory_tool, kept):
            memory_tool().call({"command": "create", "path": "/memories/a", "file_text": "tea"})

        def test_one_that_was_kept(memory_tool, kept):
            memory_tool().call({"command": "create", "path": "/memories/a", "file_text": "tea"})
            assert kept.list_objects_v2(Bucket="kept")["KeyCount"] == 0
        """,
    ).assert_outcomes(passed=2)


def test_the_second_transport_fails_a_test_in_place_of_reaching_aws(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
        import pytest
        from s3memory import S3MemoryTool
        from s3memory.testing import MotoServer

        def test_by_argument(memory_tool):
            try:
                memory_tool(transport="fast").call({"command": "view", "path": "/memories"})
            except Exception:
                pass  # as an agent may

        def test_by_settings(s3memory_bucket, monkeypatch):
            monkeypatch.setenv("S3MEMORY_TRANSPORT", "fast")
            S3MemoryTool.from_env(tenant="acme").call({"command": "view", "path": "/memories"})

        def test_a_server(s3memory_bucket, monkeypatch):
            with MotoServer() as server:
                server.make_bucket(s3memory_bucket)
                for name, value in server.environment.items():
                    monkeypatch.setenv(name, value)
                monkeypatch.setenv("S3MEMORY_TRANSPORT", "fast")
                S3MemoryTool.from_env(tenant="acme").call({"command": "view", "path": "/memories"})
        """,
    )
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["*a request to s3*.eu-central-1.amazonaws.com: moto does not mock libcurl*"])


def test_a_server_of_the_tests_own_is_reached_whatever_it_is_called(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
        import boto3
        import pytest
        from botocore.config import Config
        from botocore.exceptions import EndpointConnectionError

        def test_it(s3memory_bucket):
            config = Config(retries={"total_max_attempts": 1})
            client = boto3.client("s3", endpoint_url="http://localstack.invalid:4566", config=config)
            with pytest.raises(EndpointConnectionError):
                client.list_buckets()
        """,
    )
    done.assert_outcomes(passed=1)


def test_a_test_fails_where_steps_of_its_script_are_left_and_no_other_does(pytester: pytest.Pytester) -> None:
    ran = run(
        pytester,
        """
        import pytest
        from s3memory.testing import Turn

        def test_that_leaves_a_step(claude_script):
            claude_script([Turn("Never asked for.")])

        def test_that_says_so(claude_script):
            claude_script([Turn("Never asked for.")], strict=False)

        def test_that_fails_for_another_reason(claude_script):
            claude_script([Turn("Never asked for.")])
            assert 1 == 2

        def test_that_is_skipped(claude_script):
            claude_script([Turn("Never asked for.")])
            pytest.skip()

        def test_without_one():
            pass
        """,
    )
    ran.assert_outcomes(passed=2, failed=2, skipped=1)
    ran.stdout.fnmatch_lines(["*ScriptError: 1 of 1 steps of the script were never asked for*", "*assert 1 == 2*"])
    ran.stdout.no_fnmatch_line("*ERROR*")


def test_a_run_that_uses_no_fixture_loads_nothing_heavy(pytester: pytest.Pytester) -> None:
    run(
        pytester,
        """
        import sys

        def test_nothing_is_loaded():
            heavy = {"boto3", "botocore", "anthropic", "moto", "cryptography", "pydantic", "httpx", "s3memory.store"}
            assert "s3memory.testing.pytest_plugin" in sys.modules
            assert not heavy & sys.modules.keys()
        """,
    ).assert_outcomes(passed=1)


def test_without_moto_the_fixtures_say_what_to_install(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        import sys

        import pytest

        @pytest.fixture(scope="session", autouse=True)
        def _no_moto():
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(sys.modules, "moto", None)
                yield

        def test_it(memory_tool):
            pass
        """,
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*pip install '.[[]local[]]'*"])


def test_loading_the_plugin_loads_no_more_than_a_few_small_modules() -> None:
    program = f"import sys, pytest; before = set(sys.modules); import {PLUGIN}; print(*sys.modules.keys() - before)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    loaded = set(done.stdout.split())
    assert {name for name in loaded if name.startswith("s3memory")} == {"s3memory", "s3memory.testing", PLUGIN}
    assert len(loaded) < 10


def test_the_page_about_testing_works_as_it_is(pytester: pytest.Pytester) -> None:
    page = (REPOSITORY / "docs/testing.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    run(pytester, "\n".join(blocks)).assert_outcomes(passed=2)


def test_the_page_about_other_memories_works_as_it_is(pytester: pytest.Pytester) -> None:
    page = (REPOSITORY / "docs/other-memories.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    run(pytester, block).assert_outcomes(passed=1)


def test_the_example_tests_itself(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    example = REPOSITORY / "examples" / "terminal_chat"
    monkeypatch.setenv("PYTHONPATH", str(example), prepend=os.pathsep)
    run(pytester, (example / "test_chat.py").read_text("utf-8")).assert_outcomes(passed=2)
