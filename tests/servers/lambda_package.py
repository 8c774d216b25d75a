"""Build the Lambda packages and test them: reproducible bytes, the right processor, and a run of the zip's content.

The first build needs the package index, so this is not part of the test suite: ``make lambda-check``.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "adapters"), str(TESTS.parent / "examples" / "lambda_agent" / "deploy")]

from contents import BOTOCORE_COMMON, ELF_MACHINES, elf_machines  # noqa: E402 - found on the path that was set above
from mcp_servers import AUDIENCE, CLAIM, JSON, Issuer, call_message  # noqa: E402
from package import FUNCTION, LAYER, MCP, OUT, Kind, assemble  # noqa: E402
from support.lambda_exercise import exercise, exercise_on_libcurl  # noqa: E402
from support.lambda_runtime import LambdaFunction  # noqa: E402
from wheels import Target, gather, this_python  # noqa: E402

from s3memory.testing import MotoServer  # noqa: E402

STORE = OUT / "wheels"
BUCKET = "agent-memory"
KEY = "alias/agent-memory"


def main() -> int:
    """Build and test everything. Return the exit code."""
    python = this_python()
    package = built_twice(FUNCTION, Target("x86_64", python))
    with unzipped(package) as directory:
        check_contents(directory, "x86_64", FUNCTION)
        run(directory, exercise)
        if Target("x86_64", python).has_new_glibc:
            assert (directory / "pycurl").is_dir()
            run(directory, exercise_on_libcurl)
    with unzipped(built(MCP, Target("x86_64", python))) as directory:
        check_contents(directory, "x86_64", MCP)
        run_mcp(directory)
    for kind in (FUNCTION, LAYER, MCP):
        other = built(kind, Target("arm64", python))
        with unzipped(other) as directory:
            check_contents(directory / kind.root, "arm64", kind)
    if python != "3.13":
        # Terraform's default runtime. Without its interpreter here, the package has no byte code, and says so.
        with unzipped(built(FUNCTION, Target("arm64", "3.13"))) as directory:
            stale = [path.name for path in directory.rglob("*.pyc") if "cpython-313" not in path.name]
            assert not stale, stale
    say("the Lambda packages are as they should be")
    return 0


def built(kind: Kind, target: Target) -> Path:
    """Build a package."""
    return assemble(kind, gather(kind.locks, target, store=STORE), out=OUT)


def built_twice(kind: Kind, target: Target) -> Path:
    """Build a package twice from the same wheels, and compare."""
    wheels = gather(kind.locks, target, store=STORE)
    with tempfile.TemporaryDirectory() as directory:
        first = assemble(kind, wheels, out=Path(directory)).read_bytes()
    package = assemble(kind, wheels, out=OUT)
    assert package.read_bytes() == first, "the second build has other bytes than the first"
    say(f"{package.name}: the same bytes twice")
    return package


@contextmanager
def unzipped(package: Path) -> Iterator[Path]:
    """Unzip a package."""
    with tempfile.TemporaryDirectory() as directory, zipfile.ZipFile(package) as archive:
        archive.extractall(directory)
        yield Path(directory)


def check_contents(directory: Path, arch: str, kind: Kind) -> None:
    """Check what a package contains, and what it must not contain."""
    machines = dict(elf_machines(directory))
    assert len(machines) >= 2, machines
    assert set(machines.values()) == {ELF_MACHINES[arch]}, machines
    assert (directory / "s3memory" / "py.typed").is_file()
    assert (directory / "handler.py").is_file() == kind.has_handler
    assert (directory / "anthropic").is_dir() == (kind is FUNCTION)
    assert (directory / "mcp").is_dir() == (kind is MCP)
    for name in ("boto3", "botocore", "cryptography", "s3memory"):
        assert list(directory.glob(f"{name}-*.dist-info/METADATA")), name
    data = {path.name for path in (directory / "botocore" / "data").iterdir()}
    assert data >= BOTOCORE_COMMON | kind.services, data
    assert len(data) < 12, data
    traces = list(directory.rglob("direct_url.json"))
    assert not traces, traces


def run(directory: Path, tried: Callable[..., list[str]]) -> None:
    """Run the package in isolation under the runtime interface client."""
    with MotoServer() as aws:
        aws.make_bucket(BUCKET)
        aws.make_kms_key(KEY)
        environment = {"S3MEMORY_BUCKET": BUCKET, "S3MEMORY_KMS_KEY_ID": KEY}
        for line in tried(environment, aws.endpoint_url, package=directory):
            say(f"  {line}")


def run_mcp(directory: Path) -> None:
    """Run the MCP server in isolation under the runtime interface client, with a token and with a forged one."""
    with MotoServer() as aws, Issuer() as issuer:
        aws.make_bucket(BUCKET)
        aws.make_kms_key(KEY)
        environment = aws.environment | {
            "S3MEMORY_BUCKET": BUCKET,
            "S3MEMORY_KMS_KEY_ID": KEY,
            "S3MEMORY_MCP_ISSUER": issuer.url,
            "S3MEMORY_MCP_AUDIENCE": AUDIENCE,
            "S3MEMORY_MCP_JWKS_URL": f"{issuer.url}/jwks",
            "S3MEMORY_MCP_TENANT_CLAIM": CLAIM,
        }
        with LambdaFunction(
            "s3memory.adapters.mcp.lambda_handler",
            search_path=[directory],
            environment=environment,
            site_packages=False,
        ) as function:
            answer, refusal = (function.invoke(request(token)).response for token in (issuer.token(), "forged"))
    assert (answer["statusCode"], refusal["statusCode"]) == (200, 401), (answer, refusal)
    assert "/memories" in answer["body"], answer
    say("  the MCP server answers on Lambda's runtime")


def request(token: str) -> dict[str, Any]:
    """Return the event of a function URL that views the memory."""
    domain = "abc.lambda-url.eu-central-1.on.aws"
    http = {"method": "POST", "path": "/mcp", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": ""}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": "/mcp",
        "rawQueryString": "",
        "headers": {
            "content-type": JSON,
            "accept": f"{JSON}, text/event-stream",
            "host": domain,
            "authorization": f"Bearer {token}",
        },
        "requestContext": {"domainName": domain, "http": http, "stage": "$default"},
        "body": json.dumps(call_message("memory_view", {"path": "/memories"})),
        "isBase64Encoded": False,
    }


def say(line: str) -> None:
    """Print a line at once, in order with pip's output."""
    print(line, flush=True)  # noqa: T201 - a program


if __name__ == "__main__":
    sys.exit(main())
