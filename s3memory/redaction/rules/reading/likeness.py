"""Grades how much a word looks like a password by itself, without its context."""

from __future__ import annotations

from enum import IntEnum

from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.judging import (
    COURTESIES,
    is_chosen,
    is_long_number,
    is_rare_slug,
    is_remark_word,
    is_typical,
)
from s3memory.redaction.rules.reading.letters import without_accents
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.forms import Forms
from s3memory.redaction.text.values import is_identifier, looks_random
from s3memory.redaction.text.wording import is_adjective, is_gibberish


class Likeness(IntEnum):
    """How much a word looks like a password by itself; a higher member is more certain.

    Attributes:
        NONE: It doesn't, or it is a name, a version or a term.
        CHOSEN: People choose passwords like it, and names as well: "kettle47".
        RARE: Words and a number, joined as names seldom are: "Blue-harbour4".
        MADE: Made up, or generated: "Harbour4711", "k4tz-9wmr-x2p8".
        PLAIN: Nothing but a password has this form: "kettle#47x".
    """

    NONE = 0
    CHOSEN = 1
    RARE = 2
    MADE = 3
    PLAIN = 4


_CHARACTERS = r"[A-Za-z0-9!@#$%^&*+=?~_.-]{6,40}"
_SIGN_INSIDE = r"(?=.{0,40}[0-9])(?=.{0,40}[A-Za-z].{0,40}[A-Za-z]).*[A-Za-z0-9][!@#$%^&*?~+=].*"
# Despite the sign inside, these are no passwords.
_SIGNS_OF_CODE = Forms(
    {
        # Arguments, addresses, references
        # The name of an argument never has both cases and a digit with a single letter after it.
        "mode=fast!": r"(?!(?=[\w.-]*[a-z])(?=[\w.-]*[A-Z])[\w.-]*[0-9][A-Za-z](?![a-z])[\w.-]*=[^=].)#?[\w.-]{2,}=.*",
        "jo@web-1": r"[\w.+-]+@(?:[a-z]|[\w-]+\.)[\w.-]*",
        "a@b@c!": r".*@[\w.-]+@.*",
        "Issue#12": r"[A-Za-z-]+#[0-9]+",
        "repo_2#12": r"[a-z0-9_.-]+#[0-9]+",
        "PR#12b": r"[A-Z]{1,6}#[0-9]+.*",
        # Quantities, versions, formulas
        "US$12.50": r"[A-Z]{1,3}\$[0-9.,]+",
        "2.0!": r"v?[0-9]+\..*",
        "jo+x@2": r"[\w.+-]+@[0-9.]+",
        "lodash@^4.17": r"[\w./-]+(?:@|[~^]=?)[v^~]*[0-9][\w.-]*",
        "2*n^2": r"[a-z0-9_.]+(?:[*^][a-z0-9_.]+)+",
        "a!n**2": r".*\w\*\*\w.*",
        "Ctrl+F5": r"[A-Za-z0-9.-]+(?:\+[A-Za-z0-9.-]*)+",
        # Formats, encodings, patterns
        "%5.2d": r".*%[0-9.]{0,5}[sdzU].*",
        "%2Fb": r".*%[0-9A-F]{2}.*",
        "=?utf": r"=\?.*",
        "a+$B": r".*(?:(?<![a-z])\$[A-Z_]|[*?]\.|\.[*?]|&[a-z]+=).*",
        # Names
        "Fritz!Box7590": r"(?i:fritz)!.*",
        "Covid19!": r"[A-Za-z]+[0-9]{1,2}[!?*]+",
    }
)
_MADE_FORMS = Forms(
    {
        "Harbour4711": r"[A-Z][a-z]{2,15}[0-9]{3,6}",
        "Harbour-4711": r"[A-Z][a-z]{2,15}[-_.@#][0-9]{3,8}",
        "BlueHarbourFerry7": r"(?:[A-Z][a-z]{2,12}){3,6}[0-9]{1,4}",
        "h4rb0ur_7": r"(?=.*[0-9].*[a-z].*[0-9])(?=(?:[0-9]*[a-z]){5})[a-z]+[013457][a-z013457]+(?:[_.-][0-9])?",
        "k4tz-9wmr-x2p8": r"(?=.*[0-9])(?=.*[g-z])[a-z0-9]{4}(?:-[a-z0-9]{4}){2,4}",
    }
)
_PRODUCT = (
    r"(?i)(?:excel|office|windows|win|word|ubuntu|debian|fedora|server|sharepoint|exchange|outlook|oracle|python|java|node"
    r"|iphone|android|visual|studio|sql|postgres|mysql|sprint|issue|ticket|room|rev|fy|test|error|code|http|rfc)[-_.]?[0-9]+"
    r"|pwn3d"  # how NetExec marks a host
)
_LEET_WORD = r"[A-Za-z][a-z]{0,12}(?:(?:[013457][a-z]{1,12})+[013457]?)?(?<=[A-Za-z][a-z013457])"
# Words and a number, written together or joined: common for passwords, rare for names.
_RARE_FORMS = Forms(
    {
        "harbour4711": r"[a-z]{4,16}[0-9]{3,5}",
        "Harbour_47b": r"[A-Z][a-z]{3,15}[_@#][0-9]{2}[a-z]?",
        "BlueHarbour47": r"(?:[A-Z][a-z]{3,12}){2}[0-9]{2,4}",
        "BLUEharbour47": r"[A-Z]{3,8}[a-z]{3,8}[0-9]{2,5}",
        "blueHarbour4": r"[a-z]{3,12}(?:[A-Z][a-z]{1,12}){1,3}[0-9]{1,4}",
        "blueHarbour_41": r"[a-z]{3,12}(?:[A-Z][a-z]{2,12}){1,2}[-_.#][0-9]{1,4}[a-z]?",
        "harbour1963tw": r"[a-z]{4,12}[0-9]{3,4}[a-z]{1,3}",
        "harbour_99k": r"[a-z]{5,12}[_@#][0-9]{2,3}[a-z]",
        "Vx9-harbour-22": r"(?=.{9})[A-Z][a-z]{1,2}[0-9]{1,2}(?:[-_.][a-z]{4,12}){1,2}(?:[-_.][0-9]{1,4})?",
        "dell-9F-harbour": r"[a-z]{3,12}[-_.](?:[0-9][A-Z]|[A-Z][0-9])[0-9A-Z]{0,2}[-_.][a-z]{4,12}",
        "BlueHarbour#4": r"(?:[A-Z][a-z]{2,12}){2,3}[-_.#][0-9]{1,4}[a-z]?",
        "Blue-harbour4": r"[A-Z][a-z]{2,12}[-_.](?:[A-Z][a-z]{1,12}|[a-z]{3,12})[0-9]{1,4}",
        "MyBlue-HarbourFerry4": r"(?:[A-Z][a-z]{1,12}){2,3}[-_.](?:[A-Z][a-z]{1,12}){1,3}[0-9]{1,4}",
        "blue-Harbour4": r"[a-z]{3,12}-[A-Z][a-z]{2,12}[0-9]{1,4}",
        "harbour47Blue": r"[a-z]{4,12}[0-9]{2,4}[A-Z][a-z]{2,12}",
        "Blue-4711-Harbour": r"[A-Z][a-z]{2,12}-[0-9]{2,5}-[A-Z][a-z]{2,12}",
        "Blue4-harbour": r"[A-Z][a-z]{2,12}[0-9]{1,3}-[A-Za-z][a-z]{2,12}",
        "harbour_4711": r"[a-z]{5,12}_(?!(?:19|20)[0-9]{2})[0-9]{4}",
        "big-Harbour-4b": r"(?=.*[-_.a-z][A-Z])(?:[A-Za-z][a-z]{2,12}[-_.]){2,4}[0-9]{1,4}[a-z]?",
        "blue-harbour-4": r"(?:[A-Za-z][a-z]{3,12}[-_.]){2,4}[0-9]{1,4}",
        "harbour-by-ferry-47": r"(?=.{12})[A-Za-z][a-z]{3,12}-(?:[a-z]{1,12}-){1,3}[A-Za-z][a-z]{3,12}-[0-9]{2}",
        "4-blue-harbour": r"[0-9]{1,4}[-_.](?:[a-z]{4,12}[-_.]?){2,3}",
        "c4bin-harb0ur": rf"(?=.*[0-9])(?=.{{9}}){_LEET_WORD}(?:[-_]{_LEET_WORD})+",
        "C4bin.harb0ur": (rf"(?=[A-Z].{{0,14}}[0-9].{{0,14}}[.]){_LEET_WORD}(?:[.](?:{_LEET_WORD}|[A-Z]{{2,4}}))+"),
        "Harb0urFerry": r"(?=.{7})(?=.*[A-Z])[A-Z]?[a-z]{1,12}[01345][a-z]{1,12}(?:[A-Z][a-z]{2,12}){0,2}",
    }
)
# "Kettle47", "kettle47": names have this form too often for more than `Likeness.CHOSEN`.
_WORD_AND_TWO_DIGITS = r"[A-Z][a-z]{4,15}[0-9]{2}|[a-z]{6,14}[0-9]{2}"
_PRODUCT_AND_NUMBER = r"[A-Z][a-z]+[0-9]{1,2}"  # names of products: "Pixel7"
# Hosts, branches, files, products and versions are named with these words: "server12" and "sprint4" are no passwords.
_NAMES_OF_THINGS = (
    r"(?i)(?:.*(?:server|service|host|node|admin|user|team|test|build|release|version|branch|feature|issue|ticket|sprint|model"
    r"|image|report|invoice|order|backup|snapshot|printer|switch|router|camera|laptop|phone|book|pad|shell|press|tooth|wire"
    r"|script|base|data|cloud|linux|windows))"
    r"|prod|stag(?:e|ing)|devel|live|beta|alpha|main|master|primary|secondary|replica|shard|worker|queue|topic|batch|task"
    r"|story|epic|phase|step|part|page|line|item|room|floor|desk|building|terminal|flight|gate|group|level|unit|type|series"
    r"|patch|file|note|draft|final|update|plan|photo|video|track|disk|drive|volume|port|rack|pixel|galaxy|north|south|east"
    r"|west|central|android|claude|gemini|llama|gpt|mistral|sonnet|opus|haiku|turbo|mini|chat|instruct|code|error|section"
    r"|customer|client|portal|board|box|case|cam|chrome|firefox|safari|edge|opera|jetson|arduino|raspberry|esp|stm|intel"
    r"|nvidia|keycloak|grafana|gitlab|jenkins|nexus|consul|nomad|netgear|speedport|fritz|linksys|unifi|orbi|oracle|kafka"
    r"|table|figure|chapter|lesson|week|month|year|quarter|uint|float|decimal|complex|double|utf|latin|mpeg|core|ryzen|xeon"
)
_TWO_WORDS_AND_A_SIGN = r"[A-Za-z][a-z]{3,14}[!*][A-Z][a-z]{2,14}"
_CAPITALIZED_WORD = r"[A-Z][a-z]{1,14}"
_WORDS_NUMBER_AND_SIGN = r"(?:[A-Z][a-z]{4,12}|(?:[A-Z][a-z]{2,12}){2,3})[0-9]{1,2}[!?*]"
_LEET = r"(?=.{5,20}\Z)[A-Za-z]{1,12}(?:[013457]{1,2}[a-z]{1,12}){1,4}"
_LEET_PARTS = (
    r"(?=.{10})(?=.*[A-Za-z][013457][a-z])(?=.*[013457][a-z].*[013457][a-z])(?=(?:[^A-Za-z]*[A-Za-z]){6})"
    r"[A-Za-z013457]+(?:[-_.][A-Za-z013457]+)*"
)
# A user name in front of "@" never begins with a capital letter and has no vowel.
_LEET_WITH_AT_SIGN = (
    r"(?P<word>(?:(?P<onset>[A-Z][b-df-hj-np-tv-xz]{0,2})|[A-Za-z]{1,8})@[a-z]{2,10})"
    r"(?:[-_.][A-Za-z]{2,12}){0,3}[-_.!]?[0-9]{1,6}[!?]?"
)
_LEET_TO_LETTERS = str.maketrans("013457", "oleast")
_MIN_WORD_LENGTH = 4
_MIN_RANDOM, _MAX_RANDOM, _MIN_CHOSEN = 8, 18, 10
_WORDS = r"[A-Z]?[a-z]{3,}"


