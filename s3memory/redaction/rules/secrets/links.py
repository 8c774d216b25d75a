"""Links that open something for anyone who has them: an invitation, a share, a reset, a webhook, a feed.

A code in a link is a secret if the nearest meaningful word shows what the link lets somebody do. The rule looks for
that word in the link first, from the code back to the host, and then in the text around it: "Einladungslink: ...",
"(no login)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from s3memory.redaction.interface import PLACEHOLDER_START
from s3memory.redaction.rules.reading import nouns
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.rules.reading.random_values import LEAST, is_checksum_at, is_random, is_uuid
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.values import is_identifier, is_placeholder, is_slug, is_technical_term
from s3memory.redaction.text.word_lists import word_list, word_set
from s3memory.redaction.text.wording import is_gibberish

# Where the host of a link without a scheme ends: "acme.io/invite/...".
_TOP_LEVEL_DOMAINS = (".com/", ".org/", ".net/", ".io/", ".dev/", ".app/", ".co/", ".me/", ".example/")
_REST = r"[^\s\"'<>`|\\]{5,800}+"
_WITH_SCHEME = rf"://(?:[^\s/@\"'<>`]{{1,80}}@)?(?P<host>[\w.:-]{{2,120}}|\[[0-9a-f:]{{2,40}}\])(?P<rest>[/?#]{_REST})"
_WITHOUT_SCHEME = rf"\.[a-z]{{2,8}}(?P<rest>/{_REST})"
_QUERY = rf"(?P<rest>\?[a-z_]{{1,24}}={_REST})"  # "add ?k=... to each address"
# The code of a login by OAuth outside a URL, as in the body of a request.
_GRANT = rf"(?<![?\w-])(?P<rest>code={_REST})"
_OAUTH = r"(?i)authorization_code|[&?;](?:state|redirect_uri|code_verifier)=|callback|oauth"
_SEGMENT = r"(?:(?<==)4/)?[^/?&;#=,]+"  # a code of Google's has a slash
_FILE_EXTENSION = r"\.[A-Za-z]{2,4}[0-9x]?\Z"
_TRAILING_SIGNS = ".,;:!?)]}*_~"

_CODE_ALPHABET = r"(?:4/)?[A-Za-z0-9_~.%=!:@+-]{6,512}"
_SEARCH_WORDS = r"[A-Za-z][a-z]*(?:\+[A-Za-z][A-Za-z-]*)+"
_MIXED_LETTERS = r"(?=.*[a-z].*[a-z])(?=.[^A-Z]*[A-Z].*[A-Z])[A-Za-z]{8,40}"
# "HX82-KQ31-ZZ" matches, "ENG-1234" does not.
_GROUPS = r"(?=[A-Z0-9-]{0,30}(?:[A-Z]{2}[0-9]|[0-9][A-Z]{2}))[A-Z0-9]{2,6}(?:-[A-Z0-9]{2,6}){1,5}"
_MIN_CODE, _MIN_KEY, _MIN_BARE_KEY = 6, 8, 10
_OPENING_PREFIX = r"(?i)(?:private|secret|share|shared|invite|magic)[-_]|shr|zt-"
_DIGEST = r"[0-9a-f]{32,}|[0-9A-F]{32,}|\A[0-9a-fA-F]+\Z"

# Stems of words for what a link lets somebody do, in many languages.
_OPENING_STEMS = word_list("""
    invit share sharing join magic reset recover verif confirm activat unsubscrib onetime otl secret privat guest hook
    webhook incoming passwordless sso accept rsvp ical ics webcal feed unlisted signed presign preauth upload catch
    transfer handoff claim redeem autologin login signin signup impersonat access send drop paste optout capab
    publicdash ping heartbeat collab snapshot onboard import unsub kiosk esign partag einlad freigab geteilt teilen
    compart convid convit condivi gedeeld delen uitnod inbjud invitasj udostep zapros sdil pozvan paylas davet bagikan
    undang push
""")
_OPENING_STEMS_BEYOND_LATIN = word_list("приглаш запрош доступ 分享 邀请 邀請 共有 招待 공유 초대 دعوة مشاركة הזמנ")
# Actions that are done once, or by a machine: after these even a UUID is a secret. Elsewhere it is the id of a record.
_ONE_TIME_STEMS = word_list("""
    invit reset magic hook webhook activat guest recover sso otl onetime passwordless accept ping heartbeat unsubscrib
    autologin claim redeem signed presign
""")
# What is public and has a digest or an id in its link.
_PUBLISHED = word_set("""
    commit commits blob tree raw compare diff rev revision sha docs wiki doi release releases tag tags assets asset img
    css js fonts font dist npm pypi maven abs isbn rfc cve watch tracking pull pulls
