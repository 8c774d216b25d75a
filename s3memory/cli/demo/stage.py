"""The demo's servers and processes: moto, a bucket and a key, and processes that only know their environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import IO, Any

from s3memory.cli.demo import story
from s3memory.cli.demo.evidence import COPIED, FLIPPED, RESTORED, Invocation, Probe, StoredVersion
from s3memory.cli.demo.story import Act
from s3memory.testing.messages_api import ScriptedMessagesAPI
from s3memory.testing.moto_server import MotoServer

BUCKET = "agent-memory"
KMS_ALIAS = "alias/agent-memory"

_TIMEOUT_SECONDS = 120.0
_LIVE_TIMEOUT_SECONDS = 600.0
_SHOWN_STDERR_LINES = 5


class DemoError(Exception):
    """The demo could not continue. The text says why."""


@dataclass(frozen=True, slots=True)
class Child:
    """A running program, and the lines of its standard output."""

    pid: int
    lines: IO[str]
    _stdin: IO[str]

    def send(self, line: str) -> None:
        """Write a line to its standard input. If the program has ended, leaving the context of `running` says so."""
        with suppress(BrokenPipeError):
            self._stdin.write(line + "\n")
            self._stdin.flush()


@contextmanager
def running(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    timeout_seconds: float,
    exit_codes: Sequence[int] = (0,),
) -> Iterator[Child]:
    """Run a program of this package with pipes to its standard input and output. On exit, it is killed.

    Raises:
        DemoError: on leaving the context, if its exit code is not one of `exit_codes`.
    """
    with (
        # A file, not a pipe, which would fill up since nobody reads it meanwhile.
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr,
        subprocess.Popen(  # noqa: S603 - programs of this package
            [sys.executable, "-P", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=dict(environment),
            encoding="utf-8",
        ) as process,
    ):
        if process.stdin is None or process.stdout is None:
            raise DemoError("a process has no pipes")
        timer = threading.Timer(timeout_seconds, process.kill)
        timer.start()
        try:
            yield Child(process.pid, process.stdout, process.stdin)
            with suppress(BrokenPipeError):
                process.stdin.close()
            process.stdout.read()
            if process.wait() not in exit_codes:
                stderr.seek(0)
                last_lines = "\n".join(stderr.read().splitlines()[-_SHOWN_STDERR_LINES:])
                message = f"{' '.join(arguments)} ended with exit code {process.returncode}\n{last_lines}"
                raise DemoError(message.strip())
        finally:
            timer.cancel()
            process.kill()
            with suppress(BrokenPipeError):  # it may have ended before it read all its input
                process.stdin.close()


class Stage:
    """The servers of one run of the demo.

    Args:
        server: moto, running; ``None`` if the environment names the user's own store.
        scripted: whether the script plays Claude; otherwise the agent uses the API that the environment names.
    """

    def __init__(self, server: MotoServer | None, *, scripted: bool) -> None:
        self.server = server
        self.scripted = scripted
        self.resource_names: tuple[str, ...] = ()
        self._environment = dict(os.environ)
        if scripted:
            # All servers are on loopback, and the SDK fails on some proxy settings even if it does not use the proxy.
            self._forget(lambda name: name.startswith("ANTHROPIC_") or name.lower().endswith("_proxy"))
        if server is not None:
            self._forget(lambda name: name.startswith(("AWS_", "S3MEMORY_")))
            self._environment |= server.environment | {"S3MEMORY_KMS_ENDPOINT_URL": server.endpoint_url}
            self._environment |= {"S3MEMORY_BUCKET": BUCKET, "S3MEMORY_KMS_KEY_ID": KMS_ALIAS}
            # The user's configuration files may name another endpoint, or a profile that does not exist.
            self._environment |= dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"), os.devnull)

    def furnish(self) -> None:
        """Create the bucket and the key that the processes' environment names."""
        if self.server is not None:
            try:
                self.server.wait()
            except RuntimeError as error:
                raise DemoError(str(error)) from error
            self.server.make_bucket(BUCKET)
            key_arn = self.server.make_kms_key(KMS_ALIAS)
            self.resource_names = (BUCKET, KMS_ALIAS, key_arn, key_arn.rpartition("/")[2], "arn:", "memories/acme")

    @contextmanager
    def started(self, act: Act) -> Iterator[Child]:
        """Start the agent's process for an act. It waits for its event, like an initialised Lambda function."""
        script = ScriptedMessagesAPI(act.script, strict=False) if self.scripted else nullcontext()
        with script as api:
            environment = self._environment | dict(act.settings) | (api.environment if api is not None else {})
            arguments = ["-m", "s3memory.cli.agent"]
            timeout_seconds = _TIMEOUT_SECONDS if self.scripted else _LIVE_TIMEOUT_SECONDS
            with running(arguments, environment, timeout_seconds=timeout_seconds) as agent:
                yield agent

    def caller(self) -> AbstractContextManager[Child]:
        """Start a process that runs acme's tool inputs, one per line."""
        arguments = ["-m", "s3memory", "call", "--tenant", "acme"]
        return running(arguments, self._environment, timeout_seconds=_TIMEOUT_SECONDS, exit_codes=(0, 1))

    def invoke(self, act: Act, agent: Child, *, heard: Callable[[Mapping[str, Any]], None]) -> Invocation:
        """Send the event of an act to its agent, and read until it ends; `heard` is called with each message."""
        served_before = len(self.server.requests) if self.server is not None else 0
        began = time.perf_counter()
        agent.send(json.dumps({"tenant": act.tenant, "prompt": act.prompt}))
        messages = []
        for line in agent.lines:
            messages.append(json.loads(line))
            heard(messages[-1])
        seconds = time.perf_counter() - began
        requests = self.server.requests[served_before:] if self.server is not None else []
        return Invocation(act.title, act.tenant, agent.pid, seconds, messages, requests)

    def _forget(self, is_unwanted: Callable[[str], bool]) -> None:
        self._environment = {name: value for name, value in self._environment.items() if not is_unwanted(name)}


