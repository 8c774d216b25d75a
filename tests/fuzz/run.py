"""Fuzzes one target: ``python tests/fuzz/run.py TARGET SECONDS``. It writes its findings to build/fuzz/TARGET.

New inputs that reach new code are kept in build/fuzz/TARGET/corpus; ``--keep`` merges those into tests/fuzz/corpus.
It needs the package's extra ``fuzz``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

_HERE = Path(__file__).parent
_BUILD = _HERE.parent.parent / "build" / "fuzz"
# No input takes a second of processor time; a busy machine may take longer.
_LIMITS = ("-timeout=30", "-rss_limit_mb=600", "-print_final_stats=1", "-verbosity=0")
_MAX_BYTES = {"envelope": 2_000, "export": 20_000, "path": 5_000, "object_key": 2_000, "tool_input": 4_000}

sys.path.insert(0, str(_HERE.parent))
with atheris.instrument_imports(include=["s3memory", "tarfile"]):
    from fuzz.targets import TARGETS


def main(name: str, seconds: str, *more: str) -> None:
    """Fuzz a target for a number of seconds."""
    kept, found = _HERE / "corpus" / name, _BUILD / name
    new = found / "corpus"
    new.mkdir(parents=True, exist_ok=True)
    arguments = [sys.argv[0], f"-artifact_prefix={found}/", *_LIMITS, f"-max_len={_MAX_BYTES.get(name, 3_000)}"]
    if "--keep" in more:
        arguments += ["-merge=1", str(kept), str(new)]
    else:
        arguments += [f"-max_total_time={seconds}", str(new), str(kept)]
    atheris.Setup(arguments, TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
