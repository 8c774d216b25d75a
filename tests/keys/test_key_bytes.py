"""Key bytes stay where they are used: no traceback, pickle or copy contains them, and none is easy to guess."""

from __future__ import annotations

import base64
import copy
import dataclasses
import os
import pickle
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ConnectionClosedError
from conftest import TENANT

from s3memory import KmsKeyWrapper, LocalKeyWrapper, MemoryStore
from s3memory.admin.keys.rotation import rewrap
from s3memory.aws.errors import is_answer
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError, KeyRingError, S3MemoryError
from s3memory.format.envelope import DataKey
from s3memory.format.names import ENCRYPTED
from s3memory.keys.key_cache import KeyCache
from s3memory.keys.open_key_ring import NameKey, OpenKeyRing

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

KEY, OTHER_KEY = os.urandom(32), os.urandom(32)


def frames_of(error: BaseException) -> Iterator[TracebackType]:
    """Yield the frames of an error and of all its causes, including those that a printed traceback omits."""
    chain: list[BaseException | None] = [error]
    while chain:
        one = chain.pop()
        if one is None:
            continue
        chain += [one.__cause__, one.__context__]
        traceback = one.__traceback__
        while traceback is not None:
            if (
                "s3memory/" in traceback.tb_frame.f_code.co_filename
                or "botocore" in traceback.tb_frame.f_code.co_filename
            ):
                yield traceback
            traceback = traceback.tb_next


def shown_by(error: BaseException) -> str:
    """Return what an error reporter shows: all local variables of our frames and botocore's."""
    return "\n".join(
        f"{frame.tb_frame.f_code.co_qualname} {name} {value!r}"
        for frame in frames_of(error)
        for name, value in frame.tb_frame.f_locals.items()
    )


def assert_hidden(secrets: list[bytes], error: BaseException) -> None:
    shown = shown_by(error)
    assert shown
    for secret in secrets:
        for form in (repr(secret)[2:-1], secret.hex(), base64.b64encode(secret).decode()):
            lines = [line[:200] for line in shown.splitlines() if form in line]
            assert not lines


class Refusing:
    """A KMS that fails at one of its requests, as botocore does."""

    def __init__(self, failure: Exception, *, at: str) -> None:
        self.client: Any = boto3.client("kms")
        self.client.meta.events.register(f"before-send.kms.{at}", self._fail)
        self._failure = failure

    def _fail(self, **_: object) -> None:
        raise self._failure


CLOSED = ConnectionClosedError(endpoint_url="https://kms")


@pytest.fixture
def store(s3: S3Client, bucket: str) -> MemoryStore:
    made = MemoryStore(
        bucket=bucket,
        tenant=TENANT,
        key_wrapper=LocalKeyWrapper(KEY),
        name_mode=ENCRYPTED,
        s3_client=s3,
        key_cache=KeyCache(),
    )
    made.key_ring.existing_or_new()
    return made


def secrets_of(store: MemoryStore) -> list[bytes]:
    ring = store.key_ring.existing()
    assert ring is not None
    return [KEY, OTHER_KEY, ring.newest.key_bytes, ring._name_key.key_bytes]


class Broken(LocalKeyWrapper):
    """A wrapper that wraps, but does not unwrap what it wrapped."""

    name = "broken"

    def unwrap(self, _wrapped: bytes, _context: dict[str, str], /) -> bytes:
        return os.urandom(32)


TARGETS: dict[str, Callable[[], Any]] = {
    "KMS that answers with an error": lambda: KmsKeyWrapper("alias/none", kms_client=boto3.client("kms")),
    "KMS that does not answer": lambda: KmsKeyWrapper("alias/x", kms_client=Refusing(CLOSED, at="Encrypt").client),
    "a wrapper that does not open what it wrapped": lambda: Broken(OTHER_KEY),
}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_a_failed_rewrap_shows_no_key_in_its_traceback(store: MemoryStore, target: Callable[[], Any]) -> None:
    with pytest.raises(S3MemoryError) as caught:
        rewrap(store, target())
    assert_hidden(secrets_of(store), caught.value)


