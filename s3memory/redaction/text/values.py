"""Judges a value found where a secret may be: is it a secret, or a placeholder, a reference, an identifier or a word?

This is for values without a format of their own, such as those after "password:". Each function errs on the safe side:
it calls a value a placeholder only if it plainly looks like one. The values are short, and where a pattern has a repeat
inside another, each round of the outer one starts with a character that the inner one can't match.
"""

from __future__ import annotations

from math import ceil, log2

from s3memory.redaction.interface import without_placeholders
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_gibberish, n_common_pairs

# The share of neighbouring characters between which a value changes from letters to digits or symbols or back, or from
# lower to upper case: 0.4 in random base 36, 0.45 in random base 62 and hexadecimal; 0.15 in versions, dates and
# identifiers, or 0.2 in camel case.
_MIN_MIXING = 0.16
_MIN_MIXING_OF_LETTERS = 0.21
_MIN_ENTROPY = 2.75
_HEX, _MIN_HEX = frozenset("0123456789abcdefABCDEF"), 24
_MIN_DISTINCT = ceil(2**_MIN_ENTROPY)  # fewer distinct characters can't reach that entropy
_SYMBOLS = frozenset("!@#$%^&*+=?~")
_HUMP = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"
_MIN_LETTERS_PER_HUMP = 3
# Mixed-case letters. "rfEsVF" has hardly any pair of letters that is common in words; "GitHub" and "userId" have some.
_MIXED_CASE = r"(?=[A-Za-z]{6,12}\Z)[A-Z]*[a-z]+[A-Z]+[A-Za-z]*"
_COMMON_ONE_IN = 3
_ACRONYM, _MIN_DIGITS_OF_NO_NAME = r"[A-Z]{8,}(?=[a-z])", 3
# Words shortened to a number between letters, and names like them: "i18n", "k8s", "a2a", "X509", "IPv6".
_NUMERONYM = r"(?<![A-Za-z])[a-z][0-9]{1,2}[a-z](?=[A-Z])|X509|IPv[46]"
_CLASSES = str.maketrans(
    dict.fromkeys("123456789", "0")
    | dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "a")
    | dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "A")
    | dict.fromkeys(_SYMBOLS, "#")
    | dict.fromkeys("_./:,;|()[]{}<>", "-")
)
# "aA" is a change and "Aa" is not: a word may start with a capital.
_CHANGES = ("a0", "A0", "#0", "0a", "0A", "0#", "aA", "a#", "A#", "#a", "#A")