""")
# What is public, or needs a login, unless an earlier step opens it: "/share/board/...".
_USUALLY_PUBLIC = word_set("""
    static issue issues video videos playlist channel channels question questions article articles post posts news blog
    product products item items status tweet doc package packages build builds job jobs run runs pipeline pipelines task
    tasks trace traces order orders track user users profile org orgs team teams message messages archives image images
    node nodes pod instance cluster bug bugs ticket tickets browse board boards card cards page pages log logs request
    requests event events session sessions version versions search map maps place book books song album listing listings
    dp sku repo repos repository model models dataset datasets paper papers pdf gist incident incidents alert alerts
    customer customers invoice invoices payment report
""")
# Parameters for what a page shows, or for where the visitor came from.
_PAGE_PARAMETERS = word_set("""
    v q list si utm gclid fbclid msclkid mc lang page offset ts cb time date version ver rev commit scroll filter color
    size width format
""")
# Parameters whose value is a secret, besides those that `nouns` knows.
_SECRET_PARAMETERS = word_set("""
    signature sig sign code hmac tok appid resourcekey sharekey mtid oobcode tk tkn voucher coupon gift ticket
""")
_PICTURE = r"(?i)\.(?:svg|png|gif|jpe?g|ico)(?=[?#]|\Z)"
_ACTIONS_AFTER = (*_ONE_TIME_STEMS, "sendmessage", "getupdates", "getme", "setwebhook", "announce")
_SECRET_STEPS = ("key", "apikey", "api-key", "api_key", "admin", "manage", "owner", "organizer", "organiser")
_MAX_STEPS_BACK = 8

_PUBLIC_HOSTS = (
    r"(?i)(?:.*[.])?(?:youtube\.com|youtu\.be|vimeo\.com|github\.com|stackoverflow\.com|arxiv\.org|docs\.google\.com"
    r"|discord\.(?:gg|com)|shields\.io|powerbi\.com|diagrams\.net|mermaid\.live|typescriptlang\.org)(?::[0-9]+)?"
)
_INVITE_HOSTS = (
    r"(?i)(?:www\.)?(?:chat\.whatsapp\.com|signal\.(?:group|me)|t\.me|we\.tl|airtable\.com|photos\.app\.goo\.gl)"
)
# On these hosts the first step of the path is the code.
_SHARE_HOSTS = r"(?i)(?:www\.)?(?:overleaf\.com|framadate\.org)"
_ASSET_LABELS = frozenset(("static", "assets", "cdn", "img"))
_SHARING_LABELS = ("paste", "file", "share", "drop", "bin", "transfer", "send", "secret", "partage", "freigabe")
# A node of a blockchain, which bills the owner of the key in the link.
_CHAIN_NODE_HOST = r"(?i).*(?:mainnet|testnet|sepolia|\brpc|alchemy|infura|quiknode).*"
# A single letter as a step, "/s/...", may mean a share: it does if the value is not a digest. "/v/" and "/w/" are for
# what is watched.
_SHORT_STEP = r"[a-uxyz]"
_MAX_STEPS_OF_SHORT_LINK = 2
# A code that is the whole query is a key, "/update.php?...", but after a static file it is the digest of that.
_SHORT_KEY_NAME, _STATIC_FILE = ("k",), r"(?i)\.(?:css|m?js|map|png|jpe?g|gif|svg|ico|webp|woff2?|ttf|eot|html?)\?\Z"

_ASIDE = r"[ ]\([^()\n]{1,80}\)(?=[ :]|\Z)"  # "deploy hook (POST to it):"
_CONTEXT, _MAX_CONTEXT_WORDS = 120, 6
_SIGNS = " \t\r*_`\"'<([>+-\u2022"
_PERSONAL = frozenset(("personal", "individual", "secure"))
_SCHEME = r"\w{2,5}:?\Z"
# Words for "link" and "address".
_LINK_WORD = (
    r"(?i)(?:\w*link\w*|urls?|address|page|lien|enlace|vínculo|collegamento|odkaz\w*|länk\w*|lenke\w*|bağlant\w*|tautan"
    r"|ссылк\w*|посил\w*|.*(?:链接|連結|リンク|링크|رابط|קישור))"
)
_LETS_ANYONE_IN = (
    r"(?i)\b(?:(?:never|do not|don'?t) (?:share|forward|post(?: publicly)?)"
    r"|(?:any(?:one|body)|every(?:one|body)|whoever) (?:with|who has|has|holds)"
    r"|(?:no|without)(?: an?)? (?:log[- ]?in|password|account)\b"
    r"|(?:logs|lets|signs|gets|brings) (?:you|me|us|them|any(?:one|body)|every(?:one|body)|people)\b)[^\n]{0,24}\Z"
)
_OPEN_TO_ANYONE_AFTER = (
    r"[\"'`*)>\]]{0,3}(?:[ ][a-z]{2,10}){0,5}[ ]{0,2}(?:\n|[(,;:\u2013\u2014-]{1,2}|is|gives|lets)[ ]{0,2}"
    r"(?i:any(?:one|body)\b|(?:no|without)(?: an?)? (?:log[- ]?in|password|account|auth|sign[- ]?in)"
    r"|(?:works|opens) (?:without|for any)|(?:single|one)[- ](?:use|time)|do(?: not|n'?t) (?:share|forward|post))"
)
_NEEDS_LOGIN_AFTER = (
    r"[\"'`*)>\]]{0,3}[ ]{0,2}[(,;\u2013\u2014-]{1,2}[ ]{0,2}"
    r"(?i:(?:you )?(?:needs?|requires?|asks? for|behind|only with|after)[ ](?:[\w-]{1,12}[ ]){0,3}"
    r"(?:log[- ]?in|account|sso|vpn|sign[- ]?in|password)|(?:log[- ]?in|sso|account|vpn) (?:needed|required|only))\b"
)
_OPENS_NOTHING, _OPENS_BY_A_WORD, _OPENS_AS_A_LINK = "", "word", "link"


class _Segment(NamedTuple):
    """A part of a link's path, query or fragment, between two separators.

    Attributes:
        sign: The separator before it.
        text: The segment.
        words: Its words, in lower case; empty for a code.
        is_code: It may be a code.
    """

    sign: str
    text: str
    words: tuple[str, ...]
    is_code: bool


class _Link(NamedTuple):
    """A link in a text: where its host starts, where it ends, and its segments."""

    text: str
    start: int
    end: int
    host: str
    segments: list[_Segment]


def _find_codes(match: re.Match[str], _limit: int) -> Places:
    """Yield the codes in a link that its parameters, path, host or context show to be secrets."""
    text, start, rest = match.string, match.start("rest"), match["rest"].rstrip(_TRAILING_SIGNS)
    if not compiled(r"[0-9]|[a-z][A-Z]").search(rest):  # most links are words
        return
    if text.startswith("code=", start) and not occurs(_OAUTH, text, max(0, start - _CONTEXT), start + _CONTEXT):
        return
    found = list(compiled(_SEGMENT).finditer(rest))
    stems = [compiled(_FILE_EXTENSION).sub("", segment[0]) for segment in found]
    are_codes = [*map(_may_be_code, stems)]
    if not any(are_codes):
        return
    has_host = "host" in match.re.groupindex
    named = match if has_host else compiled(r"(?P<host>[\w.-]{1,60})\Z").search(text, max(0, start - 60), start)
    host = named["host"] if named else ""
    segments = [
        _Segment(rest[segment.start() - 1], stem, () if is_code else tuple(nouns.words_of(stem)), is_code)
        for segment, stem, is_code in zip(found, stems, are_codes, strict=True)
    ]
    link = _Link(text, start - len(host), start + len(rest), host, segments)
    context = None
    for number, segment in enumerate(segments):
        if not segment.is_code:
            continue
        judgements = (judge(link, number) for judge in (_secret_by_parameter, _secret_by_path, _secret_by_host))
        is_secret = next((judgement for judgement in judgements if judgement is not None), None)
        if is_secret is None and not is_uuid(segment.text):
            context = _meaning_of_context(link) if context is None else context
            is_secret = context == _OPENS_AS_A_LINK or (context == _OPENS_BY_A_WORD and len(segment.text) >= LEAST)
        first = start + found[number].start()
        if is_secret and not is_checksum_at(text, first):
            yield first, first + len(segment.text)


@cached_until_forgotten
def _may_be_code(segment: str) -> bool:
    """Whether a segment may be a code: it looks random, whatever its length, and is not the name of a page."""
    is_image = "@sha256:" in segment
    if is_image or not compiled(_CODE_ALPHABET).fullmatch(segment) or compiled(_SEARCH_WORDS).fullmatch(segment):
        return False
    if compiled(_GROUPS).fullmatch(segment):
        return True
    if segment.isalpha():
        return compiled(_MIXED_LETTERS).fullmatch(segment) is not None and is_gibberish(segment)
    if len(segment) >= LEAST:
        prefix = compiled(_OPENING_PREFIX).match(segment)
        return is_random(segment) or (prefix is not None and is_random(segment[prefix.end() :], least=_MIN_CODE))
    is_name = is_identifier(segment) or is_slug(segment) or is_technical_term(segment) or is_placeholder(segment)
    return not is_name and is_random(segment, least=_MIN_CODE)


def _secret_by_parameter(link: _Link, number: int) -> bool | None:
    """Return whether the name of a code's parameter makes it a secret, if it shows anything."""
    code = link.segments[number]
    words = link.segments[number - 1].words if code.sign == "=" and number else ()
    if not words:
        return _is_whole_query(link, number) or None
    is_badge = len(code.text) < LEAST and compiled(_PICTURE).search(link.text, link.start, link.end) is not None
    if is_badge or words[0] in _PAGE_PARAMETERS:
        return False
    opens = not is_uuid(code.text) and any(word.startswith(_OPENING_STEMS) for word in words)
    if words in (("id",), ("hash",)):  # the path shows what it is the id of
        return None
    meaning = nouns.meaning([*words], len(words) - 1, is_uuid=is_uuid(code.text))
    is_of_login = (words[-1] == "hash" and "token" in words) or "auth" in words[:-1]
    if is_of_login or meaning == nouns.SECRET or not _SECRET_PARAMETERS.isdisjoint(words):
        return True
    is_digest = is_uuid(code.text) or compiled(_DIGEST).search(code.text) is not None
    if meaning == nouns.KEY or (words == _SHORT_KEY_NAME and not is_digest):
        return _is_key(link, number, is_bare=len(words) == 1)
    return False if meaning == nouns.HARMLESS and not opens else opens or None


