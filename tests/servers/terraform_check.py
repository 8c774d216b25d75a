"""Check the Terraform module: format, validity, tests, checkov, and its examples applied to moto and destroyed again.

After each apply a second plan must be empty, and what the complete example gave its function is put to use. The end of
the output lists what could not be checked.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from checkov_run import check_by_checkov
from moto_front import front_of
from rendered_policies import compare
from steps import CheckError, Report
from support.lambda_exercise import HANDLER_SOURCE, exercise
from support.lambda_runtime import InitError
from terraform_cli import Terraform, copy_of, find_mirror, interrupt

from s3memory.testing import MotoServer

PROJECT = Path(__file__).parents[2]
SCRATCH = PROJECT / "build" / "terraform"
CHECKOV_ENVIRONMENT = PROJECT / "build" / "checkov-venv"

# Messages of `terraform init` if the registry is unreachable, and if a mirror lacks the locked version.
PROVIDER_MISSING = "Failed to query available provider packages"
# S3's URLs with the bucket in the host name need a name server.
PATH_STYLE = 'provider "aws" {\n  s3_use_path_style = true\n}\n'
# moto forgets these settings, so they are off when it is used.
DEFAULTS = {"request_metrics_enabled": "true", "access_logs_enabled": "true"}
# moto refuses lock settings for a bucket with objects, and the provider destroys one by setting another.
LOCK = "module.memory.aws_s3_bucket_object_lock_configuration.memory[0]"
# Of the first resource, moto forgets the alarms; of the second, the encryption and that old versions are left out.
FORGOTTEN = ("module.memory.aws_codedeploy_deployment_group.live[0]", "module.memory.aws_s3_bucket_inventory.memory[0]")
# moto's own account.
AGENTS_ROLE = "arn:aws:iam::123456789012:role/agents"
TOKENS = '{issuer="https://login.example.com",audience="agents",jwks_url="https://login.example.com/jwks",account_log_role=false}'
# terraform/README.md says the same.
NOT_ON_MOTO = (
    "version 6 of the provider: what was used is what the lock files name",
    "S3's request metrics and access logs on a server: moto forgets them, and they are planned alone",
    "that a Distributed Map runs: moto checks its definition by a grammar, and runs no functions",
    "that CodeDeploy moves the alias, and back on an alarm: moto forgets the alarms, and moves nothing",
    "that an endpoint refuses anything: moto keeps its policy, and carries no traffic",
    "that S3 writes an inventory: moto keeps the setting",
    "that CodeDeploy's application, the inventory and the setting of locks can be destroyed: moto refuses it",
    "that a bucket with memory in it gets the setting of locks: moto wants it empty",
)
BULK_FUNCTION = "arn:aws:lambda:eu-central-1:123456789012:function:bulk"


@dataclass(frozen=True, slots=True)
class Example:
    """One of the module's examples, for moto.

    Attributes:
        directory: its directory.
        terraform: the command, with moto's URL.
        variables: the variables to apply it with.
    """

    directory: Path
    terraform: Terraform
    variables: Mapping[str, str]

    def apply(self) -> str:
        """Apply it. Return what Terraform reports as created."""
        (self.directory / "moto_override.tf").write_text(PATH_STYLE)
        told = self._run("apply", "-auto-approve")
        return next(line for line in told.splitlines() if line.startswith("Apply"))

    def plan(self, **more: str) -> str:
        """Plan it with other variables, which this server does not support. Return what Terraform would create."""
        variables = {**self.variables, **more}
        told = self.terraform.run(
            self.directory, "plan", "-no-color", *(f"-var={name}={value}" for name, value in variables.items())
        )
        return next(line for line in told.splitlines() if line.startswith("Plan:"))

    def plan_again(self, *, forgotten: Collection[str] = ()) -> str:
        """Plan again. This must find no changes, except for resources whose settings moto forgets."""
        try:
            self._run("plan", "-detailed-exitcode")  # 2 is "there are changes"
        except CheckError as error:
            changed = sorted(set(re.findall(r"^  # (\S+) (?:will|must) be ", str(error), re.MULTILINE)))
            if not changed or not set(changed) <= set(forgotten) or "Error:" in str(error):
                raise
            return f"but for what moto forgets of {', '.join(changed)}"
        return ""

    def output(self, name: str) -> str:
        """Return an output that is a text."""
        return self.terraform.run(self.directory, "output", "-raw", name)

    def of_the_bucket(self) -> list[str]:
        """Return the resources in the state that belong to the memory's bucket."""
        state = self.terraform.run(self.directory, "state", "list").splitlines()
        return [name for name in state if name.startswith("module.memory.aws_s3_bucket")]

    def destroy(self, *, forgetting: Collection[str] = ()) -> None:
        """Destroy it, except for resources that moto cannot delete. Nothing may remain in the state."""
        if forgetting:
            self.terraform.run(self.directory, "state", "rm", *forgetting)
        self._run("destroy", "-auto-approve")
        left = self.terraform.run(self.directory, "state", "list").strip()
        if left:
            raise CheckError(f"this is left:\n{left}")

    def _run(self, command: str, flag: str) -> str:
        variables = [f"-var={name}={value}" for name, value in self.variables.items()]
        return self.terraform.run(self.directory, command, flag, "-no-color", *variables)