def stored_versions(server: MotoServer) -> list[StoredVersion]:
    """Return every version of every object in the bucket."""
    s3 = server.s3_client
    return [
        StoredVersion(
            version["Key"],
            s3.get_object(Bucket=BUCKET, Key=version["Key"], VersionId=version["VersionId"])["Body"].read(),
            version["IsLatest"],
        )
        for version in s3.list_object_versions(Bucket=BUCKET).get("Versions", [])
    ]


def probes(caller: Child, server: MotoServer) -> Iterator[Probe]:
    """Attack one of acme's files in the bucket, and yield the result of a view by another process after each attack."""
    s3 = server.s3_client
    object_key = f"memories/acme{story.KEPT.removeprefix('/memories')}"
    copy_key = f"memories/acme{story.COPY.removeprefix('/memories')}"
    body = s3.get_object(Bucket=BUCKET, Key=object_key)["Body"].read()
    flipped = s3.put_object(Bucket=BUCKET, Key=object_key, Body=body[:-1] + bytes([body[-1] ^ 1]))
    yield _viewed(caller, FLIPPED, story.KEPT)
    s3.delete_object(Bucket=BUCKET, Key=object_key, VersionId=flipped["VersionId"])
    s3.copy_object(Bucket=BUCKET, Key=copy_key, CopySource={"Bucket": BUCKET, "Key": object_key})
    yield _viewed(caller, COPIED, story.COPY)
    s3.delete_object(Bucket=BUCKET, Key=copy_key)
    yield _viewed(caller, RESTORED, story.KEPT)


def _viewed(caller: Child, name: str, path: str) -> Probe:
    caller.send(json.dumps({"command": "view", "path": path}))
    line = caller.lines.readline()
    return Probe(name, **json.loads(line)) if line else Probe(name, "", is_error=False)
