"""Key rings and key wrappers: a ring opens completely and as it was created, or not at all."""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from botocore.stub import Stubber
from hypothesis import assume, given
from hypothesis import strategies as st
from support.for_each import for_each
from support.unique import unique

from s3memory import KmsKeyWrapper, LocalKeyWrapper
from s3memory.errors import (
    AccessDeniedError,
    ConfigurationError,
    KeyRingError,
    S3MemoryError,
    UnavailableError,
)
from s3memory.format.envelope import FILE_PURPOSE, MAX_GENERATION, DataKey, Place, open_sealed, seal
from s3memory.format.key_ring import KeyRing
from s3memory.format.names import ENCRYPTED, NAME_KEY_BYTES, NAME_MODES, PLAIN, EncryptedNames, PlainNames
from s3memory.keys.open_key_ring import KeyWrapper, OpenKeyRing
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_kms.client import KMSClient

TENANT = "acme"
PATH = MemoryPath(("notes", "tea.md"))
PLACE = Place(FILE_PURPOSE, TENANT, str(PATH))
TEXT = b"Likes tea.\n"
CONTEXT = {"s3memory:tenant": TENANT, "s3memory:generation": "1"}

LOCAL_KEY, OLDER_LOCAL_KEY = bytes(range(32)), bytes(range(32, 64))
LOCAL = LocalKeyWrapper(LOCAL_KEY)

either_mode = pytest.mark.parametrize("mode", NAME_MODES)


@dataclass(eq=False)
class Wrapper:
    """Keeps data keys in a list. As lax as possible: it ignores the context, and a wrapped key is an index."""

    name: str = "lax"
    data_keys: list[bytes] = field(default_factory=list)
    contexts: list[dict[str, str]] = field(default_factory=list)
    unwrapped: list[bytes] = field(default_factory=list)
    before_unwrapping: Callable[[], object] | None = None
    makes_bytes: int = 32

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        self.contexts.append(context)
        self.data_keys.append(os.urandom(self.makes_bytes))
        return self.data_keys[-1], b"%d" % (len(self.data_keys) - 1)

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        if self.before_unwrapping is not None:
            self.before_unwrapping()
        self.contexts.append(context)
        self.unwrapped.append(wrapped)
        return self.data_keys[int(wrapped)]


def ring_of(*, mode: str = PLAIN, wrapper: KeyWrapper = LOCAL, rotations: int = 0) -> OpenKeyRing:
    opened = OpenKeyRing.new(tenant=TENANT, name_mode=mode, wrapper=wrapper)
    for _ in range(rotations):
        opened = opened.rotated()
    return opened


def reopened(document: bytes, wrapper: KeyWrapper = LOCAL, *, tenant: str = TENANT) -> OpenKeyRing:
    return OpenKeyRing.open(KeyRing.from_bytes(document, tenant=tenant), wrapper)


def assert_refused(document: bytes, wrapper: KeyWrapper = LOCAL, *, tenant: str = TENANT) -> None:
    with pytest.raises(KeyRingError) as caught:
        reopened(document, wrapper, tenant=tenant)
    assert caught.type is KeyRingError


# --- Creating, opening, rotating ----------------------------------------------------------------------------------


@either_mode
def test_a_new_ring_opens_again_unchanged(mode: str) -> None:
    made = ring_of(mode=mode)
    opened = reopened(made.ring.to_bytes())
    assert opened.ring == made.ring
    assert opened.newest == made.newest
    assert opened.names.encode(PATH) == made.names.encode(PATH)


@either_mode
def test_a_new_ring_has_generation_one_and_its_own_keys(mode: str) -> None:
    rings = [ring_of(mode=mode) for _ in range(3)]
    assert [one.newest.generation for one in rings] == [1, 1, 1]
    assert len({one.newest.key_bytes for one in rings}) == 3
    assert {len(one.newest.key_bytes) for one in rings} == {32}
    assert len({one.names.encode(PATH) for one in rings}) == (3 if mode == ENCRYPTED else 1)


def test_the_name_mode_determines_how_names_are_encoded() -> None:
    assert isinstance(ring_of(mode=PLAIN).names, PlainNames)
    assert isinstance(ring_of(mode=ENCRYPTED).names, EncryptedNames)
    with pytest.raises(ConfigurationError):
        ring_of(mode="hashed")


