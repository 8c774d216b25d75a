"""What was checked before is not checked again, and nothing is missed for that: an edit is redacted as new text is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.redaction_samples import expanded, without_marks

from s3memory.redaction import PatternRedactor, UncheckedTextError
from s3memory.redaction.interface import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules import RULES
from s3memory.redaction.searching.checked_blocks import Checked, blocks_of

PROSE = (
    "- Jo keeps the keys of the old shed in the kitchen\n",
    "On Monday the shop moves, and Jo packs the (old) lamps.\n",
    "The shop moved to the new region in May, and the nightly job runs at two.\n",
    "- ask Jo about the invoices of 2026-03-04\n",
    "def total(rows: list[Row]) -> int:\n    return sum(row.price for row in rows)\n",
    '{"id": 7, "name": "search", "tags": ["a", "b"]},\n',
    "| 1 | search | ok |\n",
    "{\n",
    "\n",
    "\n\n",
)
# What a rule reads from afar: heads, names and openings, and what may stand below them.
HEADS = (
    "| user | password |\n|---|---|\n",
    "user,password\n",
    "Passwords:\n\n",
    "Recovery codes:\n",
    "INSERT INTO users (name, password) VALUES\n",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "PuTTY-User-Key-File-2: ssh-rsa\n",
    "password: |\n",
    "Cookie: theme=dark; lang=en\n",
    "our seed phrase:\n",
    "the password of the till is",
)
BELOW = (
    "| jo | Harbor!4711x |\n",
    "jo,Harbor!4711x\n",
    "- Harbor!4711x\n",
    "1a2b3-c4d5e\n",
    "('jo', 'Harbor!4711x'),\n",
    "MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aumnBxkGq3kT9wJd1cX5eQ2bFz\n",
    "  Harbor!4711x\n",
    "cGFzc3dvcmQ6IEhhcmJvciE0NzExeA==\n",
    "legal winner thank year wave sausage worth useful abandon wealth ticket yellow\n",
    "Harbor!4711x\n",
    "tea\n",
)
MADE = [
    without_marks(expanded(sample, random.Random(7)))  # noqa: S311 - they only look like secrets
    for rule in RULES
    if type(rule) is not Rule or rule.samples
    for sample in rule.samples[:1]
]


def lines() -> st.SearchStrategy[str]:
    innocent = st.builds(
        lambda line, times: "".join(line.replace("Jo ", f"Jo {n} ") for n in range(times)),
        st.sampled_from(PROSE),
        st.integers(1, 90),
    )
    return st.one_of(innocent, innocent, st.sampled_from(HEADS), st.sampled_from(BELOW), st.sampled_from(MADE))


def redacted(redactor: PatternRedactor, text: str) -> str:
    return redactor.redact(text).text


@pytest.mark.long
@settings(max_examples=120)
@given(st.lists(lines(), min_size=4, max_size=14), st.lists(st.tuples(st.integers(0, 10**6), lines()), max_size=4))
def test_an_edit_is_redacted_as_a_new_text_is(parts: list[str], edits: list[tuple[int, str]]) -> None:
    padding = PROSE[0] * (8_192 // len(PROSE[0]))  # so long that it is more than one block
    text = redacted(redactor := PatternRedactor(), "".join((padding, "\n", *parts)))
    for place, line in edits:
        position = text.find("\n", place % len(text)) + 1
        text = text[:position] + line + text[position:]
        assert redacted(redactor, text) == redacted(PatternRedactor(), text)
        text = redacted(redactor, text)
        assert redacted(redactor, text) == text


@pytest.mark.parametrize("distance", [0, 3_000, 20_000])
@pytest.mark.parametrize(("head", "row"), [(HEADS[0], BELOW[0]), (HEADS[1], BELOW[1]), (HEADS[4], BELOW[4])])
def test_a_new_row_of_a_long_table_is_read_below_its_head(head: str, row: str, distance: int) -> None:
    innocent = {"|": "| jo | in the vault |\n", "u": "jo,\n", "I": "('jo', NULL),\n"}[head[0]]
    rows = innocent * min(480, distance // len(innocent))
    before = PROSE[0] * 150 + "\n" + head + rows
    redactor = PatternRedactor()
    assert redacted(redactor, before) == before
    assert "Harbor" not in redacted(redactor, before + row)


@pytest.mark.parametrize("place", range(140, 300, 40))
def test_a_new_row_of_html_is_read_below_its_head_however_many_blank_lines_are_above(place: int) -> None:
    rows = [f"<tr><td>host number {number} of the long list</td><td>none</td></tr>" for number in range(300)]
    table = "<table>\n<TR><th>host</th><th>api key</th></TR>\n\n{}\n\n</table>\n\n" + PROSE[0] * 150
    redactor = PatternRedactor()
    before = table.format("\n\n".join(rows))
    assert redacted(redactor, before) == before
    rows.insert(place, "<tr><td>x</td><td>kbxnb7DQnA2</td></tr>")
    assert "kbxnb7" not in redacted(redactor, table.format("\n\n".join(rows)))


def test_only_blocks_that_changed_are_looked_at() -> None:
    text = "".join(f"{number} {line}\n" for number in range(900) for line in PROSE[:2])
    blocks = [*blocks_of(text)]
    assert "".join(text[block.start : block.end] for block in blocks) == text
    checked = Checked()
    assert checked.unknown(blocks) == [(0, len(text))]
    checked.note(blocks, ())
    assert checked.unknown(blocks) == []
    middle = text.index("450 ")
    changed = f"{text[:middle]}x{text[middle:]}"
    ((begin, end),) = checked.unknown(blocks_of(changed))
    assert begin < middle < end
    assert end - begin < len(text) / 2


def test_a_text_of_blank_lines_is_no_block_a_line() -> None:
    blocks = [*blocks_of("".join(f"{number}\n\n" for number in range(20_000)))]
    assert min(block.end - block.start for block in blocks[:-1]) >= 250


def test_a_short_text_is_looked_at_once_until_it_changes() -> None:
    text = PROSE[0] * 5
    checked = Checked()
    assert checked.unknown(blocks_of(text)) == [(0, len(text))]
    checked.note(blocks_of(text), ())
    assert checked.unknown(blocks_of(text)) == []
    assert checked.unknown(blocks_of(f"{text}x")) == [(0, len(text) + 1)]


def test_what_is_checked_again_and_again_stays_known() -> None:
    checked = Checked()
    for number in range(40_000):
        checked.note(blocks_of(f"{number}"), ())
        if number == 0:
            checked.note(blocks_of("often"), ())
        if number % 1_000 == 0:
            assert checked.unknown(blocks_of("often")) == []
    assert checked.unknown(blocks_of("1")) == [(0, 1)]
    assert checked.unknown(blocks_of("39999")) == []


def test_what_was_found_in_a_short_text_is_found_again() -> None:
    redactor = PatternRedactor()
    for _ in range(3):
        assert redactor.redact("the password is Harbor!4711").text == "the password is [REDACTED:password]"
        assert redactor.redact("the harbor is old").text == "the harbor is old"


def test_a_block_in_which_something_was_found_is_looked_at_again() -> None:
    text = "".join(f"{number} {line}\n" for number in range(900) for line in PROSE[:2])
    checked = Checked()
    checked.note(blocks_of(text), [Span("password", 50_000, 50_012)])
    ((begin, end),) = checked.unknown(blocks_of(text))
    assert begin < 50_000 < end
    assert end - begin < len(text) / 2


def test_what_is_encoded_too_often_is_refused_however_often_it_is_asked_for() -> None:
    text = PROSE[0] * 150 + "\n\n" + "%2570%2561" * 6_000
    redactor = PatternRedactor()
    for _ in range(2):
        try:
            once = redacted(redactor, text)
        except UncheckedTextError:
            with pytest.raises(UncheckedTextError):
                redacted(PatternRedactor(), text)
        else:
            assert once == redacted(PatternRedactor(), text)
