"""National identification numbers: those with a form of their own, and plain digits beside what calls them one.

Each has a check digit that has to be right, or a form that nothing else has. Where no page of the issuer is named, the
format is in the OECD's collection of what its members' tax identification numbers look like.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from s3memory.redaction.compiling import compiled
from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.personal import check_digits as check

_OECD = "https://www.oecd.org/en/networks/global-forum-tax-transparency/resources/aeoi-implementation-portal/tax-identification-numbers.html"
_START = r"(?<![0-9A-Za-z_./#-])"
_END = r"(?![0-9A-Za-z_]|[-.][0-9])"


def _any(_: str) -> bool:
    return True


def _is_korean(number: str) -> bool:
    return check.is_date(int(number[:2]), int(number[2:4]), int(number[4:6]))


def _formed(
    pattern: str,
    is_right: Callable[[str], bool],
    source: str,
    *,
    samples: tuple[str, ...],
    near: tuple[str, ...],
    anchors: tuple[str, ...] = (),
) -> Rule:
    """Return the rule for a number that is known by its form, and by its check digits."""

    def locate(match: re.Match[str]) -> Location:
        return match.span() if is_right(match[0]) else None

    return Rule(
        kind="national-id",
        anchors=anchors,
        scan=True,
        pattern=f"{_START}{pattern}{_END}",
        locate=locate,
        source=source,
        samples=samples,
        near=near,
    )


# What a number is called, how many digits it then has, and what they have to be.
_NAMED: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    (r"bsn|burgerservicenummer|sofi-?nummer", r"[0-9]{9}", check.is_elf),
    (r"pesel", r"[0-9]{11}", check.is_pesel),
    (
        r"steuer-?id\w*|idnr|steuerliche identifikationsnummer|tin",
        r"[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}",
        check.is_tax_id,
    ),
    (r"f\u00f8dselsnummer|fodselsnummer|personnummer|d-nummer", r"[0-9]{6} ?[0-9]{5}", check.is_fodselsnummer),
    (
        r"personnummer|samordningsnummer",
        r"(?:19|20)?[0-9]{6}[-+ ]?[0-9]{4}",
        lambda number: check.is_luhn(number[-11:]),
    ),
    (r"cpr(?:-?nummer)?", r"[0-3][0-9][01][0-9]{3}-?[0-9]{4}", _any),
    (r"sin|social insurance", r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3}", check.is_luhn),
    (r"cpf", r"[0-9]{11}", check.is_cpf),
    (r"aadhaar|aadhar|uidai?", r"[2-9][0-9]{11}", check.is_aadhaar),
    (r"t\.?c\.? ?(?:kimlik|no)\w*|tckn|kimlik no", r"[0-9]{11}", check.is_tckn),
    (r"id(?:entity)? (?:number|no)|south african id|teudat zehut", r"[0-9]{13}|[0-9]{9}", check.is_luhn),
    (r"passport|reisepass|passeport|pasaporte", r"(?=(?:[A-Z]{0,3}[0-9]){4})[A-Z0-9]{7,9}", _any),
)
_JOINT = (
    r"(?:[ _-]?(?:number|num|no\.?|nr\.?|#|id))?[\"'`*)]{0,3}[ \t]{0,3}"
    r"(?:[:=|#]|is\b|lautet\b|est\b|es\b)?[ \t]{0,3}[\"'`*(]{0,3}"
)
_ANCHORS = (
    *("bsn", "burgerservice", "sofi", "pesel", "steuer", "idnr", "tin", "f?dselsnummer", "fodsels", "personnummer"),
    *(
        "d-nummer",
        "samordnings",
        "cpr",
        "sin",
        "social insurance",
        "cpf",
        "aadha",
        "uida",
        "tckn",
        "kimlik",
        "t.c",
        "tc ",
    ),
    *(
        "id number",
        "id no",
        "identity n",
        "south african id",
        "teudat",
        "passport",
        "reisepass",
        "passeport",
        "pasaporte",
    ),
)


def _named(match: re.Match[str]) -> Location:
    text, start = match.string, match.start()
    if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        return None
    for name, form, is_right in _NAMED:
        found = compiled(rf"(?i:{name}){_JOINT}(?P<number>{form}){_END}").match(text, start)
        if found and is_right(found["number"]):
            return found.span("number")
    return None


RULES = (
    # The United States' number for taxpayers who have no social security number.
    _formed(
        r"9[0-9]{2}([- ])(?:5[0-9]|6[0-5]|7[0-9]|8[0-8]|9[0-24-9])\1[0-9]{4}",
        _any,
        "https://www.irs.gov/tin/itin/individual-taxpayer-identification-number-itin",
        samples=("ITIN: «9<digits:2>-7<digits:1>-<digits:4>»",),
        near=("order 9<digits:2>-1<digits:1>-<digits:4>", "9<digits:2>-93-<digits:4>"),
    ),
    # The United Kingdom's National Insurance number.
    _formed(
        r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]",
        _any,
        "https://www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110",
        samples=("«AB <digits:2> <digits:2> <digits:2> C»",),
        near=("BG 12 34 56 C", "AB 12 34 56 E"),
    ),
    _formed(
        r"[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-9][0-9]) ?(?:[0-9]{2}|2[ABab]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}",
        check.is_nir,
        "https://www.insee.fr/fr/metadonnees/definition/c1409",
        samples=("«{nir}»",),
        near=("1 84 13 76 451 089 46",),
    ),
    _formed(
        r"(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-HJ-NP-TV-Z]",
        check.is_dni,
        "https://www.interior.gob.es/opencms/es/servicios-al-ciudadano/tramites-y-gestiones/dni/",
        samples=("«{dni}»",),
        near=("{dni wrong}",),
    ),
    _formed(
        r"[A-Z]{6}[0-9LMNP-V]{2}[ABCDEHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]",
        check.is_fiscal_code,
        "https://www.agenziaentrate.gov.it/portale/codice-fiscale",
        samples=("«{codice}»",),
        near=("{codice wrong}",),
    ),
    _formed(
        r"[0-3][0-9][01][0-9]{3}[-+ABCDEFYXWVU][0-9]{3}[0-9A-FHJ-NPR-Y]",
        check.is_hetu,
        "https://dvv.fi/en/personal-identity-code",
        samples=("«{hetu}»",),
        near=("{hetu wrong}",),
    ),
    _formed(
        r"[0-9]{2}\.[01][0-9]\.[0-3][0-9]-[0-9]{3}\.[0-9]{2}",
        check.is_rijksregister,
        _OECD,
        samples=("«{rijksregister}»",),
        near=("{rijksregister wrong}",),
    ),
    _formed(
        r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}",
        check.is_ean,
        _OECD,
        anchors=("756.",),
        samples=("«{ahv}»",),
        near=("{ahv wrong}",),
    ),
    _formed(
        r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}",
        check.is_cpf,
        "https://www.gov.br/receitafederal/pt-br/assuntos/meu-cpf",
        samples=("«{cpf}»",),
        near=("{cpf wrong}",),
    ),
    _formed(
        r"[1-8][0-9]{5}(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]{4}[0-9Xx]",
        check.is_resident_id,
        "https://openstd.samr.gov.cn/bzgk/gb/newGbInfo?hcno=080D6FBF2BB468F9007657F26D60013E",
        samples=("«{resident}»",),
        near=("{resident wrong}",),
    ),
    _formed(
        r"[0-9]{2}[01][0-9][0-3][0-9]-[1-8][0-9]{6}",
        _is_korean,
        _OECD,
        samples=("«900101-1<digits:6>»",),
        near=("901301-1<digits:6>", "900101-9<digits:6>"),
    ),
    _formed(
        r"[2-9][0-9]{3}(?P<joint>[ -])[0-9]{4}(?P=joint)[0-9]{4}(?! [0-9])",
        check.is_aadhaar,
        "https://uidai.gov.in/",
        samples=("«{aadhaar}»",),
        near=("{aadhaar wrong}",),
    ),
    _formed(
        r"[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]",
        _any,
        _OECD,
        samples=("«ABCPD<digits:4>E»",),
        near=("ABCDD<digits:4>E",),
    ),
    _formed(
        r"[A-Z][AEIOUX][A-Z]{2}[0-9]{2}[01][0-9][0-3][0-9][HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[0-9A-Z][0-9]",
        _any,
        "https://www.gob.mx/curp/",
        samples=("«GODE900101HDFRRN0<digits:1>»",),
        near=("GODE902301HDFRRN09",),
    ),
    _formed(
        r"[1-79][0-9]{2}-[0-9]{3}-[0-9]{3}",
        check.is_luhn,
        "https://www.canada.ca/en/employment-social-development/services/sin.html",
        samples=("«{sin}»",),
        near=("{sin wrong}",),
    ),
    Rule(
        kind="national-id",
        anchors=_ANCHORS,
        fold=True,
        pattern="(?=(?P<name>.))",
        locate=_named,
        source=_OECD,
        samples=("BSN: «{bsn}»", "passport no: «C<digits:8>»"),
        near=("BSN: {bsn wrong}", "tin: 5 cans"),
    ),
)
