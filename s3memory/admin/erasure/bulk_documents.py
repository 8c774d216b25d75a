"""Finds manifests and reports of bulk jobs that name a tenant's objects. An erasure reports them and keeps them.

They name other tenants too, and a job may be using them, so the operator decides. A lifecycle rule of the Terraform
module deletes them after 90 days.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from s3memory.errors import BackendError
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore

_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"Obj\x01", b"ORC", b"PAR1")
# A percent-encoded character takes 3 bytes, one escaped in JSON 6.
_LONGEST_ENCODED = 6
# Printable ASCII is enough: prefixes consist of it. Some programs escape more of it than they have to.
_JSON_ESCAPE = re.compile(rb'\\(?:u00([0-7][0-9A-Fa-f])|(["\\/]))')


@dataclass(slots=True)
class Naming:
    """What a search below ``batch/`` has found.

    Attributes:
        named_in: versions of documents that name an object of the tenant.
        unread: versions that can't be searched: they are compressed, or S3 refuses to return them.
    """

    named_in: list[ListedVersion] = field(default_factory=list)
    unread: list[ListedVersion] = field(default_factory=list)


def documents_naming(store: MemoryStore) -> Naming:
    """Search all manifests and reports, older versions included: a LIST, and a GET for each.

    Raises:
        BackendError: S3 did not answer, or refused the listing.
    """
    found = Naming()
    needle = _needle(store)
    for version in store.objects.bulk_documents():
        if version.is_delete_marker or not version.size_bytes:
            continue
        try:
            names = _names(store, version, needle)
        except BackendError:
            names = None
        if names is not False:
            (found.unread if names is None else found.named_in).append(version)
    return found


def _names(store: MemoryStore, version: ListedVersion, needle: re.Pattern[bytes]) -> bool | None:
    """Return whether a document names an object of the tenant; ``None`` if it can't be searched."""
    kept = b""
    # An encoded character, or a name, may be split between two chunks.
    overlap = _LONGEST_ENCODED * len(needle.pattern)
    for chunk in store.objects.versions.chunks(version.object_key, version.version_id):
        if not kept and chunk.startswith(_PACKED):
            return None
        window = kept + chunk
        if any(needle.search(unquote_to_bytes(one)) for one in (window, _JSON_ESCAPE.sub(_unescaped, window))):
            return True
        kept = window[-overlap:]
    return False


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code, char = escape.groups()
    return bytes(char or bytes.fromhex(code.decode("ascii")))


def _needle(store: MemoryStore) -> re.Pattern[bytes]:
    # A space may be encoded as a plus. Nothing here decodes it, since it may also be a real plus.
    key_ring, *folders = (re.escape(folder).replace(r"\ ", "[ +]") for folder in store.objects.folders)
    # A longer name belongs to another tenant. A name that follows other text, as in an ARN, counts as this tenant's.
    pattern = rf"(?<![A-Za-z0-9._-])(?:{'|'.join(folders)}|{key_ring}(?![A-Za-z0-9._/-]))"
    return re.compile(pattern.encode("utf-8"))
