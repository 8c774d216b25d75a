"""Recovery codes, codes that are sent for a login, keys that unlock a drive, and license keys.

The rules start at a name ("backup codes") and judge the shape of what is near it: digits, groups of the same length.
"""

from __future__ import annotations

import re

from s3memory.redaction.interface import PLACEHOLDER_PATTERN, PLACEHOLDER_START, without_placeholders
from s3memory.redaction.rule import Location, ShapeRule
from s3memory.redaction.rules.codes.otp_seeds import MAX_LINES, NAME_CONTEXT, OTHER_LABELS
from s3memory.redaction.rules.reading.name_tables import NameTable
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.rules.reading.reference_numbers import is_counted
from s3memory.redaction.rules.reading.table_cells import next_cell_is_unrelated
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.values import is_placeholder, is_slug, is_technical_term, looks_random
from s3memory.redaction.text.wording import is_gibberish

# What such a code or key is for. These match as whole words only: "gate" must not match in "gateway".
_USES_AS_WORDS = """
    recovery recover backup back-up rescue emergency restore scratch one-time one_time onetime single-use bypass fallback
    verification 2fa mfa otp two-factor login_code sms_code auth_code confirmation unlock filevault bitlocker luks
    veracrypt device_encryption puk by_sms via_sms per_sms from_sms from_the_sms in_the_sms from_the_text door gate garage
    lockbox lock_box key_safe keypad entrance authenticator duress setup_code emailed_code mailed_code texted_code pairing
    homekit esim activation_code device_code security_code sign-in_code signin_code disarm alarm_code security_key
    host_key pickup_code pick-up_code collection_code app_token app_password app-specific whatsapp_code telegram_code signal_code bank_code steam_code mtan texted sms смс voicemail
    puerta portón porte porta portone portão portail cochera tür haustür deur dør dörr ovi drzwi dveře dveří kapı kapının ușă pintu
    confirmación confirmação conferma
"""
# The same as parts of words, in other languages.
_USE_STEMS = """
    abholcode abhol-code afhaalcode ophaalcode hämtkod hentekode udleveringskode noutokoodi code_de_retrait
    código_de_recogida código_de_retirada codice_di_ritiro codice_dispositivo odbioru výdej aktivering aktivierung
    activación ativação attivazione aktywacyjn aktivač активац
    取件码 提货码 激活码 兑换码 alarme alarma allarme alarmă larmkod alarmkod alarmcode alarm-code türcode torcode deurcode dörrkod dørkode
    wiederherstellung notfall ersatz einmal rettung entsperr bestätigungs backupcode secours récupération sauvegarde
    urgence usage_unique vérification respaldo recuperación recuperação emergencia emergência verificación verificação
    un_solo_uso recupero emergenza riserva ripristino verifica herstel noodcode reserve verificatie zapasow odzyskiwani
    awaryjn jednorazow återställning gjenoppretting gendannelse reservkod reservekode engangs nödkod palautus varmistus
    varakood záložní obnoven helyreállít tartalék kurtarma yedek doğrulama pemulihan cadangan verifikasi khôi_phục dự_phòng
    rezervn recuperare oporavak ανάκτησης εφεδρικ восстановлен резерв аварийн одноразов відновлен резервн 恢复 备用 备份 一次性
    復原 備用 備援 验证码 驗證碼 バックアップ リカバリ 回復 復旧 確認コード 복구 백업 인증번호 일회용 استرداد احتياط الطوارئ
    подтвержд подтверд двер подъезд домофон 认证码 動態碼 动态码 短信码 校验码 确认码 確認碼 门禁 门锁 認証コード ドア 暗証
    현관 도어락 인증_코드 확인_코드 확인코드 تحقق تأكيد التفعيل אימות דלת सत्यापन ओटीपी ઓટીપી ஓடிபி ఓటీపీ ยืนยัน potvrzovac potwierdzen potvrdn bekräft bekreft bekræft
    vahvist kinnit megerősít onay xác_nhận xác_minh konfirmasi επιβεβαίω επαλήθευσ ověřov verifikat verificati autentikas
    atsargin záložn rezervă ব্যাকআপ ওটিপি пук ПУК
    verifiering engångs eenmalig weryfikac jednoráz jednorazov back-upcode підтвердж overovac obnovovac jednokrat potvrdu monouso uso_único usage_unique
    verificare unică_folosință sekali_pakai kertakäyt dùng_một_lần báo_động потвържд еднократ възстановяв сигнализ
    сигналізац חד_פעמי האזעקה لمرة_واحدة الإنذار ワンタイム アラームの वन_टाइम 경보 ใช้ครั้งเดียว hälytys ellenőrző ajtókód
    riasztókód egyszer_használ alarmu kod_alarm kode_alarm sicherheitscode tresorcode code_de_sécurité
    código_de_seguridad código_de_segurança codice_di_sicurezza codul_ușii врата
    שחזור גיבוי חירום بازیابی پشتیبان रिकवरी बैकअप กู้คืน สำรอง
"""
# What calls the value a code, next to its use: "recovery code", "clé de secours".
_CODE_WORDS = (
    r"(?i)puk|otp|sheet|specific|cod(?:e(?!c)|i|ul|uri|\b)|c[óo]d(?:igo|é|y)|k[oó]d|key|pin\b|\bm?tan\b|token|schlüssel|clé|clave"
    r"|koodi|chave|chiav|sleutel|ny[c]kel|nø[kg]|klucz|klíč|kulcs|anahtar|avain|kunci|mã|otp|filevault|bitlocker|κωδικ|κλειδ"
    r"|код|ключ|[码碼钥鑰匙]|コード|キー|코드|키|번호|رمز|رموز|مفتاح|کد|کلید|קוד|מפתח|कोड|รหัส|কোড|ওটিপি|kodai|пук"
)
_CHARS_BEFORE, _CHARS_AFTER, _CHARS_WITH_PLACEHOLDERS = 22, 26, 86
# Endings that make another word of a use, "recoverable", "backups"; and types in code: "AWS::Backup::BackupPlan".
_NOT_A_USE = r"(?:able|ed|ing|s)(?![a-z])|\w{0,40}::"
_TYPE_BEFORE = r"::\w{0,40}\Z"
_PASSWORD_BEFORE = r"(?i)(?:password|passwd|pwd)[^\w\n]{0,4}\Z"

