"""What is encoded or disguised is found, and goes from where it stands; what only looks encoded costs nothing."""

from __future__ import annotations

import base64
import html
import json
import random
import re
import string
import textwrap
import time
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.for_each import for_each
from support.made_tokens import TOKENS, example, seeded
from support.redaction_samples import made_of
from test_redaction_innocent import NOTES

from s3memory.redaction import Allowlist, CustomRule, PatternRedactor, Span, UncheckedTextError
from s3memory.redaction.decoding import decoded_texts, find_in_views
from s3memory.redaction.decoding.characters import escapes, folds
from s3memory.redaction.decoding.encoded_blocks import blocks
from s3memory.redaction.decoding.view import View

REDACTOR = PatternRedactor()
FULL_WIDTH = 0xFEE0
IDEOGRAPHIC_SPACE = "\u3000"
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u2063\U000e0041\x00\u034f\ufe0f\u202e"


def every_character(text: str, mark: Callable[[int], str]) -> str:
    return "".join(mark(ord(character)) for character in text)


def every_byte(text: str, mark: Callable[[int], str]) -> str:
    return "".join(map(mark, text.encode()))


def invisible(text: str) -> str:
    return "".join(
        character + (INVISIBLE[number % len(INVISIBLE)] if number % 3 == 0 else "")
        for number, character in enumerate(text)
    )


def mime(text: str) -> str:
    return base64.encodebytes(text.encode()).decode().rstrip("\n")


# Black-letter and double-struck letters, and the longest names of signs.
NAMED_ENTITIES = {letter: f"&{letter}fr;" for letter in string.ascii_lowercase}
NAMED_ENTITIES |= {"_": "&UnderBar;", "=": "&equals;", "-": "&hyphen;&ZeroWidthSpace;", " ": "&NonBreakingSpace;"}

ENCODINGS: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 without padding": lambda text: base64.b64encode(text.encode()).decode().rstrip("="),
    "base64 for urls": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "base64 for urls without padding": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 of utf-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal in capitals": lambda text: text.encode().hex().upper(),
    "hexadecimal with spaces": lambda text: text.encode().hex(" "),
    "hexadecimal with colons": lambda text: text.encode().hex(":"),
    "hexadecimal with hyphens": lambda text: text.encode().hex("-"),
    "hexadecimal as an array": lambda text: ", ".join(f"0x{byte:02X}" for byte in text.encode()),
    "percent": lambda text: every_byte(text, lambda byte: f"%{byte:02X}"),
    "percent in small letters": lambda text: every_byte(text, lambda byte: f"%{byte:02x}"),
    "percent and u": lambda text: every_character(text, lambda code: f"%u{code:04x}"),
    "backslash u": lambda text: every_character(text, lambda code: f"\\u{code:04x}"),
    "backslash u in braces": lambda text: every_character(text, lambda code: f"\\u{{{code:x}}}"),
    "two backslashes and u": lambda text: every_character(text, lambda code: f"\\\\u{code:04X}"),
    "backslash capital u": lambda text: every_character(text, lambda code: f"\\U{code:08x}"),
    "backslash x": lambda text: every_byte(text, lambda byte: f"\\x{byte:02x}"),
    "octal": lambda text: every_byte(text, lambda byte: f"\\{byte:03o}"),
    "markdown": lambda text: re.sub(r"([-_.~+])", r"\\\1", text),
    "markdown in json": lambda text: re.sub(r"([-_.~+])", r"\\\\\1", text),
    "decimal entities": lambda text: every_character(text, lambda code: f"&#{code};"),
    "hexadecimal entities": lambda text: every_character(text, lambda code: f"&#x{code:X};"),
    "long entities": lambda text: every_character(text, lambda code: f"&#{code:012};"),
    "long hexadecimal entities": lambda text: every_character(text, lambda code: f"&#x{code:08x};"),
    "named entities": lambda text: "".join(NAMED_ENTITIES.get(character, character) for character in text),
    "invisible characters": invisible,
    "full width": lambda text: "".join(
        IDEOGRAPHIC_SPACE if character == " " else chr(ord(character) + FULL_WIDTH) for character in text
    ),
    "mathematical letters": lambda text: "".join(
        chr(ord(character) - ord("a") + 0x1D68A) if character.islower() else character for character in text
    ),
    "tags": lambda text: every_character(text, lambda code: chr(0xE0000 + code)),
}
CONTEXTS = {
    "alone": "{}",
    "sentence": "Somebody left {} there, see below.",
    "json": '{{"data": "{}", "n": 1}}',
    "escaped line end": '"first\\n{}\\nlast"',
    "env file": "A=1\nVALUE={}\nB=2\n",
    "backticks": "`{}`",
    "table": "| a | {} |\n",
    "other scripts": "令牌{}。",
    "long line": "x " * 300 + "{}" + " y" * 300,
}
# A prefix, an alphabet with marks in it, and lengths on both sides of a multiple of three.
SOME_TOKENS = [rule for rule in TOKENS if rule.kind in ("github-token", "openai-key", "stripe-key", "npm-token")][:6]


