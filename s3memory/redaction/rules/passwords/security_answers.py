"""Answers to security questions, which give access like a password: "mother's maiden name: Bartolozzi"."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.judging import COURTESIES, is_remark_word
from s3memory.redaction.rules.reading.letters import WORD
from s3memory.redaction.rules.reading.name_tables import NameTable
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder
from s3memory.redaction.text.word_lists import phrase_set

_QUESTION_NAMES = (
    # Names that only security questions and code words have.
    "security_answer secret_answer security_question secret_question recovery_question challenge_question "
    "memorable_word memorable_place memorable_date memorable_name memorable_information security_word safety_word "
    "verbal_password telephone_password phone_password codeword code_word safe_word "
    "sicherheitsfrage sicherheitsantwort geheime_frage geheimfrage telefonkennwort telefonpasswort "
    "question_secrète question_de_sécurité réponse_secrète mot_secret pregunta_de_seguridad pregunta_secreta "
    "respuesta_secreta palabra_de_seguridad domanda_di_sicurezza domanda_segreta risposta_segreta parola_di_sicurezza "
    "pergunta_de_segurança pergunta_secreta resposta_secreta palavra_de_segurança beveiligingsvraag geheime_vraag "
    "säkerhetsfråga sikkerhetsspørgsmål sikkerhetsspørsmål turvakysymys pytanie_pomocnicze pytanie_bezpieczeństwa "
    "kontrolní_otázka bezpečnostní_otázka biztonsági_kérdés întrebare_de_securitate güvenlik_sorusu gizli_soru "
    "pertanyaan_keamanan câu_hỏi_bảo_mật soalan_keselamatan sikkerhedsspørgsmål kontrolná_otázka bezpečnostná_otázka "
    "sigurnosno_pitanje tajno_pitanje varnostno_vprašanje turvaküsimus saugos_klausimas slaptas_klausimas "
    "drošības_jautājums titkos_kérdés întrebare_secretă pregunta_de_seguretat pytanie_zabezpieczające "
    "geheimes_wort codewort losungswort sicherheitswort mot_de_sécurité mot_de_code palabra_secreta parola_in_codice "
    "parola_segreta palavra_secreta palavra-código codewoord beveiligingswoord kodord kodeord tunnussana koodisana "
    "turvasana koodsõna słowo_kodowe kódové_slovo bezpečnostní_slovo kódszó biztonsági_szó cuvânt_de_cod "
    "cuvânt_secret güvenlik_kelimesi gizli_kelime kodna_riječ kodna_beseda kodinis_žodis koda_vārds kata_kode "
    "кодова_дума κωδική_λέξη λέξη_ασφαλείας 暗语 보안_단어 "
    "таен_въпрос тајно_питање секретне_питання السؤال_السري سؤال_سري سوال_امنیتی सुरक्षा_प्रश्न คำถามกันลืม "
    "คำถามความปลอดภัย คำถามรักษาความปลอดภัย 비밀번호_찾기_질문 비밀번호_힌트 본인_확인_질문 본인확인_질문 "
    "本人確認の質問 密码提示问题 找回密码问题 密码找回问题 密碼提示問題 respuesta_de_seguridad "
    "risposta_di_sicurezza resposta_de_segurança "
    "секретный_вопрос контрольный_вопрос кодовое_слово контрольне_питання кодове_слово таємне_питання "
    "μυστική_ερώτηση ερώτηση_ασφαλείας سؤال_الأمان שאלת_אבטחה "
    "秘密の質問 安全问题 密保问题 安全提示问题 安全性問題 보안_질문 비밀번호_질문"
)
_LIFE_FACTS = (
    # What security questions ask about. Other texts mention these facts as well.
    "maiden_name first_pet pet's_name name_of_pet first_school first_car "
    "first_teacher favourite_teacher favorite_teacher childhood_friend childhood_nickname childhood_street "
    "city_of_birth town_of_birth birth_city birth_town first_job first_street first_concert "
    "mädchenname geburtsname_der_mutter erstes_haustier erste_schule nom_de_jeune_fille premier_animal "
    "apellido_de_soltera primera_mascota cognome_da_nubile primo_animale nome_de_solteira primeiro_animal "
    "meisjesnaam eerste_huisdier flicknamn första_husdjur pikenavn nazwisko_panieńskie pierwsze_zwierzę "
    "девичья_фамилия первый_питомец дівоче_прізвище 旧姓 最初のペット 母亲的姓 母親の旧姓"
)
_TABLE = NameTable(f"{_QUESTION_NAMES} {_LIFE_FACTS}")
# Names of fields in settings and forms.
_FIELDS = ("security_answer", "security-answer", "securityanswer", "secret_answer", "secret-answer", "secretanswer")
_FIELD = r"(?i:(?:security|secret)[_-]?answer)(?:[_-]?[0-9])?"
_SUFFICIENT_NAMES, _ALL_NAMES = phrase_set(_QUESTION_NAMES), phrase_set(f"{_QUESTION_NAMES} {_LIFE_FACTS}")
# One of these near a fact of somebody's life shows that it is about an account, and not family history.
_ABOUT_ACCOUNTS = (
    r"(?i)secur|verif|secret|identif|authenti|recover|question|answer|login|log[ ]in|sign[ ]in|account|password"
    r"|ban(?:k|c[oa]|qu)|hotline|phone[ ]support|sicherheit|frage|antwort|konto|sécurité|réponse|compte"
    r"|segurid|pregunta|respuesta|cuenta|sicurezza"
    r"|portal|domanda|risposta|segurança|pergunta|resposta|beveilig|vraag|antwoord|säkerhet|sikkerhet|pytani|odpowied"
    r"|вопрос|ответ"
    r"|питан|質問|合言葉|问题|安全|보안|질문"
)
_MAX_CONTEXT, _MAX_BETWEEN = 160, 90
_ANSWER = (
    r"(?i:answer|antwort|réponse|respuesta|risposta|resposta|antwoord|svar|odpowiedź|odpověď|odpoveď|odgovor"
    r"|vastaus|vastus|válasz|răspuns(?:ul)?|cevap|cevab\u0131|yan\u0131t|ответ|відповідь|отговор|одговор|απάντηση|atsakymas|atbilde"
    r"|jawaban|jawapan|trả lời|đáp án|الجواب|الإجابة|جواب|پاسخ|תשובה|उत्तर|जवाब|답변?|答え?|答案|回答|คำตอบ)"
)
# As in "security questions: pet Biscuit, school St Oswin".
_LISTED = (
    r"[:,;\u2013\u2014-][ ](?:[a-z'\u2019]{2,12}[ ]){0,4}(?:pet|dog|cat|school|street|road|teacher|car|city|town|friend"
    r"|boss|concert|nickname|job|team|book|film|movie|food|hero|aunt|uncle|cousin|grand\w{2,6})(?:'s)?(?:[ ]name)?[ ]"
)
# From a fact to its answer, where the line names security questions before it: "first pet Biscuit".
_OF_WHOM = r"(?:[ ](?:of|my|the|her|his|der|meiner|de|ma|mi|la|della|da|minha|mother|[Mm]utter|mère|madre|mãe)){0,3}[ ]"
_SIGN = (
    r"[\"'`)\]*\u201d\u00bb]{0,3}(?:[ ]?(?:[:=\u2192\uff1a]|[?](?=[ ])|\uff1f)[ ]{0,2}"
    r"|[ ](?:[\u2013\u2014-]|->)[ ]"
    r"|[ ]{0,9}\|[ ]{0,9}"
    r"|[ ](?:is|was|ist|war|est|es|\u00e8|\u00e9|jest|je|\u00e4r|er|on|to|is[ ]set[ ]to|answered|antwortet)[ ]"
    rf"|[,;(\u3001\uff0c]?[ ]?(?<![^\W\d_])(?:{_ANSWER})(?:[ ](?:is|ist|est|es|è|é|je|jest|er|är|on|to|este))?[ ]"
    r"|の?答え?は|答案(?:是|为|為)|답은|답변은|คำตอบ(?:คือ)?)[ ]?"
)
_QUOTED = (
    r",?[ ]?[(]?[\"\u201c\u201e\u00ab'`]"
    r"(?P<value>[^\s\"\u201c\u201d\u201e\u00ab\u00bb`?][^\"\u201c\u201d\u00ab\u00bb`?\n]{1,38}?)"
    r"[\"\u201d\u201c\u00bb'`](?!\w)"
)
_NAME = r"(?=[^\W\d_a-z]|\w{0,24}[0-9])[\w'\u2019-]{2,24}"
_NAMES = rf"(?P<value>{_NAME}(?:[ ]{_NAME}){{0,2}})"
_PLAIN = (
    rf"(?P<value>{_NAME}(?:[ ]{_NAME}){{0,2}}"
    rf"|{WORD}(?:[ ]{WORD}){{0,2}}(?=[.;,]?[ ]{{0,9}}(?:\r?\n|\Z)))"
)
_END = r"(?=[.,;)}\]\"'`*\u3002\u3001]|[ ]{0,9}(?:\||\r?\n|\Z)|[ ][(\u2013\u2014/-])"
# When an alarm company calls, somebody has to say a code word: who calls, that they call, and what introduces the word.
_ALARM = (
    r"(?i)al+arm|hälyt|riasztó|сигнал|охран|пульт|συναγερμ|\bguards?\b|monitoring (?:company|cent|service|station)"
    r"|control (?:cent|room)|security (?:company|firm|service)|leitstelle|wachdienst|notruf|télésurv|vigilan"
    r"|\b(?:la|der|de) central[ei]?\b|sorveglian|bewaking|meldkamer|vartio|ochron|agencj|bezpečnostn"
)
_CALL = (
    r"(?i)\b(?:call|ring|phone|llam|appel|rappel|ruf|anruf|rückruf|chiam|telef|lig(?:a|am|ar)\b|bel(?:t|len)\b|soit"
    r"|dzwon|zadzwon|vol(?:a|á)|hív|sun(?:ă|a)|ara(?:r|y)|звон|телеф|asks?\b|frag|demand|pregunt|pergunt|chied)"
)
_SAYING = (
    r"(?i)(?:(?:you|we|must|should|just|please|then|to|,)[ ](?:say|answer)|(?:que|debes)[ ]decir"
    r"|(?:faut|bisogna|devi)[ ]dire"
    r"|(?:de|preciso|que|deve)[ ]dizer|(?:måste|ska)[ ]säga|skal[ ]si|sagen|zeggen|musíš[ ]říct"
    r"|powiedzieć|pitää[ ]sanoa"
    r"|(?:надо|нужно)[ ](?:сказать|назвать))(?![^\W\d_])"
    r"(?:[ ](?:the word|la palabra|le mot|das wort|la parola|a palavra|het woord|ordet|sana|słowo|slovo|слово))?:?"
)
_SAYING_ANCHORS = (
    *("you say", "we say", "must say", "should say", "just say", "please say", "then say", "to say", ", say "),
    *("you answer", "must answer", "to answer", "que decir", "debes decir", "faut dire", "bisogna dire", "devi dire"),
    *("de dizer", "preciso dizer", "que dizer", "deve dizer", "m?ste s?ga", "ska s?ga", "skal si", "sagen", "zeggen"),
    *("mus?? ??ct", "powiedzie", "pit?? sanoa", "надо сказать", "нужно сказать", "надо назвать", "нужно назвать"),
)
_QUOTED_BEFORE = (
    r"[\"\u201c\u201e\u00ab](?P<value>[^\s\"\u201c\u201d\u201e\u00ab\u00bb?]{4,24})[\"\u201d\u201c\u00bb][ ]\Z"
)
_NOT_A_CODE_WORD = (
    r"(?i).*(?:\s|alarm|\d).*|.{,3}|false|falsch|falsa|fausse|test|hallo|cancel|police|fire|evacuate|everything|thank"
    rf"|obrigad[oa]|{'|'.join(COURTESIES)}"
)
_NOT_AN_ANSWER = (
    r"(?i)(?:not?|none|n/?a|unknown|yes|tbd|todo|see|se|siehe|voir|v[eé]ase|vedi|zie|katso|zobacz|viz|см|in|the|an?|ett?|een|eine?|une?|una?|required|optional|unset|is|was|ask|set|string|null|true"
    r"|false|what|which|who|name|same)\b"
)

# As a remark begins, and hardly an answer: "bei Anna", "wird noch festgelegt". Only in lower case: "Como" is a town.
_BEGINS_A_REMARK = (
    r"(?:nicht|kein\w*|wird|wie|bei|beim|mind|siehe|folgt|non|ne|pas|sans|sin|sem|com|con|chez|comme|come|como|da|à|por|al|en"
    r"|niet|geen|nog|bij|zoals|ej|inte|ikke|som|hos|ei|nie|u|jak|jako|od|do|patrz|bude|viz|kuten|nincs|nem|mint|nu|la|de|vezi"
    r"|не|нет|у|в|от|від|до|при|как|як|ждём|чекаємо|мин|мін|см|див|виж|предстои|δεν|θα|ο|η|το|στο)[ .]"
)


def _answers(match: re.Match[str], limit: int) -> Places:
    """Yield the span of the answer after the name of a security question."""
    text, end = match.string, match.end()
    if not _is_security_question(match):
        return
    stop = min(limit, line_around(text, end, end, _MAX_BETWEEN)[1])
    listed = [one for one in compiled(_LISTED + _NAMES + _END).finditer(text, end, stop) if one["value"][0].isupper()]
    if listed:
        yield from (one.span("value") for one in listed if not _is_not_an_answer(one["value"]))
        return
    answer = compiled(_QUOTED + _END).match(text, end)
    if answer is None and _follows_question_name(match):
        answer = compiled(_OF_WHOM + _NAMES + _END).match(text, end)
        answer = None if answer is not None and answer["value"][0].islower() else answer
    if answer is None:
        for sign in compiled(_SIGN).finditer(text, end, stop):
            answer = compiled(_QUOTED + _END).match(text, sign.end()) or compiled(_PLAIN + _END).match(text, sign.end())
            if answer and not compiled(rf"{_ANSWER}[을를은をは]?(?![^\W\d_])").match(answer["value"]):
                break
            answer = None
    if answer and not _is_not_an_answer(answer["value"]):
        yield answer.span("value")


def _follows_question_name(match: re.Match[str]) -> bool:
    """Whether a fact of somebody's life is on a line that names security questions or answers before it."""
    text, start = match.string, match.start()
    before = text[line_around(text, start, start, _MAX_CONTEXT)[0] : start].lower()
    return any(name in before for name in _SUFFICIENT_NAMES)


