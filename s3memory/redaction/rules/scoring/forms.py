"""The form of a candidate: the features of what it looks like, whatever its context.

A feature has a name such as ``kinds:Aa0``, and its number is a checksum of the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self
from zlib import crc32

from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.judging import is_chosen, is_leaked, is_remark_word, is_typical
from s3memory.redaction.rules.reading.likeness import has_name_of_things, is_of_code, likeness, names_things
from s3memory.redaction.rules.reading.seed_words import is_seed_word
from s3memory.redaction.rules.scoring.lexicon import PREFIX, kinds_of, split_runs
from s3memory.redaction.rules.scoring.word_candidates import shape_of
from s3memory.redaction.text.caching import WordCache, cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_identifier, is_slug, looks_random
from s3memory.redaction.text.wording import is_gibberish

N_FEATURES = 1 << 19
_MASK = N_FEATURES - 1

_HUMP = r"[A-Z]?[a-z]{3,}"
_HUMP_OR_WORD = r"[A-Z\u00c0-\u00de]?[a-z\u00df-\u00ff]+|[^\W\d_]+"
_MAX_PARTS = 6
_YEAR = r"(?:19|20)[0-9]{2}(?![0-9])"
_ENDS_IN_SIGNS = r"[0-9]+[!?*#$]+\Z"
_HEX = r"[0-9a-fA-F]+"
_SHAPE_LETTERS = frozenset("Aa0")
_MIN_GIBBERISH_LETTERS = 4


class Form(NamedTuple):
    """The form of a word or a value.

    Attributes:
        checksum: Of the name of its main feature; combined with the features of the context.
        numbers: Of all its features.
    """

    checksum: int
    numbers: tuple[int, ...]

    @classmethod
    def named(cls, name: str, others: Iterable[str] = ()) -> Self:
        """Return a form with the main feature `name`, and other features."""
        first, *rest = _encoded((name, *others))
        return cls(crc32(first), tuple([crc32(other) & _MASK for other in (first, *rest)]))

    def with_context(self, names: Iterable[str]) -> list[int]:
        """Return the feature numbers of the form, and of its context: see `in_context`."""
        return [*self.numbers, *self.in_context(names)]

    def in_context(self, names: Iterable[str]) -> list[int]:
        """Return the feature numbers of the context, each alone and combined with the form."""
        encoded = _encoded(names)
        alone = [crc32(name) & _MASK for name in encoded]
        return [*alone, *[crc32(name, self.checksum) & _MASK for name in encoded]]


def feature_numbers(names: Iterable[str]) -> list[int]:
    """Return the numbers of features with these names."""
    return [crc32(name) & _MASK for name in _encoded(names)]


def _encoded(names: Iterable[str]) -> list[bytes]:
    """Encode all names in one step."""
    return "\0".join(names).encode("utf-8", "surrogatepass").split(b"\0")


def form_of_shape(shape: str) -> Form:
    """Return the form of words of this shape: see `shape_of`."""
    return _shapes[shape]


def _of_shape(shape: str) -> Form:
    kinds = "".join(sign for sign in "Aa0" if sign in shape)
    names = [f"kinds:{kinds}", f"length:{min(len(shape), 20)}", f"digits:{min(shape.count('0'), 8)}"]
    names += [f"sign:{sign}" for sign in set(shape) - _SHAPE_LETTERS]
    names += [f"inside:{sign}" for sign in set(shape[1:-1]) - _SHAPE_LETTERS]
    names += [f"first:{shape[0]}", f"last:{shape[-1]}"]
    return Form.named(f"shape:{_short(shape)}", names)


def _short(shape: str) -> str:
    """Return a shape with each run of equal letters or digits cut to one."""
    return "".join(
        sign for sign, before in zip(shape, f" {shape}", strict=False) if sign != before or sign not in _SHAPE_LETTERS
    )


@cached_until_forgotten
def form_of_word(word: str) -> Form:
    """Return the form of a word with a digit or sign, by its shape and its letters."""
    shape = shape_of(word)
    if word.isdigit():
        form = f"number:{min(len(word), 9)}"
        names = [name for name, is_it in _judged_number(word) if is_it]
    elif not any(map(str.isalpha, word)):
        form, names = f"numbers:{_short(shape)}", [f"numbers:{min(shape.count('0'), 9)}"]
    else:
        level, typical, chosen = int(likeness(word)), is_typical(word), is_chosen(word)
        kinds = "".join(sign for sign in "Aa0" if sign in shape)
        form = f"{level}{'t' if typical else ''}{'c' if chosen else ''}{kinds}"
        names = [f"likeness:{level}", *["typical"] * typical, *["chosen"] * chosen]
        names += [name for name, is_it in _judged_word(word) if is_it]
        names += _kinds(compiled(_HUMP_OR_WORD).findall(word))
    checksum, numbers = Form.named(form, names)
    return Form(checksum, (*numbers, *form_of_shape(shape).numbers))


@cached_until_forgotten
def form_of_plain(text: str) -> Form:
    """Return the form of a plain word or phrase, by its case, its length and the words themselves."""
    parts = compiled(_HUMP_OR_WORD).findall(text)
    letters = "".join(filter(str.isalpha, text))
    random = is_gibberish(letters) if len(letters) >= _MIN_GIBBERISH_LETTERS and " " not in text else False
    case = _case(text, letters)
    names = [
        f"case:{case}",
        f"length:{min(len(text) // 2, 12)}",
        f"parts:{min(len(parts), 6)}",
        f"word:{text.lower()[:16]}",
    ]
    names += [f"part:{part.lower()[:12]}" for part in parts[:_MAX_PARTS]]
    names += [f"ends:{part.lower()[-3:]}" for part in parts[-1:]]
    names += ["gibberish"] * random + ["said"] * is_remark_word(text) + ["leaked"] * is_leaked(text)
    names += ["seeds"] * all(is_seed_word(part.lower()) for part in parts)
    names += _kinds(parts)
    return Form.named(f"{case}{random}", names)


def _kinds(parts: Iterable[str]) -> list[str]:
    """Return the feature names of the kinds of these words."""
    return [f"kind:{kind}" for kind in kinds_of({part.lower()[:PREFIX] for part in split_runs([*parts])})]


def _case(text: str, letters: str) -> str:
    """Return the case of a word or phrase, and the signs in it."""
    if " " in text:
        return f"{min(text.count(' '), 4)} {text[0].isupper()}"
    if letters.lower() == letters.upper():
        return f"script {min(len(letters), 6)}"
    signs = "".join(sorted(set(text) - set(letters)))[:2]
    if letters.islower() or letters.isupper():
        return f"{letters.islower()}{signs}"
    return f"{letters[0].isupper()}{letters[1:].islower()}{signs}"


def _judged_number(word: str) -> Iterator[tuple[str, bool]]:
    yield "year", compiled(_YEAR).fullmatch(word) is not None
    yield "easy", len(set(word)) == 1 or word in "01234567890"


def _judged_word(word: str) -> Iterator[tuple[str, bool]]:
    letters = "".join(filter(str.isalpha, word))
    humps = [hump.lower() for hump in compiled(_HUMP).findall(word)]
    yield "other", is_harmless_form(word)
    yield "random", looks_random(word)
    yield "identifier", is_identifier(word)
    yield "of code", is_of_code(word)
    yield "of things", has_name_of_things(word)
    yield "thing", any(map(names_things, humps))
    yield "seeds", bool(humps) and all(map(is_seed_word, humps))
    yield "slug", is_slug(word)
    yield "gibberish", len(letters) >= _MIN_GIBBERISH_LETTERS and is_gibberish(letters)
    yield "with year", compiled(_YEAR).search(word) is not None
    yield "shouted", compiled(_ENDS_IN_SIGNS).search(word) is not None
    yield f"hex:{min(len(word) // 8, 5)}", compiled(_HEX).fullmatch(word) is not None


_shapes = WordCache(_of_shape, most=10_000)  # fewer than elsewhere: a form takes several times the memory of a number
