"""Inputs that fuzzing kept, run again: external data causes no errors except the package's own."""

from __future__ import annotations

import pytest
from fuzz.targets import TARGETS
from support.figures import FIGURES
from support.repository import REPOSITORY

CORPUS = REPOSITORY / "tests" / "fuzz" / "corpus"


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_inputs_from_fuzzing_cause_only_the_packages_own_errors(name: str) -> None:
    kept = sorted(path for path in (CORPUS / name).iterdir() if path.is_file())
    assert kept
    for path in kept:
        TARGETS[name](path.read_bytes())
        FIGURES[f"fuzz: inputs of {name} replayed"] += 1
