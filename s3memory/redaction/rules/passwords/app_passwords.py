"""App passwords, which services generate for one program: groups of random letters near words about accounts."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, ShapeRule
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.wording import is_gibberish, n_common_pairs

_MAX_CONTEXT = 160
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


def _is_about(words: str, match: re.Match[str]) -> bool:
    """Whether the context of `match` has one of `words`, a regular expression."""
    context = match.string[max(0, match.start() - _MAX_CONTEXT) : match.end() + _MAX_CONTEXT // 2]
    return compiled(words).search(context) is not None


def _mail_password(match: re.Match[str]) -> Location:
    """Locate four random groups of four letters, as Google, Apple and others generate them."""
    if not _is_about(_ABOUT_ACCOUNTS, match):
        return None
    # Words of four letters may stand next to it: take the four groups that look least like words.
    starts = range(match.start(), match.end() - _GROUPS_LENGTH + 1, 5)
    start = min(starts, key=lambda start: n_common_pairs(match.string[start : start + _GROUPS_LENGTH]))
    n_common = n_common_pairs(match.string[start : start + _GROUPS_LENGTH])
    return (start, start + _GROUPS_LENGTH) if n_common <= _MAX_COMMON_PAIRS else None


def _bluesky_password(match: re.Match[str]) -> Location:
    letters = "".join(filter(str.isalpha, match[0]))
    is_random = n_common_pairs(letters) <= _MAX_COMMON_PAIRS
    return match.span() if is_random and _is_about(_ABOUT_BLUESKY, match) else None


def _nextcloud_password(match: re.Match[str]) -> Location:
    return match.span() if is_gibberish("".join(filter(str.isalpha, match[0]))) else None


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
)
