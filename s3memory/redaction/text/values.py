"""Judging a value that stands where a secret would: is it one, or a placeholder, a reference, or a word?

Only what has no format of its own comes here: values beside "password" and the like. Each question errs towards
its safe side: a value is a placeholder only if it plainly looks like one. The values are short, and where a repeat is
inside another, each turn starts with a character that the inner one cannot match.
"""

from __future__ import annotations

from math import ceil, log2

from s3memory.redaction.model import without_placeholders
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_gibberish, n_common_pairs

# How often a value changes between letters, digits and symbols and from lower to upper case, for each pair of
# neighbours: random ones in base 36 at 0.4 of them, in base 62 and hexadecimal at 0.45; versions, dates and
# identifiers at 0.15, or with many humps at 0.2.
_LEAST_MIXING = 0.16
_LEAST_MIXING_OF_LETTERS = 0.21
_LEAST_ENTROPY = 2.75
_HEX, _LEAST_HEX = frozenset("0123456789abcdefABCDEF"), 24
_LEAST_DISTINCT = ceil(2**_LEAST_ENTROPY)  # fewer characters can't have as much
_SYMBOLS = frozenset("!@#$%^&*+=?~")
_HUMP = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"
_LEAST_LETTERS_OF_A_HUMP = 3
# Letters with a capital behind a small one: "rfEsVF" has hardly any pair that words have, "GitHub" and "userId" do.
_ODD_CASES = r"(?=[A-Za-z]{6,12}\Z)[A-Z]*[a-z]+[A-Z]+[A-Za-z]*"
_ONE_IN = 3
# "i18n", "k8s", "a2a": a number between letters, as words are shortened.
_ACRONYM, _LEAST_DIGITS_OF_NO_NAME = r"[A-Z]{8,}(?=[a-z])", 3
_NUMERONYM = r"(?<![A-Za-z])[a-z][0-9]{1,2}[a-z](?=[A-Z])|X509|IPv[46]"
_CLASSES = str.maketrans(
    dict.fromkeys("123456789", "0")
    | dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "a")
    | dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "A")
    | dict.fromkeys(_SYMBOLS, "#")
    | dict.fromkeys("_./:,;|()[]{}<>", "-")
)
# From a small letter to a capital one is a change, the other way round it is a word that starts with a capital.
_CHANGES = ("a0", "A0", "#0", "0a", "0A", "0#", "aA", "a#", "A#", "#a", "#A")