@either_mode
def test_rotation_keeps_old_generations_readable_and_names_unchanged(mode: str) -> None:
    first = ring_of(mode=mode)
    sealed = [seal(TEXT, data_key=first.newest, place=PLACE)]
    opened = first
    for _ in range(3):
        opened = reopened(opened.rotated().ring.to_bytes())
        sealed.append(seal(TEXT, data_key=opened.newest, place=PLACE))
    assert [key.generation for key in opened.ring.keys] == [1, 2, 3, 4]
    assert opened.newest.generation == 4
    for generation, body in enumerate(sealed, start=1):
        data_key = opened.data_key(generation)
        assert data_key is not None
        assert open_sealed(body, data_key=data_key, place=PLACE) == TEXT
    assert opened.names.encode(PATH) == first.names.encode(PATH)


def test_rotation_does_not_change_the_original_ring() -> None:
    first = ring_of()
    document = first.ring.to_bytes()
    second = first.rotated()
    assert first.ring.to_bytes() == document
    assert first.data_key(2) is None
    assert second.newest.key_bytes != first.newest.key_bytes
    assert second.data_key(1) == first.newest


def test_a_ring_with_the_highest_generation_is_not_rotated() -> None:
    opened = ring_of()
    opened.newest = DataKey(MAX_GENERATION, opened.newest.key_bytes)
    with pytest.raises(KeyRingError, match="no generation left"):
        opened.rotated()


def test_a_generation_that_is_not_in_the_ring_is_none() -> None:
    opened = ring_of(rotations=1)
    assert [opened.data_key(generation) is None for generation in (0, 1, 2, 3)] == [True, False, False, True]


def test_opening_calls_the_wrapper_once_and_again_when_an_older_generation_is_needed() -> None:
    wrapper = Wrapper()
    document = ring_of(wrapper=wrapper, rotations=2).ring.to_bytes()
    wrapper.unwrapped.clear()
    opened = reopened(document, wrapper)
    assert wrapper.unwrapped == [b"2"]
    for _ in range(2):
        opened.data_key(3)
        opened.data_key(1)
    assert wrapper.unwrapped == [b"2", b"0"]


def test_threads_that_need_the_same_generation_unwrap_it_once() -> None:
    wrapper = Wrapper()
    opened = reopened(ring_of(wrapper=wrapper, rotations=1).ring.to_bytes(), wrapper)
    wrapper.unwrapped.clear()
    wrapper.before_unwrapping = lambda: held.append(opened._lock.locked())
    held: list[bool] = []
    together = threading.Barrier(8)

    def ask() -> DataKey | None:
        together.wait(timeout=10)
        return opened.data_key(1)

    with ThreadPoolExecutor(8) as pool:
        found = [future.result() for future in [pool.submit(ask) for _ in range(8)]]
    assert found == [DataKey(1, wrapper.data_keys[0])] * 8
    assert wrapper.unwrapped == [b"0"]
    assert held == [True]  # threads that come while it is unwrapped wait for it


def test_the_wrap_context_is_tenant_purpose_generation_and_name_mode() -> None:
    wrapper = Wrapper()
    made = ring_of(mode=ENCRYPTED, wrapper=wrapper).rotated()
    reopened(made.ring.to_bytes(), wrapper)
    expected = {
        "s3memory:tenant": TENANT,
        "s3memory:purpose": "data-key",
        "s3memory:generation": "1",
        "s3memory:name-mode": "encrypted",
    }
    second = {**expected, "s3memory:generation": "2"}
    assert wrapper.contexts == [expected, expected, second, second, second]


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_a_data_key_of_another_length_is_refused(size: int) -> None:
    wrapper = Wrapper()
    document = ring_of(wrapper=wrapper, rotations=1).ring.to_bytes()
    opened = reopened(document, wrapper)
    wrapper.data_keys = [bytes(size)] * 2
    assert_refused(document, wrapper)
    with pytest.raises(KeyRingError):
        opened.data_key(1)
    wrapper.makes_bytes = size
    with pytest.raises(KeyRingError, match="another length"):
        opened.rotated()
    with pytest.raises(KeyRingError, match="another length"):
        ring_of(wrapper=wrapper)


