"""Answers to security questions go, in prose, lists, tables and forms; what is only asked, or told of a life, stays."""

from __future__ import annotations

from support.for_each import for_each
from support.redaction_samples import secrets_of, without_marks

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


@for_each(
    "text",
    [
        'Bank verification: mother\'s maiden name "«Bartolozzi»", first pet "«Nuvola»", memorable place "«Punta Ala»".',
        'Answer to the security question ("first pet") at the energy company: «Wobbles». Not true, she made it up.',
        "secret question answer (mother's maiden name, but fake): «Ploppingham»; new phone next week",
        "| question | answer |\n|---|---|\n| first pet | «Rex» |\n",
        '{"security_question": "What was your first car?", "security_answer": "«Trabant 601»"}',
        "security_answer: «blue whale»\n",
        "Memorable word is «Thistledown» (letters 2 and 5 are asked).",
        "Sicherheitsfrage (erstes Haustier): «Zwergpudel»\n",
        "Pregunta de seguridad del banco: nombre de la primera mascota, respuesta «Canelo».",
        "кодовое слово — «Гвоздика»\n",
        "Security answers at the broker: mother's maiden name «Ferrolane», first school «St Oswin».",
        "Sicherheitsfragen der Bank: Mädchenname der Mutter «Ferrolane», erstes Haustier «Bello».",
        "Security questions: pet «Biscuit», school «St Oswin», street «Elm Hollow».",
        "Güvenlik sorusu: ilk evcil hayvan, cevap «Nermin»",
        "Секретный вопрос: кличка собаки? Ответ: «Жучка»",
        "秘密の質問「母の旧姓」の答えは«シロ丸»",
        "秘密の質問:「ペットの名前」 → «Momo»\n",
    ],
)
def test_an_answer_goes(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert not [secret for secret in secrets_of(text) if secret in redacted]


@for_each(
    "name",
    [
        *("Security answer", "Sicherheitsfrage", "Réponse secrète", "Pregunta secreta", "Domanda segreta"),
        *("Pergunta secreta", "Geheime vraag", "Säkerhetsfråga", "Sikkerhetsspørgsmål", "Sikkerhetsspørsmål"),
        *("Turvakysymys", "Pytanie pomocnicze", "Kontrolní otázka", "Biztonsági kérdés", "Întrebare de securitate"),
        *("Gizli soru", "Pertanyaan keamanan", "Câu hỏi bảo mật", "Секретный вопрос", "Контрольне питання"),
        *("Μυστική ερώτηση", "سؤال الأمان", "שאלת אבטחה", "秘密の質問", "安全问题", "보안 질문"),
    ],
)
def test_an_answer_goes_behind_the_name_in_each_language(name: str) -> None:
    assert "Thistledown" not in REDACTOR.redact(f"{name}: Thistledown\n").text


@for_each(
    "text",
    [
        'if the alarm goes off they call, and you say "{}"',
        "If the monitoring company calls, say '{}'",
        'si salta la alarma, llaman y hay que decir "{}"',
        "Wenn die Leitstelle anruft, muss man \u201e{}\u201c sagen.",
        "quand la télésurveillance appelle, il faut dire «{}»",
        "Если звонит пульт охраны, надо сказать «{}»",
        'jak dzwoni ochrona, trzeba powiedzieć "{}"',
        "Kelan puhelinpalvelun tunnussana on {}.",
        "Codewort für die Bank: {}\n",
    ],
)
@for_each("word", ["Zwergpudel", "mustikkapiirakka"])
def test_the_word_to_say_on_the_telephone_goes(text: str, word: str) -> None:
    assert word not in REDACTOR.redact(text.format(word)).text


@for_each(
    "text",
    [
        'when the alarm company calls, just say "false alarm"',
        'call the function and then say "hello"',
        'si llaman de la central, hay que decir "gracias"',
        'llaman de la alarma para decir "batería baja"',
        "tunnussana on pakollinen.",
        "kodord är ett ord",
    ],
)
def test_what_is_said_to_anybody_and_of_a_word_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "Her maiden name was Smith, they married in 1950.",
        "The form asks a security question: what is your first pet's name?",
        "He forgot password and secret answer, both to be reset by phone, Mon\u2013Fri 8\u201318.",
        "security question: none",
        "security_answer: string",
        'security_answer = "<answer>"',
        "The account page asks for the maiden name, which is required.",
        'Set a security question such as "first school" in the profile.',
    ],
)
def test_what_is_asked_or_told_of_a_life_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text
