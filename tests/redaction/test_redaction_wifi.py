"""The password of a network goes where only "wifi" tells that it is one; devices and names of networks stay."""

from __future__ import annotations

from support.for_each import for_each
from support.redaction_samples import secrets_of, without_marks

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        "wifi nonna «casanonna55»",
        "- wifi de la mamie: «confiture88»",
        "WLAN Oma «apfelkuchen22»",
        "Das WLAN im Ferienhaus heißt Seeblick, Schlüssel «Moosbeere-17».",
        "wifi bureau, clé «tournesol88»",
        "guest QR: WIFI:T:WPA;S:AcmeGuest;P:«plumtree-41-west»;;",
        "wi-fi zolder, sleutel: «Kikker-22»",
    ],
)
def test_what_stands_behind_wifi_and_whose_it_is_goes(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert not [secret for secret in secrets_of(text) if secret in redacted]


@for_each(
    "text",
    [
        "wifi router archer55",
        "wifi printer canon2900 offline",
        "wifi nonna non funziona dal 2023",
        "wifi ssid casanonna55",
        "wifi channel 11 on floor2",
        "Das WLAN heißt Seeblick-17",
        "Schlüssel für Zimmer-17 liegt vorn",
        "Schlüssel vom WLAN-Schrank hängt am Haken",
    ],
)
def test_devices_names_and_other_keys_stay(text: str) -> None:
    assert not REDACTOR.redact(text).findings
