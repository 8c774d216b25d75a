"""What is told to be a secret by a name behind it is read as if it stood behind that name."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


@for_each("value", ["cobalt_ferry", "Juniper-Raft", "pewter61", "hornbeam", "602281"])
@for_each(
    "text",
    [
        "{} is the wifi password in the annex.",
        "{} is the wifi key, since Tuesday",
        "{} was our admin password",
        "{} is still the root password on the spare box",
        "Use {} as the passphrase for the archive.",
        "we are using {} as the database password",
        "they picked {} as the guest password in spring",
        "{} works as the sudo password too",
        "{} \u2014 that's the alarm password.",
        "{}; root password of the spare box",
        "{} <- staging password",
        "{} // mail password",
        "{} (wifi password of the annex)",
        "{} ist das Passwort vom Drucker",
        "Nimm {} als Kennwort f\u00fcr den Ordner",
        "{} est le mot de passe du bureau",
        "Usa {} como contrase\u00f1a",
        "{} \u00e8 la password del magazzino",
        "{} is het wachtwoord van de schuur",
        "{} will be the new guest password from May",
        "{} again, that is the admin password",
        "tried {} for the admin password",
        "{} je heslo k wifi",
        "Anv\u00e4nd {} som l\u00f6senord",
        "{} a jelsz\u00f3",
        "{} \u2014 \u044d\u0442\u043e \u043f\u0430\u0440\u043e\u043b\u044c \u043e\u0442 \u043f\u043e\u0447\u0442\u044b",
    ],
)
def test_what_is_said_to_be_the_password_goes_in_front_of_its_name(text: str, value: str) -> None:
    assert value not in redacted(text.format(value))


@for_each("value", ["KX-Sigma-0147-amber", "RW-Oriel-2209-slate"])
@for_each("text", ["{} is our license key", "{} is still the alarm code", "{} (garage code)"])
def test_a_value_of_any_form_goes_in_front_of_the_name_of_a_key_or_a_code(text: str, value: str) -> None:
    assert value not in redacted(text.format(value))


@for_each("text", ["{} is the alarm code", "{}; door code", "{} (garage code)", "{} \u2014 that's the gate code."])
def test_a_number_goes_in_front_of_the_name_of_a_code(text: str) -> None:
    assert "6107" not in redacted(text.format("6107"))


@for_each(
    "text",
    [
        "My surname is the password",
        "Is harvest17 the password?",
        "harvest17 is one of the most common passwords",
        "shipment2027, the password for root: see the vault",
        "the modem is Vlinder-88, the password is on the back",
        "scrypt is the default password hasher",
        "Patience is the key to good bread",
        "hardcoded_name is the password field",
        "methods = ['passkey7', 'password']",
        "md5 9f2c1ab07d3e9f2c1ab07d3e9f2c1ab0 (file list_password.zip)",
        "client id 7f7c66a1-0d7f-4e55-9c52-3a1a5f3b8d11, without the secret",
        "Choose a new password",
        "chip ATSHA158A (crypto auth, holds keys)",
        "the format is changed to pass the filter down",
        "Sobre as senhas da casa",
        "Hund hei\u00dft Kennwort",
        "login(prompt[, stream]) - Prompt for a password",
    ],
)
def test_what_a_name_behind_it_does_not_tell_stays(text: str) -> None:
    assert redacted(text) == text


@for_each("value", ["Juniper-Raft4", "pewter61", "k3Jd92Kd8sLq01ZpWm", "0620f7fb58f9eb66270999b49e61fbd1"])
@for_each(
    "text",
    [
        "{} remains the root password",
        "{} is the user password of the server",
        "{} is the server password",
        "{} became our wifi password",
        "{} was set as the root password",
        "{} has been set as password",
        "{} is used as password",
        "{} is what we use as the password",
        "enter {} when asked for the password",
        "type {} if it wants the password",
        "Server 3: {} is the password",
        "{}, das ist das Passwort",
        "{} lautet das Passwort",
        "{} est le mot de passe",
        "{} l\u00e0 m\u1eadt kh\u1ea9u",
        "{} \ube44\ubc00\ubc88\ud638\uc785\ub2c8\ub2e4",
    ],
)
def test_what_another_verb_says_to_be_the_password_goes_as_well(text: str, value: str) -> None:
    assert value not in redacted(text.format(value))


@for_each(
    "text",
    [
        "If somebody asks for your password, hang up",
        "Press Ctrl+C when it asks for the password",
        "Hit F12 when it asks for the password",
        "RFC2898 for the password",
        "Python3 for passwords",
        "RFC9421 is the standard.",
        "RS256 is the algorithm for the token",
        "GS1-128 (Standard to encode information)",
        "GS1-128 (made by code).",
        "login2 asks when it wants the password",
        "Argon2 is used as the password hash.",
        "Tokens are used as passwords.",
        "The default remains the password from spring",
        "a new overload of `cast_v2`, which allows to pass",
        "It fails on web-12, that is the password check",
    ],
)
def test_what_is_asked_for_or_used_as_something_else_stays(text: str) -> None:
    assert redacted(text) == text