_MASK = r"[*xX\\.\u2022\u2026_#?-]+|[\w-]{0,12}[*\u2022]{4,}[\w-]{0,8}"  # "****", "xxxx-xxxx", "abc****89"
# A value with some groups masked ("AB12-****-XXXX"), and one with a character many times in a row.
_GROUP_MASKS, _MIN_REPEATED = ("****", "####", "xxxx", "XXXX", "\u2022\u2022\u2022\u2022"), 12
_MASKED_GROUP = r"[*\u2022#]{4,12}|[xX]{4,12}"
_MASKED_GROUPS = (
    rf"(?:[A-Za-z0-9]{{1,12}}-){{0,8}}(?:{_MASKED_GROUP})(?:-(?:[A-Za-z0-9]{{1,12}}|{_MASKED_GROUP})){{0,8}}"
)
_REPEATED = r"[\w-]{0,12}?([A-Za-z0])\1{11,}"
# "<your password>", "{{ password }}", "$(cat file)". The closing bracket may be missing, because a value without quotes
# was cut at the first space.
_TEMPLATE = (
    r"<(?:[^\W\d_]|[/!])[\w .:/-]*>?|<\$\{.*|\[?&(?:lt|gt|quot|#).*"
    r"|\[[A-Za-z][\w .-]*\]|\[[a-z]+|\((?:[a-z]+|[A-Za-z][\w .-]*\))"
    r"|\{\{?[\w .:()\[\]'\"|-]+\}{1,2}|\{[{%](?:[ -].*)?|(?:[NEb]?['\"])?\$?[$%][{(].*"
    # The format of printf, and what a pattern of sed matches: "%s%n", ".*$/".
    r"|(?:%-?[0-9.]{0,5}[sdfcnqvxu]){1,8}|\.\*[$/|].*"
    r"|[\w.:/@%+=${} -]*\{(?:[A-Za-z_.]+|[0-9])(?:![ras])?\}[\w.:/@%+=${} -]*"
    # A regular expression, a function, a sealed secret of Kubernetes.
    r"|/\^.*|.*(?:function\(|=>[ ]?[\w({!]|\{return[ ]).*|Ag[A-D][A-Za-z0-9+/=]{61,}"
    # A validation rule ("required|min:8"), a regular expression.
    r"|[a-z_]+(?::[\w,]*)?(?:\|[a-z_]+(?::[\w,]*)?)+|\^.*[\[(\\].*[$+*})\]]|.*\(\?[:=!<P].*"
    # Concatenation in code (" + name + "), interpolation in its strings ("#{name}").
    r"|[ ]*[.+&][ ]*(?:\$[A-Za-z_].*|[A-Za-z_][\w.]*(?:\([^()]*\))?[ ]*[.+&][ ]*)"
    r"|[ ]?[+][ ]?(?:new )?[A-Za-z_][\w.]+[(\[](?:[\"'A-Za-z_$)].*)?"
    r"|[#{]\{[^{}]*\}.*|#\{[A-Za-z_@]\w*[\[(].*|\{\$[A-Za-z_].*|(?:<[a-z]+[^<>]*>)+[{$%<].*"
    r"|.*\\[bswdSWD].*\\[bswdSWD].*|\\{1,2}[swdSWD](?:[+*?]|\{[0-9]).*|\[\^.*\][+*].*|ENC[\[(].*|!(?:reference|Sub|Ref|GetAtt)\b.*"
    # Markup of a manual page, an option, a setting without a value: "\\fBcrypt\\fR", "--legend=no", "username=".
    r"|.*\\(?:f[BIRPCW0-9(\[].*|&(?:\.\w*)?|e)|(?:\\?-){2}[a-z][a-z\\-]*(?:=.*)?|(?:pass(?:word|phrase)|[a-z]{2,}(?:[A-Z][a-z]+)+)="
)
# A variable, as in "$PASSWORD", "$env:PW", "%PASSWORD%", "@password@", ":password".
_VARIABLE = (
    r"\\{0,2}\$(?:env:)?[A-Za-z_]+[0-9]?(?:(?:->|::)\$?[A-Za-z_]\w*)*(?:\([^()]*\))?|\$[0-9]"
    # An element of a variable, and a value that starts with one: "$_POST[\\"pw\\"]", "$BASE_URL/reset".
    r"|\\{0,2}\$\w+(?:->\w*)?(?:\{\$?\w+\}?|\[\$?\w+\]?|\[\\{0,2}[\"'].*)|\$[A-Z]+(?:_[A-Z0-9]+)+[^\w\s].*|\$[A-Z]{2,}/.*|%[A-Za-z_]+%|\^[A-Z]+[0-9]?\^.*|@[A-Za-z_.-]+@|[@:*&][a-z_]+|![A-Z]?[a-z_]+"
)
# Words of made-up values, and the examples in RFC 7617, RFC 6749, RFC 6750, RFC 7519 and RFC 6455.
_MADE_UP_WORDS = (
    *("xxxx", "example", "placeholder", "place-holder", "place_holder", "redacted", "dummy", "...", "\u2026"),
    *("insert-", "insert_", "insert ", "replace-", "replace_", "replace ", "splxlobezqqybys6wxsbia", "dxnlcjpwyxnz"),
    *("qwxhzgrpbjpvcgvuihnlc2ftzq", "czzcagrsa3f0mzo3rmpmcdbaqnixs3reumjuzlzkbul3", "dghlihnhbxbszsbub25jzq"),
    *("s3pplmbitxaq9kygzzhzrbk", "2yotnfzfejr1zcsicmwpaa", "tgzv3jokf0xg5qx2tlkwia"),
    *("dbjftjez4cvp-mb92k27uhbuju1p1r_ww1gfwfoejxk", "mf_9.b5f-4.1jqm"),
)
_MADE_UP_HINTS = ("your", "chang", "my", "default", "here", "value")
# "your_password", "changeme", "password-here", "my-secret"
_MADE_UP = (
    r"(?i)\byour(?:[-_ @]|[A-Z])|change[-_ ]?(?:me|this)(?![!@#$_-]?[0-9])"
    r"|^(?:password|passwd|pwd|secret|token|key)[-_](?:default|here|value|placeholder)$"
    r"|\bmy[-_]?(?:super[-_]?)?(?:secret|password|token|api[-_]?key|key)\b"
)
# A name in place of a value: "db_password", "DB_PASSWORD", but not "super-secret-key".
_NAME = (
    r"(?!(?i:super)[_ -])[A-Za-z_ -]*[_ -](?:password|passwd|passphrase|pass|pwd|secret|token|key)"
    r"|[A-Z][A-Z0-9_]*_(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|KEY)"
    # "trustStorePassword", "connection.password", "Bun.password.hash"
    r"|(?!(?i:super|my|secret|strong|test))[a-z]+(?:[A-Z][a-z]+){0,4}Pass(?:word|wd|phrase)"
    r"|(?:[A-Za-z]\w{0,30}\.){1,6}(?:[Pp]assword|passwd)(?:\.[A-Za-z]\w{0,30}){0,4}"
)
_WORD_OF_A_FORM_FIELD = (
    "(?i:password|passwd|pass|pw|pwd|passphrase|input|field|form|box|txt|textbox|label|btn|button|login|signup|modal)"
)
_LOCATOR = (
    r"[a-z][a-z0-9+.-]{1,20}://.*|arn:.*|(?:~|\.{1,2})?/[\w.-]+(?:/[\w.*{}$-]*)*|[A-Za-z]:\\.*|\\{2,4}[\w.-]+\\+.*"
    r"|@[\w.~-]*/[\w./-]+\.[a-z]{1,5}"  # a file that another one imports, or a shell reads
    r"|(?:[\w.-]{1,64}/){1,8}[\w.-]{1,64}\.(?:properties|ya?ml|json|toml|env|txt|ini|conf|cfg|xml|kdbx|pem|key|p12|jks|keystore)"
    r"|(?:env|file|vault|sops|ssm):.*|projects/[\w\\.-]+/(?:locations/[\w\\.-]+/)?secrets/.*"
)
# What every value has that _ROUTE matches, if it doesn't start with a dot.
_SIGNS_OF_ROUTES = ("#", "[", "@", "/:", "?", " > ")
_ROUTE = (
    # Routes of web frameworks: "/users/@me/password", "/docs@2.1/a?step=1", "users/passwords#edit".
    r"/[\w.-]+(?:@v?[0-9.]+)?(?:/(?:[:@](?=[a-z]))?[\w.*{}$-]*(?:@v?[0-9.]+)?)*"
    r"(?:\?[a-z_]+=[\w{}$:.-]*(?:&[a-z_]+=[\w{}$:.-]*)*)?(?:#/?[a-z][\w/-]*)?"
    r"|(?:[a-z_0-9]+/)*[a-z_]+#(?:new|create|edit|update|destroy|show|index)"
    r"|(?:[a-z_0-9]+/)*[a-z_]*(?:password|user|session|account)s?#[a-z_]+"
    # Selectors of a form field: "#add-password", "input[name=pw]", "#form > input", "//input[@id='pw']".
    rf"|[#.](?=[a-zA-Z0-9_-]*?(?<![a-z])(?:{_WORD_OF_A_FORM_FIELD})(?![a-z]))[a-z][A-Za-z]*[0-9]?(?:[-_](?:[A-Za-z]+[0-9]?|[0-9]{{1,2}}))*"
    r"|[#.]?[a-z*][\w.#-]*\[[a-z-]+[~^$*|]?=.*\].*|[#.]?[a-z][\w.#-]* > [\w.#:()\[\]='\"> -]+|\(?//[a-z*]+\[.*"
)
# Says that there is no value, or where to look for it: "not set", "see vault", "same as above".
_SAYS_NONE = (
    r"(?i)(?:(?:is[-_ ])?(?:not?|never|to[-_ ]be)[-_ ](?:yet[-_ ])?"
    r"(?:set|found|configured|provided|available|required|used|needed|defined|specified|given|present|applicable|known"
    r"|stored|shown|supported|supplied|implemented|saved|allowed|assigned|entered|empty|filled|determined|added|decided"
    r"|in[-_ ]use|password|passwd|pass|pwd|value|auth|secret|token|key|login|credentials?)"
    r"|none[-_ ](?:yet|set|given|needed|required)|same[-_ ]as[-_ ](?:above|before|below|user(?:name)?|login)"
    r"|(?:set|fill|put|enter|add|provide|paste|insert)[-_ ](?:me|this|it|your)(?:[-_ ](?:in|here|later|up))?"
    r"|(?:(?:set|stored|kept|is|read)[-_ ])?(?:see|from|in|use|via|by)[-_ ](?:the[-_ ])?"
    r"(?:\.?env|environment|vault|keychain|keyring|secrets?|config|1password|bitwarden|settings)"
    r"(?:[-_ ](?:vars?|variables?|file|manager|store))?)"
)
POD = r"[a-z][a-z0-9-]{2,60}-[24-9b-df-hj-np-tv-xz]{6,10}-[24-9b-df-hj-np-tv-xz]{5}"
"""The name of a Kubernetes pod, which ends in letters and digits that look random: "web-7d9f8b6c4-x2lqp"."""