def _alarm_code_words(match: re.Match[str], _limit: int) -> Places:
    """Yield the span of the code word for an alarm company: "they call, and you say "caracola""."""
    text = match.string
    begin, stop = line_around(text, match.start(), match.end(), _MAX_CONTEXT)
    line = text[begin:stop]
    if not (compiled(_ALARM).search(line) and compiled(_CALL).search(line)):
        return
    quoted = compiled(_QUOTED).match(text, match.end()) or compiled(_QUOTED_BEFORE).search(text, begin, match.start())
    value = quoted["value"] if quoted else ""
    if quoted and not (
        compiled(_NOT_A_CODE_WORD).fullmatch(value) or _is_not_an_answer(value) or is_remark_word(value)
    ):
        yield quoted.span("value")


def _is_not_an_answer(value: str) -> bool:
    """Whether a value is a placeholder, a question, or a description of the answer."""
    words = value.split()
    is_description = value.islower() and (is_remark_word(words[0]) or is_remark_word(words[-1]))  # "will be sent"
    is_question = any(map(value.lower().replace("_", " ").__contains__, _ALL_NAMES))
    return (
        is_description
        or is_question
        or is_placeholder(value)
        or compiled(_BEGINS_A_REMARK).match(value) is not None
        or compiled(_NOT_AN_ANSWER).match(value) is not None
    )