_MASK = r"[*xX\\.\u2022\u2026_#?-]+|[\w-]{0,12}[*\u2022]{4,}[\w-]{0,8}"  # or all but a beginning and an end
# Or all of some of its groups; one letter over and over stands for any.
_MARKS, _LEAST_REPEATED = ("****", "####", "xxxx", "XXXX", "\u2022\u2022\u2022\u2022"), 12
_MASKED_GROUP = r"[*\u2022#]{4,12}|[xX]{4,12}"
_MASKED_GROUPS = (
    rf"(?:[A-Za-z0-9]{{1,12}}-){{0,8}}(?:{_MASKED_GROUP})(?:-(?:[A-Za-z0-9]{{1,12}}|{_MASKED_GROUP})){{0,8}}"
)
_REPEATED = r"[\w-]{0,12}?([A-Za-z0])\1{11,}"
# The closing bracket can be missing: a value without quotes was cut at the first space.
_TEMPLATE = (
    r"<(?:[^\W\d_]|[/!])[\w .:/-]*>?|<\$\{.*|\[?&(?:lt|gt|quot|#).*"
    r"|\[[A-Za-z][\w .-]*\]|\[[a-z]+|\((?:[a-z]+|[A-Za-z][\w .-]*\))"
    r"|\{\{?[\w .:()\[\]'\"|-]+\}{1,2}|\{[{%](?:[ -].*)?|[$%][{(].*"
    r"|[\w.:/@%+=${} -]*\{(?:[A-Za-z_.]+|[0-9])(?:![ras])?\}[\w.:/@%+=${} -]*"
    # A regular expression, a function, a secret that Kubernetes has sealed.
    r"|/\^.*|.*(?:function\(|=>[ ]?[\w({!]|\{return[ ]).*|Ag[A-D][A-Za-z0-9+/=]{61,}"
    # What a validator demands: "required|min:8", a regular expression.
    r"|[a-z_]+(?::[\w,]*)?(?:\|[a-z_]+(?::[\w,]*)?)+|\^.*[\[(\\].*[$+*})\]]|.*\(\?[:=!<P].*"
    # What code puts together, and what it puts into its texts.
    r"|[ ]*[.+&][ ]*(?:\$[A-Za-z_].*|[A-Za-z_][\w.]*(?:\([^()]*\))?[ ]*[.+&][ ]*)"
    r"|[ ]?[+][ ]?(?:new )?[A-Za-z_][\w.]+[(\[](?:[\"'A-Za-z_$)].*)?"
    r"|[#{]\{[^{}]*\}.*|#\{[A-Za-z_@]\w*[\[(].*|\{\$[A-Za-z_].*|(?:<[a-z]+[^<>]*>)+[{$%<].*"
    r"|.*\\[bswdSWD].*\\[bswdSWD].*|ENC[\[(].*|!(?:reference|Sub|Ref|GetAtt)\b.*"
    # Markup of manual pages, an option, and a setting without a value: "\\fBcrypt\\fR", "--legend=no", "username=".
    r"|.*\\(?:f[BIRPCW0-9(\[].*|&(?:\.\w*)?|e)|(?:\\?-){2}[a-z][a-z\\-]*(?:=.*)?|(?:pass(?:word|phrase)|[a-z]{2,}(?:[A-Z][a-z]+)+)="
)
_VARIABLE = (
    r"\\{0,2}\$(?:env:)?[A-Za-z_]+[0-9]?(?:(?:->|::)\$?[A-Za-z_]\w*)*(?:\([^()]*\))?|\$[0-9]"
    # A part of it, by its name, and what is built upon it: "$_POST[\\"pw\\"]", "$BASE_URL/reset".
    r"|\\{0,2}\$\w+(?:->\w*)?(?:\{\$?\w+\}?|\[\$?\w+\]?|\[\\{0,2}[\"'].*)|\$[A-Z]+(?:_[A-Z0-9]+)+[^\w\s].*|\$[A-Z]{2,}/.*|%[A-Za-z_]+%|\^[A-Z]+[0-9]?\^.*|@[A-Za-z_.-]+@|[@:*&][a-z_]+|![A-Z]?[a-z_]+"
)
# What documentation makes up, and what RFC 7617, RFC 6749, RFC 6750, RFC 7519 and RFC 6455 give as examples.
_MADE_UP_WORDS = (
    *("xxxx", "example", "placeholder", "place-holder", "place_holder", "redacted", "dummy", "...", "\u2026"),
    *("insert-", "insert_", "insert ", "replace-", "replace_", "replace ", "splxlobezqqybys6wxsbia", "dxnlcjpwyxnz"),
    *("qwxhzgrpbjpvcgvuihnlc2ftzq", "czzcagrsa3f0mzo3rmpmcdbaqnixs3reumjuzlzkbul3", "dghlihnhbxbszsbub25jzq"),
    *("s3pplmbitxaq9kygzzhzrbk", "2yotnfzfejr1zcsicmwpaa", "tgzv3jokf0xg5qx2tlkwia"),
    *("dbjftjez4cvp-mb92k27uhbuju1p1r_ww1gfwfoejxk", "mf_9.b5f-4.1jqm"),
)
_MADE_UP_NAMES = ("your", "chang", "my", "default", "here", "value")
_MADE_UP = (
    r"(?i)\byour(?:[-_ @]|[A-Z])|change[-_ ]?(?:me|this)(?![!@#$_-]?[0-9])"
    r"|^(?:password|passwd|pwd|secret|token|key)[-_](?:default|here|value|placeholder)$"
    r"|\bmy[-_]?(?:super[-_]?)?(?:secret|password|token|api[-_]?key|key)\b"
)
_NAME = (
    r"[A-Za-z_ -]*[_ -](?:password|passwd|passphrase|pass|pwd|secret|token|key)"
    r"|[A-Z][A-Z0-9_]*_(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|KEY)"
)
_PART_OF_A_FIELD = (
    "(?i:password|passwd|pass|pw|pwd|passphrase|input|field|form|box|txt|textbox|label|btn|button|login|signup|modal)"
)
_LOCATOR = (
    r"[a-z][a-z0-9+.-]{1,20}://.*|arn:.*|(?:~|\.{1,2})?/[\w.-]+(?:/[\w.*{}$-]*)*|[A-Za-z]:\\.*|\\{2,4}[\w.-]+\\+.*"
    r"|@[\w.~-]*/[\w./-]+\.[a-z]{1,5}"  # a file that another one imports, or a shell reads
    r"|(?:env|file|vault|sops|ssm):.*|projects/[\w\\.-]+/(?:locations/[\w\\.-]+/)?secrets/.*"
)
_SIGNS_OF_ROUTES = ("#", "[", "@", "/:", "?", " > ")
_ROUTE = (
    # Routes, as frameworks for the web write them: "/users/@me/password", "/docs@2.1/a?step=1", "users/passwords#edit".
    r"/[\w.-]+(?:@v?[0-9.]+)?(?:/(?:[:@](?=[a-z]))?[\w.*{}$-]*(?:@v?[0-9.]+)?)*"
    r"(?:\?[a-z_]+=[\w{}$:.-]*(?:&[a-z_]+=[\w{}$:.-]*)*)?(?:#/?[a-z][\w/-]*)?"
    r"|(?:[a-z_0-9]+/)*[a-z_]+#(?:new|create|edit|update|destroy|show|index)"
    r"|(?:[a-z_0-9]+/)*[a-z_]*(?:password|user|session|account)s?#[a-z_]+"
    # What finds a field of a page: "#add-password", "input[name=pw]", "#form > input", "//input[@id='pw']".
    rf"|[#.](?=[a-zA-Z0-9_-]*?(?<![a-z])(?:{_PART_OF_A_FIELD})(?![a-z]))[a-z][A-Za-z]*[0-9]?(?:[-_](?:[A-Za-z]+[0-9]?|[0-9]{{1,2}}))*"
    r"|[#.]?[a-z*][\w.#-]*\[[a-z-]+[~^$*|]?=.*\].*|[#.]?[a-z][\w.#-]* > [\w.#:()\[\]='\"> -]+|\(?//[a-z*]+\[.*"
)
# That there is none, or where to look.
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
"""What Kubernetes names a pod, with its letters and digits: random to look at."""

