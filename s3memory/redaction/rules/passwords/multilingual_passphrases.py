"""Passphrases of several words in any language: after their name, or in quotes where the text opens an encrypted thing."""

from __future__ import annotations

import re

from s3memory.redaction.rules.passwords.passphrases import has_sentence_word
from s3memory.redaction.rules.reading.judging import is_remark_word, is_saying
from s3memory.redaction.rules.reading.letters import LETTER
from s3memory.redaction.rules.reading.name_tables import NameTable
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.word_lists import phrase_set

_NAMES = """
    passphrase passfras passfrase lösenfras løsenfrase wachtzin wachtwoordzin salalause salafraas tunnuslause kennsatz
    passwortsatz phrase_secrète phrase_de_passe frase_de_contraseña frase_clave frase_secreta frase_de_paso frase-senha
    frase_d'accesso frase_segreta heslová_fráze heslovú_frázu parolafrază fraza_hasłowa hasło_frazowe jelmondat
    jelszómondat slaptafraz frază_de_acces парольная_фраз парольну_фраз парольна_фраз кодовая_фраз секретная_фраз
    φράση_πρόσβασης عبارة_المرور عبارة_السر عبارت_عبور ביטוי_הסיסמה משפט_סיסמה 通關密語 密码短语 密碼短語 パスフレーズ 合言葉 암호문구
    frasa_sandi cụm_mật_khẩu วลีรหัสผ่าน
"""
_ENCRYPTED_THINGS = """
    archiv arhiv arkiv arşiv archív arxiu arquivo_zip zip-fil zip-archiv zip_file zip-datei zipfil disk disc_dur drive
    veracrypt keepass backup vault luks varmuuskopi arhīv архив архів диск αρχείο الأرشيف الملف_المضغوط
    فایل_فشرده ארכיון 壓縮檔 压缩包 压缩文件 圧縮ファイル アーカイブ 압축 ज़िप জিপ
"""
_OPENING_VERB = (
    r"(?i)(?<![^\W\d_])(?:open|unlock|unzip|decrypt|unpack|öffn|entpack|entschlüssel|ouvr|ouver|déchiffr|décompress|abre|abr[ei]|"
    r"desbloque|descompr|descifr|apre|apri|decifr|otvor|otvár|otevř|odemk|odomk|odkle|otwier|otwor|rozpak|nyit|nyíl|deschi"
    r"|dezarhiv|aç|откры|распак|расшифр|відкр|розпак|отвар|отвор|разархив|otpakir|otklj|atidar|atver|avan|avaa|avautu|åpn"
    r"|öppna|åbn|ανοίγ|mở|buka)|يفتح|يُفتح|نفتح|باز|נפתח|פותח|打開|解開|解开|打开|解壓|解压|開く|開き|解凍|열|풀|खोल|खुल|খোল|খুল|เปิด"
)
_LETTERS = rf"{LETTER}{{2,20}}"
_PHRASE = rf"{_LETTERS}(?:[ ]{_LETTERS}){{2,7}}(?:[ ][0-9]{{1,4}})?|{_LETTERS}[ ]{_LETTERS}[ ][0-9]{{1,4}}"
_QUOTED = (
    r"(?P<before>[^\W\d_]{1,12}|[^\n]?)[ ]?[\"`\u201c\u201e\u00ab\u00bb\u300c\u2018]"
    rf"(?P<secret>{_PHRASE})[.]?[\"`\u201c\u201d\u00bb\u00ab\u300d\u2019]"
)
_BARE = rf"[^\n:=.]{{0,48}}(?:[:=\uff1a][ ]?|:?\n)(?P<secret>{_PHRASE})[.]?[ \t]*(?:\n|\Z)"
# English uses these words in other senses as well, so that the phrase has to follow one of `_WITH`.
_ENGLISH_NAMES = frozenset(("archiv", "zip file", "disk", "drive", "vault", "backup", "keepass", "luks", "veracrypt"))
_WITH = ("with", "by", "using", "phrase", "words", "mit", "med", "met")
_MAX_CONTEXT = 120


def _phrase_near(match: re.Match[str], _limit: int) -> Places:
    """Yield the span of the first phrase in quotes on the line, or of the phrase after the name."""
    text, (start, end) = match.string, match.span()
    begin, stop = line_around(text, start, end, _MAX_CONTEXT)
    name = match[0].lower()
    is_named, is_english = name in _NAMED, name in _ENGLISH_NAMES
    if is_named or occurs(_OPENING_VERB, text, begin, stop):
        for quoted in compiled(_QUOTED).finditer(text, begin, stop):
            is_around = quoted.start() <= start < quoted.end()
            if not is_around and (not is_english or quoted["before"] in _WITH) and _is_phrase(quoted["secret"]):
                yield quoted.span("secret")
                return
    bare = compiled(_BARE).match(text, end) if is_named else None
    if bare and (_is_phrase(bare["secret"]) or _is_bare_saying(bare["secret"])):
        yield bare.span("secret")


def _is_phrase(words: str) -> bool:
    """Whether words are in lower case, and none of them is one that only sentences have."""
    return words.lower() == words and not has_sentence_word(words.split())


def _is_bare_saying(words: str) -> bool:
    """Whether words are a saying, and do not begin as a remark does: "on the back of the router"."""
    return is_saying(words) and not is_remark_word(words.partition(" ")[0])


_TABLE = NameTable(_NAMES + _ENCRYPTED_THINGS)
_NAMED = phrase_set(_NAMES)

RULES = (
    NearRule(
        kind="password",
        anchors=_TABLE.anchors,
        pattern=_TABLE.pattern,
        around=_phrase_near,
        source="https://www.eff.org/dice",
        samples=(
            'Passfrasen til den krypterte disken er "«elg kvist sokk t\u00e5ke»"',
            "Varmuuskopion salalause\n«sammal kettu viima pulla»",
            'The archive opens with "«koala river tent»"',
            "Passphrase on the deploy SSH key: «toast with gravel»",
            "Архива се отвара речима \u201e«плави коњ чорба»\u201c",
        ),
        near=(
            'The archive opens with "Save as" and then "Open the folder"',
            "Das Archiv \u00f6ffnet man mit \u201eDatei entpacken und speichern\u201c",
            "die passphrase ist lang genug",
            "Passphrase for the backup: kept with the will",
            "passphrase = on the back of the router",
        ),
    ),
)
