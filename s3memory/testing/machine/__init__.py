"""State machines that hold a memory to `ReferenceMemory`, whatever its clients do and whatever is done to them.

`memory_machine` is for any memory: give it a factory of a `Backend`. `s3_memory_machine` is for this package's, on
any server of S3's protocol: its machine also lets requests fail, answers get lost, processes die, other clients come
in between, operators and attackers write to the bucket, and keys rotate. After each step, what was reported and
what is stored is what the reference says, or what ``docs/semantics.md`` allows where something went wrong.

A failing example is printed as the calls that replay it, shortened by hypothesis as far as it goes.

This package needs hypothesis, which `s3memory` does not bring, so nothing else imports it.

Example:
    ```python
    from s3memory.testing.machine import memory_machine

    class MyBackend:
        def client(self): ...  # something with call(tool_input) -> (text, is_error)
        def files(self): ...  # every file's text, by memory path

    TestMyBackend = memory_machine(MyBackend).TestCase
    ```
"""

from s3memory.testing.machine.general import MemoryMachine, memory_machine
from s3memory.testing.machine.model import Backend, MemoryClient
from s3memory.testing.machine.s3_machine import S3MemoryMachine, s3_memory_machine
from s3memory.testing.machine.s3_memory import S3Place

__all__ = [
    "Backend",
    "MemoryClient",
    "MemoryMachine",
    "S3MemoryMachine",
    "S3Place",
    "memory_machine",
    "s3_memory_machine",
]
