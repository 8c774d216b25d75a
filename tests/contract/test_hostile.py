"""Whatever a model sends or AWS answers, a text or a `ToolError` comes back, nothing leaks, and nothing is harmed."""

from __future__ import annotations

import base64
import logging
import math
import os
import posixpath
import re
import types
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from anthropic.types.beta import BetaMemoryTool20250818ViewCommand
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ProxyConnectionError,
    ReadTimeoutError,
    ResponseStreamingError,
    SSLError,
    TokenRetrievalError,
)
from conftest import MakeCommands
from hypothesis import given, settings
from hypothesis import strategies as st
from support.flavours import (
    Answer,
    Flavour,
    Refused,
    files_of,
    of_tool,
    through_async_call,
    through_call,
    through_typed_method,
)
from support.memory_s3 import InMemoryS3

from s3memory import (
    KmsKeyWrapper,
    Limits,
    LocalKeyWrapper,
    MemoryCommands,
    MemoryStore,
    MountedCommands,
    S3MemoryTool,
    errors,
    search_tool,
)
from s3memory.aws import retry
from s3memory.keys.key_cache import KeyCache
from s3memory.store import tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

BUCKET = "bucket-of-nobody-else"
PREFIX = "some/prefix/"
TENANT = "tenant-zero"
NEIGHBOUR = "neighbour-inc"
KEEP = "/memories/keep/notes.md"
FILES = {KEEP: "keep this\nand that\n", "/memories/keep/more/x.md": "x", "/memories/y.md": "yyy"}
NEIGHBOURS_FILE = "what the neighbour keeps for itself"

# What no answer may contain, whatever was sent: no generated input contains any of it.
NAMES = [
    BUCKET,
    PREFIX,
    TENANT,
    NEIGHBOUR,
    NEIGHBOURS_FILE,
    "keyrings",
    "intents",
    "arn:",
    "amazonaws",
    "Traceback",
    'File "',
    "s3memory.",
    "botocore",
    "pydantic",
    "object at 0x",
    "internal error",
    *(name for name in vars(errors) if name.endswith("Error") and name != "S3MemoryError"),
]
CLASS_NAMES = re.compile(
    r"\b(Value|Type|Key|Attribute|Index|Unicode\w*|Recursion|Overflow|Assertion|Validation)Error\b"
)


class World:
    """An in-memory S3 with two tenants, which is copied for each run."""

    def __init__(self) -> None:
        self.wrapper = LocalKeyWrapper(os.urandom(32))
        self.keys = KeyCache()
        self.server = InMemoryS3()
        mine = self.store_on(self.server)
        for path, text in FILES.items():
            MemoryCommands(mine).create(path, text)
        MemoryCommands(self.store_on(self.server, tenant=NEIGHBOUR)).create("/memories/secret.md", NEIGHBOURS_FILE)
        self.objects = self.server.objects[BUCKET]
        ring = mine.key_ring.existing()
        assert ring is not None
        key_bytes = ring.newest.key_bytes
        self.secrets = [key_bytes.hex(), base64.b64encode(key_bytes).decode(), repr(key_bytes)[2:-1], *NAMES]

    def store_on(self, server: InMemoryS3, *, tenant: str = TENANT, client: Any = None, **more: Any) -> MemoryStore:
        arguments: dict[str, Any] = {"key_cache": self.keys, "key_wrapper": self.wrapper, **more}
        arguments["s3_client"] = client or server.client()
        return MemoryStore(bucket=BUCKET, prefix=PREFIX, tenant=tenant, **arguments)

    def assert_says_nothing_else(self, text: str, sent: object = None) -> None:
        text.encode("utf-8")
        assert not [secret for secret in self.secrets if secret in text and secret not in repr(sent)]
        assert not CLASS_NAMES.search(text)


@pytest.fixture(scope="module")
def world() -> World:
    return World()


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_PAUSE_SECONDS", 0.0)


