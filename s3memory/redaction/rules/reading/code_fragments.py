"""Recognizes pieces of code, markup and manuals that look like passwords, by their form and the text next to them."""

from __future__ import annotations

from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.text.compiling import compiled

# Markup, conditions, named quantities, patch files, dates with the name of a month.
_CODE = (
    r"\S*&(?:#x?[0-9A-Fa-f]+|amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip)(?:;\S*)?|[0-9]+={1,2}[\w.]+|\w+[!<>]=[0-9]+"
    r"|[0-9]+%[A-Z]+|[0-9]+\*{1,2}-?[A-Za-z_]\w*|\S+\.(?:patch|orig|diff)~?"
    r"|[A-Za-z][\w.-]{0,40}(?:key|psk|secret|token|passw(?:or)?d)=\S+"  # only the value of a setting may be a secret
    r"|[0-9]{4}-[A-Z][a-z]{2}-[0-9]{1,2}|[0-9]{1,2}-[A-Z][a-z]{2}-[0-9]{2,4}"
    # HTML, roff, LaTeX, code points, addresses in memory, source files.
    r"|(?:\w+>)?[A-Za-z]+(?:</[a-z]\w*>?)+|/?(?:a|p|b|i|h[1-6]|td|tr|th|li|ul|ol|em|div|span|code|pre|strong)>[A-Za-z]*"
    r"|(?:#[\w-]+|utf-8|mailto:[^\s\"]+)\">\S*|(?:href|src|charset)=\S*|[\w-]+\.html#[\w-]+|[\w.-]*\\f[A-Z0-9]\S*"
    r"|.*\\[a-z]{3,20}[ ].*|U\+[0-9A-Fa-f]{4,6}|0x[0-9A-Fa-f?]{2,16}"
    r"|[\w.+-]+(?:/[\w.+-]+)+\.(?:c|h|cc|cpp|py|js|ts|rs|go|rb|java)"
    r"|Pwn3d!?"  # how NetExec marks a host
)
# After the name in "name()"; after the name in "name = value" at the start of a line; before the page in "man1/".
_CALLED, _ASSIGNED, _LINE_BEGINS, _MANUAL_PAGE = r"\(\)", r"[ ]:?=[ ]", r"(?:\A|\n)[ \t]*\Z", r"\bman[1-9]/\Z"
# In YAML, ": *name" is an alias: the value itself is elsewhere, after "&name".
_ALIAS = r":[ ]{1,4}\*[A-Za-z][\w-]{0,60}[ \t]{0,9}(?:[ \t]#[^\n]{0,200})?(?=\r?\n|\Z)"
_IMPORTED = (  # "from x import a, ", but no prose such as "import the key with v"
    r"(?m:^)[ \t]*(?:from[ ][\w.]{1,60}[ ])?import[ ](?:static[ ]|type[ ])?[({]?[ ]?(?:[\w.*]+(?:[ ]as[ ]\w+)?,[ ]?)*"
    r"(?:[\w.]+[ ]as[ ])?\Z"
)
_MAX_IMPORT_LENGTH = 160
_MAX_LENGTH_BEFORE, _RESULTS_REACH = 48, 400
# A format string with words, printf formats, encryption schemes: "f'kept {n} items'", "%s:%s", "PBEWithMD5AndDES".
_SOURCE_CODE = r"[fF]['\"]\w+[ ][^\n]*|\W*(?:%[sdr]\W*)+|(?:PBKDF2|PBE)With\w+(?:-\w+)*"
_FONT, _ESCAPED = r"f[A-Z0-9]\S*|s[-+]?[0-9]\S*", "\\"  # roff: "\f5name\fR"
_IN_CONTEXT = (  # each row: a pattern of the text before, of the word, and of the text after
    (r"\)[ ]?->[ ]\Z", r"[\w.]+", r":[ \t]*(?:\r?\n|\Z)"),  # "def key(self) -> Type:"
    (r"\w\([^()\n]*\b\w+=\Z", r"[A-Za-z_]+(?:[._][A-Za-z_]+)+", r"[,)]"),  # "f(x, password=a_name)"
    (r"(?:\A|\n)[ \t]*[\w.]{2,40}[ ]=[ ]\Z", r"[a-z_]\w*,[ ]\w+", r"\("),  # "key = one, two(three)"
    (r"\{\Z", r"\w+![rsa]", r"\}"),  # f"{name!r}"
    (r"[;{})][ \t]{1,8}//[ ]\Z", r"[A-Za-z]+", r"[ \t]*(?:\r?\n|\Z)"),  # a comment of one word after code
    (
        (
            r"(?:[ \t]--(?![a-z-]*secret)[a-z][a-z-]{0,40}-id(?:entifier)?[ =]"
            r"|\"(?![A-Za-z_-]*[Ss]ecret)[A-Za-z_-]{0,40}(?:[a-z]I|[_-]i)d(?:entifier)?\"[ ]?:[ ]?)[\"']?\Z"
        ),
        r"[\w.+=:/-]+",
        r"",
    ),  # '"TaskId": "v"', "--job-id v"
    (
        r"\b(?:to|we|you|not|can|may|must|off,?|and)[ ]pass(?:ed)?[ ](?:to[ ](?:the[ ])?)?\Z",
        r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+",
        r"(?![ ]as[ ])",  # "to pass a_name", but not "to pass v as the password"
    ),
)
# Consecutive lines of test results, some of which name a file or have words. No test is named with such a sign.
_RESULTS = r"(?:^(?:PASS|X?FAIL|SKIP|ERROR):[ ][^\n]*(?:\n|\Z)){3,}"
_TEST_LINE, _NO_TEST = r"(?m:^[A-Z]{4,5}:[ ]\S*[ /])", r"[!@#$%^&*=?]"


