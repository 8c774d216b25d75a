"""Passwords with a label: in code, settings, tables, command lines and sentences.

The looser the link between label and value, the more the value has to look like a password. Only the value is replaced.
"""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.passwords.lists import list_after
from s3memory.redaction.rules.passwords.neighboring_settings import (
    is_line_of_settings,
    is_of_a_connection,
    is_slug_among_settings,
    is_two_words_in_a_log,
    words_of_yaml,
)
from s3memory.redaction.rules.passwords.pairs import pair_after
from s3memory.redaction.rules.passwords.parallel_assignments import parallel_value
from s3memory.redaction.rules.passwords.value_before_name import before_its_name
from s3memory.redaction.rules.passwords.word_values import (
    are_joined_words,
    are_parts,
    is_long_phrase,
    is_phrase_of_a_setting,
    is_phrase_of_an_account,
    is_word,
    words_and_a_number,
)
from s3memory.redaction.rules.reading import names
from s3memory.redaction.rules.reading.joins import SURE, Named, named
from s3memory.redaction.rules.reading.judging import is_no_word, is_part_of_a_name, is_remark_word
from s3memory.redaction.rules.reading.likeness import Likeness, is_exclaimed, likeness
from s3memory.redaction.rules.reading.literals import END_OF_LINE, Literal, to_end_of_secret
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.nouns import names_public_key
from s3memory.redaction.rules.reading.storage_locations import is_storage_location
from s3memory.redaction.rules.reading.table_cells import next_cell_is_unrelated
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import (
    is_elsewhere,
    is_phrase,
    is_reference,
    is_slug,
    is_strong,
    is_technical_term,
    looks_random,
)
from s3memory.redaction.text.wording import is_descriptive_word, is_gibberish

# The user of "bob/hunter2".
_USER_AND_SLASH = r"\A[A-Za-z][\w.-]{1,31}/"
_PLAIN_CHARACTERS = r"[\w!@#$%^&*+?~.][\w!@#$%^&*+?~.-]+"
_END_OF_PART = r"[;&]|[ \t]*(?:\n|\Z)|[ \t]+[\w-]{1,40}="
_CONJUNCTION = (
    "and|but|so|for|on|to|in|at|until|till|which|since|because|right|now|please|then|if|as|with|today|yesterday|again"
    "|this|last|after|before|by|from|too"
)
_END_OF_CLAUSE = (
    r"[\"'`*]{0,3}(?:[.!;)\]|,\u3002\uff0c\u3001\uff01\u300d]|[ ]?[\uac00-\ud7a3\u3040-\u30ff]"
    rf"|[ \t]*(?:\n|\Z|\(|--?[ ]|(?:{_CONJUNCTION})\b))"
)
_END_OF_NOTE = rf"{END_OF_LINE}|[\"'`*,;]{{0,3}}(?:\)|[.,] |[ ]\()"
_END_OF_ROW = r"[\"'`*]{0,3}[ \t]{0,20}\|[ \t]{0,9}(?:\n|\Z)"
_BULLETS = ("-", "*", "+")
_NEXT_ITEM = r"[\"'`,;.]{0,3}[ \t]{0,9}\r?\n[ \t]{0,9}[-*+][ ]"
# "river-maple-stone"
_THREE_WORDS = r"[A-Z]?[a-z]{3,12}([-_.])[A-Z]?[a-z]{3,12}\1[A-Z]?[a-z]{3,12}"
# "wifi pass", "temporary clave"
_PURPOSE_BEFORE = r"(?i)\b(?:temp|temporary|initial|root|admin|wifi|wi-fi|vpn|db|login|guest)[ ]\Z"
_PLURAL_NAMES = ("words", "WORDS")
# Names that often mean something else: "pass", or "clave", which is Spanish for "key".
_AMBIGUOUS_NAMES = ("pass", "identified by", "clave", "psk")
_ACCOUNT_BEFORE = r"(?i)\b(?:user|role|grant|create|alter|to)[ ]"
# In connection strings and inventories of hosts, no value is a variable of code: "uid=jo;pwd=", "ansible_user=jo ".
_OTHER_SETTINGS = r"(?:[A-Za-z][\w ]{1,24}=[^;=\n]{1,60};[ ]?|\bansible_\w{1,16}=\S{1,60}[ ]\w{0,24})\Z"
_ASSIGNED = r"[#;]?[A-Za-z][\w.-]*="
_AFTER_A_MESSAGE = rf"{_ASSIGNED}|--?[A-Za-z]"
_MIN_PASSWORD, _QUOTES = 4, ("'", '"')
_NOT_A_VALUE = (
    r"[})\]]|#(?:define|if(?:n?def)?|else|endif|include|undef|pragma)\b"
    r"|[,;][ ]?[A-Za-z_][\w -]*[:=]|&\w+=|[A-Za-z_][\w.:-]*=(?:\{|(?:true|false)\b)"
)
_COMPARISONS = r"[=!]==?|\..*"
_GETTER_BEFORE = r"(?i)(?:get|find|read|fetch|load|lookup)_?\Z"
_END_OF_ARGUMENTS = r"(?:\.\w{1,20}\([^()\n]{0,20}\))?\)"  # "v".toCharArray())
# A row of settings: name and value alone in brackets, as in ('smtp_password', 'hunter2').
_PAIR_BEGINS, _PAIR_ENDS = r"(?:\A|[^\w)\]>])\([ ]?[NE]?[\"'][\w.-]{0,30}\Z", r"[\"'][ ]?\)"
_MIN_IN_PROSE, _MIN_NUMBER = 5, 6
_MIN_HEADING, _MAX_HEADING_LINE = 6, 160
_SOURCE = "https://cwe.mitre.org/data/definitions/798.html"


