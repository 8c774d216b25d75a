"""Passwords in sentences: a small grammar, whose words are those of `languages`, one row a language.

A sentence is read from the name on: a phrase that says whose password it is or where it is for, a sign or a verb or
nothing, and the value. It is read back from the name as well: "... is the password", "use ... as the password". All is
bounded: so many steps, in a window of so many characters.
"""

from __future__ import annotations

import re

from s3memory.redaction.model import PLACEHOLDER_PATTERN
from s3memory.redaction.rules.passwords.access import found_near
from s3memory.redaction.rules.passwords.spoken.before import before
from s3memory.redaction.rules.passwords.spoken.clause import in_clause
from s3memory.redaction.rules.passwords.spoken.values import ENDS, TOKEN, is_one, token_at, values_at
from s3memory.redaction.rules.passwords.spoken.words import (
    ANCHORS,
    SIGN,
    SPACE,
    UNSPACED,
    Words,
    is_latin,
    name_pattern,
    words_of,
)
from s3memory.redaction.rules.reading.cells import names_none_of_its_row
from s3memory.redaction.rules.reading.changes import changed_pairs
from s3memory.redaction.rules.reading.code_names import is_code_of_another_sort
from s3memory.redaction.rules.reading.counted import is_counted
from s3memory.redaction.rules.reading.in_code import is_alias
from s3memory.redaction.rules.reading.judging import Joint, is_said, is_typical
from s3memory.redaction.rules.reading.likeness import Likeness, likeness
from s3memory.redaction.rules.reading.names import KEYS_AS_WELL
from s3memory.redaction.rules.reading.near import Found, NearRule, Places
from s3memory.redaction.rules.reading.nouns import is_for_everybody
from s3memory.redaction.rules.reading.told_words import CHANGED, NOUNS_BEHIND, told_behind, told_by_a_verb
from s3memory.redaction.text.compiling import compiled

