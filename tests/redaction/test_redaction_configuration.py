"""Redaction as it is configured: a line of the environment, a file in TOML, or off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.made_tokens import npm_token

from s3memory import LocalKeyWrapper, MemoryStore
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError
from s3memory.paths import MemoryPath
from s3memory.redaction import BlockedTextError, PatternRedactor, Redactor
from s3memory.redaction.configuration import parsed_policy, redactor_from_toml

DOCUMENT = """
kinds = ["password", "npm-token", "email"]
budget_seconds = 0.5

[policy]
npm-token = "block"
email = "report"

[allow]
values = ["Harbor!4711x"]
patterns = ["TEST-[0-9]{1,9}!"]
paths = ["/memories/examples/"]

[[rules]]
kind = "ticket"
pattern = "TICKET-[0-9]{1,9}"
keywords = ["TICKET-"]
"""


def configured(**variables: str) -> Redactor | None:
    settings = Settings.from_env({f"S3MEMORY_{name}": value for name, value in variables.items()})
    # What is wrong must show when a store is made, not when a text is first written.
    stored_by, made = settings.redactor(), settings.pattern_redactor()
    assert (repr(stored_by), type(made)) == (repr(made), type(made))
    return made


def test_a_line_is_read_as_a_policy() -> None:
    assert parsed_policy(" card-number=block, email = redact") == {"card-number": "block", "email": "redact"}


@pytest.mark.parametrize("line", ["", "email", "email=", "=off", "email=off,", "email=off,,jwt=off", "jwt=off,jwt=tag"])
def test_a_line_that_is_no_policy_is_a_configuration_error(line: str) -> None:
    with pytest.raises(ConfigurationError):
        parsed_policy(line)


def test_a_document_says_all_that_a_redactor_takes() -> None:
    redactor = redactor_from_toml(DOCUMENT)
    assert redactor.kinds == {"password", "npm-token", "email"}
    assert redactor.budget_seconds == 0.5
    assert redactor.redact("see TICKET-4711").text == "see [REDACTED:ticket]"
    assert redactor.redact("password: Harbor!4711x, TEST-1!").findings == ()
    assert redactor.redact("password: TEST-4711!").findings == ()
    assert redactor.for_write("/memories/examples/a", None).redact("TICKET-1").text == "TICKET-1"
    with pytest.raises(BlockedTextError):
        redactor.redact(npm_token())


def test_an_empty_document_is_all_defaults() -> None:
    assert redactor_from_toml("") == PatternRedactor()


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("policy = 7", "policy"),
        ("[policy]\npassword = 'hide'", "mode"),
        ("[policy]\npasswrd = 'off'", "passwrd"),
        ("[polcy]\n", "polcy is not a field"),
        ("detectors = []", "detectors is not a field"),
        ("tag_key = 'x'", "tag_key is not a field"),
        ("[allow]\nvalue = ['x']", "allow.value"),
        ("allow = ['x']", "allow is a table"),
        ("rules = 'x'", "rules"),
        ("[rules]\nkind = 'x'", "rules"),
        ("[[rules]]\nkind = 'x'", "rule 1: pattern is missing"),
        ("rules = ['x']", "rule 1: it is a table"),
        ("[[rules]]\nkind = 'x'\npattern = '(a+)+'", "rule 1: the pattern of 'x' can match more than 256 characters"),
        (
            "rules = [{kind = 'x', pattern = 'a'}, {kind = 'y', pattern = 'b('}]",
            "rule 2: the pattern of 'y' .* position 1",
        ),
        ("[[rules]]\nkind = 'x'\npattern = 'a'\nflags = 2", "rule 1: flags is not a field"),
        ("kinds = 'password'", "kinds"),
        ("kinds = ['passwords']", "passwords"),
        ("kinds = ['jwt']\n[policy]\npassword = 'block'", "'password' is in the policy and not among kinds"),
        ("kinds = ['jwt']\n[policy]\nemail = 'redact'", "'email' is in the policy and not among kinds"),
        ("allow = {paths = ['memories/a']}", "does not begin with /memories/"),
        ("allow = {paths = ['/memories/a/../b']}", "matches nothing: write '/memories/b'"),
        ("budget_seconds = 0", "budget_seconds"),
        ("budget_seconds = true", "budget_seconds"),
        ("budget_seconds = inf", "budget_seconds"),
        ("budget_seconds = nan", "budget_seconds"),
        ("kinds = []", "kinds is empty, so nothing would be redacted"),
        ("[kinds]\n", "kinds is a collection"),
        ("kinds = {password = 1}", "kinds is a collection"),
        ("allow = {values = {a = 1}}", "values of an allow-list"),
        ("values = [", "not TOML at end of document$"),
        ("kinds = []\nallow : hunter2", "not TOML at line 2, column 7$"),
        (f"budget_seconds = {'1' * 5_000}", "not TOML$"),
    ],
)
def test_a_malformed_document_is_a_configuration_error_that_says_what(document: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        redactor_from_toml(document)


@pytest.mark.parametrize("value", ["kinds = [7]", "budget_seconds = 'x'", "[policy]\npassword = 7"])
def test_a_value_of_another_type_is_a_configuration_error(value: str) -> None:
    with pytest.raises(ConfigurationError):
        redactor_from_toml(value)


def test_an_error_about_a_document_shows_no_value_of_its_allow_list() -> None:
    for document in ('[allow]\nvalues = ["Harbor!4711x", 7]', '[allow]\nvalues = ["Harbor!4711x"\n'):
        with pytest.raises(ConfigurationError) as caught:
            redactor_from_toml(document)
        assert "Harbor" not in str(caught.value)
        assert caught.value.__cause__ is None


# From the environment.


def test_without_settings_the_redactor_is_the_default_one() -> None:
    assert configured() == PatternRedactor()
    assert configured(REDACTION="on") == PatternRedactor()
    assert configured(REDACTION="off") is None


def test_the_policy_is_set_by_a_variable() -> None:
    assert configured(REDACTION_POLICY="password=off,email=redact") == PatternRedactor(
        policy={"password": "off", "email": "redact"}
    )


def test_a_policy_that_is_wrong_is_told_when_settings_are_read() -> None:
    with pytest.raises(ConfigurationError, match="S3MEMORY_REDACTION_POLICY"):
        configured(REDACTION_POLICY="passwrd=off")


def test_a_file_may_begin_with_the_mark_that_editors_of_windows_write(tmp_path: Path) -> None:
    file = tmp_path / "redaction.toml"
    file.write_text(DOCUMENT, "utf-8-sig")
    assert configured(REDACTION_FILE=str(file)) == redactor_from_toml(DOCUMENT)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("absent", "names a file that can't be read: No such file or directory"),
        (".", "names a file that can't be read: Is a directory"),
        ("latin", "is malformed: the file is not in UTF-8"),
        ("utf-16", "is malformed: the file is not in UTF-8 (older PowerShells write UTF-16)"),
    ],
)
def test_a_file_that_can_not_be_read_is_told_with_the_reason(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "latin").write_bytes(b"# caf\xe9")
    (tmp_path / "utf-16").write_text(DOCUMENT, "utf-16")
    with pytest.raises(ConfigurationError, match=re.escape(f"S3MEMORY_REDACTION_FILE {reason}")):
        configured(REDACTION_FILE=str(tmp_path / name))


def test_everything_is_set_by_a_file(tmp_path: Path) -> None:
    file = tmp_path / "redaction.toml"
    file.write_text(DOCUMENT, "utf-8")
    assert configured(REDACTION_FILE=str(file)) == redactor_from_toml(DOCUMENT)
    file.write_text("[policy]\npasswrd = 'off'", "utf-8")
    with pytest.raises(ConfigurationError, match="S3MEMORY_REDACTION_FILE"):
        configured(REDACTION_FILE=str(file))


def test_a_policy_and_a_file_contradict_each_other(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="both set"):
        configured(REDACTION_POLICY="password=off", REDACTION_FILE=str(tmp_path / "x.toml"))


def test_a_store_of_the_environment_redacts_as_it_says(bucket: str) -> None:
    settings = Settings.from_env(
        {
            "S3MEMORY_BUCKET": bucket,
            "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
            "S3MEMORY_REDACTION_POLICY": "password=off,npm-token=tag",
        }
    )
    store = MemoryStore.from_settings(settings, tenant="acme")
    written = store.create(MemoryPath.parse("/memories/a"), f"password: Harbor!4711x {npm_token()}")
    assert written.text.startswith("password: Harbor!4711x [REDACTED:npm-token#")
