"""The complete machine for this package's memory on S3."""

from __future__ import annotations

from collections.abc import Callable

from s3memory.format.names import PLAIN
from support.machine.bucket_rules import BucketRules
from support.machine.crashes import CrashRules
from support.machine.others import OvertakingRules
from support.machine.s3_memory import S3Place


class S3MemoryMachine(CrashRules, OvertakingRules, BucketRules):
    """Everything that can happen to a memory on S3. `s3_memory_machine` makes one for a server."""


def s3_memory_machine(make_place: Callable[[], S3Place], *, name_mode: str = PLAIN) -> type[S3MemoryMachine]:
    """Return a state machine for this package's memory on a server. Its ``TestCase`` is a test.

    Args:
        make_place: called for each example; returns a place where nothing is stored yet.
        name_mode: ``plain`` or ``encrypted`` names.
    """
    mode = name_mode

    class Machine(S3MemoryMachine):
        name_mode = mode

        def make_place(self) -> S3Place:
            return make_place()

    return Machine
