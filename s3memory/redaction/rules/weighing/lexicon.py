"""Words that say what is near them, by what they say: the model learns from "says that something is opened" at once."""

from __future__ import annotations

from functools import cache

from s3memory.redaction.text.compiling import compiled

_KINDS = {
    "login": (
        "login log logs logon signin sign signs account accounts acct portal user users username admin "
        "administrator mailbox webmail console dashboard credentials creds cpanel router wifi wlan ssid vpn rdp ssh "
        "ftp sftp smtp server laptop ipad tablet kiosk screen workstation app machine box pc mac phone nas konto "
        "compte cuenta conta utente benutzer anmeldung zugang acceso accès accesso acesso usuario usuário gebruiker "
        "konta użytkownik käyttäjä felhasználó cont hesap kullanıcı račun логин вход войти аккаунт учётка σύνδεση "
        "חשבון כניסה حساب دخول логін вхід обліковка акаунт профіль влиза профил сметка налог пријава λογαριασμός "
        "χρήστης משתמש נכנס نام کاربری ورود اکاؤنٹ لاگ लैपटॉप লগইন অ্যাকাউন্ট கணக்கு บัญชี ล็อกอิน ผู้ใช้ 登录 登入 "
        "帐号 账号 帳號 账户 用户 電腦 电脑 ログイン アカウント ユーザー 계정 로그인 아이디 노트북 შესვლა ანგარიში "
        "მომხმარებელი մուտք հաշիվ օգտատեր"
    ),
    "lock": (
        "door doors gate garage keypad alarm safe locker lockbox padlock panel code codes pin pins passcode "
        "combination combo disarm arm entry keybox gatehouse barrier lift elevator vault strongroom cabinet tür tor "
        "alarmanlage tresor porte portail digicode coffre puerta portón alarma caja porta cancello cassaforte deur "
        "kluis drzwi kod szyfr dörr kode ovi dveře ajtó kapu ușă kapı kasa vrata код дверь домофон κωδικός πόρτα "
        "קוד דלת رمز الباب сигнализация замок сейф калитка ворота шлагбаум хвіртка сигналізація врата аларма каса "
        "капија шифра сеф κλειδαριά συναγερμός χρηματοκιβώτιο קודן אזעקה כספת שער باب خزنة بوابة در گاوصندوق دزدگیر "
        "دروازہ تالے سیف दरवाज़ा अलार्म দরজা சேஃப் கதவு ประตู เซฟ รหัส 门锁 门禁 保险 大门 門鎖 門禁 保險 玄関 金庫 "
        "暗証 番号 현관 도어락 금고 비번 კარი კოდი სეიფი დուռ կոդ պահարան դուռ"
    ),
    "enter": (
        "enter enters entered type types typed typing punch key keyed opens open unlock unlocks unlocked gets get "
        "got past in into use uses used using dial press tap answer answers say says accepts accept works worked "
        "takes asks wants needs give gave try tried put join joins вводит введи ввести набери открывается входит "
        "заходит вводити відкривається въвежда отваря влиза куца отвара γράφει βάζεις ανοίγει μπαίνει מקיש מקלידים "
        "נפתח يفتح يكتب تكتب ادخل باز شود وارد بزن کھلتا ڈالیں खुलता डालना திறக்க ใส่ กด เปิด พิมพ์ 输入 打开 輸入 "
        "打開 入力 開く 押す 입력 열려 누르 კრიფე იხსნება մուտքագրիր բացվում"
    ),
    "change": (
        "changed change reset resets rotated rotate picked chose chosen set sets switched went back still now new "
        "old temporary temp current currently was became turned updated revert reverted default factory initial "
        "сменил поменял новый старый стара новий змінив смени нов стари промени нови άλλαξε νέος παλιός החליף חדש "
        "ישן غيّر جديد قديم جدید قدیم عوض بدل نیا پرانا नया बदला নতুন পুরনো பழைய ใหม่ เก่า เปลี่ยน 换成 改成 新的 "
        "旧的 換成 舊的 変更 新しい 古い 바꿨 새로 예전 ახალი ძველი նոր հին փոխեց"
    ),
    "password": (
        "password passwords passwort kennwort pass pw pwd pswd passphrase phrase secret secrets psk passcode mdp "
        "motdepasse contraseña clave senha parola wachtwoord hasło lösenord passord adgangskode salasana jelszó "
        "parolă şifre lozinka heslo пароль пароля паролем סיסמה סיסמא المرور парола лозинка кодова κωδικό "
        "συνθηματικό סיסמת كلمة السر پاسورد رمز گذرواژه پاس पासवर्ड পাসওয়ার্ড கடவுச்சொல் รหัสผ่าน พาสเวิร์ด 密码 "
        "口令 密碼 通關 パスワード 合言葉 비밀번호 암호 პაროლი გաղտնաբառ գաղտնաբառը"
    ),
    "thing": (
        "order orders invoice ref reference ticket issue id ids number no nr tracking model part serial version "
        "release build commit hash sku item product flight room table figure section chapter port channel error "
        "status page line step bug pr file files image tag branch postcode zip tel ext call mobile fax date year "
        "age size weight price cost total amount qty route bus seat track bestellung rechnung commande pedido "
        "factura fattura bestelling zamówienie заказ номер счёт накладная трек версия замовлення рахунок посилка "
        "версія поръчка фактура пратка рачун пошиљка παραγγελία τιμολόγιο αποστολή έκδοση הזמנה חשבונית משלוח גרסה "
        "طلب فاتورة شحنة رقم سفارش فاکتور شماره مرسوله آرڈر بل نمبر ऑर्डर नंबर रसीद অর্ডার নম্বর রসিদ ஆர்டர் எண் "
        "ออเดอร์ ใบแจ้ง เลขที่ พัสดุ 订单 单号 发票 版本 編號 訂單 單號 發票 注文 請求 伝票 追跡 주문 송장 청구 "
        "버전 შეკვეთა ინვოისი ნომერი պատվեր հաշիվ համար"
    ),
    "code": (
        "import def return class const let var function if else for while true false null none self public private "
        "static void int string"
    ),
    "shown": (
        "example examples sample samples demo dummy mock fake fixture placeholder template fictional "
        "invented joke jokes joking pun meme puzzle riddle quiz game games novel song songs poem lyrics "
        "title titles titled films movie play episode scene series slide slides poster posters lesson "
        "lessons training textbook exercise worksheet dialogue crossword museum exhibit book books chapter "
        "band album theatre comic cartoon sign banner slogan motto campaign promo public publicly published "
        "known printed docs documentation manual rfc tutorial beispiel beispiele witz rätsel spiel buch "
        "roman lied gedicht titel folie folien plakat übung unterricht lehrbuch schulung öffentlich exemple "
        "exemples blague énigme jeu livre chanson poème titre diapo affiche exercice leçon ejemplo ejemplos "
        "broma acertijo juego libro canción título película cartel ejercicio lección curso público esempio "
        "scherzo indovinello gioco canzone poesia titolo manifesto esercizio lezione exemplo brincadeira "
        "enigma jogo livro cartaz aula voorbeeld grap raadsel spel boek oefening les przykład żart zagadka "
        "gra książka piosenka tytuł slajd ćwiczenie lekcja szkolenie exempel skämt gåta sång övning lektion "
        "eksempel bog sang øvelse esimerkki vitsi peli kirja laulu példa vicc játék könyv címe örnek şaka "
        "oyun kitap şarkı пример примеры шутка загадка игра книга песня слайд плакат упражнение урок "
        "тренинг приклад жарт гра пісня παράδειγμα αστείο παιχνίδι βιβλίο τραγούδι דוגמה בדיחה משחק ספר שקף "
        "שיעור مثال نكتة لعبة كتاب أغنية شريحة درس 例子 示例 笑话 游戏 培训 例え 冗談 ゲーム 研修 예시 농담 게임 노래"
    ),
    "sum": (
        "checksum checksums hash hashes hashed digest digests md5 sha fingerprint fingerprints encrypted encrypt "
        "cipher sealed signature etag crc uid uuid guid accessor thumbprint prüfsumme fingerabdruck verschlüsselt "
        "seriennummer somme empreinte série suma kontrolna huella cifrado impronta seriale сумма хеш отпечаток "
        "серийный skrót odcisk controlesom vingerafdruk kontrollsumma 校验 指纹"
    ),
    "token": (
        "token api key secret webhook bearer credential pat seed recovery backup voucher activation licence license "
        "authentication verification otp 2fa mfa totp"
    ),
}
PREFIX = 8
"""Words are told by so many of their first letters."""
# Marks are no part of a word, neither here nor in a text. Vowels in the scripts of India are some: of a word that is
# written with them, what stands between two of them counts.
_WORD = r"[^\W\d_]{2,}"


