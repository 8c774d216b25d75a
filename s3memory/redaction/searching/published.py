"""Recognizes samples from public documentation, which aren't secrets if the text says that they are samples.

The value alone is not enough: somebody may use a sample for real, such as a signing key copied from a tutorial. Keys of
AWS's documentation are the exception, since they end in "EXAMPLE".
"""

from __future__ import annotations

from base64 import urlsafe_b64decode

from s3memory.redaction.interface import Span
from s3memory.redaction.text.compiling import compiled

_REACH = 100
_SEPARATORS = str.maketrans("", "", " -.\u00a0")
# Card numbers, from https://docs.stripe.com/testing, https://docs.adyen.com/development-resources/testing and
# https://developer.paypal.com/tools/sandbox/card-testing. Stripe's also include all that start with 4000 00.
_CARDS = (
    "4242424242424242 4000056655665556 4111111111111111 4012888888881881 4012000033330026 4917610000000000 "
    "5555555555554444 5200828282828210 5105105105105100 5555341244441115 2223003122003222 2223000048400011 "
    "378282246310005 371449635398431 370000000000002 6011111111111117 6011000990139424 6011981111111113 "
    "3056930009020004 36227206271667 30569309025904 38520000023237 3566002020360505 3530111333300000 "
    "6200000000000005 6205500000000000004"
)
_STRIPE_CARD = r"400000[0-9]{10}"
# From https://www.iban.com/structure and https://en.wikipedia.org/wiki/International_Bank_Account_Number
_IBANS = (
    "GB29NWBK60161331926819 GB82WEST12345698765432 GB33BUKB20201555555555 DE89370400440532013000 "
    "DE75512108001245126199 FR1420041010050500013M02606 FR7630006000011234567890189 NL91ABNA0417164300 "
    "NL02ABNA0123456789 BE68539007547034 BE71096123456769 CH9300762011623852957 CH5604835012345678009 "
    "AT611904300234573201 AT483200000012345864 ES9121000418450200051332 ES7921000813610123456789 "
    "IT60X0542811101000000123456 IE29AIBK93115212345678 IE64IRCE92050112345678 PL61109010140000071219812874 "
    "PL10105000997603123456789123 SE4550000000058398257466 SE7280000810340009783242 NO9386011117947 "
    "NO8330001234567 DK5000400440116243 DK9520000123456789 FI2112345600000785 FI1410093000123458 "
    "PT50000201231234567890154 GR1601101250000000012300695 CZ6508000000192000145399 HU42117730161111101800000000 "
    "LU280019400644750000 EE382200221020145685 LV80BANK0000435195001 LT121000011101001000 TR330006100519786457841326 "
    "SA0380000000608010167519 AE070331234567890123456 IL620108000000099999999"
)
# Tokens in the documentation of Stripe and Discord, at https://jwt.io, in RFC 7515 and RFC 6238, at
# https://en.wikipedia.org/wiki/Bcrypt, and in Microsoft's list of KMS client setup keys. They must be the whole value:
# what only contains one of them may be a secret.
_TOKENS = (
    r"(?:[prs]k_test_)?(?:4eC39HqLyjWDarjtT1zdp7dc|BQokikJOvBiI2HlWgH4olfQ2|tR3PYbcVNZZ796tH88S4VQ2u"
    r"|TYooMQauvdEDq54NiTphI7jx)"
    r"|(?:(?:MTk4NjIyNDgzNDcxOTI1MjQ4|198622483471925248)\.Cl2FMQ\.)?ZnCjm1XVW7vRze4b7Cq4se7kKWs"
    r"|(?:eyJ[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+\.)?(?:SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
    r"|TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ|KMUFsIDTnFmyG3nMiGM6H9FNFUROf3wh7SmqJp-QV30"
    r"|dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk)"
    r"|\$2[aby]\$10\$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
    r"|JBSWY3DPEHPK3PXP|GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    r"|W269N-WFGWX-YVC9B-4J6C9-T83GX|NPPR9-FWDCX-D2C8J-H872K-2YT43|VDYBN-27WPP-V4HQT-9VMD4-VMK7H"
    r"|TVRH6-WHNXV-R9WG3-9XRFY-MY832"
)
# "AKIAIOSFODNN7EXAMPLE" and its secret, of AWS's documentation.
_SAYS_SO_ITSELF = r"A[A-Z0-9]{9,12}EXAMPLE|[A-Za-z0-9/+]{30,33}EXAMPLEKEY"
# The beginning of a token that is base64 of JSON: "ops_eyJzaWdu...".
_START_OF_ONE = r"(?:[a-z]{2,5}_)?(?P<part>eyJ[A-Za-z0-9+/_-]{8,60})"
_OPEN_JSON = rb"\{\"[ -~]*[ -|~]"
_DOTS = ("...", "\u2026")
_SAYS_SO = (
    r"(?i)sample|example|specimen|\btest|sandbox|\bdemo|\bdocs?\b|document|tutorial|published|public\b|placeholder|dummy"
    r"|\bfake|beispiel|muster|exemple|ejemplo|esempio|exemplo|voorbeeld|przyk\u0142ad|\u043f\u0440\u0438\u043c\u0435\u0440"
    r"|p\u0159\u00edklad|vzor|\u00f6rnek|eksempel|exempel|esimer|p\u00e9lda|\u4f8b|\u793a|\u6587\u4ef6|\u6587\u6863|\uc608\uc81c"
    r"|\uc608\uc2dc|\u30b5\u30f3\u30d7\u30eb|\u30c6\u30b9\u30c8|\u6d4b\u8bd5|\u6e2c\u8a66|\ud14c\uc2a4\ud2b8|\u05d3\u05d5\u05d2\u05de|\u0645\u062b\u0627\u0644"
)


def is_published(text: str, span: Span) -> bool:
    """Whether the finding is a sample from public documentation, and its context says that it is a sample.

    So is the beginning of a token followed by "...": it doesn't reveal the secret.
    """
    value = text[span.start : span.end]
    if (text.startswith(_DOTS, span.end) and _is_token_start(value)) or compiled(_SAYS_SO_ITSELF).fullmatch(value):
        return True
    if span.kind in {"card-number", "iban"}:
        digits = value.translate(_SEPARATORS).upper()
        is_sample = digits in _CARDS.split() or digits in _IBANS.split() or compiled(_STRIPE_CARD).fullmatch(digits)
    else:
        is_sample = compiled(_TOKENS).fullmatch(value)
    # Only the text before and after the value counts.
    around = (max(0, span.start - _REACH), span.start), (span.end, span.end + _REACH)
    return bool(is_sample) and any(compiled(_SAYS_SO).search(text, *side) for side in around)


def _is_token_start(value: str) -> bool:
    """Whether a value is only the beginning of a token: base64 of a JSON object that isn't closed."""
    found = compiled(_START_OF_ONE).fullmatch(value)
    whole = found["part"][: len(found["part"]) // 4 * 4] if found else ""
    return bool(whole) and compiled(_OPEN_JSON).fullmatch(urlsafe_b64decode(whole)) is not None
