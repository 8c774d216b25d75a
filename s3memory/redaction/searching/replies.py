"""Recognizes what is said in a dialogue and tells no value: questions ("which one?") and replies ("ask Anna")."""

from __future__ import annotations

from s3memory.redaction.rules.reading.harmless_codes import is_harmless_code, last_code_name
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.linking_words import ABOUT, NO_ANSWER, WHAT
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.rules.scoring.lexicon import PREFIX, has_kind, kinds_of, words_in
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.dialogues import utterance_at
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_plain

QUESTION_SIGN = r"[?\uff1f\u061f]|(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e]"
"""A pattern of the signs of a question: in Greek, a semicolon is one."""
ASKS = (
    rf"(?i){QUESTION_SIGN}|(?<![^\W_])(?:send|give|tell|need|forgot|share|remind|want|know|ask(?:s|ed|ing)?|again"
    rf"|cual|jakim)(?![^\W_])|{WHAT}"
)
"""A pattern of what shows that a line asks for something."""
_QUESTION_WORDS = rf"(?i)(?:{WHAT}|{ABOUT})(?:[^\W\d_A-Za-z]{{0,4}}|[ ][^\W\d_]{{1,8}})"  # "what", "g\u00ec v\u1eady"
_ABOUT = f"(?i){ABOUT}"
_THINGS = ("animal", "colour", "digit", "food")
_SAYS_NOTHING = ("ask", "expire", "kept", "lock", "negate", "note", "question", "remember")
# A whole question of several words: "how do I get into the office wifi?".
_QUESTION = r"(?:[^\s?:]{1,30}[ ]){2,12}[^\s?:]{1,30}[?\uff1f][ \t\r*_]*(?=\n|\Z)"
_COUNTS = word_set("count counts total totals usage budget limit limits length size")
_HOW_MANY = word_set(
    "many much combien viele viel cuántos cuántas quantos quantas quanti quante hoeveel många mange montako ile kolik "
    "koľko hány câte câți koliko kaç сколько скільки колко πόσα πόσους"
)
_WORD = r"[^\W\d_]+"
_MAX_QUESTION = 400


def is_no_answer(text: str, start: int, end: int) -> bool:
    """Whether plain words are those of a question ("which one?") or of a reply that tells no value ("ask Anna")."""
    said = compiled(r"[^\W_].*[^\W_]|[^\W_]").search(text, start, end)
    if said is None:
        return False
    has_digits = any(map(str.isdigit, said[0]))
    if not has_digits and compiled(_QUESTION_WORDS).fullmatch(text, *said.span()):
        return True
    begin = text.rfind("\n", 0, start)
    lines = Lines(text[max(0, text.rfind("\n", 0, max(0, begin)), begin - _MAX_QUESTION) : end].strip("\n"))
    asked = lines[0].text if len(lines) > 1 and has_label(lines[0].text) else ""
    answer = utterance_at(lines, len(lines) - 1)
    if answer.who and not (asked or has_digits or has_label(answer.who)):
        return compiled(_QUESTION).match(text, end - len(lines.text) + answer.start) is not None
    is_harmless = answer.who != "" and _has_harmless_name(asked, said[0])
    if has_digits or is_harmless or not occurs(ASKS, asked):
        return is_harmless
    before = lines.text[answer.start : max(answer.start, len(lines.text) - (end - start))]
    if answer.who == "" or has_label(before) or compiled(r"[,;:.][ ]").search(before):
        return False
    is_about = occurs(_ABOUT, asked)
    return is_about or (are_words(said[0]) and tells_nothing(words_at(lines.text, answer.start, len(lines.text))))


def _has_harmless_name(question: str, value: str) -> bool:
    """Whether a question is for a code that opens nothing, or a number of tokens: "token count?"."""
    code = last_code_name(question)
    words = [word.lower() for word in compiled(_WORD).findall(question)]
    labels = [index for index, word in enumerate(words) if has_label(word)]
    is_count = bool(labels) and not (_COUNTS.isdisjoint(words[labels[-1] + 1 :][:1]) and _HOW_MANY.isdisjoint(words))
    is_code = code is not None and not has_label(question[code.end() :]) and is_harmless_code(question, code)
    return occurs(ASKS, question) and ((is_count and value.isdigit()) or is_code)


def words_at(text: str, start: int, end: int) -> list[str]:
    """Return the words of a part of a text, in lower case."""
    return [word.lower() for word in words_in(text, start, end)]


def tells_nothing(words: list[str]) -> bool:
    """Whether the words of a reply tell no value: the first is one of remarks, or another one says so."""
    return bool(words) and (
        is_remark_word(words[0])
        or not NO_ANSWER.isdisjoint(words)
        or any(not kinds_of([word[:PREFIX]]).isdisjoint(_SAYS_NOTHING) and not is_thing(word) for word in words)
    )


def is_thing(word: str) -> bool:
    """Whether passphrases are made of such words: animals, food, colours, numbers."""
    return any(has_kind(word, kind) for kind in _THINGS) and not is_remark_word(word)


def are_words(text: str) -> bool:
    """Whether `text` is only words, in scripts without capitals as well, where numbers are often part of them."""
    text = text.strip("!?\u2026.")
    return is_plain(text) or (text.lower() == text.upper() and not text.isascii())
