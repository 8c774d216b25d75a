"""Names in object keys: every path has one, every name stands for one path, and listing by prefix works."""

from __future__ import annotations

import base64
import math
import string
import unicodedata
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.for_each import for_each

from s3memory.errors import ConfigurationError, IntegrityError, InvalidInputError
from s3memory.format.names import NAME_KEY_BYTES, EncryptedNames, NameCodec, PlainNames
from s3memory.paths import MemoryPath

ROOT = MemoryPath()
BASE64URL = string.ascii_letters + string.digits + "-_"
NAME_KEY = bytes(range(NAME_KEY_BYTES))

PLAIN = PlainNames()
ENCRYPTED = EncryptedNames(NAME_KEY, tenant="acme")

both = pytest.mark.parametrize("codec", [PLAIN, ENCRYPTED], ids=["plain", "encrypted"])


def is_canonical(path: MemoryPath) -> bool:
    try:
        return MemoryPath.parse(str(path)) == path
    except InvalidInputError:
        return False


# Characters that make names differ in few places, and any others.
characters = st.sampled_from("aAb.-_ %") | st.characters(exclude_categories=["C", "Zl", "Zp"], exclude_characters="/\\")
segments = st.text(characters, min_size=1, max_size=12).map(lambda text: unicodedata.normalize("NFC", text))
paths = st.lists(segments, max_size=5).map(lambda names: MemoryPath(tuple(names))).filter(is_canonical)
files = paths.filter(lambda path: not path.is_root)


# --- Both kinds ---------------------------------------------------------------------------------------------------


@both
@given(path=files)
def test_a_name_decodes_to_its_path(codec: NameCodec, path: MemoryPath) -> None:
    assert codec.decode(ROOT, codec.encode(path)) == path


@both
@given(path=files, data=st.data())
def test_a_name_decodes_below_any_of_its_parent_directories(
    codec: NameCodec, path: MemoryPath, data: st.DataObject
) -> None:
    depth = data.draw(st.integers(0, len(path.segments) - 1))
    below = "/".join(codec.encode(path).split("/")[depth:])
    assert codec.decode(MemoryPath(path.segments[:depth]), below) == path


@both
def test_the_root_has_no_name(codec: NameCodec) -> None:
    assert codec.encode(ROOT) == ""
    with pytest.raises(IntegrityError):
        codec.decode(ROOT, "")


@both
@given(directory=files, below=paths, elsewhere=paths)
@example(directory=MemoryPath(("foo",)), below=MemoryPath(("a",)), elsewhere=MemoryPath(("foo.bar",)))
@example(directory=MemoryPath(("foo",)), below=MemoryPath(("a",)), elsewhere=MemoryPath(("foobar", "a")))
def test_only_paths_below_a_directory_begin_with_its_name(
    codec: NameCodec, directory: MemoryPath, below: MemoryPath, elsewhere: MemoryPath
) -> None:
    prefix = codec.encode(directory) + "/"
    for path in (elsewhere, directory.child(*below.segments)):
        assert codec.encode(path).startswith(prefix) is path.is_below(directory)


@both
@given(path=files, other=files)
def test_two_paths_have_two_names(codec: NameCodec, path: MemoryPath, other: MemoryPath) -> None:
    assert (codec.encode(path) == codec.encode(other)) is (path == other)


@both
@given(text=st.text())
@example(text="\ud800")
@example(text="a/\ud800")
def test_any_text_stands_for_one_path_or_is_refused(codec: NameCodec, text: str) -> None:
    try:
        path = codec.decode(ROOT, text)
    except IntegrityError:
        return
    assert codec.encode(path) == text
    assert is_canonical(path)


# --- Plain --------------------------------------------------------------------------------------------------------


@given(path=paths)
def test_a_plain_name_is_the_path(path: MemoryPath) -> None:
    assert PLAIN.encode(path) == str(path).removeprefix("/memories").removeprefix("/")


@for_each(
    "encoded",
    [
        *["", "/", "a/", "/a", "a//b", ".", "..", "a/.", "../a", "./a", "a/../b", "memories/.."],
        *[
            "a\\b",
            "a\0",
            "a\n",
            "\x7f",
            "a\u00adb",
            "a\u200bb",
            "a\u2029b",
            "\ufeffa",
            "a\ufffe",
            "\U0010ffff",
            "\ud800",
        ],
        *["%2e", "%2E%2e", "a%2Fb", "a%5cb", "a%00b", "%252e%252e", "%EF%BB%BF", "%25252525252525252525252e"],
        *["e\u0301", "\u212b", "a/e\u0301/b"],
        "/".join(["a"] * 21),
    ],
)
def test_a_plain_name_that_is_not_canonical_is_refused(encoded: str) -> None:
    with pytest.raises(IntegrityError) as caught:
        PLAIN.decode(ROOT, encoded)
    assert caught.type is IntegrityError


