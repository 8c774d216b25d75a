"""``s3memory keys``: a tenant's data keys."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm
from s3memory.cli.options import DryRunOption, JsonOption, TenantOption
from s3memory.cli.progress import progress_bar
from s3memory.cli.strays import tell_of_strays
from s3memory.contract.views import count_of
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.admin.keys.generations import Usage
    from s3memory.config.settings import Settings
    from s3memory.keys.open_key_ring import Rewrapper
    from s3memory.store.memory_store import MemoryStore

keys = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Show and change a tenant's data keys.")

MaxCacheOption = Annotated[
    float | None,
    typer.Option(
        "--max-cache-seconds",
        help="The longest S3MEMORY_KEY_CACHE_SECONDS of any process. Default: 86400, the most there is.",
        metavar="SECONDS",
        show_default=False,
    ),
]


@keys.command()
def show(
    tenant: TenantOption = None,
    count: Annotated[bool, typer.Option("--count", help="Count what each generation is needed for.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Show a tenant's key ring.

    That is: its generations and name mode, what wraps it, whether the tenant is archived, and when it was changed.
    With --count, the header of every file, older version and intent is read: one request each.

    \b
    Examples:
      s3memory keys show --tenant acme
      s3memory keys show --tenant acme --count --json
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.keys.generations import key_ring_state  # noqa: PLC0415 - botocore comes with it
    from s3memory.admin.keys.retiring import SETTLING_SECONDS  # noqa: PLC0415 - same
    from s3memory.keys.tenant_keys import MAX_KEY_TTL_SECONDS  # noqa: PLC0415 - same

    store = _store(tenant).refusing_writes()
    with progress_bar() as watcher:
        state = key_ring_state(store, with_usage=count, watcher=watcher)
    ring, changed, usage = state.ring, state.changed, state.usage
    settled = changed + timedelta(seconds=MAX_KEY_TTL_SECONDS + SETTLING_SECONDS)
    generations: list[dict[str, Any]] = [
        {"generation": key.generation, **_usage_fields(usage, key.generation)} for key in ring.keys
    ]
    fields = {
        "tenant": ring.tenant,
        "name_mode": ring.name_mode,
        "wrapper": ring.wrapper,
        "archived": ring.archived,
        "changed": f"{changed:%Y-%m-%dT%H:%M:%SZ}",
        "older_generations_can_be_retired_after": f"{settled:%Y-%m-%dT%H:%M:%SZ}",
        "generations": generations,
        **({} if usage is None else {"unreadable": usage.unreadable}),
    }
    if json_output:
        sys.stdout.write(json.dumps(fields) + "\n")
        return
    shown = {**fields, "archived": "yes" if ring.archived else "no"}
    for name in ("tenant", "name_mode", "wrapper", "archived", "changed"):
        sys.stdout.write(f"{name.replace('_', ' ')}: {shown[name]}\n")
    for one in generations:
        needed = (
            ""
            if usage is None
            else f": {count_of(one['current'], 'object')}, {count_of(one['older'], 'older version')}"
        )
        newest = ", which writes use" if one is generations[-1] else ""
        sys.stdout.write(f"generation {one['generation']}{newest}{needed}\n")
    if usage is not None:
        tell_of_strays(usage.unreadable)


@keys.command()
def rotate(
    tenant: TenantOption = None,
    only_from: Annotated[
        int | None,
        typer.Option(
            "--only-from", help="Only if this generation is the newest.", metavar="N", min=1, show_default=False
        ),
    ] = None,
    dry_run: DryRunOption = False,
    json_output: JsonOption = False,
) -> None:
    """Add a data key, which writes use from then on.

    What is stored stays sealed under the key that it is sealed under: see `s3memory reseal`. Agents need not
    stop. With --only-from, a run over many tenants that was interrupted can be started again. Refused where an
    older version of the key ring names a higher generation: somebody has put an older key ring back.

    \b
    Examples:
      s3memory keys rotate --tenant acme
      s3memory keys rotate --tenant acme --only-from 1
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.keys import rotation  # noqa: PLC0415 - botocore comes with it
    from s3memory.audit.recording import as_one_event  # noqa: PLC0415 - same

    store = _store(tenant)
    with as_one_event(store, "rotate"):
        stored = rotation.stored_key_ring(store)
        newest = before = stored.opened.newest.generation
        if not dry_run:
            newest = rotation.rotate(store, only_from=only_from).newest.generation
        elif only_from in {None, before}:
            rotation.refuse_older_key_ring(store, stored)
            newest = before + 1
    if json_output:
        fields = {"dry_run": dry_run, "newest_before": before, "newest": newest}
        sys.stdout.write(json.dumps(fields) + "\n")
    else:
        sys.stderr.write(f"the newest generation {'would be' if dry_run else 'is'} {newest} (it was {before})\n")


