"""What separates a label from its value: a sign, a verb, a bracket, or the end of a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s3memory.redaction.rules.reading.linking_words import SPACED
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import phrase_list

_LETTER = r"[^\W\d_]"
# Between a label and its sign: what it belongs to ("password of jo:"), or in brackets which one it is.
_OF = rf"(?:[_-]?[0-9]{{1,2}})?(?:[ _-]{_LETTER}[\w.'\u200c-]{{0,20}}){{0,3}}?"
_WHICH = r"(?:[ ]?\([^()\n]{1,30}\))?"
_CLOSERS = r"[\"'`*\])\u201d\u00bb]{0,3}(?:</[a-z]{1,6}>)?"
# The next word, unless more words follow: "password hash of jo", but not "password serial console".
_NEXT_WORD = (
    rf"[ _-]?({_LETTER}{{2,24}})(?!{_LETTER}|[ -](?!(?:of|for|from|in|on|by|is|was|are|and|or|to|the|with)\b){_LETTER})"
)
_LEAST_OF_A_VERB = 3
_SET_TO = (
    r"(?:(?:was|got|is|has[ ]been)[ ])?(?:(?:re)?set|changed|updated|switched|rotated)(?:[ ]from[ ]\S{2,40})?[ ]to"
)
_IS = (
    _SET_TO
    + "|"
    + "|".join(
        sorted(
            {
                *phrase_list("is es er on je ez ni ir ay hau_da"),
                *(verb for verb in SPACED if len(verb) >= _LEAST_OF_A_VERB or not verb.isascii()),
            },
            key=len,
            reverse=True,
        )
    )
)
_NOW = "|".join(
    phrase_list("""
    now nu nå nyt jetzt maintenant ahora agora adesso ora teraz teď acum art\u0131k теперь тепер τώρα עכשיו الآن अब
    এখন sekarang bây_giờ sasa zdaj sada \u0441\u0435\u0433\u0430 \u0441\u0430\u0434\u0430 dabar tagad nüüd ara
    الان اکنون اب இப்போது ახლა հիմա ngayon आता ఇప్పుడు orain núna nou tani indi
    """)
)
_IS_UNSPACED = (
    r"は今(?![日年月週回晩夜朝])|[はが]|(?:现在|現在|就)?是|[改设設]?[为為]|改成|[는은](?:[ ]이제)?"
    r"|(?:ตอนนี้)?คือ|เป็น|គឺ|ແມ່ນ|ຄື"
)
EMOJI = r"[\u2600-\u27a0\u27a2-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]\ufe0f?[ ]?"
_SIGN = (
    r"[ \t]{0,3}(?:::?=?|=>?|\u2192|->|\uff1a|\uff1d|\.{3,40}|\u2026+)(?![=/~])"
    rf"|[ \t]{{1,12}}[|\u2014\u2013-](?=\s)|[ ]?(?:{_IS_UNSPACED}):?"
    rf"|[ ](?:(?:(?:{_NOW})[ ])?(?:{_IS})(?:[ ](?:{_NOW}))?|{_NOW}):?(?=\s)"
    rf"|[ ](?:{EMOJI}){{1,3}}|\t{{1,4}}(?=[^\t\n]+(?:\n|\Z))"
)
_GAP = r"(?=[ ]{1,3}\S*(?:[0-9]|[a-z][._][a-z]))"  # a value right after the label that no sentence would go on with
# The rest of a word after a label, in scripts that join words.
_REST_OF_A_NAME = r"[^\W\d_A-Za-z]{0,6}?"
_DECORATED = (
    rf"[ \t\u3000]{{0,20}}(?:{EMOJI}){{0,3}}(?:~~[^~\n]{{1,40}}~~[ ])?(?:[*_]{{1,2}}[ \t]{{0,3}})?(?:<[a-z]{{1,6}}>)?"
)
# If a label and its sign end a line, the value may be on the next one, or below an empty line or the fence of a block,
# unless that line has a label of its own or is one item of several.
_LINE_END = r"[ \t*_]{0,4}\r?\n(?:[ \t>]{0,8}\r?\n)?(?:[ \t>]{0,16}```[a-z]{0,12}[ \t]*\r?\n)?"
_LABEL = r"(?:value|val|wert|valeur|valor|valore)[ ]?[:=][ ]"
_LINE_BEGINS = (
    r"(?P<indent>[ \t>]{0,16}+)(?:(?P<bullet>[-*+\u2022])[ ]{1,3}(?![^\n]*\n(?P=indent)(?P=bullet))|(?![-*+\u2022][ ]))"
    rf"(?:{_LABEL}|(?![^\n:=]{{1,40}}(?:[:=]|\uff1a|->|\u2192)(?:\s|\Z)))"
)
_NEXT_LINE = rf"(?<!\|){_LINE_END}{_LINE_BEGINS}"
_JOIN = rf"{_REST_OF_A_NAME}(?:{_OF}{_WHICH}{_CLOSERS}(?:{_SIGN})(?:{_NEXT_LINE})?|{_CLOSERS}{_GAP}){_DECORATED}"
_BRACKET = r"(?:[ ]?\uff08|[ ]\(|(?<![A-Za-z0-9_])\()"  # the bracket of a call is right after a name
_IN_BRACKETS = rf"{_REST_OF_A_NAME}{_OF}{_CLOSERS}{_BRACKET}(?=[^()\uff08\uff09\n]{{2,80}}[)\uff09]){_DECORATED}"
# Without a sign: a heading, an item with an item below it, a question, "set the password to".
_BELOW = rf"{_REST_OF_A_NAME}{_OF}{_WHICH}{_CLOSERS}{_LINE_END}{_LINE_BEGINS}{_DECORATED}"
_HEADING = r"[ \t>]{0,8}(?:#{1,6}[ ]|\*\*|__|[-*+\u2022][ ](?=[^\n]*\n[ \t>]{1,16}[-*+\u2022][ ]))"
_SPEAKER = r"[^\n:?]{1,20}:[*_]{0,2}[ ]"
_ASKED = (
    rf"{_REST_OF_A_NAME}(?!(?i:[ _-](?:ids?|name|number|type|hint|length|policy|manager)\b)){_OF}{_CLOSERS}"
    rf"[ ]?[?\uff1f\u061f]{_LINE_END}[ \t>]{{0,16}}[*_]{{0,2}}{_SPEAKER}"
    rf"(?:(?i:it)(?:['\u2019]s|[ ]is)[ ])?{_DECORATED}"
)
_ASKS = (
    rf"[ \t>*_-]{{0,8}}{_SPEAKER}"
    r"(?!(?i:[^\n]*(?<![^\W_])(?:how|who|whose|when|where|why|whether|forgot|wo|wann|wer|warum|d\u00f3nde|c\u00f3mo|comment)\b))"
)
_TO = rf"{_OF}{_CLOSERS}(?:[ ]from[ ]\S{{2,40}})?[ ]to[ ]{_DECORATED}"
_SETS, _LONGEST_SETTING = (
    r"(?i)\b(?:(?:re)?sets?|chang(?:e[ds]?|ing)|update[ds]?|switched|rotate[ds]?)\b[^.;\n]{0,24}\Z",
    40,
)
_MOST_LINE_ENDS, _LONGEST_LINE, _FENCE = 3, 120, "```"
# What may be between the line above and a value.
_NOTHING = (
    rf"(?:[ \t>]*(?:{_FENCE}[a-z]{{0,12}})?[ \t]*\r?\n){{0,2}}[\s>*+\u2022_-]*(?:{_LABEL}|{_SPEAKER})?(?:{EMOJI})*"
    r"(?:~~[^~\n]{1,40}~~[ ])?(?:<[a-z]{1,6}>)?[\"'`*_\u201c\u201e\u00ab\u300c\u300e(\[{<]*"
)


def separators_after(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the matches of separators after the label from `start` to `end`. A value begins where a match ends.

    "Key hash:" and "key id:" have none: what follows is not the key.
    """
    following = compiled(_NEXT_WORD).match(text, end)
    if following and meaning([following[1].lower()], 0, is_beside=False) == HARMLESS:
        return
    for pattern in (_JOIN, _IN_BRACKETS):
        if (join := compiled(pattern).match(text, end)) and not ("\n" in join[0] and _is_of_a_list(text, join.end())):
            yield join
    below = compiled(_BELOW).match(text, end)
    line = text.rfind("\n", 0, start) + 1
    if below and compiled(_HEADING).match(text, line) and not _is_of_a_list(text, below.end()):
        yield below
    asked = compiled(_ASKED).match(text, end)
    if asked and compiled(_ASKS).match(text, line):
        yield asked
    to = compiled(_TO).match(text, end)
    if to and compiled(_SETS).search(text, max(0, start - _LONGEST_SETTING), start):
        yield to


def label_line_start(text: str, start: int) -> int:
    """Return the start of the line where the label of a value at `start` may be.

    That is the line above if nothing but decoration is before the value. An empty line or the fence of a block may be
    between them.
    """
    line = text.rfind("\n", 0, start) + 1
    for n_above in range(_MOST_LINE_ENDS):
        if (
            not line
            or not compiled(_NOTHING).fullmatch(text, line, start)
            or (not n_above and _is_of_a_list(text, start))
        ):
            break
        line = text.rfind("\n", 0, line - 1) + 1
    return line


def _is_of_a_list(text: str, start: int) -> bool:
    """Whether the line of `start` and the next one have as many words: such lists are read as rows elsewhere."""
    here, _, below = text[start : start + _LONGEST_LINE].partition("\n")
    words = below.partition("\n")[0].split()
    return 0 < len(here.split()) == len(words) and words[0] != _FENCE
