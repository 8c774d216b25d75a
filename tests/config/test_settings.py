"""Settings from the environment: missing, malformed and contradictory ones are named, and no value is shown."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.for_each import for_each
from support.reported import shown_locals
from support.repository import REPOSITORY

from s3memory import AsyncS3MemoryTool, KmsKeyWrapper, LocalKeyWrapper, MemoryCommands, MemoryStore, S3MemoryTool
from s3memory.adapters.mcp.settings import Tenants
from s3memory.config.settings import Settings
from s3memory.config.variables import VARIABLES
from s3memory.errors import ConfigurationError

KEY_TEXT = base64.b64encode(bytes(range(32))).decode()
MINIMAL = {"S3MEMORY_BUCKET": "agent-memory", "S3MEMORY_TENANT": "acme", "S3MEMORY_LOCAL_KEY": KEY_TEXT}


def test_three_variables_are_enough() -> None:
    tool = S3MemoryTool.from_env(environ=MINIMAL)
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    store = MemoryStore.from_settings(Settings.from_env(MINIMAL))
    assert store.tenant == "acme"
    assert not store.read_only
    assert store.texts.redactor is not None


@pytest.mark.parametrize("make", [S3MemoryTool.from_env, AsyncS3MemoryTool.from_env, MemoryCommands.from_env])
def test_everything_can_be_created_from_the_environment(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in MINIMAL.items():
        monkeypatch.setenv(name, value)
    assert make() is not None
    assert make(tenant="globex") is not None


def test_the_tenant_given_by_the_program_takes_precedence() -> None:
    assert MemoryStore.from_settings(Settings.from_env(MINIMAL), tenant="globex").tenant == "globex"


WRONG: list[tuple[dict[str, str], str]] = [
    ({"S3MEMORY_BUCKET": ""}, "S3MEMORY_BUCKET"),
    ({"S3MEMORY_BUCKET": "Not A/Bucket"}, "S3MEMORY_BUCKET"),
    ({"S3MEMORY_BUCKET": "arn:aws:s3:::agent-memory"}, "S3MEMORY_BUCKET is malformed: bucket must be the name"),
    ({"S3MEMORY_ENDPOINT_URL": "http://127.0.0.1:abc"}, "S3MEMORY_ENDPOINT_URL"),
    ({"S3MEMORY_TENANT": ""}, "no tenant is named: pass --tenant (in Python, tenant=), or set S3MEMORY_TENANT"),
    ({"S3MEMORY_LOCAL_KEY": ""}, "S3MEMORY_KMS_KEY_ID is not set, nor is S3MEMORY_LOCAL_KEY"),
    ({"S3MEMORY_LOCAL_KEY": "not base64!"}, "S3MEMORY_LOCAL_KEY"),
    ({"S3MEMORY_LOCAL_KEY": base64.b64encode(b"short").decode()}, "S3MEMORY_LOCAL_KEY"),
    ({"S3MEMORY_LOCAL_KEY": "", "S3MEMORY_LOCAL_KEY_FILE": "/nowhere/at/all"}, "S3MEMORY_LOCAL_KEY_FILE"),
    ({"S3MEMORY_KMS_KEY_ID": "alias/k"}, "S3MEMORY_KMS_KEY_ID and S3MEMORY_LOCAL_KEY"),
    ({"S3MEMORY_LOCAL_KEY_FILE": "f"}, "S3MEMORY_LOCAL_KEY and S3MEMORY_LOCAL_KEY_FILE"),
    ({"S3MEMORY_LOCAL_KEY": "", "S3MEMORY_KMS_ENDPOINT_URL": "http://127.0.0.1:1"}, "S3MEMORY_KMS_ENDPOINT_URL"),
    ({"S3MEMORY_TENANT_EXTERNAL_ID": "id-1"}, "S3MEMORY_TENANT_EXTERNAL_ID is set, but S3MEMORY_TENANT_ROLE_ARN"),
    ({"S3MEMORY_REDACTION": "off", "S3MEMORY_REDACTION_POLICY": "jwt=block"}, "S3MEMORY_REDACTION_POLICY is set"),
    ({"S3MEMORY_REDACTION": "off", "S3MEMORY_REDACTION_FILE": "f"}, "S3MEMORY_REDACTION_FILE is set"),
    ({"S3MEMORY_TOUCH_AFTER_DAYS": "9" * 400}, "S3MEMORY_TOUCH_AFTER_DAYS"),
    ({"S3MEMORY_ENDPOINT_URL": "http://127.0.0.1\n/"}, "S3MEMORY_ENDPOINT_URL"),
    ({"S3MEMORY_ENDPOINT_URL": "http://a b/"}, "S3MEMORY_ENDPOINT_URL"),
    ({"S3MEMORY_ENDPOINT_URL": "http://127.0.0.1:9/\udcff"}, "S3MEMORY_ENDPOINT_URL"),
    ({"S3MEMORY_NAME_MODE": "secret"}, "S3MEMORY_NAME_MODE"),
    ({"S3MEMORY_READ_ONLY": "maybe"}, "S3MEMORY_READ_ONLY"),
    ({"S3MEMORY_OVERWRITE": "2"}, "S3MEMORY_OVERWRITE"),
    ({"S3MEMORY_REDACTION": "maybe"}, "S3MEMORY_REDACTION"),
    ({"S3MEMORY_MAX_FILE_BYTES": "-1"}, "S3MEMORY_MAX_FILE_BYTES"),
    ({"S3MEMORY_MAX_VIEW_CHARS": "ten"}, "S3MEMORY_MAX_VIEW_CHARS"),
    ({"S3MEMORY_MAX_VIEW_CHARS": "10"}, "S3MEMORY_MAX_VIEW_CHARS"),
    ({"S3MEMORY_KEY_CACHE_SECONDS": "0"}, "S3MEMORY_KEY_CACHE_SECONDS"),
    ({"S3MEMORY_CHECKSUMS": "never"}, "S3MEMORY_CHECKSUMS"),
    ({"S3MEMORY_PREFIX": "no-slash"}, "S3MEMORY_PREFIX"),
    ({"S3MEMORY_TENANT": "a/b"}, "S3MEMORY_TENANT"),
    ({"S3MEMORY_ENDPOINT_URL": "not a url"}, "S3MEMORY_ENDPOINT_URL"),
    ({"S3MEMORY_ENDPOINT_URL": "https://host/path?query=1"}, "S3MEMORY_ENDPOINT_URL"),
    ({"S3MEMORY_BUKET": "x"}, "S3MEMORY_BUKET is not a setting of s3memory; did you mean S3MEMORY_BUCKET?"),
    ({"S3MEMORY_FOO": "x"}, "S3MEMORY_FOO is not a setting of s3memory"),
    ({"S3MEMORY_XYZZY": "x"}, "S3MEMORY_XYZZY is not a setting of s3memory"),
]


@for_each(("change", "named"), WRONG)
def test_a_wrong_setting_is_reported_by_its_variable(change: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        MemoryCommands.from_env(environ=MINIMAL | change)
    assert named in str(caught.value)
    assert KEY_TEXT not in str(caught.value)


SECRETS = {"AWS_SECRET_ACCESS_KEY": "Hq3vVb9t0kRr", "AWS_SESSION_TOKEN": "Zx81kkQw77Lm"}
WRONG_KEYS = ["not base64!", f"{KEY_TEXT},AAAA", KEY_TEXT[:-1], base64.b64encode(b"0123" * 8).decode()]


@pytest.mark.parametrize("change", [*(one for one, _ in WRONG), *({"S3MEMORY_LOCAL_KEY": key} for key in WRONG_KEYS)])
def test_no_report_of_a_settings_error_shows_a_secret_among_local_variables(
    change: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = MINIMAL | SECRETS | change
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    secrets = {*SECRETS.values(), KEY_TEXT, repr(bytes(range(32)))[2:-1], environ["S3MEMORY_LOCAL_KEY"]} - {""}
    made: list[Callable[[], object]] = [
        lambda: S3MemoryTool.from_env(environ=environ),
        S3MemoryTool.from_env,
        lambda: MemoryCommands.from_env(environ=environ),
        MemoryCommands.from_env,
        lambda: Settings.from_env().key_wrapper(),
    ]
    if "S3MEMORY_TENANT" not in change:  # a server needs no tenant
        made.append(lambda: Tenants(environ))
    for make in made[: 4 if change.keys() & {"S3MEMORY_BUCKET", "S3MEMORY_TENANT"} else None]:
        with pytest.raises(ConfigurationError) as caught:
            make()
        shown = shown_locals(caught.value)
        assert shown
        assert not [secret for secret in secrets if secret in shown]


@pytest.mark.parametrize("text", [*WRONG_KEYS, None, b"bytes", ""])
def test_no_report_of_an_error_in_a_key_from_a_file_or_the_program_shows_it(text: Any, tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text(str(text))
    environ = {"S3MEMORY_BUCKET": "agent-memory", "S3MEMORY_LOCAL_KEY_FILE": str(key_file)}
    made: list[Callable[[], object]] = [
        lambda: Settings.from_env(environ).key_wrapper(),
        lambda: LocalKeyWrapper.from_text(text),
    ]
    for make in made:
        with pytest.raises(ConfigurationError) as caught:
            make()
        assert not text or str(text) not in shown_locals(caught.value)
    with pytest.raises(ConfigurationError) as caught:
        LocalKeyWrapper(bytes(range(32)), b"0123" * 8)
    shown = shown_locals(caught.value)
    assert "0123" not in shown
    assert "\\x02\\x03" not in shown


@pytest.mark.parametrize("key", ["not base64!", "AAAA", f"{KEY_TEXT},AAAA", ",", "\u00e9", KEY_TEXT[:-1]])
def test_a_malformed_local_key_is_refused_when_the_settings_are_read(key: str) -> None:
    with pytest.raises(ConfigurationError, match="S3MEMORY_LOCAL_KEY is malformed") as caught:
        Settings.from_env({"S3MEMORY_LOCAL_KEY": key})
    assert key == "," or key not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("name", ["BUCKET", "TENANT", "TRANSPORT", "READ_ONLY", "MCP_AUDIENCE", "MCP_TENANT_CLAIM"])
def test_invisible_white_space_is_reported(name: str) -> None:
    """A file with Windows line ends has it after each value."""
    with pytest.raises(ConfigurationError, match=f"^S3MEMORY_{name} is malformed: .*; white space is around it$"):
        Settings.from_env({f"S3MEMORY_{name}": "fast\r"})
    with pytest.raises(ConfigurationError, match=r"^S3MEMORY_READ_ONLY is malformed: .*no or 0$"):
        Settings.from_env({"S3MEMORY_READ_ONLY": "fast"})


@pytest.mark.parametrize("prefix", ["../", "a/../b/", "./", "a/./", "a/b/../", "a", "/a/", "a//b/", "\u00e9/"])
def test_a_prefix_that_could_be_resolved_to_another_is_refused_when_the_settings_are_read(prefix: str) -> None:
    with pytest.raises(ConfigurationError, match="S3MEMORY_PREFIX is malformed"):
        Settings.from_env({"S3MEMORY_PREFIX": prefix})
    with pytest.raises(ConfigurationError, match="prefix must"):
        MemoryStore(bucket="agent-memory", tenant="acme", prefix=prefix, key_wrapper=LocalKeyWrapper(bytes(range(32))))


@pytest.mark.parametrize("prefix", ["", ".../", "a../", "..a/b.c/", "a/"])
def test_dots_within_the_segments_of_a_prefix_are_allowed(prefix: str) -> None:
    assert Settings.from_env({"S3MEMORY_PREFIX": prefix}).get("PREFIX", "") == prefix


def test_a_key_file_may_have_the_format_of_windows_programs(tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    environ = {"S3MEMORY_BUCKET": "agent-memory", "S3MEMORY_LOCAL_KEY_FILE": str(key_file)}
    key_file.write_bytes(b"\xef\xbb\xbf" + KEY_TEXT.encode() + b"\r\n")
    assert Settings.from_env(environ).key_wrapper().name == "local"
    key_file.write_bytes(KEY_TEXT.encode("utf-16"))
    with pytest.raises(ConfigurationError, match="not in UTF-8"):
        Settings.from_env(environ).key_wrapper()


def test_the_error_for_a_key_file_says_why_it_cannot_be_read(tmp_path: Path) -> None:
    environ = {"S3MEMORY_BUCKET": "agent-memory", "S3MEMORY_LOCAL_KEY_FILE": str(tmp_path / "missing")}
    with pytest.raises(ConfigurationError, match="can't be read: No such file"):
        Settings.from_env(environ).key_wrapper()


def test_every_setting_has_its_effect(tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text(f"{KEY_TEXT}\n{LocalKeyWrapper.generate_key_text()}\n")
    environ = {
        "S3MEMORY_BUCKET": "agent-memory",
        "S3MEMORY_TENANT": "acme",
        "S3MEMORY_PREFIX": "team/",
        "S3MEMORY_LOCAL_KEY_FILE": str(key_file),
        "S3MEMORY_ENDPOINT_URL": "http://127.0.0.1:9",
        "S3MEMORY_NAME_MODE": "encrypted",
        "S3MEMORY_MAX_FILE_BYTES": "1000",
        "S3MEMORY_MAX_VIEW_CHARS": "5000",
        "S3MEMORY_READ_ONLY": "true",
        "S3MEMORY_REDACTION": "off",
        "S3MEMORY_KEY_CACHE_SECONDS": "60",
        "S3MEMORY_CHECKSUMS": "when_required",
    }
    store = MemoryStore.from_settings(Settings.from_env(environ))
    assert store.objects.identity == ("http://127.0.0.1:9", "agent-memory")
    assert store.objects.layout.intents_prefix == "team/intents/acme/"
    assert store.key_ring.object_key == "team/keyrings/acme"
    assert store.key_ring.name_mode == "encrypted"
    assert store.key_ring.ttl_seconds == 60
    assert (store.limits.max_file_bytes, store.limits.max_view_chars) == (1000, 5000)
    assert store.read_only
    assert store.texts.redactor is None


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:s3:eu-central-1:111122223333:accesspoint/agents",
        "arn:aws-iso-b:s3:us-isob-east-1:111122223333:accesspoint/agents",
        "agents-abcdefghijkl1234-s3alias",
    ],
)
def test_an_access_point_can_replace_a_bucket(arn: str) -> None:
    assert Settings.from_env({"S3MEMORY_BUCKET": arn}).bucket == arn


@pytest.mark.parametrize(
    ("bucket", "reason"),
    [
        ("arn:aws:s3::111122223333:accesspoint/mfzwi23gnjvgw.mrap", "replica"),
        ("arn:aws-us-gov:s3-outposts:us-gov-west-1:111122223333:outpost/op-1/accesspoint/agents", "not supported"),
        ("arn:aws:s3-object-lambda:eu-central-1:111122223333:accesspoint/agents", "other bytes"),
        ("agents--use1-az4--x-s3", "versions"),
    ],
)
def test_buckets_without_conditions_versions_or_order_are_refused_with_the_reason(bucket: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=f"S3MEMORY_BUCKET is malformed: .*{reason}"):
        Settings.from_env({"S3MEMORY_BUCKET": bucket})


def test_a_kms_key_is_used_through_its_endpoint() -> None:
    environ = {
        "S3MEMORY_KMS_KEY_ID": "alias/k",
        "S3MEMORY_KMS_ENDPOINT_URL": "http://127.0.0.1:9",
    }
    wrapper = Settings.from_env(environ).key_wrapper()
    assert wrapper == KmsKeyWrapper("alias/k", endpoint_url="http://127.0.0.1:9")


def test_each_tenant_can_have_its_own_kms_key() -> None:
    environ = {"S3MEMORY_KMS_KEY_ID": "alias/new-{tenant}, alias/agent-memory", "S3MEMORY_TENANT": "acme"}
    settings = Settings.from_env(environ)
    assert settings.kms_key_ids() == ("alias/new-acme", "alias/agent-memory")
    assert settings.key_wrapper(tenant="globex") == KmsKeyWrapper("alias/new-globex", "alias/agent-memory")


@pytest.mark.parametrize("key", ["alias/{Tenant}", "alias/{tenant", "alias/{}", "alias/{0}", "alias/{{tenant}}"])
def test_a_kms_key_contains_no_other_placeholder(key: str) -> None:
    with pytest.raises(ConfigurationError, match="S3MEMORY_KMS_KEY_ID is malformed"):
        Settings.from_env({"S3MEMORY_KMS_KEY_ID": key})


def test_a_tenant_that_no_alias_can_name_is_refused() -> None:
    settings = Settings.from_env({"S3MEMORY_KMS_KEY_ID": "alias/memory-{tenant}"})
    with pytest.raises(ConfigurationError, match="dot"):
        settings.key_wrapper(tenant="acme.example")
    with pytest.raises(ConfigurationError, match="no tenant is named"):
        settings.key_wrapper()


def test_settings_show_no_values() -> None:
    settings = Settings.from_env(MINIMAL)
    assert repr(settings) == "Settings(BUCKET, LOCAL_KEY, TENANT)"


def test_an_empty_variable_counts_as_not_set() -> None:
    assert Settings.from_env({variable.full_name: "" for variable in VARIABLES}).values == {}


def test_other_programs_variables_are_ignored() -> None:
    assert Settings.from_env({"S3MEM": "x", "AWS_REGION": "y"}).values == {}


@pytest.mark.parametrize("name", ["READ_ONLY", "OVERWRITE", "REDACTION"])
@pytest.mark.parametrize(
    ("words", "meant"), [(("true", "True", "on", "ON", "yes", "1"), True), (("false", "Off", "no", "0"), False)]
)
def test_every_switch_accepts_the_same_words(name: str, words: tuple[str, ...], *, meant: bool) -> None:
    assert {Settings.from_env({f"S3MEMORY_{name}": word}).get(name) for word in words} == {meant}
    page = (REPOSITORY / "docs" / "reference" / "settings.md").read_text("utf-8")
    assert all(f"`{word.lower()}`" in page for word in words)


def test_an_invalid_tenant_is_refused_so_that_a_missing_claim_opens_no_memory() -> None:
    environ = {**MINIMAL, "S3MEMORY_TENANT": "acme"}
    for tool in (MemoryCommands, S3MemoryTool):
        with pytest.raises(ConfigurationError, match=r"^tenant is None: pass a tenant's name"):
            tool.from_env(tenant=None, environ=environ)
    assert MemoryCommands.from_env(environ=environ).store.tenant == "acme"
