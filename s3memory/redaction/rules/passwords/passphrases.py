"""Passphrases and recovery phrases: several plain words, which only their name and their line tell from a sentence."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.text.compiling import compiled

# A sentence of four words or more has one of these; lists of words for phrases do not.
_SENTENCE_WORD = (
    r"an?|the|is|are|was|were|be|been|in|on|at|to|for|of|from|by|with|as|its?|and|or|not|no|must|should|can|may|has|have|had"
    r"|this|that|which|your|my|our|their|see|used?|using|stored|kept|set|never|always|only|when|if"
)
_WORDS = r"[a-z]{2,20}(?:[ -][a-z]{2,20}){3,23}"
# How many there are, in languages whose words stand alone.
_NUMBERS = {
    3: "three drei trois tres três tre drie tři",
    4: "four vier quatre cuatro quatro quattro fyra fire čtyři",
    5: "five fünf cinq cinco cinque vijf fem pět",
    6: "six sechs seis sei zes sex seks šest",
    7: "seven sieben sept siete sete sette zeven sju syv sedm",
    8: "eight acht huit ocho oito otto åtta otte osm",
    10: "ten zehn dix diez dez dieci tien tio ti deset",
    12: "twelve zwölf douze doce doze dodici twaalf tolv dvanáct",
}
_COUNTS = {word: count for count, words in _NUMBERS.items() for word in words.split()}
_COUNT = rf"(?i)(?<![\w-])(?P<count>{'|'.join(_COUNTS)}|[3-9]|1[0-9]|2[0-4])[ -](?:[^\W\d_-]{{2,12}}[ ])?\Z"
_LONGEST_COUNT = 28
_COUNTED = (
    r"(?i:words|wörtern?|worte|mots|palabras|palavras|parole|woorden|ord|slova?)\b"
    r"[^\n:`\"\u201c\u201e\u00ab]{0,40}(?:[:,][ \n]|[`\"\u201c\u201e\u00ab])[`\"\u201c\u201e\u00ab*]{0,2}"
    r"(?P<secret>[^\W\d_]{2,16}(?:(?:[ -]|,[ ])[^\W\d_]{2,16}){2,23}(?:[ -][0-9]{1,8})?)"
)
_OF_A_LOGIN = (
    r"(?i)(?<![^\W_])(?:pass|mot de|contrase|senha|palavra|parola|wachtw|lösen|kod|heslo|phrase|diceware"
    r"|unlock|log|vault|tresor|wallet|seed|luks|bitlocker|bitwarden|keepass|1password|master|main one|wi-?fi|key"
    r"|secret)"
)
_BEFORE = 120
_LEAST_KNOWN = 0.6


def _counted(match: re.Match[str]) -> Location:
    words = compiled(r"[^\W\d_]+").findall(match["secret"])
    said = compiled(_COUNT).search(match.string, max(0, match.start() - _LONGEST_COUNT), match.start())
    if said is None:
        return None
    count = _COUNTS.get(said["count"].lower()) or int(said["count"])
    if len(words) != count or any(map(compiled(_SENTENCE_WORD).fullmatch, words)):
        return None
    before = match.string[max(0, match.start() - _BEFORE) : match.start("secret")]
    return match.span("secret") if compiled(_OF_A_LOGIN).search(before) else None


def _of_a_vault(match: re.Match[str]) -> Location:
    words = re.split("[ -]", match["secret"])
    known = sum(map(is_seed_word, words))
    return match.span("secret") if known >= _LEAST_KNOWN * len(words) else None


def _passphrase(match: re.Match[str]) -> Location:
    words = re.split("[ -]", match["secret"])
    return None if any(map(compiled(_SENTENCE_WORD).fullmatch, words)) else match.span("secret")


RULES = (
    Rule(
        kind="password",
        anchors=("bitwarden", "keepass", "1password", "lastpass", "vaultwarden", "diceware", "luks", "restic", "borg"),
        fold=True,
        pattern=(
            r"(?i:bitwarden|keepass(?:xc)?|1password|lastpass|vaultwarden|diceware|luks|restic|borg)(?!\w)"
            rf"[^\n]{{0,110}}[:=\"`\u201c][ ]?(?P<secret>{_WORDS})(?=[\"`\u201d]|[ ]*(?:[(\n.,]|\Z))"
        ),
        locate=_of_a_vault,
        source="https://www.eff.org/dice",
        samples=("restic repo for /home, the key is on paper: «unveil acoustic ostrich fossil hockey raccoon» (six)",),
        near=("restic: repository opened and the password is cached", "bitwarden: import failed because of the file"),
    ),
    Rule(
        kind="password",
        anchors=(
            "words",
            "w?rter",
            "worte",
            "mots",
            "palabras",
            "palavras",
            "parole",
            "woorden",
            "ord:",
            "ord,",
            "slov",
        ),
        fold=True,
        pattern=_COUNTED,
        locate=_counted,
        source="https://www.eff.org/dice",
        samples=(
            "the vault's is four words and a year, «candle river oboe fern 1987».",
            "Passphrase vom Laptop, vier Wörter: «kanne fluss laube mond»",
        ),
        near=("in four words: do not do it", "four words of the song: candle river oboe fern", "five words, all wrong"),
    ),
    Rule(
        kind="password",
        anchors=("passphrase", "pass phrase", "recovery phrase", "seed phrase", "mnemonic"),
        fold=True,
        pattern=(
            r"(?i:(?:pass|recovery|seed)[ _]?phrase|mnemonic)(?:\\?[\"'`]|\*\*){0,2}"
            r"(?:[ ](?:for|of|on|to|in)[ ][^\n:=.]{1,40}?)?"
            r"[ \t]{0,3}(?:[:=|]|is\b|was\b)(?:\*\*)?[ \t]{0,3}(?:\\?[\"'`])?"
            rf"(?P<secret>{_WORDS})(?=[.,;!\"'`\\]|[ \t]*(?:[\n|(]|$))"
        ),
        locate=_passphrase,
        source="https://www.eff.org/dice",
        samples=(
            "my passphrase: «{words}».",
            "passphrase for the signing key: «{words}»",
            "recovery phrase: «{words}»\n",
        ),
        near=("passphrase: kept in the vault of the team", "mnemonic: mov add sub"),
    ),
)
