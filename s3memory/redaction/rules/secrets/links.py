"""Links that open something for whoever has them: an invitation, a share, a reset, a webhook, a feed.

A code in a link is a secret if the nearest word that says anything says what the link lets somebody do. Words are
looked for in the link first, from the code back to the host, and then beside it: "Einladungslink: ...", "(no login)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from s3memory.redaction.model import PLACEHOLDER_START
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.rules.reading.random_values import LEAST, is_random, is_sum_at, is_uuid
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.values import is_identifier, is_placeholder, is_slug, is_term
from s3memory.redaction.text.word_lists import word_list, word_set
from s3memory.redaction.text.wording import is_gibberish

# Without a scheme, what a host ends in.
_ENDS_OF_HOSTS = (".com/", ".org/", ".net/", ".io/", ".dev/", ".app/", ".co/", ".me/", ".example/")
_REST = r"[^\s\"'<>`|\\]{5,800}+"
_WITH_SCHEME = rf"://(?:[^\s/@\"'<>`]{{1,80}}@)?(?P<host>[\w.:-]{{2,120}}|\[[0-9a-f:]{{2,40}}\])(?P<rest>[/?#]{_REST})"
_WITHOUT_SCHEME = rf"\.[a-z]{{2,8}}(?P<rest>/{_REST})"
_QUERY = rf"(?P<rest>\?[a-z_]{{1,24}}={_REST})"  # as in: add ?k=... to each address
_PIECE = r"(?:(?<==)4/)?[^/?&;#=,]+"  # a code of Google's has a slash
_ENDING = r"\.[A-Za-z]{2,4}[0-9x]?\Z"
_AT_ITS_END = ".,;:!?)]}*_~"

_ALPHABET = r"(?:4/)?[A-Za-z0-9_~.%=!:@+-]{6,512}"
_WORDS_OF_A_QUERY = r"[A-Za-z][a-z]*(?:\+[A-Za-z][A-Za-z-]*)+"
_MIXED_LETTERS = r"(?=.*[a-z].*[a-z])(?=.[^A-Z]*[A-Z].*[A-Z])[A-Za-z]{8,40}"
# "HX82-KQ31-ZZ" is one, "ENG-1234" is not.
_GROUPS = r"(?=[A-Z0-9-]{0,30}(?:[A-Z]{2}[0-9]|[0-9][A-Z]{2}))[A-Z0-9]{2,6}(?:-[A-Z0-9]{2,6}){1,5}"
_LEAST, _LEAST_OF_A_KEY, _LEAST_OF_A_BARE_KEY = 6, 8, 10
_OPENS_ITSELF = r"(?i)(?:private|secret|share|shared|invite|magic)[-_]|shr|zt-"
_DIGEST = r"[0-9a-f]{32,}|[0-9A-F]{32,}|\A[0-9a-fA-F]+\Z"

# What a link lets somebody do, by what the words for it begin with, in the languages whose word is another.
_OPENING = word_list("""
    invit share sharing join magic reset recover verif confirm activat unsubscrib onetime otl secret privat guest hook
    webhook incoming passwordless sso accept rsvp ical ics webcal feed unlisted signed presign preauth upload catch
    transfer handoff claim redeem autologin login signin signup impersonat access send drop paste optout capab
    publicdash ping heartbeat collab snapshot onboard import unsub kiosk esign partag einlad freigab geteilt teilen
    compart convid convit condivi gedeeld delen uitnod inbjud invitasj udostep zapros sdil pozvan paylas davet bagikan
    undang push
""")
_OPENING_BEYOND = word_list("приглаш запрош доступ 分享 邀请 邀請 共有 招待 공유 초대 دعوة مشاركة הזמנ")
# Steps that are taken once, or by a machine: there even a UUID opens something, which names a record elsewhere.
_ONCE = word_list("""
    invit reset magic hook webhook activat guest recover sso otl onetime passwordless accept ping heartbeat unsubscrib
    autologin claim redeem signed presign
""")
# What a link shows that is told from everything else by a digest or an id.
_PUBLISHED = word_set("""
    commit commits blob tree raw compare diff rev revision sha docs wiki doi release releases tag tags assets asset img
    css js fonts font dist npm pypi maven abs isbn rfc cve watch tracking pull pulls
