"""Recognizes remarks in the place of a password: "kept in the safe", "eight digits", "ticket OPS-4821"."""

from __future__ import annotations

from s3memory.redaction.rules.reading.judging import is_leaked
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.rules.reading.storage_locations import MANAGERS, is_storage_location
from s3memory.redaction.text.compiling import compiled

_DONE = (
    r"(?:kept|stored|saved|held|managed|shared|rotated|changed|renewed|reset|expired|printed|written|noted|generated|issued"
    r"|handed|sent|mailed|protected|encrypted|sealed|required|owned|controlled|provided|revoked|replaced)[ ]"
    r"(?:in|on|at|by|with|via|after|every|each|per|from|for|until|before|when|only|last|monthly|weekly|yearly|down|out)\b"
    r".*"
)
_HELD_BY = r"(?:no[ ]one|[A-Za-z]+)[ ](?:has|have|knows?|keeps?|holds?)[ ](?:it|them)\b.*"
_NUMBER = "[0-9]{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|sixteen"
_FORM = (
    rf"(?:(?:at least|at most|no (?:more|less) than|more than|exactly|minimum)[ ](?:{_NUMBER})\b.*"
    rf"|(?:{_NUMBER})[ ](?:random[ ]|small[ ]|capital[ ])?(?:digits|characters|chars|letters|symbols)\b.*)"
)
_TO_DO = (
    r"(?:click|press|tap|follow|check|contact|visit|mail|call|ask)[ ](?:the|on|in|your|our|it|for|at)\b.*"
    r"|use[ ].*[ ](?:button|link|form|app|portal|page|site|menu)"
    r"|(?:bei|beim|von|vom)[ ].*fragen|demander[ ]à[ ].*|preguntar[ ]a[ ].*|pedir[ ]a[ ].*|chiedere[ ]a[ ].*"
    r"|zapytać[ ].*|fråga[ ].*|vraag[ ].*"
)
_TICKET = (
    r"(?:ticket|issue|case|request|bug|task|incident|pr|mr|jira|invoice)[ ](?:no\.?[ ]|number[ ])?"
    r"(?:[A-Z]{1,8}-|#)?[0-9]{2,8}"
)
_LATER = r"pending|tb[cd]|to follow|coming soon"
# A word of letters and digits, or a sign, may be the password itself: then the text is no remark.
_NO_VALUE = r"(?!.*(?:[!@#$%^*_=]|[A-Za-z][0-9]|[0-9](?!pass)[A-Za-z]))"
_REMARK = rf"(?i){_NO_VALUE}(?:{_DONE}|{_HELD_BY}|{_FORM}|{_TO_DO})|{_TICKET}|{_LATER}|(?:{MANAGERS})[0-9]{{0,2}}"
# Notorious passwords, which texts about passwords in general mention: "123456 is among the most common passwords".
_NOTORIOUS = r"0?1234[0-9]*|(?i:(?:qwert|azert|asdf|1q2w|abc)\w*)|111111?|000000?"
_PASSWORDS = (
    r"\b(?:passwords|passw\u00f6rter|kennw\u00f6rter|contrase\u00f1as|mots[ ]de[ ]passe|senhas|wachtwoorden|has\u0142a"
    r"|\u043f\u0430\u0440\u043e\u043b\u0438)\b"
)
_IN_GENERAL = (
    r"(?i)(?:common(?:est)?|popular|weak(?:est)?|leaked|guessed|most[ ]used|people[ ](?:still[ ])?(?:use|choose))\b"
    rf"[^\n.]{{0,60}}{_PASSWORDS}"
    rf"|{_PASSWORDS}[ ](?:like|such[ ]as|wie|como|comme|come|zoals|jak|\u0432\u0440\u043e\u0434\u0435)\b"
)
_OWNED = (
    r"(?i)\b(?:our|ours|my|mine|his|hers?|their|unsere?[mnrs]?|meine?[mnrs]?|notre|nos|mon|mes|nuestr[oa]s?|mis|onze|mijn"
    r"|uses|has|wi-?fi|wlan|nas|router)\b"
    r"|(?:->|[=\u2192])[ ]?\Z"
)
_REACH = 80
_MENU_ARROW = r"[ ][>\u203a][ ](?=[A-Z])"  # "Settings > Security"


def is_password_remark(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` is a remark: where a password is, what form it has, or what to do.

    A notorious password counts as well, if its line is about passwords in general.
    """
    is_title = text[start].isupper() and text[start:end].replace(" ", "").isalpha()
    is_menu_entry = is_title and compiled(_MENU_ARROW).match(text, end) is not None
    if _is_notorious(text[start:end]):
        begin, stop = line_around(text, start, end, _REACH)
        if compiled(_IN_GENERAL).search(text, begin, stop) and not compiled(_OWNED).search(text, begin, start):
            return True
    return (
        is_menu_entry
        or is_storage_location(text, start, end)
        or compiled(_REMARK).fullmatch(text, start, end) is not None
    )


def _is_notorious(word: str) -> bool:
    """Whether `word`, with or without a number after it, is at the top of the lists of leaked passwords."""
    return is_leaked(word.rstrip("0123456789!")) or compiled(_NOTORIOUS).fullmatch(word) is not None
