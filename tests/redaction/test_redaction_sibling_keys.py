"""Keys beside a key that was found go with it: those of the same list, whose labels are names of tools alone."""

from __future__ import annotations

import pytest
from support.for_each import for_each
from support.redaction_samples import secrets_of, without_marks

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
HEX, OTHER = "b162d518c7dd5a1e8c05eb82ae65d289", "0c9e5f7a2d4b61838e1fa7c3d5b90e42"
THIRD = "6bf18297c04fc36f56219ccc5879642c"
COMMIT = "1ab155e7352678cf36eb748b9f4b69bb1eab4f4f"
TOKEN = "d4f8638d981264a124f6c596176412fb3fac1d1c"
MIXED, MIXED_TOO = "SDlySENfTB8KsDRczx5G0LWJMpqF6dh8", "AXV1RQmx7GwsSdV7pm2O171tugFtIOlVH6QH1qx"


@for_each(
    "text",
    (
        f"alpha api key \u00ab{HEX}\u00bb, beta \u00ab{OTHER}\u00bb",
        f"api key alpha \u00ab{HEX}\u00bb and beta \u00ab{OTHER}\u00bb",
        f"alpha \u00ab{MIXED}\u00bb / beta token \u00ab{MIXED_TOO}\u00bb",
        f"tokens for the cluster: alpha \u00ab{MIXED}\u00bb; beta \u00ab{MIXED_TOO}\u00bb",
        f"datadog: api \u00ab{HEX}\u00bb app \u00ab{TOKEN}\u00bb site datadoghq.eu",
        f"# API keys\n- alpha \u00ab{HEX}\u00bb on 8686\n- beta \u00ab{OTHER}\u00bb\n- gamma \u00ab{THIRD}\u00bb",
        f"- alpha \u00ab{HEX}\u00bb\n- beta api key \u00ab{OTHER}\u00bb\n- gamma \u00ab{THIRD}\u00bb",
        f"Keys\n====\nalpha   \u00ab{HEX}\u00bb\nbeta    \u00ab{OTHER}\u00bb",
        f"API keys\n--------\nalpha   \u00ab{HEX}\u00bb\nbeta    \u00ab{OTHER}\u00bb",
        f"tokens of the tenants, in order:\n1. \u00ab{OTHER}\u00bb\n2. \u00ab{HEX}\u00bb",
        f"1. alpha \u00ab{MIXED}\u00bb\n2. beta token \u00ab{MIXED_TOO}\u00bb",
        f"| alpha | \u00ab{HEX}\u00bb | 80 |\n| beta token | \u00ab{OTHER}\u00bb | 81 |",
    ),
)
def test_the_labelled_values_of_a_list_go_with_one_that_is_called_a_secret(text: str) -> None:
    redacted = REDACTOR.redact(without_marks(text)).text
    assert not [secret for secret in secrets_of(text) if secret in redacted]
    assert redacted.count("[REDACTED:") == len(secrets_of(text))
    assert REDACTOR.redact(redacted).text == redacted


@for_each("label", ("commit", "build", "order", "trace", "request id", "sha", "customer", "tenant", "repo", "client"))
@pytest.mark.parametrize(
    "form", ["{} {}, deploy token {}", "- {} {}\n- deploy token {}", "| {} | {} |\n| token | {} |"]
)
def test_what_its_label_calls_an_id_or_a_thing_stays(label: str, form: str) -> None:
    text = form.format(label, HEX, OTHER)
    assert HEX in REDACTOR.redact(text).text, text
    assert OTHER not in REDACTOR.redact(text).text, text


@for_each(
    "text",
    (
        f"- alpha token {HEX}\n- web {COMMIT}",  # made otherwise
        f"alpha token {HEX}, see the report of yesterday about {OTHER}",  # no label
        f'{{"token": "{HEX}", "nonce": "{OTHER}"}}',  # fields
        f"AUTH_TOKEN={HEX} SCHEMA={OTHER}",
        f"alpha token {HEX}\n\n- beta {OTHER}",  # another list
        f"* alpha token {HEX}\n1. beta {OTHER}",
        f"alpha token {HEX}, beta {OTHER} (commit)",
        f"algolia: app BDN2152U9J, search-only {OTHER}, admin {HEX}",
    ),
)
def test_what_is_no_item_of_the_same_list_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text.replace(HEX, "[REDACTED:secret]")