# Digits, letters and digits, or groups of them: "482913", "a1b2c-d3e4f", "1234 5678".
_CODE = (
    r"(?:[0-9]{3,6}(?:[ -][0-9]{3,6}){1,15}"
    r"|(?!(?i:code|seed|keys|pass|from|with|this|that|your|here|note|used|only)[ ])[A-Za-z0-9]{4}(?:[ ][A-Za-z0-9]{4}){2,15}"
    r"|(?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{4}[ ](?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{4}"
    r"|[A-Za-z0-9]{2,10}(?:[-\u2013][A-Za-z0-9]{2,10}){1,15}|[A-Za-z0-9]{4,72})"
    rf"(?![A-Za-z0-9_/@+=]|[.:-](?:[A-Za-z0-9]|{re.escape(PLACEHOLDER_START)}))"
)
_CODE_START = r"(?<![A-Za-z0-9_/@+=.$#-])"
_BULLET = r"(?:[-*+\u2022]|\[[ xX]?\]|[0-9]{1,2}[.):]|#[0-9]{1,2}:?)"
_ITEM_START = rf"[ \t>|]{{0,9}}(?:{_BULLET}[ \t]{{1,4}}){{0,2}}(?:[\"'`*(|~]|\[(?!{PLACEHOLDER_START[1:]})){{0,3}}"
_LIST_SEPARATOR = (
    r"[\"'`*~\])]{0,3}(?:[ \t]{0,4}[,;/|\u3001\uff0c](?:[ \t]{0,4}\r?\n)?|[ ](?:and|or|und|oder|et|y|e|en|och|i)[ ]"
    rf"|[ \t]{{0,9}}\r?\n(?:[ \t>|]{{0,9}}\r?\n)?|[ \t]{{1,9}}){_ITEM_START}"
)
_AFTER_SIGN_OR_VERB = (
    r"(?i)(?:[:=\uff1a|>\u2192\u2013\u2014\n-]|[是为為は은는]|(?:codes?|kode|kod)"
    r"|\b(?:keys?|otp|puk|it['\u2019]?s|c['\u2019]est|это|вот|is|are|was|ist|sind|lautet|est|sont|es|son|è|sono|é|são|war|fue|foi|fu|blev|oli|byl|byla|było|był|volt"
    rf"|zijn|to|jest|är|er|on|use|used|with|entered?|being|namely|now|type|try))[ \t]{{0,4}}{_ITEM_START}\Z"
)
_NOT_A_CODE = (
    r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?:19|20)[0-9]{2}(?:[ -][0-9]{2}){0,2}|[A-Z]{2,8}-[0-9]{1,6}"
    r"|[0-9]{1,3}[a-z]{1,6}"
    r"|(?:rfc|iso|fips|sha|v|rev|build|ticket|case|issue|error|http)[ -]?[0-9]+|[0-9]+(?:ms|min|sec|bits?|digits?)"
)
_UP_TO_AN_ITEM = rf".*\n{_ITEM_START}"
_END_OF_ITEM = r"[\"'`*~)\]]{0,3}[ \t]*(?:\r?\n|\Z|[(#\u2013-])"
_COMMIT_LINE = r"[0-9a-f]{7,10}[ ](?:\([^)\n]{1,40}\)[ ])?[A-Za-z][\w-]*"  # "1a2b3c4 (main) Fix the login"
_COMMIT_PATH = "/commit/"
_COMMIT_LINK_AFTER = r"`?\]\([^\s()]{1,120}/commit/"  # "[`1a2b3c4`](https://.../commit/...)"
_YEAR_RANGE = r"(?:19|20)[0-9]{2}[ \u2013-](?:19|20)[0-9]{2}"
# All that may be between a name and a number: "code de la porte 4471".
_FEW_WORDS = r"[^\W\d_]{0,12}(?:[ ][^\W\d_]{1,12}){0,2}(?:,?[ ]|(?<=[^\x00-\x7f]))"
_WORDS_AND_QUOTE = r"[^\W\d_]{0,12}(?:[ ][^\W\d_]{1,12}){0,4}[ ][\"`\u201c\u00ab]"
# As in "page 4711" or "room 4711".
_NUMBERED = (
    r"(?i)\b(?:page|room|version|line|error|status|step|ticket|port|number|no|phase|section|level|of|in|at|for)[ ]\Z"
)
_END_OF_CLAUSE = r"[\"'`*#]{0,3}(?:[.,;:!?)\uff0c\u3002\u060c]|[ \t]*(?:\r?\n|\Z|\())"
# What has neither a digit nor groups is a word.
_MAY_BE_CODE = r"[0-9]|[a-z]-(?:[a-z]{4}|[a-z]{8})-[a-z]|[A-Z]{4}"
# As in "482913 is your login code".
_CODE_BEFORE_NAME = (
    rf"{_CODE_START}(?:[A-Z]-)?(?P<code>(?!(?:19|20)[0-9]{{2}}(?![0-9]))[0-9]{{4,8}}|[0-9]{{3,4}}[ -][0-9]{{3,4}})#?[\"'`*]{{0,3}}"
    r"[ ](?:is|was|as)[ ](?:your|the|my|his|her|our|their|a)[ ](?:[A-Za-z0-9.]{2,16}[ ]){0,2}\Z"
)
_SENT_CODE_NAME = r"(?i)2fa|mfa|otp|sms|mtan|texted|authenticator|verifi[ck]|vérif|confirm|bestätig|one.?time|code|ओटीपी|ওটিপি|ઓટીપી|ஓடிபி|ఓటీపీ|인증_?번호|認証コード|[验校确驗動动]\w{1,2}[码碼]"
_SIX_DIGITS = r"[ ]?(?:[:=]|showed|shows|said|was|is)?[ ]?[\"'`*]{0,3}(?P<code>[0-9]{3}[ -]?[0-9]{3})(?![\w-]|[ ](?:of|users?|/)\b|[.,][0-9])"
# As in "SMS from the bank: 482913".
_SIX_DIGITS_FROM_SENDER = (
    r"[ ](?:by|via|per|through|from|vom?|par|da|del?|por)[ ](?:(?:the|my|our|der|dem|la|le)[ ])?[^\W\d_]{2,16}"
    r"(?:[ ]?:|[ ][\u2013-])[ ][\"'`*]{0,3}(?P<code>[0-9]{3}[ -]?[0-9]{3})(?=[\"'`*]{0,3}(?:[.,;!?)](?![0-9])|[ \t]*(?:\r?\n|\Z|\()))"
)
_CODE_ON_ITS_OWN_LINE = rf"\r?\n{_ITEM_START}(?P<code>[A-Za-z0-9]{{3,10}}(?:-[A-Za-z0-9]{{3,10}}){{1,5}})[\"'`*~)\]]{{0,3}}[ \t]*(?=\r?\n|\Z)"
# So many groups are hardly anything else: "bitwarden recovery: ahcv r6fo ...".
_SIX_OR_MORE_GROUPS = (
    r"[\"'`*]{0,3}[ ]?[:=\u2013\u2014-]?[ \n][\"'`*]{0,3}"
    r"(?P<code>(?=[^\n]{0,40}[0-9])(?=[^\n]{0,40}[A-Za-z])[A-Za-z0-9]{4}(?:[ -][A-Za-z0-9]{4}){5,15})(?![\w-])"
)
# The start of a line of a chat, before a number: "Jo: I got 471147".
_CHAT_ANSWER = r"\n[^\n:]{1,24}:[ ](?:[^\W\d_]{1,8},?[ ]){1,3}\Z"
# Steam's codes have five characters: only in a list do they differ from names of things.
_FIVE_CHARACTERS = r"[A-Z0-9]{5}(?![\w-])"
_LIST_OF_FIVES = rf"{_CODE_START}{_FIVE_CHARACTERS}(?:{_LIST_SEPARATOR}{_FIVE_CHARACTERS}){{2,}}"
_LETTERS_BETWEEN_DIGITS = r"(?:[0-9][A-Z]+[0-9]|[A-Z][0-9]+[A-Z])"
_MAX_LIST_CHARS = 420
_MAX_WORDS = 12
_MAX_CHARS_TO_CODE = 180
_MIN_HYPHENS_OF_A_KEY = 4
_MIN_CODE, _MIN_DIGITS, _MIN_GROUPS = 6, 4, 3
_MIN_LETTERS_OF_WORDS = 8
_BITLOCKER_DIVISOR = 11


