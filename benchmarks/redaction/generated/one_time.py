"""One-time codes and seeds, recovery codes, wallets, drive recovery, app passwords, and session cookies."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
from collections.abc import Iterator
from pathlib import Path

from redaction.generated.marks import Note, Part, Secret, fill, half, note, take
from redaction.generated.places import lines_around, placed
from redaction.samples import ALNUM, BASE64URL, HEX, LOWER_ALNUM, Maker, made_of, seeded

ONE_TIME, COOKIES = "one-time codes, seeds and recovery", "session cookies"
_BASE32 = string.ascii_uppercase + "234567"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_EACH = 4


def _groups(alphabet: str, count: int, length: int, sign: str) -> Maker:
    return lambda rng: sign.join(made_of(rng, alphabet, length) for _ in range(count))


def _base58(version: int, rng: random.Random, length: int) -> str:
    """Return bytes as wallets write them, with their checksum."""
    payload = bytes([version]) + rng.randbytes(length)
    payload += hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, made = int.from_bytes(payload), ""
    while number:
        number, rest = divmod(number, 58)
        made = _BASE58[rest] + made
    return made


# What it is, what makes it, and how a note may say it: "{}" is where the secret stands.
_KINDS: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "TOTP seed": (
        lambda rng: made_of(rng, _BASE32, rng.choice((16, 26, 32))),
        (
            "2FA seed: {}",
            "TOTP secret for the console is {}",
            "authenticator setup key {}",
            "if the QR fails enter {}",
            "otp_secret={}",
            "MFA key (manual entry): `{}`",
        ),
    ),
    "grouped TOTP seed": (
        lambda rng: " ".join(made_of(rng, "abcdefghijklmnopqrstuvwxyz234567", 4) for _ in range(8)),
        ("2FA setup key: {}", "authenticator secret\n{}\n", "can't scan? type {}", "TOTP backup seed = {}"),
    ),
    "otpauth URL": (
        lambda rng: f"{made_of(rng, _BASE32, 32)}",
        (
            "otpauth://totp/Acme:jo@example.org?secret={}&issuer=Acme",
            "QR says otpauth://totp/vpn?period=30&secret={}",
            "`otpauth://hotp/box?counter=4&secret={}&digits=6`",
            "otpauth://totp/Quillbeam:root?issuer=Q&secret={}",
        ),
    ),
    "one-time code": (
        lambda rng: made_of(rng, string.digits, 6),
        (
            "the one-time code was {}",
            "OTP {} (expires in 10 min)",
            "verification code: {}",
            "SMS code is {}",
            "your login code: {}",
            "2FA code {} worked",
        ),
    ),
    "split one-time code": (
        lambda rng: f"{made_of(rng, string.digits, 3)} {made_of(rng, string.digits, 3)}",
        ("one-time code: {}", "2FA code {}", "verification code is {}", "passcode from the app: {}"),
    ),
    "drive recovery key": (
        _groups(string.digits, 8, 6, "-"),
        ("BitLocker recovery key: {}", "recovery key for the laptop {}", "BitLocker {}", "drive unlock key is {}"),
    ),
    "disk recovery key": (
        _groups(string.ascii_uppercase + string.digits, 6, 4, "-"),
        ("FileVault recovery key: {}", "FileVault key {}", "Mac recovery key is `{}`", "disk recovery key = {}"),
    ),
    "app password": (
        _groups(string.ascii_lowercase, 4, 4, " "),
        ("Gmail app password: {}", "app password for mutt is {}", "app-specific password {}", "SMTP app password = {}"),
    ),
    "app-specific password": (
        _groups(string.ascii_lowercase, 4, 4, "-"),
        (
            "Apple app-specific password: {}",
            "iCloud app password is {}",
            "app password {} for the calendar sync",
            "app-specific pw = {}",
        ),
    ),
    "WIF key": (
        lambda rng: _base58(0x80, rng, 32),
        ("wallet private key {}", "WIF: {}", "import the key {} into the wallet", "BTC privkey = {}"),
    ),
    "hexadecimal wallet key": (
        lambda rng: "0x" + made_of(rng, HEX, 64),
        ("ETH private key {}", "deployer private key: {}", "PRIVATE_KEY={}", "wallet key is {}"),
    ),
    "account recovery key": (
        _groups(_CROCKFORD, 8, 4, " "),
        (
            "recovery key: {}",
            "security key for the chat backup is {}",
            "account recovery key {}",
            "Matrix recovery key = {}",
        ),
    ),
    "emergency kit": (
        lambda rng: "-".join(
            [
                "A3",
                made_of(rng, _CROCKFORD, 6),
                made_of(rng, _CROCKFORD, 6),
                *(made_of(rng, _CROCKFORD, 5) for _ in range(4)),
            ]
        ),
        ("Secret Key {}", "emergency kit: secret key `{}`", "1Password secret key: {}", "vault secret key = {}"),
    ),
    "SIM code": (
        lambda rng: made_of(rng, string.digits, 8),
        ("PUK: {}", "PUK of the modem SIM is {}", "SIM PUK {}", "PUK code = {}"),
    ),
}

_CODES: dict[str, Maker] = {
    "codes of two fives": _groups(LOWER_ALNUM, 2, 5, "-"),
    "codes of eight digits": lambda rng: made_of(rng, string.digits, 8),
    "codes of two fours": _groups(HEX, 2, 4, "-"),
    "codes of ten": lambda rng: made_of(rng, LOWER_ALNUM, 10),
    "codes of two fours in digits": lambda rng: f"{made_of(rng, string.digits, 4)} {made_of(rng, string.digits, 4)}",
    "codes of three fours": _groups(string.ascii_uppercase + string.digits, 3, 4, "-"),
}
_CODE_HEADS = (
    "Recovery codes:",
    "GitHub backup codes",
    "## 2FA recovery codes",
    "one-time backup codes (5 left):",
    "Save these backup codes:",
    "**Emergency codes**",
)
_CODE_LINES = ("- {}\n", "{}\n", "{number}. {}\n", "* `{}`\n", "    {}\n", "{number}) {}\n")

_COOKIES: dict[str, Maker] = {
    "connect.sid=": lambda rng: f"s%3A{made_of(rng, BASE64URL, 32)}.{made_of(rng, ALNUM, 43)}",
    "JSESSIONID=": lambda rng: made_of(rng, "0123456789ABCDEF", 32),
    "PHPSESSID=": lambda rng: made_of(rng, LOWER_ALNUM, 26),
    "sessionid=": lambda rng: made_of(rng, LOWER_ALNUM, 32),
    "laravel_session=": lambda rng: base64.b64encode(
        json.dumps({"iv": made_of(rng, ALNUM, 24), "value": made_of(rng, ALNUM, 64)}).encode()
    ).decode(),
    "ASP.NET_SessionId=": lambda rng: made_of(rng, LOWER_ALNUM, 24),
    "_acme_session=": lambda rng: (
        base64.b64encode(rng.randbytes(60)).decode().replace("=", "") + "--" + made_of(rng, HEX, 40)
    ),
    ".AspNetCore.Cookies=": lambda rng: "CfDJ8" + made_of(rng, BASE64URL, 150),
    "__Secure-next-auth.session-token=": lambda rng: "eyJhbGciOiJkaXIifQ.." + made_of(rng, BASE64URL, 120),
    "session=": lambda rng: f"{made_of(rng, BASE64URL, 40)}.{made_of(rng, BASE64URL, 6)}.{made_of(rng, BASE64URL, 27)}",
    "wordpress_logged_in_9f86d081=": lambda rng: (
        f"jo%7C1790000000%7C{made_of(rng, ALNUM, 43)}%7C{made_of(rng, HEX, 64)}"
    ),
    "user_session=": lambda rng: made_of(rng, BASE64URL, 48),
}
_COOKIE_LINES = (
    "Cookie: {}; theme=dark",
    "curl -b '{}' https://app.example.org/me",
    "Set-Cookie: {}; Path=/; HttpOnly",
    "my session cookie is {}",
    'document.cookie = "{}"',
    "browser sends `{}`",
)
_WORDS_SAID = (
    "seed phrase: {}",
    "my words are {}",
    "wallet recovery phrase: {}",
    'mnemonic = "{}"',
    "Backup phrase\n\n{}\n",
    "the {count} words: {}",
)
_WORD_SIGNS = (" ", "\n", ", ", " ")


def notes(split: str, phrases: Path) -> Iterator[Note]:
    """Yield notes with them; `phrases` is what `mnemonics.py` wrote."""
    rng = seeded(f"generated:one-time:{split}")
    for kind, (maker, said) in _KINDS.items():
        for template in half(split, said):
            for _ in range(_EACH // 2):
                parts = fill(template.replace("{}", "{v}"), v=Secret(ONE_TIME, kind, maker(rng)))
                on_line = parts if "\n" in template else placed(rng, split, parts)
                yield note(split, kind, lines_around(rng, split, on_line))
    for kind, maker in half(split, list(_CODES.items())):
        for _ in range(_EACH):
            yield note(split, kind, lines_around(rng, split, _codes(rng, split, kind, maker)))
    for cookie, maker in half(split, list(_COOKIES.items())):
        for _ in range(_EACH):
            before, _, behind = take(rng, split, _COOKIE_LINES).partition("{}")
            parts = [before, cookie, Secret(COOKIES, f"cookie {cookie}", maker(rng)), behind]
            yield note(split, f"cookie {cookie}", lines_around(rng, split, placed(rng, split, parts)))
    listed: dict[str, list[str]] = json.loads(phrases.read_text("utf-8"))
    for language, made in listed.items():
        for phrase in half(split, made):
            yield _words(rng, split, language, phrase)


def _codes(rng: random.Random, split: str, kind: str, maker: Maker) -> list[Part]:
    parts: list[Part] = [take(rng, split, _CODE_HEADS), "\n\n"]
    before, _, behind = take(rng, split, _CODE_LINES).partition("{}")
    for number in range(rng.choice((5, 8, 10))):
        parts += [before.replace("{number}", str(number + 1)), Secret(ONE_TIME, kind, maker(rng)), behind]
    return parts


def _words(rng: random.Random, split: str, language: str, phrase: str) -> Note:
    words = phrase.split()
    if rng.random() < 0.3:  # noqa: PLR2004 - a third is numbered
        text = "\n".join(f"{number}. {word}" for number, word in enumerate(words, 1))
    else:
        text = take(rng, split, _WORD_SIGNS).join(words)
    before, _, behind = take(rng, split, _WORDS_SAID).replace("{count}", str(len(words))).partition("{}")
    opening = "\n" if "\n" in text else ""
    parts: list[Part] = [before + opening, Secret(ONE_TIME, f"seed words, {language}", text), behind]
    return note(split, f"seed words, {language}", lines_around(rng, split, parts))