WEAKER_SERVER = (
    "the S3 server does not honour conditions on DELETE: "
    "an edit in the moment before a file is deleted or renamed can be lost"
)


def n_failures_in_log(caplog: pytest.LogCaptureFixture) -> int:
    """Check that our logger names failures by type only. Return the number of commands that it names."""
    records = [record for record in caplog.records if record.name.startswith("s3memory")]
    failed = [record for record in records if record.getMessage() != WEAKER_SERVER]
    for record in failed:
        assert re.fullmatch(r"a memory command failed: \w+(?: \((?:AssumeRole: )?\w+\))?", record.getMessage())
        assert record.exc_info is None
        assert record.exc_text is None
    return len(failed)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**30, -(2**63), 10**4_000, -(10**4_000)])
    | st.floats()
    | st.text(max_size=20)
    | st.text(st.characters(), max_size=20)
    | st.binary(max_size=20)
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | SCALARS, inner, max_size=4),
    max_leaves=12,
)
ODD_NAMES = [
    "_fields_set",
    "self",
    "cls",
    "model_config",
    "model_fields",
    "model_construct",
    "construct",
    "__class__",
    "__dict__",
    "__init__",
    "tool_input",
    "parameters",
    "name",
    "type",
    "key_wrapper",
    "bucket",
    "tenant",
    "prefix",
    "",
    " path",
    "path\x00",
    "pa\ud800th",
]
FIELDS = ["path", "old_path", "new_path", "file_text", "old_str", "new_str", "insert_line", "insert_text", "view_range"]
COMMANDS = ["view", "create", "str_replace", "insert", "delete", "rename"]
LONG = [
    "x" * 200_000,
    "/memories/" + "a/" * 3_000,
    "/memories/" + "x" * 4_000,
    "/memories/" + "%25" * 1_300,
    "\n" * 102_400,
]
PATHS = st.sampled_from(
    [
        *FILES,
        "/memories",
        "/memories/keep",
        "/memories/keep/more/",
        "/memories/new.md",
        "/memories/keep/../new/deep.md",
        "/memories/./",
        "/memories/x/..",
        "/memories/..",
        "/memories/../../etc/passwd",
        "/memories/%2e%2e/%2e%2e/x",
        "/memories/a\x00b",
        "/memories/\u202etxt.exe",
        "/memories/\ud800",
        "/memories\\x",
        "/memoriesx",
        f"{KEEP}/below",
        f"/memories/{'n' * 900}",
        *LONG,
    ]
) | st.text(max_size=10).map("/memories/{}".format)
TEXTS = st.text(max_size=20) | st.sampled_from(["", "keep", "x", "y", "\n", "\ud800", "{}", "%s", "\\1", *LONG])
NUMBERS = st.integers(-3, 5) | st.sampled_from([10**30, 10**4_000, True, "1", 1.0, math.nan, math.inf])
MEANT = {
    **dict.fromkeys(("path", "old_path", "new_path"), PATHS),
    **dict.fromkeys(("file_text", "old_str", "new_str", "insert_text"), TEXTS),
    "insert_line": NUMBERS,
    "view_range": st.lists(NUMBERS, max_size=3) | NUMBERS,
}
NEARLY_RIGHT = st.builds(
    lambda command, meant, odd: {**meant, **odd, **command},
    st.fixed_dictionaries({"command": st.sampled_from(COMMANDS)}),
    st.fixed_dictionaries({}, optional=MEANT),
    st.dictionaries(st.sampled_from([*FIELDS, *ODD_NAMES]) | st.integers() | st.none(), ANYTHING, max_size=1)
    | st.just({}),
)
WELL_FORMED = st.one_of(
    *(
        st.fixed_dictionaries({"command": st.just(command), **{name: MEANT[name] for name in names.split()}})
        for command, names in {
            "view": "path",
            "create": "path file_text",
            "str_replace": "path old_str new_str",
            "insert": "path insert_line insert_text",
            "delete": "path",
            "rename": "old_path new_path",
        }.items()
    )
)
WEIRD = st.dictionaries(st.sampled_from(["command", *FIELDS, *ODD_NAMES]), ANYTHING, max_size=6)
# The share of the examples that `make test` draws; `make test-long` draws all.
SHARES = pytest.mark.parametrize("share", [0.25, pytest.param(1.0, marks=pytest.mark.long)])
# Each kind with its number of examples.
INPUTS: dict[str, tuple[st.SearchStrategy[Any], int]] = {
    "well formed": (WELL_FORMED, 600),
    "nearly right": (NEARLY_RIGHT, 500),
    "weird": (WEIRD, 250),
    "anything": (ANYTHING, 200),
}


