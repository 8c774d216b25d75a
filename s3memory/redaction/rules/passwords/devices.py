"""Passwords in the configuration of routers, switches and firewalls: statements in lines, such as "vtp password v"."""

from __future__ import annotations

import re
from functools import cache

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.judging import is_no_word, is_remark_word
from s3memory.redaction.rules.reading.locating import unless_placeholder
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder, is_strong
from s3memory.redaction.text.word_lists import word_set

# A statement is what stands before a password. "_" is any word, "#" a number, "…" up to twelve words, "<a|b>" words
# that may be missing, and the rest a regular expression. "$" at the end: it may also be prose ("enable password
# protection"), so the password has to end the line, or an option has to follow. "!": it has to look like a password.
_CISCO = r"""
enable <algorithm-type _> (password|secret) <level #> $
enable (super-user|read-only|port-config)-password
enable telnet password $
username _ <(privilege|role|view|group|common-criteria-policy) _> <(role|algorithm-type) _> (password|secret) <\.{5}> $
(ip|ipv6) ospf authentication-key
(ip|ipv6) ospf message-digest-key # _
area _ virtual-link _ … authentication-key
area _ virtual-link _ … message-digest-key # _
ipv6 ospf6 authentication … key
isis (password|authentication key) $
(area|domain)-password
neighbor _ password $
mpls ldp neighbor _ password
mpls ldp password option # for _
key-string <password>
key hexadecimal !
key (?=([0678]|8a) ) !
key config-key <password-encrypt|newpass>
standby <#> authentication <md5 key-string|text> $
(vrrp|glbp) # authentication <md5 key-string|text> $
ntp authentication-key <id> # _
(tacacs|radius)-server <host _> … (encrypted-|shared-)?key
server-private _ … key
client _ server-key
server-key !
pac key !
pre-shared-key <local|remote> <(address|hostname) _ (_ )?key|cak|key> $
ikev1 pre-shared-key
ikev2 <(local|remote)-authentication> pre-shared-key
crypto isakmp key
isakmp key
set session-key (in|out)bound (ah #|esp # cipher)
ppp chap password $
ppp pap (sent-username|local-user) _ password
vpdn username _ password
l2tp tunnel <(?!password)_> password
digest secret $
ip (ftp|ssh|http client) password $
ip http client proxy-server _ … password
vtp password $
wlccp _ username _ password
(credentials|authentication) username _ password
smtp-server auth username _ password
cts credentials id _ password
cts sap pmk
crypto (pki|key|ca) … pass(word|phrase) $
snmp-server community
snmp-server mib community-map
snmp-server host <[a-z-]{1,32}(?= [0-9.]{7,15} )> _ <TO> <TO> <TO>
wpa-psk (ascii|hex)
security wpa … psk set-key
cable shared-secret
encryption key # size _
encryption mode wep key #
key-hash (md5|sha1|sha256|sha512)
ip nhrp authentication $
ip rip authentication (key-)?string
passwd !
passwd (?=\S{3,64} encrypted)
ldap-login-password
failover <ipsec> (key|pre-shared-key) $
aaa-server _ _ host _
config snmp community create
config (radius|tacacs) (auth|acct|add) … (ascii|hex|key)
config mgmtuser (add|password) _
config wlan security wpa akm psk set-key
config ap mgmtuser add username _ password
"""
_JUNIPER_AND_VYOS = r"""
set PATH … (SECRET|([a-z0-9]{1,16}-){1,4}key|(key-id|id|server|md5) _ key|(key|keys|authentication|encryption) key) $
set PATH … (snmp-community-string|community-name|community|trap-group|pre-shared-key cak)
set PATH … authentication-key _ <type _> value
(secret|simple-password|encrypted-password|chap-secret|password|admin-password|key) (?=") $
(hello-)?authentication-key <# (type _ )?value> (?=") $
pre-shared-key (ascii-text|hexadecimal) (?=") $
md5 # key (?=") $
snmp community (?=")
trap-group (?=\S{3,64}\s\{)
"""
_HUAWEI = """
local-user _ <(class|service-type) _> password ENCODED
password ENCODED
super password <(level|role) _> ENCODED
set authentication password ENCODED
authentication-mode password ENCODED
snmp-agent community (read|write)
snmp-agent target-host … securityname
(radius|hwtacacs)-server shared-key
hwtacacs server shared-key
shared-key ENCODED
key (authentication|accounting|authorization) ENCODED
(primary|secondary) (authentication|accounting|authorization) _ … key
(ospf|isis|rip) authentication-mode _ <#>
vrrp vrid # authentication-mode _
authentication-mode (md5|simple|sm3|sha|hmac-[a-z0-9-]{3,12}) <#>
(area|domain)-authentication-mode _ <#>
ntp-service … authentication-mode _
peer _ password ENCODED
ppp chap password ENCODED
(ftp|sftp) client password $
(security|wlan-security) … pass-phrase
preshared-key pass-phrase
md5-password (cipher|plain) _
dot1x supplicant password
"""
_HPE_AND_OTHERS = """
password (manager|operator) <user-name _> (?=(plaintext|ciphertext|sha1|sha256) )
user _ <group _> password (?=(plaintext|ciphertext) )
snmpv3 community index _ name
mgmt-user _ <root> <password-hash> !
wpa-passphrase $
rf-switch snmp-community
syscon (password|address _)
configure snmp add community _
configure snmpv3 add community
configure account _ (?=encrypted )
configure (radius|tacacs) … shared-secret
create account (admin|user) _
"""
_FORTINET_AND_OTHERS = r"""
set SECRET(-[a-z0-9]{1,12})? $
set [a-z0-9-]{0,40}?key(-[a-z0-9]{1,12})? (?=ENC )
set key-string (?=")
set (snmp-)?community (?!\S{1,65} additive)(?=\S{0,63}[a-z])(?="?[^\W_]{6,64}!?"?(\s|\Z)) !
set (user _ |expert-)password-hash
(set|add) system user _ !
add aaa radius-servers … secret
add snmp community !
(add|set) (authentication|lb|ns|snmp|ssl|system) … -(password|radKey|sharedSecret|tacacsSecret|ldapBindDnPassword)
"""
_SERVERS = r"""
auth_pass $
user _ (insecure-)?password $
stats auth \S{1,64}?:
tcp-check send ("?)AUTH\\?
password (?="\S{3,64}" \{)
"""
_TABLES = (_CISCO, _JUNIPER_AND_VYOS, _HUAWEI, _HPE_AND_OTHERS, _FORTINET_AND_OTHERS, _SERVERS)
_STATEMENTS = [row for table in _TABLES for row in table.strip().split("\n")]
_SHORTHANDS = {
    "_": r"\S{1,64}",
    "#": "[0-9]{1,10}",
    "TO": r"(traps?|informs|poll|community|(use-)?vrf \S{1,64}|version (1|2c|3( (auth|noauth|priv))?))",
    "ENCODED": "(?=(irreversible-cipher|cipher|simple|hash|plain) )",
    "PATH": (
        "(groups|system|security|interfaces|services?|protocols|access|snmp|routing-instances|logical-systems|vpn"
        "|policy|container|high-availability|mgt-config|deviceconfig|network|shared)"
    ),
    "SECRET": "[a-z0-9-]{0,40}?(passw(or)?d|passphrase|secret|pwd|phash)(-value)?",
}
# How the password is encoded. These words are never given back, and words of the syntax are no password.
_ENCODING = (
    r"(?:(?:[0-9]{1,2}a?|encrypted|clear(?:-?text)?|plain(?:-?text)?|cipher(?:text)?|irreversible-cipher|simple|usual"
    r"|hash(?:ed)?|sha(?:1|256|512)|md5|ascii(?:-text)?|hex(?:adecimal)?|text|ENC)[ ]){0,3}+"
)
_KEYWORDS = (
    "traps|informs|version|vrf|udp-port|community|port|key|key-chain|key-string|keychain|timeout|level|address|hostname"
    "|local|remote|complexity-check|clients|host|user-name|encrypted|cipher|simple|plaintext|hexadecimal|ENC|type|value|cak"
)
_NO_PASSWORD = rf"(?![<\[{{(|][\w<{{%\[ ]|(?:{_KEYWORDS})(?:[\s:]|\Z))"
# After a password that ends its statement: the end of the line, a comment or an option.
_OPTION = (
    "encrypted|privilege|role|level-[12]|hidden|authenticate|store-local|pbkdf2|mschap|nt-encrypted|timeout|secret|hash2?"
    "|groups?|realm|address|hostname|view|clear"
)
_LINE_END = r"[ \t]*(?:[\r\n]|\Z|\\[nr])|[`\"'](?![\w.-])|[ \t]+(?:[#!]|(?:" + _OPTION + r")\b)"
_END = rf"(?=[\"'`]?[;,]?(?(closed)(?:{_LINE_END})|(?:\s|\Z|\\[nr]|:[0-9])))"
_VALUE = (
    rf"{_ENCODING}(?P<quote>[\"'])?{_NO_PASSWORD}"
    r"(?P<secret>(?(quote)[^\"'\r\n]{3,200}|[^\s\"'`;]\S{2,159}?))(?(quote)(?P=quote))" + _END
)
# What can be enabled besides a password: "enable secret scanning".
_TOPICS = word_set(
    "protection scanning rotation expiration expiry management manager authentication recovery storage sharing history "
    "complexity policy policies reset hashing encryption prompt fails failed"
)
# Before a statement are only the start of its line, a prompt such as "R1(config)#", or the quote of an example.
_MAY_BEGIN = r"(?<![\w.,;:)] )(?<![\w./=-])"
_LINE_START = (
    r"(?:\A|\n|\\[nr]|[`\"'])[ \t#>*+!-]*(?:(?:[\[<][\w.@()/:~-]{1,64}[\]>]|[\w.@()/:~-]{1,64}[#>$%]{1,2})[ ]{0,2})?"
    r"(?:no[ ]|undo[ ])?\Z"
)
_MAX_LINE, _MAX_BLOCK = 160, 400
_MAX_WORDS_OF_PROSE = 5  # longer statements are no prose, and what ends them may be any word
_ANYWHERE = (
    r"(?:snmp-server {1,4}community {0,4}|snmp-server host \S{1,64} (?:(?:traps|informs) )?version (?:1|2c)"
    r"|pre-shared-key(?: (?:local|remote))?+"
    r"(?: (?:address [0-9.]{7,15}(?: [0-9.]{7,15})?|hostname \S{1,64})(?: key)?)?+"
    r"|(?:(?:tacacs|radius)?-server|(?:tacacs|radius)-server host \S{1,64}(?: (?:auth|acct)-port [0-9]{1,5}){0,2}) key"
    r"|crypto isakmp key|psksecret|password manager(?: user-name \S{1,64})? plaintext"
    r"|(?:authentication-key|message-digest-key)(?: [0-9]{1,10} (?:md5|sha[0-9]{0,3}|(?:cmac|hmac)-[a-z0-9-]{3,9}))?+"
    r"|wpa-psk ascii|enable (?:secret|password)|key-string) "
)
# A block in which a short statement is a password: its first line and the lines up to the statement.
_BLOCK_BEFORE = (
    r"(?:\A|\n)[ \t]{0,8}(?:line (?:vty|con(?:sole)?|aux|tty)\b|(?:radius|tacacs|ldap)[ -]server |aaa-server "
    r"|aaa [a-z-]{0,20}server|crypto isakmp client |crypto pki trustpoint |dot1x credentials |management api "
    r"|local-user |user-interface |cluster group |config system snmp community)"
    r"[^\n]{0,120}(?:\n[ \t]{1,16}\S[^\n]{0,120}){0,8}\n[ \t]{1,16}\Z"
    r"|(?:\A|\n)hostname \S{1,64}\n(?:(?:log|service|!)[^\n]{0,80}\n){0,3}\Z"
    r"|(?:\A|\n)[ \t]{0,8}(?:client|home_server|ike|eap|xauth|ntlm|private|rsa|ecdsa|pkcs8|pkcs12)\b[^\n{}]{0,64}"
    r"\{[^{}]{0,300}\n[ \t]{0,16}\Z"
)
_USER_BEFORE = (
    r"(?:snmp-server user|snmpv3 user|snmp-agent usm-user|snmp usm user|configure snmpv3 add user|set session-key)"
    r" [^\n]*\Z"
)
# The menu of MikroTik's settings: "/ip ipsec identity add", or in an export "add" and other settings.
_MENU_BEFORE = (
    r"(?:\A|\n|`)[^\S\n]{0,8}(?:- )?(?:(?:\[[\w.@ /-]{1,64}\] ?|\S{1,64})[>#$] ?)?"
    r"(?P<menu>/[a-z][a-z0-9 /-]{1,60}|(?:add|set)(?=[^\n]{0,100} [a-z-]{2,20}=))[ ](?:[^\n]{0,100}[ ])?[\w.-]{0,32}\Z"
)


