"""``s3memory archive`` and ``unarchive``: a tenant turned read-only, and back."""

from __future__ import annotations

import json
import sys

import typer

from s3memory.cli.exit_codes import OK
from s3memory.cli.options import JsonOption, TenantOption


def archive(tenant: TenantOption = None, json_output: JsonOption = False) -> None:
    """Turn a tenant read-only.

    Its files can be viewed, and agents that try to change one are told why not. Processes that have its key
    ring in their memory go on writing until they read it again, after S3MEMORY_KEY_CACHE_SECONDS at most.

    \b
    Examples:
      s3memory archive --tenant acme
      s3memory unarchive --tenant acme
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    _set(tenant, archived=True, json_output=json_output)


def unarchive(tenant: TenantOption = None, json_output: JsonOption = False) -> None:
    """Make an archived tenant writable again.

    \b
    Examples:
      s3memory unarchive --tenant acme
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    _set(tenant, archived=False, json_output=json_output)


def _set(tenant: str | None, *, archived: bool, json_output: bool) -> None:
    from s3memory.admin.keys import rotation  # noqa: PLC0415 - botocore comes with it
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    store = MemoryStore.from_settings(Settings.from_env(), tenant=tenant)
    changed = rotation.archive(store, archived=archived)
    if json_output:
        fields = {"tenant": store.tenant, "archived": archived, "changed": changed}
        sys.stdout.write(json.dumps(fields) + "\n")
    else:
        state = "archived" if archived else "writable"
        sys.stderr.write(f"{store.tenant} is {state}{'' if changed else ', and was before'}\n")
    raise typer.Exit(OK)
