"""Judges passwords by the settings next to them: in logs, env files, connection strings, queries and YAML."""

from __future__ import annotations

from s3memory.redaction.rule import Location
from s3memory.redaction.rules.passwords.word_values import (
    are_joined_words,
    are_parts,
    is_of_a_sentence,
    is_phrase_of_a_setting,
)
from s3memory.redaction.rules.reading.joins import Named
from s3memory.redaction.rules.reading.judging import is_part_of_a_name, is_remark_word
from s3memory.redaction.rules.reading.literals import Literal
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_reference

# A line of a log: "user=jo pw=river.maple ip=10.0.0.8". The value has the form of a name in code.
_SETTING_BEFORE, _SETTING_AFTER = r"[A-Za-z][\w-]{1,20}=[^\s=,()\"']{1,30}[ ]\Z", r"[ ][A-Za-z][\w-]{1,20}=[^\s=]"
_TWO_WORDS = r"([A-Za-z]{3,16})[.]([A-Za-z]{3,16})"
_LINE_OF_SETTINGS = r"[ \t]{0,8}[A-Za-z][\w.-]{1,60}=(?P<value>[^\s\"'`(){}\[\]<>$,;=]{1,80})[ \t]{0,9}(?:\r?\n|\Z)"
_MAX_NAME, _MAX_LINE = 80, 160
# In YAML: a key, and words that fill the rest of its line.
_YAML_KEY = r"[ \t]{0,24}(?:-[ ])?[\w.-]{2,60}:[ ]{1,4}"
_REST_OF_WORDS = r"[^\W\d_]{2,20}(?:[ ][^\W\d_]{2,20}){1,7}(?=[ \t]*(?:\r?\n|\Z))"
# What stands next to the password in a connection string: "uid=jo;", ";server=db1".
_CONNECTION_BEFORE = (
    r"(?i)\b(?:user(?:[ ]?(?:id|name))?|uid)=[^;=\s\"']{1,60};[ ]?\Z"
    r"|\b(?:host|hostaddr|dbname|port)=[^\s=\"']{1,60}[ ](?:user=[^\s=\"']{1,40}[ ])?\Z"
)
_CONNECTION_AFTER = (
    r"(?i);[ ]?(?:server|host|port|database(?: ?name)?|data source|initial catalog|uid|user(?:[ ]?(?:id|name))?)="
    r"|[ ](?:host|hostaddr|dbname|port|sslmode)="
)
# What stands next to it in a query or in the options of a mount: "&mode=", "user=jo,".
_NEXT_SETTING, _PREVIOUS_SETTING = r"[;&,][ ]?[A-Za-z][\w ]{0,24}=", r"=[^\s=;&,]{1,60}[;&,?][ ]?[\w.]{0,24}\Z"


def is_two_words_in_a_log(found: Named, value: Literal) -> bool:
    """Whether a value between other settings is two words with a dot, none of them a word of code: "river.maple"."""
    words = compiled(_TWO_WORDS).fullmatch(value.text) if found.is_glued else None
    if words is None or any(is_remark_word(word) or is_part_of_a_name(word) for word in words.groups()):
        return False
    is_after_setting = compiled(_SETTING_BEFORE).search(found.before) is not None
    return is_after_setting and compiled(_SETTING_AFTER).match(found.text, value.span[1]) is not None


def is_line_of_settings(found: Named, value: Literal) -> bool:
    """Whether a name and its value fill a line, and a line next to it is a setting as well: a file of settings."""
    if not found.is_glued or value.is_quoted or is_remark_word(value.text):
        return False
    text = found.text
    start = line_start(text, found.start, _MAX_NAME)
    line = compiled(_LINE_OF_SETTINGS).match(text, start)
    if line is None or line.start("value") != value.span[0]:
        return False
    lines = [line.end()] if start == 0 else [line_start(text, start - 1, _MAX_LINE), line.end()]
    return any(compiled(_LINE_OF_SETTINGS).match(text, begin) for begin in lines)


def is_of_a_connection(found: Named, value: Literal) -> bool:
    """Whether a value stands in a connection string: after a user, or before a host or a database."""
    if not found.is_glued or is_reference(value.text):
        return False
    end = value.span[1] + value.is_quoted
    return (
        compiled(_CONNECTION_BEFORE).search(found.before) or compiled(_CONNECTION_AFTER).match(found.text, end)
    ) is not None


def words_of_yaml(found: Named) -> Location:
    """Locate the words after a key of YAML: "wifi_password: copper kettle", but no sentence."""
    text = found.text
    words = compiled(_REST_OF_WORDS).match(text, found.end) if found.text[found.end - 1] == " " else None
    if words is None or not is_phrase_of_a_setting(words[0]) or any(map(is_of_a_sentence, words[0].lower().split())):
        return None
    start = line_start(text, found.start, _MAX_NAME)
    if compiled(_YAML_KEY).fullmatch(text, start, found.end) is None:
        return None
    # The line above and the line below. Where one is missing, this is the first line of the text.
    neighbors = {line_start(text, max(0, start - 1), _MAX_LINE), text.find("\n", words.end()) + 1} - {start}
    return words.span() if any(compiled(_YAML_KEY).match(text, line) for line in neighbors) else None


def is_slug_among_settings(found: Named, value: Literal) -> bool:
    """Whether joined words are a passphrase in one of several settings, or in a block of YAML.

    They are joined by hyphens, or in a query in any way: "?pw=RiverMaple&".
    """
    is_slug_of_words = "-" in value.text and are_joined_words(value.text)
    is_in_a_query = found.text[value.span[1] : value.span[1] + 1] in (";", "&") and are_parts(value.text)
    if not (is_slug_of_words or is_in_a_query):
        return False
    is_one_of_several = (
        compiled(_NEXT_SETTING).match(found.text, value.span[1]) or compiled(_PREVIOUS_SETTING).search(found.before)
    ) is not None
    return (found.is_glued and is_one_of_several) or found.how == "block"
