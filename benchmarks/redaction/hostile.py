"""Texts made to be slow: what rules start at, over and over, and almost what they look for."""

from __future__ import annotations

from redaction.samples import ALNUM, made_of, seeded

CHARACTERS, MANY = 40_000, 100_000

_UNITS = {
    "a": "a",
    "digits": "4111 ",
    "at signs": "a@",
    "dotted at signs": "a.b@c.",
    "key equals": "key=",
    "password is": "password is ",
    "is the password": "harbor7 is the password. ",
    "footnotes": "password[^1]\n[^1]: harbor7\n",
    "list of logins": "- wiki: jo / harbor_7!x\n",
    "password equals quotes": 'password = "',
    "token": "token: ",
    "urls": "https://a:",
    "begin": "-----BEGIN PRIVATE KEY-----\n",
    "begin without end": "-----BEGIN RSA PRIVATE KEY-----\nMII",
    "signed token": "eyJhbGciOiJIUzI1NiJ9.",
    "prefix": "sk_live_",
    "prefixes": "ghp_sk-hf_xoxb-1-SG.",
    "base64": "QUtJQQ",
    "hexadecimal": "41",
    "percent": "%41%4B",
    "backslash u": "\\u0041",
    "entities": "&#65;",
    "invisible": "a\u200b",
    "spaces": " ",
    "quotes": '"',
    "braces": "{[(",
    "authorization": "Authorization: Basic ",
    "account": "DE89 3704 ",
    "placeholder": "[REDACTED:a]",
    "aws": "AKIAIOSFODNN7",
    "slashes": "a/" * 20,
    "user pass": "user/pass ",
    "auth": "auth=",
    "secret": "secret:",
    "pw": "pw ",
    "api key": "api_key:",
    "base64 of names": "cGFzc3dvcmQgaXMgYXV0aD0gdG9rZW46IA==\n",  # password is auth= token:
    "hexadecimal of names": "70617373776f726420697320617574683d20",  # in one run, without an end
    "base64 of base64": "Y0dGemMzZHZjbVFnYVhNZ1lYVjBhRDA9 ",  # the same without "token: ", once more
    "percent of percent": "%2570%2561%2573%2573word%2520is%2520",
    "u of names": "\\u0070\\u0061ss\\u003d",
    "full width": "\uff50\uff41\uff53\uff53\uff1d",
    "password colon": "password:",
    "password of": "the password of the box ",
    "mot de passe": "mot de passe : ",
    "mi ma": "\u5bc6\u7801\uff1a",
    "login with": "login as u with ",
    "columns": "user,password,host\n",
    "table": "| password | ",
    "words": "abandon ",
    "recovery code": "recovery code ",
    "recovery codes": "Backup codes:\n- ",
    "groups": "ab1c-",
    "groups of digits": "123456-",
    "json": '"password":"',
    "bearer": "Bearer ",
    "cookie": "Set-Cookie: session=",
    "otpauth": "otpauth://totp/a?secret=",
    "sql": "VALUES ('a', '",
    "all encodings": "%70ass&#61;\\u0061\uff41\u200bcGFzc3dvcmQgaXMgYXV0aD0= ",
}

# A line each, with a value that is another one on each.
_LINES = {
    "table of ids": "| acme | {} |\n",
    "table of tokens": "| acme | {} |\n",
    "values": "|{}\n",
    "values behind a factor": "{}, ",
    "links": "https://a.b/verify/{} anyone with ",
    "addresses and values": "http://a.b/\t{} ",
}
_FIRST = {
    "table of ids": "| name | commit |\n|---|---|\n",
    "table of tokens": "| name | token |\n|---|---|\n",
    "values behind a factor": "2FA ",
}
_LENGTH = 16
# A number each, which is another one behind each name.
_NUMBERED = {
    "PIN and number": "PIN {} ",
    "pw and number": "pw {} ",
    "door code and number": "\u043a\u043e\u0434 \u0434\u0432\u0435\u0440\u0438 {} ",
    "gate code and number": "kapukod {} ",
    "key and number": "key{0}: {0:06}\n",
}


def texts(characters: int = CHARACTERS) -> dict[str, str]:
    """Return each text by its name, all of the same length."""
    repeated = {name: (unit * (characters // len(unit) + 1))[:characters] for name, unit in _UNITS.items()}
    lined = {name: _lined(name, line, characters) for name, line in _LINES.items()}
    numbered = {
        name: "".join(map(unit.format, range(characters // (len(unit) - 1))))[:characters]
        for name, unit in _NUMBERED.items()
    }
    return repeated | lined | numbered


def _lined(name: str, line: str, characters: int) -> str:
    rng = seeded(name)
    count = characters // (len(line) + _LENGTH - 2) + 1
    return (_FIRST.get(name, "") + "".join(line.format(made_of(rng, ALNUM, _LENGTH)) for _ in range(count)))[
        :characters
    ]
