"""Words of which somebody says how to type them are passwords, where the line speaks of getting in."""

from __future__ import annotations

import pytest

from s3memory.redaction import PatternRedactor


@pytest.mark.parametrize(
    "text",
    [
        "Router in the cellar: log in as admin, it's «marzipan» all lowercase.",
        "the vpn takes my user, passphrase on the key is «nine ducks on a tandem» with the spaces",
        "Pour se connecter au NAS : identifiant « atelier », et tu tapes «brouette». Sans majuscule.",
        "a senha do wifi do escritorio eh «pao.de.queijo» tudo minusculo com os pontos",
        "the safe opens with «teapot» (one word)",
    ],
)
def test_a_word_that_is_spelt_out_goes(text: str) -> None:
    before, _, rest = text.partition("«")
    if rest.startswith(" "):  # quotes of the text's own
        middle, _, rest = rest.partition("«")
        before = f"{before}«{middle}"
    secret, _, behind = rest.partition("»")
    redacted = PatternRedactor().redact(f"{before}{secret}{behind}").text
    assert redacted == f"{before}[REDACTED:password]{behind}"


@pytest.mark.parametrize(
    "text",
    [
        "log in as admin, names are all lowercase",
        "the title is written in uppercase",
        "the portal wants names that are lowercase",
        "it's spelled as one word on the sign",
        "passwords must not be all lowercase",
        "the password has to be in lower case",
    ],
)
def test_what_is_said_of_other_words_stays(text: str) -> None:
    assert PatternRedactor().redact(text).text == text