def main() -> int:
    """Run all checks."""
    signal.signal(signal.SIGTERM, lambda *_: interrupt())
    signal.signal(signal.SIGHUP, lambda *_: interrupt())
    report = Report()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    module = copy_of(PROJECT / "terraform", SCRATCH / "module")
    terraform = ready_terraform(report, module)
    # Most of the time is spent waiting: the provider sleeps 55 s for each lifecycle configuration.
    with MotoServer() as server, front_of(server.endpoint_url) as front, ThreadPoolExecutor() as lanes:
        untouched = copy_of(PROJECT / "terraform", SCRATCH / "checkov")
        at_work = [lanes.submit(check_by_checkov, report, untouched, CHECKOV_ENVIRONMENT)]
        if terraform is not None:
            on_moto = terraform.with_environment(behind(front, server))
            at_work += [
                lanes.submit(check_alone, report, terraform, module),
                lanes.submit(check_minimal, report, on_moto, module, server),
                lanes.submit(check_complete, report, on_moto, module, server),
                lanes.submit(check_options, report, on_moto, module, server),
            ]
            for what in NOT_ON_MOTO:
                report.leave_out(what)
    for lane in at_work:
        lane.result()
    return report.end()


def ready_terraform(report: Report, module: Path) -> Terraform | None:
    """Return Terraform with module and examples initialised, if this machine has Terraform and the provider."""
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
    """Return the directories in which Terraform runs: the module's, and each example's."""
    return (module, *sorted(path.parent for path in module.glob("examples/*/main.tf")))


def check_alone(report: Report, terraform: Terraform, module: Path) -> None:
    """Check what needs no server."""
    for root in roots(module):
        report.step(f"terraform validate {root.relative_to(module)}", partial(verdict, terraform, root, "validate"))
    report.step("terraform test", partial(verdict, terraform, module, "test"))
    report.step("the policies that tests/deploy/iam evaluates are the module's", partial(compare, terraform, module))


def verdict(terraform: Terraform, directory: Path, command: str) -> str:
    """Run a command. Return its last line of output."""
    return terraform.run(directory, command, "-no-color").strip().splitlines()[-1]


