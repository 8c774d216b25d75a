"""Numbers of what is numbered: flats, orders, years. They are no codes."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled

# "flat 1204", "since 1998"
_COUNTED = (
    r"(?i)(?:(?<![^\W_])(?:ending(?:[ ](?:in|with|on))?|ends[ ](?:in|with)|endet[ ]auf"
    r"|termina(?:nt|d[oa])?[ ](?:en|em|con|par|por)|serial|spot|event|pid|uid|type|status|art|article|room|flat|apartment|apt|unit"
    r"|suite|floor|house|street|number|no|nr|n\u00ba|ext|extension|phone|tel|call|order|ticket|model|version|build|since"
    r"|until|before|after|zimmer|wohnung|haus|hausnummer|etage|stock|seit|bis|quarto|apartamento|piso|sala|habitaci\w+"
    r"|chambre|appartement|appart|\u00e9tage|depuis|camera|appartamento|interno|piano|kamer|mieszkani\w+|pok\w+|кв\w*"
    r"|комнат\w*|끝|заказ\w*|договор\w*|bestellung|bestellnummer|auftrag|rechnung|commande|facture|pedido|factura|fatura"
    r"|ordine|fattura|zam\u00f3wieni\w+|faktur\w+|bestelling|factuur|sipari\u015f|pesanan)"
    r"|(?:問い?合わ?せ|注文|電話|伝票|管理|受付|会員|追跡|予約|顧客|契約|部屋|口座|請求|社員)番号|编号|編號|单号|單號|电话|電話"
    r"|ห้อง|ชั้น|(?:주문|전화|예약|송장|고객|계좌|회원)[ ]?번호)[.#]?[ ]?\Z"
)


def is_counted(before: str) -> bool:
    """Whether a number behind `before` is one of something that is numbered, or a part of a longer one."""
    return compiled(_COUNTED).search(before) is not None
