"""Names of keys and tokens in other languages than English: a new language needs a word or two in some of the lists.

Most of these languages inflect, so the lists have stems. A stem may end a compound, with a few letters after it:
"lisenssiavaimeni" is a key, and "kulcsazonosító" is the identifier of one.
"""

from __future__ import annotations

from s3memory.redaction.rules.reading.name_tables import cased
from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.word_lists import word_list, word_set

_MAX_ENDING_LENGTH = 5
_WORDS_AFTER = 3

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
_NOT_SECRET = word_list("tokeniz tokenise tokenising tokenom tokenl sekreta sekretä sekretæ")
# Words for authorizing and licensing: a random value next to them is what grants access.
_AUTHORIZING = word_list(
    "licen lizenz lisens lisans llicèn ліценз лиценз autoris autoriz autoryz autorisier yetkilendir engedélyez "
    "valtuut volitu авториз авторіз εξουσιοδότ הרשאה ההרשאה ủy uỷ"
)
# Looked for anywhere in a word: in a script without spaces, a word may be half a sentence.
_NOT_LATIN = word_list(
    "токен ключ секрет 密钥 密鑰 金鑰 令牌 權杖 秘钥 私钥 私鑰 授权码 授權碼 トークン キー 鍵 シークレット 토큰 키 시크릿 مفتاح رمز توكن توکن کلید מפתח אסימון "
    "טוקן κλειδί διακριτικό कुंजी टोकन सीक्रेट টোকেন সিক্রেট কী кључ клуч кілт тајна тайна таємниц токън μυστικό คีย์ "
    "โทเค็น โทเคน გასაღებ"
)

# Before or after a name of a key, these show that it opens something: "kunci rahasia", "chiave di accesso".
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
_IDENTIFYING = word_list(
    "identyfik identifik identificat identificad azonosít kimliğ tunniste идентиф ідентиф αναγνωριστικ معرف شناسه "
    "מזהה आईडी empreinte huella impronta impressã amprent fingera fingerprint vingeraf sormenj odcisk otisk otisak "
    "odtlač ujjleny parmak отпечат відбит αποτύπωμα بصمة טביעת sidik vân 지문 hash хеш хэш checksum prüfsumme"
)
_IDENTIFYING_WORDS = word_set("id ids identifiant digital jari tay izi אצבע انگشت")
_PUBLIC_WITHOUT_SPACES = word_list("公钥 公鑰 公開 公开 공개 指纹 指紋 フィンガープリント สาธารณะ")
_OF = word_set("of the s de d du des la le l del della dell dello da do dos van den der het av til al el di на של")

# Things with a number or an identifier: an order, a session, a request, a device, a commit.
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
_THINGS_WITHOUT_SPACES = word_list(
    "号 號 番号 번호 订单 訂單 注文 주문 会话 會話 セッション 세션 请求 請求 リクエスト 요청 设备 設備 デバイス 기기 端末 提交 コミット 커밋 ไอดี เลข 用户 使用者 ユーザ ユーザー 사용자"
)


@cached_until_forgotten
def is_key(word: str) -> bool:
    """Whether `word`, in lower case, means a key in another language than English: "clé"."""
    return word in _KEYS or _ends_in(word, _KEY_STEMS)


@cached_until_forgotten
def is_token(word: str) -> bool:
    """Whether `word`, in lower case, means a token or a secret, or a key in a script other than Latin."""
    if word in _TOKENS or word.startswith(_AUTHORIZING):
        return True
    if _ends_in(word, _SECRET_STEMS):
        return not any(part in word for part in _NOT_SECRET)
    return not word.isascii() and any(noun in word for noun in _NOT_LATIN)


def _ends_in(word: str, stems: tuple[str, ...]) -> bool:
    """Whether one of `stems` ends `word`, with a few more letters at most."""
    if not any(map(word.__contains__, stems)):  # nearly all words
        return False
    return any(0 <= word.rfind(stem) >= len(word) - len(stem) - _MAX_ENDING_LENGTH for stem in stems)


@cached_until_forgotten
def is_of_a_thing(word: str) -> bool:
    """Whether `word`, right before a value, labels it as the number or the identifier of a thing: "pedido"."""
    is_thing = word.startswith(_THINGS) and "ombin" not in word  # "számkombináció" opens a safe
    return is_thing or (not word.isascii() and word.endswith(_THINGS_WITHOUT_SPACES))


def opens_something(words: list[str], index: int) -> bool:
    """Whether the words show that the key at `index` opens something: "chiave di accesso", "lisenssiavain"."""
    is_compound = not words[index].startswith(_KEY_STEMS) and words[index] not in _KEYS
    is_followed = words[index + 1 : index + 2] != [] and words[index + 1] in _OF
    around = words[max(0, index - 1) : index + 1 + _WORDS_AFTER]
    return is_compound or is_followed or any(word.startswith(_OPENING) for word in around)


def belongs_to_key(words: list[str], index: int) -> bool:
    """Whether the word at `index` belongs to the key or token before it: "accès" of "clé d'accès"."""
    return words[index].startswith(_OPENING) or (
        words[index] in _OF and index + 1 < len(words) and words[index + 1].startswith(_OPENING)
    )


def is_public(words: list[str], index: int) -> bool:
    """Whether the words around the key at `index` call it public, or mean its identifier or fingerprint instead."""
    word, after = words[index], words[index + 1 : index + 3]
    neighbours = [*words[max(0, index - 1) : index], *after]
    if any(word.startswith(_PUBLIC) and word != "publicly" for word in neighbours) or (
        after and after[0].startswith(_IDENTIFYING)
    ):
        return True
    while index and words[index - 1] in _OF:
        index -= 1
    identifies = index > 0 and (words[index - 1].startswith(_IDENTIFYING) or words[index - 1] in _IDENTIFYING_WORDS)
    return identifies or (not word.isascii() and any(stem in word for stem in _PUBLIC_WITHOUT_SPACES))


# Too short to be looked for in every text.
_SHORT = ("cle", "clé", "mã", "ủy", "uỷ")
_WORDS = (*_KEYS, *_KEY_STEMS, *_TOKENS, *_SECRET_STEMS, *_AUTHORIZING)
_LATIN = {word for word in _WORDS if any("a" <= letter <= "z" for letter in word)}

ANCHORS = (
    *sorted({word.encode("ascii", "replace").decode() for word in _LATIN.difference(_SHORT)}),
    *("cle ", "cle:", "cle api", "cle d", "cle s", "cl?", "m? ", "?y ", "u? "),
)
"""One of these is in every name in Latin letters, in lower case and with "?" for each letter beyond ASCII."""

ANCHORS_BEYOND_LATIN = tuple(
    dict.fromkeys(form for word in (*_NOT_LATIN, *sorted({*_WORDS} - _LATIN)) for form in cased(word))
)
"""One of these is in every other name."""
