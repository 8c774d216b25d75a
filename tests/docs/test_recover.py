"""The program in docs/recover.md restores what it says, and a tenant's objects open in another bucket."""

from __future__ import annotations

import ast
import functools
import re
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from conftest import TENANT, MakeCommands
from support.clock import NOON, SetClock
from support.faults import FaultLayer, other_writer_first
from support.repository import REPOSITORY

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore
from s3memory.keys.key_cache import KeyCache
from s3memory.store.intents import KIND as INTENT

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PAGE = (REPOSITORY / "docs" / "recover.md").read_text("utf-8")
MEMORIES = f"memories/{TENANT}/"

Restore = functools.partial[None]


@pytest.fixture
def restore(s3: S3Client, bucket: str) -> Restore:
    """The page's program, for the test's bucket and the given time."""
    programs = [text for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if text.startswith("def restore")]
    assert len(programs) == 1
    names: dict[str, Any] = {}
    exec(compile(programs[0], "recover.md", "exec"), names)  # noqa: S102 - our own page
    return functools.partial(names["restore"], s3, bucket=bucket, moment=NOON)


def test_a_prefix_is_restored_to_a_point_in_time(commands: MemoryCommands, restore: Restore, at: SetClock) -> None:
    at(-60)
    for name in ("same", "edited", "deleted", "moved", "gone", "back"):
        commands.create(f"/memories/{name}", "first")
    at(-40)
    commands.create("/memories/brief", "stored and deleted within a second")
    commands.delete("/memories/brief")
    at(-30)
    commands.insert("/memories/edited", 1, "second")
    commands.delete("/memories/gone")
    commands.delete("/memories/back")
    at(30)
    commands.insert("/memories/edited", 2, "third")
    commands.delete("/memories/deleted")
    commands.rename("/memories/moved", "/memories/d/moved")
    commands.create("/memories/back", "made again")
    commands.create("/memories/new", "later")
    at(60)
    restore(prefix=MEMORIES)

    def text(name: str) -> str:
        return commands.view(f"/memories/{name}").partition("\t")[2]

    assert text("same") == text("deleted") == text("moved") == text("d/moved") == "first"
    assert "second" in text("edited")
    assert "third" not in commands.view("/memories/edited")
    assert (text("new"), text("back")) == ("later", "made again")
    assert not {"gone", "brief"} & {line.rpartition("/")[2] for line in commands.view("/memories").splitlines()}


def test_another_tenants_memory_is_left_alone(make_commands: MakeCommands, restore: Restore, at: SetClock) -> None:
    other = make_commands(tenant=f"{TENANT}-b")
    at(-60)
    other.create("/memories/a", "first")
    at(30)
    other.delete("/memories/a")
    restore(prefix=MEMORIES)
    assert "/memories/a" not in other.view("/memories")


@pytest.mark.parametrize("is_deleted", [False, True])
def test_an_agents_write_during_the_restore_stops_it_and_is_not_lost(
    commands: MemoryCommands,
    s3: S3Client,
    other_s3: S3Client,
    restore: Restore,
    at: SetClock,
    *,
    is_deleted: bool,
) -> None:
    bucket = restore.keywords["bucket"]
    at(-60)
    commands.create("/memories/a", "first")
    at(30)
    if is_deleted:
        commands.delete("/memories/a")
    else:
        commands.insert("/memories/a", 1, "second")

    def write() -> None:
        other_s3.put_object(Bucket=bucket, Key=f"{MEMORIES}a", Body=b"faster")

    with FaultLayer(s3) as layer:
        layer.hit("PutObject", other_writer_first(write))
        with pytest.raises(ClientError, match="PreconditionFailed"):
            restore(prefix=MEMORIES)
    assert other_s3.get_object(Bucket=bucket, Key=f"{MEMORIES}a")["Body"].read() == b"faster"


