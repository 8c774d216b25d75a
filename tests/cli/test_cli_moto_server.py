"""The moto server that users test their agents against: it starts, it counts, and it leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest

from s3memory import KmsKeyWrapper, LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.admin.keys import rotation
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath
from s3memory.testing import MotoServer, ServedRequest

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

BUCKET = "server-memory"
ALIAS = "alias/server-memory"


@pytest.fixture(scope="module")
def server() -> Iterator[MotoServer]:
    """A running server with a bucket and a KMS key."""
    with MotoServer() as running:
        running.make_bucket(BUCKET)
        running.make_kms_key(ALIAS)
        yield running


@pytest.fixture(scope="module")
def without_a_key() -> Iterator[MotoServer]:
    """Another one, in which nobody makes a KMS key."""
    with MotoServer() as running:
        yield running


def accepts_connections(endpoint_url: str) -> bool:
    host, _, port = endpoint_url.removeprefix("http://").partition(":")
    with suppress(OSError), socket.create_connection((host, int(port)), timeout=1):
        return True
    return False


def test_a_server_is_ready_when_its_context_is_entered_and_gone_when_it_is_left() -> None:
    with MotoServer() as server:
        endpoint_url = server.endpoint_url
        assert accepts_connections(endpoint_url)
        assert server.requests == []
    assert not accepts_connections(endpoint_url)
    with pytest.raises(RuntimeError, match="while its context is entered"):
        server.wait()


def test_requests_wait_for_a_server_that_is_not_awaited() -> None:
    with MotoServer(is_awaited=False) as server:
        server.make_bucket("early")
        server.wait()
        assert [bucket["Name"] for bucket in server.s3_client.list_buckets()["Buckets"]] == ["early"]


def test_waiting_again_returns_at_once(server: MotoServer) -> None:
    before = server.requests
    server.wait()
    server.wait()
    assert server.requests == before


def test_a_server_that_breaks_off_behind_its_address_says_why_when_it_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "werkzeug").mkdir()
    (tmp_path / "werkzeug" / "__init__.py").write_text("raise SystemExit('no werkzeug today')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with MotoServer(is_awaited=False) as server, pytest.raises(RuntimeError, match="no werkzeug today"):
        server.wait()
    broken = MotoServer()
    with pytest.raises(RuntimeError, match="no werkzeug today"):
        broken.__enter__()
    monkeypatch.delenv("PYTHONPATH")
    with broken:
        assert broken.requests == []


def test_no_file_of_the_working_folder_shadows_a_module_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "typing.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.chdir(tmp_path)
    with MotoServer() as server:
        assert server.requests == []


def test_a_server_is_gone_when_the_body_fails() -> None:
    endpoint_url = ""

    def fail() -> None:
        nonlocal endpoint_url
        with MotoServer() as server:
            endpoint_url = server.endpoint_url
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert not accepts_connections(endpoint_url)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_server_is_gone_when_its_parent_is_killed() -> None:
    program = "import sys, time; from s3memory.testing import MotoServer\n"
    program += "with MotoServer() as server: print(server.endpoint_url, flush=True); time.sleep(60)"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:  # noqa: S603 - the lines above
        assert parent.stdout is not None
        endpoint_url = parent.stdout.readline().strip()
        assert accepts_connections(endpoint_url)
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 10
    while accepts_connections(endpoint_url) and time.monotonic() < until:
        time.sleep(0.02)
    assert not accepts_connections(endpoint_url)


def test_two_servers_share_nothing_with_each_other_nor_with_moto_in_this_process(
    server: MotoServer, without_a_key: MotoServer, s3: S3Client
) -> None:
    without_a_key.make_bucket("only-here", versioned=False)
    assert [bucket["Name"] for bucket in without_a_key.s3_client.list_buckets()["Buckets"]] == ["only-here"]
    assert [bucket["Name"] for bucket in server.s3_client.list_buckets()["Buckets"]] == [BUCKET]
    assert not {"only-here", BUCKET} & {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}


def test_a_bucket_is_versioned_unless_told_otherwise(server: MotoServer) -> None:
    assert server.s3_client.get_bucket_versioning(Bucket=BUCKET)["Status"] == "Enabled"


def test_a_kms_key_is_found_by_its_alias(server: MotoServer) -> None:
    arn = server.make_kms_key("alias/another")
    assert server.kms_client.describe_key(KeyId="alias/another")["KeyMetadata"]["Arn"] == arn


def test_a_memory_moves_from_one_kms_key_to_another(server: MotoServer) -> None:
    """As the documented move does: the new key first, the old one behind it."""
    server.make_kms_key("alias/new")
    store = MemoryStore(
        bucket=BUCKET,
        tenant="moving-in-kms",
        key_wrapper=KmsKeyWrapper(ALIAS, kms_client=server.kms_client),
        s3_client=server.s3_client,
    )
    path = MemoryPath(("a",))
    store.create(path, "tea")
    both = KmsKeyWrapper("alias/new", ALIAS, kms_client=server.kms_client)
    moving = MemoryStore(bucket=BUCKET, tenant=store.tenant, key_wrapper=both, s3_client=server.s3_client)
    assert rotation.rewrap(moving, both.first_alone())
    assert not rotation.rewrap(moving, both.first_alone())
    moved = MemoryStore(bucket=BUCKET, tenant=store.tenant, key_wrapper=both.first_alone(), s3_client=server.s3_client)
    assert (found := moved.read(path)) is not None
    assert found.text == "tea"


def test_the_environment_holds_the_server_and_nothing_of_whoever_runs_it(server: MotoServer) -> None:
    environment = server.environment
    assert environment["S3MEMORY_ENDPOINT_URL"] == environment["S3MEMORY_KMS_ENDPOINT_URL"] == server.endpoint_url
    assert environment["NO_PROXY"] == environment["no_proxy"] == "127.0.0.1"
    assert environment["AWS_ACCESS_KEY_ID"] == "testing"
    assert environment["AWS_REGION"] == environment["AWS_DEFAULT_REGION"]


def test_the_environment_has_no_address_of_kms_before_there_is_a_key(without_a_key: MotoServer) -> None:
    """Without any key, s3memory refuses it."""
    assert "S3MEMORY_KMS_ENDPOINT_URL" not in without_a_key.environment


def test_a_memory_in_another_process_needs_the_environment_alone(server: MotoServer) -> None:
    created = {"command": "create", "path": "/memories/a.md", "file_text": "tea\n"}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3MEMORY_"))}
    settings = {"S3MEMORY_BUCKET": BUCKET, "S3MEMORY_KMS_KEY_ID": ALIAS, "S3MEMORY_TENANT": "other-process"}
    done = subprocess.run(  # noqa: S603 - this interpreter and our program
        [sys.executable, "-m", "s3memory", "call", json.dumps(created)],
        env=clean | server.environment | settings,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["content"] == "File created successfully at: /memories/a.md"


@pytest.mark.long
def test_a_memory_moves_from_a_local_key_to_kms_with_the_endpoint_set(server: MotoServer) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3MEMORY_"))}
    tenant = {"S3MEMORY_BUCKET": BUCKET, "S3MEMORY_TENANT": "moving"}
    local, kms = {"S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text()}, {"S3MEMORY_KMS_KEY_ID": ALIAS}

    def run(key: dict[str, str], *arguments: str) -> str:
        done = subprocess.run(  # noqa: S603 - this interpreter and our program
            [sys.executable, "-m", "s3memory", *arguments],
            env=clean | server.environment | tenant | key,
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout

    run(local, "call", json.dumps({"command": "create", "path": "/memories/a.md", "file_text": "tea\n"}))
    for is_rewrapped in (True, False):
        assert json.loads(run(local, "keys", "rewrap", "--kms-key", ALIAS, "--json"))["rewrapped"] is is_rewrapped
    assert run(kms, "cat", "/memories/a.md") == "tea\n"


def test_a_tenants_role_is_assumed_at_the_server_too(server: MotoServer) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3MEMORY_"))}
    settings = {
        "S3MEMORY_BUCKET": BUCKET,
        "S3MEMORY_KMS_KEY_ID": ALIAS,
        "S3MEMORY_TENANT": "other-role",
        "S3MEMORY_TENANT_ROLE_ARN": "arn:aws:iam::123456789012:role/agent-memory-tenant",
    }
    before = len(server.requests)
    subprocess.run(
        [sys.executable, "-m", "s3memory", "call", '{"command": "view", "path": "/memories"}'],
        env=clean | server.environment | settings,
        capture_output=True,
        check=True,
    )
    assert server.requests[before] == ServedRequest("sts", "AssumeRole", "/", 200)


def test_a_folder_that_holds_nothing_but_delete_markers_is_not_listed(server: MotoServer) -> None:
    s3 = server.s3_client
    for key in ("folders/a/1", "folders/b/1", "folders/b/2", "folders/c"):
        s3.put_object(Bucket=BUCKET, Key=key, Body=b"")
    for key in ("folders/a/1", "folders/b/1", "folders/c"):
        assert s3.delete_object(Bucket=BUCKET, Key=key)["DeleteMarker"]
    listed = s3.list_objects_v2(Bucket=BUCKET, Prefix="folders/", Delimiter="/")
    assert listed["CommonPrefixes"] == [{"Prefix": "folders/b/"}]
    assert "Contents" not in listed
    assert {"Prefix": "folders/"} in s3.list_objects_v2(Bucket=BUCKET, Delimiter="/")["CommonPrefixes"]


def test_requests_are_recorded_by_service_operation_path_and_status(server: MotoServer) -> None:
    before = len(server.requests)
    wrapper = KmsKeyWrapper(ALIAS, kms_client=server.kms_client)
    store = MemoryStore(
        bucket=BUCKET,
        tenant="counted",
        key_wrapper=wrapper,
        s3_client=server.s3_client,
        key_cache=KeyCache(),
    )
    commands = MemoryCommands(store)
    commands.create("/memories/ä.md", "tea\n")
    created = server.requests[before:]
    assert ServedRequest("kms", "GenerateDataKey", "/", 200) in created
    assert ServedRequest("s3", "GetObject", "/server-memory/keyrings/counted", 404) in created
    assert ServedRequest("s3", "PutObject", "/server-memory/memories/counted/ä.md", 200) in created
    before += len(created)
    commands.view("/memories")
    commands.rename("/memories/ä.md", "/memories/b/c.md")
    commands.delete("/memories/b")
    operations = [request.operation for request in server.requests[before:]]
    assert operations[0] == "ListObjectsV2"
    assert {"HeadObject", "PutObject", "DeleteObject", "DeleteObjects"} <= set(operations)


def test_copies_and_listings_of_versions_are_recorded_as_what_they_are(server: MotoServer) -> None:
    server.s3_client.put_object(Bucket=BUCKET, Key="a", Body=b"")
    server.s3_client.copy_object(Bucket=BUCKET, Key="b", CopySource=f"{BUCKET}/a")
    server.s3_client.list_object_versions(Bucket=BUCKET, Prefix="b")
    server.s3_client.head_bucket(Bucket=BUCKET)
    server.s3_client.delete_object(Bucket=BUCKET, Key="b")
    recorded = [request.operation for request in server.requests[-5:]]
    assert recorded == ["PutObject", "CopyObject", "ListObjectVersions", "HeadBucket", "DeleteObject"]


def test_a_client_made_by_hand_reaches_the_server_too(server: MotoServer) -> None:
    client = boto3.client("s3", endpoint_url=server.endpoint_url)
    client.head_bucket(Bucket=BUCKET)
    client.close()
    assert server.requests[-1] == ServedRequest("s3", "HeadBucket", "/server-memory", 200)


def test_a_server_that_is_not_ready_in_time_is_an_error_and_stopped() -> None:
    with pytest.raises(RuntimeError, match=r"did not start within 0\.01 s"):
        MotoServer(start_timeout_seconds=0.01).__enter__()


def test_a_server_that_can_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.devnull)
    monkeypatch.setenv("PYTHONHOME", os.devnull)
    with pytest.raises(RuntimeError, match="moto did not start"):
        MotoServer().__enter__()


def test_without_moto_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moto", None)
    with pytest.raises(ModuleNotFoundError, match=r"\.\[local\]"):
        MotoServer().__enter__()


def test_a_server_has_an_address_only_while_it_runs() -> None:
    with pytest.raises(RuntimeError, match="while its context is entered"):
        _ = MotoServer().endpoint_url


def test_a_running_server_is_not_entered_again(server: MotoServer) -> None:
    with pytest.raises(RuntimeError, match="running already"):
        server.__enter__()
