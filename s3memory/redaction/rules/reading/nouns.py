"""What the words near a random value mean for it: that it is a secret, an identifier or digest, or nothing.

Names are split first: `clientSecretKey`, `client-secret-key` and "client secret key" are the same three words. So the
lists need no compounds, only their last words, and the words before those that make them harmless.
"""

from __future__ import annotations

from s3memory.redaction.rules.reading import key_words, tools
from s3memory.redaction.rules.reading.letters import LETTER
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_list, word_set

_REACH = 24
# What `meaning` returns. A key may be a secret or not: that depends on the context.
SECRET, KEY, HARMLESS, NOTHING = "secret", "key", "harmless", ""

_ACCENTED = r"(?=[\u00c0-\u024f\u1e00-\u1eff])[^\W\d_]"
# Words of different scripts need no space between them: "AppSecret\u306f" is three words.
_WORD = (
    rf"[A-Za-z]{{0,40}}{_ACCENTED}(?:[A-Za-z]|{_ACCENTED})*|[A-Z]+(?![a-z])s?|[A-Z]?[a-z]+"
    rf"|(?:(?![A-Za-z]|{_ACCENTED}){LETTER})+"
)

_ASCII_WORD = r"[A-Z]+(?![a-z])s?|[A-Z]?[a-z]+"  # the same words, in a text without other letters

# A word that ends in one of these means a secret: "Zugriffstoken".
_SECRET_ENDS = word_list(
    "token tokens secret secrets credential credentials apikey authkey passkey secretkey accesskey privatekey "
    "masterkey signingkey jeton jetons geheimnis passphrase password passwd passwort passcode kennwort wachtwoord "
    "webhooksecret mdp contraseña secreto segreto segredo zugangsdaten geheim hemlighet salasana hasło jelszó heslo "
    "contrasena haslo jelszo"
)
_SECRET_WORDS = word_set(
    "pat pats jwt bearer psk otp hmac creds cred pwd pass pw sas totp tok apitoken login signing seed passcode "
    "licence license auth authenticates authenticate authorization cookie pin authtoken unlock unseal ficha crumb "
    "preshared fernet private refresh encrypt half reveal phrase preauth appid appkey macaroon keyfile "
    "macaroons pepper ltk irk opc"
)
# Names of passwords that also mean a key, in lower case.
_PASSWORDS_AND_KEYS = frozenset(("clave", "claves"))
# These mean a key as well, if the value follows directly: "Acme api v", "access: v".
_KEYS_NEXT_TO_VALUE = frozenset(("api", "access", "shared"))
_ADDRESS = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[\w-]+\.)+org\b"  # "org" means no organization there
_TOKENS = frozenset(("token", "tokens"))
_KEYS = _TOKENS | {"key", "keys"}
# Endings of compounds: "accesskeys", but not "monkey".
_KEY_ENDS = word_list("keys key")
_NOT_KEYS = word_set("monkey turkey whiskey hotkey hotkeys donkey jockey hockey pubkey publickey turnkey")
# Keys of tables and maps, written as one word: "columnkey". Of "rowIDkey", the last word is "dkey".
_KEYS_OF_TABLES = word_set(
    "rowkey rowidkey colkey columnkey fieldkey tablekey sortkey cachekey uniqkey uniquekey primarykey foreignkey "
    "indexkey hashkey mapkey objectkey partitionkey"
)

# These make a random value harmless, wherever they are before it.
_HARMLESS_WORDS = word_set(
    "id ids uuid guid aaguid ulid sha hash hashes md digest checksum checksums sum hexdigest commit commits etag etags "
    "fingerprint thumbprint serial version versions rev revision ref kid tx integrity trace span arn crc blake sri "
    "cid public pubkey signature cert certificate correlation revisions label labels accessor accessors identifier "
    "identifiers ciphertext"
)
# The same, if the value follows directly.
_HARMLESS_NEXT_TO_VALUE = word_set(
    "branch path file filename url uri bucket node dataset model cursor package address contract nonce state job run "
    "event message resource region host hostname username user email date created expires expiry count length size "
    "limit type instance tree object parent index name names endpoint rows in at by on see from class def import "
    "function project account org team build builds image layer order ticket invoice deployment release snapshot pod "
    "sock socket dir directory folder column repo tenant artifact block batch conversation thread merge "
    "container tag request requests tracking transaction plate plates"
)
# These let somebody in after certain words: "join ticket", "enroll --code".
_PASSES = frozenset(("ticket", "code", "voucher"))
_BEFORE_PASSES = word_set(
    "auth join access login sso enroll enrollment enrol enrolment register registration pairing onboarding bootstrap"
)
# Before "key" or "token", these make it harmless: "public key", "page token".
_HARMLESS_BEFORE_KEY = word_set(
    "public pub publishable primary foreign partition sort cache object idempotency dedup deduplication row hash "
    "lookup index group translation message site shard state lock item file registry map dict data meta range order "
    "search event metric trace cursor record entity doc document page query surrogate natural unique composite "
    "clustering aggregate path asset version etag checksum digest next previous prev continuation continue cancel "
    "cancellation sync resume start starting end stop special pad mask eos bos unk change update action csrf xsrf "
    "fencing design scroll marker known hot host ssh request correlation s3 bucket artifact ci commit git build layer "
    "statement gpg pgp rsa sequence recv verification verify image redis kafka job task jwk "
    "project col column columns rows rowid field table uniq dedupe locale lang language issue tab shortcut keyboard "
    "menu feature flag"
)
_PUBLIC = frozenset(("public", "pub", "publishable"))
# Some services name a key after what it is for, and it is a secret: "azure search key", "DEEPL_TRANSLATION_KEY".
_PURPOSES, _SERVICES = frozenset(("search", "translation")), tools.TOOLS | {"bing", "brave", "google"}
_PAGING = frozenset(("next", "previous", "prev", "continuation", "pagination"))
_HARMLESS_BEFORE_UUID_KEY = frozenset(("client", "session", "unit", "product", "app"))
TAILS = word_set(
    "secrete secrète privee privée secreta privada segreta privata value string str prod production dev development "
    "staging stage test live new old current base plain plaintext text b v hex raw default env here is half part side "
    "read write only readonly rw ro api sandbox primary secondary the for field"
)
"""Words after the name of a secret that do not change its meaning: "token value", "key_prod", "API key v2"."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, also those inside a name, but not those of addresses."""
    if "@" in text or ".org" in text:
        text = compiled(_ADDRESS).sub(" ", text)
    return [word.lower() for word in compiled(_ASCII_WORD if text.isascii() else _WORD).findall(text)]


