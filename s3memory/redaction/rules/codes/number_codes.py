"""Numbers that open something: the codes of doors, alarms, cards and mailboxes, by the context on their line.

A number is a code if the line calls it one and names something that opens ("the gate code is 4827"), or if somebody
types it at such a thing ("side gate, press 4827").
"""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule, ShapeRule
from s3memory.redaction.rules.reading.access_words import typing
from s3memory.redaction.rules.reading.changed_passwords import FROM, NOW_AND_BEFORE, TO
from s3memory.redaction.rules.reading.harmless_codes import is_harmless_by_word_before, is_harmless_code, last_code_name
from s3memory.redaction.rules.reading.letters import WORD
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.reference_numbers import is_building_number, is_counted
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.word_lists import word_list

_CHARS_BEFORE, _CHARS_AFTER, _CHARS_NEXT_TO = 90, 40, 18
_MIN_DIGITS = 4
# What a code opens, and is not numbered itself.
_LOCKS = (
    r"(?<![^\W_])(?:doors?|gates?|garage|entrance|entry|intercom|buzzer|key ?pad|pad|panel|alarm|(?:dis)?arm(?:ed)?"
    r"|lock ?out(?= ?code)|safe|vault|lockers?|lock ?box|key ?box|screen lock|(?:pad)?locks?|barrier|shutters?|elevator|lift|voice ?mail|mailbox"
    r"|(?:engineer|installer|technician|service)(?:['\u2019]?s)? (?:level|mode|menu|access)|sim|puk|atm|(?:multi)?banco?mat|bankomat|multibanco|geldautomat|pinpas|till|card reader|login|car (?:radio|stereo)|head unit|authenticator|2fa|otp|tan|courier|registration|backup|recovery|pin)(?![^\W_])"
)
# The same for things that may be numbered or counted as well: "flat 4827".
_SOMETIMES_LOCKED = (
    r"(?<![a-z])(?:lobby|car park|parking|flat|building|stairwell|store ?room|shed|gym|debit|credit|bank|cards?|tablet"
    r"|ipad|signal|phone|laptop|screen|kids|parental|holiday house|guest|master|tv|app|box|machine"
    r"|cage|cupboard|cabinet|drawer|hatch|turnstile|kiosk|cellar|basement|attic|barn|hut|chest|pantry|trailer)(?![a-z])"
)
# How words for such things begin in other languages.
_LOCK_STEMS = "|".join(
    word_list("""
    haustür tür tor furtk klatk 共同玄関 オートロック 宅配ボックス 공동현관 garage alarm tresor schloss karte schranke keller porte
    portail immeuble digicode interphone coffre cadenas carte boîte puerta portal portón caja candado tarjeta buzón
    porta portone cancello allarme cassaforte lucchetto citofono portão cofre prédio cadeado cartão interfone celular
    deur poort kluis slot kaart dörr larm lås kort dør låge boks ovi oven portti hälyt lukko kassakaap kortti puheli
    drzwi bram sejf kłódk domofon dveř brán zámek kapu ajtó riasztó széf lakat kártya ușă uşă poart interfon seif
    lacăt card kapı kasa kilit kilid kart двер подъезд домофон ворот сигнал сейф замок замк карт квартир під'їзд
    підтвердж подтвержд πόρτα συναγερμ κάρτ χρηματοκιβ pintu gerbang brankas cửa cổng két 门 門 保险 警报 卡 ドア 玄関 金庫 警報 カード
    문 현관 금고 카드 باب بوابة خزنة إنذار بطاقة דלת שער כספת אזעקה כרטיס दरवाज तिजोरी गेट अलार्म कार्ड autoradio магнитол магнітол კარის სეიფ დომოფონ
    სიგნალიზაც դռան պահարան դոմոֆոն দরজা গেট সিন্দুক তালা دروازه گاوصندوق دزدگیر دروازے گیٹ تالے כניסה ประตู ตู้เซฟ
    บัตร handy telefon téléphone teléfono móvil celular cellulare telefone telemóvel telefoon komórk τηλέφων κινητ
    телефон мобил планшет फ़ोन फोन ফোন هاتف جوال گوشی موبایل טלפון thoại ponsel โทรศัพท์ มือถือ 手机 手機 携帯 スマホ 휴대폰
    portkod grindkod toegangscode zámk vrat ușa врата вход sef trezor zgrad πολυκατοικ درب پارکینگ klíč คอนโด 车库 車庫 玄关
    """)
)
# Whole words for doors and safes in other languages, which need only a sign after them: "Haustür: 4827".
_DOORS_AND_SAFES = (
    r"(?<![^\W_])(?:(?:haus|keller|garten|hof|seiten|wohnungs|eingangs)?tür|(?:hof|garten|garagen|haupt)?tor|tiefgarage|schranke|tresor"
    r"|portail|portillon|digicode|coffre(?:-fort)?|puerta|portón|caja fuerte|cancello|portone|cassaforte|portão|cofre|deur|poort|kluis"
    r"|dörr|grind|kassaskåp|dør|portti|ovi|kassakaappi|brama|furtka|drzwi|sejf|trezor|dveře|brána|kapu|ajtó|széf|kapı|kasa"
    r"|дверь|ворота|калитка|подъезд|сейф|двері|хвіртка|врата|πόρτα)(?![^\W_])"
)
# What may stand between the name of a code and the number: words, then a sign or a verb ("code for the gate is 4827").
_NAME_TO_SIGN = (
    r"[^\d\n.;]{0,40}?(?:[:=\uff1a][ ]?|[ ](?:is|was|says|reads|it's|est|es|é|è|on|este|ist|är|er|jest|je|to|are|είναι|là|adalah|это|є|="
    r"|hai|है|คือ|c'est)[ ]|(?:は|是|은|는)[ ]?)(?:[^\W\d_]{2,12}[ ])?(?:[\"'`*]{0,3})\Z"
)
# As in "ring the hotline and dial 4827".
_PHONED = r"(?i)\b(?:hang up|call(?:ing)?|phone|ring|hotline)\b[^.\n]{0,24}\bdial[ ]\Z"
_CIRCUIT_BOARD = r"(?i)\b(?:gpio|header|connect|chip|board|arduino|solder|wire)"  # whose pins are numbered
# What introduces the thing that a code opens: "code de la porte".
_PREPOSITION = (
    "after|nach|après|tras|dopo|após|efter|etter|po|после|після|do|der|zum|zur|für|vom|von|de|du|del|della|da|for|till|til|voor|van|od|k|ke|ku|za|na|la|le|la|pentru|untuk|от|для|до|на"
    "|від|к|за|ל|ل"
)
_NAME_TO_NUMBER = rf"(?:[ ](?:{_PREPOSITION}))?(?:[ ]{WORD})?[ ]?[\"'`*#(]{{0,3}}\Z"
# A PIN is a code whatever it is for: "PIN for the boiler 4827".
_PIN_TO_NUMBER = (
    rf"[ ](?:{_PREPOSITION}|of|at|on|to|am|beim?|sur|pour|para|di|al|op|på|у)"
    rf"(?:[ ]{WORD}){{1,5}}[ ]?[\"'`*]{{0,3}}\Z"
)
_NAME_TO_YEAR = rf"(?:[ ](?:{_PREPOSITION})[ ]{WORD})?[ ]?[\"'`*#]{{0,3}}\Z"
# More words, one of which names what opens. In scripts without spaces it follows the name directly.
_NAME_TO_NUMBER_OVER_LOCK = rf"(?P<thing>[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{{0,16}}(?:[ ]{WORD}){{0,5}})[ ]?[\"'`*#]{{0,3}}\Z"
_TYPING_VERB_BEFORE = (
    r"(?i)\b(?:press|typ(?:e|es|ed)(?:[ ]in)?|enter(?:s|ed)?|dial|punch(?:es|ed)?(?:[ ]in)?|key(?:s|ed)?(?:[ ]in)?|input"
    r"|tap|accepts|takes|with|con|mit|met|avec|then|luego|puis|dann|poi|depois|potem|dan|oder|ou|eller|lub|nebo|или|wants|needs|quote|say|gave[ ]it|made[ ]it|whispered|showed|behind|or|after|=)[ ][\"'`*]{0,3}\Z"
)
_PRESSED_BEFORE = (  # verbs that no number of an issue follows
    r"(?i)(?<![^\W\d_])(?:press|dial|type|punch(?:[ ]in)?|key[ ]in|buzz|tipp(?:e|en)?|drück(?:e|en)?|wähl(?:e|en)?|tape[rz]?|pulsa[r]?"
    r"|marca[r]?|digita(?:re)?|wpisz|zadej|slå|tast|нажми(?:те)?|набери(?:те)?)[ ][\"'`*]{0,3}\Z"
)
# "Type" as a verb, and how its clause goes on after the number: elsewhere it is a noun, as in "door type 4827".
_TYPE_BEFORE = (
    r"(?i)(?:\A|[:;,.!(\u2013\u2014-][ ]|(?:you|we|to|and|then|can|must|just|please)[ ])type[ ][\"'`*#]{0,3}\Z"
)
_TYPE_BEHIND = r"[#*]?[\"'`*]{0,3}(?:[.!]?[ ]*(?:\n|\Z)|,?[ ](?:then|and|on|into|in|at|to|for|when|within)[ ])"
# As in "mit der 4827 kommt man hinten rein".
_WITH_BEFORE = (
    r"(?i)(?<![^\W\d_])(?:with|mit|con|avec|com|met|med|s|se|z|ze|na|с|со|з|із|cu|amb)[ ]"
    r"(?:(?:the|code|der|dem|den|het|el|la|il|le|o|a|de|codice|código|koden?|kodem|кодом)[ ]){0,2}[\"'`*]{0,3}\Z"
)
_GETS_IN = (
    r"[\"'`*]{0,3}[ ](?:you[ ](?:can[ ])?(?:get|go|walk|come)[ ](?:in|through)|se[ ](?:entra|abre|accede)|si[ ](?:entra|apre|accede)"
    r"|(?:kommt?|kommst|kommen|kann|kannst)[ ](?:man|du|ihr|ich|wir|sie|er)[ ](?:[^\W\d_]{1,12}[ ]){0,5}?(?:hin|her)?(?:ein|rein)"
    r"|(?:on|tu|vous)[ ](?:peut[ ]|peux[ ]|pouvez[ ])?entre[sz]?r?|(?:entra|abre)-se|komm?er[ ](?:man|du|vi|jeg|jag)[ ](?:inn?|ind)"
    r"|kom[ ]je[ ](?:[^\W\d_]{1,12}[ ]){0,4}?(?:binnen|erin)|wchodzi(?:sz|my)?|wejdziesz|se[ ]dostane(?:[šm]|me|te)?"
    r"|(?:можно|можна)[ ](?:войти|зайти|попасть|увійти|зайти)|попадаешь|заходим|заходять)(?![^\W\d_])"
)
# After a number that begins a clause: "4827 öffnet das Tor".
_OPENS = (
    r"[\"'`*]{0,3}[ ](?:öffnet|ouvre|abre|apre|opent|öppnar|åpner|åbner|otwiera|otevírá|otevře|otvára|nyitja|deschide|avaa"
    r"|otvara|odpira|открывает|відкриває|отваря|ανοίγει|membuka|mở)[ ]"
)
_CLAUSE_BEGINS = r"(?:\A|[^\w\s])[ ]{0,2}[\"'`*]{0,3}\Z"
# After no more than a sign, as an answer or an item of a list: "A: 4827", "- 4827".
_AFTER_A_SIGN = r"(?:[:\u2013\u2014,?\u2192]|[ ](?:[=-]|->)|\A-|\bA:|\bOh,)[ ][*`]{0,2}\Z"
_IDENTIFIER_BEFORE = r"(?<![^\W_])(?!PIN|TAN|OTP|SMS|PC|TV|ATM|POS)[A-Z]{2,6}[ -]\Z|_port[\"']?[ ]?[:=][ ]?\Z"  # "RFC 6238", "db_port: 5432"
# As in: the key is in the box (4827).
_KEY_IN_A_BOX = (
    r"(?i)(?<![^\W_])(?:keys?|schlüssel|llaves?|cl[ée]s?|clefs?|chiav[ei]|chaves?|sleutels?|nyck\w{2,5}|nøg\w{2,5}|nøk\w{2,5}"
    r"|klucz\w{0,3}|klíč\w{0,3}|avai\w{1,4})[ ][^\d\n.;(]{0,40}?(?<![^\W_])(?:box|safe|cabinet|cupboard|locker|kasten|tresor"
    r"|safe|caja|boîte|boîtier|coffret|cassett[ae]|caixa|kluisje|kastje|l[åa]dan|skåpet|skabet|skapet|skrzyn\w{1,3}"
    r"|szaf\w{1,3}|schránc\w|kaapi\w{1,4})[ ]\(\Z"
)
# As in "my old code" or "Jo's passcode".
_SOMEBODYS_CODE = r"(?i)(?:(?<![^\W_])(?:my|our|your|his|her|their)|(?<=[^\W\d_])['\u2019]s)[ ](?:(?:new|old|own|other)[ ])?(?:code|passcode|combo)\b"
_SCREEN_LOCKS = ("lock", "sperre")  # how the names of codes for screens end
_KEYPAD_KEYS, _DECORATION = ("#", "*"), " \"'`*#"
_ENGLISH_NAMES = ("code", "codes", "pin", "tan", "otp", "passcode", "combination", "combo")
# A code that changed: "from 4827 to 1993".
_CHANGED_FROM = rf"{FROM}[\"'`*]{{0,3}}\Z"
_TO_ANOTHER_NUMBER = rf"[\"'`*]{{0,3}}{TO}[\"'`*]{{0,3}}[0-9]{{4,8}}(?![\w-]|[.,:/][0-9])"
# As in "hers is 4827" or "we use 4827".
_OWNER_BEFORE = (
    r"(?i)\b(?:i|we|you|they|he|she|mine|ours|yours|theirs|hers|his)"
    r"(?:[ ](?:use|uses|type|types|have|has|is)|['\u2019](?:ve|s)(?:[ ]got)?)?[ ]\(?\Z"
)
_FILE_MODE = r"0[0-7]{3}"  # the mode of a file, if a "/" is before it
_ALARM_PARTITION = r"[#*][0-9]{1,2}(?!\w)"  # "4827*2"
# Three digits near one of these, or equal to a status code, are not the code of a door.
_NOT_A_DOOR = (
    r"(?i)al+arm|hälyt|riasztó|сигнал|συναγερμ|警|إنذار|אזעקה|अलार्म|c[aà]rt|kart|tarjet|login|otp|2fa|tan\b|sim\b|puk|pin|mail"
    r"|backup|recovery|registration|courier|authenticator|panel|machine|monitor|(?:im|ex|sup|re|trans)port"
)
_STATUS_CODES = r"[1-5]0[0-9]|4[1-3][0-9]|1[2-4][0-9]|255"
# What may follow a code. A noun may not: "4827 people" is a count.
_NUMBER_ENDS = (
    r"[#*]?[\"'`*)]{0,3}(?:[.,;!)\u0589\u060c\u06d4\u0964\u3002\uff0c]|[ ]*(?:\n|\Z)|[ ](?:(?:shuts|turns|opens|unlocks|gets|lets|-|\u2013)[ ]"
    r"|and|at|into|when|within|to|on|for|then|instead|as|by|now|in|before|plus|the|so|or|it|if|until|است|ہے|है|[(\u2013-]))"
)
_CLAUSE_BREAK = r"[,;.|\u3002\u3001\uff0c](?![0-9])|[ ](?:and|und|et|y|e|en|och|og|i|ja|ve|và|и|та|dan)[ ]"
_NUMBER_ENDS_IN_LIST = r"[#*]?[\"'`*)\u300d\u201d\u00bb]{0,3}(?:[.,;!)?\u3002\u3001\uff0c]|[ ]*(?:\n|\Z)|[ ]?[^\x00-\u024f]|[ ](?:[^\W\d_]{1,3}|with|then|plus)[ ]|[ ][(/\u2013-])"


