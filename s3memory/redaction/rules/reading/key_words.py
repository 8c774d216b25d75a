"""What keys and tokens are called beyond English: a new language is a word or two in some of these lists.

Latin letters have stems, as most of these languages write a word in many forms. A stem may end a compound, with a few
letters behind it: "lisenssiavaimeni" is a key, and "kulcsazonosító" is the id of one.
"""

from __future__ import annotations

from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.text.judged import judged
from s3memory.redaction.text.word_lists import word_list, word_set

_LONGEST_ENDING = 5
_REACH_BEHIND = 3

_KEYS = word_set(
    "clé clés clef clefs cle clave claves llave llaves chave chaves chiave chiavi khóa khoá khoa kunci kuncinya cheie "
    "cheia cheii raktas rakto raktą clau claus çelësi lykill lykillinn mã nokkel nogle klic klicz avain"
)
_KEY_STEMS = word_list(
    "schlüssel schluessel schlussel sleutel nyckel nøgle nøkkel klucz klíč kľúč klúč kulcs kulcc anahtar avain avaim "
    "ključ võti võtme atslēg"
)
_TOKENS = word_set(
    "belirteç belirteci belirtec tajomstvo tajemství titok titka titkot tajna tajnu tajne sırrı sırrım السر سر"
)
_SECRET_STEMS = word_list(
    "token jeton žeton sekret salaisuu salaisuks geheimnis hemmelighe hemlighe paslapt noslēpum skrivnost tõend"
)
_NO_SECRETS = word_list("tokeniz tokenise tokenising tokenom tokenl sekreta sekretä sekretæ")
# Beside a random value, what authorizes somebody, or is licensed, is by that.
_AUTHORIZING = word_list(
    "licen lizenz lisens lisans llicèn ліценз лиценз autoris autoriz autoryz autorisier yetkilendir engedélyez "
    "valtuut volitu авториз авторіз εξουσιοδότ הרשאה ההרשאה ủy uỷ"
)
# A word in a script without spaces may be half a sentence.
_BEYOND_LATIN = word_list(
    "токен ключ секрет 密钥 密鑰 金鑰 令牌 權杖 秘钥 私钥 私鑰 授权码 授權碼 トークン キー 鍵 シークレット 토큰 키 시크릿 مفتاح رمز توكن توکن کلید מפתח אסימון "
    "טוקן κλειδί διακριτικό कुंजी टोकन सीक्रेट টোকেন সিক্রেট কী кључ клуч кілт тајна тайна таємниц токън μυστικό คีย์ "
    "โทเค็น โทเคน გასაღებ"
)

# What a key that opens something is called besides, before it or behind it: "kunci rahasia", "chiave di accesso".
_OPENING = word_list(
    "api secre secrè segre geheim hemlig salai tajn tajom titk gizli rahasia mật bí priva privé privée privát yksity "
    "özel soukrom acces accès accés accesso acesso toegang zugriff zugang åtkomst adgang tilgang käyttö pääsy dostęp "
    "přístup prístup pristup hozzáfér erişim akses truy prieig piekļ juurdepääs licen llicèn licens licenç lizenz "
    "lisens liciencia client klient müşteri chiffr cifra xifra verschlüssel krypter szyfr šifr podpis signat firma "
    "appli aplic aplik alkalmaz sovell uygulama déploi despli desplieg distrib nasadz nasaz wdroż telepít activ aktiv "
    "autoriz autoris bản ứng dụng πρόσβασ μυστικ доступ секрет секретн الوصول السري سری دسترسی محرمانه גישה סודי "
    "גלישה गुप्त एक्सेस"
)

_PUBLIC = word_list(
    "publisk public publica publico publiq publică publiczn públic pubblic publik publiek öffentlich offentlig openba "
    "julki veřejn verejn nyilvános açık genel javn avalik vieš khai открыт публич відкрит публіч δημόσι عام العام "
    "ציבורי הציבורי सार्वजनिक পাবলিক पब्लिक عمومی 공개 јавни јавн"
)
_MARKS = word_list(
    "identyfik identifik identificat identificad azonosít kimliğ tunniste идентиф ідентиф αναγνωριστικ معرف شناسه "
    "מזהה आईडी empreinte huella impronta impressã amprent fingera fingerprint vingeraf sormenj odcisk otisk otisak "
    "odtlač ujjleny parmak отпечат відбит αποτύπωμα بصمة טביעת sidik vân 지문 hash хеш хэш checksum prüfsumme"
)
_MARK_WORDS = word_set("id ids identifiant digital jari tay izi אצבע انگشت")
_UNSPACED_MARKS = word_list("公钥 公鑰 公開 公开 공개 指纹 指紋 フィンガープリント สาธารณะ")
_OF = word_set("of the s de d du des la le l del della dell dello da do dos van den der het av til al el di на של")