""")
# What everybody may see, or only who logs in, unless a step further up opens it: "/share/board/...".
_SHOWN = word_set("""
    static issue issues video videos playlist channel channels question questions article articles post posts news blog
    product products item items status tweet doc package packages build builds job jobs run runs pipeline pipelines task
    tasks trace traces order orders track user users profile org orgs team teams message messages archives image images
    node nodes pod instance cluster bug bugs ticket tickets browse board boards card cards page pages log logs request
    requests event events session sessions version versions search map maps place book books song album listing listings
    dp sku repo repos repository model models dataset datasets paper papers pdf gist incident incidents alert alerts
    customer customers invoice invoices payment report
""")
# Parameters that say where somebody came from, or what is shown.
_OF_PAGES = word_set("""
    v q list si utm gclid fbclid msclkid mc lang page offset ts cb time date version ver rev commit scroll filter color
    size width format
""")
_SIGNED = word_set("""
    signature sig sign code hmac tok appid resourcekey sharekey mtid oobcode tk tkn voucher coupon gift ticket
""")
_PICTURE = r"(?i)\.(?:svg|png|gif|jpe?g|ico)(?=[?#]|\Z)"
_DONE = (*_ONCE, "sendmessage", "getupdates", "getme", "setwebhook", "announce")
_OPENING_BESIDE = ("key", "apikey", "api-key", "api_key", "admin", "manage", "owner", "organizer", "organiser")
_FURTHEST = 8

_PUBLIC_HOSTS = (
    r"(?i)(?:.*[.])?(?:youtube\.com|youtu\.be|vimeo\.com|github\.com|stackoverflow\.com|arxiv\.org|docs\.google\.com"
    r"|discord\.(?:gg|com)|shields\.io|powerbi\.com|diagrams\.net|mermaid\.live|typescriptlang\.org)(?::[0-9]+)?"
)
_HOST_OF_INVITES = (
    r"(?i)(?:www\.)?(?:chat\.whatsapp\.com|signal\.(?:group|me)|t\.me|we\.tl|airtable\.com|photos\.app\.goo\.gl)"
)
# The first step of a path of theirs is all that a link opens with.
_HOST_OF_SHARES = r"(?i)(?:www\.)?(?:overleaf\.com|framadate\.org)"
_HOSTS_OF_ASSETS = frozenset(("static", "assets", "cdn", "img"))
_HOSTS_THAT_SHARE = ("paste", "file", "share", "drop", "bin", "transfer", "send", "secret", "partage", "freigabe")
# Of a node of a chain, which bills whoever has it.
_NODE = r"(?i).*(?:mainnet|testnet|sepolia|\brpc|alchemy|infura|quiknode).*"
# A single letter stands for a share or for anything else: a value that is not a digest tells which. Behind "/v/" and
# "/w/" something is watched.
_SHORTENED = r"[a-uxyz]"
_MOST_STEPS_OF_A_SHORT_LINK = 2
# What is all of a query opens what is asked for, as with names that follow an address; behind a file, it is its digest.
_KEY_IN_SHORT, _FILE_OF_A_PAGE = ("k",), r"(?i)\.(?:css|m?js|map|png|jpe?g|gif|svg|ico|webp|woff2?|ttf|eot|html?)\?\Z"

_ASIDE = r"[ ]\([^()\n]{1,80}\)(?=[ :]|\Z)"  # "deploy hook (POST to it):"
_BESIDE, _MOST_WORDS_BESIDE = 120, 6
_SIGNS = " \t\r*_`\"'<([>+-\u2022"
_OF_ONE = frozenset(("personal", "individual", "secure"))
_SCHEME = r"\w{2,5}:?\Z"
_LINK = (
    r"(?i)(?:\w*link\w*|urls?|address|page|lien|enlace|vínculo|collegamento|odkaz\w*|länk\w*|lenke\w*|bağlant\w*|tautan"
    r"|ссылк\w*|посил\w*|.*(?:链接|連結|リンク|링크|رابط|קישור))"
)
_LETS_IN = (
    r"(?i)\b(?:(?:never|do not|don'?t) (?:share|forward|post(?: publicly)?)"
    r"|(?:any(?:one|body)|every(?:one|body)|whoever) (?:with|who has|has|holds)"
    r"|(?:no|without)(?: an?)? (?:log[- ]?in|password|account)\b"
    r"|(?:logs|lets|signs|gets|brings) (?:you|me|us|them|any(?:one|body)|every(?:one|body)|people)\b)[^\n]{0,24}\Z"
)
_SAID_BEHIND = (
    r"[\"'`*)>\]]{0,3}(?:[ ][a-z]{2,10}){0,5}[ ]{0,2}(?:\n|[(,;:\u2013\u2014-]{1,2}|is|gives|lets)[ ]{0,2}"
    r"(?i:any(?:one|body)\b|(?:no|without)(?: an?)? (?:log[- ]?in|password|account|auth|sign[- ]?in)"
    r"|(?:works|opens) (?:without|for any)|(?:single|one)[- ](?:use|time)|do(?: not|n'?t) (?:share|forward|post))"
)
_ASKS_FOR_A_LOGIN = (
    r"[\"'`*)>\]]{0,3}[ ]{0,2}[(,;\u2013\u2014-]{1,2}[ ]{0,2}"
    r"(?i:(?:you )?(?:needs?|requires?|asks? for|behind|only with|after)[ ](?:[\w-]{1,12}[ ]){0,3}"
    r"(?:log[- ]?in|account|sso|vpn|sign[- ]?in|password)|(?:log[- ]?in|sso|account|vpn) (?:needed|required|only))\b"
)
_NOT_OPENING, _OPENING_WORD, _OPENING_LINK = "", "word", "link"


class _Piece(NamedTuple):
    """What stands between two signs of a link's path, query and fragment.

    Attributes:
        sign: The sign before it.
        text: The piece.
        words: Its words, in small letters; those of a code say nothing.
        is_code: It may be a code.
    """

    sign: str
    text: str
    words: tuple[str, ...]
    is_code: bool


class _Link(NamedTuple):
    """A link in a text: where its host starts, where it ends, and what it is made of."""

    text: str
    start: int
    end: int
    host: str
    pieces: list[_Piece]


def _codes(match: re.Match[str], _limit: int) -> Places:
    text, start, rest = match.string, match.start("rest"), match["rest"].rstrip(_AT_ITS_END)
    if not compiled(r"[0-9]|[a-z][A-Z]").search(rest):  # most links are words
        return
    found = list(compiled(_PIECE).finditer(rest))
    stems = [compiled(_ENDING).sub("", piece[0]) for piece in found]
    are_codes = [*map(_may_be_code, stems)]
    if not any(are_codes):
        return
    has_host = "host" in match.re.groupindex
    named = match if has_host else compiled(r"(?P<host>[\w.-]{1,60})\Z").search(text, max(0, start - 60), start)
    host = named["host"] if named else ""
    pieces = [
        _Piece(rest[piece.start() - 1], stem, () if is_code else tuple(nouns.words_of(stem)), is_code)
        for piece, stem, is_code in zip(found, stems, are_codes, strict=True)
    ]
    link = _Link(text, start - len(host), start + len(rest), host, pieces)
    is_opening = None
    for number, piece in enumerate(pieces):
        if not piece.is_code:
            continue
        said = (said_by(link, number) for said_by in (_said_by_parameter, _said_by_steps, _said_by_host))
        is_secret = next((is_one for is_one in said if is_one is not None), None)
        if is_secret is None and not is_uuid(piece.text):
            is_opening = _said_beside(link) if is_opening is None else is_opening
            is_secret = is_opening == _OPENING_LINK or (is_opening == _OPENING_WORD and len(piece.text) >= LEAST)
        first = start + found[number].start()
        if is_secret and not is_sum_at(text, first):
            yield first, first + len(piece.text)


@judged
def _may_be_code(piece: str) -> bool:
    """Whether a piece of a link is a code: random, whatever its length, and none of what names a page."""
    is_image = "@sha256:" in piece
    if is_image or not compiled(_ALPHABET).fullmatch(piece) or compiled(_WORDS_OF_A_QUERY).fullmatch(piece):
        return False
    if compiled(_GROUPS).fullmatch(piece):
        return True
    if piece.isalpha():
        return compiled(_MIXED_LETTERS).fullmatch(piece) is not None and is_gibberish(piece)
    if len(piece) >= LEAST:
        own = compiled(_OPENS_ITSELF).match(piece)
        return is_random(piece) or (own is not None and is_random(piece[own.end() :], least=_LEAST))
    is_name = is_identifier(piece) or is_slug(piece) or is_term(piece) or is_placeholder(piece)
    return not is_name and is_random(piece, least=_LEAST)


def _said_by_parameter(link: _Link, number: int) -> bool | None:
    code = link.pieces[number]
    words = link.pieces[number - 1].words if code.sign == "=" and number else ()
    if not words:
        return _is_all_of_a_query(link, number) or None
    is_badge = len(code.text) < LEAST and compiled(_PICTURE).search(link.text, link.start, link.end) is not None
    if is_badge or words[0] in _OF_PAGES:
        return False
    is_opening = not is_uuid(code.text) and any(word.startswith(_OPENING) for word in words)
    if words in (("id",), ("hash",)):  # what it is of, the path says
        return None
    meaning = nouns.meaning([*words], len(words) - 1, is_uuid=is_uuid(code.text))
    is_of_login = (words[-1] == "hash" and "token" in words) or "auth" in words[:-1]
    if is_of_login or meaning == nouns.SECRET or not _SIGNED.isdisjoint(words):
        return True
    is_digest = is_uuid(code.text) or compiled(_DIGEST).search(code.text) is not None
    if meaning == nouns.KEY or (words == _KEY_IN_SHORT and not is_digest):
        return _is_key(link, number, is_bare=len(words) == 1)
    return False if meaning == nouns.HARMLESS and not is_opening else is_opening or None


def _is_all_of_a_query(link: _Link, number: int) -> bool:
    """Whether the query is a code and nothing else: "/update.php?v"."""
    code = link.pieces[number]
    is_last = code.sign == "?" and number + 1 == len(link.pieces)
    if not is_last or len(code.text) < LEAST or is_uuid(code.text) or compiled(_DIGEST).search(code.text):
        return False
    before = link.text[link.start : link.end].rpartition("?")[0] + "?"
    return compiled(_FILE_OF_A_PAGE).search(before) is None


def _is_key(link: _Link, number: int, *, is_bare: bool) -> bool | None:
    code = link.pieces[number].text
    if is_bare and is_uuid(code):
        steps = (*link.host.split("."), *(piece.text for piece in link.pieces[:_FURTHEST]))
        return any(compiled(r"(?i)api|v[0-9]{1,2}").fullmatch(step) for step in steps)
    return len(code) >= (_LEAST_OF_A_BARE_KEY if is_bare else _LEAST_OF_A_KEY) or None


def _said_by_steps(link: _Link, number: int) -> bool | None:
    """Return what the steps of the path before a code say, if anything: the nearest first."""
    code = link.pieces[number]
    if compiled(_PUBLIC_HOSTS).fullmatch(link.host):
        return None if compiled(_LETS_IN).search(_said_before(link)) else False
    steps = list(_steps_before(link.pieces[max(0, number - _FURTHEST) : number], is_parameter=code.sign not in "/#"))
    if code.sign == "/" and steps and steps[0].text.lower() in _OPENING_BESIDE:
        return True
    opening, is_shown = _ONCE if is_uuid(code.text) else _OPENING, False
    for step in steps:
        if not _PUBLISHED.isdisjoint(step.words):
            return False
        if any(word.startswith(opening) for word in (*step.words, "".join(step.words))):
            return True
        is_shown = is_shown or not _SHOWN.isdisjoint(step.words)
    if is_shown:
        return None if code.sign == "=" else False
    # "/b/.../guest", "/u/.../accept": what is done with it.
    behind = link.pieces[number + 1] if number + 1 < len(link.pieces) else None
    is_done = behind and code.sign == behind.sign == "/" and behind.text.lower().startswith(_DONE)
    return True if is_done else None


def _steps_before(pieces: list[_Piece], *, is_parameter: bool) -> Iterator[_Piece]:
    """Yield the steps of a path, the last first: before an address within a parameter, only its own."""
    for piece in reversed(pieces):
        if piece.sign in "/#":
            yield piece
        elif not is_parameter:
            return


def _said_by_host(link: _Link, number: int) -> bool | None:
    code = link.pieces[number].text
    labels = nouns.words_of(link.host)[:-1]
    is_opening = any(label.startswith(_ONCE) for label in labels)
    if number == 0 and compiled(_HOST_OF_SHARES).fullmatch(link.host):
        return True
    if is_opening or compiled(_OPENS_ITSELF).match(code) or compiled(_HOST_OF_INVITES).fullmatch(link.host):
        return True
    if is_uuid(code) or len(code) < LEAST:
        return None
    # What stands behind "#" stays with whoever opens the link: a key that the server must not see.
    is_digest = compiled(_DIGEST).search(code) is not None or not _HOSTS_OF_ASSETS.isdisjoint(labels)
    is_key = not is_digest and any(piece.sign == "#" for piece in link.pieces[: number + 1])
    before = link.pieces[number - 1].text if 0 < number <= _MOST_STEPS_OF_A_SHORT_LINK else ""
    is_short = not is_digest and compiled(_SHORTENED).fullmatch(before) is not None
    is_short = is_short and compiled(_ASKS_FOR_A_LOGIN).match(link.text, link.end) is None
    is_shared = any(stem in label for stem in _HOSTS_THAT_SHARE for label in labels)
    return is_key or is_short or is_shared or compiled(_NODE).fullmatch(link.host) is not None or None


def _said_beside(link: _Link) -> str:
    """Return whether the words beside a link say that it opens something: as a link, by a word at least, or not."""
    before = _said_before(link)
    words = compiled(r"[^\W_]+").findall(compiled(_ASIDE).sub("", before))[-_MOST_WORDS_BESIDE:]
    is_link = before.endswith((":", "\uff1a")) or any(compiled(_LINK).fullmatch(word) for word in words)
    is_opening = any(map(_is_opening, words)) or not _OF_ONE.isdisjoint(map(str.lower, words))
    is_said = compiled(_LETS_IN).search(before) or compiled(_SAID_BEHIND).match(link.text, link.end)
    return _OPENING_LINK if is_said or (is_opening and is_link) else _OPENING_WORD if is_opening else _NOT_OPENING


def _said_before(link: _Link) -> str:
    """Return the words before a link on its line, or those on the line above if that leads up to it."""
    before = link.text[max(0, link.start - _BESIDE) : link.start].removesuffix("//")
    *above, line = compiled(_SCHEME).sub("", before[before.rfind(PLACEHOLDER_START) + 1 :]).rsplit("\n", 2)
    led = above[-1].rstrip(_SIGNS) if above and not line.strip(_SIGNS) else ""
    return led if led.endswith((":", "\uff1a")) else line.rstrip(_SIGNS)


@judged
def _is_opening(word: str) -> bool:
    folded = word.lower()
    return folded.startswith(_OPENING) or any(stem in folded for stem in _OPENING_BEYOND)


def _pattern(anchor: str) -> str:
    return {"://": _WITH_SCHEME, "?": _QUERY}.get(anchor, _WITHOUT_SCHEME)


RULES = (
    NearRule(
        kind="secret",
        anchors=("://", "?", *_ENDS_OF_HOSTS),
        pattern=_pattern,
        around=_codes,
        source="https://cwe.mitre.org/data/definitions/598.html",
        samples=(
            "https://acme.example.org/guest/«<hex:32>»",
            "invite link: https://chat.example.org/x/«{mixed 24}»",
            "acme.io/invite/«{mixed 24}»",
            "https://api.example.org/v1/rows?key=«{mixed 32}»&limit=5",
            "https://api.example.org/v1/track?k=«{mixed 32}»",
            "goes with ?ticket=«{mixed 24}» behind the path",
            "GET /stations?k=«{mixed 24}»",
            "https://dns.example.org/update.php?«{mixed 32}»",
            "https://tracker.example.org/«<hex:32>»/announce",
        ),
        near=(
            "https://example.org/commit/<hex:40>",
            "https://example.org/token/{mixed 32}",
            "he shared https://youtu.be/{mixed 12}",
            "https://example.org/docs/{mixed 16}",
            "GET /stations?v={mixed 24}",
            "GET /stations?id={mixed 24}",
            "https://example.org/assets/main.css?{mixed 32}",
        ),
    ),
)
