"""Tells words from random letters, and words that describe a password from those that may be one."""

from __future__ import annotations

from functools import cache
from math import sqrt
from operator import add

from s3memory.redaction.text.caching import cached_until_forgotten
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set

# Each letter with those that commonly follow it. They make up 95% of the pairs in English technical prose, and a third
# of the pairs in random letters.
_FOLLOWERS = (
    "abcdgiklmnprstuvy baeijlorsu caehiklorstu dadeiosu eabcdefglmnpqrstvwxy faefiloru gehinru haeiotu "
    "iabcdefglmnoprstvxz keiosy ladeilostuy maeimopy nacdefginostuv obcdglmnoprstuvw padeiloprstuy qu "
    "racdegiklmnorstuvy sacehikoprstuwy tacehiloprstuy uabcegilmnprst vaei waehio xeit ydopst"
)
_COMMON_PAIRS = frozenset(row[0] + second for row in _FOLLOWERS.split() for second in row[1:])
_MAX_JUDGED = 48
_BETWEEN_WORDS = r"[ _/'\u2019.,-]+"
_MIN_PAIRS = 7
_MIN_COMMON_SHARE = 0.62
# This share of the pairs of random letters is common. Names in code are seven standard deviations above it.
_COMMON_SHARE_IF_RANDOM, _MIN_DEVIATIONS = 0.35, 5.5

# What describes a password in sentences, in table cells and in comments: "the password is required".
_PREDICATES = (
    "required optional needed necessary mandatory correct incorrect wrong invalid valid missing empty blank null nil "
    "none not never always also only still now no yes too very just already about due bound going able likely subject "
    "meant ready usually often currently again used kept sent set unset reset known unknown given shown hidden right "
    "ok okay fine good bad weak strong short long plain plaintext clear cleartext text secret secure safe unsafe "
    "random unique same different new old default lost leaked stale gone there here them him us me you it both each "
    "this that these those the an a my your our their his her its what which how where when why who if as at in on of "
    "to by for from with without and or but be been is are was were has have had can could may might must should will "
    "would do does string str input bytes any object number integer boolean char varchar prompt field form page box "
    "file path name user username login account email mail admin root host server database manager policy hash salt "
    "vault keychain env environment variable value option argument parameter flag setting config configuration auth "
    "oauth ldap kerberos sso http https basic digest token key api cert certificate public private shared internal "
    "external local remote test tests example sample demo true false off enabled disabled type protect protection "
    "recovery change changes strength length complexity rotation generator storage entry expiry expiration below "
    "above aside later soon today yesterday tomorrow something nothing anything written chosen forgotten stolen "
    "broken taken seen spoken open even strings words letters everything everyone someone nobody ask see enter use "
    "click press add get put please todo tbd supported upper lower digits digit symbols symbol characters character "
    "insecure defaults "
    # The same in other languages, whose sentences may use the English word for the password.
    "abgelaufen gesperrt falsch richtig korrekt bekannt unbekannt hinterlegt leer gespeichert geheim sicher unsicher "
    "opcional optionnel facultatif facultativo facoltativo obligatoire obligatorio obrigatorio verplicht "
    "valgfri mismatch "
    "vergessen erforderlich notwendig schwach stark kurz lang neu alt veraltet aktiv inaktiv deaktiviert nicht noch "
    "identisch gesetzt verloren gleich immer hier dort bereits schon wieder jetzt auch zwingend pflicht incorrecta "
    "incorrecto correcta correcto incorrecte valida valido invalida invalido caducada caducado expirada expirado "
    "bloqueada bloqueado vencida vencido errada errado obligatoria obligatorio necesaria necesario segura seguro "
    "secreta secreto debil fuerte corta larga nueva vieja olvidada perdida cambiada scaduta scaduto errata errato "
    "sbagliata sbagliato vuota vuoto corretta corretto scorretta scorretto obbligatoria obbligatorio bloccata "
    "bloccato predefinita predefinito predeterminada predeterminado dimenticata dimenticato nuova expire actifs actif "
    "actives active inactifs inactif inactives inactive obligatoire requis requise faux fausse vide perdu trop faible "
    "connu inconnu stocke verlopen onjuist juist verkeerd vergeten leeg verplicht onbekend bekend geblokkeerd "
    "opgeslagen gewijzigd veranderd gezet ingesteld aangepast vernieuwd ongeldig felaktigt ogiltigt okant saknas feil "
    "ugyldig forkert glemt"
    # How it is typed
    " spaces hyphens dashes caps capitals espacios guiones mayúsculas minúsculas espaces tirets majuscules leerzeichen"
    " bindestriche großbuchstaben spazi trattini maiuscole espaços maiúsculas hífens spaties hoofdletters пробелы"
)
# Words that may describe a password as well, but are more often part of a passphrase.
_ADJECTIVES = (
    "complex simple easy hard tough fresh numeric alphanumeric trivial rubbish theirs mine yours ours hers twelve "
    "eight ten seven six small huge tiny high free real fake dumb stupid silly common rare dead live late early next "
    "last first second third final main single double better best worse worst great cool nice awful void moot legit "
    "sane fair trash crap junk garbage nonsense longer shorter stronger weaker safer older newer simpler exact strict "
    "static intact fixed rather quite pretty half whole full entire guest much more less most least enough maybe "
    "perhaps human global personal universal typical normal standard special manual automatic generic minimal optimal "
    "ideal legal illegal legacy modern obsolete former eternal robust solid adequate pathetic risky tricky messy "
    "dirty clean tidy lengthy wordy handy sticky crazy lazy busy noisy funny sorry happy angry dodgy shaky iffy case "
    "low raw up down out over done soft sound odd plainly once twice all some other another such like then than else "
    "so because since while unless until before after during between against within found met read made left held "
    "said told cut hit run begun bought brought built caught dealt drawn driven fed felt frozen got hung heard hurt "
    "laid led lent let lit paid proven sold shut spent stood struck taught thought thrown torn understood worn won "
    "yourself myself himself herself itself ourselves themselves somewhere anywhere everywhere nowhere together "
    "cached echoed owed expire match rotate proceed continue authenticate connect decrypt unlock sign verify confirm "
    "encrypt access log work fail avoid prevent allow store save keep share however though although therefore "
    "moreover meanwhile hence thus instead indeed anyway alas sometimes otherwise besides nevertheless afterwards "
    "likewise keys tokens names users accounts logins hosts codes secrets emails notes phone address"
)
_PREDICATE_BY_SUFFIX = (
    r"(?i)\w{2,}(?:ed|ing|able|ible|ful|less|ory|ive|ent|ant|ous|ary|ally|ly|mente|ions?|ments?|ical|ity|ness|ers|ors"
    r"|ists|ised|ized)"
)