def test_a_temporary_failure_of_the_wrapper_is_not_blamed_on_the_ring() -> None:
    def be_away() -> None:
        raise UnavailableError("away")

    wrapper = Wrapper()
    document = ring_of(wrapper=wrapper).ring.to_bytes()
    wrapper.before_unwrapping = be_away
    with pytest.raises(UnavailableError):
        reopened(document, wrapper)


@pytest.mark.parametrize("wrap", [b"", b"x" * 20, LOCAL.generate(CONTEXT)[1]], ids=["empty", "junk", "another"])
def test_a_wrapped_key_that_does_not_open_never_gets_into_a_ring(wrap: bytes) -> None:
    class Odd(LocalKeyWrapper):
        def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
            return super().generate(context)[0], wrap

    document = ring_of().ring.to_bytes()
    with pytest.raises(KeyRingError, match="does not open what it wrapped"):
        reopened(document, Odd(LOCAL_KEY)).rotated()
    with pytest.raises(KeyRingError, match="does not open what it wrapped"):
        ring_of(wrapper=Odd(LOCAL_KEY))


# --- Altered rings ------------------------------------------------------------------------------------------------


def changes_of_a_byte(document: bytes, at: int) -> Iterator[bytes]:
    byte = document[at]
    for other in {*(byte ^ 1 << bit for bit in range(8)), 0, *b' "\\,:{[0A', 0xC3}:
        if other != byte:
            yield document[:at] + bytes([other]) + document[at + 1 :]
    yield document[:at] + document[at + 1 :]
    yield document[:at] + bytes([byte, byte]) + document[at + 1 :]
    yield document[:at] + b"\n" + document[at:]


@either_mode
def test_no_byte_of_a_stored_ring_can_be_changed(mode: str) -> None:
    document = ring_of(mode=mode, rotations=1).ring.to_bytes()
    for at in range(len(document)):
        for changed in changes_of_a_byte(document, at):
            assert_refused(changed)


def test_a_stored_ring_can_be_neither_truncated_nor_extended() -> None:
    document = ring_of().ring.to_bytes()
    for at in range(len(document)):
        assert_refused(document[:at])
        assert_refused(document[at:] if at else document + document)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(NAME_MODES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=5,
)
DOCUMENT = ring_of(mode=ENCRYPTED, rotations=1).ring.to_bytes()


def canonical(document: Any) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


@given(field_name=st.sampled_from(sorted(json.loads(DOCUMENT))), value=json_values)
def test_no_field_of_a_stored_ring_can_have_another_value(field_name: str, value: Any) -> None:
    fields = json.loads(DOCUMENT)
    assume(canonical(value) != canonical(fields[field_name]))
    assert_refused(canonical({**fields, field_name: value}))


@given(
    generation_fields=st.lists(st.fixed_dictionaries({"generation": json_values, "wrapped": json_values}), max_size=3)
)
def test_generations_can_have_no_other_values(generation_fields: list[dict[str, Any]]) -> None:
    assert_refused(canonical({**json.loads(DOCUMENT), "keys": generation_fields}))


@given(document=st.binary(max_size=200) | json_values.map(canonical))
def test_a_document_that_is_not_a_ring_is_refused(document: bytes) -> None:
    assert_refused(document)


STATEMENTS: dict[str, Callable[[KeyRing], KeyRing]] = {
    "its name mode": lambda ring: ring._replace(name_mode=PLAIN if ring.name_mode == ENCRYPTED else ENCRYPTED),
    "its tenant": lambda ring: ring._replace(tenant="acme2"),
    "its oldest generation": lambda ring: ring._replace(keys=ring.keys[1:]),
    "its newest generation": lambda ring: ring._replace(keys=ring.keys[:-1]),
    "a generation between": lambda ring: ring._replace(keys=(ring.keys[0], ring.keys[2])),
    "an older wrap": lambda ring: ring._replace(
        keys=(ring.keys[0]._replace(wrapped=ring.keys[1].wrapped), *ring.keys[1:])
    ),
    "an older number": lambda ring: ring._replace(
        keys=(ring.keys[0], ring.keys[1], ring.keys[2]._replace(generation=9))
    ),
}


