"""Checks the register of key rings: its table, its conditions, who can reach its records, and its protection.

They use the doctor's own item, at a key that no tenant can have, and remove it again. S3 has answered by then, so a
register that does not answer is reported, and does not end the examination.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from s3memory.admin.doctor.checks import Verdict, good, result_of, unchecked, weaker, wrong
from s3memory.admin.doctor.deployment import Deployment, RegisterTable
from s3memory.admin.doctor.isolation import made_up_tenant, not_isolated
from s3memory.admin.long_jobs import code_of
from s3memory.aws.errors import aws_errors
from s3memory.errors import AccessDeniedError, BackendError, ConfigurationError
from s3memory.keys.dynamodb_register import DynamoDBRingRegister
from s3memory.keys.ring_register import RingRecord

_FIX_IT = "Commands fail while a key ring can't be looked up. Fix the table, or unset S3MEMORY_KEY_RING_TABLE."
_KEY = "The table needs the partition key `tenant`, a string, and no sort key, as terraform/ makes it."
# No record has such a revision, so the condition to store this one never holds.
_NEVER_STORED = RingRecord(10**15, 0, b"", frozenset())


def table(register: RegisterTable) -> Verdict:
    """Check that the table exists and has the key that records need."""
    answer = result_of(register.operators.describe_table, TableName=register.name)
    if answer.outcome is not None:
        return wrong(f"the register's table can't be described ({answer.code})", _FIX_IT)
    described = answer.fields["Table"]
    types = {one["AttributeName"]: one["AttributeType"] for one in described["AttributeDefinitions"]}
    keys = [(one["AttributeName"], one["KeyType"], types[one["AttributeName"]]) for one in described["KeySchema"]]
    if keys != [("tenant", "HASH", "S")]:
        return wrong("the register's table has another key", _KEY)
    status = described["TableStatus"]
    if status not in {"ACTIVE", "UPDATING"}:
        return wrong(f"the register's table is {status.lower()}", _FIX_IT)
    return good("the register's table is there, with the key that records need")


def condition(register: RegisterTable, tenant: str) -> Verdict:
    """Check that a record is stored over that of the previous revision only."""
    records = DynamoDBRingRegister(register.name, dynamodb_client=register.operators)
    # No tenant's name contains a slash. Each tenant has one item, so the next run removes that of an interrupted one.
    own = f"/doctor/{tenant}"
    remove = partial(register.operators.delete_item, TableName=register.name, Key={"tenant": {"S": own}})
    answer = result_of(remove)
    if answer.outcome is not None:
        return _takes_no_records(answer.code)
    first, second, third = (RingRecord(revision, revision, bytes(16), frozenset()) for revision in (1, 2, 3))
    try:
        stored = [records.write(own, record) for record in (first, first, third, second, second)]
        found = records.read(own)
    except AccessDeniedError:
        raise
    except BackendError as error:
        return _takes_no_records(code_of(error))
    finally:
        with suppress(*aws_errors()):
            remove()
    if any(stored[late] for late in (1, 2, 4)):
        follows = "A late writer overwrites what was recorded, and an older key ring passes. Do not use this server."
        return wrong("the register stores a record although its condition does not hold", follows)
    if stored != [True, False, False, True, False] or found != second:
        follows = "What was recorded is not what the next process reads. Do not use this server."
        return wrong("the register does not give back what it has stored", follows)
    return good("the register stores a record on its condition alone, and reads it at once")


def access(register: RegisterTable, deployment: Deployment) -> Verdict:
    """Check that agents can reach the tenant's own record and no other."""
    tenant = deployment.tenant
    records = DynamoDBRingRegister(register.name, dynamodb_client=register.agents)
    try:
        own = {what: _refusal_of(request) for what, request in _requests(records, tenant).items()}
    except ConfigurationError:
        follows = "No command of this tenant can use its key ring. See docs/operations.md, 'Going back'."
        return wrong("what the register has for this tenant is not a record", follows)
    for what, refusal in own.items():
        if refusal is not None:
            follows = (
                "Commands of this tenant fail: its role needs dynamodb:GetItem and dynamodb:PutItem on its record."
            )
            return wrong(f"agents can't {what} the tenant's own record ({code_of(refusal)})", follows)
    other = _requests(records, made_up_tenant(tenant))
    refusals = [_refusal_of(request) for request in other.values()]
    if None in refusals:
        follows = (
            "Anyone with these credentials can put another tenant's memory out of service, or let an older key ring "
            "pass. Limit them to the tenant's record by dynamodb:LeadingKeys, as terraform/ does."
        )
        return not_isolated(deployment, "agents reach another tenant's record", follows)
    for refusal in refusals:
        if not isinstance(refusal, AccessDeniedError):
            return unchecked(f"the register could not say ({code_of(refusal)})", "Run it again.")
    return good("agents reach the tenant's own record, and no other tenant's")


def protection(register: RegisterTable) -> Verdict:
    """Check that the table is protected from deletion and can be restored."""
    settings = result_of(register.operators.describe_table, TableName=register.name)
    backups = result_of(register.operators.describe_continuous_backups, TableName=register.name)
    for answer in (settings, backups):
        if answer.outcome is not None:
            return unchecked(f"the server could not say ({answer.code})", "Look at the table in the console.")
    recovery = backups.fields["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    is_on = {
        "deletion protection": settings.fields["Table"].get("DeletionProtectionEnabled", False),
        "point in time recovery": recovery.get("PointInTimeRecoveryStatus") == "ENABLED",
    }
    missing = [what for what, is_there in is_on.items() if not is_there]
    if not missing:
        return good("the register's table is protected from deletion, and can be restored")
    follows = "Without its records, the register takes whatever key ring it sees first, an older one too."
    return weaker(f"the register's table has no {' and no '.join(missing)}", follows)


def _requests(records: DynamoDBRingRegister, tenant: str) -> dict[str, Callable[[], object]]:
    """Return agents' requests for a record, by name. They change nothing."""
    return {"read": partial(records.read, tenant), "write": partial(records.write, tenant, _NEVER_STORED)}


def _refusal_of(request: Callable[[], object]) -> BackendError | None:
    try:
        request()
    except BackendError as error:
        return error
    return None


def _takes_no_records(code: str) -> Verdict:
    follows = _KEY if code == "ValidationException" else _FIX_IT
    return wrong(f"the register takes no records ({code})", follows)
