"""Passphrases and recovery phrases: several plain words, which only their name and their line tell from a sentence."""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.wording import is_predicate

# A sentence of four words or more has one of these; lists of words for phrases do not.
SENTENCE_WORD = (
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
# What encrypts with a key that somebody makes up.
_ENCRYPTING = (
    r"(?i:restic|borg(?:backup|base|matic)?|kopia|duplicati|duplicacy|gocryptfs|cryptomator|veracrypt|luks|rclone|cryfs"
    r"|encfs|zfs|tarsnap|attic)"
)
_SLUG = r"(?=[^\s]{0,40}-[0-9]{1,4}(?:-|[^\w-]|\Z))[A-Za-z]{3,14}(?:-(?:[A-Za-z]{2,14}|[0-9]{1,4})){2,7}"
_NO_PHRASE = (
    r"(?i)(?<![a-z])(?:keys?|backups?|repo|id|prod|staging|dev|test|host|server|vault|secret|path|file|slot)(?![a-z])"
)
_PHRASE_FOR = (
    r"phrase[ ](?:to|for|that|which)[ ](?:[^\n:=.]{0,20}[ ])?"
    r"(?i:(?:un)?lock|open|decrypt|restor|vault|disk|drive|laptop|wallet|backup|keepass|safe)[^\n:=.]{0,30}"
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
    if len(words) != count or any(map(compiled(SENTENCE_WORD).fullmatch, words)):
        return None
    before = match.string[max(0, match.start() - _BEFORE) : match.start("secret")]
    return match.span("secret") if compiled(_OF_A_LOGIN).search(before) else None


def _of_a_vault(match: re.Match[str]) -> Location:
    words = re.split("[ -]", match["secret"])
    known = sum(map(is_seed_word, words))
    if match["verb"] and any(map(compiled(SENTENCE_WORD).fullmatch, words)):
        return None
    return match.span("secret") if known >= _LEAST_KNOWN * len(words) else None


def _key_of_a_tool(match: re.Match[str]) -> Location:
    return None if compiled(_NO_PHRASE).search(match["secret"]) else match.span("secret")


def _of_a_slot(match: re.Match[str]) -> Location:
    words = match["secret"].split(" ")
    is_sentence = is_predicate(words[0]) or any(map(compiled(SENTENCE_WORD).fullmatch, words))
    return None if is_sentence else match.span("secret")


def _passphrase(match: re.Match[str]) -> Location:
    words = re.split("[ -]", match["secret"])
    return None if any(map(compiled(SENTENCE_WORD).fullmatch, words)) else match.span("secret")


_phrase_rule = partial(Rule, kind="password", fold=True)

RULES = (
    _phrase_rule(
        anchors=("bitwarden", "keepass", "1password", "lastpass", "vaultwarden", "diceware", "luks", "restic", "borg"),
        pattern=(
            r"(?i:bitwarden|keepass(?:xc)?|1password|lastpass|vaultwarden|diceware|luks|restic|borg)(?!\w)"
            r"[^\n]{0,110}(?:[:=\"`\u201c][ ]?|(?P<verb>[ ](?i:master|main one)[ ](?:is|was)[ ]))"
            rf"(?P<secret>{_WORDS})(?=[\"`\u201d]|[ ]*(?:[(\n.,]|\Z))"
        ),
        locate=_of_a_vault,
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
        pattern=_COUNTED,
        locate=_counted,
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
            rf"(?P<secret>{_WORDS})(?=[.,;!\"'`\\]|[ \t]*(?:[\n|(]|$))"
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
    _phrase_rule(
        anchors=(
            *("restic", "borg", "kopia", "duplica", "gocryptfs", "cryptomator", "veracrypt", "luks", "rclone", "cryfs"),
        ),
        pattern=(
            rf"{_ENCRYPTING}(?!\w)[^\n]{{0,60}}?(?i:key|pass(?:phrase|word)?|phrase)\b[^\n:=]{{0,20}}[:=][ ]?[\"'`]?"
            rf"(?P<secret>{_SLUG})(?=[\"'`]|[.,;]?(?:[ \n(]|\Z))"
        ),
        locate=_key_of_a_tool,
        source="https://restic.readthedocs.io/en/stable/070_encryption.html",
        samples=("restic repo key: «tulip-gravel-96-anthem»", 'borg key of the nas = "«amber-otter-lamp-7»"'),
        near=("restic repo key: backup-key-2024", "borg: key-file-2024", "restic key: in-the-vault"),
    ),
    # Nothing joins them but a space, so only where a key of a disk is counted.
    _phrase_rule(
        anchors=("slot",),
        pattern=(
            r"(?i:(?:key[ ]?)?slot[ ]?[0-9]{1,2})(?:[ ]is)?[:,]?[ ](?i:pass(?:phrase|word)?|phrase)[ ]"
            r"(?P<secret>[A-Za-z]{3,16}(?:[ ][A-Za-z]{2,16}){3,7})(?=[.,;]?[ \t]*(?:\n|\Z))"
        ),
        locate=_of_a_slot,
        source="https://gitlab.com/cryptsetup/cryptsetup/-/wikis/FrequentlyAskedQuestions",
        samples=("LUKS header backup ok. slot 1 passphrase «copper lantern drifts beyond Tuesday»",),
        near=("slot 1 passphrase rotated last Tuesday evening", "slot 1 passphrase is in the vault of Jo"),
    ),
)