ID_OF_OKTA = r"(?-i:0[0o][a-z])[A-Za-z0-9]{17}"
"""What Okta tells people, groups and apps by: random to look at, and half as long as its tokens."""

ID_OF_AWS = (
    r"(?-i:(?:acl|ami|cgw|cgwassoc|dopt|eigw|eipalloc|eipassoc|eni|fs|igw|import|lgw|lt|nat|pcx|rtb|rtbassoc|sg|snap"
    r"|subnet|tgw|vgw|vol|vpc|vpce|vpn)-[0-9a-f]{8}(?:[0-9a-f]{9})?"
    r"|mrk-[0-9a-f]{32}|[A-Za-z]{1,16}(?:-[A-Za-z]{1,16}){0,2}-(?:0[0-9a-f]{16}|1234567890abcdef0))"
)
"""What AWS tells resources by: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html."""

CITATIONS = {
    "doi:10.1145/2553575": r"(?:doi:)?10\.[0-9]{4,9}/\S+",
    "GHSA-9x4c-63pf-525f": r"GHSA(?:-[a-z0-9]{4}){3}",
}
"""What papers and advisories are cited by, by an example: random to look at."""

_MAIL = r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}"
_DATE = r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[T ].*)?|[0-9]{1,2}[/.:-][0-9]{1,2}(?:[/.:-][0-9]{1,4})?"

# Four words or more, joined: a passphrase as password managers make them.
_PHRASE = r"[A-Za-z]{2,}([-_.])[A-Za-z]{2,}(?:\1[A-Za-z]{2,}){2,}[0-9!]{0,4}"
_PREPOSITION = r"(?i)(?<![a-z])(?:by|per|of|for|to|with|from|via|at)(?![a-z])"

# What everybody may see: an account or a contract on a chain, to whom a file is encrypted. A private key that is
# written as an account is has 64 digits.
_ADDRESS_ON_A_CHAIN = r"0x[0-9A-Fa-f]{40}|(?:bc|tb|ltc|addr|cosmos|osmo|age|npub)1[02-9ac-hj-np-z]{38,110}"

