"""Numbers that open something: codes of doors, alarms, cards and mailboxes, by what is said of them on their line.

A number is a code if it is called one and a thing that opens is named, or if it is typed at such a thing.
"""

from __future__ import annotations

import re
from itertools import pairwise

from s3memory.redaction.rule import Location, Rule, SignRule
from s3memory.redaction.rules.reading.changes import NOW_AND_BEFORE
from s3memory.redaction.rules.reading.code_names import is_named_before, is_of_another_sort, last_name_of_a_code
from s3memory.redaction.rules.reading.counted import is_counted, is_gone_into
from s3memory.redaction.rules.reading.getting_in import typing
from s3memory.redaction.rules.reading.letters import WORD
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import phrase_list, word_list

_BEFORE, _BEHIND, _BESIDE = 90, 40, 18
_LEAST = 4
# What opens with a number and has none of its own; what may have one, or is counted; in other languages beginnings.
_LOCKS = (
    r"(?<![^\W_])(?:doors?|gates?|garage|entrance|entry|intercom|buzzer|key ?pad|pad|panel|alarm|(?:dis)?arm(?:ed)?"
    r"|lock ?out(?= ?code)|safe|vault|lockers?|lock ?box|key ?box|screen lock|(?:pad)?locks?|barrier|shutters?|elevator|lift|voice ?mail|mailbox"
    r"|(?:engineer|installer|technician|service)(?:['\u2019]?s)? (?:level|mode|menu|access)|sim|puk|atm|(?:multi)?banco?mat|bankomat|multibanco|geldautomat|pinpas|till|card reader|login|authenticator|2fa|otp|tan|courier|registration|backup|recovery|pin)(?![^\W_])"
)

