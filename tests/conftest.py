"""Fixtures for all tests: moto in this process, a separate bucket for each test, and stores and tools in it.

moto runs once per session and each test uses a new bucket: creating a boto3 client takes longer than most tests.
"""

from __future__ import annotations

import functools
import gc
import importlib
import io
import itertools
import logging
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import botocore.endpoint
import pytest
import typer
from botocore.config import Config
from botocore.stub import Stubber
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from moto import mock_aws
from support.buckets import new_bucket
from support.certificates import Certificates
from support.cli_runs import Ran, Run, Stdin
from support.clock import NOON, SetClock
from support.dumping import dumpable_again
from support.fast_transport import transport_of_tests
from support.faults import FaultLayer
from support.figures import FIGURES
from support.remembered import remember, s3_client
from support.scheduler import in_strands

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.aws.clients import forget_clients
from s3memory.cli import main
from s3memory.keys.key_cache import forget_keys
from s3memory.testing import MotoServer
from s3memory.testing.moto_corrections import correct

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

_PROPERTIES = Path(__file__).parent / "properties"

hypothesis_settings.register_profile(
    "s3memory",
    deadline=None,  # machines are shared: a slow example is not a failure
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
hypothesis_settings.load_profile("s3memory")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the laws of tests/properties as long: together they take minutes."""
    for item in items:
        if item.path.is_relative_to(_PROPERTIES):
            item.add_marker(pytest.mark.long)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector away from imported objects: there are a million, and they stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(700, 10, 100)  # tests leave many objects, few of which are garbage
        gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Pass this worker's counts to the process that prints them."""
    worker_output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if worker_output is not None:
        worker_output["figures"] = dict(FIGURES)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add up the workers' counts."""
    FIGURES.update(getattr(node, "workeroutput", {}).get("figures", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the counts."""
    if FIGURES:
        terminalreporter.section("counted")
        for sentence, count in sorted(FIGURES.items()):
            terminalreporter.write_line(f"{sentence}: {count}")


TENANT = "acme"


@pytest.fixture(scope="session", autouse=True)
def _aws() -> Iterator[None]:
    """Keep every test away from AWS, and from the credentials and proxies of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("AWS_", "S3MEMORY_", "ANTHROPIC_")) or name.lower().endswith("_proxy"):
                patch.delenv(name)
        patch.setenv("AWS_ACCESS_KEY_ID", "testing")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        patch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        correct(patch.setattr)
        remember(patch)
        # botocore sleeps between its retries; nothing here gets better by waiting.
        patch.setattr(botocore.endpoint, "time", SimpleNamespace(time=time.time, sleep=lambda _seconds: None))
        # botocore draws an id for each request from the system's randomness, which no test needs.
        patch.setattr(botocore.endpoint, "uuid", SimpleNamespace(uuid4=itertools.count().__next__))
        # Typer rebuilds it from signatures and annotations at each call, which takes longer than most commands.
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        with mock_aws():
            yield


@pytest.fixture(scope="session", autouse=True)
def _transport() -> Iterator[None]:
    """With TEST_TRANSPORT=fast, libcurl sends everything."""
    with transport_of_tests():
        yield


@pytest.fixture(autouse=True)
def _same_examples_in_any_order(request: pytest.FixtureRequest) -> None:
    """Seed a module's `RNG` with the test's name, whatever ran before it."""
    drawn = getattr(request.module, "RNG", None)
    if isinstance(drawn, random.Random):
        drawn.seed(request.node.nodeid)


@pytest.fixture(autouse=True)
def _no_keys_of_other_tests() -> None:
    """They would do no harm, but each key that is added to the cache is compared with all others."""
    forget_keys()


@pytest.fixture(scope="session")
def s3(_aws: None) -> S3Client:
    """A client of the mocked S3."""
    return s3_client()


@pytest.fixture(scope="session")
def other_s3(_aws: None) -> S3Client:
    """A client of the same S3 for other writers: a fault layer on `s3` does not see its requests."""
    return s3_client()


@pytest.fixture(scope="session")
def single_attempt_s3(_aws: None) -> S3Client:
    """A client that sends every request once, so that our code handles a fault and not botocore's retries."""
    return boto3.client("s3", config=Config(retries={"total_max_attempts": 1, "mode": "standard"}))


@pytest.fixture
def bucket(_aws: None) -> str:
    """The name of a new, versioned bucket."""
    return new_bucket()


@pytest.fixture(scope="session")
def key_wrapper() -> LocalKeyWrapper:
    """A wrapper with a key generated for this session."""
    return LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())


@pytest.fixture
def faults(s3: S3Client) -> Iterator[FaultLayer]:
    """Faults for the requests of `s3`."""
    with FaultLayer(s3) as layer:
        yield layer


@pytest.fixture
def single_attempt_faults(single_attempt_s3: S3Client) -> Iterator[FaultLayer]:
    """Faults for the requests of `single_attempt_s3`."""
    with FaultLayer(single_attempt_s3) as layer:
        yield layer


@pytest.fixture(scope="module")
def moto_server() -> Iterator[MotoServer]:
    """An empty server for one module."""
    with MotoServer() as server:
        yield server


@pytest.fixture(scope="session")
def shared_server() -> Iterator[MotoServer]:
    """A server that all modules share; each creates its own buckets and keys."""
    with MotoServer() as server:
        yield server


@pytest.fixture(scope="module")
def agent(_aws: None) -> Iterator[ModuleType]:
    """The Lambda example's module `answering`, imported as on Lambda."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S3MEMORY_BUCKET", "agent-memory")
        patch.setenv("S3MEMORY_LOCAL_KEY", LocalKeyWrapper.generate_key_text())
        # The agent sets its format: a test that imported it first would leave that to the handlers of all later tests.
        patch.setattr(logging.getLogger(), "handlers", [])
        yield importlib.import_module("answering")
    for name in ("answering", "handler", "events"):
        sys.modules.pop(name, None)


@pytest.fixture
def stubber(client: Any) -> Iterator[Stubber]:
    """The responses for the module's `client`, all of which must be requested."""
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


MakeStore = Callable[..., MemoryStore]
MakeCommands = Callable[..., MemoryCommands]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Make Ctrl-C interrupt: a process that a script starts in the background ignores it, as do its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def make_store(bucket: str, s3: S3Client, key_wrapper: LocalKeyWrapper) -> MakeStore:
    """Return a function that creates a store in the test's bucket, with the arguments of `MemoryStore`."""

    def make(**more: Any) -> MemoryStore:
        arguments: dict[str, Any] = {
            "bucket": bucket,
            "tenant": TENANT,
            "key_wrapper": key_wrapper,
            "s3_client": s3,
            **more,
        }
        return MemoryStore(**arguments)

    return make


@pytest.fixture
def make_commands(make_store: MakeStore) -> MakeCommands:
    """Return a function that creates commands over a new store in the test's bucket, with the store's arguments."""

    def make(*, overwrite: bool = False, **more: Any) -> MemoryCommands:
        return MemoryCommands(make_store(**more), overwrite=overwrite)

    return make


@pytest.fixture
def store(make_store: MakeStore) -> MemoryStore:
    """A store of the tenant `TENANT` with all defaults."""
    return make_store()


@pytest.fixture
def other(make_store: MakeStore, other_s3: S3Client) -> MemoryStore:
    """A store of the same memory with another client, like another process's."""
    return make_store(s3_client=other_s3)


@pytest.fixture
def commands(make_commands: MakeCommands) -> MemoryCommands:
    """The commands over a store of the tenant `TENANT` with all defaults."""
    return make_commands()


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Return a function that sets the server's clock to a number of minutes after noon, and returns that time."""

    def set_clock(minutes: int) -> datetime:
        moment = NOON + timedelta(minutes=minutes)
        # moto's clock has no zone.
        monkeypatch.setattr("moto.s3.models.utcnow", lambda: moment.replace(tzinfo=None))
        return moment

    return set_clock


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs the CLI with arguments, and bytes for standard input."""

    def running(*arguments: str, stdin: bytes = b"", terminal: bool = False) -> Ran:
        monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(stdin), terminal=terminal))
        monkeypatch.setenv("COLUMNS", "80")
        with dumpable_again(), pytest.raises(SystemExit) as ended:
            main(arguments)
        captured = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Ran(code, captured.out, captured.err)

    return running


@pytest.fixture
def local_key() -> str:
    return LocalKeyWrapper.generate_key_text()


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, bucket: str, local_key: str) -> None:
    """Settings for the test's bucket, in the environment."""
    monkeypatch.setenv("S3MEMORY_BUCKET", bucket)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", local_key)
    monkeypatch.setenv("S3MEMORY_TENANT", "acme")


@pytest.fixture
def no_clients_of_other_tests() -> Iterator[None]:
    """Forget all clients and unwrapped keys, before the test and after it."""
    forget_keys()
    forget_clients()
    yield
    forget_keys()
    forget_clients()


@pytest.fixture
def few_to_collect() -> None:
    """Keep the garbage collector away from other tests' objects: a test that collects then takes a second less."""
    gc.freeze()


@pytest.fixture
def strands() -> Iterator[None]:
    """Run the package's parallel calls in strands, which a test's scheduler stops at every request."""
    with in_strands():
        yield


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """A certificate authority that signs the certificates of tests' servers."""
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio."""
    return "asyncio"