@cached_until_forgotten
def is_gibberish(value: str) -> bool:
    """Whether the letters of `value` follow one another as random letters do, and not as in words."""
    pairs = _pairs_of(value)
    return len(pairs) >= _MIN_PAIRS and sum(map(_COMMON_PAIRS.__contains__, pairs)) < _MIN_COMMON_SHARE * len(pairs)


def are_words(value: str) -> bool:
    """Whether the letters of `value` follow one another as in words, as random letters hardly ever do."""
    n_pairs = len(_pairs_of(value))
    least = _COMMON_SHARE_IF_RANDOM * n_pairs
    return n_common_pairs(value) >= least + _MIN_DEVIATIONS * sqrt(least * (1 - _COMMON_SHARE_IF_RANDOM)) > 0


def n_common_pairs(value: str) -> int:
    """Return how many of the pairs of letters in `value` are common in words."""
    return sum(map(_COMMON_PAIRS.__contains__, _pairs_of(value)))


def _pairs_of(value: str) -> list[str]:
    folded = value[:_MAX_JUDGED].lower()
    return list(filter(str.isalpha, map(add, folded, folded[1:])))


_words = cache(word_set)


def is_adjective(word: str) -> bool:
    """Whether `word` alone may describe a password, as in "the password is simple"."""
    return word.lower() in _words(_ADJECTIVES)


@cached_until_forgotten
def is_descriptive_word(word: str) -> bool:
    """Whether `word` describes a password rather than being one, as in "the password is required"."""
    return word.lower() in _words(_PREDICATES) or compiled(_PREDICATE_BY_SUFFIX).fullmatch(word) is not None


def is_plain(text: str) -> bool:
    """Whether `text` is only words, as most table cells are: each in lower case, capitalized or in capitals."""
    words = compiled(_BETWEEN_WORDS).split(text)
    return all(word.isalpha() and (word[1:].islower() or word.isupper() or not word[1:]) for word in words)
