"""What notes say of a password in place of telling it: "kept in the safe", "eight digits", "ticket OPS-4821"."""

from __future__ import annotations

from s3memory.redaction.rules.reading.kept_in import MANAGERS
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
_OF_A_MENU = r"[ ][>\u203a][ ](?=[A-Z])"  # "Settings > Security"


def is_said_of_it(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` says where a password is, how it is or what to do, and not which."""
    is_title = text[start].isupper() and text[start:end].replace(" ", "").isalpha()
    is_of_a_menu = is_title and compiled(_OF_A_MENU).match(text, end) is not None
    return is_of_a_menu or compiled(_SAID).fullmatch(text, start, end) is not None
