"""Check the Terraform module: format, validity, tests, checkov, and its examples applied to moto and destroyed again.

After each apply a second plan has to be empty, and what the complete example gave its function is put to use. What
could not be checked is said at the end.
"""

from __future__ import annotations

import re
import signal
import sys
import zipfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from checkov_run import check_by_checkov
from rendered_policies import compare
from steps import CheckError, Report
from support.lambda_exercise import HANDLER_SOURCE, exercise
from support.lambda_runtime import InitError
from terraform_cli import Terraform, copy_of, find_mirror, interrupt

from s3memory.testing import MotoServer

PROJECT = Path(__file__).parents[2]
SCRATCH = PROJECT / "build" / "terraform"
CHECKOV_ENVIRONMENT = PROJECT / "build" / "checkov-venv"

# What `terraform init` says where the registry is out of reach, and where a mirror lacks the locked version.
PROVIDER_MISSING = "Failed to query available provider packages"
# S3's addresses with the bucket in the host name need a name server.
PATH_STYLE = 'provider "aws" {\n  s3_use_path_style = true\n}\n'
# moto's own account.
AGENTS_ROLE = "arn:aws:iam::123456789012:role/agents"
REPEATED_ALIAS = re.compile(r"with the name arn:aws:kms:\S+:(alias/\S+) already exists")
TOKENS = '{issuer="https://login.example.com",audience="agents",jwks_url="https://login.example.com/jwks",account_log_role=false}'
BULK_FUNCTION = "arn:aws:lambda:eu-central-1:123456789012:function:bulk"


@dataclass(frozen=True, slots=True)
class Example:
    """One of the module's examples, to be applied to moto.

    Attributes:
        directory: where it is.
        terraform: the command, with moto's address.
        variables: what it is applied with.
        server: moto.
    """

    directory: Path
    terraform: Terraform
    variables: Mapping[str, str]
    server: MotoServer

    def apply(self) -> str:
        """Apply it. Return what Terraform says it made."""
        (self.directory / "moto_override.tf").write_text(PATH_STYLE)
        try:
            told = self._run("apply", "-auto-approve")
        except CheckError as error:
            repeated = REPEATED_ALIAS.search(str(error))
            if repeated is None:
                raise
            # Seen on a busy machine: the provider sent a request again that moto had carried out, and was refused.
            aws_client(self.server, "kms").delete_alias(AliasName=repeated[1])
            told = self._run("apply", "-auto-approve")
        return next(line for line in told.splitlines() if line.startswith("Apply"))

    def plan_again(self) -> None:
        """Plan once more. That must find nothing to change."""
        self._run("plan", "-detailed-exitcode")  # 2 is "there are changes"

    def output(self, name: str) -> str:
        """Return an output that is a text."""
        return self.terraform.run(self.directory, "output", "-raw", name)

    def destroy(self) -> None:
        """Destroy it. Nothing may be left in the state."""
        self._run("destroy", "-auto-approve")
        left = self.terraform.run(self.directory, "state", "list").strip()
        if left:
            raise CheckError(f"this is left:\n{left}")

    def _run(self, command: str, flag: str) -> str:
        variables = [f"-var={name}={value}" for name, value in self.variables.items()]
        return self.terraform.run(self.directory, command, flag, "-no-color", *variables)


def main() -> int:
    """Run all."""
    signal.signal(signal.SIGTERM, lambda *_: interrupt())
    signal.signal(signal.SIGHUP, lambda *_: interrupt())
    report = Report()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    module = copy_of(PROJECT / "terraform", SCRATCH / "module")
    terraform = ready_terraform(report, module)
    # Most of the time is waiting: the provider sleeps 55 s over each lifecycle configuration.
    with MotoServer() as server, ThreadPoolExecutor() as lanes:
        untouched = copy_of(PROJECT / "terraform", SCRATCH / "checkov")
        at_work = [lanes.submit(check_by_checkov, report, untouched, CHECKOV_ENVIRONMENT)]
        if terraform is not None:
            on_moto = terraform.with_environment(environment_of(server))
            at_work += [
                lanes.submit(check_alone, report, terraform, module),
                lanes.submit(check_minimal, report, on_moto, module, server),
                lanes.submit(check_complete, report, on_moto, module, server),
            ]
            report.leave_out("version 6 of the provider: what was used is what the lock files name")
            report.leave_out("S3's request metrics and access logs on a server: moto forgets them")
    for lane in at_work:
        lane.result()
    return report.end()