def addressed(sent: Any) -> list[str]:
    """Return the canonical paths that an accepted command is about."""
    paths = [sent[name] for name in ("path", "old_path", "new_path") if sent.get(name) is not None]
    return [posixpath.normpath(unicodedata.normalize("NFC", path)) for path in paths]


def assert_unharmed(world: World, server: InMemoryS3, sent: Any, answer: Answer) -> None:
    """Assert that a refused command changed nothing, and an accepted one only what it was about."""
    objects = server.objects[BUCKET]
    if isinstance(answer, Refused) or sent["command"] == "view":
        assert objects == world.objects
        return
    touched = [f"{PREFIX}memories/{TENANT}/{path.removeprefix('/memories/')}" for path in addressed(sent)]
    for key in world.objects.keys() | objects.keys():
        if not any(key == one or key.startswith(f"{one}/") for one in touched):
            assert objects.get(key) == world.objects.get(key)


def through_mounted_call(commands: MemoryCommands, sent: Any) -> Answer:
    """Call the sync tool over a memory in which another one is mounted, on its own server."""
    client: Any = InMemoryS3().client()
    wrapper = LocalKeyWrapper(bytes(range(32)))
    team = MemoryStore(bucket="bucket", tenant="team", key_wrapper=wrapper, s3_client=client, key_cache=KeyCache())
    return through_call(MountedCommands({"/memories": commands, "/memories/new": team}), sent)


@pytest.mark.parametrize(
    "send", [through_call, through_async_call, through_mounted_call], ids=["call", "async_call", "mounted"]
)
@pytest.mark.parametrize("kind", INPUTS)
@SHARES
def test_any_input_gets_an_answer_and_harms_nothing_that_it_does_not_name(
    world: World, caplog: pytest.LogCaptureFixture, kind: str, share: float, send: Flavour
) -> None:
    inputs, max_examples = INPUTS[kind]
    if send is through_async_call:
        share /= 4  # each call creates an event loop
    caplog.set_level(logging.DEBUG, "s3memory")

    @settings(max_examples=int(max_examples * share))
    @given(inputs)
    def holds(sent: Any) -> None:
        server = world.server.copy()
        answer = send(MemoryCommands(world.store_on(server)), sent)
        world.assert_says_nothing_else(answer.text if isinstance(answer, Refused) else answer, sent)
        assert_unharmed(world, server, sent, answer)

    holds()
    assert caplog.records == []


SEARCHES = st.fixed_dictionaries(
    {}, optional={"query": TEXTS | ANYTHING, "path": PATHS | ANYTHING, "command": SCALARS, "self": SCALARS}
)


@SHARES
def test_any_search_gets_an_answer_and_changes_nothing(world: World, share: float) -> None:
    @settings(max_examples=int(400 * share))
    @given(SEARCHES | ANYTHING)
    def holds(sent: Any) -> None:
        server = world.server.copy()
        answer = of_tool(lambda: str(search_tool(MemoryCommands(world.store_on(server))).call(sent)))
        text = answer.text if isinstance(answer, Refused) else answer
        world.assert_says_nothing_else(text, sent)
        assert len(text) <= Limits().max_view_chars
        assert server.objects[BUCKET] == world.objects

    holds()