def _password(match: re.Match[str]) -> Location:
    """Locate the password that the name in `match` labels: in a pair, a list, after the name or before it."""
    if names.is_test_result(match.string, *match.span("name")):
        return None
    if names_public_key(match.string, *match.span("name")) or next_cell_is_unrelated(match.string, *match.span()):
        return None
    if span := pair_after(match) or parallel_value(match):
        return span
    if match["name"].endswith(_PLURAL_NAMES) and (span := list_after(match.string, match.end())):
        return span
    found = named(match)
    is_signed = found is not None and (found.how in ("sign", "note") or (found.how == "gap" and found.is_beside_a_user))
    if found and is_signed and not found.is_redacted:
        words = words_and_a_number(found.text, found.end) or words_of_yaml(found)
        if words:
            return words
    return _after_its_name(found) or before_its_name(match)


def _password_in_other_scripts(match: re.Match[str]) -> Location:
    return pair_after(match) or _after_its_name(named(match, script="other"))


def _pin(match: re.Match[str]) -> Location:
    found = named(match)
    value = found.value() if found else None
    if found is None or value is None or not value.text.isdigit() or len(value.text) < _MIN_PASSWORD:
        return None
    return value.span if found.how in ("sign", "note", "verb", "gap", "comma") else None


def _after_its_name(found: Named | None) -> Location:
    """Return the span of the value after a name, if it is a password, and neither code nor another setting."""
    value = found.value() if found else None
    if found is None or value is None or found.is_redacted or _is_another_setting(found, value):
        return None
    is_untagged = found.how == "tag" and not value.is_tagged
    is_literal = value.is_quoted and is_strong(value.text) and " " not in value.text
    if not is_literal and compiled(names.ENDINGS).match(found.join[0]):
        return None  # "passwordText" may be a text of an interface
    if len(value.text) < _MIN_PASSWORD or is_untagged or is_storage_location(found.text, *value.span):
        return None
    if found.is_glued and " " in value.text and found.text[value.span[0] - 1] == "`":
        return None  # the output of a command
    if found.name.lower() == "pw" and found.how == "gap" and found.before[-1:].isalnum():
        return None  # "x7pw" is an identifier
    is_compared = _is_compared(found) and value.text.isalpha()
    is_variable = is_compared or is_reference(value.text.lstrip("(&*"))
    is_made = (found.is_glued or value.is_tagged) and likeness(value.text) >= Likeness.RARE
    is_among_others = is_of_a_connection(found, value) or (
        found.is_glued and compiled(_OTHER_SETTINGS).search(found.before) is not None
    )
    is_in_log = is_two_words_in_a_log(found, value)
    is_tagged = value.is_tagged and are_parts(value.text)
    is_code = is_variable and not (
        value.is_quoted or found.is_setting or is_made or is_tagged or is_among_others or is_in_log
    )
    is_one = _is_three_words(found, value) or (
        (is_in_log or _is_password(found, value)) and not is_code and not is_elsewhere(value.text)
    )
    return to_end_of_secret(found.text, value.span) if is_one else None