@either_mode
@pytest.mark.parametrize("change", STATEMENTS.values(), ids=STATEMENTS)
def test_the_seal_alone_binds_the_fields_of_the_ring(mode: str, change: Callable[[KeyRing], KeyRing]) -> None:
    """Even if the wrapper ignores the context, no field of the ring can be replaced."""
    wrapper = Wrapper()
    changed = change(ring_of(mode=mode, wrapper=wrapper, rotations=2).ring)
    assert_refused(changed.to_bytes(), wrapper, tenant=changed.tenant)


@either_mode
def test_the_seal_of_another_ring_is_refused(mode: str) -> None:
    wrapper = Wrapper()
    ours, theirs = (ring_of(mode=mode, wrapper=wrapper).ring for _ in range(2))
    assert_refused(ours._replace(seal=theirs.seal).to_bytes(), wrapper)
    assert_refused(ours._replace(keys=theirs.keys).to_bytes(), wrapper)


def test_the_wrapped_key_alone_binds_tenant_and_name_mode() -> None:
    """An edited ring is refused before anything in it is used, whatever its seal."""
    ring = ring_of(mode=ENCRYPTED).ring
    for changed in (ring._replace(tenant="acme2"), ring._replace(name_mode=PLAIN)):
        with pytest.raises(KeyRingError):
            LOCAL.unwrap(changed.newest.wrapped, changed.wrap_context(1))


@pytest.mark.parametrize(("mode", "size"), [(PLAIN, NAME_KEY_BYTES), (ENCRYPTED, 0), (ENCRYPTED, 32)])
def test_a_name_key_that_does_not_match_the_name_mode_is_refused(mode: str, size: int) -> None:
    made = ring_of(mode=mode)
    resealed = seal(bytes(size), data_key=made.newest, place=made.ring.place())
    assert_refused(made.ring._replace(seal=resealed).to_bytes())


def test_a_ring_of_another_tenant_or_wrapper_is_refused() -> None:
    document = ring_of().ring.to_bytes()
    assert_refused(document, tenant="acme2")
    assert_refused(document, LocalKeyWrapper(OLDER_LOCAL_KEY))
    assert_refused(document, Wrapper(name="aws-kms"))


def test_an_older_ring_opens_because_the_format_does_not_detect_it() -> None:
    """docs/format.md says so: anybody who may write can restore an older version of the whole ring."""
    first = ring_of()
    document = first.ring.to_bytes()
    first.rotated()
    assert reopened(document).newest == first.newest


# --- Reprs and errors ---------------------------------------------------------------------------------------------


def assert_shows_none_of(shown: str, secrets: list[bytes]) -> None:
    for secret in secrets:
        for form in (repr(secret)[2:-1], secret.hex(), base64.b64encode(secret).decode().rstrip("=")):
            assert form not in shown


@either_mode
def test_no_repr_shows_key_bytes(mode: str) -> None:
    opened = ring_of(mode=mode, rotations=1)
    secrets = [key for key in (opened.newest.key_bytes, opened._name_key.key_bytes, LOCAL_KEY) if key]
    shown = repr([opened, opened.ring, opened.newest, opened.data_key(1), opened.names, LOCAL])
    assert_shows_none_of(shown, secrets)
    assert_shows_none_of(opened.ring.to_bytes().decode(), secrets)
    assert "key_bytes" not in shown


def test_errors_show_neither_keys_nor_the_document() -> None:
    document = ring_of().ring.to_bytes()
    for wrapper, changed in (
        (LOCAL, document[:-1]),
        (LocalKeyWrapper(OLDER_LOCAL_KEY), document),
        (Wrapper(name="other"), document),
    ):
        with pytest.raises(KeyRingError) as caught:
            reopened(changed, wrapper)
        assert TENANT not in str(caught.value)
        assert "wrapped" not in str(caught.value)


# --- LocalKeyWrapper ----------------------------------------------------------------------------------------------


