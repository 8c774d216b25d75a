"""The Terraform module's documentation, and its agreement with the library. Terraform is not needed."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import ClientError
from support.repository import REPOSITORY

from s3memory.aws.errors import RequestOutcome, TenantCredentialsError
from s3memory.config.variables import VARIABLES
from s3memory.contract import error_boundary
from s3memory.format.key_ring import KeyRing
from s3memory.keys import tenant_keys

MODULE = REPOSITORY / "terraform"
README = (MODULE / "README.md").read_text("utf-8")
TENANT_KEY = MODULE / "modules" / "tenant_key"
EXAMPLES = sorted(path.parent for path in MODULE.glob("examples/*/main.tf"))
# `terraform fmt` puts the brackets of a block where this looks for them.
BLOCK = re.compile(r'^(?P<kind>variable|output) "(?P<name>\w+)" \{\n(?P<body>.*?)^\}$', re.DOTALL | re.MULTILINE)
ATTRIBUTE = re.compile(r"^  (?P<name>\w+) += (?P<value>.*?)$(?=\n(?:  \w|  \}|\n|\Z))", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    kind: str
    name: str
    attributes: dict[str, str]
    body: str

    @property
    def description(self) -> str:
        return self.attributes["description"].removeprefix('"').removesuffix('"').replace('\\"', '"')

    @property
    def row(self) -> str:
        """Its row in the README's table."""
        if self.kind == "output":
            return f"| `{self.name}` | {self.description} |"
        kind = self.attributes["type"].partition("(")
        shown = "object" if kind[0] == "object" else self.attributes["type"]
        default = self.attributes.get("default")
        return f"| `{self.name}` | {self.description} | {shown} | {'required' if default is None else f'`{default}`'} |"


def blocks(directory: Path, kind: str) -> list[Block]:
    return [block for path in sorted(directory.glob("*.tf")) for block in _parsed(path) if block.kind == kind]


def _parsed(path: Path) -> Iterator[Block]:
    for found in BLOCK.finditer(path.read_text("utf-8")):
        body = found["body"]
        attributes = {attribute["name"]: attribute["value"] for attribute in ATTRIBUTE.finditer(body)}
        yield Block(found["kind"], found["name"], attributes, body)


def table(heading: str) -> list[str]:
    """Return the rows of the table below a heading, without its header."""
    section = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


def source(*names: str) -> str:
    return "\n".join((MODULE / name).read_text("utf-8") for name in names)


def test_the_parser_finds_every_block() -> None:
    for kind in ("variable", "output"):
        in_text = sum(text.count(f'\n{kind} "') for text in (f"\n{path.read_text()}" for path in MODULE.glob("*.tf")))
        assert len(blocks(MODULE, kind)) == in_text > 0


@pytest.mark.parametrize("kind", ["variable", "output"])
def test_the_readme_lists_every_input_and_output_correctly(kind: str) -> None:
    expected = [block.row for block in blocks(MODULE, kind)]
    assert table({"variable": "Inputs", "output": "Outputs"}[kind]) == expected, "\n".join(["expected:", *expected])