_WINDOW = 120
_CHARACTERS_OF_A_GROUP = 4
_MOST_STEPS = 12
_MOST_WORDS, _MOST_BARE_WORDS = 7, 5
_CLOSERS = r"[\"'`*_\u201d\u00bb\u300d\u300f\uff09)\]]{0,3}"
_REMARK = r"[(\[\uff08][^()\[\]\n\uff08\uff09]{1,40}[)\]\uff09]"
_CODE_BEFORE = r"(?:[\w)\]][.:]|\$\(|[$@/\\<#&{+]|->|(?:\A|[\s\"'`(\[=,])--?)\Z"
_CODE_BEHIND = r"&\w{1,40}=|[_(\[{@#/\\+]|[ ]?\}|[.:][\w(]|-[A-Za-z]|[\"']?[ ]?\]"
_OPTION_BEFORE, _LONGEST_OPTION = r"[ ]--?[a-z][a-z-]{0,20}=\Z", 24  # "vault kv get -field=password"
_ADDRESS_BEFORE = r"://[^\s)\]>|]{0,120}\Z"
_MADE_OF_ONE = r"[ -](?:check(?:ing|ers?|s)|crack\w+|hash\w*|polic\w+|strength)\b"
_INFLECTION_BEYOND = r"[\u0370-\u058f\u10a0-\u10ff]{0,4}"
# Letters of a script that writes no spaces are no part of a word in ASCII.
_TOKEN = rf"[!-~]{{1,128}}+(?=[{UNSPACED}])|{TOKEN}"
_GLUED = r"[\w$%&{\[(<\\-]"
_RESULT = (
    r"(?is).*\b(?:tests?|checks?|builds?|cases?|suites?|jobs?|lints?|all|must|will|should|to|can|they|runs?|ci)[ ]pass"
)
_LONGEST_RESULT = 16
_HANDS_ON = (
    r"(?i)pass[ ](?:into|through|along|down|around|back|over|them|it|as|an?|the|this|that|these|its|your|their|all|any|in[ ](?:both|an?|the|all|any)"
    r"|to[ ](?:the|an?)[ ][a-z]+[ ](?:to|for|as|in|when|if))\b"
)
# As in "pass the key on" and "pin it to 2.4", but not in "pass for the till" and "the PIN".
_VERB_AS_WELL = r"(?:pass|Pass|pin|Pin)(?![ ]for|[ ]of)"
_TO = r"(?i)to|into|for|from|von|vom|de|da|di|van|fr\u00e5n|fra|z|od|\u0441|\u0437|auf|zu|en|a|\u00e0|para|in|su|naar|till|til|na|do|ke|la|\u043d\u0430|\u0434\u043e"
_ARTICLE = r"(?i)\b(?:on|in|as|at|with|for|of|from|by|into|is|was|has|have|not)[ ]a\Z"  # of English, and no "to"
_WITH_BEFORE = r"(?i)(?<![\w'\u2019])(?:with|has|have|had|gets|got|mit|con|com|avec|med|met|z|s|cu|\u0441|\u0437)[ ](?:the |dem |la |le |a |il |het )?\Z"
_ASIDE = r",[ ][^\W\d_]+(?:[ ][^\W\d_]{1,12}){0,6}(?=[:\uff1a][ ])"
_PARENTHESIS = (
    r"(?i),[ ](?:by the way|btw|of course|as (?:always|usual|before|agreed|discussed)|fyi|for (?:now|reference)|again|i think"
    r"|it seems|apparently),"
)
_OLD_OR_NEW = r"(?i)(?:(?<!\w)(?:old|new|current|previous|former|first|temp(?:orary)?|initial|default)|['\u2019]s)[ ]\Z"
_BEYOND_RUN = rf"[{UNSPACED}]{{1,14}}"
_GONE = r"[^\n.;]{0,16}\[REDACTED:"  # what it names was found: it names nothing else
_PAIR = r"(?P<user>[\"'`]?[\w.@+-]{2,40}[\"'`]?)(?P<mark>[ ]?[/|:,\uff0f\uff0c\u3001][ ]?|[ ]{1,3})"
# Right behind one of these is what the password is of, whatever it looks like.
_OF_A_THING = r"(?i)[ ](?:of|for|on|at|von|vom|f\u00fcr|de|del|pour|da|di|van|voor|till|til)[ ][\"'`*]{0,2}\Z"
_LONGEST_PLACE = 8
_OF_WHAT = r"[sSwW][ ](?:for|of)[ ]"
# What is called by a word that may mean other things as well, and is the password of one of these.
_OF_AN_ACCESS = (
    r"(?i)(?:[ ][^\W\d_]{1,12}){0,2}[ -](?:l['’])?(?:wi-?fi|wlan|vpn|server|serveur|servidor|router|account|akun|konto|cuenta"
    r"|conta\b|cont(?:ul(?:ui)?)?\b|compte|e?-?mail|correo|admin|\u0633\u0631\u0648\u0631|\u0648\u0627\u06cc|\u062d\u0633\u0627\u0628)"
)
_APART = 40
_PIECE_OF_CODE = r"\w[\"'`]\)[.,;]|\w=\"\w"  # the end of a string, an attribute of HTML


def _spoken(match: re.Match[str], limit: int) -> Places:
    text, end = match.string, match.end()
    for first, last in _told(match, limit):
        value, before = text[first:last], text[max(end, first - _APART) : first]
        is_code = value.startswith(("$(", "{{")) or compiled(_PIECE_OF_CODE).search(value) is not None
        if not is_code and not (value[0].isdigit() and is_counted(before)):
            yield first, last


def _told(match: re.Match[str], limit: int) -> Found:
    text, start, end = match.string, match.start(), match.end()
    if not is_latin(match[0]):
        end = compiled(_INFLECTION_BEYOND).match(text, end).end()  # type: ignore[union-attr]  # it may be empty
    if _is_no_name(text, start, end, match[0]):
        return []
    words = words_of(match[0])
    is_of_what = match[0][:1] in "pP" and compiled(_OF_WHAT).match(text, end - 1)  # and so no pass of another kind
    if not words.is_explicit and (is_of_what or compiled(_OF_AN_ACCESS).match(text, end)):
        words = words._replace(is_explicit=True)
    is_with = compiled(_WITH_BEFORE).search(text, max(0, start - 12), start) is not None or (
        compiled(_OLD_OR_NEW).search(text, max(0, start - 12), start) is not None
        and compiled(r"[ ][\"'`*]{0,2}\S{0,30}[0-9]").match(text, end) is not None
    )
    if names_none_of_its_row(text, start, end):
        return []
    is_one = words.is_english and words.is_explicit and match[0][-1] not in "sS"
    found = told_behind(text, start, end) if is_one else []
    found = found or _pair(text, start, end, words) or _behind(text, end, limit, words, is_with=is_with)
    if found or compiled(_MADE_OF_ONE).match(text, end) or compiled(_GONE).match(text, end):
        return found
    least, led = (Likeness.RARE, Likeness.CHOSEN) if words.is_explicit else (Likeness.PLAIN, Likeness.RARE)
    found = before(text, start, words) or list(found_near(text, (start, end), least, led))
    behind = compiled(words.plain).match(text, end)
    if found or (behind is not None and behind["word"].lower() in NOUNS_BEHIND):
        return found
    return list(changed_pairs(text, (start, end), _WINDOW, Likeness.NONE))


