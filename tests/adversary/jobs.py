"""Operators' jobs, beside live agents."""

from __future__ import annotations

from collections.abc import Callable

from s3memory import tree
from s3memory.admin.exporting import export
from s3memory.admin.resealing import reseal
from s3memory.admin.rotation import rotate
from s3memory.admin.scanning import scan
from s3memory.admin.verify import verify
from s3memory.redaction import PatternRedactor
from s3memory.store import MemoryStore

Job = Callable[[MemoryStore], str]


def job(name: str) -> Job | None:
    """Return an operator's job, or ``None`` where it is none."""
    return _JOBS.get(name)


def _repair(store: MemoryStore) -> str:
    return ", ".join(map(str, tree.repair(store)))


def _rotate(store: MemoryStore) -> str:
    return repr(rotate(store))


def _reseal(store: MemoryStore) -> str:
    return repr(reseal(store))


def _export(store: MemoryStore) -> str:
    return repr(export(store, lambda _: True))


def _verify(store: MemoryStore) -> str:
    return repr(verify(store, lambda _: None))


def _scan(store: MemoryStore) -> str:
    return repr(scan(store, PatternRedactor(), fix=True))


_JOBS: dict[str, Job] = {
    "repair": _repair,
    "rotate": _rotate,
    "reseal": _reseal,
    "export": _export,
    "verify": _verify,
    "scan": _scan,
}