def secrets() -> list[str]:
    return [example(rule, seeded(rule.pattern)) for rule in SOME_TOKENS]


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=list(ENCODINGS))
@for_each("context", CONTEXTS.values())
def test_an_encoded_token_goes_whole_and_the_text_around_it_stays(encode: Callable[[str], str], context: str) -> None:
    for secret in secrets():
        before, _, behind = context.replace("{{", "{").replace("}}", "}").partition("{}")
        redacted = REDACTOR.redact(before + encode(secret) + behind).text
        # An invisible character behind the last letter is not the secret's.
        kept = redacted.removeprefix(before).removesuffix(behind).rstrip(INVISIBLE)
        assert kept.startswith("[REDACTED:"), redacted
        assert kept.endswith("]")
        assert kept.count("[REDACTED:") == 1


def test_the_digits_of_any_script_are_read_as_digits() -> None:
    zeros = [chr(code) for code in range(0x80, 0x20000) if unicodedata.decimal(chr(code), None) == 0]
    assert len(zeros) > 60
    for zero in zeros:
        number = "".join(chr(ord(zero) + digit) for digit in (4, 7, 0, 2, 9, 1))
        assert REDACTOR.redact(f"the code of the alarm is {number}, and it beeps").text == (
            "the code of the alarm is [REDACTED:recovery-code], and it beeps"
        )
        innocent = f"room {number[:3]}, order {number}"
        assert REDACTOR.redact(innocent).text == innocent


def test_a_token_goes_whole_where_an_editor_escaped_its_signs() -> None:
    for rule in TOKENS:
        token = example(rule, seeded(rule.pattern))
        for encode in (ENCODINGS["markdown"], ENCODINGS["markdown in json"]):
            assert REDACTOR.redact(f"see {encode(token)}, there").text == f"see [REDACTED:{rule.kind}], there"


def test_base64_goes_whole_where_something_of_its_alphabet_is_glued_to_it() -> None:
    for secret in secrets():
        encoded = ENCODINGS["base64"](secret)
        for glued in ("x{}", "ab{}", "abc{}", "1{}", "-{}", "_{}_", "/{}", "{}x", "{}-y", "v{}.x", "a=b{}", ".{}."):
            redacted = REDACTOR.redact(f"see {glued.format(encoded)} there").text
            assert encoded.rstrip("=") not in redacted, glued
            assert redacted.count("[REDACTED:") == 1


def test_a_url_goes_where_json_escaped_its_slashes() -> None:
    assert REDACTOR.redact(r'{"url": "https:\/\/bob:Harbor4711x@db.example.org\/x"}').text == (
        r'{"url": "https:\/\/bob:[REDACTED:url-password]@db.example.org\/x"}'
    )


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in ("tags", "mathematical letters")])
def test_a_named_password_is_found_when_all_of_it_is_encoded(name: str) -> None:
    for text in ("the password is Harbor!4711x now", 'db_password = "Harbor!4711x"'):
        encoded = ENCODINGS[name](text)
        redacted = REDACTOR.redact(f"Jo wrote {encoded} here").text
        assert "[REDACTED:password]" in redacted, encoded
        assert ENCODINGS[name]("4711") not in redacted


