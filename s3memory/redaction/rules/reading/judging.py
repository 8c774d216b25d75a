"""Is what stands behind a password's name one? The more plainly it is said, the less the value has to look like it."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.other_forms import has_other_form, is_other
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.values import (
    is_elsewhere,
    is_phrase,
    is_reference,
    is_slug,
    is_strong,
    is_term,
    looks_random,
)
from s3memory.redaction.text.word_lists import phrase_list, word_set
from s3memory.redaction.text.wording import is_adjective, is_gibberish, is_predicate

# Words, one of which at least has a number: "kettle7-x", "zebra-31". In capitals it is a ticket, and short a host.
# With a capital, the first can be short: "Vx9-kettle", "b3-Kettle".
_SLUG_AND_NUMBER = (
    r"(?![A-Z]+-[0-9])(?=[^\W_][^\W\d_]{2}|(?=.*[A-Z])[^\W\d_]{1,2}[0-9]{1,2}[-_.][^\W\d_]{4})(?=.*[0-9])"
    r"[^\W_]{1,20}(?:[-_.][^\W_]{1,20}){1,4}!{0,2}"
)
_HOST = r"[A-Za-z]{2,8}-?[0-9]{1,2}|[A-Z]{1,5}[0-9]{1,6}"
# "Berlin-2019x" is a password sooner than a name, beside the word.
_NAME_AND_NUMBER = r"[A-Z][a-z]{2,15}[-_.@][0-9]{2,8}[A-Za-z]?"
_SAID_ENDS = (
    r"(?i).*(?:lich|ig|bar|haft|los|isch|iert|elt|[\u00e9]e?s?|[ai]ble|aire|ique|eux|euse|[ai]d[oa]s?|[aiu]t[oa]|ori[oa]|os[oa]|iv[oa]|bile"
    r"|al|ale|lig|ligt|ad|at|et|ne|n\u00e9|ny|te|t\u00e9|we|n\u00e1|na|no|to|va|vo|ta|inen|ttu|tty|ott|ett)|ge\w+(?:t|en)|(?:un|ver|be|er)\w+"
)
_SAID_ENDS_IN_ENGLISH = r"(?i).*(?:[aeiu]te|al|ic|ish|ive|ous)|(?:un|over)\w+"
_WORD = r"[^\W\d_]{4,30}"
_SLUG_OF_WORDS = (
    r"[^\W\d_]{2,16}(?:[-_.][^\W\d_]{2,16}){1,6}[0-9!]{0,4}|[^\W\d_]{2,16}(?:[-_.][^\W\d_]{0,16}[0-9]{0,4}){1,6}"
)
_OF_CODE = (
    r"(?i)(?:request|req|res|response|result|form|user|users|config|configs|settings?|self|this|props?|state|args?|params?"
    r"|data|body|options?|event|model|process|values?|context|auth|app|client|utils?|helpers?|fields?|global|spec|default"
    r"|main|env|os|secrets?|module|class|object|item|list|dict|json|yaml|html|http|url|uri|path|file|conf|info|meta|base"
    r"|core|service|password|passwd|pass|pwd|token|key|vault|ref|name|id|db|creds?|credentials?|var|vars|prod|staging|dev"
    r"|test|input|str|string|type|hash|reset|change|policy|manager|hint|less|protected|only|free|and|or|of|the|a|to|in|by"
    r"|for|case|sensitive|based|side|read|write|non|re|pre)"
)
_SAID_OF_SLUGS = (
    r"(?i)\w{2,}(?:ed|ing|able|ible)|(?:sha|md|aes|rsa|utf|base|oauth|ipv|python|py|java|hs|rs|bits?|chars?|characters?|digits?|bytes?"
    r"|days?|hours?|minutes?|v|rc|alpha|beta|dev|test|section|chapter|figure|table|rfc|iso|password|passwd|token|key|user|secret)"
)
_HUMP = r"[A-Za-z][a-z]+"
_BEYOND_LATIN = r"[\u0370-\uffff]"
_ARGUMENT = r"#?[\w.]{1,40}[=(\[{:]|[({\[]|\w+\\_"
_CALL = r"[(\[<>:{]"
_LEAST, _LEAST_IN_PHRASE, _LEAST_RANDOM = 4, 6, 7
# Short groups, some of letters and digits: "k2.vdw8.31". A version begins in numbers, a host has fewer of them.
_DOTTED = r"(?!v?[0-9]+\.[0-9])(?=[^.]*[.][^.]*[.])(?=.*[a-z].*[a-z])(?=.*[0-9].*[0-9])[A-Za-z0-9]{1,6}(?:\.[A-Za-z0-9]{1,6}){2,4}"
_CHOSEN = (
    r"[A-Z][a-z]{2,15}[/&#+~][A-Z][a-z]{2,15}[0-9]{1,4}[!?]?|(?=.*[a-f].*[a-f])(?=.*[0-9].*[0-9])[0-9a-f]{8,64}"
    r"|[0-9]{3,6}(?:-[0-9]{3,6}){1,4}|[a-z]{3,12}(?:\.[a-z]{3,12}){1,3}\.[0-9]{1,4}"
)
# What leads the lists of passwords that were leaked, of those that are words: people choose them, whatever they mean.
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
"""What is said to anybody, whatever it is about, and what every alarm reports."""

_DAY = r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])"
_MOST_PLAIN_WORDS = 6
_LEAST_WORDS = 3


class Joint(IntEnum):
    """How plainly a value is said to be a password."""

    NEAR = 1
    GAP = 2
    VERB = 3
    SIGN = 4


@cache
def _said() -> frozenset[str]:
    """Return what stands where passwords would, in all languages, and the names of passwords and users."""
    words = phrase_list(" ".join(column for language in LANGUAGES.values() for column in language))
    return frozenset(word.strip("*").lower() for word in words)


@judged
def is_said(word: str) -> bool:
    """Whether `word` says something about a password, or is what one is called."""
    word = word.lower()
    return word in _said() or is_predicate(word)


def is_leaked(word: str) -> bool:
    """Whether `word` is one of the words that most people choose for a password, or the phrase that all have read of."""
    return word.lower() in _LEAKED


@judged
def is_typical(text: str) -> bool:
    """Whether `text` is mixed as hardly anything but a password is."""
    if compiled(_NAME_AND_NUMBER).fullmatch(text):
        return True
    if len(text) < _LEAST_IN_PHRASE or is_other(text) or compiled(_HOST).fullmatch(text):
        return False
    if is_slug(text) or is_reference(text) or "/" in text[:2]:
        return False
    has_digit, has_letter = any(map(str.isdigit, text)), any(map(str.isalpha, text))
    has_symbol = any(sign in "!@#$%^&*+=?~" for sign in text[1:])
    is_mixed = has_digit and any(map(str.isupper, text)) and any(map(str.islower, text)) and text.isalnum()
    return (has_letter and has_digit and has_symbol) or is_mixed or looks_random(text, least=_LEAST_RANDOM)


@judged
def is_chosen(text: str) -> bool:
    """Whether `text` is made as people make passwords: words and a number, joined, short groups, or hexadecimal."""
    is_dotted = compiled(_DOTTED).fullmatch(text) is not None and not is_other(text)
    return is_dotted or _is_numbered_slug(text) or compiled(_CHOSEN).fullmatch(text) is not None


def is_candidate(text: str) -> bool:
    """Whether `text` looks like a password rather than a word, a name, a number or a version."""
    return is_typical(text) or is_mixed(text) or is_chosen(text)


def is_long_number(text: str) -> bool:
    """Whether `text` is digits, more than there are in most numbers of sentences, and no day."""
    return text.isdigit() and len(text) >= _LEAST_IN_PHRASE and compiled(_DAY).fullmatch(text) is None


def are_plain_words(text: str) -> bool:
    """Whether `text` is some words in a row, written alike, none of which sentences about passwords have."""
    words = text.rstrip("0123456789!").split()
    if not _LEAST_WORDS <= len(words) <= _MOST_PLAIN_WORDS or not all(map(str.isalpha, words)):
        return False
    are_alike = all(map(str.islower, words)) or all(map(str.istitle, words))
    return is_leaked(text) or (are_alike and all(len(word) >= _LEAST - 1 and not is_said(word) for word in words))


@judged
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
        joint: How it is joined to the name.
        is_quoted: It stands in quotes.
        is_last: The clause ends behind it.
        is_explicit: The name is that of nothing else.
        is_foreign: It is in letters of another script than the name.
        is_english: The name is English, whose sentences speak of passwords most: of other languages fewer verbs are
            known, so that a value counts as said by one behind other words, too.
    """
    is_marked = is_last or is_quoted
    if text.isdigit():
        least = _LEAST if joint >= Joint.VERB else _LEAST_IN_PHRASE
        is_near = is_marked and (joint == Joint.GAP or is_quoted or not is_english)
        return len(text) >= least and (joint >= Joint.VERB or (is_near and not compiled(_DAY).fullmatch(text)))
    is_plainly_said = joint >= Joint.VERB or is_quoted or not is_english
    is_named = is_explicit or joint == Joint.SIGN
    is_known = joint >= (Joint.GAP if is_explicit else Joint.VERB) and is_marked and is_leaked(text)
    if is_known or (is_named and is_plainly_said and (joint >= Joint.VERB or is_marked) and is_chosen(text)):
        return True
    if len(text) < _LEAST or is_other(text) or (not is_quoted and _is_code(text)):
        return False
    if is_typical(text) and not (joint <= Joint.GAP and compiled(_ARGUMENT).match(text)):
        return True
    if joint <= Joint.GAP and (not is_explicit or compiled(_ARGUMENT).match(text)):
        return False
    if joint == Joint.NEAR:
        is_long = len(text) > _LEAST_RANDOM - (not is_english)
        is_rare = is_quoted if is_english else is_marked
        return is_marked and ((is_long and is_mixed(text)) or (is_rare and is_rare_slug(text, is_english=is_english)))
    is_plain = is_strong(text) and not is_slug(text)
    if joint == Joint.GAP:
        is_host = compiled(_HOST).fullmatch(text) is not None and not is_last
        is_one = (is_plain and not is_host and len(text) >= _LEAST_IN_PHRASE) or is_phrase(text)
        return is_one or (is_marked and is_rare_slug(text, is_english=is_english))
    if is_plain or is_phrase(text):
        return True
    if is_marked and (is_explicit or "_" not in text) and is_rare_slug(text, is_english=is_english):
        return True
    return is_explicit and _is_of_words(
        text, joint, is_quoted=is_quoted, is_last=is_last, is_foreign=is_foreign, is_english=is_english
    )


