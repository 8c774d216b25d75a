"""What fuzzing kept, once more: nothing that is read from outside fails by anything but the package's own errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from figures import FIGURES
from fuzz.seeds import CORPUS, seeds
from fuzz.targets import TARGETS


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_what_fuzzing_kept_meets_the_packages_own_errors_alone(name: str) -> None:
    kept = sorted(path for path in Path(CORPUS, name).iterdir() if path.is_file())
    assert kept
    for data in (*(path.read_bytes() for path in kept), *seeds()[name]):
        TARGETS[name](data)
        FIGURES[f"fuzz: inputs of {name} replayed"] += 1