def check_minimal(report: Report, on_moto: Terraform, module: Path, server: MotoServer) -> None:
    """Apply the minimal example, plan again, and remove it as terraform/README.md says; before that, it is refused."""
    example = Example(module / "examples" / "minimal", on_moto, {"agent_role_arn": AGENTS_ROLE})
    unprotected = replace(example, variables={**example.variables, "deletion_protection": "false"})
    to_be_removed = replace(unprotected, variables={**unprotected.variables, "force_destroy": "true"})
    report.steps(
        ("examples/minimal: apply", example.apply),
        ("examples/minimal: the second plan is empty", example.plan_again),
        ("examples/minimal: destroying it takes nothing from the bucket", lambda: keep_bucket(example, server)),
        ("examples/minimal: apply without protection", unprotected.apply),
        ("examples/minimal: the key outlives a bucket with memory in it", lambda: keep_key(unprotected, server)),
        ("examples/minimal: apply, with memory to be destroyed", to_be_removed.apply),
        ("examples/minimal: destroy, with memory in the bucket", lambda: destroy_with_memory(to_be_removed, server)),
    )


def keep_bucket(example: Example, server: MotoServer) -> str:
    """Destroy an example whose bucket is protected. Return what remains of the bucket, which must be everything."""
    bucket, before = bucket_of(example), example.of_the_bucket()
    try:
        example.destroy()
    except CheckError as error:
        expect("refused is the deletion of the policy", "DeleteBucketPolicy" in str(error), expected=True)
    expect("what is left of the bucket", example.of_the_bucket(), before)
    versioning = server.s3_client.get_bucket_versioning(Bucket=bucket)
    expect("versioning", versioning["Status"], "Enabled")
    return f"{len(before)} resources are left"


def keep_key(example: Example, server: MotoServer) -> None:
    """Destroy an example that may not destroy memory. Its key must still be in use afterwards."""
    put_memory(example, server)
    key_id = given_by(example)["S3MEMORY_KMS_KEY_ID"]
    try:
        example.destroy()
    except CheckError as error:
        expect("refused is the deletion of the bucket", "BucketNotEmpty" in str(error), expected=True)
    state = aws_client(server, "kms").describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"]
    expect("the key", state, "Enabled")


def destroy_with_memory(example: Example, server: MotoServer) -> None:
    """Destroy an example with an object in its bucket."""
    put_memory(example, server)
    example.destroy()


def put_memory(example: Example, server: MotoServer) -> None:
    """Put an object into an example's bucket."""
    bucket = bucket_of(example)
    # moto ignores the conditions of a Deny, and would refuse every request.
    server.s3_client.delete_bucket_policy(Bucket=bucket)
    server.s3_client.put_object(Bucket=bucket, Key="memories/acme/a", Body=b"sealed")


def bucket_of(example: Example) -> str:
    """Return the name of an example's bucket."""
    return given_by(example)["S3MEMORY_BUCKET"]


def given_by(example: Example) -> dict[str, str]:
    """Return the settings that an example outputs for its agents."""
    told = json.loads(example.terraform.run(example.directory, "output", "-json", "environment"))
    return {str(name): str(value) for name, value in told.items()}


def check_complete(report: Report, on_moto: Terraform, module: Path, server: MotoServer) -> None:
    """Apply the complete example, plan again, use what it created, and destroy it."""
    package = SCRATCH / "agent-arm64-py3.13.zip"  # the example's defaults
    with zipfile.ZipFile(package, "w") as archive:  # moto does not run it; make lambda-check tests the whole package
        for source in HANDLER_SOURCE.glob("*.py"):
            archive.write(source, source.name)
    variables = {
        "function_zip_path": str(package),
        "batch_function": json.dumps({"arn": BULK_FUNCTION}),
        "request_metrics_enabled": "false",
        "access_logs_enabled": "false",
        "force_destroy": "true",
        "api": TOKENS,
    }
    example = Example(module / "examples" / "complete", on_moto, variables)
    report.steps(
        ("examples/complete: a plan with all that is on by default", lambda: example.plan(**DEFAULTS)),
        ("examples/complete: apply", example.apply),
        ("examples/complete: the second plan is empty", example.plan_again),
        ("examples/complete: the function at work for two tenants", lambda: use_function(example, server)),
        ("examples/complete: destroy, with memory in the bucket", example.destroy),
    )


