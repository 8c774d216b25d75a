"""Memory paths: a file has one name, no spelling leaves the root, and ambiguous paths are refused."""

from __future__ import annotations

import posixpath
import unicodedata
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.for_each import for_each

from s3memory.errors import ConfigurationError, InvalidInputError
from s3memory.limits import MAX_PATH_CHARS, MAX_PATH_SEGMENTS
from s3memory.paths import MemoryPath, check_tenant, is_unicode_text, shown, shown_below

ROOT = MemoryPath()
# What must never appear unescaped in an error: it would be invisible, break the line or encoding, or reorder the text.
UNPRINTABLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def refusal(raw: object) -> str:
    """Return the text of the refusal, and check that it can be shown."""
    with pytest.raises(InvalidInputError) as caught:
        MemoryPath.parse(raw)
    text = str(caught.value)
    text.encode("utf-8")
    assert not {unicodedata.category(char) for char in text} & UNPRINTABLE
    assert len(text) < 20_000
    return text


class TestCanonicalForm:
    @for_each(
        ("raw", "canonical"),
        [
            ("/memories", "/memories"),
            ("/memories/", "/memories"),
            ("/memories///", "/memories"),
            ("/memories/.", "/memories"),
            ("/memories/./.", "/memories"),
            ("/memories/sub/..", "/memories"),
            ("/memories/a/b/../../", "/memories"),
            ("/memories/../memories", "/memories"),
            ("/memories/../../memories/a", "/memories/a"),
            ("/memories/a", "/memories/a"),
            ("/memories//a", "/memories/a"),
            ("/memories/a/", "/memories/a"),
            ("/memories/./a/./b/.", "/memories/a/b"),
            ("/memories/a/../b", "/memories/b"),
            ("/memories/a/b/../c", "/memories/a/c"),
            ("/memories/memories", "/memories/memories"),
            ("/memories/...", "/memories/..."),
            ("/memories/..a", "/memories/..a"),
            ("/memories/a..", "/memories/a.."),
            ("/memories/.hidden", "/memories/.hidden"),
            ("/memories/ ", "/memories/ "),
            ("/memories/a b", "/memories/a b"),
            ("/memories/100%", "/memories/100%"),
            ("/memories/50%25", "/memories/50%25"),
            ("/memories/a%20b", "/memories/a%20b"),
            ("/memories/caf%C3%A9", "/memories/caf%C3%A9"),
            ("/memories/%ff", "/memories/%ff"),
            ("/memories/%zz", "/memories/%zz"),
            ("/memories/~", "/memories/~"),
            ("/memories/a:b*c?d|e<f>\"'`$&;", "/memories/a:b*c?d|e<f>\"'`$&;"),
            ("/memories/\N{HOT BEVERAGE}\ufe0f", "/memories/\N{HOT BEVERAGE}\ufe0f"),
            ("/memories/cafe\u0301", "/memories/caf\u00e9"),
            ("/memories/\u212b", "/memories/\u00c5"),
            ("/memories/\u037e", "/memories/;"),
            ("/memories/\uff0e\uff0e/a", "/memories/\uff0e\uff0e/a"),
            ("/memories/\u2024\u2024", "/memories/\u2024\u2024"),
            ("/memories/a\u2215b", "/memories/a\u2215b"),
        ],
    )
    def test_is_computed_lexically(self, raw: str, canonical: str) -> None:
        path = MemoryPath.parse(raw)
        assert str(path) == canonical
        assert path.is_root == (canonical == "/memories")

    def test_has_at_most_twenty_segments(self) -> None:
        deepest = "/memories" + "/a" * MAX_PATH_SEGMENTS
        assert len(MemoryPath.parse(deepest).segments) == 20
        assert len(MemoryPath.parse(f"{deepest}/b/../.").segments) == 20
        assert refusal(f"{deepest}/b").endswith(": it is more than 20 levels deep")

    def test_is_only_computed_for_a_text_of_limited_length(self) -> None:
        fits = "/memories/" + "a" * (MAX_PATH_CHARS - len("/memories/"))
        assert str(MemoryPath.parse(fits)) == fits
        text = refusal(f"{fits}a")
        assert text.endswith(f"...: it is longer than {MAX_PATH_CHARS} characters")
        assert len(text) < 1_200
        assert len(refusal("/memories/" + "../" * 10_000_000)) < 1_200
        assert len(refusal("x" * 10_000_000)) < 1_200


