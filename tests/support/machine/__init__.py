"""The state machine for this package's memory on S3, on any server of S3's protocol.

Beside what `s3memory.testing.machine` does, it lets requests fail, answers get lost, processes die, other clients come
in between, operators and attackers write to the bucket, and keys rotate. After each step, what was reported and what is
stored is what the reference says, or what ``docs/semantics.md`` allows where something went wrong.
"""

from support.machine.s3_machine import S3MemoryMachine, s3_memory_machine
from support.machine.s3_memory import S3Place

__all__ = ["S3MemoryMachine", "S3Place", "s3_memory_machine"]