def _as_ascii(word: str) -> str:
    """Return `word` without accents; each cased letter of another alphabet becomes "n" or "N"."""
    return "".join(
        letter if letter.isascii() or letter.lower() == letter.upper() else "N" if letter.isupper() else "n"
        for letter in without_accents(word)
    )


def is_of_code(word: str) -> bool:
    """Whether the signs in `word` make it an argument, an address, a version, a formula or a format."""
    return _SIGNS_OF_CODE.has(word)


def names_things(word: str) -> bool:
    """Whether hosts, branches, files or products are named with `word`: "server", "sprint"."""
    return compiled(_NAMES_OF_THINGS).fullmatch(word) is not None


def is_product(word: str) -> bool:
    """Whether `word` is the name of a product or a numbered thing with its number: "Office2019", "Sprint12"."""
    return compiled(_PRODUCT).fullmatch(word.rstrip("!")) is not None


def _is_common(word: str) -> bool:
    """Whether `word` describes passwords or names things."""
    return is_remark_word(word) or names_things(word)


def has_name_of_things(core: str) -> bool:
    """Whether a word in `core` names things, or all of its words describe passwords."""
    words = compiled(_WORDS).findall(core)
    return any(map(names_things, words)) or all(is_remark_word(word) or is_adjective(word) for word in words)


