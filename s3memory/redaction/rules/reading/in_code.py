"""Words of code, markup and manuals, which look as passwords do: by their form, and by what is right beside them."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled

# Markup, conditions, quantities with a name, files of versions, dates with the name of a month.
_OF_CODE = (
    r"\S*&(?:#x?[0-9A-Fa-f]+|amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip)(?:;\S*)?|[0-9]+={1,2}[\w.]+|\w+[!<>]=[0-9]+"
    r"|[0-9]+%[A-Z]+|[0-9]+\*{1,2}-?[A-Za-z_]\w*|\S+\.(?:patch|orig|diff)~?"
    r"|[A-Za-z][\w.-]{0,40}(?:key|psk|secret|token|passw(?:or)?d)=\S+"  # a setting, of which the value may be a secret
    r"|[0-9]{4}-[A-Z][a-z]{2}-[0-9]{1,2}|[0-9]{1,2}-[A-Z][a-z]{2}-[0-9]{2,4}"
)
# Behind a name that is called, or that gets a value where a line begins; a page of a manual.
_CALLED, _ASSIGNED, _LINE_BEGINS, _MANUAL = r"\(\)", r"[ ]:?=[ ]", r"(?:\A|\n)[ \t]*\Z", r"\bman[1-9]/\Z"
# Of YAML: the value that has this name stands elsewhere, behind "&name".
_ALIAS = r":[ ]{1,4}\*[A-Za-z][\w-]{0,60}[ \t]{0,9}(?:[ \t]#[^\n]{0,200})?(?=\r?\n|\Z)"
_BEFORE = 48


def is_of_code(text: str, start: int, end: int) -> bool:
    """Whether the word from `start` to `end` is a piece of code, of markup or of a manual."""
    word = text[start:end]
    if text[start - 1 : start] == "*" and is_alias(text, text.rfind(":", max(0, start - _BEFORE), start)):
        return True
    if compiled(_OF_CODE).fullmatch(word) or compiled(_MANUAL).search(text, max(0, start - _BEFORE), start):
        return True
    if not word.isidentifier():
        return False
    if text[start - 1 : start] == "_" != text[end : end + 1]:  # `_Password`
        return True
    begins = compiled(_LINE_BEGINS).search(text, max(0, start - _BEFORE), start)
    return compiled(_CALLED).match(text, end) is not None or bool(begins and compiled(_ASSIGNED).match(text, end))


def is_alias(text: str, colon: int) -> bool:
    """Whether nothing but "*name" stands behind `colon`: in YAML, a value that stands elsewhere."""
    return colon >= 0 and compiled(_ALIAS).match(text, colon) is not None
