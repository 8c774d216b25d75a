"""The names of codes in many languages, and which codes are harmless: "error code", "kod pocztowy"."""

from __future__ import annotations

import re
from collections import deque

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_list

_MAX_LENGTH_BEFORE = 32
# The second group also matches at the end of a longer word: "kapukód".
_CODE = (
    r"(?i)(?<![^\W\d_])(?:codes?|pin(?:-[^\W\d_]{1,6})?|tan|otp|passcode|combination|combo|koodi|kód(?:ja)?"
    r"|(?:screen|profile|app|child|parental|keypad)[ ]lock|(?:bildschirm|display|profil|app|tasten)sperre"
    r"|kod(?:as?|e|en|i|o|s|u)?|codul"
    r"|codi?|c[óo]digo|codice|şifre(?:si)?|šifr[aeu]|код|\u0448\u0438\u0444\u0440[\u0430\u0435\u0443]"
    r"|пин(?:[ -]?код\w{0,3})?|пін(?:[ -]?код\w{0,3})?|пук|szyfr|κωδικός|mã|zahl)(?![^\W\d_])"
    r"|(?:koodi|kód(?:ja)?|kode?n?|code)(?![^\W\d_])|(?<=[a-z])(?-i:Pin|Otp|Passcode)(?![^\W\d_])"
    r"|密码|密碼|暗証番号|番号|비밀번호|비번|번호|コード|코드|[码碼]|رمز|الرقم[ ]السري|كود|کد|پین|کوڈ|קוד|कोड|पिन"
    r"|কোড|পিন|ওটিপি|รหัส|พิน|კოდ(?:ი|ის)?|կոդ(?:ը|ի)?"
)
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
    артикул
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
    r"|exit|status|article|source|response|https?|dress|colou?r|product|item|part|course|return|reason|stock|sales?"
    r"|sector|class|subject|plant|cost|programme|sender|carrier|route|tariff|rate|insurance|procedure|material|batch|lot"
    r"|style|fabric|paint|platform|language|model|event|fault|trouble|diagnostic|result|reply|geo"
    rf"|supplier|바|بار){_JOIN}"
)
_OF = r"(?i)[ -]?(?:(?:da|de|do|del|della|des|di|dos|du|van|la|a|za|за|на)[ ]|l['\u2019]|d['\u2019]|ال)?"
_HARMLESS_AFTER = (
    rf"{_OF}(?:(?:barr?es?|couleur|colou?re?|cor|source|area|pays|avviamento|fiscale|wallet|visita|pos|pesanan|город\w*"
    r"|стран\w*|заказ\w*|projektu|klienta|cliente?s?|reserva|reservación|réservation|prenotazione|pelanggan|проект\w*"
    rf"|клиент\w*|регион\w*|урок\w*|khách|đơn)(?![^\W\d_])|พนักงาน|ลูกค้า|นักศึกษา|{_STEMS})"
)
_HARMLESS_AFTER_CODE = rf"{_OF}(?:(?:(?:{_SHORT_STEMS})[^\W\d_]{{0,3}}|abi|ape|iata|naf|dự[ ]án)(?![^\W\d_])|สี(?!่))"
# Names that mean a password or a PIN, whoever has it: "müşteri şifresi", "은행 비밀번호".
_OPENS = (
    r"(?i)pin(?:-[^\W\d_]{1,6})?|tan|otp|passcode|combination|combo|şifre(?:si)?|п[иі]н(?:[ -]?код\w{0,3})?|пук"
    r"|密码|密碼|暗証番号|비밀번호|비번|الرقم[ ]السري|پین|पिन|পিন|ওটিপি|พิน"
)


def last_code_name(text: str) -> re.Match[str] | None:
    """Return the last name of a code in `text`, such as "code", "PIN" or "κωδικός"."""
    names = deque(compiled(_CODE).finditer(text), maxlen=1)
    return names[0] if names else None


def is_harmless_by_word_before(text: str, name: re.Match[str]) -> bool:
    """Whether the word before the name of a code makes it a harmless one: "error code"."""
    before = max(0, name.start() - _MAX_LENGTH_BEFORE), name.start()
    return any(compiled(pattern).search(text, *before) for pattern in _patterns_of(name, _HARMLESS, _HARMLESS_CODES))


def is_harmless_code_name(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` names a code that the next words make harmless: "κωδικός προϊόντος"."""
    name = compiled(_CODE).fullmatch(text, start, end)
    return name is not None and is_harmless_code(text, name)


def is_harmless_code(text: str, name: re.Match[str]) -> bool:
    """Whether the words before or after the name of a code make it a harmless one."""
    is_named_after = any(
        compiled(pattern).match(text, name.end())
        for pattern in _patterns_of(name, _HARMLESS_AFTER, _HARMLESS_AFTER_CODE)
    )
    return is_named_after or is_harmless_by_word_before(text, name)


def _patterns_of(name: re.Match[str], of_all: str, of_codes: str) -> tuple[str, ...]:
    """Return the patterns to try: `of_codes` does not make a name harmless that means a password or a PIN."""
    return (of_all,) if compiled(_OPENS).fullmatch(name[0]) else (of_all, of_codes)