def _is_numbered_slug(text: str) -> bool:
    """Whether `text` is words and a number, joined, and neither a quantity, a version, a file, nor said of passwords."""
    if compiled(_NAME_AND_NUMBER).fullmatch(text.rstrip("!")):
        return True
    if not compiled(_SLUG_AND_NUMBER).fullmatch(text) or is_term(text) or is_elsewhere(text):
        return False
    words = [part.strip("0123456789!") for part in compiled(r"[-_.]").split(text)]
    is_file = has_other_form(text) and "-" not in text
    are_said = any(compiled(_SAID_OF_SLUGS).fullmatch(word) for word in words)
    return not is_file and not are_said and not all(map(is_word_of_code, filter(None, words)))


def is_no_word(text: str) -> bool:
    """Whether `text` is mixed as passwords are, and is neither joined words nor what stands for a password."""
    return is_strong(text) and not is_slug(text) and not is_term(text)


@judged
def is_mixed(text: str) -> bool:
    """Whether `text` has letters and digits or signs, and is nothing that sentences and tables have besides."""
    return len(text) > _LEAST and is_strong(text) and not is_slug(text) and not is_other(text)


@judged
def is_rare_slug(text: str, *, is_english: bool) -> bool:
    """Whether `text` is three joined words or more, none of which code has.

    Some of them have to be on the lists of wallets and dice beside an English name.
    """
    parts = compiled(r"[-_.]").split(text)
    known = sum(map(is_seed_word, parts))
    is_plain = all(len(part) >= _LEAST - 1 and part.isalpha() for part in parts)
    is_known = 3 * known >= len(parts) or not is_english
    return len(parts) >= _LEAST_WORDS and is_plain and is_known and not any(map(is_word_of_code, parts))