_THINGS_IN_ENGLISH = (
    r"(?<![a-z])(?:lobby|car park|parking|flat|building|stairwell|store ?room|shed|gym|debit|credit|bank|cards?|tablet"
    r"|ipad|signal|phone|laptop|screen|kids|parental|holiday house|guest|master|tv|app|box|machine"
    r"|cage|cupboard|cabinet|drawer|hatch|turnstile|kiosk|cellar|basement|attic|barn|hut|chest|pantry|trailer)(?![a-z])"
)
_THINGS = "|".join(
    word_list("""
    haustür tür tor furtk klatk 共同玄関 オートロック 宅配ボックス 공동현관 garage alarm tresor schloss karte schranke keller porte
    portail immeuble digicode interphone coffre cadenas carte boîte puerta portal portón caja candado tarjeta buzón
    porta portone cancello allarme cassaforte lucchetto citofono portão cofre prédio cadeado cartão interfone celular
    deur poort kluis slot kaart dörr larm lås kort dør låge boks ovi oven portti hälyt lukko kassakaap kortti puheli
    drzwi bram sejf kłódk domofon dveř brán zámek kapu ajtó riasztó széf lakat kártya ușă uşă poart interfon seif
    lacăt card kapı kasa kilit kilid kart двер подъезд домофон ворот сигнал сейф замок замк карт квартир під'їзд
    підтвердж подтвержд πόρτα συναγερμ κάρτ χρηματοκιβ pintu gerbang brankas cửa cổng két 门 門 保险 警报 卡 ドア 玄関 金庫 警報 カード
    문 현관 금고 카드 باب بوابة خزنة إنذار بطاقة דלת שער כספת אזעקה כרטיס दरवाज तिजोरी गेट अलार्म कार्ड კარის სეიფ დომოფონ
    სიგნალიზაც դռան պահարան դոմոֆոն দরজা গেট সিন্দুক তালা دروازه گاوصندوق دزدگیر دروازے گیٹ تالے כניסה ประตู ตู้เซฟ
    บัตร handy telefon téléphone teléfono móvil celular cellulare telefone telemóvel telefoon komórk τηλέφων κινητ
    телефон мобил планшет फ़ोन फोन ফোন هاتف جوال گوشی موبایل טלפון thoại ponsel โทรศัพท์ มือถือ 手机 手機 携帯 スマホ 휴대폰
    portkod grindkod toegangscode zámk vrat ușa врата вход sef trezor zgrad πολυκατοικ درب پارکینگ klíč คอนโด 车库 車庫 玄关
    """)
)
# Whole words for doors and safes, which need no more than a sign behind them.
_DOORS = (
    r"(?<![^\W_])(?:(?:haus|keller|garten|hof|seiten|wohnungs|eingangs)?tür|(?:hof|garten|garagen|haupt)?tor|tiefgarage|schranke|tresor"
    r"|portail|portillon|digicode|coffre(?:-fort)?|puerta|portón|caja fuerte|cancello|portone|cassaforte|portão|cofre|deur|poort|kluis"
    r"|dörr|grind|kassaskåp|dør|portti|ovi|kassakaappi|brama|furtka|drzwi|sejf|trezor|dveře|brána|kapu|ajtó|széf|kapı|kasa"
    r"|дверь|ворота|калитка|подъезд|сейф|двері|хвіртка|врата|πόρτα)(?![^\W_])"
)
# From the name to the number: words, and then what joins them.
_JOIN = (
    r"[^\d\n.;]{0,40}?(?:[:=\uff1a][ ]?|[ ](?:is|was|says|reads|it's|est|es|é|è|on|este|ist|är|er|jest|je|to|are|είναι|là|adalah|это|є|="
    r"|hai|है|คือ|c'est)[ ]|(?:は|是|은|는)[ ]?)(?:[^\W\d_]{2,12}[ ])?(?:[\"'`*]{0,3})\Z"
)
_CALLED_UP = r"(?i)\b(?:hang up|call(?:ing)?|phone|ring|hotline)\b[^.\n]{0,24}\bdial[ ]\Z"
_OF_A_BOARD = r"(?i)\b(?:gpio|header|connect|chip|board|arduino|solder|wire)"  # whose pins are numbered
# A preposition, and a word.
_PREPOSITION = (
    "do|der|zum|zur|für|vom|von|de|du|del|della|da|for|till|til|voor|van|od|k|ke|ku|za|na|la|le|la|pentru|untuk|от|для|до|на"
    "|від|к|за|ל|ل"
)
_JOIN_OF_A_NAME = rf"(?:[ ](?:{_PREPOSITION}))?(?:[ ]{WORD})?[ ]?[\"'`*#(]{{0,3}}\Z"
# A PIN is a code whatever it is for, "PIN for the boiler".
_JOIN_OF_A_PIN = (
    rf"[ ](?:{_PREPOSITION}|of|at|on|to|am|beim?|sur|pour|para|di|al|op|på|у)"
    rf"(?:[ ]{WORD}){{1,5}}[ ]?[\"'`*]{{0,3}}\Z"
)
_JOIN_OF_A_YEAR = rf"(?:[ ](?:{_PREPOSITION})[ ]{WORD})?[ ]?[\"'`*#]{{0,3}}\Z"
# More words, and one of them names what opens. Scripts that write no spaces write it right behind the name.
_JOIN_OF_ITS_THING = rf"(?P<thing>[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{{0,16}}(?:[ ]{WORD}){{0,5}})[ ]?[\"'`*#]{{0,3}}\Z"
_TYPED = (
    r"(?i)\b(?:press|typ(?:e|es|ed)(?:[ ]in)?|enter(?:s|ed)?|dial|punch(?:es|ed)?(?:[ ]in)?|key(?:s|ed)?(?:[ ]in)?|input"
    r"|tap|accepts|takes|with|con|mit|met|avec|then|luego|puis|dann|poi|depois|potem|dan|oder|ou|eller|lub|nebo|или|wants|needs|quote|say|gave[ ]it|made[ ]it|whispered|showed|behind|or|after|=)[ ][\"'`*]{0,3}\Z"
)
# Said by itself, as an answer or in a list is.
_APART = r"(?:[:\u2013\u2014,?\u2192]|[ ](?:[=-]|->)|\A-|\bA:|\bOh,)[ ][*`]{0,2}\Z"
_NAME_BEFORE = r"(?<![^\W_])(?!PIN|TAN|OTP|SMS|PC|TV|ATM|POS)[A-Z]{2,6}[ -]\Z|_port[\"']?[ ]?[:=][ ]?\Z"  # "RFC 6238", "db_port: 5432"
# As in: the key is in the box (4827).
_KEY_IN_A_BOX = (
    r"(?i)(?<![^\W_])(?:keys?|schlüssel|llaves?|cl[ée]s?|clefs?|chiav[ei]|chaves?|sleutels?|nyck\w{2,5}|nøg\w{2,5}|nøk\w{2,5}"
    r"|klucz\w{0,3}|klíč\w{0,3}|avai\w{1,4})[ ][^\d\n.;(]{0,40}?(?<![^\W_])(?:box|safe|cabinet|cupboard|locker|kasten|tresor"
    r"|safe|caja|boîte|boîtier|coffret|cassett[ae]|caixa|kluisje|kastje|l[åa]dan|skåpet|skabet|skapet|skrzyn\w{1,3}"
    r"|szaf\w{1,3}|schránc\w|kaapi\w{1,4})[ ]\(\Z"
)
_OF_SOMEBODY = r"(?i)(?:(?<![^\W_])(?:my|our|your|his|her|their)|(?<=[^\W\d_])['\u2019]s)[ ](?:(?:new|old|own|other)[ ])?(?:code|passcode|combo)\b"
_KEYS, _AROUND = ("#", "*"), " \"'`*#"
_ENGLISH = ("code", "codes", "pin", "tan", "otp", "passcode", "combination", "combo")
# "from 4827 to 1993", as codes are changed.
_FROM = r"(?i)(?<![^\W_])(?:from|de|von|van|da|dal|fra|från|z|ze|od|din|с|из|от|з|від)[ ][\"'`*]{0,3}\Z"
_TO_ANOTHER = r"[\"'`*]{0,3}[ ](?:to|à|a|al|auf|zu|naar|til|till|na|para|la|в|на|до)[ ][\"'`*]{0,3}[0-9]{4,8}(?![\w-]|[.,:/][0-9])"
_WHOSE = (
    r"(?i)\b(?:i|we|you|they|he|she|mine|ours|yours|theirs|hers|his)"
    r"(?:[ ](?:use|uses|type|types|have|has|is)|['\u2019](?:ve|s)(?:[ ]got)?)?[ ]\(?\Z"
)
_MODE = r"0[0-7]{3}"  # of a file
_PARTITION = r"[#*][0-9]{1,2}(?!\w)"  # of an alarm: "4827*2"
# A lock with three wheels, and where three digits are no code of a door: with what does not open, or as a status has them.
_LOCKS_WITH_WHEELS = phrase_list(
    "padlock bike_lock bicycle_lock luggage_lock suitcase_lock combination_lock tsa_lock cable_lock chain_lock coupling_lock "
    "hitch_lock trailer_lock wheel_lock disc_lock u-lock d-lock ski_lock locker_lock gate_lock shed_lock bag_lock"
)
_WHEELS = (
    rf"(?:{'|'.join(_LOCKS_WITH_WHEELS)})s?|(?:zahlen|fahrrad|koffer|vorhänge)schloss|cadenas|candado|lucchetto"
    r"|cadeado|cadenat|(?:cijfer|hang|fiets)slot|(?:häng|henge|hænge|cykel|sykkel)lås(?:et)?|kłódk[aięą]|lokot(?:a|u)?|visací zámek|visacia zámka"
    r"|spyn(?:a|os|ą)|кодов(?:ый|ом) зам(?:ок|ке)"
)
_WHEELS_BEYOND = word_list(
    "车锁 車鎖 密码锁 密碼鎖 挂锁 掛鎖 ダイヤル 南京錠 자물쇠 แม่กุญแจ กุญแจกระเป๋า তালা ताला قفل מנעול катанац Катанац катинар Катинар"
)
_SET_TO = (
    r"(?:(?:[ ][^\W\d_]{1,3}){1,2}[ ][^\W\d_]{3,16})?(?:[ ](?:code|combination|combo|kod|szyfr|is|was|set|to|on|at|with|auf|ist|steht|est|sur|es|está|en|è|su|é|em|op|staat|är|er|på|na"
    r"|jest|je|да|на|е|то|открывается|öppnas|åpnes|otvára|otwiera|öffnet|opent|opens|abre|apre|ouvre|med|mit|met|con|com|avec|sa|se|się|z|s|с"
    r"|\([\w ]{2,16}\))){0,3}(?:[ ]?[:=\u2013\u2014])?[ ]"
)
_OF_WHEELS = (
    rf"(?i:{_WHEELS}){_SET_TO}[\"'`*]{{0,3}}(?P<wheels>[0-9]{{3,4}})(?=[\"'`*)]{{0,3}}(?:[.,;!)]|[ ]*(?:\n|\Z)"
    r"|[ ](?:(?:ein)?(?:ge)?stell(?:en|t)|drehen|zetten|and|und|et|y|e|to|for|then|\(|[\u2013\u2014-])))"
)
_OF_WHEELS_BEYOND = (
    rf"(?:{'|'.join(_WHEELS_BEYOND)})[^\d\n.;,]{{0,24}}(?P<wheels_beyond>[0-9]{{3,4}})(?![0-9])"
    r"(?=[^\d\n]{0,12}(?:[.\u3002\uff0c]|\n|\Z))"
)
# As a dial is turned, to the right and to the left.
_OF_A_DIAL = (
    r"(?i:combination|combo|dial|safe|vault|tresor|coffre|padlock)[^\n]{0,40}?(?<![\w-])"
    r"(?P<turned>[RL][ -]?[0-9]{1,2}(?:[ ,/-]{1,2}[RL][ -]?[0-9]{1,2}){2,4}"
    r"|[0-9]{1,2}[ -]?[RL](?:[ ,/-]{1,2}[0-9]{1,2}[ -]?[RL]){2,4})(?![\w-])"
)
_BEHIND_A_BADGE = (
    r"(?i:badge|fob|key ?card|transponder)[ ](?:[+&]|and|then|plus|und|dann|et|puis|y|luego|e|poi)[ ]"
    r"(?:(?i:the )?(?i:code|pin)[ ])?"
    r"(?P<keyed>[0-9]{4,8})(?=#?[\"'`*)]{0,3}(?:[.,;!)]|[ ]*(?:\n|\Z)|[ ](?:to|at|on|for|and|gets|opens)[ ]))"
)
_NO_DOOR = (
    r"(?i)al+arm|hälyt|riasztó|сигнал|συναγερμ|警|إنذار|אזעקה|अलार्म|c[aà]rt|kart|tarjet|login|otp|2fa|tan\b|sim\b|puk|pin|mail"
    r"|backup|recovery|registration|courier|authenticator|panel|machine|monitor|(?:im|ex|sup|re|trans)port"
)
_STATUS = r"[1-5]0[0-9]|4[1-3][0-9]|1[2-4][0-9]|255"
# No count of what follows.
_LAST = (
    r"[#*]?[\"'`*)]{0,3}(?:[.,;!)\u0589\u060c\u06d4\u0964\u3002\uff0c]|[ ]*(?:\n|\Z)|[ ](?:(?:shuts|turns|opens|unlocks|gets|lets|-|\u2013)[ ]"
    r"|and|at|into|when|within|to|on|for|then|instead|as|by|now|in|before|plus|the|so|or|it|if|until|است|ہے|है|[(\u2013-]))"
)
_CLAUSE = r"[,;.|\u3002\u3001\uff0c](?![0-9])|[ ](?:and|und|et|y|e|en|och|og|i|ja|ve|và|и|та|dan)[ ]"
_LAST_OF_SEVERAL = r"[#*]?[\"'`*)\u300d\u201d\u00bb]{0,3}(?:[.,;!)?\u3002\u3001\uff0c]|[ ]*(?:\n|\Z)|[ ]?[^\x00-\u024f]|[ ](?:[^\W\d_]{1,3}|with|then|plus)[ ]|[ ][(/\u2013-])"


