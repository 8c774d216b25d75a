"""Values typed into a field for a password or a code: "type v in the field called voucher"."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.judging import is_plain_noun, is_word_of_code
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.rules.reading.stated_words import is_description
from s3memory.redaction.text.compiling import compiled

_VERBS = ("type ", "enter ", "put ", "paste ", "key in ")
_FIELD_NAME = (
    r"(?:[a-z-]{2,12}[ ])?"
    r"(?:password|pass[ ]?code|passphrase|pin|voucher|coupon|access[ ]code|guest[ ]code|code|secret|key)"
)
# "in the field called voucher", "into the password box"
_FIELD = (
    r"(?:in|into|in[ ]to)[ ](?:the|that)[ ](?:(?:field|box|form[ ]field|input)"
    rf"[ ](?:called|named|labelled|labeled|marked|for|that[ ]says)[ ](?:the[ ])?[\"'`*]{{0,2}}{_FIELD_NAME}\b"
    rf"|[\"'`*]{{0,2}}{_FIELD_NAME}[\"'`*]{{0,2}}[ ](?:field|box|prompt|input)\b)"
)
_JOINED_WORDS = r"[a-z]{3,16}(?:[-_.][a-z]{3,16}){1,4}"


def _typed_value(match: re.Match[str]) -> Location:
    """Locate the value, unless its words only describe a password or name the field."""
    value = match["secret"]
    words = compiled(r"[-_.]").split(value)
    if all(is_description(word) or is_word_of_code(word) for word in words) or compiled(_FIELD_NAME).search(value):
        return None
    is_joined = compiled(_JOINED_WORDS).fullmatch(value) is not None and not is_harmless_form(value)
    is_quoted = match.string[match.start("secret") - 1] in "\"'`*\u201c" and value.isalpha()
    is_one = is_joined or is_quoted or likeness(value) >= Likeness.CHOSEN or is_plain_noun(value)
    return match.span("secret") if is_one else None


RULES = (
    Rule(
        kind="password",
        anchors=_VERBS,
        fold=True,
        pattern=(
            r"(?i:type|enter|put|paste|key in)[ ](?:(?i:the word|just)[ ])?[\"'`*\u201c]{0,2}"
            rf"(?P<secret>[A-Za-z0-9][^\s\"'`*\u201d]{{3,40}})[\"'`*\u201d]{{0,2}}[ ](?i:{_FIELD})"
        ),
        locate=_typed_value,
        source="https://cwe.mitre.org/data/definitions/256.html",
        samples=(
            "at the coworking place type «espresso-forward» in the field called voucher",
            "enter «gravelpond55» in the password field",
            'put "«peppermint»" into the box labelled "access code"',
        ),
        near=(
            "type text into the field called voucher",
            "enter your-email in the box for the code",
            "type new-password in the password field",
            "put data in the field called key",
            "enter it in the password field",
        ),
    ),
)
