"""Decides whether the value after a password's name is a password.

The more explicitly a sentence labels the value, the less the value has to look like a password.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from s3memory.redaction.rules.reading.harmless_forms import has_listed_form, is_harmless_form
from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import (
    is_elsewhere,
    is_phrase,
    is_reference,
    is_slug,
    is_strong,
    is_technical_term,
    looks_random,
)
from s3memory.redaction.text.word_lists import phrase_list, word_set
from s3memory.redaction.text.wording import is_adjective, is_descriptive_word, is_gibberish

# Joined words, at least one of them with a number: "kettle7-x", "zebra-31". In capitals it would be a ticket ("OPS-31"),
# and with a short first word a host, unless a letter is a capital: "Vx9-kettle", "b3-Kettle".
_SLUG_AND_NUMBER = (
    r"(?![A-Z]+-[0-9])(?=[^\W_][^\W\d_]{2}|(?=.*[A-Z])[^\W\d_]{1,2}[0-9]{1,2}[-_.][^\W\d_]{4})(?=.*[0-9])"
    r"[^\W_]{1,20}(?:[-_.][^\W_]{1,20}){1,4}!{0,2}"
)
_HOST = r"[A-Za-z]{2,8}-?[0-9]{1,2}|[A-Z]{1,5}[0-9]{1,6}"
# Next to the word "password", "Berlin-2019x" is more likely a password than a name.
_NAME_AND_NUMBER = r"[A-Z][a-z]{2,15}[-_.@][0-9]{2,8}[A-Za-z]?"
# Adjectives and participles in several languages: "gültig", "possible", "geändert".
_DESCRIPTIVE = (
    r"(?i).*(?:lich|ig|bar|haft|los|isch|iert|elt|[\u00e9]e?s?|[ai]ble|aire|ique|eux|euse|[ai]d[oa]s?|[aiu]t[oa]|ori[oa]|os[oa]|iv[oa]|bile"
    r"|al|ale|lig|ligt|ad|at|et|ne|n\u00e9|ny|te|t\u00e9|we|n\u00e1|na|no|to|va|vo|ta|inen|ttu|tty|ott|ett)|ge\w+(?:t|en)|(?:un|ver|be|er)\w+"
)
_DESCRIPTIVE_IN_ENGLISH = r"(?i).*(?:[aeiu]te|al|ic|ish|ive|ous)|(?:un|over)\w+"
_WORD = r"[^\W\d_]{4,30}"
_SLUG_OF_WORDS = r"[^\W\d_]{2,16}(?:[-_.][^\W\d_](?:[^\W\d_]{1,15})?(?![^\W\d_])){0,5}[-_.][^\W\d_]{2,16}[0-9!]{0,4}|[^\W\d_]{2,16}(?:[-_.][^\W\d_]{0,16}[0-9]{0,4}){1,6}"
# Names in code are made of these words: "request", "config", "user".
_PART_OF_A_NAME = (
    r"(?i)(?:request|req|res|response|result|form|users?|configs?|settings?|self|this|props?|state|args?|params?|data|body"
    r"|options?|event|model|process|values?|context|auth|app|client|utils?|helpers?|fields?|global|spec|default|main|env|os"
    r"|module|class|object|item|list|dict|json|yaml|html|http|url|uri|path|file|conf|info|meta|base|core|service)"
)
# The same, and words that occur in passwords as well.
_WORD_OF_CODE = (
    rf"{_PART_OF_A_NAME}|(?i:secrets?|password|passwd|pass|pwd|token|key|vault|ref|name|id|db|creds?|credentials?|vars?"
    r"|prod|staging|dev|test|input|str|string|type|hash|reset|change|policy|manager|hint|less|protected|only|free|and|or|of"
    r"|the|a|to|in|by|for|case|sensitive|based|side|read|write|non|re|pre)"
)
# A part with which a slug is a technical term and no password: "hashed-2", "sha-256", "section-4".
_PART_OF_A_TERM = (
    r"(?i)\w{2,}(?:ed|ing|able|ible)|(?:sha|md|aes|rsa|utf|base|oauth|ipv|python|py|java|hs|rs|bits?|chars?|characters?|digits?|bytes?"
    r"|days?|hours?|minutes?|v|rc|alpha|beta|dev|test|section|chapter|figure|table|rfc|iso|password|passwd|token|key|user|secret)"
)
_CAMEL_CASE_PART = r"[A-Za-z][a-z]+"
_NOT_LATIN = r"[\u0370-\uffff]"
# How an argument, a call or escaped markup begins: "timeout=", "getpass(", "user\_".
_ARGUMENT = r"#?[\w.]{1,40}[=(\[{:]|[({\[]|\w+\\_"
_CALL_CHARACTER = r"[(\[<>:{]"
_MIN_LENGTH, _MIN_LENGTH_IN_PROSE, _MIN_LENGTH_RANDOM = 4, 6, 7
# Short groups of letters and digits: "4k.vdw8.q3". A version begins with numbers, and a host has fewer digits.
_DOTTED_GROUPS = r"(?!v?[0-9]+\.[0-9])(?=[^.]*[.][^.]*[.])(?=.*[a-z].*[a-z])(?=.*[0-9].*[0-9])[A-Za-z0-9]{1,6}(?:\.[A-Za-z0-9]{1,6}){2,4}"
# "Kettle&Harbour47", hexadecimal digits, "4821-9034", "kettle.harbour.7".
_CHOSEN = (
    r"[A-Z][a-z]{2,15}[/&#+~][A-Z][a-z]{2,15}[0-9]{1,4}[!?]?|(?=.*[a-f].*[a-f])(?=.*[0-9].*[0-9])[0-9a-f]{8,64}"
    r"|[0-9]{3,6}(?:-[0-9]{3,6}){1,4}|[a-z]{3,12}(?:\.[a-z]{3,12}){1,3}\.[0-9]{1,4}"
)
# Words at the top of the lists of leaked passwords: people choose them, whatever they mean.
_LEAKED = word_set(
    "dragon monkey football baseball basketball softball sunshine princess superman batman spiderman michael jennifer "
    "jessica ashley amanda jordan hunter ranger buster soccer hockey killer george andrew charlie thomas pepper daniel "
    "joshua maggie nicole starwars silver william dallas yankees austin thunder taylor minecraft pokemon lovely flower "
    "cookie cheese chocolate butterfly purple orange summer winter autumn ginger hammer cowboy tigger samsung ferrari "
    "mercedes porsche liverpool chelsea arsenal barcelona juventus letmein iloveyou whatever trustno freedom tiger lion "
    "eagle falcon phoenix banana apple cherry peanut muffin cupcake pumpkin biscuit coffee pizza burger pancake jellybean "
    "snoopy garfield scooby mickey winnie bubbles angel heaven diamond crystal rainbow unicorn mustang harley yamaha "
    "corvette guitar piano dolphin penguin elephant giraffe kitten puppy rabbit turtle spider scorpion viper cobra "
    "gandalf merlin wizard ninja pirate samurai warrior knight rocket galaxy cosmos matrix zaphod swordfish aardvark "
    "hello welcome qwerty asdf qwertz azerty abracadabra opensesame correcthorse changeit trustnoone"
) | {"correct horse battery staple"}
COURTESIES = frozenset(
    (
        *("thanks", "thank you", "sorry", "hello", "help", "gracias", "merci", "danke", "grazie", "спасибо"),
        *("false alarm", "falsa alarma", "fausse alerte", "fehlalarm", "falso allarme", "alarme falso"),
        *("low battery", "batería baja", "batterie faible", "batterie schwach", "batteria scarica", "bateria fraca"),
    )
)
"""Polite phrases and alarm messages, which are never a passphrase: "thank you", "low battery"."""

_DATE = r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])"
_MAX_PLAIN_WORDS, _MAX_WORDS_OF_SAYING = 6, 7
_ENDS = ".,;:!?)]}>\"'`*_\\|"
# Words that describe passwords in sentences, but occur in passphrases too.
_FUNCTION_WORDS = word_set(
    "the a an my our of in on to for and or at by is old new big no red open long short good even same "
    "correct right clear with"
)
_MIN_WORDS = 3


class Joint(IntEnum):
    """How explicitly a sentence links a value to a password's name; a higher member is more explicit.

    Attributes:
        NEAR: The value follows after other words: "the password on the router hunter2".
        GAP: The value follows the name without a verb or a sign: "password hunter2".
        VERB: A verb links them: "password is hunter2".
        SIGN: A sign links them: "password: hunter2".
    """

    NEAR = 1
    GAP = 2
    VERB = 3
    SIGN = 4


@cache
def _password_vocabulary() -> frozenset[str]:
    """Return the words of all languages in `LANGUAGES`: names, verbs, prepositions and what describes passwords."""
    words = phrase_list(" ".join(column for language in LANGUAGES.values() for column in language))
    return frozenset(word.strip("*").lower() for word in words)


@cached_until_forgotten
def is_remark_word(word: str) -> bool:
    """Whether `word` describes a password ("expired"), links to one ("is") or names one: then it is none itself."""
    word = word.lower()
    return word in _password_vocabulary() or is_descriptive_word(word)


def is_leaked(word: str) -> bool:
    """Whether `word` is a word that tops the lists of leaked passwords, or the famous "correct horse battery staple"."""
    return word.lower() in _LEAKED


@cached_until_forgotten
def is_typical(text: str) -> bool:
    """Whether `text` mixes letters, digits and symbols as little but a password does: "kT9#mw2x"."""
    if compiled(_NAME_AND_NUMBER).fullmatch(text):
        return True
    if len(text) < _MIN_LENGTH_IN_PROSE or is_harmless_form(text) or compiled(_HOST).fullmatch(text):
        return False
    if is_slug(text) or is_reference(text) or "/" in text[:2]:
        return False
    has_digit, has_letter = any(map(str.isdigit, text)), any(map(str.isalpha, text))
    has_symbol = any(sign in "!@#$%^&*+=?~" for sign in text[1:])
    is_mixed = has_digit and any(map(str.isupper, text)) and any(map(str.islower, text)) and text.isalnum()
    return (has_letter and has_digit and has_symbol) or is_mixed or looks_random(text, least=_MIN_LENGTH_RANDOM)


@cached_until_forgotten
def is_chosen(text: str) -> bool:
    """Whether `text` has a form in which people choose passwords: "zebra-31", "4k.vdw8.q3", hexadecimal digits."""
    is_dotted = compiled(_DOTTED_GROUPS).fullmatch(text) is not None and not is_harmless_form(text)
    return is_dotted or _is_numbered_slug(text) or compiled(_CHOSEN).fullmatch(text) is not None


def is_candidate(text: str) -> bool:
    """Whether `text` looks like a password rather than a word, a name, a number or a version."""
    return is_typical(text) or is_mixed(text) or is_chosen(text)


def is_long_number(text: str) -> bool:
    """Whether `text` is a number with more digits than most numbers in prose, and no date such as "20260131"."""
    return text.isdigit() and len(text) >= _MIN_LENGTH_IN_PROSE and compiled(_DATE).fullmatch(text) is None


def are_plain_words(text: str) -> bool:
    """Whether `text` is a passphrase of three to six plain words in the same case: "purple kettle harbour".

    None of the words may describe a password, as in "not yet set".
    """
    words = text.rstrip("0123456789!").split()
    if not _MIN_WORDS <= len(words) <= _MAX_PLAIN_WORDS or not all(map(str.isalpha, words)):
        return False
    are_alike = all(map(str.islower, words)) or all(map(str.istitle, words))
    return is_leaked(text) or (
        are_alike and all(len(word) >= _MIN_LENGTH - 1 and not is_remark_word(word) for word in words)
    )


def is_sentence(value: str) -> bool:
    """Whether one of the words in `value` says something about a password."""
    words = [word.strip(_ENDS).lower() for word in value.split()]
    return any(is_remark_word(word) and word not in _FUNCTION_WORDS for word in words)


def is_saying(value: str) -> bool:
    """Whether `value` is a phrase of lower-case words, function words among them: "hunter in the rye"."""
    words = value.split()
    is_short = _MIN_WORDS <= len(words) <= _MAX_WORDS_OF_SAYING
    are_words = all(word.isascii() and word.isalpha() and word.islower() for word in words)
    return (
        is_short and are_words and not is_sentence(value) and len(_FUNCTION_WORDS.intersection(words)) < len(words) - 1
    )


@cached_until_forgotten
def is_password(  # noqa: PLR0911 - one question after the other
    text: str,
    joint: Joint,
    *,
    is_quoted: bool,
    is_last: bool,
    is_explicit: bool,
    is_foreign: bool,
    is_english: bool = True,
) -> bool:
    """Whether `text` is a password.

    Args:
        text: The value, without quotes.
        joint: How explicitly the sentence links it to the name.
        is_quoted: The value is in quotes.
        is_last: The clause ends after the value.
        is_explicit: The name can only be that of a password.
        is_foreign: The value is in another script than the name.
        is_english: The name is English. Fewer verbs of other languages are known, so with another language any value
            near the name counts as explicitly linked.
    """
    is_bounded = is_last or is_quoted
    if text.isdigit():
        min_length = _MIN_LENGTH if joint >= Joint.VERB else _MIN_LENGTH_IN_PROSE
        is_near = is_bounded and (joint == Joint.GAP or is_quoted or not is_english)
        return len(text) >= min_length and (joint >= Joint.VERB or (is_near and not compiled(_DATE).fullmatch(text)))
    is_linked = joint >= Joint.VERB or is_quoted or not is_english
    is_named = is_explicit or joint == Joint.SIGN
    is_leaked_one = joint >= (Joint.GAP if is_explicit else Joint.VERB) and is_bounded and is_leaked(text)
    if is_leaked_one or (is_named and is_linked and (joint >= Joint.VERB or is_bounded) and is_chosen(text)):
        return True
    if len(text) < _MIN_LENGTH or is_harmless_form(text) or (not is_quoted and _is_code(text)):
        return False
    if is_typical(text) and not (joint <= Joint.GAP and compiled(_ARGUMENT).match(text)):
        return True
    if joint <= Joint.GAP and (not is_explicit or compiled(_ARGUMENT).match(text)):
        return False
    if joint == Joint.NEAR:
        is_long = len(text) > _MIN_LENGTH_RANDOM - (not is_english)
        is_rare = is_quoted if is_english else is_bounded
        return is_bounded and ((is_long and is_mixed(text)) or (is_rare and is_rare_slug(text, is_english=is_english)))
    is_strong_one = is_strong(text) and not is_slug(text)
    if joint == Joint.GAP:
        is_host = compiled(_HOST).fullmatch(text) is not None and not is_last
        is_likely = (is_strong_one and not is_host and len(text) >= _MIN_LENGTH_IN_PROSE) or is_phrase(text)
        return is_likely or (is_bounded and is_rare_slug(text, is_english=is_english))
    if is_strong_one or is_phrase(text):
        return True
    if is_bounded and (is_explicit or "_" not in text) and is_rare_slug(text, is_english=is_english):
        return True
    return is_explicit and _is_made_of_plain_words(
        text, joint, is_quoted=is_quoted, is_last=is_last, is_foreign=is_foreign, is_english=is_english
    )


def _is_numbered_slug(text: str) -> bool:
    """Whether `text` is joined words with a number ("zebra-31"), and no quantity, version, file or name in code."""
    if compiled(_NAME_AND_NUMBER).fullmatch(text.rstrip("!")):
        return True
    if not compiled(_SLUG_AND_NUMBER).fullmatch(text) or is_technical_term(text) or is_elsewhere(text):
        return False
    words = [part.strip("0123456789!") for part in compiled(r"[-_.]").split(text)]
    is_file = has_listed_form(text) and "-" not in text
    has_part_of_a_term = any(compiled(_PART_OF_A_TERM).fullmatch(word) for word in words)
    return not is_file and not has_part_of_a_term and not all(map(is_word_of_code, filter(None, words)))


def is_no_word(text: str) -> bool:
    """Whether `text` mixes characters as passwords do, and is neither a slug of words nor a technical term."""
    return is_strong(text) and not is_slug(text) and not is_technical_term(text)


@cached_until_forgotten
def is_mixed(text: str) -> bool:
    """Whether `text` mixes letters with digits or symbols, and has no harmless form such as that of a version or a host."""
    return len(text) > _MIN_LENGTH and is_strong(text) and not is_slug(text) and not is_harmless_form(text)


@cached_until_forgotten
def is_rare_slug(text: str, *, is_english: bool) -> bool:
    """Whether `text` is a slug of three or more words that are not words of code: "velvet-tunnel-rocket".

    Next to an English name, a third of them has to be seed words.
    """
    parts = compiled(r"[-_.]").split(text)
    known = sum(map(is_seed_word, parts))
    is_plain = all(len(part) >= _MIN_LENGTH - 1 and part.isalpha() for part in parts)
    is_known = 3 * known >= len(parts) or not is_english
    return len(parts) >= _MIN_WORDS and is_plain and is_known and not any(map(is_word_of_code, parts))


@cached_until_forgotten
def is_word_of_code(part: str) -> bool:
    """Whether `part` describes or names a password, or is a common part of names in code, such as "config"."""
    return is_remark_word(part) or compiled(_WORD_OF_CODE).fullmatch(part) is not None


def is_part_of_a_name(word: str) -> bool:
    """Whether `word` is one of the words that names in code consist of."""
    return compiled(_PART_OF_A_NAME).fullmatch(word) is not None


def _is_code(text: str) -> bool:
    """Whether `text` is a call, or a variable that holds a password: "readPassword", "options.proxy.password"."""
    words = compiled(_CAMEL_CASE_PART).findall(text)
    is_variable = len(words) > 1 and "-" not in text and "_" not in text and is_word_of_code(words[-1])
    return is_variable or (compiled(_CALL_CHARACTER).search(text) is not None and is_reference(text))


def _is_made_of_plain_words(
    text: str, joint: Joint, *, is_quoted: bool, is_last: bool, is_foreign: bool, is_english: bool
) -> bool:
    """Whether `text`, after a name that can only be a password's, is a password of plain words: "velvet-tunnel"."""
    if compiled(_SLUG_OF_WORDS).fullmatch(text):
        parts = [part for part in compiled(r"[-_.]").split(text) if len(part) > 1]
        return (is_last or is_quoted) and not any(map(is_word_of_code, parts))
    is_descriptive = is_word_of_code(text) or is_adjective(text)
    if not compiled(_WORD).fullmatch(text) or is_descriptive or compiled(_NOT_LATIN).search(text):
        return False
    if is_quoted or (is_foreign and is_last):
        return True
    return is_last and (joint == Joint.SIGN or _is_noun(text, is_english=is_english))


