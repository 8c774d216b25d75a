"""Telling words from what only looks like some: is a value English, and does a sentence about passwords say it?"""

from __future__ import annotations

from operator import add

from s3memory.redaction.compiling import compiled
from s3memory.redaction.judged import judged

# Which letters commonly follow which: 95% of the pairs in English technical prose, a third of those in random letters.
_FOLLOWERS = (
    "abcdgiklmnprstuvy baeijlorsu caehiklorstu dadeiosu eabcdefglmnpqrstvwxy faefiloru gehinru haeiotu "
    "iabcdefglmnoprstvxz keiosy ladeilostuy maeimopy nacdefginostuv obcdglmnoprstuvw padeiloprstuy qu "
    "racdegiklmnorstuvy sacehikoprstuwy tacehiloprstuy uabcegilmnprst vaei waehio xeit ydopst"
)
_COMMON = frozenset(row[0] + second for row in _FOLLOWERS.split() for second in row[1:])
_JUDGED = 48
_LEAST_PAIRS = 7
_LEAST_SHARE = 0.62

# What a password is said to be, in sentences and in the cells and comments of documentation.
_PREDICATE = (
    r"(?i)required|optional|needed|necessary|mandatory|correct|incorrect|wrong|invalid|valid|missing|empty|blank|null|nil|none"
    r"|not|never|always|also|only|still|now|no|yes|too|very|just|already|about|due|bound|going|able|likely|subject|meant|ready|usually|often|currently|again|used|kept|sent|set|unset"
    r"|reset|known|unknown|given|shown|hidden|wrong|right|ok|okay|fine|good|bad|weak|strong|short|long|plain|plaintext|clear"
    r"|cleartext|text|secret|secure|safe|unsafe|random|unique|same|different|new|old|default|lost|leaked|stale|gone|there|here"
    r"|them|him|us|me|you|it|both|each|this|that|these|those|the|an?|my|your|our|their|his|her|its|it|what|which|how|where|when|why|who|if|as|at|in|on|of|to|by"
    r"|for|from|with|without|and|or|but|be|been|is|are|was|were|has|have|had|can|could|may|might|must|should|will|would|do|does"
    r"|string|str|text|input|bytes|any|object|number|integer|boolean|char|varchar|prompt|field|form|page|box|file|path|name|user"
    r"|username|login|account|email|mail|admin|root|host|server|database|manager|policy|hash|salt|vault|keychain|env|environment"
    r"|variable|value|option|argument|parameter|flag|setting|config|configuration|auth|oauth|ldap|kerberos|sso|http|https|basic"
    r"|digest|token|key|api|cert|certificate|public|private|shared|internal|external|local|remote|test|tests|example|sample|demo"
    r"|true|false|on|off|enabled|disabled|type|protect|protection|recovery|change|changes|strength|length|complexity|rotation"
    r"|generator|storage|entry|expiry|expiration|below|above|aside|later|soon|today|yesterday|tomorrow|something|nothing|anything"
    r"|written|hidden|given|chosen|forgotten|stolen|broken|taken|shown|seen|spoken|open|even|often|token|strings|words|letters"
    r"|everything|everyone|someone|nobody|ask|see|enter|use|type|click|press|add|get|put|please|todo|tbd|later|supported"
    r"|upper|lower|digits?|symbols?|characters?"
    # The same of other languages, where sentences have an English word for the password as well.
    r"|abgelaufen|gesperrt|falsch|richtig|korrekt|bekannt|unbekannt|hinterlegt|leer|gespeichert|geheim|sicher|unsicher"
    r"|vergessen|erforderlich|notwendig|schwach|stark|kurz|lang|neu|alt|veraltet|aktiv|inaktiv|deaktiviert|nicht|noch"
    r"|identisch|gesetzt|verloren|gleich|immer|hier|dort|bereits|schon|wieder|jetzt|auch|zwingend|pflicht"
    r"|(?:in)?correct[ao]|incorrecte|valid[ao]|invalid[ao]|caducad[ao]|expirad[ao]|bloquead[ao]|vencid[ao]|errad[ao]"
    r"|obligatori[ao]|necesari[ao]|segur[ao]|secret[ao]|debil|fuerte|corta|larga|nueva|vieja|olvidada|perdida|cambiada"
    r"|scadut[ao]|errat[ao]|sbagliat[ao]|vuot[ao]|corrett[ao]|scorrett[ao]|obbligatori[ao]|bloccat[ao]|predefinit[ao]|predeterminad[ao]|dimenticat[ao]|nuova"
    r"|expire|actifs?|actives?|inactifs?|inactives?|obligatoire|requis|requise|faux|fausse|vide|perdu|trop|faible|connu|inconnu|stocke"
    r"|verlopen|onjuist|juist|verkeerd|vergeten|leeg|verplicht|onbekend|bekend|geblokkeerd|opgeslagen|gewijzigd|veranderd|gezet|ingesteld|aangepast|vernieuwd|ongeldig"
    r"|felaktigt|ogiltigt|okant|saknas|feil|ugyldig|forkert|glemt"
)
_PREDICATE_END = (
    r"(?i)\w{2,}(?:ed|ing|able|ible|ful|less|ory|ive|ent|ant|ous|ary|ally|ly|ions?|ments?|ity|ness|ers|ors"
    r"|ists|ised|ized)"
)


@judged
def is_gibberish(value: str) -> bool:
    """Whether the letters of `value` follow one another as random ones do, not as those of words."""
    folded = value[:_JUDGED].lower()
    pairs = list(filter(str.isalpha, map(add, folded, folded[1:])))
    return len(pairs) >= _LEAST_PAIRS and sum(map(_COMMON.__contains__, pairs)) < _LEAST_SHARE * len(pairs)


@judged
def is_predicate(word: str) -> bool:
    """Whether `word` says something about a password rather than being one."""
    return compiled(_PREDICATE).fullmatch(word) is not None or compiled(_PREDICATE_END).fullmatch(word) is not None