@SHARES
def test_any_typed_input_gets_an_answer_and_harms_nothing_that_it_does_not_name(world: World, share: float) -> None:
    @settings(max_examples=int(300 * share))
    @given(NEARLY_RIGHT)
    def holds(sent: dict[str, Any]) -> None:
        sent = {name: value for name, value in sent.items() if name in ["command", *FIELDS]}
        server = world.server.copy()
        answer = through_typed_method(MemoryCommands(world.store_on(server)), sent)
        world.assert_says_nothing_else(answer.text if isinstance(answer, Refused) else answer, sent)
        if isinstance(answer, Refused):
            assert server.objects[BUCKET] == world.objects

    holds()


@pytest.mark.parametrize("send", [through_call, through_async_call], ids=["call", "async_call"])
@pytest.mark.parametrize(
    "sent",
    [
        types.MappingProxyType({"command": "view", "path": "/memories"}),
        {"path": "/memories", "command": "view", "view_range": None},
    ],
)
def test_any_mapping_counts_as_an_object(world: World, send: Flavour, sent: Mapping[str, Any]) -> None:
    assert str(send(MemoryCommands(world.store_on(world.server.copy())), sent)).startswith("Here're the files")


@pytest.mark.parametrize(
    "command",
    [None, 5, "view", {"command": "view"}, BetaMemoryTool20250818ViewCommand.construct()],
    ids=["None", "int", "str", "dict", "empty"],
)
@pytest.mark.parametrize("method", ["execute", *COMMANDS])
def test_a_typed_method_accepts_only_its_own_type(world: World, method: str, command: Any) -> None:
    server = world.server.copy()
    tool = S3MemoryTool.from_commands(MemoryCommands(world.store_on(server)))
    send: Callable[[Any], str] = getattr(tool, method)
    answer = of_tool(lambda: send(command))
    assert isinstance(answer, Refused)
    answer.text.encode("utf-8")
    assert server.objects[BUCKET] == world.objects


def refused_by_aws(code: str, status: int, operation: str = "GetObject") -> ClientError:
    """Return an error in AWS's words: with the caller's ARN, the resource's ARN, and names."""
    message = (
        f"User: arn:aws:sts::123456789012:assumed-role/agent-{NEIGHBOUR}/i-0 is not authorized "
        f"to perform: s3:{operation} on resource: arn:aws:s3:::{BUCKET}/{PREFIX}memories/{TENANT}/keep"
    )
    metadata: Any = {"HTTPStatusCode": status, "RetryAttempts": 0, "HostId": BUCKET}
    return ClientError(
        {"Error": {"Code": code, "Message": message}, "ResponseMetadata": metadata},
        operation,
    )


ENDPOINT = f"https://{BUCKET}.s3.eu-central-1.amazonaws.com/{PREFIX}memories/{TENANT}"
REFUSED = r"Error: The memory store refused access \(\w+\)\. Nothing was changed\. This needs an operator\."
LATER = r"Error: The memory store is not available right now \(\w+\)\. Nothing was changed\. Try again later\."
FAILED = r"Error: The memory store could not do this \(\w+\)\. Nothing was changed\."
UNKNOWN = (
    r"Error: The memory store did not answer, and it is not known whether the change was made\. "
    r"View the file before trying again\."
)
UNFINISHED = (
    r"Error: The (rename|deletion) of /memories/\S+ was begun and is not finished, because the memory store "
    r"(did not answer as it should\. Nothing is lost\. Send the same command again later to finish it\.|"
    r"refused (access|something)\. Nothing is lost\. Send the same command again once that is fixed to finish it\.)"
)

STORED = (
    r"Error: /memories/\S+ was stored before it was known whether anything is in its way, and may be there, because "
    r"the memory store (refused access|did not answer)\. Nothing is lost\. View it before trying again\."
)

