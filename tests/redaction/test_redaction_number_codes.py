"""A number goes if it is called a code, typed or said apart on a line that names what opens; any other number stays."""

from __future__ import annotations

from support.for_each import for_each
from support.redaction_samples import secrets_of, without_marks

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
NUMBERS = ("4827", "73915", "482913")
# "The code of the door is ...", in 31 languages beside English.
DOORS = (
    "Der Code der Haustür ist {}.",
    "Le code de la porte est {}.",
    "El código de la puerta es {}.",
    "Il codice del cancello è {}.",
    "O código do portão é {}.",
    "De code van de deur is {}.",
    "Koden till dörren är {}.",
    "Koden til døren er {}.",
    "Koden til porten er {}.",
    "Ulko-oven koodi on {}.",
    "Kod do drzwi: {}",
    "Kód od dveří je {}.",
    "A kapu kódja: {}",
    "Codul de la interfon este {}.",
    "Kapı kodu {}.",
    "Код от двери: {}",
    "Код від дверей: {}",
    "Ο κωδικός της πόρτας είναι {}.",
    "Kode pintu adalah {}.",
    "Mã cửa là {}.",
    "门的密码是{}。",
    "ドアの暗証番号は{}です。",
    "현관 비밀번호는 {}입니다.",
    "קוד הדלת הוא {}.",
    "رمز الباب {}.",
    "रमेश के दरवाज़े का कोड {} है",
    "দরজার কোড {}, তারপর তারা চিহ্ন",
    "کد گاوصندوق {} است",
    "دروازے کا کوڈ {} ہے",
    "კარის კოდი {}.",
    "Դռան կոդը {}։",
)


@for_each(
    "text",
    [
        "Side gate, press {} and wait for the click.",
        "For the store room dial {}; for the roof ask Joe.",
        "Q: What do I enter at the barrier? A: {}",
        "Screen lock on the old tablet, {}, same as it ever was.",
        "dad's debit card (the green one), pin {}, he asked me to withdraw 200",
        "The phone asked for the PIN again this morning - it's {}, same on the iPad.",
        "Le code de l'immeuble est {}, puis deuxième étage.",
        "Para abrir el portón marca {} y almohadilla.",
        "Kapı şifresi {}, sonra yeşil tuşa bas.",
        "Код сигналізації {}, вимкни одразу.",
        "A kapukód {}, utána kétszer balra.",
        "Haustür unten: {} eintippen, dann summt es.",
    ],
)
def test_a_number_that_opens_something_goes(text: str) -> None:
    for number in NUMBERS:
        assert number not in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each("text", DOORS)
def test_the_code_of_a_door_goes_in_each_language(text: str) -> None:
    for number in NUMBERS:
        assert number not in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each(
    "text",
    [
        "код від під'їзду {}",
        "code de l'immeuble {}",
        "codice del cancello dell'ufficio {}",
        "PIN ke kartě firmy {}",
        "รหัสประตู {}",
        "รหัสตู้เซฟที่บ้าน {}",
        "kapı kodu {} kare tuşu",
        "현관 비번 {}*",
        "kode brankas kantor {}",
        "Gate: #{}* then push",
        "portal: {}# y empujar",
        "le code PIN du téléphone de papa {}",
        "UPI वाले फ़ोन का पिन {}। किसी को मत बताना",
        "PIN от телефона мамы {}",
    ],
)
def test_a_code_goes_behind_the_words_for_what_it_opens(text: str) -> None:
    for number in NUMBERS:
        assert number not in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each(
    "text",
    [
        "PIN for the boiler {}",
        "PIN at boot of the reception PC {}, then the normal login",
        "the PIN of the thermostat {}.",
        "PIN am Drucker im Flur {}",
        "PIN de la máquina de café {}",
        "The card came. Its PIN letter says {}.",
        "Kasse: Chefkarte oder {}",
    ],
)
def test_a_pin_is_a_code_whatever_it_is_for(text: str) -> None:
    for number in NUMBERS:
        assert number not in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each(
    "text",
    [
        "PIN for employee {}",
        "PIN letters for batch {}",
        "PIN at row {}",
        "PIN for member {} was reset",
    ],
)
def test_what_is_numbered_behind_a_pin_stays(text: str) -> None:
    for number in NUMBERS:
        assert number in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each(
    "text",
    [
        "the key is in the box ({})",
        "Schlüssel im Kasten ({}).",
        "la llave está en la caja ({}), segundo piso",
        "bikes: cage B, dial {}",
    ],
)
def test_the_code_of_where_a_key_or_a_thing_is_kept_goes(text: str) -> None:
    for number in NUMBERS:
        assert number not in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each("door", ["Tor zur Tiefgarage", "Haustür", "portail", "puerta del garaje", "cancello", "kapu", "side gate"])
