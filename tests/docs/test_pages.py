"""Links and anchors have targets, generated parts match the code, and the site has every page."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import Path

import generated_parts
import pytest
from support.for_each import for_each
from support.repository import REPOSITORY

PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "terraform/*.md", "examples/*/README.md", "tests/*.md")
    for page in REPOSITORY.glob(pattern)
)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?![a-z]+:)([^)\s]*)\)")


def name_of(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def anchors(page: Path) -> set[str]:
    """Return the anchors that a code host and the site give the headings of a page."""
    titles = re.findall(r"^#+ (.*)", _FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    plain = (unicodedata.normalize("NFKD", re.sub(r"[`*]", "", title)).lower() for title in titles)
    return {re.sub(r"[^\w -]", "", title).strip().replace(" ", "-") for title in plain}


@for_each("page", PAGES, ids=name_of)
def test_links_and_anchors_have_targets(page: Path) -> None:
    for link in _LINK.findall(_FENCE.sub("", page.read_text("utf-8"))):
        target, _, anchor = link.partition("#")
        place = page.parent / target if target else page
        assert place.exists(), link
        assert not anchor or anchor in anchors(place), link


@for_each("page", generated_parts.PAGES, ids=name_of)
def test_generated_parts_match_the_code(page: Path) -> None:
    text = page.read_text("utf-8")
    assert generated_parts.filled(text) == text, "run: make docs-pages"


def test_every_generated_part_is_on_a_page() -> None:
    named = {
        part[1] for page in generated_parts.PAGES for part in generated_parts.PART.findall(page.read_text("utf-8"))
    }
    assert named == set(generated_parts.PARTS)


def test_the_site_has_every_page() -> None:
    navigation = (REPOSITORY / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    listed = set(re.findall(r"- (\S+\.md)$", navigation, re.MULTILINE))
    assert listed == {name_of(page) for page in PAGES} - {"tests/README.md"} - {
        name for name in map(name_of, PAGES) if re.match(r"docs/decisions/\d", name)
    }


def test_the_reference_names_everything_public() -> None:
    import s3memory  # noqa: PLC0415 - one test's

    page = (REPOSITORY / "docs" / "reference" / "api.md").read_text("utf-8")
    assert set(re.findall(r"^::: s3memory\.([A-Z]\w+|\w+_\w+)$", page, re.MULTILINE)) == set(s3memory.__all__)


def test_the_reference_and_the_versions_page_agree_on_what_is_public() -> None:
    import s3memory  # noqa: PLC0415 - one test's

    reference = (REPOSITORY / "docs" / "reference" / "api.md").read_text("utf-8")
    versions = (REPOSITORY / "docs" / "versions.md").read_text("utf-8")
    (row,) = (line for line in versions.splitlines() if line.startswith("| **Public API**"))
    (unstable,) = (block for block in versions.split("\n\n") if block.startswith("Not stable in any version"))
    stable, not_stable = (set(re.findall(r"`(s3memory\.[a-z_.]+)`", text)) for text in (row, unstable))
    exported = {f"s3memory.{name}" for name in s3memory.__all__}
    described = set(re.findall(r"^::: (s3memory\.[\w.]+)$|`(s3memory\.errors)`", reference, re.MULTILINE))
    described_names = {module or errors for module, errors in described} - exported
    assert exported.isdisjoint(stable | not_stable)
    assert stable - described_names == set()
    assert {name for name in described_names - stable if not name.startswith(tuple(not_stable))} == set()
    assert not_stable <= described_names


def test_what_pages_import_or_deploy_is_stable_according_to_the_versions_page() -> None:
    text = (REPOSITORY / "docs" / "versions.md").read_text("utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith("| **Public API**"))
    stable = set(re.findall(r"`(s3memory[a-z_.]*)`", row))
    pages = "\n".join(page.read_text("utf-8") for page in PAGES)
    imported = re.findall(r"^ *(?:from|import) (s3memory[a-z_.]*)", pages, re.MULTILINE)
    handlers = re.findall(r"`(s3memory\.bulk\.[a-z]+)`", pages.replace(row, ""))
    used = {*imported, *handlers}
    assert used > {"s3memory", "s3memory.testing", "s3memory.bulk.erase"}
    assert used - stable == set()


def test_the_versions_page_names_unstable_imports_of_the_examples() -> None:
    text = (REPOSITORY / "docs" / "versions.md").read_text("utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith("| **Public API**"))
    (named,) = (block for block in text.split("\n\n") if "modules that are\nnot stable" in block)
    stable, not_stable = (set(re.findall(r"`(s3memory[a-z_.]*)`", part)) for part in (row, named))
    sources = [path for path in (REPOSITORY / "examples").rglob("*.py") if not path.name.startswith("test_")]
    imported = set(
        re.findall(r"^ *(?:from|import) (s3memory[\w.]*)", "\n".join(map(Path.read_text, sources)), re.MULTILINE)
    )
    assert imported > {"s3memory", "s3memory.errors"}
    assert imported - stable == not_stable


def test_the_reference_names_every_function_behind_an_operators_command() -> None:
    named = set(
        re.findall(
            r"^::: (s3memory\.admin\.[\w.]+)$",
            (REPOSITORY / "docs" / "reference" / "api.md").read_text("utf-8"),
            re.MULTILINE,
        )
    )
    used: set[str] = set()
    for source in [*(REPOSITORY / "s3memory" / "cli").rglob("*.py"), *(REPOSITORY / "s3memory" / "bulk").glob("*.py")]:
        text = source.read_text("utf-8")
        used |= set(re.findall(r"from (s3memory\.admin\.[\w.]+) import", text))
        for package, names in re.findall(r"from (s3memory\.admin[\w.]*) import ([^(\n]+)", text):
            used |= {f"{package}.{name.split()[0]}" for name in names.split(",")}
    modules = {name for name in used if (REPOSITORY / f"{name.replace('.', '/')}.py").exists()}
    assert modules > {"s3memory.admin.verify", "s3memory.admin.keys.rotation"}
    assert modules - named == set()


def test_the_architecture_page_names_shared_modules_and_exceptions_to_import_rules() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
    modules = {path.name for path in (REPOSITORY / "s3memory").glob("_[a-z]*.py")}
    assert set(re.findall(r"`(_[a-z]+\.py)`", page)) == modules
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    exempted = {one["name"]: one.get("ignore_imports", []) for one in contracts}
    upwards = exempted["Imports go one way: from the doors down to the errors"]
    frameworks = exempted["Only an adapter knows its framework"]
    of_cli = sorted(one for one in frameworks if not one.startswith(("s3memory.adapters.", "s3memory.audit.")))
    assert upwards == ["s3memory.commands -> s3memory.mounts"], "docs/architecture.md tells of this one alone"
    assert of_cli == ["s3memory.cli.agent -> anthropic", "s3memory.cli.mcp -> anyio"], "and of these two"


WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_of_a_workflow_is_pinned_to_a_commit_and_names_its_version(workflow: Path) -> None:
    actions = re.findall(r"uses: (.+)", workflow.read_text("utf-8"))
    assert actions
    assert [action for action in actions if not re.fullmatch(r"\S+@[0-9a-f]{40}  # v[\d.]+", action)] == []


def test_published_builds_know_their_repository() -> None:
    publish = (REPOSITORY / ".github" / "workflows" / "publish.yml").read_text("utf-8")
    where = "REPOSITORY_URL: ${{ github.server_url }}/${{ github.repository }}"
    assert re.search(rf"- run: make release-check\n +env:\n +{re.escape(where)}\n", publish)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "tests/README.md"])
def test_every_file_and_target_on_a_page_for_developers_exists(page: str) -> None:
    text = (REPOSITORY / page).read_text("utf-8")
    roots = (REPOSITORY, REPOSITORY / "s3memory", REPOSITORY / "tests")
    # `make test` creates .venv; this may run in another environment.
    named = set(re.findall(r"`(?:\.venv/bin/pytest )?((?!\.venv/)[\w.-]+(?:/[\w.-]*)+)`", text))
    assert named
    assert [
        name for name in named if not any((root / name).exists() or (root / f"{name}.py").exists() for root in roots)
    ] == []
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    assert [name for name in re.findall(r"`make ([a-z-]+)`", text) if f"\n{name}:" not in makefile] == []