def _code(match: re.Match[str]) -> Location:
    text, (start, end) = match.string, match.span("secret")
    before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    behind = text[end : end + _BEHIND].partition("\n")[0]
    line = f"{before}{behind}".lower()
    if partition := compiled(_PARTITION).match(behind):
        end, behind = end + partition.end(), behind[partition.end() :]
    is_keyed = behind[:1] in _KEYS and not (before[-1:] == behind[0] == "*" or behind[1:2].isalnum())
    is_behind_key = before[-1:] == "#"
    if is_behind_key and not is_keyed:
        return None  # an issue, a channel, a house
    before = before.removesuffix("#")
    is_last = is_keyed or compiled(_LAST).match(text, end) is not None
    is_told = not is_last and (not line.isascii() or "kod" in line) and _is_told_of_what_opens(before)
    is_changed = _is_changed(before, behind)
    if not (is_last or is_told or is_changed) and not _is_beside_a_verb(before, behind):
        return None
    if compiled(_NAME_BEFORE).search(before, max(0, len(before) - _BESIDE)):
        return None
    is_lock = compiled(_LOCKS).search(line) is not None
    is_thing = is_lock or compiled(_THINGS).search(line) is not None
    is_key_in_a_box = compiled(_KEY_IN_A_BOX).search(before) is not None
    is_thing = is_thing or is_key_in_a_box or compiled(_OF_SOMEBODY).search(before) is not None
    if not (is_thing or compiled(_THINGS_IN_ENGLISH).search(line)):
        return None
    is_mode = compiled(_MODE).fullmatch(text, start, end) is not None and "/" in before
    if is_mode or is_counted(before) or is_gone_into(behind) or compiled(_CALLED_UP).search(before):
        return None
    is_year = compiled(r"(?:19|20)[0-9]{2}").fullmatch(text, start, end) is not None
    is_one = _is_called_a_code(before, is_year=is_year)
    if is_one is None:
        is_one = not is_year and (
            _is_typed(before, behind)
            or is_changed
            or is_key_in_a_box
            or ((is_keyed or partition) and _has_lock(before[-_BESIDE:]))
            or (
                (is_lock or is_keyed or compiled(_DOORS).search(before.lower()))
                and compiled(_APART).search(before, max(0, len(before) - _BESIDE)) is not None
            )
        )
    return (start - is_behind_key, end + is_keyed) if is_one else None


