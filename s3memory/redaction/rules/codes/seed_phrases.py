"""Seed phrases that restore a wallet: 12 to 24 words of BIP-39's lists in a row, whatever separates them.

A Bloom filter holds the lists of ten languages. It is loaded when a text has a run of candidate words. Twelve words in a
row that are all in it are hardly ever anything else. After a name ("seed phrase:"), two thirds of the words are enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from s3memory.redaction.interface import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.rules.reading.seed_words import folded, is_seed_word
from s3memory.redaction.text.caching import WordCache
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.word_lists import word_list, word_set

_MIN_WORDS = 12
_MIN_DISTINCT_SHARE = 0.8
_MAX_WORD = 24
_PHRASE_LENGTHS = frozenset((12, 15, 18, 21, 24))
_NAME_WORDS = word_set("seed phrase key wallet word secret private backup ledger")
_WORD = rf"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u3099\u309a]){{0,{_MAX_WORD}}}+"
# Between two words: spaces, commas, quotes, bars, bullets and a number. No full stop, since that ends a sentence.
_BETWEEN_WORDS = r"[\"'`*,;|)\\]{0,4}[\s,\"'`*|>#(\[-]{1,24}(?:[0-9]{1,2}[\s.:)\]|=,-]{0,6}[\s|\"'`*(-]{0,6})?"
_SEPARATORS = (",", '"', "|", "-")
_AROUND_A_WORD = "0123456789.:;)(]['`*#="


class SeedRule(Rule):
    """A rule that checks every twelfth word of a text first: any phrase of twelve words contains one of those."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the phrases in the text of `subject`."""
        text = subject.text
        for separator in _SEPARATORS:
            text = text.replace(separator, " ")
        words = text.split()
        if any(_is_in_long_run(words, index) for index in range(_MIN_WORDS - 1, len(words), _MIN_WORDS)):
            yield from (Span(self.kind, *span) for span in _phrases(subject.text))


def _is_in_long_run(words: list[str], index: int) -> bool:
    """Whether the word at `index` is in a run of twelve or more words that are in the lists, apart from numbers."""
    if _COUNTS[words[index]] < 0:
        return False
    # Six of the twelve words are before it or after it, so most words can be ruled out by these two.
    half = _MIN_WORDS // 2
    if _COUNTS[words[index - half]] < 0 and (index + half >= len(words) or _COUNTS[words[index + half]] < 0):
        return False
    index -= not _COUNTS[words[index]]
    if (count := _COUNTS[words[index]]) <= 0:
        return False
    for step in (-1, 1):
        other = index + step
        while count < _MIN_WORDS and 0 <= other < len(words) and _COUNTS[words[other]] >= 0:
            count += _COUNTS[words[other]]
            other += step
    return count >= _MIN_WORDS


def _count(word: str) -> int:
    """Return 1 for a word of the lists, 0 for what may separate two of them, and -1 for any other word."""
    bare = word if word.isalpha() else word.strip(_AROUND_A_WORD)
    if 0 < len(bare) <= _MAX_WORD and is_seed_word(bare):
        return 1
    return -1 if word[0].isalpha() or word[-1].isalpha() else 0


_COUNTS = WordCache(_count)


def _phrases(text: str) -> Places:
    """Yield the span of each run of words that are all in the lists, if it can be a phrase."""
    run: list[re.Match[str]] = []
    for word in compiled(_WORD).finditer(text):
        is_known = is_seed_word(word[0])
        if run and not (is_known and compiled(_BETWEEN_WORDS).fullmatch(text, run[-1].end(), word.start())):
            yield from _phrase(run)
            run = []
        if is_known:
            run.append(word)
    yield from _phrase(run)


def _phrase(run: list[re.Match[str]]) -> Places:
    run = _without_its_name(run)
    words = [folded(word[0]) for word in run]
    # Lists of keywords and options are sorted, or repeat words.
    if len(words) >= _MIN_WORDS and len(set(words)) >= _MIN_DISTINCT_SHARE * len(words) and words != sorted(words):
        yield run[0].start(), run[-1].end()


def _without_its_name(run: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return `run` without its name, whose words may be in the lists too: "seed phrase: legal winner ..."."""
    named = next((index for index, word in enumerate(run) if word[0].lower() not in _NAME_WORDS), 0)
    return run[named:] if len(run) not in _PHRASE_LENGTHS and len(run) - named in _PHRASE_LENGTHS else run


# After one of these names, words that are misspelt or of another list count, too.
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
_NAMES_OTHER_SCRIPTS = "助记词|助記詞|恢复短语|復原|ニーモニック|シード|復元|リカバリー|니모닉|시드|복구|сид|мнемон"
_MAX_CHARS_TO_PHRASE, _MAX_PHRASE = 80, 600
_MIN_KNOWN_SHARE = 0.65
_MIN_PHRASE = 12
# Chinese words are single characters, and may stand without spaces.
_HAN_PHRASE = r"(?<![\u4e00-\u9fff])(?:[\u4e00-\u9fff]{3}){4,8}(?![\u4e00-\u9fff])"


def _find_named_phrase(match: re.Match[str], limit: int) -> Places:
    text, end = match.string, match.end()
    if limit - end < _MIN_PHRASE:
        return
    run: list[re.Match[str]] = []
    for word in compiled(_WORD).finditer(text, end, end + _MAX_PHRASE):
        if run and not compiled(_BETWEEN_WORDS).fullmatch(text, run[-1].end(), word.start()):
            if len(run) >= _MIN_WORDS or word.start() > end + _MAX_CHARS_TO_PHRASE:
                break
            run = []
        run.append(word)
    known = [number for number, word in enumerate(run) if is_seed_word(word[0])]
    # Words of the sentence before the phrase may be in the lists by chance, so three in a row mark its start.
    start = next((number for number in known if {number + 1, number + 2} <= set(known)), len(run))
    phrase = _without_its_name(run[start : max(known, default=0) + 1])
    if len(phrase) >= _MIN_WORDS and sum(number >= start for number in known) >= _MIN_KNOWN_SHARE * len(phrase):
        yield phrase[0].start(), phrase[-1].end()
    elif len(run) in _PHRASE_LENGTHS and len(known) >= _MIN_KNOWN_SHARE * len(run):
        # The first or last word may be misspelt: if the same separator joins all words, the whole run is the phrase.
        separators = {text[one.end() : other.start()] for one, other in pairwise(run)}
        if len(separators) == 1:
            yield run[0].start(), run[-1].end()


def _find_phrase_other_scripts(match: re.Match[str], limit: int) -> Places:
    yield from _find_named_phrase(match, limit)
    text, end = match.string, match.end()
    for run in compiled(_HAN_PHRASE).finditer(text, end, end + _MAX_CHARS_TO_PHRASE):
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
        around=_find_named_phrase,
        source=_SOURCE,
        samples=("seed phrase: «legal winner thank year wave sausge worth useful abandonn wealth ticket yellow»",),
        near=("the seed phrase is kept in the vault and only the two of us can open it with our keys",),
    ),
    NearRule(
        kind="seed-phrase",
        anchors=tuple(form for name in _NAMES_OTHER_SCRIPTS.split("|") for form in cased(name)),
        pattern=re.escape,
        around=_find_phrase_other_scripts,
        source=_SOURCE,
        samples=("助记词\uff1a«的一是在不了有和人这中大»",),
        near=("助记词请妥善保管",),
    ),
)
