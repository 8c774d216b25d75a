"""Private keys, signed tokens and hashed passwords: secrets with a structure of their own, whoever issued them."""

from __future__ import annotations

import re
from binascii import a2b_base64

from s3memory.redaction.rule import Location, Rule, RunRule, if_near
from s3memory.redaction.text.base64_text import decoded
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import looks_random
from s3memory.redaction.tokens import BASE64URL, WORD_START

# What can be between the BEGIN line and the key: line ends, real and escaped, and the signs that quote a line in
# Markdown, YAML, a diff or a comment.
_BREAK_SIGN = r"\s|\\{1,2}[nrt]|[>|+#*\"',]|<br ?/?>"
_BREAK = rf"(?:{_BREAK_SIGN}){{0,40}}"
# In a log, each line of the key has a prefix, such as a time.
_IN_A_LOG = r"[\"'`]?[ \t]{0,9}\r?\n[^\n]{1,120}?[ \t:|>#\"'](?=[A-Za-z0-9+/]{40,}={0,2}[\"'`\\n]{0,4}[ \t]{0,9}\r?\n)"
_KEY_START = (
    rf"(?:{_BREAK}|{_IN_A_LOG})"
    r"(?:[A-Za-z0-9+/]{16}|(?:Proc-Type|DEK-Info|Version|Comment|Subject|Charset|Hash):)"
)
_OPENVPN_KEY = r"OpenVPN (?:Static key V1|tls-crypt-v2 (?:client|server) key)"
_KEY_END = rf"-{{4,5}} ?END (?:[A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?|{_OPENVPN_KEY}) ?-{{4,5}}"
_PUTTY_END = r"Private-MAC: ?[0-9a-f]{1,64}"
_MAX_PUBLIC_PART = 4000
_MIN_PART, _MIN_OPAQUE_PART = 16, 24
# The full stop between two parts of a token, each of which has a line, or a string in code, of its own.
_BROKEN_DOT = rf"{_BREAK}\.(?:{_BREAK_SIGN}|[.&`/\\]){{0,48}}"
_PARTS_ON_LINES = rf"{_BROKEN_DOT}eyJ[{BASE64URL}]{{8,}}+(?:{_BROKEN_DOT}[{BASE64URL}]{{32,}}+)?"
# DER: the tag of a sequence, and the bit that marks a length of several bytes.
_DER_TAG, _DER_LONG_LENGTH = 0x30, 0x80
_HEAD_CHARACTERS = 24
_NEXT_BASE64_LINE = r"(?:\\n|\r?\n[ \t>]{0,8})(?P<part>[A-Za-z0-9+/]++={0,2})"
_MIN_LINE = 16
# Hashes with the name of their scheme: "$name$parameters$salt$hash", with "*" or "#" in place of some "$". The colon
# and the comma belong to one only before what continues it.
_NAMED_HASH = (
    r"\$(?<![\w})\]]\$)[A-Za-z0-9][\w,=-]{0,24}[$*]"
    r"(?:[A-Za-z0-9$*#./+=@_~-]|:(?=[0-9A-Fa-f]{32}|[0-9]{1,5}\*)"
    r"|,(?=[a-z]{1,6}[0-9-]{0,4}=|[A-Za-z0-9]{1,16}[$*]|[0-9]{1,4},[0-9]{1,4}\$)){16,}+"
)
_HASH_FIELD_ENDS, _HEX_FIELD, _MIN_FIELD = r"[$*#:,=@]", r"(?=[0-9]{0,40}[a-fA-F])[0-9A-Fa-f]{16,}", 22
_SALT, _BASE64_HASH, _HEX_HASH = (
    r"[A-Za-z0-9+/.=_-]{1,128}",
    r"[A-Za-z0-9+/.]{21,343}[A-Za-z0-9+/]={0,2}",
    r"[0-9A-Fa-f]{32,256}",
)
# The hashes that Windows stores for an empty password.
_EMPTY_LM_HASH, _EMPTY_NT_HASH = "aad3b435b51404eeaad3b435b51404ee", "31d6cfe0d16ae931b73c59d7e0c089c0"


def _private_key(match: re.Match[str]) -> Location:
    # A BEGIN line that a text only mentions has no key after it.
    if not compiled(_KEY_START).match(match.string, match.end()):
        return None
    return _up_to(match, _KEY_END)