# What is told by a number or an id: an order, a session, a request, a device, a commit.
_THINGS = word_list(
    "numer número numéro nummer číslo szám numărul numara номер αριθμ رقم מספר số nomor bestel bestäl beställ "
    "commande pedido ordin zamów objedn objedná rendel tilaus sipariş заказ замовл поръчк παραγγελ طلب הזמנה pesanan "
    "narudž naroč sitzung sesi sessã sessio relace munkamenet istun oturum сеанс сесі сесс συνεδρί جلسة phiên anfrage "
    "requête solicit richiest żądan zapyt požadav kérés pyyntö istek запрос запит заявк αίτημα permintaan gerät "
    "appareil dispositiv urządz zaříz zariad eszköz laite cihaz устройств пристр συσκευ جهاز מכשיר thiết perangkat "
    "коммит коміт къмит קומיט serien seriennummer серийн sériov seryjn cerer aanvraag utilisateur usuari utente "
    "gebruiker benutzer användare bruker käyttäj użytkown uživatel používateľ felhasznál utilizator kullanıcı "
    "пользоват користувач потребител корисник χρήστ المستخدم مستخدم الطلب משתמש người pengguna"
)
_UNSPACED_THINGS = word_list(
    "号 號 番号 번호 订单 訂單 注文 주문 会话 會話 セッション 세션 请求 請求 リクエスト 요청 设备 設備 デバイス 기기 端末 提交 コミット 커밋 ไอดี เลข 用户 使用者 ユーザ ユーザー 사용자"
)


@judged
def is_key(word: str) -> bool:
    """Whether `word`, in small letters, means a key in a language whose word for it is another than in English."""
    return word in _KEYS or _ends_in(word, _KEY_STEMS)


@judged
def is_token(word: str) -> bool:
    """Whether `word`, in small letters, means a token or a secret, or a key in a script that is not Latin."""
    if word in _TOKENS or word.startswith(_AUTHORIZING):
        return True
    if _ends_in(word, _SECRET_STEMS):
        return not any(part in word for part in _NO_SECRETS)
    return not word.isascii() and any(noun in word for noun in _BEYOND_LATIN)


def _ends_in(word: str, stems: tuple[str, ...]) -> bool:
    return any(0 <= word.rfind(stem) >= len(word) - len(stem) - _LONGEST_ENDING for stem in stems)


@judged
def is_of_a_thing(word: str) -> bool:
    """Whether `word`, right before a value, calls that the number or the id of a thing."""
    return word.startswith(_THINGS) or (not word.isascii() and word.endswith(_UNSPACED_THINGS))


def opens(words: list[str], place: int) -> bool:
    """Whether the key at `place` is one that opens something: it says so itself, or what it is the key of follows."""
    is_compound = not words[place].startswith(_KEY_STEMS) and words[place] not in _KEYS
    is_followed = words[place + 1 : place + 2] != [] and words[place + 1] in _OF
    around = words[max(0, place - 1) : place + 1 + _REACH_BEHIND]
    return is_compound or is_followed or any(word.startswith(_OPENING) for word in around)


def says_what_opens(words: list[str], place: int) -> bool:
    """Whether the word at `place` belongs to a key or a token in front of it: "clé d'accès", "token de acceso"."""
    return words[place].startswith(_OPENING) or (
        words[place] in _OF and place + 1 < len(words) and words[place + 1].startswith(_OPENING)
    )


def is_told_to_everybody(words: list[str], place: int) -> bool:
    """Whether the words around that at `place`, a key, call it public, or name its id or its fingerprint."""
    word, behind = words[place], words[place + 1 : place + 3]
    beside = [*words[max(0, place - 1) : place], *behind]
    if any(word.startswith(_PUBLIC) and word != "publicly" for word in beside) or (
        behind and behind[0].startswith(_MARKS)
    ):
        return True
    while place and words[place - 1] in _OF:
        place -= 1
    is_of_a_mark = place > 0 and (words[place - 1].startswith(_MARKS) or words[place - 1] in _MARK_WORDS)
    return is_of_a_mark or (not word.isascii() and any(mark in word for mark in _UNSPACED_MARKS))


# Too short to be looked up anywhere.
_SHORT = ("cle", "clé", "mã", "ủy", "uỷ")
_WORDS = (*_KEYS, *_KEY_STEMS, *_TOKENS, *_SECRET_STEMS, *_AUTHORIZING)
_LATIN = {word for word in _WORDS if any("a" <= letter <= "z" for letter in word)}

ANCHORS = (
    *sorted({word.encode("ascii", "replace").decode() for word in _LATIN.difference(_SHORT)}),
    *("cle ", "cle:", "cle api", "cle d", "cle s", "cl?", "m? ", "?y ", "u? "),
)
"""One of these is in every name in Latin letters, as it is read without case and beyond ASCII."""

ANCHORS_BEYOND_LATIN = tuple(
    dict.fromkeys(form for word in (*_BEYOND_LATIN, *sorted({*_WORDS} - _LATIN)) for form in cased(word))
)
"""One of these is in every other name."""
