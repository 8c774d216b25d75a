"""Passwords of remote-support programs: "AnyDesk 884 201 553, unattended access v"."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.passwords.passphrases import has_sentence_word
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import phrase_list, word_list
from s3memory.redaction.text.wording import is_adjective

_PROGRAMS = word_list(
    "anydesk teamviewer rustdesk splashtop supremo getscreen ultraviewer ammyy hoptodesk todesk aeroadmin aspia"
)
_UNATTENDED = "|".join(
    phrase_list("""
    unattended unbeaufsichtigter_zugriff unbeaufsichtigter_zugang unbeaufsichtigten_zugriff unbeaufsichtigten_zugang
    acceso_desatendido acceso_no_supervisado accès_non_surveillé accès_sans_surveillance accesso_non_presidiato
    accesso_incustodito acesso_não_supervisionado acesso_não_assistido acesso_autônomo onbeheerde_toegang
    onbewaakte_toegang dostęp_nienadzorowany неконтролируемый_доступ удалённый_доступ удаленный_доступ obevakad_åtkomst
    uovervåget_adgang ubetjent_tilgang bezobslužný_přístup gözetimsiz_erişim acces_nesupravegheat
    felügyelet_nélküli_hozzáférés
    """)
)
_WORDS = r"[^\W_][^\s,;:.()\"'`*<>|\[\]/]{2,24}(?:[ ][^\W_][^\s,;:.()\"'`*<>|\[\]/]{2,24}){0,2}"
# How words begin that say whether such access is possible, and for whom.
_SETTING = (
    r"(?i)(?:des|dis|dés|un|in|en|de)?(?:ac?tt?i[vw]|akt[iy][vw])|enabl|disabl|(?:des|dis)?h?abilit|[ck]onfig|set\b|allow"
    r"|permi|perme|erlaub|verbot|forbid|interdi|pro[ih]|vietat|requ|need|neces|obligat|nur\b|only|s[oó]lo\b|insta|einger"
    r"|liber|fonct|funk|działa|w[łl][ąa]cz|wyłącz|работ|.{0,2}ключ|настро|разреш|запрещ|ingesch|uitgesch|toegest|logs?\b"
    r"|licen[cs]|feature|mode\b"
)


def _locate_words(match: re.Match[str]) -> Location:
    """Locate up to three words, none of which is about the access itself. One plain word needs a sign before it."""
    words = match["secret"].lower().split()
    if len(words) == 1 and words[0].isalpha() and not match["sign"]:
        return None
    is_said = any(is_remark_word(word) or is_adjective(word) or compiled(_SETTING).match(word) for word in words)
    return None if is_said or has_sentence_word(words) else match.span("secret")


RULES = (
    Rule(
        kind="password",
        anchors=_PROGRAMS,
        fold=True,
        pattern=(
            rf"(?i:[a-z]{{5,12}}(?![a-z])[^\n]{{0,80}}?(?<![^\W\d_])(?:{_UNATTENDED})"
            r"(?:[ ](?:access|password|pw|passw?|word|code)){0,2})"
            rf"(?P<sign>[ ]?(?:[:=\uff1a\u2192\u2013-]|->))?[ ]?[\"'`*\u201c\u201e\u00ab]{{0,2}}(?P<secret>{_WORDS})"
            r"(?=[\"'`*\u201d\u201c\u00bb]{0,2}(?:[.,;()]|[ ]*(?:\n|\Z)))"
        ),
        locate=_locate_words,
        source="https://support.anydesk.com/docs/unattended-access",
        samples=(
            "AnyDesk 884 201 553, unattended access «green kettle»",
            "TeamViewer, acceso desatendido: «cuentas claras», desde ayer",
            "RustDesk: unbeaufsichtigter Zugriff: «Kirschkuchen»",
        ),
        near=(
            "AnyDesk: unattended access enabled",
            "TeamViewer: acceso desatendido configurado ayer",
            "RustDesk: unbeaufsichtigter Zugriff nur für Admins",
            "AnyDesk: unattended access needs a password",
        ),
    ),
)
