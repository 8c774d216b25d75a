"""What words look like: each row of a table of forms is needed, and says by an example what it takes."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from s3memory.redaction import rules
from s3memory.redaction.text.forms import Forms


def _tables() -> dict[str, Forms]:
    names = [module.name for module in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")]
    return {
        f"{name}.{attribute}": value
        for name in names
        for attribute, value in vars(importlib.import_module(name)).items()
        if isinstance(value, Forms)
    }


def _takes(forms: Forms, row: str, word: str) -> bool:
    return Forms({row: forms.patterns[row]}, flags=forms.flags).has(word)


_TABLES = _tables()


@pytest.mark.parametrize("table", _TABLES)
def test_an_example_has_its_own_form_and_no_other_of_its_table(table: str) -> None:
    forms = _TABLES[table]
    for example in forms.patterns:
        assert forms.has(example)
        assert [other for other in forms.patterns if _takes(forms, other, example)] == [example]


def test_a_word_has_a_form_only_as_a_whole() -> None:
    forms = Forms({"ab": "[a-z]+", "12": "[0-9]+"})
    assert forms.has("abc")
    assert not forms.has("abc1")
    assert not forms.has("")


def test_flags_hold_for_all_forms() -> None:
    assert Forms({"a": "a", "b": "b"}, flags="i").has("B")


def test_there_are_tables_to_look_at() -> None:
    assert _TABLES
