"""The checks. Each returns what it saw, or raises `CheckError`."""

from __future__ import annotations

import base64
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from botocore.exceptions import ClientError
from steps import CheckError
from support.faults import ANSWER_LOST, FaultLayer

from aws_acceptance.deployment import OTHER, TENANT, Deployed, code_of, loaded, refused
from s3memory.errors import S3MemoryError

NOTE = "/memories/note.md"
CALLS: Final[list[dict[str, Any]]] = [
    {"command": "create", "path": NOTE, "file_text": "one\n"},
    {"command": "view", "path": NOTE},
    {"command": "view", "path": "/memories"},
    {"command": "str_replace", "path": NOTE, "old_str": "one", "new_str": "two"},
    {"command": "insert", "path": NOTE, "insert_line": 1, "insert_text": "three\n"},
    {"command": "rename", "old_path": NOTE, "new_path": "/memories/moved/note.md"},
    {"command": "rename", "old_path": "/memories/moved", "new_path": "/memories/again"},
    {"command": "delete", "path": "/memories/again"},
]
BULK_OBJECTS: Final = 100
_JOB_SECONDS, _ALARM_SECONDS, _POLL_SECONDS = 900, 1200, 15


@dataclass(frozen=True, slots=True)
class Check:
    """Something that should hold.

    Attributes:
        name: a description of it.
        look: checks whether it holds.
        not_on_moto: why moto cannot show it; empty if it can.
    """

    name: str
    look: Callable[[Deployed], str]
    not_on_moto: str = ""


def commands(deployed: Deployed) -> str:
    """Run each command as a tenant, for two tenants."""
    times = []
    for tenant in (TENANT, OTHER):
        memory = deployed.commands(tenant)
        for call in CALLS:
            began = time.monotonic()
            memory.call(call)
            times.append(f"{call['command']} {(time.monotonic() - began) * 1000:.0f} ms")
        memory.create(NOTE, f"of {tenant}\n")
    return ", ".join(times[len(CALLS) :])


_BY_POLICY = ("foreign-listing", "foreign-objects", "context-pinned", "register-access")


def doctor(deployed: Deployed) -> str:
    """Have the doctor examine the deployment, with a tenant's session."""
    # What will be destroyed again is not protected against that.
    arguments = ("doctor", "--tenant", TENANT, "--other", OTHER, "--accept", "register-protection", "--json")
    report = loaded(deployed.run(*arguments, codes=(0, 1), as_agent=True))
    found = {
        check["name"]: check["status"]
        for check in report["checks"]
        if check["status"] != "good" and not check["is_accepted"]
    }
    if not deployed.is_real:  # moto evaluates no policies, and its server has no TLS
        found |= dict.fromkeys(_BY_POLICY, "not shown")
    told = [f"{name}: {status}" for name, status in found.items()]
    if any(status != "not checked" if deployed.is_real else status == "wrong" for status in found.values()):
        raise CheckError("; ".join(told))
    return f"{len(report['checks'])} checks; {'; '.join(told) or 'all good'}"


def missing_file(deployed: Deployed) -> str:
    """Request a missing file as its tenant."""
    with refused("NoSuchKey", "404"):
        key = f"{deployed.prefix}memories/{TENANT}/not-there"
        deployed.session(TENANT).s3_client().get_object(Bucket=deployed.bucket, Key=key)
    return "NoSuchKey"


def missing_ring(deployed: Deployed) -> str:
    """Request a missing key ring as its tenant."""
    with refused("AccessDenied"):
        key = f"{deployed.prefix}keyrings/nobody-yet"
        deployed.session("nobody-yet").s3_client().get_object(Bucket=deployed.bucket, Key=key)
    return "AccessDenied, as designed"


