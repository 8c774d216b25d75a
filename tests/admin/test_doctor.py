"""The doctor says what a server and a bucket do, not what they should do; and leaves nothing behind."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import boto3
import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, ConnectTimeoutError, ReadTimeoutError
from conftest import TENANT, MakeStore
from moto.s3.responses import S3Response
from support.faults import ANSWER_LOST, NOT_SENT, Fault, FaultLayer, refused
from support.for_each import for_each
from support.recorder import Recorder
from support.unique import unique

from s3memory import KmsKeyWrapper, LocalKeyWrapper, MemoryCommands
from s3memory.admin.doctor import CHECKS, Check, Deployment, Status, conditions, examine, isolation
from s3memory.admin.doctor.checks import Verdict, run_check
from s3memory.admin.doctor.configuration import encryption, erasure, reaching
from s3memory.admin.doctor.connection import clock, logs, transport
from s3memory.admin.doctor.probes import Probes
from s3memory.audit import LogAuditor, Outcome
from s3memory.aws.errors import AnswerError, RequestError, RequestOutcome, error_code, to_backend_error
from s3memory.cli import main
from s3memory.config.settings import Settings
from s3memory.errors import AccessDeniedError, BackendError, UnavailableError, UnfinishedError
from s3memory.keys.key_cache import KeyCache
from s3memory.store import tree

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

GOOD, WEAKER, WRONG, UNCHECKED = Status.GOOD, Status.WEAKER, Status.WRONG, Status.UNCHECKED
CONDITIONS = (
    "create-condition",
    "edit-condition",
    "races",
    "delete-condition",
    "delete-any-condition",
    "batch-delete-condition",
)


MakeDeployment = Callable[..., Deployment]
WITHOUT_A_REGISTER = tuple(name for name in CHECKS if not name.startswith("register-"))


@pytest.fixture
def make_deployment(bucket: str, s3: S3Client, key_wrapper: LocalKeyWrapper) -> MakeDeployment:
    def make(**more: Any) -> Deployment:
        arguments: dict[str, Any] = {
            "bucket": bucket,
            "tenant": TENANT,
            "s3": s3,
            "operator_s3": s3,
            "key_wrapper": key_wrapper,
        }
        return Deployment(**{**arguments, **more})

    return make


@pytest.fixture
def kms_key(_aws: None) -> str:
    return boto3.client("kms").create_key()["KeyMetadata"]["KeyId"]


@pytest.fixture
def with_kms(make_deployment: MakeDeployment, kms_key: str) -> MakeDeployment:
    return partial(deployment_with, make_deployment, kms_key)


def deployment_with(make: MakeDeployment, *key_ids: str, kms: Any = None, **more: Any) -> Deployment:
    """Return a deployment with KMS keys, of which the first one wraps."""
    kms = boto3.client("kms") if kms is None else kms
    return make(kms=kms, kms_key_id=key_ids[0], key_wrapper=KmsKeyWrapper(*key_ids, kms_client=kms), **more)


def examined(deployment: Deployment, **more: Any) -> dict[str, Check]:
    checks = examine(deployment, **more)
    assert tuple(check.name for check in checks) == WITHOUT_A_REGISTER
    assert all(check.found and bool(check.follows) is (check.status is not GOOD) for check in checks)
    return {check.name: check for check in checks}


def statuses(checks: dict[str, Check], *names: str) -> list[Status]:
    return [checks[name].status for name in names]


def versions_in(s3: S3Client, bucket: str) -> list[Any]:
    listed = s3.list_object_versions(Bucket=bucket)
    return [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]


class Weaker:
    """A client of a server that takes no notice of some parameters of some requests."""

    def __init__(self, client: S3Client, **ignored: tuple[str, ...]) -> None:
        self._client = client
        self._ignored = ignored

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        ignored = self._ignored.get(name)
        if ignored is None:
            return method
        return lambda **sent: method(**{key: value for key, value in sent.items() if key not in ignored})


def weaker(client: S3Client, **ignored: tuple[str, ...]) -> S3Client:
    return cast("S3Client", Weaker(client, **ignored))


class TestOnMoto:
    """What moto honours and what not is known from elsewhere: tests/testing/test_memory_s3.py, docs/semantics.md."""

    def test_conditions_are_honoured_as_it_is_corrected(self, make_deployment: MakeDeployment) -> None:
        checks = examined(make_deployment())
        assert statuses(checks, *CONDITIONS, "consistency", "clean-up") == [GOOD] * 8
        assert statuses(checks, "checksums") == [WEAKER]

    def test_it_knows_neither_any_etag_nor_those_of_a_batch_by_itself(
        self, make_deployment: MakeDeployment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("delete_object", "_bucket_response_delete_keys"):
            monkeypatch.setattr(S3Response, name, vars(S3Response)[name].__wrapped__)
        checks = examined(make_deployment())
        assert statuses(checks, "delete-any-condition", "batch-delete-condition") == [WEAKER, WEAKER]

    def test_a_bare_bucket_is_weaker_in_every_setting_that_it_lacks(
        self, make_deployment: MakeDeployment, s3: S3Client
    ) -> None:
        name = "bare-bucket"
        s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        checks = examined(make_deployment(bucket=name))
        assert statuses(checks, "versioning", "public-access", "tls-only") == [WEAKER] * 3
        assert versions_in(s3, name) == []

    def test_a_bucket_that_is_set_up_is_good(self, make_deployment: MakeDeployment, s3: S3Client, bucket: str) -> None:
        all_blocks: Any = dict.fromkeys(
            ["BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"], True
        )
        s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=all_blocks)
        rule: Any = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
        s3.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration={"Rules": [rule]})
        s3.put_bucket_policy(Bucket=bucket, Policy=tls_policy(bucket))
        checks = examined(make_deployment())
        names = ("versioning", "encryption", "lifecycle", "erasure", "public-access", "tls-only")
        assert statuses(checks, *names) == [GOOD] * 6

    def test_an_encryption_without_rules_is_none(self, make_deployment: MakeDeployment, s3: S3Client) -> None:
        class WithoutRules(Weaker):
            def get_bucket_encryption(self, **_: Any) -> Any:
                return {"ServerSideEncryptionConfiguration": {}}

        checks = examined(make_deployment(operator_s3=cast("S3Client", WithoutRules(s3))))
        assert statuses(checks, "encryption") == [WEAKER]

    @for_each(
        ("algorithm", "bucket_key", "expected"),
        [
            ("AES256", False, GOOD),
            ("aws:kms", True, GOOD),
            ("aws:kms", False, WEAKER),
            ("aws:kms:dsse", False, WEAKER),
        ],
    )
    def test_sse_kms_without_a_bucket_key_tells_kms_of_every_object(
        self,
        make_deployment: MakeDeployment,
        s3: S3Client,
        bucket: str,
        algorithm: Any,
        expected: Status,
        *,
        bucket_key: bool,
    ) -> None:
        rule: Any = {
            "ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": algorithm},
            "BucketKeyEnabled": bucket_key,
        }
        s3.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration={"Rules": [rule]})
        assert encryption(make_deployment()).status is expected

    def test_one_block_of_public_access_that_is_missing_is_named(
        self, make_deployment: MakeDeployment, s3: S3Client, bucket: str
    ) -> None:
        s3.put_public_access_block(
            Bucket=bucket,
            PublicAccessBlockConfiguration={
                "BlockPublicAcls": True,
                "IgnorePublicAcls": True,
                "BlockPublicPolicy": False,
                "RestrictPublicBuckets": True,
            },
        )
        assert examined(make_deployment())["public-access"].found == "the bucket does not set BlockPublicPolicy"

    def test_a_rule_that_ends_key_rings_is_wrong(
        self, make_deployment: MakeDeployment, s3: S3Client, bucket: str
    ) -> None:
        rule: Any = {"ID": "all", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 90}}
        s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [rule]})
        check = examined(make_deployment())["lifecycle"]
        assert (check.status, check.found) == (WRONG, "a lifecycle rule reaches key rings: all")

    def test_a_rule_for_tagged_objects_is_weaker_since_anybody_may_tag_a_key_ring(
        self, make_deployment: MakeDeployment, s3: S3Client, bucket: str
    ) -> None:
        tagged = {"Tag": {"Key": "scanned", "Value": "yes"}}
        rule: Any = {"ID": "tagged", "Status": "Enabled", "Filter": tagged, "Expiration": {"Days": 90}}
        s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [rule]})
        check = examined(make_deployment())["lifecycle"]
        assert (check.status, check.found) == (WEAKER, "a lifecycle rule reaches key rings that have a tag: tagged")

    @pytest.mark.parametrize(
        ("storage_class", "status"), [("GLACIER", WEAKER), ("DEEP_ARCHIVE", WEAKER), ("GLACIER_IR", GOOD)]
    )
    def test_a_rule_that_moves_files_to_where_they_cant_be_read_is_weaker(
        self, make_deployment: MakeDeployment, s3: S3Client, bucket: str, storage_class: str, status: Status
    ) -> None:
        now: Any = {"Transitions": [{"Days": 30, "StorageClass": storage_class}]}
        later: Any = {"NoncurrentVersionTransitions": [{"NoncurrentDays": 30, "StorageClass": storage_class}]}
        tagged = {"And": {"Prefix": "memories/", "Tags": [{"Key": "scanned", "Value": "yes"}]}}
        large = {"And": {"Prefix": "memories/", "ObjectSizeGreaterThan": 1_000}}
        every = {"Prefix": "memories/"}
        for which, moves in ((every, now), (every, later), (tagged, now), (large, now)):
            rule: Any = {"ID": "old", "Status": "Enabled", "Filter": which, **moves}
            s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [rule]})
            assert examined(make_deployment())["lifecycle"].status == status

    def test_a_default_retention_keeps_what_is_erased_and_a_lock_without_one_does_not(
        self, make_deployment: MakeDeployment, s3: S3Client
    ) -> None:
        name = unique("locked")
        where: Any = {"LocationConstraint": "eu-central-1"}
        s3.create_bucket(Bucket=name, CreateBucketConfiguration=where, ObjectLockEnabledForBucket=True)
        assert erasure(make_deployment(bucket=name)).status is GOOD
        retention: Any = {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 30}}
        lock: Any = {"ObjectLockEnabled": "Enabled", "Rule": retention}
        s3.put_object_lock_configuration(Bucket=name, ObjectLockConfiguration=lock)
        verdict = erasure(make_deployment(bucket=name))
        assert (verdict.status, verdict.found) == (
            WEAKER,
            "Object Lock retains whatever is stored (COMPLIANCE, 30 days)",
        )

    def test_mfa_delete_refuses_what_an_erasure_asks_for(self, make_deployment: MakeDeployment, s3: S3Client) -> None:
        class WithMfaDelete(Weaker):
            def get_bucket_versioning(self, **_: Any) -> Any:
                return {"Status": "Enabled", "MFADelete": "Enabled"}

        verdict = erasure(make_deployment(operator_s3=cast("S3Client", WithMfaDelete(s3))))
        assert (verdict.status, verdict.found) == (WEAKER, "MFA delete is on")

    @for_each(
        ("rule", "copies"),
        [
            ({"Filter": {"Prefix": ""}}, True),
            ({"Prefix": ""}, True),
            ({"Filter": {"Prefix": "keyrings/"}}, True),
            ({"Filter": {"And": {"Prefix": "", "Tags": [{"Key": "a", "Value": "b"}]}}}, True),
            ({"Filter": {"Prefix": ""}, "Status": "Disabled"}, False),
            ({"Filter": {"Prefix": "memories/"}}, False),
        ],
        ids=repr,
    )
    def test_replication_that_copies_key_rings_outlives_an_erasure(
        self, make_deployment: MakeDeployment, s3: S3Client, rule: dict[str, Any], *, copies: bool
    ) -> None:
        class Replicating(Weaker):
            def get_bucket_replication(self, **_: Any) -> Any:
                return {"ReplicationConfiguration": {"Rules": [{"ID": "copy", "Status": "Enabled", **rule}]}}

        verdict = erasure(make_deployment(operator_s3=cast("S3Client", Replicating(s3))))
        assert verdict.status is (WEAKER if copies else GOOD)
        assert verdict.found.endswith("key rings: copy") is copies

    def test_a_server_without_object_lock_and_replication_keeps_nothing_by_them(
        self, make_deployment: MakeDeployment, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer
    ) -> None:
        for operation in ("GetObjectLockConfiguration", "GetBucketReplication"):
            single_attempt_faults.hit(operation, refused(501, "NotImplemented"))
        assert erasure(make_deployment(operator_s3=single_attempt_s3)).status is GOOD

    def test_a_kms_key_binds_its_context_and_no_policy_of_motos_pins_it(self, with_kms: MakeDeployment) -> None:
        assert statuses(examined(with_kms()), "context-bound", "context-pinned") == [GOOD, WEAKER]
        with_sessions = with_kms(has_tenant_sessions=True)
        assert statuses(examined(with_sessions), "context-pinned", "foreign-listing", "foreign-objects") == [WRONG] * 3

    def test_a_local_key_binds_its_context_and_is_weaker_than_kms(self, make_deployment: MakeDeployment) -> None:
        assert statuses(examined(make_deployment()), "context-bound", "context-pinned") == [GOOD, WEAKER]

    def test_nothing_is_left_and_nothing_else_is_touched(
        self, make_deployment: MakeDeployment, make_store: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        MemoryCommands(make_store()).create("/memories/a", "kept")
        before = versions_in(s3, bucket)
        examined(make_deployment())
        assert versions_in(s3, bucket) == before

    def test_repair_passes_by_what_an_examination_that_was_cut_off_left(
        self, make_deployment: MakeDeployment, make_store: MakeStore, s3: S3Client, bucket: str
    ) -> None:
        store = make_store()
        MemoryCommands(store).create("/memories/a", "kept")
        Probes(make_deployment()).made()
        assert tree.repair(store) == []
        examined(make_deployment())
        assert s3.list_objects_v2(Bucket=bucket, Prefix="intents/")["KeyCount"] == 0


class TestAudit:
    def test_an_examination_is_one_event(self, make_deployment: MakeDeployment) -> None:
        recorder = Recorder()
        examined(make_deployment(auditor=recorder, actor="operator"))
        (event,) = recorder.events
        assert (event.operation, event.tenant, event.actor) == ("doctor", TENANT, "operator")
        assert event.outcome is Outcome.DONE
        assert event.requests["PutObject"] >= 1
        assert event.requests["GetBucketEncryption"] == 1

    def test_one_that_breaks_off_is_one_too(self, make_deployment: MakeDeployment, single_attempt_s3: S3Client) -> None:
        recorder = Recorder()
        with FaultLayer(single_attempt_s3) as layer:
            layer.hit("PutObject", NOT_SENT)
            with pytest.raises(UnavailableError):
                examine(make_deployment(s3=single_attempt_s3, auditor=recorder))
        assert [(event.outcome, event.error) for event in recorder.events] == [(Outcome.FAILED, "UnavailableError")]

    @pytest.mark.usefixtures("settings")
    def test_the_settings_say_who_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("S3MEMORY_AUDIT", "on")
        monkeypatch.setenv("S3MEMORY_ACTOR", "operator")
        deployment = Deployment.from_settings(Settings.from_env(), tenant=TENANT)
        assert (deployment.auditor, deployment.actor) == (LogAuditor(), "operator")


class TestAServerThatIgnores:
    def test_if_none_match_is_wrong(self, make_deployment: MakeDeployment, s3: S3Client) -> None:
        checks = examined(make_deployment(s3=weaker(s3, put_object=("IfNoneMatch",))))
        assert statuses(checks, "create-condition", "races") == [WRONG, WRONG]
        assert "two key rings" in checks["create-condition"].follows

    def test_if_match_is_wrong(self, make_deployment: MakeDeployment, s3: S3Client) -> None:
        checks = examined(make_deployment(s3=weaker(s3, put_object=("IfMatch",))))
        assert statuses(checks, "create-condition", "edit-condition", "races") == [GOOD, WRONG, WRONG]

    def test_an_etag_in_quotes_is_wrong_and_nobody_wins_an_edit(
        self, make_deployment: MakeDeployment, s3: S3Client
    ) -> None:
        class Unmatching(Weaker):
            def put_object(self, **sent: Any) -> Any:
                return s3.put_object(**{**sent, **({"IfMatch": '"another"'} if "IfMatch" in sent else {})})

        checks = examined(make_deployment(s3=cast("S3Client", Unmatching(s3))))
        assert statuses(checks, "create-condition", "edit-condition", "races") == [GOOD, WRONG, WEAKER]
        assert checks["races"].found.startswith("of 8 writers at once, 1 created one object and 0 edited one")

    def test_a_proxy_that_makes_etags_weak_is_wrong_and_is_named(
        self, make_deployment: MakeDeployment, s3: S3Client
    ) -> None:
        class Compressing(Weaker):
            def get_object(self, **sent: Any) -> Any:
                answer = s3.get_object(**sent)
                return {**answer, "ETag": f"W/{answer['ETag']}"}

        checks = examined(make_deployment(s3=cast("S3Client", Compressing(s3))))
        assert statuses(checks, "create-condition", "edit-condition", "races") == [GOOD, WRONG, GOOD]
        assert "weak ETag" in checks["edit-condition"].found
        assert "proxy" in checks["edit-condition"].follows

    def test_if_match_of_a_delete_is_weaker(self, make_deployment: MakeDeployment, s3: S3Client) -> None:
        checks = examined(make_deployment(s3=weaker(s3, delete_object=("IfMatch",))))
        assert statuses(checks, "delete-condition", "clean-up") == [WEAKER, GOOD]
        assert "docs/semantics.md" in checks["delete-condition"].follows


class TestAServerThatRefuses:
    def test_conditional_deletes_is_weaker_and_is_cleaned_up(
        self,
        make_deployment: MakeDeployment,
        single_attempt_s3: S3Client,
        single_attempt_faults: FaultLayer,
        s3: S3Client,
        bucket: str,
    ) -> None:
        class Refusing(Weaker):
            def delete_object(self, **sent: Any) -> Any:
                single_attempt_faults.clear()
                if "IfMatch" in sent:
                    single_attempt_faults.hit("DeleteObject", refused(501, "NotImplemented"))
                return single_attempt_s3.delete_object(**sent)

        checks = examined(make_deployment(s3=cast("S3Client", Refusing(single_attempt_s3))))
        assert statuses(checks, "delete-condition", "clean-up") == [WEAKER, GOOD]
        assert versions_in(s3, bucket) == []

    def test_to_store_anything_is_wrong_once_and_not_checked_otherwise(
        self, make_deployment: MakeDeployment, s3: S3Client
    ) -> None:
        with FaultLayer(s3) as layer:
            for number in range(1, 40):
                layer.hit("PutObject", refused(501, "NotImplemented"), nth=number)
            checks = examined(make_deployment())
        assert statuses(checks, "create-condition", "delete-condition", "consistency") == [WRONG, UNCHECKED, UNCHECKED]

    def test_to_store_anything_for_the_key_of_the_bucket_says_so(
        self, make_deployment: MakeDeployment, s3: S3Client
    ) -> None:
        with FaultLayer(s3) as layer:
            for number in range(1, 40):
                layer.hit("PutObject", refused(400, "KMS.DisabledException"), nth=number)
            checks = examined(make_deployment())
        assert statuses(checks, "create-condition", "delete-condition") == [WRONG, UNCHECKED]
        assert checks["create-condition"].follows.startswith("The bucket encrypts with a KMS key that S3 can't use")

    @pytest.mark.parametrize(
        ("operation", "check"),
        [
            ("GetBucketVersioning", "versioning"),
            ("GetBucketEncryption", "encryption"),
            ("GetBucketLifecycleConfiguration", "lifecycle"),
            ("GetObjectLockConfiguration", "erasure"),
            ("GetBucketReplication", "erasure"),
            ("GetPublicAccessBlock", "public-access"),
            ("GetBucketPolicy", "tls-only"),
        ],
    )
    def test_to_show_a_setting_leaves_it_not_checked(
        self,
        make_deployment: MakeDeployment,
        single_attempt_s3: S3Client,
        single_attempt_faults: FaultLayer,
        operation: str,
        check: str,
    ) -> None:
        single_attempt_faults.hit(operation, refused(403, "AccessDenied"))
        checks = examined(make_deployment(operator_s3=single_attempt_s3))
        assert checks[check].status is UNCHECKED
        assert "AccessDenied" in checks[check].found

    def test_every_put_leaves_what_needs_one_not_checked(
        self, make_deployment: MakeDeployment, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer
    ) -> None:
        for number in range(1, 60):
            single_attempt_faults.hit("PutObject", refused(403, "AccessDenied"), nth=number)
        checks = examined(make_deployment(s3=single_attempt_s3))
        assert statuses(checks, *CONDITIONS, "clock", "checksums", "consistency") == [UNCHECKED] * 9

    def test_these_credentials_altogether_ends_it(
        self, make_deployment: MakeDeployment, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer
    ) -> None:
        single_attempt_faults.hit("PutObject", refused(403, "RequestTimeTooSkewed"))
        with pytest.raises(AccessDeniedError, match="RequestTimeTooSkewed"):
            examine(make_deployment(s3=single_attempt_s3))

    def test_to_answer_ends_it_and_what_was_stored_until_then_is_removed(
        self,
        make_deployment: MakeDeployment,
        single_attempt_s3: S3Client,
        single_attempt_faults: FaultLayer,
        s3: S3Client,
        bucket: str,
    ) -> None:
        single_attempt_faults.hit("PutObject", NOT_SENT, nth=5)
        with pytest.raises(UnavailableError):
            examine(make_deployment(s3=single_attempt_s3))
        assert versions_in(s3, bucket) == []

    def test_to_answer_any_more_does_not_say_that_nothing_was_changed(
        self,
        make_deployment: MakeDeployment,
        single_attempt_s3: S3Client,
        single_attempt_faults: FaultLayer,
        s3: S3Client,
        bucket: str,
    ) -> None:
        n_puts = 0

        def fault_at(_number: int, operation: str) -> Fault | None:
            nonlocal n_puts
            n_puts += operation == "PutObject"
            return NOT_SENT if n_puts > 4 else None

        single_attempt_faults.follow(fault_at)
        with pytest.raises(UnfinishedError, match="What was done stays") as told:
            examine(make_deployment(s3=single_attempt_s3, operator_s3=single_attempt_s3))
        assert isinstance(told.value.__cause__, UnavailableError)
        assert "Nothing was changed" not in str(told.value)
        assert versions_in(s3, bucket) != []

    def test_to_delete_is_said_at_the_end(
        self, make_deployment: MakeDeployment, single_attempt_s3: S3Client, single_attempt_faults: FaultLayer
    ) -> None:
        for number in range(1, 30):
            single_attempt_faults.hit("DeleteObject", refused(403, "AccessDenied"), nth=number)
        checks = examined(make_deployment(s3=single_attempt_s3))
        assert statuses(checks, "delete-condition", "clean-up") == [UNCHECKED, WEAKER]


ISOLATION: dict[str, tuple[str, Callable[[Deployment], Verdict]]] = {
    "foreign-listing": ("list_objects_v2", lambda deployment: isolation.listing(deployment, None)),
    "foreign-objects": ("head_object", lambda deployment: isolation.objects(deployment, None)),
    "context-pinned": ("decrypt", isolation.pinned),
}
URL = "https://aws.test"


def answered(status: int, code: str) -> Exception:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "any")


class TestAServerThatIsOutOfOrder:
    """What it says tells nothing of whom it lets in, nor whether it honours conditions."""

    @pytest.fixture
    def look(self, with_kms: MakeDeployment, s3: S3Client) -> Callable[[str, Exception], Verdict]:
        def looking(check: str, error: Exception) -> Verdict:
            name, look = ISOLATION[check]

            def fail(**_: object) -> None:
                raise error

            failing: Any = Weaker(s3)
            setattr(failing, name, fail)
            deployment = with_kms(has_tenant_sessions=True)
            deployment = replace(deployment, **{"kms" if name == "decrypt" else "s3": failing})
            return run_check(partial(look, deployment), follows="as before")

        return looking

    @pytest.mark.parametrize("check", ISOLATION)
    @pytest.mark.parametrize(
        "error",
        [
            answered(500, "InternalError"),
            answered(503, "SlowDown"),
            answered(502, "502"),  # of a HEAD: there is no code in its answer
            AnswerError(status=503, code="SlowDown"),
        ],
        ids=repr,
    )
    def test_leaves_isolation_not_checked(
        self, look: Callable[[str, Exception], Verdict], check: str, error: Exception
    ) -> None:
        verdict = look(check, error)
        assert (verdict.status, verdict.follows) == (UNCHECKED, "Run it again.")

    @pytest.mark.parametrize("check", ISOLATION)
    def test_leaves_it_not_checked_where_a_refusal_has_no_code(
        self, look: Callable[[str, Exception], Verdict], check: str
    ) -> None:
        assert look(check, answered(400, "400")).status is UNCHECKED

    @pytest.mark.parametrize("check", ISOLATION)
    @pytest.mark.parametrize(
        "error",
        [
            ReadTimeoutError(endpoint_url=URL),
            ConnectTimeoutError(endpoint_url=URL),
            ConnectionClosedError(endpoint_url=URL),
            RequestError(code="ReadTimeoutError", outcome=RequestOutcome.UNKNOWN),
            answered(429, "SlowDown"),
            answered(429, "429"),
            answered(400, "RequestThrottled"),
            AnswerError(status=429, code="TooManyRequestsException"),
        ],
        ids=repr,
    )
    def test_ends_the_examination_where_it_does_not_answer_or_wants_fewer_requests(
        self, look: Callable[[str, Exception], Verdict], check: str, error: Exception
    ) -> None:
        with pytest.raises(UnavailableError):
            look(check, error)

    @pytest.mark.parametrize("check", ISOLATION)
    @pytest.mark.parametrize("error", [answered(404, "NoSuchKey"), answered(400, "InvalidCiphertextException")])
    def test_is_not_one_that_has_looked_at_the_request(
        self, look: Callable[[str, Exception], Verdict], check: str, error: Exception
    ) -> None:
        assert look(check, error).status is WRONG

    @pytest.mark.parametrize("answer", [(500, "InternalError"), (503, "SlowDown")])
    def test_leaves_conditions_not_checked(
        self, make_deployment: MakeDeployment, single_attempt_s3: S3Client, answer: tuple[int, str]
    ) -> None:
        with FaultLayer(single_attempt_s3) as layer:
            layer.hit("PutObject", refused(*answer), times=60)
            checks = examined(make_deployment(s3=single_attempt_s3))
        assert {checks[name].status for name in CONDITIONS} == {UNCHECKED}

    def test_is_weaker_where_it_can_not_keep_up_with_writers_at_once(
        self, make_deployment: MakeDeployment, single_attempt_s3: S3Client
    ) -> None:
        with FaultLayer(single_attempt_s3) as layer:
            layer.hit("PutObject", refused(503, "SlowDown"), nth=2, times=3)
            verdict = conditions.races(Probes(make_deployment(s3=single_attempt_s3)))
        assert verdict.status is WEAKER
        assert verdict.found.endswith("; others met SlowDown")

    @pytest.mark.parametrize("fault", [ANSWER_LOST, refused(429, "SlowDown")])
    def test_ends_an_examination_of_conditions(
        self, make_deployment: MakeDeployment, single_attempt_s3: S3Client, fault: Fault
    ) -> None:
        with FaultLayer(single_attempt_s3) as layer:
            layer.hit("PutObject", fault, nth=2, times=60)
            with pytest.raises(UnavailableError):
                examine(make_deployment(s3=single_attempt_s3))


class TestTheClock:
    @pytest.mark.parametrize(("minutes", "status"), [(0, GOOD), (2, WEAKER), (-2, WEAKER)])
    def test_is_compared_with_the_date_of_an_answer(
        self, make_deployment: MakeDeployment, s3: S3Client, minutes: int, status: Status
    ) -> None:
        now = datetime(2026, 1, 1, 12, tzinfo=UTC)

        class Dated(Weaker):
            def put_object(self, **_: Any) -> Any:
                return {"ResponseMetadata": {"HTTPHeaders": {"date": "Thu, 01 Jan 2026 12:00:00 GMT"}}}

        probes = Probes(make_deployment(s3=cast("S3Client", Dated(s3))))
        check = clock(probes, lambda: now + timedelta(minutes=minutes))
        assert check.status is status
        assert ("120 s" in check.found or "119 s" in check.found) is bool(minutes)

    @pytest.mark.parametrize(
        ("date", "status"),
        [
            ("Thu, 01 Jan 2026 12:00:00 -0000", GOOD),
            ("Thu, 01 Jan 2026 12:00:00", GOOD),
            ("Thu, 01 Jan 2026 12:00:00 GMT, Thu, 01 Jan 2026 12:00:00 GMT", GOOD),
            ("noon", UNCHECKED),
            (None, UNCHECKED),
        ],
    )
    def test_is_compared_or_not_checked_whatever_the_date_is(
        self, make_deployment: MakeDeployment, s3: S3Client, date: str | None, status: Status
    ) -> None:
        class Dated(Weaker):
            def put_object(self, **_: Any) -> Any:
                return {"ResponseMetadata": {"HTTPHeaders": {"date": date}}}

        probes = Probes(make_deployment(s3=cast("S3Client", Dated(s3))))
        assert clock(probes, lambda: datetime(2026, 1, 1, 12, tzinfo=UTC)).status is status

    def test_is_not_checked_where_answers_have_no_date(self, make_deployment: MakeDeployment) -> None:
        assert examined(make_deployment())["clock"].status is UNCHECKED


class TestLifecycleRules:
    @for_each(
        ("rule", "reaches"),
        [
            ({"Filter": {"Prefix": "keyrings/"}, "Expiration": {"Days": 1}}, True),
            ({"Filter": {"Prefix": "keyrings/a"}, "Expiration": {"Days": 1}}, True),
            ({"Filter": {"Prefix": "k"}, "NoncurrentVersionExpiration": {"NoncurrentDays": 1}}, True),
            ({"Prefix": "", "Expiration": {"Days": 1}}, True),
            ({"Filter": {}, "Transitions": [{"Days": 1, "StorageClass": "GLACIER"}]}, True),
            ({"Filter": {"And": {"Prefix": "key", "ObjectSizeGreaterThan": 9}}, "Expiration": {"Days": 1}}, True),
            ({"Filter": {"And": {"Prefix": "", "Tags": [{"Key": "a"}]}}, "Expiration": {"Days": 1}}, True),
            ({"Filter": {"Tag": {"Key": "a"}}, "Expiration": {"Days": 1}}, True),
            ({"Filter": {"And": {"Prefix": "memories/", "Tags": [{"Key": "a"}]}}, "Expiration": {"Days": 1}}, False),
            ({"Filter": {"Prefix": "memories/"}, "Expiration": {"Days": 1}}, False),
            ({"Filter": {"Prefix": "keyringsets/"}, "Expiration": {"Days": 1}}, False),
            ({"Filter": {"Prefix": ""}, "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}}, False),
            ({"Filter": {"Prefix": ""}, "Expiration": {"ExpiredObjectDeleteMarker": True}}, False),
        ],
        ids=repr,
    )
    def test_reach_what_begins_like_their_prefix(self, rule: dict[str, Any], *, reaches: bool) -> None:
        assert reaching([{"ID": "r", "Status": "Enabled", **rule}], "keyrings/") == (["r"] if reaches else [])
        assert reaching([{"ID": "r", "Status": "Disabled", **rule}], "keyrings/") == []


def tls_policy(bucket: str, **more: Any) -> str:
    statement = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        **more,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.mark.parametrize(
    "narrower",
    [
        {"Effect": "Allow"},
        {"Principal": {"AWS": "arn:aws:iam::111122223333:root"}},
        {"Action": "s3:PutObject"},
        {"Resource": "arn:aws:s3:::another/*"},
        {"Resource": "arn:aws:s3:::*/*"},  # lists of objects hold their keys, and are requests to the bucket
        {"Condition": {"Bool": {"aws:SecureTransport": "true"}}},
        {"Condition": {"Bool": {"aws:SecureTransport": "false", "aws:ViaAWSService": "true"}}},
    ],
    ids=repr,
)
def test_a_statement_that_refuses_less_than_all_plain_requests_does_not_count(
    make_deployment: MakeDeployment, s3: S3Client, bucket: str, narrower: dict[str, Any]
) -> None:
    s3.put_bucket_policy(Bucket=bucket, Policy=tls_policy(bucket, **narrower))
    assert examined(make_deployment())["tls-only"].status is WEAKER


@pytest.mark.usefixtures("settings")
class TestTheCommand:
    @pytest.fixture
    def run(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
        monkeypatch.setattr(sys, "stdin", io.StringIO())

        def running(*arguments: str) -> tuple[int, str, str]:
            with pytest.raises(SystemExit) as ended:
                main(["doctor", *arguments])
            captured = capsys.readouterr()
            assert isinstance(ended.value.code, int)
            return ended.value.code, captured.out, captured.err

        return running

    def test_says_each_check_and_what_follows_and_fails_where_one_is_not_good(self, run: Any) -> None:
        code, out, err = run("--tenant", "acme")
        assert code == 1
        assert [line.split()[-1] for line in out.splitlines() if not line.startswith(" ")]
        assert "Only the program keeps tenants apart" in out
        assert " weaker" in err

    @pytest.mark.parametrize("columns", [80, 100])
    def test_fits_the_terminal(self, run: Any, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        _, out, _ = run("--tenant", "acme")
        assert columns - 15 < max(map(len, out.splitlines())) <= columns

    def test_gives_json(self, run: Any) -> None:
        code, out, _ = run("--tenant", "acme", "--json")
        result = json.loads(out)
        assert (code, result["is_good"]) == (1, False)
        assert [check["name"] for check in result["checks"]] == list(WITHOUT_A_REGISTER)
        assert set(result["checks"][0]) == {"name", "status", "found", "follows", "is_accepted"}

    def test_ends_well_when_all_that_is_not_good_is_accepted(self, run: Any) -> None:
        _, out, _ = run("--tenant", "acme", "--json")
        not_good = [check["name"] for check in json.loads(out)["checks"] if check["status"] != "good"]
        accepted = [argument for name in not_good for argument in ("--accept", name)]
        code, out, _ = run("--tenant", "acme", *accepted)
        assert code == 0
        assert out.count("(accepted)") == len(not_good)
        assert run("--tenant", "acme", *accepted[2:])[0] == 1

    @pytest.mark.parametrize("arguments", [["--accept", "anything"], ["--other", "acme"]])
    def test_refuses_what_makes_no_sense(self, run: Any, arguments: list[str]) -> None:
        code, out, err = run("--tenant", "acme", *arguments)
        assert (code, out) == (2, "")
        assert arguments[0] in err


def test_the_names_of_all_checks_are_distinct() -> None:
    assert len(set(CHECKS)) == len(CHECKS)


def test_a_key_that_may_make_no_data_keys_is_tried_with_the_key_ring(
    with_kms: MakeDeployment, make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = with_kms()

    def refuse(*_: object) -> None:
        raise to_backend_error(answered(400, "AccessDeniedException"))

    store = make_store(key_wrapper=deployment.key_wrapper, key_cache=KeyCache())
    monkeypatch.setattr(KmsKeyWrapper, "generate", refuse)
    assert statuses(examined(deployment), "context-bound", "context-pinned") == [UNCHECKED, UNCHECKED]
    monkeypatch.undo()
    MemoryCommands(store).create("/memories/a", "one")
    monkeypatch.setattr(KmsKeyWrapper, "generate", refuse)
    assert statuses(examined(deployment), "context-bound", "context-pinned") == [GOOD, WEAKER]


_ANSWERS_WHETHER_IT_IS_PINNED = {"AccessDeniedException", "InvalidKeyUsageException"}


class TestAKeyThatIsNotInOrder:
    """What is wrong with KMS is reported by the checks that ask it. All others are made."""

    def test_a_key_of_the_tenants_own_that_is_not_made_yet_is_told_with_what_to_do(
        self, make_deployment: MakeDeployment, kms_key: str
    ) -> None:
        checks = examined(deployment_with(make_deployment, "alias/memory-acme", kms_key))
        assert statuses(checks, "context-bound", "context-pinned", "clean-up") == [WRONG, UNCHECKED, GOOD]
        assert checks["context-bound"].found == "KMS has no such key in this account and region (NotFoundException)"
        assert "Create the key, or correct the setting" in checks["context-bound"].follows
        assert checks["context-pinned"].follows == "See context-bound."

    def test_one_that_is_missing_is_told_also_where_s3_does_not_say_whether_there_is_a_key_ring(
        self, make_deployment: MakeDeployment, kms_key: str, s3: S3Client
    ) -> None:
        """S3 answers 403 for a missing object to whoever may not list."""
        deployment = deployment_with(make_deployment, "alias/memory-acme", kms_key)
        with FaultLayer(s3) as layer:
            layer.hit_object("GetObject", deployment.layout.key_ring, refused(403, "AccessDenied"))
            checks = examined(deployment)
        assert statuses(checks, "context-bound", "context-pinned") == [WRONG, UNCHECKED]
        assert checks["context-bound"].found == "KMS has no such key in this account and region (NotFoundException)"

    def test_an_error_of_ones_own_key_wrapper_is_not_laid_to_kms(
        self, make_deployment: MakeDeployment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise BackendError("the vault is sealed")

        monkeypatch.setattr(LocalKeyWrapper, "generate", fail)
        check = examined(make_deployment())["context-bound"]
        assert (check.status, "KMS" in check.found) == (UNCHECKED, False)

    def test_a_key_ring_of_an_older_key_still_opens(
        self, make_deployment: MakeDeployment, make_store: MakeStore, kms_key: str
    ) -> None:
        older = KmsKeyWrapper(kms_key, kms_client=boto3.client("kms"))
        MemoryCommands(make_store(key_wrapper=older, key_cache=KeyCache())).create("/memories/a", "one")
        checks = examined(deployment_with(make_deployment, "alias/memory-acme", kms_key))
        assert statuses(checks, "context-bound", "context-pinned") == [WEAKER, UNCHECKED]
        assert checks["context-bound"].found.startswith(
            "an older key unwraps the tenant's data key, and KMS has no such"
        )

    def test_a_key_ring_that_no_key_opens_is_wrong(
        self, make_deployment: MakeDeployment, make_store: MakeStore, kms_key: str
    ) -> None:
        lost = KmsKeyWrapper(kms_key, kms_client=boto3.client("kms"))
        MemoryCommands(make_store(key_wrapper=lost, key_cache=KeyCache())).create("/memories/a", "one")
        check = examined(deployment_with(make_deployment, "alias/memory-acme"))["context-bound"]
        assert check.status is WRONG
        assert check.found.startswith("a data key is not unwrapped in its own context: KMS has no such key")

    @pytest.mark.parametrize("request_", ["generate_data_key", "decrypt"])
    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (answered(400, "DisabledException"), (WRONG, "the KMS key is disabled")),
            (answered(400, "KMSInvalidStateException"), (WRONG, "the KMS key is to be deleted, or is not ready")),
            (answered(400, "InvalidKeyUsageException"), (WRONG, "KMS does not accept the key")),
            (answered(400, "ExpiredTokenException"), (UNCHECKED, "the server could not say")),
            (answered(400, "AccessDeniedException"), (UNCHECKED, "")),
            (answered(400, "ThrottlingException"), (UNCHECKED, "the server could not say")),
            (answered(500, "KMSInternalException"), (UNCHECKED, "the server could not say")),
            (ReadTimeoutError(endpoint_url=URL), (UNCHECKED, "the server could not say")),
            (ConnectTimeoutError(endpoint_url=URL), (UNCHECKED, "the server could not say")),
        ],
        ids=repr,
    )
    def test_whatever_kms_answers_ends_nothing(
        self,
        make_deployment: MakeDeployment,
        kms_key: str,
        request_: str,
        error: Exception,
        expected: tuple[Status, str],
    ) -> None:
        def fail(**_: object) -> None:
            raise error

        kms: Any = boto3.client("kms")
        failing: Any = Weaker(kms)
        setattr(failing, request_, fail)
        checks = examined(deployment_with(make_deployment, kms_key, kms=failing))
        bound, pinned = checks["context-bound"], checks["context-pinned"]
        assert (bound.status, bound.found.startswith(expected[1])) == (expected[0], True)
        if request_ == "generate_data_key" or error_code(error) not in _ANSWERS_WHETHER_IT_IS_PINNED:
            assert pinned.status is UNCHECKED

    @pytest.mark.usefixtures("settings", "no_clients_of_other_tests")
    def test_the_command_says_so_and_makes_the_other_checks(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, kms_key: str
    ) -> None:
        monkeypatch.delenv("S3MEMORY_LOCAL_KEY")
        monkeypatch.setenv("S3MEMORY_KMS_KEY_ID", f"alias/memory-{{tenant}},{kms_key}")
        with pytest.raises(SystemExit) as ended:
            main(["doctor", "--json"])
        captured = capsys.readouterr()
        checks = {check["name"]: check["status"] for check in json.loads(captured.out)["checks"]}
        assert (ended.value.code, tuple(checks)) == (1, WITHOUT_A_REGISTER)
        assert (checks["context-bound"], checks["versioning"]) == ("wrong", "good")
        assert "Traceback" not in captured.err


@for_each(
    ("s3_url", "kms_url", "expected"),
    [
        ("https://s3.example.com", None, GOOD),
        ("https://s3.example.com", "https://kms.example.com", GOOD),
        ("http://s3.example.com", "https://kms.example.com", WEAKER),
        ("http://127.0.0.1:5000", "http://127.0.0.1:5000", WEAKER),
        ("http://[::1]:5000", "http://[::1]:5000", WEAKER),
        ("http://localhost:5000", "http://localhost:5000", WEAKER),
        ("https://s3.example.com", "http://kms.example.com", WRONG),
        ("http://s3.example.com", "http://10.0.0.5:4566", WRONG),
    ],
    ids=repr,
)
def test_kms_over_plain_http_gives_data_keys_away_whatever_s3_goes_over(
    make_deployment: MakeDeployment, s3_url: str, kms_url: str | None, expected: Status
) -> None:
    kms = None if kms_url is None else boto3.client("kms", endpoint_url=kms_url)
    verdict = transport(make_deployment(s3=boto3.client("s3", endpoint_url=s3_url), kms=kms))
    assert verdict.status is expected
    assert ("KMS" in verdict.found) == (kms_url is not None and kms_url.startswith("http:"))


@pytest.mark.parametrize("name", ["", "botocore", "urllib3"])
def test_a_logger_at_debug_is_told(name: str) -> None:
    logger = logging.getLogger(name)
    before = logger.level
    try:
        logger.setLevel(logging.WARNING)
        assert logs().status is Status.GOOD
        logger.setLevel(logging.DEBUG)
        check = logs()
    finally:
        logger.setLevel(before)
    assert (check.status, name or "root") == (Status.WEAKER, check.found.rpartition(" ")[2])