def _is_no_name(text: str, start: int, end: int, name: str) -> bool:
    """Whether a name is part of code or of an address, or a verb: "tests pass", "pass it on"."""
    if is_latin(name):
        is_code = (
            compiled(_CODE_BEFORE).search(text, max(0, start - 3), start)
            or compiled(_CODE_BEHIND).match(text, end)
            or compiled(_OPTION_BEFORE).search(text, max(0, start - _LONGEST_OPTION), start)
        ) is not None
    else:
        is_code = text.startswith("_", end)
    if is_code or compiled(_ADDRESS_BEFORE).search(text, max(0, start - _WINDOW), start):
        return True
    if is_code_of_another_sort(text, start, end) or (
        name.lower() in KEYS_AS_WELL and is_for_everybody(text, start, end)
    ):
        return True
    is_result = compiled(_RESULT).fullmatch(text, max(0, start - _LONGEST_RESULT), end) is not None
    return name[-4:].lower() == "pass" and (is_result or compiled(_HANDS_ON).match(text, end - 4) is not None)


def _behind(text: str, end: int, limit: int, words: Words, *, is_with: bool) -> Found:  # noqa: C901, PLR0911, PLR0912, PLR0915 - one branch for each thing that may come next
    """Read on from behind the name, word by word, up to a value or where there can't be one any more."""
    position = compiled(_CLOSERS).match(text, end).end()  # type: ignore[union-attr]
    if aside := compiled(_PARENTHESIS).match(text, position):
        position = aside.end()
    is_phrase, bare, count = False, 0, 0
    plain, is_noun = compiled(words.plain), None
    for _ in range(_MOST_STEPS):
        # Most words are neither a value nor what leads to one.
        step = plain.match(text, position) if count or not is_with or is_phrase else None
        if step is not None and (count or len(step["word"]) != _CHARACTERS_OF_A_GROUP):
            position = step.start("word")
            if is_noun is None:
                is_noun = compiled(_VERB_AS_WELL).search(text, max(0, end - 4), end + 5) is None
            if position - end > _WINDOW or position > limit or not is_noun:
                return []
            count, bare = count + 1, bare + (not is_phrase)
            is_compound = words.is_english and bare and step["word"].lower() in NOUNS_BEHIND
            if is_compound or bare > _MOST_BARE_WORDS or count > _MOST_WORDS:
                return []
            position = step.end()
            continue
        position = compiled(SPACE).match(text, position).end()  # type: ignore[union-attr]
        is_gone = not words.is_beyond and PLACEHOLDER_PATTERN.match(text, position) is not None
        if is_gone or position - end > _WINDOW or position > limit:
            return []
        is_apart = bare > 0 and words.is_english
        if sign := compiled(SIGN).match(text, position):
            if not words.is_beyond and sign[0][-1] in ":=" and compiled(_GLUED).match(text, sign.end()):
                return []  # a setting
            if is_alias(text, sign.end() - 1):
                return []
            return _values(text, sign.end(), Joint.GAP if is_apart else Joint.SIGN, words, is_told=is_apart)
        if verb := compiled(words.verb).match(text, position):
            is_phrase, position = True, verb.end()
            found = _values(text, position, Joint.GAP if is_apart else Joint.VERB, words, is_told=is_apart)
        elif remark := compiled(_REMARK).match(text, position):
            found = in_clause(text, position + 1, words, is_aside=True) if words.is_explicit else []
            position = remark.end()
        elif place := compiled(words.place).match(text, position):
            is_phrase, position = True, place.end()
            is_to = compiled(_TO).fullmatch(place[0]) and not compiled(_ARTICLE).search(text, end, position)
            is_change = is_to and compiled(CHANGED).search(text, max(0, end - _WINDOW // 2), position)
            is_told = place[0].lower() in ("to", "into")
            found = _values(text, position, Joint.VERB, words, is_told=is_told) if is_change else []
        elif not text[position : position + 1].isascii() and (beyond := compiled(_BEYOND_RUN).match(text, position)):
            verb = compiled(words.unspaced_verb).match(text, position)
            found = list(values_at(text, verb.end(), Joint.VERB, words)) if verb else []
            is_phrase, position = True, beyond.end()
        elif compiled(_VERB_AS_WELL).search(text, max(0, end - 4), end + 5):
            return []
        else:
            joint = Joint.NEAR if count else Joint.VERB if is_with and not is_phrase else Joint.GAP
            found = list(values_at(text, position, joint, words))
            if found and compiled(_OF_A_THING).search(text, max(end, position - _LONGEST_PLACE), position):
                found = [place for place in found if likeness(text[slice(*place)]) >= Likeness.PLAIN]
            token = compiled(_TOKEN).match(text, position)
            if found or token is None:
                return found
            count, bare = count + 1, bare + (not is_phrase)
            word = token[0].strip(ENDS + "\"'`(").lower()
            is_compound = words.is_english and bare and word in NOUNS_BEHIND
            if is_compound or bare > _MOST_BARE_WORDS or count > _MOST_WORDS or token[0][-1] in ".;!?\u3002\u06d4":
                is_asked = token[0][-1] in "?;" and words.is_explicit and not is_compound
                return in_clause(text, token.end(), words, is_aside=False) if is_asked else []
            # What stands before a sign belongs to the word that it is glued to.
            position = token.end() - (len(token[0]) - len(token[0].rstrip(":=,")))
            if text.startswith(",", position):
                if not (aside := compiled(_ASIDE).match(text, position)):
                    is_apposition = text.startswith(", ", end) and "," not in text[max(0, end - _APART) : end]
                    if not words.is_explicit:
                        return []
                    return in_clause(text, position + 1, words, is_aside=bare == 0, is_apposition=is_apposition)
                bare, position = bare + 1, aside.end()
        if found:
            return found
    return []


def _values(text: str, position: int, joint: Joint, words: Words, *, is_told: bool) -> Found:
    """Return the values at `position`, or where none looks like one and `is_told`, the word that is told to be one."""
    found = list(values_at(text, position, joint, words))
    return found or (told_by_a_verb(text, position) if is_told and words.is_explicit else [])


def _pair(text: str, start: int, end: int, words: Words) -> Found:
    """Return where the second of a pair stands whose names are a pair, too: "usuario/clave: bob/..."."""
    if not compiled(words.pair).search(text, max(0, start - 30), start):
        return []
    position = compiled(_CLOSERS).match(text, end).end()  # type: ignore[union-attr]
    joint = compiled(words.joint).match(text, position)
    pair = compiled(_PAIR).match(text, joint.end()) if joint else None
    token = token_at(text, pair.end()) if pair else None
    if pair is None or token is None:
        return []
    value = text[slice(*token)]
    is_marked = pair["mark"].strip() != ""
    is_value = is_typical(value) or (is_marked and is_one(text, token, Joint.SIGN, words, is_quoted=False))
    return [token] if is_value and not is_said(pair["user"].strip("\"'`")) else []


_SOURCE = "https://cwe.mitre.org/data/definitions/256.html"
RULES = (
    NearRule(
        kind="password",
        anchors=ANCHORS,
        pattern=name_pattern,
        around=_spoken,
        source=_SOURCE,
        samples=(
            "the password of the old server: «{password}»",
            "Passwort vom Admin «{password}»",
            "la clave del wifi es «{password}».",
            "WLAN-Passwort im Büro lautet «{password}».",
            "«{password}» est le mot de passe du routeur",
            "пароль от вайфая: «{password}»",
            "服务器的密码改成了«{password}»。",
            "كلمة المرور للخادم هي «{password}»",
        ),
        near=(
            "the password of the old server has expired",
            "the password for the host db14 is in the vault",
            "la clave del wifi es incorrecta",
            "mot de passe : obligatoire",
            "пароль от вайфая обязателен",
            "密码使用bcrypt加密。",
        ),
    ),
)