@pytest.mark.parametrize("inner", ["base64", "hexadecimal", "percent", "backslash u", "decimal entities", "full width"])
@pytest.mark.parametrize("outer", ["base64", "hexadecimal", "percent", "backslash u", "decimal entities"])
def test_what_is_encoded_twice_is_found(outer: str, inner: str) -> None:
    for secret in secrets():
        text = f"see {ENCODINGS[outer](ENCODINGS[inner](secret))} there"
        redacted = REDACTOR.redact(text).text
        assert redacted.startswith("see [REDACTED:"), text
        assert redacted.endswith("] there")


def test_only_the_escaped_value_goes_not_the_name_before_it() -> None:
    redacted = REDACTOR.redact("url?a=b&password%3DHarbor%2147&next=d").text
    assert redacted == "url?a=b&password%3D[REDACTED:password]&next=d"
    assert REDACTOR.redact("p&#97;ssword: Harbor!47").text == "p&#97;ssword: [REDACTED:password]"


def test_a_token_that_is_encoded_in_part_goes_whole() -> None:
    (secret, *_) = secrets()
    middle = len(secret) // 2
    for encode in (ENCODINGS["percent"], ENCODINGS["backslash u"], ENCODINGS["full width"], invisible):
        text = f"see {secret[:middle]}{encode(secret[middle : middle + 3])}{secret[middle + 3 :]} there"
        redacted = REDACTOR.redact(text).text
        assert redacted.startswith("see [REDACTED:")
        assert redacted.endswith("] there")


def pem(rng: random.Random) -> str:
    lines = [made_of(rng, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", 64) for _ in range(12)]
    return "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----", ""])


LINES = {
    "as mime does": "{}",
    "quoted": "> {}",
    "indented": "    {}",
    "strings of python": '    "{}"',
    "strings of c, added": '    "{}" +',
    "escaped": None,
}


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("width", [40, 64, 76])
def test_base64_in_lines_is_read_as_one_run(form: str, width: int) -> None:
    encoded = base64.b64encode(pem(seeded(form)).encode()).decode()
    lines = textwrap.wrap(encoded, width)
    wrapped = (
        "\\n".join(lines) if LINES[form] is None else "\n".join((LINES[form] or "").format(line) for line in lines)
    )
    redacted = REDACTOR.redact(f"before it\n{wrapped}\nbehind it\n").text
    assert redacted.count("[REDACTED:private-key]") == 1
    assert redacted.startswith("before it\n")
    assert redacted.endswith("\nbehind it\n")
    assert not any(line in redacted for line in lines)


def test_a_word_below_an_encoded_block_stays() -> None:
    encoded = mime("the password is Harbor!4711x, and the user is jo, as ever, on the old host, for now.")
    assert REDACTOR.redact(f"{encoded}\nThanks\n").text == "[REDACTED:password]\nThanks\n"