def check_options(report: Report, on_moto: Terraform, module: Path, server: MotoServer) -> None:
    """Apply the options that are off by default, plan again, inspect and use the result, and destroy it."""
    package = SCRATCH / "options-arm64-py3.13.zip"
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("handler.py", "")
    ec2 = aws_client(server, "ec2")
    tables = [table["RouteTableId"] for table in ec2.describe_route_tables()["RouteTables"]]
    subnets = [subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]]
    groups = [group["GroupId"] for group in ec2.describe_security_groups()["SecurityGroups"]]
    variables = {
        "function_zip_path": str(package),
        "operator_role_arns": json.dumps([AGENTS_ROLE]),
        "tenants": json.dumps(["acme", "globex"]),
        "external_id": "memory-7f3a",
        "vpc_id": ec2.describe_vpcs()["Vpcs"][0]["VpcId"],
        "subnet_ids": json.dumps(subnets[:2]),
        "route_table_ids": json.dumps(tables[:1]),
        "security_group_ids": json.dumps(groups[:1]),
        "force_destroy": "true",
    }
    example = Example(module / "examples" / "options", on_moto, variables)
    report.steps(
        ("examples/options: apply", example.apply),
        ("examples/options: the second plan is empty", lambda: example.plan_again(forgotten=FORGOTTEN)),
        ("examples/options: what was made", lambda: look_at_options(example, server)),
        ("examples/options: two tenants, and the doctor", lambda: use_options(example, server)),
        (
            "examples/options: destroy, with memory in the bucket",
            lambda: example.destroy(forgetting=(*FORGOTTEN, LOCK, "module.memory.aws_codedeploy_app.agent[0]")),
        ),
    )


def look_at_options(example: Example, server: MotoServer) -> str:
    """Ask moto, not Terraform, what was created. Return a summary."""
    name = example.output("function_name").removesuffix("-agent")
    endpoints = aws_client(server, "ec2").describe_vpc_endpoints()["VpcEndpoints"]
    behind = {one["ServiceName"].rpartition(".")[2]: json.loads(one["PolicyDocument"]) for one in endpoints}
    expect("endpoints", sorted(behind), ["dynamodb", "kms", "s3", "secretsmanager", "sts"])
    expect("an endpoint's bucket", behind["s3"]["Statement"][0]["Resource"][0].rpartition(":")[2][: len(name)], name)

    deploy = aws_client(server, "codedeploy")
    group = deploy.get_deployment_group(applicationName=f"{name}-agent", deploymentGroupName="live")
    settings = group["deploymentGroupInfo"]
    expect("release", settings["deploymentConfigName"], "CodeDeployDefault.LambdaCanary10Percent15Minutes")
    expect("goes back by itself", settings["autoRollbackConfiguration"]["enabled"], expected=True)

    machines = aws_client(server, "stepfunctions")
    maps = {one["name"]: one["stateMachineArn"] for one in machines.list_state_machines()["stateMachines"]}
    expect("maps", sorted(maps), [f"{name}-bulk-reseal", f"{name}-bulk-verify"])
    functions = {one["FunctionArn"] for one in aws_client(server, "lambda").list_functions()["Functions"]}
    definitions = (machines.describe_state_machine(stateMachineArn=arn)["definition"] for arn in maps.values())
    each = [json.loads(definition)["States"]["EachBatch"]["ItemProcessor"]["States"] for definition in definitions]
    invoked = {states["Work"]["Parameters"]["FunctionName"] for states in each}
    expect("functions of maps that there are not", invoked - functions, set())

    bucket = function_environment(server, f"{name}-agent")["S3MEMORY_BUCKET"]
    (inventory,) = server.s3_client.list_bucket_inventory_configurations(Bucket=bucket)["InventoryConfigurationList"]
    target = inventory["Destination"]["S3BucketDestination"]["Bucket"].rpartition(":")[2]
    expect("the inventory's bucket", server.s3_client.head_bucket(Bucket=target)["BucketRegion"], "eu-central-1")
    lock = server.s3_client.get_object_lock_configuration(Bucket=bucket)["ObjectLockConfiguration"]
    expect("holds, without a default retention", lock, {"ObjectLockEnabled": "Enabled"})
    return "endpoints, release, maps, inventory, holds"


