"""What is plainly no password whatever its score: a year, a quantity, a version, an address, a name."""

from __future__ import annotations

from s3memory.redaction.rules.reading.candidates import is_network, is_of_a_user
from s3memory.redaction.rules.reading.code_fragments import is_of_code
from s3memory.redaction.rules.reading.harmless_codes import (
    explains_column,
    is_harmless_code,
    is_harmless_label,
    is_key_of_table,
    last_code_name,
)
from s3memory.redaction.rules.reading.harmless_forms import ENDINGS
from s3memory.redaction.rules.reading.near import line_around, line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, NOTHING, meaning, words_of
from s3memory.redaction.rules.reading.reference_numbers import is_building_number, is_counted
from s3memory.redaction.rules.reading.storage_locations import is_storage_location
from s3memory.redaction.rules.scoring.features import column_headers
from s3memory.redaction.rules.scoring.identifiers import is_identifier
from s3memory.redaction.rules.scoring.labelled_values import has_label
from s3memory.redaction.rules.scoring.lexicon import names_person
from s3memory.redaction.rules.scoring.lists import (
    is_among_extensions,
    is_among_names,
    is_in_order,
    is_in_series,
    is_named_in_its_row,
)
from s3memory.redaction.rules.scoring.plain_candidates import has_plain_form, is_excluded_plain
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.values import AWS_RESOURCE_ID
from s3memory.redaction.text.word_lists import phrase_list

