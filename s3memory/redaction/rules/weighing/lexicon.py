"""Words that say what is near them, by what they say: the model learns from "says that something is opened" at once."""

from __future__ import annotations

from functools import cache

_KINDS = {
    "login": (
        "login log logs logon signin sign signs account accounts acct portal user users username admin "
        "administrator mailbox webmail console dashboard credentials creds cpanel router wifi wlan ssid vpn rdp ssh "
        "ftp sftp smtp server laptop ipad tablet kiosk screen workstation app machine box pc mac phone nas konto "
        "compte cuenta conta utente benutzer anmeldung zugang acceso acc\u00e8s accesso acesso usuario usu\u00e1rio "
        "gebruiker konta u\u017cytkownik k\u00e4ytt\u00e4j\u00e4 felhaszn\u00e1l\u00f3 cont hesap "
        "kullan\u0131c\u0131 ra\u010dun \u043b\u043e\u0433\u0438\u043d \u0432\u0445\u043e\u0434 "
        "\u0432\u043e\u0439\u0442\u0438 \u0430\u043a\u043a\u0430\u0443\u043d\u0442 "
        "\u0443\u0447\u0451\u0442\u043a\u0430 \u03c3\u03cd\u03bd\u03b4\u03b5\u03c3\u03b7 "
        "\u05d7\u05e9\u05d1\u05d5\u05df \u05db\u05e0\u05d9\u05e1\u05d4 \u062d\u0633\u0627\u0628 "
        "\u062f\u062e\u0648\u0644"
    ),
    "lock": (
        "door doors gate garage keypad alarm safe locker lockbox padlock panel code codes pin pins passcode "
        "combination combo disarm arm entry keybox gatehouse barrier lift elevator vault strongroom cabinet "
        "t\u00fcr tor alarmanlage tresor porte portail digicode coffre puerta port\u00f3n alarma caja porta "
        "cancello cassaforte deur kluis drzwi kod szyfr d\u00f6rr kode ovi dve\u0159e ajt\u00f3 kapu u\u0219\u0103 "
        "kap\u0131 kasa vrata \u043a\u043e\u0434 \u0434\u0432\u0435\u0440\u044c "
        "\u0434\u043e\u043c\u043e\u0444\u043e\u043d \u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2 "
        "\u03c0\u03cc\u03c1\u03c4\u03b1 \u05e7\u05d5\u05d3 \u05d3\u05dc\u05ea \u0631\u0645\u0632 "
        "\u0627\u0644\u0628\u0627\u0628"
    ),
    "enter": (
        "enter enters entered type types typed typing punch key keyed opens open unlock unlocks unlocked gets get "
        "got past in into use uses used using dial press tap answer answers say says accepts accept works worked "
        "takes asks wants needs give gave try tried put join joins"
    ),
    "change": (
        "changed change reset resets rotated rotate picked chose chosen set sets switched went back still now new "
        "old temporary temp current currently was became turned updated revert reverted default factory initial"
    ),
    "password": (
        "password passwords passwort kennwort pass pw pwd pswd passphrase phrase secret secrets psk passcode mdp "
        "motdepasse contrase\u00f1a clave senha parola wachtwoord has\u0142o l\u00f6senord passord adgangskode "
        "salasana jelsz\u00f3 parol\u0103 \u015fifre lozinka heslo \u043f\u0430\u0440\u043e\u043b\u044c "
        "\u043f\u0430\u0440\u043e\u043b\u044f \u043f\u0430\u0440\u043e\u043b\u0435\u043c "
        "\u05e1\u05d9\u05e1\u05de\u05d4 \u05e1\u05d9\u05e1\u05de\u05d0 \u0627\u0644\u0645\u0631\u0648\u0631"
    ),
    "thing": (
        "order orders invoice ref reference ticket issue id ids number no nr tracking model part serial version "
        "release build commit hash sku item product flight room table figure section chapter port channel error "
        "status page line step bug pr file files image tag branch postcode zip tel ext call mobile fax date year "
        "age size weight price cost total amount qty route bus seat track bestellung rechnung commande pedido "
        "factura fattura bestelling zam\u00f3wienie"
    ),
    "code": (
        "import def return class const let var function if else for while true false null none self public private "
        "static void int string"
    ),
    "token": (
        "token api key secret webhook bearer credential pat seed recovery backup voucher activation licence license "
        "authentication verification otp 2fa mfa totp"
    ),
}
PREFIX = 8
"""Words are told by so many of their first letters."""


@cache
def _kinds() -> dict[str, tuple[str, ...]]:
    kinds: dict[str, tuple[str, ...]] = {}
    for name, words in _KINDS.items():
        for start in {form[:PREFIX] for word in words.split() for form in (word, f"{word}s")}:
            kinds[start] = (*kinds.get(start, ()), name)
    return kinds


def kinds_of(words: set[str]) -> set[str]:
    """Return what `words`, in small letters and no longer than `PREFIX`, say of what is near them."""
    kinds = _kinds()
    return {name for word in kinds.keys() & words for name in kinds[word]}
