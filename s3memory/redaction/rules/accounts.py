"""IBANs, by their country, length and check digits, and US social security numbers, by their separators or a label."""

from __future__ import annotations

import re
from string import ascii_letters, digits

from s3memory.redaction.interface import without_placeholders
from s3memory.redaction.rule import Location, ShapeRule
from s3memory.redaction.text.compiling import compiled

# The length of an IBAN by country, from the registry that SWIFT keeps for ISO 13616.
_IBAN_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR21 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
    "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 "
    "LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 "
    "QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
_LENGTH_BY_COUNTRY = {entry[:2]: int(entry[2:]) for entry in _IBAN_LENGTHS.split()}
_SEPARATOR_SIGNS = "- .\u2010\u2011\u2013"
_SEPARATOR = rf"(?:[{_SEPARATOR_SIGNS}]| {{2}})"
_GROUPS = rf"(?:{_SEPARATOR}[A-Za-z0-9]{{4}}){{2,7}}(?:{_SEPARATOR}[A-Za-z0-9]{{1,4}})?"

# Groups that the Social Security Administration has never issued, and numbers that were printed as examples.
_NEVER_ISSUED = r"(?:000|666|9)|...00|.{5}0000"
_EXAMPLES = ("078051120", "219099999", "123456789", "111111111")
_SSN_LABEL = r"(?i)(?:\bss[ns]?\b|ss#|social[ _-]?security|tax(?:payer)?[ _-]?id|\bitin\b|\btin\b|ssn)"
_CONTINUES_BEFORE = r"(?:[0-9A-Za-z][-.]|[#/+]|[0-9] )\Z"
_CONTINUES_AFTER = r"[-./][0-9A-Za-z]| [0-9]"
_CONTEXT = 40
_ALNUM = ascii_letters + digits
_END_OF_PLACEHOLDER = r"\A[A-Z]*:?[a-z0-9#-]*\]"


def _iban(match: re.Match[str]) -> Location:
    country, start = match["country"].upper(), match.start("country")
    compact, ends = "", []
    for position in range(start, match.end()):
        if match.string[position] not in _SEPARATOR_SIGNS:
            compact += match.string[position]
            ends.append(position + 1)
    length = _LENGTH_BY_COUNTRY.get(country, 0)
    # The pattern may take words after the number for groups of it, so only its length counts.
    if not length or len(compact) < length:
        return None
    end = ends[length - 1]
    is_cut = end < len(match.string) and match.string[end].isalnum()
    number = compact[:length].upper()
    is_one_case = compact[:length] in (number, number.lower())
    if is_cut or not is_one_case or not has_valid_iban_check_digits(number):
        return None
    return start, end


def has_valid_iban_check_digits(number: str) -> bool:
    """Whether the check digits of an IBAN, without spaces and in capitals, are right (ISO 7064, mod 97-10)."""
    return int("".join(str(int(character, 36)) for character in number[4:] + number[:4])) % 97 == 1


def _social_security(match: re.Match[str]) -> Location:
    text, (start, end) = match.string, match.span()
    number = match[0].replace(match["joint"], "") if match["joint"] else match[0]
    if compiled(_NEVER_ISSUED).match(number) or number in _EXAMPLES:
        return None
    before = text[max(0, start - _CONTEXT) : start]
    if start > _CONTEXT and text[start - _CONTEXT - 1].isalnum():
        before = before.lstrip(_ALNUM)  # the rest of a word that was cut
    # A placeholder, or the end of one, is not a label of this number.
    label_text = without_placeholders(compiled(_END_OF_PLACEHOLDER).sub("", before)) if "]" in before else before
    is_named = compiled(_SSN_LABEL).search(label_text) is not None
    # Without a label, nine digits or groups with dots can be many things.
    if not is_named and (match["joint"] in ("", ".") or len(set(number)) == 1):
        return None
    if not is_named and match["joint"] == " " and not compiled(r"(?:^|[\s|\"'`(:,;>*])\Z").search(before):
        return None
    is_part_of_more = compiled(_CONTINUES_BEFORE).search(before) or compiled(_CONTINUES_AFTER).match(text, end)
    return None if is_part_of_more and not is_named else (start, end)


RULES = (
    ShapeRule(
        kind="iban",
        shape=rb"aa00(?<![a0]aa00)[a0 .?-]",
        offset=2,
        pattern=(
            r"[0-9]{2}(?<=(?P<country>[A-Za-z]{2})..)(?<![A-Za-z0-9]....)"
            rf"(?:[A-Za-z0-9]{{11,30}}|{_GROUPS})"
        ),
        locate=_iban,
        source="https://www.swift.com/standards/data-standards/iban-international-bank-account-number",
        samples=("transfer to «{iban}».", "| IBAN | «{iban spaced}» |"),
        near=("transfer to {iban wrong}.", "DE89 is the number of the room"),
    ),
    ShapeRule(
        kind="ssn",
        # In the shape, "?" stands for any character beyond ASCII.
        shape=rb"000(?<![a0_]000)(?P<joint>[- .?]?)00(?P=joint)0000(?![a0_])",
        pattern=rf"[0-8](?<![0-9A-Za-z_].)[0-9]{{2}}(?P<joint>[{_SEPARATOR_SIGNS}]?)[0-9]{{2}}(?P=joint)[0-9]{{4}}(?![0-9A-Za-z_])",
        locate=_social_security,
        source="https://www.ssa.gov/employer/randomization.html",
        samples=("SSN: «{ssn}»", "her social security number is «{ssn plain}»"),
        near=("order 900-12-3456", "SSN: 000-12-3456", "call 123-45-678"),
    ),
)