def test_one_object_is_restored_and_no_other_whose_key_starts_like_it(
    make_commands: MakeCommands, restore: Restore, at: SetClock
) -> None:
    mine, other = make_commands(), make_commands(tenant=f"{TENANT}-b")
    at(-60)
    for commands in (mine, other):
        commands.create("/memories/a", "first")
        commands.create("/memories/ab", "first")
    at(30)
    for commands in (mine, other):
        commands.delete("/memories/a")
        commands.delete("/memories/ab")
    restore(prefix=f"{MEMORIES}a")
    assert mine.view("/memories").splitlines()[1:] == ["5B\t/memories", "5B\t/memories/a"]
    assert "/memories/a" not in other.view("/memories")


def test_a_lost_key_ring_is_restored(
    make_commands: MakeCommands, s3: S3Client, bucket: str, restore: Restore, at: SetClock
) -> None:
    at(-60)
    make_commands().create("/memories/a", "kept")
    at(30)
    s3.delete_object(Bucket=bucket, Key=f"keyrings/{TENANT}")
    restore(prefix=f"keyrings/{TENANT}")
    assert "kept" in make_commands(key_cache=KeyCache()).view("/memories/a")


def test_a_tenants_objects_open_in_another_bucket_under_the_same_wrapping_key(s3: S3Client, bucket: str) -> None:
    kms = boto3.client("kms")
    wrapper = KmsKeyWrapper(kms.create_key()["KeyMetadata"]["KeyId"], kms_client=kms)

    def commands_in(name: str) -> MemoryCommands:
        store = MemoryStore(bucket=name, tenant=TENANT, key_wrapper=wrapper, s3_client=s3, key_cache=KeyCache())
        return MemoryCommands(store)

    commands_in(bucket).create("/memories/a/b", "moved along")
    replica = f"{bucket}-replica"
    s3.create_bucket(Bucket=replica, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    for item in s3.list_objects_v2(Bucket=bucket)["Contents"]:
        body = s3.get_object(Bucket=bucket, Key=item["Key"])["Body"].read()
        s3.put_object(Bucket=replica, Key=item["Key"], Body=body)
    moved = commands_in(replica)
    assert "moved along" in moved.view("/memories/a/b")
    moved.insert("/memories/a/b", 1, "and written to")


# Texts that no agent's command meets, or that it rewords.
NOT_FOR_MODELS = {
    "An actor label does not open.",
    "An object is not a memory file.",
    "An object's name does not open.",
    "An object's name is not a canonical path.",
    (
        "The key ring of tenant ... was erased meanwhile, and what was stored since does not open. "
        "If the tenant was erased, erase it again after the `caches_end` of the receipt."
    ),
    "The key wrapper made a data key of another length.",
}


def texts_of_damage() -> set[str]:
    """Return the error texts about damaged content, with `...` for inserted values."""
    texts: set[str] = set()
    for package in ("contract", "format", "keys", "s3", "store"):
        for source in (REPOSITORY / "s3memory" / package).rglob("*.py"):
            tree = ast.parse(source.read_text("utf-8"))
            constants = {
                node.targets[0].id: node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            }
            for node in ast.walk(tree):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                    continue
                if node.func.id in {"IntegrityError", "KeyRingError", "OlderKeyRingError"}:
                    text = node.args[0]
                    text = constants.get(text.id, text) if isinstance(text, ast.Name) else text
                    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                    texts.add("".join(str(one.value) if isinstance(one, ast.Constant) else "..." for one in parts))
    return texts - {"..."}  # a constant of another module, where it is found too


def test_every_text_about_damaged_content_is_in_the_table() -> None:
    table = PAGE[PAGE.index("| the text begins with |") :].partition("\n\n")[0]
    begins = [
        one.removeprefix("Error: ")
        for row in table.splitlines()[2:]
        for one in re.findall("`([^`]+)`", row.split("|")[1])
    ]
    texts = {text.replace("... is of a kind", f"{INTENT.name} is of a kind") for text in texts_of_damage()}
    assert texts > NOT_FOR_MODELS
    assert len(texts) > 12
    assert {text for text in texts if not text.startswith(tuple(begins))} - NOT_FOR_MODELS == set()
