"""State machines that hold any memory to `ReferenceMemory`: commands of several clients, one after another.

Give `memory_machine` a factory of a `Backend`. After each step, what was reported and what is stored is what the
reference says. A failing example is printed as the calls that replay it, shortened by hypothesis as far as it goes.

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

from s3memory._extras import ensure_installed

ensure_installed("s3memory.testing.machine", {"hypothesis": "hypothesis"})

from s3memory.testing.machine.general import MemoryMachine, memory_machine  # noqa: E402 - which imports it
from s3memory.testing.machine.model import Backend, MemoryClient  # noqa: E402 - same

__all__ = ["Backend", "MemoryClient", "MemoryMachine", "memory_machine"]
