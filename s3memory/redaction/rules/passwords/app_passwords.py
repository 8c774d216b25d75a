"""App passwords, which services generate for one program, and the passwords of remote-support programs.

App passwords are groups of random letters near words about accounts. The others follow a word for unattended access.
"""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule, ShapeRule, if_near
from s3memory.redaction.rules.passwords.passphrases import has_sentence_word
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_list
from s3memory.redaction.text.wording import is_adjective, is_gibberish, n_common_pairs

_MAX_BEFORE, _MAX_BEHIND = 160, 80
_ABOUT_ACCOUNTS = (
    r"(?i)app|pass|google|gmail|icloud|apple|yahoo|fastmail|mail|imap|smtp|cal-?dav|card-?dav|calendar|account"
    r"|log[ -]?in|sign|2fa|sixteen|nextcloud|konto|compte|cuenta"
)
_GROUPS_OF_FOUR = r"(?<![\w-])[a-z]{4}([ -])[a-z]{4}(?:\1[a-z]{4}){2,8}(?![\w-])"
_GROUPS_LENGTH = 4 * 4 + 3
_MAX_COMMON_PAIRS = 6  # of twelve pairs: 92 % of random groups have no more, but only 1 % of four words
# Groups with digits, a form that serial numbers have as well: "7xkq-2vbn-hmzw-ptr5".
_GROUPS_WITH_DIGITS = r"(?<![\w-])(?=[a-z-]{0,18}[2-7])(?=[2-7-]{0,18}[a-z])[a-z2-7]{4}(?:-[a-z2-7]{4}){3}(?![\w-])"
_ABOUT_BLUESKY = r"(?i)bluesky|bsky|atproto|app[ -]?pass"
_FIVE_GROUPS = (
    r"(?<![\w-])(?=.{0,28}[a-z])(?=.{0,28}[A-Z])(?=.{0,28}[0-9])[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){4}(?![\w-])"
)
_UNATTENDED = (
    r"unattended(?:[ ]access)?|unbeaufsichtigter zug(?:riff|ang)|acceso (?:desatendido|no supervisado)|obevakad åtkomst"
    r"|accès (?:non surveillé|sans surveillance)|accesso (?:non presidiato|incustodito)|acesso não \w{9,14}"
    r"|on(?:beheer|bewaak)de toegang|dostęp nienadzorowany|(?:неконтролируемый|удал[её]нный) доступ|gözetimsiz erişim"
)
_WORDS = r"[^\W_][^\s,;:.()\"'`*<>|\[\]/]{2,24}(?:[ ][^\W_][^\s,;:.()\"'`*<>|\[\]/]{2,24}){0,2}"
# Words for whether such access is possible, and for whom: participles, and how others begin.
_SETTING = (
    r".*(?:[ai]d[oa]s?|ée?s?|ed|iert|bar|able|ible)|(?:des|dis|in|en|de)?(?:ac?tt?i[vw]|akt[iy])|enabl|config|set\b|allow"
    r"|erlaub|verbot|interdi|vietat|need|needs|nur\b|only|s[oó]lo\b|liber|fonct|funk|działa|(?:вы|от)?ключ|работ|logs?\b|feature"
)


def _mail_password(match: re.Match[str]) -> Location:
    """Locate four random groups of four letters, as Google, Apple and others generate them."""
    if not if_near(_ABOUT_ACCOUNTS, _MAX_BEFORE, _MAX_BEHIND)(match):
        return None
    # Words of four letters may stand next to it: take the four groups that look least like words.
    starts = range(match.start(), match.end() - _GROUPS_LENGTH + 1, 5)
    start = min(starts, key=lambda start: n_common_pairs(match.string[start : start + _GROUPS_LENGTH]))
    n_common = n_common_pairs(match.string[start : start + _GROUPS_LENGTH])
    return (start, start + _GROUPS_LENGTH) if n_common <= _MAX_COMMON_PAIRS else None


def _bluesky_password(match: re.Match[str]) -> Location:
    letters = "".join(filter(str.isalpha, match[0]))
    is_random = n_common_pairs(letters) <= _MAX_COMMON_PAIRS
    return if_near(_ABOUT_BLUESKY, _MAX_BEFORE, _MAX_BEHIND)(match) if is_random else None