def _begins_line(match: re.Match[str]) -> bool:
    """Whether only spaces, a prompt or a quote stand before the statement on its line."""
    return compiled(_LINE_START).search(match.string, max(0, match.start() - _MAX_LINE), match.start()) is not None


def _password(match: re.Match[str]) -> Location:
    """Return the span of the password of a statement that begins its line."""
    secret = match["secret"]
    if not _begins_line(match) or is_placeholder(secret):
        return None
    may_be_prose = match["closed"] is not None and len(match[0].split()) <= _MAX_WORDS_OF_PROSE
    is_word = may_be_prose and (is_remark_word(secret) or secret.lower() in _TOPICS)
    is_word = (is_word or match["strong"] is not None) and not is_strong(secret)
    return None if is_word else match.span("secret")


def _password_anywhere(match: re.Match[str]) -> Location:
    is_named = match["secret"].lower() not in _TOPICS
    is_named = is_named and (not match[0].startswith("enable ") or is_strong(match["secret"]))
    return unless_placeholder(match) if is_named else None


def _password_in_block(match: re.Match[str]) -> Location:
    """Return the span of a password whose statement is short, and part of a block that tells what it is."""
    before = match.string[max(0, match.start() - _MAX_BLOCK) : match.start()]
    is_word = is_remark_word(match["secret"]) or is_placeholder(match["secret"])
    return None if is_word or not compiled(_BLOCK_BEFORE).search(before) else match.span("secret")


