"""Counts the instructions of sealing and opening, and of bare AES-GCM, with valgrind: the same on a busy machine.

Run it with ``make bench-instructions``. Each count is the difference of two processes that differ only in the number of
calls. valgrind's processor has fewer vector instructions than a real one, so a long text counts for more here than it
takes. For a short text, where the fixed part dominates, the ratio agrees with a profile.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_SIZES_BYTES: Final = {"1 kB": 1_000, "16 kB": 16_000}
_CALLS: Final = 200
_PREPARED: Final = """
import sys
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.cobblestone import Cobblestone256Encryptor
from s3memory.format.envelope import FILE_PURPOSE, DataKey, Place, open_sealed, seal
calls, text = int(sys.argv[1]), bytes(int(sys.argv[2]))
data_key, place, nonce = DataKey(1, bytes(32)), Place(FILE_PURPOSE, "acme", "/memories/notes.md"), bytes(12)
sealed, ciphertext = seal(text, data_key=data_key, place=place), AESGCM(bytes(32)).encrypt(nonce, text, b"context")
for _ in range(calls):
    {call}
"""
_CASES: Final = {
    "encrypt": 'AESGCM(bytes(32)).encrypt(nonce, text, b"context")',
    "cobblestone": "cobblestone = Cobblestone256Encryptor(bytes(32), b'context'); "
    "cobblestone.update(text) + cobblestone.finalize()",
    "seal": "seal(text, data_key=data_key, place=place)",
    "decrypt": 'AESGCM(bytes(32)).decrypt(nonce, ciphertext, b"context")',
    "open": "open_sealed(sealed, data_key=data_key, place=place)",
}


def instructions(program: str, *arguments: int, environment: Mapping[str, str] | None = None) -> int:
    """Return the number of instructions of a Python program, from the start of the interpreter to its end.

    Raises:
        RuntimeError: valgrind printed no count.
    """
    path = os.pathsep.join(entry for entry in [str(Path(__file__).parents[1]), *sys.path] if entry)
    done = subprocess.run(  # noqa: S603 - valgrind, this interpreter, our program
        [
            shutil.which("valgrind") or "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={os.devnull}",
            *(sys.executable, "-S", "-c", program, *map(str, arguments)),
        ],
        # Fixed hashes give sets of strings a fixed order, and so the same instructions.
        env={"PYTHONDONTWRITEBYTECODE": "1", **(environment or {}), "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"Collected : ([0-9]+)", done.stderr)
    if found is None:
        raise RuntimeError(f"valgrind printed no count: {done.stderr[-500:]}")
    return int(found[1])


def table() -> str:
    """Return a table of the counts, or a sentence if valgrind is not installed."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed: no instructions were counted."
    lines = [
        "| bytes | AES-GCM encrypts in | Cobblestone itself, ratio | seal, ratio | AES-GCM decrypts in | open, ratio |",
        "|---|---|---|---|---|---|",
    ]
    for size, size_bytes in _SIZES_BYTES.items():
        each = {}
        for name, call in _CASES.items():
            program = _PREPARED.format(call=call)
            once = instructions(program, 1, size_bytes)
            each[name] = (instructions(program, 1 + _CALLS, size_bytes) - once) / _CALLS
        of_encrypt = {name: f"{count / each['encrypt']:.2f}" for name, count in each.items()}
        lines.append(
            f"| {size} | {each['encrypt']:,.0f} | {of_encrypt['cobblestone']} | {of_encrypt['seal']} | "
            f"{each['decrypt']:,.0f} | {each['open'] / each['decrypt']:.2f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
