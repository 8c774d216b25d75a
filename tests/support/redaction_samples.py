"""Generates the texts of a rule's samples, so that nothing in the repository looks like a credential to a scanner."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable
from importlib import import_module

from s3memory.redaction.rules.accounts import has_valid_iban_check_digits
from s3memory.redaction.rules.cards import has_valid_luhn_digit
from s3memory.redaction.rules.providers.table import ALPHABETS
from support.made_tokens import characters

ALNUM = string.ascii_letters + string.digits
_RUN = re.compile(r"<([A-Za-z0-9]+):([0-9]+)>")
_VALUE = re.compile(r"\{([a-z]+)(?: ([a-z0-9]+))?\}")
_START, _END = "«", "»"


def expanded(sample: str, rng: random.Random) -> str:
    """Return a sample with all its placeholders filled in."""

    def run(found: re.Match[str]) -> str:
        alphabet = ALPHABETS.get(found[1])
        return found[0] if alphabet is None else made_of(rng, characters(alphabet), int(found[2]))

    def value(found: re.Match[str]) -> str:
        return _VALUES[found[1]](rng, found[2] or "") if found[1] in _VALUES else found[0]

    return _VALUE.sub(value, _RUN.sub(run, sample))


def without_marks(sample: str) -> str:
    """Return the text of an expanded sample."""
    return sample.replace(_START, "").replace(_END, "")


def secrets_of(sample: str) -> list[str]:
    """Return the parts of an expanded sample that are marked as secrets."""
    return re.findall(f"{_START}(.*?){_END}", sample, flags=re.DOTALL)


def with_placeholders(sample: str, mark: str) -> str:
    """Return the text of an expanded sample after redaction."""
    return re.sub(f"{_START}.*?{_END}", mark, sample, flags=re.DOTALL)


def made_of(rng: random.Random, choice: str | list[str], count: int) -> str:
    """Return `count` characters of a choice."""
    return "".join(rng.choices(choice, k=count))


def _mixed(rng: random.Random, count: str) -> str:
    # Contains every kind of random character, whatever is drawn.
    return "aB3" + made_of(rng, ALNUM, int(count) - 5) + "x9"


def _password(rng: random.Random, _: str) -> str:
    return f"{rng.choice(('Tulip', 'Harbor', 'Quartz', 'Maple'))}{rng.choice('!_-')}{rng.randrange(10, 9999)}x"


def _checked(form: str, last: str, is_right: Callable[[str], bool]) -> Callable[[random.Random, str], str]:
    """Return a maker of numbers of `form` (9 for any digit) that end in valid check characters from `last`."""

    def make(rng: random.Random, wish: str) -> str:
        while True:
            start = "".join(rng.choice(string.digits) if character == "9" else character for character in form)
            ends = [start + end for end in last.split()] if " " in last else [start + end for end in last]
            right = [number for number in ends if is_right(number)]
            if right and wish != "wrong":
                return right[0]
            if right:
                return next(number for number in ends if number not in right)

    return make


def _national(form: str, last: str, *modules: str) -> Callable[[random.Random, str], str]:
    """Return a maker of national numbers that one of these modules of `python-stdnum` accepts."""

    def is_right(number: str) -> bool:
        return any(import_module(f"stdnum.{module}").is_valid(number) for module in modules)

    return _checked(form, last, is_right)


def _card(rng: random.Random, wish: str) -> str:
    number = _checked("4111" + "9" * 11, string.digits, has_valid_luhn_digit)(rng, wish if wish == "wrong" else "")
    return " ".join(number[start : start + 4] for start in range(0, 16, 4)) if wish == "spaced" else number


def _iban(rng: random.Random, wish: str) -> str:
    account = made_of(rng, string.digits, 18)
    right = next(
        f"DE{check:02}{account}" for check in range(2, 99) if has_valid_iban_check_digits(f"DE{check:02}{account}")
    )
    if wish == "wrong":
        return right[:-1] + str((int(right[-1]) + 1) % 10)
    return " ".join(right[start : start + 4] for start in range(0, 22, 4)) if wish == "spaced" else right


def _ssn(rng: random.Random, wish: str) -> str:
    number = f"{rng.randrange(101, 666)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"
    return number.replace("-", "") if wish == "plain" else number


def _pem(rng: random.Random, _: str) -> str:
    lines = [made_of(rng, ALNUM + "+/", 64) for _ in range(4)]
    return "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"])


def _der(rng: random.Random, _: str) -> str:
    # PrivateKeyInfo of an Ed25519 key: https://www.rfc-editor.org/rfc/rfc8410#section-7
    return base64.b64encode(bytes.fromhex("302e020100300506032b657004220420") + rng.randbytes(32)).decode()


def jwt_part(content: object) -> str:
    """Return the header or the claims of a token in their encoded form."""
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def _jwt(rng: random.Random, wish: str) -> str:
    header, claims = jwt_part({"alg": "HS256", "typ": "JWT"}), jwt_part({"sub": rng.randrange(10**9)})
    made = f"{header}.{claims}.{made_of(rng, ALNUM, 43)}"
    return f"{_START}{made}{_END}" if wish == "marked" else made


def _discord(rng: random.Random, _: str) -> str:
    bot = base64.b64encode(b"1" + made_of(rng, string.digits, 17).encode()).decode().rstrip("=")
    return f"{bot}.{made_of(rng, ALNUM, 6)}.{made_of(rng, ALNUM, 38)}"


def _words(rng: random.Random, _: str) -> str:
    return " ".join(rng.sample(("legal", "winner", "thank", "year", "wave", "sausage", "worth", "useful"), 6))


_LETTERS = string.ascii_uppercase
_TWO_DIGITS = " ".join(f"{number:02}" for number in range(100))

_VALUES: dict[str, Callable[[random.Random, str], str]] = {
    "aadhaar": _national("2999 9999 999", string.digits, "in_.aadhaar"),
    "ahv": _national("756.9999.9999.9", string.digits, "ch.ssn"),
    "bsn": _national("19999999", string.digits, "nl.bsn"),
    "card": _card,
    "codice": _national("RSSMRA85T10A562", _LETTERS, "it.codicefiscale"),
    "cpf": _national("999.999.999-", _TWO_DIGITS, "br.cpf"),
    "curp": _national("GODE900101HDFRRN0", string.digits, "mx.curp"),
    "der": _der,
    "discord": _discord,
    "dni": _national("99999999", "ABCDEFGHJKLMNPQRSTVWXYZ", "es.dni"),
    "hetu": _national("131052-999", "0123456789ABCDEFHJKLMNPRSTUVWXY", "fi.hetu"),
    "iban": _iban,
    "isikukood": _national("3760503999", string.digits, "ee.ik"),
    "jwt": _jwt,
    "korean": _national("871013-199999", string.digits, "kr.rrn"),
    "mixed": _mixed,
    "nir": _national("1 84 12 76 451 999 ", _TWO_DIGITS, "fr.nir"),
    "octet": lambda rng, _: str(rng.randrange(10, 255)),
    "password": _password,
    "pem": _pem,
    "resident": _national("11010520041231999", "0123456789X", "cn.ric"),
    "rijksregister": _national("85.07.30-999.", _TWO_DIGITS, "be.nn"),
    "sin": _national("146-999-99", string.digits, "ca.sin"),
    "ssn": _ssn,
    "words": _words,
}