def use_options(example: Example, server: MotoServer) -> str:
    """Write as two tenants, each under its own KMS key and recorded in the register; then run the doctor."""
    given = function_environment(server, example.output("function_name"))
    # moto ignores the conditions of a Deny, and would refuse every request.
    server.s3_client.delete_bucket_policy(Bucket=given["S3MEMORY_BUCKET"])
    create = json.dumps({"command": "create", "path": "/memories/a", "file_text": "one"})
    for tenant in ("acme", "globex"):
        run_s3memory(server, given, tenant, "call", create)
    kms = aws_client(server, "kms")
    keys = {
        tenant: kms.describe_key(KeyId=f"alias/{example.output('name')}-{tenant}")["KeyMetadata"]["Arn"]
        for tenant in ("acme", "globex")
    }
    expect("tenants with a key of their own", len(set(keys.values())), 2)
    records = aws_client(server, "dynamodb").scan(TableName=given["S3MEMORY_KEY_RING_TABLE"])["Items"]
    expect("records", sorted(record["tenant"]["S"] for record in records), ["acme", "globex"])
    told = json.loads(run_s3memory(server, given, "acme", "doctor", "--json", exit_code=1))
    found = {check["name"]: check["status"] for check in told["checks"]}
    expect("the doctor on the register", [found["register-table"], found["register-condition"]], ["good", "good"])
    return "two records, the register is good"


def run_s3memory(server: MotoServer, given: Mapping[str, str], tenant: str, *arguments: str, exit_code: int = 0) -> str:
    """Run s3memory for a tenant with the function's settings. Return its output."""
    ended = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "s3memory", *arguments],
        env={**environment_of(server), **given, "S3MEMORY_TENANT": tenant},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if ended.returncode != exit_code:
        raise CheckError(f"s3memory {arguments[0]} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def expect(what: str, found: object, expected: object) -> None:
    """Compare a result with the expected one.

    Raises:
        CheckError: they differ.
    """
    if found != expected:
        raise CheckError(f"{what}: {found!r} in place of {expected!r}")


def use_function(example: Example, server: MotoServer) -> str:
    """Run the example's handler under the runtime interface client, with the environment that AWS, here moto, has.

    Returns:
        What it did, for two tenants, and what the bucket contains then.
    """
    given = function_environment(server, example.output("function_name"))
    # moto ignores the conditions of a Deny, and would refuse every request.
    server.s3_client.delete_bucket_policy(Bucket=given["S3MEMORY_BUCKET"])
    secret = aws_client(server, "secretsmanager")
    secret.create_secret(Name=given["AGENT_API_KEY_SECRET_ID"], SecretString="offline")
    try:
        found = exercise(given, server.endpoint_url)
    except (AssertionError, InitError) as error:
        raise CheckError(str(error)) from error
    return "".join(f"\n    {line}" for line in found)


def function_environment(server: MotoServer, function_name: str) -> dict[str, str]:
    """Return the environment variables of a function, from Lambda's API."""
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


def behind(front: str, server: MotoServer) -> dict[str, str]:
    """Return the variables that make Terraform use the server in front of moto as AWS."""
    there = environment_of(server)
    return {name: front if name.startswith("AWS_ENDPOINT_URL") else value for name, value in there.items()}


def environment_of(server: MotoServer) -> dict[str, str]:
    """Return the variables that make Terraform, boto3 and s3memory use a server as AWS."""
    addresses = {"AWS_ENDPOINT_URL": server.endpoint_url, "S3MEMORY_KMS_ENDPOINT_URL": server.endpoint_url}
    return {**server.environment, **addresses}


if __name__ == "__main__":
    sys.exit(main())