@keys.command()
def rewrap(
    tenant: TenantOption = None,
    kms_key: Annotated[
        str | None, typer.Option("--kms-key", help="Move to this KMS key.", metavar="KEY", show_default=False)
    ] = None,
    local_key_file: Annotated[
        Path | None,
        typer.Option(
            "--local-key-file", help="Move to the local key in this file.", metavar="FILE", show_default=False
        ),
    ] = None,
    dry_run: DryRunOption = False,
    json_output: JsonOption = False,
) -> None:
    """Wrap a tenant's data keys under another key. What is sealed under them is not touched.

    Without an option it is the first key of S3MEMORY_KMS_KEY_ID or S3MEMORY_LOCAL_KEY. Let every process have
    "new,old" there before, and take the old one away once all tenants are moved: then agents need not stop.
    A local wrapping key and a KMS key don't go together: to move between them, agents have to stop.

    \b
    Examples:
      s3memory keys rewrap --tenant acme --dry-run
      s3memory keys rewrap --tenant acme
      s3memory keys rewrap --tenant acme --kms-key alias/agent-memory-2
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.keys import rotation  # noqa: PLC0415 - botocore comes with it
    from s3memory.config.settings import Settings  # noqa: PLC0415 - same
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    settings = Settings.from_env()
    store = MemoryStore.from_settings(settings, tenant=tenant)
    target = _target(settings, kms_key, local_key_file)
    needed = rotation.rewrap(store.refusing_writes() if dry_run else store, target, dry_run=dry_run)
    if json_output:
        sys.stdout.write(json.dumps({"dry_run": dry_run, "rewrapped": needed}) + "\n")
    else:
        done = "would be wrapped anew" if dry_run else "is wrapped anew"
        sys.stderr.write(f"the key ring {done if needed else 'is under that key already'}\n")


@keys.command()
def retire(  # noqa: PLR0917 - options, in the order of the help
    tenant: TenantOption = None,
    generation: Annotated[
        list[int] | None,
        typer.Option("--generation", help="Which. Default: all but the newest.", metavar="N", show_default=False),
    ] = None,
    max_cache_seconds: MaxCacheOption = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Take data keys that nothing needs any more out of the key ring.

    Refused while a file, an older version, a record of a redacted one or an unfinished directory operation needs
    one, and until every process has read the key ring again since it was changed. Retiring the oldest one changes
    the tags of placeholders, where a policy asks for tags. The count is that of the generations.

    \b
    Examples:
      s3memory keys retire --tenant acme --dry-run
      s3memory keys retire --tenant acme --max-cache-seconds 900 --yes --expect-count 1

    \b
    Exit codes:
      0  they are retired
      1  something needs them, or might come to; the answer was no,
         or the count is another; or the tenant has no key ring
      2  a setting or an option is wrong
      3  the store is out of reach or refuses access
    """  # noqa: D301 - \b is how the help is told to keep line breaks
    from s3memory.admin.keys import retiring  # noqa: PLC0415 - botocore comes with it
    from s3memory.audit.recording import as_one_event  # noqa: PLC0415 - same
    from s3memory.keys.tenant_keys import MAX_KEY_TTL_SECONDS  # noqa: PLC0415 - same

    store = _store(tenant)
    seconds = MAX_KEY_TTL_SECONDS if max_cache_seconds is None else max_cache_seconds
    with as_one_event(store, "retire"):
        with progress_bar() as watcher:
            planned = retiring.retirement(
                store.refusing_writes(), generation, max_cache_seconds=seconds, watcher=watcher
            )
        if not dry_run:
            what = f"Generations {', '.join(map(str, planned.generations))} of {store.tenant} are about to be retired."
            confirm(what, tenant=store.tenant, count=len(planned.generations), yes=yes, expect_count=expect_count)
        if planned.generations and not dry_run:
            with progress_bar() as watcher:
                planned = retiring.retire(store, planned.generations, max_cache_seconds=seconds, watcher=watcher)
    if json_output:
        fields = {
            "dry_run": dry_run,
            "generations": list(planned.generations),
            "changes_tags": planned.changes_tags,
        }
        sys.stdout.write(json.dumps(fields) + "\n")
        return
    numbers = ", ".join(map(str, planned.generations)) or "none"
    sys.stderr.write(f"{'would be retired' if dry_run else 'retired'}: {numbers}\n")
    if planned.changes_tags:
        sys.stderr.write("The oldest was among them: tags of placeholders differ from now on.\n")


def _store(tenant: str | None) -> MemoryStore:
    from s3memory.config.settings import Settings  # noqa: PLC0415 - see the package's docstring
    from s3memory.store.memory_store import MemoryStore  # noqa: PLC0415 - same

    return MemoryStore.from_settings(Settings.from_env(), tenant=tenant)


def _target(settings: Settings, kms_key: str | None, local_key_file: Path | None) -> Rewrapper:
    from s3memory.keys.wrappers.kms import KmsKeyWrapper  # noqa: PLC0415 - see the package's docstring
    from s3memory.keys.wrappers.local import LocalKeyWrapper  # noqa: PLC0415 - same

    if kms_key is not None and local_key_file is not None:
        raise ConfigurationError("--kms-key and --local-key-file: choose one key")
    if kms_key is not None:
        return KmsKeyWrapper(kms_key, endpoint_url=settings.get("KMS_ENDPOINT_URL")).prepare()
    if local_key_file is not None:
        try:
            return LocalKeyWrapper.from_text(local_key_file.read_text("ascii")).first_alone()
        except (OSError, UnicodeDecodeError):
            raise ConfigurationError("--local-key-file names a file that can't be read") from None
    wrapper = settings.key_wrapper()
    if isinstance(wrapper, KmsKeyWrapper | LocalKeyWrapper):
        return wrapper.first_alone()
    raise AssertionError("settings know no other wrapper")


def _usage_fields(usage: Usage | None, generation: int) -> dict[str, int]:
    if usage is None:
        return {}
    return {"current": usage.current[generation], "older": usage.older[generation]}
