"""Passwords in the configuration of routers and switches, where they follow a command: "vtp password v"."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.locating import unless_placeholder
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_strong

# A value, and before it the digit or word for its encoding: plain, or reversibly encrypted.
_VALUE = r"(?:[0-9] |ascii-text |hexadecimal )?\"?(?P<secret>[!#-~]{4,128})"
_COMMANDS = (
    r"(?:snmp-server community|snmp-server host \S{1,64} (?:(?:traps|informs) )?version (?:1|2c)"
    r"|pre-shared-key(?: (?:local|remote|address [0-9.]{7,15}(?: [0-9.]{7,15})?(?: key)?))?"
    r"|(?:(?:tacacs|radius)?-server|(?:tacacs|radius)-server host \S{1,64}(?: (?:auth|acct)-port [0-9]{1,5}){0,2}) key"
    r"|username [\w.@-]{1,64} (?:privilege [0-9]{1,2} )?(?:password|secret)|crypto isakmp key|psksecret"
    r"|password manager(?: user-name \S{1,64})? plaintext"
    r"|(?:authentication-key|message-digest-key)(?: [0-9]{1,5} (?:md5|sha1|sha2|cmac-aes-128))?|wpa-psk ascii"
    r"|(?:standby|vrrp) [0-9]{1,4} authentication(?: text)?|enable (?:secret|password)|key-string) "
)
# Commands that have to begin their line, so that the password may be a plain word.
_LINE_COMMANDS = (
    r"(?:neighbor \S{2,45} password|ppp (?:chap|pap sent-username \S{1,64}) password|vtp password"
    r"|(?:ip (?:ftp|http client)|isis) password|(?:area|domain)-password"
    r"|username [\w.@-]{1,64} (?:privilege [0-9]{1,2} |role \S{1,32} ){0,2}(?:password|secret)"
    r"|local-user [\w.@-]{1,64} (?:service-type \S{1,32} )?password (?:irreversible-)?(?:cipher|simple)"
    r"|(?:super|set authentication) password(?: level [0-9]{1,2})? (?:cipher|simple)"
    r"|snmp-agent community (?:read|write)(?: cipher| simple)?|set (?:passwd|psksecret|password)(?: ENC)"
    # Junos and VyOS: a path of settings, and its value at the end.
    r"|set (?:groups \S{1,64} )?(?:system|security|vpn|interfaces|service|protocols|access|mgt-config|deviceconfig)"
    r"(?: [\w.:/*@-]{1,64}){1,12}? (?:(?:plaintext-|plain-text-|encrypted-|pap-|local-)?password(?:-value)?|passphrase"
    r"|(?:pre-shared-|chap-|shared-)?secret|(?:authentication|encryption)-key|community)) "
)
_REST_OF_LINE = r"(?:[0-9] )?[\"']?(?P<secret>[!#-~]{3,128}?)[\"']?(?=[ \t]*(?:\r?\n|\Z))"
_LINE_START = r"(?:\A|\n)[ \t#>]*\Z"
_SNMP_USER_BEFORE, _MAX_LINE = r"(?i)snmp-server user [^\n]*\Z", 160


def _begins_line(match: re.Match[str]) -> bool:
    """Whether only spaces or a prompt stand before the command on its line."""
    return compiled(_LINE_START).search(match.string, max(0, match.start() - _MAX_LINE), match.start()) is not None


def _password(match: re.Match[str]) -> Location:
    # "username" also begins sentences: "username and password from the portal".
    is_setting = not match[0].startswith("username ") or (_begins_line(match) and is_strong(match["secret"]))
    return unless_placeholder(match) if is_setting else None


def _line_password(match: re.Match[str]) -> Location:
    return unless_placeholder(match) if _begins_line(match) and not is_remark_word(match["secret"]) else None


def _snmp_user_password(match: re.Match[str]) -> Location:
    before = match.string[max(0, match.start() - _MAX_LINE) : match.start()]
    return unless_placeholder(match) if compiled(_SNMP_USER_BEFORE).search(before) else None


RULES = (
    Rule(
        kind="password",
        anchors=(
            *("snmp-server community ", "snmp-server host ", "pre-shared-key ", "-server key ", "-server host "),
            *("tacacs-server host ", "radius-server host ", "username ", "crypto isakmp key ", "psksecret "),
            *("password manager ", "authentication-key ", "message-digest-key ", "wpa-psk ascii ", "enable secret "),
            *("enable password ", "key-string ", "standby ", "vrrp "),
        ),
        pattern=_COMMANDS + _VALUE,
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
        anchors=(
            *("neighbor ", "ppp chap ", "ppp pap ", "vtp password ", "ip ftp ", "ip http client ", "isis password "),
            *("area-password ", "domain-password ", "username ", "local-user ", "super password "),
            *("snmp-agent community ",),
            *("set authentication ", "set passwd ", "set psksecret ", "set password ", "set groups ", "set system "),
            *("set security ", "set vpn ", "set interfaces ", "set service ", "set protocols ", "set access "),
            *("set mgt-config ", "set deviceconfig "),
        ),
        pattern=_LINE_COMMANDS + _REST_OF_LINE,
        locate=_line_password,
        source="https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/security/a1/sec-a1-cr-book.html",
        samples=(
            " neighbor 10.0.0.2 password «gravelpond»\n neighbor 10.0.0.2 remote-as 65001",
            " neighbor 2001:db8::1 password 7 «<hex:20>»",
            " ppp chap password 0 «gravelpond»",
            " ppp pap sent-username jo password «gravelpond»",
            "vtp password «gravelpond»",
            "ip ftp password «gravelpond»",
            "username jo privilege 15 password «gravelpond»",
            "username jo secret «gravelpond»\n!",
            "local-user jo password simple «gravelpond»",
            "snmp-agent community read «gravelpond»",
            "set system login user jo authentication plaintext-password '«gravelpond»'",
            'set system radius-server 10.0.0.9 secret "«gravelpond»"',
            "set vpn ipsec authentication psk p secret «gravelpond»",
            "set interfaces wireless wlan0 security wpa passphrase «gravelpond»",
            "    set psksecret ENC «<base64:24>»",
        ),
        near=(
            "the neighbor next door password",
            "ask the neighbor for password hints",
            "username and password for the portal",
            "username jo password required by policy",
            "username jo password required",
            "set system login password format sha512 in the profile",
            "set system time-zone Europe/Berlin",
            "set system password <password>",
            "then set password ENC by hand",
        ),
    ),
    Rule(
        kind="password",
        anchors=(" auth md5 ", " auth sha", " priv des ", " priv 3des ", " priv aes"),
        pattern=r" (?:auth (?:md5|sha(?:-?[0-9]{3})?)|priv (?:3?des|aes(?: ?[0-9]{3})?)) (?P<secret>[!-~]{4,128})",
        locate=_snmp_user_password,
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
            # Junos: a block, or a line that sets something in it.
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
