"""Apply the complete example, test it, destroy it, and write down the findings."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
from steps import CheckError
from terraform_cli import Terraform, copy_of, find_mirror

from aws_acceptance.budget import DEPLOYMENT_DOLLARS_AN_HOUR, JOB_DOLLARS, Budget, OverBudgetError
from aws_acceptance.checks import CHECKS
from aws_acceptance.deployment import Deployed
from aws_acceptance.results import Results
from s3memory import forget_clients, forget_keys
from s3memory.testing import MotoServer

PROJECT = Path(__file__).parents[3]
SCRATCH = PROJECT / "build" / "aws-acceptance"
PATH_STYLE = 'provider "aws" {\n  s3_use_path_style = true\n}\n'
MOTO_ROLE = "arn:aws:iam::123456789012:role/acceptance"
TOKENS = '{issuer="https://login.example.com",audience="agents",jwks_url="https://login.example.com/jwks"'


def main() -> int:
    """Run everything. Return the exit code: 0 if all checks passed."""
    options = _options()
    if options.moto:
        with MotoServer() as server, _environment({**server.environment, "AWS_ENDPOINT_URL": server.endpoint_url}):
            os.environ["S3MEMORY_KMS_ENDPOINT_URL"] = server.endpoint_url
            return _accept(options, where="moto, in place of AWS", role=MOTO_ROLE)
    if options.package is None:
        sys.stderr.write("Name the function's package, as make lambda-zip builds it: PACKAGE=...\n")
        return 2
    identity = boto3.client("sts", region_name=options.region).get_caller_identity()
    role = _role_of(identity["Arn"])
    if role is None:
        sys.stderr.write("Run this with a role: it becomes an agent and an operator of the deployment.\n")
        return 2
    where = f"account {identity['Account']}, {options.region}"
    sys.stdout.write(
        f"This makes some 80 resources named {options.name}* in {where}, uses them for about half an hour, and "
        "destroys them.\n"
        f"By list price: {JOB_DOLLARS} USD for a bulk job, {DEPLOYMENT_DOLLARS_AN_HOUR} USD an hour, and requests. "
        f"It stops at {options.budget} USD.\nThe two KMS keys are deleted in 30 days, and cost nothing until then.\n"
    )
    if input(f"Type the account's number, {identity['Account']}, to go on: ").strip() != identity["Account"]:
        sys.stdout.write("Nothing was made.\n")
        return 2
    return _accept(options, where=where, role=role)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make aws-acceptance", description=__doc__)
    parser.add_argument("--region", default=os.environ.get("AWS_REGION", "eu-central-1"))
    parser.add_argument("--budget", type=float, default=2.0, help="US dollars at which it stops")
    parser.add_argument("--name", default=f"s3m-acceptance-{time.time():.0f}"[:24], help="what all names begin with")
    parser.add_argument("--package", type=Path, help="the function's package, as make lambda-zip builds it")
    parser.add_argument("--report", type=Path, default=Path("aws-acceptance.md"))
    parser.add_argument("--moto", action="store_true", help="on moto, which costs nothing and shows less")
    return parser.parse_args()


def _accept(options: argparse.Namespace, *, where: str, role: str) -> int:
    results, budget = Results(where), Budget(options.budget)
    terraform = Terraform.find(_scratch(), mirror=find_mirror())
    if terraform is None:
        sys.stderr.write("There is no terraform on the PATH.\n")
        return 2
    kept = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    terraform = terraform.with_environment(kept)
    example = copy_of(PROJECT / "terraform", SCRATCH / "module") / "examples" / "complete"
    if options.moto:
        (example / "moto_override.tf").write_text(PATH_STYLE)
    variables = [f"-var={name}={value}" for name, value in _variables(options, role).items()]
    terraform.run(example, "init", "-lockfile=readonly", "-no-color")
    try:
        if results.check("the complete example applies", lambda: _apply(terraform, example, variables)):
            _look(results, _deployed(terraform, example, options, budget))
    finally:
        # Whatever happened: the created resources cost money.
        results.check(
            "everything is destroyed again", lambda: _destroyed(terraform, example, variables, is_real=not options.moto)
        )
        cost = f"It cost {budget.spent:.2f} USD by list price, without the KMS keys." if not options.moto else ""
        options.report.write_text(results.page(cost=cost), "utf-8")
        sys.stdout.write(f"{options.report}: {len(results.findings)} checks, {len(results.failed)} did not hold\n")
    return 1 if results.failed else 0


def _look(results: Results, deployed: Deployed) -> None:
    if not deployed.is_real:
        # moto ignores the conditions of a Deny, and would refuse every request.
        deployed.client("s3").delete_bucket_policy(Bucket=deployed.bucket)
    for check in CHECKS:
        if check.not_on_moto and not deployed.is_real:
            results.not_shown(check.name, check.not_on_moto)
            continue
        try:
            deployed.budget.ensure()
        except OverBudgetError as error:
            results.not_shown(check.name, str(error))
            continue
        held = results.check(check.name, lambda look=check.look: look(deployed))  # type: ignore[misc]  # bound now
        sys.stdout.write(f"{'ok    ' if held else 'FAILED'}  {check.name}\n")
    forget_keys()
    forget_clients()


def _variables(options: argparse.Namespace, role: str) -> dict[str, str]:
    package = options.package or _stand_in(_scratch())
    built_for = re.search(r"-(arm64|x86_64)-py([0-9.]+)\.zip$", package.name)
    return {
        "name": options.name,
        "region": options.region,
        "function_zip_path": str(package.resolve()),
        **({"function_architecture": built_for[1], "function_runtime": f"python{built_for[2]}"} if built_for else {}),
        "agent_role_arns": json.dumps([role]),
        "operator_role_arns": json.dumps([role]),
        "bulk_operations": '["verify"]',
        "bulk_reserved_concurrency": "-1",  # a new account may be limited to 10 executions, and cannot reserve any
        "force_destroy": "true",
        "access_logs_enabled": str(not options.moto).lower(),
        "request_metrics_enabled": str(not options.moto).lower(),
        "api": f"{TOKENS},account_log_role={str(_sets_log_role(options)).lower()}}}",
    }


def _sets_log_role(options: argparse.Namespace) -> bool:
    """Whether the account's APIs have no role for logs yet: if there is one, the run must not replace it."""
    if options.moto:
        return False
    return "cloudwatchRoleArn" not in boto3.client("apigateway", region_name=options.region).get_account()