TRAVERSALS = [
    "/memories/..",
    "/memories/../",
    "/memories/../..",
    "/memories/../etc/passwd",
    "/memories/../../../../etc/passwd",
    "/memories/a/../../b",
    "/memories/./../x",
    "/memories//..//x",
    "/memories/../memoriesfoo",
    "/memories/../memories/../x",
]
ENCODED_TRAVERSALS = [
    "/memories/%2e%2e",
    "/memories/%2e%2e/x",
    "/memories/%2E%2E/x",
    "/memories/%2e./x",
    "/memories/.%2e/x",
    "/memories/%2e",
    "/memories/%2e%2e%2fx",
    "/memories/..%2fx",
    "/memories/..%2Fx",
    "/memories/a/..%2f..%2fx",
    "/memories/a%2f..%2f..%2fx",
    "/memories/..%5cx",
    "/memories/%2e%2e%5cx",
    "/memories/%252e%252e%252fx",
    "/memories/%252e%252e/x",
    "/memories/..%252fx",
    "/memories/%25252e%25252e%25252fx",
    "/memories/%25%32%65%25%32%65/x",
    "/memories/%2525252525252e%2525252525252e/x",
    "/memories/%2e%252e%25252fx",
    "/memories/a/%2e/b",
]
ENCODED_SYNTAX = [
    "/memories/a%2fb",
    "/memories/%2f",
    "/memories/a%252fb",
    "/memories/a%5cb",
    "/memories/a%255Cb",
    "/memories/a%00",
    "/memories/a%2500.md",
    "/memories/a%0ab",
    "/memories/a%0d%0ab",
    "/memories/%7f",
    "/memories/%e2%80%ae",
    "/memories/%E2%80%A8",
    "/memories/a%c2%ad",
    "/memories/%EF%BF%BE",
]


@pytest.mark.parametrize("mount", ["/memories", "/memories/team", "/shared/team", ""])
def test_people_and_models_see_the_path_below_the_mount_point(mount: str) -> None:
    path = MemoryPath.parse("/memories/a/b.md")
    with shown_below(mount):
        assert (f"{path}", f"{MemoryPath()}", str(path)) == (f"{mount}/a/b.md", mount or "/", "/memories/a/b.md")
        assert refusal("/memories/../x") == f"Path {mount}/../x would escape {mount or '/'} directory"
        assert refusal("/memories/a\\b") == f"Invalid path {mount}/a\\b: it holds a backslash"
        assert refusal("/other/x") == "Path must start with /memories, got: /other/x"


class TestNoSpellingLeavesTheRoot:
    @for_each("raw", TRAVERSALS + ENCODED_TRAVERSALS)
    def test_by_traversal(self, raw: str) -> None:
        assert refusal(raw) == f"Path {raw} would escape /memories directory"

    @for_each("raw", ENCODED_SYNTAX)
    def test_by_encoded_path_syntax(self, raw: str) -> None:
        assert refusal(raw) == f"Invalid path {raw}: it holds percent-encoded path characters"

    @for_each("syntax", ["..", ".", "/", "../", "\\", "\x00", "\n", "\u202e"])
    def test_by_repeated_encoding(self, syntax: str) -> None:
        encoded = "".join(f"%{byte:02x}" for byte in syntax.encode())
        for _ in range(30):
            refusal(f"/memories/{encoded}")
            refusal(f"/memories/a{encoded}b" if syntax not in {"..", "."} else f"/memories/a/{encoded}/b")
            encoded = quote(encoded)

    def test_by_more_levels_of_encoding_than_are_decoded(self) -> None:
        raw = "/memories/%" + "25" * 40 + "41"
        assert refusal(raw) == f"Invalid path {raw}: it is percent-encoded too often"

    @for_each(
        "raw",
        [
            "",
            "/",
            ".",
            "..",
            "memories",
            "memories/a",
            "/memoriesfoo",
            "/memories.md",
            "/memories-a/b",
            "/memories\x00",
            "/memories\n/a",
            "/memorie",
            "/MEMORIES/a",
            "//memories/a",
            "/./memories",
            "/a/../memories/b",
            " /memories",
            "\ufeff/memories/a",
            "\\memories\\a",
            "/memories\\a",
            "/etc/passwd",
            "C:\\memories",
            "file:///memories/a",
            "s3://bucket/memories/a",
            "%2fmemories/a",
            "/%6demories/a",
            "/mem\u00f6ries/a",
        ],
    )
    def test_by_another_prefix(self, raw: str) -> None:
        assert refusal(raw) == f"Path must start with /memories, got: {shown(raw)}"


