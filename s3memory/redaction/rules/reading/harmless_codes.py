"""The names of codes in many languages, and which codes are harmless: "error code", "kod pocztowy".

Column headers and explanations of columns are read here as well.
"""

from __future__ import annotations

import re
from collections import deque

from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.word_lists import word_list, word_set

_MAX_LENGTH_BEFORE, _MAX_HEAD = 32, 48
_DECORATION = " \t\r*_`\"'"
# The second group also matches at the end of a longer word: "kapukód".
_CODE = (
    r"(?i)(?<![^\W\d_])(?:codes?|pin(?:-[^\W\d_]{1,6})?|tan|otp|passcode|combination|combo|koodi|kód(?:ja)?"
    r"|(?:screen|profile|app|child|parental|keypad)[ ]lock|(?:bildschirm|display|profil|app|tasten)sperre"
    r"|kod(?:as?|e|en|i|o|s|u)?|codul"
    r"|codi?|c[óo]digo|codice|коды|şifre(?:si)?|šifr[aeu]|код|\u0448\u0438\u0444\u0440[\u0430\u0435\u0443]"
    r"|пин(?:[ -]?код\w{0,3})?|пін(?:[ -]?код\w{0,3})?|пук|szyfr|κωδικός|mã|zahl)(?![^\W\d_])"
    r"|(?:koodi|kód(?:ja)?|kode?n?|code)(?![^\W\d_])|(?<=[a-z])(?-i:Pin|Otp|Passcode)(?![^\W\d_])"
    r"|密码|密碼|暗証番号|番号|비밀번호|비번|번호|コード|코드|[码碼]|رمز|الرقم[ ]السري|كود|کد|پین|کوڈ|קוד|कोड|पिन"
    r"|কোড|পিন|ওটিপি|รหัส|พิน|კოდ(?:ი|ის)?|կոդ(?:ը|ի)?"
)
# One of these is in each such name in ASCII.
_IN_ASCII_CODE = r"(?i)cod|kod|koodi|pin|tan|otp|comb|lock|sperre|szyfr|zahl"
# Codes for these open nothing: errors, mail, discounts, goods, places. A stem begins all forms of a word.
_STEMS = "|".join(
    word_list("""
    error erreur erro fehler błęd chyb chýb hiba hibá eroare hata ошибк помилк грешк σφάλμ خطأ خطا
    שגיא त्रुटि lỗi kesalahan feil fel virhe 错误 錯誤 エラー 오류 postal posta postleit postnum postinum
    poczt poštov pošt poșta почтов поштов ταχυδρ بريد پستی bưu 邮政 邮编 郵便 우편 ไปรษณีย์ promo discount
    coupon kupon rabat rabatt slevov zľav kedvezm reducere indirim descuento desconto sconto korting
    alennus скидк промо знижк отстъп έκπτωσ εκπτωτ χρώμ خصم הנחה छूट giảm diskon popust 优惠 優惠 折扣
    クーポン 割引 할인 쿠폰 ส่วนลด produit prodott producto producte produto produk zboží tovar termék produs
    ürün товар προϊόν منتج מוצר उत्पाद sản barang 제품 商品 产品 產品 상품 สินค้า articl articol artikel
    артикул тауар tovar barang barcod
    """)
)
# The same, but these can have passwords as well: customers, projects, banks. Their stems take three letters more at
# most, as a longer word may be a door of theirs: "Projektraum-Code".
_SHORT_STEMS = "|".join(
    word_list("""
    kļūd klaid napak greš storing störung statut statu stanu stavov stato estado durum állapot tila
    состояни стану حالة حالت สถานะ trạng 状态 狀態 상태 atlaid nuolaid soodus descompt zniżk تخفیف קופון
    kampany pasta pašto poštn пощенск countr paese país kraju země zeme ország țar țară ülke χώρ
    دولة کشور देश দেশ quốc ประเทศ negar šalies держав държав 国家 國家 국가 couleur kleur färg farve farge
    väri kolor barv farb szín culoare renk колір цвят цвета لون رنگ צבע रंग màu warna spalv krās
    värv 颜色 顏色 색상 zákazní ügyfél müşteri asiaka πελάτ عميل زبون مشتری לקוח ग्राहक kupca kupac strank
    klient kliend клієнт клиент 客户 客戶 顧客 고객 projet proyect projet progett projekt projeto proje
    проєкт proyek 项目 專案 프로젝트 čiarov čárov kreskow barras strek streck stręg stregkode viiva vonal
    triip svītr brūkšnin črtn штрих vạch batang منطقة περιοχ área شهر телефонен міста vare varu preč
    prek izdelk proizvod artykuł артикл производ artíc artig είδ کالا محصول stok banque guichet 은행
    銀行 支店 struttura ข้อผิดพลาด toner referral
    """)
)
_JOIN = r"(?:['\u2019]s)?[ -]?\Z"
_HARMLESS = (
    r"(?i)(?:(?:area|zip|post|country|dial(?:ling)?|voucher|bar|currency|tax|booking|sort|swift|bin|district|region|branch"
    r"|province|state|municipality|county|diagnosis|billing|vehicle|serial|flight|airport"
    rf"|საფოსტო)|(?:{_STEMS})[^\W\d_]{{0,8}}){_JOIN}"
)
# The same, but their PIN may open something: "exit code" is harmless, "exit PIN" is not.
_HARMLESS_CODES = (
    rf"(?i)(?<![^\W\d_])(?:(?:{_SHORT_STEMS})[^\W\d_]{{0,3}}|order|kund|kunden|customer|client|project|vendor"
    r"|exit|status|article|source|response|https?|dress|colou?r|qr|short|hsn?|gl|sac|kostenstellen|product|item|part|course|return|reason|stock|sales?"
    r"|sector|class|subject|plant|cost|programme|sender|carrier|route|tariff|rate|insurance|procedure|material|batch|lot"
    r"|style|fabric|paint|platform|language|model|event|fault|trouble|diagnostic|result|reply|geo"
    rf"|supplier|(?:bus[ ])?stop|halte(?:stellen?)?|바|بار){_JOIN}"
)
_OF = r"(?i)[ -]?(?:(?:da|de|do|del|della|des|di|dos|du|van|la|a|za|за|на)[ ]|l['\u2019]|d['\u2019]|ال)?"
_HARMLESS_AFTER = (
    rf"{_OF}(?:(?:barr?es?|couleur|colou?re?|cor|source|area|pays|avviamento|fiscale|wallet|visita|pos|pesanan|город\w*"
    r"|стран\w*|заказ\w*|projektu|klienta|cliente?s?|reserva|reservación|réservation|prenotazione|pelanggan|проект\w*"
    rf"|клиент\w*|регион\w*|урок\w*|khách|đơn)(?![^\W\d_])|พนักงาน|ลูกค้า|นักศึกษา|{_STEMS})"
)
# What a code may be for that opens nothing: "the code for the procedure?".
_FOR_A_THING = (
    r"[ ](?:for|für|pour|para|per|voor|för|dla|pro|til|для|за)[ ]"
    r"(?:(?:the|this|that|an?|d\w{2}|dies\w{1,2}|l[aeo]s?|el|il|os?|as?|un\w?|het|een)[ ]|l['\u2019])?"
    r"(?:(?:procedure|intervention|eingriff|diagnos[ei]s|treatment|colou?r|paint|fabric|part|item|batch|country|currency"
    rf"|airport|tariff|expense|fault)(?![^\W\d_]|[ ][^\W\d_])|{_STEMS})"
)
_HARMLESS_AFTER_CODE = (
    rf"{_OF}(?:(?:(?:{_SHORT_STEMS})[^\W\d_]{{0,3}}|abi|ape|iata|naf|sat|ibge|ncm|окв?эд|окпо|тнвэд|unidad(?:e|es)?"
    r"|catastral|presupuest(?:al|aria)|dự[ ]án|arrêt"
    r"|parada|paragem|fermata|przystanku|zastávky|остановки)(?![^\W\d_])|สี(?!่))"
    rf"|{_FOR_A_THING}"
)
# Names that mean a password or a PIN, whoever has it: "müşteri şifresi", "은행 비밀번호".
_OPENS = (
    r"(?i)pin(?:-[^\W\d_]{1,6})?|tan|otp|passcode|combination|combo|şifre(?:si)?|п[иі]н(?:[ -]?код\w{0,3})?|пук"
    r"|密码|密碼|暗証番号|비밀번호|비번|الرقم[ ]السري|پین|पिन|পিন|ওটিপি|พิน"
)
# What is a key in tables, too, and whose code is harmless only if the next words say so: "clave de producto".
_KEY = r"(?i)(?<![^\W\d_])(?:claves?|llaves?|chaves?|chiav[ei]|cl[ée]s?|ключ)(?=[ ])"
_KEY_OF_TABLE = (
    r"(?i)[ ](?:prim[aá]ri[ao]|primaire|foránea|estrangeira|étrangère|de tri|сортировки)"
    r"|(?:artikel|konten|steuer|buchungs|gemeinde|länder|sprach|sortier|fremd|primär)schlüssel"
    r"|(?:primær|primär|fremmed|främmande|sorterings)n[øy](?:gle|kkel|ckel)"
)
_KEYS = word_set(
    "key schlüssel clé clave llave chave chiave sleutel nyckel nøgle nøkkel klucz klíč kľúč kulcs avain anahtar ключ "
    "keys 代码 代碼 编码"
)
_DESCRIPTIONS = word_set(
    "name names navn namn naam nom nombre nome nazwa název názov naziv nume név ad ad\u0131 isim атауы аты название"
    " наименование назва име име́ nimi nimetus nosaukums pavadinimas όνομα tên nama emri nomi 名称 名稱 名前 이름 ชื่อ שם"
    " الاسم description beskrivelse beskrivning beschreibung bezeichnung omschrijving descripción descrição descrizione"
    " opis popis leírás megnevezés descriere описание опис kuvaus selite περιγραφή 説明 説明文 설명"
    " meaning bedeutung betekenis significado signification betydning betydelse znaczenie význam jelentés значение"
    " значення 意味 의미 label title designation désignation libellé"
)
# What explains a column: its name and an example ("article code, e.g. LY-2207"), a choice, or the number of a thing.
_EXAMPLE = (
    r"(?i)[ ,;(]{1,3}(?:fx|f\.?[ ]?eks|e\.?[ ]?g|z\.?[ ]?b|bijv|p\.?[ ]?e[xj]|t\.?[ ]?ex|ad es|např|напр|нпр|esim|örn"
    r"|piem|мысалы|for example|zum beispiel|par exemple|por ejemplo|例|(?:bv|np|pl|es|nt)(?=\.))[.:]{0,2}[ ]"
)
_CHOICE = (
    r"(?i)(?:yes|ja|oui|s[íìi]|sim|tak|ano|áno|igen|kyllä|evet|да|так|jah|da|true|on|y|j|0|1)[ ]?/[ ]?[^\W\d_]{1,6}"
)
_NUMBER_OF = r"[^\W\d_]{2,24}(?:[ -]?(?:nr|nro|nummer|numer[ou]?|número|numéro|szám|номер|number))\.?"
_SIGN = r"[:=|\u2013\u2014][ ]{0,3}[\"'`*]{0,3}\Z"
_LABEL, _MAX_SIGN = rf"(?P<label>[^\n|.;,:=(]{{2,40}}?)[\"'`*]{{0,3}}[ ]?{_SIGN}", 7
_ROW = r"[ \t|>*\u2022-]{0,6}[^\s|:;=,]*[0-9][^\s|:;=,]{0,24}[ \t]{0,16}"


