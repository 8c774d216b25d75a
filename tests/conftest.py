"""What all tests stand on: moto in this process, a bucket of one's own, and stores and tools in it.

moto runs once for the session and each test takes a new bucket: making a boto3 client costs more than most tests do.
"""

from __future__ import annotations

import functools
import gc
import io
import itertools
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
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
    deadline=None,  # machines are shared: a slow example is no failure
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
hypothesis_settings.load_profile("s3memory")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the laws of tests/properties as long: they take minutes together."""
    for item in items:
        if item.path.is_relative_to(_PROPERTIES):
            item.add_marker(pytest.mark.long)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from what is imported, a million objects that stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(700, 10, 100)  # tests leave much, and little of it is garbage
        gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what this worker counted to the process that prints."""
    worker_output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if worker_output is not None:
        worker_output["figures"] = dict(FIGURES)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add up what the workers counted."""
    FIGURES.update(getattr(node, "workeroutput", {}).get("figures", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was counted."""
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
        # Between botocore's own retries; nothing here gets better by waiting.
        patch.setattr(botocore.endpoint, "time", SimpleNamespace(time=time.time, sleep=lambda _seconds: None))
        # Each request's number is drawn from the system, in which nothing here has a part.
        patch.setattr(botocore.endpoint, "uuid", SimpleNamespace(uuid4=itertools.count().__next__))
        # Made anew from signatures and their annotations at each call, it takes longer than most commands do.
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        with mock_aws():
            yield


@pytest.fixture(scope="session", autouse=True)
def _transport() -> Iterator[None]:
    """With TEST_TRANSPORT=fast, all is sent by libcurl."""
    with transport_of_tests():
        yield


@pytest.fixture(autouse=True)
def _same_examples_in_any_order(request: pytest.FixtureRequest) -> None:
    """Draw from a module's `RNG` by the test's own name, whatever ran before it."""
    drawn = getattr(request.module, "RNG", None)
    if isinstance(drawn, random.Random):
        drawn.seed(request.node.nodeid)


@pytest.fixture(autouse=True)
def _no_keys_of_other_tests() -> None:
    """Nor would they do harm, but each that is added to the cache is compared with all that are there."""
    forget_keys()


@pytest.fixture(scope="session")
def s3(_aws: None) -> S3Client:
    """A client of the mocked S3."""
    return s3_client()


@pytest.fixture(scope="session")
def other_s3(_aws: None) -> S3Client:
    """A client of the same S3 for other writers, whose requests a fault layer on `s3` does not see."""
    return s3_client()


@pytest.fixture(scope="session")
def single_try_s3(_aws: None) -> S3Client:
    """A client that sends every request once, so that a fault is met by our code and not by botocore's retries."""
    return boto3.client("s3", config=Config(retries={"total_max_attempts": 1, "mode": "standard"}))


@pytest.fixture
def bucket(_aws: None) -> str:
    """The name of a new, versioned bucket."""
    return new_bucket()


@pytest.fixture(scope="session")
def key_wrapper() -> LocalKeyWrapper:
    """A wrapper under a key made for this session."""
    return LocalKeyWrapper.from_text(LocalKeyWrapper.generate_key_text())


@pytest.fixture
def faults(s3: S3Client) -> Iterator[FaultLayer]:
    """Faults for the requests of `s3`."""
    with FaultLayer(s3) as layer:
        yield layer


@pytest.fixture
def single_try_faults(single_try_s3: S3Client) -> Iterator[FaultLayer]:
    """Faults for the requests of `single_try_s3`."""
    with FaultLayer(single_try_s3) as layer:
        yield layer


@pytest.fixture(scope="module")
def moto_server() -> Iterator[MotoServer]:
    """A server of the module's own, without anything in it."""
    with MotoServer() as server:
        yield server


@pytest.fixture(scope="session")
def shared_server() -> Iterator[MotoServer]:
    """A server of all modules, in which each makes buckets and keys of its own."""
    with MotoServer() as server:
        yield server


@pytest.fixture
def stubber(client: Any) -> Iterator[Stubber]:
    """The responses of the module's `client`, all of which have to be asked for."""
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


MakeStore = Callable[..., MemoryStore]
MakeCommands = Callable[..., MemoryCommands]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C interrupts: a process that a script started in the background ignores it, and so do its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def make_store(bucket: str, s3: S3Client, key_wrapper: LocalKeyWrapper) -> MakeStore:
    """Make a store in the test's bucket; arguments are those of `MemoryStore`."""

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
    """Make the commands over a store in the test's bucket; `overwrite` is theirs, the rest the store's."""

    def make(*, overwrite: bool = False, **more: Any) -> MemoryCommands:
        return MemoryCommands(make_store(**more), overwrite=overwrite)

    return make


@pytest.fixture
def store(make_store: MakeStore) -> MemoryStore:
    """A store of tenant `TENANT` with all defaults."""
    return make_store()


@pytest.fixture
def other(make_store: MakeStore, other_s3: S3Client) -> MemoryStore:
    """The same memory through another client, as another process has it."""
    return make_store(s3_client=other_s3)


@pytest.fixture
def commands(make_commands: MakeCommands) -> MemoryCommands:
    """The commands over a store of tenant `TENANT` with all defaults."""
    return make_commands()


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Set the server's clock to so many minutes after noon, and return that time."""

    def set_clock(minutes: int) -> datetime:
        moment = NOON + timedelta(minutes=minutes)
        # moto's clock has no zone.
        monkeypatch.setattr("moto.s3.models.utcnow", lambda: moment.replace(tzinfo=None))
        return moment

    return set_clock


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the CLI with arguments, and bytes for standard input."""

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
    """Settings of the test's bucket, in the environment."""
    monkeypatch.setenv("S3MEMORY_BUCKET", bucket)
    monkeypatch.setenv("S3MEMORY_LOCAL_KEY", local_key)
    monkeypatch.setenv("S3MEMORY_TENANT", "acme")


@pytest.fixture
def no_clients_of_other_tests() -> Iterator[None]:
    """Nor keys that they have unwrapped; and none of this test's afterwards."""
    forget_keys()
    forget_clients()
    yield
    forget_keys()
    forget_clients()


@pytest.fixture
def few_to_collect() -> None:
    """Keep the garbage collector from what others left, a million objects: a test that collects takes a second less."""
    gc.freeze()


@pytest.fixture
def strands() -> Iterator[None]:
    """Run what the package does side by side in strands, which a test's scheduler stops at every request."""
    with in_strands():
        yield


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority, which a test's server has a certificate from."""
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio."""
    return "asyncio"