def is_source_code(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` is a piece of source code or markup, or the name of a test that passed."""
    if compiled(_SOURCE_CODE).fullmatch(text, start, end):
        return True
    if any(
        compiled(word).fullmatch(text, start, end)
        and compiled(after).match(text, end)
        and compiled(before).search(text, max(0, start - _MAX_LENGTH_BEFORE), start)
        for before, word, after in _IN_CONTEXT
    ):
        return True
    is_passed = text.startswith("PASS: ", line_start(text, start, _RESULTS_REACH))
    if not is_passed or compiled(_NO_TEST).search(text, start, end):
        return False
    near = compiled(rf"(?m){_RESULTS}").finditer(text, max(0, start - _RESULTS_REACH), end + _RESULTS_REACH)
    return any(block.start() <= start < block.end() and compiled(_TEST_LINE).search(block[0]) for block in near)


def is_of_code(text: str, start: int, end: int) -> bool:
    """Whether the word from `start` to `end` is a piece of code, of markup or of a manual page."""
    word = text[start:end]
    before, sign = max(0, start - _MAX_LENGTH_BEFORE), text[start - 1 : start]
    if sign == "*" and is_yaml_alias(text, text.rfind(":", before, start)):
        return True
    is_imported = compiled(_IMPORTED).search(text, max(0, start - _MAX_IMPORT_LENGTH), start) is not None
    if is_imported or is_source_code(text, start, end) or compiled(_CODE).fullmatch(word):
        return True
    if compiled(_MANUAL_PAGE).search(text, before, start) or (sign == _ESCAPED and compiled(_FONT).fullmatch(word)):
        return True
    if not word.isidentifier():
        return False
    if sign == "_" != text[end : end + 1]:  # `_Password`
        return True
    begins_line = compiled(_LINE_BEGINS).search(text, before, start)
    return compiled(_CALLED).match(text, end) is not None or bool(begins_line and compiled(_ASSIGNED).match(text, end))


def is_yaml_alias(text: str, colon: int) -> bool:
    """Whether only "*name" follows the colon at `colon`: an alias of YAML, whose value is elsewhere."""
    return colon >= 0 and compiled(_ALIAS).match(text, colon) is not None
