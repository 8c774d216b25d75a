"""`DynamoDBRingRegister`: records key rings in a DynamoDB table."""

from __future__ import annotations

from typing import Any

from s3memory._arguments import checking, client_for
from s3memory.aws.clients import ClientUser, DynamoDBClient
from s3memory.aws.errors import RequestOutcome, aws_errors, error_code, outcome_of, to_backend_error
from s3memory.errors import ConfigurationError
from s3memory.keys.ring_register import RingRecord


class DynamoDBRingRegister(ClientUser[DynamoDBClient]):
    """A register in a DynamoDB table with the partition key ``tenant``, a string, and no sort key.

    Reads are strongly consistent, and writes are conditional. Use one table per deployment: records name no bucket.

    IAM actions: ``dynamodb:GetItem`` and ``dynamodb:PutItem`` on the table. Policies can limit both to the tenant's own
    record with ``dynamodb:LeadingKeys``.

    Args:
        table: name or ARN of the table.
        dynamodb_client: a boto3 DynamoDB client; the process's shared one if left out, made when it is first used.

    Raises:
        ConfigurationError: `table` is empty, or `dynamodb_client` is not a client.
    """

    @checking(dynamodb_client=client_for("DynamoDB", "get_item"))
    def __init__(self, table: str, *, dynamodb_client: DynamoDBClient | None = None) -> None:
        if not table or not isinstance(table, str):
            raise ConfigurationError("the name of a DynamoDB table is needed")
        super().__init__(dynamodb_client, called="dynamodb_client")
        self._table = table

    def read(self, tenant: str, /) -> RingRecord | None:
        """Return a tenant's record (``dynamodb:GetItem``), or ``None`` if there is none.

        Raises:
            BackendError: DynamoDB did not respond or refused the request.
            ConfigurationError: the table holds something other than a record.
        """
        try:
            answer = self._dynamodb.get_item(TableName=self._table, Key={"tenant": {"S": tenant}}, ConsistentRead=True)
        except aws_errors() as error:
            raise to_backend_error(error) from error
        return _record_of(answer["Item"]) if "Item" in answer else None

    def write(self, tenant: str, record: RingRecord, /) -> bool:
        """Store a record over the previous revision (``dynamodb:PutItem``). Return whether that revision was there.

        If there was no answer, the record is read to find out whether it was stored.

        Raises:
            BackendError: DynamoDB refused the request, or it did not respond and the record is not there, or can't be
                read.
        """
        condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(tenant)"}
        if record.revision > 1:
            before = {":before": {"N": str(record.revision - 1)}}
            condition = {"ConditionExpression": "revision = :before", "ExpressionAttributeValues": before}
        try:
            self._dynamodb.put_item(TableName=self._table, Item=_item_of(tenant, record), **condition)
        except aws_errors() as error:
            # This may also be botocore's own first attempt, met by its retry: the next read finds it.
            if error_code(error) == "ConditionalCheckFailedException":
                return False
            if outcome_of(error) is RequestOutcome.UNKNOWN and self.read(tenant) == record:
                return True
            raise to_backend_error(error) from error
        return True

    @property
    def _dynamodb(self) -> DynamoDBClient:
        return self._client or self._clients.dynamodb_client()

    def _identity(self) -> tuple[object, ...]:
        return (self._table, *super()._identity())


def _item_of(tenant: str, record: RingRecord) -> dict[str, Any]:
    item: dict[str, Any] = {
        "tenant": {"S": tenant},
        "revision": {"N": str(record.revision)},
        "newest": {"N": str(record.newest)},
        "fingerprint": {"B": record.fingerprint},
    }
    if record.before:  # DynamoDB has no empty sets
        item["before"] = {"BS": sorted(record.before)}
    return item


def _record_of(item: dict[str, Any]) -> RingRecord:
    try:
        return RingRecord(
            int(item["revision"]["N"]),
            int(item["newest"]["N"]),
            bytes(item["fingerprint"]["B"]),
            frozenset(bytes(one) for one in item.get("before", {}).get("BS", ())),
        )
    except (KeyError, TypeError, ValueError):
        raise ConfigurationError("S3MEMORY_KEY_RING_TABLE names a table that holds something else") from None