OKTA_ID = r"(?-i:0[0o][a-z])[A-Za-z0-9]{17}"
"""The identifier of a user, group or app in Okta: it looks random, and is half as long as Okta's tokens."""

AWS_RESOURCE_ID = (
    r"(?-i:(?:acl|ami|cgw|cgwassoc|dopt|eigw|eipalloc|eipassoc|eni|fs|igw|import|lgw|lt|nat|pcx|rtb|rtbassoc|sg|snap"
    r"|subnet|tgw|vgw|vol|vpc|vpce|vpn)-[0-9a-f]{8}(?:[0-9a-f]{9})?"
    r"|mrk-[0-9a-f]{32}|[A-Za-z]{1,16}(?:-[A-Za-z]{1,16}){0,2}-(?:0[0-9a-f]{16}|1234567890abcdef0))"
)
"""The identifier of an AWS resource: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html."""

CITATIONS = {
    "doi:10.1145/2553575": r"(?:doi:)?10\.[0-9]{4,9}/\S+",
    "GHSA-9x4c-63pf-525f": r"GHSA(?:-[a-z0-9]{4}){3}",
}
"""Identifiers of papers and advisories, which look random: the pattern of each, keyed by an example."""

_EMAIL = r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}"
_DATE = r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[T ].*)?|[0-9]{1,2}[/.:-][0-9]{1,2}(?:[/.:-][0-9]{1,4})?"