class TestRefusedCharacters:
    @for_each(
        "char",
        [
            *(chr(point) for point in (*range(0x20), *range(0x7F, 0xA0), 0xD800, 0xDBFF, 0xDC00, 0xDFFF)),
            "\u00ad",  # soft hyphen
            "\u200b",  # zero width space
            "\u200d",  # zero width joiner
            "\u200e",  # left-to-right mark
            "\u202e",  # right-to-left override
            "\u2028",
            "\u2029",
            "\u2066",  # left-to-right isolate
            "\ufeff",  # byte order mark
            "\ufff9",  # interlinear annotation
            "\U000e0041",  # a tag character: invisible ASCII
            "\ufdd0",
            "\ufdef",
            "\ufffe",
            "\uffff",
            "\U0001fffe",
            "\U0010ffff",
        ],
        ids=lambda char: f"U+{ord(char):04X}",
    )
    @for_each("place", ["/memories/{}", "/memories/a{}b/c", "/memories/a/{}/../b", "/memories/{}/"])
    def test_are_named_and_not_shown(self, char: str, place: str) -> None:
        raw = place.format(char)
        assert refusal(raw) == (
            f"Invalid path {shown(raw)}: it holds the character U+{ord(char):04X}, which is not allowed in a path"
        )

    @pytest.mark.parametrize(
        "raw", ["/memories/a\\b", "/memories/..\\..\\x", "/memories/\\", "/memories/\\..", "/memories/a\\/b"]
    )
    def test_include_the_backslash(self, raw: str) -> None:
        assert refusal(raw) == f"Invalid path {raw}: it holds a backslash"

    def test_are_escaped_when_an_error_shows_them(self) -> None:
        assert shown("a\x00\n\u2028\ud800\U000e0041\uffffb") == "a\\x00\\n\\u2028\\ud800\\U000e0041\\uffffb"
        assert shown("x" * 1_000) == "x" * 1_000
        assert shown("x" * 1_001) == "x" * 1_000 + "..."


@for_each(
    "raw",
    [None, 5, 1.5, True, b"/memories/a", bytearray(b"/memories"), ["/memories"], {"path": "/memories"}, ROOT, object()],
)
def test_a_path_that_is_not_a_string_is_refused_by_the_name_of_the_parameter(raw: object) -> None:
    assert refusal(raw) == "Invalid `path` parameter: it must be a string"
    with pytest.raises(InvalidInputError, match=r"^Invalid `new_path` parameter: it must be a string$"):
        MemoryPath.parse(raw, parameter="new_path")


