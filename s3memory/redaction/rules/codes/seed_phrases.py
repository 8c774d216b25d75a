"""The words that a wallet is restored from: 12 to 24 of BIP-39's lists in a row, whatever stands between them.

The lists of ten languages are a Bloom filter, loaded when a text has words in a row that may be of them. A run of twelve
words that are all in it is hardly ever anything else. Behind a name, two thirds of them are enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from s3memory.redaction.model import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.rules.reading.seed_words import folded, is_seed_word
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import KnownWords
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.word_lists import word_list, word_set

_LEAST_WORDS = 12
_LEAST_DISTINCT = 0.8
_LONGEST_WORD = 24
_LENGTHS = frozenset((12, 15, 18, 21, 24))
_OF_NAMES = word_set("seed phrase key wallet word secret private backup ledger")
_WORD = rf"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u3099\u309a]){{0,{_LONGEST_WORD}}}+"
# Between two words: spaces, commas, quotes, bars and bullets, and a number. No full stop: what ends in one is a sentence.
_JOINT = r"[\"'`*,;|)\\]{0,4}[\s,\"'`*|>#(\[-]{1,24}(?:[0-9]{1,2}[\s.:)\]|=,-]{0,6}[\s|\"'`*(-]{0,6})?"
_SEPARATORS = (",", '"', "|", "-")
_AROUND_A_WORD = "0123456789.:;)(]['`*#="


class SeedRule(Rule):
    """A rule that looks at every twelfth word of a text: a phrase of twelve has one of these, wherever it stands."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the phrases in the text of `subject`."""
        text = subject.text
        for separator in _SEPARATORS:
            text = text.replace(separator, " ")
        words = text.split()
        if any(_is_inside(words, place) for place in range(_LEAST_WORDS - 1, len(words), _LEAST_WORDS)):
            yield from (Span(self.kind, *place) for place in _phrases(subject.text))


def _is_inside(words: list[str], place: int) -> bool:
    """Whether the word at `place` is one of twelve or more in a row that are all in the lists, but for numbers."""
    if _COUNTS[words[place]] < 0:
        return False
    # Half of twelve are before it or behind: most words are told from these alone.
    half = _LEAST_WORDS // 2
    if _COUNTS[words[place - half]] < 0 and (place + half >= len(words) or _COUNTS[words[place + half]] < 0):
        return False
    place -= not _COUNTS[words[place]]
    if (count := _COUNTS[words[place]]) <= 0:
        return False
    for step in (-1, 1):
        other = place + step
        while count < _LEAST_WORDS and 0 <= other < len(words) and _COUNTS[words[other]] >= 0:
            count += _COUNTS[words[other]]
            other += step
    return count >= _LEAST_WORDS


def _count(word: str) -> int:
    """Return 1 for a word that is in a list, 0 for what may stand between two, and -1 for another word."""
    bare = word if word.isalpha() else word.strip(_AROUND_A_WORD)
    if 0 < len(bare) <= _LONGEST_WORD and is_seed_word(bare):
        return 1
    return -1 if word[0].isalpha() or word[-1].isalpha() else 0


_COUNTS = KnownWords(_count)


def _phrases(text: str) -> Places:
    """Yield from the first to the last word of each run of words that are all in the lists."""
    run: list[re.Match[str]] = []
    for word in compiled(_WORD).finditer(text):
        is_one = is_seed_word(word[0])
        if run and not (is_one and compiled(_JOINT).fullmatch(text, run[-1].end(), word.start())):
            yield from _phrase(run)
            run = []
        if is_one:
            run.append(word)
    yield from _phrase(run)


def _phrase(run: list[re.Match[str]]) -> Places:
    run = _without_its_name(run)
    words = [folded(word[0]) for word in run]
    # Keywords and options are sorted, or repeat their first words.
    if len(words) >= _LEAST_WORDS and len(set(words)) >= _LEAST_DISTINCT * len(words) and words != sorted(words):
        yield run[0].start(), run[-1].end()


