"""What marks up a value, or goes on behind it, stays; the value goes, and all of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
VALUES = ("Marmelade_63", "Zebra-Lampe-12", "Tr0ub4dor&3")
MARKUP = (
    *("({})", "[{}]", "{{{}}}", '"{}"', "'{}'", "`{}`", "```{}```", "**{}**", "_{}_", "~~{}~~", "||{}||"),
    *("<b>{}</b>", "<code>{}</code>", '<span class="x">{}</span>', "<td>{}</td>"),
    *("[code]{}[/code]", "\\texttt{{{}}}", "«{}»", "„{}“", "“{}”", "「{}」", "🔑{}🔑", '\\"{}\\"', "\x1b[1m{}\x1b[0m"),
)
AROUND = (*MARKUP, "{}<br>", "{}<br/>next", "{}。", "{},然后", "{}…", "{}[1]", "{}'s the one", "\u200b{}\u200b")


@pytest.mark.parametrize("around", AROUND, ids=repr)
def test_what_stands_around_a_password_stays(around: str) -> None:
    for value in VALUES:
        for before in ("the wifi password is ", "password: "):
            text = before + around.format(value)
            assert REDACTOR.redact(text).text == before + around.format("[REDACTED:password]")


@pytest.mark.parametrize("around", AROUND, ids=repr)
def test_what_is_left_is_redacted_no_further(around: str) -> None:
    once = REDACTOR.redact("the wifi password is " + around.format(VALUES[0])).text
    assert REDACTOR.redact(once).text == once


@given(st.sampled_from(MARKUP), st.sampled_from(MARKUP), st.sampled_from(VALUES))
def test_no_part_of_a_password_is_left_in_whatever_stands_around_it(inner: str, outer: str, value: str) -> None:
    redacted = REDACTOR.redact("the wifi password is " + outer.format(inner.format(value))).text
    assert not any(value[start : start + 5] in redacted for start in range(len(value) - 4))


_NAMES = st.sampled_from(("password", "token", "login", "api_key", "passwords", "secret", "note", "env"))
_TEXTS = st.sampled_from(
    (
        *VALUES,
        "passwords: Zebra-Lampe-12, Marmelade_63",
        "the password is Tr0ub4dor&3",
        "login: anna / Marmelade_63",
        "<password>Tr0ub4dor&3</password>",
        'password="Marmelade_63"',
        "Tr0ub4dor&3xx",
        "Password: Kx9#mm2!q",
        "tea" * 200,
        "tea",
    )
)
_DOCUMENTS = st.recursive(
    _TEXTS, lambda one: st.lists(one, max_size=3) | st.dictionaries(_NAMES, one, max_size=3), max_leaves=12
)


@given(st.dictionaries(_NAMES, _DOCUMENTS, min_size=1, max_size=3), st.sampled_from((None, 2)))
def test_json_is_still_json_when_its_texts_are_redacted(document: dict[str, object], indent: int | None) -> None:
    redacted = json.loads(REDACTOR.redact(json.dumps(document, indent=indent)).text)
    assert redacted.keys() == document.keys()


@pytest.mark.parametrize("list_of_one", ['["{}"]', "['{}']", '("{}")', "[ '{}' ]", '[["{}"]]', "('{}',)"])
def test_the_brackets_of_a_list_stay(list_of_one: str) -> None:
    for value in VALUES:
        text = f"password = {list_of_one.format(value)}\nport = 5432\n"
        assert REDACTOR.redact(text).text == text.replace(value, "[REDACTED:password]")
