"""Simulates how often a process gets a message of a tenant for which it has no credentials or no fresh key ring.

One process of a fleet is simulated, since all are alike: the messages that reach it, in order of time, and what it has
cached. Conversations begin at random, each with a tenant drawn uniformly from all tenants. Processes never end.
"""

from __future__ import annotations

import math
import random
from collections import OrderedDict
from dataclasses import dataclass

from s3memory.aws.tenant_sessions import DEFAULT_DURATION_SECONDS, DEFAULT_MAX_TENANTS
from s3memory.keys.key_cache import DEFAULT_KEY_TTL_SECONDS

SESSION_SECONDS = DEFAULT_DURATION_SECONDS - 900
"""How long credentials are used: botocore renews them 15 minutes before they expire."""

KEY_RINGS_KEPT = 4_096
"""How many unwrapped key rings a process caches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """The processes that agents run in.

    Attributes:
        name: its name in tables.
        processes: the number of processes.
        is_routed_by_tenant: whether all messages of a tenant go to one process; otherwise each goes to any process.
        sessions_kept: `TenantSessions(max_tenants=...)`.
        ring_seconds: `S3MEMORY_KEY_CACHE_SECONDS`.
    """

    name: str
    processes: int
    is_routed_by_tenant: bool
    sessions_kept: int = DEFAULT_MAX_TENANTS
    ring_seconds: float = DEFAULT_KEY_TTL_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """The conversations of all tenants.

    Attributes:
        tenants: the number of tenants.
        starts_a_second: conversations that begin each second, over all tenants.
        messages: the messages of one conversation.
        pause_seconds: the time between two messages.
    """

    tenants: int
    starts_a_second: float
    messages: int
    pause_seconds: float


@dataclass(frozen=True, slots=True)
class ColdShares:
    """The shares of messages that need credentials from STS, and the key ring from S3 and KMS."""

    sessions: float
    rings: float


class TenantCache:
    """A process's cache for its most recently used tenants. Each entry expires a fixed time after it was fetched."""

    def __init__(self, *, seconds: float, capacity: int) -> None:
        self._seconds = seconds
        self._capacity = capacity
        self._ends: OrderedDict[int, float] = OrderedDict()

    def is_cold(self, tenant: int, now: float) -> bool:
        """Return whether the tenant's entry has to be fetched for this message, and cache it."""
        end = self._ends.get(tenant)
        is_cold = end is None or now >= end
        if is_cold:
            self._ends[tenant] = now + self._seconds
        self._ends.move_to_end(tenant)
        if len(self._ends) > self._capacity:
            self._ends.popitem(last=False)
        return is_cold


def simulate(fleet: Fleet, conversations: Conversations, *, messages: int = 40_000, seed: int = 1) -> ColdShares:
    """Simulate `messages` messages at one process of a fleet. Return the cold shares of the second half."""
    sessions = TenantCache(seconds=SESSION_SECONDS, capacity=fleet.sessions_kept)
    rings = TenantCache(seconds=fleet.ring_seconds, capacity=KEY_RINGS_KEPT)
    arrivals = _arrivals(fleet, conversations, messages, random.Random(seed))  # noqa: S311 - a simulation, no secret
    cold = [(sessions.is_cold(tenant, now), rings.is_cold(tenant, now)) for now, tenant in arrivals]
    settled = cold[len(cold) // 2 :]  # the cache has filled in the first half
    return ColdShares(
        sessions=sum(session for session, _ in settled) / len(settled),
        rings=sum(ring for _, ring in settled) / len(settled),
    )


def _arrivals(fleet: Fleet, of: Conversations, messages: int, rng: random.Random) -> list[tuple[float, int]]:
    """Return the times and tenants of the messages that reach the process. Conversations without any are not drawn."""
    if fleet.is_routed_by_tenant:
        tenants, starts, here = max(1, of.tenants // fleet.processes), of.starts_a_second / fleet.processes, 1.0
    else:
        tenants, starts, here = of.tenants, of.starts_a_second, 1 / fleet.processes
    reaching = 1.0 if here == 1.0 else -math.expm1(of.messages * math.log1p(-here))
    arrivals: list[tuple[float, int]] = []
    now = 0.0
    while len(arrivals) < messages:
        now += rng.expovariate(starts * reaching)
        tenant = int(rng.random() * tenants)
        # The first message that reaches the process, given that one does. Each later one has the same chance.
        first = 0
        if here < 1.0:
            first = int(math.log1p(-rng.random() * reaching) / math.log1p(-here))
        arrivals += [
            (now + number * of.pause_seconds, tenant)
            for number in range(first, of.messages)
            if number == first or rng.random() < here
        ]
    arrivals.sort()
    return arrivals
