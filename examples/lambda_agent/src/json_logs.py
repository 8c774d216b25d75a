"""Logs one line of JSON per record, never with content: no user's message, memory text, path, key or traceback.

The log messages of this program and of s3memory are written to be safe. Those of other libraries may hold URLs, headers
and exception texts, so a line for them has only the logger, the level, the place in the code, and the exception's type.
"""

from __future__ import annotations

import json
import logging
import time

OURS = ("agent", "s3memory")


class JsonLines(logging.Formatter):
    """Formats records: those of `OURS` with their text and the mapping in ``extra={"fields": ...}``; others without."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line with its newline: Lambda's runtime adds none."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname,
            "logger": record.name,
            "request_id": getattr(record, "aws_request_id", None),  # the runtime's filter sets it
        }
        if record.name.partition(".")[0] in OURS:
            line |= {"message": record.getMessage(), **getattr(record, "fields", {})}
        else:
            line["at"] = f"{record.module}:{record.lineno}"
        if record.exc_info and record.exc_info[0] is not None:
            line["error_type"] = record.exc_info[0].__name__
        return json.dumps({name: value for name, value in line.items() if value is not None}) + "\n"


def set_up() -> None:
    """Set the format on the handlers that Lambda's runtime has installed, and the level of `agent` to INFO.

    Python's warnings become log records, so that their texts are left out too: they may quote a response of Claude's.
    """
    for handler in logging.getLogger().handlers:
        handler.setFormatter(JsonLines())
    logging.captureWarnings(capture=True)
    logging.getLogger("agent").setLevel(logging.INFO)
