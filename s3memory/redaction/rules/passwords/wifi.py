"""Passwords of wireless networks, with "wifi" as the only label: "wifi grandma v", "the WLAN is Lakeview, key v"."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.judging import is_chosen, is_typical
from s3memory.redaction.rules.reading.letters import WORD
from s3memory.redaction.rules.reading.likeness import likeness
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around, line_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_list

_MAX_LINE = 60
_KEY_NOUNS = "|".join(
    word_list(
        "key schlüssel clé clef clau sleutel nyckel nøkkel nøgle klucz klíč kľúč ključ clave chiave chave cheie kulcs "
        "avain anahtar ключ κλειδί"
    )
)
_KEY = rf"(?i)[ ,;(-](?:{_KEY_NOUNS})[ ]?(?:[:=]|(?:is|ist|est|es|è|é|är|er|jest|je)(?=[ ]))?[ ]"
_VALUE = r"[\"'`*“„«]{0,2}(?P<value>[^\s\"'`*]{5,40}?)[\"'`*”“»)]{0,2}[.!]?[ \t]*(?=\r?\n|\Z|\()"
# The key on a line of its own, possibly below the name of the network: "Wi-Fi\n  network: Lakeview\n  key: v".
_KEY_BELOW = (
    r"[^\n]{0,40}\n(?:[ \t>*\u2022+-]{0,6}[^\n:=]{2,24}[:=][^\n]{1,48}\n){0,2}[ \t>*\u2022+-]{0,6}"
    rf"(?i:{_KEY_NOUNS})[ ]?[:=][ ]{{0,3}}{_VALUE}"
)
_LINE_START = r"[ \t>*\u2022+-]{0,6}(?:[0-9]{1,2}[.)][ ])?\Z"
# Whose network it is: " of grandma ", " grandma: ".
_OWNER = (
    r"(?:[ ](?:de|di|da|do|von|vom|van|of|for|für|la|le|der|the|chez|bei|at)){0,2}"
    rf"[ ]{WORD}(?:[ ]{WORD})?(?:[:,]?[ ]|:(?!//))"
)
# "wifi router archer55": no password, but a device or a detail of a network.
_DEVICE_OR_DETAIL = (
    r"(?i)router|printer|drucker|extend|repeat|mesh|\bcard|karte|adapter|dongle|model|modem|cam|kamera|ssid|net|réseau|\bred\b"
    r"|name|channel|kanal|chip|stick|band|point|switch|bridge|driver|version|since|seit|depuis|desde|dal\b|until|room|floor"
)


def _wifi_passwords(match: re.Match[str], _limit: int) -> Places:
    """Yield the span of the password after the owner of the network, or after a word for "key"."""
    text, start, end = match.string, match.start(), match.end()
    if compiled(_LINE_START).fullmatch(text, line_start(text, start, _MAX_LINE), start):
        owned = compiled(_OWNER + _VALUE).match(text, end)
        is_device = owned and compiled(_DEVICE_OR_DETAIL).search(text, end, owned.start("value"))
        if owned and not is_device and likeness(owned["value"]):
            yield owned.span("value")
            return
    _, stop = line_around(text, end, end, _MAX_LINE)
    key = compiled(_KEY_BELOW).match(text, end) or compiled(_KEY + _VALUE).search(text, end, stop)
    if key and (likeness(key["value"]) or is_typical(key["value"]) or is_chosen(key["value"])):
        yield key.span("value")


RULES = (
    NearRule(
        kind="password",
        anchors=("wifi", "wi-fi", "wlan"),
        pattern=r"(?<![A-Za-z0-9_./-])(?i:wi-?fi|wlan)(?![\w/.-])",
        around=_wifi_passwords,
        source="https://cwe.mitre.org/data/definitions/256.html",
        samples=(
            "wifi grandma «gravelpond55»",
            "wifi grandma:«gravelpond55» (both floors)",
            "the WLAN is Lakeview, key «Gravel-17»",
            "Wi-Fi\n  network: Blue-House\n  key: «gravelpond55»\n",
        ),
        near=(
            "wifi router archer55",
            "the wifi is Lakeview-17",
            "wifi on grandma://gravelpond55",
            "wifi at the office is slow",
        ),
    ),
)