FAILURES: dict[str, tuple[Exception, str]] = {
    "AccessDenied": (refused_by_aws("AccessDenied", 403), REFUSED),
    "403": (
        refused_by_aws("403", 403, "HeadObject"),
        f"{REFUSED}|{UNKNOWN}",
    ),  # without a code, perhaps from a proxy
    "NoSuchBucket": (refused_by_aws("NoSuchBucket", 404), REFUSED),
    "ExpiredToken": (refused_by_aws("ExpiredToken", 400), REFUSED),
    "InvalidAccessKeyId": (refused_by_aws("InvalidAccessKeyId", 403), REFUSED),
    "NoCredentials": (NoCredentialsError(), REFUSED),
    "PartialCredentials": (PartialCredentialsError(provider=BUCKET, cred_var="x"), REFUSED),
    "CredentialRetrieval": (CredentialRetrievalError(provider=BUCKET, error_msg=ENDPOINT), REFUSED),
    "TokenRetrieval": (TokenRetrievalError(provider=BUCKET, error_msg=ENDPOINT), REFUSED),
    "NoRegion": (NoRegionError(), REFUSED),
    "SlowDown": (refused_by_aws("SlowDown", 503), f"{LATER}|{UNKNOWN}"),
    "RequestLimitExceeded": (refused_by_aws("RequestLimitExceeded", 503), f"{LATER}|{UNKNOWN}"),
    "EndpointConnection": (EndpointConnectionError(endpoint_url=ENDPOINT), LATER),
    "ConnectTimeout": (ConnectTimeoutError(endpoint_url=ENDPOINT), LATER),
    "ProxyConnection": (ProxyConnectionError(proxy_url=ENDPOINT), f"{LATER}|{UNKNOWN}"),
    "SSL": (SSLError(endpoint_url=ENDPOINT, error=OSError(ENDPOINT)), f"{LATER}|{UNKNOWN}"),
    "InternalError": (refused_by_aws("InternalError", 500), f"{LATER}|{UNKNOWN}"),
    "ReadTimeout": (ReadTimeoutError(endpoint_url=ENDPOINT), f"{LATER}|{UNKNOWN}"),
    "ConnectionClosed": (ConnectionClosedError(endpoint_url=ENDPOINT), f"{LATER}|{UNKNOWN}"),
    "ResponseStreaming": (ResponseStreamingError(error=ENDPOINT), f"{LATER}|{UNKNOWN}"),
    "HTTPClient": (HTTPClientError(error=ENDPOINT), f"{LATER}|{UNKNOWN}"),
    "ConditionalRequestConflict": (refused_by_aws("ConditionalRequestConflict", 409), LATER),
    "NotImplemented": (refused_by_aws("NotImplemented", 501), FAILED),
    "InvalidRequest": (refused_by_aws("InvalidRequest", 400), FAILED),
    "ParamValidation": (ParamValidationError(report=ENDPOINT), FAILED),
}
EVERY_COMMAND: dict[str, dict[str, Any]] = {
    "view": {"command": "view", "path": KEEP},
    "view a directory": {"command": "view", "path": "/memories/keep"},
    "view the root": {"command": "view", "path": "/memories"},
    "create": {"command": "create", "path": "/memories/new/a.md", "file_text": "new"},
    "str_replace": {"command": "str_replace", "path": KEEP, "old_str": "that", "new_str": "this"},
    "insert": {"command": "insert", "path": KEEP, "insert_line": 0, "insert_text": "new"},
    "delete": {"command": "delete", "path": KEEP},
    "delete a directory": {"command": "delete", "path": "/memories/keep"},
    "rename": {"command": "rename", "old_path": KEEP, "new_path": "/memories/new/a.md"},
    "rename a directory": {"command": "rename", "old_path": "/memories/keep", "new_path": "/memories/new"},
}


