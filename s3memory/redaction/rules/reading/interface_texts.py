"""Recognizes texts of user interfaces in settings named after a password: `"password_rule": "At least 6 ..."`.

Files of translations write them as pairs of a name and a text: JSON, YAML, properties, gettext, Android, iOS, ARB, PHP.
The names follow no standard, but the texts say what they are: a label, a question, a rule on the number of characters,
or a sentence that itself names a password. Sources of the formats:
https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html,
https://developer.android.com/guide/topics/resources/string-resource,
https://github.com/google/app-resource-bundle/wiki/ApplicationResourceBundleSpecification,
https://docs.oasis-open.org/xliff/v1.2/os/xliff-core.html.
"""

from __future__ import annotations

from functools import cache
from re import escape
from typing import NamedTuple

from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.linking_words import VERBS
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.rules.reading.nouns import words_of
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import phrase_list, word_set

_REACH, _QUOTES = 400, "\"'`"
# The name of a setting and the quote that opens its value. In `String get newPassword => '...'` of Dart it is a getter.
_QUOTED_SETTING = (
    r"(?P<name>[A-Za-z_$][\w.$:/ -]{0,80})(?:\[\])?\\?[\"'`]?\]?\)?[ \t]{0,8}(?:[-=]>|:=|[:=\u2192\u21d2]|(?<=msgid)|(?<=msgstr))[ \t]{0,8}"
    r"(?P<quote>[\"'`])"
)
_BARE_SETTING = (
    r"[ \t]{0,40}(?:- )?(?P<name>[A-Za-z][\w-]{0,60}(?:[.:][\w-]{1,60}){0,8})(?P<sign>[ ]?=[ ]?|:[ ])(?=[^\s\"'`{\[])"
)
_TAG = r"<(?P<tag>string|value|source|target|item)(?P<attributes>(?:[ ][\w:.-]{1,32}=\"[^\"<>\n]{0,80}\"){0,4})>"
_TAG_NAME = r"\bname=\"(?P<name>[^\"]{1,80})\""
_STRINGS_LINE = r"[ \t]{0,40}\"[^\"\n]{1,80}\"[ ]?=[ ]?\"[^\n]{0,400}\";"  # of iOS: '"name" = "text";'
_GETTEXT = frozenset(("msgid", "msgstr", "msgctxt"))

