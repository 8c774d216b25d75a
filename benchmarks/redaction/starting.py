"""What importing a library and using it for the first time costs, in processes of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from statistics import median

_RUNS = 7
_TEXT = "Deploy notes: the bucket is acme-prod, the API key is in the vault, ask Jo. password = os.environ['X']"

# What is imported first is what a user of the memory tool has imported already, or of the others: nothing.
_FIRST = {"s3memory": "import s3memory.errors, json, logging, re, dataclasses, urllib.parse"}
_SECOND = {
    "s3memory": "from s3memory.redaction import PatternRedactor; PatternRedactor().redact(text)",
    "detect-secrets": (
        "from detect_secrets.core.scan import scan_file; from detect_secrets.settings import default_settings\n"
        "import tempfile; file = tempfile.NamedTemporaryFile('w+', suffix='.txt'); file.write(text); file.flush()\n"
        "with default_settings(): list(scan_file(file.name))"
    ),
    "betterleaks": "import betterleaks; betterleaks.scan_string(text)",
    "credsweeper": (
        "from credsweeper import CredSweeper\n"
        "from credsweeper.file_handler.string_content_provider import StringContentProvider\n"
        "CredSweeper().file_scan(StringContentProvider([text]))"
    ),
    "presidio": (
        "from presidio_analyzer.predefined_recognizers import CreditCardRecognizer as recognizer\n"
        "recognizer().analyze(text, ['CREDIT_CARD'], None)"
    ),
    "datafog": "import datafog; datafog.scan(text, engine='regex')",
}


def milliseconds(python: Path, name: str) -> float:
    """Return the median time of the import and the first use, in fresh processes."""
    first, second = _FIRST.get(name, ""), _SECOND[name]
    script = f"{first}\nimport time\ntext = {_TEXT!r}\nstart = time.process_time()\n{second}\n"
    script += "print((time.process_time() - start) * 1000)"
    # Compiled modules are read, as in an installed package, whatever the environment says.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> float:
        command = (str(python), "-c", script)
        made = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603 - ours
        return float(made.stdout)

    run()
    return median(run() for _ in range(_RUNS))
