"""The value of an object goes if another field of the object has the label of a secret, in any order."""

from __future__ import annotations

import pytest

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
VALUE = "Tq7XbR2mKp9LvZ4w"


@pytest.mark.parametrize(
    "text",
    [
        "- value: %s\n  name: API_TOKEN",
        "- name: API_TOKEN\n  # rotated in May\n  value: %s",
        '{"value": "%s", "name": "API_TOKEN"}',
        '{"Value": "%s", "Type": "String", "Name": "DB_PASSWORD"}',
        '{"key": "db_password", "description": "The password", "secure": true, "value": "%s"}',
        'env {\n  value = "%s"\n  # of staging\n  name  = "SMTP_PASSWORD"\n}',
        "parameters:\n  - name: DbPassword\n    type: string\n    default: %s",
    ],
)
def test_the_value_goes(text: str) -> None:
    assert VALUE not in REDACTOR.redact(text % VALUE).text


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "token", "type": "string", "value": "required"}',
        f'env {{\n  name  = "REVISION"\n  value = "{VALUE}"\n}}\nenv {{\n  name = "API_TOKEN"\n  value = var.token\n}}',
        "- value: eu-central-1\n  name: REGION\n- value: $API_TOKEN\n  name: API_TOKEN",
        "- name: password\n  value:\n    secretKeyRef: {name: db, key: password}",
    ],
)
def test_values_of_other_objects_and_references_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text