_BEFORE, _LONGEST_CODE, _MAX_WORDS_OF_HEADER = 48, 32, 4
_MAX_ROW = 160
_COUNTED = r"[ ](?:(?:possible|different|more|other)?[ ]?[a-z]{3,16}s|[mµn]?s|sec|min|px|rpm|[kKMGT]i?[bB])\b"
_NUMBERS = r"[0-9]+(?:[-\u2013][0-9]+)*"
_NUMBERED = r"(?P<what>[^\W\d_]+[ ])[0-9]+"  # "Room 12"
_WITH_UNIT = r"[A-Za-z]?=?[0-9]+(?:[.,][0-9]+)?(?:[kKMGTP]i?[bB]|[kMG]?Hz|[munµ]s|ms|mAh|[kc]?m|kg|px|rpm|dpi)"
_COUNTING = (
    r"(?i)\b(?:pid|port|uid|used|left|spent|remaining|total|so far|budget|limit|count|usage)[:=]?[ ]\Z"
    r"|(?:seconds|minutes|hours|days|bytes|percent|millis|attempts)[\"']?[ ]?[:=][ ]?\Z"
    r"|(?:argon2\w{0,2}|scrypt|bcrypt|pbkdf2)[^\n]{0,16}[ ,(][a-z]=\Z"
)
_LENGTH = r"(?i)[0-9]+-(?:char(?:acter)?|digit|letter|word|bit|byte|second|minute|hour|day|week|month|year|attempt)s?"
_GROUPS, _GROUPS_CHARACTERS = r"(?<![\w.,-])[0-9]{2,6}(?:[ ][0-9]{2,6}){2,7}(?![\w-])", 40
_ACCOUNT = r"(?<!\w)[A-Z]{2}[0-9]{2}(?:[ ][A-Z0-9]{4}){2,7}(?:[ ][A-Z0-9]{1,3})?(?!\w)"  # with a wrong check digit
_IMAGE = r"[a-z][a-z0-9./_-]{2,60}:(?:[0-9]{1,2}(?:\.[0-9]{1,3}){0,3}(?:-[a-z0-9.]{2,20})?|latest|alpine)"  # of Docker
_IN_CODE, _AFTER_IN_CODE = r"(?:\A|\n)[ \t]*[\w.]{2,40}[ ]=[ ]\Z", r"[ \t]*;?[ \t]*(?:\r?\n|\Z)"  # "password = a_name"
_NAME_IN_CODE = r"[a-z]{2,16}(?:_[a-z]{2,16}){1,4}"
_BASES = r"[ACGTURYSWKMBDHVN]*[ACGTU]{4}[ACGTURYSWKMBDHVN]{8,}|[ACGTURYSWKMBDHVN]{8,}[ACGTU]{4}"  # of DNA
_QUESTION_ABOVE, _QUESTION_CHARACTERS = r"(?P<question>[^\n?]{3,80})\?[ \t\r]*\n(?:[^\n:]{1,24}:|[<>-])?[ ]{0,2}\Z", 140
_LABEL_ABOVE, _LABEL_CHARACTERS = (
    (
        r"(?:\A|\n|[.!?][ ])(?P<label>[^\n:.!?]{2,60}):[ \t]*\n(?:[ \t]*(?:[-*\u2022][ ])?[^\s:]{1,40}[ \t\r]*\n){0,6}"
        r"[ \t]*(?:[-*\u2022][ ])?\Z"
    ),
    300,
)
_ARROW = "\u2192"  # "15 \u2192 16"
_YEAR = r"(?:19|20)[0-9]{2}"
_TIME = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?(?:[ ]?[ap]m)?"
_YEARS = rf"{_YEAR}[-\u2013](?:{_YEAR}|[0-9]{{2}})"
_BEFORE_YEAR = (
    r"(?i)(?<![^\W\d_])(?:in|since|from|until|till|before|after|by|late|early|mid|vom?|seit|im|en|depuis|del?|nel|od"
    r"|sedan|spring|summer|autumn|fall|winter|(?:jan|febr)uary|march|april|may|june|july|august"
    r"|(?:septem|octo|novem|decem)ber)[ ]\Z"
)
_COMPARED = ("<=", ">=", "==", "!=", "~=")
_PACKAGE_BEFORE = r"(?i)\b(?:requires?|provides|depends|install|package)(?:-[a-z]+)?:?[ ]\Z"
_WITH_VERSION = (
    r"[A-Za-z][A-Za-z-]+-[0-9]+(?:\.[0-9]+)+|Log4[A-Za-z]{1,8}"
    r"|(?i:ver(?:s(?:i[oó]ne?|ie?|ão|iune))?|wersja|verze|verzi(?:ja|ó)|sürüm|версия|версія)[-_ ]?[0-9]+(?:\.[0-9]+)*"
)
_PORT_BEFORE = r"(?:\A|\(|\b(?i:on|at|ports?|via|auf|sur|listens?)[ ]|[\s(][`\"'])~?:\Z"  # "on :8025"
_PORT = r"[0-9]{2,5}"
_PARAMETER_BEFORE = r"[?&][\w.-]{1,32}=\Z"  # of a link, or a path that looks like one
_AFTER_HANDLE = r"\]\(https?://|[ ]\(\["  # of a contributor, in a list of changes
_MASK = r"[-_.]?(?:\*{3}|\u2022{3})"
_FILE = rf"[\w-]+(?:[./][\w-]+)*\.(?:{ENDINGS})"
_HOST = r"(?:[a-z0-9-]+\.){2,6}(?:com|org|net|io|dev|app|cloud|local|lan|internal|test|example)"
_HEADERS = frozenset(  # of columns
    phrase_list(
        "port ports id ids tel fax ext extension durchwahl nebenstelle toestel anknytning lokalnummer interno ramal "
        "dahili klapka wewnętrzny mellék extensión alanumero "
        "date version model price cost amount qty quantity total size ticket order "
        "invoice sku isbn year time hours hostname ip status type region zone branch commit build release "
        "datum modell preis menge bestellung rechnung puerto modèle prix commande facture fecha modelo "
        "precio pedido serial serialnumber s/n seriennummer serie serienummer série fingerprint thumbprint "
        "checksum sha256 kid mac firmware 型号 序列号 シリアル番号 serial_number part_number part_no "
        "public_key public_keys host_key key_id numéro_de_série número_de_serie"
    )
)
_TABLE_RULE = r"[^\n]{0,200}\n[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*\|"  # the rule below the header of a table
_TYPE_BEFORE = (
    r"(?:[a-z](?:Class|Type)|[_-](?:class|type)|\bobjectclass)[\"']?[ ]?[:=][ ]{0,3}[\"']?\Z"  # "objectClass: v"
)
_PREPOSITION_BEFORE, _USER = r"\b(?:for|of|für|von|pour|para|voor)[ ]\Z", r"[a-z]{3,12}[0-9]{1,4}"


