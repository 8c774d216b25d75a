"""Recognizes numbers that are no codes: quantities such as "4827 EUR", dates, standards, ports, telephone numbers."""

from __future__ import annotations

from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.word_lists import word_list, word_set

_AMOUNT = r"[0-9]{1,7}(?:[ .,'\u00a0\u202f][0-9]{2,3}){0,2}"
_NEXT_WORD = (
    r"[ \u00a0\u202f]?(?P<word>[^\s\d_.,;:!?()|/\u00b2\u00b3\u3001\u3002\uff0c-]+)[\u00b2\u00b3]?"
    r"(?P<is_last>\.?(?=[ \t]*(?:[.,;:!?)|/\n\u3001\u3002\uff0c]|\Z)))?"
)
_SPACES = " \u00a0\u202f"
_CURRENCY_BEFORE = r"(?<![^\W_])(?P<word>[A-Z]{3})[ \u00a0\u202f]?\Z"
_MONEY, _RATIOS = word_list("€ $ £ ¥ ₹ ₺ ₽ ₩ ₪ ₫ ₴ ฿"), word_list("% ‰ °")
# https://www.iso.org/iso-4217-currency-codes.html
_CURRENCIES = word_set(
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW KZT MAD MXN MYR NGN "
    "NOK NZD PEN PHP PKR PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR"
)
_UNITS = word_set(
    "euro euros eur dollar dollars pound pounds yen yuan rupees rupee cents franken francs dólares reais pesos "
    "kroner kronor korun koruny forint kč ft kr kn zł złotych złote tl lira lv лв лева грн гривень гривні "
    "\u0440\u0443\u0431 рублей рубля ден дин динара дирхам рупій kwh mwh kw mah hz khz mhz ghz kg mg km mm cm ml "
    "cl px rpm dpi lumens kb mb gb tb kib mib gib pcs pieces units stück stücke stk szt ks kusů kpl adet vnt шт "
    "штук \u0431\u0440 ком pièces piezas peças pezzi stuks seconds minutes hours days weeks months years sekunden "
    "minuten stunden tage tagen wochen monate monaten jahre jahren dagen weken maanden jaar dagar veckor månader "
    "dage uger måneder jours semaines mois heures días semanas meses horas giorni settimane mesi dni dniu tygodni "
    "miesięcy godzin dní týdnů měsíců hodin hét hónap zile săptămâni dnevi tjedana mjeseci päivää viikkoa "
    "kuukautta päeva päev dienas dienų дней дня недель месяцев часов минут днів тижнів місяців годин дни дана "
    "ημέρες μέρες ευρώ gün hafta minggu ngày tuần tháng giờ đồng đ يوم أيام ريال درهم دينار جنيه دولار يورو شهر "
    "ימים שקל שקלים ימי דקות रुपये रुपए दिन घंटे महीने দিন টাকা நாட்கள் วัน บาท ชั่วโมง Euro Euros Franken "
    "Sekunden Minuten Stunden Tage Tagen Wochen Monate Monaten Jahre Jahren Stück Stücke Stk Kč Ft TL Rs Rp KWh "
    "kWh MWh kW mAh Hz kHz MHz GHz KB kB MB GB TB KiB MiB GiB PLN"
)
# Case matters, as "Dana" is a name. They count only at the end of a phrase, where they have no other meaning: in
# Swedish, "min" also means "my", as in "4827 min dörr".
_UNITS_AT_THE_END = word_set(
    "m l V W g h s a t b A min mins sec secs st db din lei ore k ans an år let jam nap ay dana hari luni saat dias "
    "bulan"
)
_EAST_ASIAN_UNITS = (
    r"[ ]?(?:[円元圓圆块塊원]|[日天月年週周分秒時时個个台件本枚人回次](?![\u4e00-\u9fff])|小[時时]"
    r"|(?:[일개월년분초명대평]|시간)(?![\uac00-\ud7a3]))"
)

