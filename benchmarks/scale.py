"""Prints the tables of docs/scale.md and docs/cost.md: the requests and the cost of memory for many tenants.

The requests of each command are counted on the wire (`request_counts`), cold tenants are simulated (`cold_tenants`),
and the rest is multiplication (`scale_model`).

Run it with ``make scale``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cold_tenants import ColdShares, Fleet, simulate
from prices import Prices
from request_counts import Counts, Measured, measured, mocked_aws
from scale_model import (
    DELETES,
    LISTS,
    POSTS,
    READS,
    WRITES,
    Quotas,
    Rates,
    Traffic,
    cell,
    deleted_keys,
    kms_usd,
    lambda_fleet,
    lambda_month_usd,
    month_usd,
    of_folder,
    of_service,
    partitions,
    rates,
    routed_fleets,
    s3_usd,
)

FOLDERS = ("memories", "keyrings", "intents")
CELLS = 40


@dataclass(frozen=True, slots=True)
class Plan:
    """A fleet under the load: its cold shares and its requests a second."""

    fleet: Fleet
    cold: ColdShares
    requests: Rates


def plan_of(counts: Measured, traffic: Traffic, fleet: Fleet) -> Plan:
    """Simulate a fleet's cold tenants, and return its requests a second under the load."""
    cold = simulate(fleet, traffic.conversations)
    return Plan(fleet, cold, rates(counts, traffic, cold))


def cost_table(counts: Measured, prices: Prices) -> str:
    """Return the table of what a thousand commands of each kind cost, and of what a cold tenant adds."""
    once = {
        "plus credentials, if the process has none": counts.session,
        "plus a key ring, if the process has none": counts.ring,
        "plus everything for a tenant's first write": counts.new_tenant,
    }

    def row(kind: str, each: Counts) -> tuple[str, ...]:
        operations = (READS, LISTS, POSTS, DELETES)
        numbers = [str(round(of_folder(each, chosen))) if of_folder(each, chosen) else "" for chosen in operations]
        kms, sts = of_service(each, "kms"), of_service(each, "sts")
        usd = 1_000 * (s3_usd(each, prices) + kms_usd(each, prices))
        events = 1_000 * of_service(each, "s3") * prices.cloudtrail_data_event
        return (kind, *numbers, _count(kms), _count(sts), f"{usd:.4f}", f"{events:.4f}")

    rows = [row(kind, each) for kind, each in counts.warm.items()]
    rows += [row(kind, each) for kind, each in once.items()]
    head = ("command", "GET, HEAD", "LIST", "PUT, POST", "DELETE", "KMS", "STS", "USD a 1,000", "data events")
    return _table(head, rows)


def load_table(traffic: Traffic) -> str:
    """Return the table of the assumed load."""
    rows = [
        ("tenants", f"{traffic.tenants:,}"),
        ("commands a second", f"{traffic.commands_a_second:,.0f}"),
        (
            "commands a message, messages a conversation",
            f"{traffic.commands_a_message}, {traffic.messages_a_conversation}",
        ),
        ("seconds between messages, and per answer", f"{traffic.pause_seconds:.0f}, {traffic.message_seconds:.0f}"),
        (
            "messages a second, and being answered at any time",
            f"{traffic.messages_a_second:,.0f}, {traffic.concurrency:,.0f}",
        ),
        ("new tenants a day", f"{traffic.new_tenants_a_day:,.0f}"),
        ("files a tenant, bytes a file", f"{traffic.files_a_tenant}, {traffic.file_bytes:,}"),
        *((f"share of commands: {kind}", f"{share:.1%}") for kind, share in traffic.mix.items()),
    ]
    return _table(("assumed", ""), rows)


def cold_table(compared: Iterable[Plan], traffic: Traffic) -> str:
    """Return the table of how often tenants are cold in each fleet."""
    rows = [
        (
            plan.fleet.name,
            f"{plan.fleet.processes:,}",
            f"{plan.cold.sessions:.0%}",
            f"{plan.cold.rings:.0%}",
            f"{traffic.messages_a_second * plan.cold.sessions:,.0f}",
            f"{traffic.messages_a_second * plan.cold.rings:,.0f}",
        )
        for plan in compared
    ]
    return _table(("fleet", "processes", "no credentials", "no key ring", "AssumeRole/s", "Decrypt/s"), rows)