def _is_changed(before: str, behind: str) -> bool:
    """Whether a code and a lock are named before the number, which is told to have become another number."""
    is_from_one = compiled(_FROM).search(before, max(0, len(before) - _BESIDE)) is not None
    is_replaced = is_from_one and compiled(_TO_ANOTHER).match(behind) is not None
    return is_replaced and last_name_of_a_code(before) is not None and _has_lock(before)


def _code_behind_its_name(match: re.Match[str]) -> Location:
    start, code = match.start("secret"), match["secret"]
    before = match.string[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    if not _is_called_a_code(before, is_year=False):
        return None
    is_short = len(code) < _LEAST and (compiled(_STATUS).fullmatch(code) or not _is_of_a_door(before))
    return None if is_short else _code(match)


def _is_of_a_door(before: str) -> bool:
    """Whether the word right before the last name of a code, or a word behind it, names what opens to a number."""
    name = last_name_of_a_code(before)
    if name is None:
        return False
    word = before[: name.end()].removesuffix(name[0]).split()[-1:] or [""]
    around = f"{word[0]} {before[name.end() :]}"
    return _has_lock(around) and not compiled(_NO_DOOR).search(around)


def _of_a_lock(match: re.Match[str]) -> Location:
    group = match.lastgroup or "turned"
    turns = compiled("[RL]").findall(match[group])
    is_one = all(first != second for first, second in pairwise(turns))
    return match.span(group) if is_one else None


def is_one_of_several(text: str, begin: int, start: int, end: int) -> bool:
    """Whether a number on a line on which there is a code is one as well: its clause names what opens, or a code.

    Args:
        text: The text.
        begin: Where the line starts.
        start: Where the number starts.
        end: Where it ends.
    """
    clause = compiled(_CLAUSE).split(text[begin:start])[-1]
    name = last_name_of_a_code(clause)
    if compiled(_NAME_BEFORE).search(clause) or (name and is_named_before(clause, name)):
        return False
    if is_counted(clause) or not compiled(_LAST_OF_SEVERAL).match(text, end):
        return False
    is_keyed = text[end - 1] in _KEYS
    return name is not None or is_keyed or _has_lock(clause) or _says_when(clause) or _is_of_others(clause)


def _is_of_others(clause: str) -> bool:
    """Whether a clause ends in whose the number is: "hers is 4827, we use ..."."""
    return compiled(_WHOSE).search(clause) is not None


def _says_when(clause: str) -> bool:
    """Whether a clause is no more than a word for now or before: "was 4827, now ..."."""
    words = clause.lower().strip(f"{_AROUND}:(").split()
    return words != [] and NOW_AND_BEFORE.issuperset(words)


def _is_called_a_code(before: str, *, is_year: bool) -> bool | None:
    """Whether the last thing that `before` calls a code is joined to the number; `None` if it calls nothing one."""
    name = last_name_of_a_code(before)
    if name is None:
        return None
    if is_of_another_sort(before, name):
        return False
    is_pin = name[0].lower() == "pin"
    if is_pin and compiled(_OF_A_BOARD).search(before):
        return False
    if is_year and not is_pin:
        is_beside = compiled(_JOIN_OF_A_YEAR).match(before, name.end()) is not None and _has_lock_at(before, name)
    else:
        join = _JOIN_OF_A_PIN if name[0].startswith("P") and not is_year else _JOIN_OF_A_NAME
        is_named = any(compiled(one).match(before, name.end()) for one in (_JOIN_OF_A_NAME, join))
        is_beside = is_named or _is_joined_by_what_opens(before, name)
    return is_beside or compiled(_JOIN).match(before, name.end()) is not None or None


def _is_joined_by_what_opens(before: str, name: re.Match[str]) -> bool:
    """Whether nothing but words is between a name and the end of `before`, and one of them names what opens."""
    joined = compiled(_JOIN_OF_ITS_THING).match(before, name.end())
    return joined is not None and _has_lock(joined["thing"])


def _is_told_of_what_opens(before: str) -> bool:
    """Whether the end of `before` is a code's name together with what it opens: a word behind it counts nothing."""
    name = last_name_of_a_code(before)
    if name is None or name[0].lower() in _ENGLISH:
        return False
    is_beside = not before[name.end() :].strip(_AROUND) and _has_lock_at(before, name)
    return is_beside or _is_joined_by_what_opens(before, name)


def _has_lock_at(before: str, name: re.Match[str]) -> bool:
    return _has_lock(before[max(0, name.start() - _BESIDE) : name.end()])


def _has_lock(words: str) -> bool:
    lowered = words.lower()
    return compiled(_THINGS).search(lowered) is not None or compiled(_LOCKS).search(lowered) is not None


def _is_typed(before: str, behind: str) -> bool:
    """Whether a verb of typing stands right beside the number, in any language."""
    is_typed = compiled(_TYPED).search(before, max(0, len(before) - _BESIDE)) is not None
    return is_typed or _has_typing(before[-_BESIDE:]) or _has_typing(behind[:_BESIDE])


def _is_beside_a_verb(before: str, behind: str) -> bool:
    """Whether a word stands right beside the number that says in another language that it is typed."""
    is_behind_one = before[-2:-1].isalpha() and _has_typing(before[-_BESIDE:])
    return is_behind_one or (behind[1:2].isalpha() and _has_typing(behind[:_BESIDE]))


def _has_typing(words: str) -> bool:
    return compiled(typing()).search(compiled(r"\b(?:ask|want)[a-z]*|\bdigits?\b").sub("", words.lower())) is not None


_NAMES_OF_CODES = word_list("code kod k?d c?digo codice codul koodi combination sifra код Код κωδικός Κωδικός")
_NAMES_OF_LOCKS = _LOCKS_WITH_WHEELS + word_list(
    "combination|combo|dial|safe|vault|tresor|coffre|badge|fob|key card|keycard|transponder"
    "|zahlenschloss|fahrradschloss|kofferschloss|vorh?ngeschloss|cadenas|candado|lucchetto|cadeado|cijferslot|hangslot|h?ngl?s|hengel?s|h?ngel?s|k??dk"
    "|cykell?s|sykkell?s|fietsslot|cadenat|lokot|spyn|visac|кодовый замок|Кодовый замок|кодовом замке",
    "|",
)

RULES = (
    SignRule(
        kind="recovery-code",
        shape=rb"0(?<![0a_./:+,-]0)(?:0{3,7}|00[ -]000)(?![0a_/%-]|[.,:]0)",
        pattern=r"(?P<secret>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})",
        locate=_code,
        source="https://www.rfc-editor.org/rfc/rfc4226",
        samples=(
            "dad's debit card, pin «3916», for the groceries",
            "the phone asked for the PIN again, it's «77401926»",
            "side gate, press «4827» and wait for the click",
            "the guest code for the holiday house: «4827»",
            "le code de l'immeuble est «4827», puis deuxième étage",
            "Kapı şifresi «4827», sonra yeşil tuşa bas",
            "voicemail access (desk phone), code: «4827#»",
            "heating engineer level: «4827»",
            "the message box: «4827#», then 1",
            "le code de l'alarme est passé de «4827» à 1993",
        ),
        near=(
            "article code 4827 is the brass door handle",
            "the door was painted in 1998",
            "error code: 4827, the gate was open",
            "4827 people came through the door",
            "zip code 48271, the gate is green",
            "GPIO pin 1021, next to the door",
            "the bank's sort code 402139, and the account",
            "le code postal de la porte est passé de 4827 à 1993",
            "the alarm went from 4827 to 1993 mAh",
            "le code APE est passé de 4827 à 1993, la porte est en option",
        ),
    ),
    # As keypads of France have them, with a letter; of three digits; and as they are read out, by one or two digits.
    Rule(
        kind="recovery-code",
        anchors=_NAMES_OF_CODES,
        fold=True,
        pattern=(
            r"[^\W\d_]{3,7}(?![^\W\d_])[^0-9\n.;]{0,40}?(?<![\w./#:+,-])"
            r"(?P<secret>[A-F][0-9]{4,5}|[0-9]{1,4}[A-F][0-9]{1,4}|[0-9](?:[ -][0-9]){2,5}|[0-9]{2}(?:[ -][0-9]{2}){1,2}|[0-9]{3})(?![\w-]|[ .,:/*][0-9])"
        ),
        locate=_code_behind_its_name,
        source="https://fr.wikipedia.org/wiki/Digicode",
        samples=(
            "le code de l'immeuble c'est «98B60», 3e gauche",
            "code de la porte : «A1946».",
            "bike shed door code «247»",
            "Код від під'їзду «247», другий поверх",
            "Tiefgarage: Code «4 8 8 1», dann grüne Taste",
            "door code: «61 93»",
        ),
        near=(
            "le code article est 98B60",
            "bâtiment 98B60, porte gauche",
            "the door returned code 247",
            "door code: 404",
            "alarm code 247",
            "monitor code 247",
            "gate code: 247 entries",
            "the code of row 4 8 8 1",
        ),
    ),
    # Of locks with wheels or a dial, and of keypads that ask for a badge as well.
    Rule(
        kind="recovery-code",
        anchors=(*_NAMES_OF_LOCKS, *_WHEELS_BEYOND),
        fold=True,
        pattern=rf"(?:{_OF_WHEELS}|{_OF_WHEELS_BEYOND}|{_OF_A_DIAL}|{_BEHIND_A_BADGE})",
        locate=_of_a_lock,
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
            "badge 66214 was lost",
            "badge + 2000 photos",
            "a badge and 4471 visitors",
        ),
    ),
)
