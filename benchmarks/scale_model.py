"""Computes requests a second, S3 partitions and USD from counted requests and an assumed load.

Prices and quotas are those of AWS in us-east-1, and they change: look them up before you plan with them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from cold_tenants import ColdShares, Conversations, Fleet
from prices import Prices
from request_counts import DELETED_KEYS, Measured, Sent

from s3memory.format.envelope import sealed_size_bytes

MONTH_SECONDS = 30 * 86_400
_GB = 10**9

READS = frozenset({"GetObject", "HeadObject"})
LISTS = frozenset({"ListObjectsV2"})
# DeleteObjects is a POST. AWS says that DELETE requests are free but doesn't name it, so it is priced as a POST.
POSTS = frozenset({"PutObject", "DeleteObjects"})
WRITES = frozenset({"PutObject"})
DELETES = frozenset({"DeleteObject"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """AWS's default quotas. All are per second, except `lambda_concurrency`."""

    s3_writes_a_partition: int = 3_500
    s3_reads_a_partition: int = 5_500
    kms_us_east_1: int = 100_000
    kms_smaller_regions: int = 10_000
    sts: int = 600
    lambda_concurrency: int = 1_000


MIX: Mapping[str, float] = {
    "view the root": 0.25,
    "view a file": 0.35,
    "view a directory": 0.05,
    "create at depth 1": 0.06,
    "create at depth 4": 0.02,
    "str_replace": 0.15,
    "insert": 0.08,
    "delete a file": 0.02,
    "rename a file to depth 1": 0.01,
    "delete a directory of 2 files": 0.005,
    "rename a directory of 2 files": 0.005,
}
"""The share of each kind of command. These are invented: count your own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The load.

    Attributes:
        tenants: the number of tenants.
        commands_a_second: commands a second over all tenants.
        mix: the share of each kind of command; together they are 1.
        commands_a_message: commands for one message of a user, which one invocation answers.
        messages_a_conversation: messages that a tenant sends in a row.
        pause_seconds: the time between two of them.
        message_seconds: how long an answer takes, nearly all of it waiting for the model.
        new_tenants_a_day: tenants that write for the first time.
        files_a_tenant: memory files of one tenant.
        file_bytes: size of a memory file before it is sealed.
        noncurrent_days: how long replaced versions are kept (`noncurrent_version_days`).
    """

    tenants: int = 10_000_000
    commands_a_second: float = 50_000
    mix: Mapping[str, float] = field(default_factory=lambda: MIX)
    commands_a_message: int = 4
    messages_a_conversation: int = 5
    pause_seconds: float = 60
    message_seconds: float = 15
    new_tenants_a_day: float = 10_000
    files_a_tenant: int = 20
    file_bytes: int = 4_096
    noncurrent_days: int = 30

    @property
    def messages_a_second(self) -> float:
        """Messages a second over all tenants."""
        return self.commands_a_second / self.commands_a_message

    @property
    def concurrency(self) -> float:
        """The number of messages that are being answered at any time."""
        return self.messages_a_second * self.message_seconds

    @property
    def conversations(self) -> Conversations:
        """The load as the simulation needs it."""
        return Conversations(
            tenants=self.tenants,
            starts_a_second=self.messages_a_second / self.messages_a_conversation,
            messages=self.messages_a_conversation,
            pause_seconds=self.pause_seconds,
        )


Rates = Mapping[Sent, float]


def rates(counts: Measured, traffic: Traffic, cold: ColdShares) -> Rates:
    """Return requests a second of each kind.

    Raises:
        ValueError: the shares of the mix do not add up to 1.
    """
    if abs(sum(traffic.mix.values()) - 1) > 1e-9:  # noqa: PLR2004 - rounding
        raise ValueError("the shares of the mix must add up to 1")
    new = traffic.new_tenants_a_day / 86_400
    # The cold messages already include a new tenant's first one, so this is only what making its key ring adds.
    made = counts.new_tenant - counts.session - counts.ring
    weighted = [(traffic.commands_a_second * share, counts.warm[kind]) for kind, share in traffic.mix.items()]
    weighted += [
        (traffic.messages_a_second * cold.sessions, counts.session),
        (traffic.messages_a_second * cold.rings, counts.ring),
        (new, made),
    ]
    total: dict[Sent, float] = {}
    for a_second, each in weighted:
        for sent, count in each.items():
            total[sent] = total.get(sent, 0.0) + a_second * count
    return total


def of_service(requests: Mapping[Sent, float], service: str) -> float:
    """Return the number of requests to a service."""
    return sum(count for sent, count in requests.items() if sent.service == service)


