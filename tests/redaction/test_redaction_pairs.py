"""A login that no word about logging in introduces: the password goes, and the same signs between other things stay."""

from __future__ import annotations

from support.for_each import for_each
from support.redaction_samples import secrets_of, without_marks

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        "ID:jo/«kT9mw2xQ»",
        "id/pw/port:jo/«kT9mw2xQ»/xxxx",
        "ID/PW/IP: jo/«kT9mw2xQ»/10.0.0.4",
        "10.0.0.4 jo «kT9_mw2x»",
        "10.0.0.4(jo/«kT9mw2xQ»,ops/«Zk48wpQm»)",
        "10.0.0.4 [jo/«kT9mw2xQ» or ops/«Zk48wpQm»]",
        "telnet:j.smith/«Kt#9mw2x»",
        "계정:j.smith,«Kt#9mw2x»",
        "учетная запись: jo/«kT9mw2xQ»",
        "用户\uff1ajo\uff0f«kT9mw2xQ»",
        "access token (jo)«kT9mw2xQ»",
        "ID-jo/PASS-«kT9mw2xQ»",
    ],
)
def test_a_generated_password_goes_after_a_user_and_a_sign(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert not [secret for secret in secrets_of(text) if secret in redacted]


@for_each(
    "text",
    [
        "ID:group/Item5Name",
        "Ticket ID: ops/Ab12Cd34",
        "web: src/App2Router",
        "user=kim msgid=<7b0c5f6e@mailer>",
        "account locked user=kim ttl=900s",
        "10.0.0.4 web-01 node1",
        "10.0.0.4 running v1.29.3",
        "10.0.0.4 (eth0/up, eth1/down)",
        "pubkey: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABA...'",
    ],
)
def test_names_paths_and_settings_stay(text: str) -> None:
    assert not REDACTOR.redact(text).findings
