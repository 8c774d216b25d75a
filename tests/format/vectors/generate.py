"""Write the test vectors of docs/format.md, or check that the files match what this program would write.

    python tests/format/vectors/generate.py            writes all files but cobblestone256.json
    python tests/format/vectors/generate.py --check    exits with 1 if a file differs

This is a second implementation of the format in Python: it imports nothing of s3memory, and of the `cryptography`
package only HKDF-Expand, AES-GCM, CMAC and AES-CTR. Keys and salts are fixed or hashed from names, so that every run
writes the same bytes; a real writer draws them at random. cobblestone256.json is published elsewhere, not written here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import string
import struct
import sys
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.cmac import CMAC
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

Json = dict[str, Any]

HERE = Path(__file__).resolve().parent
CHUNK, TAG = 16_384, 16
FILE, INTENT, RING = "s3memory/v1/file", "s3memory/v1/intent", "s3memory/v1/key-ring"
ACTOR, RECORD = "s3memory/v1/actor", "s3memory/v1/redacted-version"
ACME, TEA = "acme", "/memories/notes/tea.md"
SHORT_BYTES = 1_000  # longer byte strings are written in base64


# --- The format ---------------------------------------------------------------------------------------------------


def context_of(*fields: bytes) -> bytes:
    """Encode fields as a context: each preceded by its length."""
    return b"".join(struct.pack(">I", len(one)) + one for one in fields)


def derive(input_key: bytes, salt: bytes, context: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """Return Cobblestone-256's info, key, base nonce and commitment."""
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00" + salt + context
    derived = HKDFExpand(SHA512(), 76, info).derive(input_key)
    return info, derived[:32], derived[32:44], derived[44:]


