"""Recognizes numbers that identify a flat, an order or a year, and are no codes."""

from __future__ import annotations

from s3memory.redaction.rules.reading.harmless_codes import ends_in_letter, is_harmless_by_word_before, last_code_name
from s3memory.redaction.text.compiling import compiled, occurs

# What stands before such a number: "flat 1204", "since 1998", "tickets: 4821".
_NUMBERED = (
    r"(?i)(?:(?<![^\W_])(?:ending(?:[ ](?:in|with|on))?|ends[ ](?:in|with)|endet[ ]auf"
    r"|termina(?:nt|d[oa])?[ ](?:en|em|con|par|por)|serial|spot|event|pid|uid|type|status|pages?|section|row|line|employee|member|patient|contract|batch|customer|client|case|quote|invoice|port|part|ref|reference|ean|isbn|sku|monitor|dashboard|incident|alert|zip|plz|postcode|(?:library|loyalty|member(?:ship)?|club|bonus|student|insurance|bus)[ ]card|lot|slot|bed|ward|art|article|room|flat|apartment|apt|unit"
    r"|seite|página|pagina|strona|strana|sayfa|sida|sivu|oldal|стр|страница|сторінка|raum|salle|stanza|oda|odası"
    r"|кабинет\w*|кабінет|клиент\w*|клієнт\w*|cliente|klient\w*|kunde|kundennummer|müşteri|vertrag|contrat|contrato"
    r"|contratto|umow\w+|smlouv\w+|sözleşme|kontrakt|avtal|договір|сч[её]т|рахунок|tél"
    r"|rum|rom|huone|suite|floor|house|street|number|no|nr|n\u00ba|ext|extension|phone|tel|call|order|ticket|model|version|build|since"
    r"|until|before|after|zimmer|wohnung|haus|hausnummer|etage|stock|seit|bis|quarto|apartamento|piso|sala|habitaci\w+"
    r"|chambre|appartement|appart|\u00e9tage|depuis|camera|appartamento|interno|piano|kamer|mieszkani\w+|pok\w+|кв\w*"
    r"|комнат\w*|끝|заказ\w*|договор\w*|bestellung|bestellnummer|auftrag|rechnung|commande|facture|pedido|factura|fatura"
    r"|ordine|fattura|zam\u00f3wieni\w+|faktur\w+|bestelling|factuur|sipari\u015f|pesanan)"
    r"|(?:問い?合わ?せ|注文|電話|伝票|管理|受付|会員|追跡|予約|顧客|契約|部屋|口座|請求|社員)番号|编号|編號|单号|單號|电话|電話"
    r"|ห้อง|ชั้น|(?:주문|전화|예약|송장|고객|계좌|회원)[ ]?번호"
    r"|(?:ऑर्डर|फ़ोन|फोन|मोबाइल|बिल|रसीद|खाता|ग्राहक)[ ](?:नंबर|संख्या)"
    r"|注文|請求書|部屋|房间|房間|订单|訂單|发票|發票)[.#]?[ ]?\Z"
    r"|(?<![^\W_])(?:tickets|orders|issues|invoices|cases|calls|jobs|tasks|files|rows|items|requests|visits|votes|counts?"
    r"|totals?|attempts)[:=]?[ ]\Z"
)
# "enter 4827 by the back door"
_ENTRANCE = (
    r"(?i)[ ](?:through|by|via|from)[ ](?:(?:the|an?|our|your|main|double|glass|back|front|rear|side|left|right|first|second)[ ]){0,3}"
    r"(?:doors?|gates?|entrance|lobby|lifts?|stairs|hall|street)(?![a-z])"
)
_PURCHASE_ORDER = r"(?<![^\W_])PO[.#]?[ ]?\Z"
_MAX_LENGTH_BEFORE, _MAX_NAME_LENGTH = 48, 32
# The number of somebody who waits: before it a word for a queue, or after it the number of a counter.
_TICKET = r"[A-Z]{1,2}[ -]?[0-9]{2,4}(?!\w)(?P<is_letter>)|[0-9]{2,3}(?!\w)"
_QUEUE = (
    r"(?i)(?<![^\W\d_])(?:fila|atendimento|queue|turno|warte\w{4,8}|(?:file|ticket) d['\u2019]attente|kolejk\w|очеред\w)"
    r"(?![^\W\d_])|番号札|整理券|取号|叫号|번호표"
)
_COUNTER = (
    r"(?i)[ ,;.:)-]{1,3}(?:(?:at|no|na|am|au|en)[ ])?(?:guich[êe]t?|balcão|ventanilla|schalter|sportello|counter|loket)"
    r"[ ]?[0-9]{1,2}(?![0-9])|[ \u3001\u3002,]{0,2}(?:窓口[ ]?[0-9]|[0-9]{1,2}[番号]?窓口)"
)


def is_counted(before: str) -> bool:
    """Whether `before` shows that the number after it identifies a thing, ends a longer one or is a harmless code."""
    last = before.rstrip(" .:=#").rpartition(" ")[2]
    if not last.isdecimal() and occurs(_NUMBERED, before, max(0, len(before) - _MAX_NAME_LENGTH)):
        return True
    if last.endswith("PO") and compiled(_PURCHASE_ORDER).search(before):
        return True
    nearest = before[-_MAX_LENGTH_BEFORE:].rstrip(" :=\"'`*(")
    name = last_code_name(nearest) if ends_in_letter(nearest) else None
    return name is not None and name.end() == len(nearest) and is_harmless_by_word_before(nearest, name)


def is_ticket_of_queue(text: str, start: int) -> bool:
    """Whether what starts at `start` is the number of somebody who waits for a counter: "senha B044, guichê 7"."""
    if (ticket := compiled(_TICKET).match(text, start)) is None:
        return False
    is_queued = ticket.lastgroup and occurs(_QUEUE, text, max(0, start - _MAX_LENGTH_BEFORE), start)
    return bool(is_queued or compiled(_COUNTER).match(text, ticket.end()))


def is_building_number(behind: str) -> bool:
    """Whether `behind` shows that the number before it identifies a building or a room that somebody enters."""
    return compiled(_ENTRANCE).match(behind) is not None
