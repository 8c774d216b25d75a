"""Words of code, markup and manuals, which look as passwords do: by their form, and by what is right beside them."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled

# Markup, conditions, quantities with a name, files of versions, dates with the name of a month.
_OF_CODE = (
    r"\S*&(?:#x?[0-9A-Fa-f]+|amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip)(?:;\S*)?|[0-9]+={1,2}[\w.]+|\w+[!<>]=[0-9]+"
    r"|[0-9]+%[A-Z]+|[0-9]+\*{1,2}-?[A-Za-z_]\w*|\S+\.(?:patch|orig|diff)~?"
    r"|[A-Za-z][\w.-]{0,40}(?:key|psk|secret|token|passw(?:or)?d)=\S+"  # a setting, of which the value may be a secret
    r"|[0-9]{4}-[A-Z][a-z]{2}-[0-9]{1,2}|[0-9]{1,2}-[A-Z][a-z]{2}-[0-9]{2,4}"
    # HTML, roff, LaTeX, code points, addresses in memory, files of code.
    r"|(?:\w+>)?[A-Za-z]+(?:</[a-z]\w*>?)+|/?(?:a|p|b|i|h[1-6]|td|tr|th|li|ul|ol|em|div|span|code|pre|strong)>[A-Za-z]*"
    r"|(?:#[\w-]+|utf-8|mailto:[^\s\"]+)\">\S*|(?:href|src|charset)=\S*|[\w-]+\.html#[\w-]+|[\w.-]*\\f[A-Z0-9]\S*"
    r"|.*\\[a-z]{3,20}[ ].*|U\+[0-9A-Fa-f]{4,6}|0x[0-9A-Fa-f?]{2,16}"
    r"|[\w.+-]+(?:/[\w.+-]+)+\.(?:c|h|cc|cpp|py|js|ts|rs|go|rb|java)"
)
# Behind a name that is called, or that gets a value where a line begins; a page of a manual.
_CALLED, _ASSIGNED, _LINE_BEGINS, _MANUAL = r"\(\)", r"[ ]:?=[ ]", r"(?:\A|\n)[ \t]*\Z", r"\bman[1-9]/\Z"
# Of YAML: the value that has this name stands elsewhere, behind "&name".
_ALIAS = r":[ ]{1,4}\*[A-Za-z][\w-]{0,60}[ \t]{0,9}(?:[ \t]#[^\n]{0,200})?(?=\r?\n|\Z)"
_IMPORTED = (  # names and commas, and no prose: "import the key with v"
    r"(?m:^)[ \t]*(?:from[ ][\w.]{1,60}[ ])?import[ ](?:static[ ]|type[ ])?[({]?[ ]?(?:[\w.*]+(?:[ ]as[ ]\w+)?,[ ]?)*"
    r"(?:[\w.]+[ ]as[ ])?\Z"
)
_LONGEST_IMPORT = 160
_BEFORE, _NEAR = 48, 400
# A string of words with a prefix, formats, schemes of encryption.
_OF_SOURCES = r"[fF]['\"]\w+[ ][^\n]*|\W*(?:%[sdr]\W*)+|(?:PBKDF2|PBE)With\w+(?:-\w+)*"
_FONT, _ESCAPED = r"f[A-Z0-9]\S*|s[-+]?[0-9]\S*", "\\"  # of roff: "\f5name\fR"
_BETWEEN = (  # what stands before, the word, what stands behind it
    (r"\)[ ]?->[ ]\Z", r"[\w.]+", r":[ \t]*(?:\r?\n|\Z)"),  # "def key(self) -> Type:"
    (r"\w\([^()\n]*\b\w+=\Z", r"[A-Za-z_]+(?:[._][A-Za-z_]+)+", r"[,)]"),  # "f(x, password=a_name)"
    (r"(?:\A|\n)[ \t]*[\w.]{2,40}[ ]=[ ]\Z", r"[a-z_]\w*,[ ]\w+", r"\("),  # "key = one, two(three)"
    (r"\{\Z", r"\w+![rsa]", r"\}"),  # f"{name!r}"
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
# Of lines of results, one below the other, some name a file or have words. What has such a sign is no test's name.
_RESULTS = r"(?:^(?:PASS|X?FAIL|SKIP|ERROR):[ ][^\n]*(?:\n|\Z)){3,}"
_OF_TESTS, _NO_TEST = r"(?m:^[A-Z]{4,5}:[ ]\S*[ /])", r"[!@#$%^&*=?]"


def is_of_sources(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` is a piece of a program, of markup, or a line that a test passed."""
    if compiled(_OF_SOURCES).fullmatch(text, start, end):
        return True
    if any(
        compiled(word).fullmatch(text, start, end)
        and compiled(behind).match(text, end)
        and compiled(sign).search(text, max(0, start - _BEFORE), start)
        for sign, word, behind in _BETWEEN
    ):
        return True
    if not text.startswith("PASS: ", text.rfind("\n", 0, start) + 1) or compiled(_NO_TEST).search(text, start, end):
        return False
    near = compiled(rf"(?m){_RESULTS}").finditer(text, max(0, start - _NEAR), end + _NEAR)
    return any(block.start() <= start < block.end() and compiled(_OF_TESTS).search(block[0]) for block in near)


def is_of_code(text: str, start: int, end: int) -> bool:
    """Whether the word from `start` to `end` is a piece of code, of markup or of a manual."""
    word = text[start:end]
    before, sign = max(0, start - _BEFORE), text[start - 1 : start]
    if sign == "*" and is_alias(text, text.rfind(":", before, start)):
        return True
    is_imported = compiled(_IMPORTED).search(text, max(0, start - _LONGEST_IMPORT), start) is not None
    if is_imported or is_of_sources(text, start, end) or compiled(_OF_CODE).fullmatch(word):
        return True
    if compiled(_MANUAL).search(text, before, start) or (sign == _ESCAPED and compiled(_FONT).fullmatch(word)):
        return True
    if not word.isidentifier():
        return False
    if sign == "_" != text[end : end + 1]:  # `_Password`
        return True
    begins = compiled(_LINE_BEGINS).search(text, before, start)
    return compiled(_CALLED).match(text, end) is not None or bool(begins and compiled(_ASSIGNED).match(text, end))


def is_alias(text: str, colon: int) -> bool:
    """Whether nothing but "*name" stands behind `colon`: in YAML, a value that stands elsewhere."""
    return colon >= 0 and compiled(_ALIAS).match(text, colon) is not None
