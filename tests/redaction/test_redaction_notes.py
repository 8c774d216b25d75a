"""What people note by hand of codes and passwords goes, and what only looks like one stays."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        # one-time codes
        "Recovery codes:\n- [ ] «4821-9037»\n- [x] «7731-2094»\n- [ ] «5510-6628»\n",
        "recovery codes:\n~~«4821-9037»~~\n«7731-2094»\n",
        "We generated backup codes for the GitHub account:\n\n«4821-90371»\n«7731-20944»\n",
        "couldn't scan the code, so typed «JBSW Y3DP EHPK 3PXP» (time based)",
        "seed phrase: «river candle orbit stone maple ladder window copper basket ripple tunnel blorf»",
        # doors
        "kod do klatki «4711»",
        "code porte: «14B72»",
        "共同玄関の暗証番号は«2580»",
        "宅配ボックスの番号 «2580»",
        "il codice del cancello è «quattro sette uno uno»",
        "Der Türcode ist «vier sieben eins eins»",
        # passwords
        "Wifi password changes each season. Currently «Herbst25».",
        'wifi password is "«hunter in the rye»"',
        'password="«grüner apfel»"',
        "basic auth is still team / «Gravel-5111x»",
        "mum's Roblox opens with «trumpetmagnet123»",
        "密码:«harbor4711»(备注)",
        # settings and addresses
        "https://cms.example.org/?adminpw=«harbor4711»",
        "wpa2-pre-shared-key=«harbor-lane-22»",
        "snmp-server community «h4rb0r-ro» RO",
        "Password for the elastic user (reset with `elasticsearch-reset-password`):\n  «k7Qm2ZxWvB4nLp8R*d5Y»",
        "curl https://api.telegram.org/bot«7203948571:AAHfiqksKZ8WmRTwoLbk3z5pQ9c2vXe7YgA»/getMe",
    ],
)
def test_what_opens_something_goes(text: str) -> None:
    secrets = text.replace("»", "«").split("«")[1::2]
    redacted = REDACTOR.redact(text.replace("«", "").replace("»", "")).text
    assert not [secret for secret in secrets if secret in redacted]


@for_each(
    "text",
    [
        "chmod 0640 on the secrets file",
        "kubectl logs pod/billing-api-7d9f8c6b5-x2k4q",
        "the image of the login service is sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "see GHSA-9x4c-63pf-525f about the token leak",
        "the paper on tokens: doi:10.1145/2553575.x9k2",
        "signed with his key 4AEE18F83AFDEB23",
        'the secret id is "prod/billing/db"',
        "code postal 69003",
        "PIN 2025-0797",
        "the recovery codes page was fixed in 4f2a9c1",
        'variable "db_password" {\n  type = string\n  sensitive = true\n}',
        "the network is called harbor-guest-5g",
    ],
)
def test_what_opens_nothing_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text
