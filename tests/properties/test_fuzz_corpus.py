"""What fuzzing kept, once more: nothing that is read from outside fails by anything but the package's own errors."""

from __future__ import annotations

import pytest
from fuzz.targets import TARGETS
from support.figures import FIGURES
from support.repository import REPOSITORY

CORPUS = REPOSITORY / "tests" / "fuzz" / "corpus"


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_what_fuzzing_kept_meets_the_packages_own_errors_alone(name: str) -> None:
    kept = sorted(path for path in (CORPUS / name).iterdir() if path.is_file())
    assert kept
    for path in kept:
        TARGETS[name](path.read_bytes())
        FIGURES[f"fuzz: inputs of {name} replayed"] += 1
