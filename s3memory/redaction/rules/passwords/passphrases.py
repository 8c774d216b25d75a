"""Passphrases and recovery phrases: several plain words, recognized by their label and by the rest of their line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.wording import is_descriptive_word

# A sentence of four words or more has one of these; the lists of words that passphrases are made from do not.
_SENTENCE_WORD = (
    r"an?|the|is|are|was|were|be|been|in|on|at|to|for|of|from|by|with|as|its?|and|or|not|no|must|should|can|may|has|have|had"
    r"|this|that|which|your|my|our|their|see|used?|using|stored|kept|set|never|always|only|when|if"
)
_FOUR_WORDS = r"[a-z]{2,20}(?:[ -][a-z]{2,20}){3,23}"
# How many words there are, in languages that separate words: "in four words".
_NUMBER_WORDS = {
    3: "three drei trois tres três tre drie tři",
    4: "four vier quatre cuatro quatro quattro fyra fire čtyři",
    5: "five fünf cinq cinco cinque vijf fem pět",
    6: "six sechs seis sei zes sex seks šest",
    7: "seven sieben sept siete sete sette zeven sju syv sedm",
    8: "eight acht huit ocho oito otto åtta otte osm",
    10: "ten zehn dix diez dez dieci tien tio ti deset",
    12: "twelve zwölf douze doce doze dodici twaalf tolv dvanáct",
}
_COUNTS = {word: count for count, words in _NUMBER_WORDS.items() for word in words.split()}
# "in four ", before "words".
_COUNT = rf"(?i)(?<![\w-])(?P<count>{'|'.join(_COUNTS)}|[3-9]|1[0-9]|2[0-4])[ -](?:[^\W\d_-]{{2,12}}[ ])?\Z"
_MAX_COUNT = 28
_COUNTED_WORDS = (
    r"(?i:words|wörtern?|worte|mots|palabras|palavras|parole|woorden|ord|slova?)\b"
    r"[^\n:`\"\u201c\u201e\u00ab]{0,40}(?:[:,][ \n]|[`\"\u201c\u201e\u00ab])[`\"\u201c\u201e\u00ab*]{0,2}"
    r"(?P<secret>[^\W\d_]{2,16}(?:(?:[ -]|,[ ])[^\W\d_]{2,16}){2,23}(?:[ -][0-9]{1,8})?)"
)
# A label such as "phrase to unlock the vault".
_PHRASE_FOR = (
    r"phrase[ ](?:to|for|that|which)[ ](?:[^\n:=.]{0,20}[ ])?"
    r"(?i:(?:un)?lock|open|decrypt|restor|vault|disk|drive|laptop|wallet|backup|keepass|safe)[^\n:=.]{0,30}"
)
_ABOUT_A_LOGIN = (
    r"(?i)(?<![^\W_])(?:pass|mot de|contrase|senha|palavra|parola|wachtw|lösen|kod|heslo|phrase|diceware"
    r"|unlock|log|vault|tresor|wallet|seed|luks|bitlocker|bitwarden|keepass|1password|master|main one|wi-?fi|key"
    r"|secret)"
)
_MAX_BEFORE = 120
_MIN_SEED_WORDS = 0.6


def has_sentence_word(words: Iterable[str]) -> bool:
    """Whether one of `words` is of the kind that sentences have and passphrases do not, such as "the" or "is"."""
    return any(map(compiled(_SENTENCE_WORD).fullmatch, words))


def _counted_words(match: re.Match[str]) -> Location:
    """Locate words that are as many as the text says: "in four words: ..."."""
    words = compiled(r"[^\W\d_]+").findall(match["secret"])
    stated = compiled(_COUNT).search(match.string, max(0, match.start() - _MAX_COUNT), match.start())
    if stated is None:
        return None
    count = _COUNTS.get(stated["count"].lower()) or int(stated["count"])
    if len(words) != count or has_sentence_word(words):
        return None
    before = match.string[max(0, match.start() - _MAX_BEFORE) : match.start("secret")]
    return match.span("secret") if compiled(_ABOUT_A_LOGIN).search(before) else None


def _seed_words(match: re.Match[str]) -> Location:
    """Locate words most of which are in the lists of words for passphrases."""
    words = re.split("[ -]", match["secret"])
    if match["verb"] and has_sentence_word(words):
        return None
    return match.span("secret") if sum(map(is_seed_word, words)) >= _MIN_SEED_WORDS * len(words) else None


def _in_a_key_slot(match: re.Match[str]) -> Location:
    """Locate the passphrase of a key slot, unless it is a sentence about one."""
    words = match["secret"].split(" ")
    return None if is_descriptive_word(words[0]) or has_sentence_word(words) else match.span("secret")


def _passphrase(match: re.Match[str]) -> Location:
    return None if has_sentence_word(re.split("[ -]", match["secret"])) else match.span("secret")


_phrase_rule = partial(Rule, kind="password", fold=True)

RULES = (
    _phrase_rule(
        anchors=("bitwarden", "keepass", "1password", "lastpass", "vaultwarden", "diceware", "luks", "restic", "borg"),
        pattern=(
            r"(?i:bitwarden|keepass(?:xc)?|1password|lastpass|vaultwarden|diceware|luks|restic|borg)(?!\w)"
            r"[^\n]{0,110}(?:[:=\"`\u201c][ ]?|(?P<verb>[ ](?i:master|main one)[ ](?:is|was)[ ]))"
            rf"(?P<secret>{_FOUR_WORDS})(?=[\"`\u201d]|[ ]*(?:[(\n.,]|\Z))"
        ),
        locate=_seed_words,
        source="https://www.eff.org/dice",
        samples=(
            "restic repo for /home, the key is on paper: «unveil acoustic ostrich fossil hockey raccoon» (six)",
            "keepass master is «unveil acoustic ostrich fossil»",
        ),
        near=(
            "keepass master is ahead of the release again",
            "restic: repository opened and the password is cached",
            "bitwarden: import failed because of the file",
        ),
    ),
    _phrase_rule(
        anchors=(
            *("words", "w?rter", "worte", "mots", "palabras", "palavras", "parole", "woorden", "ord:", "ord,"),
            "slov",
        ),
        pattern=_COUNTED_WORDS,
        locate=_counted_words,
        source="https://www.eff.org/dice",
        samples=(
            "the vault's is four words and a year, «candle river oboe fern 1987».",
            "Passphrase vom Laptop, vier Wörter: «kanne fluss laube mond»",
        ),
        near=("in four words: do not do it", "four words of the song: candle river oboe fern", "five words, all wrong"),
    ),
    _phrase_rule(
        anchors=(
            *("passphrase", "pass phrase", "recovery phrase", "seed phrase", "mnemonic"),
            *("phrase to ", "phrase for ", "phrase that ", "phrase which "),
        ),
        pattern=(
            rf"(?i:(?:pass|recovery|seed)[ _]?phrase|mnemonic|{_PHRASE_FOR})"
            r"(?:\\?[\"'`]|\*\*){0,2}"
            r"(?:[ ](?:for|of|on|to|in)[ ][^\n:=.]{1,40}?)?"
            r"[ \t]{0,3}(?:[:=|]|is\b|was\b)(?:\*\*)?[ \t]{0,3}(?:\\?[\"'`])?"
            rf"(?P<secret>{_FOUR_WORDS})(?=[.,;!\"'`\\]|[ \t]*(?:[\n|(]|$))"
        ),
        locate=_passphrase,
        source="https://www.eff.org/dice",
        samples=(
            "my passphrase: «{words}».",
            "passphrase for the signing key: «{words}»",
            "recovery phrase: «{words}»\n",
            "phrase to unlock the vault: «{words}»",
        ),
        near=(
            "passphrase: kept in the vault of the team",
            "mnemonic: mov add sub",
            "phrase to search: in the vault of the team",
        ),
    ),
    # A space is all that joins label and phrase, so only after a numbered slot of an encrypted disk.
    _phrase_rule(
        anchors=("slot",),
        pattern=(
            r"(?i:(?:key[ ]?)?slot[ ]?[0-9]{1,2})(?:[ ]is)?[:,]?[ ](?i:pass(?:phrase|word)?|phrase)[ ]"
            r"(?P<secret>[A-Za-z]{3,16}(?:[ ][A-Za-z]{2,16}){3,7})(?=[.,;]?[ \t]*(?:\n|\Z))"
        ),
        locate=_in_a_key_slot,
        source="https://gitlab.com/cryptsetup/cryptsetup/-/wikis/FrequentlyAskedQuestions",
        samples=("LUKS header backup ok. slot 1 passphrase «copper lantern drifts beyond Tuesday»",),
        near=("slot 1 passphrase rotated last Tuesday evening", "slot 1 passphrase is in the vault of Jo"),
    ),
)