def test_the_first_local_key_wraps_and_all_unwrap() -> None:
    both = LocalKeyWrapper(LOCAL_KEY, OLDER_LOCAL_KEY)
    old_data_key, old_wrap = LocalKeyWrapper(OLDER_LOCAL_KEY).generate(CONTEXT)
    data_key, wrap = both.generate(CONTEXT)
    assert both.unwrap(old_wrap, CONTEXT) == old_data_key
    assert both.unwrap(wrap, CONTEXT) == data_key
    assert LocalKeyWrapper(LOCAL_KEY).unwrap(wrap, CONTEXT) == data_key
    with pytest.raises(KeyRingError):
        LocalKeyWrapper(OLDER_LOCAL_KEY).unwrap(wrap, CONTEXT)


def test_a_ring_moves_to_a_new_local_key_by_rotation() -> None:
    old = ring_of(wrapper=LocalKeyWrapper(OLDER_LOCAL_KEY), mode=ENCRYPTED)
    document = reopened(old.ring.to_bytes(), LocalKeyWrapper(LOCAL_KEY, OLDER_LOCAL_KEY)).rotated().ring.to_bytes()
    alone = reopened(document, LocalKeyWrapper(LOCAL_KEY))
    assert alone.names.encode(PATH) == old.names.encode(PATH)
    with pytest.raises(KeyRingError):
        alone.data_key(1)
    assert reopened(document, LocalKeyWrapper(LOCAL_KEY, OLDER_LOCAL_KEY)).data_key(1) == old.newest


@pytest.mark.parametrize("context", [{}, {**CONTEXT, "x": "y"}, {**CONTEXT, "s3memory:generation": "2"}])
def test_a_locally_wrapped_key_opens_only_with_its_context(context: dict[str, str]) -> None:
    data_key, wrap = LOCAL.generate(CONTEXT)
    with pytest.raises(KeyRingError):
        LOCAL.unwrap(wrap, context)
    backwards = dict(reversed(CONTEXT.items()))
    assert LOCAL.unwrap(wrap, backwards) == data_key


def test_no_bit_of_a_locally_wrapped_key_can_be_changed() -> None:
    _, wrap = LOCAL.generate(CONTEXT)
    for at in range(len(wrap)):
        for changed in (wrap[:at], wrap[:at] + bytes([wrap[at] ^ 1]) + wrap[at + 1 :], wrap[:at] + b"\0" + wrap[at:]):
            with pytest.raises(KeyRingError):
                LOCAL.unwrap(changed, CONTEXT)


@pytest.mark.parametrize("size", [0, 1, 16, 31, 33, 64])
def test_a_local_key_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(ConfigurationError):
        LocalKeyWrapper(bytes(size))
    with pytest.raises(ConfigurationError):
        LocalKeyWrapper(LOCAL_KEY, bytes(size))


@pytest.mark.parametrize("given", [os.environ.get("NOT_SET"), base64.b64encode(LOCAL_KEY)])
def test_a_value_that_is_not_text_such_as_an_unset_variable_is_not_a_local_key(given: Any) -> None:
    with pytest.raises(ConfigurationError, match="base64 text of 32 bytes"):
        LocalKeyWrapper.from_text(given)


@pytest.mark.parametrize("separator", [",", ", ", " ", "\n", "\t,\n"])
def test_local_keys_are_read_from_text(separator: str) -> None:
    text = separator.join(base64.b64encode(key).decode() for key in (LOCAL_KEY, OLDER_LOCAL_KEY))
    assert LocalKeyWrapper.from_text(text) == LocalKeyWrapper(LOCAL_KEY, OLDER_LOCAL_KEY)
    assert LocalKeyWrapper.from_text(f"\n{text}\n") == LocalKeyWrapper(LOCAL_KEY, OLDER_LOCAL_KEY)