def _up_to(match: re.Match[str], last_line: str) -> Location:
    # Without its last line, the key was cut off at an unknown place, so the rest of the text goes.
    end = compiled(last_line).search(match.string, match.end())
    return match.start(), end.end() if end else len(match.string)


def _bare_key(match: re.Match[str]) -> Location:
    """Return a key without its BEGIN line: a sequence whose first part is version 0 or 1, which no certificate has."""
    text, start = match.string, match.start()
    head = a2b_base64(match[0][:_HEAD_CHARACTERS])
    length_bytes = head[1] - _DER_LONG_LENGTH if head[1] > _DER_LONG_LENGTH else 0
    content = head[2 + length_bytes :]
    if head[0] != _DER_TAG or not content.startswith((b"\x02\x01\x00\x02", b"\x02\x01\x00\x30", b"\x02\x01\x01\x04")):
        return None
    content_bytes = int.from_bytes(head[2 : 2 + length_bytes]) if length_bytes else head[1]
    return start, _end_of_base64(text, match.end(), -(-(2 + length_bytes + content_bytes) // 3) * 4 - len(match[0]))


def _end_of_base64(text: str, end: int, left: int) -> int:
    """Return where the lines of base64 after `end` end; `left` characters are to come, if that is known."""
    # A line as short as a word is the last of the key only if the length or the padding fits.
    while line := compiled(_NEXT_BASE64_LINE).match(text, end):
        part = line["part"]
        if len(part) < _MIN_LINE and len(part) != left and not part.endswith("="):
            break
        left -= len(part)
        end = line.end()
    return end


def _openssh_key(match: re.Match[str]) -> Location:
    return match.start(), _end_of_base64(match.string, match.end(), 0)


def _putty_key(match: re.Match[str]) -> Location:
    if "Private-Lines:" not in match.string[match.end() : match.end() + _MAX_PUBLIC_PART]:
        return None
    return _up_to(match, _PUTTY_END)


def _json_web_token(match: re.Match[str]) -> Location:
    header = match["header"].translate({ord("-"): "+", ord("_"): "/"})
    data, rest = decoded(header), match["rest"] or ""
    is_header = data.startswith(b"{") and data.rstrip().endswith(b"}") and b'"alg"' in data
    if is_header and (lines := compiled(_PARTS_ON_LINES).match(match.string, match.end("header"))):
        return match.start(), max(lines.end(), match.end())
    # A token that was made up or cut may have an unreadable header, but parts as long as those of a token.
    least = _MIN_PART if rest.startswith(".eyJ") else _MIN_OPAQUE_PART
    has_long_parts = min(map(len, rest[1:].split("."))) >= least
    return match.span() if rest and (is_header or has_long_parts) else None


def _password_hash(match: re.Match[str]) -> Location:
    group = match.lastgroup or 0
    is_empty = match[group].lower() in (_EMPTY_LM_HASH, _EMPTY_NT_HASH)
    return None if is_empty else match.span(group)


def _unless_emphasis(match: re.Match[str]) -> Location:
    return None if match.string.startswith("*", match.end()) else match.span("secret")


def _named_hash(match: re.Match[str]) -> Location:
    """Locate a hash with the name of its scheme, if one of its fields looks as random as a hash."""
    fields = compiled(_HASH_FIELD_ENDS).split(match[0])[2:]
    is_hash = any(
        compiled(_HEX_FIELD).fullmatch(field) or (len(field) >= _MIN_FIELD and looks_random(field)) for field in fields
    )
    return (match.start(), match.start() + len(match[0].rstrip("."))) if is_hash else None


RULES = (
    Rule(
        kind="private-key",
        anchors=("---- BEGIN ", "-----BEGIN "),
        pattern=rf"-{{4,5}} ?BEGIN (?:(?:[A-Z0-9]{{1,20}} ){{0,4}}PRIVATE KEY(?: BLOCK)?|{_OPENVPN_KEY}) ?-{{4,5}}",
        locate=_private_key,
        source="https://www.rfc-editor.org/rfc/rfc7468",
        samples=(
            "before\n«{pem}»\nafter",
            "«-----BEGIN OpenVPN Static key V1-----\n<hex:32>\n-----END OpenVPN Static key V1-----»\n</tls-auth>",
        ),
        near=("-----BEGIN PRIVATE KEY-----\n...", "a line `-----BEGIN PRIVATE KEY-----` and a key below it"),
    ),
    Rule(
        kind="private-key",
        anchors=("PuTTY-User-Key-File-",),
        pattern=r"PuTTY-User-Key-File-[0-9]: ?[a-z0-9-]{1,40}\s",
        locate=_putty_key,
        before=_MAX_PUBLIC_PART,
        source="https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html",
        samples=("«PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n<alnum:48>\nPrivate-MAC: <hex:64>»\nend",),
        near=("a file that begins with PuTTY-User-Key-File-3: ssh-ed25519\nand so on",),
    ),
    Rule(
        kind="private-key",
        anchors=("MII", "MIG", "MIH", "MHcCAQ", "MHgCAQ", "MHQCAQ", "MC4CAQ"),
        pattern=rf"{WORD_START}M[A-Za-z0-9+/]{{40,}}+={{0,2}}",
        locate=_bare_key,
        source="https://www.rfc-editor.org/rfc/rfc5958",
        samples=("key: «{der}»",),
        near=("key: MIIB<alnum:30>", "MIIC is how it begins"),
    ),
    # An OpenSSH key starts with "openssh-key-v1", in base64.
    Rule(
        kind="private-key",
        anchors=("b3BlbnNzaC1rZXktdjE",),
        pattern=rf"{WORD_START}b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{{20,}}+={{0,2}}",
        locate=_openssh_key,
        source="https://cvsweb.openbsd.org/src/usr.bin/ssh/PROTOCOL.key",
        samples=("key: |\n  «b3BlbnNzaC1rZXktdjEAAAAA<alnum:48>\n  <alnum:70>\n  <alnum:10>==»\nhost: a",),
        near=("b3BlbnNzaC1rZXktdjE is how it begins",),
    ),
    # An attacker who has a hash can try passwords offline.
    Rule(
        kind="password-hash",
        anchors=(
            *("$1$", "$5$", "$6$", "$y$", "$7$", "$2a$", "$2b$", "$2x$", "$2y$", "$apr1$", "$argon2"),
            *("$8$", "$9$", "$P$", "$H$", "$S$", "$sha1$", "$pbkdf2", "pbkdf2_sha", "SCRAM-SHA-", "{SSHA", "{SHA"),
            *("'*", '"*', '"password_hash"', f"{_EMPTY_LM_HASH}:", f"{_EMPTY_LM_HASH.upper()}:", ":::"),
            *(" -H ", "-hashes", "/pth:", "/ntlm:", "/rc4:", "/aes256:", "NTLM", "NTHash", "nthash", "nt_hash"),
        ),
        pattern=(
            # Mosquitto's, which start like those of crypt.
            r"\$(?:6|7\$[0-9]{1,9})\$[A-Za-z0-9+/]{16}={0,2}\$[A-Za-z0-9+/]{86}=="
            r"|\$(?:2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}|(?:1|apr1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"
            r"|5\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}"
            r"|6\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}"
            r"|[y7]\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}"
            # Those of Cisco, WordPress and phpBB, Drupal, NetBSD and passlib.
            r"|[89]\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}|[PH]\$[./A-Za-z0-9]{31}|S\$[./A-Za-z0-9]{52}"
            r"|sha1\$[0-9]{1,9}\$[./A-Za-z0-9]{1,64}\$[./A-Za-z0-9]{28}"
            r"|pbkdf2(?:-sha[0-9]{1,3})?\$[0-9]{1,9}\$[./A-Za-z0-9]{8,64}\$[./A-Za-z0-9]{27,86}"
            r"|argon2(?:id|i|d)\$v=[0-9]{1,3}\$m=[0-9]{1,9},t=[0-9]{1,9},p=[0-9]{1,3}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,86})"
            r"(?![A-Za-z0-9/])"
            # As Django, PostgreSQL and LDAP store them.
            r"|pbkdf2_sha[0-9]{1,3}\$[0-9]{1,9}\$[A-Za-z0-9]{4,64}\$[A-Za-z0-9+/]{27,86}={0,2}"
            r"|SCRAM-SHA-[0-9]{1,3}\$[0-9]{1,9}:[A-Za-z0-9+/=]{8,64}\$[A-Za-z0-9+/=]{28,88}:[A-Za-z0-9+/=]{28,88}"
            r"|\{S?SHA[0-9]{0,3}\}[A-Za-z0-9+/]{26,160}={0,2}"
            # MySQL's, and RabbitMQ's, which only its label shows to be a hash.
            r"|['\"](?P<mysql>\*[0-9A-F]{40})['\"]"
            r"|\"password_hash\"[ ]?:[ ]?\"(?P<rabbitmq>[A-Za-z0-9+/]{43,128}={0,2})\""
            # NT hashes, with which one can log in as with the password: after the LM hash, or at the end of a line.
            rf"|(?i:{_EMPTY_LM_HASH}):(?P<nt>[0-9A-Fa-f]{{32}})(?![0-9A-Za-z])"
            r"|:::(?<=:[0-9A-Fa-f]{32}:(?P<last>[0-9A-Fa-f]{32}):::)"
            # As options of tools, and in the output of mimikatz: https://github.com/seriotonctf/cme-nxc-cheat-sheet
            r"|(?:[ ]-H[ ]|-hashes[ =]|/(?:pth|ntlm|rc4|aes256):"
            r"|(?<![A-Za-z_])(?:NTLM|NTHash|nt_?hash)[\"']?\s{0,6}[:=])[ ]?[\"']?"
            r"(?:[0-9A-Fa-f]{32}:|:)?(?P<option>(?:[0-9A-Fa-f]{32}){1,2})(?![0-9A-Za-z])"
        ),
        locate=_password_hash,
        source="https://man7.org/linux/man-pages/man5/crypt.5.html",
        samples=(
            "root:«$6$<alnum:16>$<alnum:86>»:19000:0:99999:7:::",
            "bob:«$2y$10$<alnum:53>»",
            "bob:«$apr1$<alnum:8>$<alnum:22>».",
            "bob:«$y$j9T$<alnum:22>$<alnum:43>»:19000:0:99999:7:::",
            "username jo secret 9 «$9$<alnum:14>$<alnum:43>»",
            "«$8$<alnum:14>$<alnum:43>»",
            "wp_users: jo, «$P$B<alnum:30>»",
            "jo:«$7$101$<alnum:16>$<alnum:86>==»",
            "jo:«$6$<alnum:16>$<alnum:86>==»",
            "password_hash: '«*4F0C9A1BD23E5F6071829AB4C5D6E7F809A1B2C3»'",
            '{"name": "jo", "password_hash": "«<alnum:48>»"}',
            "«$pbkdf2-sha256$29000$<alnum:22>$<alnum:43>»",
            "jo,«pbkdf2_sha256$600000$<alnum:22>$<alnum:43>=»",
            "jo «SCRAM-SHA-256$4096:<alnum:22>==$<alnum:43>=:<alnum:43>=»",
            "userPassword: «{SSHA}<alnum:38>==»",
            "Administrator: aad3b435b51404eeaad3b435b51404ee:«<hex:32>»",
            "jo:1104:<hex:32>:«<hex:32>»:::",
            "nxc smb 10.0.0.4 -u jo -H «<hex:32>»",
            "secretsdump.py -hashes :«<hex:32>» jo@10.0.0.4",
            "* NTLM     : «<hex:32>»",
            '"hash": "«$argon2id$v=19$m=65536,t=3,p=4$<alnum:22>$<alnum:43>»"',
        ),
        near=(
            "root:$6$salt$hash:19000",
            "it costs $1$ or $2a$ more",
            "it is stored as {SSHA}",
            '"password_hash": "sha256"',
            "nxc smb 10.0.0.4 -u jo -H $HASH",
            "NTLM: sums <hex:32>",
            "content_hash: <hex:64>",
            "guest:501:aad3b435b51404eeaad3b435b51404ee:31d6cfe0d16ae931b73c59d7e0c089c0:::",
        ),
    ),
    Rule(
        kind="password-hash",
        anchors=("$",),
        pattern=_NAMED_HASH,
        locate=_named_hash,
        source="https://github.com/hashcat/hashcat/blob/master/docs/hashcat-example-hashes.md",
        samples=(
            "jo:«$scrypt$ln=16,r=8,p=1$<alnum:22>$<alnum:43>»:19000:0",
            "«$krb5tgs$23$*svc$CORP.LOCAL$HTTP/web1*$<hex:32>$<hex:200>»",
            "«$krb5asrep$23$jo@example.org:<hex:32>$<hex:200>».",
            "«$DCC2$10240#jo#<hex:32>»",
            "«$office$*2013*100000*256*16*<hex:32>*<hex:32>*<hex:64>», opens with the name of the dog",
            "«$md5,rounds=5000$<alnum:8>$$<alnum:22>»",
        ),
        near=(
            "$krb5tgs$23$*user$realm$spn*$checksum$edata",
            "echo $PREFIX$BINDIR/share/applications",
            "${NAME}$abc$<hex:32>",
            "$Revision$ of <hex:40>",
        ),
    ),
    # Those that start otherwise: Werkzeug's and Django's, hashcat's of PBKDF2, Tarsnap's scrypt, GRUB's, ASP.NET's,
    # MySQL's with a salt in bytes, SQL Server's and Sybase's, Oracle's, LDAP's and Dovecot's, and what Wi-Fi sends.
    Rule(
        kind="password-hash",
        anchors=(
            *("pbkdf2", "scrypt:", "scrypt$", "md5$", "sha1$", "sha224$", "sha256$", "sha384$", "sha512$", "SCRYPT:"),
            *("md5:", "sha1:", "sha256:", "sha512:", "AQAAAA", "$A$00", "0x0100", "0x0200", "0xc007", "0xC007", "S:"),
            "PPH1_MD4,",
            *("{SMD5", "{smd5", "{MD5", "{PKCS5S2", "{CRAM-MD5", "{PLAIN-MD5", "{LDAP-MD5", "{HMAC-MD5", "{ssha"),
            *("::", "{x-is", "{PBKDF2", "{pbkdf2", "{scrypt", "{sha256", "WPA*0"),
        ),
        pattern=(
            r"(?:(?<![\w$.-])(?:(?:pbkdf2(?:[-_:]\w{1,8})?(?:[:$][0-9]{1,9}|\([\w,]{5,24}\))?|scrypt:[0-9]{1,9}:[0-9]{1,4}:[0-9]{1,4}"
            rf"|md5|sha[0-9]{{1,3}})\${_SALT}\${_BASE64_HASH}"
            rf"|scrypt\${_SALT}\$[0-9]{{1,9}}\$[0-9]{{1,4}}\$[0-9]{{1,4}}\${_BASE64_HASH}"
            rf"|(?:md5|sha[0-9]{{1,3}}|SCRYPT)(?::[0-9]{{1,9}}){{1,3}}:(?=[^:]{{0,64}}[A-Za-z]){_SALT}:{_BASE64_HASH}"
            r"|AQAAAA[AEI]A[A-Za-z0-9+/]{4}AAAA[A-P][A-Za-z0-9+/]{59,119}={0,2}"
            r"|0x(?:0100[0-9A-Fa-f]{48}(?:[0-9A-Fa-f]{40})?|0200[0-9A-Fa-f]{136}|[cC]007[0-9A-Fa-f]{80})"
            r"|S:[0-9A-F]{60}(?:;[HT]:[0-9A-F]{32,160}){0,2}|PPH1_MD4,[0-9a-f]{20},[0-9]{1,9},[0-9a-f]{64}"
            r"|WPA\*0[123]\*[0-9a-f]{32}\*[0-9a-f]{12}\*[0-9a-f]{12}\*[0-9a-f*]{1,2000})"
            r"|\{(?:S?MD5|PKCS5S2|(?:CRAM|PLAIN|LDAP|HMAC)-MD5|s(?:md5|sha[0-9]{1,3})"
            r"|x-is[A-Za-z0-9]{3,6},[ ]?[0-9]{1,6}|(?i:pbkdf2|scrypt|sha256)(?:[-@]\w{1,24})?)"
            r"(?:\.(?:HEX|B64|hex|b64))?\}[A-Za-z0-9+/.$=]{22,512}"
            r"|\$A\$[0-9A-F]{3}\$[^\n]{20,80}?[./A-Za-z0-9]{43})(?![A-Za-z0-9/])"
            # A response to a challenge of NTLM.
            r"|::[^\s:]{0,64}:(?P<ntlm>[0-9A-Fa-f]{16}:[0-9A-Fa-f]{32}:[0-9A-Fa-f]{32,8192}"
            r"|[0-9A-Fa-f]{48}:[0-9A-Fa-f]{48}:[0-9A-Fa-f]{16})(?![0-9A-Za-z])"
            rf"|(?<=grub\.)pbkdf2\.sha512\.[0-9]{{1,9}}\.{_HEX_HASH}\.{_HEX_HASH}(?![A-Za-z0-9/])"
        ),
        locate=_password_hash,
        source="https://passlib.readthedocs.io/en/stable/modular_crypt_format.html",
        samples=(
            "jo:«pbkdf2:sha256:260000$<alnum:16>$<hex:64>»",
            "«scrypt:32768:8:1$<alnum:16>$<hex:128>».",
            "«sha1$<alnum:5>$<hex:40>»",
            "«sha256:1000:<alnum:14>==:<alnum:32>»",
            "password_pbkdf2 root grub.«pbkdf2.sha512.10000.<HEX:128>.<HEX:128>»",
            "PasswordHash = «AQAAAAEAACcQAAAAE<alnum:67>==»",
            "sa, «0x0200<HEX:136>»",
            "jo::CORP:«<hex:16>:<hex:32>:<hex:200>»",
            "jo::WS1:«<hex:48>:<hex:48>:<hex:16>»",
            "jo:«{ssha256}06$<alnum:16>$<alnum:43>»",
            "«WPA*01*<hex:32>*<hex:12>*<hex:12>*<hex:12>***»",
        ),
        near=(
            "image@sha256:<hex:64>",
            "pbkdf2:sha256:260000 is the default",
            "sha256:1000:2000",
            "it calls 0x0100<hex:36>",
            "{MD5} and {SMD5} are old",
            "std::map::at:<hex:16>:<hex:8>",
            "AQAAAA is how it begins",
        ),
    ),
    # MySQL's without quotes.
    RunRule(
        kind="password-hash",
        least=40,
        most=40,
        pattern=r"(?<=\*)(?<![\w*]\*)(?P<secret>[0-9A-F]{40})",
        locate=_unless_emphasis,
        source="https://dev.mysql.com/doc/refman/8.0/en/password-hashing.html",
        samples=("root\t*«4F0C9A1BD23E5F6071829AB4C5D6E7F809A1B2C3»\tlocalhost",),
        near=("**4F0C9A1BD23E5F6071829AB4C5D6E7F809A1B2C3**", "*4F0C9A1BD23E5F6071829AB4C5D6E7F809A1B2C3*"),
    ),
    Rule(
        kind="private-key",
        anchors=tuple(f'"{name}"' for name in ("d", "k", "p", "q", "dp", "dq", "qi")),
        pattern=r"\"[a-z]{1,2}\"[ \t\n]{0,9}:[ \t\n]{0,9}\"(?P<secret>[A-Za-z0-9_-]{22,}+)\"",
        locate=if_near('"kty"', _MAX_PUBLIC_PART, _MAX_PUBLIC_PART),
        before=_MAX_PUBLIC_PART,
        source="https://www.rfc-editor.org/rfc/rfc7518#section-6",
        samples=('{"kty": "OKP", "crv": "Ed25519", "x": "<url:43>", "d": "«<url:43>»"}',),
        near=('{"kty": "OKP", "crv": "Ed25519", "x": "<url:43>"}', '{"d": "<url:43>"}'),
    ),
    # Three parts, or five if it is encrypted; the signature of an unsecured token is empty. The pattern takes the whole
    # run, whatever it is, so that no part of it is read twice.
    Rule(
        kind="jwt",
        anchors=("eyJ",),
        pattern=(
            rf"{WORD_START}(?P<header>eyJ[{BASE64URL}]{{8,}}+)"
            rf"(?P<rest>\.[{BASE64URL}]{{2,}}+\.[{BASE64URL}]*+(?:\.[{BASE64URL}]*+\.[{BASE64URL}]++)?)?"
        ),
        locate=_json_web_token,
        source="https://www.rfc-editor.org/rfc/rfc7519",
        samples=(
            "session={jwt marked}; a=b",
            "token:\n«eyJhbGciOiJIUzI1NiJ9.\neyJ<url:40>.\n<url:43>»\nend",
            "«eyJhbGciOiJIUzI1NiJ9\n.eyJ<url:40>\n.<url:43>»\nend",
            't = ("«eyJhbGciOiJIUzI1NiJ9."\n     "eyJ<url:40>."\n     "<url:43>»")',
        ),
        near=(
            "eyJ<alnum:20> is how it begins",
            "eyJ<alnum:8>.<alnum:4>.x",
            "it begins with eyJhbGciOiJIUzI1NiJ9.\nAfter that comes the payload.",
        ),
    ),
)