def _is_compared(found: Named) -> bool:
    """Whether the name is compared with the value: `password == "v"`, `password.equals("v")`."""
    return found.sign is not None and compiled(_COMPARISONS).fullmatch(found.sign) is not None


def _is_another_setting(found: Named, value: Literal) -> bool:
    """Whether a setting stands in the place of a value, as after a message in a log: msg="invalid password" user=jo."""
    is_after_a_message = found.how == "gap" and found.join[0][:1] in _QUOTES
    return compiled(_AFTER_A_MESSAGE if is_after_a_message else _NOT_A_VALUE).match(value.text) is not None


def _is_password(found: Named, value: Literal) -> bool:
    """Whether a value looks enough like a password for its name and for how the two are joined."""
    join, text = found.how, value.text
    if _is_statement(found, value) or is_line_of_settings(found, value) or is_of_a_connection(found, value):
        is_one = True
    elif found.is_default:
        is_one = text.isalnum() or is_strong(text) or are_joined_words(text)
    elif (
        join in ("sign", "note", "gap", "dash")
        and not (found.name.isascii() and found.join["to"])
        and found.is_beside_a_user
    ):
        is_one = is_strong(text) or text.isdigit() or is_word(text) or is_phrase(text) or is_gibberish(text)
        is_one = is_one or (found.is_below_a_user and value.is_quoted and is_phrase_of_an_account(text))
        is_one = is_one or (join == "sign" and value.is_quoted and _is_quoted_password(text, join))
        is_one = is_one or is_exclaimed(found.text[slice(*value.span)])
        is_one = is_one or ((found.is_below_a_user or value.is_quoted) and are_joined_words(text))
        is_one = is_one or is_slug_among_settings(found, value)
    elif (
        found.name.lower() in _AMBIGUOUS_NAMES
        and not found.before.endswith(("_", "."))  # "db_pass" means nothing else
        and (join not in SURE or (text.isdigit() and not _is_quoted_number(value)))
    ):
        is_purpose_named = join == "gap" and compiled(_PURPOSE_BEFORE).search(found.before) is not None
        is_joined = (join in ("verb", "note", "dash") or is_purpose_named) and not text.isdigit()
        is_one = is_joined and _is_bare_password(text, join) and not is_slug(text)
        is_one = is_one or (found.is_glued and value.is_quoted and is_phrase_of_a_setting(text))
    elif found.name.lower() == "parola":  # Italian for "word"
        is_one = _is_bare_password(text, join) and not is_slug(text)
    elif join == "comma":
        is_one = _is_argument(found, value)
    elif join == "below":
        is_one = _is_below(found, value)
    elif value.is_quoted or join == "tag" or found.is_setting:
        is_compared = _is_compared(found) and (" " in text or is_remark_word(text))
        may_be_words = found.is_option or (join in ("sign", "verb", "tag") and not found.name.endswith(_PLURAL_NAMES))
        is_phrase_after = join == "gap" and found.name.lower().endswith("phrase")
        is_one = _is_quoted_password(text, join) or (may_be_words and is_phrase_of_a_setting(text))
        is_one = is_one or (is_phrase_after and (is_long_phrase(text) or is_phrase_of_a_setting(text)))
        is_one = (
            is_one or ((found.is_option or found.is_setting) and is_phrase_of_an_account(text))
        ) and not is_compared
    elif join in SURE:
        is_one = _is_bare_password(text, join) or _is_lone_word(found, value) or is_slug_among_settings(found, value)
    else:
        is_one = _is_password_in_prose(found, value, join)
    return is_one


def _is_quoted_number(value: Literal) -> bool:
    """Whether a number is in quotes and longer than most: then it is a password, even after an ambiguous name."""
    return value.is_quoted and len(value.text) >= _MIN_NUMBER


def _is_statement(found: Named, value: Literal) -> bool:
    """Whether this is SQL, with the password in quotes right after its name: "IDENTIFIED BY 'hunter2'"."""
    is_named = found.name.isupper() or (
        found.name.lower() == "identified by" and compiled(_ACCOUNT_BEFORE).search(found.before) is not None
    )
    is_function = found.how == "comma" and "(" in found.join["comma"] and not compiled(r"[\w.]\Z").search(found.before)
    is_joined = found.how in ("gap", "option", "verb") or is_function
    return is_named and is_joined and found.text[value.span[0] - 1] == "'"