def ready_terraform(report: Report, module: Path) -> Terraform | None:
    """Return Terraform, with the module and its examples initialised, if this machine has it and the provider."""
    mirror = find_mirror()
    terraform = Terraform.find(SCRATCH, mirror=mirror)
    if terraform is None:
        report.leave_out("that the module is formatted and valid, its tests, its examples: no terraform on the PATH")
        return None
    report.step("terraform fmt", lambda: terraform.run(module, "fmt", "-check", "-recursive", "-diff", "-no-color"))
    try:
        for root in roots(module):
            terraform.run(root, "init", "-lockfile=readonly", "-no-color")
    except CheckError as error:
        if PROVIDER_MISSING not in str(error):
            report.fail("terraform init", error)
            return None
        where = "the mirror does not have the locked one" if mirror else "no registry in reach, and no mirror"
        report.leave_out(f"that the module is valid, its tests, its examples: no AWS provider ({where})")
        return None
    return terraform


def roots(module: Path) -> tuple[Path, ...]:
    """Return the directories that Terraform is run in: the module's, and each example's."""
    return (module, *sorted(path.parent for path in module.glob("examples/*/main.tf")))


def check_alone(report: Report, terraform: Terraform, module: Path) -> None:
    """Check what needs no server."""
    for root in roots(module):
        report.step(f"terraform validate {root.relative_to(module)}", partial(verdict, terraform, root, "validate"))
    report.step("terraform test", partial(verdict, terraform, module, "test"))
    report.step("the policies that tests/deploy/iam evaluates are the module's", partial(compare, terraform, module))


def verdict(terraform: Terraform, directory: Path, command: str) -> str:
    """Run a command. Return the last line that it writes."""
    return terraform.run(directory, command, "-no-color").strip().splitlines()[-1]


def check_minimal(report: Report, on_moto: Terraform, module: Path, server: MotoServer) -> None:
    """Apply the minimal example, plan again, and destroy it."""
    variables = {"agent_role_arn": AGENTS_ROLE, "deletion_protection": "false"}
    example = Example(module / "examples" / "minimal", on_moto, variables, server)
    report.steps(
        ("examples/minimal: apply", example.apply),
        ("examples/minimal: the second plan is empty", example.plan_again),
        ("examples/minimal: destroy", example.destroy),
    )


def check_complete(report: Report, on_moto: Terraform, module: Path, server: MotoServer) -> None:
    """Apply the complete example, plan again, put what it made to use, and destroy it."""
    package = SCRATCH / "agent-arm64-py3.13.zip"  # as the example's defaults are
    with zipfile.ZipFile(package, "w") as archive:  # moto runs none of it; make lambda-check tries the whole package
        for source in HANDLER_SOURCE.glob("*.py"):
            archive.write(source, source.name)
    variables = {
        "function_zip_path": str(package),
        "batch_function_arn": BULK_FUNCTION,
        "request_metrics_enabled": "false",
        "access_logs_enabled": "false",
        "force_destroy": "true",
        "api": TOKENS,
    }
    example = Example(module / "examples" / "complete", on_moto, variables, server)
    report.steps(
        ("examples/complete: apply", example.apply),
        ("examples/complete: the second plan is empty", example.plan_again),
        ("examples/complete: the function at work for two tenants", lambda: use_function(example, server)),
        ("examples/complete: destroy, with memory in the bucket", example.destroy),
    )


def use_function(example: Example, server: MotoServer) -> str:
    """Run the example's handler with the environment that AWS, here moto, knows of, under the runtime interface client.

    Returns:
        What it did, for two tenants, and what the bucket has then.
    """
    given = function_environment(server, example.output("function_name"))
    # moto takes a Deny for one without its conditions, and would refuse every request.
    server.s3_client.delete_bucket_policy(Bucket=given["S3MEMORY_BUCKET"])
    secret = aws_client(server, "secretsmanager")
    secret.create_secret(Name=given["AGENT_API_KEY_SECRET_ID"], SecretString="offline")
    try:
        found = exercise(given, server.endpoint_url)
    except (AssertionError, InitError) as error:
        raise CheckError(str(error)) from error
    return "".join(f"\n    {line}" for line in found)


def function_environment(server: MotoServer, function_name: str) -> dict[str, str]:
    """Return the environment variables of a function, as Lambda's API tells them."""
    configuration = aws_client(server, "lambda").get_function_configuration(FunctionName=function_name)
    return dict(configuration["Environment"]["Variables"])


def aws_client(server: MotoServer, service: str) -> Any:
    """Return a client of one of moto's services."""
    import boto3  # noqa: PLC0415 - only where it is needed: importing it takes a while

    return boto3.Session().client(
        service,  # type: ignore[call-overload]  # a name of a service, whichever
        endpoint_url=server.endpoint_url,
        region_name=server.environment["AWS_REGION"],
        aws_access_key_id=server.environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=server.environment["AWS_SECRET_ACCESS_KEY"],
    )


def environment_of(server: MotoServer) -> dict[str, str]:
    """Return the variables by which Terraform, boto3 and s3memory take a server for AWS."""
    addresses = {"AWS_ENDPOINT_URL": server.endpoint_url, "S3MEMORY_KMS_ENDPOINT_URL": server.endpoint_url}
    return {**server.environment, **addresses}


if __name__ == "__main__":
    sys.exit(main())