_DAY, _MONTH = r"(?:0?[1-9]|[12][0-9]|3[01])", r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:19|20)[0-9]{2}"
_DATE = rf"(?:{_DAY}/{_MONTH}|{_MONTH}/{_DAY})/(?:{_YEAR}|[0-9]{{2}})|{_YEAR}-{_MONTH}-{_DAY}|{_DAY}\.{_MONTH}\.{_YEAR}"
_TELEPHONE = (
    r"(?:(?<![\w.])\+|(?<![^\W_])(?i:tel|phone|telephone|mobile|call|ring|tlf|puh|telefono?|t\u00e9l|\u0442\u0435\u043b"
    r"|contact(?:o|er|ez)?|kontakt\w?|contatto|contato|ansprechpartner(?:in)?|контакт\w?)"
    r"[ ]?[.:]?[ ](?:[A-Z\u00c0-\u00de\u0400-\u042f][\w'\u2019-]{1,16}[,:]?[ ]){0,2}\+?)[0-9(]"
    r"(?:[ ./()-]{0,2}[0-9]){7,14}(?![0-9])"
)
# A number with the prefix of a region or a network after a name: "Wim, 06-1100 2200".
_AFTER_A_NAME = (
    r"[A-Z\u00c0-\u00de\u0400-\u042f][^\W\d_]{1,16}[,:]?[ ]\(?"
    r"0[1-9][0-9]{0,3}(?:\)?[ /.-]{1,3}(?=[0-9 ]{6})|(?=[0-9]{7}))[0-9](?:[ .-]?[0-9]){5,8}(?![0-9-])"
)
_SIX_DIGITS = r"[0-9](?:[ ./()-]{0,4}[0-9]){5}"
_MAX_TELEPHONE_LENGTH, _MAX_CURRENCY_LENGTH = 40, 5
_STANDARD = r"(?<![A-Za-z])(?:RFC|PEP|ISO(?:/IEC)?|IEC|IEEE|FIPS|NIST SP|BCP|CWE|DIN|EN)[ ]\Z"
_STANDARD_NUMBER, _MAX_STANDARD_LENGTH = r"[0-9][0-9:.-]*", 12
# A setting for how long something waits or lasts, or how much it is: "entry_ttl = 86400", "int otpLength = 4096".
# Words of a name may be separate, as in "code count: 4096", but what is called just a "limit" may be a name.
_DURATION = r"(?:ttl|time[_-]?out|interval|max[_-]?age)"
_SIZE = (
    rf"(?:{_DURATION}|(?:min|max)?(?:length|size|count|limit|width|height|bytes|digits|attempts|retries)|len|port|seconds"
    r"|secs|millis|minutes|hours|days|m?s|lifetime|retention|expir(?:y|es(?:[_-]?(?:in|at|after))?|ation)|validity"
    r"|duration|delay|window|period|rounds|iterations|capacity|quota|threshold|version|index|offset|bits)"
)
_SIZE_SETTING = (
    rf"(?:(?<![^\W_])(?i:{_DURATION})|[^\W_][_.-](?i:{_SIZE})|(?<=[a-z0-9])(?=[A-Z])(?i:{_SIZE})"
    rf"|[a-z][ ](?:{_DURATION}|count|limit|length|size))"
    r"[\"'`*]{0,3}(?:[ ]{0,9}(?::[ ]?[a-z]\w{1,11}[ ]?)?[:=|\u2013\u2014][ ]{0,9}|[ ](?:is|to)[ ]|(?<=[A-Z])[ ]{1,9})"
    r"[\"'`*]{0,3}\Z"
)
_MAX_SETTING_LENGTH = 64
_PORT = (
    r"(?i)(?<![a-z])(?:ports?|\u7aef\u53e3\u53f7?|\u9023\u63a5\u57e0|\u30dd\u30fc\u30c8|\ud3ec\ud2b8|\u043f\u043e\u0440\u0442)"
    r"[\"'`]?[ ]?[:=\uff1a]?[ ]?[\"'`]?\Z"
)
_MAX_PORT_LENGTH = 16
_BEFORE_FILE_SIZE = r"(?:\A|\n)[-bcdlps](?:[r-][w-][-xsStT]){3}[.+@]?[ ]+[0-9]+[ ]+\S+[ ]+\S+[ ]+\Z"  # of ls -l
_MAX_OWNERS_LENGTH = 90
# India's postal codes are called PIN codes, https://en.wikipedia.org/wiki/Postal_Index_Number. An address is near them.
_POSTAL_PIN = r"[1-8][0-9]{2}[ ]?[0-9]{3}|(?:(?![0-9])\d){6}"
_POSTAL_PIN_NAME = (
    r"(?i:\bpin(?:[ ]?code)?|पिन|(?P<indic>पिन[ ]?कोड|পিন[ ]?কোড|પિન[ ]?કોડ|பின்[ ]?கோடு|పిన్[ ]?కోడ్))[ ]?[:.-]?[ ]?\Z"
)
_INDIAN_ADDRESS = (
    r"(?i)\b(?:address|ship(?:ping)?[ ]to|deliver(?:y|ed)?|road|rd|street|marg|nagar|colony|sector|taluk"
    r"|dist(?:rict)?|india|post office|courier|locality|bengaluru|bangalore|mysuru|mumbai|pune|nagpur"
    r"|(?:new )?delhi|noida|guru?gaon|gurugram|kolkata|chennai|hyderabad|kochi|jaipur|lucknow|kanpur|patna"
    r"|bhopal|indore|surat|ahmedabad|chandigarh"
    r"|karnataka|maharashtra|kerala|gujarat|punjab|tamil nadu|telangana|rajasthan|bihar|odisha|assam|goa)\b"
)
# In languages of India the name needs no address, but must not be that of a card, a telephone or a door.
_HAS_PIN = r"(?i)\b(?:atm|sim)\b|एटीएम|कार्ड|दरवाज|गेट|अलार्म|बैंक|मोबाइल|फ़ोन|सिम|এটিএম|কার্ড|দরজা|গেট|ব্যাংক|ফোন|ஏடிஎம்|அட்டை|கதவு"
# The issuer's code for a card payment, which the receipt shows.
_APPROVAL_NAME = r"(?i)\b(?:auth(?:ori[sz]ation)?|approval)[ ](?:code|no|number)[ ]?[.:#]?[ ]?\Z"
_PAYMENT = (
    r"(?i)\b(?:receipt|terminal|merchant|visa|mastercard|amex|maestro|girocard|card (?:payment|purchase|ending)|refund"
    r"|transaction|approved|purchase|invoice|pos\b|rrn|batch)|[$£€₹][ ]?[0-9]"
)
_MAX_NAME_LENGTH, _MAX_ADDRESS_LENGTH = 28, 90