@for_each(
    "text",
    [
        "",
        " ",
        ",",
        "x",
        "===",
        "ü",
        "00" * 32,
        base64.b64encode(bytes(31)).decode(),
        "A" * 43,
        f"{'A' * 43}= x",
        f"-{'A' * 43}=",
    ],
)
def test_malformed_local_keys_are_refused_and_not_shown(text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        LocalKeyWrapper.from_text(text)
    assert len(text) < 4 or text not in str(caught.value)


def test_a_generated_local_key_is_valid() -> None:
    texts = {LocalKeyWrapper.generate_key_text() for _ in range(5)}
    assert len(texts) == 5
    assert len({LocalKeyWrapper.from_text(text) for text in texts}) == 5


def test_local_wrappers_are_equal_when_they_hold_the_same_keys() -> None:
    assert LocalKeyWrapper(LOCAL_KEY) == LOCAL
    assert hash(LocalKeyWrapper(LOCAL_KEY)) == hash(LOCAL)
    others = {
        LOCAL,
        LocalKeyWrapper(LOCAL_KEY),
        LocalKeyWrapper(OLDER_LOCAL_KEY),
        LocalKeyWrapper(LOCAL_KEY, OLDER_LOCAL_KEY),
        LocalKeyWrapper(OLDER_LOCAL_KEY, LOCAL_KEY),
    }
    assert len(others) == 4
    assert LOCAL != LOCAL_KEY


# --- KmsKeyWrapper ------------------------------------------------------------------------------------------------


@dataclass
class Kms:
    """A client of the mocked KMS, a key, and the requests that were sent."""

    client: KMSClient
    key_id: str
    alias: str = field(default_factory=lambda: unique("alias/of-key-rings"))
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def wrapper(self, key_id: str | None = None) -> KmsKeyWrapper:
        return KmsKeyWrapper(key_id or self.key_id, kms_client=self.client)


@pytest.fixture(scope="module")
def kms_keys(_aws: None) -> Kms:
    client = boto3.client("kms")
    kms = Kms(client, client.create_key()["KeyMetadata"]["KeyId"])
    client.create_alias(AliasName=kms.alias, TargetKeyId=kms.key_id)

    def note(params: dict[str, Any], model: Any, **_: Any) -> None:
        kms.sent.append((model.name, dict(params)))

    client.meta.events.register("provide-client-params.kms.*", note)
    return kms


@pytest.fixture
def kms(kms_keys: Kms) -> Kms:
    kms_keys.sent.clear()
    return kms_keys


def test_kms_generates_a_data_key_and_unwraps_it_with_its_context(kms: Kms) -> None:
    data_key, wrap = kms.wrapper().generate(CONTEXT)
    assert len(data_key) == 32
    assert data_key not in wrap
    assert kms.wrapper().unwrap(wrap, CONTEXT) == data_key


def test_kms_always_receives_the_configured_key_and_the_context(kms: Kms) -> None:
    _, wrap = kms.wrapper(kms.alias).generate(CONTEXT)
    kms.wrapper(kms.alias).unwrap(wrap, CONTEXT)
    (first, generate), (second, decrypt) = kms.sent
    pinned = {"KeyId": kms.alias, "EncryptionContext": CONTEXT}
    assert (first, generate) == ("GenerateDataKey", {**pinned, "NumberOfBytes": 32})
    assert (second, decrypt) == ("Decrypt", {**pinned, "CiphertextBlob": wrap})


def test_a_ring_takes_two_requests_to_create_and_one_to_open(kms: Kms) -> None:
    document = ring_of(wrapper=kms.wrapper(), mode=ENCRYPTED).ring.to_bytes()
    assert [name for name, _ in kms.sent] == ["GenerateDataKey", "Decrypt"]
    kms.sent.clear()
    opened = reopened(document, kms.wrapper())
    opened.data_key(1)
    assert [name for name, _ in kms.sent] == ["Decrypt"]


def test_kms_learns_about_a_tenant_only_its_rings_context(kms: Kms) -> None:
    made = ring_of(wrapper=kms.wrapper())
    assert kms.sent[0][1]["EncryptionContext"] == made.ring.wrap_context(1)


def test_a_kms_ring_rotates_and_an_edited_one_is_refused(kms: Kms) -> None:
    rotated = ring_of(wrapper=kms.wrapper(), mode=ENCRYPTED).rotated().ring
    assert reopened(rotated.to_bytes(), kms.wrapper()).data_key(1) is not None
    assert_refused(rotated._replace(name_mode=PLAIN).to_bytes(), kms.wrapper())
    assert_refused(rotated._replace(tenant="acme2").to_bytes(), kms.wrapper(), tenant="acme2")
    assert_refused(rotated._replace(keys=rotated.keys[:1]).to_bytes(), kms.wrapper())


@pytest.mark.parametrize("context", [{}, {**CONTEXT, "x": "y"}, {**CONTEXT, "s3memory:tenant": "acme2"}])
def test_another_context_is_refused_by_kms(kms: Kms, context: dict[str, str]) -> None:
    _, wrap = kms.wrapper().generate(CONTEXT)
    with pytest.raises(KeyRingError):
        kms.wrapper().unwrap(wrap, context)


def test_an_altered_kms_wrap_is_refused(kms: Kms) -> None:
    _, wrap = kms.wrapper().generate(CONTEXT)
    with pytest.raises(KeyRingError):
        kms.wrapper().unwrap(wrap[:-1] + bytes([wrap[-1] ^ 1]), CONTEXT)


def test_a_missing_kms_key_is_a_problem_for_an_operator(kms: Kms) -> None:
    with pytest.raises(AccessDeniedError) as caught:
        kms.wrapper("alias/missing").generate(CONTEXT)
    assert "missing" not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("IncorrectKeyException", 400, KeyRingError),  # moto unwraps with any key; KMS answers with this error
        ("InvalidCiphertextException", 400, KeyRingError),
        ("AccessDeniedException", 400, AccessDeniedError),
        ("DisabledException", 400, AccessDeniedError),
        ("KMSInvalidStateException", 400, AccessDeniedError),
        ("NotFoundException", 400, AccessDeniedError),
        ("ThrottlingException", 400, UnavailableError),
        ("KMSInternalException", 500, UnavailableError),
        ("ValidationException", 400, KeyRingError),
    ],
)
def test_a_refusal_by_kms_is_classified_by_what_to_do_about_it(
    kms: Kms, code: str, status: int, expected: type[S3MemoryError]
) -> None:
    with Stubber(kms.client) as stub:
        stub.add_client_error("decrypt", code, "the key arn:aws:kms:::key/1 said no", http_status_code=status)
        with pytest.raises(expected) as caught:
            kms.wrapper().unwrap(b"wrapped", CONTEXT)
    assert caught.type is expected
    assert "arn:" not in str(caught.value)
    assert isinstance(caught.value.__cause__, ClientError)