def _is_security_question(match: re.Match[str]) -> bool:
    """Whether a name belongs to a security question, by itself or by its context."""
    if match[0].lower() in _SUFFICIENT_NAMES:
        return True
    text, start, end = match.string, match.start(), match.end()
    return compiled(_ABOUT_ACCOUNTS).search(text, max(0, start - _MAX_CONTEXT), end + _MAX_CONTEXT) is not None


def _pattern(anchor: str) -> str:
    return _FIELD if anchor in _FIELDS else _TABLE.pattern(anchor)


RULES = (
    NearRule(
        kind="password",
        anchors=(*_TABLE.anchors, *_FIELDS),
        pattern=_pattern,
        around=_answers,
        source="https://cheatsheetseries.owasp.org/cheatsheets/Choosing_and_Using_Security_Questions_Cheat_Sheet.html",
        samples=(
            'Bank verification: mother\'s maiden name "«Bartolozzi»"',
            "Security questions\n- First pet: «Nuvola»\n",
            "Security answers at the broker: mother's maiden name «Ferrolane»",
            "Güvenlik sorusu: ilk evcil hayvan\u0131n ad\u0131, cevap «Nermin»",
            "비밀번호 찾기 질문: 어릴 적 별명? 답: «콩알이»",
            'Answer to the security question ("first pet") at the energy company: «Wobbles»',
            "Sicherheitsfrage: «Zwergpudel»\n",
            "кодовое слово — «Гвоздика»\n",
            '"security_answer": "«Trabant 601»"',
        ),
        near=(
            "Her maiden name was Smith, they married in 1950.",
            "The form asks a security question: what is your first pet's name?",
            "security question: none",
            "security question: answer required",
            "Секретне питання: дівоче прізвище матері.",
            "Security questions: maiden name, first pet, first school.",
            "My mother's maiden name was Ferrolane, first school St Oswin.",
            'security_answer = "<answer>"',
            "the account page asks for the maiden name, which is required",
        ),
    ),
    NearRule(
        kind="password",
        anchors=_SAYING_ANCHORS,
        pattern=_SAYING,
        around=_alarm_code_words,
        source="https://en.wikipedia.org/wiki/Duress_code",
        samples=(
            'if the alarm goes off they call, and you say "«caracola»"',
            'si salta la alarma, llaman y hay que decir "«caracola»"',
            "Wenn die Leitstelle anruft, „«Zwergpudel»“ sagen",
        ),
        near=(
            'when the alarm company calls, just say "false alarm"',
            'the alarm panel says "armed" when they call',
            'if Jo calls, you say "caracola"',
            "they call and you say caracola to the alarm",
        ),
    ),
)
