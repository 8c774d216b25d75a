"""Codes of combination locks, dials, and keypads that also need a badge: "bike lock is 713", "left 22, right 9"."""

from __future__ import annotations

import re
from itertools import pairwise

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.access_words import safe
from s3memory.redaction.rules.reading.name_tables import NameTable
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import phrase_list, word_list

_WHEEL_LOCKS_IN_ENGLISH = phrase_list(
    "padlock bike_lock bicycle_lock luggage_lock suitcase_lock combination_lock tsa_lock cable_lock chain_lock coupling_lock "
    "hitch_lock trailer_lock wheel_lock disc_lock u-lock d-lock ski_lock locker_lock gate_lock shed_lock bag_lock"
)
_WHEEL_LOCKS = (
    rf"(?:{'|'.join(_WHEEL_LOCKS_IN_ENGLISH)})s?|(?:zahlen|fahrrad|koffer|vorhänge)schloss|cadenas|candado|lucchetto"
    r"|cadeado|cadenat|(?:cijfer|hang|fiets)slot|(?:häng|henge|hænge|cykel|sykkel)lås(?:et)?|kłódk[aięą]|lokot(?:a|u)?|visací zámek|visacia zámka"
    r"|spyn(?:a|os|ą)|кодов(?:ый|ом) зам(?:ок|ке)"
)
_WHEEL_LOCKS_OTHER_SCRIPTS = word_list(
    "车锁 車鎖 密码锁 密碼鎖 挂锁 掛鎖 ダイヤル 南京錠 자물쇠 แม่กุญแจ กุญแจกระเป๋า তালা ताला قفل מנעול катанац Катанац катинар Катинар"
)
# From the lock to its code: "bike lock with code 247", "Zahlenschloss auf 713".
_SET_TO = (
    r"(?:(?:[ ][^\W\d_]{1,3}){1,2}[ ][^\W\d_]{3,16})?(?:[ ](?:code|combination|combo|kod|szyfr|is|was|set|to|on|at|with|auf|ist|steht|est|sur|es|está|en|è|su|é|em|op|staat|är|er|på|na"
    r"|jest|je|да|на|е|то|открывается|öppnas|åpnes|otvára|otwiera|öffnet|opent|opens|abre|apre|ouvre|med|mit|met|con|com|avec|sa|se|się|z|s|с"
    r"|\([\w ]{2,16}\))){0,3}(?:[ ]?[:=\u2013\u2014])?[ ]"
)
_WHEEL_CODE = (
    rf"(?i:{_WHEEL_LOCKS}){_SET_TO}[\"'`*]{{0,3}}(?P<wheels>[0-9]{{3,4}})(?=[\"'`*)]{{0,3}}(?:[.,;!)]|[ ]*(?:\n|\Z)"
    r"|[ ](?:(?:ein)?(?:ge)?stell(?:en|t)|drehen|zetten|and|und|et|y|e|to|for|then|\(|[\u2013\u2014-])))"
)
_WHEEL_CODE_OTHER_SCRIPTS = (
    rf"(?:{'|'.join(_WHEEL_LOCKS_OTHER_SCRIPTS)})[^\d\n.;,]{{0,24}}(?P<wheels_beyond>[0-9]{{3,4}})(?![0-9])"
    r"(?=[^\d\n]{0,12}(?:[.\u3002\uff0c]|\n|\Z))"
)
# How a dial is turned, to the right and to the left: "R12 L33 R08", "27 dir, 8 esq, 51 dir".
_SIDE = (
    r"(?:[RLDGP]|[rldgp](?=\.)|(?i:right|left|rechts|links|re|li|droite|gauche|dr|gch?|derecha|izquierda|der|dch?a|izq|izda"
    r"|direita|esquerda|dir|esq|dx|sx|c?cw|acw|\u0432\u043f\u0440(?:\u0430\u0432\u043e)?|\u0432\u043b(?:\u0435\u0432\u043e)?)(?![^\W\d_]))(?:\.(?=[ ]?[,/0-9-]))?"
)
_DIALS = phrase_list(
    "combination combo dial safe vault tresor coffre padlock caja_fuerte cofre cassaforte kluis kassaskåp pengeskap sejf"
    " trezor сейф"
)
_DIAL_TURNS = (
    rf"(?i:{'|'.join(_DIALS)})[^\n]{{0,40}}?(?<![\w-])"
    rf"(?P<turned>{_SIDE}[ -]?[0-9]{{1,2}}(?:[ ,/-]{{1,2}}{_SIDE}[ -]?[0-9]{{1,2}}){{2,4}}"
    rf"|[0-9]{{1,2}}[ -]?(?:[a\u00e0][ ])?{_SIDE}(?:[ ,/-]{{1,2}}[0-9]{{1,2}}[ -]?(?:[a\u00e0][ ])?{_SIDE}){{2,4}})(?![\w-])"
)
# The same in words: "right 27, left 41, right 08", "右に27、左に41、右に08".
_RIGHT = (
    "right clockwise rechts droite derecha destra direita dreta höger högra højre høyre oikealle oikeaan prawo doprava vpravo jobbra"
    " dreapta sağa desno paremale pa_labi dešinėn kanan phải вправо направо право праворуч надясно δεξιά 右 오른쪽 يمين راست ימינה दाएँ दाएं दायें ขวา"
)
_LEFT = (
    "left counterclockwise counter-clockwise anticlockwise anti-clockwise links gauche izquierda sinistra esquerda esquerra vänster venstre"
    " vasemmalle vasempaan lewo doleva vlevo balra stânga sola lijevo levo vasakule pa_kreisi kairėn kiri trái влево налево лево вліво ліворуч"
    " наляво αριστερά 左 왼쪽 يسار چپ שמאלה बाएँ बाएं बायें ซ้าย"
)
# How often it is turned past a number: "4x left to 27", "left 3 times to 41".
_TIMES = r"[ ]?(?:[x×]|(?:times|mal|fois|veces|volte|vezes|keer|gånger|ganger|gange|razy|kr[aá]t|раза?)(?![^\W\d_]))"
_NUMBER_OF_DIAL = (
    rf"(?<![0-9])[0-9]{{1,2}}(?![A-Za-z0-9_%×\u00b0]|{_TIMES}|[.:][0-9]|[ ]?(?:[ckm]?m|px|ft|in|deg\w*)\b)"
)
_BETWEEN = rf"[^\d\n;=]{{1,40}}(?:[0-9]{_TIMES}[^\d\n;=]{{1,24}})?"
_TURNS = (
    rf"(?<![A-Za-z\u00c0-\u024f\u0400-\u04ff-])[^\d\n.;=()]{{1,40}}(?:[0-9]{_TIMES}[^\d\n.;=()]{{1,24}})?"
    rf"{_NUMBER_OF_DIAL}(?:{_BETWEEN}{_NUMBER_OF_DIAL}){{1,6}}"
)
# The numbers below 100 in words: parts such as "twenty", "vingt" and "sieben", in the order in which a language has them.
_PART = (
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    "|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|null|eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|(?:sech|sieb)?zehn|elf"
    "|zwölf|zwanzig|drei(?:ß|ss)ig|(?:vier|fünf|sech|sieb|acht|neun)zig|zéro|une?|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze"
    "|douze|treize|quatorze|quinze|seize|vingts?|(?:tre|quara|cinqua|soixa)nte|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho"
    "|nueve|diez|once|doce|trece|catorce|dieci|veint[ei]|(?:trei|cuare|cincue|sese|sete|oche|nove)nta|due|tre|quattro|cinque|sei"
    "|sette|otto|nove|(?:un|do|tre|quattor|quin|se)dici|dicia(?:sset|nno[tv])te?|diciotto|venti?|(?:tre|quara|cinqua|sessa|setta"
    "|otta|nova)nt[ai]?|um|dois|três|quatro|sete|oito|dez|doze|treze|dez[ea]ss(?:eis|ete)|dezoito|dez[ea]nove|vinte|(?:tri|quare"
    "|cinque|sesse|oite)nta|nul|een|twee|drie|vijf|zes|zeven|negen|(?:der|veer)?tien|twaalf|(?:twin|der|veer|vijf|zes|zeven|tach"
    "|negen)tig|noll|ett|två|fyra|fem|sex|sju|åtta|nio|tio|elva|tolv|tretton|fjorton|(?:fem|sex|sjut|ar|nit)ton|tjugo|(?:tret|fyr"
    "|fem|sex|sjut|åt|nit)tio|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять|десять|(?:один|две|три|четыр|пят|шест|сем"
    "|восем|девят)надцать|(?:два|три)дцать|сорок|(?:пять|шесть|семь|восемь)десят|девяносто"
)
_IN_WORDS = (
    rf"(?i:(?<![^\W\d_])(?:{_PART})(?:(?:[ -](?:(?:et|y|e)[ -])?|und|en)?(?:{_PART})){{0,3}}(?![^\W\d_])"
    r"(?=[ ]?(?:[,.;:)\"'\n\u2013-]|\Z)|[ ](?:then|and|dann|und|puis|et|luego|y|poi|e|depois|dan|en|sedan|och|затем|потом|и)[ ]))"
)
# Two turns are enough where a word leads to each number: "left four times to 94, right past 27".
_LEADS_TO = r"(?i)\b(?:to|past|at|on|auf|bis|à|au|sur|hasta|al|a|até|till|på|naar|op|на|до)[ ]\Z"
_MIN_TURNS, _MIN_LED_TURNS, _CHARS_BEFORE, _CHARS_AFTER = 3, 2, 140, 90
_TURNS_IN_WORDS = rf"[^\W\d_]{{2,24}}[^\d\n;=]{{1,24}}?{_IN_WORDS}[^\d\n=]{{12,120}}"
_NO_SAFE = r"(?i)\bsafe[ -](?:area|zone|to|distance|side|mode|margin|space)"
# As in "badge + 66214".
_CODE_AFTER_BADGE = (
    r"(?i:badge|fob|key ?card|transponder)[ ](?:[+&]|and|then|plus|und|dann|et|puis|y|luego|e|poi)[ ]"
    r"(?:(?i:the )?(?i:code|pin)[ ])?"
    r"(?P<keyed>[0-9]{4,8})(?=#?[\"'`*)]{0,3}(?:[.,;!)]|[ ]*(?:\n|\Z)|[ ](?:to|at|on|for|and|gets|opens)[ ]))"
)