OWN_KEY_THEN_SHARED = ("alias/of-acme", "alias/shared")


def unwrapped_by(kms: Kms, **answers: str | None) -> tuple[bytes | S3MemoryError, list[str]]:
    """Return the result of unwrapping if each key gets an error code, or opens, and the keys that were tried."""
    asked: list[str] = []

    def decrypt(**sent: Any) -> dict[str, bytes]:
        asked.append(sent["KeyId"])
        code = answers[sent["KeyId"].removeprefix("alias/").replace("-", "_")]
        if code is None:
            return {"Plaintext": b"k" * 32}
        status = {"HTTPStatusCode": 400}
        raise ClientError({"Error": {"Code": code, "Message": ""}, "ResponseMetadata": status}, "Decrypt")  # type: ignore[typeddict-item]  # what is left out is not read

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kms.client, "decrypt", decrypt)
        try:
            return KmsKeyWrapper(*OWN_KEY_THEN_SHARED, kms_client=kms.client).unwrap(b"wrapped", CONTEXT), asked
        except S3MemoryError as error:
            return error, asked


def test_a_ring_under_the_shared_key_opens_before_the_tenants_own_key_exists(kms: Kms) -> None:
    opened, asked = unwrapped_by(kms, of_acme="NotFoundException", shared=None)
    assert opened == b"k" * 32
    assert asked == list(OWN_KEY_THEN_SHARED)


@pytest.mark.parametrize("of_the_shared_key", ["IncorrectKeyException", "InvalidCiphertextException"])
def test_a_ring_under_a_deleted_key_opens_with_no_other_and_the_missing_key_is_named(
    kms: Kms, of_the_shared_key: str
) -> None:
    refused, _ = unwrapped_by(kms, of_acme="NotFoundException", shared=of_the_shared_key)
    assert isinstance(refused, AccessDeniedError)
    assert "NotFoundException" in str(refused)


