"""The names of passwords and secrets, in settings and in the prose of some twenty languages."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_list

# Patterns ignore case in ASCII only, which compiles in a third of the time. Other letters are given in both cases.

# Inside a word, "pass" and "pw" count only at the end of the name of a setting: "vpnpass=", but not "bypass=".
_SIGN_AFTER = r"[\"'`]{0,2}[ ]?[:=]"
_NOT_AFTER_WORD = "".join(
    f"(?<!{word})"
    for word in word_list(
        "by com sur over under tres encom high low band all multi single one two first second third last render sub "
        "depth shadow light fast tele boarding season day ski"
    )
)
# Names of secrets that people choose. "pass" and "pw" are whole words, or begin with a capital in one: "dbPass".
# "1Password" is a product.
CHOSEN = (
    r"(?:(?<!1)pass?w(?:or|ro)ds?|passowrd|passwd|pass(?:[ _-]?phrase|code|wort|wrd| word)|paswd|psw(?:d|rd)?|passord"
    r"|(?:(?<![A-Za-z])|(?<=[a-z])(?=(?-i:P)))(?<!by)(?<!com)(?<!sur)(?<!over)(?<!tres)pass"
    rf"|(?<=[a-z]{{2}}){_NOT_AFTER_WORD}pass(?={_SIGN_AFTER})|(?<=[a-z]{{2}})pw(?={_SIGN_AFTER})"
    r"|(?<![A-Za-z])p/w|(?<![A-Za-z0-9])pw|(?-i:(?<=[a-z])P[Ww])|(?-i:(?<=DB)PW)|(?<!\$\()pwd"
    r"|identified by|kennwort|mot de passe|(?<![A-Za-z])mdp|contrase[\u00f1\u00d1n]a|(?<![A-Za-z])senha|palavra-passe"
    r"|wachtwoord|senord(?<=l[\u00f6\u00d6]senord)(?:et)?|adgangskoden?|kodeord(?:et)?|salasana|(?<![A-Za-z])heslo|jelsz[\u00f3\u00d3]|(?<=[\u015f\u015e])ifre"
    r"|kata sandi|(?<![A-Za-z])(?:haslo|loe?senord|lozinka|geslo|sifre|parool|salasona|slaptazodis)"
    r"|(?<![A-Za-z])clave(?: de acceso)?|parola d'ordine|(?<![A-Za-z])parola(?=[ ]?[:=])|(?<![A-Za-z])psk"
    r"|pre-shared[ _-]?key|security[._]credentials)"
)
ENDINGS = (
    r"(?-i:InIt|Str(?:ing)?|ToChar(?:s|Array)?|Chars?|Bytes?|Data|Arr(?:ay)?|Plain|Raw|Text|Val(?:ue)?|HardCoded|Hardcoded|Input|Const"
    r"|_(?i:str|string|chars?|bytes|raw|val|hardcoded|const))(?![a-z])"
)
"""What names in code add to the name of a password: how it is written or where it stands, "pwdStr", "passwordChars"."""

CHOSEN_ANCHORS = (
    *("pass", "pasw", "pw", "psw", "p/w", "identified by", "kennwort", "mot de passe", "mdp", "contrase", "senha"),
    *("palavra-pass", "wachtwoord", "senord", "adgangskode", "kodeord", "salasana", "heslo", "jelsz", "ifre"),
    *("kata sandi", "clave", "parola", "psk", "pre-shared", "haslo", "losenord", "loesenord", "lozinka", "geslo"),
    *("parool", "salasona", "slaptazodis", "security_cred", "security.cred"),
)

PIN = r"(?:(?<![A-Za-z0-9])PIN|(?<=[a-z])Pin(?![a-z]))(?: [Cc]ode)?"

# The same in other scripts. Each starts with a character that ordinary English texts do not have.
_WORDS = (
    *("\u043f\u0430\u0440\u043e\u043b\u044c", "\u041f\u0430\u0440\u043e\u043b\u044c"),  # Russian, Ukrainian
    *("\u043f\u0430\u0440\u043e\u043b\u0430", "\u041f\u0430\u0440\u043e\u043b\u0430"),  # Bulgarian
    *("\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4"),  # Chinese
    *("\u30d1\u30b9\u30ef\u30fc\u30c9", "\u6697\u8a3c\u756a\u53f7"),  # Japanese
    *("\ube44\ubc00\ubc88\ud638", "\ube44\ubc88", "\ud328\uc2a4\uc6cc\ub4dc", "\uc554\ud638"),  # Korean
    *("\u0142o(?<=[Hh]as\u0142o)", "\u1ea9u(?<=kh\u1ea9u)"),  # Polish, Vietnamese: from the first letter beyond ASCII
    *("\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2", "\u039a\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2"),  # Greek
    "\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631",  # Arabic
    "\u05e1\u05d9\u05e1\u05de\u05d4",  # Hebrew
)
ANCHORS_BEYOND_ASCII = tuple(word.partition("(")[0] for word in _WORDS)
OTHER_SCRIPTS = f"(?:{'|'.join(_WORDS)})"

# "key" names a secret only after one of these: "api key".
KEY_QUALIFIERS = (
    *("api", "access", "private", "secret", "signing", "encryption", "decryption", "master", "account", "auth"),
    *("service", "shared", "storage", "license", "ingest", "admin", "webhook", "session", "hmac", "app", "application"),
    *("consumer", "client", "developer", "dev", "live", "prod", "activation", "product", "recovery", "write", "server"),
    *("deploy", "subscription", "functions", "host", "integration", "unseal"),
    *("openai", "anthropic", "gemini", "mistral", "cohere", "groq", "stripe", "sendgrid", "mailgun", "twilio"),
    "datadog",
    *("algolia", "azure"),
)
# Names of secrets that are generated.
GENERATED = (
    r"secret(?:[ _-]?(?:access[ _-]?)?key(?:[_-]?base)?)?"
    r"|api[_-]?hash|[_-]pat|(?<![A-Za-z])jeton|token|(?<![A-Za-z])_?auth|credentials?|key"
)
GENERATED_ANCHORS = word_list("secret token jeton key auth credential api_hash api-hash apihash _pat -pat")

_BEFORE_VERB = (
    r"(?i)\b(?:tests?|checks?|builds?|cases?|suites?|jobs?|lints?|all|must|will|should|to|can|they|runs?|ci)[ ]\Z"
)
_MAX_BEFORE = 16


def is_test_result(text: str, start: int, end: int) -> bool:
    """Whether the name from `start` to `end` is the verb "pass", as in "all tests pass"."""
    is_pass = text[start:end].lower() == "pass"
    return is_pass and compiled(_BEFORE_VERB).search(text, max(0, start - _MAX_BEFORE), start) is not None