def foreign(deployed: Deployed) -> str:
    """Request another tenant's objects in every way."""
    session, bucket, prefix = deployed.session(TENANT), deployed.bucket, deployed.prefix
    s3, kms = session.s3_client(), session.kms_client()
    listed = deployed.client("s3").list_object_versions(Bucket=bucket, Prefix=f"{prefix}memories/{OTHER}/")
    one = listed["Versions"][0]
    context = {
        "s3memory:tenant": OTHER, "s3memory:purpose": "data-key", "s3memory:generation": "1",
        "s3memory:name-mode": deployed.environment.get("S3MEMORY_NAME_MODE", "plain"),
    }  # fmt: skip
    tries: dict[str, Callable[[], object]] = {
        "read": lambda: s3.get_object(Bucket=bucket, Key=one["Key"]),
        "read a version": lambda: s3.get_object(Bucket=bucket, Key=one["Key"], VersionId=one["VersionId"]),
        "list": lambda: s3.list_objects_v2(Bucket=bucket, Prefix=f"{prefix}memories/{OTHER}/"),
        "list by how its name begins": lambda: s3.list_objects_v2(Bucket=bucket, Prefix=f"{prefix}memories/{TENANT}"),
        "list all": lambda: s3.list_objects_v2(Bucket=bucket),
        "list versions": lambda: s3.list_object_versions(Bucket=bucket, Prefix=f"{prefix}memories/{TENANT}/"),
        "list intents": lambda: s3.list_objects_v2(Bucket=bucket, Prefix=f"{prefix}intents/{OTHER}/"),
        "read the key ring": lambda: s3.get_object(Bucket=bucket, Key=f"{prefix}keyrings/{OTHER}"),
        "write": lambda: s3.put_object(Bucket=bucket, Key=f"{prefix}memories/{OTHER}/x", Body=b"", IfNoneMatch="*"),
        "delete": lambda: s3.delete_object(Bucket=bucket, Key=one["Key"], IfMatch=one["ETag"]),
        "KMS": lambda: kms.generate_data_key(
            KeyId=deployed.environment["S3MEMORY_KMS_KEY_ID"], KeySpec="AES_256", EncryptionContext=context
        ),
    }
    for name, ask in tries.items():
        try:
            with refused("AccessDenied", "AccessDeniedException"):
                ask()
        except CheckError as error:
            raise CheckError(f"{name}: {error}") from None
    return f"{len(tries)} requests, all refused"


def conditions(deployed: Deployed) -> str:
    """Record the responses to conditional writes and deletes."""
    s3, bucket = deployed.session(TENANT).s3_client(), deployed.bucket
    key, gone = f"{deployed.prefix}memories/{TENANT}/conditions", f"{deployed.prefix}memories/{TENANT}/gone"
    etag = s3.put_object(Bucket=bucket, Key=key, Body=b"1", IfNoneMatch="*")["ETag"]
    stale = '"0123456789abcdef0123456789abcdef"'
    expected: list[tuple[str, str, Callable[[], Any]]] = [
        ("PUT If-None-Match, there", "PreconditionFailed",
         lambda: s3.put_object(Bucket=bucket, Key=key, Body=b"2", IfNoneMatch="*")),
        ("PUT If-Match, stale", "PreconditionFailed",
         lambda: s3.put_object(Bucket=bucket, Key=key, Body=b"2", IfMatch=stale)),
        ("PUT If-Match, missing", "NoSuchKey",
         lambda: s3.put_object(Bucket=bucket, Key=gone, Body=b"2", IfMatch=etag)),
        ("DELETE If-Match, stale", "PreconditionFailed",
         lambda: s3.delete_object(Bucket=bucket, Key=key, IfMatch=stale)),
        ("DELETE If-Match, missing", "NoSuchKey", lambda: s3.delete_object(Bucket=bucket, Key=gone, IfMatch=etag)),
    ]  # fmt: skip
    if deployed.is_real:  # moto ignores conditions of DeleteObjects and evaluates no policies
        expected += [
            ("DeleteObjects with an ETag, stale", "PreconditionFailed",
             lambda: s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key, "ETag": stale}]})),
            ("PUT without a condition", "AccessDenied", lambda: s3.put_object(Bucket=bucket, Key=key, Body=b"2")),
            ("DELETE without a condition", "AccessDenied", lambda: s3.delete_object(Bucket=bucket, Key=key)),
        ]  # fmt: skip
    seen, wrong = [], []
    for name, code, ask in expected:
        told = _answer(ask)
        seen.append(f"{name}: {told}")
        if told != code:
            wrong.append(f"{name}: {told}, not {code}")
    s3.delete_object(Bucket=bucket, Key=key, IfMatch=etag)
    if wrong:
        raise CheckError("; ".join(wrong))
    return "; ".join(seen)