def _is_whole_query(link: _Link, number: int) -> bool:
    """Whether the query is only a code, as in "/update.php?gT7kQ2mZx9WvB4nL", and the path is not a static file."""
    code = link.segments[number]
    is_last = code.sign == "?" and number + 1 == len(link.segments)
    if not is_last or len(code.text) < LEAST or is_uuid(code.text) or compiled(_DIGEST).search(code.text):
        return False
    before = link.text[link.start : link.end].rpartition("?")[0] + "?"
    return compiled(_STATIC_FILE).search(before) is None


def _is_key(link: _Link, number: int, *, is_bare: bool) -> bool | None:
    code = link.segments[number].text
    if is_bare and is_uuid(code):
        steps = (*link.host.split("."), *(segment.text for segment in link.segments[:_MAX_STEPS_BACK]))
        return any(compiled(r"(?i)api|v[0-9]{1,2}").fullmatch(step) for step in steps)
    return len(code) >= (_MIN_BARE_KEY if is_bare else _MIN_KEY) or None


def _secret_by_path(link: _Link, number: int) -> bool | None:
    """Return whether the steps before a code, the nearest first, make it a secret, if they show anything."""
    code = link.segments[number]
    if compiled(_PUBLIC_HOSTS).fullmatch(link.host):
        return None if occurs(_LETS_ANYONE_IN, _context_before(link)) else False
    nearest = link.segments[max(0, number - _MAX_STEPS_BACK) : number]
    steps = list(_steps_before(nearest, is_parameter=code.sign not in "/#"))
    if code.sign == "/" and steps and steps[0].text.lower() in _SECRET_STEPS:
        return True
    opening, is_shown = _ONE_TIME_STEMS if is_uuid(code.text) else _OPENING_STEMS, False
    for step in steps:
        if not _PUBLISHED.isdisjoint(step.words):
            return False
        if any(word.startswith(opening) for word in (*step.words, "".join(step.words))):
            return True
        is_shown = is_shown or not _USUALLY_PUBLIC.isdisjoint(step.words)
    if is_shown:
        return None if code.sign == "=" else False
    # An action after the code: "/b/.../guest", "/u/.../accept".
    behind = link.segments[number + 1] if number + 1 < len(link.segments) else None
    has_action = behind and code.sign == behind.sign == "/" and behind.text.lower().startswith(_ACTIONS_AFTER)
    return True if has_action else None