def test_the_readme_sets_existing_inputs() -> None:
    snippets = "".join(re.findall(r"```hcl\n(.*?)```", README, re.DOTALL))
    modules = re.findall(r'^module "\w+" \{\n(.*?)^\}', snippets, re.DOTALL | re.MULTILINE)
    used = {name for module in modules for name in re.findall(r"^  (\w+) +=", module, re.MULTILINE)}
    spoken_of = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)(?: = \w+)?`", README))
    names = {block.name for kind in ("variable", "output") for block in blocks(MODULE, kind)}
    policies = re.findall(r"^    (\w+) += jsonencode", source("outputs.tf"), re.MULTILINE)
    assert used - {"source", "for_each"} <= names | {block.name for block in blocks(TENANT_KEY, "variable")}
    attributes = re.findall(r"^    (\w+) += optional\(", source("variables.tf"), re.MULTILINE)
    assert spoken_of <= names.union(policies, attributes)


def test_the_page_on_operations_changes_keys_with_existing_inputs() -> None:
    page = (REPOSITORY / "docs" / "operations.md").read_text("utf-8")
    section = page.partition("### Another wrapping key\n")[2].partition("\n### ")[0]
    rows = "\n".join(line for line in section.splitlines() if line.startswith("| "))
    named = set(re.findall(r"`([a-z_]+)(?: = \w+)?`", rows))
    assert {"kms_key", "older_kms_key_arns", "keep_made_kms_key", "tenant_kms_keys"} <= named
    assert named <= {block.name for block in blocks(MODULE, "variable")} | {"with_shared_key"}


@pytest.mark.parametrize("directory", [MODULE, TENANT_KEY, *EXAMPLES], ids=lambda path: path.name)
def test_every_input_and_output_has_a_description(directory: Path) -> None:
    for block in [*blocks(directory, "variable"), *blocks(directory, "output")]:
        assert len(block.description) > 10, block.name
        assert block.description.endswith("."), block.name
    for variable in blocks(directory, "variable"):
        assert "type" in variable.attributes, variable.name


def test_every_input_that_can_be_wrong_is_validated() -> None:
    assert [
        variable.name
        for variable in blocks(MODULE, "variable")
        if variable.attributes["type"] != "bool" and "validation {" not in variable.body
    ] == []


def test_a_tenants_key_has_the_same_context_and_administration_as_the_shared_key() -> None:
    one, shared = (TENANT_KEY / "main.tf").read_text("utf-8"), source("policies.tf")
    assert re.findall(r"context_keys += (\[.*\])", one) == re.findall(r"context_keys = (\[.*\])", shared)
    assert sorted(administration(one)) == sorted(administration(shared))
    assert (TENANT_KEY / "versions.tf").read_text("utf-8") == source("versions.tf")


def administration(text: str) -> list[str]:
    """Return what the account may do with a key."""
    return re.findall(r'"(kms:\w+)"', text.partition("AccountAdministers")[2].partition('Resource = "*"')[0])


def test_the_alarms_match_the_librarys_log_lines_about_key_rings_and_sts() -> None:
    logged = Path(tenant_keys.__file__).read_text("utf-8")
    (older,) = re.findall(r'pattern += "\\"(an older .*?)\\""', source("ring_register.tf"))
    assert f'"{older} in place of' in logged
    (throttled,) = re.findall(r'pattern += "(.*AssumeRole.*)"', source("alarms.tf"))
    codes = [code.partition(": ")[2] for code in re.findall(r'\\"(.+?)\\"', throttled)]
    for code in codes:
        refused = ClientError({"Error": {"Code": code}}, "AssumeRole")
        assert TenantCredentialsError.meaning_of(refused) == (f"AssumeRole: {code}", RequestOutcome.NOT_DONE)
    assert "Throttling" in codes


def test_a_release_names_resources_that_the_module_creates() -> None:
    """The README's lines that start CodeDeploy, for the complete example."""
    (line,) = (line for line in CONSOLE if line.startswith("aws deploy"))
    words = shlex.split(line.replace("'$OLD'", "7").replace("'$NEW'", "8"))
    options = dict(zip(words[3::2], words[4::2], strict=True))
    name = (MODULE / "examples/complete/variables.tf").read_text("utf-8")
    assert 'default     = "memory-complete"' in name
    assert options["--application-name"] == "memory-complete-agent"
    assert f'deployment_group_name  = "{options["--deployment-group-name"]}"' in source("releases.tf")
    content = json.loads(json.loads(options["--revision"])["appSpecContent"]["content"])
    ((resource,),) = ([one for each in content["Resources"] for one in each.values()],)
    assert resource["Type"] == "AWS::Lambda::Function"
    assert resource["Properties"] == {
        "Name": "memory-complete-agent",
        "Alias": "live",
        "CurrentVersion": "7",
        "TargetVersion": "8",
    }


def test_an_input_that_may_not_be_null_refuses_null() -> None:
    for variable in blocks(MODULE, "variable"):
        may_be_null = variable.attributes.get("default") == "null"
        assert (variable.attributes.get("nullable") == "false") is not may_be_null, variable.name


def test_every_refused_value_has_a_test() -> None:
    refused = source("tests/refused.tftest.hcl")
    for variable in blocks(MODULE, "variable"):
        if "validation {" in variable.body:
            assert f"var.{variable.name}," in refused or f"var.{variable.name}]" in refused, variable.name


def test_the_function_gets_only_settings_that_the_library_knows() -> None:
    environment = source("function.tf").partition("function_environment = merge(")[2].partition("\n  )\n")[0]
    names = set(re.findall(r"^ +(S3MEMORY_\w+) +=", environment, re.MULTILINE))
    assert {"S3MEMORY_BUCKET", "S3MEMORY_PREFIX", "S3MEMORY_KMS_KEY_ID"} <= names
    assert names - {variable.full_name for variable in VARIABLES} == set()


def test_the_caller_cannot_set_variables_that_the_module_sets_for_the_function() -> None:
    environment = source("function.tf").partition("function_environment = merge(")[2].partition("\n  )\n")[0]
    refused = re.findall(r'"(S3MEMORY_\w+)"', source("variables.tf"))
    assert set(re.findall(r"^ +(S3MEMORY_\w+) +=", environment, re.MULTILINE)) <= set(refused)


def test_the_policies_pin_the_context_that_the_library_sends() -> None:
    ring = KeyRing(tenant="acme", name_mode="plain", wrapper="aws-kms", keys=())
    context = ring.wrap_context(1)
    pinned = re.search(r"context_keys = \[(.*?)\]", source("policies.tf"))
    assert pinned is not None
    assert re.findall(r'"([^"]+)"', pinned[1]) == list(context)
    assert set(re.findall(r'"kms:EncryptionContext:s3memory:purpose" += "([^"]+)"', source("policies.tf"))) == {
        context["s3memory:purpose"]
    }


def test_the_alarm_on_failures_matches_the_librarys_log_lines() -> None:
    pattern = re.search(r'^  pattern += "(.*)"$', source("alarms.tf"), re.MULTILINE)
    assert pattern is not None
    phrases = re.findall(r'\\"(.+?)\\"', pattern[1])
    logged = re.findall(r'_log\.\w+\("(.+?): %s"', Path(error_boundary.__file__).read_text("utf-8"))
    refusals = (MODULE.parent / "examples/lambda_agent/src/refusals.py").read_text("utf-8")
    of_conversations = re.findall(r'503, "(memory_\w+)"', refusals)
    assert sorted(phrases) == sorted([*logged, *of_conversations])


@pytest.mark.parametrize("page", ["terraform/README.md", "docs/deploy.md", "examples/lambda_agent/README.md"])
def test_a_page_builds_the_package_of_the_modules_own_function(page: str) -> None:
    text = (MODULE.parent / page).read_text("utf-8")
    defaults = {
        variable.name: variable.attributes.get("default", "").strip('"') for variable in blocks(MODULE, "variable")
    }
    arch, python = defaults["function_architecture"], defaults["function_runtime"].removeprefix("python")
    commands = [given.strip() for given in re.findall(r"make lambda-zip( [A-Z_=a-z0-9. ]+)?[`\n]", text)]
    assert set(commands) - {""} == {f"ARCH={arch} PYTHON_VERSION={python}"}
    assert set(re.findall(r"agent-\w+-py[0-9.]+\.zip", text)) <= {f"agent-{arch}-py{python}.zip"}


