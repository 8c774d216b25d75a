"""The state machine for this package's memory on S3, on any server that speaks S3's protocol.

In addition to the rules of `s3memory.testing.machine`, requests fail, responses get lost, processes die, other clients
interfere, operators and attackers write to the bucket, and keys rotate. After each step, the report and the stored
files must match the reference, or what ``docs/semantics.md`` allows after a failure.
"""

from support.machine.s3_machine import S3MemoryMachine, s3_memory_machine
from support.machine.s3_memory import S3Place

__all__ = ["S3MemoryMachine", "S3Place", "s3_memory_machine"]
