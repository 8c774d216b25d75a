"""Numbers that say what they are and let nobody in: "the door: 4827 EUR", "Tor - 30 Tage", dates, telephone numbers."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_list, word_set

_NUMBER = r"[0-9]{1,7}(?:[ .,'\u00a0\u202f][0-9]{2,3}){0,2}"
_NEXT_WORD = (
    r"[ \u00a0\u202f]?(?P<word>[^\s\d_.,;:!?()|/\u00b2\u00b3\u3001\u3002\uff0c-]+)[\u00b2\u00b3]?"
    r"(?P<is_last>\.?(?=[ \t]*(?:[.,;:!?)|/\n\u3001\u3002\uff0c]|\Z)))?"
)
_SPACES = " \u00a0\u202f"
_LAST_WORD = r"(?<![^\W_])(?P<word>[A-Z]{3})[ \u00a0\u202f]?\Z"
_MONEY, _SHARES = word_list("€ $ £ ¥ ₹ ₺ ₽ ₩ ₪ ₫ ₴ ฿"), word_list("% ‰ °")
# https://www.iso.org/iso-4217-currency-codes.html
_CURRENCIES = word_set(
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW KZT MAD MXN MYR NGN "
    "NOK NZD PEN PHP PKR PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR"
)
_UNITS = word_set(
    "euro euros eur dollar dollars pound pounds yen yuan rupees rupee cents franken francs dólares reais pesos "
    "kroner kronor korun koruny forint kč ft kr kn zł złotych złote tl lira rs rp lv лв лева грн гривень гривні "
    "\u0440\u0443\u0431 рублей рубля ден дин динара дирхам рупій kwh mwh kw mah hz khz mhz ghz kg mg km mm cm ml cl "
    "px rpm dpi lumens kb mb gb tb kib mib gib pcs pieces units stück stücke stk szt ks kusů kpl adet tk vnt gab шт "
    "штук \u0431\u0440 ком pièces piezas peças pezzi stuks seconds minutes hours days weeks months years sekunden "
    "minuten stunden tage tagen wochen monate monaten jahre jahren dagen weken maanden jaar dagar veckor månader "
    "dage uger måneder jours semaines mois heures días semanas meses horas dias giorni settimane mesi dni dniu "
    "tygodni miesięcy godzin dní týdnů měsíců hodin nap hét hónap zile săptămâni luni ore dana dnevi tjedana "
    "mjeseci päivää viikkoa kuukautta päeva päev dienas dienų дней дня недель месяцев часов минут днів тижнів "
    "місяців годин дни дана ημέρες μέρες ευρώ gün hafta ay saat hari minggu bulan jam ngày tuần tháng giờ đồng đ "
    "siku días يوم أيام ريال درهم دينار جنيه دولار يورو شهر ימים שקל שקלים ימי דקות रुपये रुपए दिन घंटे महीने দিন "
    "টাকা நாட்கள் วัน บาท ชั่วโมง"
)
# Also a word of another meaning, or the beginning of what comes next: "4827 min dörr", "4827 lei lo sa".
_UNITS_AT_THE_END = word_set("m l v w g h s a t b min mins sec secs st db din lei ore k st ans an år let")
_OF_EAST_ASIA = (
    r"[ ]?(?:[円元圓圆块塊원]|[日天月年週周分秒時时個个台件本枚人回次](?![\u4e00-\u9fff])|小[時时]"
    r"|(?:[일개월년분초명대평]|시간)(?![\uac00-\ud7a3]))"
)

_DAY, _MONTH = r"(?:0?[1-9]|[12][0-9]|3[01])", r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:19|20)[0-9]{2}"
_DATE = rf"(?:{_DAY}/{_MONTH}|{_MONTH}/{_DAY})/(?:{_YEAR}|[0-9]{{2}})|{_YEAR}-{_MONTH}-{_DAY}|{_DAY}\.{_MONTH}\.{_YEAR}"
_TELEPHONE = (
    r"(?:(?<![\w.])\+|(?<![^\W_])(?i:tel|phone|telephone|mobile|call|ring|tlf|puh|telefono?|t\u00e9l|\u0442\u0435\u043b)"
    r"[.:]?[ ]\+?)[0-9(](?:[ .()-]?[0-9]){7,14}(?![0-9])"
)
_LONGEST_TELEPHONE = 40


def is_another_number(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` in `text` is a quantity, a date, or of a telephone number."""
    return is_measured(text, start, end) or (
        compiled(_DATE).fullmatch(text, start, end) is not None or _is_of_a_telephone(text, start, end)
    )


def _is_of_a_telephone(text: str, start: int, end: int) -> bool:
    if not text[start].isdigit():
        return False
    around = max(0, start - _LONGEST_TELEPHONE), end + _LONGEST_TELEPHONE
    return any(found.start() < start and end <= found.end() for found in compiled(_TELEPHONE).finditer(text, *around))


def is_measured(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` in `text` is a number in front of a unit, or an amount of money."""
    if not compiled(_NUMBER).fullmatch(text, start, end):
        return False
    before, behind = text[max(0, start - 2) : start].rstrip(_SPACES), text[end : end + 2].lstrip(_SPACES)
    if before.endswith(_MONEY) or behind.startswith((*_MONEY, *_SHARES)) or compiled(_OF_EAST_ASIA).match(text, end):
        return True
    unit, currency = compiled(_NEXT_WORD).match(text, end), compiled(_LAST_WORD).search(text, max(0, start - 5), start)
    if currency and currency["word"] in _CURRENCIES:
        return True
    if unit is None:
        return False
    word = unit["word"].lower()
    return unit["word"] in _CURRENCIES or word in _UNITS or (unit["is_last"] is not None and word in _UNITS_AT_THE_END)
