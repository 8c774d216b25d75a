"""All checks, one after another, and what is left behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from s3memory.admin.doctor import (
    conditions,
    configuration,
    encryption_context,
    isolation,
    register,
    transfer,
)
from s3memory.admin.doctor.checks import Check, Status, looked_at
from s3memory.admin.doctor.deployment import Deployment
from s3memory.admin.doctor.probes import Probes
from s3memory.audit.recording import audited
from s3memory.errors import BackendError
from s3memory.progress import NOBODY, Watcher

_AS_TENANT = "Run it with credentials that may read, write and list the tenant's intents, as agents may."
_AS_OPERATOR = "Run it with credentials that may read the bucket's settings, or look in the console."
_WITH_KMS = "Run it with credentials that may use the KMS key as agents may."
_WITH_TABLE = "Run it with credentials that may look at the register's table, and write and delete records in it."

CHECKS = (
    "transport",
    "logs",
    "clock",
    "create-condition",
    "edit-condition",
    "races",
    "delete-condition",
    "delete-any-condition",
    "batch-delete-condition",
    "consistency",
    "checksums",
    "foreign-listing",
    "foreign-objects",
    "context-bound",
    "context-pinned",
    "versioning",
    "encryption",
    "lifecycle",
    "public-access",
    "tls-only",
    "register-table",
    "register-condition",
    "register-access",
    "register-protection",
    "clean-up",
)
"""The names of all checks, in order. Those of the register are made where there is one."""


@audited("doctor")
def examine(deployment: Deployment, *, other_tenant: str | None = None, watcher: Watcher = NOBODY) -> tuple[Check, ...]:
    """Examine a deployment: some 60 requests. Nothing but objects of the doctor's own is written, and they are removed.

    The register of key rings is examined with a record of the doctor's own, which is removed as well.

    IAM actions: those of an agent; and of the client that looks at settings ``s3:GetBucketVersioning``,
    ``s3:GetEncryptionConfiguration``, ``s3:GetLifecycleConfiguration``, ``s3:GetBucketPublicAccessBlock``,
    ``s3:GetBucketPolicy``, ``s3:ListBucket``, ``s3:ListBucketVersions`` and ``s3:DeleteObjectVersion``; with a register
    ``dynamodb:DescribeTable``, ``dynamodb:DescribeContinuousBackups``, ``dynamodb:GetItem``, ``dynamodb:PutItem`` and
    ``dynamodb:DeleteItem``. What is not allowed is reported as not checked.

    Args:
        deployment: what to examine.
        other_tenant: another tenant that has a key ring; looked for if left out.
        watcher: is told of each check.

    Returns:
        One `Check` for each name in `CHECKS`, in that order, without those of a register that there is not.

    Raises:
        BackendError: the server did not answer, or the credentials, the bucket or the clock are wrong.
    """
    probes = Probes(deployment)
    looks = _looks(deployment, probes, other_tenant)
    watcher.begins("checks", len(looks) + 1)
    done: list[Check] = []
    try:
        for name, (look, follows) in looks.items():
            done.append(looked_at(name, look, follows=follows))
            watcher.advances()
    except BaseException:
        with suppress(BackendError):  # the first failure says more
            probes.remove()
        raise
    done.append(_cleaned_up(probes))
    watcher.advances()
    return tuple(done)


def _looks(
    deployment: Deployment, probes: Probes, other_tenant: str | None
) -> dict[str, tuple[Callable[[], Check], str]]:
    def other() -> str | None:
        return other_tenant or isolation.another_tenant(deployment)

    return {
        "transport": (partial(transfer.transport, deployment), _AS_TENANT),
        "logs": (transfer.logs, _AS_TENANT),
        "clock": (partial(transfer.clock, probes), _AS_TENANT),
        "create-condition": (partial(conditions.create_condition, probes), _AS_TENANT),
        "edit-condition": (partial(conditions.edit_condition, probes), _AS_TENANT),
        "races": (partial(conditions.races, probes), _AS_TENANT),
        "delete-condition": (partial(conditions.delete_condition, probes), _AS_TENANT),
        "delete-any-condition": (partial(conditions.delete_any_condition, probes), _AS_TENANT),
        "batch-delete-condition": (partial(conditions.batch_delete_condition, deployment, probes), _AS_TENANT),
        "consistency": (partial(conditions.reads_follow_writes, deployment, probes), _AS_TENANT),
        "checksums": (partial(transfer.checksums, probes), _AS_TENANT),
        "foreign-listing": (lambda: isolation.listing(deployment, other()), _AS_TENANT),
        "foreign-objects": (lambda: isolation.objects(deployment, other()), _AS_TENANT),
        "context-bound": (partial(encryption_context.bound, deployment), _WITH_KMS),
        "context-pinned": (partial(encryption_context.pinned, deployment), _WITH_KMS),
        "versioning": (partial(configuration.versioning, deployment), _AS_OPERATOR),
        "encryption": (partial(configuration.encryption, deployment), _AS_OPERATOR),
        "lifecycle": (partial(configuration.lifecycle, deployment), _AS_OPERATOR),
        "public-access": (partial(configuration.public_access, deployment), _AS_OPERATOR),
        "tls-only": (partial(configuration.tls_only, deployment), _AS_OPERATOR),
        **_looks_at_register(deployment),
    }


def _looks_at_register(deployment: Deployment) -> dict[str, tuple[Callable[[], Check], str]]:
    table, tenant = deployment.register, deployment.tenant
    if table is None:
        return {}
    return {
        "register-table": (partial(register.table, table), _WITH_TABLE),
        "register-condition": (partial(register.condition, table, tenant), _WITH_TABLE),
        "register-access": (
            partial(register.access, table, tenant, has_tenant_sessions=deployment.has_tenant_sessions),
            _WITH_TABLE,
        ),
        "register-protection": (partial(register.protection, table), _WITH_TABLE),
    }


def _cleaned_up(probes: Probes) -> Check:
    name = "clean-up"
    try:
        left = probes.remove()
    except BackendError as error:
        found = f"not all of the doctor's own objects are gone: {error.detail}"
        follows = "They are below intents/{tenant}/doctor/ and hold no data. The next run removes them."
        return Check(name, Status.WEAKER, found, follows)
    if not left:
        return Check(name, Status.GOOD, "nothing is left over from these checks")
    return Check(
        name, Status.GOOD, f"no object is left; {left} versions of deleted ones are, which only operators destroy"
    )