# Four or more words joined by the same sign, as password managers generate passphrases: "correct-horse-battery-staple".
_PHRASE = r"[A-Za-z]{2,}([-_.])[A-Za-z]{2,}(?:\1[A-Za-z]{2,}){2,}[0-9!]{0,4}"
_PREPOSITION = r"(?i)(?<![a-z])(?:by|per|of|for|to|with|from|via|at)(?![a-z])"

# Public addresses: an account or a contract on a blockchain, the recipient of a file encrypted with age. A private key
# is written like an account, but has 64 digits.
_BLOCKCHAIN_ADDRESS = r"0x[0-9A-Fa-f]{40}|(?:bc|tb|ltc|addr|cosmos|osmo|age|npub)1[02-9ac-hj-np-z]{38,110}"

# What people say that a password is made of: "season+year".
_INGREDIENT = (
    "season|month|year|date|(?:first|last|sur)?name|initials?|number|digits?|symbols?|signs?|words?|letters?|street|town"
    "|city|birth(?:day|year)|company|team|colou?r|pet|dog|cat|jahr(?:eszeit)?|monat|geburts(?:jahr|tag)|vorname|nachname"
    "|hausnummer|ort|stadt|zahl|ziffern?|wort|mes|estacion|nombre|apellido|numero|fecha|palabra|ciudad|mois|saison|annee"
    "|nom|prenom|ville|mot|anno|mese|stagione|nome|cognome|parola|ano|data|palavra|jaar|maand|seizoen|naam|getal|woord"
)
# Values with digits that aren't secrets: algorithms, encodings and quantities ("AES-256", "UTF-8", "12-character",
# "1st"), dates and addresses.
_TERM = (
    r"(?ai:pkcs[ ]?#[0-9]+"
    r"|(?:(?:scram|hmac|ssha|pbkdf2)[-_])?(?:sha|md|aes|rsa|utf|base|rfc|iso|hs|rs|es|ps|ecdsa|oauth|saml|x|pkcs|pbkdf|argon|bcrypt|scrypt|tls|ssl|http|"
    r"ipv|ed|python|java|web|v|s|ec|k|p|amd|arm|armv|i|win|ia|h|mp|log4j|i18n|windows|int|varchar|char|step|phase|page|line|item|note|user|host|node|team|q|day|week)"
    r"[-_ ]?[0-9]{1,5}(?:i|d|id|s|k[0-9])?(?:[-_./:()+][A-Za-z]*[0-9]*)*"
    r"|[0-9]{1,5}(?:[-_]?(?:st|nd|rd|th|x|h|s|m|d|min|ms|kb|mb|gb|k|bits?|bytes?|char(?:acter)?s?|digits?|letters?|words?|"
    r"days?|hours?|minutes?|months?|years?|times?|factor|step|fold))(?:[-_][A-Za-z]*[0-9]*)*)"
    r"|(?i:ieee[-_ ]?)?802\.?1?[0-9]?[a-zA-Z]{1,2}|(?i:ieee)[-_ ]?[0-9]{3,5}[a-zA-Z]{0,2}"
    r"|[0-9]+(?:\.[0-9*]+)+(?:,[<>~!=]{1,2}[0-9]+(?:\.[0-9*]+)*)+"
    r"|(?ai:latin[-_ ]?[0-9]{1,2}|cp[-_]?[0-9]{3,5}|ucs-?[24]|koi8(?:-[ru])?|big-?5|gb-?(?:2312|18030|k)"
    r"|euc-(?:jp|kr|cn)|(?:sk-)?(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-nistp[0-9]{3}))"
    rf"|(?ai:(?:{_INGREDIENT})(?:[+&](?:{_INGREDIENT})){{1,4}})"
    rf"|0x[0-9a-f]{{1,8}}|{_BLOCKCHAIN_ADDRESS}|{_DATE}|{_EMAIL}|(?i:[al]?gpl(?:v?[0-9]|-)[\w.+~/|-]*|bsd-[0-9]-[\w-]*|(?:mpl|cc-by)-[\w.-]*)"
)

