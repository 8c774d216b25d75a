"""Runs all checks of the doctor, then removes its objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from s3memory import progress
from s3memory.admin.doctor import conditions, configuration, connection, isolation, register
from s3memory.admin.doctor.checks import Check, Verdict, good, run_check, weaker
from s3memory.admin.doctor.deployment import Deployment, RegisterTable
from s3memory.admin.doctor.probes import Probes
from s3memory.admin.long_jobs import job
from s3memory.audit.recording import audited
from s3memory.contract.views import count_of
from s3memory.errors import BackendError

_AS_TENANT = "Run it with credentials that may read, write and list the tenant's intents, as agents may."
_AS_OPERATOR = "Run it with credentials that may read the bucket's settings, or look in the console."
_WITH_KMS = "Run it with credentials that may use the KMS key as agents may."
_WITH_TABLE = "Run it with credentials that may describe the register's table, and write and delete records in it."


class _Subject(NamedTuple):
    """What the checks examine."""

    deployment: Deployment
    probes: Probes
    other_tenant: str | None

    @property
    def table(self) -> RegisterTable:
        if self.deployment.register is None:
            raise AssertionError("the register is checked only if there is one")
        return self.deployment.register

    def another_tenant(self) -> str | None:
        return isolation.another_tenant(self.deployment, self.other_tenant)


# The name of a check, its function, and what to do if these credentials may not run it.
_CheckRow = tuple[str, Callable[[_Subject], Verdict], str]

_ROWS: tuple[_CheckRow, ...] = (
    ("transport", lambda on: connection.transport(on.deployment), _AS_TENANT),
    ("logs", lambda _: connection.logs(), _AS_TENANT),
    ("clock", lambda on: connection.clock(on.probes), _AS_TENANT),
    ("create-condition", lambda on: conditions.create_condition(on.probes), _AS_TENANT),
    ("edit-condition", lambda on: conditions.edit_condition(on.probes), _AS_TENANT),
    ("races", lambda on: conditions.races(on.probes), _AS_TENANT),
    ("delete-condition", lambda on: conditions.delete_condition(on.probes), _AS_TENANT),
    ("delete-any-condition", lambda on: conditions.delete_any_condition(on.probes), _AS_TENANT),
    ("batch-delete-condition", lambda on: conditions.batch_delete_condition(on.deployment, on.probes), _AS_TENANT),
    ("consistency", lambda on: conditions.reads_follow_writes(on.deployment, on.probes), _AS_TENANT),
    ("checksums", lambda on: connection.checksums(on.probes), _AS_TENANT),
    ("foreign-listing", lambda on: isolation.listing(on.deployment, on.another_tenant()), _AS_TENANT),
    ("foreign-objects", lambda on: isolation.objects(on.deployment, on.another_tenant()), _AS_TENANT),
    ("context-bound", lambda on: isolation.bound(on.deployment), _WITH_KMS),
    ("context-pinned", lambda on: isolation.pinned(on.deployment), _WITH_KMS),
    ("versioning", lambda on: configuration.versioning(on.deployment), _AS_OPERATOR),
    ("encryption", lambda on: configuration.encryption(on.deployment), _AS_OPERATOR),
    ("lifecycle", lambda on: configuration.lifecycle(on.deployment), _AS_OPERATOR),
    ("erasure", lambda on: configuration.erasure(on.deployment), _AS_OPERATOR),
    ("public-access", lambda on: configuration.public_access(on.deployment), _AS_OPERATOR),
    ("tls-only", lambda on: configuration.tls_only(on.deployment), _AS_OPERATOR),
)
_REGISTER_ROWS: tuple[_CheckRow, ...] = (
    ("register-table", lambda on: register.table(on.table), _WITH_TABLE),
    ("register-condition", lambda on: register.condition(on.table, on.deployment.tenant), _WITH_TABLE),
    ("register-access", lambda on: register.access(on.table, on.deployment), _WITH_TABLE),
    ("register-protection", lambda on: register.protection(on.table), _WITH_TABLE),
)
# These send requests to KMS or DynamoDB. The other checks need only S3.
_ASK_OTHER_SERVICES = frozenset({"context-bound", "context-pinned", *(name for name, _, _ in _REGISTER_ROWS)})
_LAST = "clean-up"

CHECKS = (*(name for name, _, _ in (*_ROWS, *_REGISTER_ROWS)), _LAST)
"""The names of all checks, in order. Those of the register run only if there is one."""


@audited("doctor")
def examine(deployment: Deployment, *, other_tenant: str | None = None) -> tuple[Check, ...]:
    """Examine a deployment: some 70 requests. Only the doctor's own objects are written, and they are removed.

    The register of key rings is examined with the doctor's own record, which is removed as well.

    IAM actions: those of an agent; for the client that reads settings ``s3:GetBucketVersioning``,
    ``s3:GetEncryptionConfiguration``, ``s3:GetLifecycleConfiguration``, ``s3:GetBucketObjectLockConfiguration``,
    ``s3:GetReplicationConfiguration``, ``s3:GetBucketPublicAccessBlock``, ``s3:GetBucketPolicy``, ``s3:ListBucket``,
    ``s3:ListBucketVersions`` and ``s3:DeleteObjectVersion``; with a register ``dynamodb:DescribeTable``,
    ``dynamodb:DescribeContinuousBackups``, ``dynamodb:GetItem``, ``dynamodb:PutItem`` and ``dynamodb:DeleteItem``. What
    is not allowed is reported as not checked. Failures of KMS or DynamoDB are reported by the checks that use them, and
    do not end the examination.

    Args:
        deployment: what to examine.
        other_tenant: another tenant that has a key ring; by default, any that is found.

    Returns:
        One `Check` for each name in `CHECKS`, in that order, without those of the register if there is none.

    Raises:
        BackendError: S3 did not answer, or the credentials, the bucket or the clock are wrong.
        UnfinishedError: the same, and objects of the doctor may be left. The next run removes them.
    """
    subject = _Subject(deployment, Probes(deployment), other_tenant)
    rows = [*_ROWS, *(() if deployment.register is None else _REGISTER_ROWS)]
    progress.begin("checks", len(rows) + 1)
    done: list[Check] = []
    try:
        for name, check, follows in rows:
            asks_others = name in _ASK_OTHER_SERVICES
            verdict = run_check(partial(check, subject), follows=follows, asks_other_services=asks_others)
            done.append(Check(name, *verdict))
            progress.advance()
    except BaseException as failure:
        try:
            subject.probes.remove()
        except BackendError:
            if subject.probes.is_begun and isinstance(failure, BackendError):
                with job("The examination"):  # the first failure says more, except that objects are left
                    raise failure from failure.__cause__
        raise
    done.append(Check(_LAST, *_cleaned_up(subject.probes)))
    progress.advance()
    return tuple(done)


def _cleaned_up(probes: Probes) -> Verdict:
    try:
        left = probes.remove()
    except BackendError as error:
        found = f"not all of the doctor's own objects are gone: {error}"
        return weaker(found, "They are below intents/{tenant}/doctor/ and hold no data. The next run removes them.")
    if not left:
        return good("nothing is left over from these checks")
    versions = count_of(left, "older version")
    return good(f"no object is left, but {versions} of deleted ones, which only operators destroy")
