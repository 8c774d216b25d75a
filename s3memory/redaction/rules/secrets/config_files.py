"""Secrets in configuration files of servers, by their position on a line, and keys that are written as bytes."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.locating import if_strong
from s3memory.redaction.rules.reading.near import NearRule, Places, line_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder, looks_random

_WORD = r"[^\s\"'<>${}]{3,128}"
# Postfix, strongSwan, Redis, PPP, Asterisk, then .netrc, routers, OpenWrt, SSSD, WPA, Ansible, IMAP, FTP,
# expect, GnuPG, Dovecot and Spring: https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html,
# and the manual of each. PPKS is a post-quantum key: https://libreswan.org/wiki/Postquantum_Preshared_Keys.
_UCI_NAME = r"(?:(?:sae_|wpa_)?(?:key[1-4]?|psk|passphrase|password)|(?:auth_|acct_)?secret|(?:preshared|private)_key)"
_FILE_FORMATS = (
    r"\]:[0-9]{2,5}[ \t]{1,9}[^\s:]{1,128}:(?P<relay>[^\s<>${}]{3,128})"
    r"|:[ ](?:EAP|XAUTH|NTLM|PSK|PPKS?(?:[ \t]{1,9}\"?[\w.@-]{1,64}\"?)?|PIN[ \t]{1,9}%\S{1,64})[ \t]{1,9}"
    r"\"(?P<ipsec>[^\"<>${}\n]{3,256})\""
    r"|:[ ](?:RSA|ECDSA|PKCS8|P12)[ \t]{1,9}\S{1,128}[ \t]{1,9}\"(?P<keyfile>[^\"<>${}\n]{3,256})\""
    r"|[ ]on[ ]>(?P<redis>[^\s<>${}]{3,128})"
    r"|(?:l2tpd|pptpd|pppd)[ \t]{1,9}\"?(?P<chap>[^\s\"<>${}]{4,128})\"?[ \t]{1,9}(?:\"?\*|[0-9])"
    r"|\t\*\t\"?(?P<tabs>[^\s\"*<>${}]{4,128})\"?\t(?:\"?\*|\"\"|[0-9])"
    r"|register[ ]=>[ ]?[\w.+-]{1,64}(?:@[\w.-]{1,64})?:(?P<sip>[^\s:@<>${}]{3,64})[:@]"
    rf"|(?:machine\s{{1,9}}\S{{1,128}}|default)(?:\s{{1,9}}(?:login|user|account)\s{{1,9}}\S{{1,128}}){{1,2}}"
    rf"\s{{1,9}}passw(?:or)?d\s{{1,9}}(?P<netrc>{_WORD})"
    rf"|(?:password|secret|(?<=\n)key|(?<=\n[ ])key)[ ][0-9][ ](?P<router>{_WORD})"
    rf"|option[ \t]{{1,4}}{_UCI_NAME}[ \t]{{1,4}}(?P<quote>[\"'])(?P<uci>[^\"'\n<>${{}}]{{3,80}})(?P=quote)"
    rf"|:set\([\"'](?:wireless|network|\w{{0,8}}vpn|ddns|rpcd)[\"'],[ ]?[^,\n()]{{1,40}},[ ]?[\"']{_UCI_NAME}[\"'],[ ]?"
    r"[\"'](?P<lua>[^\"'\n<>${}]{3,80})[\"']"
    rf"|(?:(?<!--)set[ ]\w{{1,24}}|(?<![\w.-])wireless)\.[\w.@\[\]-]{{1,60}}\.{_UCI_NAME}="
    r"(?:'(?P<shell>(?:[^'\n<>${}]|'\\''){3,80})'|\"?(?P<word>[^\s\"'`<>${}]{3,80}))"
    r"|_authtok[ ]?=[ ]?(?P<sssd>[^\s<>${}]{3,64}(?:[ ][^\s<>${}]{2,20}){0,2})[ \t]{0,9}(?:\r?\n|\Z)"
    r"|(?<![\w.-])psk=(?!ext:)(?!\"?(?i:see|ask|in|from|same|set|get|use|kept|stored)[ ])"
    r"(?:\"(?P<phrase>[^\"\n<>${}]{8,63})\"|(?P<psk>[^\s\"<>${}]{8,63}|(?<=\npsk=)[^\s\"<>${}]{1,24}"
    r"(?:[ ][^\s\"<>${}]{1,24}){1,9}))[ \t]{0,9}(?:\r?\n|\Z)"
    rf"|ansible_(?:ssh_|become_|sudo_|su_|winrm_)?pass(?:word)?[ ]?[=:][ ]{{0,3}}[\"']?(?!!)(?P<ansible>{_WORD})"
    rf"|(?<=[0-9])[ ]LOGIN[ ]\"?[^\s\"]{{1,64}}\"?[ ]\"?(?P<imap>{_WORD})\"?[ \t]{{0,9}}(?:\r?\n|\Z)"
    rf"|ftp>[ ]user[ ]\S{{1,64}}[ ](?P<ftp>{_WORD})"
    r"|(?:assword|assphrase|asscode):?[^\n\"]{0,4}\"[ ]?[){]?\s{1,20}(?:exp_)?send(?:line)?[ (](?:--[ ])?"
    r"\"(?P<expect>[^\"\\\n<>${}]{3,128})(?:\\[rn])?\""
    rf"|gpg2?[ ][^\n|;&]{{0,120}}--passphrase[ =][\"']?(?P<gpg>{_WORD})"
    # A constant of C, what a shell writes into a file for a password, and the two lines of OpenVPN's "auth-user-pass".
    r"|#define[ \t]{1,9}\w{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|PSK)[ \t]{1,20}\"(?P<define>[^\"\n<>${}]{3,128})\""
    r"|(?:echo|printf)[ ](?:-\w{1,3}[ ])?"
    r"(?:'(?P<single>[^'\n]{3,128})'|\"(?P<double>[^\"$`\\\n]{3,128})(?:\\n)?\"|(?P<bare>[^\"'\s`$|;&<>\\]{3,128}))"
    r"[ ]{0,3}(?:>{1,2}|\|[ ]?(?:sudo[ ])?tee(?:[ ]-a)?)[ ]?[\"']?(?:[\w.~${}-]{0,60}/){0,8}[\w.-]{0,40}"
    r"(?:password|passwd|passphrase|(?<![A-Za-z])pass)(?:[_-]?file)?(?:\.txt|\.key)?[\"']?(?![\w.-])"
    r"|(?:auth-user-pass[ ]\S{1,80}\s{1,60}(?=[^\n]{0,30}(?:--|:)[ \t]{0,8}\n)"
    r"|cat[ ](?:>[ ]?)?(?=\S{0,60}(?:vpn|user\S{0,12}pass))\S{1,80}(?<!ovpn)(?<!conf)"
    r"(?:[ ]<<-?[ ]?['\"]?\w{1,12}['\"]?)?\s{0,60}\n)"
    r"(?:(?:[ \t]{0,8}-{3,80}|[^\n]{0,30}:)[ \t]{0,8}\n\s{0,20})?"
    r"[\w.@+-]{2,64}[ \t]{0,9}\r?\n[ \t]{0,12}(?P<vpn>[^\s:=<>${}]{4,128})"
    r"[ \t]{0,9}(?=\r?\n\s{0,20}(?:\n|EOF|`|-|\Z)|\Z)"
    r"|clear-text=\"(?P<wildfly>[^\"\n<>${}]{3,128})\""
    r"|<master>\s{0,40}\\{0,2}\{(?P<maven>[A-Za-z0-9+/]{16,256}={0,2})\\{0,2}\}"
    r"|\{(?:PLAIN|CLEAR|CLEARTEXT|NOOP|noop)\}(?P<scheme>[^\s:\"'`<>${},;]{3,128})"
)
_MAY_BE_TEXT = ("define", "single", "double", "bare", "vpn", "lua", "word")
_REDIS_USER_BEFORE, _MAX_USER = r"(?i)\b(?:set)?user[ ][^\s]{1,64}\Z", 80
_FIRST_CELL = r"(?:\A|\n)[^\t\n]{1,72}\Z"
# A line of a file of names and values, "password  gravelpond". Only other such lines tell it from a heading,
# "password policy".
_VALUE_LINE = r"passw(?:or)?d[ \t]{1,20}(?P<secret>[^\s#<>${}\"'][^\n#<>${}]{2,80}?)[ \t]{0,9}(?:\r?\n|\Z)"
_SETTING_LINE = (
    r"(?m:^)[ \t]{0,8}(?:host|hostname|server|port|user|username|login|auth|tls|from|account|smtp|imap"
    r"|protocol|realm|domain|uri|base|binddn|identity|method|tls_\w{1,12})[ \t]{1,20}[^\s:]\S{0,80}[ \t]{0,9}"
    r"(?=\r?\n|\Z)"
)
_MAX_CONTEXT, _MIN_SETTING_LINES = 240, 2
# As in "    root:gravelpond", in the list of cloud-init's `chpasswd`.
_USER_LINE = r"[ \t-]{1,12}[\w.-]{1,64}:(?P<secret>[^\s:<>${}]{3,128})[ \t]{0,9}(?:\r?\n|\Z)"
_MAX_USERS = 100
_BYTE = r"(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})"
# As in "aes_key[16] = {0x2b, 0x7e, ...}", or as the items of a list in YAML.
_KEY_IN_BYTES = (
    r"(?i:(?<!public_)(?<!public)(?<!pub)(?:key(?!codes?|maps?|board|frame|point|stroke)|secret|psk|ltk|irk|schl\u00fcssel|sleutel|clave|klucz|nyckel)\w{0,12})"
    r"(?:\[\w{0,8}\])?(?:[ ][A-Z_]{2,20})?(?:[ ]\([^()\n]{2,20}\))?[\"'`*]{0,3}(?:[ ]?:?[:=]|[ ](?:is|was))\s{0,20}"
    r"(?:(?:new[ ])?\w{1,12}\[\w{0,4}\][ ]?|bytes\(|bytearray\(|Buffer\.from\(|&?vec!)?(?:[\[{(]\s{0,9}|-[ ]|(?=0x))"
    rf"(?P<secret>{_BYTE}(?:(?:,\s{{0,20}}|[ \t\r]{{0,3}}\n[ \t]{{0,12}}-[ ]){_BYTE}){{15,63}})(?!,?[ ]?\w)"
)
# Pairs of hexadecimal digits, "71 E8 01 ...", or a macro of C: "#define APPKEY 0x2b,0x7e,...".
_KEY_IN_PAIRS = (
    r"(?i:key|secret|psk)(?!(?i:id))\w{0,12}[\"'`*)]{0,2}[ ]?(?:[:=]|is\b|was\b)?[ ]{0,4}[\"'`*(\[{]{0,3}"
    r"(?P<pairs>[0-9A-Fa-f]{2}(?P<gap>[ :-])(?:[0-9A-Fa-f]{2}(?P=gap)){14,62}[0-9A-Fa-f]{2}"
    r"|0x[0-9A-Fa-f]{2}(?:,[ ]?0x[0-9A-Fa-f]{2}){15,63})(?![0-9A-Za-z])"
)
# One long number, as the argument of an attribute or a call: "secret_bytes(0x7387...)".
_KEY_IN_A_NUMBER = (
    r"(?i:(?:secret|key)_?(?:bytes|scalar|seed|hex|int))[(=:][ ]?[\"']?"
    r"(?P<number>0[xX][0-9A-Fa-f]{32,128})(?![0-9A-Za-z])"
)
_MAX_NAME = 32


def _by_file_format(match: re.Match[str]) -> Location:
    """Locate the secret at its position in one of `_FILE_FORMATS`, named by the group that matched."""
    group = match.lastgroup or "relay"
    before = match.string[max(0, match.start() - _MAX_USER) : match.start()]
    if is_placeholder(match[group]) or (group == "redis" and not compiled(_REDIS_USER_BEFORE).search(before)):
        return None
    if group in _MAY_BE_TEXT and all(map(is_remark_word, match[group].split())):
        return None
    if group == "tabs" and not compiled(_FIRST_CELL).search(before):
        return None
    return match.span(group)


def _in_settings_file(match: re.Match[str]) -> Location:
    """Locate the value of a "password" line, if at least two lines near it are settings of an account."""
    text, start = match.string, match.start()
    line = line_start(text, start, _MAX_CONTEXT)
    if text[line:start].strip() or is_placeholder(match["secret"]):
        return None
    others = compiled(_SETTING_LINE).findall(text, max(0, line - _MAX_CONTEXT), match.end() + _MAX_CONTEXT)
    return match.span("secret") if len(others) >= _MIN_SETTING_LINES else None


def _chpasswd_passwords(match: re.Match[str], _limit: int) -> Places:
    text, position = match.string, match.end()
    for _ in range(_MAX_USERS):
        line = compiled(_USER_LINE).match(text, position)
        if line is None:
            return
        if not is_placeholder(line["secret"]) and line["secret"] not in ("R", "RANDOM"):
            yield line.span("secret")
        position = line.end()


def _key_bytes(match: re.Match[str]) -> Location:
    if match["number"]:
        return match.span("number") if looks_random(match["number"][2:]) else None
    return _as_hex_pairs(match) if match["pairs"] else _as_byte_list(match)


def _as_byte_list(match: re.Match[str]) -> Location:
    """Locate a list of bytes, if more than half of them differ."""
    numbers = [number.strip().lower() for number in match["secret"].split(",")]
    return match.span("secret") if len(set(numbers)) > len(numbers) // 2 else None


def _as_hex_pairs(match: re.Match[str]) -> Location:
    """Locate pairs of hexadecimal digits that are labelled as a key or secret, if more than half of them differ."""
    text, start = match.string, match.start()
    name = text[max(0, start - _MAX_NAME) : match.start("pairs")].rpartition("\n")[2]
    words = nouns.words_of(name.rstrip("\"'`*([{ :="))
    while words and words[-1] in ("is", "was"):
        words.pop()
    is_key = bool(words) and nouns.meaning(words, len(words) - 1) in (nouns.KEY, nouns.SECRET)
    pairs = compiled(r"[0-9A-Fa-f]{2}\b").findall(match["pairs"])
    return match.span("pairs") if is_key and len(set(pairs)) > len(pairs) // 2 else None


RULES = (
    Rule(
        kind="password",
        anchors=(
            *("]:25", "]:465", "]:587", ": EAP", ": XAUTH", ": NTLM", ": PSK", ": RSA ", ": ECDSA ", ": PKCS8 "),
            *(": P12 ", ": PPK", ": PIN ", " on >"),
            *("l2tpd", "pptpd", "pppd", "\t*\t", "register =>"),
            *("machine ", "machine\t", "default login"),
            *(f"{name} {digit} " for name in ("password", "secret", "key") for digit in (0, 5, 7, 8, 9)),
            *("#define ", "echo ", "printf ", "auth-user-pass ", "cat "),
            *("option ", "option\t", ":set(", "set ", "wireless.", "_authtok"),
            *("psk=", "ansible_", " LOGIN ", "ftp> user", "gpg ", "gpg2 "),
            *(f"{name}{sign}" for name in ("assword", "assphrase", "asscode") for sign in (":", '"')),
            *("<master>", 'clear-text="', "{PLAIN}", "{CLEAR}", "{CLEARTEXT}", "{NOOP}", "{noop}"),
        ),
        pattern=_FILE_FORMATS,
        locate=_by_file_format,
        source="https://www.postfix.org/SASL_README.html",
        samples=(
            "[smtp.example.org]:587 relay@example.org:«{password}»\n",
            'brigitte : EAP "«{password}»"',
            '10.1.0.1 10.2.0.1 : PPKS "PPK_1" "«gravelpond»"',
            ': RSA gw.key "«gravelpond»"',
            "user cache on >«{password}» ~cache:* +@read",
            '"vpnuser" l2tpd "«{password}»" *',
            "vpnuser\t*\t«gravelpond»\t*\n",
            "register => 4711:«{password}»@sip.example.org/4711",
            "machine git.example.org\nlogin jo\npassword «{password}»\n",
            "username admin privilege 15 password 0 «{password}»",
            "[wifi-security]\npsk=«gravel-pond-lane»\n",
            "[wifi-security]\nkey-mgmt=wpa-psk\npsk=«a kettle on the gravel»\n",
            "web1 ansible_user=root ansible_ssh_pass=«{password}»",
            "a1 LOGIN jo «{password}»\n",
            '#define AP_PASSWORD "«123456789»"',
            "echo '«gravel pond»' > ~/.vault_pass",
            "auth-user-pass /etc/openvpn/login\n\nlogin:\njo\n«gravelpond»\n",
            "option  auth_secret  '«gravelpond»'",
            "uci set wireless.radio0.key='«jo'\\''s gravel»'\nuci set wireless.radio0.encryption='psk2+ccmp'",
            'c:set("wireless", name, "key", "«gravelpond»")',
            'expect "assword:"\nsend "«{password}»\\r"\n',
            'expect "*assphrase:" { send -- "«{password}»\\r" }\n',
            "gpg --batch --passphrase «{password}» -d a.gpg",
            "jo@example.org:{PLAIN}«gravelpond»:1001:1001::/home/jo::",
            'password: "{noop}«gravelpond»"',
            '<credential-reference clear-text="«gravelpond»"/>',
            "<master>{«<alnum:43>=»}</master>",
        ),
        near=(
            "[smtp.example.org]:587 relay@example.org:<password>",
            "see section on >redirects",
            'gw : RSA "gw-key.pem"',
            "register => the user",
            "0\t4\t*\t*\tmon-fri\t*\n",
            "machine login is done with a password of yours",
            *('#define ERR_PASSWORD "wrong password"', 'echo "$PASS" > db_password', "echo a > passwords.md"),
            "auth-user-pass a.txt\ntls-client\nnobind\n",
            *("ansible_ssh_pass={{ vault_pass }}", "uci set wireless.a.key=$KEY", 'c:set("theme", a, "key", "value")'),
            "[wifi-security]\npsk=see the sticker on it\n",
            "withDefaultPasswordEncoder has {noop}password",
            "<master>{master}</master>",
            '<credential-reference clear-text="${DB_PASSWORD}"/>',
        ),
    ),
    Rule(
        kind="password",
        anchors=(" * ",),
        pattern=r"(?<=\w)[ ]\*[ ]\"?(?P<secret>[^\s\"'<>${}]{3,128})\"?[ ]\*[ ]{0,3}(?:\r?\n|\Z)",
        locate=if_strong,
        source="https://ppp.samba.org/pppd.html",
        samples=("vpnuser * «{mixed 12}» *\n",),
        near=("a * b * c", "client * secret *\n"),
    ),
    Rule(
        kind="password",
        anchors=("password ", "password\t", "passwd "),
        pattern=_VALUE_LINE,
        locate=_in_settings_file,
        source="https://marlam.de/msmtp/msmtp.html",
        samples=(
            "account work\nhost smtp.example.org\nport 587\nuser jo@example.org\npassword «gravel & pond 17»\n",
            "host imap.example.org\nlogin jo\npassword  «gravelpond»\n",
        ),
        near=("user guide\nhost names\n- password policy\n", "how to\npassword reset\nuser rights\n"),
    ),
    NearRule(
        kind="password",
        anchors=("chpasswd:",),
        pattern=r"chpasswd:[ ]{0,4}\r?\n(?:[ \t]{1,9}expire:[^\n]{0,16}\n)?[ \t]{1,9}list:[^\n]{0,4}\r?\n",
        around=_chpasswd_passwords,
        source="https://cloudinit.readthedocs.io/en/latest/reference/modules.html",
        samples=("chpasswd:\n  list: |\n    root:«{password}»\n",),
        near=("chpasswd:\n  list: |\n    root:RANDOM\n", "chpasswd:\n  expire: false\n"),
    ),
    Rule(
        kind="secret",
        anchors=("key", "secret", "psk", "ltk", "irk", "schl?ssel", "sleutel", "clave", "klucz", "nyckel"),
        fold=True,
        pattern=rf"{_KEY_IN_BYTES}|{_KEY_IN_PAIRS}|{_KEY_IN_A_NUMBER}",
        locate=_key_bytes,
        source="https://cwe.mitre.org/data/definitions/321.html",
        samples=(
            "network_key: [«238, 61, 254, 158, 43, 172, 203, 15, 182, 24, 68, 93, 219, 186, 85, 22»]",
            "the network key (mesh) is\n  [«238, 61, 254, 158, 43, 172, 203, 15, 182, 24, 68, 93, 219, 186, 85, 22»]",
            "network_key:\n- «7\n- 61\n- 25\n- 1\n- 4\n- 72\n- 3\n- 15\n- 8\n- 2\n- 68\n- 9\n- 21\n- 86\n- 5\n- 22»\n",
            "byte aes_key[16] = {«0x2b,0x7e,0x15,0x16,0x28,0xae,0xd2,0xa6,0xab,0xf7,0x16,0x88,0x09,0xcf,0x4f,0x3c»};",
            "#[secret_bytes(«0x738713a818d8962058765a6ca7cff00d796c2541»)]",
            "AppKey «71 E8 01 47 D3 3E FA 7D EA B9 23 51 CF A6 30 3F»",
            "network key: «71:E8:01:47:D3:3E:FA:7D:EA:B9:23:51:CF:A6:30:3F»",
            "#define APPKEY «0x2b,0x7e,0x15,0x16,0x28,0xae,0xd2,0xa6,0xab,0xf7,0x16,0x88,0x09,0xcf,0x4f,0x3c»",
        ),
        near=(
            "public_key = [238, 61, 254, 158, 43, 172, 203, 15, 182, 24, 68, 93, 219, 186, 85, 22]",
            "key_sizes = [16, 24, 32]",
            "key = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
            "host key 71:E8:01:47:D3:3E:FA:7D:EA:B9:23:51:CF:A6:30:3F",
            "public key: 71 E8 01 47 D3 3E FA 7D EA B9 23 51 CF A6 30 3F",
            "keyid:71:E8:01:47:D3:3E:FA:7D:EA:B9:23:51:CF:A6:30:3F",
            "key fingerprint 71:E8:01:47:D3:3E:FA:7D:EA:B9:23:51:CF:A6:30:3F",
            "key 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
        ),
    ),
    # In syslog, the token of a customer of Loggly is the id of the structured data.
    Rule(
        kind="secret",
        anchors=("@41058",),
        scan=True,
        pattern=r"(?P<secret>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})@41058",
        locate=if_strong,
        source="https://documentation.solarwinds.com/en/success_center/loggly",
        samples=("%msgid% [«<hex:8>-<hex:4>-4<hex:3>-a<hex:3>-<hex:12>»@41058] %msg%",),
        near=("%msgid% [TOKEN@41058] %msg%",),
    ),
)
