"""Sealed objects: a sealed object opens in its place and unchanged, and nothing else opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.for_each import for_each

from s3memory.errors import IntegrityError
from s3memory.format.envelope import (
    DATA_KEY_BYTES,
    FILE_PURPOSE,
    HEADER_BYTES,
    INTENT_PURPOSE,
    KEY_RING_PURPOSE,
    MAGIC,
    MAX_GENERATION,
    DataKey,
    Place,
    derive_id,
    encode_context,
    open_sealed,
    plaintext_size_bytes,
    seal,
    sealed_generation,
    sealed_size_bytes,
)

CHUNK_BYTES = 16_384

KEY = DataKey(1, bytes(range(DATA_KEY_BYTES)))
PLACE = Place(FILE_PURPOSE, "acme", "/memories/notes/tea.md")
TEXT = b"Likes tea.\n"

purposes = st.sampled_from([FILE_PURPOSE, INTENT_PURPOSE, KEY_RING_PURPOSE])
tenants = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)
places = st.builds(Place, purposes, tenants, st.text(max_size=40))
data_keys = st.builds(
    DataKey, st.integers(1, MAX_GENERATION), st.binary(min_size=DATA_KEY_BYTES, max_size=DATA_KEY_BYTES)
)
# Lengths around the ends of chunks, where bugs are likely; hypothesis need not draw each byte.
long_plaintexts = st.builds(
    lambda chunks, more, byte: bytes([byte]) * (chunks * CHUNK_BYTES + more),
    st.integers(1, 3),
    st.integers(-17, 17),
    st.integers(0, 255),
)
plaintexts = st.binary(max_size=200) | long_plaintexts


def assert_refused(sealed: bytes, *, data_key: DataKey = KEY, place: Place = PLACE) -> None:
    with pytest.raises(IntegrityError) as caught:
        open_sealed(sealed, data_key=data_key, place=place)
    assert caught.type is IntegrityError
    assert caught.value.__cause__ is None


@given(plaintext=plaintexts, data_key=data_keys, place=places)
def test_a_sealed_plaintext_opens_unchanged(plaintext: bytes, data_key: DataKey, place: Place) -> None:
    sealed = seal(plaintext, data_key=data_key, place=place)
    assert open_sealed(sealed, data_key=data_key, place=place) == plaintext
    assert sealed_generation(sealed) == data_key.generation
    assert len(sealed) == sealed_size_bytes(len(plaintext))


def test_no_two_writes_are_equal() -> None:
    sealed = [seal(TEXT, data_key=KEY, place=PLACE) for _ in range(50)]
    assert len({one[HEADER_BYTES : HEADER_BYTES + 24] for one in sealed}) == 50
    assert len({one[HEADER_BYTES + 24 :] for one in sealed}) == 50


def test_the_plaintext_is_not_visible() -> None:
    sealed = seal(TEXT * 100, data_key=KEY, place=PLACE)
    assert b"tea" not in sealed
    assert KEY.key_bytes not in sealed
    assert b"acme" not in sealed


# --- Anything else is refused -------------------------------------------------------------------------------------


@for_each("bit", range(8))
def test_any_flipped_bit_is_refused(bit: int) -> None:
    sealed = seal(TEXT, data_key=KEY, place=PLACE)
    for at in range(len(sealed)):
        assert_refused(sealed[:at] + bytes([sealed[at] ^ 1 << bit]) + sealed[at + 1 :])


@given(plaintext=long_plaintexts, data=st.data())
def test_any_change_of_a_long_object_is_refused(plaintext: bytes, data: st.DataObject) -> None:
    sealed = bytearray(seal(plaintext, data_key=KEY, place=PLACE))
    at = data.draw(st.integers(0, len(sealed) - 1))
    sealed[at] ^= data.draw(st.integers(1, 255))
    assert_refused(bytes(sealed))


def test_any_truncation_is_refused() -> None:
    sealed = seal(TEXT, data_key=KEY, place=PLACE)
    for length in range(len(sealed)):
        assert_refused(sealed[:length])
        assert_refused(sealed[len(sealed) - length :])


def test_any_additional_or_missing_byte_is_refused() -> None:
    sealed = seal(TEXT, data_key=KEY, place=PLACE)
    for at in range(len(sealed)):
        assert_refused(sealed[:at] + sealed[at + 1 :])
        assert_refused(sealed[:at] + b"\0" + sealed[at:])
    assert_refused(sealed + b"\0")
    assert_refused(sealed + sealed)


def chunks_of(sealed: bytes) -> Iterator[bytes]:
    for start in range(64, len(sealed), CHUNK_BYTES + 16):
        yield sealed[start : start + CHUNK_BYTES + 16]


@given(order=st.lists(st.integers(0, 2), max_size=5))
def test_chunks_open_only_in_their_order(order: list[int]) -> None:
    plaintext = b"same text" * 4_000
    sealed = seal(plaintext, data_key=KEY, place=PLACE)
    chunks = list(chunks_of(sealed))
    assert len(chunks) == 3
    assume(order != [0, 1, 2])
    assert_refused(sealed[:64] + b"".join(chunks[number] for number in order))


def test_a_chunk_of_another_write_is_refused() -> None:
    ours, theirs = (seal(b"x" * CHUNK_BYTES * 2, data_key=KEY, place=PLACE) for _ in range(2))
    mixed = ours[:64] + b"".join([next(chunks_of(theirs)), *list(chunks_of(ours))[1:]])
    assert len(mixed) == len(ours)
    assert_refused(mixed)


@given(place=places, other=places)
def test_another_place_is_refused(place: Place, other: Place) -> None:
    assume(place != other)
    assert_refused(seal(TEXT, data_key=KEY, place=place), place=other)


@for_each(
    "change",
    [
        {"purpose": INTENT_PURPOSE},
        {"tenant": "acme2"},
        {"tenant": "Acme"},
        {"name": "/memories/notes/tea"},
        {"name": "/memories/notes/tea.md/"},
        {"name": "/memories/Notes/tea.md"},
        {"name": ""},
        {"tenant": "acm", "name": "e/memories/notes/tea.md"},
    ],
)
def test_a_place_with_one_different_field_is_refused(change: dict[str, str]) -> None:
    assert_refused(seal(TEXT, data_key=KEY, place=PLACE), place=PLACE._replace(**change))


@given(data_key=data_keys, other=data_keys)
def test_another_key_is_refused(data_key: DataKey, other: DataKey) -> None:
    assume(data_key != other)
    assert_refused(seal(TEXT, data_key=data_key, place=PLACE), data_key=other)


@given(generation=st.integers(1, MAX_GENERATION), other=st.integers(1, MAX_GENERATION))
def test_the_same_key_bytes_of_another_generation_are_refused(generation: int, other: int) -> None:
    assume(generation != other)
    sealed = seal(TEXT, data_key=DataKey(generation, KEY.key_bytes), place=PLACE)
    reader = DataKey(other, KEY.key_bytes)
    assert_refused(sealed, data_key=reader)
    assert_refused(MAGIC + other.to_bytes(4, "big") + sealed[HEADER_BYTES:], data_key=reader)


@given(body=st.binary(max_size=300))
def test_bytes_that_were_never_sealed_are_refused(body: bytes) -> None:
    assert_refused(body)
    assert_refused(MAGIC + (1).to_bytes(4, "big") + body)


@pytest.mark.parametrize("sealed", [b"", b"S3M1", b"S3M1\0\0\0\1", b"S3M2\0\0\0\1" + bytes(72), b"S3M1" + bytes(76)])
def test_an_object_that_was_never_sealed_has_no_generation(sealed: bytes) -> None:
    with pytest.raises(IntegrityError):
        sealed_generation(sealed)


# --- Sizes --------------------------------------------------------------------------------------------------------


def test_every_size_up_to_three_chunks_is_converted_or_refused_correctly() -> None:
    sizes = {sealed_size_bytes(plaintext): plaintext for plaintext in range(3 * CHUNK_BYTES)}
    assert len(sizes) == 3 * CHUNK_BYTES
    for sealed in range(-100, max(sizes) + 1):
        if sealed in sizes:
            assert plaintext_size_bytes(sealed) == sizes[sealed]
        else:
            with pytest.raises(IntegrityError):
                plaintext_size_bytes(sealed)


@given(plaintext=st.integers(0, 2**52))
def test_a_size_conversion_has_an_inverse(plaintext: int) -> None:
    assert plaintext_size_bytes(sealed_size_bytes(plaintext)) == plaintext


@given(sealed=st.integers(-(2**52), 2**52))
def test_a_sealed_size_gives_its_plaintexts_size_or_is_refused(sealed: int) -> None:
    try:
        plaintext = plaintext_size_bytes(sealed)
    except IntegrityError:
        chunked = sealed - 64
        assert chunked < 16 or chunked % (CHUNK_BYTES + 16) < 16
    else:
        assert sealed_size_bytes(plaintext) == sealed


# --- Contexts and ids ---------------------------------------------------------------------------------------------


@given(fields=st.lists(st.binary(max_size=300)))
def test_a_context_can_be_split_into_its_fields(fields: list[bytes]) -> None:
    """So no two lists of fields have the same context."""
    encoded, found = encode_context(*fields), []
    while encoded:
        length = int.from_bytes(encoded[:4], "big")
        found.append(encoded[4 : 4 + length])
        encoded = encoded[4 + length :]
    assert found == fields


@given(fields=st.lists(st.text(max_size=20), max_size=4), others=st.lists(st.text(max_size=20), max_size=4))
def test_ids_are_equal_only_for_equal_fields(fields: list[str], others: list[str]) -> None:
    first, second = derive_id(KEY, INTENT_PURPOSE, *fields), derive_id(KEY, INTENT_PURPOSE, *others)
    assert (first == second) is (fields == others)
    assert derive_id(DataKey(1, bytes(32)), INTENT_PURPOSE, *fields) != first
    assert derive_id(KEY, FILE_PURPOSE, *fields) != first


def test_an_id_is_32_hexadecimal_digits() -> None:
    found = derive_id(KEY, INTENT_PURPOSE, "acme", "/memories/日記")
    assert len(found) == 32
    assert set(found) <= set("0123456789abcdef")


def test_a_data_key_shows_its_generation_and_no_key_bytes() -> None:
    assert repr(DataKey(7, b"secret")) == "DataKey(generation=7)"


def test_a_data_key_has_no_items_that_could_be_shown_individually() -> None:
    """Error reporters show the items of a tuple in a local variable, whatever its repr is."""
    assert not isinstance(KEY, Iterable)
