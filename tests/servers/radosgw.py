"""Check whether Ceph's radosgw, as Debian packages it, can hold a memory: first the doctor, then tests/conformance.

Both must agree. A monitor, an OSD that keeps its objects in memory, and radosgw listen on free ports on loopback, with
their own keys, and end with this program, however it ends.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import boto3
from botocore.config import Config
from second_server import end_on_signals, free_address, holds, say

from s3memory import LocalKeyWrapper
from s3memory.admin.doctor import Check, Deployment, Status, examine

PROGRAMS = ("ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin", "setpriv")
PACKAGES = "ceph-mon ceph-osd radosgw"
STEP_SECONDS = 120
START_SECONDS = 60

CONFIGURATION = """
[global]
fsid = {cluster}
mon host = [v2:{monitor}/0]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
osd pool default size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data = {folder}/mon
mon data avail crit = 1
osd data = {folder}/osd
osd objectstore = memstore
memstore device bytes = 1073741824
keyring = {folder}/keyring
run dir = {folder}
admin socket =
pid file =
crash dir = {folder}
log file = {folder}/$name.log
rgw data = {folder}/rgw
rgw frontends = beast endpoint={gateway}
"""


@dataclass(frozen=True, slots=True)
class Gateway:
    """A running radosgw.

    Attributes:
        endpoint_url: its URL.
        credentials: AWS's variables, for a user created here.
    """

    endpoint_url: str
    credentials: Mapping[str, str]


def main() -> int:
    """Run everything. Return the exit code: 0 only if the doctor and the rules agree."""
    end_on_signals()
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        say(f"NOT CHECKED: there is no {', '.join(missing)}: apt-get install --no-install-recommends {PACKAGES}")
        return 1
    began = time.monotonic()
    with TemporaryDirectory(prefix="radosgw-") as folder, radosgw(Path(folder)) as gateway:
        version = _run("radosgw", "--version").split(" (")[0]
        say(f"{version}: started in {time.monotonic() - began:.1f} s")
        versioned, unversioned = (_examined(gateway, with_versions=one) for one in (True, False))
        _tell(versioned, unversioned)
        is_wrong = any(check.status is Status.WRONG for check in versioned)
        # One broken rule is enough to know; make conformance runs all of them.
        options = ["--exitfirst", "--tb=no"] if is_wrong else []
        is_good = holds(gateway.endpoint_url, *options, credentials=gateway.credentials)
    if is_good is is_wrong:
        say("FAILED: the doctor and the rules do not say the same of this server")
        return 1
    say(f"the doctor and the rules agree: it {'can' if is_good else 'can not'} hold a memory")
    return 0


@contextmanager
def radosgw(folder: Path) -> Iterator[Gateway]:
    """Yield a new radosgw once it answers.

    Raises:
        CalledProcessError: creating the cluster failed.
        TimeoutError: it does not answer.
    """
    cluster, disk = str(uuid.uuid4()), str(uuid.uuid4())
    monitor, gateway = free_address(), free_address()
    configuration, keyring, monitors = (str(folder / name) for name in ("ceph.conf", "keyring", "monmap"))
    Path(configuration).write_text(
        CONFIGURATION.format(cluster=cluster, monitor=monitor, gateway=gateway, folder=folder)
    )
    for name in ("mon", "osd", "rgw"):
        (folder / name).mkdir()
    os.environ["CEPH_CONF"] = configuration
    with ExitStack() as daemons:
        for entity, more in (("mon.", ["--create-keyring"]), ("client.admin", ["--cap", "osd", "allow *"])):
            _run("ceph-authtool", keyring, "--gen-key", "-n", entity, "--cap", "mon", "allow *", *more)
        _run("monmaptool", "--create", "--addv", "a", f"[v2:{monitor}]", "--fsid", cluster, monitors)
        _run("ceph-mon", "--mkfs", "-i", "a", "--monmap", monitors, "--keyring", keyring)
        daemons.enter_context(_daemon("ceph-mon", "-i", "a"))
        _run("ceph", "osd", "new", disk)
        with Path(keyring).open("a") as keys:
            keys.write(_run("ceph", "auth", "get-or-create", "osd.0", "mon", "allow profile osd", "osd", "allow *"))
        _run("ceph-osd", "--mkfs", "-i", "0", "--osd-uuid", disk)
        daemons.enter_context(_daemon("ceph-osd", "-i", "0"))
        user = json.loads(_run("radosgw-admin", "user", "create", "--uid", "rules", "--display-name", "rules"))
        daemons.enter_context(_daemon("radosgw"))
        _wait_for(f"http://{gateway}")
        yield Gateway(
            f"http://{gateway}",
            {
                "AWS_ACCESS_KEY_ID": user["keys"][0]["access_key"],
                "AWS_SECRET_ACCESS_KEY": user["keys"][0]["secret_key"],
                "AWS_DEFAULT_REGION": "us-east-1",
            },
        )


def _run(*command: str) -> str:
    run = subprocess.run(command, check=True, capture_output=True, text=True, timeout=STEP_SECONDS)  # noqa: S603 - ours
    return run.stdout


@contextmanager
def _daemon(*command: str) -> Iterator[None]:
    # It ends when this program does, even if that is killed; Ctrl-C ends the tests first, then their server.
    kept = ["setpriv", "--pdeathsig", "KILL", *command, "--foreground"]
    with subprocess.Popen(  # noqa: S603 - ours
        kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            yield
        finally:
            process.kill()


def _wait_for(endpoint_url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        with suppress(OSError), opener.open(endpoint_url, timeout=5):
            return
        time.sleep(0.1)
    raise TimeoutError(f"radosgw does not answer at {endpoint_url}")


def _examined(gateway: Gateway, *, with_versions: bool) -> tuple[Check, ...]:
    s3 = boto3.client(
        "s3",
        endpoint_url=gateway.endpoint_url,
        aws_access_key_id=gateway.credentials["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=gateway.credentials["AWS_SECRET_ACCESS_KEY"],
        region_name=gateway.credentials["AWS_DEFAULT_REGION"],
        config=Config(s3={"addressing_style": "path"}),
    )
    bucket = f"doctor-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=bucket)
    if with_versions:
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    wrapper = LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())
    return examine(Deployment(bucket=bucket, tenant="acme", s3=s3, operator_s3=s3, key_wrapper=wrapper))


def _tell(versioned: tuple[Check, ...], unversioned: tuple[Check, ...]) -> None:
    say("the doctor says, with versioning and without")
    for one, other in zip(versioned, unversioned, strict=True):
        found = one.found if one.found == other.found else f"{one.found} / {other.found}"
        sys.stdout.write(f"{one.status:<12}{other.status:<12}{one.name:<24}{found}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