class FailsFrom:
    """Lets every request from the `nth` on fail."""

    def __init__(self, nth: int, error: Exception) -> None:
        self._left = nth
        self._error = error

    def __call__(self, *_: str) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._error


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_every_failure_of_s3_at_every_request_is_reported_in_clear_words(
    world: World, caplog: pytest.LogCaptureFixture, command: str, name: str
) -> None:
    caplog.set_level(logging.DEBUG, "s3memory")
    error, text = FAILURES[name]
    sent = EVERY_COMMAND[command]
    for nth in range(40):
        server = world.server.copy()
        # What is learned about this server holds for no other: that it has no conditional deletes, for example.
        server.endpoint_url = f"memory://{command}/{name}"
        # Keys are loaded again, so that the first requests are those for the key ring.
        store = world.store_on(
            server,
            client=server.client(before=FailsFrom(nth, error)),
            limits=Limits(max_tries=3),
            key_cache=KeyCache(),
        )
        answer = through_call(MemoryCommands(store), sent)
        if isinstance(answer, str):
            break
        world.assert_says_nothing_else(answer.text)
        # Errors that a command words itself say what to look at.
        assert re.fullmatch(f"{text}|{UNFINISHED}|{STORED}", answer.text), (nth, answer.text)
        assert_neighbour_is_unharmed(world, server)
    else:
        pytest.fail("the command never got through")
    assert nth > 1
    assert n_failures_in_log(caplog) == nth


@pytest.mark.parametrize("send", [through_call, through_async_call], ids=["call", "async_call"])
@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_an_unexpected_exception_is_reported_without_its_text(
    world: World, caplog: pytest.LogCaptureFixture, command: str, send: Flavour
) -> None:
    caplog.set_level(logging.DEBUG, "s3memory")
    for nth in (0, 1):
        server = world.server.copy()
        client = server.client(before=FailsFrom(nth, RuntimeError(ENDPOINT)))
        store = world.store_on(server, client=client, key_cache=KeyCache())
        assert send(MemoryCommands(store), EVERY_COMMAND[command]) == Refused(
            "Error: The memory met an internal error, and it is not known whether a change was made. "
            "View the file before trying again."
        )
        assert_neighbour_is_unharmed(world, server)
    assert {record.getMessage() for record in caplog.records} == {
        "a memory command met an internal error: RuntimeError"
    }


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("name", ["AccessDenied", "SlowDown", "EndpointConnection", "ReadTimeout", "InvalidRequest"])
@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_a_failure_tells_the_truth_about_changes_and_the_same_command_finishes_them(
    world: World, command: str, name: str
) -> None:
    error, _ = FAILURES[name]
    sent = EVERY_COMMAND[command]
    before = memory_objects(world.objects)
    undisturbed = world.server.copy()
    MemoryCommands(world.store_on(undisturbed)).call(sent)
    expected = files_of(world.store_on(undisturbed))
    for nth in range(40):
        server = world.server.copy()
        store = world.store_on(server, client=server.client(before=FailsFrom(nth, error)), limits=Limits(max_tries=3))
        answer = through_call(MemoryCommands(store), sent)
        if isinstance(answer, str):
            assert nth >= 1
            return
        assert ("Nothing was changed" in answer.text) <= (memory_objects(server.objects[BUCKET]) == before)
        again = through_call(MemoryCommands(world.store_on(server)), sent)
        assert isinstance(again, str) or re.fullmatch(STORED, answer.text), (nth, answer, again)
        assert files_of(world.store_on(server)) == expected
        assert list(tree.pending(world.store_on(server))) == []
    pytest.fail("the command never got through")


def memory_objects(objects: Mapping[str, bytes]) -> dict[str, bytes]:
    return {key: body for key, body in objects.items() if key.startswith(f"{PREFIX}memories/")}


def assert_neighbour_is_unharmed(world: World, server: InMemoryS3) -> None:
    for key, body in world.objects.items():
        if f"/{NEIGHBOUR}" in key:
            assert server.objects[BUCKET][key] == body


@pytest.fixture
def failing(s3: S3Client) -> Iterator[Callable[[Exception], None]]:
    """Make a real client fail before it sends anything."""

    def fail(error: Exception) -> None:
        def raise_it(**_: Any) -> None:
            raise error

        s3.meta.events.register("before-call.s3", raise_it, unique_id="hostile-failure")

    yield fail
    s3.meta.events.unregister("before-call.s3", unique_id="hostile-failure")


