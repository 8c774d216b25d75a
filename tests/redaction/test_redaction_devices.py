"""The password of a statement in a device's configuration goes; the rest of the statement and prose like it stay."""

from __future__ import annotations

from support.for_each import for_each
from support.redaction_samples import with_placeholders, without_marks

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each(
    "statement",
    [
        "enable password level 12 «gravelpond»",
        "username jo role network-admin secret sha512 «gravelpond»",
        "ntp authentication-key 1 hmac-sha2-256 «gravelpond»",
        "radius-server host 10.0.0.9 vrf mgmt key 7 «gravelpond»",
        "snmp-server host inside 10.0.0.9 community «gravelpond» version 2c",
        "pre-shared-key hostname r2.acme.net key «gravelpond»",
        "set protocols isis level 2 hello-authentication-key «gravelpond»",
        "set system ntp authentication-key 1 type md5 value «gravelpond»",
        "vrrp vrid 1 authentication-mode simple plain «gravelpond»",
        "md5-password cipher 10.0.0.9 «gravelpond»",
        "set rsso-secret ENC «gravelpond»",
        "configure radius mgmt-access primary shared-secret encrypted «gravelpond»",
        "tcp-check send AUTH\\ «gravelpond»\\r\\n",
        "/routing bgp peer add name=hq tcp-md5-key=«gravelpond» remote-as=65001",
    ],
)
def test_a_plain_word_goes_that_only_its_statement_shows_to_be_a_password(statement: str) -> None:
    expected = with_placeholders(statement, "[REDACTED:password]")
    for before in ("", "!\n", "R1(config)# ", "- ", "On the switch:\n\n```\n"):
        for behind in ("", "\n!\nend\n"):
            assert REDACTOR.redact(before + without_marks(statement) + behind).text == before + expected + behind


@for_each(
    "text",
    [
        "enable password protection",
        "- enable secret scanning",
        "standby authentication fails",
        "pre-shared-key authentication",
        "user bob password expired",
        "set password policy",
        "set community 65001:100 additive",
        "snmp-server host 10.0.0.1 traps version 2c",
        "radius-server host 10.0.0.1 key {{ radius_key }}",
        "radius server R1\n address ipv4 10.0.0.1\n key {{ key }}",
        "line vty 0 4\n transport input ssh",
        'key "ops" { algorithm hmac-sha256; }',
        "/interface bridge add name=bridge1",
    ],
)
def test_other_statements_and_prose_like_them_stay(text: str) -> None:
    assert not REDACTOR.redact(text).findings