def folder_table(plan: Plan, quotas: Quotas) -> str:
    """Return the table of requests a second by folder and kind, and of the S3 partitions that they fill."""
    rows = [
        (
            f"`{folder}/`",
            *(f"{of_folder(plan.requests, chosen, folder):,.0f}" for chosen in (READS, LISTS, WRITES)),
            f"{deleted_keys(plan.requests, folder):,.0f}",
            f"{partitions(plan.requests, folder, quotas):.1f}",
        )
        for folder in FOLDERS
    ]
    return _table(("folder", "GET, HEAD", "LIST", "PUT", "keys deleted", "partitions"), rows)


def quota_table(compared: list[Plan], traffic: Traffic, quotas: Quotas) -> str:
    """Return the table of the load divided by each default quota."""

    def row(name: str, limit: int, use: Callable[[Plan], float]) -> tuple[str, ...]:
        return (name, f"{limit:,}", *(_times(use(plan) / limit) for plan in compared))

    rows = [
        row("Lambda, concurrency", quotas.lambda_concurrency, lambda plan: _is_lambda(plan) * traffic.concurrency),
        row("STS, a second", quotas.sts, lambda plan: of_service(plan.requests, "sts")),
        row("KMS, a second, us-east-1", quotas.kms_us_east_1, lambda plan: of_service(plan.requests, "kms")),
        row(
            "KMS, a second, smaller regions", quotas.kms_smaller_regions, lambda plan: of_service(plan.requests, "kms")
        ),
    ]
    for folder in FOLDERS:
        filled = functools.partial(_partitions, folder=folder, quotas=quotas)
        rows.append(row(f"S3 partitions, `{folder}/`", 1, filled))
    return _table(("quota", "default", *(plan.fleet.name for plan in compared)), rows)


def month_table(compared: list[Plan], traffic: Traffic, prices: Prices) -> str:
    """Return the table of what a month costs."""
    columns = [month_usd(traffic, plan.requests, prices) for plan in compared]
    rows = [(item, *(_usd(column[item]) for column in columns)) for item in columns[0]]
    invocations = lambda_month_usd(traffic, prices)
    rows.append(("Lambda, 1 GB, arm64", *(_usd(invocations) if _is_lambda(plan) else "" for plan in compared)))
    return _table(("USD a month", *(plan.fleet.name for plan in compared)), rows)


def all_tables(counts: Measured) -> dict[str, str]:
    """Return every table, by the page that holds it, a colon and a title."""
    traffic, prices, quotas = Traffic(), Prices(), Quotas()
    compared = [plan_of(counts, traffic, fleet) for fleet in (lambda_fleet(traffic), *routed_fleets())]
    part = cell(traffic, CELLS)
    return {
        "docs/cost.md: cost of a thousand commands": cost_table(counts, prices),
        "docs/scale.md: the load": load_table(traffic),
        "docs/scale.md: cold tenants": cold_table(compared, traffic),
        "docs/scale.md: requests by folder, on Lambda": folder_table(compared[0], quotas),
        "docs/scale.md: times the default quotas": quota_table(compared, traffic, quotas),
        "docs/scale.md: times the default quotas, in one cell": quota_table(
            [plan_of(counts, part, lambda_fleet(part))], part, quotas
        ),
        "docs/scale.md: a month": month_table(compared, traffic, prices),
    }


def _is_lambda(plan: Plan) -> bool:
    return not plan.fleet.is_routed_by_tenant


def _partitions(plan: Plan, *, folder: str, quotas: Quotas) -> float:
    return partitions(plan.requests, folder, quotas)


def _count(number: float) -> str:
    return f"{number:.0f}" if number else ""


def _times(ratio: float) -> str:
    return f"{ratio:,.2f}" if ratio else ""


def _usd(amount: float) -> str:
    """Return an amount with three significant digits: more would not be meaningful."""
    return f"{float(f'{amount:.3g}'):,.0f}"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [tuple(head), *map(tuple, rows)]
    texts = [f"| {' | '.join(line)} |".replace("|  |", "| |").replace("|  |", "| |") for line in lines]
    return "\n".join([texts[0], "|---" * len(lines[0]) + "|", *texts[1:]])


def main() -> None:
    """Print all tables."""
    with mocked_aws():
        counts = measured()
    for title, table in all_tables(counts).items():
        print(f"{title}\n\n{table}\n")


if __name__ == "__main__":
    main()