def is_harmless_label(label: str) -> bool:
    """Whether a label, such as a column header, names a code or key that opens nothing: "product code", "Clave SAT"."""
    name = last_code_name(label)
    if name is not None and not label[name.end() :].strip(_DECORATION):
        return is_harmless_by_word_before(label, name)
    name = name or compiled(_KEY).search(label)
    is_of_table = occurs(_KEY_OF_TABLE, label)
    return is_of_table or (name is not None and _is_harmless_by_words_after(label, name))


def has_harmless_label(text: str, start: int) -> bool:
    """Whether what is right before `start` is the label of a code or key that opens nothing: "Clave SAT: "."""
    if compiled(_SIGN).search(text, max(0, start - _MAX_SIGN), start) is None:  # cheaper than the label
        return False
    label = compiled(_LABEL).search(text, max(0, start - _MAX_HEAD), start)
    return label is not None and is_harmless_label(label["label"])


def is_key_of_table(heads: list[str]) -> bool:
    """Whether the first column of a table is a key of the rows: just "code" or "key", with a name or description."""
    first, *others = (head.strip(_DECORATION).lower() for head in heads)
    is_bare = first in _KEYS or ((name := last_code_name(first)) is not None and name[0] == first and not _opens(name))
    return is_bare and not _DESCRIPTIONS.isdisjoint(others)


