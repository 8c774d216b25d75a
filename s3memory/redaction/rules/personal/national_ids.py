"""National identification numbers: some have a format of their own, others need a label ("BSN: ...").

`python-stdnum` validates them: it knows the lengths, dates and check digits of some eighty countries.
"""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.text.compiling import compiled

_SOURCE = "https://arthurdejong.org/python-stdnum/formats"
_START = r"(?<![0-9A-Za-z_./#-])"
_END = r"(?![0-9A-Za-z_]|[-.][0-9])"
# Numbers with a format of their own: the stdnum modules that validate one, the format, a sample, and possibly a
# counterexample.
_FORMATS = (
    (
        "us.itin",
        r"9[0-9]{2}([- ])[5-9][0-9]\1[0-9]{4}",
        "ITIN: «9<digits:2>-7<digits:1>-<digits:4>»",
        "9<digits:2>-93-<digits:4>",
    ),
    (
        "fr.nir",
        r"[12] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[ABab]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}",
        "«{nir}»",
        "1 84 13 76 451 089 46",
    ),
    ("es.dni es.nie", r"(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-HJ-NP-TV-Z]", "«{dni}»"),
    ("it.codicefiscale", r"[A-Z]{6}[0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]", "«{codice}»"),
    ("fi.hetu", r"[0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-FHJ-NPR-Y]", "«{hetu}»"),
    ("be.nn be.bis", r"[0-9]{2}\.[0-9]{2}\.[0-3][0-9]-[0-9]{3}\.[0-9]{2}", "«{rijksregister}»"),
    ("ch.ssn", r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}", "«{ahv}»"),
    ("br.cpf", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", "«{cpf}»"),
    ("cn.ric", r"[1-8][0-9]{5}(?:19|20)[0-9]{9}[0-9Xx]", "«{resident}»"),
    ("kr.rrn", r"[0-9]{6}-[0-9]{7}", "«{korean}»"),
    ("in_.aadhaar", r"[2-9][0-9]{3}([ -])[0-9]{4}\1[0-9]{4}(?! [0-9])", "«{aadhaar}»"),
    ("in_.pan", r"[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]", "«ABCPD1<digits:3>E»", "ABCDD<digits:4>E"),
    ("mx.curp", r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]", "«{curp}»"),
    ("ca.sin", r"[1-79][0-9]{2}-[0-9]{3}-[0-9]{3}", "«{sin}»"),
)
# Labels of the other numbers, by the stdnum modules that validate them. An underscore is a space.
_LABELS = {
    "nl.bsn": "bsn burgerservicenummer sofinummer sofi-nummer",
    "pl.pesel": "pesel",
    "de.idnr": "steuer-id steuerid steuer-idnr steuer-identifikationsnummer idnr steuerliche_identifikationsnummer tin",
    "no.fodselsnummer se.personnummer": "fødselsnummer fodselsnummer personnummer d-nummer samordningsnummer",
    "dk.cpr": "cpr cpr-nummer cprnummer",
    "ca.sin": "sin social_insurance",
    "br.cpf": "cpf",
    "in_.aadhaar": "aadhaar aadhar uid uidai",
    "in_.pan": "pan",
    "tr.tckimlik": "tckn kimlik t.c._kimlik tc_kimlik t.c. kimlik_no",
    "za.idnr il.idnr": "id_number id_no identity_number identity_no south_african_id teudat_zehut",
    "fr.nir": "nir sécurité_sociale securite_sociale",
    "gb.nhs": "nhs",
    "gb.utr": "utr",
    "us.itin": "itin",
    "ee.ik lt.asmens": "isikukood asmens_kodas",
    "cz.rc sk.rc": "rodné_číslo rodne_cislo",
    "ro.cnp": "cnp",
    "bg.egn": "egn егн",
    "hr.oib": "oib",
    "si.emso": "emšo emso",
    "gr.amka": "amka αμκα",
    "pt.cc pt.nif es.nif": "cartão_de_cidadão cartao_de_cidadao nif contribuinte",
    "ie.pps": "pps ppsn",
    "is_.kennitala": "kennitala",
    "at.vnr": "sv-nummer sozialversicherungsnummer versicherungsnummer",
    "my.nric": "nric mykad",
    "id.nik": "nik ktp",
    "th.pin": "thai_id",
    "ua.rntrc": "рнокпп rnokpp",
    "cl.rut": "rut run",
    "ar.cuit ar.dni": "cuit cuil dni",
    "au.tfn": "tfn tax_file",
    "nz.ird": "ird",
    "pk.cnic": "cnic",
    "ec.ci do.cedula": "cédula cedula",
    "mu.nid": "nid",
    "kr.rrn": "rrn 주민등록번호",
    "cn.ric": "身份证 身份證",
}
_MODULES_BY_LABEL = {name.replace("_", " "): modules for modules, names in _LABELS.items() for name in names.split()}
_ANY_LABEL = "|".join(re.escape(name) for name in sorted(_MODULES_BY_LABEL, key=len, reverse=True))
_SEPARATOR = (
    r"(?:[ _-]?(?:number|num|no\.?|nr\.?|#|id))?[\"'`*)]{0,3}[ \t]{0,3}"
    r"(?:[:=|#\uff1a]|is\b|lautet\b|est\b|es\b)?[ \t]{0,3}[\"'`*(]{0,3}"
)
_NUMBER = r"(?P<number>[0-9A-Z](?:[ ./+-]?[0-9A-Za-z]){5,21})"
_MIN_DIGITS = 5


def _is_valid(number: str, modules: str) -> bool:
    return any(import_module(f"stdnum.{name}").is_valid(number) for name in modules.split())


def _if_valid(modules: str, match: re.Match[str]) -> Location:
    return match.span() if _is_valid(match[0], modules) else None


def _format_rule(modules: str, number_format: str, sample: str, near: str = "") -> Rule:
    return Rule(
        kind="national-id",
        scan=True,
        pattern=f"{_START}{number_format}{_END}",
        locate=partial(_if_valid, modules),
        source=_SOURCE,
        samples=(sample,),
        near=(near or sample[1:-2] + " wrong}",),
    )


def _labelled_number(match: re.Match[str]) -> Location:
    """Return the longest start of the text after the label that is a valid number, since words may follow it."""
    text, start, number = match.string, match.start("number"), match["number"]
    modules = _MODULES_BY_LABEL[match["name"].lower()]
    for cut in (len(number), *(found.start() for found in reversed(list(compiled("[ ./+-]").finditer(number))))):
        is_whole = compiled(_END).match(text, start + cut) is not None
        if is_whole and sum(map(str.isdigit, number[:cut])) >= _MIN_DIGITS and _is_valid(number[:cut], modules):
            return start, start + cut
    return None


RULES = (
    *(_format_rule(*row) for row in _FORMATS),
    # The United Kingdom's National Insurance number has no check digit.
    Rule(
        kind="national-id",
        scan=True,
        pattern=(
            rf"{_START}(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{{2}} ?[0-9]{{2}} ?[0-9]{{2}}"
            rf" ?[A-D]{_END}"
        ),
        source="https://www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110",
        samples=("«AB <digits:2> <digits:2> <digits:2> C»",),
        near=("BG 12 34 56 C", "AB 12 34 56 E"),
    ),
    Rule(
        kind="national-id",
        anchors=tuple(dict.fromkeys(name.encode("ascii", "replace").decode("ascii") for name in _MODULES_BY_LABEL)),
        fold=True,
        pattern=rf"(?<![0-9A-Za-z_])(?P<name>(?i:{_ANY_LABEL})){_SEPARATOR}{_NUMBER}",
        locate=_labelled_number,
        source=_SOURCE,
        samples=("BSN: «{bsn}»", "isikukood «{isikukood}» (Tamm)"),
        near=("BSN: {bsn wrong}", "tin: 5 cans of 2026-03"),
    ),
    Rule(
        kind="national-id",
        anchors=("passport", "reisepass", "passeport", "pasaporte"),
        fold=True,
        pattern=(
            rf"(?i:passport|reisepass|passeport|pasaporte){_SEPARATOR}"
            rf"(?P<secret>(?=(?:[A-Z]{{0,3}}[0-9]){{4}})[A-Z0-9]{{7,9}}){_END}"
        ),
        source="https://www.icao.int/publications/pages/publication.aspx?docnum=9303",
        samples=("passport no: «C<digits:8>»",),
        near=("passport no: expired",),
    ),
)
