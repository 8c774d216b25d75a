"""Numbers of what is numbered: flats, orders, years. They are no codes."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled

# "flat 1204", "since 1998"
_COUNTED = (
    r"(?i)(?:(?<![^\W_])(?:ending(?:[ ](?:in|with|on))?|ends[ ](?:in|with)|endet[ ]auf"
    r"|termina(?:nt|d[oa])?[ ](?:en|em|con|par|por)|serial|spot|event|type|status|art|article|room|flat|apartment|apt|unit"
    r"|suite|floor|house|street|number|no|nr|n\u00ba|ext|extension|phone|tel|call|order|ticket|model|version|build|since"
    r"|until|before|after|zimmer|wohnung|haus|hausnummer|etage|stock|seit|bis|quarto|apartamento|piso|sala|habitaci\w+"
    r"|chambre|appartement|appart|\u00e9tage|depuis|camera|appartamento|interno|piano|kamer|mieszkani\w+|pok\w+|кв\w*"
    r"|комнат\w*|끝|заказ\w*|договор\w*|bestellung|bestellnummer|auftrag|rechnung|commande|facture|pedido|factura|fatura"
    r"|ordine|fattura|zam\u00f3wieni\w+|faktur\w+|bestelling|factuur|sipari\u015f|pesanan)"
    r"|(?<!\u6697\u8a3c)(?<!\u8a8d\u8a3c)(?<!\u78ba\u8a8d)\u756a\u53f7|\u7f16\u53f7|\u7de8\u865f|\u5355\u53f7|\u55ae\u865f"
    r"|\u7535\u8bdd|\u96fb\u8a71|(?<!\ube44\ubc00)(?<!\uc778\uc99d)\ubc88\ud638)[.#:\uff1a]?[ ]?\Z"
)


def is_counted(before: str) -> bool:
    """Whether a number behind `before` is one of something that is numbered, or a part of a longer one."""
    return compiled(_COUNTED).search(before) is not None