# Names of algorithms, encodings and quantities have a digit as well: "AES-256", "UTF-8", "12-character", "1st". So have
# dates and addresses.
_TERM = (
    r"(?ai:pkcs[ ]?#[0-9]+"
    r"|(?:(?:scram|hmac|ssha|pbkdf2)[-_])?(?:sha|md|aes|rsa|utf|base|rfc|iso|hs|rs|es|ps|ecdsa|oauth|saml|x|pkcs|pbkdf|argon|bcrypt|scrypt|tls|ssl|http|"
    r"ipv|ed|python|java|web|v|s|ec|k|p|amd|arm|armv|i|win|ia|h|mp|log4j|i18n|windows|int|varchar|char|step|phase|page|line|item|note|user|host|node|team|q|day|week)"
    r"[-_ ]?[0-9]{1,5}(?:i|d|id|s|k[0-9])?(?:[-_./:()+][A-Za-z]*[0-9]*)*"
    r"|[0-9]{1,5}(?:[-_]?(?:st|nd|rd|th|x|h|s|m|d|min|ms|kb|mb|gb|k|bits?|bytes?|char(?:acter)?s?|digits?|letters?|words?|"
    r"days?|hours?|minutes?|months?|years?|times?|factor|step|fold))(?:[-_][A-Za-z]*[0-9]*)*)"
    r"|[0-9]+(?:\.[0-9*]+)+(?:,[<>~!=]{1,2}[0-9]+(?:\.[0-9*]+)*)+"
    r"|(?ai:latin[-_ ]?[0-9]{1,2}|cp[-_]?[0-9]{3,5}|ucs-?[24]|koi8(?:-[ru])?|big-?5|gb-?(?:2312|18030|k)"
    r"|euc-(?:jp|kr|cn)|(?:sk-)?(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-nistp[0-9]{3}))"
    rf"|0x[0-9a-f]{{1,8}}|{_ADDRESS_ON_A_CHAIN}|{_DATE}|{_MAIL}|(?i:[al]?gpl(?:v?[0-9]|-)[\w.+~/|-]*|bsd-[0-9]-[\w-]*|(?:mpl|cc-by)-[\w.-]*)"
)

# An identifier, a call or a subscript: the value is elsewhere.
_REFERENCE = (
    r"[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+[(\[;]?"
    r"|[A-Za-z_$][\w$.:>-]*[(\[][\w\s.,:'\"={}()\[\]<>/-]*;?"
    r"|[A-Za-z_$][\w$.]*[!?]?\([`'\"\\$].*|\.[A-Za-z_]\w*\(.*"
    r"|[A-Z][A-Za-z]*<[\w&$'<:]+>*|[A-Za-z_][\w.:>-]*\((?:[$@&*]{1,2}[A-Za-z_][^()]*)?\)?;?"
)
_SLUG = r"[A-Za-z]+[0-9]{0,4}(?:[-_./:][A-Za-z]*[0-9]{0,4})+"
# "Berlin-2019" is a password sooner than a name, beside the word.
_NAME_AND_YEAR = r"[A-Z][a-z]{3,15}[-_.@][0-9]{2,8}"
_STANDS_FOR_ONE = word_set(
    "password passwd passphrase passcode pass pw pwd secret token key apikey api-key api_key credential credentials "
    "bearer basic user username value string str text input bytes any object number integer bool boolean float int "
    "int8array int16array int32array uint8array uint16array uint32array int8clampedarray uint8clampedarray "
    "int16clampedarray uint16clampedarray int32clampedarray uint32clampedarray arraybuffer bytearray buffer uint8_t "
    "char varchar secretstr secretbytes lambda async await function none null nil arg args compat files true false "
    "undefined empty blank required optional default unknown unset set missing invalid incorrect wrong hidden "
    "sensitive masked encrypted protected test foo bar foobar baz todo tbd yes no here prompt stdin env pbcopy xclip "
    "xsel wl-copy chpasswd wachtwoord passwort kennwort contrasena contrase\u00f1a senha motdepasse mot_de_passe "
    "mot_depasse motde_passe mdp haslo has\u0142o heslo losenord l\u00f6senord salasana jelszo jelsz\u00f3 pasord "
    "passord adgangskode lozinka parola sandi parool slapta\u017eodis geslo \u015fifre "
    "\u043f\u0430\u0440\u043e\u043b\u044c \u5bc6\u7801 \u5bc6\u78bc \u30d1\u30b9\u30ef\u30fc\u30c9"
) | {"api key"}


def entropy(value: str) -> float:
    """Return Shannon's entropy of the characters of `value`, in bits a character."""
    length = len(value)
    return -sum(n / length * log2(n / length) for n in map(value.count, set(value)))


@judged
def is_placeholder(value: str) -> bool:
    """Whether `value` plainly stands for a secret that is elsewhere, or for none.

    A placeholder of ours says nothing about what is glued to it: that may be the rest of a secret.
    """
    value = without_placeholders(value)
    folded, core = value.lower(), value.strip(" \t.,;:!?'\"`*_()[]<>{}")
    unquoted = value.strip("'\"`")  # a shell's string may end for a variable: "'$PASSWORD'"
    return (
        not core
        or core.lower() in _STANDS_FOR_ONE
        or compiled(_MASK).fullmatch(value) is not None
        or (any(map(value.__contains__, _MARKS)) and compiled(_MASKED_GROUPS).fullmatch(value) is not None)
        or (len(value) >= _LEAST_REPEATED and compiled(_REPEATED).fullmatch(value) is not None)
        or compiled(_TEMPLATE).fullmatch(unquoted) is not None
        or compiled(_VARIABLE).fullmatch(unquoted) is not None
        or compiled(_NAME).fullmatch(core) is not None
        or (not core.isalnum() and compiled(_SAYS_NONE).fullmatch(core) is not None)
        or any(map(folded.__contains__, _MADE_UP_WORDS))
        or (any(map(folded.__contains__, _MADE_UP_NAMES)) and compiled(_MADE_UP).search(value) is not None)
    )