@cached_until_forgotten
def likeness(word: str) -> Likeness:
    """Return how much `word` looks like a password."""
    if not word.isascii():
        word = _as_ascii(word)
    if word.isdigit():
        return Likeness.CHOSEN if is_long_number(word) else Likeness.NONE
    if word.upper() == word.lower() or not compiled(_CHARACTERS).fullmatch(word) or is_product(word):
        return Likeness.NONE
    if compiled(_TWO_WORDS_AND_A_SIGN).fullmatch(word):
        return Likeness.RARE
    if not any(map(str.isdigit, word)):
        is_slug_of_words = "_" not in word and "." not in word and is_rare_slug(word, is_english=True)
        return Likeness.CHOSEN if is_slug_of_words else Likeness.NONE
    return _likeness_of_mixed(word)


def is_exclaimed(word: str, *, min_words: int = 2) -> bool:
    """Whether `word` is capitalized words written together and a sign: "HarbourView!", but not "Harbour!"."""
    pattern = rf"(?:{_CAPITALIZED_WORD}){{{min_words},4}}[!*#$]{{1,3}}"
    return compiled(pattern).fullmatch(word) is not None and word.rstrip("!").lower() not in COURTESIES


def is_spelled_with_digits(word: str) -> bool:
    """Whether `word` is one or two seed words with digits in place of some letters: "gr33nhouse"."""
    if not compiled(_LEET).fullmatch(word):
        return False
    spelled = word.lower().translate(_LEET_TO_LETTERS)
    cuts = range(_MIN_WORD_LENGTH, len(spelled) - _MIN_WORD_LENGTH + 1)
    return is_seed_word(spelled) or any(is_seed_word(spelled[:cut]) and is_seed_word(spelled[cut:]) for cut in cuts)