def _steps_before(segments: list[_Segment], *, is_parameter: bool) -> Iterator[_Segment]:
    """Yield the steps of a path, the last first. For a URL within a parameter, stop where that parameter begins."""
    for segment in reversed(segments):
        if segment.sign in "/#":
            yield segment
        elif not is_parameter:
            return


def _secret_by_host(link: _Link, number: int) -> bool | None:
    """Return `True` if the host, the code's own prefix or a "#" makes it a secret; otherwise nothing is shown."""
    code = link.segments[number].text
    labels = nouns.words_of(link.host)[:-1]
    opens = any(label.startswith(_ONE_TIME_STEMS) for label in labels)
    if number == 0 and compiled(_SHARE_HOSTS).fullmatch(link.host):
        return True
    if opens or compiled(_OPENING_PREFIX).match(code) or compiled(_INVITE_HOSTS).fullmatch(link.host):
        return True
    if is_uuid(code) or len(code) < LEAST:
        return None
    # A browser does not send what follows "#": it holds keys that the server must not see.
    is_digest = compiled(_DIGEST).search(code) is not None or not _ASSET_LABELS.isdisjoint(labels)
    is_key = not is_digest and any(segment.sign == "#" for segment in link.segments[: number + 1])
    before = link.segments[number - 1].text if 0 < number <= _MAX_STEPS_OF_SHORT_LINK else ""
    is_short = not is_digest and compiled(_SHORT_STEP).fullmatch(before) is not None
    is_short = is_short and compiled(_NEEDS_LOGIN_AFTER).match(link.text, link.end) is None
    is_shared = any(stem in label for stem in _SHARING_LABELS for label in labels)
    return is_key or is_short or is_shared or compiled(_CHAIN_NODE_HOST).fullmatch(link.host) is not None or None