PIECES = st.sampled_from(
    [
        "..",
        ".",
        "",
        "a",
        "b",
        "cafe\u0301",
        "\u00e9",
        ".hidden",
        "%2e%2e",
        "%2f",
        "%252e",
        "%",
        "%41",
        "...",
        "memories",
        "a b",
    ]
)
SEGMENTS = st.lists(PIECES | st.text(max_size=6), max_size=25)
RAW_PATHS = st.builds(
    lambda start, segments, end: start + "/".join(segments) + end,
    st.sampled_from(["/memories", "/memories/", "/memories//", "/memoriesx/", "/", "", "memories/", "/x/../memories/"]),
    SEGMENTS,
    st.sampled_from(["", "/", "/.", "/..", "//"]),
)
PLAIN_NAMES = st.text(
    st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Cn"), exclude_characters="/\\%"),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in {".", ".."})


def parsed(raw: object) -> MemoryPath | None:
    try:
        return MemoryPath.parse(raw)
    except InvalidInputError:
        return None


class TestLaws:
    @settings(max_examples=400)
    @given(RAW_PATHS)
    @example("/memories/a/../../memories/../memories/b")
    def test_every_path_is_canonical_or_refused_in_printable_text(self, raw: str) -> None:
        path = parsed(raw)
        if path is None:
            assert refusal(raw)
            return
        text = str(path)
        assert text == posixpath.normpath(unicodedata.normalize("NFC", raw))
        assert text == "/memories" or text.startswith("/memories/")
        assert MemoryPath.parse(text) == path
        assert str(MemoryPath.parse(text)) == text
        assert hash(MemoryPath.parse(text)) == hash(path)

    @settings(max_examples=400)
    @given(RAW_PATHS)
    def test_no_further_decoding_changes_the_tree(self, raw: str) -> None:
        path = parsed(raw)
        if path is None:
            return
        decoded = str(path)
        for _ in range(12):
            decoded = unquote(decoded)
            assert "\\" not in decoded
            assert posixpath.normpath(decoded) == decoded
            assert decoded.count("/") == len(path.segments) + 1

    @settings(max_examples=200)
    @given(st.lists(PLAIN_NAMES, min_size=1, max_size=MAX_PATH_SEGMENTS))
    def test_every_ordinary_name_is_accepted(self, names: list[str]) -> None:
        path = MemoryPath.parse("/memories/" + "/".join(names))
        assert path.segments == tuple(unicodedata.normalize("NFC", name) for name in names)
        assert MemoryPath.parse(unicodedata.normalize("NFD", str(path))) == path

    @settings(max_examples=200)
    @given(
        st.lists(PLAIN_NAMES, max_size=5),
        st.lists(st.sampled_from(["/", "/.", "/./", "//", "/x/../"]), min_size=6, max_size=6),
    )
    def test_detours_change_nothing(self, names: list[str], joints: list[str]) -> None:
        straight = MemoryPath.parse("/".join(("/memories", *names)))
        around = (
            "/memories" + "".join(f"{joint}/{name}" for joint, name in zip(joints, names, strict=False)) + joints[5]
        )
        assert MemoryPath.parse(around) == straight

    @settings(max_examples=300)
    @given(st.text(max_size=30) | st.binary(max_size=9) | st.none() | st.integers() | st.floats() | st.lists(st.text()))
    def test_only_refusals_are_raised(self, raw: object) -> None:
        assert parsed(raw) is None or str(raw).startswith("/memories")

    @given(st.text(st.characters(), max_size=40))
    def test_shown_text_is_printable(self, text: str) -> None:
        assert not {unicodedata.category(char) for char in shown(text)} & UNPRINTABLE
        assert is_unicode_text(shown(text))


class TestFamily:
    a, b, deep = (MemoryPath.parse(f"/memories/{rest}") for rest in ("a", "ab", "a/b/c.md"))

    def test_names_are_the_last_segments(self) -> None:
        assert (self.deep.name, self.a.name, ROOT.name) == ("c.md", "a", "memories")
        assert self.a.child("b", "c.md") == self.deep
        assert ROOT.child() == ROOT

    def test_ancestors_exclude_the_root(self) -> None:
        assert [str(path) for path in self.deep.ancestors()] == ["/memories/a", "/memories/a/b"]
        assert self.a.ancestors() == []
        assert ROOT.ancestors() == []

    def test_below_compares_segments_and_not_letters(self) -> None:
        assert self.deep.is_below(self.a)
        assert self.deep.is_below(ROOT)
        assert not self.b.is_below(self.a)
        assert not self.a.is_below(self.a)
        assert not self.a.is_below(self.deep)
        assert not ROOT.is_below(ROOT)

    def test_a_file_moves_with_its_directory(self) -> None:
        assert str(self.deep.rebased(self.a, self.b)) == "/memories/ab/b/c.md"
        assert str(self.deep.rebased(self.a.child("b"), ROOT)) == "/memories/c.md"
        assert self.a.rebased(self.a, self.deep) == self.deep

    def test_a_path_cannot_be_changed(self) -> None:
        changeable: Any = self.a
        with pytest.raises(AttributeError):
            changeable.segments = ()


class TestTenants:
    @for_each("tenant", ["a", "0", "acme", "ACME-1", "a.b_c-d", "1.", "a-", "a" * 64])
    def test_that_match_the_grammar_are_accepted(self, tenant: str) -> None:
        assert check_tenant(tenant) == tenant

    @for_each(
        "tenant",
        [
            "",
            ".",
            "..",
            "-a",
            "_a",
            ".a",
            "a..b",
            "a..",
            "a/b",
            "a\\b",
            "a b",
            "a:b",
            "a*",
            "a%2fb",
            "a\n",
            "\na",
            "a\x00",
            "\u00e9",
            "\u0661",
            "\uff41",
            "a" * 65,
            "a\ud800",
            None,
            5,
            b"acme",
            ["acme"],
        ],
    )
    def test_that_do_not_match_it_are_refused(self, tenant: object) -> None:
        with pytest.raises(ConfigurationError, match=r"^tenant must be 1 to 64 letters") as raised:
            check_tenant(tenant)
        assert len(str(raised.value)) < 220
        assert str(raised.value).isascii()

    def test_that_do_not_match_it_are_named(self) -> None:
        with pytest.raises(ConfigurationError, match=r"it is 'Acme Corp'$"):
            check_tenant("Acme Corp")
        with pytest.raises(ConfigurationError, match=r"its type is NoneType$"):
            check_tenant(None)

    @settings(max_examples=200)
    @given(st.text("aA0._-/ %", max_size=70))
    def test_can_be_used_between_slashes(self, tenant: str) -> None:
        try:
            check_tenant(tenant)
        except ConfigurationError:
            return
        assert posixpath.normpath(f"/memories/{tenant}/x") == f"/memories/{tenant}/x"
        assert quote(tenant, safe="") == tenant
