"""Writes the corpus that fuzzing begins with: one of each kind of what this package itself writes, and a few oddities."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

from fuzz.targets import _WRAPPER, KEY, PLACE, TENANT
from s3memory.admin.archive import ArchiveWriter
from s3memory.envelope import seal
from s3memory.names import ENCRYPTED, NAME_MODES, EncryptedNames
from s3memory.objects import ObjectInfo
from s3memory.open_keyring import OpenKeyRing
from s3memory.paths import MemoryPath
from s3memory.reading import MemoryFile

CORPUS = Path(__file__).parent / "corpus"


def seeds() -> dict[str, list[bytes]]:
    """Return what each target begins with."""
    return {
        "archive": [_archive({}), _archive({"x": "one\n", "d/ü": "two"}), b"", _archive({"a": ""})[:700]],
        "envelope": [seal(b"x" * size, data_key=KEY, place=PLACE) for size in (0, 1, 100)],
        "intent": [
            json.dumps({"operation": operation, "path": "/memories/d", "new_path": new, "etags": ['"e"']}).encode()
            for operation, new in (("rename", "/memories/e"), ("delete", "/memories/d"))
        ]
        + [
            b"{}",
            b"null",
            b'{"operation":"rename","path":"/memories/d","new_path":"/memories/e","etags":[],"resealed":[]}',
        ],
        "key_ring": [
            OpenKeyRing.new(tenant=TENANT, name_mode=mode, wrapper=_WRAPPER).ring.to_bytes() for mode in NAME_MODES
        ]
        + [OpenKeyRing.new(tenant=TENANT, name_mode=ENCRYPTED, wrapper=_WRAPPER).rotated().ring.to_bytes()],
        "object_key": [
            b"d/x.md",
            "ü/ß".encode(),
            EncryptedNames(bytes(range(64)), tenant=TENANT).encode(MemoryPath(("d", "x"))).encode(),
            b"/../\x01%2e",
        ],
        "path": [
            b"/memories/d/x.md",
            b"/memories/%2e%2e/x",
            b"/memories/a/../b//c/.",
            "/memories/ü\u2028".encode(),
            b"acme",
        ],
        "policy": [
            b"card-number=block,email=redact",
            b'kinds = ["password", "jwt"]\n[policy]\njwt = "tag"\n[allow]\nvalues = ["a"]\npatterns = ["T-[0-9]{1,9}"]\n'
            b'paths = ["/memories/e/"]\n[[rules]]\nkind = "ticket"\npattern = "TICKET-[0-9]{1,9}"\nkeywords = ["TICKET-"]\n',
            b"budget_seconds = 0.5\n",
        ],
        "tool_input": [
            b"\n".join(
                json.dumps(call).encode()
                for call in (
                    {"command": "view", "path": "/memories", "view_range": [1, -1]},
                    {"command": "create", "path": "/memories/y", "file_text": "a\nb"},
                    {"command": "str_replace", "path": "/memories/y", "old_str": "a", "new_str": None},
                    {"command": "insert", "path": "/memories/y", "insert_line": 0, "new_str": "c\n"},
                    {"command": "rename", "path": "/memories/y", "new_path": "/memories/d/z"},
                    {"command": "delete", "path": "/memories/d"},
                )
            ),
            b'{"command":"view","path":"/memories/d/x","view_range":["1",2]}\n[]\n{"command":1}',
        ],
    }


def _archive(files: dict[str, str]) -> bytes:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    stream = io.BytesIO()
    writer = ArchiveWriter(stream)
    for name, text in files.items():
        writer.add(MemoryFile(MemoryPath(tuple(name.split("/"))), text, ObjectInfo('"etag"', moment)))
    writer.finish({"tenant": TENANT}, moment)
    return stream.getvalue()


if __name__ == "__main__":
    for target, all_data in seeds().items():
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(all_data):
            (CORPUS / target / f"seed-{number}").write_bytes(data)