def _lock_code_at(anchor: str) -> str:
    if anchor in ("safe", "vault"):  # common words, for which there is no need to compile the rest
        return _DIAL_TURNS
    return rf"(?:{_WHEEL_CODE}|{_WHEEL_CODE_OTHER_SCRIPTS}|{_DIAL_TURNS}|{_CODE_AFTER_BADGE})"


def _locate_lock_code(match: re.Match[str]) -> Location:
    """Locate the code of a combination lock or dial. A dial turns to the right and to the left alternately."""
    group = match.lastgroup or "turned"
    turns = [turn.lower() for turn in compiled(_SIDE).findall(match[group])]
    is_code = all(first != second for first, second in pairwise(turns))
    return match.span(group) if is_code else None


def _locate_turns(match: re.Match[str]) -> Location:
    """Locate the turns of a dial, to the right and left alternately, if a safe or a lock is named nearby."""
    around = match.string[max(0, match.start() - _CHARS_BEFORE) : match.end() + _CHARS_AFTER]
    if not compiled(safe()).search(compiled(_NO_SAFE).sub("", around).lower()):
        return None
    right, left = ("|".join(phrase_list(side)) for side in (_RIGHT, _LEFT))
    sides = rf"(?i)(?<![A-Za-z\u00c0-\u024f-])(?:(?P<right>{right})|{left})(?![a-z])"
    end, n_turns, n_led, last = match.start(), 0, 0, None
    are_digits = any(map(str.isdigit, match[0]))
    for number in compiled(_NUMBER_OF_DIAL if are_digits else _IN_WORDS).finditer(match.string, *match.span()):
        turn = compiled(sides).search(match.string, end, number.start())
        is_led = compiled(_LEADS_TO).search(match.string, end, number.start()) is not None
        if turn is None and (is_led or len(number[0]) == 1):
            continue  # how often, or how far past a number: "2 à droite", "right past 27 to 44"
        is_next = are_digits or is_led or (turn and turn.end() + 1 == number.start())
        if turn is None or not is_next or (turn["right"] is not None) is last:
            break
        n_led += is_led
        end, n_turns, last = number.end(), n_turns + 1, turn["right"] is not None
    before = max(0, match.start() - _CHARS_BEFORE)
    is_first = compiled(rf"[0-9][0-9]{_BETWEEN}\Z").search(match.string, before, match.start()) is None
    is_code = n_turns >= _MIN_TURNS or (n_led >= _MIN_LED_TURNS and is_first and are_digits)
    return (match.start(), end) if is_code else None