def test_of_lines_that_are_no_one_run_each_is_read_by_itself() -> None:
    rng = seeded("lines")
    secret = base64.b64encode(secrets()[0].encode()).decode()
    others = [base64.b64encode(rng.randbytes(len(secret) * 3 // 4)).decode() for _ in range(6)]
    text = "\n".join([*others[:3], secret, *others[3:]])
    redacted = REDACTOR.redact(text).text
    assert all(other in redacted for other in others)
    assert secret not in redacted


def test_a_secret_of_kubernetes_is_found_by_what_it_decodes_to() -> None:
    data = {"data": {"config": base64.b64encode(b"db:\n  password: Harbor!4711x\n").decode()}}
    assert "[REDACTED:password]" in REDACTOR.redact(json.dumps(data)).text


def test_a_key_whose_begin_line_is_escaped_goes_to_its_end() -> None:
    key = pem(seeded("escaped"))
    text = f"see {html.escape(key).replace('-', '&#45;')} there, and more\n" * 2
    redacted = REDACTOR.redact(text).text
    assert redacted.count("[REDACTED:private-key]") == 2
    assert redacted.endswith(" there, and more\n")
    begin, _, rest = key.partition("\n")
    text = f"{quote(begin, safe=' ')}\n{rest}and more\n".replace("-----BEGIN", "%2D%2D%2D%2D%2DBEGIN")
    assert REDACTOR.redact(text).text == "[REDACTED:private-key]\nand more\n"


def test_findings_in_views_have_the_lines_of_the_text() -> None:
    secret = ENCODINGS["base64"](secrets()[0])
    redaction = REDACTOR.redact(f"one\ntwo\nthree {secret}\nfour\npassword: Harbor!4711x\n")
    assert [finding.line for finding in redaction.findings] == [3, 5]


def test_one_s_own_rules_find_what_is_encoded() -> None:
    redactor = PatternRedactor(rules=[CustomRule(kind="ticket", pattern=r"TICKET-[0-9]{4,9}", keywords=["TICKET-"])])
    for encode in (ENCODINGS["base64"], ENCODINGS["percent"], ENCODINGS["full width"]):
        assert redactor.redact(f"see {encode('TICKET-471147')} there").text == "see [REDACTED:ticket] there"


def test_what_is_let_through_is_let_through_when_it_is_encoded() -> None:
    secret = secrets()[0]
    redactor = PatternRedactor(allow=Allowlist(values=[secret]))
    for encode in (ENCODINGS["base64"], ENCODINGS["percent"]):
        assert redactor.redact(f"see {encode(secret)} there").findings == ()


INNOCENT = [
    "sha256:" + "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "https://example.org/a%20b/c%C3%A9d?q=%22x%22&amp;r=1",
    "caf\\u00e9 &eacute; &amp;&lt;tag&gt; 100%25 50%AB",
    "C:\\users\\xavier\\101\\u00",
    r"match [\w\-.]+\.py, then \$HOME\_x and C:\_old\-1",
    "00:1b:44:11:3a:b7 and 12 34 56 78 90 12 34 56",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "👩\u200d💻 ⚠\ufe0f done\u2026 5\u00a0km ½ ② ﬁne \u00ad™",
    "次のページ\uff1a設定\uff08パスワードなし\uff09",
    "في عام ٢٠٢٤ كان رقم الغرفة ٤١٢ والطلب ٧٧١٢٠",
    "साल २०२४ में कमरा ४१२, क़ीमत ₹१२५०",
    "eyJpZCI6MTIzfQ",
    "0x00 0x01 0x02 0x03 0x04 0x05 0x06 0x07 0x08 0x09 0x0a 0x0b 0x0c 0x0d",
    "1\ufe0f\u20e3 open the door 2\ufe0f\u20e3 type it, room 4\ufe0f\u20e38\ufe0f\u20e32\ufe0f\u20e37\ufe0f\u20e3",
    "❶ open the gate ❷ type the code ❸ wait",
]


@pytest.mark.parametrize("code", ["⓸⓼⓶⓻", "❹❽❷❼", "⁴⁸²⁷", "4\ufe0f\u20e38\ufe0f\u20e32\ufe0f\u20e37\ufe0f\u20e3"])
def test_digits_in_other_forms_are_digits(code: str) -> None:
    assert (
        REDACTOR.redact(f"gate code {code}, then the bell").text == "gate code [REDACTED:recovery-code], then the bell"
    )


def test_keys_as_emoji_are_digits_where_a_model_decides() -> None:
    code = "".join(f"{digit}\ufe0f\u20e3" for digit in "4827")
    assert REDACTOR.redact(f"玄関の電子錠は {code}").text == "玄関の電子錠は [REDACTED:password]"


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_encoded_and_harmless_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


def test_ordinary_notes_have_hardly_any_views() -> None:
    assert sum(map(len, decoded_texts(NOTES))) < len(NOTES) / 10


def test_hashes_and_keys_by_the_thousand_have_hardly_any_views() -> None:
    rng = seeded("hashes")
    lines = [rng.randbytes(32).hex() for _ in range(500)]
    lines += [base64.b64encode(rng.randbytes(64)).decode() for _ in range(500)]
    # One in a thousand of random runs has twelve bytes of text somewhere.
    assert sum(map(len, decoded_texts("\n".join(lines)))) < sum(map(len, lines)) / 20


# Laws of a view, whatever was replaced.


Case = tuple[str, list[tuple[int, int, str]]]


@st.composite
def replaced(draw: st.DrawFn) -> Case:
    text = draw(st.text("ab \n", min_size=1, max_size=60)) * draw(st.sampled_from([1, 1, 12]))
    places = draw(st.lists(st.integers(0, len(text)), max_size=12, unique=True).map(sorted))
    bounds = [(start, end) for start, end in pairwise(places) if end - start < 6][::2]
    made = [(start, end, draw(st.text("XYZ", max_size=7))) for start, end in bounds]
    return text, made or [(0, 1, "X")]


@settings(max_examples=200)
@given(replaced())
def test_a_view_of_the_whole_text_is_the_text_with_its_replacements(case: Case) -> None:
    text, replacements = case
    expected, position = "", 0
    for start, end, decoded in replacements:
        expected += text[position:start] + decoded
        position = end
    assert View(text, replacements, is_whole=True).text == expected + text[position:]


@settings(max_examples=200)
@given(replaced(), st.data())
def test_what_is_found_in_a_view_stands_in_the_text_where_its_first_and_last_character_came_from(
    case: Case, data: st.DataObject
) -> None:
    text, replacements = case
    view = View(text, replacements, is_whole=data.draw(st.booleans()))
    if not view.text:
        return
    start = data.draw(st.integers(0, len(view.text) - 1))
    end = data.draw(st.integers(start + 1, len(view.text)))
    origin = view.origin(start, end)
    if origin is None or "\ufffd" in view.text[start:end]:
        return
    begins, ends = origin
    assert 0 <= begins < ends <= len(text)
    # All of what was decoded goes, or none of it; what was copied is the same in both.
    for place in (begins, ends):
        assert not any(one < place < other and len(decoded) != other - one for one, other, decoded in replacements)
    first, last = view.text[start], view.text[end - 1]
    assert first in "XYZ" or text[begins] == first
    assert last in "XYZ" or text[ends - 1] == last


@settings(max_examples=200)
@given(replaced())
def test_windows_hold_what_is_around_each_replacement(case: Case) -> None:
    text, replacements = case
    windows, whole = View(text, replacements), View(text, replacements, is_whole=True)
    assert len(windows.text) <= len(whole.text) + 3 * len(replacements)
    assert all(part in whole.text for part in windows.text.split("\n\ufffd\n"))
    for _, end, decoded in replacements:
        assert decoded + text[end : end + 1] in windows.text


PARTS = [
    "&#65;",
    "%41",
    "\\u0041",
    "\\_",
    "\uff41",
    "\u200b",
    "QUJDREVGR0hJSktM",
    "a",
    " ",
    "\n",
    "é",
    "%C3%A9",
    "\\",
    "%",
]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PARTS), max_size=30).map("".join))
def test_replacements_are_in_order_and_apart(text: str) -> None:
    for found in (list(escapes(text)), list(folds(text)), list(blocks(text))):
        assert all(start < end for start, end, _ in found)
        assert all(first[1] <= second[0] for first, second in pairwise(found))


