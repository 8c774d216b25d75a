"""`warm_up`: what a first write would wait for is done before it."""

from __future__ import annotations

from s3memory.redaction import PatternRedactor, warm_up
from s3memory.redaction.text.compiling import compiled

_NOTES = (
    "The customer is on holiday until Monday. Her password for the portal is still the old one, Tom resets it.",
    "# Release 4.2\n\n- tag it once `make check` passes\n- the key for signing is in the vault (ask Ines)\n",
    "host: build-7\nuser: ci\npassword: ${CI_PASSWORD}\n\nlast run 2026-03-04, job 88123, all green",
)


def _compiled_by(text: str) -> int:
    before = compiled.cache_info().misses
    PatternRedactor().redact(text)
    return compiled.cache_info().misses - before


def test_a_first_write_compiles_hardly_anything_once_it_was_warmed_up() -> None:
    cold = []
    for note in _NOTES:
        compiled.cache_clear()
        cold.append(_compiled_by(note))
    compiled.cache_clear()
    warm_up()
    warm = [_compiled_by(note) for note in _NOTES]
    assert all(few * 4 < many for few, many in zip(warm, cold, strict=True)), (warm, cold)
