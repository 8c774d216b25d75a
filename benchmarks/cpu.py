"""Measures what this package's own computing costs, as ratios within one run.

Sealing and opening are compared with bare AES-GCM of the same bytes, in CPU time. Commands are compared with the bare
boto3 calls that they make, on a server that answers at once, in CPU time and in instructions. The redactor's throughput
is measured too. For CPU time, cases take turns, and medians are compared.
"""

from __future__ import annotations

import itertools
import os
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import boto3
from cryptography.cobblestone import Cobblestone256Encryptor
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from instructions import instructions
from ledger import BUCKET, KMS_KEY, ROOT
from wire import WireServer

from s3memory import KmsKeyWrapper, MemoryCommands, MemoryStore
from s3memory.aws.clients import PROCESS
from s3memory.format.envelope import FILE_PURPOSE, DataKey, Place, open_sealed, seal
from s3memory.keys.key_cache import KeyCache
from s3memory.redaction import PatternRedactor
from s3memory.s3 import capabilities

ROUNDS: Final = 31
_SIZES_BYTES: Final = {"1 kB": 1_000, "16 kB": 16_000, "100 kB": 100_000, "1 MB": 1_000_000}
_CRYPTO_AIMS: Final = {"1 kB": 2.0, "1 MB": 1.3}
_COMMAND_AIM: Final = 1.25
_CRYPTO_BYTES_A_ROUND: Final = 2_000_000
_WHY_CRYPTO: Final = """\
Cobblestone derives a key for each message and commits to it, with HKDF-SHA-512. For a short text, that takes longer
than encrypting it. The rest is the context that binds the object to its place. Compared with a request, all of it is
negligible."""
_WHY_COMMANDS: Final = """\
Bare boto3 sends the same requests, one after another, and does nothing with the responses. Instructions (valgrind)
decide whether the aim is met: ratios of CPU time differ by a tenth from run to run. A view of a directory, a create and
a delete send two requests in parallel, in two threads, which saves a round trip. Two threads that take turns at one
interpreter cost processor time that is not in our instructions."""
_WARM_CALLS: Final = 10
_ONE_OF_A_PAIR: Final = """
import sys
from cpu import command_pairs
call = command_pairs({url!r})[{what!r}][{side}]
for _ in range(int(sys.argv[1])):
    call()
"""
_ONCE: Final = "This line is there once."
_LINE: Final = "On Tuesday we moved the nightly build to another machine; it now takes twelve minutes.\n"