@for_each("sign", [": ", " -> ", " → ", ", "])
def test_a_number_goes_that_a_sign_alone_keeps_apart_from_a_door(door: str, sign: str) -> None:
    assert "4827" not in REDACTOR.redact(f"{door}{sign}4827, then push").text


@for_each("text", ["Motor: 4827", "monitor: 4827", "Haustür, 4827 Stück", "drzwi: 4827 zł", "portail, devis 4827"])
def test_a_number_beside_another_word_or_of_a_quantity_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "The cleaner's code ({}) differs from ours",
        "my code is {}.",
        "the dog walker’s code {}, Mon-Fri",
        "Our new code: {}",
        "The cleaner's code (7712) and ours ({}) differ.",
    ],
)
def test_the_code_of_somebody_goes(text: str) -> None:
    for number in NUMBERS:
        assert number not in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each("text", ["The country's code is {}.", "the error's code: {}", "my order code ({})", "our area code {}"])
def test_the_code_of_something_stays(text: str) -> None:
    for number in NUMBERS:
        assert number in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each(
    "text",
    [
        "enter {} through the double doors",
        "Take the lift to level 4 and enter {} by the back door.",
        "gate 4, district code {}",
        "zip code 80331, region code {}, phone prefix 089",
        "machine numbers 4411-4417, the door is locked at 22",
    ],
)
def test_a_number_of_a_place_stays(text: str) -> None:
    assert REDACTOR.redact(text.format("4827")).text == text.format("4827")


@for_each(
    "text",
    [
        "issue #{} about the gate",
        "gate #{} merged",
        "รหัสสินค้า {} ประตู",
        "kod błędu {}, brama stoi",
        "kode pos {}, pintu belakang",
        "код товара {}, дверь",
        "codice articolo {} cancello",
        "mã đơn hàng {}, giao tận cửa",
        "kapı {} TL tuttu",
    ],
)
def test_a_number_of_what_is_sold_sent_or_reported_stays(text: str) -> None:
    for number in NUMBERS[:2]:
        assert number in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each(
    "text",
    [
        "Error {} means the password has expired.",
        "Member {} forgot the password twice this week.",
        "error code: {}, the gate was open",
        "zip code {}, the gate is green",
        "{} people came through the door",
        "کد پستی {}، پلاک ۱۲",
        "საფოსტო კოდი {}",
        "two-factor codes have six digits (RFC {})",
        "A four-digit PIN has {} possible values.",
    ],
)
def test_a_number_that_opens_nothing_stays(text: str) -> None:
    for number in NUMBERS:
        assert number in REDACTOR.redact(text.format(number)).text, text.format(number)


@for_each(
    "text",
    [
        "Код від під'їзду {}, другий поверх",
        "bike shed door code {}",
        "Gate code: {}",
        "codice del cancello {}",
        "kod do bramy {}",
        "Heizungskeller: Zahlenschloss auf {} stellen",
        "luggage lock: {}",
        "trailer coupling lock: {}. Van: key under the seat",
    ],
)
def test_three_digits_are_a_code_right_beside_a_door_or_a_lock_with_wheels(text: str) -> None:
    assert "247" not in REDACTOR.redact(text.format("247")).text


