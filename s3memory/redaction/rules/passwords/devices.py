"""Passwords in the configuration of routers and switches, which has them behind a word and a space."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.locating import unless_placeholder
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_strong

# A digit says how what follows is written: as it is, or so that it can be read back.
_WRITTEN = r"(?:[0-9] |ascii-text |hexadecimal )?\"?(?P<secret>[!#-~]{4,128})"
_NAMES = (
    r"(?:snmp-server community|snmp-server host \S{1,64} (?:(?:traps|informs) )?version (?:1|2c)"
    r"|pre-shared-key(?: (?:local|remote|address [0-9.]{7,15}))?"
    r"|(?:(?:tacacs|radius)?-server|(?:tacacs|radius)-server host \S{1,64}(?: (?:auth|acct)-port [0-9]{1,5}){0,2}) key"
    r"|username [\w.@-]{1,64} (?:privilege [0-9]{1,2} )?(?:password|secret)|crypto isakmp key|psksecret"
    r"|password manager(?: user-name \S{1,64})? plaintext"
    r"|(?:authentication-key|message-digest-key)(?: [0-9]{1,5} (?:md5|sha1|sha2|cmac-aes-128))?|wpa-psk ascii"
    r"|(?:standby|vrrp) [0-9]{1,4} authentication(?: text)?|enable (?:secret|password)|key-string) "
)
_LINE_BEGINS = r"(?:\A|\n)[ \t#>]*\Z"
_OF_A_USER_OF_SNMP, _LINE = r"(?i)snmp-server user [^\n]*\Z", 160


def _password(match: re.Match[str]) -> Location:
    # In a sentence: "username and password from the portal".
    is_a_line = compiled(_LINE_BEGINS).search(match.string, max(0, match.start() - _LINE), match.start()) is not None
    is_setting = not match[0].startswith("username ") or (is_a_line and is_strong(match["secret"]))
    return unless_placeholder(match) if is_setting else None


def _of_a_user_of_snmp(match: re.Match[str]) -> Location:
    before = match.string[max(0, match.start() - _LINE) : match.start()]
    return unless_placeholder(match) if compiled(_OF_A_USER_OF_SNMP).search(before) else None


RULES = (
    Rule(
        kind="password",
        anchors=(
            *("snmp-server community ", "snmp-server host ", "pre-shared-key ", "-server key ", "-server host "),
            *("tacacs-server host ", "radius-server host ", "username ", "crypto isakmp key ", "psksecret "),
            *("password manager ", "authentication-key ", "message-digest-key ", "wpa-psk ascii ", "enable secret "),
            *("enable password ", "key-string ", "standby ", "vrrp "),
        ),
        pattern=_NAMES + _WRITTEN,
        locate=_password,
        source="https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/security/a1/sec-a1-cr-book.html",
        samples=(
            "snmp-server community «{password}» RW",
            "enable secret 5 «{mixed 24}»",
            "username ops privilege 15 secret 0 «{password}»",
            "tacacs-server host 10.0.0.1 key 7 «{password}»",
            "ntp authentication-key 1 md5 «{password}»",
            "standby 1 authentication text «gravelpond»",
            'set security ike policy a pre-shared-key ascii-text "«{mixed 24}»"',
        ),
        near=(
            "snmp-server community <string> RO",
            "username ops privilege 15",
            "the username and password from the portal",
            "password manager training on Monday",
            "the standby 1 authentication <key>",
            "standby 1 authentication md5 key-chain ops",
        ),
    ),
    Rule(
        kind="password",
        anchors=(" auth md5 ", " auth sha", " priv des ", " priv 3des ", " priv aes"),
        pattern=r" (?:auth (?:md5|sha(?:-?[0-9]{3})?)|priv (?:3?des|aes(?: ?[0-9]{3})?)) (?P<secret>[!-~]{4,128})",
        locate=_of_a_user_of_snmp,
        source="https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/snmp/command/nm-snmp-cr-book.html",
        samples=(
            "snmp-server user mon ops v3 auth sha «{password}»",
            "snmp-server user mon ops v3 priv aes 128 «{password}»",
        ),
        near=("snmp-server user mon ops v3 auth", "with auth sha and priv aes 128 it works"),
    ),
    Rule(
        kind="password",
        anchors=(
            *("rocommunity", "rwcommunity", "createuser", "com2sec", "trapsink", "trap2sink", "informsink"),
            "community ",
        ),
        fold=True,
        pattern=(
            r"(?i:r[ow]community6?[ ]\"?"
            r"|createuser[ ](?:-e[ ]\S{4,40}[ ])?[\w.-]{1,32}[ ](?:md5|sha(?:-?[0-9]{3})?)[ ]\"?"
            r"|(?:com2sec6?[ \t]{1,9}[\w.-]{1,64}|(?:trap2?|inform)sink)[ \t]{1,9}[\w.:/-]{1,64}[ \t]{1,9}"
            r"(?!(?:public|private)\b)"
            # Of Junos: a block, or a line that sets something of it.
            r"|community[ ](?=[^\s\"]{4,64}(?:\s{1,9}\{\s{1,40}|[ ])(?:authorization|clients|view)[ ]))"
            r"(?P<secret>[^\s\"]{4,64})"
        ),
        locate=unless_placeholder,
        source="https://www.net-snmp.org/docs/man/snmpd.conf.html",
        samples=(
            "rocommunity «{password}» 10.0.0.0/8",
            'createUser mon SHA "«{password}»" AES',
            "com2sec readonly default «gravelpond»",
            "trap2sink 10.0.0.9 «gravelpond»",
            "snmp { community «gravel-pond» { authorization read-only; } }",
        ),
        near=(
            "rocommunity <string>",
            "createUser mon",
            "com2sec readonly default public",
            "set policy-options community ops members 65000:1",
        ),
    ),
)
