"""The acceptance run for AWS accounts: it asks, counts, stops and destroys, and its page reports what was shown."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
import pytest
from support.repository import REPOSITORY

SERVERS = REPOSITORY / "tests" / "servers"
PAGE = REPOSITORY / "docs" / "aws-acceptance.md"


@pytest.fixture(autouse=True)
def _search_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(SERVERS))
    yield
    for name in [name for name in sys.modules if name.startswith("aws_acceptance")]:
        del sys.modules[name]


@pytest.fixture
def run() -> ModuleType:
    import importlib  # noqa: PLC0415 - once the search path is set

    return importlib.import_module("aws_acceptance.__main__")


def test_a_run_stops_before_it_exceeds_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    from aws_acceptance.budget import JOB_DOLLARS, PRICES, Budget, OverBudgetError  # noqa: PLC0415 - as above

    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    budget = Budget(2.5 * PRICES["s3:write"])
    s3 = boto3.client("s3")
    budget.watch(s3)
    for _ in range(2):
        s3.list_buckets()
    with pytest.raises(OverBudgetError):
        s3.list_buckets()
    with pytest.raises(OverBudgetError):
        Budget(JOB_DOLLARS / 2).start_job()


def test_a_failing_check_is_recorded_and_the_next_one_runs() -> None:
    from aws_acceptance.results import Results  # noqa: PLC0415 - as above
    from steps import CheckError  # noqa: PLC0415 - as above

    def wrong() -> str:
        raise CheckError("it was\nallowed")

    def broken() -> str:
        raise KeyError("x")

    results = Results("account 1, eu-central-1")
    assert results.check("a", lambda: "seen | so")
    assert not results.check("b", wrong)
    assert not results.check("c", broken)
    results.not_shown("d", "no account")
    assert results.failed == ["b", "c"]
    page = results.page(cost="It cost 0.30 USD.", now=datetime(2026, 11, 23, tzinfo=UTC))
    assert "Run on account 1, eu-central-1, 2026-11-23 00:00 UTC. 1 held, 2 **did not hold**, 1 not shown." in page
    assert "| a | held | seen \\| so | 0.0 |" in page
    assert "| b | **did not hold** | it was allowed | 0.0 |" in page
    assert "| d | not shown | no account | 0.0 |" in page


class Account:
    """Answers STS requests in place of an account."""

    def __init__(self, arn: str) -> None:
        self._arn = arn

    def get_caller_identity(self) -> dict[str, str]:
        return {"Account": "111122223333", "Arn": self._arn}

    def get_role(self, **_: Any) -> dict[str, Any]:
        return {"Role": {"Arn": "arn:aws:iam::111122223333:role/deployer"}}


@pytest.mark.parametrize("answer", ["", "yes", "111122223334"])
def test_nothing_is_created_unless_the_account_is_named(
    run: ModuleType, answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arn = "arn:aws:sts::111122223333:assumed-role/deployer/me"
    monkeypatch.setattr(boto3, "client", lambda *_, **__: Account(arn))
    monkeypatch.setattr(sys, "argv", ["aws_acceptance", "--region", "eu-west-1", "--package", "x.zip"])
    monkeypatch.setattr("builtins.input", lambda _: answer)
    monkeypatch.setattr(run, "_accept", lambda *_, **__: pytest.fail("it went on"))
    assert run.main() == 2
    told = capsys.readouterr().out
    assert "account 111122223333, eu-west-1" in told
    assert "It stops at 2.0 USD" in told
    assert "Nothing was made." in told


def test_it_continues_once_the_account_is_named_but_not_as_a_user_without_a_role(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["aws_acceptance", "--package", "x.zip"])
    monkeypatch.setattr("builtins.input", lambda _: "111122223333")
    roles: list[str] = []

    def accept(*_: object, role: str, **__: object) -> int:
        roles.append(role)
        return 0

    monkeypatch.setattr(run, "_accept", accept)
    arn = "arn:aws:sts::111122223333:assumed-role/deployer/me"
    monkeypatch.setattr(boto3, "client", lambda *_, **__: Account(arn))
    assert run.main() == 0
    assert roles == ["arn:aws:iam::111122223333:role/deployer"]
    monkeypatch.setattr(boto3, "client", lambda *_, **__: Account("arn:aws:iam::111122223333:user/me"))
    assert run.main() == 2
    assert len(roles) == 1


def test_it_reserves_no_concurrency_so_that_a_new_account_can_run_it(run: ModuleType) -> None:
    options = argparse.Namespace(moto=False, name="s3m", region="eu-central-1", package=Path("agent-arm64-py3.13.zip"))
    variables = run._variables(options, "arn:aws:iam::111122223333:role/deployer")
    assert variables["bulk_reserved_concurrency"] == "-1"
    assert "bulk_reserved_concurrency = -1" in PAGE.read_text("utf-8")


def test_it_does_not_change_the_role_with_which_the_accounts_apis_write_logs(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account has one per region: a replacement would be gone after the run, and with it the logs of all APIs."""
    options = argparse.Namespace(moto=False, name="s3m", region="eu-central-1", package=Path("agent-arm64-py3.13.zip"))
    account: dict[str, str] = {}
    asked: list[tuple[object, object]] = []

    class ApiGateway:
        def get_account(self) -> dict[str, str]:
            return account

    def client(service: str, *, region_name: str) -> ApiGateway:
        asked.append((service, region_name))
        return ApiGateway()

    monkeypatch.setattr(boto3, "client", client)
    assert "account_log_role=true" in run._variables(options, "arn:aws:iam::111122223333:role/deployer")["api"]
    account["cloudwatchRoleArn"] = "arn:aws:iam::111122223333:role/api-logs"
    assert "account_log_role=false" in run._variables(options, "arn:aws:iam::111122223333:role/deployer")["api"]
    assert asked == [("apigateway", "eu-central-1")] * 2