def meaning(words: list[str], index: int, *, is_beside: bool = True, is_uuid: bool = False) -> str:
    """Return what the word at `index` means for a random value after `words`: `SECRET`, `KEY`, `HARMLESS` or `NOTHING`.

    Args:
        words: The words before the value, in lower case.
        index: The index of the word.
        is_beside: No other word that matters is between the word and the value.
        is_uuid: The value is a UUID, and so more likely an identifier than a secret.
    """
    word = words[index]
    before = words[index - 1] if index else ""
    is_foreign_key = key_words.is_key(word)
    is_key = is_foreign_key or word in _KEYS
    if (is_key or key_words.is_token(word)) and key_words.is_public(words, index):
        result = HARMLESS
    elif is_key:
        is_paging = not _PAGING.isdisjoint(words[max(0, index - 3) : index])
        is_of_a_service = before in _PURPOSES and index > 1 and words[index - 2] in _SERVICES
        is_public = before == "api" and index > 1 and words[index - 2] in _PUBLIC  # "PUBLIC_API_KEY"
        is_harmless = is_public or (before in _HARMLESS_BEFORE_KEY and not is_of_a_service)
        if is_paging or is_harmless or (is_uuid and before in _HARMLESS_BEFORE_UUID_KEY):
            result = HARMLESS
        elif is_foreign_key:
            result = SECRET if key_words.opens_something(words, index) else KEY
        else:
            result = SECRET if word in _TOKENS else KEY
    elif (
        _is_secret(word)
        or (word in _PASSES and before in _BEFORE_PASSES)
        or (word in ("id", "ids", "identifier") and before == "secret")  # "secret id", of HashiCorp Vault's AppRole
    ):
        result = SECRET
    elif is_beside and word in _KEYS_NEXT_TO_VALUE:
        result = HARMLESS if before in _HARMLESS_BEFORE_KEY or before in _HARMLESS_WORDS else KEY
    elif word == "on" and key_words.is_key(before):  # "on" is "is" in Finnish
        result = NOTHING
    elif (
        (word in _HARMLESS_WORDS and before != "hmac")
        or _is_key_of_a_table(word, before)
        or (is_beside and (word in _HARMLESS_NEXT_TO_VALUE or key_words.is_of_a_thing(word)))
    ):
        result = HARMLESS
    else:
        result = KEY if word.endswith(_KEY_ENDS) and word not in _NOT_KEYS else NOTHING
    return result


def names_public_key(text: str, start: int, end: int) -> bool:
    """Whether the name of a password from `start` to `end` means a public key here: "clave pública"."""
    return text[start:end].lower() in _PASSWORDS_AND_KEYS and is_public_at(text, start, end)


def is_public_at(text: str, start: int, end: int) -> bool:
    """Whether the words around the key from `start` to `end` call it public or name its identifier: "clave pública"."""
    before = words_of(text[line_start(text, start, _REACH) : start])
    after = words_of(text[start : end + _REACH].partition("\n")[0])
    return key_words.is_public(before + after, len(before))


def _is_key_of_a_table(word: str, before: str) -> bool:
    return word in _KEYS_OF_TABLES or (word == "dkey" and before == "i")


@cached_until_forgotten
def _is_secret(word: str) -> bool:
    """Whether `word` means a secret by itself."""
    return word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) or key_words.is_token(word)


ANCHORS = (
    *word_list(
        "tok secret key pass pwd cred auth login seed jwt bearer licen psk otp sas pin pw -pat jeton geheim segret "
        "segredo cookie hmac kennwort contrase unlock unseal encrypt preshared shared reveal api fernet private "
        "refresh access phrase appid wachtwoord zugang haslo jelszo has?o jelsz? mdp heslo hemlig salasana ficha crumb "
        "pat: pat= (pat :// macaroon pepper ltk irk opc"
    ),
    *("_pat", " pat", "pat ", 'pat"', "join", "enrol", "regist", "pairing", "onboarding", "bootstrap", "sso"),
    *key_words.ANCHORS,
)
"""One of these is in every Latin name of a secret, in lower case and with "?" for each letter beyond ASCII."""

ANCHORS_BEYOND_ASCII = key_words.ANCHORS_BEYOND_LATIN