# A name with one of these is that of a text: "weakPassword", "forgot_password".
_TEXT_WORDS = word_set("""
    forgot forgotten forget enter send sends show hide repeat retype reenter verify hint hints label title placeholder
    text message messages msg error errors warning info help tooltip description desc prompt caption heading header
    subject subtitle notice question instruction instructions explanation tip tips guide invalid incorrect wrong mismatch
    missing empty strength min max minimum maximum length rule rules requirement requirements expired expires recover
    recovery remember button btn link success failed failure resend sent toggle reveal must should dont not matching
    required optional
""")
# The nouns that a rule counts: "at least 8 characters", "add 2 words". Stems, by language.
_COUNTED = (
    r"[0-9]{1,3}[+]?[ \u00a0-]?(?:[^\W\d_]{2,20}[ ])?(?:char|letter|digit|symbol|word|minute|second|hour|day|zeichen|ziffer"
    r"|buchstab|wört|wort|minut|sekund|stund|tegn|bokstav|bogstav|ord\b|tal\b|siffr|tecken|merk|sana|numero|teken|woord"
    r"|cijfer|carac|caràc|mots?\b|lettre|chiffre|letra|lettere|número|palabra|palavra|parol[ae]\b|paraul|cuvint|karakter|znak"
    r"|číslic|słow|slov|cyfr|szó|szav|betű|simbol|símbol|kelime|harf|rakam|символ|слов|знак|цифр|букв|χαρακτ|λέξ|ψηφί"
    r"|märk|märg|sõna|zīm|simbol|ženkl|žod|aksara|huruf|angka|kata\b|ký tự|từ\b|chữ|أحرف|حرف|محارف|كلم|تווים|תווים|מילים"
    r"|ספרות|अक्षर|शब्द|अंक|ตัว|คำ|文字|語|桁|个|個|位|字|자|글자|단어|개)"
)
# The end of a label, a question or a rule.
_LABEL = r"[^\W\d_](?:[^\W\d_]|[ '\u2019./()-]){0,60}[ ]?[:\uff1a][ ]?[*]?"
_SENTENCE_ENDS = "?.:\u2026\u3002\uff1f\uff1a\u061f\u0964;!\uff01"
_ELLIPSIS = "..."
# A word of a sentence: letters, a small number, a template such as "{email}" or "%1$s". A password has other signs.
_PLAIN = (
    r"[¿¡(\[\"'\u2018-\u201f\u00ab]{0,3}(?:[^\W\d_]+(?:(?:\\?'|''|[\u2019\u00b7/.,-])[^\W\d_]+){0,4}|[0-9]{1,3}[+%]?(?:[-\u2013][0-9]{1,3})?"
    r"|[0-9]{1,3}(?=[\u0590-\uffff])[^\W\d_]+|(?:(?=[\u0590-\uffff])[^\W\d_])+[0-9]{1,2}(?:(?=[\u0590-\uffff])[^\W\d_])+"
    r"|[?!:;.\u2026]|\{{1,2}[\w.]{0,32}\}{1,2}(?:[^\W\d_]|[()]){0,8}|%(?:[0-9]\$)?[sd@]|%\{\w{1,32}\}|[&+\u2013\u2014*-])"
    r"[)\]\"'\u2018-\u201f\u00bb]{0,3}[.,:;?!\u2026\u3002\uff0c\uff1a\uff1f\uff01\u3001\u060c\u061f\u0964]{0,3}"
)
_NO_TEXT = r"[A-Za-z][0-9]|[0-9][A-Za-z]|[@#^=~|<>]"  # in no plain word
_BETWEEN_PLAIN = r"\s+|(?<=[\uff0c\uff1a\uff1f\uff01\u3001\u3002])(?=\S)|(?<=[\u3040-\uffff][:?!,])(?=\S)"
_HUMPED = r"[^\W\d_]*[a-z][A-Z]"
_UNSPACED_WORD = r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\ua000-\ua48f]{4,}"
_NAMES = word_set("pass pw pwd pin otp psk code passcode secret login")
# What has a password of its own, even where a format is for texts: "db_password".
_ACCOUNTS = word_set("db database root admin wifi smtp mail ftp ssh vpn default keystore")
# Names too short, or with too many other meanings, to say that a text is about passwords.
_AMBIGUOUS = word_set("pass contra combination losung clave claves security word")
_MIN_STEM, _MAX_TITLE_WORDS = 5, 5


class _Setting(NamedTuple):
    """The setting around a finding: the words of its name, the span of its value, and whether its format has only texts."""

    words: list[str]
    start: int
    end: int
    is_of_texts: bool
    is_quoted: bool


def is_interface_text(text: str, start: int, end: int) -> bool:  # noqa: PLR0911 - one question after the other
    """Whether the text from `start` to `end` is in a setting whose value is a text of a user interface."""
    if compiled(_NO_TEXT).search(text, start, end):
        return False
    setting = _setting_around(text, start, end)
    if setting is None or _is_stated_inside(text, setting, start):
        return False
    value = text[setting.start : setting.end].strip()
    words = compiled(_BETWEEN_PLAIN).split(value)
    if not all(compiled(_PLAIN).fullmatch(word) and not compiled(_HUMPED).match(word) for word in words):
        return False
    is_lower = _first_letter(value).islower()
    if compiled(_LABEL).fullmatch(value):
        return not is_lower or _names_password(value)
    is_long = len(words) > 1 or compiled(_UNSPACED_WORD).search(value) is not None
    if not is_long or words[-1].isdigit():
        return False
    is_of_format = setting.is_of_texts and _ACCOUNTS.isdisjoint(setting.words)
    is_of_text = is_of_format or not _TEXT_WORDS.isdisjoint(setting.words)
    if not (is_of_text or _names_password("".join(setting.words)) or not _NAMES.isdisjoint(setting.words)):
        return False
    if not setting.is_quoted and words[0].endswith(","):  # "v, valid for 30 days"
        return False
    ends = value.endswith((*_SENTENCE_ENDS, _ELLIPSIS))
    if not (is_lower and not ends) and (_names_password(value) or compiled(rf"(?i){_COUNTED}").search(value)):
        return True
    # Neither a passphrase in lower case, nor one of names or with a number at its end.
    is_title = len(words) <= _MAX_TITLE_WORDS and all(word[:1].isupper() for word in words)
    is_sentence = (ends and not value.endswith("!")) or not is_title
    return is_of_text and is_sentence and not is_lower and not any(map(str.isdigit, words[-1]))