class Recorded:
    """A Terraform that records its commands, some of which fail."""

    def __init__(self, *, failing: str) -> None:
        self.commands: list[str] = []
        self._failing = failing

    def with_environment(self, _: object) -> Recorded:
        return self

    def run(self, _: Path, command: str, *arguments: str) -> str:
        from steps import CheckError  # noqa: PLC0415 - as above

        self.commands.append(" ".join([command, *arguments[:1]]))
        if command == self._failing:
            raise CheckError(f"{command} failed")
        if command == "apply":
            return "Apply complete!\n"
        return json.dumps({}) if command == "output" else ""


@pytest.mark.parametrize("failing", ["apply", "output", ""])
def test_whatever_fails_everything_is_destroyed_and_the_page_is_written(
    run: ModuleType, failing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    terraform = Recorded(failing=failing)
    monkeypatch.setattr(run, "SCRATCH", tmp_path / "scratch")
    monkeypatch.setattr(run.Terraform, "find", lambda *_, **__: terraform)
    monkeypatch.setattr(run, "find_mirror", lambda: None)
    monkeypatch.setattr(run, "_look", lambda *_: None)
    report = tmp_path / "page.md"
    options = argparse.Namespace(
        moto=True, budget=1.0, name="s3m", region="eu-central-1", package=tmp_path / "x.zip", report=report
    )
    if failing == "output":
        with pytest.raises(Exception, match="output failed"):
            run._accept(options, where="moto", role="r")
    else:
        assert run._accept(options, where="moto", role="r") == int(failing == "apply")
    assert "destroy -auto-approve" in terraform.commands
    assert terraform.commands[-1] == "state list"
    assert "everything is destroyed again | held" in report.read_text()


def test_the_page_says_that_no_account_has_run_it_and_has_a_row_for_each_check() -> None:
    from aws_acceptance.checks import CHECKS  # noqa: PLC0415 - as above

    text = PAGE.read_text("utf-8")
    assert "No AWS account has run this yet." in text
    rows = re.findall(r"^\| (.+?) \| (held|not shown|\*\*did not hold\*\*) \|", text, re.MULTILINE)
    assert dict(rows) == {
        "the complete example applies": "held",
        **{check.name: "not shown" if check.not_on_moto else "held" for check in CHECKS},
        "everything is destroyed again": "held",
    }