def _nextcloud_password(match: re.Match[str]) -> Location:
    return match.span() if is_gibberish("".join(filter(str.isalpha, match[0]))) else None


def _words_of_access(match: re.Match[str]) -> Location:
    """Locate up to three words, none of which is about the access itself. One plain word needs a sign before it."""
    words = match["secret"].lower().split()
    if len(words) == 1 and words[0].isalpha() and not match["sign"]:
        return None
    is_said = any(is_remark_word(word) or is_adjective(word) or compiled(_SETTING).match(word) for word in words)
    return None if is_said or has_sentence_word(words) else match.span("secret")


RULES = (
    *(
        ShapeRule(
            kind="password",
            shape=rb"%baaaa(?=%baaaa%baaaa)" % (sign, sign, sign),  # a shape that starts with one sign is fast
            offset=-4,
            pattern=_GROUPS_OF_FOUR,
            locate=_mail_password,
            source="https://support.google.com/accounts/answer/185833",
            samples=samples,
            near=near,
        )
        for sign, samples, near in (
            (
                b" ",
                ("Thunderbird gets «lvcz afym druf qhxs» for Gmail", "mail: take «wqkz afym druf qhxs» with that"),
                (
                    "the mail says what they took from that app",
                    "tests pass just fine with lxml",
                    "lvcz afym druf qhxs is a verse of Klingon",
                ),
            ),
            (b"-", ("icloud: «vnbt-rzss-azme-htlz»",), ("icloud: four-by-four-cars", "vnbt-rzss-azme-htlz is a verse")),
        )
    ),
    ShapeRule(
        kind="password",
        shape=rb"-(?=[a0]{4}-[a0]{4}-[a0]{4}(?![a0-]))",
        offset=-4,
        pattern=_GROUPS_WITH_DIGITS,
        locate=_bluesky_password,
        source="https://docs.bsky.app/docs/advanced-guides/app-passwords",
        samples=("bluesky «h3gj-xvoj-qh2p-m2hm»", "app password of the bot: «7xkq-2vbn-hmzw-ptr5»"),
        near=("serial h3gj-xvoj-qh2p-m2hm", "bluesky four-by4x-cars-2the"),
    ),
    ShapeRule(
        kind="password",
        shape=rb"-(?=[a0]{5}-[a0]{5}-[a0]{5}-)",
        offset=-5,
        pattern=_FIVE_GROUPS,
        locate=_nextcloud_password,
        source="https://docs.nextcloud.com/server/latest/user_manual/en/session_management.html",
        samples=("Nextcloud made «IZ1Rw-11Dkd-PeVNj-2wfjw-AWobN» for the tablet",),
        near=("key 5CYPE-DZCJV-UGRTR-QO3OB-I3IYL", "Alpha-Bravo-Delta-Hotel-Tango"),
    ),
    Rule(
        kind="password",
        anchors=word_list("anydesk teamviewer rustdesk splashtop supremo ultraviewer ammyy hoptodesk todesk aeroadmin"),
        fold=True,
        pattern=(
            rf"(?i:[a-z]{{5,12}}(?![a-z])[^\n]{{0,80}}?(?<![^\W\d_])(?:{_UNATTENDED})(?:[ ](?:password|pw|word|code))?)"
            rf"(?P<sign>[ ]?(?:[:=\uff1a\u2192\u2013-]|->))?[ ]?[\"'`*\u201c\u201e\u00ab]{{0,2}}(?P<secret>{_WORDS})"
            r"(?=[\"'`*\u201d\u201c\u00bb]{0,2}(?:[.,;()]|[ ]*(?:\n|\Z)))"
        ),
        locate=_words_of_access,
        source="https://support.anydesk.com/docs/unattended-access",
        samples=(
            "AnyDesk 884 201 553, unattended access «green kettle»",
            "TeamViewer, acceso desatendido: «cuentas claras», desde ayer",
        ),
        near=(
            "AnyDesk: unattended access enabled",
            "TeamViewer: acceso desatendido configurado ayer",
            "AnyDesk: unattended access needs a password",
        ),
    ),
)
