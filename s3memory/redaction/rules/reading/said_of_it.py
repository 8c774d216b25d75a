"""What notes say of a password in place of telling it: "kept in the safe", "eight digits", "ticket OPS-4821"."""

from __future__ import annotations

from s3memory.redaction.rules.reading.judging import is_leaked
from s3memory.redaction.rules.reading.kept_in import MANAGERS, is_kept_in
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.text.compiling import compiled

_DONE = (
    r"(?:kept|stored|saved|held|managed|shared|rotated|changed|renewed|reset|expired|printed|written|noted|generated|issued"
    r"|handed|sent|mailed|protected|encrypted|sealed|required|owned|controlled|provided|revoked|replaced)[ ]"
    r"(?:in|on|at|by|with|via|after|every|each|per|from|for|until|before|when|only|last|monthly|weekly|yearly|down|out)\b"
    r".*"
)
_HELD = r"(?:no[ ]one|[A-Za-z]+)[ ](?:has|have|knows?|keeps?|holds?)[ ](?:it|them)\b.*"
_NUMBER = "[0-9]{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|sixteen"
_ITS_FORM = (
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
# What is told after all: a word of letters and digits, or a sign.
_TOLD = r"(?!.*(?:[!@#$%^*_=]|[A-Za-z][0-9]|[0-9](?!pass)[A-Za-z]))"
_SAID = rf"(?i){_TOLD}(?:{_DONE}|{_HELD}|{_ITS_FORM}|{_TO_DO})|{_TICKET}|{_LATER}|(?:{MANAGERS})[0-9]{{0,2}}"
# What everybody has heard of, where passwords in general are spoken of: "123456 is among the most common passwords".
_HEARD_OF = r"0?1234[0-9]*|(?i:(?:qwert|azert|asdf|1q2w|abc)\w*)|111111?|000000?"
_SEVERAL = (
    r"\b(?:passwords|passw\u00f6rter|kennw\u00f6rter|contrase\u00f1as|mots[ ]de[ ]passe|senhas|wachtwoorden|has\u0142a"
    r"|\u043f\u0430\u0440\u043e\u043b\u0438)\b"
)
_IN_GENERAL = (
    r"(?i)(?:common(?:est)?|popular|weak(?:est)?|leaked|guessed|most[ ]used|people[ ](?:still[ ])?(?:use|choose))\b"
    rf"[^\n.]{{0,60}}{_SEVERAL}"
    rf"|{_SEVERAL}[ ](?:like|such[ ]as|wie|como|comme|come|zoals|jak|\u0432\u0440\u043e\u0434\u0435)\b"
)
_SOMEBODYS = (
    r"(?i)\b(?:our|ours|my|mine|his|hers?|their|unsere?[mnrs]?|meine?[mnrs]?|notre|nos|mon|mes|nuestr[oa]s?|mis|onze|mijn"
    r"|uses|has|wi-?fi|wlan|nas|router)\b"
    r"|(?:->|[=\u2192])[ ]?\Z"
)
_REACH = 80
_OF_A_MENU = r"[ ][>\u203a][ ](?=[A-Z])"  # "Settings > Security"


def is_said_of_it(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` says where a password is, how it is or what to do, and not which.

    What everybody has heard of is none, either, where passwords in general are spoken of.
    """
    is_title = text[start].isupper() and text[start:end].replace(" ", "").isalpha()
    is_of_a_menu = is_title and compiled(_OF_A_MENU).match(text, end) is not None
    if _is_heard_of(text[start:end]):
        begin, stop = line_around(text, start, end, _REACH)
        if compiled(_IN_GENERAL).search(text, begin, stop) and not compiled(_SOMEBODYS).search(text, begin, start):
            return True
    return is_of_a_menu or is_kept_in(text, start, end) or compiled(_SAID).fullmatch(text, start, end) is not None


def _is_heard_of(word: str) -> bool:
    """Whether `word` leads every list of passwords that were leaked, with a number behind it or not."""
    return is_leaked(word.rstrip("0123456789!")) or compiled(_HEARD_OF).fullmatch(word) is not None
