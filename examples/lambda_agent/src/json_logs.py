"""One line of JSON for each record, in which no content can be: no message, memory, path, key or traceback.

What this program and s3memory log is written to be safe. Other libraries put URLs, headers and the text of exceptions
into theirs, so of those only who spoke, how loud, and the exception's type is kept.
"""

from __future__ import annotations

import json
import logging
import time

OURS = ("agent", "s3memory")


class JsonLines(logging.Formatter):
    """Formats records of `OURS` with their text and the mapping in ``extra={"fields": ...}``, and all others bare."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, newline included: Lambda's runtime adds none."""
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
    """Give the format to the handlers that Lambda's runtime has put in place, and let `agent` log from INFO on.

    Python's warnings become records as well: their texts quote what an answer of the model held.
    """
    for handler in logging.getLogger().handlers:
        handler.setFormatter(JsonLines())
    logging.captureWarnings(capture=True)
    logging.getLogger("agent").setLevel(logging.INFO)