# Code: a dotted name, a call or a subscript ("config.password", "getenv('PW')"). The value is elsewhere.
_REFERENCE = (
    r"[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+[(\[;]?"
    r"|[A-Za-z_$][\w$.:>-]*[(\[][\w\s.,:'\"={}()\[\]<>/-]*;?"
    r"|[A-Za-z_$][\w$.]*[!?]?\([`'\"\\$].*|\.[A-Za-z_]\w*\(.*"
    r"|[A-Z][A-Za-z]*<[\w&$'<:]+>*|[A-Za-z_][\w.:>-]*\((?:[$@&*]{1,2}[A-Za-z_][^()]*)?\)?;?"
)
_SLUG = r"[A-Za-z]+[0-9]{0,4}(?:[-_./:][A-Za-z]*[0-9]{0,4})+"
# "Berlin-2019" next to "password" is more likely a password than a name.
_NAME_AND_YEAR = r"[A-Z][a-z]{3,15}[-_.@][0-9]{2,8}"
_PLACEHOLDER_WORDS = word_set(
    "password passwd passphrase passcode pass pw pwd secret token key apikey api-key api_key credential credentials "
    "bearer basic user username value string str text input bytes any object number integer bool boolean float int "
    "int8array int16array int32array uint8array uint16array uint32array int8clampedarray uint8clampedarray "
    "int16clampedarray uint16clampedarray int32clampedarray uint32clampedarray arraybuffer bytearray buffer uint8_t "
    "char varchar secretstr secretbytes lambda async await function none null nil arg args compat files true false "
    "undefined empty blank required optional default unknown unset set missing invalid incorrect wrong hidden "
    "sensitive masked encrypted protected cipher ciphertext plaintext cleartext "
    "test foo bar foobar baz todo tbd yes no here prompt stdin env pbcopy xclip "
    "pwn3d xsel wl-copy chpasswd wachtwoord passwort kennwort contrasena contrase\u00f1a senha motdepasse mot_de_passe "
    "mot_depasse motde_passe mdp haslo has\u0142o heslo losenord l\u00f6senord salasana jelszo jelsz\u00f3 pasord "
    "passord adgangskode lozinka parola sandi parool slapta\u017eodis geslo \u015fifre "
    "\u043f\u0430\u0440\u043e\u043b\u044c \u5bc6\u7801 \u5bc6\u78bc \u30d1\u30b9\u30ef\u30fc\u30c9"
) | {"api key"}


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters of `value`, in bits per character."""
    length = len(value)
    return -sum(n / length * log2(n / length) for n in map(value.count, set(value)))


@cached_until_forgotten
def is_placeholder(value: str) -> bool:
    """Whether `value` plainly stands for a secret that is elsewhere, or says that there is none.

    The redactor's own placeholders are removed first: what is attached to one may be the rest of a secret.
    """
    value = without_placeholders(value)
    folded, core = value.lower(), value.strip(" \t.,;:!?'\"`*_()[]<>{}")
    unquoted = value.strip("'\"`")  # a shell script may quote a variable: "'$PASSWORD'"
    return (
        not core
        or core.lower() in _PLACEHOLDER_WORDS
        or compiled(_MASK).fullmatch(value) is not None
        or (any(map(value.__contains__, _GROUP_MASKS)) and compiled(_MASKED_GROUPS).fullmatch(value) is not None)
        or (len(value) >= _MIN_REPEATED and compiled(_REPEATED).fullmatch(value) is not None)
        or compiled(_TEMPLATE).fullmatch(unquoted) is not None
        or compiled(_VARIABLE).fullmatch(unquoted) is not None
        or compiled(_NAME).fullmatch(core) is not None
        or (not core.isalnum() and compiled(_SAYS_NONE).fullmatch(core) is not None)
        or any(map(folded.__contains__, _MADE_UP_WORDS))
        or (any(map(folded.__contains__, _MADE_UP_HINTS)) and compiled(_MADE_UP).search(value) is not None)
    )


@cached_until_forgotten
def is_locator(value: str) -> bool:
    """Whether `value` says where a secret is: it is a path, a URL or the name of a secret in a store."""
    may_be_route = value.startswith(".") or any(map(value.__contains__, _SIGNS_OF_ROUTES))
    is_one = compiled(_LOCATOR).fullmatch(value) or (may_be_route and compiled(_ROUTE).fullmatch(value))
    return bool(is_one) and not (value.startswith("/") and looks_random(value, least=20))


def is_elsewhere(value: str) -> bool:
    """Whether `value` is not a secret itself: it is a placeholder, or says where a secret is."""
    return is_placeholder(value) or is_locator(value)


@cached_until_forgotten
def is_reference(value: str) -> bool:
    """Whether an unquoted `value` is an expression in code, such as "config.password", rather than a literal."""
    return compiled(_REFERENCE).fullmatch(value) is not None


@cached_until_forgotten
def is_technical_term(value: str) -> bool:
    """Whether `value` is a date, an address, an algorithm or a quantity, which sentences about secrets often have."""
    return compiled(_TERM).fullmatch(value) is not None


@cached_until_forgotten
def is_slug(value: str) -> bool:
    """Whether `value` is words joined by hyphens, dots or the like, each perhaps with a number: "node-3.eu-west"."""
    is_joined = compiled(_SLUG).fullmatch(value) is not None and not looks_random(value)
    return is_joined and compiled(_NAME_AND_YEAR).fullmatch(value) is None


@cached_until_forgotten
def is_phrase(value: str) -> bool:
    """Whether `value` is four or more words joined by the same sign, without a preposition ("secure-by-design-...")."""
    return compiled(_PHRASE).fullmatch(value) is not None and compiled(_PREPOSITION).search(value) is None


@cached_until_forgotten
def is_strong(value: str) -> bool:
    """Whether `value` mixes letters, digits and symbols, or upper and lower case, as passwords do and words don't."""
    has_letter = any(map(str.isalpha, value))
    has_other = any(character.isdigit() or character in _SYMBOLS for character in value)
    if (has_letter and has_other) or looks_random(value):
        return True
    # Mixed-case letters that spell nothing, but are too few or change too rarely to look random.
    return compiled(_MIXED_CASE).fullmatch(value) is not None and _COMMON_ONE_IN * n_common_pairs(value) <= len(value)