def _is_argument(found: Named, value: Literal) -> bool:
    """Whether a value after a comma or a bracket is a password: an argument of a call, or a row: ('pw', 'hunter2')."""
    is_call = found.before[-1:].isalnum() or found.before[-1:] in ("_", ".", "$", ">")
    is_called = found.join["comma"].strip() == "(" and is_call
    if value.is_quoted and (found.is_argument or (is_called and is_strong(value.text) and not is_slug(value.text))):
        is_last = compiled(_END_OF_ARGUMENTS).match(found.text, value.span[1] + 1) is not None
        is_alone = is_last and not compiled(_GETTER_BEFORE).search(found.before)
        return " " not in value.text and (is_alone or not is_called)
    if not is_no_word(value.text) or is_reference(value.text):
        return False
    if found.join["comma"].strip() == ",":
        is_pair = compiled(_PAIR_BEGINS).search(found.before) and compiled(_PAIR_ENDS).match(found.text, value.span[1])
        is_row = is_pair is not None and not is_remark_word(value.text.rstrip("0123456789!"))
        return value.is_quoted and (is_row or looks_random(value.text, least=6))
    # In brackets after the name, as in "password (hunter2)", but not the argument of a call.
    return not is_call and found.text.startswith(")", value.span[1])


def _is_below(found: Named, value: Literal) -> bool:
    """Whether the next line, or the one after an empty line, is nothing but a password."""
    start = found.end
    is_alone = compiled(END_OF_LINE).match(found.text, value.span[1]) is not None
    line = line_start(found.text, found.start, _MAX_HEADING_LINE)
    if found.join["below"].rstrip(" ").endswith(_BULLETS) and compiled(_NEXT_ITEM).match(found.text, value.span[1]):
        return False  # a list of requirements: "Password:\n- 12 characters\n- a digit"
    if is_reference(value.text) or compiled(_ASSIGNED).match(value.text):
        return False
    if ";" in value.text and ";" in found.before:
        return False  # the header of a table, whose rows are read elsewhere
    is_heading = found.text.startswith(("#", "**"), line) and found.text.startswith("`", start)
    if not is_heading and len(found.name) < _MIN_HEADING:
        return False
    may_be_one = " " not in value.text if is_heading else is_no_word(value.text)
    return is_alone and len(value.text) >= _MIN_IN_PROSE and may_be_one


def _is_quoted_password(text: str, join: str) -> bool:
    """Whether a value in quotes, in a tag or in an env file is a password."""
    # A word may be a password. A sentence is the text next to a form's field, unless it looks like a passphrase.
    if join in ("cell", "gap"):
        is_long = len(text) >= _MIN_IN_PROSE and " " not in text
        return is_long and (is_strong(text) or is_phrase(text)) and not is_technical_term(text)
    return " " not in text or (join == "sign" and (is_strong(text) or is_long_phrase(text)))


def _is_three_words(found: Named, value: Literal) -> bool:
    """Whether a value is a passphrase of three words, and neither a name in code nor a statement about passwords."""
    words = compiled(_THREE_WORDS).fullmatch(value.text)
    if words is None or found.how not in ("sign", "note", "verb") or is_elsewhere(value.text):
        return False
    if found.is_glued and words[1] != "-":
        return False
    parts = value.text.split(words[1])
    if any(is_descriptive_word(part) or is_part_of_a_name(part) for part in parts):
        return False
    end = _END_OF_CLAUSE if found.how == "verb" else END_OF_LINE
    return compiled(end).match(found.text, value.span[1]) is not None


def _is_bare_password(text: str, join: str) -> bool:
    """Whether a value without quotes is a password after a plain sign or an option."""
    if is_technical_term(text) or (join == "option" and text.startswith("-")):
        return False
    return is_strong(text) or text.isdigit() or is_phrase(text) or (join == "option" and is_gibberish(text))