def _locate_code(match: re.Match[str]) -> Location:
    """Locate a number, with its keypad keys, if its line calls it a code or shows that it is typed at a lock."""
    text, (start, end) = match.string, match.span("secret")
    before = text[line_start(text, start, _CHARS_BEFORE) : start]
    behind = text[end : end + _CHARS_AFTER].partition("\n")[0]
    line = f"{before}{behind}".lower()
    if partition := compiled(_ALARM_PARTITION).match(behind):
        end, behind = end + partition.end(), behind[partition.end() :]
    has_key_after = behind[:1] in _KEYPAD_KEYS and not (before[-1:] == behind[0] == "*" or behind[1:2].isalnum())
    has_hash_before = before[-1:] == "#"
    is_pressed = occurs(_PRESSED_BEFORE, before.removesuffix("#"), max(0, len(before) - _CHARS_NEXT_TO))
    if has_hash_before and not (has_key_after or is_pressed):
        return None  # the number of an issue, a channel or a house
    before = before.removesuffix("#")
    is_last = has_key_after or compiled(_NUMBER_ENDS).match(text, end) is not None
    has_name_and_lock = not is_last and (not line.isascii() or "kod" in line) and _ends_in_name_and_lock(before)
    is_changed = _is_changed(before, behind)
    gets_in = occurs(_WITH_BEFORE, before) and compiled(_GETS_IN).match(behind) is not None
    opens = compiled(_CLAUSE_BEGINS).search(before) is not None and compiled(_OPENS).match(behind) is not None
    if not (is_last or has_name_and_lock or is_changed or gets_in or opens) and not _adjoins_typing_verb(
        before, behind
    ):
        return None
    if compiled(_IDENTIFIER_BEFORE).search(before, max(0, len(before) - _CHARS_NEXT_TO)):
        return None
    is_lock = compiled(_LOCKS).search(line) is not None
    names_a_lock = is_lock or compiled(_LOCK_STEMS).search(line) is not None
    is_key_in_a_box = occurs(_KEY_IN_A_BOX, before)
    names_a_lock = names_a_lock or gets_in or is_key_in_a_box or occurs(_SOMEBODYS_CODE, before)
    if not (names_a_lock or compiled(_SOMETIMES_LOCKED).search(line)):
        return None
    is_mode = compiled(_FILE_MODE).fullmatch(text, start, end) is not None and "/" in before
    is_type = occurs(_TYPE_BEFORE, before) and compiled(_TYPE_BEHIND).match(behind) is not None
    if is_mode or (is_counted(before) and not is_type) or is_building_number(behind) or occurs(_PHONED, before):
        return None
    is_year = compiled(r"(?:19|20)[0-9]{2}").fullmatch(text, start, end) is not None
    is_code = _is_called_a_code(before, is_year=is_year)
    if is_code is None:
        is_code = not is_year and (
            _is_typed(before, behind)
            or is_changed
            or is_key_in_a_box
            or (has_hash_before and is_pressed)
            or gets_in
            or opens
            or ((has_key_after or partition) and _has_lock(before[-_CHARS_NEXT_TO:]))
            or (
                (is_lock or has_key_after or compiled(_DOORS_AND_SAFES).search(before.lower()))
                and compiled(_AFTER_A_SIGN).search(before, max(0, len(before) - _CHARS_NEXT_TO)) is not None
            )
        )
    return (start - has_hash_before, end + has_key_after) if is_code else None


