"""Passwords in sentences: a small grammar, whose words are those of `languages`, one row a language.

A sentence is read from the name on: a phrase that says whose password it is or where it is for, a sign or a verb or
nothing, and the value. It is read back from the name as well: "... is the password", "use ... as the password". All is
bounded: so many steps, in a window of so many characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from s3memory.redaction.compiling import compiled
from s3memory.redaction.model import PLACEHOLDER_PATTERN
from s3memory.redaction.rules.below import list_below, table_below
from s3memory.redaction.rules.judging import Joint, is_mixed, is_password, is_said, is_typical
from s3memory.redaction.rules.languages import LANGUAGES
from s3memory.redaction.rules.near import NearRule, Places
from s3memory.redaction.rules.seed_phrases import is_seed_word
from s3memory.redaction.wording import is_gibberish

_WINDOW = 120
_MOST_STEPS = 12
_MOST_WORDS, _MOST_BARE_WORDS = 7, 2

_SPACE = r"[ \t\u00a0]{0,4}"
_CLOSERS = r"[\"'`*_\u201d\u00bb\u300d\u300f\uff09)\]]{0,3}"
_SIGN = (
    r"(?:[:=]{1,2}(?!//)|[\uff1a\uff1d\u2192\u27a1\u21d2]|[-=]{1,2}>|>{1,2}(?=[ ])|[-\u2013\u2014](?=[ ])|\|(?=[ ]))"
)
_REMARK = r"[(\[\uff08][^()\[\]\n\uff08\uff09]{1,40}[)\]\uff09]"
_OPENING = r"[\"'`*_(\[\u201e\u201c\u201d\u00ab\u2018\u300c\u300e\uff08]{0,3}[ \u00a0\u202f]{0,2}"
_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201e": "\u201c\u201d",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2018": "\u2019",
    "\u2019": "\u2019",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\u201a": "\u2018\u2019",
}
_LONGEST_QUOTED = 80
# A value goes on to a space, or to a letter of a script that writes none.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u3001\u3002\uff01-\uff0f\uff1a-\uff20"
_ASCII = r"[!-~]{1,128}+"
_TOKEN = r"[^\s\u3000-\u303f\uff01-\uff0f\uff1b\uff1f\u201c\u201d\u00ab\u00bb]{1,128}+"
_ENDS = ".,;:!?)]}>\"'`*_\\|\u061b\u060c\u06d4\u0964"
_LAST = r"[\"'`*_)\]\u201d\u00bb\u300d!]{0,4}(?:[.,;\u3002\uff0c\u3001\uff01\u0964\u06d4\u060c)]|[ \t]{0,20}(?:\r?\n|\\n|\Z|[(#|]|//|--?[ ])|[ ]?[\uac00-\ud7a3\u3040-\u30ff\u0900-\u0dff])"
_LAST_WORD = r"[ ](?:and|but|so|for|on|in|until|till|which|since|because|please|then|if|und|aber|f\u00fcr|bis|bitte|et|mais|pour|y|pero|para|e|ma|per|en|maar|och|men|i|ale|a|\u0438|\u0430|\u043d\u043e)[ ]"
_GROUPS = r"(?:[0-9]{3,6}(?:[ -][0-9]{3,6}){1,9}|[A-Za-z0-9]{4}(?:[ -][A-Za-z0-9]{4}){2,9})(?![A-Za-z0-9@_-])"
_PHRASE = r"[^\W\d_]{2,20}(?:[ ][^\W\d_]{2,20}){2,9}[0-9!]{0,4}(?=[\"'`.;!)]{0,2}[ \t]{0,9}(?:\n|\\n|\Z))"
_MORE = (
    r"[\"'`*_)\u201d\u00bb\u300d]{0,3}(?:[ ]{0,2}[,;/|\u3001\uff0c(][ ]{0,2}|[ ]{1,2}(?:[-=]{1,2}>|\u2192)?[ ]{0,2})"
    r"(?:[^\W\d_]{1,10}[ :]{1,2}){0,3}"
)
_MORE_BEYOND = rf"[\"'`]?[ ]?[{_UNSPACED}]{{1,6}}[ ]?[\"'`]?"
_CODE_BEFORE = r"(?:[\w)\]][.:]|[$@/\\<#&{]|->|(?:\A|[\s\"'`(\[=,])--?)\Z"
_CODE_BEHIND = r"[_(\[{@#/\\]|[ ]?\}|[.:][\w(]|-[A-Za-z]|[\"']?[ ]?\]"
_VAGUE = frozenset(
    [
        "pass",
        "parola",
        "pin",
        "pw",
        "psw",
        "pin_code",
        "contra",
        "clave",
        "passe",
        "combination",
        "geslo",
        "parole",
        "sandi",
        "parol",
        "рмз",
        "رمز",
        "नं",
    ]
)
_NOUNS_BEHIND = frozenset(
    [
        "manager",
        "managers",
        "policy",
        "policies",
        "reset",
        "field",
        "fields",
        "hash",
        "hashes",
        "hashing",
        "prompt",
        "prompts",
        "form",
        "forms",
        "page",
        "protection",
        "recovery",
        "strength",
        "length",
        "rotation",
        "generator",
        "storage",
        "file",
        "files",
        "auth",
        "authentication",
        "login",
        "change",
        "changes",
        "history",
        "rules",
        "rule",
        "requirements",
        "hint",
        "hints",
        "expiry",
        "expiration",
        "database",
        "db",
        "vault",
        "store",
        "entry",
        "input",
        "box",
        "column",
        "columns",
        "validation",
        "validator",
        "link",
        "email",
        "mail",
        "attempts",
        "attempt",
        "flow",
        "grant",
        "type",
        "types",
        "option",
        "options",
        "parameter",
        "parameter's",
        "argument",
        "less",
        "based",
        "check",
    ]
)
# In Latin letters: a name may stand in a sentence of a script that writes no spaces.
_NO_LETTER_BEFORE, _NO_LETTER_BEHIND = r"(?<![A-Za-z0-9_\u00c0-\u024f])", r"(?![A-Za-z0-9_\u00c0-\u024f])"
_INFLECTION = r"[a-z\u00df-\u024f]{0,5}"
_INFLECTION_BEYOND = r"[\u0370-\u058f\u10a0-\u10ff]{0,4}"
_ARGUMENT = r"[\w-]{1,40}[=:]"
_GLUED = r"[\w$%&{\[(<\\-]"
# As in "All tests pass: 1204": a result.
_RESULT = (
    r"(?is).*\b(?:tests?|checks?|builds?|cases?|suites?|jobs?|lints?|all|must|will|should|to|can|they|runs?|ci)[ ]pass"
)
_LONGEST_RESULT = 16
_VERBS_AS_WELL = ("pass", "pin")
_TO = r"(?i)to|into|from|von|vom|de|da|di|van|fr\u00e5n|fra|z|od|\u0441|\u0437|auf|zu|en|a|\u00e0|para|in|su|naar|till|til|na|do|ke|la|\u043d\u0430|\u0434\u043e"
_CHANGED = (
    r"(?i)chang|cambi|mud|alter|ge(?:\u00e4|ae)nder|gesetzt|wijzig|(?:\u00e4|\u00e6)ndr|endr|zmien|zm\u011bn|zmen|promijen|\u0441\u043c\u0435\u043d|\u0438\u0437\u043c\u0435\u043d"
    r"|\u043f\u043e\u043c\u0435\u043d|\u0437\u043c\u0456\u043d|reset|rotat|updat|\bset\b|modifi|actuali|atuali|aggiorn|impost|defin|ustaw|nastav"
)
_WITH_BEFORE = (
    r"(?i)(?<!\w)(?:with|mit|con|com|avec|med|met|z|s|cu|\u0441|\u0437)[ ](?:the |dem |la |le |a |il |het )?\Z"
)
_BEYOND_RUN = rf"[{_UNSPACED}]{{1,14}}"
_MOST_VALUES = 12
_LEAD = r"(?:[ \t\u00a0]{0,4}[:=\uff1a])?[ \t\u00a0\u3000]{0,4}\*{0,2}_{0,2}(?=\S|\Z)|"
_LEAST_SHOUTED = 6
_MOST_WORDS_MIXED = 5
_LEAST_WORDS = 3
_LEAST_KNOWN, _MOSTLY_KNOWN = 0.4, 0.6
# What passphrases have as well as sentences.
_SMALL = frozenset(
    [
        "the",
        "a",
        "an",
        "my",
        "our",
        "of",
        "in",
        "on",
        "to",
        "for",
        "and",
        "or",
        "at",
        "by",
        "is",
        "old",
        "new",
        "big",
        "no",
        "red",
        "open",
        "long",
        "short",
        "good",
        "even",
        "same",
        "correct",
        "right",
        "clear",
    ]
)
_PARTICLE = "[\u306f\u3092\u662f\u4e3a\u70ba\ub294\uc740]"
_WORD_END = r"(?![\w])"
_AS = [
    "as",
    "als",
    "comme",
    "como",
    "come",
    "som",
    "jako",
    "jak",
    "mint",
    "ca",
    "kao",
    "kot",
    "olarak",
    "sebagai",
    "làm",
    "как",
    "як",
    "като",
    "ως",
]
_PAIR_BEFORE = r"[\"'`*]{0,2}[ ]?(?:[/|&+,\u3001\uff0f:-]|and|und|et|y|e|en|och|og|i|ja|\u0438|\u548c|\u3068|\uc640)[ ]?[\"'`*]{0,2}\Z"
_PAIR = r"(?P<user>[\"'`]?[\w.@+-]{2,40}[\"'`]?)(?P<mark>[ ]?[/|:,\uff0f\uff0c\u3001][ ]?|[ ]{1,3})"
_VALUE_BEFORE = (
    r"(?P<value>[\"'`\u201c\u201e\u00ab][^\"'`\u201c\u201d\u00bb\n]{4,40}[\"'`\u201c\u201d\u00bb]"
    r"|[^\s\u3000-\u303f\"'`]{4,64}+)"
)
_LONGEST_BEFORE = 70
_MOST_BEFORE = 5
_DASHES = frozenset(["–", "—", "=", "-"])


class Words(NamedTuple):
    """What a name means, as patterns of the words of the languages that it is of.

    Attributes:
        verb: What says which one it is.
        unspaced_verb: The same behind a few letters of a script that writes no spaces.
        place: What begins a phrase of whose it is or where it is for.
        pair: What the first half of a pair ends in.
        joint: What stands between the names of a pair and the pair.
        before: A value, and what links it to the name behind it.
        links: The words that do.
        is_spaced: Words are apart by spaces.
        is_english: It is English, where a noun behind the name makes it another thing.
        is_explicit: It means nothing else.
        is_beyond: It is in letters beyond Latin.
    """

    verb: str
    unspaced_verb: str
    place: str
    pair: str
    joint: str
    before: tuple[str, ...]
    links: frozenset[str]
    is_spaced: bool
    is_english: bool
    is_explicit: bool
    is_beyond: bool


def _bare(name: str) -> str:
    return name.strip("*").replace("-", "_")


def _spelled(word: str) -> str:
    return re.escape(word.strip("*").replace("_", " ")).replace(r"\ ", "[ _-]")


def _choice(words: Iterable[str]) -> str:
    return "|".join(sorted({_spelled(word) for word in words}, key=len, reverse=True))


def _is_latin(word: str) -> bool:
    letter = next(letter for letter in word if letter.isalpha())
    return letter < "\u0370" or "\u1e00" <= letter < "\u1f00"


def _codes_by_name() -> dict[str, frozenset[str]]:
    codes: dict[str, set[str]] = {}
    for code, language in LANGUAGES.items():
        for name in language.names.split():
            codes.setdefault(_bare(name), set()).add(code)
    return {name: frozenset(found) for name, found in codes.items()}


_CODES = _codes_by_name()
_NAMES = {name for language in LANGUAGES.values() for name in language.names.split()}


def _latin_pattern() -> str:
    """Return a pattern of the names in Latin letters: those of their own, and those that end longer words."""
    latin = list(filter(_is_latin, _NAMES))
    kinds = [
        (
            rf"{_NO_LETTER_BEFORE}(?:{_choice(name for name in latin if not name.startswith('*') and not name.endswith('*'))})"
        ),
        (
            rf"{_NO_LETTER_BEFORE}(?:{_choice(name for name in latin if not name.startswith('*') and name.endswith('*'))}){_INFLECTION}"
        ),
        (rf"(?:{_choice(name for name in latin if name.startswith('*'))}){_INFLECTION}"),
    ]
    return rf"(?i:(?:{'|'.join(kinds)}){_NO_LETTER_BEHIND})"


def _beyond_pattern() -> str:
    """Return a pattern of the other names, which begins with literals only, so that `re` skips to their first letters."""
    names = [_bare(name).replace("_", " ") for name in _NAMES if not _is_latin(name)]
    spelled = {form for name in names for form in (name, name.capitalize(), name.upper())}
    return "|".join(sorted(map(re.escape, spelled), key=len, reverse=True))


def _anchors() -> tuple[str, ...]:
    """Return how the names in Latin letters begin in `Subject.folded`."""
    found = {_bare(name).split("_")[0].encode("ascii", "replace").decode("ascii") for name in _NAMES if _is_latin(name)}
    return tuple(sorted(one for one in found if not any(one != other and one.startswith(other) for other in found)))


def _words_of(name: str) -> Words:
    bare = _bare(name.lower().replace(" ", "_"))
    length = next((size for size in range(len(bare), 1, -1) if bare[:size] in _CODES), 0)
    return _words(_CODES.get(bare[:length], frozenset(("en",))), bare[:length] not in _VAGUE)


@cache
def _words(codes: frozenset[str], is_explicit: bool) -> Words:  # noqa: FBT001 - a key of the cache
    rows = [LANGUAGES[code] for code in sorted(codes)]
    is_latin = any(_is_latin(name) for row in rows for name in row.names.split())
    verbs = [word for row in rows for word in row.verbs.split()]
    places = [word for row in rows for word in row.places.split()]
    elided = [word.rstrip("'") for word in places if word.endswith("'")]
    unspaced = compiled(f"[{_UNSPACED}]").search(verbs[0]) is not None
    verb = f"(?i:(?:{_choice(verbs)}){'' if unspaced else _WORD_END}|{_PARTICLE})"
    place = rf"(?i:(?:{_choice(places)})(?![\w-])|(?:{_choice(elided) or '(?!)'})['\u2019])"
    users = _choice(word for row in rows for word in row.users.split())
    link = rf"(?i:(?:{_choice([*verbs, *_AS])}){'' if unspaced else _WORD_END})"
    spaced = (
        rf"{_VALUE_BEFORE}[ ]{{1,2}}(?:{link}|[\u2013\u2014=-])[ ]{{1,2}}(?:[^\W\d_]+['\u2019 -][ ]{{0,1}}){{0,3}}\Z"
    )
    glued = rf"(?P<value>(?<![!-~])[!-~]{{4,64}}+)[ ]?(?:{link})[ ]?[{_UNSPACED}A-Za-z ]{{0,12}}\Z"
    return Words(
        verb=verb,
        unspaced_verb=rf"[{_UNSPACED}]{{0,14}}?{verb}",
        place=place,
        pair=f"(?i:{users}){_PAIR_BEFORE}",
        joint=rf"{_SPACE}(?:{_SIGN}|{verb}|(?=[ ])){_SPACE}",
        before=(spaced, glued) if unspaced else (spaced,),
        links=_DASHES.union(*(word.split("_") for word in verbs), _AS),
        is_spaced=not unspaced,
        is_english="en" in codes,
        is_explicit=is_explicit,
        is_beyond=not is_latin,
    )


def _spoken(match: re.Match[str], limit: int) -> Places:
    text, start, end = match.string, match.start(), match.end()
    name = match[0]
    if _is_latin(name):
        is_code = compiled(_CODE_BEFORE).search(text, max(0, start - 3), start) or compiled(_CODE_BEHIND).match(
            text, end
        )
    else:
        end = compiled(_INFLECTION_BEYOND).match(text, end).end()  # type: ignore[union-attr]  # it may be empty
        is_code = None
        if text.startswith("_", end):
            return
    if is_code:
        return
    if compiled(_RESULT).fullmatch(text, max(0, start - _LONGEST_RESULT), end):
        return
    words = _words_of(name)
    is_with = compiled(_WITH_BEFORE).search(text, max(0, start - 12), start) is not None
    if rows := table_below(text, start, end) or list_below(text, end, limit):
        yield from rows
        return
    found = list(_pair(text, start, end, words) or _behind(text, end, limit, words, is_with=is_with))
    yield from found or _before(text, start, words)


def _behind(text: str, end: int, limit: int, words: Words, *, is_with: bool) -> Places:  # noqa: C901, PLR0911, PLR0912 - one branch for each thing that may come next
    """Read on from behind the name, word by word, up to a value or where there can't be one any more."""
    position = compiled(_CLOSERS).match(text, end).end()  # type: ignore[union-attr]
    is_phrase, bare, count = False, 0, 0
    for _ in range(_MOST_STEPS):
        position = compiled(_SPACE).match(text, position).end()  # type: ignore[union-attr]
        if position - end > _WINDOW or position > limit:
            return
        if sign := compiled(_SIGN).match(text, position):
            if not words.is_beyond and sign[0][-1] in ":=" and compiled(_GLUED).match(text, sign.end()):
                return  # a setting
            yield from _values(text, sign.end(), Joint.GAP if bare and words.is_english else Joint.SIGN, words)
            return
        if verb := compiled(words.verb).match(text, position):
            found = list(_values(text, verb.end(), Joint.GAP if bare and words.is_english else Joint.VERB, words))
            if found:
                yield from found
                return
            is_phrase, position = True, verb.end()
        elif remark := compiled(_REMARK).match(text, position):
            position = remark.end()
        elif place := compiled(words.place).match(text, position):
            is_phrase, position = True, place.end()
            is_change = compiled(_TO).fullmatch(place[0]) and compiled(_CHANGED).search(
                text, max(0, end - _WINDOW // 2), position
            )
            found = list(_values(text, position, Joint.VERB, words)) if is_change else []
            if found:
                yield from found
                return
        elif beyond := compiled(_BEYOND_RUN).match(text, position):
            verb = compiled(words.unspaced_verb).match(text, position)
            found = list(_values(text, verb.end(), Joint.VERB, words)) if verb else []
            if found:
                yield from found
                return
            is_phrase, position = True, beyond.end()
        elif text[max(0, end - 4) : end].lower().endswith(_VERBS_AS_WELL):
            return
        else:
            joint = Joint.NEAR if count else Joint.VERB if is_with and not is_phrase else Joint.GAP
            found = list(_values(text, position, joint, words))
            token = compiled(_TOKEN).match(text, position)
            if found or token is None:
                yield from found
                return
            count, bare = count + 1, bare + (not is_phrase)
            word = token[0].strip(_ENDS + "\"'`(").lower()
            is_compound = words.is_english and bare and word in _NOUNS_BEHIND
            if is_compound or bare > _MOST_BARE_WORDS or count > _MOST_WORDS or token[0][-1] in ".;!?\u3002\u06d4":
                return
            # What stands before a sign belongs to the word that it is glued to.
            position = token.end() - (len(token[0]) - len(token[0].rstrip(":=,")))
            if text.startswith(",", position):
                return


def _values(text: str, position: int, joint: Joint, words: Words) -> Places:
    """Yield the value at `position`, and those that follow it: "from v to w", "v or w", "v (was w)"."""
    first = _value(text, position, joint, words)
    for _ in range(_MOST_VALUES):
        if first is None:
            return
        yield first
        first = _following(text, first)


def _following(text: str, last: tuple[int, int]) -> tuple[int, int] | None:
    """Return what follows a value and is one as well."""
    for pattern in (_MORE, _MORE_BEYOND):
        more = compiled(pattern).match(text, last[1])
        if more is None or more.end() == last[1]:
            continue
        is_linked = compiled(_LINK).search(more[0]) is not None
        quoted = _quoted(text, more.end()) if is_linked else None
        place = quoted or _token(text, more.end())
        if place is None:
            continue
        value = text[slice(*place)]
        if compiled(_ARGUMENT).match(value):
            continue
        is_number = value.isdigit() and text[slice(*last)].isdigit() and len(value) >= _LEAST_NUMBER
        if is_typical(value) or (is_linked and (is_number or is_mixed(value) or (quoted and not _is_sentence(value)))):
            return place
    return None


_LEAST_NUMBER = 4
_LINK = (
    r"(?i)[-=]>|\u2192|/|\b(?:to|into|or|new|now|old|was|previously|formerly|auf|zu|oder|neu|jetzt|alt|vorher|en|a|\u00e0|ou|puis"
    r"|para|por|o|ahora|antes|in|ora|prima|naar|of|nu|till|til|eller|na|do|lub|nebo|ke|atau|\u043d\u0430|\u0438\u043b\u0438|\u0431\u044b\u043b|\u0441\u0442\u0430\u043b)\b"
    rf"|[{_UNSPACED}]"
)


def _value(text: str, position: int, joint: Joint, words: Words) -> tuple[int, int] | None:
    position = compiled(_LEAD).match(text, position).end()  # type: ignore[union-attr]
    if PLACEHOLDER_PATTERN.match(text, position):
        return None
    if quoted := _quoted(text, position):
        is_one = _are_groups(text[slice(*quoted)]) or _is_one(text, quoted, joint, words, is_quoted=True)
        return quoted if is_one else None
    if joint >= Joint.GAP and (groups := compiled(_GROUPS).match(text, position)) and _are_groups(groups[0]):
        return groups.span()
    if joint >= Joint.VERB and words.is_explicit and (phrase := compiled(_PHRASE).match(text, position)):
        return phrase.span() if _are_secret_words(phrase[0]) else None
    token = _token(text, position)
    return token if token and _is_one(text, token, joint, words, is_quoted=False) else None


def _quoted(text: str, position: int) -> tuple[int, int] | None:
    closing = _QUOTES.get(text[position : position + 1])
    if closing is None:
        return None
    start = position + 1
    start += len(text[start : start + 2]) - len(text[start : start + 2].lstrip(" \u00a0\u202f"))
    ends = [end for quote in closing if (end := text.find(quote, start, start + _LONGEST_QUOTED)) > start]
    inside = text[start : min(ends)] if ends else ""
    if not inside.strip() or "\n" in inside:
        return None
    return start, start + len(inside.rstrip())


def _token(text: str, position: int) -> tuple[int, int] | None:
    """Return where a value without quotes stands: in ASCII up to the next space or other letter, or a word of any script."""
    if compiled(f"[{_UNSPACED}]").match(text, position):
        return None
    position += text.startswith(("(", "[", "<"), position)
    position += text.startswith(('"', "'", "`", "*"), position)
    token = compiled(_ASCII).match(text, position) or compiled(_TOKEN).match(text, position)
    if token is None:
        return None
    value = token[0]
    if (rest := compiled(_TOKEN).match(text, position)) and not compiled(f"[{_UNSPACED}]").search(rest[0]):
        value = rest[0]
    # A password may end in one of these, but so does a sentence.
    value = value.rstrip(_ENDS.replace("!", ""))
    for bracket, closer in ("()", "[]"):
        if value.count(bracket) > value.count(closer) and text.startswith(closer, position + len(value)):
            value += closer
    return (position, position + len(value)) if value else None


def _is_one(text: str, span: tuple[int, int], joint: Joint, words: Words, *, is_quoted: bool) -> bool:
    value = text[slice(*span)]
    if " " in value:
        is_one = _are_secret_words(value) or (_is_mixed(value) and not _is_sentence(value))
        return is_one and (joint >= Joint.VERB or (joint == Joint.GAP and is_quoted))
    if is_quoted and joint < Joint.VERB and not is_typical(value):
        return joint == Joint.GAP and words.is_explicit and is_mixed(value)
    is_last = compiled(_LAST).match(text, span[1]) is not None or compiled(_LAST_WORD).match(text, span[1]) is not None
    return is_password(
        value.rstrip("!") if len(value) > _LEAST_SHOUTED else value,
        joint,
        is_quoted=is_quoted,
        is_last=is_last,
        is_explicit=words.is_explicit,
        is_foreign=value.isascii() and words.is_beyond,
    )


def _is_mixed(value: str) -> bool:
    has_digit = any(map(str.isdigit, value))
    return has_digit and any(map(str.isalpha, value)) and len(value.split()) <= _MOST_WORDS_MIXED


def _is_sentence(value: str) -> bool:
    words = [word.strip(_ENDS).lower() for word in value.split()]
    return any(is_said(word) and word not in _SMALL for word in words)


def _are_groups(value: str) -> bool:
    if not compiled(_GROUPS).fullmatch(value):
        return False
    groups = value.replace("-", " ").split()
    run = "".join(groups)
    if run.isdigit():
        return True
    return (
        len(set(map(len, groups))) == 1
        and (any(map(str.isdigit, run)) or is_gibberish(run))
        and not _is_sentence(value)
    )


def _are_secret_words(value: str) -> bool:
    """Whether words in a row are a passphrase: most are in the lists of seeds, and hardly any is said of passwords."""
    words = value.rstrip("0123456789!").replace("-", " ").lower().split()
    known, said = sum(map(is_seed_word, words)), sum(map(is_said, words))
    return (
        len(words) >= _LEAST_WORDS
        and known >= _LEAST_KNOWN * len(words)
        and said <= (known >= _MOSTLY_KNOWN * len(words))
    )


def _pair(text: str, start: int, end: int, words: Words) -> list[tuple[int, int]]:
    """Return where the second of a pair stands whose names are a pair, too: "usuario/clave: bob/..."."""
    if not compiled(words.pair).search(text, max(0, start - 30), start):
        return []
    position = compiled(_CLOSERS).match(text, end).end()  # type: ignore[union-attr]
    joint = compiled(words.joint).match(text, position)
    pair = compiled(_PAIR).match(text, joint.end()) if joint else None
    token = _token(text, pair.end()) if pair else None
    if pair is None or token is None:
        return []
    value = text[slice(*token)]
    is_marked = pair["mark"].strip() != ""
    is_one = is_typical(value) or (is_marked and _is_one(text, token, Joint.SIGN, words, is_quoted=False))
    return [token] if is_one and not is_said(pair["user"].strip("\"'`")) else []


def _before(text: str, start: int, words: Words) -> Places:
    """Read back from the name: "... is our new password", "use ... as the password"."""
    begin = max(text.rfind("\n", max(0, start - _LONGEST_BEFORE), start) + 1, start - _LONGEST_BEFORE, 0)
    before = text[begin:start].lower().split()
    if words.is_spaced and not words.links.intersection(before[-_MOST_BEFORE:]):
        return
    for pattern in words.before:
        if found := compiled(pattern).search(text, begin, start):
            value = found["value"].strip(_ENDS.replace("!", "") + "\"'`([*\u201e\u201c\u00ab\u201d\u00bb")
            place = (
                found.start("value") + found["value"].find(value),
                found.start("value") + found["value"].find(value) + len(value),
            )
            is_quoted = found["value"][0] in _QUOTES
            if (
                value
                and (is_quoted or not value.isalpha())
                and _is_one(text, place, Joint.VERB, words, is_quoted=is_quoted)
            ):
                yield place
                return


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"

RULES = (
    NearRule(
        kind="password",
        anchors=_anchors(),
        pattern=_latin_pattern(),
        around=_spoken,
        source=_SOURCE,
        samples=(
            "the password of the old server: «{password}»",
            "Passwort vom Admin «{password}»",
            "la clave del wifi es «{password}».",
            "WLAN-Passwort im Büro lautet «{password}».",
            "«{password}» est le mot de passe du routeur",
        ),
        near=(
            "the password of the old server has expired",
            "the password for the host db14 is in the vault",
            "la clave del wifi es incorrecta",
            "mot de passe : obligatoire",
        ),
    ),
    NearRule(
        kind="password",
        pattern=_beyond_pattern(),
        around=_spoken,
        source=_SOURCE,
        samples=(
            "пароль от вайфая: «{password}»",
            "服务器的密码改成了«{password}»。",
            "كلمة المرور للخادم هي «{password}»",
        ),
        near=("пароль от вайфая обязателен", "密码使用bcrypt加密。"),
    ),
)
