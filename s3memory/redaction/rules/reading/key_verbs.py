"""What joins a key to its name in all languages of `LANGUAGES`, and what belongs to something else."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.text.word_lists import word_set

_OF_LANGUAGES = [verb for language in LANGUAGES.values() for verb in language.verbs.split()]
VERBS = frozenset(verb for verb in _OF_LANGUAGES if "_" not in verb)
"""What says which one a key is, in small letters: "is"."""

ENDS_OF_VERBS = frozenset(verb.rpartition("_")[2] for verb in _OF_LANGUAGES)
"""The same, and the last word of what has several: "changed to"."""

FOR = word_set("for für pour para per voor dla pro för til pentru для за cho untuk pre na za")
"""What begins what a key is for."""

BECAUSE = word_set(
    "because since weil da omdat want parce porque perché puisque eftersom fordi mert ponieważ bo protože pretože "
    "çünkü потому бо тому car jer zato perquè sest koska denn"
)
"""What begins a reason, which names keys that are not the value."""

# Words of English besides, which say something else in it.
_OF_ENGLISH = word_set("to on in at so now most an be as no into takes goes reads")
# Thai and Lao, Japanese, Chinese, Korean.
_SCRIPTS_WITHOUT_SPACES = (("\u0e00", "\u0eff"), ("\u3040", "\u30ff"), ("\u4e00", "\u9fff"), ("\uac00", "\ud7a3"))
_UNSPACED = frozenset(verb for verb in VERBS if any(low <= verb[0] <= high for low, high in _SCRIPTS_WITHOUT_SPACES))
SPACED = VERBS - _UNSPACED - _OF_ENGLISH
"""Those of `VERBS` that are words of their own, without what says something else in English."""

_USES = word_set(
    "as als come comme como com som sem ako jako kao kot ca kuin jak как як като ως mint olarak sebagai làm kaip kā"
)


def _one_of(verbs: frozenset[str]) -> str:
    return "|".join(map(re.escape, sorted(verbs, key=lambda verb: (-len(verb), verb))))


IS = rf"(?:{_one_of(SPACED)})(?![^\W\d_])|{_one_of(_UNSPACED)}"
"""A pattern of one of `VERBS`: a word of its own, but in scripts without spaces."""

AS = _one_of(_USES)
"""A pattern of what says what a key is used as."""
