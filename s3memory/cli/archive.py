"""``s3memory archive`` and ``unarchive``: make a tenant read-only, or writable again."""

from __future__ import annotations

from s3memory.admin.keys import rotation
from s3memory.cli.ending import note_if_interrupted
from s3memory.cli.options import JsonOption, TenantOption
from s3memory.cli.output import emit
from s3memory.cli.stores import store_of


def archive(tenant: TenantOption = None, json_output: JsonOption = False) -> None:
    """Make a tenant read-only.

    Its files can still be viewed, and an agent that tries to change one gets an error that says why. Processes that
    have its key ring in memory can keep writing until they read it again, after S3MEMORY_KEY_CACHE_SECONDS at most.

    Examples:
      s3memory archive --tenant acme
      s3memory unarchive --tenant acme
    """
    _set(tenant, archived=True, json_output=json_output)


def unarchive(tenant: TenantOption = None, json_output: JsonOption = False) -> None:
    """Make an archived tenant writable again.

    Examples:
      s3memory unarchive --tenant acme
    """
    _set(tenant, archived=False, json_output=json_output)


def _set(tenant: str | None, *, archived: bool, json_output: bool) -> None:
    store = store_of(tenant)
    with note_if_interrupted("It may be done: see `s3memory keys show`."):
        changed = rotation.archive(store, archived=archived)
    state = f"{'now' if changed else 'already'} {'archived' if archived else 'writable'}"
    emit(
        {"archived": archived, "changed": changed},
        notes=[state],
        tenant=store.tenant,
        as_json=json_output,
    )
