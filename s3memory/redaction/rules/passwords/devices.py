"""Passwords in the configuration of routers and switches, which has them behind a word and a space."""

from __future__ import annotations

from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.locating import unless_placeholder

RULES = (
    Rule(
        kind="password",
        anchors=(
            "snmp-server community ",
            "pre-shared-key ",
            "-server key ",
            "enable secret ",
            "enable password ",
            "key-string ",
        ),
        pattern=(
            r"(?:snmp-server community|pre-shared-key(?: (?:local|remote|address [0-9.]{7,15}))?"
            r"|(?:tacacs|radius)?-server key"
            r"|enable (?:secret|password)|key-string) (?:[0-9] )?(?P<secret>[!-~]{4,128})"
        ),
        locate=unless_placeholder,
        source="https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/security/a1/sec-a1-cr-book.html",
        samples=("snmp-server community «{password}» RW", "enable secret 5 «{mixed 24}»"),
        near=("snmp-server community <string> RO",),
    ),
    Rule(
        kind="password",
        anchors=("rocommunity", "rwcommunity", "createuser"),
        fold=True,
        pattern=(
            r"(?i:r[ow]community6?|createuser[ ](?:-e[ ]\S{4,40}[ ])?[\w.-]{1,32}[ ](?:md5|sha(?:-?[0-9]{3})?))[ ]\"?"
            r"(?P<secret>[^\s\"]{4,64})"
        ),
        locate=unless_placeholder,
        source="https://www.net-snmp.org/docs/man/snmpd.conf.html",
        samples=("rocommunity «{password}» 10.0.0.0/8", 'createUser mon SHA "«{password}»" AES'),
        near=("rocommunity <string>", "createUser mon"),
    ),
)
