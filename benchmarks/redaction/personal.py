"""Payment cards, IBANs and US social security numbers, in the usual spellings."""

from __future__ import annotations

import random
import string

from redaction.samples import Maker, made_of

_CARDS = {
    "visa": (("4",), 16, (4, 8, 12)),
    "mastercard": (("51", "52", "53", "54", "55", "2221", "2720"), 16, (4, 8, 12)),
    "american express": (("34", "37"), 15, (4, 10)),
    "discover": (("6011", "644", "65"), 16, (4, 8, 12)),
    "diners club": (("36", "38", "300"), 14, (4, 10)),
    "jcb": (("3528", "3589"), 16, (4, 8, 12)),
    "unionpay": (("62",), 16, (4, 8, 12)),
    "maestro": (("6759", "5018"), 16, (4, 8, 12)),
}
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)

# Country, and its account part: n a digit, a a capital letter, c either (the IBAN registry's letters).
_IBANS = {
    "DE": "n18",
    "FR": "n10c11n2",
    "GB": "a4n14",
    "NL": "a4n10",
    "ES": "n20",
    "IT": "a1n10c12",
    "CH": "n5c12",
    "AT": "n16",
    "BE": "n12",
    "PL": "n24",
    "SE": "n20",
    "NO": "n11",
    "PT": "n21",
    "IE": "a4n14",
    "TR": "n5n1c16",
    "SA": "n2c18",
    "MT": "a4n5c18",
}
_LETTERS = {"n": string.digits, "a": string.ascii_uppercase, "c": string.digits + string.ascii_uppercase}


def _check_digit(digits: str) -> str:
    values = list(map(int, reversed(digits)))
    return str(-(sum(_DOUBLED[value] for value in values[::2]) + sum(values[1::2])) % 10)


def card(issuer: str, separator: str) -> Maker:
    """Return what makes card numbers of `issuer`, grouped by `separator`."""
    prefixes, length, ends = _CARDS[issuer]

    def make(rng: random.Random) -> str:
        prefix = rng.choice(prefixes)
        digits = prefix + made_of(rng, string.digits, length - len(prefix) - 1)
        digits += _check_digit(digits)
        return separator.join(digits[a:b] for a, b in zip((0, *ends), (*ends, length), strict=True))

    return make


def iban(country: str, style: str) -> Maker:
    """Return what makes IBANs of `country`: "plain", in groups of four by "spaces", "hyphens", or in "lower" case."""

    def make(rng: random.Random) -> str:
        shape = _IBANS[country]
        account = ""
        while shape:
            kind, shape = shape[0], shape[1:]
            count = len(shape) - len(shape.lstrip(string.digits))
            account += made_of(rng, _LETTERS[kind], int(shape[:count]))
            shape = shape[count:]
        numeric = "".join(str(int(letter, 36)) for letter in f"{account}{country}00")
        made = f"{country}{98 - int(numeric) % 97:02}{account}"
        if style == "lower":
            return made.lower()
        joint = {"plain": "", "spaces": " ", "hyphens": "-"}[style]
        return joint.join(made[start : start + 4] for start in range(0, len(made), 4))

    return make


def social_security(separator: str) -> Maker:
    """Return what makes social security numbers: no area 000, 666 or 900 and up, no group 00, no serial 0000."""

    def make(rng: random.Random) -> str:
        area = rng.choice([number for number in range(1, 900) if number != 666])  # noqa: PLR2004 - never issued
        return f"{area:03}{separator}{rng.randint(1, 99):02}{separator}{rng.randint(1, 9999):04}"

    return make


CARDS = {
    f"{issuer} {name}": card(issuer, separator)
    for issuer in _CARDS
    for name, separator in {"plain": "", "spaces": " ", "hyphens": "-"}.items()
}
IBANS = {f"{country} {style}": iban(country, style) for country in _IBANS for style in ("plain", "spaces")}
HELD_OUT_IBANS = {f"{country} {style}": iban(country, style) for country in _IBANS for style in ("spaces", "plain")}
SSNS = {f"{name} {n}": social_security(mark) for name, mark in (("hyphens", "-"), ("spaces", " ")) for n in range(10)}
BARE_SSNS = {f"bare {n}": social_security("") for n in range(10)}

CARD_CONTEXTS = {
    "alone": "{}",
    "sentence": "The customer paid with {} yesterday.",
    "label": "card: {}, exp 12/29, cvv 123",
    "number of the card": "Card number: {}",
    "table": "| 4711 | {} | open |\n",
    "json": '{{"pan": "{}"}}',
    "csv": "jo,{},2026-01-01\n",
    "code": "`{}`",
    "log": "2026-03-04 05:06:07 charge card={} amount=12.50\n",
}
HELD_OUT_CARD_CONTEXTS = {
    "mail": "Hi, please charge {} for the renewal.",
    "parentheses": "corporate card ({})",
    "quotes": 'used "{}" at checkout',
    "expiry": "{} 09/28 456",
    "xml": "<cardNumber>{}</cardNumber>",
    "yaml": "payment:\n  card: {}\n",
    "bold": "**{}**",
    "query": "https://example.org/pay?card={}&amount=5",
}
IBAN_CONTEXTS = {
    "alone": "{}",
    "label": "IBAN: {}",
    "sentence": "Please transfer it to {} by Friday.",
    "table": "| Jo | {} |\n",
    "json": '{{"iban": "{}"}}',
    "bank": "IBAN {}, BIC COBADEFFXXX",
}
HELD_OUT_IBAN_CONTEXTS = {
    "account": "our account is {}.",
    "code": "`{}`",
    "parentheses": "Miller GmbH ({})",
    "csv": "Miller;{};120.00\n",
    "invoice": "Bank details:\n{}\nDeutsche Bank\n",
    "yaml": "account: {}\n",
}
SSN_CONTEXTS = {
    "label": "SSN: {}",
    "sentence": "Her social security number is {}.",
    "table": "| Jo Miller | {} | 1980-01-01 |\n",
    "json": '{{"ssn": "{}"}}',
    "alone": "{}",
}
HELD_OUT_SSN_CONTEXTS = {
    "applicant": "Applicant Jo Miller, SS# {}, born 1980",
    "csv": "miller,{},NY\n",
    "note": "verified with {} on the phone",
    "form": "Social Security No. {}",
    "parentheses": "Jo ({})",
}
BARE_SSN_CONTEXTS = {"label": "SSN: {}", "sentence": "social security number {}", "json": '{{"ssn": "{}"}}'}
HELD_OUT_BARE_SSN_CONTEXTS = {"taxpayer": "her SSN is {}.", "form": "Social Security No. {}", "field": "ssn={}"}