@judged
def is_locator(value: str) -> bool:
    """Whether `value` is a path, a URL or a name in a store: it says where the secret is."""
    may_be_route = value.startswith(".") or any(map(value.__contains__, _SIGNS_OF_ROUTES))
    is_one = compiled(_LOCATOR).fullmatch(value) or (may_be_route and compiled(_ROUTE).fullmatch(value))
    return bool(is_one) and not (value.startswith("/") and looks_random(value, least=20))


def is_elsewhere(value: str) -> bool:
    """Whether `value` is not a secret itself: it is a placeholder, or it says where a secret is."""
    return is_placeholder(value) or is_locator(value)


@judged
def is_reference(value: str) -> bool:
    """Whether an unquoted `value` is code or a name rather than a literal."""
    return compiled(_REFERENCE).fullmatch(value) is not None


@judged
def is_term(value: str) -> bool:
    """Whether `value` is a date, an address, an algorithm or a quantity, as sentences about secrets have them."""
    return compiled(_TERM).fullmatch(value) is not None


@judged
def is_slug(value: str) -> bool:
    """Whether `value` is words joined by hyphens, dots or the like, with a number at most behind each."""
    is_joined = compiled(_SLUG).fullmatch(value) is not None and not looks_random(value)
    return is_joined and compiled(_NAME_AND_YEAR).fullmatch(value) is None


@judged
def is_phrase(value: str) -> bool:
    """Whether `value` is four words or more, joined by the same sign, as in no "case-insensitive-by-design"."""
    return compiled(_PHRASE).fullmatch(value) is not None and compiled(_PREPOSITION).search(value) is None


@judged
def is_strong(value: str) -> bool:
    """Whether `value` mixes kinds of characters as passwords do and words do not."""
    has_letter = any(map(str.isalpha, value))
    has_other = any(character.isdigit() or character in _SYMBOLS for character in value)
    if (has_letter and has_other) or looks_random(value):
        return True
    # Letters of both cases that spell nothing: too few to look random, or with few changes.
    return compiled(_ODD_CASES).fullmatch(value) is not None and _ONE_IN * n_common_pairs(value) <= len(value)


@judged
def is_identifier(value: str) -> bool:
    """Whether `value` is words with a number here and there, as names in code are: "Ed25519PrivateKey"."""
    if not value.replace("_", "").replace("-", "").replace(".", "").isalnum():
        return False
    words = compiled(_HUMP).findall(compiled(_NUMERONYM).sub("", value))
    letters = sum(map(len, words))
    # In random letters and digits a hump has 1.6 letters, or 3.6 where all are small.
    if not words or letters < _LEAST_LETTERS_OF_A_HUMP * len(words):
        return False
    # Of an acronym that nobody could say, with numbers around it, no name is made.
    acronym = compiled(_ACRONYM).search(value)
    if acronym and is_gibberish(acronym[0]) and sum(map(str.isdigit, value)) >= _LEAST_DIGITS_OF_NO_NAME:
        return False
    has_humps = any(map(str.isupper, value)) and any(map(str.islower, value))
    return (has_humps or 4 * letters > 3 * len(value)) and not is_gibberish(value)


def looks_random(value: str, *, least: int = 8) -> bool:
    """Whether `value`, of `least` characters or more, is mixed as generated keys are and names are not."""
    return len(value) >= least and _is_random(value)


@judged
def _is_random(value: str) -> bool:
    if " " in value or len(set(value)) < _LEAST_DISTINCT:
        return False
    classes = value.translate(_CLASSES)
    changes = sum(map(classes.count, _CHANGES))
    least_mixing = _LEAST_MIXING if "0" in classes else _LEAST_MIXING_OF_LETTERS
    pairs = len(classes) - 1 - 2 * classes.count("-")
    # Of hexadecimal digits ten are decimal: one key in some thousand has a long run of those.
    is_mixed = changes >= least_mixing * pairs or (len(value) >= _LEAST_HEX and _HEX.issuperset(value))
    if changes <= 1 or not is_mixed:
        return False
    # No character that is frequent enough to matter: entropy is at least what the most frequent one has.
    most = max(map(value.count, set(value)))
    return most * 2**_LEAST_ENTROPY < len(value) or entropy(value) >= _LEAST_ENTROPY
