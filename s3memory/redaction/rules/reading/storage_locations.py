"""Recognizes where a password is kept, which is no password: a password manager, or a place that a particle marks."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled

MANAGERS = (
    "1pass(?:word)?|bitwarden|vaultwarden|keepass(?:xc|dx|x)?|lastpass|dashlane|nordpass|enpass|roboform|passbolt|gopass"
    "|teampass|proton ?pass|safeincloud|strongbox|keeweb"
)
_MANAGER = rf"(?ai:(?:{MANAGERS})[0-9]{{0,2}})"
# The particle of a place with a verb of keeping: "金庫に保管". The particle alone also follows passwords: "v に変更".
_KEPT_AFTER = (
    r"(?:に|の中に|内に)[^\n。]{0,4}(?:保存|保管|あり|ある|入って|記載|書|格納)|(?:から|で)(?:取得|確認|参照)"
    r"|[ ]?(?:안)?에(?:서)?[ ](?:있|보관|저장|적혀|확인|기록|넣)|(?:里|中|内|裡)(?![^\W\d_]{0,2}[是为改])"
)
_KEPT_BEFORE = r"(?:ใน|在|存于)[ ]?\Z"
# "in the usual place", also in quotes.
_PLACE = (
    r"(?i)(?:in|on|at|under|behind|inside)[ ](?:the|my|our|your|his|her|their)[ ](?:[a-z]{2,14}[ ]){0,3}"
    r"(?:place|drawer|safe|vault|envelope|notebook|wiki|folder|binder|box|office|desk|cabinet|manager|keychain|docs?|readme)"
)
# "KeePass > Design", where a sign may also introduce the password of the manager: "KeePass > hunter2".
_MANAGER_BEFORE = rf"(?ai:(?<![a-z])(?:{MANAGERS}|keychain|vault))[ ]?[>\u203a\u2192\u00bb][ ]?\Z"
_MAX_LENGTH_BEFORE, _MAX_MANAGER = 8, 24


def is_storage_location(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` is a password manager or another place where a password is kept."""
    if compiled(_MANAGER).fullmatch(text, start, end) or compiled(_PLACE).fullmatch(text, start, end):
        return True
    if compiled(_KEPT_BEFORE).search(text, max(0, start - _MAX_LENGTH_BEFORE), start):
        return True
    if text[start:end].isalpha() and compiled(_MANAGER_BEFORE).search(text, max(0, start - _MAX_MANAGER), start):
        return True
    return compiled(_KEPT_AFTER).match(text, end) is not None