@settings(max_examples=100)
@given(st.text(st.sampled_from("ab%&\\#x4;u0\u200b\uff41=/+AZ"), max_size=300))
def test_no_text_has_views_that_fail(text: str) -> None:
    spans = list(find_in_views(text, lambda view: [Span("x", 0, len(view))] if view else []))
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


# Bounded, by counts.


def hostile() -> Iterator[tuple[str, str]]:
    password = "password is "
    for name, encode in ENCODINGS.items():
        yield name, encode(password)
    for unit in (
        "&#",
        "%",
        "\\",
        "\\\\u",
        "\u200b",
        "A",
        "QUJD",
        "QUJD\n",
        "41",
        "41 ",
        "&#x",
        "%25",
        "\\u005c",
        "&amp;",
    ):
        yield repr(unit), unit
    yield "log", "\u33d2"
    yield "every third", "QUJDREVGR0hJSktMTU5P %41 \uff41 "


@pytest.mark.parametrize(("name", "unit"), list(hostile()))
def test_views_of_a_text_made_for_it_are_few_and_bounded_in_length(name: str, unit: str) -> None:
    text = (unit * (40_000 // len(unit) + 1))[:40_000]
    seen: list[int] = []

    def find(view: str) -> list[Span]:
        seen.append(len(view))
        return [Span("x", start, start + 1) for start in range(0, len(view), 1000)]

    try:
        spans = list(find_in_views(text, find))
    except UncheckedTextError:
        spans = []
    assert len(seen) <= 12
    assert sum(seen) <= 4 * len(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


@pytest.mark.parametrize("apart", [100, 300, 700, 3000, 9000])
def test_a_view_of_one_long_word_has_each_part_of_it_once(apart: int) -> None:
    # JSON without spaces is one, whatever is escaped in it.
    records = [{"id": number, "note": "x" * apart, "name": "Zo\u00eb"} for number in range(40_000 // apart)]
    text = json.dumps(records, separators=(",", ":"))
    views = decoded_texts(text)
    assert sum(map(len, views)) <= len(text)
    secret = secrets()[0]
    escaped = text.replace('"Zo', f'"{ENCODINGS["backslash u"](secret)}"', 1)
    assert REDACTOR.redact(escaped).findings[0].kind == SOME_TOKENS[0].kind


def test_a_text_whose_views_are_too_long_is_refused() -> None:
    # One character stands for four, in the first view and in that of what is encoded twice.
    text = ("\u33c2" * 8 + "%2541") * 4000
    with pytest.raises(UncheckedTextError, match="encoded in too many ways"):
        REDACTOR.redact(text)


@pytest.mark.parametrize(
    "text",
    ["a1 " * 13_000 + "a1z", "a1:" * 13_000 + "a1z", "0xa1, " * 7_000 + "0xa1z", "a1-" * 13_333, "a1-" * 13_333 + "z"],
    ids=["spaces", "colons", "prefixes", "hyphens", "hyphens and a word"],
)
def test_a_run_of_pairs_that_ends_in_the_middle_of_a_word_is_read_once(text: str) -> None:
    # 40 kB took seconds when each of its pairs was tried as the first one.
    begin = time.thread_time()
    PatternRedactor().redact(text)
    assert time.thread_time() - begin < 1


def test_what_reaches_the_end_of_a_text_leaves_room_for_its_layout() -> None:
    first, rest = "b3BlbnNzaC1rZXktdjEAAAAA", "K9e4XM3V2Q45Qp7DcwZOy2rH87JoBadNX33CgQJaSInhFZWs"
    second = "jHy7Pk9U2flZsJhaZSqwTf3hezoHNf1SA73l8FOs4RYsorHPMsx9AEEUaG0PMZxgVcf3tm"
    key = f"key: |\n  {first}{rest}\n  {second}\n  snOO6d34CA==\nhost: a"
    other = "the key is K9e4XM3V2Q45Qp7DcwZOy2rH87JoBadNX33CgQJaSInhFZWsjHy7Pk9U2flZsJhaZSqwTf3hezoH+ABaNf1SAA== now"
    text = (
        "The shop moved to the new region in May, and so on.\n" * 160
        + f"\n{key}user,password\njo,Harbor!4711x\n{other}"
    )
    assert first not in REDACTOR.redact(text).text
