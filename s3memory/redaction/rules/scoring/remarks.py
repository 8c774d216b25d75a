"""Recognizes remarks in the place of a password: "kept in the safe", "eight digits", "ticket OPS-4821"."""

from __future__ import annotations

from functools import cache

from s3memory.redaction.rules.reading.judging import is_leaked
from s3memory.redaction.rules.reading.near import line_around
from s3memory.redaction.rules.reading.storage_locations import MANAGERS, is_storage_location
from s3memory.redaction.rules.scoring.lexicon import PREFIX, has_kind, kinds_of, words_in
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.word_lists import word_list

_DONE = (
    r"(?:kept|stored|saved|held|managed|shared|rotated|changed|renewed|reset|expired|printed|written|noted|generated|issued"
    r"|handed|sent|mailed|protected|encrypted|sealed|required|owned|controlled|provided|revoked|replaced)[ ]"
    r"(?:in|on|at|by|with|via|after|every|each|per|from|for|until|before|when|only|last|monthly|weekly|yearly|down|out)\b"
    r".*"
)
_HELD_BY = r"(?:no[ ]one|[A-Za-z]+)[ ](?:has|have|knows?|keeps?|holds?)[ ](?:it|them)\b.*"
_NUMBER = "[0-9]{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|sixteen"
_FORM = (
    rf"(?:(?:at least|at most|no (?:more|less) than|more than|exactly|minimum)[ ](?:{_NUMBER})\b.*"
    rf"|(?:{_NUMBER})[ ](?:random[ ]|small[ ]|capital[ ])?(?:digits|characters|chars|letters|symbols)\b.*)"
)
_TO_DO = (
    r"(?:click|press|tap|follow|check|contact|visit|mail|call|ask)[ ](?:the|on|in|your|our|it|for|at)\b.*"
    r"|use[ ].*[ ](?:button|link|form|app|portal|page|site|menu)"
    r"|(?:bei|beim|von|vom)[ ].*fragen|demander[ ]à[ ].*|preguntar[ ]a[ ].*|pedir[ ]a[ ].*|chiedere[ ]a[ ].*"
    r"|zapytać[ ].*|fråga[ ].*|vraag[ ].*"
)
_TICKET = (
    r"(?:ticket|issue|case|request|bug|task|incident|pr|mr|jira|invoice)[ ](?:no\.?[ ]|number[ ])?"
    r"(?:[A-Z]{1,8}-|#)?[0-9]{2,8}"
)
_LATER = r"pending|tb[cd]|to follow|coming soon"
# A word of letters and digits, or a sign, may be the password itself: then the text is no remark.
_NO_VALUE = r"(?!.*(?:[!@#$%^*_=]|[A-Za-z][0-9]|[0-9](?!pass)[A-Za-z]))"
_REMARK = rf"(?i){_NO_VALUE}(?:{_DONE}|{_HELD_BY}|{_FORM}|{_TO_DO})|{_TICKET}|{_LATER}|(?:{MANAGERS})[0-9]{{0,2}}"
# Notorious passwords, which texts about passwords in general mention: "123456 is among the most common passwords".
_NOTORIOUS = r"0?1234[0-9]*|(?i:(?:qwert|azert|asdf|1q2w|abc)\w*)|111111?|000000?"
_PASSWORDS = (
    r"\b(?:passwords|passw\u00f6rter|kennw\u00f6rter|contrase\u00f1as|mots[ ]de[ ]passe|senhas|wachtwoorden|has\u0142a"
    r"|\u043f\u0430\u0440\u043e\u043b\u0438)\b"
)
_IN_GENERAL = (
    r"(?i)(?:common(?:est)?|popular|weak(?:est)?|leaked|guessed|most[ ]used|people[ ](?:still[ ])?(?:use|choose))\b"
    rf"[^\n.]{{0,60}}{_PASSWORDS}"
    rf"|{_PASSWORDS}[ ](?:like|such[ ]as|wie|como|comme|come|zoals|jak|\u0432\u0440\u043e\u0434\u0435)\b"
)
_OWNED = (
    r"(?i)\b(?:our|ours|my|mine|his|hers?|their|unsere?[mnrs]?|meine?[mnrs]?|notre|nos|mon|mes|nuestr[oa]s?|mis|onze|mijn"
    r"|uses|has|wi-?fi|wlan|nas|router)\b"
    r"|(?:->|[=\u2192])[ ]?\Z"
)
# What a clause in the place of a password says, row by row: that somebody only (nobody) / knows (forgot) it, that it
# is changed / every month, / comes / by post, that you / ask for it, / at least / how many characters, that it / is
# kept / or not yet set. Words of two rows make a remark, or of one and of a kind of `_BESIDE`: "меняется каждый месяц",
# "der Kunde weiß". A word that ends in "." is whole; any other is the beginning of one.
_SAYINGS = """
    only alone. nur. bloß. keiner. niemand. seul. seule. seulement uniquement personne. solo. sólo. soltanto solament
    nomé nessuno nadie ninguém só. somente apenas alleen. slechts enkel. bara. endast ingen. kun. bare. vain. kukaan
    tylko jedynie nikt. jen. pouze nikdo len. iba. nikto csak. senki doar. numai. nimeni samo. jedino nitko niko. nihče
    само. нико. никой единствено только лишь никто никому тільки лише. ніхто μόνο κανείς sadece yalnız kimse hanya chỉ.
    tik. niekas tikai. neviens ainult keegi ningú peke. hakuna だけ しか 誰も 只有 没人 沒人 แค่ ไม่มีใคร เท่านั้น فقط
    أحد. רק. אף. सिर्फ केवल
    / knows known. knew. remembers remembered forgot. forgotten kennt. kennen. weiß. weiss. wissen. erinner vergessen.
    connaît connait connaiss sait. savent. souvien oublié conosc sa. sanno. ricorda ricordo dimentic sabe. saben.
    conoce. conocen. recuerda olvid lembra esquec conhece weet. weten. kent. herinner vergeten. vet. känner minns.
    ihåg. glömt ved. kender husker glemt kjenner tietää tietävät muista unohta zna. wie. znają pamięta zapomn zná.
    znají ví. vědí pamat pozná. vie. vedia pamät zabud tudja tudják ismeri emléks elfelej știe. știu. cunoa aminte
    uitat znaju sjeća zaborav зна. знају сећа заборав знает знают помню помнят забыл знає. ятає ятаю забув забула
    забули знае. знаят помни забрав ξέρ ξεχ ξέχα θυμ γνωρίζ bilir bilen biliyor hatırl unut tahu. ingat. lupa. biết.
    nhớ. quên. žino. prisimen pamirš zina. atcer aizmirs teab. mäleta unusta ve. spomni pozabi sap. recorda oblid
    anajua kumbuka sahau unudub 知って 知道 覚えて 记得 記得 忘れ 忘了 알고. 기억 잊 รู้ จำได้ ลืม يعرف تتذكر يتذكر نسي
    יודע זוכר שכח जानत भूल याद. داند. فراموش
    / change. changes. changed. rotated rotates renewed reset. geändert ändert wechselt gewechselt erneuert zurückges
    vergeben. gesetzt festgelegt renouvel réinitial modifié défini cambia cambió rinnova impostat renueva restablec
    configurad muda. mudam mudada trocad alterad redefin wijzig gewijzigd verander vernieuw ingesteld byts. bytas
    ändras ändrad satt. skiftes ændres byttes endres vaihtu vaihde muuttu asetettu zmieni ustawion mění. změn nastav
    mení. zmen változ cseréli módos beállít schimb setat mijenja promijen postavlj мења промен меняется меняют меняем
    сменя изменя обновля задан. сброс восстанов змін міня віднов встановл αλλάζ αλλαγ ορισ değiş yenilen belirlen
    ayarlan diganti diubah berubah diatur đổi. đặt. keiči nustat mainā maina. vahetu vahetat muudet menja. spremin
    canvi badilish dəyiş förny forny uusitaan obnavlj obnovu odnaw reînno обнавља подновя оновлю atnauj uuend megúj
    ανανεώ diperbar 変わ 変更 更新 更换 更改 修改 바뀜 바뀌 변경 เปลี่ยน تتغير يتغير تغير משתנה מוחלף बदल عوض تغییر
    / every. each. daily yearly quarterly quarter. month week jede. jeden. jedes. monat wöchentlich woche. quartal
    chaque. tous. toutes. mois. mensuel semaine ogni. mese. mesi. mensil settiman cada. mes. meses. semana mensual
    todo. toda. mês. mensal elke. iedere maand. maandel wekelijks varje. månad vecka hver. måned uge. uke. joka. kuukau
    viikko każd co. miesi tydzie tygod každ měsíc týden mesiac týžd minden. hónap havonta hetente fiecare. lunar lună.
    săpt svaki. svakog mjesec tjedn сваки. сваког месец недељ кажд месяц недел ежемес еженед кожн щоміс щотиж місяц
    всек. всеки. всяка седмиц κάθε. μήνα εβδομ her. ay. ayda aylık hafta setiap. tiap. bulan. mỗi. tháng. kas. mėnes
    savait katru. mēnes nedēļ iga. kuu. nädal vsak. mesec. teden kila. mwezi hər. kvart kwart квартал čtvrtlet trimest
    тримес тромес τρίμην neljänn negyedév 毎月 毎週 毎日 ごと 每月 每周 每天 매달 매월 매주 ทุกเดือน ทุกสัปดาห์ ทุกปี
    كل. شهر חודש हर. महीन هر. ماه.
    / arrives comes. sent. kommt. geschickt verschickt zugesch gesendet zugestellt zugesandt envoyé arrive. arrivera
    viendra inviat spedit mandat arriva. llega. llegará envía enviará enviad chega. chegará komt. verstuur gestuurd
    opgestuurd kommer. skickas sendes tulee. lähete przyj wysł przyśl wyśl přijd zasl. zaslán pošl príde. zaslané jön.
    küld vine. trimis soses stiže. poslan pošalj стиже послат пришл придёт придет придут выслан вышл отправ надісл
    прийде надій надсил идва изпра έρχεται σταλεί στέλν έρθει gelecek gönder gelir dikirim gửi. ateis siunč siųs atnāk
    sūta nosūt tuleb. saadet pride. arriba. enviarà tumwa gələcək göndər 届 送られ 送信 发送 寄送 발송 ส่ง ستصل يصل
    ترسل יגיע תגיע תישלח आएग भेज می‌آید
    / sms смс post. mail. email. letter envelope postal brief. posta. postán poste. courrier lettre. correo. carta.
    correio posten. postissa postilla tekstivi poczt list. pošt pismo scrisoare poșt почт письм пошт поща листом ταχυδρ
    γράμμα postayla mektup surat. pos. bưu. paštu laišk pastu vēstul postiga kirjaga separat отдельно окремо メール
    郵便 郵送 短信 邮件 邮寄 문자. 문자로 우편 이메일 อีเมล ไปรษณีย์ رسالة بريد סמס בסמס דואר בדואר एसएमएस پیامک پست.
    / ask. asks. agreed. fragen. frag. frage. nachfr erfrag demander. demandez demande. convenir. chiedere chiedi.
    chiedete concordar pregunt pide. pedir. pídel solicit pergunt peça. vraag. vragen. navragen fråga. spørg spør.
    kysy. kysyttävä zapytać zapytaj pytaj pytać zeptat zeptej opýta spýta kérd întreab cereți cere. pitaj pitati питај
    питати спроси уточнит уточни. спитай спитати запита питай. ρώτα ρωτή sor. sorun. sorulur sorunuz tanya hỏi. klaus
    jautā küsi. vpraša uliza. soruş 聞く 聞いて 問い合わせ 问办 询问 문의 물어 ถาม اسأل לשאול תשאל पूछ بپرس
    / least. min. mind. mín. väh. мин. мін. minimum minimal minsten mindest minst. mindst. minimaal moins. menos. mínimo
    minimo. almeno vähint najmn
    nejméně alespoň aspoň legal puțin. minim. najmanje најмање минимум менее. менш мінімум поне. най τουλάχ ελάχ az.
    azı. nhất. ít. bent. mažiaus vismaz vähemalt vsaj. almenys angalau 以上 最低 至少 最少 이상 최소 อย่างน้อย الأقل
    לפחות कम. حداقل
    / characters chars. digits letters zeichen. stellen. ziffern. buchstaben caract carat caràct lettres. chiffres.
    letras. lettere. cifre. cifras. tekens. cijfers. karakter tecken. tegn. siffror bogstaver merkki merkkejä numeroa
    znak cyfr. liter. číslic szám. betű. znamenk знак символ цифр букв літер χαρακτ ψηφί harf. rakam. ký. simbol ženkl
    märk herufi simvol 文字 桁 位 字符 글자 자. ตัวอักษร หลัก حرف أحرف תווים ספרות अक्षर अंक کاراکتر رقم.
    / kept. stored. written. lies. lives. liegt. steht. aufbew gardé trouve. écrit conserv tiene guarda. guardad está.
    fica. é. è. trova. scritt escrit ligt. staat. bewaard finns. står. ligger. lukee leży. jest. zapisan leží. vannak
    este. nalazi налази је. лежит хранится зберіг записан написан намира стои. είναι. έχει. βρίσκ duruyor saklı yazıyor
    yazılı disimpan để. yra. nahaja té. 있음 있다 อยู่
    / yet. noch. muss. müssen encore. ancora. todavía aún. ainda. nog. moet. ännu endnu ennå vielä. jeszcze zatím
    zatiaľ még. încă. još. још. ещё еще. нужно надо. треба потрібно ще. още трябва ακόμα ακόμη πρέπει henüz belum.
    chưa. dar. vēl. veel. še. encara bado
"""
# The kinds of words in the lexicon that go with each row.
_BESIDE = (
    *("family person job", "negate job family building company", "time", "change", "document job phone", ""),
    *("job family building", "", "count negate", "job building kept", "job change"),
)
_AT_LEAST, _CHARACTERS = 7, 8
_WORDS, _LONGEST = r"[^\W_]+", 10
_RANGE = r"[0-9]{1,2}[\u2013-][0-9]{1,3}"
_UNSPACED = r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]"
_NUMBER_BEFORE, _AFTER_WORD = (
    r"[0-9]{1,2}(?:[\u2013-][0-9]{1,3})?",
    r",?[ ](?:[0-9]{1,2}[ ])?|['\u2019]|(?i:(?<=sms)-)|\Z",
)
# Plain words. Of a range of East Asian letters, Python compiles a table, so texts in ASCII have a pattern without one.
_PLAIN_ASCII = rf"(?:{_NUMBER_BEFORE}[ ])?(?:[^\W\d_]{{1,24}}(?:{_AFTER_WORD})){{1,16}}"
_PLAIN = (
    rf"(?:{_NUMBER_BEFORE}(?:[ ]|(?=[\u3040-\uffff])))?(?:[^\W\d_]{{1,24}}"
    rf"(?:{_AFTER_WORD}|(?<=[\u3040-\uffff])[0-9]{{1,2}}(?=[\u3040-\uffff]))){{1,16}}"
)
_REST = r"(?:\.[ ]?(?=[0-9]))?[^\n.;:!?|()\[\]\"\u201c\u201d\u00ab\u00bb\u2013\u2014\u3002]{1,80}"
_QUOTES = tuple("\"'`\u201c\u201e\u00ab\u300c\u300e")
_REACH = 80
# After what a password is made of, with the password at the end: "the dog and the year, so Milo2019".
_MADE_OF = (
    r"[^.\n]{0,60}?[,;\u2013\u2014-][ ]?(?:so|thus|hence|i\.?e\.?|also|d\.?[ ]?h\.?|donc|quindi|o sea"
    r"|as\u00ed que|dus|alts\u00e5|czyli|tedy|\u0442\u043e \u0435\u0441\u0442\u044c|\u0442\u043e\u0431\u0442\u043e)[ ]"
    r"[\"'`*]{0,2}(?:\[REDACTED:|[^\W\d_]{3,20}[-_.!]?[0-9]{1,6}[!?]?(?=[\"'`*]{0,2}(?:[,;)\s]|\.\s|\.?\Z)))"
)
_MENU_ARROW = r"[ ][>\u203a][ ](?=[A-Z])"  # "Settings > Security"