def _password_of_user(match: re.Match[str]) -> Location:
    before = match.string[max(0, match.start() - _MAX_LINE) : match.start()]
    return unless_placeholder(match) if compiled(_USER_BEFORE).search(before) else None


def _password_of_menu(match: re.Match[str]) -> Location:
    begin = max(0, match.start() - _MAX_LINE)
    before = compiled(_MENU_BEFORE).search(match.string, begin, match.start())
    is_of_menu = before is not None and (match["name"] is None or before["menu"].startswith("/snmp"))
    return unless_placeholder(match) if is_of_menu else None


def _community(match: re.Match[str]) -> Location:
    before = match.string[max(0, match.start() - _MAX_BLOCK) : match.start()].lower()
    if match["below"] and not ("snmp" in before and is_no_word(match["secret"])):
        return None
    return unless_placeholder(match)


def _expression(statement: str) -> str:
    """Return the regular expression of a statement, with a space behind it if no sign separates the password."""
    shorthand = compiled(rf"(?<![\w-])(?:{'|'.join(_SHORTHANDS)})(?![\w=])")
    expression = shorthand.sub(lambda word: _SHORTHANDS[word[0]], statement)
    if not compiled(r":\Z|\(\?=(?:[^()]|\([^()]*\))*\)\Z").search(expression):
        expression += " "
    expression = expression.replace("… ", r"(\S{1,64} ){0,12}?")
    expression = compiled(r"<([^<>]*)> ").sub(r"((\1) )?+", expression)
    return str(compiled(r"\((?!\?)").sub("(?:", expression))


