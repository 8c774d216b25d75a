"""`docs/redaction.md` works: every snippet and command runs, and its table has every kind."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from conftest import TENANT
from support.cli_runs import Ran, Run
from support.repository import REPOSITORY

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.redaction.configuration import redactor_from_toml
from s3memory.redaction.kinds import PERSONAL_KINDS
from s3memory.redaction.policy import MODES
from s3memory.redaction.rules import KINDS
from s3memory.redaction.rules.reading.languages import LANGUAGES

PAGE = (REPOSITORY / "docs" / "redaction.md").read_text("utf-8")
FIGURES = (REPOSITORY / "benchmarks" / "redaction.md").read_text("utf-8")
LEFT_OUT = (REPOSITORY / "benchmarks" / "redaction_left_out.md").read_text("utf-8")
WORDS, THEMES = (REPOSITORY / "benchmarks" / "redaction" / folder for folder in ("words", "training_notes"))
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
SNIPPETS = [text for language, text in BLOCKS if language == "python"]
COMMANDS = [line for language, text in BLOCKS if language == "console" for line in text.splitlines()]
NOTES = "tea\npassword: Harbor!4711x\nmail jo@acme-corp.example\n"


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_snippet_prints_what_it_says(snippet: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet, "redaction.md", "exec"), {})  # noqa: S102 - our own page
    assert printed.getvalue().splitlines() == re.findall(r"print\(.*\)  # (.*)", snippet)
    assert printed.getvalue()


def test_the_toml_file_is_a_valid_policy() -> None:
    (document,) = (text for language, text in BLOCKS if language == "toml")
    redactor = redactor_from_toml(document)
    assert redactor.redact("TICKET-4711").text == "[REDACTED:ticket]"


def carried_out(run: Run, command: str, folder: Path) -> Ran:
    """Run a command as a shell would, in this process."""
    words, files = shlex.split(command), {}
    for sign in ("<", ">"):
        if sign in words:
            place = words.index(sign)
            files[sign] = folder / words[place + 1]
            del words[place : place + 2]
    ran = run(*words[1:], stdin=files["<"].read_bytes() if "<" in files else b"")
    if ">" in files:
        files[">"].write_text(ran.out, "utf-8")
    return ran


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("settings")
def test_a_command_does_what_the_page_says(command: str, run: Run, tmp_path: Path, bucket: str, local_key: str) -> None:
    wrapper = LocalKeyWrapper.from_text(local_key)
    commands = MemoryCommands(MemoryStore(bucket=bucket, tenant=TENANT, key_wrapper=wrapper, redactor=None))
    commands.create("/memories/a", NOTES)
    (tmp_path / "notes.md").write_text(NOTES, "utf-8")
    ran = carried_out(run, command, tmp_path)
    found = "--check" in command or ("scan" in command and "--fix" not in command)
    assert ran.exit_code == (1 if found else 0)
    assert "Harbor" not in ran.out + ran.err
    assert "password" in ran.out + ran.err
    if "--fix" in command:
        assert "Harbor" not in commands.view("/memories/a")
    if "clean.md" in command:
        assert "[REDACTED:password]" in (tmp_path / "clean.md").read_text("utf-8")


def test_the_table_has_every_kind() -> None:
    rows = re.findall(r"^\| ([^|]+) \| (`[^|]+) \|$", section("What is caught"), re.MULTILINE)
    kinds = [kind for _, cell in rows for kind in re.findall(r"`([a-z0-9-]+)`", cell)]
    assert sorted(kinds) == sorted(KINDS | PERSONAL_KINDS)
    assert f"{len(KINDS)} kinds" in PAGE
    assert f"in {len(LANGUAGES)} languages" in PAGE


def test_the_page_lists_all_modes() -> None:
    assert re.findall(r"^\| `([a-z]+)` \|", section("Policy"), re.MULTILINE) == list(MODES)


def test_the_figures_match_the_benchmark() -> None:
    held_out = dict(re.findall(r"^\| ([^|]+) \| [0-9]* \| [0-9.]+ \| ([0-9.]+) \|", FIGURES, re.MULTILINE))
    unseen = dict(re.findall(r"^\| ([a-z ]+ its name) \| ([0-9.]+) \|", FIGURES, re.MULTILINE))
    wrong = dict(re.findall(r"^\| flags a MB of (\w+), [^|]+ \| [^|]* \| [0-9.]+ \(([0-9.]+)\)", FIGURES, re.MULTILINE))
    told = " ".join(section("What is caught").split())
    assert f"{unseen['beside its name']}% of its tokens are still found next to its name" in told
    assert f"and {unseen['without its name']}% without it" in told
    for row, words in {
        "notes: tokens of unseen forms": "% of tokens, ",
        "notes: one-time codes, seeds and recovery": "% of one-time codes",
        "notes: passwords in prose, English": "% of passwords in English",
        "notes: passwords in prose, other languages": "% in other languages",
        "notes: passwords said in unlisted ways": "% in spellings",
        "evaluation: notes of agents at work": "% of the secrets in notes of agents at work",
        "evaluation: notes on infrastructure": "% of those in notes on infrastructure",
        "evaluation: notes of agents of all sorts": "% of those in notes of agents of all sorts",
        "evaluation: notes of agents of all sorts, innocent: flagged": "% of the last,",
        "evaluation: notes of agents at work, innocent: flagged": "% of the first,",
        "evaluation: notes on infrastructure, innocent: flagged": "% of the second",
        "secrets together": "% of secrets",
        "provider tokens": "% of tokens with a provider's prefix",
        "passwords in prose": "% of passwords in prose",
        "eight encodings": "% of encoded tokens",
    }.items():
        assert f"{held_out[row]}{words}" in told, row
    (by_verbs,) = re.findall(r"^\| evaluation: introduced by a verb only \| 92 \| ([0-9.]+) \|", FIGURES, re.MULTILINE)
    assert f'only a verb introduces ("the zip opens with v"), {by_verbs}% are found' in told
    assert f"{wrong['pages']} flags per MB are plainly wrong, and in their code {wrong['code']}." in told


def test_the_shares_of_weighed_findings_match_the_training() -> None:
    (row,) = re.findall(r"^\| all \| (.*) \|$", LEFT_OUT, re.MULTILINE)
    n_secrets, n_before, n_found, n_innocent, n_flagged_before, n_flagged = map(int, row.split(" | "))
    told = " ".join(section("What is caught").split())
    assert (
        f"{n_found / n_secrets:.1%} of the secrets are found, and {n_before / n_secrets:.1%} without the models" in told
    )
    assert f"In {n_flagged / n_innocent:.1%} of the innocent notes something is flagged" in told
    assert f"lexicon of {len([*WORDS.glob('??.toml')])} languages" in told
    n_notes = sum(len(path.read_text("utf-8").splitlines()) for path in THEMES.glob("*.jsonl"))
    assert f" {round(n_notes, -2):,} made-up notes" in told
    assert f"without the models in {n_flagged_before / n_innocent:.1%}" in told
    (n_found_in_files,) = re.findall(rf"in a file, (\d+) of {n_secrets} secrets are found", LEFT_OUT)
    assert f"several to a file, {int(n_found_in_files) / n_secrets:.1%} of the secrets are found" in told


def headings(page: str) -> set[str]:
    titles = re.findall("^#+ (.*)", page, re.MULTILINE)
    return {re.sub(r"[^a-z -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_links_have_targets() -> None:
    docs = REPOSITORY / "docs"
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        name, _, heading = target.partition("#")
        page = (docs / name).read_text("utf-8") if name else PAGE
        assert not heading or heading in headings(page)