def is_harmless_number(text: str, start: int, end: int) -> bool:
    """Whether a span is a quantity, a date, a standard, a port, a telephone number or a file's size."""
    return (
        compiled(_DATE).fullmatch(text, start, end) is not None
        or _is_in_standard(text, start, end)
        or _is_quantity(text, start, end)
        or is_in_telephone_number(text, start, end)
        or (text[start].isdigit() and _is_in_any(_AFTER_A_NAME, text, start, end))
        or (text[start:end].isdigit() and is_port(text, start))
        or compiled(_BEFORE_FILE_SIZE).search(text, max(0, start - _MAX_OWNERS_LENGTH), start) is not None
    )


def is_number_of_address_or_payment(text: str, start: int, end: int) -> bool:
    """Whether a number is a postal code that is called a PIN, or the code by which a card payment was approved."""
    name = max(0, start - _MAX_NAME_LENGTH), start
    around = max(0, start - _MAX_ADDRESS_LENGTH), end + _MAX_ADDRESS_LENGTH
    if compiled(_POSTAL_PIN).fullmatch(text, start, end) and (pin := compiled(_POSTAL_PIN_NAME).search(text, *name)):
        if pin["indic"]:
            return not occurs(_HAS_PIN, text, *around)
        return occurs(_INDIAN_ADDRESS, text, *around)
    return text[start:end].isalnum() and occurs(_APPROVAL_NAME, text, *name) and occurs(_PAYMENT, text, *around)


def is_port(text: str, start: int) -> bool:
    """Whether the number that starts at `start` is labelled as a port: "port: "."""
    return occurs(_PORT, text, max(0, start - _MAX_PORT_LENGTH), start)


def is_size(text: str, start: int, end: int) -> bool:
    """Whether the number is the value of a setting for how long something lasts, or how much it is."""
    begin = max(0, start - _MAX_SETTING_LENGTH)
    return text[start:end].isdigit() and compiled(_SIZE_SETTING).search(text, begin, start) is not None


def _is_in_standard(text: str, start: int, end: int) -> bool:
    """Whether the number is that of a standard: "ISO 27001"."""
    named = compiled(_STANDARD).search(text, max(0, start - _MAX_STANDARD_LENGTH), start)
    return named is not None and compiled(_STANDARD_NUMBER).fullmatch(text, start, end) is not None


def _is_quantity(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` is a number with a unit or a currency: "4827 kWh", "EUR 4827"."""
    if not compiled(_AMOUNT).fullmatch(text, start, end):
        return False
    before, after = text[max(0, start - 2) : start].rstrip(_SPACES), text[end : end + 2].lstrip(_SPACES)
    if before.endswith(_MONEY) or after.startswith((*_MONEY, *_RATIOS)) or compiled(_EAST_ASIAN_UNITS).match(text, end):
        return True
    currency = compiled(_CURRENCY_BEFORE).search(text, max(0, start - _MAX_CURRENCY_LENGTH), start)
    if currency and currency["word"] in _CURRENCIES:
        return True
    unit = compiled(_NEXT_WORD).match(text, end)
    units = _CURRENCIES | _UNITS | (_UNITS_AT_THE_END if unit and unit["is_last"] is not None else frozenset())
    return unit is not None and unit["word"] in units


def is_in_telephone_number(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` is part of a telephone number: "tel. 030 4827 1190"."""
    return text[start].isdigit() and _is_in_any(_TELEPHONE, text, start, end)


def _is_in_any(pattern: str, text: str, start: int, end: int) -> bool:
    around = max(0, start - _MAX_TELEPHONE_LENGTH), end + _MAX_TELEPHONE_LENGTH
    if not compiled(_SIX_DIGITS).search(text, *around):  # as both patterns have, and cheaper
        return False
    return any(found.start() < start and end <= found.end() for found in compiled(pattern).finditer(text, *around))
