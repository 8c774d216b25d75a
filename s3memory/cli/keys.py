"""``s3memory keys``: show and change a tenant's data keys."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from s3memory.admin.keys import retiring, rotation
from s3memory.admin.keys.generations import GenerationUsage, key_ring_state
from s3memory.audit.recording import as_one_event
from s3memory.cli.confirming import ExpectCountOption, YesOption, confirm, show_bucket
from s3memory.cli.ending import NOTHING_CHANGED, OK, STORE, note_if_interrupted
from s3memory.cli.groups import Command, plain_typer
from s3memory.cli.options import DryRunOption, JsonOption, TenantOption, flag, optional
from s3memory.cli.output import emit
from s3memory.cli.progress import progress_bar
from s3memory.cli.stores import missed_lines, store_of, stray_lines
from s3memory.config.settings import Settings, read_local_key
from s3memory.contract.views import count_of, shown_time
from s3memory.errors import ConfigurationError
from s3memory.keys.key_cache import MAX_KEY_TTL_SECONDS
from s3memory.keys.open_key_ring import Rewrapper
from s3memory.keys.wrappers.kms import KmsKeyWrapper

_MAY_HAVE_CHANGED = "The key ring may have changed: see `s3memory keys show`."
_INTERRUPTED = "The key ring may have changed. Run it again: it checks whether anything needs a retired generation."

keys = plain_typer(name="keys", no_args_is_help=True, help="Show and change a tenant's data keys.")


@keys.command(cls=Command)
def show(
    tenant: TenantOption = None,
    count: Annotated[bool, flag("--count", "Count the objects that need each generation.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Show a tenant's key ring.

    Shows its generations and name mode, what wraps it, whether the tenant is archived, and when it was last
    changed. --count reads the header of every file, older version and intent: one request each. If one of them
    needs a generation that the key ring lacks, this is reported, with exit code 3.

    Examples:
      s3memory keys show --tenant acme
      s3memory keys show --tenant acme --count --json
    """
    store = store_of(tenant).refusing_writes()
    with note_if_interrupted(NOTHING_CHANGED), progress_bar():
        state = key_ring_state(store, with_usage=count)
    ring, usage = state.ring, state.usage
    settled = retiring.settled_at(state.changed, MAX_KEY_TTL_SECONDS)
    generations = [{"generation": key.generation, **_usage_fields(usage, key.generation)} for key in ring.keys]
    fields: dict[str, Any] = {
        "tenant": ring.tenant,
        "name_mode": ring.name_mode,
        "wrapper": ring.wrapper,
        "archived": ring.archived,
        "changed": shown_time(state.changed),
        "older_generations_can_be_retired_after": shown_time(settled),
        "generations": generations,
    }
    lacking = []
    if usage is not None:
        numbers = {*usage.current, *usage.older} - {key.generation for key in ring.keys}
        lacking = [{"generation": number, **_usage_fields(usage, number)} for number in sorted(numbers)]
        fields |= {"lacking": lacking, "unreadable": usage.unreadable, "missed": usage.missed}
    shown = {**fields, "archived": "yes" if ring.archived else "no"}
    lines = [f"{name.replace('_', ' ')}: {shown[name]}" for name in list(fields)[:5]]
    for one in generations:
        newest = ", used for new writes" if one is generations[-1] else ""
        lines.append(f"generation {one['generation']}{newest}{_counts(one) if usage else ''}")
    missed = usage.missed if usage else []
    emit(
        fields,
        text=lines,
        warnings=[
            *(f"generation {one['generation']}, which the key ring lacks{_counts(one)}" for one in lacking),
            *(stray_lines(usage.unreadable, named_by="s3memory verify --versions") if usage else []),
            *missed_lines(missed),
        ],
        as_json=json_output,
        exit_code=STORE if lacking or missed else OK,
    )


@keys.command(cls=Command)
def rotate(
    tenant: TenantOption = None,
    only_from: Annotated[
        int | None, optional("--only-from", "Only if this generation is the newest.", "N", min=1)
    ] = None,
    dry_run: DryRunOption = False,
    json_output: JsonOption = False,
) -> None:
    """Add a data key, which new writes use from then on.

    Stored texts stay under the key that sealed them: see `s3memory reseal`. Agents need not stop. --only-from makes
    it safe to restart an interrupted run over many tenants; the generation must exist. Refused if an older version
    of the key ring names a higher generation: somebody has put an older key ring back.

    Examples:
      s3memory keys rotate --tenant acme
      s3memory keys rotate --tenant acme --only-from 1

    Exit codes:
      0  the key was added, or --only-from names an older generation
      1  it was refused, and nothing was changed; or the outcome can't be written
         to stdout: it is on stderr
      2  a setting or an option is wrong
      3  the store can't be reached, refuses access, or holds something that does
         not open; or the key was added, and the register could not record it
    """
    store = store_of(tenant)
    with as_one_event(store, "rotate"), note_if_interrupted(NOTHING_CHANGED if dry_run else _MAY_HAVE_CHANGED):
        stored = rotation.stored_key_ring(store)
        newest = before = stored.opened.newest.generation
        if not dry_run:
            newest = rotation.rotate(store, only_from=only_from).newest.generation
            if only_from is None:
                before = newest - 1  # another rotation may have come between
        elif rotation.needs_rotation(store, stored, only_from):
            rotation.refuse_older_key_ring(store, stored)
            newest = before + 1
    if newest == before:
        result = f"is {newest}, not {only_from}: nothing {'would be' if dry_run else 'was'} changed"
    else:
        result = f"{'would be' if dry_run else 'is'} {newest} (it was {before})"
    emit(
        {"dry_run": dry_run, "newest_before": before, "newest": newest},
        notes=[f"the newest generation {result}"],
        tenant=store.tenant,
        as_json=json_output,
    )