def _is_changed(before: str, behind: str) -> bool:
    """Whether a code and a lock are named before the number, and the number was changed to another."""
    is_from_one = compiled(_CHANGED_FROM).search(before, max(0, len(before) - _CHARS_NEXT_TO)) is not None
    is_replaced = is_from_one and compiled(_TO_ANOTHER_NUMBER).match(behind) is not None
    return is_replaced and last_code_name(before) is not None and _has_lock(before)


def _locate_named_code(match: re.Match[str]) -> Location:
    """Locate a code of an unusual shape after its name. One of three digits must be the code of a door."""
    start, code = match.start("secret"), match["secret"]
    before = match.string[line_start(match.string, start, _CHARS_BEFORE) : start]
    if not _is_called_a_code(before, is_year=False):
        return None
    is_short = len(code) < _MIN_DIGITS and (compiled(_STATUS_CODES).fullmatch(code) or not _is_of_a_door(before))
    return None if is_short else _locate_code(match)


def _is_of_a_door(before: str) -> bool:
    """Whether a lock that takes a number is named right before the last name of a code, or after it."""
    name = last_code_name(before)
    if name is None:
        return False
    word = before[: name.end()].removesuffix(name[0]).split()[-1:] or [""]
    around = f"{word[0]} {before[name.end() :]}"
    return _has_lock(around) and not occurs(_NOT_A_DOOR, around)


