"""A part of a text is searched as its pattern would search it, whatever the case of the text."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.for_each import for_each

import s3memory.redaction
from s3memory.redaction.text.compiling import compiled, occurs

PACKAGE = Path(s3memory.redaction.__file__).parent
SEARCHED = [
    (path, name)
    for path in sorted(PACKAGE.rglob("*.py"))
    for name in sorted(set(re.findall(r"\boccurs\(\s*(_?[A-Z][A-Z_]+)", path.read_text(encoding="utf-8"))))
]
NO_CAPITALS = r"\\u[0-9a-f]{4}|\\.|\(\?P[<=]\w+[>)]"


@for_each(("path", "name"), SEARCHED)
def test_a_pattern_that_is_searched_so_ignores_case_and_has_no_capitals(path: Path, name: str) -> None:
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    pattern = getattr(import_module(f"s3memory.redaction.{module}"), name)
    assert pattern.startswith("(?i)")
    assert "(?" + "-i" not in pattern
    assert re.search(r"[A-Z\u0130\u017f\u212a]", re.sub(NO_CAPITALS, "", pattern)) is None


@given(
    before=st.text("aAkK iI_-\u0131\u0130\u212a\u00e9\n", max_size=12),
    found=st.sampled_from(["kappi", "KAPPI", "Kapp\u0131", "\u212aappi", "kapp", ""]),
    behind=st.text("aAkK i-\u0131\u00e9\n", max_size=4),
    cut=st.integers(0, 3),
)
def test_a_part_is_searched_as_the_pattern_would_search_it(before: str, found: str, behind: str, cut: int) -> None:
    text = before + found + behind
    for pattern in (r"(?i)(?<![^\W_])kapp\u0131?", r"(?i)(?:kappi|k)[- ]?\Z", r"(?i)\bi\b|(?<!aa)k[a-z]\B"):
        for start, end in ((0, len(text)), (cut, len(text) - cut), (len(before), len(text))):
            expected = compiled(pattern).search(text, start, end) is not None
            assert occurs(pattern, text, start, end) is expected