def _answer(ask: Callable[[], Any]) -> str:
    try:
        answer = ask()
    except ClientError as error:
        return code_of(error)
    errors = answer.get("Errors", [])
    return str(errors[0]["Code"]) if errors else "done"


def lost_answers(deployed: Deployed) -> str:
    """Lose the responses to writes that S3 carried out, and check that nothing is lost or done twice."""
    memory = deployed.commands(TENANT)
    path = "/memories/lost.md"
    memory.create(path, "")
    client = deployed.session(TENANT).s3_client()
    outcomes = []
    for number in range(3):
        with FaultLayer(client) as faults:
            faults.hit("PutObject", ANSWER_LOST)
            try:
                memory.insert(path, 0, f"line {number}\n")
                outcomes.append("done")
            except S3MemoryError as error:
                outcomes.append(type(error).__name__)
        text = memory.view(path)
        if text.count(f"line {number}") != 1:
            raise CheckError(f"line {number} is there {text.count(f'line {number}')} times after {outcomes[-1]}")
    return f"three answers lost, three lines there once ({', '.join(outcomes)})"


def function(deployed: Deployed) -> str:
    """Invoke the function without a caller, cold and warm. It answers 401, for which it needs no model."""
    client = deployed.client("lambda")
    event = json.dumps({"requestContext": {}, "body": "{}"})
    told = []
    for _ in range(2):
        began = time.monotonic()
        answer = client.invoke(
            FunctionName=deployed.outputs["function_name"], Qualifier="live", Payload=event, LogType="Tail"
        )
        payload = json.loads(answer["Payload"].read())
        if payload.get("statusCode") != 401:
            raise CheckError(f"the function answered {payload}")
        log = base64.b64decode(answer["LogResult"]).decode()
        init = re.search(r"Init Duration: ([0-9.]+) ms", log)
        began_text = f"init {init[1]} ms, " if init else "warm, "
        told.append(f"{began_text}{(time.monotonic() - began) * 1000:.0f} ms in all")
    return "; ".join(told)


def api(deployed: Deployed) -> str:
    """Call the API without a token, and with an invalid one."""
    url = deployed.outputs["api_url"]
    told = []
    for headers in ({}, {"Authorization": "Bearer x"}):
        request = urllib.request.Request(url, data=b'{"message": "x"}', headers=headers, method="POST")  # noqa: S310 - our own API
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - as above
                raise CheckError(f"it answered {answer.status}")
        except urllib.error.HTTPError as error:
            told.append(str(error.code))
    if set(told) - {"401", "403"}:
        raise CheckError(f"it answered {', '.join(told)}")
    return ", ".join(told)


def bulk(deployed: Deployed) -> str:
    """Verify a hundred objects in a job of S3 Batch Operations."""
    memory = deployed.commands(TENANT)
    for number in range(BULK_OBJECTS):
        memory.create(f"/memories/bulk/{number:03}", "x")
    deployed.budget.start_job()
    manifest = deployed.run("manifest", TENANT)
    key = f"{deployed.prefix}batch/manifests/acceptance.csv"
    etag = deployed.client("s3").put_object(Bucket=deployed.bucket, Key=key, Body=manifest.encode())["ETag"]
    account = deployed.client("sts").get_caller_identity()["Account"]
    control = deployed.client("s3control")
    arn = f"arn:aws:s3:::{deployed.bucket}"
    job = control.create_job(
        AccountId=account,
        ConfirmationRequired=False,
        Operation={
            "LambdaInvoke": {
                "FunctionArn": deployed.outputs["bulk_function_arns"]["verify"],
                "InvocationSchemaVersion": "2.0",
                "UserArguments": {"tenant": TENANT},
            }
        },
        Manifest={
            "Spec": {"Format": "S3BatchOperations_CSV_20180820", "Fields": ["Bucket", "Key"]},
            "Location": {"ObjectArn": f"{arn}/{key}", "ETag": etag},
        },
        Report={
            "Enabled": True, "Bucket": arn, "Prefix": f"{deployed.prefix}batch/reports",
            "Format": "Report_CSV_20180820", "ReportScope": "FailedTasksOnly",
        },
        Priority=1,
        RoleArn=deployed.outputs["batch_role_arn"],
        ClientRequestToken=f"acceptance-{time.time():.0f}",
    )["JobId"]  # fmt: skip
    began = time.monotonic()
    while time.monotonic() - began < _JOB_SECONDS:
        told = control.describe_job(AccountId=account, JobId=job)["Job"]
        if told["Status"] in {"Complete", "Failed", "Cancelled"}:
            progress = told["ProgressSummary"]
            if told["Status"] != "Complete" or progress["NumberOfTasksFailed"]:
                raise CheckError(f"{told['Status']}, {progress['NumberOfTasksFailed']} tasks failed")
            return f"{progress['NumberOfTasksSucceeded']} objects in {time.monotonic() - began:.0f} s"
        time.sleep(_POLL_SECONDS)
    raise CheckError(f"the job was not over after {_JOB_SECONDS} s")


