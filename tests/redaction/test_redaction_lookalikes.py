"""A list of which each item tells of the next one goes at once, and what stands around it stays."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import Allowlist, CustomRule, PatternRedactor, Span
from s3memory.redaction.lookalikes import with_lookalikes

CHAIN = CustomRule(kind="next", pattern=r"[\]:] (?P<secret>[A-Za-z0-9]{4}-[0-9]{2})")


def test_a_list_that_is_found_item_by_item_goes_and_what_stands_around_it_stays() -> None:
    items = " ".join(f"ab{number % 10}z-{number % 100:02d}" for number in range(300))
    text = f"Tea for Anna, coffee for Jo.\nitems: {items}\nCake for all, on Monday 12, in room 4.\n"
    redaction = PatternRedactor(rules=[CHAIN], budget_seconds=60).redact(text)
    before, _, behind = redaction.text.partition("items: ")
    assert before == "Tea for Anna, coffee for Jo.\n"
    left, _, rest = behind.partition("\n")
    assert left.replace("[REDACTED:next]", "").strip() == ""
    assert rest == "Cake for all, on Monday 12, in room 4.\n"


def test_what_is_allowed_stays_in_such_a_list() -> None:
    items = " ".join(f"ab{number % 10}z-{number % 100:02d}" for number in range(100))
    redactor = PatternRedactor(rules=[CHAIN], allow=Allowlist(values=["ab7z-57"]), budget_seconds=60)
    left = redactor.redact(f"items: {items}").text.replace("[REDACTED:next]", "").split()
    assert left == ["items:", "ab7z-57"]


@for_each(
    ("text", "n_found", "alike"),
    [
        ("a1b2 c3d4 e5f6 g7h8 note 9abcd", 3, ["a1b2", "c3d4", "e5f6", "g7h8"]),
        ("k1-22\nm3-44\nm3_44\nmm-44", 1, ["k1-22", "m3-44", "mm-44"]),
        ("otter\nbadger\nheron", 1, ["otter"]),
        ("4711 (used)\n4712 (used)\n4713 (new)\nport 8080, in 2019", 1, ["4711", "4712", "4713"]),
        ("- 4711\n- 4712\nroom 4713\n4714-a", 1, ["4711", "4712"]),
    ],
)
def test_alike_is_what_has_the_form_of_a_value_with_a_digit_on_a_line_that_is_alike(
    text: str, n_found: int, alike: list[str]
) -> None:
    found = [Span("next", text.index(value), text.index(value) + len(value)) for value in alike[:n_found]]
    assert sorted({text[span.start : span.end] for span in with_lookalikes(text, found)}) == sorted(alike)