def test_a_new_data_key_that_does_not_open_does_not_appear_in_the_traceback() -> None:
    class Known(Broken):
        def generate(self, _context: dict[str, str], /) -> tuple[bytes, bytes]:
            return OTHER_KEY, b"wrapped"

    with pytest.raises(KeyRingError) as caught:
        OpenKeyRing.new(tenant=TENANT, name_mode=ENCRYPTED, wrapper=Known(KEY))
    assert_hidden([KEY, OTHER_KEY], caught.value)


def test_kms_errors_keep_the_message_from_kms(store: MemoryStore) -> None:
    with pytest.raises(S3MemoryError) as caught:
        rewrap(store, KmsKeyWrapper("alias/none", kms_client=boto3.client("kms")))
    assert isinstance(caught.value.__cause__, Exception)
    assert is_answer(caught.value.__cause__)


def test_a_ring_that_does_not_open_shows_no_key_in_its_traceback(store: MemoryStore) -> None:
    ring = store.key_ring.existing()
    assert ring is not None
    with pytest.raises(KeyRingError) as caught:
        OpenKeyRing.open(ring.ring, LocalKeyWrapper(OTHER_KEY))
    assert_hidden(secrets_of(store), caught.value)
    with pytest.raises(KeyRingError) as caught:
        OpenKeyRing.open(ring.ring._replace(archived=True), LocalKeyWrapper(KEY))
    assert_hidden(secrets_of(store), caught.value)


def test_an_invalid_name_key_does_not_appear_in_the_traceback(store: MemoryStore) -> None:
    ring = store.key_ring.existing()
    assert ring is not None
    with pytest.raises(KeyRingError) as caught:
        OpenKeyRing(ring.ring, store.key_ring.wrapper, ring.newest, name_key=NameKey(OTHER_KEY), unwrapped={})
    assert_hidden(secrets_of(store), caught.value)


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
def test_objects_that_hold_keys_can_be_neither_pickled_nor_copied(
    store: MemoryStore, duplicate: Callable[[Any], Any]
) -> None:
    ring = store.key_ring.existing()
    assert ring is not None
    for holder in (LocalKeyWrapper(KEY), DataKey(1, KEY), NameKey(KEY), ring):
        with pytest.raises(TypeError, match=f"{type(holder).__name__} holds keys"):
            duplicate(holder)


def test_objects_that_hold_a_wrapper_cannot_be_pickled_either(store: MemoryStore) -> None:
    with pytest.raises((TypeError, pickle.PicklingError)):
        pickle.dumps(store)
    with pytest.raises(TypeError, match="holds keys"):
        pickle.dumps(Settings.from_env({"S3MEMORY_LOCAL_KEY": base64.b64encode(KEY).decode()}))


@pytest.mark.parametrize(
    "key", [bytes(32), b"k" * 32, b"ab" * 16, b"1234567" * 4 + b"1234"], ids=lambda key: key[:9].decode()
)
def test_a_local_key_that_repeats_a_few_bytes_is_refused(key: bytes) -> None:
    for given in ([key], [KEY, key]):
        with pytest.raises(ConfigurationError, match="random"):
            LocalKeyWrapper(*given)
    with pytest.raises(ConfigurationError, match="random"):
        LocalKeyWrapper.from_text(base64.b64encode(key).decode())


def test_a_local_key_given_as_text_is_refused_with_a_hint_where_to_give_it() -> None:
    with pytest.raises(ConfigurationError, match=r"32 bytes; .*LocalKeyWrapper\.from_text"):
        LocalKeyWrapper(LocalKeyWrapper.generate_key_text())  # type: ignore[arg-type]


def test_randomly_generated_keys_are_never_refused() -> None:
    for _ in range(2_000):
        LocalKeyWrapper(os.urandom(32))


def test_objects_that_hold_a_key_list_no_fields(store: MemoryStore) -> None:
    ring = store.key_ring.existing()
    assert ring is not None
    for holder in (ring.newest, NameKey(OTHER_KEY)):
        with pytest.raises(TypeError):
            dataclasses.asdict(holder)  # type: ignore[call-overload]  # it is none
