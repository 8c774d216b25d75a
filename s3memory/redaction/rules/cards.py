"""Payment card numbers, by the ranges and lengths of known issuers, the grouping and the check digit; and CVVs."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule, ShapeRule
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.text.compiling import compiled

# The prefixes that issuers use, by length. Visa's thirteen digits and Maestro's twelve to fifteen are left out, since
# they are no longer issued, and are as long as timestamps.
_ISSUERS = {
    (14, 16): "300-305 3095 36 38-39",  # Diners Club
    (15,): "34 37",  # American Express
    (16,): "51-55 2221-2720",  # Mastercard
    (16, 19): "4 6011 644-659 3528-3589 2200-2204",  # Visa, Discover, JCB, Mir
    (16, 17, 18, 19): "62",  # UnionPay
    (16, 18, 19): "5018 5020 5038 6304 6759-6763",  # Maestro
}

_SEPARATOR = r"[ .\u2010\u2011\u2013-]"
# Two spaces may separate columns of a table, so a number with them needs a label.
_SEPARATORS = rf"(?:{_SEPARATOR}| {{2}})"
_CARD_LABEL = r"(?i)\b(?:card|pan|visa|master ?card|maestro|amex|discover|jcb|unionpay|karte|carte|tarjeta)"
_PAYMENT_WORDS = (
    r"(?i)\b(?:card|pan\b|visa|master ?card|maestro|amex|discover|jcb|unionpay|karte|carte|tarjeta|paid"
    r"|pay(?:ment|s|ing)?\b"
    r"|charged?\b|debit|credit|kredit|cvv|cvc|exp(?:\.|iry|ires)?\b|billing|refund|checkout|bezahl|pag[oa]|kort\b|karta|kart[ui\u0131]?\b)"
    r"|\b(?:0[1-9]|1[0-2])/[23][0-9]\b|\u5361|\u30ab\u30fc\u30c9|\uce74\ub4dc|\u043a\u0430\u0440\u0442"
)
_CONTINUES_BEFORE = r"(?:[0-9]\.|[0-9A-Za-z_]-|[/#]|[0-9]{4} {1,2})\Z"
_CONTINUES_AFTER = r"\.[0-9]|, ?-[0-9]|-[0-9A-Za-z]| {1,2}[0-9]{4}(?![0-9])(?! ?[0-9/])"
_EXPIRY = r" (?:0[1-9]|1[0-2])[23][0-9]"
_NEXT_TO = 6
_MAX_TO_LABEL, _MAX_LINE = 40, 120

# Longer numbers without groups are ids and counters, unless they are UnionPay's.
_MAX_UNGROUPED = 16
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)  # the digit sum of twice a digit

# A labelled card security code, "CVV: 668", apart from those in manuals for test cards.
_SECURITY_CODE = (
    r"(?<![A-Za-z0-9_-])(?i:cv[vc])2?(?![A-Za-z0-9_-])[\"'`*)]{0,2}(?:[ ](?i:code|number|nummer|kod|n\u00famero))?"
    r"(?:[ ](?i:of|on|for|from|auf|vom|von|der|de|del|du|sur|van)[ ][^\d\n.;:=]{1,32})?"
    r"[ ]?(?:[:=(\u2013-]|\b(?:is|was|ist|est|es|\u00e8|jest)\b)?[ ]?[\"'`*]{0,2}"
    r"(?P<secret>(?!(?:123|1234|000|0000|111|1111|999|9999|737|7373)(?![0-9]))[0-9]{3,4})"
    r"(?=[\"'`*)]{0,2}(?:[.,;/|)}](?![0-9])|[ \t]*(?:\r?\n|\Z|\()|[ ](?i:exp|valid|and|und|et|y|zip|\u2013|\u2014|-)))"
)


def has_valid_luhn_digit(digits: str) -> bool:
    """Whether the last of `digits` is right by Luhn's formula (ISO/IEC 7812-1)."""
    values = list(map(int, reversed(digits)))
    return (sum(values[::2]) + sum(_DOUBLED[value] for value in values[1::2])) % 10 == 0


def _card_number(match: re.Match[str]) -> Location:
    text, (start, end) = match.string, match.span()
    before, behind = text[max(0, start - _NEXT_TO) : start], text[end : end + _NEXT_TO]
    # Not part of a longer number, a decimal fraction, an id in a path or a column of numbers.
    is_part_of_more = compiled(_CONTINUES_AFTER).match(behind) and not compiled(_EXPIRY).match(behind)
    if is_part_of_more or compiled(_CONTINUES_BEFORE).search(before):
        return None
    has_label = compiled(_CARD_LABEL).search(text, max(0, start - _MAX_TO_LABEL), start) is not None
    if "  " in match[0] and not has_label:
        return None
    # One number in ten has the right check digit, so without groups the context must be about payment.
    if match[0].isdigit() and not (has_label or _is_paid_with(text, start, end)):
        return None
    # Three digits after the sixteenth may be the rest of a longer number, or the security code.
    for stop in (end, match.end("sixteen")):
        digits = compiled(_SEPARATOR).sub("", text[start : max(start, stop)])
        is_id = stop - start == len(digits) > _MAX_UNGROUPED and not (has_label or digits.startswith("62"))
        if not is_id and _is_issued(digits) and has_valid_luhn_digit(digits):
            return start, stop
    return None


def _is_issued(digits: str) -> bool:
    ranges = (
        one.partition("-")
        for lengths, prefixes in _ISSUERS.items()
        if len(digits) in lengths
        for one in prefixes.split()
    )
    return any(first <= digits[: len(first)] <= (last or first) for first, _, last in ranges)


def _is_paid_with(text: str, start: int, end: int) -> bool:
    """Whether the line is about a payment, or has no other words."""
    first, last = line_around(text, start, end, _MAX_LINE)
    around = f"{text[first:start]} {text[end:last]}"
    return compiled(_PAYMENT_WORDS).search(around) is not None or not any(map(str.isalpha, around))


RULES = (
    ShapeRule(
        kind="card-number",
        # In the shape, "?" stands for any character beyond ASCII.
        shape=rb"0000(?<![a0_]0000)(?:0{9,15}(?![a0_])|[ .?-] ?0{4,6}[ .?-])",
        pattern=(
            r"[2-6](?<![0-9A-Za-z_][2-6])(?:"
            r"[0-9]{13,18}"
            rf"|(?P<sixteen>[0-9]{{3}}({_SEPARATORS})[0-9]{{4}}\2[0-9]{{4}}\2[0-9]{{4}})(?:\2[0-9]{{3}})?"
            rf"|[0-9]{{3}}({_SEPARATORS})[0-9]{{6}}\3[0-9]{{4,5}}"
            r")(?![0-9A-Za-z_])"
        ),
        locate=_card_number,
        source="https://www.iso.org/standard/70484.html",
        samples=("paid with «{card}», exp 12/29", "card «{card spaced}»"),
        near=("paid with {card wrong}", "parcel {card} arrived", "order <digits:12>"),
    ),
    Rule(
        kind="card-cvv",
        anchors=("cvv", "cvc"),
        fold=True,
        pattern=_SECURITY_CODE,
        source="https://www.pcisecuritystandards.org/glossary/",
        samples=(
            "exp 12/29, cvv «668»",
            "the CVC is «6681».",
            "CVV on the virtual card «668», expires 09/27",
            '{"cvc": "«668»"}',
        ),
        near=("test card, any CVC, e.g. 123", "CVV: 123", "the CVV has 3 digits", "CVC 300 words", "cvv_attempts: 300"),
    ),
)
