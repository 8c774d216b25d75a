"""What an error reporter that captures local variables would send to its service."""

from __future__ import annotations

import traceback
from pathlib import Path

import s3memory

_PACKAGE = str(Path(s3memory.__file__).parent)


def shown_locals(error: BaseException) -> str:
    """Return the local variables of this package's frames, including those of the error's causes."""
    shown, reported = [], [traceback.TracebackException.from_exception(error, capture_locals=True)]
    while reported:
        one = reported.pop()
        shown += [str(frame.locals) for frame in one.stack if frame.filename.startswith(_PACKAGE)]
        reported += [other for other in (one.__cause__, one.__context__) if other is not None]
    return "\n".join(shown)
