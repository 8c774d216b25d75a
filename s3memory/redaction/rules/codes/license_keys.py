"""License keys: after a name ("license key", "serial" where software is licensed), or in a list below such a heading."""

from __future__ import annotations

import re

from s3memory.redaction.rules.codes.recovery_codes import find_codes
from s3memory.redaction.rules.reading.name_tables import NameTable
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around
from s3memory.redaction.text.compiling import compiled

_LICENSES = "license_key licence_key product_key license_code licence_code"
# After these only a key in four groups or more counts, and a serial number only where software is licensed or activated.
_OTHER_LICENSES = (
    "license licence lizenz licencia licenci licença licenz licens licenc licentie lisens lisans licenti лиценз ліценз "
    "лицензи ліцензі άδειες ライセンス 许可证 授權 授权 라이선스 serial seriennummer"
)
# A heading that is only such a name, and a key at the end of an item of the list below it.
_HEADING_BEFORE, _MAX_MARK = r"(?:\A|\n)[ \t>#*_]{0,6}(?:[^\W\d_]{1,12}[ -]){0,2}\Z", 32
_HEADING_END = (
    r"[^\W\d_]{0,12}(?:[ ]\([^()\n]{1,24}\)|[ ][^\W\d_]{1,12}){0,3}[*_]{0,2}[ ]?[:\uff1a]?[*_]{0,2}[ \t\r]*\n"
)
_LISTED_KEY = (
    r"[ \t\r]*\n|(?![^\n]{0,80}(?i:driv|fishing|hunt|vehicle|plate|invoice|order|contract|operator|server|rechnung|auftrag"
    r"|vertrag|facture|contrat|factura|pedido|führerschein|permis|conduc))[^\n]{2,90}?(?<![\w./-])(?P<key>(?=[A-Z-]{0,40}[0-9])(?=[0-9-]{0,40}[A-Z])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7})"
    r"(?:[ .,;(][^\n]{0,40})?[ \t\r]*(?:\n|\Z)|(?:[^\n]{1,90}\n)"
)
_LICENSE_KEY = r"(?![ _-](?:server|ids?|plates?|files?|types?|models?)\b)[^\n.;]{0,40}?(?<![\w-])(?P<key>(?=[A-Z-]{0,40}[0-9])(?=[0-9-]{0,40}[A-Z])[A-Z0-9]{2,8}(?:-[A-Z0-9]{4,8}){3,7})(?![\w-])"
_LICENSED = r"(?i)activat|aktiv|attiv|актив|licen[csz]|licenç|lizenz|лиценз|ліценз|\bseats?\b|software|registered to"
_MAX_ITEMS, _LONGEST_LINE, _MIN_DISTINCT = 40, 180, 6


def _find_license_keys(match: re.Match[str], limit: int) -> Places:
    """Yield the codes in groups. License keys without groups are found by how random they look."""
    if " " not in match[0]:  # none of `_LICENSES`
        key = compiled(_LICENSE_KEY).match(match.string, match.end())
        line = slice(*line_around(match.string, match.start(), match.end(), _LONGEST_LINE))
        is_of_software = match[0].lower() != "serial" or compiled(_LICENSED).search(match.string[line])
        if key and key.end() <= limit and is_of_software:
            yield key.span("key")
        return
    for start, end in find_codes(match, limit):
        if "-" in match.string[start:end]:
            yield start, end


def _listed_license_keys(match: re.Match[str], _limit: int) -> Places:
    """Yield the keys in the list below a heading, up to an empty line that follows an item."""
    text = match.string
    is_heading = compiled(_HEADING_BEFORE).search(text, max(0, match.start() - _MAX_MARK), match.start()) is not None
    item = compiled(_HEADING_END).match(text, match.end()) if is_heading else None
    begin, number = item.end() if item else 0, 0
    while item and number < _MAX_ITEMS and (item := compiled(_LISTED_KEY).match(text, item.end())):
        if not item[0].strip() and item.start() > begin:
            return
        if item["key"] and len(set(item["key"])) >= _MIN_DISTINCT:
            yield item.span("key")
        number += 1


_LICENSE_NAMES = NameTable(f"{_LICENSES} {_OTHER_LICENSES}")

RULES = (
    NearRule(
        kind="secret",
        anchors=_LICENSE_NAMES.anchors,
        pattern=_LICENSE_NAMES.pattern,
        around=_find_license_keys,
        source="https://learn.microsoft.com/windows-server/get-started/activation-slmgr-vbs-options",
        samples=(
            "license key «5CYPE-DZCJV-UGRTR-QO3OB-I3IYL»",
            "product key: «A1B2-C3D4-E5F6-G7H8»",
            "packer licence «PKR-3391-77AB-XX01» registered to Tom",
            "activated the editor with serial «EA7E-8810-44CD-19F0», two seats left",
        ),
        near=(
            "the license key is in the vault",
            "product key AX-4411-B",
            "the pump has serial EA7E-8810-44CD-19F0",
            "driving licence MORGA-657054-SM9IJ",
            "licence server: LIC-PROD-EU01-0001",
        ),
    ),
)
LISTED_RULES = (
    NearRule(
        kind="secret",
        anchors=_LICENSE_NAMES.anchors,
        pattern=_LICENSE_NAMES.pattern,
        around=_listed_license_keys,
        source="https://learn.microsoft.com/windows-server/get-started/activation-slmgr-vbs-options",
        samples=(
            "Licences:\n* Merge \u2014 2 seats \u2014 «EA7E-1188430-9F2B6C31»\n* Live, no key",
            "**Licenses**\n\n1. free\n2. Live, serial «60B4-8813-2F70-91CC»",
            "## Software-Lizenzen\n\n- Merge: «EA7E-1188430-9F2B6C31» (bis 2027)\n",
        ),
        near=("Licences:\n- MIT, see EUPL-1.2\n- invoice RE24-1188-0003\n", "licences of EA7E-1188430-9F2B6C31"),
    ),
)
"""The keys in the list below a heading. No model reviews them: the heading is not on their line."""