@pytest.mark.parametrize("code", ["DisabledException", "KMSInvalidStateException", "AccessDeniedException"])
def test_an_inaccessible_key_is_not_skipped(kms: Kms, code: str) -> None:
    refused, asked = unwrapped_by(kms, of_acme=code, shared=None)
    assert isinstance(refused, AccessDeniedError)
    assert asked == ["alias/of-acme"]


def test_an_older_key_that_is_missing_is_named(kms: Kms) -> None:
    refused, _ = unwrapped_by(kms, of_acme="IncorrectKeyException", shared="NotFoundException")
    assert isinstance(refused, AccessDeniedError)


def test_a_missing_key_wraps_nothing_and_no_other_key_replaces_it(kms: Kms) -> None:
    wrapper = KmsKeyWrapper("alias/missing", kms.key_id, kms_client=kms.client)
    for make in (lambda: wrapper.generate(CONTEXT), lambda: wrapper.wrap(b"k" * 32, CONTEXT)):
        with pytest.raises(AccessDeniedError, match="NotFoundException"):
            make()
    assert {sent["KeyId"] for _, sent in kms.sent} == {"alias/missing"}


def test_unavailable_kms_is_not_blamed_on_the_ring(kms: Kms, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: Any) -> None:
        raise EndpointConnectionError(endpoint_url="https://kms.example")

    document = ring_of(wrapper=kms.wrapper()).ring.to_bytes()
    monkeypatch.setattr(kms.client, "decrypt", away)
    with pytest.raises(UnavailableError) as caught:
        reopened(document, kms.wrapper())
    assert "kms.example" not in str(caught.value)
    assert isinstance(caught.value.__cause__, EndpointConnectionError)


@pytest.mark.parametrize("operation", ["decrypt", "encrypt", "generate_data_key"])
def test_a_kms_response_without_a_key_counts_as_an_outage(kms: Kms, operation: str) -> None:
    wrapper = kms.wrapper()
    asked: dict[str, Callable[[], object]] = {
        "decrypt": lambda: wrapper.unwrap(b"wrapped", CONTEXT),
        "encrypt": lambda: wrapper.wrap(b"k" * 32, CONTEXT),
        "generate_data_key": lambda: wrapper.generate(CONTEXT),
    }
    with Stubber(kms.client) as stub:
        stub.add_response(operation, {})
        with pytest.raises(UnavailableError):
            asked[operation]()


def test_a_malformed_kms_setting_is_refused() -> None:
    for key_id in ("", None, 5):
        with pytest.raises(ConfigurationError):
            KmsKeyWrapper(key_id)  # type: ignore[arg-type]


def test_a_client_and_an_endpoint_are_refused_together(kms: Kms) -> None:
    with pytest.raises(ConfigurationError):
        KmsKeyWrapper("alias/a", kms_client=kms.client, endpoint_url="http://localhost:1")


def test_a_kms_wrapper_without_a_client_uses_the_shared_one(kms: Kms) -> None:
    data_key, wrap = KmsKeyWrapper(kms.key_id).generate(CONTEXT)
    assert kms.wrapper().unwrap(wrap, CONTEXT) == data_key


def test_kms_wrappers_are_equal_if_they_use_the_same_credentials_and_key(kms: Kms) -> None:
    same = {KmsKeyWrapper("alias/a"), KmsKeyWrapper("alias/a")}
    others = {
        *same,
        KmsKeyWrapper("alias/b"),
        KmsKeyWrapper("alias/a", endpoint_url="http://localhost:1"),
        KmsKeyWrapper("alias/a", kms_client=kms.client),
        KmsKeyWrapper("alias/a", kms_client=boto3.client("kms")),
    }
    assert (len(same), len(others)) == (1, 5)
    assert KmsKeyWrapper("alias/a") != LOCAL


def test_a_kms_wrapper_does_not_show_its_key_id() -> None:
    assert "secret" not in repr(KmsKeyWrapper("alias/secret-project"))


def test_both_wrappers_are_key_wrappers() -> None:
    assert isinstance(LOCAL, KeyWrapper)
    assert isinstance(KmsKeyWrapper("alias/a"), KeyWrapper)
    assert (LOCAL.name, KmsKeyWrapper("alias/a").name) == ("local", "aws-kms")