def erasure(deployed: Deployed) -> str:
    """Erase both tenants, and check that nothing is left and that the receipts say so."""
    told = []
    with TemporaryDirectory() as directory:
        for tenant in (OTHER, TENANT):
            receipt = Path(directory) / f"{tenant}.json"
            count = int(loaded(deployed.run("erase", "--tenant", tenant, "--dry-run", "--json"))["count"])
            deployed.run("erase", "--tenant", tenant, "--yes", "--receipt", str(receipt), "--expect-count", str(count))
            deployed.run("receipt", str(receipt))
            told.append(f"{count} versions destroyed, a receipt of {receipt.stat().st_size} bytes")
    s3 = deployed.client("s3")
    folders = [f"{deployed.prefix}{folder}/" for folder in ("memories", "intents", "keyrings")]
    listed = [s3.list_object_versions(Bucket=deployed.bucket, Prefix=folder) for folder in folders]
    left = sum(len(one.get("Versions", [])) + len(one.get("DeleteMarkers", [])) for one in listed)
    if left:
        raise CheckError(f"{left} versions are left")
    return "; ".join(told)


def alarms(deployed: Deployed) -> str:
    """Wait for the alarm on denied calls, which the checks above have triggered."""
    client = deployed.client("cloudwatch")
    names = deployed.outputs["alarm_names"]
    expected = next(name for name in names if name.endswith("-denied-calls"))
    began = time.monotonic()
    while time.monotonic() - began < _ALARM_SECONDS:
        states = {
            alarm["AlarmName"]: alarm["StateValue"]
            for alarm in client.describe_alarms(AlarmNames=names)["MetricAlarms"]
        }
        if states.get(expected) == "ALARM":
            return f"{expected} went off; {', '.join(f'{name}: {state}' for name, state in sorted(states.items()))}"
        time.sleep(_POLL_SECONDS)
    raise CheckError(f"{expected} did not go off within {_ALARM_SECONDS} s")


_NO_POLICIES = "moto evaluates neither resources nor conditions of policies; tests/deploy/iam evaluates them"
_RUNS_NOTHING = "moto runs no functions; make lambda-check runs the package"

CHECKS: Final = (
    Check("every command works as a tenant with its own session", commands),
    Check("the doctor finds nothing wrong", doctor),
    Check("a missing file is a 404", missing_file),
    Check("a missing key ring is a 403", missing_ring, _NO_POLICIES),
    Check("nothing of another tenant can be had", foreign, _NO_POLICIES),
    Check("conditions are answered as s3memory expects", conditions),
    Check("a write whose answer was lost is there once", lost_answers),
    Check("the function starts, cold and warm", function, _RUNS_NOTHING),
    Check("the API refuses callers without a token", api, _RUNS_NOTHING),
    Check("a bulk job verifies 100 objects", bulk, "moto has no S3 Batch Operations; tests call the function"),
    Check("tenants are erased, with receipts", erasure),
    Check("the alarm on denied calls goes off", alarms, "moto has no CloudTrail events and no alarms that go off"),
)