def medians(cases: Mapping[str, Callable[[], object]], *, calls: int, rounds: int = ROUNDS) -> dict[str, float]:
    """Return each case's median CPU time per call, in seconds, over all threads of this process."""
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            begin = time.process_time()
            for _ in range(calls):
                case()
            if number:  # the first round warms caches
                taken[name].append((time.process_time() - begin) / calls)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def crypto_table() -> str:
    """Return a table that compares sealing and opening with bare AES-GCM."""
    lines = [
        "| bytes | AES-GCM, µs | Cobblestone itself, ratio | seal, ratio | open, ratio | aim |",
        "|---|---|---|---|---|---|",
    ]
    data_key = DataKey(1, AESGCM.generate_key(256))
    place = Place(FILE_PURPOSE, "acme", "/memories/notes.md")
    for size, size_bytes in _SIZES_BYTES.items():
        plaintext = os.urandom(size_bytes)
        sealed = seal(plaintext, data_key=data_key, place=place)

        def bare_encrypt(plaintext: bytes = plaintext) -> object:
            return AESGCM(data_key.key_bytes).encrypt(os.urandom(12), plaintext, b"context")

        nonce = os.urandom(12)
        ciphertext = AESGCM(data_key.key_bytes).encrypt(nonce, plaintext, b"context")

        def bare_decrypt(nonce: bytes = nonce, ciphertext: bytes = ciphertext) -> object:
            return AESGCM(data_key.key_bytes).decrypt(nonce, ciphertext, b"context")

        def cobblestone(plaintext: bytes = plaintext) -> object:
            encryptor = Cobblestone256Encryptor(data_key.key_bytes, b"context")
            return encryptor.update(plaintext) + encryptor.finalize()

        def ours_seal(plaintext: bytes = plaintext) -> object:
            return seal(plaintext, data_key=data_key, place=place)

        def ours_open(sealed: bytes = sealed) -> object:
            return open_sealed(sealed, data_key=data_key, place=place)

        times = medians(
            {
                "encrypt": bare_encrypt,
                "cobblestone": cobblestone,
                "seal": ours_seal,
                "decrypt": bare_decrypt,
                "open": ours_open,
            },
            calls=max(2, min(1_000, _CRYPTO_BYTES_A_ROUND // size_bytes)),
        )
        ratios = times["seal"] / times["encrypt"], times["open"] / times["decrypt"]
        aim = _CRYPTO_AIMS.get(size)
        verdict = "" if aim is None else f"{aim}: {'met' if max(ratios) <= aim else '**missed**'}"
        itself = times["cobblestone"] / times["encrypt"]
        lines.append(
            f"| {size} | {times['encrypt'] * 1e6:.1f} | {itself:.2f} | {ratios[0]:.2f} | {ratios[1]:.2f} | {verdict} |"
        )
    return "\n".join(lines) + f"\n\n{_WHY_CRYPTO}"


def command_pairs(url: str) -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """Return commands on a file of 1 kB, each after the bare boto3 calls that it makes, one after another."""
    s3: Any = boto3.Session().client("s3")  # as a program would make it, and not from our session
    capabilities.record(url, BUCKET, honoured=True)
    tenant = f"cpu-{os.getpid()}"  # another process may be running the same commands
    commands = MemoryCommands(
        MemoryStore(
            bucket=BUCKET,
            tenant=tenant,
            key_wrapper=KmsKeyWrapper(KMS_KEY, endpoint_url=url),
            s3_client=PROCESS.s3_client(endpoint_url=url),
            key_cache=KeyCache(),
        )
    )
    # Each text is new, since the redactor remembers texts, and has the same size.
    numbers = itertools.count(1_000_000)
    once = f"{_ONCE} {next(numbers)}"
    for name in ("a", "edited"):
        commands.create(f"{ROOT}/notes/{name}.md", f"{once}\n{_LINE * 12}"[:1_000])
    prefix = f"memories/{tenant}/notes/"
    key, new_key = f"{prefix}a.md", f"{prefix}new.md"
    body = s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()

    def get() -> str:
        answer = s3.get_object(Bucket=BUCKET, Key=key)
        answer["Body"].read()
        return str(answer["ETag"])

    def missing(object_key: str, operation: Callable[..., object]) -> None:
        try:
            operation(Bucket=BUCKET, Key=object_key)
        except s3.exceptions.ClientError:
            return
        raise RuntimeError("this object should not exist")

    def bare_view_directory() -> None:
        missing(prefix[:-1], s3.get_object)
        s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix)

    def bare_insert() -> None:
        s3.put_object(Bucket=BUCKET, Key=key, Body=body, IfMatch=get())

    def bare_create_delete() -> None:
        s3.list_objects_v2(Bucket=BUCKET, Prefix=f"{new_key}/", MaxKeys=1)
        missing(prefix[:-1], s3.head_object)
        s3.put_object(Bucket=BUCKET, Key=new_key, Body=body, IfNoneMatch="*")
        etag = s3.head_object(Bucket=BUCKET, Key=new_key)["ETag"]
        s3.list_objects_v2(Bucket=BUCKET, Prefix=f"{new_key}/")
        s3.delete_object(Bucket=BUCKET, Key=new_key, IfMatch=etag)

    def ours_insert() -> None:
        nonlocal once
        once, before = f"{_ONCE} {next(numbers)}", once
        commands.str_replace(f"{ROOT}/notes/edited.md", before, once)

    def ours_create_delete() -> None:
        commands.create(f"{ROOT}/notes/new.md", f"{next(numbers)}\n{_LINE * 12}"[:1_000])
        commands.delete(f"{ROOT}/notes/new.md")

    return {
        "view a file": (get, lambda: commands.view(f"{ROOT}/notes/a.md")),
        "view a directory": (bare_view_directory, lambda: commands.view(f"{ROOT}/notes")),
        "str_replace": (bare_insert, ours_insert),
        "create and delete": (bare_create_delete, ours_create_delete),
    }


def command_table(server: WireServer) -> str:
    """Return a table that compares commands with their bare boto3 calls, in CPU time and in instructions."""
    pairs = command_pairs(server.url)
    lines = ["| command | bare boto3, ms | ratio | the same in instructions | aim |", "|---|---|---|---|---|"]
    for what, (bare, ours) in pairs.items():
        # Few calls a turn: other processes then disturb both sides alike.
        times = medians({"bare": bare, "ours": ours}, calls=5)
        counts = [_instructions_of(what, side, server) for side in (0, 1)]
        ratio = counts[1] / counts[0]
        verdict = "met" if ratio <= _COMMAND_AIM else "**missed**"
        lines.append(
            f"| {what} | {times['bare'] * 1_000:.2f} | {times['ours'] / times['bare']:.2f} | {ratio:.2f} | "
            f"{_COMMAND_AIM}: {verdict} |"
        )
    return "\n".join(lines)


def _instructions_of(what: str, side: int, server: WireServer) -> float:
    """Return the instructions of one call. Side 0 of a pair is bare boto3, side 1 is ours."""
    program = _ONE_OF_A_PAIR.format(url=server.url, what=what, side=side)
    environment = {**os.environ, **server.environment}
    fewer, more = (instructions(program, calls, environment=environment) for calls in (_WARM_CALLS, 2 * _WARM_CALLS))
    return (more - fewer) / _WARM_CALLS


def redaction_line() -> str:
    """Return the redactor's throughput on text that has nothing to redact."""
    lines = []
    for size, size_bytes in _SIZES_BYTES.items():
        text = (_LINE * (size_bytes // len(_LINE) + 1))[:size_bytes]

        def redact(text: str = text) -> object:
            return PatternRedactor().redact(text)  # a new one: a redactor does not check a known text again

        seconds = medians({"redact": redact}, calls=max(1, 100_000 // size_bytes), rounds=7)["redact"]
        lines.append(f"{size_bytes / seconds / 1e6:.1f} MB/s at {size}")
    return f"Redaction of plain prose: {', '.join(lines)}."


def report() -> str:
    """Return the tables of the report's section."""
    with WireServer(delay_seconds=0) as server:
        os.environ |= server.environment
        commands = command_table(server)
    return f"{crypto_table()}\n\n{commands}\n\n{_WHY_COMMANDS}\n\n{redaction_line()}"


if __name__ == "__main__":
    print(report())