@for_each(
    "text",
    [
        "the door returned code {}",
        "alarm code {} means overheating",
        "The code has {} lines, the gate is closed",
        "monitor code {}",
        "error code {}: door open",
        "kod pocztowy {}, drzwi",
        "padlock {} mm wide",
        "the lock {} was released",
        "chain locks: {} in stock",
    ],
)
def test_three_digits_elsewhere_stay(text: str) -> None:
    assert "247" in REDACTOR.redact(text.format("247")).text


def test_what_a_server_answers_is_no_code_of_a_door() -> None:
    assert REDACTOR.redact("gate code: 404").text == "gate code: 404"


@for_each(
    "text",
    [
        "Tiefgarage: Code «4 8 8 1», dann grüne Taste",
        "the gate's code is «4-8-8-1», then the bell",
        "Rack 4 combination «R12 L33 R08».",
        "the safe opens at «12R-33L-8R»",
        "Till safe: left 4× to «81», right 3× to «27», left 2× to «75»",
        "Server room: badge + «66214». Spare badge at reception",
        "The lab freezer has a lockout code, «5150», ask Yun",
        "Bancomat di Rita: «57659»",
        "Alarm panel: «7731» to disarm, «4915*2» for night mode.",
    ],
)
def test_a_code_goes_as_it_is_read_out_turned_or_typed_behind_a_badge(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert not [secret for secret in secrets_of(text) if secret in redacted]


@for_each(
    "text",
    [
        "the code of row 4 8 8 1",
        "resistors R12 L33 R08 of the board",
        "badge 66214 was lost",
        "badge + 2000 photos",
        "garage 1200*2 mm",
    ],
)
def test_groups_and_numbers_of_things_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


def test_the_keys_around_a_code_go_with_it() -> None:
    assert REDACTOR.redact("Gate: #2580* then push").text == "Gate: [REDACTED:recovery-code] then push"
    assert REDACTOR.redact("the gate code is **4482**").text == "the gate code is **[REDACTED:recovery-code]**"


def test_a_year_is_a_code_only_where_it_is_called_one() -> None:
    assert "1968" in REDACTOR.redact("the alarm, 1968, was the first").text
    assert "1968" not in REDACTOR.redact("the alarm code is 1968").text
    assert "1948" not in REDACTOR.redact("portkod 1948").text
    assert "1948" in REDACTOR.redact("portkod från 1948").text


@for_each(
    "text",
    [
        "Mit der {} kommt man hinten ins Lager rein.",
        "Met {} kom je achter het magazijn binnen.",
        "Con el {} se entra al almacén por detrás.",
        "{} ouvre le portail.",
        "{} открывает ворота.",
        "you have 30 seconds: type {} on the alarm panel to disarm it",
        "At the gate dial #{} and it swings open",
    ],
)
def test_a_number_goes_with_which_somebody_gets_in(text: str) -> None:
    assert "4719" not in REDACTOR.redact(text.format("4719")).text


@for_each(
    "text",
    [
        "Mit der 4719 kommt man nach Hamm, am Tor links.",
        "Mit dem RE 4719 kommt man nach Ulm rein.",
        "With 4719 points you get in the top ten.",
        "4719 öffnet um 8 Uhr.",
        "Back door: type 6051, oak veneer",
        "At the gate look for bus #4410 and get on",
    ],
)
def test_a_number_stays_that_gets_nobody_in(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "the safe combination is new\nwhat is it now?\n- «left 22, right 9, left 41»",
        "Tresor: 4× «links auf 12, 3× rechts auf 43, 2× links auf 33», dann Hebel. Inhalt 1.343 Euro",
        "店の金庫：«右に回して 88 → 左 23 → 右 41»。釣り銭は毎朝3万円。",
    ],
)
def test_the_turns_of_a_dial_go_wherever_the_safe_is_named_nearby(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert redacted == text[: text.index("«")] + "[REDACTED:recovery-code]" + text[text.index("»") + 1 :]
