"""Where passwords are kept: in a password manager, or in what a particle or a verb says to be a place."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled

MANAGERS = (
    "1pass(?:word)?|bitwarden|vaultwarden|keepass(?:xc|dx|x)?|lastpass|dashlane|nordpass|enpass|roboform|passbolt|gopass"
    "|teampass|protonpass|safeincloud|strongbox|keeweb"
)
_MANAGER = rf"(?ai:(?:{MANAGERS})[0-9]{{0,2}})"
# The particle of a place, and what is done there. The same particles stand behind passwords: "v に変更".
_KEPT_BEHIND = (
    r"(?:に|の中に|内に)[^\n。]{0,4}(?:保存|保管|あり|ある|入って|記載|書|格納)|(?:から|で)(?:取得|確認|参照)"
    r"|[ ]?(?:안)?에(?:서)?[ ](?:있|보관|저장|적혀|확인|기록|넣)|(?:里|中|内|裡)(?![^\W\d_]{0,2}[是为改])"
)
_KEPT_BEFORE = r"(?:ใน|在|存于)[ ]?\Z"
_LONGEST = 8


def is_kept_in(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` is a password manager, or something that a password is kept in."""
    if compiled(_MANAGER).fullmatch(text, start, end):
        return True
    if compiled(_KEPT_BEFORE).search(text, max(0, start - _LONGEST), start):
        return True
    return compiled(_KEPT_BEHIND).match(text, end) is not None