def of_folder(requests: Mapping[Sent, float], operations: frozenset[str], folder: str | None = None) -> float:
    """Return the number of these S3 operations, in one folder or in all."""
    return sum(
        count
        for sent, count in requests.items()
        if sent.service == "s3" and sent.operation in operations and folder in {None, sent.folder}
    )


def deleted_keys(requests: Mapping[Sent, float], folder: str) -> float:
    """Return the number of a folder's objects that are deleted, one by one or by ``DeleteObjects``."""
    batched = sum(count for sent, count in requests.items() if (sent.service, sent.folder) == (DELETED_KEYS, folder))
    return of_folder(requests, DELETES, folder) + batched


def s3_usd(requests: Mapping[Sent, float], prices: Prices) -> float:
    """Return what requests to S3 cost in USD. Deletes are free."""
    return (
        of_folder(requests, READS) * prices.s3_get_head + of_folder(requests, POSTS | LISTS) * prices.s3_put_post_list
    )


def kms_usd(requests: Mapping[Sent, float], prices: Prices) -> float:
    """Return what requests to KMS cost in USD."""
    return of_service(requests, "kms") * prices.kms_request


def partitions(requests: Rates, folder: str, quotas: Quotas) -> float:
    """Return how many S3 partitions a folder's load fills. AWS gives no rate for LIST, so it counts as a read.

    Each key of a ``DeleteObjects`` counts as a write; the request itself does not.
    """
    reads = of_folder(requests, READS | LISTS, folder) / quotas.s3_reads_a_partition
    writes = of_folder(requests, WRITES, folder) + deleted_keys(requests, folder)
    return reads + writes / quotas.s3_writes_a_partition


def stored_gb(traffic: Traffic, requests: Rates) -> tuple[float, float]:
    """Return the gigabytes of current files and of replaced versions.

    As many files are deleted as are created, so in the long run each write leaves one replaced version.
    """
    sealed = sealed_size_bytes(traffic.file_bytes)
    current = traffic.tenants * traffic.files_a_tenant
    replaced = of_folder(requests, frozenset({"PutObject"}), "memories") * traffic.noncurrent_days * 86_400
    return current * sealed / _GB, replaced * sealed / _GB


def month_usd(traffic: Traffic, requests: Rates, prices: Prices) -> dict[str, float]:
    """Return the cost of a month in USD, by item."""
    puts = of_folder(requests, POSTS) * prices.s3_put_post_list
    lists = of_folder(requests, LISTS) * prices.s3_put_post_list
    current_gb, replaced_gb = stored_gb(traffic, requests)
    return {
        "S3 PUT": puts * MONTH_SECONDS,
        "S3 LIST": lists * MONTH_SECONDS,
        "S3 GET and HEAD": of_folder(requests, READS) * prices.s3_get_head * MONTH_SECONDS,
        "KMS": kms_usd(requests, prices) * MONTH_SECONDS,
        "S3 storage, current files": current_gb * prices.s3_gb_month,
        "S3 storage, replaced versions": replaced_gb * prices.s3_gb_month,
        "all of these": s3_usd(requests, prices) * MONTH_SECONDS
        + kms_usd(requests, prices) * MONTH_SECONDS
        + (current_gb + replaced_gb) * prices.s3_gb_month,
        "CloudTrail data events, if switched on": of_service(requests, "s3")
        * prices.cloudtrail_data_event
        * MONTH_SECONDS,
    }


def lambda_month_usd(traffic: Traffic, prices: Prices, *, memory_gb: float = 1.0) -> float:
    """Return the cost of a month of invocations in USD, one per message."""
    each = prices.lambda_request + traffic.message_seconds * memory_gb * prices.lambda_arm_gb_second
    return traffic.messages_a_second * each * MONTH_SECONDS


def lambda_fleet(traffic: Traffic) -> Fleet:
    """Return Lambda's fleet: each process answers one message at a time, of any tenant."""
    return Fleet(name="Lambda", processes=round(traffic.concurrency), is_routed_by_tenant=False)


def routed_fleets(*, processes: int = 2_000) -> list[Fleet]:
    """Return two fleets of long-lived processes that are routed by tenant, with few and with many sessions kept."""
    return [
        Fleet(name="routed, 64 kept", processes=processes, is_routed_by_tenant=True),
        Fleet(name="routed, 4,096 kept", processes=processes, is_routed_by_tenant=True, sessions_kept=4_096),
    ]


def cell(traffic: Traffic, cells: int) -> Traffic:
    """Return the load of one of `cells` equal parts, each an account with its own deployment."""
    return dataclasses.replace(
        traffic,
        tenants=traffic.tenants // cells,
        commands_a_second=traffic.commands_a_second / cells,
        new_tenants_a_day=traffic.new_tenants_a_day / cells,
    )
