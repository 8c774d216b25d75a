"""What people note by hand of codes and passwords goes, and what only looks like one stays."""

from __future__ import annotations

from support.for_each import for_each
from support.redaction_samples import secrets_of, without_marks

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
        "seed phrase key: «river candle orbit stone maple ladder window copper basket ripple tunnel lemon»",
        "seed phrase: «river candle orbit stone maple ladder window copper basket ripple tunnel blorf»",
        "GitHub\n- 2FA on since March\n- the sheet reads:\n  «60b42-ce4d3»\n  «15419-e0368»\n  «60538-5b8de»\n",
        "GitHub\r\n- 2FA is on\r\n- the sheet:\r\n  «60b42-ce4d3»\r\n  «15419-e0368»\r\n  «60538-5b8de»\r\n",
        "Mum's iMac, FileVault. Off the screen: «8XBI-9XLW-VEYN-D6LN-WX3A-JSP5».",
        "| SIM | PIN | PUK |\n|---|---|---|\n| router | «9584» | «20190432» |\n| Nokia | «9759» | «18491466» |\n",
        # doors
        "grandpa's safe, turn left four times to «94», right past it to «27», left twice to «56»",
        "Garagem do prédio: digita «63925» no painel",
        "Para entrar al portal marcas la campanilla y luego «71781»",
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
        "Gmail: made an app password for the desk, «lvcz afym druf qhxs», IMAP port 993",
        "Nextcloud minted «IZ1Rw-11Dkd-PeVNj-2wfjw-AWobN» for the tablet",
        "kafka-ui → kafkaadm / «m*+b+=Soz2@vX8+X»",
        "paperless: frode, «GvgIsE?h~6l^hg»",
        "local user mo set to «OkBGb=W2%Fk!-V5n», off on Monday",
        "wifi: Attic-5G / «CAiI&*$Sy1mNnJ»",
        "same password as for the router, «Kevdwarf63»",
        "admin and «rogbcs275» printed under the lid",
        "mum.hollis@example.com / «Bluebird77»",
        "steam is «velvet-gravel-58»",
        "the qnap takes «Th3.B1g.Gr3y.B0x»",
        "unlock it with «harbour-by-ferry-47»",
        "Revolut card, at the ATM = «8537»",
        # settings and addresses
        "Server=sql04;User Id=sa;Password=«N1nv.DU3DaYEb»;TrustServerCertificate=True",
        "lp01 ansible_user=root ansible_ssh_pass=«CA3.CORgm.dY» ansible_port=22",
        "the poll, for me alone: https://framadate.org/«Oo3F3KpCgSFAdpkzoAf1qrBQ»/admin",
        "co-authors type in it, https://www.overleaf.com/«5257825153qctkhgsdhhvx»#5466da",
        "https://cms.example.org/?adminpw=«harbor4711»",
        "wpa2-pre-shared-key=«harbor-lane-22»",
        "snmp-server community «h4rb0r-ro» RO",
        "Password for the elastic user (reset with `elasticsearch-reset-password`):\n  «k7Qm2ZxWvB4nLp8R*d5Y»",
        "curl https://api.telegram.org/bot«7203948571:AAHfiqksKZ8WmRTwoLbk3z5pQ9c2vXe7YgA»/getMe",
    ],
)
def test_what_opens_something_goes(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert not [secret for secret in secrets_of(text) if secret in redacted]


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
        "Wenn das Kennwort abläuft, einfach Strg+Alt+Entf",
        "10:22:43 POST /login 401 reason=bad_password\n10:22:50 req_id=651743e346383b72 GET /",
        "Access denied for user 'shop'@'localhost' (using password: YES)",
        "If somebody asks for your password, hang up and dial 02222.",
        "Logins fail w/ event 4625, sub status 0xC000006A = wrong password.",
        "commit a5b32f64631b1eab5f35631c94afb698732cfa3a removed the hard-coded password",
        "2FA is on. Tickets of today:\n  60b42-ce4d3\nand of the day before, which are closed by now:\n  15419-e0368\n",
        "delete stale accounts: kmoe, test03, vendor_tmp",
        "the safe lock is a Stansefabrikken type 1600",
        "PySocks!=1.5.7 and A**2+B1*c3 need no login",
    ],
)
def test_what_opens_nothing_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


def test_a_number_of_another_column_stays_beside_the_codes_of_a_card() -> None:
    table = "| SIM | number | PIN | PUK |\n|---|---|---|---|\n| router | 07700 900142 | 9584 | 20190432 |\n"
    assert "07700 900142 | [REDACTED:password] | [REDACTED:password] |" in REDACTOR.redact(table).text
