"""Judges values made of words: are they a password, or do they describe one, or name something in code?"""

from __future__ import annotations

from s3memory.redaction.rule import Location
from s3memory.redaction.rules.reading.judging import is_part_of_a_name, is_remark_word, is_saying, is_word_of_code
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.wording import is_adjective, is_descriptive_word

_WORD = r"[A-Za-z][a-z]{3,30}"
# Joined words, as in passwords and in names in code: "river-maple", "RiverMaple".
_WORD_IN_NAME = r"[A-Z]?[a-z]+"
_JOINED_WORDS = r"[A-Za-z][a-z]{2,13}(?:[-._][A-Z]?[a-z]{2,14}|[A-Z][a-z]{1,13}){1,6}"
_PHRASE_WITH_SPACES = r"[a-z]{3,20}(?: [a-z]{3,20}){3,9}"
_PHRASE_IN_SETTING = (
    r"(?!(?i:.*\b(?:the|your|a|an|here|this|my|please|to)\b|(?:see|siehe|zie|voir|vedi|ver|se|katso|viz|zob)\b))"
    r"[^\W\d_]{2,20}(?: [^\W\d_]{2,20}){1,7}[0-9!]{0,4}"
)
# In quotes where nothing but a password can be. The text next to a field has one of these words.
_PHRASE_OF_AN_ACCOUNT = (
    r"(?!.*\b(?:pass\w*|users?|username|names?|login|label|prompt|field|word|enter|type|choose|the|an?|your|my|this|new|old"
    r"|confirm|for|to|of|is|not?|must|here|value|test|none|required|optional)\b)"
    r"[a-z]{3,16}(?: [a-z]{2,16}){1,3}[0-9!]{0,4}"
)
_WORDS_AND_NUMBER = (
    r"[\"'`*\u201c\u201e]{0,2}(?P<secret>(?P<words>[^\W\d_]{2,14}(?:[ ](?:&[ ])?[^\W\d_]{2,14}){1,3})"
    r"[ ][0-9]{1,4}[!#*]?)[\"'`*\u201d\u201c]{0,2}(?:[.,;]?[ \t]{0,9}(?:\r?\n|\Z)|\.[ ](?=[A-Z]))"
)
_SENTENCE_WORD = (
    r"an?|the|is|are|was|were|in|on|at|to|for|of|from|by|with|as|and|or|not|no|must|should|than|least|most|min|max|see"
    r"|page|section|room|step|line|version|issue|ticket|after|every|until|since|up|length|size|ask|call|level|port|day"
    r"|days|der|die|das|ein|im|am|bis|ab|nach|von|mit|siehe|seite|de|la|le|les|en|el|du|des|un|una|uno|il|per|con|van|het|op|na|do|od"
)


def are_parts(text: str) -> bool:
    """Whether this is words joined by signs or capitals, none of which describes a password or is a word of code."""
    if compiled(_JOINED_WORDS).fullmatch(text) is None:
        return False
    return not any(is_remark_word(part) or is_part_of_a_name(part) for part in compiled(_WORD_IN_NAME).findall(text))


def is_of_a_sentence(word: str) -> bool:
    """Whether `word`, in lower case, is one that sentences have and passphrases do not: "the", "until"."""
    return compiled(_SENTENCE_WORD).fullmatch(word) is not None


def words_and_a_number(text: str, position: int) -> Location:
    """Locate words and a number that fill the rest of the line or sentence: "copper kettle 53", but no statement."""
    phrase = compiled(_WORDS_AND_NUMBER).match(text, position)
    if phrase is None:
        return None
    words = phrase["words"].lower().replace("&", "").split()
    is_sentence = any(is_remark_word(word) or is_adjective(word) or is_of_a_sentence(word) for word in words)
    return None if is_sentence else phrase.span("secret")


def is_phrase_of_a_setting(text: str) -> bool:
    """Whether words that a setting has as its value are a passphrase, and no placeholder or text about passwords."""
    is_phrase = compiled(_PHRASE_IN_SETTING).fullmatch(text) is not None
    is_description = any(
        is_remark_word(word) or (word.isascii() and is_descriptive_word(word)) for word in text.split()
    )
    return (is_phrase and not is_description) or is_saying(text.lower())


def is_phrase_of_an_account(text: str) -> bool:
    """Whether words in quotes, as an option or on the line below a user, are a passphrase and no text for a person."""
    is_phrase = compiled(_PHRASE_OF_AN_ACCOUNT).fullmatch(text) is not None
    return is_phrase and not all(map(is_remark_word, text.rstrip("0123456789!").split()))


def is_long_phrase(text: str) -> bool:
    """Whether this is four words or more, none of which says something about passwords."""
    return compiled(_PHRASE_WITH_SPACES).fullmatch(text) is not None and not any(map(is_descriptive_word, text.split()))


def are_joined_words(text: str) -> bool:
    """Whether this is words joined by "_" or "-", none of them a word of code: "open_sesame"."""
    parts = compiled(r"[_-]").split(text)
    are_words = len(parts) > 1 and all(part.isalpha() and not is_part_of_a_name(part) for part in parts)
    return are_words and is_word(parts[-1]) and not is_word_of_code(parts[-1])


def is_word(text: str) -> bool:
    """Whether this is a plain word that does not describe a password."""
    return compiled(_WORD).fullmatch(text) is not None and not is_remark_word(text) and not is_adjective(text)
