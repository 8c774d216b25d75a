"""A list of which each item tells of the next one goes at once, and what stands around it stays."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import Allowlist, CustomRule, PatternRedactor, Span
from s3memory.redaction.alike import with_alike

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
    ("text", "found", "alike"),
    [
        ("a1b2 c3d4 e5f67 note", "a1b2", ["a1b2", "c3d4"]),
        ("k1-22 m3-44 m3_44 mm-44", "k1-22", ["k1-22", "m3-44", "mm-44"]),
        ("otter badger", "otter", ["otter"]),
        ("4711 4712 year", "4711", ["4711", "4712"]),
        ("a1b2x xa1b2 a1b2", "a1b2", ["a1b2"]),
    ],
)
def test_alike_is_what_has_a_digit_and_as_many_letters_and_digits_between_the_same_signs(
    text: str, found: str, alike: list[str]
) -> None:
    start = text.rindex(found) if found == "a1b2" and text.startswith("a1b2x") else text.index(found)
    spans = with_alike(text, [Span("next", start, start + len(found))])
    assert sorted({text[span.start : span.end] for span in spans}) == sorted(alike)