def test_a_plain_name_that_is_too_deep_is_refused() -> None:
    parent = MemoryPath(("d",) * 19)
    assert PLAIN.decode(parent, "a") == parent.child("a")
    with pytest.raises(IntegrityError):
        PLAIN.decode(parent, "a/b")


# --- Encrypted ----------------------------------------------------------------------------------------------------


@given(path=files)
def test_an_encrypted_name_does_not_show_the_path(path: MemoryPath) -> None:
    encoded = ENCRYPTED.encode(path).split("/")
    assert [set(part) <= set(BASE64URL) for part in encoded] == [True] * len(path.segments)
    lengths = [math.ceil(4 * (len(segment.encode("utf-8")) + 16) / 3) for segment in path.segments]
    assert [len(part) for part in encoded] == lengths


@given(path=files)
def test_encrypting_a_name_again_gives_the_same_result(path: MemoryPath) -> None:
    assert EncryptedNames(NAME_KEY, tenant="acme").encode(path) == ENCRYPTED.encode(path)


@given(name=segments, parent=paths, other=paths)
def test_equal_names_in_two_directories_are_encrypted_differently(
    name: str, parent: MemoryPath, other: MemoryPath
) -> None:
    assume(parent != other)
    first, second = (ENCRYPTED.encode(directory.child(name)).split("/")[-1] for directory in (parent, other))
    assert first != second
    with pytest.raises(IntegrityError):
        ENCRYPTED.decode(other, first)


@given(path=files)
def test_a_name_of_another_tenant_or_key_is_refused(path: MemoryPath) -> None:
    for other in (EncryptedNames(NAME_KEY, tenant="acme2"), EncryptedNames(NAME_KEY[::-1], tenant="acme")):
        encoded = other.encode(path)
        assert not set(encoded.split("/")) & set(ENCRYPTED.encode(path).split("/"))
        with pytest.raises(IntegrityError):
            ENCRYPTED.decode(ROOT, encoded)


# 5, 6 and 7 bytes: their base64url has no, four and two spare bits in its last character.
@pytest.mark.parametrize("name", ["notes", "tea.md", "café.md"[1:]])
def test_any_changed_character_is_refused(name: str) -> None:
    encoded = ENCRYPTED.encode(MemoryPath((name,)))
    for at, char in enumerate(encoded):
        for other in set(BASE64URL + "/+=. \n\0é%") - {char}:
            with pytest.raises(IntegrityError) as caught:
                ENCRYPTED.decode(ROOT, encoded[:at] + other + encoded[at + 1 :])
            assert caught.type is IntegrityError


@for_each("added", ["A", "=", "==", "\n", " ", "/", "\0", "\ud800"])
def test_any_additional_or_missing_character_is_refused(added: str) -> None:
    encoded = ENCRYPTED.encode(MemoryPath(("tea.md",)))
    longer = [encoded[:at] + added + encoded[at:] for at in range(len(encoded) + 1)]
    shorter = [encoded[:at] + encoded[at + 1 :] for at in range(len(encoded))]
    for text in longer + shorter:
        with pytest.raises(IntegrityError):
            ENCRYPTED.decode(ROOT, text)


def test_any_flipped_bit_of_a_sealed_name_is_refused() -> None:
    sealed = base64.urlsafe_b64decode(ENCRYPTED.encode(MemoryPath(("notes",))))
    for bit in range(8 * len(sealed)):
        flipped = (int.from_bytes(sealed, "big") ^ 1 << bit).to_bytes(len(sealed), "big")
        with pytest.raises(IntegrityError):
            ENCRYPTED.decode(ROOT, base64.urlsafe_b64encode(flipped).decode())


@pytest.mark.parametrize("size", [0, 32, 48, 63, 65, 128])
def test_a_name_key_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(ConfigurationError):
        EncryptedNames(bytes(size), tenant="acme")


@both
def test_a_codec_does_not_show_its_key(codec: Any) -> None:
    assert repr(NAME_KEY)[2:12] not in repr(codec)