@judged
def is_word_of_code(part: str) -> bool:
    """Whether `part` is said of passwords, or is one of the words that names in code are made of."""
    return is_said(part) or compiled(_OF_CODE).fullmatch(part) is not None


def _is_code(text: str) -> bool:
    """Whether `text` is a call, or named as code names what holds one: "readPassword", "options.proxy.password"."""
    words = compiled(_HUMP).findall(text)
    is_variable = len(words) > 1 and "-" not in text and "_" not in text and is_word_of_code(words[-1])
    return is_variable or (compiled(_CALL).search(text) is not None and is_reference(text))


def _is_of_words(
    text: str, joint: Joint, *, is_quoted: bool, is_last: bool, is_foreign: bool, is_english: bool
) -> bool:
    if compiled(_SLUG_OF_WORDS).fullmatch(text):
        parts = [part for part in compiled(r"[-_.]").split(text) if part]
        return (is_last or is_quoted) and not any(map(is_word_of_code, parts))
    is_said_of_one = is_word_of_code(text) or is_adjective(text)
    if not compiled(_WORD).fullmatch(text) or is_said_of_one or compiled(_BEYOND_LATIN).search(text):
        return False
    if is_quoted or (is_foreign and is_last):
        return True
    return is_last and (joint == Joint.SIGN or _is_noun(text, is_english=is_english))


def is_plain_noun(text: str) -> bool:
    """Whether `text` is an English word that stands for something, and is neither said of a password nor of code."""
    is_word = compiled(_WORD).fullmatch(text) is not None and not is_other(text)
    return is_word and not (is_word_of_code(text) or is_adjective(text)) and _is_noun(text, is_english=True)


def _is_noun(text: str, *, is_english: bool) -> bool:
    """Whether `text` stands for something: behind a verb most words say how the password is.

    Those that do are in the lists of seeds.
    """
    is_one = text.isascii() and (is_seed_word(text) or is_gibberish(text) or _is_compound(text, is_english=is_english))
    return is_one and not compiled(_SAID_ENDS_IN_ENGLISH if is_english else _SAID_ENDS).fullmatch(text)


def _is_compound(text: str, *, is_english: bool) -> bool:
    """Whether `text` is two words in one that are in the lists of seeds, or in English one of them."""
    return any(
        is_seed_word(text[:cut]) + is_seed_word(text[cut:]) >= 1 + (not is_english)
        and not compiled(_SAID_ENDS).fullmatch(text[cut:])
        and not is_said(text[cut:])
        for cut in range(_LEAST, len(text) - _LEAST + 1)
    )
