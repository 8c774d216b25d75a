"""docs/format.md, the test vectors, the library and a program in another language agree on the format."""

# ruff: noqa: S311 - what is sealed at random here is no secret, and pytest-randomly's seed makes it again

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.cobblestone import Cobblestone256Decryptor
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from support.for_each import Check, for_each
from support.repository import REPOSITORY

from s3memory import LocalKeyWrapper
from s3memory.errors import IntegrityError, KeyRingError
from s3memory.format import envelope, names
from s3memory.format.actor_labels import open_actor, sealed_actor
from s3memory.format.envelope import (
    ACTOR_PURPOSE,
    FILE_PURPOSE,
    INTENT_PURPOSE,
    KEY_RING_PURPOSE,
    REDACTION_PURPOSE,
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
from s3memory.format.key_ring import KeyRing
from s3memory.format.names import EncryptedNames, NameCodec, PlainNames
from s3memory.keys.open_key_ring import KeyWrapper, OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.store.intents import KIND, Intent

Json = dict[str, Any]

# Read here, before the fixtures take S3MEMORY_* out of the environment.
WITHOUT_NODE = os.environ.get("S3MEMORY_WITHOUT_NODE") == "1"

VECTORS = Path(__file__).parent / "vectors"
PAGE = REPOSITORY / "docs" / "format.md"
INFO_PREFIX = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0"


def load(file_name: str) -> Json:
    content: Json = json.loads((VECTORS / file_name).read_text(encoding="ascii"))
    return content


PUBLISHED = load("cobblestone256.json")["tests"]
ENVELOPES = load("envelope.json")
INTENTS = load("intents.json")
NAMES = load("names.json")
LOCAL_WRAPS = load("localwrap.json")
RINGS = load("keyrings.json")
SIZES = load("sizes.json")
OWN = [ENVELOPES, INTENTS, NAMES, LOCAL_WRAPS, RINGS]


def each_of(vectors: list[Json]) -> Callable[[Check], Check]:
    """Check a test for each vector, by the vector's name."""
    return for_each("vector", vectors, ids=lambda vector: vector.get("name") or vector["comment"])


def bytes_of(notation: Json) -> bytes:
    """Return the bytes that a notation of the vector files stands for."""
    match notation:
        case {"hex": str(text)}:
            return bytes.fromhex(text)
        case {"base64": str(text)}:
            return base64.b64decode(text, validate=True)
        case {"text": str(text)}:
            return text.encode()
        case {"parts": parts}:
            return b"".join(map(bytes_of, parts))
        case {"repeat": str(pattern), "size_bytes": int(size)}:
            data = (bytes.fromhex(pattern) * size)[:size]
            assert notation.get("sha256") in {None, hashlib.sha256(data).hexdigest()}
            return data
        case {"of": name, "from": start, "to": end}:
            whole = next(vector for vector in ENVELOPES["valid"] if vector["name"] == name)
            return bytes_of(whole["sealed"])[start:end]
    raise AssertionError(notation)


def data_key_of(vector: Json) -> DataKey:
    return DataKey(vector["generation"], bytes.fromhex(vector["data_key"]))


def derived(input_key: str, salt: bytes, context: bytes) -> dict[str, str]:
    """Return the keys and nonces that seal a message, computed here from HKDF alone."""
    info = INFO_PREFIX + salt + context
    okm = HKDFExpand(SHA512(), 76, info).derive(bytes.fromhex(input_key))
    return {
        "context": context.hex(),
        "info": info.hex(),
        "key": okm[:32].hex(),
        "base_nonce": okm[32:44].hex(),
        "commitment": okm[44:].hex(),
    }


def of_vector(vector: Json, values: dict[str, str]) -> dict[str, str]:
    return {field: vector[field] for field in values}


# --- The cipher ---------------------------------------------------------------------------------------------------


def cobblestone_opens(vector: Json) -> bytes:
    decryptor = Cobblestone256Decryptor(bytes.fromhex(vector["key"]), bytes.fromhex(vector["ctx"]))
    return decryptor.update(zlib.decompress(bytes.fromhex(vector["ct"]))) + decryptor.finalize()


@each_of([vector for vector in PUBLISHED if vector["result"] == "valid"])
def test_published_message_opens(vector: Json) -> None:
    message = cobblestone_opens(vector)
    assert len(message) == vector["msgLength"]
    assert hashlib.sha512(message).hexdigest() == vector["msgSha512"]


@each_of([vector for vector in PUBLISHED if vector["result"] == "invalid"])
def test_published_invalid_message_is_refused(vector: Json) -> None:
    with pytest.raises(ValueError if "InvalidKeySize" in vector["flags"] else InvalidTag):
        cobblestone_opens(vector)


@each_of([vector for vector in PUBLISHED if "aeadKey" in vector])
def test_published_keys_are_derived_in_the_same_way(vector: Json) -> None:
    salt = zlib.decompress(bytes.fromhex(vector["ct"]))[:24]
    values = derived(vector["key"], salt, bytes.fromhex(vector["ctx"]))
    assert (values["key"], values["base_nonce"]) == (vector["aeadKey"], vector["baseNonce"])


# --- Sealed objects -----------------------------------------------------------------------------------------------


@each_of(ENVELOPES["valid"])
def test_envelope_opens(vector: Json) -> None:
    sealed, plaintext = bytes_of(vector["sealed"]), bytes_of(vector["plaintext"])
    assert open_sealed(sealed, data_key=data_key_of(vector), place=Place(**vector["place"])) == plaintext
    assert sealed_generation(sealed) == vector["generation"]
    assert sealed_size_bytes(len(plaintext)) == len(sealed)
    assert plaintext_size_bytes(len(sealed)) == len(plaintext)


@each_of(ENVELOPES["valid"])
def test_envelope_is_bound_to_the_context_of_its_vector(vector: Json) -> None:
    sealed = bytes_of(vector["sealed"])
    place = vector["place"]
    context = encode_context(
        place["purpose"].encode(), sealed[:8], place["tenant"].encode(), place["name"].encode("utf-8")
    )
    values = derived(vector["data_key"], sealed[8:32], context)
    assert of_vector(vector, values) == values
    assert sealed[32:64].hex() == values["commitment"]


@each_of(ENVELOPES["invalid"])
def test_invalid_envelope_is_refused(vector: Json) -> None:
    with pytest.raises(IntegrityError) as caught:
        open_sealed(bytes_of(vector["sealed"]), data_key=data_key_of(vector), place=Place(**vector["place"]))
    assert caught.type is IntegrityError


def test_refusals_do_not_give_the_reason() -> None:
    texts = set()
    for vector in ENVELOPES["invalid"]:
        with pytest.raises(IntegrityError) as caught:
            open_sealed(bytes_of(vector["sealed"]), data_key=data_key_of(vector), place=Place(**vector["place"]))
        texts.add(str(caught.value))
    assert len(texts) == 1


@each_of(INTENTS["valid"])
def test_intent_opens_at_the_id_derived_from_it(vector: Json) -> None:
    intent, data_key = vector["intent"], data_key_of(vector)
    about = (vector["tenant"], intent["operation"], intent["path"], intent["new_path"])
    assert derive_id(data_key, INTENT_PURPOSE, *about) == vector["id"]
    info = encode_context(b"s3memory/v1/id", INTENT_PURPOSE.encode(), *(text.encode() for text in about))
    assert info.hex() == vector["info"]
    place = Place(INTENT_PURPOSE, vector["tenant"], vector["id"])
    assert json.loads(open_sealed(bytes_of(vector["sealed"]), data_key=data_key, place=place)) == intent


@each_of([vector for vector in INTENTS["invalid"] if "refused_at" not in vector])
def test_invalid_intent_is_refused(vector: Json) -> None:
    place = Place(INTENT_PURPOSE, vector["tenant"], vector["id"])
    with pytest.raises(IntegrityError):
        open_sealed(bytes_of(vector["sealed"]), data_key=data_key_of(vector), place=place)


def intent_of(vector: Json) -> tuple[Intent, frozenset[str]]:
    """Read an intent as the store does, without a bucket."""
    sealed = bytes_of(vector["sealed"])
    return KIND.opened(sealed, data_key=data_key_of(vector), tenant=vector["tenant"], document_id=vector["id"])


@each_of(INTENTS["valid"])
def test_intent_has_the_fields_of_its_vector(vector: Json) -> None:
    intent, etags = intent_of(vector)
    named = {"operation": intent.operation, "path": str(intent.path), "new_path": str(intent.new_path)}
    assert named | {"etags": sorted(etags)} == {
        field: vector["intent"][field] for field in ("operation", "path", "new_path", "etags")
    }


@each_of([vector for vector in INTENTS["invalid"] if vector.get("refused_at") == "plaintext"])
def test_intent_that_opens_but_is_malformed_is_refused(vector: Json) -> None:
    place = Place(INTENT_PURPOSE, vector["tenant"], vector["id"])
    open_sealed(bytes_of(vector["sealed"]), data_key=data_key_of(vector), place=place)
    with pytest.raises(IntegrityError):
        intent_of(vector)


@for_each(("plaintext_bytes", "sealed_bytes"), SIZES["sizes"])
def test_sizes(plaintext_bytes: int, sealed_bytes: int) -> None:
    assert sealed_size_bytes(plaintext_bytes) == sealed_bytes
    assert plaintext_size_bytes(sealed_bytes) == plaintext_bytes


@for_each("sealed_bytes", SIZES["no_sizes"])
def test_impossible_sizes(sealed_bytes: int) -> None:
    with pytest.raises(IntegrityError):
        plaintext_size_bytes(sealed_bytes)


# --- Names --------------------------------------------------------------------------------------------------------


def codec_of(vector: Json) -> NameCodec:
    if vector["mode"] == names.PLAIN:
        return PlainNames()
    return EncryptedNames(bytes.fromhex(vector["name_key"]), tenant=vector["tenant"])


@each_of(NAMES["valid"])
def test_name_encodes_and_decodes(vector: Json) -> None:
    codec, path = codec_of(vector), MemoryPath.parse(vector["path"])
    assert str(path) == vector["path"]
    assert codec.encode(path) == vector["encoded"]
    assert codec.decode(MemoryPath(), vector["encoded"]) == path


@each_of([vector for vector in NAMES["valid"] if vector["mode"] == names.ENCRYPTED])
def test_name_of_each_segment_matches_its_vector(vector: Json) -> None:
    for depth, one in enumerate(vector["segments"], start=1):
        path = MemoryPath.parse("/".join(vector["path"].split("/")[: depth + 2]))
        encoded = codec_of(vector).encode(path).split("/")[-1]
        assert encoded == one["encoded"]
        assert base64.urlsafe_b64decode(encoded + "==").hex() == one["siv"] + one["ciphertext"]
        assert bytes.fromhex(one["associated_data"][2]).decode() == str(MemoryPath(path.segments[:-1]))


@each_of(NAMES["invalid"])
def test_invalid_name_is_refused(vector: Json) -> None:
    parent = MemoryPath.parse(vector["parent"])
    with pytest.raises(IntegrityError):
        codec_of(vector).decode(parent, vector["encoded"])


# --- Wraps and key rings ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MadeUpWrapper:
    """Stands in for KMS and others: returns a data key for exactly its wrapped key and context."""

    name: str
    generations: tuple[Json, ...]

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        raise NotImplementedError

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        for one in self.generations:
            if base64.b64decode(one["wrapped"]) == wrapped and one["wrap_context"] == context:
                return bytes.fromhex(one["data_key"])
        raise KeyRingError("")


def wrapper_of(vector: Json) -> KeyWrapper:
    if vector["wrapper"]["kind"] == "local":
        return LocalKeyWrapper(*map(bytes.fromhex, vector["wrapper"]["local_keys"]))
    return MadeUpWrapper(vector["wrapper"]["kind"], tuple(vector.get("generations", ())))


@each_of(LOCAL_WRAPS["valid"])
def test_local_wrap_opens(vector: Json) -> None:
    wrapper, wrapped = LocalKeyWrapper(bytes.fromhex(vector["local_key"])), bytes.fromhex(vector["wrapped"])
    assert wrapper.unwrap(wrapped, vector["wrap_context"]).hex() == vector["data_key"]
    pairs = [text.encode() for pair in sorted(vector["wrap_context"].items()) for text in pair]
    values = derived(vector["local_key"], wrapped[:24], encode_context(b"s3memory/v1/local-wrap", *pairs))
    assert of_vector(vector, values) == values


@each_of(LOCAL_WRAPS["invalid"])
def test_invalid_local_wrap_is_refused(vector: Json) -> None:
    wrapper = LocalKeyWrapper(bytes.fromhex(vector["local_key"]))
    with pytest.raises(KeyRingError):
        wrapper.unwrap(bytes.fromhex(vector["wrapped"]), vector["wrap_context"])


@each_of(RINGS["valid"])
def test_ring_opens(vector: Json) -> None:
    document = bytes_of(vector["document"])
    ring = KeyRing.from_bytes(document, tenant=vector["tenant"])
    assert ring.to_bytes() == document
    assert ring.name_mode == vector["name_mode"]
    assert ring.archived == ("archived" in document.decode())
    assert ring.place() == Place(**vector["place"])
    opened = OpenKeyRing.open(ring, wrapper_of(vector))
    assert opened._name_key.key_bytes.hex() == vector["name_key"]
    assert isinstance(opened.names, EncryptedNames) is (vector["name_mode"] == names.ENCRYPTED)
    for one in vector["generations"]:
        assert ring.wrap_context(one["generation"]) == one["wrap_context"]
        assert opened.data_key(one["generation"]) == data_key_of(one)
    assert [key.generation for key in ring.keys] == [one["generation"] for one in vector["generations"]]


@each_of([vector for vector in RINGS["invalid"] if vector["refused_at"] == "document"])
def test_malformed_ring_is_refused_before_anything_is_unwrapped(vector: Json) -> None:
    with pytest.raises(KeyRingError):
        KeyRing.from_bytes(bytes_of(vector["document"]), tenant=vector["tenant"])


@each_of([vector for vector in RINGS["invalid"] if vector["refused_at"] != "document"])
def test_altered_ring_does_not_open(vector: Json) -> None:
    ring = KeyRing.from_bytes(bytes_of(vector["document"]), tenant=vector["tenant"])
    wrapper = wrapper_of(vector)
    unwraps = vector["refused_at"] == "seal"
    if vector["refused_at"] != "wrapper":
        newest = ring.newest
        try:
            assert (len(wrapper.unwrap(newest.wrapped, ring.wrap_context(newest.generation))) == 32) is unwraps
        except KeyRingError:
            assert not unwraps
    with pytest.raises(KeyRingError):
        OpenKeyRing.open(ring, wrapper)


# --- The page -----------------------------------------------------------------------------------------------------


def page_blocks() -> list[tuple[str, dict[str, str]]]:
    """The page's worked examples: the vector's name, and its fields with broken lines joined."""
    blocks = []
    for name, block in re.findall(
        r"^```vector (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        fields: dict[str, str] = {}
        field = ""
        for line in block.splitlines():
            start = re.match(r"([\w.]+):", line)
            field = start[1] if start else field
            fields[field] = fields.get(field, "") + line[start.end() if start else 0 :].strip()
        blocks.append((name, fields))
    return blocks


def field_of(vector: Any, path: str) -> str:
    for step in path.split("."):
        vector = vector[int(step)] if isinstance(vector, list) else vector[step]
    return str(vector)


def table_rows(heading: str) -> list[list[str]]:
    section = PAGE.read_text(encoding="utf-8").split(f"\n{heading}\n")[1].split("\n## ")[0].split("\n### ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


@pytest.mark.parametrize(("name", "fields"), page_blocks(), ids=[name for name, _ in page_blocks()])
def test_worked_example_of_the_page_matches_the_vector(name: str, fields: dict[str, str]) -> None:
    vector = next(vector for file in OWN for vector in file["valid"] if vector["name"] == name)
    assert fields == {path: field_of(vector, path) for path in fields}


def test_page_has_a_worked_example_of_each_kind() -> None:
    assert [name for name, _ in page_blocks()] == ["worked-example", "ring-plain", "encrypted", "actor-label"]


def test_context_table_of_the_page_matches_the_worked_example() -> None:
    cells = [re.findall(r"`([0-9a-f]+)`", row[1] + row[2]) for row in table_rows("## Context")[4:]]
    assert "".join("".join(row) for row in cells) == ENVELOPES["valid"][0]["context"]


def test_sizes_of_the_page() -> None:
    rows = [[int(cell.replace(",", "")) for cell in row] for row in table_rows("### Sizes")]
    assert len(rows) == 10
    assert rows == [[plaintext, sealed_size_bytes(plaintext)] for plaintext, _ in rows]
    assert rows == [[plaintext_size_bytes(sealed), sealed] for _, sealed in rows]


def test_purposes_of_the_page() -> None:
    purposes = [row[0].strip("`") for row in table_rows("## Context")[:5]]
    assert purposes == [FILE_PURPOSE, INTENT_PURPOSE, KEY_RING_PURPOSE, REDACTION_PURPOSE, ACTOR_PURPOSE]


def test_every_invalid_vector_belongs_to_a_reason_on_the_page() -> None:
    cited = [name for row in table_rows("## What a reader must refuse") for name in re.findall(r"`([^`]+)`", row[2])]
    assert sorted(cited) == sorted(vector["name"] for file in OWN for vector in file["invalid"])


def test_every_vector_file_is_named_on_the_page() -> None:
    cited = [row[0].strip("`") for row in table_rows("## Test vectors") if row[0].endswith(".json`")]
    assert sorted(cited) == sorted(path.name for path in VECTORS.glob("*.json"))


def test_every_vector_has_a_unique_name_and_a_description() -> None:
    vectors = [vector for file in OWN for vector in (*file["valid"], *file["invalid"])]
    assert len({vector["name"] for vector in vectors}) == len(vectors)
    assert all(vector["description"] for vector in vectors)


def test_vectors_match_the_generators_output() -> None:
    """The generator is an independent implementation: it imports nothing from the library."""
    generator = VECTORS / "generate.py"
    subprocess.run([sys.executable, generator, "--check"], check=True, timeout=60)  # noqa: S603 - ours
    assert not re.search(r"^\s*(from|import) s3memory", generator.read_text(encoding="utf-8"), re.MULTILINE)


# --- Another language ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def node() -> str:
    """The program `node`."""
    found = shutil.which("node")
    if found is None and WITHOUT_NODE:
        pytest.skip("NOT CHECKED: S3MEMORY_WITHOUT_NODE=1, so nothing but Python has opened the test vectors")
    if found is None:
        pytest.fail(
            "node (20 or later) is missing: the format is checked with a program in another language. "
            "Install Node.js, or set S3MEMORY_WITHOUT_NODE=1 to do without that check."
        )
    return found


def run_node(node: str, *arguments: Path) -> tuple[int, Json]:
    done = subprocess.run(  # noqa: S603 - our program
        [node, VECTORS / "open.mjs", *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout, done.stderr
    summary: Json = json.loads(done.stdout)
    return done.returncode, summary


def counts(summary: Json) -> dict[str, tuple[int, int]]:
    return {name: (file["valid"], file["invalid"]) for name, file in summary["files"].items()}


def test_node_opens_valid_vectors_and_refuses_the_others(node: str) -> None:
    code, summary = run_node(node)
    assert (code, summary["failures"]) == (0, [])
    valid = sum(vector["result"] == "valid" for vector in PUBLISHED)
    assert counts(summary) == {
        "cobblestone256.json": (valid, len(PUBLISHED) - valid),
        "envelope.json": (len(ENVELOPES["valid"]), len(ENVELOPES["invalid"])),
        "intents.json": (len(INTENTS["valid"]), len(INTENTS["invalid"])),
        "names.json": (len(NAMES["valid"]), len(NAMES["invalid"])),
        "localwrap.json": (len(LOCAL_WRAPS["valid"]), len(LOCAL_WRAPS["invalid"])),
        "keyrings.json": (len(RINGS["valid"]), len(RINGS["invalid"])),
        "sizes.json": (len(SIZES["sizes"]), len(SIZES["no_sizes"])),
    }
    compared = {name: file["compared"] for name, file in summary["files"].items()}
    assert min(compared.values()) > 0
    assert sum(compared.values()) > 400


def test_node_detects_wrong_vectors(node: str, tmp_path: Path) -> None:
    opens, refused = ENVELOPES["valid"][0], ENVELOPES["invalid"][0]
    valid = [refused | {"plaintext": opens["plaintext"]}, opens | {"name": "other value", "key": "00" * 32}]
    (tmp_path / "envelope.json").write_text(json.dumps({"valid": valid, "invalid": [opens]}))
    code, summary = run_node(node, tmp_path)
    assert code == 1
    assert [failure.split(":")[0] for failure in summary["failures"]] == [refused["name"], "other value", opens["name"]]


def test_node_fails_if_there_is_no_vector(node: str, tmp_path: Path) -> None:
    code, _ = run_node(node, tmp_path)
    assert code == 1


@pytest.mark.parametrize(
    ("name", "text"), [("actor-label", "agënt 1"), ("actor-label-empty", ""), ("actor-label-long", "x" * 500)]
)
def test_a_label_from_the_vectors_opens_in_addition_to_the_worked_example(name: str, text: str) -> None:
    label, example = (
        next(vector for vector in ENVELOPES["valid"] if vector["name"] == one) for one in (name, "worked-example")
    )
    path, sealed = MemoryPath.parse(example["place"]["name"]), bytes_of(label["sealed"])
    opened = open_actor(
        sealed_actor(base64.b64encode(sealed).decode()),
        data_key=data_key_of(label),
        tenant=example["place"]["tenant"],
        path=path,
        body=bytes_of(example["sealed"]),
    )
    assert opened == text


def test_spare_bits_of_a_labels_base64_are_ignored() -> None:
    label = next(vector for vector in ENVELOPES["valid"] if vector["name"] == "actor-label")
    sealed = bytes_of(label["sealed"])
    text = base64.b64encode(sealed).decode()
    assert text.endswith("=")
    last = text.rstrip("=")[-1]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    spare = text.replace(f"{last}=", f"{alphabet[alphabet.index(last) + 1]}=")
    assert spare != text
    assert sealed_actor(spare) == sealed


def random_path() -> MemoryPath:
    alphabet = "xyzXYZ ._-+&%é日𝄞☕"  # no hexadecimal digits: the vectors cover "%" before them
    segments = ["".join(random.choices(alphabet, k=random.randint(1, 40))) for _ in range(random.randint(1, 6))]
    text = unicodedata.normalize("NFC", "/".join(f"x{segment}" for segment in segments))
    return MemoryPath.parse(f"/memories/{text}")


def random_envelopes() -> list[Json]:
    vectors = []
    for size in [0, 1, 16_383, 16_384, 16_385, 32_768, *(random.randint(2, 100_000) for _ in range(6))]:
        plaintext = random.randbytes(size)
        data_key = DataKey(random.randint(1, envelope.MAX_GENERATION), random.randbytes(32))
        place = {"purpose": FILE_PURPOSE, "tenant": f"t{random.randint(0, 10**9)}", "name": str(random_path())}
        sealed = seal(plaintext, data_key=data_key, place=Place(**place))
        vectors.append(
            {
                "name": f"{size} bytes",
                "data_key": data_key.key_bytes.hex(),
                "generation": data_key.generation,
                "place": place,
                "plaintext": {"hex": plaintext.hex()},
                "sealed": {"hex": sealed.hex()},
            }
        )
    return vectors


def random_names() -> list[Json]:
    vectors = []
    for number in range(20):
        name_key, path = random.randbytes(names.NAME_KEY_BYTES), random_path()
        vector: Json = {"name": f"name {number}", "tenant": f"t{number}", "path": str(path)}
        encrypted = vector | {"mode": names.ENCRYPTED, "name_key": name_key.hex()}
        plain = vector | {"mode": names.PLAIN}
        vectors += [one | {"encoded": codec_of(one).encode(path)} for one in (encrypted, plain)]
    return vectors


def random_rings() -> list[Json]:
    vectors = []
    older, newer = os.urandom(32), os.urandom(32)
    for mode in names.NAME_MODES:
        first = OpenKeyRing.new(tenant="acme", name_mode=mode, wrapper=LocalKeyWrapper(older))
        changed = OpenKeyRing.open(first.ring, LocalKeyWrapper(newer, older))
        for opened in (changed, changed.rotated(), changed.rotated().rotated(), changed.as_archived(archived=True)):
            keys = [opened.data_key(key.generation) for key in opened.ring.keys]
            vectors.append(
                {
                    "name": f"{mode} ring of {len(keys)}",
                    "tenant": "acme",
                    "wrapper": {"kind": "local", "local_keys": [newer.hex(), older.hex()]},
                    "name_mode": mode,
                    "name_key": opened._name_key.key_bytes.hex(),
                    "generations": [
                        {"generation": key.generation, "data_key": key.key_bytes.hex()} for key in keys if key
                    ],
                    "document": {"text": opened.ring.to_bytes().decode()},
                }
            )
    return vectors


def random_local_wraps() -> list[Json]:
    local_key, context = os.urandom(32), {"b": "é", "a": "", "s3memory:tenant": "acme"}
    data_key, wrapped = LocalKeyWrapper(local_key).generate(context)
    values = {"local_key": local_key, "data_key": data_key, "wrapped": wrapped}
    return [{"name": "wrap", "wrap_context": context, **{field: value.hex() for field, value in values.items()}}]


def test_node_opens_what_the_library_has_just_sealed(node: str, tmp_path: Path) -> None:
    files = {
        "envelope.json": random_envelopes(),
        "names.json": random_names(),
        "keyrings.json": random_rings(),
        "localwrap.json": random_local_wraps(),
    }
    for name, valid in files.items():
        (tmp_path / name).write_text(json.dumps({"valid": valid, "invalid": []}), encoding="ascii")
    code, summary = run_node(node, tmp_path)
    assert (code, summary["failures"]) == (0, [])
    assert counts(summary) == {name: (len(valid), 0) for name, valid in files.items()}