def is_one_of_several(text: str, begin: int, start: int, end: int) -> bool:
    """Whether a number is a code, given that its line has one: its clause names a lock or a code, or says whose it is.

    Args:
        text: The text.
        begin: Where the line starts.
        start: Where the number starts.
        end: Where it ends.
    """
    clause = compiled(_CLAUSE_BREAK).split(text[begin:start])[-1]
    name = last_code_name(clause)
    if compiled(_IDENTIFIER_BEFORE).search(clause) or (name and is_harmless_by_word_before(clause, name)):
        return False
    if is_counted(clause) or not compiled(_NUMBER_ENDS_IN_LIST).match(text, end):
        return False
    has_key_after = text[end - 1] in _KEYPAD_KEYS
    return name is not None or has_key_after or _has_lock(clause) or _is_now_or_before(clause) or _ends_in_owner(clause)


def _ends_in_owner(clause: str) -> bool:
    """Whether a clause ends in the owner of the number: "hers is 4827", "we use 4827"."""
    return occurs(_OWNER_BEFORE, clause)


def _is_now_or_before(clause: str) -> bool:
    """Whether a clause is only a word for "now" or "before": "was 4827, now 1993"."""
    words = clause.lower().strip(f"{_DECORATION}:(").split()
    return words != [] and NOW_AND_BEFORE.issuperset(words)


