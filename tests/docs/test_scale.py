"""docs/scale.md and the costs in docs/cost.md contain the program's output, and its arithmetic is right."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from cold_tenants import KEY_RINGS_KEPT, SESSION_SECONDS, ColdShares, Conversations, Fleet, TenantCache, simulate
from prices import Prices
from request_counts import CALLS, DELETED_KEYS, Counts, Measured, Sent, measured
from scale import cost_table
from scale_model import (
    MIX,
    POSTS,
    READS,
    Quotas,
    Traffic,
    cell,
    deleted_keys,
    kms_usd,
    lambda_month_usd,
    month_usd,
    of_folder,
    of_service,
    partitions,
    rates,
    s3_usd,
    stored_gb,
)
from support.repository import REPOSITORY

from s3memory.keys import key_cache

GET = Sent("s3", "memories", "GetObject")
PUT = Sent("s3", "memories", "PutObject")
LIST = Sent("s3", "memories", "ListObjectsV2")
DELETE = Sent("s3", "memories", "DeleteObject")
RING = Sent("s3", "keyrings", "GetObject")
NEW_RING = Sent("s3", "keyrings", "PutObject")
DECRYPT = Sent("kms", "", "Decrypt")
GENERATE = Sent("kms", "", "GenerateDataKey")
ASSUME = Sent("sts", "", "AssumeRole")

# Two kinds of commands with which costs are easy to compute by hand.
BY_HAND = Measured(
    warm={"read": Counts({GET: 1}), "edit": Counts({GET: 1, PUT: 1})},
    session=Counts({ASSUME: 1}),
    ring=Counts({RING: 1, DECRYPT: 1}),
    new_tenant=Counts({ASSUME: 1, RING: 1, LIST: 1, GENERATE: 1, NEW_RING: 1}),
)
LOAD = Traffic(
    tenants=1_000,
    commands_a_second=100,
    mix={"read": 0.75, "edit": 0.25},
    commands_a_message=4,
    messages_a_conversation=5,
    message_seconds=2,
    new_tenants_a_day=86_400,
    files_a_tenant=2,
    file_bytes=4_096,
    noncurrent_days=1,
)


@pytest.fixture(scope="module")
def counts(_aws: None) -> Measured:
    return measured()


def test_the_pages_contain_the_programs_output() -> None:
    program = [sys.executable, str(REPOSITORY / "benchmarks" / "scale.py")]
    done = subprocess.run(program, capture_output=True, text=True, check=True)  # noqa: S603 - our program
    titles_and_tables = done.stdout.strip().split("\n\n")
    assert len(titles_and_tables) > 2
    for title, table in zip(titles_and_tables[::2], titles_and_tables[1::2], strict=True):
        page = title.partition(":")[0]
        assert f"\n\n{table}\n" in (REPOSITORY / page).read_text("utf-8"), f"put this table into {page}:\n\n{table}"


def test_a_cold_tenant_costs_what_the_documents_say(counts: Measured) -> None:
    assert counts.session == {ASSUME: 1}
    assert counts.ring == {RING: 1, DECRYPT: 1}
    assert counts.new_tenant == {ASSUME: 1, RING: 1, LIST: 1, GENERATE: 1, DECRYPT: 1, NEW_RING: 1}


def test_each_kind_is_counted_in_its_folder(counts: Measured) -> None:
    assert set(counts.warm) == set(CALLS)
    for kind, each in counts.warm.items():
        assert {sent.service for sent in each} <= {"s3", DELETED_KEYS}
        is_of_directory = kind.startswith(("delete a directory", "rename a directory"))
        assert {sent.folder for sent in each} == ({"memories", "intents"} if is_of_directory else {"memories"})
    in_intents = of_folder(counts.warm["delete a directory of 2 files"], POSTS, "intents")
    assert in_intents == 1


def test_a_thousand_edits_cost_a_thousand_gets_and_a_thousand_puts(counts: Measured) -> None:
    assert 1_000 * s3_usd(counts.warm["str_replace"], Prices()) == pytest.approx(0.0004 + 0.005)
    assert 1_000 * s3_usd(counts.warm["delete a file"], Prices()) == 0
    assert 10_000 * kms_usd(counts.ring, Prices()) == pytest.approx(0.03)


def test_the_cost_table_counts_every_request(counts: Measured) -> None:
    for line, each in zip(cost_table(counts, Prices()).splitlines()[2:], counts.warm.values(), strict=False):
        cells = [cell.strip() for cell in line.split("|")[2:8]]
        requests = sum(count for sent, count in each.items() if sent.service != DELETED_KEYS)
        assert sum(int(cell) for cell in cells if cell) == requests, line


def test_requests_per_second_are_commands_and_cold_starts() -> None:
    # 100 commands are 25 messages: 10 need credentials, 5 the key ring. One tenant per second is new.
    assert rates(BY_HAND, LOAD, ColdShares(sessions=0.4, rings=0.2)) == pytest.approx(
        {GET: 100, PUT: 25, ASSUME: 10, RING: 5, DECRYPT: 5, LIST: 1, GENERATE: 1, NEW_RING: 1}
    )


def test_the_shares_of_a_mix_add_up_to_one() -> None:
    assert math.isclose(sum(MIX.values()), 1)
    with pytest.raises(ValueError, match="add up to 1"):
        rates(BY_HAND, Traffic(mix={"read": 0.9}), ColdShares(0, 0))


def test_partitions_are_filled_by_reads_and_writes() -> None:
    requests = {GET: 5_000.0, LIST: 500.0, PUT: 3_000.0, DELETE: 500.0, RING: 5_500.0}
    assert partitions(requests, "memories", Quotas()) == pytest.approx(2)
    assert partitions(requests, "keyrings", Quotas()) == pytest.approx(1)
    assert partitions(requests, "intents", Quotas()) == 0


def test_a_month_costs_its_requests_and_its_storage() -> None:
    requests = {GET: 1_000.0, PUT: 100.0, LIST: 10.0, DELETE: 7.0, RING: 5.0, DECRYPT: 5.0, ASSUME: 9.0}
    month = month_usd(LOAD, requests, Prices())
    # 2,592,000 seconds; deletes and STS are free.
    assert month["S3 GET and HEAD"] == pytest.approx(1_005 * 2_592_000 * 0.0000004)
    assert month["S3 PUT"] == pytest.approx(1_296)
    assert month["S3 LIST"] == pytest.approx(129.6)
    assert month["KMS"] == pytest.approx(38.88)
    assert month["CloudTrail data events, if switched on"] == pytest.approx(1_122 * 2.592)
    parts = [usd for item, usd in month.items() if item != "all of these" and "CloudTrail" not in item]
    assert month["all of these"] == pytest.approx(sum(parts))


def test_each_write_leaves_a_version_for_the_retention_time() -> None:
    # A sealed file of 4,096 bytes has 8 + 24 + 32 + 16 more; 2,000 files, 100 writes per second for a day.
    current, replaced = stored_gb(LOAD, {PUT: 100.0, NEW_RING: 1.0})
    assert current == pytest.approx(2_000 * 4_176 / 1e9)
    assert replaced == pytest.approx(8_640_000 * 4_176 / 1e9)


def test_lambda_charges_for_waiting() -> None:
    # 25 messages per second, 2 s each.
    assert LOAD.concurrency == 50
    a_message = 0.0000002 + 2 * 0.0000133334
    assert lambda_month_usd(LOAD, Prices()) == pytest.approx(25 * 2_592_000 * a_message)


def test_a_cache_keeps_entries_for_their_time_and_while_there_is_room() -> None:
    kept = TenantCache(seconds=10, capacity=2)
    asked = [(1, 0.0), (1, 9.9), (1, 10.0), (2, 11.0), (1, 12.0), (3, 13.0), (1, 14.0), (2, 15.0)]
    # Tenant 1 expires at 10; tenant 2 makes room for 3, since 1 was used later.
    assert [kept.is_cold(*one) for one in asked] == [True, False, True, True, False, True, False, True]


def test_the_simulation_caches_what_the_package_caches() -> None:
    assert key_cache._MAX_CACHED_RINGS == KEY_RINGS_KEPT
    assert SESSION_SECONDS == 2_700
    fleet = Fleet(name="", processes=1, is_routed_by_tenant=True)
    assert (fleet.sessions_kept, fleet.ring_seconds) == (64, 900)


@pytest.mark.parametrize("ring_seconds", [300.0, 900.0, 3_600.0])
def test_the_simulation_agrees_with_the_closed_form_if_there_is_one(ring_seconds: float) -> None:
    """Messages without pauses, and room for all: a tenant loads keys once per lifetime plus the wait after it."""
    conversations = Conversations(tenants=1_000, starts_a_second=1, messages=4, pause_seconds=0)
    fleet = Fleet(name="", processes=1, is_routed_by_tenant=True, sessions_kept=10_000, ring_seconds=ring_seconds)
    wait_seconds = 1_000  # between a tenant's conversations
    cold = simulate(fleet, conversations, messages=80_000)
    assert cold.rings == pytest.approx(wait_seconds / (ring_seconds + wait_seconds) / 4, abs=0.01)
    assert cold.sessions == pytest.approx(wait_seconds / (SESSION_SECONDS + wait_seconds) / 4, abs=0.01)


@pytest.mark.parametrize(("processes", "at_least"), [(4, 0.0), (1_000, 0.99)])
def test_more_processes_per_tenant_mean_more_cold_starts(processes: int, at_least: float) -> None:
    """Of the messages of one conversation, the nth is cold unless an earlier one reached the same process."""
    conversations = Conversations(tenants=10**9, starts_a_second=1, messages=5, pause_seconds=1)
    fleet = Fleet(name="", processes=processes, is_routed_by_tenant=False, sessions_kept=10**6)
    expected = sum((1 - 1 / processes) ** before for before in range(5)) / 5
    cold = simulate(fleet, conversations, messages=20_000)
    assert cold.rings == pytest.approx(expected, abs=0.01)
    assert cold.rings >= at_least


def test_cells_share_the_load_evenly() -> None:
    whole, part = Traffic(), cell(Traffic(), 40)
    assert (part.tenants, part.commands_a_second, part.new_tenants_a_day) == (250_000, 1_250, 250)
    assert part.concurrency == pytest.approx(whole.concurrency / 40)


def test_an_index_file_saves_what_the_page_says(counts: Measured) -> None:
    page = (REPOSITORY / "docs" / "scale.md").read_text("utf-8")
    cold, prices = ColdShares(sessions=1, rings=1), Prices()

    def usd(traffic: Traffic) -> float:
        return month_usd(traffic, rates(counts, traffic, cold), prices)["all of these"]

    mix = {**MIX, "view the root": 0.0, "view a file": MIX["view a file"] + MIX["view the root"]}
    saved = usd(Traffic()) - usd(Traffic(mix=mix))
    # 12,500 per second, at 0.005 USD minus 0.0004 USD per thousand.
    assert saved == pytest.approx(12.5 * 0.0046 * 2_592_000)
    assert f"{saved:,.0f} USD" in page


def test_each_key_of_a_batch_delete_is_a_write_and_the_request_itself_is_not() -> None:
    batches = {Sent("s3", "memories", "DeleteObjects"): 7.0, Sent(DELETED_KEYS, "memories", "DeleteObjects"): 7_000.0}
    assert partitions(batches, "memories", Quotas()) == pytest.approx(2)
    assert deleted_keys({**batches, DELETE: 3.0}, "memories") == 7_003
    assert deleted_keys(batches, "intents") == 0
    assert s3_usd(batches, Prices()) == pytest.approx(7 * 0.000005)  # billed by request


def test_a_deleted_directory_counts_each_of_its_files(counts: Measured) -> None:
    deleting = counts.warm["delete a directory of 2 files"]
    assert deleting[Sent("s3", "memories", "DeleteObjects")] == 1
    assert deleted_keys(deleting, "memories") == 2 + 1  # a DELETE also checks for a file of its name


def test_reads_of_services_and_folders_are_counted_separately() -> None:
    requests = {GET: 1.0, RING: 2.0, DECRYPT: 4.0}
    assert of_folder(requests, READS) == 3
    assert of_folder(requests, READS, "keyrings") == 2
    assert of_service(requests, "kms") == 4