def is_excluded(text: str, start: int, end: int) -> bool:
    """Whether a span of `text` is plainly no password, whatever its score."""
    before = text[line_start(text, start, _BEFORE) : start]
    return (
        _is_quantity(text, start, end, before)
        or _is_year(text, start, end, before)
        or _is_version(text, start, end, before)
        or _is_address(text, start, end, before)
        or _is_labelled_otherwise(text, start, end, before)
        or is_storage_location(text, start, end)
        or compiled(_TABLE_RULE).match(text, end) is not None
        or is_in_excluded_column(text, start, end)
        or is_among_names(text, start, end)
        or is_among_extensions(text, start, end)
        or is_in_series(text, start, end)
        or is_in_order(text, start, end)
        or is_named_in_its_row(text, start, end)
        or (has_plain_form(text[start:end]) and is_excluded_plain(text, start, end))
        or is_of_code(text, start, end)
        or is_identifier(text, start, end)
        or _is_a_variable(text, start, end)
        or compiled(_BASES).fullmatch(text, start, end) is not None
        or _answers_question_for_number(text, start)
        or _is_in_list_of_other_things(text, start)
        or explains_column(text, start, end)
        or _is_row(text, start, end)
    )


def is_in_excluded_column(text: str, start: int, end: int) -> bool:
    """Whether the header of its column rules it out: "port", "public key", "serial number", or the key of the table."""
    heads, number = column_headers(text, start, end)
    if not heads:
        return False
    is_key = not "".join(heads[:number]).strip() and is_key_of_table(heads[number:])
    row = slice(*line_around(text, start, end, _MAX_ROW))
    return _is_harmless_header(heads[number]) or (is_key and not names_person(text[row]))


def _is_harmless_header(head: str) -> bool:
    head, words = head.strip(" \t\r*_`\"'").lower(), words_of(head)
    if head in _HEADERS:
        return True
    is_key = has_label(head) and last_code_name(head) is None
    is_harmless_key = is_key and words != [] and meaning(words, len(words) - 1) == HARMLESS
    return len(words) <= _MAX_WORDS_OF_HEADER and (is_harmless_key or is_harmless_label(head))


def _is_row(text: str, start: int, end: int) -> bool:
    """Whether it is a whole row of a table, none of whose column headers is the label of a secret: "lock;4471"."""
    if ";" not in text[start:end] or text[max(0, start - 1) : start] not in ("", "\n"):
        return False
    heads, _ = column_headers(text, end, end)
    return heads != [] and all(_is_harmless_header(head) or not has_label(head) for head in heads)


def _is_quantity(text: str, start: int, end: int, before: str) -> bool:
    """Whether it is a count, a length, a change, or one of three or more groups, as in a number of a bill."""
    word = text[start:end]
    if _ARROW in word or any(compiled(one).fullmatch(word) for one in (_LENGTH, _WITH_UNIT)):
        return True
    numbered = compiled(_NUMBERED).fullmatch(word)
    if numbered and is_counted(numbered["what"]):
        return True
    if compiled(_NUMBERS).fullmatch(word) and (
        _is_range(word)
        or compiled(_COUNTED).match(text, end)
        or occurs(_COUNTING, before)
        or is_counted(before)
        or is_building_number(text[end : end + _BEFORE])
    ):
        return True
    groups = _GROUPS if word.isdigit() else _ACCOUNT
    around = compiled(groups).finditer(text, max(0, start - _GROUPS_CHARACTERS), end + _GROUPS_CHARACTERS)
    return any(found.start() <= start and end <= found.end() for found in around)


def _answers_question_for_number(text: str, start: int) -> bool:
    """Whether it answers a question for a number of something else: "which room?"."""
    asked = compiled(_QUESTION_ABOVE).search(text, max(0, start - _QUESTION_CHARACTERS), start)
    return asked is not None and is_counted(asked["question"])


