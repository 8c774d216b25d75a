"""Hooks of `mkdocs.yml` that lay out the repository's pages as a site, with the repository's directory structure.

A relative link therefore leads to the same page on the site and on a code host. A link to a file or folder that is not
a page becomes text, unless `repo_url` names the repository.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).parents[2]
PATTERNS = (
    "*.md",
    "docs/**/*.md",
    "docs/pictures/*.svg",
    "benchmarks/*.md",
    "benchmarks/plots/*.svg",
    "terraform/README.md",
    "examples/*/README.md",
)
_NPM = REPOSITORY / "build" / "docs" / "node_modules"
# What the theme would load from other hosts, as `make docs` installs it.
MERMAID, IFRAME_WORKER = "mermaid/dist/mermaid.min.js", "iframe-worker/shim/index.js"
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Use the site's own scripts to draw diagrams and to search without a server."""
    config.extra_javascript.append(MERMAID)
    config.extra["polyfills"] = [IFRAME_WORKER]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files that mkdocs found in ``docs/`` by the pages of the whole repository."""
    kept = [file for file in files if file.src_dir != config.docs_dir]
    sources = [(REPOSITORY, path.relative_to(REPOSITORY)) for pattern in PATTERNS for path in REPOSITORY.glob(pattern)]
    sources += [(_NPM, Path(script)) for script in (MERMAID, IFRAME_WORKER)]
    made = [
        File(path.as_posix(), str(folder), config.site_dir, config.use_directory_urls)
        for folder, path in sorted(sources)
    ]
    return Files([*kept, *made])


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links to anything but pages into text, and blocks in languages that only tests know into plain blocks."""

    def linked(link: re.Match[str]) -> str:
        text, target, _ = link.groups()
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), target))
        if files.get_file_from_path(place) is not None or not (REPOSITORY / place).exists():
            return link[0]  # mkdocs reports missing files
        if config.repo_url:
            return f"[{text}]({config.repo_url.rstrip('/')}/blob/HEAD/{place})"
        return text if place in text else f"{text} (`{place}`)"

    return _LINK.sub(linked, re.sub(r"^```vector .*$", "```text", markdown, flags=re.MULTILINE))
