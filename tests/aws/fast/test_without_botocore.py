"""A process that reaches S3, KMS and STS on the second transport: it never imports botocore or boto3."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from support.unique import unique

from s3memory import LocalKeyWrapper
from s3memory.testing.moto_server import MotoServer

ROLE = "arn:aws:iam::123456789012:role/tenant"
BUCKET = unique("memory")
KMS_KEY = f"alias/{BUCKET}"


@pytest.fixture(scope="session")
def server(shared_server: MotoServer) -> MotoServer:
    shared_server.make_bucket(BUCKET)
    shared_server.make_kms_key(KMS_KEY)
    return shared_server


def run(server: MotoServer, program: str, **settings: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3MEMORY_"))}
    environment = {
        **kept,
        **server.environment,
        "HOME": "/nonexistent",
        "S3MEMORY_TRANSPORT": "fast",
        "S3MEMORY_BUCKET": BUCKET,
        **settings,
    }
    if "S3MEMORY_KMS_KEY_ID" not in settings:
        environment.pop("S3MEMORY_KMS_ENDPOINT_URL", None)
    done = subprocess.run(  # noqa: S603 - our own program
        # The oldest allowed Typer imports names that the newest Click deprecates.
        [sys.executable, *("-W", "error"), *("-W", "ignore::DeprecationWarning:typer"), "-c", textwrap.dedent(program)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


COMMANDS = """
    import sys
    from s3memory import MemoryCommands
    from s3memory.errors import S3MemoryError

    commands = MemoryCommands.from_env(tenant="{tenant}")
    path = "/memories/ä b/notes.md"
    told = [
        commands.call({{"command": "create", "path": path, "file_text": "tea\\n"}}),
        commands.call({{"command": "str_replace", "path": path, "old_str": "tea", "new_str": "mate"}}),
        commands.call({{"command": "insert", "path": path, "insert_line": 0, "insert_text": "first\\n"}}),
        commands.call({{"command": "view", "path": path}}),
        commands.call({{"command": "view", "path": "/memories"}}),
        commands.call({{"command": "rename", "old_path": "/memories/ä b", "new_path": "/memories/c"}}),
        commands.call({{"command": "delete", "path": "/memories/c"}}),
    ]
    assert "mate" in told[3] and "first" in told[3], told
    loaded = {{"boto3", "botocore", "urllib3", "requests", "http.client", "pycurl"}} & sys.modules.keys()
    print(*sorted(loaded))
"""


def test_commands_with_a_local_key(server: MotoServer) -> None:
    key = LocalKeyWrapper.generate_key_text()
    assert run(server, COMMANDS.format(tenant="local"), S3MEMORY_LOCAL_KEY=key) == "pycurl"


def test_commands_with_a_kms_key(server: MotoServer) -> None:
    before = len(server.requests)
    assert run(server, COMMANDS.format(tenant="kms"), S3MEMORY_KMS_KEY_ID=KMS_KEY) == "pycurl"
    assert "GenerateDataKey" in {one.operation for one in server.requests[before:] if one.service == "kms"}


def test_commands_with_credentials_for_one_tenant(server: MotoServer) -> None:
    settings = {"S3MEMORY_KMS_KEY_ID": KMS_KEY, "S3MEMORY_TENANT_ROLE_ARN": ROLE}
    before = len(server.requests)
    assert run(server, COMMANDS.format(tenant="of-a-session"), **settings) == "pycurl"
    assert [one.operation for one in server.requests[before:] if one.service == "sts"] == ["AssumeRole"]


@pytest.mark.long
def test_the_requests_are_the_same_as_with_boto3(server: MotoServer) -> None:
    def made(transport: str) -> list[tuple[str, str, int]]:
        before = len(server.requests)
        program = COMMANDS.format(tenant=transport)
        key = LocalKeyWrapper.generate_key_text()
        run(server, program, S3MEMORY_TRANSPORT=transport, S3MEMORY_LOCAL_KEY=key)
        requests = [one for one in server.requests[before:] if one.operation != "unknown"]
        return sorted((one.service, one.operation, one.status) for one in requests)

    assert made("fast") == made("boto3")


def test_the_command_line_uses_it_too(server: MotoServer) -> None:
    program = """
    import sys
    from s3memory.cli import main
    for arguments in (["call", '{"command": "create", "path": "/memories/a", "file_text": "x"}'], ["verify"], ["ls"]):
        try:
            main(arguments)
        except SystemExit as end:
            assert not end.code, arguments
    print("botocore" in sys.modules)
    """
    settings: dict[str, Any] = {"S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(), "S3MEMORY_TENANT": "cli"}
    assert run(server, program, **settings).splitlines()[-1] == "False"


def test_requests_are_counted_for_audits_and_leave_nothing_in_debug_logs(server: MotoServer) -> None:
    program = """
    import logging, sys
    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(message)s")
    from s3memory import MemoryCommands
    commands = MemoryCommands.from_env(tenant="logged")
    commands.call({"command": "create", "path": "/memories/a", "file_text": "x"})
    """
    settings = {"S3MEMORY_KMS_KEY_ID": KMS_KEY, "S3MEMORY_AUDIT": "on", "S3MEMORY_TENANT_ROLE_ARN": ROLE}
    (line,) = run(server, program, **settings).splitlines()
    assert '"PutObject": 2' in line or '"PutObject":2' in line, line
    assert "ASIA" not in line


def test_a_first_view_loads_no_libcrypto_except_those_of_libcurl_and_of_the_cipher(server: MotoServer) -> None:
    settings = {"S3MEMORY_KMS_KEY_ID": KMS_KEY}
    run(server, COMMANDS.format(tenant="seen"), **settings)
    view = """
        import sys
        from s3memory import MemoryCommands

        before = "_hashlib" in sys.modules
        assert MemoryCommands.from_env(tenant="seen").call({"command": "view", "path": "/memories"})
        print(before, "_hashlib" in sys.modules)
    """
    assert run(server, view, **settings) == "False False"
