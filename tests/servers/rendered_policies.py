"""Store the policies that Terraform renders from the module, for tests/deploy/iam to evaluate.

The native test ``terraform/tests/rendered.tftest.hcl`` applies the module with a mocked provider, and Terraform prints
the outputs of each of its runs. The result is committed, so that the tests do not need Terraform.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from steps import CheckError
from terraform_cli import Terraform, copy_of, find_mirror

PROJECT = Path(__file__).parents[2]
MODULE = PROJECT / "terraform"
RENDERED = PROJECT / "tests" / "deploy" / "iam" / "rendered"
TEST = "tests/rendered.tftest.hcl"
# The sources of the policies. A machine without Terraform uses them to check that the policies are up to date.
SOURCES = ("policies.tf", "locals.tf", "modules/tenant_key/main.tf", TEST)


def render(terraform: Terraform, directory: Path) -> dict[str, str]:
    """Return the files that should be in `RENDERED`: their names and texts.

    Args:
        terraform: the command.
        directory: a copy of the module in which ``terraform init`` was run.

    Raises:
        CheckError: the module cannot be applied.
    """
    told = [
        json.loads(line)
        for line in terraform.run(directory, "test", "-json", "-verbose", f"-filter={TEST}").splitlines()
        if '"test_state"' in line
    ]
    files = {
        f"{run['@testrun']}.json": _text(
            {name: json.loads(policy) for name, policy in run["test_state"]["outputs"]["policies"]["value"].items()}
        )
        for run in told
    }
    return {**files, "sources.json": _text(sources())}


def sources() -> dict[str, str]:
    """Return the current SHA-256 of each source."""
    return {name: hashlib.sha256((MODULE / name).read_bytes()).hexdigest() for name in SOURCES}


def compare(terraform: Terraform, directory: Path) -> str:
    """Compare the stored files with the rendered ones; arguments as for `render`. Return a short result.

    Raises:
        CheckError: a file is missing, superfluous, or different.
    """
    files = render(terraform, directory)
    there = {path.name: path.read_text("utf-8") for path in RENDERED.glob("*.json")}
    differing = sorted(name for name in files.keys() | there.keys() if files.get(name) != there.get(name))
    if differing:
        raise CheckError(f"make rendered-policies, then look at the differences of {', '.join(differing)}")
    return f"{len(files)} files"


def main() -> int:
    """Write the files. Return the exit code."""
    scratch = PROJECT / "build" / "rendered-policies"
    scratch.mkdir(parents=True, exist_ok=True)
    terraform = Terraform.find(scratch, mirror=find_mirror())
    if terraform is None:
        sys.stderr.write("There is no Terraform here.\n")
        return 1
    directory = copy_of(MODULE, scratch / "module")
    try:
        terraform.run(directory, "init", "-lockfile=readonly", "-no-color")
        files = render(terraform, directory)
    except CheckError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    RENDERED.mkdir(exist_ok=True)
    for path in RENDERED.glob("*.json"):
        path.unlink()
    for name, text in files.items():
        (RENDERED / name).write_text(text, "utf-8")
        sys.stdout.write(f"{(RENDERED / name).relative_to(PROJECT)}\n")
    return 0


def _text(content: object) -> str:
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.exit(main())
