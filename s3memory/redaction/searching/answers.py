"""Answers, read as settings that the questions before them name: "wifi password?", and from somebody else "it's v"."""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.rules.reading.code_names import is_of_another_sort, last_name_of_a_code
from s3memory.redaction.rules.reading.key_verbs import FOR, VERBS
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.other_forms import is_other
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.searching.named_values import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.dialogues import Utterance, answer_to, utterance_at
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_plain

_ASKS = (
    r"(?i)[?\uff1f\u061f]|(?<![^\W_])(?:what|which|send|give|tell|need|forgot|share|remind|want|know|ask(?:s|ed|ing)?|again"
    r"|wie|welches|quel(?:le)?|cu[a\u00e1]l|qual|jaki(?:e|m)?)(?![^\W_])"
)
# What is answered by something else.
_ASKS_ABOUT = (
    r"(?i)(?<![^\W_])(?:how|who|whose|when|where|why|whether|wo|wann|wer|warum|o\u00f9|quand|qui|d\u00f3nde|cu\u00e1ndo|qui\u00e9n)"
    r"(?![^\W_])"
)
# What follows the name of what is asked for, and does not make another thing of it.
_BEHIND_ITS_NAME = (
    rf"(?i)s?(?:[ ](?:{'|'.join(sorted(FOR))}|again|please|pls|now|there|here|of|to|on|at|in|from|by|you|we|i|he|she"
    r"|they|do|does|did|is|was|thanks|thx)(?![^\W_])[^?\n.;,]{0,60})?[ ?.!\u2026\uff1f\u061f\"'*_]{0,6}"
)
_IT_IS = r"(?i)(?:it|that|this)(?:['\u2019]s|[ ](?:is|was))[ ]"
_FILLERS = VERBS | word_set(
    "yes yeah yep sure ok okay it its that thats this the a s here now still try use should think told me you i we he "
    "she they said gave just same new one and please then of course right well so ja oui si sí sim tak ano да так 是"
)
_END_OF_A_QUESTION = " \t\r?.!\u2026\uff1f\u061f\"'*_"
_TELLS_OF_ONE = r"(?i)[ ](?:is|was|are|does|did|has|means?|on|in)\b"
_WORD = r"[^\W\d_]+"
_EDGES, _ENDS = "\"'`*_([{<\u201c\u201e\u00ab", "\"'`*_)]}>.,;:\u201d\u00bb"
_MOST_WORDS_OF_A_NAME, _MOST_WORDS, _LEAST = 3, 10, 4


def read_answers(lines: Lines, named: Iterable[int], values: NamedValues) -> None:
    """Read the answers to questions that name a secret.

    Args:
        lines: The lines of the text.
        named: Which of them name a secret.
        values: What is read.
    """
    for number in named:
        name = _asked_for(lines[number].text)
        told = answer_to(lines, number) if name else None
        if told is not None:
            asked = utterance_at(lines, number)
            is_answered = asked.who != "" != told.who != asked.who or compiled(_IT_IS).match(lines.text, told.start)
            if is_answered and not _is_a_field(told):
                _read(values, name, told)


def _read(values: NamedValues, name: str, told: Utterance) -> None:
    """Read the one word of an answer that tells anything, if that is no plain word."""
    text = values.text
    words = [_without_edges(text, *word.span()) for word in compiled(r"\S+").finditer(text, told.start, told.end)]
    telling = [cell for cell in words if not _FILLERS.issuperset(words_of(text[slice(*cell)]) or (text[slice(*cell)],))]
    if len(words) <= _MOST_WORDS and len(telling) == 1:
        word = text[slice(*telling[0])]
        if len(word) >= _LEAST and not is_plain(word) and (word.isdigit() or not is_other(word)):
            values.add(name, telling[0], values.new_column())
            values.end_part()


def _asked_for(said: str) -> str:
    """Return the name of the secret that is asked for, with the words that say which, or nothing."""
    if compiled(_ASKS).search(said) is None or compiled(_ASKS_ABOUT).search(said) is not None:
        return ""
    words = [*compiled(_WORD).finditer(said)]
    last = max((place for place, word in enumerate(words) if has_label(word[0])), default=-1)
    if last < 0:
        return ""
    # What a code is of, stands behind it as well: "the code for the bike shed?"
    code = last_name_of_a_code(said)
    if code and (is_of_another_sort(said, code) or compiled(_TELLS_OF_ONE).match(said, code.end())):
        return ""
    end = len(said.rstrip(_END_OF_A_QUESTION)) if code and code.end() >= words[last].end() else words[last].end()
    if code is None and compiled(_BEHIND_ITS_NAME).fullmatch(said, end) is None:
        return ""
    return said[words[max(0, last + 1 - _MOST_WORDS_OF_A_NAME)].start() : end]


def _is_a_field(told: Utterance) -> bool:
    """Whether what seems to speak is the name of a field: "label: Forgot password?", and below it "id: reset-2"."""
    words = words_of(told.who)
    return bool(words) and meaning(words, len(words) - 1) == HARMLESS


def _without_edges(text: str, start: int, end: int) -> tuple[int, int]:
    word = text[start:end]
    start += len(word) - len(word.lstrip(_EDGES))
    return start, max(start, start + len(word.strip(_EDGES + _ENDS)))
