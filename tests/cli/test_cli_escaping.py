"""What a server says of versions and errors can't take over an operator's terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from conftest import TENANT, MakeStore
from support.cli_runs import Run
from support.faults import FaultLayer, errors_by_key

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

A = MemoryPath(("a",))
EVIL = "\x1b]0;owned\x07\x9b31m\u202e"


@pytest.fixture
def stored(make_store: MakeStore, bucket: str, monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    key = LocalKeyWrapper.generate_key_text()
    for name, value in (("BUCKET", bucket), ("LOCAL_KEY", key), ("TENANT", TENANT)):
        monkeypatch.setenv(f"S3MEMORY_{name}", value)
    store = make_store(key_wrapper=LocalKeyWrapper.from_text(key))
    store.create(A, "AKIA" + "QYLPMN5HHHFPZAM2")
    store.edit(A, lambda _: "two")
    return store


@pytest.fixture
def evil_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server call all versions so that a terminal would obey."""
    from s3memory.s3 import versions as module  # noqa: PLC0415 - the module, which has a name that is a variable's, too

    real = module._version

    def evil(item: Any, **more: Any) -> Any:
        return real(item, **more)._replace(version_id=EVIL)

    monkeypatch.setattr(module, "_version", evil)


@pytest.mark.parametrize(
    "command",
    [
        ("history", "/memories/a"),
        ("verify", "--versions"),
        ("scan", "--versions"),
        ("cat", "/memories/a", "--version", EVIL),
        ("restore", "/memories/a", "--version", EVIL),
        ("redact-version", "/memories/a", "--version", EVIL, "--dry-run"),
        ("erase", "--tenant", TENANT, "--dry-run"),
    ],
)
def test_version_ids_are_shown_escaped(stored: MemoryStore, evil_ids: None, run: Run, command: tuple[str, ...]) -> None:
    ran = run(*command)
    assert not set(ran.out + ran.err) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_an_error_code_that_is_none_of_awss_form_is_never_shown(stored: MemoryStore, s3: S3Client) -> None:
    version = next(stored.objects.versions.of(stored.key_ring.object_key))
    code = EVIL.replace("\x1b", "").replace("\x07", "")  # XML can't carry these
    with FaultLayer(s3) as faults:
        faults.hit("DeleteObjects", errors_by_key([(version.object_key, version.version_id, code)]))
        assert stored.objects.versions.try_to_destroy([version]) == {version: "unknown"}


@pytest.mark.parametrize(
    "command",
    [("repair", "--discard-unreadable", "--dry-run"), ("verify",), ("reseal", "--dry-run"), ("repair",)],
    ids=" ".join,
)
def test_a_line_feed_in_an_object_key_forges_no_line(
    stored: MemoryStore, s3: S3Client, bucket: str, run: Run, command: tuple[str, ...]
) -> None:
    forged = f"memories/{TENANT}/important: 3 bytes, 2026-01-01T00:00:00Z"
    s3.put_object(Bucket=bucket, Key=f"intents/{TENANT}/x\n{forged}", Body=b"junk")
    ran = run(*command)
    assert "x\\nmemories/" in ran.out + ran.err
    assert not any(line.startswith(forged) for line in (ran.out + ran.err).splitlines())