def _stand_in(directory: Path) -> Path:
    """Return a package for moto only, which does not run it."""
    source = PROJECT / "examples" / "lambda_agent" / "src"
    return Path(shutil.make_archive(str(directory / "agent-arm64-py3.13"), "zip", source))


def _apply(terraform: Terraform, example: Path, variables: list[str]) -> str:
    told = terraform.run(example, "apply", "-auto-approve", "-no-color", *variables)
    return next(line for line in told.splitlines() if line.startswith("Apply"))


def _destroyed(terraform: Terraform, example: Path, variables: list[str], *, is_real: bool) -> str:
    tries = 3 if is_real else 1
    for left in reversed(range(tries)):
        try:
            terraform.run(example, "destroy", "-auto-approve", "-no-color", *variables)
            break
        except CheckError:
            if not left:
                raise
    remains = terraform.run(example, "state", "list").strip()
    if remains:
        raise CheckError(f"this is left: {remains}")
    return "nothing is left in the state"


def _deployed(terraform: Terraform, example: Path, options: argparse.Namespace, budget: Budget) -> Deployed:
    told: dict[str, Any] = json.loads(terraform.run(example, "output", "-json"))
    outputs = {name: output["value"] for name, output in told.items()}
    return Deployed(outputs, options.region, budget, is_real=not options.moto)


def _role_of(arn: str) -> str | None:
    """Return the ARN of the role of a session."""
    found = re.fullmatch(r"arn:([a-z-]+):sts::(\d+):assumed-role/([^/]+)/.*", arn)
    if found is None:
        return None
    return str(boto3.client("iam").get_role(RoleName=found[3])["Role"]["Arn"])


def _scratch() -> Path:
    SCRATCH.mkdir(parents=True, exist_ok=True)
    return SCRATCH


@contextmanager
def _environment(given: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


if __name__ == "__main__":
    sys.exit(main())
