"""Fixtures for offline tests of agents. pytest loads this in every run, so nothing is imported before it is needed.

`s3memory.testing.fixtures` implements the fixtures.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from s3memory.adapters.anthropic import S3MemoryTool
    from s3memory.commands import MemoryCommands
    from s3memory.testing.messages_api import ScriptedMessagesAPI
    from s3memory.testing.messages_script import Step

DEFAULT_TENANT = "test"

_SCRIPTS = pytest.StashKey[ExitStack]()

# The arguments of a memory that determine where it is and what opens it.
_PLACE = ("prefix", "key_wrapper")


class MakeCommands(Protocol):
    """Makes the commands for a tenant's memory."""

    def __call__(self, tenant: str = ..., *, overwrite: bool = ..., **more: Any) -> MemoryCommands:
        """Return the commands. Further arguments are passed to `MemoryStore`."""


class MakeTool(Protocol):
    """Makes the memory tool for a tenant's memory."""

    def __call__(self, tenant: str = ..., *, overwrite: bool = ..., **more: Any) -> S3MemoryTool:
        """Return the tool. Further arguments are passed to `MemoryStore`."""


@pytest.fixture(scope="session")
def _s3memory_away_from_aws() -> Iterator[None]:
    """Keep all requests of this process from AWS, until the session ends."""
    from s3memory._extras import ensure_installed
    from s3memory.errors import MissingExtraError

    try:
        ensure_installed("a fixture of s3memory", {"moto": "s3memory[local]"})
    except MissingExtraError as error:
        pytest.fail(str(error), pytrace=False)
    from s3memory.testing.fixtures import away_from_aws

    with away_from_aws():
        yield


@pytest.fixture(scope="session")
def s3memory_aws(_s3memory_away_from_aws: None) -> Iterator[None]:
    """Mock S3, KMS and STS with moto in this process, until the session ends: for fixtures that outlive a test."""
    from moto import mock_aws

    with mock_aws():
        yield


@pytest.fixture
def s3memory_bucket(_s3memory_away_from_aws: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a new, versioned moto bucket. ``S3MEMORY_*`` name it and a local key, so `from_env` works."""
    from s3memory.testing.fixtures import new_bucket

    with new_bucket(monkeypatch) as name:
        yield name


@pytest.fixture
def _s3memory_places() -> dict[str, dict[str, Any]]:
    """The place of the memory that the test has last made for each tenant."""
    return {}


@pytest.fixture
def memory_commands(s3memory_bucket: str, _s3memory_places: dict[str, dict[str, Any]]) -> MakeCommands:
    """Make the commands for a tenant's memory in the test's bucket: ``memory_commands(tenant="anna")``."""

    def make(tenant: str = DEFAULT_TENANT, *, overwrite: bool = False, **more: Any) -> MemoryCommands:
        from s3memory.testing.fixtures import commands_in

        _s3memory_places[tenant] = {name: more[name] for name in _PLACE if name in more}
        return commands_in(s3memory_bucket, tenant, overwrite=overwrite, **more)

    return make


@pytest.fixture
def memory_tool(memory_commands: MakeCommands) -> MakeTool:
    """Make the memory tool for a tenant's memory in the test's bucket: ``memory_tool(tenant="anna")``."""

    def make(tenant: str = DEFAULT_TENANT, *, overwrite: bool = False, **more: Any) -> S3MemoryTool:
        from s3memory.adapters.anthropic import S3MemoryTool

        return S3MemoryTool.from_commands(memory_commands(tenant, overwrite=overwrite, **more))

    return make


@pytest.fixture
def memory_contents(s3memory_bucket: str, _s3memory_places: dict[str, dict[str, Any]]) -> Callable[..., dict[str, str]]:
    """Return the texts of all files of a tenant by their paths: ``memory_contents(tenant="anna")``.

    By default, this is the memory that the test has last made for the tenant. For another one, pass the arguments that
    it was made with.
    """

    def contents(tenant: str = DEFAULT_TENANT, **more: Any) -> dict[str, str]:
        from s3memory.testing.fixtures import contents_of

        return contents_of(s3memory_bucket, tenant, **_s3memory_places.get(tenant, {}) | more)

    return contents


@pytest.fixture
def claude_script(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., ScriptedMessagesAPI]]:
    """Start a Messages API that plays a script: ``claude_script([Turn("Hello.")])``. `Anthropic()` finds it.

    The test fails if steps of the script are left.
    """
    scripts: ExitStack = request.node.stash.setdefault(_SCRIPTS, ExitStack())

    def start(steps: Iterable[Step], **more: Any) -> ScriptedMessagesAPI:
        from s3memory.testing.messages_api import ScriptedMessagesAPI

        api = scripts.enter_context(ScriptedMessagesAPI(steps, **more))
        for name, value in api.environment.items():
            monkeypatch.setenv(name, value)
        return api

    yield start
    scripts.close()  # if the test was skipped, or never called


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """End the scripts of a test while it can still fail."""
    scripts = pyfuncitem.stash.get(_SCRIPTS, None)
    if scripts is None:
        return (yield)
    with scripts:
        return (yield)