@keys.command(cls=Command)
def rewrap(
    tenant: TenantOption = None,
    kms_key: Annotated[str | None, optional("--kms-key", "Move to this KMS key.", "KEY")] = None,
    local_key_file: Annotated[
        Path | None, optional("--local-key-file", "Move to the local key in this file.", "FILE")
    ] = None,
    dry_run: DryRunOption = False,
    json_output: JsonOption = False,
) -> None:
    """Wrap a tenant's data keys under another key.

    Files are not touched. Without an option, the target is the first key of S3MEMORY_KMS_KEY_ID or
    S3MEMORY_LOCAL_KEY. Agents need not stop if you first set "new,old" for every process, and remove the old key
    once all tenants are moved. To move between a local key and a KMS key, agents have to stop.

    Examples:
      s3memory keys rewrap --tenant acme --dry-run
      s3memory keys rewrap --tenant acme
      s3memory keys rewrap --tenant acme --kms-key alias/agent-memory-2
    """
    store = store_of(tenant)
    target = _target(Settings.from_env(), store.tenant, kms_key, local_key_file)
    with note_if_interrupted(NOTHING_CHANGED if dry_run else _MAY_HAVE_CHANGED):
        needed = rotation.rewrap(store.refusing_writes() if dry_run else store, target, dry_run=dry_run)
    done = "would be rewrapped" if dry_run else "is rewrapped"
    note = f"the key ring {done}" if needed else "the key ring is wrapped with that key already, so nothing was changed"
    emit({"dry_run": dry_run, "rewrapped": needed}, notes=[note], tenant=store.tenant, as_json=json_output)


@keys.command(cls=Command)
def retire(
    tenant: TenantOption = None,
    generation: Annotated[
        list[int] | None, optional("--generation", "Which generations. Default: all but the newest.", "N")
    ] = None,
    max_cache_seconds: Annotated[
        float | None,
        optional(
            "--max-cache-seconds",
            "The longest S3MEMORY_KEY_CACHE_SECONDS of any process. Default: 86400, the maximum.",
            "SECONDS",
        ),
    ] = None,
    without_versions: Annotated[
        bool, flag("--without-versions", "Also in a bucket that keeps no versions of the key ring.")
    ] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    expect_count: ExpectCountOption = None,
    json_output: JsonOption = False,
) -> None:
    """Remove data keys that nothing needs any more.

    Refused while a file, an older version, a record of a redacted version or an unfinished directory operation needs
    one, and until every process has read the key ring again: --max-cache-seconds after its last change, plus 30
    minutes for calls under way and differing clocks. Retiring the oldest key changes the tags of placeholders, if a
    policy asks for tags. --expect-count counts generations. If interrupted, run it again: if nothing is left to
    retire, it checks whether anything needs a retired key. Refused in a bucket without versioning, where an
    interruption may lose files that agents write meanwhile; --without-versions accepts that.

    Examples:
      s3memory keys retire --tenant acme --dry-run
      s3memory keys retire --max-cache-seconds 900 --yes --expect-count 1

    Exit codes:
      0  they are retired
      1  something needs them, or still might; the answer was no,
         or the count differs; or the tenant has no key ring
      2  a setting or an option is wrong
      3  something needs a retired key, or the store can't be reached, refuses
         access, or left the outcome unknown
    """
    store = store_of(tenant)
    show_bucket(store)
    seconds = MAX_KEY_TTL_SECONDS if max_cache_seconds is None else max_cache_seconds
    retire_ = partial(retiring.retire, max_cache_seconds=seconds, without_versions=without_versions)
    with as_one_event(store, "retire"):
        with note_if_interrupted(NOTHING_CHANGED), progress_bar():
            retirement = retire_(store.refusing_writes(), generation, dry_run=True)
        if not dry_run:
            what = f"This retires {_generations(retirement.generations)} of {store.tenant}."
            confirm(what, tenant=store.tenant, count=len(retirement.generations), yes=yes, expect_count=expect_count)
        if retirement.generations and not dry_run:
            with note_if_interrupted(_INTERRUPTED), progress_bar():
                retirement = retire_(store, retirement.generations)
    tags = ["The oldest key was among them: placeholders get different tags from now on."]
    emit(
        {"dry_run": dry_run, "generations": list(retirement.generations), "changes_tags": retirement.changes_tags},
        notes=[
            f"{'would be retired' if dry_run else 'retired'}: {', '.join(map(str, retirement.generations)) or 'none'}",
            *(tags if retirement.changes_tags else []),
        ],
        tenant=store.tenant,
        as_json=json_output,
    )


def _generations(numbers: tuple[int, ...]) -> str:
    return f"{'generation' if len(numbers) == 1 else 'generations'} {', '.join(map(str, numbers))}"


def _target(settings: Settings, tenant: str, kms_key: str | None, local_key_file: Path | None) -> Rewrapper:
    if kms_key is not None and local_key_file is not None:
        raise ConfigurationError("--kms-key and --local-key-file: choose one key")
    if kms_key is not None:
        return KmsKeyWrapper(kms_key, endpoint_url=settings.get("KMS_ENDPOINT_URL")).prepare()
    if local_key_file is not None:
        return read_local_key(local_key_file, called="--local-key-file").first_alone()
    return settings.key_wrapper(tenant=tenant).first_alone()


def _counts(generation: dict[str, int]) -> str:
    return f": {count_of(generation['current'], 'object')}, {count_of(generation['older'], 'older version')}"


def _usage_fields(usage: GenerationUsage | None, generation: int) -> dict[str, int]:
    if usage is None:
        return {}
    return {"current": usage.current[generation], "older": usage.older[generation]}