def _without_its_name(run: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return `run` from the phrase on: what it is called may be of the lists as well, as in "seed phrase: ..."."""
    named = next((place for place, word in enumerate(run) if word[0].lower() not in _OF_NAMES), 0)
    return run[named:] if len(run) not in _LENGTHS and len(run) - named in _LENGTHS else run


# Behind a name, words that are misspelt or of another list count, too.
_NAMES = (
    r"(?i:(?:seed|recovery|backup|secret|wallet|mnemonic|restore)[ _-]?(?:phrase|words?|sentence|list)s?|mnemonic|wallet"
    r"|ledger|trezor|metamask|(?:12|24)[ -]words?"
    r"|frase (?:semilla|de recuperaci|mnemo|semente|di recupero)|phrase (?:de récup|secrète|mnémo)"
    r"|wiederherstellungs(?:phrase|wörter)|merkwörter|obnovovací|herstelzin)"
)
_ANCHORS = (
    *word_list("seed recovery backup secret wallet mnemonic restore ledger trezor metamask 12 24"),
    *("frase ", "phrase ", "wiederherstellungs", "merkw", "obnovovac", "herstelzin"),
)
_NAMES_BEYOND = "助记词|助記詞|恢复短语|復原|ニーモニック|シード|復元|リカバリー|니모닉|시드|복구|сид|мнемон"
_BEHIND_A_NAME, _LONGEST_PHRASE = 80, 600
_LEAST_SHARE = 0.65
_SHORTEST_PHRASE = 12
# Chinese words are single characters, and may stand without spaces.
_HAN = r"(?<![\u4e00-\u9fff])(?:[\u4e00-\u9fff]{3}){4,8}(?![\u4e00-\u9fff])"


def _behind_a_name(match: re.Match[str], limit: int) -> Places:
    text, end = match.string, match.end()
    if limit - end < _SHORTEST_PHRASE:
        return
    run: list[re.Match[str]] = []
    for word in compiled(_WORD).finditer(text, end, end + _LONGEST_PHRASE):
        if run and not compiled(_JOINT).fullmatch(text, run[-1].end(), word.start()):
            if len(run) >= _LEAST_WORDS or word.start() > end + _BEHIND_A_NAME:
                break
            run = []
        run.append(word)
    known = [number for number, word in enumerate(run) if is_seed_word(word[0])]
    # Before the phrase a few words of the sentence may be known by chance: three in a row are its start.
    start = next((number for number in known if {number + 1, number + 2} <= set(known)), len(run))
    phrase = _without_its_name(run[start : max(known, default=0) + 1])
    if len(phrase) >= _LEAST_WORDS and sum(number >= start for number in known) >= _LEAST_SHARE * len(phrase):
        yield phrase[0].start(), phrase[-1].end()
    elif len(run) in _LENGTHS and len(known) >= _LEAST_SHARE * len(run):
        # The first word or the last one is misspelt, or of no list: what else is joined alike is the phrase.
        joints = {text[one.end() : other.start()] for one, other in pairwise(run)}
        if len(joints) == 1:
            yield run[0].start(), run[-1].end()


def _behind_a_name_beyond(match: re.Match[str], limit: int) -> Places:
    yield from _behind_a_name(match, limit)
    text, end = match.string, match.end()
    for run in compiled(_HAN).finditer(text, end, end + _BEHIND_A_NAME):
        if all(map(is_seed_word, run[0])):
            yield run.span()


_SOURCE = "https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki"
_TWELVE = "legal winner thank year wave sausage worth useful abandon wealth ticket yellow"
_NUMBERED = "\n".join(f"{number}. {word}" for number, word in enumerate(_TWELVE.split(), 1)).removeprefix("1. ")
_SPANISH = "ábaco zurdo abeja abierto abogado abono aborto abrazo abrir abuelo abuso acabar"

RULES = (
    SeedRule(
        kind="seed-phrase",
        scan=True,
        source=_SOURCE,
        samples=(f"my words are «{_TWELVE}».", f"1. «{_NUMBERED}»\n", f"sus palabras: «{_SPANISH}»"),
        near=(
            "legal winner thank year wave sausage worth useful legal winner thank. Yellow",
            "the legal winner may thank us this year for a wave of useful sausage that is worth it",
        ),
    ),
    NearRule(
        kind="seed-phrase",
        anchors=_ANCHORS,
        pattern=_NAMES,
        around=_behind_a_name,
        source=_SOURCE,
        samples=("seed phrase: «legal winner thank year wave sausge worth useful abandonn wealth ticket yellow»",),
        near=("the seed phrase is kept in the vault and only the two of us can open it with our keys",),
    ),
    NearRule(
        kind="seed-phrase",
        anchors=tuple(form for name in _NAMES_BEYOND.split("|") for form in cased(name)),
        pattern=re.escape,
        around=_behind_a_name_beyond,
        source=_SOURCE,
        samples=("助记词\uff1a«的一是在不了有和人这中大»",),
        near=("助记词请妥善保管",),
    ),
)