def words_in(text: str, start: int = 0, end: int | None = None) -> list[str]:
    """Return the words of letters in `text`, or in a part of it."""
    return compiled(_WORD).findall(text, start, len(text) if end is None else end)


@cache
def _kinds() -> dict[str, tuple[str, ...]]:
    kinds: dict[str, tuple[str, ...]] = {}
    for name, words in _KINDS.items():
        for start in {form[:PREFIX] for word in words_in(words) for form in (word, f"{word}s")}:
            kinds[start] = (*kinds.get(start, ()), name)
    return kinds


def kinds_of(words: set[str]) -> set[str]:
    """Return what `words`, in small letters and no longer than `PREFIX`, say of what is near them."""
    kinds = _kinds()
    return {name for word in kinds.keys() & with_pairs(words) for name in kinds[word]}


def names_a_password(word: str) -> bool:
    """Whether `word`, in small letters, is what a password is called."""
    return "password" in _kinds().get(word[:PREFIX], ())


def with_pairs(words: set[str]) -> set[str]:
    """Return words, and the pairs of letters of those in scripts that write words together, or join others to them."""
    if "".join(words).isascii():  # nearly always
        return words
    told = set(words)
    for word in words:
        if not word.isascii() and word.lower() == word.upper():
            told.update(word[place : place + 2] for place in range(len(word) - 1))
    return told