def _beginnings(statement: str) -> list[str]:
    """Return the literals with which a statement begins: "area-", "domain-" for "(area|domain)-password"."""
    choice = compiled(r"\(([^()?]+)\)").match(statement)
    starts, rest = (choice[1].split("|"), statement[choice.end() :]) if choice else ([""], statement)
    if rest.startswith("?"):
        starts, rest = [*starts, ""], rest[1:]
    literal = compiled(r"[^_#…<(\[\\A-Z?$!]*").match(rest)
    return [start + literal[0] for start in starts] if literal else starts


@cache
def _statements_at(anchor: str) -> str:
    """Return the regular expression of the statements that may begin like `anchor`, and of their passwords.

    Its empty groups are signs of the tables.
    """
    kinds: dict[str, list[str]] = {"$": [], "!": [], "": []}
    for row in _STATEMENTS:
        if not any(anchor.startswith(literal) or literal.startswith(anchor) for literal in _beginnings(row)):
            continue
        sign = row[-1] if row[-1] in kinds else ""
        kinds[sign].append(_expression(row.removesuffix(sign).rstrip()))
    # Without statements of one sort, the empty alternative would match anywhere.
    closed, strong, others = ("|".join(rows) or "(?!)" for rows in kinds.values())
    return rf"{_MAY_BEGIN}(?:(?:{closed})(?P<closed>)|(?:{strong})(?P<strong>)|(?:{others})){_VALUE}"


