"""Every entry of a collection that is called secrets goes, whatever the language and however the entries are nested."""

from __future__ import annotations

import pytest

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
FIRST, SECOND = "Zzj4pTWRe9SnidDb7d2MR", "pmHFdYrNYvOV3QWqYjDgL"


@pytest.mark.parametrize(
    "text",
    [
        'TOKENS = {"alice": "%s", "bob": "%s"}',
        "API_KEYS = {\n    'alice': '%s',\n    'bob': '%s',\n}",
        'tokens := map[string]string{"a": "%s", "b": "%s"}',
        'keys := []string{"%s", "%s"}  // API keys',
        "def DEPLOY_TOKENS = [\n    user1: '%s',\n    user2: '%s'\n]",
        'List<String> apiKeys = Arrays.asList("%s", "%s");',
        'let tokens: Vec<&str> = vec!["%s", "%s"];',
        '$tokens = array("a" => "%s", "b" => "%s");',
        "const secretsByStage = new Map([['dev', '%s'], ['prod', '%s']]);",
        'WEBHOOK_SECRETS: dict[str, str] = {"a": "%s", "b": "%s"}',
        "if token in ('%s', '%s'):",
        "elif password in ['%s', '%s']:",
        '"signing_keys": {"primary": {"value": "%s", "created": "2024-01-01"}, "secondary": {"value": "%s"}}',
        "tokens = [  # of the two agents\n    '%s',  # first\n    '%s',\n]",
    ],
)
def test_all_entries_of_a_collection_go(text: str) -> None:
    redacted = REDACTOR.redact(text % (FIRST, SECOND)).text
    assert FIRST not in redacted
    assert SECOND not in redacted


def test_of_pairs_the_second_goes_and_of_objects_the_fields_that_are_secrets() -> None:
    assert REDACTOR.redact('credentials = [("jo", "kale12xq"), ("mia", "Harbor!4711")]').text == (
        'credentials = [("jo", "[REDACTED:password]"), ("mia", "[REDACTED:password]")]'
    )
    codes = '"backup_codes": [{"code": "1a2b-3c4d", "created": "2024-01-01"}, {"code": "5e6f-7g8h", "used": "no"}]'
    assert REDACTOR.redact(codes).text == codes.replace("1a2b-3c4d", "[REDACTED:recovery-code]").replace(
        "5e6f-7g8h", "[REDACTED:recovery-code]"
    )


@pytest.mark.parametrize(
    "text",
    [
        'tokens = ["if", "else", "while1", "for2"]',
        'primary_keys = ["tenant_id1", "user_id2"]',
        'keys = {"Enter": "key13", "F1": "key112"}',
        'tokens = tokenizer.encode("the second sentence of chapter 12")',
        '"passwords": {"type": "array", "description": "see page 12"}',
        "SECRETS = {'db': os.environ['DB_SECRET'], 'mail': config.get('mail_secret_2')}",
        'api_keys = {"prod": "arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod-1"}',
        "keys = ['created_at', 'updated_at', 'sha256']",
        "tokens = {'num': [(r'0x[a-fA-F0-9]+', Number.Hex), (r'[0-9]+L', Number.Integer.Long)]}",
        r"tokens = {'root': [(r'(.*::)([a-zA-Z_]\w*)([ \t]*)(\()', bygroups(Name)), (r'\d+[eE][+-]?[0-9]+', Float)]}",
    ],
)
def test_entries_that_are_no_secrets_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text
