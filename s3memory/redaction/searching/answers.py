"""Reads answers to questions that name a secret: "wifi password?", and somebody else replies "it's hunter2"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from s3memory.redaction.rules.reading.candidates import words_with_digits
from s3memory.redaction.rules.reading.changed_passwords import is_replaced, numbered_word_at, without_case_ending
from s3memory.redaction.rules.reading.harmless_codes import is_harmless_code, last_code_name
from s3memory.redaction.rules.reading.harmless_forms import ENDINGS, is_harmless_form
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.linking_words import (
    ABOUT,
    COPULA,
    FOR,
    HEDGES,
    SAYING,
    TYPED,
    VERBS,
    WHAT,
)
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.stated_words import NOUNS_AFTER_PASSWORD
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.rules.scoring.lexicon import PREFIX, has_kind, kinds_of
from s3memory.redaction.searching.replies import ASKS, QUESTION_SIGN, are_words, is_thing, tells_nothing, words_at
from s3memory.redaction.searching.settings_view import NamedValues
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.dialogues import Utterance, answer_to, utterance_at
from s3memory.redaction.text.lines import Lines
from s3memory.redaction.text.tables import Cell
from s3memory.redaction.text.word_lists import word_set

# What may follow the name of a secret in a question without making it another thing: "for the wifi please?"
_AFTER_ITS_NAME = (
    r"s?(?:[ ](?P<first>[^\W_][\w'\u2019\u200c-]{0,24})[^?\n.;,]{0,60})?"
    r"[ \u00a0?.!;\u2026\u3002\uff1f\u061f\"'*_\u00bb\u201c\u201d\u300d\u300f]{0,6}"
)
_FIRST_AFTER = (
    VERBS | FOR | word_set(" ".join(language.places.replace("_", " ") for language in LANGUAGES.values()))
) | word_set("are again please pls now there here do does did is was has have ha ne thanks thx usas usa wifi wlan")
_NOT_LATIN = "\u0370"  # the first letter beyond Latin
_KEYS = ("token", "secret", "key", "creds", "credentials", "login")
_BULLETS = "-\u2013"
_USING = ("utilis", "utiliz", "benutz", "gebruik")
_IT_IS = r"(?i)(?:it|that|this)(?:['\u2019]s|[ ](?:is|was))[ ]"
_FILLERS = VERBS | HEDGES
_END_OF_A_QUESTION = " \u00a0\t\r?.!;\u2026\u3002\uff1f\u061f\"'*_\u00bb\u201c\u201d\u300d\u300f"
_ROLES = word_set("user assistant agent human ai bot customer client caller operator support rep guest")
_FIRST_CLAUSE = r"[^\s,;].{2,60}?(?=[,;.!\u06d4\u0964][ ]|[\u3001\u3002\uff0c\u060c]|(?<=[!-~])[ ][\u0e01-\u0eff])"
_SENT_CODE = r"([0-9]{3}[ -]?[0-9]{3})[ \t\r.]*"
_TURNS = r"(?i)((?:left|right|[lr])[ ]?[0-9]{1,2}(?:[ ,/-]{1,2}(?:left|right|[lr])[ ]?[0-9]{1,2}){2,4})[ \t\r.]*"
_DESCRIBES_A_CODE = r"(?i)[ ](?:is|was|are|does|did|has|means?|on|in)\b"
_WORD = r"[^\W\d_]+"
_OPENING, _CLOSING = "\"'`*_([{<\u201c\u201e\u00ab", "\"'`*_)]}>.,;:\u201c\u201d\u00bb\u300d\u300f\u3002\u06d4\u0964"
_TO = word_set("to into auf zu in en à a para naar til till na la u în на в до σε")
_UNITS = frozenset(("measure", "money"))
# As in "and the PIN?".
_AND = (
    r"\A[^\w\n]{0,6}(?:(?:and|und|et|y|e|en|och|og|ja|i|a|és|ve|и|\u0456|\u0430|και|და|și|và|dan)[ ]|[\u0648\u05d5])"
    r"[^\n]*[?\uff1f\u061f;\u037e]|[呢은는][?\uff1f]"
)
# As in "4471 for the front, 8820 for the back"; no year and no number with a unit.
_CODE = (
    r"(?<![!-~\u00a1-\u2fff])(?!(?:19|20)[0-9]{2}(?![0-9]))[0-9]{4,8}"
    r"(?![\w:/%-](?<![\u3040-\u9fff\uac00-\ud7a3])|[年月日円元人号個个회번년월원호]|[.,][0-9])"
)
_PART = r"[^.;!?\n\"\u201d\u00bb()\u3002]{4,60}(?![^\W_])"
# A program asks, and the words after the colon were typed: "Enter archive password: warm kettle".
_PROMPT = (
    r"[ \t>$]{0,8}(?P<prompt>[^\W\d_][^:\uff1a\n0-9]{3,60})[:\uff1a][ ]?"
    r"(?P<typed>[^\W\d_]+(?:[ ][^\W\d_]+){1,5})[ \t\r]*"
)
_IS_QUESTION, _ABOUT = f"(?i){QUESTION_SIGN}|{WHAT}", f"(?i){ABOUT}"
_MAX_WORDS_OF_A_NAME, _MAX_WORDS, _MIN_LENGTH = 3, 10, 4
_MAX_WORDS_WITH_TO, _MAX_WORDS_FOR_IT = 2, 6


def read_answers(lines: Lines, named: Iterable[int], values: NamedValues, phrases: NamedValues) -> None:
    """Add the answers to questions that name a secret to `values`, those of several words to `phrases`.

    Args:
        lines: The lines of the text.
        named: The numbers of those that name a secret.
        values: Where each answer is added, with the name that the question gives it.
        phrases: The same for passphrases.
    """
    for number in named:
        _read_prompt(lines, number, phrases)
        asked, answer = utterance_at(lines, number), answer_to(lines, number)
        name = _asked_for(lines[number].text) if answer else ""
        if answer and answer.who != asked.who and _asks_for_it(lines.text[answer.start : answer.end]):
            name = _name_in(lines[number].text, is_asked=False)
            asked, answer = answer, answer_to(lines, lines.number_of(answer.start))
        code = compiled(_SENT_CODE).fullmatch(lines.text, answer.start, answer.end) if answer else None
        if code and answer and "" not in (asked.who, answer.who) and _is_prompt(lines[number].text):
            values.add_alone("verification code", code.span(1))
        elif name and answer and not _is_a_field(answer):
            is_by_another = _is_by_another(asked, answer, lines[number].text)
            if is_by_another or compiled(_IT_IS).match(lines.text, answer.start):
                _read(values, phrases, name, answer)
                said = lines.text[asked.start : asked.end]
                is_question = occurs(_IS_QUESTION, said)
                for cell in _codes_in(lines.text, answer) if is_question and last_code_name(name) else ():
                    phrases.add_alone(name, cell)


def _read_prompt(lines: Lines, number: int, phrases: NamedValues) -> None:
    """Add the words that were typed after the prompt of a program, unless they are a hint or an error."""
    prompt = compiled(_PROMPT).fullmatch(lines[number].text)
    if prompt and has_label(prompt["prompt"]) and not has_label(prompt["typed"]):
        words = words_at(prompt["typed"], 0, len(prompt["typed"]))
        said = words_at(prompt["prompt"], 0, len(prompt["prompt"]))
        is_to_enter = any(has_kind(word, "enter") and not has_label(word) for word in said)
        is_to_enter = is_to_enter and any(has_label(word) and not has_kind(word, "token") for word in said)
        if is_to_enter and not tells_nothing(words) and not is_remark_word(words[-1]):
            start, end = (lines[number].start + at for at in prompt.span("typed"))
            phrases.add_alone("access password", (start, end), is_of_words=True, is_quoted=False)


def _is_by_another(asked: Utterance, answer: Utterance, question: str) -> bool:
    """Whether two speak: a dash or a quote begins what the next one says. One that may be a bullet needs a "what"."""
    is_sign = [who[:1] not in "<>" and not who[:1].isalnum() for who in (asked.who, answer.who)]
    if "" in (asked.who, answer.who) or not any(is_sign):
        return "" not in (asked.who, answer.who) and asked.who != answer.who
    return asked.who == answer.who and (
        asked.who not in _BULLETS or compiled(f"(?i){WHAT}|{_AND}").search(question) is not None
    )


def _read(values: NamedValues, phrases: NamedValues, name: str, answer: Utterance) -> None:
    """Add the one word of an answer or its first clause that is no filler, unless it is plain or has another form."""
    text = values.text
    for cell in _changed_in(text, answer):
        values.add_alone("password", cell)
    if turns := compiled(_TURNS).fullmatch(text, answer.start, answer.end):
        return values.add_alone(name, turns.span(1))
    clause = compiled(_FIRST_CLAUSE).match(text, answer.start, answer.end)
    for end in filter(None, (answer.end, clause and clause.end())):
        found = compiled(r"[^\s\u3001\u3002\uff0c]+").finditer(text, answer.start, end)
        words = [_without_edges(text, *word.span()) for word in found]
        words = [at for at in words if at[0] < at[1]]
        telling = [at for at in words if not _FILLERS.issuperset(words_of(text[slice(*at)]) or (text[slice(*at)],))]
        phrase = (words[0][0], words[-1][1]) if words else (end, end)
        if _is_passphrase(text, *phrase, is_typed=compiled(TYPED).search(text, end, answer.end) is not None):
            return phrases.add_alone("access password", phrase, is_of_words=True)
        if len(words) <= _MAX_WORDS and len(telling) == 1:
            word = text[slice(*telling[0])]
            is_file = compiled(rf"(?i)[\w/-]{{1,60}}\.(?:{ENDINGS})").fullmatch(word) is not None
            is_other = is_file or are_words(word) or has_kind(word.lower(), "brand")
            if len(word) >= _MIN_LENGTH and not is_other and (word.isdigit() or not is_harmless_form(word)):
                is_named = word.isdigit() or name.lower().endswith(_KEYS)
                values.add_alone(name if is_named else "password", telling[0])
            return None
    return None


def _changed_in(text: str, answer: Utterance) -> Iterator[Cell]:
    """Yield the old and the new password of an answer: "changed from kale11 to kale12"."""
    found = words_with_digits(text, answer.start, answer.end)
    words = [without_case_ending(text, first, last) for _, first, last in found]
    for pair in pairwise(word for word in words if not is_harmless_form(text[slice(*word)])):
        may_be_one = any(numbered_word_at(text, *word) for word in pair)
        if may_be_one and is_replaced(text, (answer.start, answer.end), *pair):
            yield from pair


def _codes_in(text: str, answer: Utterance) -> Iterator[Cell]:
    """Yield the codes that begin an answer or another part of it, with what is said about each."""
    codes = [answer.start]
    for code in compiled(_CODE).finditer(text, answer.start, answer.end):
        before = compiled(r"[,;\u060c\u3001\uff0c]").split(text[answer.start : code.start()])[-1]
        is_begun = words_of(before)[-1] in _FILLERS if words_of(before) else before.strip(" \"'*`") == ""
        behind = [word[:PREFIX] for word in words_at(text, code.end(), answer.end)[:1] if len(word) >= _MIN_LENGTH - 1]
        if not _UNITS.isdisjoint(kinds_of(behind)):
            return
        if is_begun:
            codes.append(code.start())
    for start, end in pairwise([*codes[1:], answer.end]):
        if part := compiled(_PART).match(text, start, end):
            yield start, start + len(part[0].rstrip(" ,"))


def _is_passphrase(text: str, start: int, end: int, *, is_typed: bool) -> bool:
    """Whether an answer is a phrase that people choose as a password, or one with a remark on how to type it."""
    phrase, words = text[start:end], words_at(text, start, end)
    n_things = sum(map(is_thing, words)) + phrase[-1:].isdigit()
    are_things = (1 if phrase.isalpha() and not phrase.isascii() else 2) <= n_things >= len(words) - 1
    is_saying = compiled(SAYING).fullmatch(phrase) is not None and not kinds_of(words)
    is_one = are_things or is_saying or (is_typed and phrase != "" and len(words) <= _MAX_WORDS_FOR_IT)
    return is_one and "," not in phrase and are_words(phrase.rstrip("0123456789 ")) and not tells_nothing(words)


def _asked_for(question: str) -> str:
    """Return the name of the secret that is asked for, with the words before it ("wifi password"), or nothing."""
    is_asked = occurs(ASKS, question) and not occurs(_ABOUT, question)
    return _name_in(question) if is_asked else ""


def _is_prompt(question: str) -> bool:
    """Whether a line tells somebody to enter what was sent: "enter the code we sent you"."""
    is_to_enter = {"enter", "send"} <= kinds_of(word[:PREFIX] for word in words_at(question, 0, len(question)))
    return is_to_enter and _name_in(question, is_asked=False) != ""


def _asks_for_it(question: str) -> bool:
    """Whether a question asks for what was named before: "what is it now?"."""
    is_question = compiled(QUESTION_SIGN).search(question) is not None
    words = compiled(_WORD).findall(question.lower()) if is_question else []
    if words[:1] and words[0] in _TO and len(words) == _MAX_WORDS_WITH_TO:
        return not occurs(_ABOUT, question)
    return (
        words != ["which", "one"]
        and 0 < len(words) <= _MAX_WORDS_FOR_IT
        and any(map(_is_what, words))
        and all(word in _FILLERS or _is_what(word) or kinds_of([word[:PREFIX]]) & {"be", "fresh"} for word in words)
    )


def _is_what(word: str) -> bool:
    return compiled(WHAT).fullmatch(word) is not None


def _name_in(question: str, *, is_asked: bool = True) -> str:
    """Return the last name of a secret in a line, with the words before it, or nothing if others make it harmless."""
    words = [*compiled(_WORD).finditer(question)]
    last = max((index for index, word in enumerate(words) if has_label(word[0])), default=-1)
    if last < 0:
        return ""
    # What a code is for may be named after it: "the code for the bike shed?"
    code = last_code_name(question)
    if code and (is_harmless_code(question, code) or compiled(_DESCRIBES_A_CODE).match(question, code.end())):
        return ""
    end = len(question.rstrip(_END_OF_A_QUESTION)) if code and code.end() >= words[last].end() else words[last].end()
    if not is_asked:
        after = words[last + 1][0].lower() if last + 1 < len(words) else ""
        if after in NOUNS_AFTER_PASSWORD or meaning([after], 0, is_beside=False) == HARMLESS:
            return ""
        end = max(words[last].end(), code.end() if code else 0)
    elif code is None and not _may_follow(question, end):
        return ""
    return question[words[max(0, last + 1 - _MAX_WORDS_OF_A_NAME)].start() : end]


def _may_follow(question: str, end: int) -> bool:
    """Whether what follows the name of a secret in a question does not make it another thing ("password policy")."""
    after = compiled(_AFTER_ITS_NAME).fullmatch(question, end)
    first = after and after["first"]
    if after is None or not first:
        return after is not None
    is_linked = first.lower() in _FIRST_AFTER or first.lower().startswith(_USING) or first[0] >= _NOT_LATIN
    what = compiled(f"(?i){WHAT}").search(question)
    return is_linked or (what is not None and what[0].lower() not in ("what", "which"))


def _is_a_field(answer: Utterance) -> bool:
    """Whether the speaker is really the name of a field: "label: Forgot password?", and below it "id: reset-2"."""
    words = words_of(answer.who)
    return bool(words) and answer.who.lower() not in _ROLES and meaning(words, len(words) - 1) == HARMLESS


def _without_edges(text: str, start: int, end: int) -> tuple[int, int]:
    word = text[start:end]
    start += len(word) - len(word.lstrip(_OPENING))
    end = max(start, start + len(word.strip(_OPENING + _CLOSING)))
    for copula in compiled(COPULA).finditer(text[start:end]):
        start, end = (start + copula.end(), end) if not copula.start() else (start, start + copula.start())
    return start, end