def test_the_handler_reads_the_secret_that_the_complete_example_names() -> None:
    handler = (MODULE.parent / "examples/lambda_agent/src/api_key.py").read_text("utf-8")
    complete = (MODULE / "examples/complete/main.tf").read_text("utf-8")
    named = re.search(r"function_environment += \{\s+(\w+) += var\.api_key_secret_name\n", complete)
    assert named is not None
    assert f'environ.get("{named[1]}")' in handler
    assert "secret:${var.api_key_secret_name}-??????" in complete


def test_the_complete_example_lets_only_unused_files_expire() -> None:
    complete = (MODULE / "examples/complete/main.tf").read_text("utf-8")
    (expiry,) = re.findall(r"memory_expiry_days += (\d+)", complete)
    touched_after = re.findall(r'S3MEMORY_TOUCH_AFTER_DAYS += "(\d+)"', complete)
    assert [int(days) < int(expiry) for days in touched_after] == [True]


def test_only_a_change_of_its_name_replaces_the_bucket() -> None:
    arguments = re.findall(r"^  (\w+) +=", resources("bucket.tf")["aws_s3_bucket"], re.MULTILINE)
    assert [name for name in arguments if name != "depends_on"] == ["bucket", "force_destroy", "tags"]


def test_the_longest_name_gives_bucket_names_that_s3_accepts_in_every_region() -> None:
    longest = max(map(len, boto3.Session().get_available_regions("s3")))
    text = "".join(path.read_text("utf-8") for path in sorted(MODULE.rglob("*.tf")))
    made = re.findall(r'"\$\{var\.name\}(-(?:[a-z]+-)*)\$\{local\.account_id\}-\$\{\w+\.region\}"', text)
    assert sorted(made) == ["-", "-audit-", "-inventory-", "-logs-"]
    assert "{1,22}[a-z0-9]$" in source("variables.tf")  # 24 characters
    assert all(24 + len(between) + 12 + 1 + longest <= 63 for between in made)


def test_what_decrypts_the_memory_is_destroyed_after_the_bucket() -> None:
    """A bucket that contains memory cannot be deleted, and Terraform then keeps everything that it depends on."""
    (waits_for,) = re.findall(r"^  depends_on += \[(.*)\]", resources("bucket.tf")["aws_s3_bucket"], re.MULTILINE)
    assert waits_for.split(", ") == ["aws_kms_key.memory", "aws_dynamodb_table.key_rings"]


