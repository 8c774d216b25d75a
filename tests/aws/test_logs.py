"""What botocore logs at DEBUG: nothing about this package's requests, whatever level the program sets."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from support.unique import unique

from s3memory.testing import MotoServer

# Sends requests to KMS, STS and S3 with the root logger at DEBUG, and prints the log and what it must not contain.
PROGRAM = """
import base64, io, json, logging, os, sys

endpoint, bucket, given, when = sys.argv[1:]
os.environ |= {
    "AWS_ACCESS_KEY_ID": "AKIDOFTHEPROCESS", "AWS_SECRET_ACCESS_KEY": "secretoftheprocess",
    "AWS_SESSION_TOKEN": "tokenoftheprocess", "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": endpoint,
}
logged = io.StringIO()


def log():
    logging.basicConfig(level=logging.DEBUG, stream=logged, force=True)


if when == "before":
    log()
import boto3
from botocore.client import BaseClient
from botocore.config import Config
from s3memory import KmsKeyWrapper, LocalKeyWrapper, MemoryCommands, MemoryStore, TenantSessions
from s3memory.aws import clients
from s3memory.admin.keys.rotation import rewrap, rotate

secrets = ["secretoftheprocess", "tokenoftheprocess"]
make = BaseClient._make_api_call


def noting(client, operation, arguments):
    answer = make(client, operation, arguments)
    for said in (answer, arguments):
        secrets.extend(base64.b64encode(said[name]).decode() for name in ("Plaintext",) if name in said)
        secrets.extend(repr(said[name])[2:-1] for name in ("Plaintext",) if name in said)
        if "Credentials" in said:
            secrets.extend(said["Credentials"][name] for name in ("SecretAccessKey", "SessionToken"))
    return answer


BaseClient._make_api_call = noting
own = given == "given"
key_id = boto3.client("kms").create_key()["KeyMetadata"]["KeyId"]
sessions = TenantSessions("arn:aws:iam::123456789012:role/x", sts_client=boto3.client("sts") if own else None)
kms = boto3.client("kms") if own else None
if when == "after":
    log()
logged.truncate(0)

path_style = Config(s3={"addressing_style": "path"})
local = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())


def store(tenant, wrapper, **more):
    return MemoryStore(bucket=bucket, tenant=tenant, key_wrapper=wrapper, **more)


s3 = boto3.client("s3", config=path_style) if own else clients.PROCESS.s3_client(endpoint_url=endpoint)
for made in (store("one", KmsKeyWrapper(key_id, kms_client=kms), s3_client=s3), store("two", local, s3_client=s3)):
    MemoryCommands(made).call({"command": "create", "path": "/memories/a", "file_text": "text"})
    made.key_ring.forget()
    MemoryCommands(made).call({"command": "view", "path": "/memories/a"})
    rotate(made)
rewrap(made, KmsKeyWrapper(key_id, kms_client=kms))
if not own:
    credentials = sessions.for_tenant("three").s3_client(endpoint_url=endpoint)
    made = store("three", KmsKeyWrapper(key_id).with_clients(sessions.for_tenant("three")), s3_client=credentials)
    MemoryCommands(made).call({"command": "create", "path": "/memories/a", "file_text": "text"})
else:
    sessions._sts_client.assume_role(RoleArn="arn:aws:iam::123456789012:role/x", RoleSessionName="xyz")
ours = logged.getvalue()
# What others ask is logged as it was.
boto3.client("sts").get_caller_identity()
print(json.dumps({"secrets": secrets, "ours": ours, "theirs": len(logged.getvalue()) - len(ours)}))
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("whose", ["ours", "given"])
def test_no_key_and_no_credentials_are_logged_at_debug(shared_server: MotoServer, whose: str, when: str) -> None:
    """The handler is installed before anything is imported, or once all clients have been created."""
    bucket = unique("logs")
    shared_server.make_bucket(bucket)
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-W", "ignore", "-c", PROGRAM, shared_server.endpoint_url, bucket, whose, when],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert len(set(said["secrets"])) > 10
    leaked = [line[:200] for line in said["ours"].splitlines() if any(secret in line for secret in said["secrets"])]
    assert leaked == []
    assert said["theirs"] > 0