def _first_letter(value: str) -> str:
    return value.lstrip("¿¡\"'([{%*\u2018\u201c\u201e\u00ab ")[:1]


def _setting_around(text: str, start: int, end: int) -> _Setting | None:
    """Return the setting whose value the span from `start` to `end` is, or is a part of."""
    begin, stop = line_around(text, start, end, _REACH)
    quoted = None
    has_quote = any(text.find(quote, begin, start) >= 0 for quote in _QUOTES)  # few lines have one
    for found in compiled(_QUOTED_SETTING).finditer(text, begin, start) if has_quote else ():
        if _closing(text, found["quote"], found.end(), start) < 0:
            quoted = found
    if quoted:
        quote = quoted["quote"]
        last = _closing(text, quote, end - text.startswith(quote, end - 1), stop)
        name = quoted["name"]
        is_of_texts = name in _GETTEXT or compiled(_STRINGS_LINE).match(text, begin, stop) is not None
        return _Setting(words_of(name), quoted.end(), last, is_of_texts, is_quoted=True) if last >= 0 else None
    tag = next(reversed([*compiled(_TAG).finditer(text, begin, start)]), None)
    last = text.find("</", end, stop)
    if tag and last >= 0 and text.find("<", tag.end(), start) < 0:
        name = compiled(_TAG_NAME).search(tag["attributes"])
        return _Setting(words_of(name["name"]) if name else [], tag.end(), last, is_of_texts=True, is_quoted=True)
    bare = compiled(_BARE_SETTING).match(text, begin, start + 1)
    if bare is None or (begin > 0 and text[begin - 1] != "\n"):
        return None
    words = words_of(bare["name"])
    # Prose has a label with a colon, too: "Password: the one on the door".
    is_of_text = len(words) > 1 and ("=" in bare["sign"] or not _TEXT_WORDS.isdisjoint(words))
    return _Setting(words, bare.end(), stop, is_of_texts=False, is_quoted=False) if is_of_text else None


def _closing(text: str, quote: str, begin: int, end: int) -> int:
    """Return the position of the next `quote` that no backslash escapes and that is no apostrophe, or -1."""
    found = compiled(rf"(?<!\\){quote}(?!{quote}\w)(?<!{quote}{quote})").search(text, begin, end)
    return found.start() if found else -1


def _is_stated_inside(text: str, setting: _Setting, start: int) -> bool:
    """Whether the value itself states the finding as a secret: "the password is gravelpond", 'use "gravelpond"'."""
    before = text[setting.start : start].rstrip("*_`'\"\u201c\u201e\u00ab( ")
    if len(text[setting.start : start]) - len(before) > 1:
        return bool(before)  # in quotes of its own
    last = before.rpartition(" ")[2].lower()
    return _names_password(before) and (before.endswith(("=", "->", ":", "-", "\u2013")) or last in VERBS)


@cache
def _password_names() -> str:
    """Return a pattern of the names of a password in all languages, with other endings."""
    names: set[str] = set()
    for language in LANGUAGES.values():
        for name in phrase_list(language.names):
            word = name.strip("*").lower()
            if word in _AMBIGUOUS or (len(word) < _MIN_STEM - 1 and word < "\u0590"):
                continue
            is_stem = len(word) > _MIN_STEM and word[-1] < "\u0590"
            border = "" if name.startswith("*") or word >= "\u0590" else r"(?<![^\W\d_])"
            names.add(border + escape(word[:-1] if is_stem else word))
    return "|".join(sorted(names, key=len, reverse=True))


def _names_password(value: str) -> bool:
    """Whether a text names a password."""
    return compiled(_password_names()).search(value.lower()) is not None
