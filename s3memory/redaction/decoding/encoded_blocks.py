"""Decodes blocks of base64 and hexadecimal that contain text.

Base64 may use either alphabet, with or without padding, on one line or several; hexadecimal may have separators. When
the word before an encoded run uses the same alphabet, the start of the run can't be seen, so every offset is tried. A
run that doesn't decode to text is left out: nearly all are such.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Iterator

from s3memory.redaction.decoding.view import Replacement
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import runs_of

# These are twelve bytes. Fewer hold nothing that a rule finds.
_MIN_CHARACTERS = 16
_RUN = r"[A-Za-z0-9+/_-]+={0,2}"
# An escaped line end; JSON within JSON doubles the backslash.
_ESCAPED_END = r"(?:\\{1,2}r)?\\{1,2}n"
_NEXT_LINE = rf"[\"'`]?,?[ \t]?(?:[+]|\\(?=\r?\n))?[ \t]{{0,4}}(?:\r?\n|{_ESCAPED_END})[ \t>#|*\"'`]{{0,20}}"
_END_OF_LINE = r"(?=[\"'`]?[,;)\]}]{0,2}[ \t]{0,4}(?:[\r\n\\+]|\Z))"
_RUNS = rf"{_RUN}(?:{_NEXT_LINE}[A-Za-z0-9+/_-]{{2,}}+={{0,2}}{_END_OF_LINE})*+"
# No lookahead after the run: if it failed, the search would start again at each pair of the run.
_HEX_RUN = r"(?:[0-9A-Fa-f]{24,}+|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){11,}+)"
_PAIR = r"(?:0[xX])?[0-9A-Fa-f]{2}"
_SPACED = rf"(?:(?<![0-9A-Za-z])|(?<=\\[nrt])){_PAIR}(?:(?:, ?|[ :]){_PAIR}){{11,}}+"
_HEXADECIMAL = "0123456789ABCDEFabcdef"

# A prefilter for hexadecimal pairs with separators: it searches the text as bytes that only give the character classes.
_PAIR_CLASSES = bytes.maketrans(b"ABCDEFabcdef123456789:X", b"0" * 21 + b" x")
_PAIRS = tuple(joint.join([b"00"] * 12) for joint in (b" ", b", ", b",", b" 0x", b", 0x", b",0x"))

_ESCAPES = ("\\n", "\\r", "\\t")

# What the first, second and third characters of base64 can be if a group of four encodes three bytes of ASCII.
_FIRST = "CDI-Za-f"
_SECOND = "AC-HQS-Xgi-nwy-z0-3"
_THIRD = "ABEFIJMNQRUVYZcdghklopstwx014589"
_ASCII_IN_BASE64 = rf"(?:[{_FIRST}][{_SECOND}][{_THIRD}][A-Za-z0-9+/_-]){{3}}[{_FIRST}][{_SECOND}]"
_ASCII_IN_HEX = r"(?:[2-7][0-9a-f]|0[9ad]){12}"
# A full-width character is three bytes of UTF-8, whose first two are nearly constant. ASCII in UTF-16 has NUL bytes.
_WIDE_IN_BASE64 = ("77", "+8", "+9", "-8", "-9", "vv")
_MIN_WIDE = 4
_NUL_ONE_IN = 6

_TEXT_BYTES = bytes([*b"\t\n\r", *range(ord(" "), ord("~") + 1)])
_IS_TEXT = bytes(ord("a") if code in _TEXT_BYTES else 0 for code in range(256))
_SOME_TEXT = b"a" * 12
# The first bytes of full-width characters, U+FF01 to U+FF5E, in UTF-8.
_FULL_WIDTH = (b"\xef\xbc", b"\xef\xbd")
_MIN_FULL_WIDTH = 12
_NO_TEXT = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]+"
_MAX_NO_TEXT = 0.1
# Every second byte of ASCII in UTF-16 is NUL.
_MIN_NULS = 0.3


def blocks(text: str, *, is_view: bool = False) -> Iterator[Replacement]:
    """Yield each run in `text` that decodes to text, in order.

    Args:
        text: The text.
        is_view: It is the text of a view.
    """
    found = [part for start, end in _runs(text) for part in _lines(text, start, end, is_view=is_view)]
    marks = text.encode("latin-1", "replace").translate(_PAIR_CLASSES)
    if any(pairs in marks for pairs in _PAIRS):
        spaced = [_without_half_a_word(text, *run.span()) for run in compiled(_SPACED).finditer(text)]
        found = sorted([*found, *((start, end, _as_text(_bytes_of_hex(text[start:end]))) for start, end in spaced)])
    for start, end, decoded in found:
        if decoded:
            # A replacement of the same length would be taken for a character-by-character one: see `View.origin`.
            yield start, end, decoded if len(decoded) != end - start else f"{decoded}\ufffd"


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of each run in `text` that is long enough, with the lines below that may continue it."""
    behind = 0
    for start, end in runs_of(text, _MIN_CHARACTERS):
        is_behind_escape = text[start - 1 : start + 1] in _ESCAPES  # the letter of "\n" is not part of the run
        if start >= behind and (runs := compiled(_RUNS).match(text, start + is_behind_escape)):
            yield runs.span()
            behind = max(end, runs.end())