def is_plain_noun(text: str) -> bool:
    """Whether `text` is an English noun that neither describes a password nor is a word of code."""
    is_word = compiled(_WORD).fullmatch(text) is not None and not is_harmless_form(text)
    return is_word and not (is_word_of_code(text) or is_adjective(text)) and _is_noun(text, is_english=True)


def _is_noun(text: str, *, is_english: bool) -> bool:
    """Whether `text` is a noun, a compound or gibberish: after a verb, most other words describe the password.

    Nouns are recognized by the lists of seed words.
    """
    is_noun = text.isascii() and (is_seed_word(text) or is_gibberish(text) or _is_compound(text, is_english=is_english))
    return is_noun and not compiled(_DESCRIPTIVE_IN_ENGLISH if is_english else _DESCRIPTIVE).fullmatch(text)


def _is_compound(text: str, *, is_english: bool) -> bool:
    """Whether `text` is two words written as one, both of them seed words; in English one is enough."""
    return any(
        is_seed_word(text[:cut]) + is_seed_word(text[cut:]) >= 1 + (not is_english)
        and not compiled(_DESCRIPTIVE).fullmatch(text[cut:])
        and not is_remark_word(text[cut:])
        for cut in range(_MIN_LENGTH, len(text) - _MIN_LENGTH + 1)
    )
