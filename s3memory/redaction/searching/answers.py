"""Reads answers to questions that name a secret: "wifi password?", and somebody else replies "it's hunter2"."""

from __future__ import annotations

from collections.abc import Iterable

from s3memory.redaction.rules.reading.harmless_codes import is_harmless_code, last_code_name
from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.linking_words import FOR, VERBS
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.searching.settings_view import NamedValues
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.dialogues import Utterance, answer_to, utterance_at
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_plain

_ASKS = (
    r"(?i)[?\uff1f\u061f]|(?<![^\W_])(?:what|which|send|give|tell|need|forgot|share|remind|want|know|ask(?:s|ed|ing)?|again"
    r"|wie|welches|quel(?:le)?|cu[a\u00e1]l|qual|jaki(?:e|m)?)(?![^\W_])"
)
# A question whose answer is no secret: "where is the password?"
_ASKS_ABOUT = (
    r"(?i)(?<![^\W_])(?:how|who|whose|when|where|why|whether|wo|wann|wer|warum|o\u00f9|quand|qui|d\u00f3nde|cu\u00e1ndo|qui\u00e9n)"
    r"(?![^\W_])"
)
# What may follow the name of a secret in a question without making it another thing: "for the wifi please?"
_AFTER_ITS_NAME = (
    rf"(?i)s?(?:[ ](?:{'|'.join(sorted(FOR))}|utilis\w{{1,6}}|utiliz\w{{1,5}}|usas?|benutz\w{{1,4}}|gebruik\w{{0,3}}"
    r"|are|again|please|pls|now|there|here|of|to|on|at|in|from|by|you|we|i|he|she|they|do|does|did|is|was|thanks|thx)"
    r"(?![^\W_])[^?\n.;,]{0,60})?[ \u00a0?.!\u2026\uff1f\u061f\"'*_\u00bb\u201d]{0,6}"
)
_IT_IS = r"(?i)(?:it|that|this)(?:['\u2019]s|[ ](?:is|was))[ ]"
_FILLERS = VERBS | word_set(
    "yes yeah yep sure ok okay it its that thats this the a s here now still try use should think told me you i we he "
    "she they said gave just same new one and please then of course right well so ja oui si sí sim tak ano да так 是"
)
_END_OF_A_QUESTION = " \u00a0\t\r?.!\u2026\uff1f\u061f\"'*_\u00bb\u201d"
_ROLES = word_set("user assistant agent human ai bot customer client caller operator support rep guest")
_FIRST_CLAUSE = r"[^\s,;].{2,60}?(?=[,;.!][ ])"
_DESCRIBES_A_CODE = r"(?i)[ ](?:is|was|are|does|did|has|means?|on|in)\b"
_WORD = r"[^\W\d_]+"
_OPENING, _CLOSING = "\"'`*_([{<\u201c\u201e\u00ab", "\"'`*_)]}>.,;:\u201d\u00bb"
_MAX_WORDS_OF_A_NAME, _MAX_WORDS, _MIN_LENGTH = 3, 10, 4


def read_answers(lines: Lines, named: Iterable[int], values: NamedValues) -> None:
    """Add the answers to questions that name a secret to `values`.

    Args:
        lines: The lines of the text.
        named: The numbers of those that name a secret.
        values: Where each answer is added, with the name that the question gives it.
    """
    for number in named:
        name = _asked_for(lines[number].text)
        answer = answer_to(lines, number) if name else None
        if answer is not None:
            asked = utterance_at(lines, number)
            is_by_another = asked.who != "" != answer.who != asked.who
            is_answered = is_by_another or compiled(_IT_IS).match(lines.text, answer.start)
            if is_answered and not _is_a_field(answer):
                _read(values, name, answer)


def _read(values: NamedValues, name: str, answer: Utterance) -> None:
    """Add the one word of an answer or its first clause that is no filler, unless it is plain or has another form."""
    text = values.text
    clause = compiled(_FIRST_CLAUSE).match(text, answer.start, answer.end)
    for end in filter(None, (answer.end, clause and clause.end())):
        words = [_without_edges(text, *word.span()) for word in compiled(r"\S+").finditer(text, answer.start, end)]
        words = [at for at in words if at[0] < at[1]]
        telling = [at for at in words if not _FILLERS.issuperset(words_of(text[slice(*at)]) or (text[slice(*at)],))]
        if len(words) <= _MAX_WORDS and len(telling) == 1:
            word = text[slice(*telling[0])]
            if len(word) >= _MIN_LENGTH and not is_plain(word) and (word.isdigit() or not is_harmless_form(word)):
                values.add(name, telling[0], values.new_column())
                values.end_part()
            return


def _asked_for(question: str) -> str:
    """Return the name of the secret that is asked for, with the words before it ("wifi password"), or nothing."""
    if compiled(_ASKS).search(question) is None or compiled(_ASKS_ABOUT).search(question) is not None:
        return ""
    words = [*compiled(_WORD).finditer(question)]
    last = max((index for index, word in enumerate(words) if has_label(word[0])), default=-1)
    if last < 0:
        return ""
    # What a code is for may be named after it: "the code for the bike shed?"
    code = last_code_name(question)
    if code and (is_harmless_code(question, code) or compiled(_DESCRIBES_A_CODE).match(question, code.end())):
        return ""
    end = len(question.rstrip(_END_OF_A_QUESTION)) if code and code.end() >= words[last].end() else words[last].end()
    if code is None and compiled(_AFTER_ITS_NAME).fullmatch(question, end) is None:
        return ""
    return question[words[max(0, last + 1 - _MAX_WORDS_OF_A_NAME)].start() : end]


def _is_a_field(answer: Utterance) -> bool:
    """Whether the speaker is really the name of a field: "label: Forgot password?", and below it "id: reset-2"."""
    words = words_of(answer.who)
    return bool(words) and answer.who.lower() not in _ROLES and meaning(words, len(words) - 1) == HARMLESS


def _without_edges(text: str, start: int, end: int) -> tuple[int, int]:
    word = text[start:end]
    start += len(word) - len(word.lstrip(_OPENING))
    return start, max(start, start + len(word.strip(_OPENING + _CLOSING)))