def _is_in_list_of_other_things(text: str, start: int) -> bool:
    """Whether it is an item of a list with the label of something else: "Tickets of today:"."""
    above = compiled(_LABEL_ABOVE).search(text, max(0, start - _LABEL_CHARACTERS), start)
    if above is None or last_code_name(above["label"]) is not None:
        return False
    if (words := words_of(above["label"])) and words[-1] in _HEADERS:
        return True
    words = [word.removesuffix("s") for word in words]
    said = {meaning(words, place) for place in range(len(words))}
    return HARMLESS in said and said <= {HARMLESS, NOTHING}


def _is_range(word: str) -> bool:
    """Whether two numbers are a range: "4411-4417"."""
    first, _, last = word.replace("\u2013", "-").partition("-")
    return len(first) == len(last) > 0 and first[0] == last[0] and first < last


def _is_year(text: str, start: int, end: int, before: str) -> bool:
    """Whether it is a year, a span of years or a time of day."""
    is_in_commas = before.endswith(", ") and text.startswith(", ", end)
    is_year = compiled(_YEAR).fullmatch(text, start, end) and (is_in_commas or occurs(_BEFORE_YEAR, before))
    return bool(is_year or any(compiled(one).fullmatch(text, start, end) for one in (_YEARS, _TIME)))


def _is_version(text: str, start: int, end: int, before: str) -> bool:
    is_of_a_package = before.endswith(_COMPARED) or occurs(_PACKAGE_BEFORE, before)
    is_versioned = any(compiled(one).fullmatch(text, start, end) for one in (_WITH_VERSION, _IMAGE))
    return bool(is_of_a_package or is_versioned)


def _is_a_variable(text: str, start: int, end: int) -> bool:
    """Whether it is a variable that code assigns: "password = a_name"."""
    return (
        compiled(_NAME_IN_CODE).fullmatch(text, start, end) is not None
        and compiled(_IN_CODE).search(text, max(0, start - _BEFORE), start) is not None
        and compiled(_AFTER_IN_CODE).match(text, end) is not None
    )


def _is_address(text: str, start: int, end: int, before: str) -> bool:
    """Whether it is a host, a file, a port, a parameter, a handle, part of a mask, or a placeholder such as "<v>"."""
    if compiled(_MASK).match(text, end) or compiled(_MASK).search(text, start, end):
        return True
    if compiled(_PARAMETER_BEFORE).search(before):
        return True
    is_port = compiled(_PORT).fullmatch(text, start, end) and compiled(_PORT_BEFORE).search(before)
    is_in_brackets = before.endswith("<") and text.startswith(">", end)
    is_placeholder = is_in_brackets and not any(map(str.isdigit, text[start:end]))
    is_place = any(compiled(one).fullmatch(text, start, end) for one in (_HOST, _FILE, AWS_RESOURCE_ID))
    is_handle = text[start] == "@" and compiled(_AFTER_HANDLE).match(text, end) is not None
    return bool(is_port or is_placeholder or is_handle or before.endswith("://") or is_place)


def _is_labelled_otherwise(text: str, start: int, end: int, before: str) -> bool:
    """Whether the words before it make it a type, a network, a user, something harmless, or another kind of code."""
    words = words_of(before)
    if words and meaning(words, len(words) - 1, is_beside=False) == HARMLESS:
        return True
    if words and words[-1].endswith("s") and text[start:end].isdigit():  # "open orders: 4827"
        words[-1] = words[-1][:-1]
        if meaning(words, len(words) - 1) == HARMLESS:
            return True
    adjacent = before[-_LONGEST_CODE:]
    code = last_code_name(adjacent)
    is_whose = (
        compiled(_PREPOSITION_BEFORE).search(before) is not None
        and compiled(_USER).fullmatch(text, start, end) is not None
    )
    is_of_another_code = code is not None and is_harmless_code(adjacent, code)
    is_sort = compiled(_TYPE_BEFORE).search(before) is not None
    return is_sort or is_whose or is_of_another_code or is_network(before) or is_of_a_user(text, before, end)