def _is_password_in_prose(found: Named, value: Literal, join: str) -> bool:
    """Whether a value is a password where a verb, a dash, a bar or only a space joins it to its name."""
    text, length = value.text, value.span[1] - value.span[0]
    if is_technical_term(text) or not text.isascii():
        return False
    if is_exclaimed(found.text[slice(*value.span)]):
        return True
    if text.isdigit():
        least = {"verb": 1, "note": _MIN_PASSWORD, "dash": _MIN_PASSWORD, "cell": _MIN_PASSWORD}
        return length >= least.get(join, _MIN_IN_PROSE + 1)
    if join == "gap" and looks_random(compiled(_USER_AND_SLASH).sub("", text), least=7):
        return True
    if join == "gap" and (length <= _MIN_IN_PROSE or not compiled(_PLAIN_CHARACTERS).fullmatch(text)):
        return False
    is_typical = is_strong(text) and not is_slug(text)
    return is_phrase(text) or (length >= _MIN_IN_PROSE and is_typical) or _is_word_in_prose(found, value, join)


def _is_word_in_prose(found: Named, value: Literal, join: str) -> bool:
    """Whether a value is a plain word that describes no password and ends its clause: "the password is gravelpond."."""
    is_several = found.join["verb"] is not None and found.join["verb"].startswith("are")
    has_parts = are_parts(value.text)
    if join not in ("verb", "note", "cell", "gap") or is_several:
        return False
    if not has_parts and (join == "gap" or not is_word(value.text)):
        return False
    end = {"verb": _END_OF_CLAUSE, "note": _END_OF_NOTE, "cell": _END_OF_ROW, "gap": _END_OF_NOTE}[join]
    return compiled(end).match(found.text, value.span[1]) is not None


def _is_lone_word(found: Named, value: Literal) -> bool:
    """Whether a plain word counts as a password: after an option, or in a connection string, a query or settings."""
    if not value.text.isalpha() or found.name.lower() in _AMBIGUOUS_NAMES:
        return False
    if found.is_glued or found.name.isupper():
        is_part = compiled(_END_OF_PART).match(found.text, value.span[1]) is not None
        if is_part or found.is_option:
            return True
    return is_word(value.text) and (
        found.is_glued or compiled(_END_OF_NOTE).match(found.text, value.span[1]) is not None
    )


RULES = (
    Rule(
        kind="password",
        anchors=names.CHOSEN_ANCHORS,
        fold=True,
        pattern=rf"(?ai:(?P<name>{names.CHOSEN})(?:(?![A-Za-z])|(?={names.ENDINGS})))",
        locate=_password,
        source=_SOURCE,
        samples=(
            *("the password is «{password}».", "DB_PASSWORD=«{password}»\n", 'password: "«{password}»"'),
            "jo@example.org and plaintext password «GravelPond!» .",
            "tool --password '«super secret»' run",
            "user = 'jo'\npassword = '«open gravel»'\n",
            'password = "{}".format("«gravelpond»")',
            'DB_PASSWORD = os.getenv("CI_WORD", "«gravelpond»")',
            'password = L"«gravelpond»";',
            'String pwdStr = "«{mixed 8}»";',
            'if (password.equals("«{password}»")) {',
            'if ("«{password}»".equals(password)) {',
            'env.put(Context.SECURITY_CREDENTIALS, "«{password}»");',
            "<password data=1>«{password}»</password>",
        ),
        near=(
            *("the password is required", "DB_PASSWORD=${DB_PASSWORD}", 'password: "<password>"'),
            *("jo@example.org and the password Manager!", "tool --password 'type the word' run"),
            *("user = 'Name'\npassword = 'Secret word'\n", 'password = "{}".format(word)'),
            *('DB_PASSWORD = os.getenv("CI_WORD", "")', "<password data=1>required</password>"),
        ),
    ),
    Rule(
        kind="password",
        anchors=("PIN", "Pin"),
        pattern=rf"(?P<name>{names.PIN})",
        locate=_pin,
        source=_SOURCE,
        samples=("PIN: «<digits:6>»", '"cardPin": "«<digits:6>»"'),
        near=("PIN: ask Jo", "pinned: 123456", "Pinned: 123456", "ledPin = 13"),
    ),
    Rule(
        kind="password",
        anchors=names.ANCHORS_BEYOND_ASCII,
        pattern=rf"(?P<name>{names.OTHER_SCRIPTS})",
        locate=_password_in_other_scripts,
        source=_SOURCE,
        samples=("пароль: «{password}»", "密码: «{password}»"),
        near=("пароль: спросите Ивана",),
    ),
)