def _meaning_of_context(link: _Link) -> str:
    """Return what the words around a link show: that the link opens something, only a word for opening, or nothing."""
    before = _context_before(link)
    words = compiled(r"[^\W_]+").findall(compiled(_ASIDE).sub("", before))[-_MAX_CONTEXT_WORDS:]
    is_link = before.endswith((":", "\uff1a")) or any(compiled(_LINK_WORD).fullmatch(word) for word in words)
    opens = any(map(_is_opening_word, words)) or not _PERSONAL.isdisjoint(map(str.lower, words))
    is_open_to_anyone = compiled(_OPEN_TO_ANYONE_AFTER).match(link.text, link.end)
    if is_open_to_anyone or occurs(_LETS_ANYONE_IN, before) or (opens and is_link):
        return _OPENS_AS_A_LINK
    return _OPENS_BY_A_WORD if opens else _OPENS_NOTHING


def _context_before(link: _Link) -> str:
    """Return the words before a link on its line, or those of the line above if that introduces it with a colon."""
    before = link.text[max(0, link.start - _CONTEXT) : link.start].removesuffix("//")
    *above, line = compiled(_SCHEME).sub("", before[before.rfind(PLACEHOLDER_START) + 1 :]).rsplit("\n", 2)
    heading = above[-1].rstrip(_SIGNS) if above and not line.strip(_SIGNS) else ""
    return heading if heading.endswith((":", "\uff1a")) else line.rstrip(_SIGNS)


@cached_until_forgotten
def _is_opening_word(word: str) -> bool:
    folded = word.lower()
    return folded.startswith(_OPENING_STEMS) or any(stem in folded for stem in _OPENING_STEMS_BEYOND_LATIN)


def _pattern(anchor: str) -> str:
    return {"://": _WITH_SCHEME, "?": _QUERY, "code=": _GRANT}.get(anchor, _WITHOUT_SCHEME)


RULES = (
    NearRule(
        kind="secret",
        anchors=("://", "?", "code=", *_TOP_LEVEL_DOMAINS),
        pattern=_pattern,
        around=_find_codes,
        source="https://cwe.mitre.org/data/definitions/598.html",
        samples=(
            "https://acme.example.org/guest/«<hex:32>»",
            "invite link: https://chat.example.org/x/«{mixed 24}»",
            "acme.io/invite/«{mixed 24}»",
            "https://api.example.org/v1/rows?key=«{mixed 32}»&limit=5",
            "https://api.example.org/v1/track?k=«{mixed 32}»",
            "goes with ?ticket=«{mixed 24}» behind the path",
            "GET /stations?k=«{mixed 24}»",
            "grant_type=authorization_code&code=«{mixed 24}»&client_id=acme",
            "callback code=«{mixed 24}»&state=a1",
            "https://dns.example.org/update.php?«{mixed 32}»",
            "https://tracker.example.org/«<hex:32>»/announce",
        ),
        near=(
            "https://example.org/commit/<hex:40>",
            "https://example.org/token/{mixed 32}",
            "he shared https://youtu.be/{mixed 12}",
            "https://example.org/docs/{mixed 16}",
            "GET /stations?v={mixed 24}",
            "code={mixed 24}&country=de",
            "the callback has code=invalid_grant&state=a1",
            "GET /stations?id={mixed 24}",
            "https://example.org/assets/main.css?{mixed 32}",
        ),
    ),
)
