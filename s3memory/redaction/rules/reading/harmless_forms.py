"""Forms of what is near passwords in prose but is none: numbers, hosts, files, versions, algorithms, code."""

from __future__ import annotations

from s3memory.redaction.rules.reading.storage_locations import MANAGERS
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.forms import Forms
from s3memory.redaction.text.values import AWS_RESOURCE_ID, CITATIONS, OKTA_ID, POD, is_elsewhere, is_technical_term

ENDINGS = (
    "com|org|net|io|dev|local|example|md|py|js|ts|json|ya?ml|toml|env|txt|ini|conf|cfg|sh|go|rs|rb|java|php|html?|xml"
    "|csv|pdf|kdbx|gpg|pem|key|log|sql|[chmro]|cc|[ch]pp|[jt]sx|css|vue|rst|tf|tar|t?gz|zip|7z|jar|whl|lock|bak|bat|ps1"
    "|exe|dll|pfx|p12|crt|cer|der|asc|svg|png|jpe?g|docx?|xlsx?|pptx?|proto|ipynb|swift|kt|pl|pm|lua|iso|img|dmg|deb"
    "|rpm|dat|db|sqlite3?|bin|ttf|otf|pf[abm]|woff2?|parquet|avro|orc|npz|h5|onnx"
)
"""A pattern of the endings of hosts and files."""
_ROLES = (
    "Validator|Handler|Manager|Provider|Service|Exception|Error|Factory|Hasher|Encoder|Field|Filter|Controller|Config"
    "|Options|Settings|Policy|Dialog|Attribute|Request|Response|Checker|Utils|Helper"
)
_ALGORITHMS = (
    r"bcrypt|scrypt|argon2\w*|md5|(?:sha|aes)(?:[0-9_-]\w*)?|utf-?8|ascii|base64|totp|otp|2fa|mfa|sso|ldap|oauth2?|https?"
    r"|ssl|tls(?:v?[0-9.]{1,4})?|wpa[23](?:-(?:sae|psk|enterprise))?|fido2|u2f|x\.509|crc32c?|ripemd[0-9]{3}|hkdf(?:-\w+)?"
    r"|x?chacha20(?:-poly1305)?|x?salsa20|blake[23][bs]?|3des|secp[0-9]{3}[kr]1|rsa-(?:oaep|pss)|ec(?:dsa|dh|ies)"
)
_FORMS = Forms(  # in ASCII and in any case
    {
        # Numbers, quantities, versions
        "#12": r"[#@&]?[0-9]{1,6}",
        "v2.14.x": r"[v^~]?[0-9]+(?:\.[0-9]+){1,4}(?:\.x|(?:a|b|rc|\.?dev|\.post)[0-9]{1,3})?[+]?",
        # Of HTML: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill-field
        "one-time-code": r"(?:current|new)-password|one-time-code",
        "17:30": r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?",
        "8h-12h": r"[0-9]{1,2}h(?:[0-9]{2})?-[0-9]{1,2}h(?:[0-9]{2})?",
        "12.5%": r"[0-9.,]+%",
        "90+": r"[0-9]+[+-]",
        "2nd": r"[0-9]+:?(?:st|nd|rd|th|er|re|e|x)",
        "2*10": r"[\w.]*[0-9]\*+[\w.*^+-]+",
        "n**k": r"\w+\*\*\w+",
        "requests>=2.31": r"[\w.\[\]-]+(?:(?:[<>]=?|[~!=]=)[0-9][\w.*]*,?)+",
        "timeout=30": r"[a-z_]+=(?:[0-9.]{1,6}|\{.*|true|false)",
        "PROJ-17": r"[a-z]{1,10}-[0-9]{1,6}",
        "3f9c2ab": r"[0-9a-f]{7,12}",
        # Places, people, files
        "10.0.0.1:22": r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]+)?(?:/[0-9]+)?",
        "ftp://nas": r"\S*://\S*",
        "skiff@5.2.0+f045464": r"[@\w./-]+@v?[0-9]+(?:\.[0-9]+)+[\w.+-]*",
        "jo+x@example.co": r"[\w.+-]+@[\w-]+(?:\.[a-z][\w-]*)+",
        "root@web-prod": r"(?-i:[a-z])[a-z_.-]*[0-9]{0,3}@[a-z][a-z-]*[0-9]{0,3}",
        "web-7d9f8b6c4-x2lqp": POD,
        "00u1ab2cd3EFgh4Ij5d7": OKTA_ID,
        "subnet-0bb1c79de3f4a5b6c": AWS_RESOURCE_ID,
        **CITATIONS,
        "Ctrl+Alt+Del": r"(?:strg|ctrl|control|cmd|command|alt|option|shift|umschalt|maj|win)(?:[+-]\w{1,10}){1,4}",
        "@jo": r"@['\"]?\w[\w.]*",
        "0xC000006A": r"0x[0-9a-f]{2,16}",
        "GPIO17": r"gpio[_-]?[0-9]{1,3}",
        "CR2032": r"(?:cr|lr)[0-9]{2,4}",
        "notes.md": rf"(?:[\w-]+\.)+(?:{ENDINGS})",
        # Algorithms and products
        "bcrypt": _ALGORITHMS,
        "1password7": rf"(?:{MANAGERS})[0-9]{{0,2}}",
        # Variables, options, calls, types, markup
        "DB_PASSWORD": r"(?-i:[A-Z0-9]+(?:\\?_[A-Z0-9]+)+)",
        "$PGPASS": r"\$.*",
        "%USERPROFILE%": r"%\w+%",
        "--force": r"--?[a-z][\w-]*(?:=.*)?",
        "-----": r"-{5}.*",
        "`@x.y": r"[\w'\"`]+@'?[\w.'%-]*[.%'][\w.'%-]*",
        "getpass(prompt": r"[\w.]+\(.*",
        "TokenValidator": rf"(?-i:(?:[A-Z][a-z]+)+(?:{_ROLES}))",
        "newPasswordHint": r"[\w.:`]*(?-i:[Pp]ass(?:word|wd|phrase)(?:[A-Z][a-z]+)+)",
        "T<$id": r"(?-i:[A-Z])<\$?\w+>?",
        "policy[^1]": r"[a-z]+\[\^?[a-z0-9]{1,3}\]?",
        "BZ2_bzRead": r"(?-i:[A-Z][A-Z0-9]{1,7}_[a-z]+(?:[A-Z][a-z]+)+)",
        "</b>": r".*(?:%\(|</|<\w+>|[$#]?\{\w|::|\w\[\w*\]|\w\(\)).*",
        ")": r"[)}\]].*",
        'type":"string': r".*\w\":[\"\w\[{].*",
        r"ab\.c": r"[A-Za-z]*(?:\\[.()\[\]^$|][A-Za-z]*)+\$?",
    },
    flags="ai",
)
# A name in code with a value too short for a password: "max_retries=3".
_ASSIGNED = r"#?(?:[A-Za-z]+(?:[._-][A-Za-z0-9]+)+|(?:[A-Z][a-z]+){2,})=\w{0,8}"


def has_listed_form(text: str) -> bool:
    """Whether `text` as a whole has one of the forms."""
    return _FORMS.has(text)


@cached_until_forgotten
def is_harmless_form(text: str) -> bool:
    """Whether `text` is no password by its form: a number, host, file, version, algorithm, placeholder or the like."""
    is_assigned = "=" in text and compiled(_ASSIGNED).fullmatch(text) is not None
    return is_assigned or has_listed_form(text) or is_technical_term(text) or is_elsewhere(text)