def explains_column(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` says what a column has, or is the header of the next column.

    A header is followed by at least two rows of the same form, which begin with a number.
    """
    if compiled(_EXAMPLE).search(text, start, end) or is_harmless_label(text[start:end]):
        return True
    if any(map(str.isdigit, text[start:end])):
        return False
    if any(compiled(one).fullmatch(text, start, end) for one in (_CHOICE, _NUMBER_OF)):
        return True
    head = text[line_start(text, start, _MAX_HEAD) : start]
    sign = head.strip(" ")[-1:]
    if (
        not sign
        or any(map(str.isalnum, sign))
        or any(map(str.isdigit, head))
        or text[end : end + 1] not in ("\n", "\r")
    ):
        return False
    return compiled(rf"[\r\n]+(?:{_ROW}{re.escape(sign)}[^\n]*(?:\n|\Z)){{2}}").match(text, end) is not None


def last_code_name(text: str) -> re.Match[str] | None:
    """Return the last name of a code in `text`, such as "code", "PIN" or "κωδικός"."""
    if text.isascii() and not occurs(_IN_ASCII_CODE, text):  # cheaper
        return None
    names = deque(compiled(_CODE).finditer(text), maxlen=1)
    return names[0] if names else None


def ends_in_letter(text: str) -> bool:
    """Whether `text` ends in a letter of any script, as all words do that the patterns of this module look for."""
    return text[-1:].isalnum() and not text[-1].isdecimal()


def is_harmless_by_word_before(text: str, name: re.Match[str]) -> bool:
    """Whether the word before the name of a code makes it a harmless one: "error code"."""
    before = max(0, name.start() - _MAX_LENGTH_BEFORE), name.start()
    if not ends_in_letter(text[slice(*before)].rstrip(" -")):  # cheaper than the patterns
        return False
    return any(occurs(pattern, text, *before) for pattern in _patterns_of(name, _HARMLESS, _HARMLESS_CODES))


def is_harmless_code_name(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` names a code that the next words make harmless: "κωδικός προϊόντος"."""
    name = compiled(_CODE).fullmatch(text, start, end)
    return name is not None and is_harmless_code(text, name)


def is_harmless_code(text: str, name: re.Match[str]) -> bool:
    """Whether the words before or after the name of a code make it a harmless one."""
    return _is_harmless_by_words_after(text, name) or is_harmless_by_word_before(text, name)


def _is_harmless_by_words_after(text: str, name: re.Match[str]) -> bool:
    patterns = _patterns_of(name, _HARMLESS_AFTER, _HARMLESS_AFTER_CODE)
    return any(compiled(pattern).match(text, name.end()) for pattern in patterns)


def _patterns_of(name: re.Match[str], of_all: str, of_codes: str) -> tuple[str, ...]:
    """Return the patterns to try: `of_codes` does not make a name harmless that means a password or a PIN."""
    return (of_all,) if _opens(name) else (of_all, of_codes)


def _opens(name: re.Match[str]) -> bool:
    return compiled(_OPENS).fullmatch(name[0]) is not None
