"""Seeds of one-time passwords ("TOTP secret: JBSW..."): base32 or hexadecimal near the name of a second factor."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.name_tables import NameTable
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder
from s3memory.redaction.text.wording import is_gibberish

# Names of a second factor in many languages. An underscore stands for a space.
_SECOND_FACTORS = NameTable("""
    totp hotp otp 2fa mfa 2sv u2f oath two-factor two_factor 2-step two-step multi-factor second_factor authenticator
    authy aegis freeotp yubikey setup_key manual_key manual_entry manually entry_key can't_scan cannot_scan couldn't_scan qr_code time-based time_based one-time one_time
    zwei-faktor zweifaktor double_authentification deux_facteurs doble_factor dos_factores due_fattori dois_fatores
    twee-factor tweefactor tvåfaktor tofaktor dwuskładnik dvoufaktor iki_faktör két_faktor kaksivaihe dua_faktor hai_lớp
    двухфактор двофактор 两步 双因素 二次验证 兩步 雙因素 二段階 二要素 2段階 2단계 이중_인증 दो-चरण المصادقة_الثنائية
    אימות_דו-שלבי دومرحله‌ای
""")
# Seeds: base32 in one run or in groups of four, or hexadecimal.
_SEED = (
    r"(?<![A-Za-z0-9+/_.-])(?:[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,31}+(?:[ -][A-Z2-7]{1,3})?"
    r"|[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,31}+(?:[ -][a-z2-7]{1,3})?"
    r"|[A-Z2-7]{16,128}+|[a-z2-7]{16,128}+|[0-9a-f]{32,128}+|[0-9A-F]{32,128}+)"
    r"={0,6}(?![A-Za-z0-9+/_=]|[.-][A-Za-z0-9])"
)
_SEED_LABEL = (
    r"(?i)secret|seed|key|scan|type|totp|hotp|otp|authenticator|schlüssel|clé|clave|chave|chiave|geheim|segreto|segredo"
    r"|ключ|секрет|[秘密钥鑰]|キー|키"
)
OTHER_LABELS = (
    r"(?i)\b(?:commit|merge|tag|branch|sha[0-9]{0,3}|hash|digest|trace|session|serial|request|image|release|version|build|ticket|issue|port"
    r"|(?<!apple )ids?|order|invoice|checksum|fingerprint|rows?|lines?|bytes|size)\b|\]\(|://|arn:"
)
"""Labels of other random values in notes about second factors, such as commits and traces."""
_CHARS_AFTER, _CHARS_BEFORE = 140, 70
NAME_CONTEXT, MAX_LINES = 24, 3
"""How many characters before a name are its context, and on how many lines after it a value may still be its own."""
_MAX_DISTINCT_OF_FILLER = 6
_SEED_GROUP_COUNTS = frozenset((8, 13))  # of 20 and 32 bytes, in groups of four characters
_HEX = r"[0-9A-Fa-f]{32,}"
_AWS_IDENTIFIER = r"A(?:IDA|ROA|GPA|NPA|NVA|IPA|SCA|PKA|KIA|SIA)[A-Z2-7]{16,17}"


def _find_seeds(match: re.Match[str], limit: int) -> Places:
    text = match.string
    start = max(0, match.start() - _CHARS_BEFORE)
    reach = match.end() + _CHARS_AFTER
    # A seed may itself begin like the next name: "2FA...".
    at_next_name = compiled(_SEED).match(text, limit, reach) if limit < reach else None
    for seed in filter(None, (*compiled(_SEED).finditer(text, start, min(reach, limit)), at_next_name)):
        is_after = seed.start() >= match.end()
        context_start = max(0, match.start() - NAME_CONTEXT)
        between = text[context_start : seed.start()] if is_after else text[seed.end() : match.end() + NAME_CONTEXT]
        is_grouped = len(seed[0].split()) in _SEED_GROUP_COUNTS
        is_near = between.count("\n") <= MAX_LINES
        has_label = compiled(_SEED_LABEL).search(between) and not compiled(OTHER_LABELS).search(between)
        if is_near and (is_grouped or has_label) and _is_seed(seed[0]):
            yield seed.span()


def _is_seed(text: str) -> bool:
    run = text.replace(" ", "").replace("-", "").rstrip("=")
    if len(set(run)) <= _MAX_DISTINCT_OF_FILLER or compiled(_AWS_IDENTIFIER).fullmatch(run) or is_placeholder(run):
        return False
    has_digit = any(map(str.isdigit, run))
    return any(map(str.isalpha, run)) and (has_digit or (is_gibberish(run) and not compiled(_HEX).fullmatch(run)))


RULES = (
    NearRule(
        kind="one-time-seed",
        anchors=_SECOND_FACTORS.anchors,
        pattern=_SECOND_FACTORS.pattern,
        around=_find_seeds,
        source="https://www.rfc-editor.org/rfc/rfc6238",
        samples=(
            "TOTP secret: «<base32:15>2<base32:16>»",
            "2FA seed for github is «<base32:15>7<base32:16>».",
            "TOTP seed: «2FA<base32:29>»",
            "AWS root MFA: «DCJJ GRY5 7QXK ZT2B VMWH 4PLC R6NF JD3S»",
            "authenticator setup key\n`«ab2d efgh 3jkl mnop q5st uvwx yz23 4567»`",
            "«<base32:15>2<base32:16>» is the MFA secret",
            "двухфакторный ключ: «<base32:15>2<base32:16>»",
        ),
        near=(
            "двухфакторный ключ хранится отдельно",
            "the MFA device AIDA<base32:17>",
            "TOTP secrets are in the vault",
            "otp commit <hex:40>",
            "MFA: they said that your code must come from there",
            "2FA key: see vault",
        ),
    ),
)
