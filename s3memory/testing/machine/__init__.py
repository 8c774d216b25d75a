"""State machines that compare any memory with `ReferenceMemory`: commands of several clients, one after another.

Pass `memory_machine` a factory of a `Backend`. After each step, the command's result and the stored files must be those
of the reference. A failing example is printed as the calls that replay it, shrunk by hypothesis.

This package needs hypothesis, which is not a dependency of `s3memory`, so nothing else imports it.

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
