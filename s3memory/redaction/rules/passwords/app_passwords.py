"""Passwords that services make for one program: their form tells them, and something about accounts near them."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, SignRule
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.wording import is_gibberish, n_common_pairs

_AROUND = 160
_ABOUT = (
    r"(?i)app|pass|google|gmail|icloud|apple|yahoo|fastmail|mail|imap|smtp|cal-?dav|card-?dav|calendar|account"
    r"|log[ -]?in|sign|2fa|sixteen|nextcloud|konto|compte|cuenta"
)
_GROUPS_OF_FOUR = r"(?<![\w-])[a-z]{4}([ -])[a-z]{4}(?:\1[a-z]{4}){2,8}(?![\w-])"
_FOUR_GROUPS = 4 * 4 + 3
_MOST_COMMON = 6  # of twelve pairs: 92 % of random groups have as few, and 1 % of four words
# With digits, as serial numbers have them as well.
_WITH_DIGITS = r"(?<![\w-])(?=[a-z-]{0,18}[2-7])(?=[2-7-]{0,18}[a-z])[a-z2-7]{4}(?:-[a-z2-7]{4}){3}(?![\w-])"
_NETWORKS = r"(?i)bluesky|bsky|atproto|app[ -]?pass"
_FIVE_GROUPS = (
    r"(?<![\w-])(?=.{0,28}[a-z])(?=.{0,28}[A-Z])(?=.{0,28}[0-9])[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){4}(?![\w-])"
)


def _of_a_mail_account(match: re.Match[str]) -> Location:
    around = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND // 2]
    if not compiled(_ABOUT).search(around):
        return None
    # Words of four letters may stand beside it.
    starts = range(match.start(), match.end() - _FOUR_GROUPS + 1, 5)
    start = min(starts, key=lambda start: n_common_pairs(match.string[start : start + _FOUR_GROUPS]))
    n_common = n_common_pairs(match.string[start : start + _FOUR_GROUPS])
    return (start, start + _FOUR_GROUPS) if n_common <= _MOST_COMMON else None


def _of_a_network(match: re.Match[str]) -> Location:
    around = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND // 2]
    letters = "".join(filter(str.isalpha, match[0]))
    return match.span() if compiled(_NETWORKS).search(around) and n_common_pairs(letters) <= _MOST_COMMON else None


def _of_a_cloud(match: re.Match[str]) -> Location:
    return match.span() if is_gibberish("".join(filter(str.isalpha, match[0]))) else None


RULES = (
    *(
        SignRule(
            kind="password",
            shape=rb"%baaaa(?=%baaaa%baaaa)" % (sign, sign, sign),  # a shape that starts with one sign is fast
            offset=-4,
            pattern=_GROUPS_OF_FOUR,
            locate=_of_a_mail_account,
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
    SignRule(
        kind="password",
        shape=rb"-(?=[a0]{4}-[a0]{4}-[a0]{4}(?![a0-]))",
        offset=-4,
        pattern=_WITH_DIGITS,
        locate=_of_a_network,
        source="https://docs.bsky.app/docs/advanced-guides/app-passwords",
        samples=("bluesky «h3gj-xvoj-qh2p-m2hm»", "app password of the bot: «7xkq-2vbn-hmzw-ptr5»"),
        near=("serial h3gj-xvoj-qh2p-m2hm", "bluesky four-by4x-cars-2the"),
    ),
    SignRule(
        kind="password",
        shape=rb"-(?=[a0]{5}-[a0]{5}-[a0]{5}-)",
        offset=-5,
        pattern=_FIVE_GROUPS,
        locate=_of_a_cloud,
        source="https://docs.nextcloud.com/server/latest/user_manual/en/session_management.html",
        samples=("Nextcloud made «IZ1Rw-11Dkd-PeVNj-2wfjw-AWobN» for the tablet",),
        near=("key 5CYPE-DZCJV-UGRTR-QO3OB-I3IYL", "Alpha-Bravo-Delta-Hotel-Tango"),
    ),
)
