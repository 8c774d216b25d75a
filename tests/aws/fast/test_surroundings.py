"""The AWS configuration of a process: its sources, and that any setting that cannot be followed is refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import botocore.session
import pytest
from support.reported import shown_locals
from support.wire_server import WireServer, answer, error_answer

from s3memory import MemoryCommands, MemoryStore, forget_clients
from s3memory.aws import clients, sessions
from s3memory.aws.errors import RequestError, RequestOutcome
from s3memory.aws.fast import http
from s3memory.aws.fast.clients import FastClients, Reach
from s3memory.aws.fast.surroundings import look_around
from s3memory.errors import BackendError, ConfigurationError, MissingExtraError

Set = Callable[..., None]
ENDED = {
    "Version": 1,
    "AccessKeyId": "A",
    "SecretAccessKey": "s",
    "SessionToken": "t",
    "Expiration": "2020-01-01T00:00:00Z",
}
"""Output of a credential command: credentials that have expired."""


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process with credentials in its environment, and nothing else."""
    forget_clients()
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)


@pytest.fixture
def no_botocore(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        pytest.fail("botocore was asked")

    monkeypatch.setattr(sessions, "of_the_process", refuse)


@pytest.fixture
def profile(tmp_path: Path) -> Callable[[str], None]:
    def write(text: str) -> None:
        (tmp_path / ".aws").mkdir(exist_ok=True)
        (tmp_path / ".aws" / "config").write_text(f"[default]\n{text}\n", "utf-8")

    return write


@pytest.mark.usefixtures("no_botocore")
class TestTheEnvironmentAlone:
    def test_is_enough_if_it_holds_credentials_and_there_are_no_files(self) -> None:
        found = look_around()
        keys = found.keys()
        assert (keys.access_key, keys.secret_key, keys.token, found.region) == (
            "testing",
            "testing",
            "token",
            "eu-central-1",
        )
        assert found.endpoint("S3") is None
        assert found.validates_checksums
        assert not found.uses_paths
        assert "testing" not in repr(keys) + repr(found)
        assert "token" not in repr(keys) + repr(found)

    def test_sets_the_region_as_on_lambda(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_REGION", "eu-west-1")
        assert look_around().region == "eu-central-1"
        monkeypatch.delenv("AWS_DEFAULT_REGION")
        assert look_around().region == "eu-west-1"

    def test_sets_endpoints(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://all")
        monkeypatch.setenv("AWS_ENDPOINT_URL_KMS", "http://kms")
        found = look_around()
        assert [found.endpoint(name) for name in ("S3", "KMS", "STS", "DYNAMODB")] == [
            "http://all",
            "http://kms",
            "http://all",
            "http://all",
        ]
        monkeypatch.setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
        assert look_around().endpoint("KMS") is None

    def test_sets_certificates(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        assert look_around().route.ca_file.endswith("cacert.pem")
        bundle = tmp_path / "bundle.pem"
        bundle.touch()
        for name in ("REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE"):
            monkeypatch.setenv(name, str(bundle))
            assert look_around().route.ca_file == str(bundle)
            monkeypatch.setenv(name, str(tmp_path / "missing"))
            with pytest.raises(ConfigurationError, match="AWS_CA_BUNDLE"):
                look_around()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("AWS_ACCESS_KEY_ID", "minio@admin"),
            ("AWS_ACCESS_KEY_ID", "proj:user"),
            ("AWS_SECRET_ACCESS_KEY", "cut\nin-two"),
            ("AWS_SESSION_TOKEN", "kl\u00fcch"),
        ],
    )
    def test_is_refused_if_its_credentials_cannot_sign(
        self, monkeypatch: pytest.MonkeyPatch, name: str, value: str
    ) -> None:
        monkeypatch.setenv(name, value)
        with pytest.raises(ConfigurationError, match="can't sign") as caught:
            look_around()
        assert value not in str(caught.value)
        assert not [
            text for text in (value.split("\n", maxsplit=1)[0], "'testing'") if text in shown_locals(caught.value)
        ]

    def test_sets_the_token_under_botocores_older_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_SECURITY_TOKEN", "older-name")
        assert look_around().keys().token == "older-name"

    def test_can_switch_off_the_checksums_from_s3(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_RESPONSE_CHECKSUM_VALIDATION", "when_required")
        assert not look_around().validates_checksums

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("AWS_USE_FIPS_ENDPOINT", "true"),
            ("AWS_USE_DUALSTACK_ENDPOINT", "True"),
            ("AWS_STS_REGIONAL_ENDPOINTS", "legacy"),
            ("AWS_AUTH_SCHEME_PREFERENCE", "sigv4a"),
        ],
    )
    def test_is_refused_by_the_name_of_a_variable_that_cannot_be_followed(
        self, monkeypatch: pytest.MonkeyPatch, name: str, value: str
    ) -> None:
        monkeypatch.setenv(name, value)
        with pytest.raises(ConfigurationError, match=name):
            look_around()

    def test_sets_proxies_by_pythons_own_rules(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert look_around().route.proxy_of("https://s3.example/k") == ""
        monkeypatch.setenv("HTTPS_PROXY", "user:pass@proxy:8080")
        monkeypatch.setenv("http_proxy", "https://other:1")
        monkeypatch.setenv("NO_PROXY", "internal, .local.example:9000")
        proxy_of = look_around().route.proxy_of
        assert proxy_of("https://s3.example/k?a=b") == "http://user:pass@proxy:8080"
        assert proxy_of("http://s3.example") == "https://other:1"
        for url in ("https://internal/k", "https://s3.internal", "http://a.local.example:9000/x"):
            assert proxy_of(url) == ""
        monkeypatch.setenv("HTTPS_PROXY", "http://user:p@ss@proxy:8080")
        assert look_around().route.proxy_of("https://s3.example") == "http://user:p%40ss@proxy:8080"

    @pytest.mark.parametrize(
        "proxy",
        [
            *("socks5://proxy:1080", "ftp://proxy", "http://:8080", "proxy:abc", "proxy:0", "proxy:8080 "),
            *("http://user:pass@pr\u00f6xy:8080", "http://user:p\u00e4ss@proxy:8080", "http://user:pa/ss@proxy:8080"),
        ],
    )
    def test_is_refused_if_a_proxy_cannot_be_used(self, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        with pytest.raises(ConfigurationError, match="HTTPS_PROXY") as caught:
            look_around()
        assert caught.value.__cause__ is caught.value.__context__ is None  # it may quote the password


class TestBotocore:
    """It is asked if the environment does not answer everything."""

    def test_provides_credentials_from_a_file(
        self, monkeypatch: pytest.MonkeyPatch, profile: Callable[[str], None]
    ) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_DEFAULT_REGION")
        profile("region = eu-west-3\naws_access_key_id = AKIDOFAFILE\naws_secret_access_key = s")
        found = look_around()
        assert (found.region, found.keys().access_key, found.keys().token) == ("eu-west-3", "AKIDOFAFILE", None)

    def test_is_refused_if_its_credentials_from_a_file_cannot_sign(
        self, monkeypatch: pytest.MonkeyPatch, profile: Callable[[str], None]
    ) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        profile("aws_access_key_id = minio@admin\naws_secret_access_key = s")
        with pytest.raises(ConfigurationError, match="can't sign"):
            look_around()

    def test_provides_credentials_from_a_command(
        self, monkeypatch: pytest.MonkeyPatch, profile: Callable[[str], None], tmp_path: Path
    ) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        said = tmp_path / "said.json"
        profile(f"credential_process = cat {said}")

        def say(access_key: str, expiration: str) -> None:
            given = {"AccessKeyId": access_key, "SecretAccessKey": "s", "SessionToken": "t", "Expiration": expiration}
            said.write_text(json.dumps({"Version": 1, **given}), "utf-8")

        soon = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
        say("AKIDFIRST", soon)
        found = look_around()
        say("AKIDSECOND", "2099-01-01T00:00:00Z")
        assert found.keys().access_key == "AKIDSECOND"  # the first ones expire soon
        say("AKIDTHIRD", "2099-01-01T00:00:00Z")
        assert found.keys().access_key == "AKIDSECOND"

    @pytest.mark.parametrize(
        "text", ["credential_process = false", "credential_process = echo {}", "credential_process = echo no JSON"]
    )
    def test_failing_credentials_are_reported_when_the_client_is_created(
        self, monkeypatch: pytest.MonkeyPatch, profile: Callable[[str], None], text: str
    ) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        profile(text)
        with pytest.raises(ConfigurationError, match="can't be set up"):
            look_around()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://elsewhere.example/role"),
            ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/no/such/token"),
        ],
    )
    def test_an_unreachable_container_for_credentials_is_reported_when_the_client_is_created(
        self, monkeypatch: pytest.MonkeyPatch, name: str, value: str
    ) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/role")
        monkeypatch.setenv(name, value)
        with pytest.raises(ConfigurationError, match="can't be set up"):
            look_around()
        with pytest.raises(ConfigurationError, match="no S3 client can be made"):
            clients.clients_of_process(clients.BOTO3).s3_client()

    @pytest.mark.parametrize(
        ("later", "code"),
        [
            ("no JSON", "JSONDecodeError"),
            (json.dumps(ENDED), "ExpiredToken"),
        ],
    )
    def test_if_credentials_fail_later_the_request_was_not_sent(
        self,
        monkeypatch: pytest.MonkeyPatch,
        profile: Callable[[str], None],
        tmp_path: Path,
        later: str,
        code: str,
    ) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        said = tmp_path / "said.json"
        profile(f"credential_process = cat {said}")
        said.write_text(json.dumps(ENDED), "utf-8")
        found = look_around()
        said.write_text(later, "utf-8")
        with pytest.raises(RequestError, match=code) as caught:
            found.keys()
        assert caught.value.outcome is RequestOutcome.DENIED

    def test_a_missing_profile_is_reported_when_the_client_is_created(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_PROFILE", "missing")
        with pytest.raises(ConfigurationError, match=r"can't be set up.*missing"):
            look_around()

    def test_provides_credentials_from_a_container(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        given = (
            b'{"AccessKeyId": "AKIDOFATASK", "SecretAccessKey": "s", "Token": "t", '
            b'"Expiration": "2099-01-01T00:00:00Z"}'
        )
        with WireServer(lambda _: answer(200, given)) as server:
            monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{server.url}/role")
            monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "of-the-task")
            keys = look_around().keys()
        assert (keys.access_key, keys.token) == ("AKIDOFATASK", "t")
        assert server.received[0].header("authorization") == "of-the-task"

    def test_provides_credentials_from_a_machine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
        given = (
            b'{"Code": "Success", "AccessKeyId": "AKIDOFAMACHINE", "SecretAccessKey": "s", "Token": "t", '
            b'"Expiration": "2099-01-01T00:00:00Z", "LastUpdated": "2026-01-01T00:00:00Z", "Type": "AWS-HMAC"}'
        )

        def metadata(received: Any) -> bytes:
            if received.method == "PUT":
                return answer(200, b"a-token")
            assert received.header("x-aws-ec2-metadata-token") == "a-token"
            return answer(200, given if received.target.endswith("/my-role") else b"my-role")

        with WireServer(metadata) as server:
            monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", f"{server.url}/")
            assert look_around().keys().access_key == "AKIDOFAMACHINE"

    def test_is_asked_if_the_program_has_its_own_session(self) -> None:
        boto3.setup_default_session(
            aws_access_key_id="AKIDOFTHEPROGRAM", aws_secret_access_key="s", region_name="eu-west-2"
        )
        found = look_around()
        assert (found.keys().access_key, found.region) == ("AKIDOFTHEPROGRAM", "eu-west-2")

    @pytest.mark.usefixtures("no_botocore")
    @pytest.mark.parametrize(
        "name", ["AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CREDENTIAL_EXPIRATION", "AWS_CONFIG_FILE"]
    )
    def test_is_asked_if_a_variable_points_elsewhere(
        self, monkeypatch: pytest.MonkeyPatch, name: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "a-file"
        file.touch()
        monkeypatch.setenv(name, str(file))
        with pytest.raises(pytest.fail.Exception, match="botocore was asked"):
            look_around()

    @pytest.mark.parametrize(
        ("text", "named"),
        [
            ("use_fips_endpoint = true", "use_fips_endpoint"),
            ("use_dualstack_endpoint = true", "use_dualstack_endpoint"),
            ("endpoint_url = https://elsewhere", "endpoint_url"),
            ("services = mine", "services"),
            ("s3 =\n  use_accelerate_endpoint = true", "use_accelerate_endpoint"),
            ("s3 =\n  addressing_style = virtual", "addressing_style"),
        ],
    )
    def test_a_profile_that_cannot_be_followed_is_refused_by_the_name_of_its_setting(
        self, profile: Callable[[str], None], text: str, named: str
    ) -> None:
        profile(text)
        with pytest.raises(ConfigurationError, match=named):
            look_around()

    def test_a_profile_may_request_path_addressing(self, profile: Callable[[str], None]) -> None:
        profile("s3 =\n  addressing_style = path\nca_bundle = /dev/null")
        with pytest.raises(ConfigurationError, match="AWS_CA_BUNDLE"):
            look_around()
        profile("s3 =\n  addressing_style = path")
        boto3.DEFAULT_SESSION = None
        forget_clients()
        assert look_around().uses_paths

    def test_without_any_credentials_no_client_is_created(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        with pytest.raises(ConfigurationError, match="found no AWS credentials"):
            look_around()

    def test_a_session_with_its_own_configuration_is_refused(self) -> None:
        from botocore.config import Config  # noqa: PLC0415

        session = botocore.session.get_session()
        session.set_default_client_config(Config(proxies={}))
        boto3.setup_default_session(botocore_session=session)
        with pytest.raises(ConfigurationError, match="default client configuration"):
            look_around()


class TestClients:
    @pytest.fixture
    def fast(self) -> FastClients:
        return FastClients(Reach())

    def test_use_awss_addresses(self, fast: FastClients) -> None:
        made: list[Any] = [fast.s3_client(), fast.kms_client(), fast.sts_client(), fast.dynamodb_client()]
        assert [one.meta.endpoint_url for one in made] == [
            f"https://{name}.eu-central-1.amazonaws.com" for name in ("s3", "kms", "sts", "dynamodb")
        ]

    def test_are_shared_and_forgotten(self, fast: FastClients) -> None:
        assert fast.s3_client() is fast.s3_client()
        assert fast.s3_client(endpoint_url="http://x") is not fast.s3_client()
        assert fast.sts_client(hasty=True) is not fast.sts_client()
        before = fast.s3_client()
        forget_clients()
        assert fast.s3_client() is not before

    def test_use_the_given_or_configured_address(self, fast: FastClients, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://configured:1/")
        with WireServer(lambda _: answer(ETag='"x"')) as server:
            assert fast.s3_client().meta.endpoint_url == "http://configured:1"
            fast.s3_client(endpoint_url=f"{server.url}/base/").put_object(Bucket="agent-memory", Key="k", Body=b"")
        assert server.received[0].target == "/base/agent-memory/k"

    @pytest.mark.parametrize(
        "url",
        ["ftp://x", "http://", "x", "http://a b", "http://u:p@x", "http://x?y", "http://x/../y", "http://x:99999"],
    )
    def test_refuse_a_malformed_address(self, fast: FastClients, url: str) -> None:
        with pytest.raises(ConfigurationError, match="endpoint URL must be like"):
            fast.s3_client(endpoint_url=url)

    @pytest.mark.parametrize("region", ["us-iso-east-1", "aws-global", "eu-central-1.evil", "x"])
    def test_refuse_an_unknown_region_of_aws(
        self, fast: FastClients, monkeypatch: pytest.MonkeyPatch, region: str
    ) -> None:
        monkeypatch.setenv("AWS_DEFAULT_REGION", region)
        with pytest.raises(ConfigurationError, match="AWS_REGION"):
            fast.s3_client()

    @pytest.mark.parametrize("region", ["auto", "garage", "default", "local", "aws-global"])
    def test_accept_any_region_of_another_server(
        self, fast: FastClients, monkeypatch: pytest.MonkeyPatch, region: str
    ) -> None:
        monkeypatch.setenv("AWS_DEFAULT_REGION", region)
        with WireServer(lambda _: answer(ETag='"x"')) as server:
            monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
            fast.s3_client().put_object(Bucket="agent-memory", Key="k", Body=b"")
        assert f"/{region}/s3/aws4_request" in (server.received[0].header("authorization") or "")

    @pytest.mark.parametrize("region", ["eu:west", "a b", "\u00e4", "x" * 64])
    def test_refuse_a_region_that_cannot_be_signed_for(
        self, fast: FastClients, monkeypatch: pytest.MonkeyPatch, region: str
    ) -> None:
        monkeypatch.setenv("AWS_DEFAULT_REGION", region)
        with pytest.raises(ConfigurationError, match="AWS_REGION"):
            fast.s3_client(endpoint_url="http://elsewhere")

    def test_need_pycurl(self, fast: FastClients, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(__import__("sys").modules, "pycurl", None)
        with pytest.raises(MissingExtraError, match=r"pip install '\.\[fast\]'"):
            fast.s3_client()

    def test_need_a_tested_version_of_libcurl(self, fast: FastClients, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(http, "_MIN_CURL", (99, 0, 0))
        with pytest.raises(ConfigurationError, match="another build of it"):
            fast.s3_client()

    @pytest.mark.usefixtures("few_to_collect")
    def test_hold_no_credentials_after_they_are_forgotten(
        self, fast: FastClients, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import gc  # noqa: PLC0415

        def held() -> int:
            keys = (one for one in gc.get_objects() if isinstance(one, http.SigningKeys))
            return sum(one.token == "of this test alone" for one in keys)

        monkeypatch.setenv("AWS_SESSION_TOKEN", "of this test alone")
        fast.s3_client()
        assert held()
        forget_clients()
        gc.collect()
        assert not held()


class TestChoosing:
    def test_a_store_on_libcurl_calls_kms_on_it_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from s3memory import KmsKeyWrapper  # noqa: PLC0415

        monkeypatch.setattr("s3memory.aws.clients.SharedClients.client", None)  # boto3 clients cannot be created
        with WireServer(lambda _: error_answer(404, "NoSuchKey")) as server:
            monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
            store = MemoryStore(
                bucket="agent-memory", tenant="acme", key_wrapper=KmsKeyWrapper("alias/x"), transport="fast"
            )
            assert store.objects.get("k") is None
            with pytest.raises(BackendError, match="404"):
                store.key_ring.wrapper.generate({"a": "b"})
        assert [one.target for one in server.received] == ["/agent-memory/k", "/"]

    def test_an_unknown_transport_is_refused(self, key_wrapper: Any) -> None:
        with pytest.raises(ConfigurationError, match="transport must be one of boto3, fast"):
            MemoryStore(bucket="agent-memory", tenant="acme", key_wrapper=key_wrapper, transport="slow")

    def test_a_transport_together_with_a_client_is_refused(self, key_wrapper: Any, s3: Any) -> None:
        with pytest.raises(ConfigurationError, match="either s3_client or transport"):
            MemoryStore(bucket="agent-memory", tenant="acme", key_wrapper=key_wrapper, s3_client=s3, transport="fast")

    @pytest.mark.parametrize(
        ("bucket", "reason"),
        [
            ("a--euc1-az1--x-s3", "a directory bucket"),
            ("a.mrap", "a multi-Region access point"),
            ("a--op-s3", "S3MEMORY_BUCKET"),
            ("a bucket", "bucket must be the name"),
        ],
    )
    def test_an_unsupported_kind_of_bucket_is_refused(self, key_wrapper: Any, bucket: str, reason: str) -> None:
        with pytest.raises(ConfigurationError, match=reason):
            MemoryStore(bucket=bucket, tenant="acme", key_wrapper=key_wrapper, transport="fast")

    def test_the_arn_of_an_access_point_is_refused(self, key_wrapper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        arn = "arn:aws:s3:eu-central-1:123456789012:accesspoint/x"
        with pytest.raises(ConfigurationError, match="S3MEMORY_BUCKET"):
            MemoryStore(bucket=arn, tenant="acme", key_wrapper=key_wrapper, transport="fast")
        monkeypatch.setenv("S3MEMORY_BUCKET", arn)
        monkeypatch.setenv("S3MEMORY_TRANSPORT", "fast")
        with pytest.raises(ConfigurationError, match="S3MEMORY_BUCKET"):
            MemoryCommands.from_env(tenant="acme")

    @pytest.mark.parametrize("prefix", ["./", "a/../", "a/./b/"])
    def test_a_prefix_that_urls_cannot_represent_is_refused(
        self, key_wrapper: Any, monkeypatch: pytest.MonkeyPatch, prefix: str
    ) -> None:
        with pytest.raises(ConfigurationError, match="S3MEMORY_PREFIX"):
            MemoryStore(bucket="b-b", tenant="acme", key_wrapper=key_wrapper, transport="fast", prefix=prefix)
        monkeypatch.setenv("S3MEMORY_BUCKET", "agent-memory")
        monkeypatch.setenv("S3MEMORY_PREFIX", prefix)
        monkeypatch.setenv("S3MEMORY_TRANSPORT", "fast")
        with pytest.raises(ConfigurationError, match="S3MEMORY_PREFIX"):
            MemoryCommands.from_env(tenant="acme")

    def test_boto3_is_the_default(self) -> None:
        assert clients.clients_of_process(clients.BOTO3) is clients.PROCESS


def test_an_error_shows_nothing_of_its_cause() -> None:
    error = RequestError(code="AccessDenied", outcome=RequestOutcome.DENIED)
    assert (str(error), error.args) == ("AccessDenied", ("AccessDenied",))