@pytest.mark.parametrize("send", [through_call, through_async_call], ids=["call", "async_call"])
@pytest.mark.parametrize("command", EVERY_COMMAND)
class TestWithARealClient:
    def test_a_missing_bucket_is_reported(self, make_commands: MakeCommands, send: Flavour, command: str) -> None:
        commands = make_commands(bucket=f"{BUCKET}-missing", tenant=TENANT)
        answer = send(commands, EVERY_COMMAND[command])
        assert answer == Refused(
            "Error: The memory store refused access (NoSuchBucket). Nothing was changed. This needs an operator."
        )

    def test_a_failing_connection_is_reported(
        self,
        make_commands: MakeCommands,
        world: World,
        failing: Callable[[Exception], None],
        send: Flavour,
        command: str,
    ) -> None:
        failing(EndpointConnectionError(endpoint_url=ENDPOINT))
        answer = send(make_commands(tenant=TENANT, limits=Limits(max_tries=1)), EVERY_COMMAND[command])
        assert isinstance(answer, Refused)
        world.assert_says_nothing_else(answer.text)
        assert re.fullmatch(LATER, answer.text)


KMS_FAILURES = {
    "AccessDeniedException": REFUSED,
    "DisabledException": REFUSED,
    "KMSInvalidStateException": REFUSED,
    "NotFoundException": REFUSED,
    "ThrottlingException": LATER,
    "LimitExceededException": LATER,
    "KMSInternalException": f"{LATER}|{FAILED}",
    "DependencyTimeoutException": f"{LATER}|{FAILED}",
    "IncorrectKeyException": r"Error: The tenant's key ring does not open with the configured KMS key\.",
    "InvalidCiphertextException": r"Error: The tenant's key ring does not open with the configured KMS key\.",
}


@pytest.mark.parametrize("code", KMS_FAILURES)
def test_every_failure_of_kms_is_reported_in_clear_words(
    world: World, caplog: pytest.LogCaptureFixture, code: str
) -> None:
    caplog.set_level(logging.DEBUG, "s3memory")
    kms = boto3.client("kms")
    key_id = kms.create_key()["KeyMetadata"]["KeyId"]
    wrapper = KmsKeyWrapper(key_id, kms_client=kms)
    server = InMemoryS3()
    MemoryCommands(world.store_on(server, key_wrapper=wrapper)).create(KEEP, "keep this\nand that\n")

    def refuse(**_: Any) -> None:
        raise refused_by_aws(code, 400, "Decrypt")

    kms.meta.events.register("before-call.kms", refuse)
    before = server.objects
    for sent in EVERY_COMMAND.values():
        commands = MemoryCommands(world.store_on(server, key_wrapper=wrapper, key_cache=KeyCache()))
        answer = through_call(commands, sent)
        assert isinstance(answer, Refused)
        world.assert_says_nothing_else(answer.text)
        assert key_id not in answer.text
        assert re.fullmatch(KMS_FAILURES[code], answer.text)
    new = through_call(
        MemoryCommands(world.store_on(server, tenant="new", key_wrapper=wrapper)),
        {"command": "create", "path": KEEP, "file_text": "x"},
    )
    assert isinstance(new, Refused)
    assert server.objects == before
    assert n_failures_in_log(caplog) == len(EVERY_COMMAND) + 1


def test_no_repr_of_the_parts_of_a_command_shows_keys(world: World) -> None:
    store = world.store_on(world.server)
    ring = store.key_ring.existing()
    commands = MemoryCommands(store)
    for one in (
        store,
        store.key_ring,
        ring,
        world.keys,
        world.wrapper,
        commands,
        S3MemoryTool.from_commands(commands),
    ):
        text = repr(one)
        assert not [secret for secret in world.secrets[:3] if secret in text]
        assert world.wrapper._keys[0].hex() not in text
        assert repr(world.wrapper._keys[0]) not in text