def test_the_policy_that_protects_the_bucket_is_destroyed_before_the_rest_of_it() -> None:
    of_the_bucket = resources("bucket.tf")
    policy = of_the_bucket.pop("aws_s3_bucket_policy")
    del of_the_bucket["aws_s3_bucket"]
    after = re.findall(r"(\w+)\.memory", policy.partition("depends_on")[2])
    assert sorted(after) == sorted(of_the_bucket)


def resources(name: str) -> dict[str, str]:
    """Return the body of each resource of a file, by its type."""
    return dict(re.findall(r'^resource "(\w+)" "memory" \{\n(.*?)^\}$', source(name), re.DOTALL | re.MULTILINE))


def test_no_lifecycle_rule_applies_to_key_rings() -> None:
    assert "keyrings" not in re.sub(r"#.*", "", source("bucket.tf"))


def test_the_examples_lock_the_provider_version_that_the_module_was_tested_with() -> None:
    lock = source(".terraform.lock.hcl")
    assert lock.count('"zh:') == 15  # one per platform, so that every team member can verify it
    for example in EXAMPLES:
        assert (example / ".terraform.lock.hcl").read_text("utf-8") == lock
        assert (example / "versions.tf").read_text("utf-8") == source("versions.tf")


CONSOLE = [
    line
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
]


def test_the_readmes_commands_set_variables_of_the_example() -> None:
    """`make terraform-check` applies the examples; this compares the page with their variables."""
    directory = MODULE.parent
    seen: list[tuple[str, set[str]]] = []
    for line in CONSOLE:
        words = shlex.split(line)
        if words[0] == "cd":
            directory = MODULE.parent / words[1]
        if words[:2] == ["terraform", "apply"]:
            given = {word.partition("=")[0] for option, word in pairwise(words) if option == "-var"}
            seen.append((directory.name, given))
            assert given <= {variable.name for variable in blocks(directory, "variable")}
            required = {
                variable.name for variable in blocks(directory, "variable") if "default" not in variable.attributes
            }
            assert required <= given
        for name in re.findall(r"terraform output (?:-raw )?(\w+)", line):
            assert name in {block.name for block in blocks(directory, "output")}, line
    assert [name for name, _ in seen] == ["minimal", "minimal", "complete"]


def test_the_minimal_example_is_removed_after_an_apply_that_unprotects_the_bucket() -> None:
    (removal,) = (line for line in CONSOLE if line.startswith("terraform apply") and "force_destroy" in line)
    assert {"force_destroy=true", "deletion_protection=false"} <= set(shlex.split(removal))
    then = CONSOLE[CONSOLE.index(removal) + 1]
    assert then.startswith("terraform destroy")


def test_the_readmes_curl_lines_are_requests_that_the_function_accepts() -> None:
    from caller import Refusal, request_of  # noqa: PLC0415 - the example's

    lines = [shlex.split(line) for line in CONSOLE if line.startswith("curl ")]
    assert len(lines) == 3
    for words in lines:
        headers = dict(word.split(": ", 1) for option, word in pairwise(words) if option == "-H")
        body = next(word for option, word in pairwise(words) if option == "-d")
        claims = {"principalId": "anna", "tenant": "acme", "sub": "anna"} if "Authorization" in headers else None
        event = {"requestContext": {"authorizer": claims}, "headers": headers, "body": body}
        if claims is None:
            with pytest.raises(Refusal, match="unauthenticated"):
                request_of(event)
        else:
            assert request_of(event).tenant == "acme"
            assert request_of(event).message_id == headers.get("Idempotency-Key")


def test_the_page_on_aws_queries_existing_log_fields() -> None:
    page = (MODULE.parent / "docs" / "aws.md").read_text("utf-8")
    cost, usage = (
        " ".join(line.strip() for line in query.splitlines())
        for query in re.findall(r"```\n(filter .*?)\n```", page, re.DOTALL)
    )
    dashboard = json.loads((MODULE / "dashboard.json").read_text("utf-8"))
    queries = {one["properties"]["title"]: one["properties"].get("query", "") for one in dashboard["widgets"]}
    assert queries["Cost by tenant"].partition(" | ")[2] == cost
    operations = set(re.findall(r"requests\.(\w+)", cost))
    written = {"PutObject", "ListObjectsV2", "DeleteObjects"}
    assert operations == written | {"GetObject", "HeadObject", "GenerateDataKey", "Decrypt"}
    answering = (MODULE.parent / "examples/lambda_agent/src/answering.py").read_text("utf-8")
    for name in re.findall(r"sum\((\w+)\)", usage):
        assert f'"{name}"' in answering or f"{name}=" in answering, name