def cobblestone(input_key: bytes, salt: bytes, context: bytes, plaintext: bytes) -> bytes:
    """Return a Cobblestone-256 message; the last chunk is shorter than the others, if only by being empty."""
    _, key, base_nonce, commitment = derive(input_key, salt, context)
    aead = AESGCM(key)
    chunks = [
        aead.encrypt(chunk_nonce(base_nonce, number), plaintext[number * CHUNK : (number + 1) * CHUNK], None)
        for number in range(len(plaintext) // CHUNK + 1)
    ]
    return b"".join((salt, commitment, *chunks))


def chunk_nonce(base_nonce: bytes, number: int) -> bytes:
    """Return the nonce of a chunk: the base nonce, with the chunk's number xored into its end."""
    return xored(base_nonce, number.to_bytes(len(base_nonce), "big"))


def header_of(generation: int, magic: bytes = b"S3M1") -> bytes:
    """Return the 8 bytes before the message."""
    return magic + struct.pack(">I", generation)


def place_context(header: bytes, place: Json) -> bytes:
    """Return the context that binds an object to its place."""
    return context_of(place["purpose"].encode(), header, place["tenant"].encode(), place["name"].encode())


def seal(data_key: bytes, generation: int, place: Json, plaintext: bytes, salt: bytes) -> bytes:
    """Return an S3M1 object."""
    header = header_of(generation)
    return header + cobblestone(data_key, salt, place_context(header, place), plaintext)


def siv(key: bytes, associated: list[bytes], plaintext: bytes) -> tuple[bytes, bytes]:
    """Return the synthetic IV and the ciphertext of AES-256-SIV (RFC 5297)."""
    mac_key, ctr_key = key[:32], key[32:]
    state = cmac(mac_key, bytes(16))
    for one in associated:
        state = xored(doubled(state), cmac(mac_key, one))
    if len(plaintext) >= len(state):
        last = plaintext[:-16] + xored(plaintext[-16:], state)
    else:
        last = xored(doubled(state), plaintext + b"\x80" + bytes(15 - len(plaintext)))
    synthetic = cmac(mac_key, last)
    counter = bytearray(synthetic)
    counter[8] &= 0x7F
    counter[12] &= 0x7F
    encryptor = Cipher(algorithms.AES(ctr_key), modes.CTR(bytes(counter))).encryptor()
    return synthetic, encryptor.update(plaintext) + encryptor.finalize()


def cmac(key: bytes, message: bytes) -> bytes:
    """Return AES-CMAC."""
    mac = CMAC(algorithms.AES(key))
    mac.update(message)
    return mac.finalize()


def doubled(block: bytes) -> bytes:
    """Double a block in GF(2^128)."""
    number = int.from_bytes(block, "big") << 1
    return ((number ^ 0x87 if number >> 128 else number) & (2**128 - 1)).to_bytes(16, "big")


def xored(left: bytes, right: bytes) -> bytes:
    """Xor two byte strings of the same length."""
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def name_segments(name_key: bytes, tenant: str, path: str) -> list[Json]:
    """Seal each segment of a memory path under the path above it."""
    sealed = []
    parent = "/memories"
    for segment in path.split("/")[2:]:
        associated = [b"s3memory/v1/name", tenant.encode(), parent.encode()]
        synthetic, ciphertext = siv(name_key, associated, segment.encode())
        sealed.append(
            {
                "segment": segment,
                "associated_data": [one.hex() for one in associated],
                "siv": synthetic.hex(),
                "ciphertext": ciphertext.hex(),
                "encoded": base64url(synthetic + ciphertext),
            }
        )
        parent += "/" + segment
    return sealed


def canonical(document: Json) -> str:
    """Return canonical JSON."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def wrap_context(tenant: str, generation: int, mode: str) -> dict[str, str]:
    """Return the context that the wrapped key is bound to."""
    return {
        "s3memory:generation": str(generation),
        "s3memory:name-mode": mode,
        "s3memory:purpose": "data-key",
        "s3memory:tenant": tenant,
    }


def local_context(context: dict[str, str]) -> bytes:
    """Return a wrapped key's context in the local wrapper's encoding."""
    return context_of(b"s3memory/v1/local-wrap", *(text.encode() for item in sorted(context.items()) for text in item))


# --- The notation of bytes in the files ---------------------------------------------------------------------------


def hashed(label: str, size: int = 32) -> bytes:
    """Return bytes that are unique to this label: a key or salt for one vector."""
    return hashlib.sha512(b"s3memory test vectors: " + label.encode()).digest()[:size]


def base64url(data: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def base64text(data: bytes) -> str:
    """Return base64 with padding."""
    return base64.b64encode(data).decode()


def notation(data: bytes) -> Json:
    """Write bytes as hex, or as base64 if they are long."""
    return {"hex": data.hex()} if len(data) <= SHORT_BYTES else {"base64": base64text(data)}


def plaintext_notation(plaintext: bytes) -> Json:
    """Write a plaintext; a long one as a pattern to repeat up to a size, and its hash."""
    if len(plaintext) <= SHORT_BYTES:
        return notation(plaintext)
    hash_text = hashlib.sha256(plaintext).hexdigest()
    return {"repeat": plaintext[:16].hex(), "size_bytes": len(plaintext), "sha256": hash_text}


def slices(of: str, *ranges: tuple[int, int]) -> list[Json]:
    """Write ranges of the sealed bytes of another vector of the same file."""
    return [{"of": of, "from": first, "to": end} for first, end in ranges]


def flipped(data: bytes, at: int, bit: int = 1) -> bytes:
    """Change one bit."""
    return data[:at] + bytes([data[at] ^ bit]) + data[at:][1:]


# --- Envelopes ----------------------------------------------------------------------------------------------------

DATA_KEY = bytes(range(32))
SALT = bytes(range(0x40, 0x58))
HELLO = b"Likes tea.\n"
EXAMPLE_PLACE: Json = {"purpose": FILE, "tenant": ACME, "name": TEA}
EXAMPLE = seal(DATA_KEY, 1, EXAMPLE_PLACE, HELLO, SALT)
UNICODE_PATH = "/memories/日記/Ünïcode ☕ 𝄞.md"
LONG = "two-chunks-and-five-bytes"
FIRST_END, SECOND_END, LONG_END = 64 + CHUNK + TAG, 64 + 2 * (CHUNK + TAG), 64 + 2 * (CHUNK + TAG) + 5 + TAG


def envelope_vector(name: str, description: str, plaintext: bytes, **more: Any) -> Json:
    """Seal one object and record all intermediate values."""
    place = {**EXAMPLE_PLACE, **more.get("place", {})}
    data_key, generation = more.get("data_key", DATA_KEY), more.get("generation", 1)
    salt = more.get("salt", hashed(name, 24))
    context = place_context(header_of(generation), place)
    info, key, base_nonce, commitment = derive(data_key, salt, context)
    sealed = seal(data_key, generation, place, plaintext, salt)
    is_a_chunk_of = more.get("shares_chunk_of")
    return {
        "name": name,
        "description": description,
        "data_key": data_key.hex(),
        "generation": generation,
        "place": place,
        "plaintext": plaintext_notation(plaintext),
        "context": context.hex(),
        "info": info.hex(),
        "key": key.hex(),
        "base_nonce": base_nonce.hex(),
        "commitment": commitment.hex(),
        "sealed": {"parts": [*slices(is_a_chunk_of, (0, FIRST_END)), notation(sealed[FIRST_END:])]}
        if is_a_chunk_of
        else notation(sealed),
    }


LABEL = "agënt 1".encode().ljust(128, b"\0")
LABEL_PLACE = {"purpose": ACTOR, "name": SALT.hex() + TEA}
RECORDED = json.dumps(
    {
        "path": TEA,
        "version_id": "3sL4kqtJlcpXroDT",
        "modified": "2026-01-31T12:00:00+00:00",
        "operation": "edited",
        "actor": "agënt 1",
        "redacted_at": "2026-02-01T12:00:00+00:00",
        "redacted_by": None,
    }
).encode()


def valid_envelopes() -> list[Json]:
    """Return objects that open."""
    long_tenant = ("Az09._-" * 10)[:64]
    long = b"0123456789abcdef" * 2 * CHUNK
    # Three prefixes of one text under one salt, which no writer may do: the file needs their first chunk only once.
    salt = hashed("chunks", 24)
    shared: Json = {"salt": salt, "shares_chunk_of": LONG}
    return [
        envelope_vector("worked-example", "The example of docs/format.md.", HELLO, salt=SALT),
        envelope_vector("empty-file", "No plaintext: one chunk of a tag alone.", b""),
        envelope_vector("unicode-text", "UTF-8 of four lengths, CRLF, NUL, no final newline.", "é☕𝄞\r\n\0a".encode()),
        envelope_vector(
            "unicode-path", "The path stands in the context as UTF-8.", HELLO, place={"name": UNICODE_PATH}
        ),
        envelope_vector("one-chunk", "16,384 bytes: a full chunk and an empty one.", long[:CHUNK], **shared),
        envelope_vector("one-chunk-and-a-byte", "16,385 bytes.", long[: CHUNK + 1], **shared),
        envelope_vector(LONG, "32,773 bytes.", long[: 2 * CHUNK + 5], salt=salt),
        envelope_vector("generation-256", "It is big-endian.", HELLO, generation=256, data_key=hashed("256")),
        envelope_vector("generation-last", "4,294,967,295.", HELLO, generation=2**32 - 1, data_key=hashed("last")),
        envelope_vector(
            "actor-label",
            "Beside the worked example: bound to its salt and path, padded with zero bytes.",
            LABEL,
            place=LABEL_PLACE,
        ),
        envelope_vector("actor-label-empty", "A label of no bytes: it opens, as no text.", b"", place=LABEL_PLACE),
        envelope_vector("actor-label-long", "500 bytes: it opens as it is.", b"x" * 500, place=LABEL_PLACE),
        envelope_vector("redacted-version", "A record.", RECORDED, place={"purpose": RECORD, "name": "0" * 32}),
        envelope_vector("longest-tenant", "64 characters of every kind.", HELLO, place={"tenant": long_tenant}),
    ]


def invalid_envelopes() -> list[Json]:
    """Return objects that a reader refuses, each one change away from the worked example unless it says otherwise."""
    vectors: list[Json] = []

    def refused(name: str, description: str, sealed: bytes | Json = EXAMPLE, **more: Any) -> None:
        vectors.append(
            {
                "name": name,
                "description": description,
                "data_key": more.get("data_key", DATA_KEY).hex(),
                "generation": more.get("generation", 1),
                "place": {**EXAMPLE_PLACE, **more.get("place", {})},
                "sealed": sealed if isinstance(sealed, dict) else notation(sealed),
            }
        )

    for field, at in (
        ("magic", 0),
        ("version", 3),
        ("generation", 7),
        ("salt", 8),
        ("commitment", 32),
        ("ciphertext", 64),
        ("tag", len(EXAMPLE) - 1),
    ):
        refused(f"flipped-{field}", f"One bit of the {field} is changed.", flipped(EXAMPLE, at))

    refused("nothing", "No bytes at all.", b"")
    refused("header-alone", "Cut after the header.", EXAMPLE[:8])
    refused("no-chunk", "Cut after the commitment: not even an empty chunk.", EXAMPLE[:64])
    refused("cut-in-tag", "The last byte is missing.", EXAMPLE[:-1])
    refused("cut-to-a-size", "Cut to the size of a shorter file.", EXAMPLE[:-4])
    refused("longer-by-a-byte", "A zero byte is appended.", EXAMPLE + b"\0")
    first, second, last = (64, FIRST_END), (FIRST_END, SECOND_END), (SECOND_END, LONG_END)
    for name, description, ranges in (
        ("final-chunk-missing", "Cut where a chunk ends: the last one is full.", [(0, SECOND_END)]),
        ("chunks-swapped", "The first two chunks change places.", [(0, 64), second, first, last]),
        ("chunk-doubled", "The first chunk stands in the second one's place too.", [(0, 64), first, first, last]),
        ("first-chunk-missing", "The first chunk is taken out.", [(0, 64), second, last]),
        ("final-chunk-doubled", "The short last chunk comes twice.", [(0, LONG_END), last]),
    ):
        refused(name, description, {"parts": slices(LONG, *ranges)})
    refused("empty-chunk-missing", "A full chunk alone.", {"parts": slices("one-chunk", (0, FIRST_END))})

    refused("other-tenant", "Read as another tenant's.", place={"tenant": "acme2"})
    refused("other-path", "Moved to another path.", place={"name": "/memories/notes/tea.txt"})
    refused("parent-path", "Moved to the directory's path.", place={"name": "/memories/notes"})
    refused("other-purpose", "A file read as an intent.", place={"purpose": INTENT})
    refused("other-key", "Read with another data key of the same generation.", data_key=hashed("other key"))
    refused("other-generation", "Read with the same key bytes as another generation.", generation=2)
    refused(
        "generation-edited",
        "The header says generation 2, and so does the reader's key, which has the same bytes.",
        header_of(2) + EXAMPLE[8:],
        generation=2,
    )
    nfc, nfd = "/memories/café.md", "/memories/cafe\u0301.md"
    refused(
        "path-in-nfd",
        "Sealed for the NFC form, read with the decomposed one.",
        seal(DATA_KEY, 1, {**EXAMPLE_PLACE, "name": nfc}, HELLO, hashed("nfd", 24)),
        place={"name": nfd},
    )
    refused(
        "generation-zero",
        "Sealed as it should be, but under generation 0.",
        seal(DATA_KEY, 0, EXAMPLE_PLACE, HELLO, SALT),
        generation=0,
    )
    later = header_of(1, b"S3M2")
    refused(
        "unknown-version",
        "Sealed as it should be, but the header says S3M2.",
        later + cobblestone(DATA_KEY, SALT, place_context(later, EXAMPLE_PLACE), HELLO),
    )
    fields = [FILE.encode(), header_of(1), ACME.encode(), TEA.encode()]
    refused(
        "context-without-lengths",
        "Made by a writer that strung the fields together.",
        header_of(1) + cobblestone(DATA_KEY, SALT, b"".join(fields), HELLO),
    )
    refused(
        "context-without-header",
        "Made by a writer that left the header out of the context.",
        header_of(1) + cobblestone(DATA_KEY, SALT, context_of(fields[0], *fields[2:]), HELLO),
    )
    label = seal(DATA_KEY, 1, {**EXAMPLE_PLACE, **LABEL_PLACE}, LABEL, hashed("label", 24))
    other_write = {**LABEL_PLACE, "name": hashed("other write", 24).hex() + TEA}
    other_path = {**LABEL_PLACE, "name": f"{SALT.hex()}/memories/notes/tea.txt"}
    refused("actor-of-another-write", "A label, read beside a text of another salt.", label, place=other_write)
    refused("actor-of-another-path", "A label, read beside a copy of the text elsewhere.", label, place=other_path)
    refused("actor-is-a-file", "The worked example in a label's place.", EXAMPLE, place=LABEL_PLACE)
    refused("message-alone", "The Cobblestone-256 message without the header before it.", EXAMPLE[8:])
    refused("plaintext", "A file that was never sealed.", HELLO * 10)
    return vectors


# --- Intents ------------------------------------------------------------------------------------------------------


def intent_info(tenant: str, intent: Json) -> bytes:
    """Return the info for the derivation of an intent's id."""
    return context_of(
        b"s3memory/v1/id",
        INTENT.encode(),
        tenant.encode(),
        *(intent[field].encode() for field in ("operation", "path", "new_path")),
    )


def intent_vectors() -> tuple[list[Json], list[Json]]:
    """Return intents, and intents that were moved."""
    valid: list[Json] = []
    for name, description, operation, path, new_path in (
        ("intent-rename", "A directory is being renamed.", "rename", "/memories/old", "/memories/new/日記"),
        ("intent-rename-back", "The way back has another id.", "rename", "/memories/new/日記", "/memories/old"),
        ("intent-delete", "For a delete, both paths are the directory.", "delete", "/memories/old", "/memories/old"),
        ("intent-delete-all", "The root.", "delete", "/memories", "/memories"),
    ):
        etags = sorted(f'"{hashed(f"{name}: {number}", 16).hex()}"' for number in range(2))
        intent = {"operation": operation, "path": path, "new_path": new_path, "etags": etags}
        info = intent_info(ACME, intent)
        intent_id = HKDFExpand(SHA512(), 16, info).derive(DATA_KEY).hex()
        place = {"purpose": INTENT, "tenant": ACME, "name": intent_id}
        sealed = seal(DATA_KEY, 1, place, json.dumps(intent).encode(), hashed(name, 24))
        valid.append(
            {
                "name": name,
                "description": description,
                "data_key": DATA_KEY.hex(),
                "generation": 1,
                "tenant": ACME,
                "intent": intent,
                "info": info.hex(),
                "id": intent_id,
                "sealed": notation(sealed),
            }
        )
    rename, back, *_ = valid
    kept = {field: rename[field] for field in ("data_key", "generation", "tenant", "id", "sealed")}
    place = {"purpose": INTENT, "tenant": ACME, "name": rename["id"]}
    with_more = json.dumps({**rename["intent"], "note": "means nothing"}).encode()
    valid.append(
        {
            **rename,
            "name": "intent-more-fields",
            "description": "A field that no reader knows.",
            "intent": json.loads(with_more),
            "sealed": notation(seal(DATA_KEY, 1, place, with_more, hashed("intent-more-fields", 24))),
        }
    )
    without = {field: rename["intent"][field] for field in ("operation", "path", "new_path")}
    ill_made: list[Json] = []
    for name, description, plaintext in (
        ("intent-empty", "No plaintext.", b""),
        ("intent-not-json", "No JSON.", b"rename"),
        ("intent-not-utf-8", "No text.", json.dumps(rename["intent"]).encode() + b"\xff"),
        ("intent-array", "Another JSON value.", json.dumps([rename["intent"]]).encode()),
        ("intent-field-missing", "Without `etags`.", json.dumps(without).encode()),
        ("intent-other-operation", "A later writer's.", _edited_intent(rename, operation="copy")),
        ("intent-path-elsewhere", "Not below /memories.", _edited_intent(rename, path="/etc")),
        (
            "intent-path-not-canonical",
            "Another path for the same directory.",
            _edited_intent(rename, path="/memories/./old"),
        ),
        ("intent-etags-text", "A text in place of a list.", _edited_intent(rename, etags="abc")),
        ("intent-etags-numbers", "ETags that are no texts.", _edited_intent(rename, etags=[1])),
    ):
        body = notation(seal(DATA_KEY, 1, place, plaintext, hashed(name, 24)))
        ill_made.append({"name": name, "description": description, **kept, "sealed": body, "refused_at": "plaintext"})
    invalid = [
        *ill_made,
        {"name": "intent-moved", "description": "At another one's id.", **kept, "id": back["id"]},
        {"name": "intent-other-tenant", "description": "Read as another tenant's.", **kept, "tenant": "acme2"},
        {"name": "intent-is-a-file", "description": "A file in its place.", **kept, "sealed": notation(EXAMPLE)},
    ]
    return valid, invalid


def _edited_intent(vector: Json, **fields: Any) -> bytes:
    return json.dumps({**vector["intent"], **fields}).encode()


# --- Names --------------------------------------------------------------------------------------------------------

NAME_KEY = bytes(range(0x80, 0xC0))


def valid_names() -> list[Json]:
    """Return memory paths and the parts of object keys that they encode to."""
    deep = "/memories/" + "/".join(f"d{depth}" for depth in range(1, 21))
    vectors: list[Json] = []
    for name, description, path in (
        ("plain", "Segments stand as they are.", "/memories/notes/tea.md"),
        ("plain-unicode", "In NFC.", "/memories/日記/café ☕ 𝄞.md"),
        ("plain-dots", "Dots that are no path syntax.", "/memories/.hidden/.../a..b"),
        ("plain-percent", "Percent signs that stand for no path syntax.", "/memories/100%/a%20b/%zz"),
        ("plain-percent-seven-rounds", "It stops changing after 7 rounds.", "/memories/a%" + "25" * 7 + "zz"),
        ("plain-signs", "Characters that URLs and XML escape.", "/memories/a b+c&d<e>\"f'g?h#i=j"),
        ("plain-deepest", "20 segments.", deep),
    ):
        vectors.append(
            {
                "name": name,
                "description": description,
                "mode": "plain",
                "tenant": ACME,
                "path": path,
                "encoded": path.removeprefix("/memories/"),
            }
        )
    for name, description, tenant, path in (
        ("encrypted", "The example of docs/format.md.", ACME, "/memories/notes/tea.md"),
        ("encrypted-other-directory", "Another directory, another text.", ACME, "/memories/old/tea.md"),
        ("encrypted-other-tenant", "Nor in another tenant's, under the same key.", "acme2", "/memories/notes/tea.md"),
        ("encrypted-own-parent", "A directory in a directory of its name.", ACME, "/memories/a/a/a"),
        ("encrypted-unicode", "UTF-8 of the NFC form.", ACME, "/memories/日記/café ☕ 𝄞.md"),
        ("encrypted-15-bytes", "Shorter than a block.", ACME, "/memories/" + "x" * 15),
        ("encrypted-16-bytes", "As long as a block.", ACME, "/memories/" + "x" * 16),
        ("encrypted-17-bytes", "Longer than a block.", ACME, "/memories/" + "x" * 17),
        ("encrypted-100-bytes", "Several blocks.", ACME, "/memories/" + "0123456789" * 10),
    ):
        segments = name_segments(NAME_KEY, tenant, path)
        vectors.append(
            {
                "name": name,
                "description": description,
                "mode": "encrypted",
                "tenant": tenant,
                "name_key": NAME_KEY.hex(),
                "path": path,
                "segments": segments,
                "encoded": "/".join(one["encoded"] for one in segments),
            }
        )
    return vectors


def invalid_names() -> list[Json]:
    """Return parts of object keys that stand for no path, each below the directory `parent`."""
    vectors: list[Json] = []
    for name, description, encoded in (
        ("plain-empty", "No segment.", ""),
        ("plain-slash-first", "An empty segment first.", "/a"),
        ("plain-slash-last", "An empty segment last: the marker objects that consoles make.", "a/"),
        ("plain-slash-twice", "An empty segment between.", "a//b"),
        ("plain-dot", "A segment that means this directory.", "a/./b"),
        ("plain-dot-dot", "A segment that means the parent.", "a/../b"),
        ("plain-backslash", "Another system's separator.", "a\\b"),
        ("plain-percent-dot-dot", "A percent-encoded parent.", "%2e%2E/b"),
        ("plain-percent-slash", "A percent-encoded separator.", "a%2fb"),
        ("plain-percent-twice", "A separator, percent-encoded twice.", "a%252fb"),
        ("plain-percent-eight-rounds", "It changes for an eighth time.", "a%" + "25" * 8 + "zz"),
        ("plain-nfd", "Not in NFC.", "cafe\u0301.md"),
        ("plain-newline", "A control character.", "a\nb"),
        ("plain-delete", "A control character.", "a\x7fb"),
        ("plain-bidi", "A format character.", "a\u202eb"),
        ("plain-line-separator", "A line separator.", "a\u2028b"),
        ("plain-noncharacter", "A noncharacter.", "a\ufdd0b"),
        ("plain-too-deep", "21 segments.", "/".join("abcdefghijklmnopqrstu")),
    ):
        vectors.append(
            {
                "name": name,
                "description": description,
                "mode": "plain",
                "tenant": ACME,
                "parent": "/memories",
                "encoded": encoded,
            }
        )
    notes, tea = (one["encoded"] for one in name_segments(NAME_KEY, ACME, "/memories/notes/tea.md"))
    sealed = base64.urlsafe_b64decode(notes + "=" * (-len(notes) % 4))
    below_notes = {"parent": "/memories/notes"}
    associated = [b"s3memory/v1/name", ACME.encode(), b"/memories"]
    not_text = base64url(b"".join(siv(NAME_KEY, associated, b"caf\xe9")))
    for name, description, encoded, more in (
        ("encrypted-changed-siv", "One bit of the synthetic IV is changed.", base64url(flipped(sealed, 0)), {}),
        ("encrypted-changed-ciphertext", "One bit of the ciphertext is changed.", base64url(flipped(sealed, 16)), {}),
        ("encrypted-cut", "The last byte is missing.", base64url(sealed[:-1]), {}),
        ("encrypted-cut-siv", "Shorter than a synthetic IV.", base64url(sealed[:15]), {}),
        ("encrypted-empty", "No segment.", "", {}),
        ("encrypted-empty-segment", "An empty segment last.", notes + "/", {}),
        ("encrypted-not-utf-8", "A segment that is no text, sealed as it should be.", not_text, {}),
        ("encrypted-padded", "With padding: another text for the same bytes.", tea + "==", below_notes),
        ("encrypted-spare-bits", "Spare bits set: another text for the same bytes.", with_spare_bits(tea), below_notes),
        ("encrypted-white-space", "A line break at the end.", notes + "\n", {}),
        ("encrypted-not-base64", "A character that base64url has not.", "!" + notes[1:], {}),
        ("encrypted-plain", "A readable name.", "notes", {}),
        ("encrypted-not-ascii", "A readable name.", "日記", {}),
        ("encrypted-swapped", "The segments change places.", f"{tea}/{notes}", {}),
        ("encrypted-other-parent", "A name of the root, below a directory.", notes, below_notes),
        ("encrypted-parent-missing", "A name of a directory, at the root.", tea, {}),
        ("encrypted-read-as-acme2", "Another tenant's.", notes, {"tenant": "acme2"}),
        ("encrypted-other-name-key", "Another ring's.", notes, {"name_key": hashed("name key", 64).hex()}),
    ):
        vectors.append(
            {
                "name": name,
                "description": description,
                "mode": "encrypted",
                "tenant": ACME,
                "name_key": NAME_KEY.hex(),
                "parent": "/memories",
                "encoded": encoded,
                **more,
            }
        )
    return vectors


def with_spare_bits(text: str) -> str:
    """Set a bit that base64 ignores, in the last character before the padding."""
    data, padding = text.rstrip("="), "=" * (len(text) - len(text.rstrip("=")))
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    return data[:-1] + alphabet[alphabet.index(data[-1]) + 1] + padding


# --- Local wraps and key rings ------------------------------------------------------------------------------------

LOCAL_KEY, OLDER_LOCAL_KEY = hashed("local key"), hashed("older local key")


def local_wrap(local_key: bytes, context: dict[str, str], data_key: bytes, label: str) -> bytes:
    """Wrap a data key under a local key."""
    return cobblestone(local_key, hashed("local wrap: " + label, 24), local_context(context), data_key)


def local_wraps() -> tuple[list[Json], list[Json]]:
    """Return wrapped keys that open, and wrapped keys that do not."""
    context = wrap_context(ACME, 1, "plain")
    data_key = hashed("wrapped data key")
    wrapped = local_wrap(LOCAL_KEY, context, data_key, "example")
    info, key, base_nonce, commitment = derive(LOCAL_KEY, wrapped[:24], local_context(context))
    valid = {
        "name": "local-wrap",
        "description": "A data key under a local key.",
        "local_key": LOCAL_KEY.hex(),
        "wrap_context": context,
        "data_key": data_key.hex(),
        "context": local_context(context).hex(),
        "info": info.hex(),
        "key": key.hex(),
        "base_nonce": base_nonce.hex(),
        "commitment": commitment.hex(),
        "wrapped": wrapped.hex(),
    }
    invalid = []
    for name, description, changed_key, changed_context, changed in (
        ("local-wrap-other-key", "Another local key.", OLDER_LOCAL_KEY, context, wrapped),
        ("local-wrap-other-tenant", "Another tenant.", LOCAL_KEY, wrap_context("acme2", 1, "plain"), wrapped),
        ("local-wrap-other-generation", "Another generation.", LOCAL_KEY, wrap_context(ACME, 2, "plain"), wrapped),
        ("local-wrap-other-mode", "Another name mode.", LOCAL_KEY, wrap_context(ACME, 1, "encrypted"), wrapped),
        ("local-wrap-more-context", "One field more.", LOCAL_KEY, {**context, "x": "y"}, wrapped),
        ("local-wrap-flipped", "One bit is changed.", LOCAL_KEY, context, flipped(wrapped, 60)),
        ("local-wrap-cut", "The last byte is missing.", LOCAL_KEY, context, wrapped[:-1]),
        ("local-wrap-empty", "No bytes at all.", LOCAL_KEY, context, b""),
    ):
        invalid.append(
            {
                "name": name,
                "description": description,
                "local_key": changed_key.hex(),
                "wrap_context": changed_context,
                "wrapped": changed.hex(),
            }
        )
    return [valid], invalid


def ring_vector(name: str, description: str, wraps: list[tuple[int, bytes]], **more: Any) -> Json:
    """Make a key ring from its generations and their local keys; an empty key stands for a made-up wrapped key."""
    tenant, mode, kind = more.get("tenant", ACME), more.get("mode", "plain"), more.get("kind", "local")
    name_key = more.get("name_key", hashed(f"{name}: name key", 64) if mode == "encrypted" else b"")
    generations: list[Json] = []
    for generation, local_key in wraps:
        label = f"{name}: {generation}"
        context = wrap_context(tenant, generation, mode)
        data_key = hashed(f"{label}: data key", more.get("data_key_bytes", 32))
        wrapped = local_wrap(local_key, context, data_key, label) if local_key else hashed(f"{label}: from KMS", 48)
        generations.append(
            {
                "generation": generation,
                "wrap_context": context,
                "wrapped": base64text(wrapped),
                "data_key": data_key.hex(),
            }
        )
    body = {
        "format": "s3memory/keyring/1",
        "tenant": tenant,
        "name_mode": mode,
        "wrapper": kind,
        "keys": [{"generation": one["generation"], "wrapped": one["wrapped"]} for one in generations],
        **({"archived": True} if more.get("archived") else {}),
    }
    place = {"purpose": RING, "tenant": tenant, "name": canonical(body)}
    newest = generations[-1]
    salt = hashed(f"{name}: seal", 24)
    sealed = seal(bytes.fromhex(newest["data_key"]), newest["generation"], place, name_key, salt)
    local_keys = list(dict.fromkeys(key.hex() for _, key in reversed(wraps) if key))
    return {
        "name": name,
        "description": description,
        "tenant": tenant,
        "wrapper": {"kind": kind, "local_keys": more.get("local_keys", local_keys)},
        "name_mode": mode,
        "generations": generations,
        "place": place,
        "name_key": name_key.hex(),
        "document": {"text": canonical({**body, "seal": base64text(sealed)})},
    }


def valid_rings() -> list[Json]:
    """Return key rings that open."""
    both = [LOCAL_KEY.hex(), OLDER_LOCAL_KEY.hex()]
    return [
        ring_vector("ring-plain", "One generation, readable names.", [(1, LOCAL_KEY)]),
        ring_vector("ring-encrypted", "The seal holds the name key.", [(1, LOCAL_KEY)], mode="encrypted"),
        ring_vector("ring-two-generations", "The newest one seals.", [(1, LOCAL_KEY), (2, LOCAL_KEY)]),
        ring_vector(
            "ring-gap", "A generation between was retired.", [(1, LOCAL_KEY), (3, LOCAL_KEY), (300, LOCAL_KEY)]
        ),
        ring_vector(
            "ring-older-local-key", "Wrapped under the second local key.", [(1, OLDER_LOCAL_KEY)], local_keys=both
        ),
        ring_vector(
            "ring-two-local-keys",
            "Rotated after the local key was changed.",
            [(1, OLDER_LOCAL_KEY), (2, LOCAL_KEY)],
            mode="encrypted",
        ),
        ring_vector(
            "ring-kms",
            "KMS unwraps only a wrap with its own context; the ciphertexts here are made up.",
            [(1, b""), (2, b"")],
            mode="encrypted",
            kind="aws-kms",
        ),
        ring_vector("ring-escapes", "A wrapper with a name that needs escapes.", [(1, b"")], kind='é𝄞"\\/\t\x01\x7f'),
        ring_vector("ring-archived", "The tenant is read-only.", [(1, LOCAL_KEY)], archived=True),
    ]


def parts_of(ring: Json) -> Json:
    """Return the fields of a ring's document."""
    fields: Json = json.loads(ring["document"]["text"])
    return fields


def edited(ring: Json, **fields: Any) -> str:
    """Return a ring's document with some of its fields changed."""
    return canonical({**parts_of(ring), **fields})


def edited_key(ring: Json, **fields: Any) -> str:
    """Return a ring's document with some fields of its first generation changed."""
    first, *others = parts_of(ring)["keys"]
    return edited(ring, keys=[{**first, **fields}, *others])


def refused_ring(at: str, name: str, description: str, document: str | bytes | Json, **wrapper: Any) -> Json:
    """Record a document that is refused, and at which step: document, wrapper, wrap or seal."""
    if isinstance(document, bytes):
        document = notation(document)
    return {
        "name": name,
        "description": description,
        "refused_at": at,
        "tenant": ACME,
        "wrapper": {"kind": "local", "local_keys": [LOCAL_KEY.hex()], **wrapper},
        "document": {"text": document} if isinstance(document, str) else document,
    }


def older_seal(ring: Json, says: int = 1) -> str:
    """Return the document of a ring that is sealed under its oldest data key."""
    data_key = bytes.fromhex(ring["generations"][0]["data_key"])
    sealed = seal(data_key, says, ring["place"], bytes.fromhex(ring["name_key"]), hashed("older seal", 24))
    return edited(ring, seal=base64text(sealed))


def altered_rings() -> list[Json]:
    """Return well-formed documents that somebody edited, combined or moved."""
    plain, encrypted, two = valid_rings()[:3]
    again = ring_vector("another ring of the tenant", "", [(1, LOCAL_KEY), (2, LOCAL_KEY)])
    foreign = ring_vector("ring of acme2", "", [(1, LOCAL_KEY)], tenant="acme2")
    first, second = parts_of(two)["keys"]
    swapped = [{**first, "wrapped": second["wrapped"]}, {**second, "wrapped": first["wrapped"]}]
    grafted = [parts_of(again)["keys"][0], second]
    added = [*parts_of(plain)["keys"], parts_of(again)["keys"][1]]
    seal_bytes = base64.b64decode(parts_of(plain)["seal"])
    flipped_seal = base64text(flipped(seal_bytes, len(seal_bytes) - 1))
    text = canonical(parts_of(plain))
    rows: list[tuple[str, str, str, str]] = [
        ("seal", "ring-made-archived", "The tenant is made read-only.", edited(plain, archived=True)),
        ("wrap", "ring-made-plain", "The name mode is edited.", edited(encrypted, name_mode="plain")),
        ("wrap", "ring-made-encrypted", "The name mode is edited.", edited(plain, name_mode="encrypted")),
        ("seal", "ring-newest-dropped", "The newest generation is taken out.", edited(two, keys=[first])),
        ("seal", "ring-oldest-dropped", "The oldest generation is taken out.", edited(two, keys=[second])),
        ("wrap", "ring-wraps-swapped", "The wraps change places.", edited(two, keys=swapped)),
        ("wrap", "ring-renumbered", "Another generation.", edited_key(plain, generation=2)),
        ("seal", "ring-wrap-grafted", "Generation 1 is another ring's, of this tenant.", edited(two, keys=grafted)),
        ("seal", "ring-generation-added", "It comes from another ring of this tenant.", edited(plain, keys=added)),
        ("seal", "ring-seal-flipped", "One bit is changed.", edited(plain, seal=flipped_seal)),
        ("seal", "ring-seal-empty", "There is no seal.", edited(plain, seal="")),
        ("seal", "ring-seal-under-older", "The seal is made with generation 1.", older_seal(two)),
        ("seal", "ring-seal-renumbered", "The same, and says generation 2.", older_seal(two, says=2)),
        ("seal", "ring-seal-of-another", "Another ring's.", edited(two, seal=parts_of(again)["seal"])),
        ("document", "ring-of-another-tenant", "A whole ring in another's place.", canonical(parts_of(foreign))),
        ("wrap", "ring-of-another-tenant-edited", "The same, made to look right.", edited(foreign, tenant=ACME)),
        ("wrapper", "ring-wrapper-edited", "It says that KMS wrapped it.", edited(plain, wrapper="aws-kms")),
        ("wrap", "ring-wrap-empty", "No wrap.", edited_key(plain, wrapped="")),
    ]
    return [
        *(refused_ring(*row) for row in rows),
        refused_ring("wrapper", "ring-other-wrapper", "Opened with KMS.", text, kind="aws-kms", local_keys=[]),
        refused_ring(
            "wrap", "ring-other-local-key", "Opened with another key.", text, local_keys=[OLDER_LOCAL_KEY.hex()]
        ),
    ]


def ill_made_rings() -> list[Json]:
    """Return rings by a writer that has the keys and gets a length wrong."""
    vectors: list[Json] = []
    for name, size in (("ring-short-data-key", 31), ("ring-long-data-key", 33)):
        ring = ring_vector(name, "", [(1, LOCAL_KEY)], data_key_bytes=size)
        vectors.append(refused_ring("wrap", name, f"A data key of {size} bytes.", ring["document"]))
    for name, mode, size in (
        ("ring-plain-with-name-key", "plain", 64),
        ("ring-encrypted-without-name-key", "encrypted", 0),
        ("ring-short-name-key", "encrypted", 32),
    ):
        ring = ring_vector(name, "", [(1, LOCAL_KEY)], mode=mode, name_key=hashed(name, size))
        description = f"Name mode {mode}, and a name key of {size} bytes."
        vectors.append(refused_ring("seal", name, description, ring["document"]))
    return vectors


def malformed_rings() -> list[Json]:
    """Return documents that are refused before anything is unwrapped."""
    plain, _, two = valid_rings()[:3]
    fields = parts_of(plain)
    text = canonical(fields)
    wrapped = fields["keys"][0]["wrapped"]
    first, second = parts_of(two)["keys"]
    backwards = json.dumps(dict(sorted(fields.items(), reverse=True)), separators=(",", ":"))
    without_seal = canonical({name: value for name, value in fields.items() if name != "seal"})
    no_generation = "Not an integer from 1 to 4,294,967,295."
    rows: list[tuple[str, str, str | bytes | Json]] = [
        ("ring-nothing", "No bytes at all.", b""),
        ("ring-not-json", "Cut.", text[:-1]),
        ("ring-not-utf-8", "A byte that UTF-8 has not.", text.encode().replace(b"acme", b"acm\xff")),
        ("ring-utf-16", "The same text in UTF-16.", text.encode("utf-16-le")),
        ("ring-byte-order-mark", "A byte order mark.", b"\xef\xbb\xbf" + text.encode()),
        ("ring-array", "Not an object.", "[]"),
        ("ring-nested", "Brackets without end.", {"repeat": "5b", "size_bytes": 100_000}),
        ("ring-spaces", "Spaces between.", json.dumps(fields, sort_keys=True)),
        ("ring-newline", "A line break at the end.", text + "\n"),
        ("ring-order", "Fields in another order.", backwards),
        ("ring-escaped", "A letter as an escape.", text.replace("acme", "\\u0061cme")),
        ("ring-extra-field", "One field more.", edited(plain, zone="eu")),
        ("ring-extra-key-field", "One field more in a generation.", edited_key(plain, zone="eu")),
        ("ring-doubled-field", "Twice; which one counts is not defined.", '{"tenant":"acme2",' + text[1:]),
        ("ring-missing-field", "There is no field for the seal.", without_seal),
        ("ring-unknown-format", "A later version.", edited(plain, format="s3memory/keyring/2")),
        ("ring-not-archived", "A field that is left out where it is false.", edited(plain, archived=False)),
        ("ring-archived-number", "True is no number.", edited(plain, archived=1)),
        ("ring-unknown-mode", "Neither plain nor encrypted.", edited(plain, name_mode="hashed")),
        ("ring-base64-unpadded", "Base64 without its padding.", edited(plain, seal=fields["seal"].rstrip("="))),
        ("ring-base64url", "A character of base64url.", edited_key(plain, wrapped="-" + wrapped[1:])),
        ("ring-base64-spare-bits", "Other text, same bytes.", edited_key(plain, wrapped=with_spare_bits(wrapped))),
        ("ring-generation-zero", no_generation, edited_key(plain, generation=0)),
        ("ring-generation-too-large", no_generation, edited_key(plain, generation=2**32)),
        ("ring-generation-negative", no_generation, edited_key(plain, generation=-1)),
        ("ring-generation-text", no_generation, edited_key(plain, generation="1")),
        ("ring-generation-boolean", no_generation, edited_key(plain, generation=True)),
        ("ring-generation-fraction", no_generation, edited_key(plain, generation=1.0)),
        ("ring-no-generation", "No data key at all.", edited(plain, keys=[])),
        ("ring-descending", "The newest generation first.", edited(two, keys=[second, first])),
        ("ring-generation-twice", "A generation comes twice.", edited(two, keys=[first, second, second])),
    ]
    return [refused_ring("document", *row) for row in rows]


# --- Files --------------------------------------------------------------------------------------------------------


def sizes() -> Json:
    """Return sizes of plaintexts and their objects, and sizes that no object has."""
    plaintexts = [0, 1, 5, 100, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 102_400, 1_048_576, 2**25]
    return {
        "about": "Sizes in bytes of a file and of its object, and sizes that no object has.",
        "sizes": [[size, 64 + size + TAG * (size // CHUNK + 1)] for size in plaintexts],
        "no_sizes": [0, 1, 8, 63, 64, 79, 64 + CHUNK + TAG, 64 + CHUNK + 2 * TAG - 1, 64 + 2 * (CHUNK + TAG)],
    }


def files() -> dict[str, Json]:
    """Return all files by name."""
    valid_wraps, invalid_wraps = local_wraps()
    valid_intents, invalid_intents = intent_vectors()
    invalid_rings = [*altered_rings(), *ill_made_rings(), *malformed_rings()]
    about = "How to read this file is said in docs/format.md; tests/format/vectors/generate.py made it."
    return {
        "envelope.json": {"about": about, "valid": valid_envelopes(), "invalid": invalid_envelopes()},
        "names.json": {"about": about, "valid": valid_names(), "invalid": invalid_names()},
        "localwrap.json": {"about": about, "valid": valid_wraps, "invalid": invalid_wraps},
        "keyrings.json": {"about": about, "valid": valid_rings(), "invalid": invalid_rings},
        "intents.json": {"about": about, "valid": valid_intents, "invalid": invalid_intents},
        "sizes.json": sizes(),
    }


def main(arguments: list[str]) -> int:
    """Write the files, or check them."""
    differing = []
    for name, content in files().items():
        path = HERE / name
        text = json.dumps(content, indent=1, ensure_ascii=True) + "\n"
        if arguments == ["--check"]:
            if not path.exists() or path.read_text(encoding="ascii") != text:
                differing.append(name)
        else:
            path.write_text(text, encoding="ascii")
    if differing:
        sys.stderr.write(f"not what generate.py writes: {', '.join(differing)}\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