_LOCK_ANCHORS = _WHEEL_LOCKS_IN_ENGLISH + word_list(
    "combination|combo|dial|safe|vault|tresor|coffre|caja fuerte|cofre|cassaforte|kluis|kassask?p|pengeskap|sejf|trezor|сейф|Сейф|badge|fob|key card|keycard|transponder"
    "|zahlenschloss|fahrradschloss|kofferschloss|vorh?ngeschloss|cadenas|candado|lucchetto|cadeado|cijferslot|hangslot|h?ngl?s|hengel?s|h?ngel?s|k??dk"
    "|cykell?s|sykkell?s|fietsslot|cadenat|lokot|spyn|visac|кодовый замок|Кодовый замок|кодовом замке",
    "|",
)


RULES = (
    # Codes of combination locks and dials, and of keypads that also need a badge.
    Rule(
        kind="recovery-code",
        anchors=(*_LOCK_ANCHORS, *_WHEEL_LOCKS_OTHER_SCRIPTS),
        fold=True,
        pattern=_lock_code_at,
        locate=_locate_lock_code,
        source="https://en.wikipedia.org/wiki/Combination_lock",
        samples=(
            "Heizungskeller: Zahlenschloss auf «713» stellen",
            "bike lock is «713»",
            "suitcase TSA lock «713»",
            "cadenas : «713»",
            "スーツケースのダイヤルは«841»",
            "腳踏車鎖轉到 «2510»",
            "Lokot na biciklu: «8775»",
            "Rack 4 combination «R12 L33 R08».",
            "the safe opens at «12R-33L-8R»",
            "the safe combination: «left 22, right 9, left 41»",
            "wall safe «31 right, 8 left, 44 right»",
            "Cofre do escritório: gira «27 dir, 8 esq, 51 dir».",
            "cassaforte: «dx 27, sx 8, dx 51»",
            "Server room: badge + «66214». Spare badge at reception",
            "key fob then «4471» at the side door",
        ),
        near=(
            "padlock 713 mm wide",
            "padlocks sold: 713",
            "قفل 12345",
            "row lock 713.",
            "resistors R12 R33 R08 on the safe's board",
            "the dial has R12 L33",
            "safe on the left 22, left 9 and left 41",
            "badge 66214 was lost",
            "badge + 2000 photos",
            "a badge and 4471 visitors",
        ),
    ),
)

