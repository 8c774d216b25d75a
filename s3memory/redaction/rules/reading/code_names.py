"""What a code is called, in many languages, and which codes open nothing: "error code", "kod pocztowy"."""

from __future__ import annotations

import re
from collections import deque

from s3memory.redaction.text.compiling import compiled

# The second group ends longer words as well: "kapukód".
_CODE = (
    r"(?i)(?<![^\W\d_])(?:codes?|pin(?:-[^\W\d_]{1,6})?|tan|otp|passcode|combination|combo|koodi|kód|kod(?:e|en|u)?|codul"
    r"|cod|c[óo]digo|codice|şifre(?:si)?|šifr[aeu]|код|пин|пін|κωδικός|mã|zahl)(?![^\W\d_])|(?:koodi|kód|kode?n?|code)(?![^\W\d_])"
    r"|密码|密碼|暗証番号|番号|비밀번호|비번|번호|رمز|كود|کد|کوڈ|קוד|कोड|पिन|কোড|পিন|รหัส|კოდ(?:ი|ის)?|կոդ(?:ը|ի)?"
)
_OTHER_CODES = (
    r"(?i)(?:error|exit|status|article|area|zip|postal|post|country|dial(?:ling)?|source|response|https?|promo|discount"
    r"|voucher|bar|dress|colou?r|currency|tax|product|item|part|booking|course|fehler|artikel|postleit|vorwahl"
    r"|erreur|erro|ошиб\w*|почтов\w*|артикул\w*|return|reason|sort|swift|bin|stock|sales?|kund|kunden|customer|client|project"
    r"|coupon|საფოსტო)[ -]?\Z"
)
_OF_ANOTHER = (
    r"(?i)[ -](?:(?:de|do|del|della|di|dos|van|la)[ ])?(?:postal|barres?|promo|erreur|article|articolo|couleur|source"
    r"|pays|produit|prodotto|προϊόντ\w*|producto|produto|error|erro|errore|avviamento|fiscale|wallet|visita|pos|barang|produk"
    r"|pesanan|kesalahan|błęd\w*|produktu|pocztow\w*|towaru|chyby|zboží|hibá\w*|termék\w*|eroare|poștal|hata|ürün|posta"
    r"|ошибк\w*|товар\w*|город\w*|стран\w*|заказ\w*|помилк\w*|пошт\w*"
    r"|projektu|klienta|kuponu|cliente?s?|reserva|reservación|réservation|prenotazione|kupon|pelanggan|проект\w*|клиент\w*"
    r"|регион\w*|урок\w*|sản[ ]phẩm|khách|đơn|lỗi|bưu|پستی)(?![^\W\d_])|สินค้า|ไปรษณีย์|พนักงาน|ลูกค้า|นักศึกษา"
)


def last_name_of_a_code(text: str) -> re.Match[str] | None:
    """Return the last word of `text` that calls something a code."""
    names = deque(compiled(_CODE).finditer(text), maxlen=1)
    return names[0] if names else None


def is_named_before(text: str, name: re.Match[str]) -> bool:
    """Whether the word before the name of a code says that it opens nothing: "error code"."""
    return compiled(_OTHER_CODES).search(text, 0, name.start()) is not None


def is_of_another_sort(text: str, name: re.Match[str]) -> bool:
    """Whether the words beside the name of a code say that it opens nothing."""
    return is_named_before(text, name) or compiled(_OF_ANOTHER).match(text, name.end()) is not None