@cached_until_forgotten
def is_identifier(value: str) -> bool:
    """Whether `value` is words with a few digits, as names in code are: "Ed25519PrivateKey"."""
    if not value.replace("_", "").replace("-", "").replace(".", "").isalnum():
        return False
    words = compiled(_HUMP).findall(compiled(_NUMERONYM).sub("", value))
    letters = sum(map(len, words))
    # In random letters and digits, a hump of camel case has 1.6 letters on average, or 3.6 if all are lower case.
    if not words or letters < _MIN_LETTERS_PER_HUMP * len(words):
        return False
    # No name has an acronym of random letters and several digits.
    acronym = compiled(_ACRONYM).search(value)
    if acronym and is_gibberish(acronym[0]) and sum(map(str.isdigit, value)) >= _MIN_DIGITS_OF_NO_NAME:
        return False
    has_humps = any(map(str.isupper, value)) and any(map(str.islower, value))
    return (has_humps or 4 * letters > 3 * len(value)) and not is_gibberish(value)


def looks_random(value: str, *, least: int = 8) -> bool:
    """Whether `value`, if it has `least` characters or more, changes between letters and digits as random keys do."""
    return len(value) >= least and _is_random(value)


@cached_until_forgotten
def _is_random(value: str) -> bool:
    if " " in value or len(set(value)) < _MIN_DISTINCT:
        return False
    classes = value.translate(_CLASSES)
    changes = sum(map(classes.count, _CHANGES))
    min_mixing = _MIN_MIXING if "0" in classes else _MIN_MIXING_OF_LETTERS
    pairs = len(classes) - 1 - 2 * classes.count("-")
    # Ten of the sixteen hexadecimal digits are decimal: one key in some thousand has a long run of them.
    is_mixed = changes >= min_mixing * pairs or (len(value) >= _MIN_HEX and _HEX.issuperset(value))
    if changes <= 1 or not is_mixed:
        return False
    # A shortcut: the entropy is at least that of the share of the most frequent character.
    most = max(map(value.count, set(value)))
    return most * 2**_MIN_ENTROPY < len(value) or entropy(value) >= _MIN_ENTROPY
