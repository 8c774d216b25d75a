"""Check digits of national identification numbers, each as its issuer documents it."""

from __future__ import annotations

from collections.abc import Sequence

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU_CHARACTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_FISCAL_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_MOST_DAYS = 31
_MONTHS = 12
_PERMUTATION = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
_ROTATIONS = 5


def digits(number: str) -> list[int]:
    """Return the digits of `number`, without what separates them."""
    return [int(character) for character in number if character.isdigit()]


def is_date(year: int, month: int, day: int) -> bool:
    """Whether there may be such a day. The year is not judged: most numbers have two digits of it."""
    return year >= 0 and 1 <= month <= _MONTHS and 1 <= day <= _MOST_DAYS


def weighted(number: Sequence[int], weights: Sequence[int], modulus: int) -> int:
    """Return the sum of the digits, each times its weight, by a modulus."""
    return sum(digit * weight for digit, weight in zip(number, weights, strict=False)) % modulus


def is_luhn(number: str) -> bool:
    """Whether the last digit is right by Luhn's formula (ISO/IEC 7812-1)."""
    values = digits(number)[::-1]
    return (sum(values[::2]) + sum(sum(divmod(2 * value, 10)) for value in values[1::2])) % 10 == 0


def is_dni(number: str) -> bool:
    """Spain's DNI and NIE: a letter by the number modulo 23, where X, Y and Z stand for 0, 1 and 2."""
    compact = number.replace("-", "").replace(" ", "").upper()
    value = str("XYZ".find(compact[0])) + compact[1:-1] if compact[0] in "XYZ" else compact[:-1]
    return compact[-1] == _DNI_LETTERS[int(value) % len(_DNI_LETTERS)]


def is_nir(number: str) -> bool:
    """France's NIR: 97 less the first thirteen digits modulo 97; Corsica's 2A and 2B count as 19 and 18."""
    compact = "".join(number.split()).upper().replace("2A", "19").replace("2B", "18")
    return int(compact[-2:]) == 97 - int(compact[:-2]) % 97


def is_fiscal_code(number: str) -> bool:
    """Italy's codice fiscale: a letter by a table for the odd places and the values of the even ones."""
    values = [int(character) if character.isdigit() else ord(character) - ord("A") for character in number.upper()]
    total = sum(_FISCAL_ODD[value] for value in values[:15:2]) + sum(values[1:15:2])
    return values[15] == total % 26


def is_hetu(number: str) -> bool:
    """Finland's henkilotunnus: the nine digits modulo 31."""
    values = digits(number[:-1])
    day, month = 10 * values[0] + values[1], 10 * values[2] + values[3]
    remainder = int("".join(map(str, values))) % len(_HETU_CHARACTERS)
    return is_date(0, month, day) and number[-1].upper() == _HETU_CHARACTERS[remainder]


def is_rijksregister(number: str) -> bool:
    """Belgium's national number: 97 less the first nine digits modulo 97, with a 2 before them since the year 2000."""
    compact = "".join(map(str, digits(number)))
    return int(compact[9:]) in (97 - int(compact[:9]) % 97, 97 - int(f"2{compact[:9]}") % 97)


def is_ean(number: str) -> bool:
    """Switzerland's AHV number has the check digit of an EAN-13."""
    return weighted(digits(number), (1, 3) * 6 + (1,), 10) == 0


def is_cpf(number: str) -> bool:
    """Brazil's CPF: two digits modulo 11, the second over the first as well."""
    values = digits(number)
    first = weighted(values[:9], range(10, 1, -1), 11)
    second = weighted(values[:10], range(11, 1, -1), 11)
    is_right = values[9:] == [0 if rest < 2 else 11 - rest for rest in (first, second)]  # noqa: PLR2004 - the rule
    return is_right and len(set(values)) > 1


def is_resident_id(number: str) -> bool:
    """China's resident identity number: ISO 7064 mod 11-2, and a date within."""
    values = digits(number[:17])
    date = (int(number[6:10]), int(number[10:12]), int(number[12:14]))
    total = sum(value * pow(2, 17 - place, 11) for place, value in enumerate(values))
    return is_date(*date) and 1900 <= date[0] <= 2100 and "10X98765432"[total % 11] == number[17].upper()  # noqa: PLR2004


def is_aadhaar(number: str) -> bool:
    """India's Aadhaar number: Verhoeff's check digit, by multiplication in the dihedral group of order ten."""
    check = 0
    for place, digit in enumerate(reversed(digits(number))):
        for _ in range(place % 8):
            digit = _PERMUTATION[digit]  # noqa: PLW2901 - permuted as often as its place says
        check = _dihedral(check, digit)
    return check == 0


def _dihedral(left: int, right: int) -> int:
    turns, flips = left % _ROTATIONS, left >= _ROTATIONS
    other_turns, other_flips = right % _ROTATIONS, right >= _ROTATIONS
    sum_of_turns = (turns - other_turns if flips else turns + other_turns) % _ROTATIONS
    return sum_of_turns + _ROTATIONS * (flips != other_flips)


def is_elf(number: str) -> bool:
    """The Netherlands' BSN: the digits by falling weights, the last one negative, modulo 11."""
    values = digits(number)
    return weighted(values, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11) == 0 and any(values)


def is_pesel(number: str) -> bool:
    """Poland's PESEL: weights 1, 3, 7 and 9, modulo 10."""
    return weighted(digits(number), (1, 3, 7, 9) * 2 + (1, 3, 1), 10) == 0


def is_tax_id(number: str) -> bool:
    """Germany's Steuer-ID: ISO 7064 mod 11,10."""
    values, product = digits(number), 10
    for value in values[:-1]:
        product = 2 * ((value + product) % 10 or 10) % 11
    return values[0] != 0 and (11 - product) % 10 == values[-1]


def is_fodselsnummer(number: str) -> bool:
    """Norway's number: two digits modulo 11, the second over the first as well."""
    values = digits(number)
    first = weighted(values, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1), 11)
    return first == 0 and weighted(values, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11) == 0


def is_tckn(number: str) -> bool:
    """Turkey's identity number: the tenth digit by the odd and even places, the eleventh by the sum of all."""
    values = digits(number)
    tenth = (7 * sum(values[0:9:2]) - sum(values[1:8:2])) % 10
    return values[0] != 0 and values[9] == tenth and values[10] == sum(values[:10]) % 10