def _is_called_a_code(before: str, *, is_year: bool) -> bool | None:
    """Whether the last name of a code in `before` is the label of the number.

    `False` if that name is of another sort of code ("error code"), `None` if there is no name, or none that is joined.
    """
    name = last_code_name(before)
    if name is None:
        return None
    if is_harmless_code(before, name):
        return False
    is_pin = name[0].lower() == "pin"
    if is_pin and occurs(_CIRCUIT_BOARD, before):
        return False
    if is_year and not is_pin:
        is_joined = compiled(_NAME_TO_YEAR).match(before, name.end()) is not None and _has_lock_at(before, name)
    else:
        is_pin_or_lock = name[0].startswith("P") or name[0].endswith(_SCREEN_LOCKS)
        join = _PIN_TO_NUMBER if is_pin_or_lock and not is_year else _NAME_TO_NUMBER
        is_named = any(compiled(one).match(before, name.end()) for one in (_NAME_TO_NUMBER, join))
        is_joined = is_named or _has_lock_between(before, name)
    return is_joined or compiled(_NAME_TO_SIGN).match(before, name.end()) is not None or None


def _has_lock_between(before: str, name: re.Match[str]) -> bool:
    """Whether only words are between the name of a code and the number, and one of them names a lock."""
    joined = compiled(_NAME_TO_NUMBER_OVER_LOCK).match(before, name.end())
    return joined is not None and _has_lock(joined["thing"])