def is_password_remark(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` is a remark: where a password is, what form it has, or what to do.

    A notorious password counts as well, if its line is about passwords in general.
    """
    is_title = text[start].isupper() and text[start:end].replace(" ", "").isalpha()
    is_menu_entry = is_title and compiled(_MENU_ARROW).match(text, end) is not None
    if _is_notorious(text[start:end]):
        begin, stop = line_around(text, start, end, _REACH)
        if occurs(_IN_GENERAL, text, begin, stop) and not occurs(_OWNED, text, begin, start):
            return True
    return (
        is_menu_entry
        or is_storage_location(text, start, end)
        or _is_clause(text, start, end)
        or _is_owner(text, start, end)
        or (not any(map(str.isdigit, text[start:end])) and compiled(_MADE_OF).match(text, end) is not None)
        or compiled(_REMARK).fullmatch(text, start, end) is not None
    )


@cache
def _rows() -> dict[str, set[int]]:
    """Return the numbers of the rows of `_SAYINGS` that have a word."""
    rows: dict[str, set[int]] = {}
    for number, words in enumerate(_SAYINGS.split("/")):
        for word in word_list(words):
            rows.setdefault(word, set()).add(number)
    return rows


def _said(clause: str) -> set[int]:
    """Return the numbers of the rows of `_SAYINGS` that have a word of `clause`."""
    rows, found = _rows(), set[int]()
    for word in compiled(_WORDS).findall(clause.lower()):
        for start in range(len(word) if compiled(_UNSPACED).search(word) else 1):
            for end in range(start + 1, min(len(word), start + _LONGEST) + 1):
                found.update(rows.get(word[start:end], ()))
        found.update(rows.get(f"{word}.", ()))
    if _CHARACTERS in found and any(map(str.isdigit, clause)):
        found.add(_AT_LEAST)
    return found


def _says_enough(clause: str) -> bool:
    """Whether a clause has words of two rows of `_SAYINGS`, or of one and of a kind that goes with it."""
    said = _said(clause)
    if len(said) != 1:
        return len(said) > 1
    kinds = kinds_of([word[:PREFIX] for word in words_in(clause.lower())])
    return not kinds.isdisjoint(_BESIDE[said.pop()].split())


def _is_clause(text: str, start: int, end: int) -> bool:
    """Whether plain words are, or begin, a clause about a password: "is changed every month", "client forgot it"."""
    span = text[start:end]
    if compiled(_RANGE).fullmatch(span):
        return _CHARACTERS in _said(text[end : end + _LONGEST])
    if text[start - 1 : start] in _QUOTES or not compiled(_PLAIN_ASCII if span.isascii() else _PLAIN).fullmatch(span):
        return False
    if " " in span and _says_enough(span):
        return True
    first = span.partition(" ")[0]
    rest = compiled(_REST).match(text, end, end + _REACH)
    return (bool(_said(first)) or has_kind(first.lower(), "job")) and _says_enough(span + (rest[0] if rest else ""))


def _is_owner(text: str, start: int, end: int) -> bool:
    """Whether it is a name alone in brackets: "Password: (Anna)"."""
    is_alone = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    return is_alone and text[start:end].istitle() and has_kind(text[start:end].lower(), "person")


def _is_notorious(word: str) -> bool:
    """Whether `word`, with or without a number after it, is at the top of the lists of leaked passwords."""
    return is_leaked(word.rstrip("0123456789!")) or compiled(_NOTORIOUS).fullmatch(word) is not None