_CISCO_REFERENCE = "https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/security/a1/sec-a1-cr-book.html"

RULES = (
    Rule(
        kind="password",
        anchors=tuple(dict.fromkeys(literal for row in _STATEMENTS for literal in _beginnings(row))),
        pattern=_statements_at,
        locate=_password,
        source="https://github.com/ytti/oxidized/tree/master/lib/oxidized/model",
        samples=(
            "enable secret 5 «{mixed 24}»",
            "enable password level 3 5 «gravelpond»",
            "username ops privilege 15 secret 0 «{password}»",
            "username jo privilege 15 password «gravelpond»",
            "username jo secret «gravelpond»\n!",
            "tacacs-server host 10.0.0.1 port 49 key 7 «{password}»",
            "R1(config)# ntp authentication-key 4294967295 md5 «gravelpond»",
            "standby 1 authentication text «gravelpond»",
            " neighbor 10.0.0.2 password «gravelpond»\n neighbor 10.0.0.2 remote-as 65001",
            " neighbor 2001:db8::1 password 7 «<hex:20>»",
            " ppp chap password 0 «gravelpond»",
            " ppp pap sent-username jo password «gravelpond»",
            "vtp password «gravelpond»",
            "ip ftp password «gravelpond»",
            "pre-shared-key remote hex «1234a»",
            "snmp-server host 10.0.0.9 vrf ops informs «gravelpond» config",
            "snmp-server mib community-map «gravelpond»:100 context ops",
            " key 7 «15170A1715»",
            'set security ike policy a pre-shared-key ascii-text "«{mixed 24}»"',
            "set system login user jo authentication plaintext-password '«gravelpond»'",
            'set system radius-server 10.0.0.9 secret "«gravelpond»"',
            'set system license keys key "«JUNOS4821 aeaqib qcsbgi»"',
            "set protocols ospf area 0.0.0.0 interface ge-0/0/0 authentication md5 1 key «gravelpond»",
            "set snmp community «gravelpond» authorization read-only",
            "set vpn ipsec authentication psk p secret «gravelpond»",
            "set interfaces wireless wlan0 security wpa passphrase «gravelpond»",
            'hello-authentication-key "«gravelpond»"; ## SECRET-DATA',
            "local-user jo password simple «gravelpond»",
            "local-user jo password cipher «gravelpond»",
            "snmp-agent community read «gravelpond»",
            "radius-server shared-key cipher «gravelpond»",
            "ospf authentication-mode md5 1 cipher «gravelpond»",
            'password manager user-name "jo" plaintext «gravelpond»',
            "user jo group administrators password plaintext «gravelpond»",
            "syscon address 10.0.0.9 «gravelpond»",
            "    set psksecret ENC «<base64:24>»",
            "set passwd «gravelpond»",
            "set api-key ENC «gravelpond»",
            "    auth_pass «gravelpond»\n}",
            "  user jo insecure-password «gravelpond»",
            "stats auth jo:«gravelpond»",
        ),
        near=(
            "snmp-server community <string> RO",
            "snmp-server host 10.0.0.9 traps version 2c",
            "username ops privilege 15",
            "username jo password required by policy",
            "username jo password required",
            "enable password protection",
            "enable secret [level level] {password}",
            "standby 1 authentication md5 key-chain ops",
            "the standby 1 authentication <key>",
            "the neighbor next door password",
            "ask the neighbor for password hints",
            "key 7 items",
            "key chain ops\n key 1",
            "set system login password format sha512 in the profile",
            "set system time-zone Europe/Berlin",
            "set policy-options community ops members 65000:1",
            "set protocols bgp group ext authentication-key-chain ops",
            "local-user jo service-type ssh",
            "snmp-agent community complexity-check disable",
            "password simple",
            "password manager training on Monday",
            "user jo group administrators",
            "mgmt-user jo root",
            "set password <password>",
            "set password required",
            "then set password ENC by hand",
            " set community 65000:1 additive",
            "set community no-export",
            "auth_pass is set",
            "user jo password required",
            "stats auth is on",
        ),
    ),
    # The same where another text is before or after, in the most common statements.
    Rule(
        kind="password",
        anchors=(
            *("snmp-server community ", "snmp-server  community ", "snmp-server host ", "pre-shared-key "),
            *("-server key ", "-server host "),
            *("crypto isakmp key ", "psksecret ", "password manager ", "authentication-key ", "message-digest-key "),
            *("wpa-psk ascii ", "enable secret ", "enable password ", "key-string "),
        ),
        pattern=_ANYWHERE + _ENCODING + rf"\"?{_NO_PASSWORD}(?P<secret>[!#-~]{{4,128}})",
        locate=_password_anywhere,
        source=_CISCO_REFERENCE,
        samples=("the old line was snmp-server community «{password}» RW", "ntp authentication-key 1 md5 «{password}»"),
        near=("see snmp-server community <string> RO", "how to enable secret scanning"),
    ),
    Rule(
        kind="password",
        anchors=("key ", "password ", "secret ", "secret=", "passphrase ", "set name "),
        pattern=(
            rf"{_MAY_BEGIN}(?:(?:server-)?key|password|secret|passphrase|set name)(?P<closed>)(?:[ ]?=[ ]?|[ ]){_VALUE}"
        ),
        locate=_password_in_block,
        source=_CISCO_REFERENCE,
        samples=(
            "line vty 0 4\n exec-timeout 5 0\n password «gravelpond»\n login",
            "radius server R1\n address ipv4 10.0.0.9\n key «gravelpond»",
            "client ap1 {\n    ipaddr = 10.0.0.9\n    secret = «gravelpond»\n}",
            'config system snmp community\n    edit 1\n        set name "«gravelpond»"',
        ),
        near=(
            "client ap1 {\n    name = gravelpond\n}",
            "line vty 0 4\n password required\n",
            "the secret = gravelpond",
        ),
    ),
    # SNMP version 3, and the keys of IPsec: two passwords in a line.
    Rule(
        kind="password",
        anchors=(
            *(" auth ", " priv ", "-pass ", "-mode ", " authentication ", " privacy ", "-pass-phrase "),
            " authenticator ",
        ),
        pattern=(
            r"(?: (?:auth|priv|authentication|privacy|authenticator)|-(?:mode|pass|pass-phrase))"
            r"(?: (?:md5|sha(?:-?[0-9]{1,3})?(?=[ ])|sm3|3?des(?:-?(?:56|168))?"
            r"|aes(?:[ -]?(?:cfb)?-?[0-9]{3}(?=[ ]))?))?+[ ]"
            + _ENCODING
            + r"\"?(?!(?:auth|priv|read|write|access|acl)[ -])(?P<secret>[!#-~]{4,128})"
        ),
        locate=_password_of_user,
        source="https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/snmp/command/nm-snmp-cr-book.html",
        samples=(
            "snmp-server user mon ops v3 auth sha «{password}»",
            "snmp-server user mon ops v3 priv aes 128 «{password}»",
            "snmp-agent usm-user v3 mon ops authentication-mode sha «gravelpond»",
            "snmpv3 user mon auth sha auth-pass plaintext «gravelpond» priv aes",
            "set session-key outbound esp 256 authenticator «1234abcdef»",
        ),
        near=("snmp-server user mon ops v3 auth", "with auth sha and priv aes 128 it works"),
    ),
    # MikroTik: "/ppp secret add name=jo password=v", or the same without the menu.
    Rule(
        kind="password",
        anchors=("password=", "secret=", "passphrase=", "-key=", "name="),
        pattern=(
            r"(?:password|secret|passphrase|-key|(?<=[ ])(?P<name>name))=(?P<quote>\")?"
            r"(?P<secret>(?(quote)[^\"\r\n]{3,128}(?=\")|[^\s\"'`\[{(<$%][^\s\"'`]{2,127}))"
        ),
        locate=_password_of_menu,
        source="https://help.mikrotik.com/docs/spaces/ROS/pages/328155/Configuration+Management",
        samples=(
            "/ip ipsec identity add peer=hq secret=«gravelpond»",
            '/interface wireguard peers add interface=wg1 preshared-key="«gravelpond»"',
            "/snmp community set [ find default=yes ] name=«gravelpond»",
        ),
        near=("/interface bridge add name=gravelpond", "add the option password=gravelpond"),
    ),
    Rule(
        kind="password",
        anchors=(
            *("rocommunity", "rwcommunity", "createuser", "com2sec", "trapsink", "trap2sink", "informsink"),
            *("community ", "community:", 'community"', "community'", "community=", "community =", "community>"),
            *("communitystring", "community_string"),
        ),
        fold=True,
        pattern=(
            r"(?i:r[ow]community6?[ ]\"?"
            r"|createuser[ ](?:-e[ ]\S{4,40}[ ])?[\w.-]{1,32}[ ](?:md5|sha(?:-?[0-9]{3})?)[ ]\"?"
            r"|(?:com2sec6?[ \t]{1,9}[\w.-]{1,64}|(?:trap2?|inform)sink)[ \t]{1,9}[\w.:/-]{1,64}[ \t]{1,9}"
            r"(?!(?:public|private)\b)"
            # Junos: a block, or a line that sets something in it.
            r"|community[ ](?=[^\s\"]{4,64}(?:\s{1,9}\{\s{1,40}|[ ])(?:authorization|clients|view)[ ])"
            # JSON and YAML, below "snmp".
            r"|community(?:_?string)?(?P<below>[\"']?[ ]?[:=>])[ ]{0,3}[\"']?"
            r"(?=[^\s\"',{}<]{4,64}[\"',}]{0,4}\s{0,4}(?:[\r\n}<]|\Z)))"
            r"(?P<secret>(?(below)[^\s\"',{}<]{4,64}|[^\s\"]{4,64}))"
        ),
        locate=_community,
        source="https://www.net-snmp.org/docs/man/snmpd.conf.html",
        samples=(
            "rocommunity «{password}» 10.0.0.0/8",
            'createUser mon SHA "«{password}»" AES',
            "com2sec readonly default «gravelpond»",
            "trap2sink 10.0.0.9 «gravelpond»",
            "snmp { community «gravel-pond» { authorization read-only; } }",
            '{"snmp": {"discover": true, "community": "«{mixed 12}»"}}',
            "snmp:\n  version: 2c\n  community: «{mixed 12}»\n",
        ),
        near=(
            "rocommunity <string>",
            "createUser mon",
            "com2sec readonly default public",
            '{"snmp": {"community": "public"}}',
            '{"bgp": {"community": "{mixed 12}"}}',
            "set policy-options community ops members 65000:1",
        ),
    ),
)
