"""Words between the name of a key and its value, in all languages of `LANGUAGES`: "is", "changed to", "as"."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.text.word_lists import word_set

_ALL_VERBS = [verb for language in LANGUAGES.values() for verb in language.verbs.split()]
VERBS = frozenset(verb for verb in _ALL_VERBS if "_" not in verb)
"""Single verbs that link a name to its value, in lower case: "is"."""

LAST_WORDS_OF_VERBS = frozenset(verb.rpartition("_")[2] for verb in _ALL_VERBS)
"""The same, and the last word of verbs of several words: "to" of "changed to"."""

FOR = word_set("for für pour para per voor dla pro för til pentru для за cho untuk pre na za")
"""Prepositions that begin what a key is for: "the key for the shop"."""

BECAUSE = word_set(
    "because since weil da omdat want parce porque perché puisque eftersom fordi mert ponieważ bo protože pretože "
    "çünkü потому бо тому car jer zato perquè sest koska denn"
)
"""Conjunctions that begin a reason: a key that it names is not the value."""

# Verbs or particles of other languages that are other words in English.
_OTHER_WORDS_IN_ENGLISH = word_set("to on in at so now most an be as no into takes goes reads")
# Thai and Lao, Japanese, Chinese, Korean.
_SCRIPTS_WITHOUT_SPACES = (("\u0e00", "\u0eff"), ("\u3040", "\u30ff"), ("\u4e00", "\u9fff"), ("\uac00", "\ud7a3"))
_UNSPACED = frozenset(verb for verb in VERBS if any(low <= verb[0] <= high for low, high in _SCRIPTS_WITHOUT_SPACES))
SPACED = VERBS - _UNSPACED - _OTHER_WORDS_IN_ENGLISH
"""Those of `VERBS` that spaces set apart, without those that are other words in English."""

_AS_WORDS = word_set(
    "as als come comme como com som sem ako jako kao kot ca kuin jak как як като ως mint olarak sebagai làm kaip kā"
)


def _one_of(verbs: frozenset[str]) -> str:
    return "|".join(map(re.escape, sorted(verbs, key=lambda verb: (-len(verb), verb))))


IS = rf"(?:{_one_of(SPACED)})(?![^\W\d_])|{_one_of(_UNSPACED)}"
"""A pattern of `VERBS`: whole words, but for scripts without spaces."""

AS = _one_of(_AS_WORDS)
"""A pattern of words for "as", as in "kettle47 as the key"."""