def _ends_in_name_and_lock(before: str) -> bool:
    """Whether `before` ends in a code's name, in another language than English, and the lock that it opens.

    A word after such a number is not a unit that it counts.
    """
    name = last_code_name(before)
    if name is None or name[0].lower() in _ENGLISH_NAMES:
        return False
    is_joined = not before[name.end() :].strip(_DECORATION) and _has_lock_at(before, name)
    return is_joined or _has_lock_between(before, name)


def _has_lock_at(before: str, name: re.Match[str]) -> bool:
    return _has_lock(before[max(0, name.start() - _CHARS_NEXT_TO) : name.end()])


def _has_lock(words: str) -> bool:
    lowered = words.lower()
    return compiled(_LOCK_STEMS).search(lowered) is not None or compiled(_LOCKS).search(lowered) is not None


def _is_typed(before: str, behind: str) -> bool:
    """Whether a verb of typing ("press", "entrez") is right next to the number."""
    is_typed = occurs(_TYPING_VERB_BEFORE, before, max(0, len(before) - _CHARS_NEXT_TO))
    return is_typed or _has_typing(before[-_CHARS_NEXT_TO:]) or _has_typing(behind[:_CHARS_NEXT_TO])


def _adjoins_typing_verb(before: str, behind: str) -> bool:
    """Whether a word adjoins the number, and a verb of typing in any language is within a few characters."""
    is_after_verb = before[-2:-1].isalpha() and _has_typing(before[-_CHARS_NEXT_TO:])
    return is_after_verb or (behind[1:2].isalpha() and _has_typing(behind[:_CHARS_NEXT_TO]))