def _without_half_a_word(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a run of pairs without the last pair, if that is the start of a longer word."""
    follows = text[end : end + 1]
    if follows.isascii() and follows.isalnum():
        end = max(text.rfind(separator, start, end) for separator in " ,:")
    return start, end


def _lines(text: str, start: int, end: int, *, is_view: bool) -> Iterator[Replacement]:
    """Yield what the lines of a run decode to: all together if that is text, or else each by itself."""
    spans: list[tuple[int, int]] = []
    if "\n" not in (run := text[start:end]) and "\\" not in run:
        yield start, end, _decoded_line(text, start, end, is_view=is_view)
        return
    for joint in compiled(_NEXT_LINE).finditer(text, start, end):
        spans.append((start, joint.start()))
        start = joint.end()
    spans.append((start, end))
    for taken in (len(spans), len(spans) - 1):  # the last line may be a word that isn't part of the run
        if taken > 1 and (decoded := _joined([text[begin:stop] for begin, stop in spans[:taken]])):
            yield spans[0][0], spans[taken - 1][1], decoded
            spans = spans[taken:]
            break
    for begin, stop in spans:
        yield begin, stop, _decoded_line(text, begin, stop, is_view=is_view)


def _joined(lines: list[str]) -> str:
    """Return what the lines decode to as one run; empty if that isn't text, or if they can't be one run."""
    first, *middle, last = map(len, lines)
    if len({*middle}) > 1 or last > max([first, *middle]) or any("=" in line for line in lines[:-1]):
        return ""
    run = "".join(lines)
    digits = compiled(_HEX_RUN).fullmatch(run)
    data = _bytes_of_hex(run) if digits else _bytes_of_base64(_standard_alphabet(run))
    before_last = (len(run) - last) // (2 if digits else 4) * (1 if digits else 3)
    above, below = (_without_nuls(part) for part in (data[:before_last], data[before_last:]))
    if _is_all_text(above) and not _is_all_text(below):
        return ""  # a word below an encoded text
    data = _without_nuls(data)
    return _as_text(data) if len(data.translate(None, _TEXT_BYTES)) <= _MAX_NO_TEXT * len(data) else ""


def _decoded_line(text: str, start: int, end: int, *, is_view: bool) -> str:
    """Return the text that a run decodes to, or an empty string."""
    run = text[start:end]
    readings = []
    # Text in base64 has capitals; only one in ten thousand texts of twenty bytes has none. Paths and hashes have none.
    if not run.islower() and run.strip(_HEXADECIMAL) and _may_be_base64(run):
        standard = _standard_alphabet(run)
        # A word or an escape right before the run hides where it starts. A crafted text can make a view very long, so
        # in a view other offsets are tried only if the run has a sign in it, or an escape before it.
        is_glued = not is_view or "/" in standard or "+" in standard or text.startswith("\\", start - 1)
        readings = [_bytes_of_base64(standard, offset) for offset in (range(4) if is_glued else (0,))]
    if (digits := compiled(_HEX_RUN).search(run)) and _may_be_hex(digits[0]):
        readings += [_bytes_of_hex(digits[0]), _bytes_of_hex(digits[0][1:])]
    if not readings:
        return ""
    # Hardly any run has text in it, so all readings are checked at once.
    if not _has_text(b"\0".join(map(_without_nuls, readings))):
        return ""
    if _is_all_text(readings[0]):
        return _as_text(readings[0])
    return "\ufffd".join(filter(None, map(_as_text, readings)))


def _may_be_base64(run: str) -> bool:
    """Whether a run of base64 may decode to text: to ASCII, full-width characters or UTF-16."""
    is_one = compiled(_ASCII_IN_BASE64).search(run) is not None
    return is_one or sum(map(run.count, _WIDE_IN_BASE64)) >= _MIN_WIDE or _NUL_ONE_IN * run.count("A") >= len(run)


def _may_be_hex(run: str) -> bool:
    """Whether a run of hexadecimal may decode to text: see `_may_be_base64`."""
    folded = run.lower().replace("-", "")
    is_one = compiled(_ASCII_IN_HEX).search(folded) is not None
    return is_one or folded.count("efb") >= _MIN_WIDE or 2 * _NUL_ONE_IN * folded.count("00") >= len(folded)


def _standard_alphabet(run: str) -> str:
    return run.rstrip("=").replace("-", "+").replace("_", "/")


def _bytes_of_base64(standard: str, offset: int = 0) -> bytes:
    is_over = (len(standard) - offset) % 4 == 1  # one character is not a byte yet
    whole = standard[offset : len(standard) - is_over]
    return a2b_base64(whole + "=" * (-len(whole) % 4))


def _bytes_of_hex(run: str) -> bytes:
    for separator in ("0x", "0X", ",", ":", " ", "-"):
        run = run.replace(separator, "")
    return bytes.fromhex(run[: len(run) // 2 * 2])


def _without_nuls(data: bytes) -> bytes:
    return data.replace(b"\0", b"") if data.count(0) > _MIN_NULS * len(data) else data


def _as_text(data: bytes) -> str:
    """Return `data` as text, with U+FFFD for what is not text; empty if hardly any of it is."""
    data = _without_nuls(data)
    is_text = _has_text(data) and not data.isspace()
    return compiled(_NO_TEXT).sub("\ufffd", data.decode("utf-8", "replace")) if is_text else ""


def _is_all_text(data: bytes) -> bool:
    return not data.translate(None, _TEXT_BYTES)


def _has_text(data: bytes) -> bool:
    return _SOME_TEXT in data.translate(_IS_TEXT) or sum(map(data.count, _FULL_WIDTH)) >= _MIN_FULL_WIDTH