TURNS = (
    # The turns of a dial in words.
    Rule(
        kind="recovery-code",
        anchors=NameTable(f"{_RIGHT} {_LEFT}").anchors,
        fold=True,
        pattern=f"(?:{_TURNS}|{_TURNS_IN_WORDS})",
        locate=_locate_turns,
        source="https://en.wikipedia.org/wiki/Combination_lock",
        samples=(
            "«right 27, left 41, right 08» opens the safe",
            "the safe: 4x «left to 27, 3x right to 41, 2x left to 08»",
            "the safe: «left 4 times to 27, right 3 times to 41»",
            "Le coffre : 3 tours à «gauche jusqu'à 44, 2 à droite jusqu'à 9»",
            "the safe: «left four times and stop at 94, right past 27 to 44, then left straight to 9»",
            "Den Tresor erst «rechts auf 27, dann links auf 41, dann rechts auf 08» drehen",
            "金庫は«右に27、左に41、右に08»で開く。",
            "Сейф: «вправо 27, влево 41, вправо 08», затем 3 раза вниз",
            "the safe is «left to thirty four, right past it twice to eleven, left to seventy two», then the handle",
            "Tresor: «rechts auf siebenundzwanzig, links auf neun, rechts auf vierzig»",
        ),
        near=(
            "the safe is to the right 27 cm, left 41 cm, right 08 cm",
            "robot: right 27, left 41, right 08",
            "padding right 27, left 41, right 08 in the safe area",
            "the safe: left 27, left 41, left 08",
            "turn left to gate 94, right to the safe 27",
            "the safe is to the right, 12 steps",
            "the safe is two steps left, then right after three doors, left at the fourth",
        ),
    ),
)
"""Rules that need no other context, because a safe is named and the turns alternate."""