def _is_leet_with_at_sign(word: str) -> bool:
    """Whether `word` has "@" in place of a letter and ends in a number: "Gr@nite-904"."""
    spelled = compiled(_LEET_WITH_AT_SIGN).fullmatch(word)
    if spelled is None:
        return False
    return spelled["onset"] is not None or is_seed_word(spelled["word"].lower().replace("@", "a"))


def _is_leet_in_parts(word: str) -> bool:
    """Whether `word` has digits in place of letters in several parts, and reads as words: "Harb0ur_4ever"."""
    return compiled(_LEET_PARTS).fullmatch(word) is not None and not is_gibberish(
        word.lower().translate(_LEET_TO_LETTERS)
    )


def _likeness_of_mixed(word: str) -> Likeness:  # noqa: PLR0911 - one question after the other
    """Return how much `word`, which has digits and other characters, looks like a password."""
    core = word.rstrip("!?*$#")
    if compiled(_SIGN_INSIDE).fullmatch(word) and (not _SIGNS_OF_CODE.has(word) or _is_leet_with_at_sign(word)):
        return Likeness.PLAIN
    if is_harmless_form(core):
        return Likeness.NONE
    if compiled(_WORDS_NUMBER_AND_SIGN).fullmatch(word) and not _is_common(core.rstrip("0123456789")):
        return Likeness.RARE
    if _MADE_FORMS.has(core):
        return Likeness.MADE if core == word else Likeness.PLAIN
    is_rare = _RARE_FORMS.has(core) and not has_name_of_things(core)
    if is_rare or is_spelled_with_digits(core) or _is_leet_in_parts(core):
        return Likeness.RARE
    is_joined = core.isalnum() or (core.count("-") == 1 and core.replace("-", "").isalnum())
    is_mixed = is_joined and any(map(str.isupper, core)) and any(map(str.islower, core))
    if is_mixed and _MIN_RANDOM <= len(core) <= _MAX_RANDOM and looks_random(core) and not is_identifier(core):
        return Likeness.MADE
    is_word = compiled(_WORD_AND_TWO_DIGITS).fullmatch(core) is not None and not _is_common(core[:-2])
    is_likely = is_word or (len(core) >= _MIN_CHOSEN and is_chosen(core)) or _is_mixed(core)
    return Likeness.CHOSEN if is_likely else Likeness.NONE


def _is_mixed(core: str) -> bool:
    """Whether `core` mixes letters, digits and signs as no name does: "hotelCali4nia", "AbbeyRd1969"."""
    if len(core) < _MIN_RANDOM or compiled(_PRODUCT_AND_NUMBER).fullmatch(core):
        return False
    return is_typical(core) and not has_name_of_things(core)
