"""What the package's metadata says of the repository that it was built from: where that is, and the README's pages.

The README links to files beside it, and beside its copy on an index there are none. The workflow that publishes a
release knows where they are, and says so in ``REPOSITORY_URL``. A build anywhere else leaves the README as it is.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


class RepositoryMetadata(MetadataHookInterface):
    """The README and the project's URLs, of the tag that a release is built from."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill them in. A build from an sdist has them already."""
        if sys.version_info < (3, 11):  # noqa: UP036 - pip looks through all releases of the dependencies first
            raise SystemExit(f"s3memory needs Python 3.11 or later, and this is {sys.version.split()[0]}")
        text = (Path(self.root) / "README.md").read_text("utf-8")
        repository = os.environ.get("REPOSITORY_URL")
        if repository:
            text = absolute(text, repository, f"v{metadata['version']}")
            pages = f"{repository}/blob/v{metadata['version']}"
            urls = {"Repository": repository, "Changelog": f"{pages}/CHANGELOG.md", "Security": f"{pages}/SECURITY.md"}
            metadata.setdefault("urls", urls)
        metadata.setdefault("readme", {"content-type": "text/markdown", "text": text})


def absolute(text: str, repository: str, tag: str) -> str:
    """Return a page of the repository's root whose links lead to the files of a tag, and pictures to their bytes."""

    def led(link: re.Match[str]) -> str:
        kind = "raw" if link[1].endswith((".svg", ".png")) else "blob"
        return f"]({repository}/{kind}/{tag}/{link[1]})"

    return _RELATIVE_LINK.sub(led, text)