def _is_commit_link(text: str, code: re.Match[str]) -> bool:
    """Whether a code is the id of a commit in a URL, or the text of a link to one."""
    is_link_text = compiled(_COMMIT_LINK_AFTER).match(text, code.end()) is not None
    return is_link_text or text.endswith(_COMMIT_PATH, 0, code.start())


def find_codes(match: re.Match[str], limit: int) -> Places:
    """Yield the codes that belong to a name: one before it, or the first after it and the rest of its list."""
    text, (start, end) = match.string, match.span()
    if next_cell_is_unrelated(text, start, end) or compiled(_NOT_A_USE).match(text, end):
        return
    if compiled(_TYPE_BEFORE).search(text, max(0, start - NAME_CONTEXT), end):
        return
    before = compiled(_CODE_BEFORE_NAME).search(text, max(0, start - _MAX_CHARS_TO_CODE // 3), start)
    if before and _is_code(before["code"], is_sure=True):
        yield before.span("code")
        return
    six_digits = compiled(_SIX_DIGITS).match(text, end) or compiled(_SIX_DIGITS_FROM_SENDER).match(text, end)
    if six_digits and occurs(_SENT_CODE_NAME, match[0]):
        yield six_digits.span("code")
        return
    context = without_placeholders(text[max(0, start - _CHARS_WITH_PLACEHOLDERS) : start])[-_CHARS_BEFORE:]
    names_a_code = occurs(_CODE_WORDS, context + text[start : end + _CHARS_AFTER])
    if not names_a_code and not compiled(r"(?i)\b[2m]fa[ -]\Z").search(context):
        yield from _listed_codes(text, end, limit)
        return
    # After a redacted code only the rest of its list counts, or each pass over the text would find one more.
    placeholder = PLACEHOLDER_PATTERN.search(text, end, min(end + _MAX_CHARS_TO_CODE, limit))
    stop = placeholder.start() + len(PLACEHOLDER_START) if placeholder else min(end + _MAX_CHARS_TO_CODE, limit)
    first = _first_code(text, end, stop)
    if first:
        yield first.span()
    elif not placeholder:
        yield from _short_codes(text, end, stop) or _listed_codes(text, end, limit)
    last = first or placeholder
    while last and (between := compiled(_LIST_SEPARATOR).match(text, last.end())) and between.end() < limit:
        last = PLACEHOLDER_PATTERN.match(text, between.end())
        code = None if last else compiled(_CODE).match(text, between.end())
        if code and (_is_code(code[0], is_sure=True) or _is_alike(code[0], first)):
            yield code.span()
            last = code


def _short_codes(text: str, position: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of a list of three or more five-character codes, half of which mix letters and digits."""
    found = compiled(_LIST_OF_FIVES).search(text, position, end)
    context_start = max(0, position - NAME_CONTEXT)
    if found is None or not compiled(_AFTER_SIGN_OR_VERB).search(text, context_start, found.start()):
        return []
    codes = list(compiled(_FIVE_CHARACTERS).finditer(text, *found.span()))
    mixed = [code for code in codes if compiled(_LETTERS_BETWEEN_DIGITS).search(code[0])]
    return [code.span() for code in codes] if len(mixed) * 2 >= len(codes) else []


def _listed_codes(text: str, position: int, limit: int) -> Places:
    """Yield a value of six or more groups right after a name, or three or more lines of codes of one shape."""
    grouped = compiled(_SIX_OR_MORE_GROUPS).match(text, position)
    if grouped and grouped.end() <= limit and _is_code(grouped["code"], is_sure=True):
        yield grouped.span("code")
        return
    spans: list[tuple[int, int]] = []
    group_lengths = set()
    end = 0
    for line in compiled(_CODE_ON_ITS_OWN_LINE).finditer(text, position, min(position + _MAX_LIST_CHARS, limit)):
        if spans and line.start() != end:
            break
        end = line.end()
        spans.append(line.span("code"))
        group_lengths.add(tuple(map(len, line["code"].split("-"))))
    is_list = len(group_lengths) == 1 and len(spans) >= _MIN_GROUPS
    if is_list and all(_is_code(text[first:last], is_sure=True) for first, last in spans):
        yield from spans


def _is_alike(code: str, first: re.Match[str] | None) -> bool:
    """Whether a code without a digit has the shape of the first one of its list, and is not a word."""
    is_grouped = first is not None and [*map(len, code.split("-"))] == [*map(len, first[0].split("-"))]
    return is_grouped and ("-" in code or is_gibberish(code))


def _first_code(text: str, position: int, end: int) -> re.Match[str] | None:
    """Return the first code between `position` and `end`, if nothing before it shows that it is something else."""
    words = 0
    for code in compiled(_CODE_START + _CODE).finditer(text, position, end):
        if not compiled(_MAY_BE_CODE).search(code[0]):
            words += 1
            if words > _MAX_WORDS:
                return None
            continue
        between = text[position : code.start()]
        if code[0].isdigit() and is_counted(text[max(0, position - NAME_CONTEXT) : code.start()]):
            return None
        is_row = "\n" in between and code[0].isdigit() and compiled(r"[ \t]{1,4}[A-Z]{2}").match(text, code.end())
        starts_commit_line = "\n" in between and compiled(_COMMIT_LINE).match(text, code.start())
        is_commit = starts_commit_line or _is_commit_link(text, code)
        is_cut = code.end() == end and text[end : end + 1].isalnum()
        is_item = compiled(_UP_TO_AN_ITEM).fullmatch(between) and compiled(_END_OF_ITEM).match(text, code.end())
        is_unmistakable = code[0].count("-") >= _MIN_HYPHENS_OF_A_KEY and code[0].isupper()
        is_other_sentence = not (is_item or is_unmistakable) and compiled(r"(?<![0-9])[.!?] ").search(between)
        if is_row or is_commit or is_cut or is_other_sentence or between.count("\n") > MAX_LINES:
            return None
        if not is_item and (occurs(OTHER_LABELS, between) or occurs(_PASSWORD_BEFORE, between)):
            return None
        is_sure = (
            compiled(_AFTER_SIGN_OR_VERB).search(text, max(0, code.start() - NAME_CONTEXT), code.start()) is not None
            or _ends_a_clause(compiled(_FEW_WORDS).fullmatch(text, position, code.start()), code)
            or _is_quoted(between, code)
            or _ends_a_clause(compiled(_CHAT_ANSWER).search(text, position, code.start()), code)
        )
        if _is_code(code[0], is_sure=is_sure):
            return code
    return None


def _is_quoted(between: str, code: re.Match[str]) -> bool:
    """Whether a code is quoted after a few words, none of which names something numbered."""
    follows_words = compiled(_WORDS_AND_QUOTE).fullmatch(between) is not None and not is_counted(between[:-1])
    return follows_words and compiled(r"[\"`\u201d\u00bb]").match(code.string, code.end()) is not None


def _ends_a_clause(words: re.Match[str] | None, code: re.Match[str]) -> bool:
    """Whether a code ends its clause, after words other than those of something numbered ("on page 4711")."""
    if words is None or occurs(_NUMBERED, words[0]):
        return False
    return compiled(_END_OF_CLAUSE).match(code.string, code.end()) is not None


def _is_code(text: str, *, is_sure: bool) -> bool:  # noqa: PLR0911 - a list of checks
    """Whether `text` could be a code. Unless the context makes it sure, it must not look like anything else."""
    groups = text.replace(" ", "-").replace("\u2013", "-").split("-")
    run = "".join(groups)
    is_even = len(groups) > 1 and len(set(map(len, groups))) == 1
    is_known = compiled(_NOT_A_CODE).fullmatch(text) is not None and not (is_sure and is_even)
    is_known = is_known or compiled(_YEAR_RANGE).fullmatch(text) is not None
    if is_known or is_technical_term(text) or is_placeholder(text) or compiled(r"(?i)abcdefgh").search(run):
        return False
    if run.isdigit():
        return len(run) >= (_MIN_DIGITS if is_sure else _MIN_CODE + 2 * (len(groups) == 1))
    has_digit = any(map(str.isdigit, run))
    if len(run) < _MIN_CODE or len(set(run)) < _MIN_DIGITS:
        return False
    if len(groups) > _MIN_GROUPS and run.isupper() and has_digit:
        return True
    if is_even and len(groups) >= _MIN_GROUPS:
        words = "".join(
            group for group in groups if group.isalpha() and (group.islower() or not (has_digit or is_sure))
        )
        if " " in text and len(words) >= _MIN_LETTERS_OF_WORDS and not is_gibberish(words.lower()):
            return False
        return has_digit or run.isupper() or is_gibberish(run)
    if is_even or is_sure:
        are_mixed = all(any(map(str.isdigit, group)) and any(map(str.isalpha, group)) for group in groups)
        return has_digit and (not is_slug(text) or is_even) and (is_sure or are_mixed or looks_random(run))
    return looks_random(run)


def _bitlocker(match: re.Match[str]) -> Location:
    groups = match[0].replace(" ", "-").split("-")
    return None if any(int(group) % _BITLOCKER_DIVISOR for group in groups) and " " in match[0] else match.span()


_USES = NameTable(_USE_STEMS, _USES_AS_WORDS)

RULES = (
    NearRule(
        kind="recovery-code",
        anchors=_USES.anchors,
        pattern=_USES.pattern,
        around=find_codes,
        source="https://www.rfc-editor.org/rfc/rfc4226",
        samples=(
            "recovery codes: «a1b2c-d3e4f»",
            "recovery codes:\n- «a1b2c-d3e4f»\n",
            "backup code «1234 5678»",
            "backup code: «k7vm 2xqp»",
            "bitwarden recovery: «ahcv r6fo 14et 3fad 27xw phri nz3v 1v2r»",
            "FileVault recovery key: «A1B2-C3D4-E5F6-G7H8-J9K1-L2M3»",
            "the verification code is «482913»",
            "the code from the sms was «795290»",
            "door code «80645»",
            "the recovery code for her Apple ID, in case: «RK-7H2P-99QD-LLX3-0VTB»",
            "reset the recovery code, now «4821»",
            "DHL Abholcode «806453»",
            "BankID aktiveringskod «2376 8955»",
            "the host key is «482913»",
            'the one-time code from the bank "«482913»" came too late',
            "резервный код: «1234 5678»",
            "备用验证码：«12345678»",
            "ओटीपी «738201» आया था",
            "인증번호 «738201» 왔어",
        ),
        near=(
            "резервные коды хранятся отдельно",
            "recovery codes are stored in the vault. See ABC-1234",
            "backup 2024-11-03 has the code of release 12345678",
            "the recovery key was rotated on 2026-11-20",
            "recovery key id 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
            "recovery codes: 8 digits each",
            "ओटीपी 6 अंकों का है",
            "The recovery key procedure is on the wiki page 4711.",
            "The door closes at 1800, the code review is in room 204512",
            "Primary key `gateway_id`, sort key `created_at#7563215`, partition key tenant178.",
        ),
    ),
    # Formats that need no name: BitLocker's, each group of which is a multiple of 11, and systemd-cryptenroll's.
    ShapeRule(
        kind="recovery-code",
        shape=rb"000000[ -]000000[ -]000000[ -]000000",
        pattern=r"(?<![0-9-])[0-9]{6}(?:[ -][0-9]{6}){7}(?![0-9-])",
        locate=_bitlocker,
        source="https://learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker/recovery-overview",
        samples=("key «123456-234567-345678-456789-567890-678901-789012-890123».",),
        near=("123456-234567-345678", "123456 234567 345678 456789 567890 678901 789012 890123"),
    ),
    ShapeRule(
        kind="recovery-code",
        shape=rb"aaaaaaaa-aaaaaaaa-aaaaaaaa-",
        pattern=r"(?<![a-z-])[cbdefghijklnrtuv]{8}(?:-[cbdefghijklnrtuv]{8}){7}(?![a-z-])",
        source="https://www.freedesktop.org/software/systemd/man/latest/systemd-cryptenroll.html",
        samples=("«cbdefghi-jklnrtuv-cbdefghi-jklnrtuv-cbdefghi-jklnrtuv-cbdefghi-jklnrtuv»",),
        near=("cbdefghi-jklnrtuv-cbdefghi",),
    ),
)