def _has_typing(words: str) -> bool:
    return compiled(typing()).search(compiled(r"\b(?:ask|want)[a-z]*|\bdigits?\b").sub("", words.lower())) is not None


_CODE_NAME_ANCHORS = word_list("code kod k?d c?digo codice codul koodi combination sifra код Код κωδικός Κωδικός")


RULES = (
    ShapeRule(
        kind="recovery-code",
        shape=rb"0(?<![0a_./:+,-]0)(?:0{3,7}|00[ -]000)(?![0a_/%-]|[.,:]0)",
        pattern=r"(?P<secret>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})",
        locate=_locate_code,
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
            "Mit der «4827» kommt man hinten ins Lager rein.",
            "«4827» öffnet das Tor",
            "Back door: type «4827» then the bell symbol",
            "at the gate dial «#4827» and it swings open",
            "profile lock on Ada's profile «4827»",
        ),
        near=(
            "article code 4827 is the brass door handle",
            "the door was painted in 1998",
            "error code: 4827, the gate was open",
            "4827 people came through the door",
            "zip code 48271, the gate is green",
            "GPIO pin 1021, next to the door",
            "the bank's sort code 402139, and the account",
            "Mit der 4827 kommt man nach Hamm, rechts ist das Tor",
            "Filiale 4827 öffnet das Tor um acht",
            "Back door: type 4827, oak veneer",
            "garage door of type 4827",
            "see issue #4827 about the gate",
            "profile lock screen takes 3000 ms",
            "le code postal de la porte est passé de 4827 à 1993",
            "the alarm went from 4827 to 1993 mAh",
            "le code APE est passé de 4827 à 1993, la porte est en option",
        ),
    ),
    # Codes with a letter, as French keypads have; codes of three digits; codes read out in ones or twos: "4 8 8 1".
    Rule(
        kind="recovery-code",
        anchors=_CODE_NAME_ANCHORS,
        fold=True,
        pattern=(
            r"[^\W\d_]{3,7}(?![^\W\d_])[^0-9\n.;]{0,40}?(?<![\w./#:+,-])"
            r"(?P<secret>[A-F][0-9]{4,5}|[0-9]{1,4}[A-F][0-9]{1,4}|[0-9]{4}[A-F]|[0-9](?:[ -][0-9]){2,5}|[0-9]{2}(?:[ -][0-9]{2}){1,2}|[0-9]{3})(?![\w-]|[ .,:/*][0-9])"
        ),
        locate=_locate_named_code,
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
)
