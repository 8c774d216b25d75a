"""What a test's tenant has stored, and what an operator does to it, bypassing the commands under test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from s3memory import MemoryStore
from s3memory.paths import ROOT, MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


def text_of(store: MemoryStore, path: MemoryPath) -> str | None:
    """Return a file's text; `None` if there is none."""
    file = store.read(path)
    return None if file is None else file.text


def texts_by_path(store: MemoryStore) -> dict[MemoryPath, str]:
    """Read every file of the tenant; everything that is listed must decrypt."""
    texts = {}
    for listed in store.files.below(MemoryPath()):
        file = store.read(listed.path)
        assert file is not None
        texts[listed.path] = file.text
    return texts


def texts_of(store: MemoryStore) -> dict[str, str]:
    """The same by the part of the path after ``/memories/``."""
    return {"/".join(path.segments): text for path, text in texts_by_path(store).items()}


def key_of(store: MemoryStore, path: str) -> str:
    """Return the object key of a file, given its path or the part of it after ``/memories/``."""
    ring = store.key_ring.existing()
    assert ring is not None
    return store.objects.key_of(ring, MemoryPath.parse(f"{ROOT}/{path.removeprefix(f'{ROOT}/')}"))


def rotate(store: MemoryStore) -> None:
    """Give the tenant a newer data key, as an operator does; the store sees it at once."""
    ring, info = store.key_ring.existing(), store.objects.head(store.key_ring.object_key)
    assert ring is not None
    assert info is not None
    newer = ring.rotated().ring.to_bytes()
    assert store.objects.put(store.key_ring.object_key, newer, over=info.etag) is not None
    store.key_ring.reloaded()


def retire(store: MemoryStore, generation: int) -> None:
    """Remove a data key from the tenant's key ring, as an operator does; the store sees it at once."""
    ring, info = store.key_ring.existing(), store.objects.head(store.key_ring.object_key)
    assert ring is not None
    assert info is not None
    shorter = ring.without([generation]).ring.to_bytes()
    assert store.objects.put(store.key_ring.object_key, shorter, over=info.etag) is not None
    store.key_ring.reloaded()


def ring_now(s3: S3Client, store: MemoryStore, bucket: str) -> bytes:
    """Return the tenant's stored key ring."""
    return s3.get_object(Bucket=bucket, Key=store.key_ring.object_key)["Body"].read()


def put_back(s3: S3Client, store: MemoryStore, bucket: str, ring: bytes) -> None:
    """Replace the tenant's key ring, as anybody can who may write to the bucket."""
    s3.put_object(Bucket=bucket, Key=store.key_ring.object_key, Body=ring)
