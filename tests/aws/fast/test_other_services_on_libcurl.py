"""KMS, DynamoDB and Secrets Manager: their requests and responses, and that nothing of them is kept."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from fast_clients import dynamodb_at, kms_at, secrets_at
from support.wire_server import Received, Reply, WireServer, answer

from s3memory.aws.errors import AnswerError, RequestError, RequestOutcome

DEEP = b'{"a":' + b"[" * 100_000
CONTEXT = {"s3memory:tenant": "acme"}


def failed(status: int, body: bytes, **headers: str) -> AnswerError:
    with WireServer(lambda _: answer(status, body, **headers)) as server, pytest.raises(AnswerError) as caught:
        kms_at(server.url).decrypt(CiphertextBlob=b"w", KeyId="alias/x", EncryptionContext=CONTEXT)
    return caught.value


@pytest.mark.parametrize(
    ("body", "headers", "code"),
    [
        (b'{"__type": "IncorrectKeyException", "message": "arn:aws:kms:x"}', {}, "IncorrectKeyException"),
        (b'{"__type": "com.amazonaws.kms#DisabledException"}', {}, "DisabledException"),
        (b"{}", {"x_amzn_ErrorType": "AccessDeniedException:http://internal"}, "AccessDeniedException"),
        (b"<html>", {}, "400"),
        (b"", {}, "400"),
        (b"[]", {}, "400"),
        pytest.param(DEEP, {}, "400", id="deep"),
        (b'{"__type": "arn:aws:kms:eu-central-1:1:key/x"}', {}, "arn"),
        (b'{"__type": "<script>"}', {}, "unknown"),
    ],
)
def test_an_error_consists_only_of_its_code(body: bytes, headers: dict[str, str], code: str) -> None:
    error = failed(400, body, **headers)
    told = vars(error).keys() - {"code", "outcome", "status", "retry_after_seconds", "has_request_id"}
    assert (str(error), told) == (code, set())


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", pytest.param(DEEP, id="deep"), b"{}", b'{"Plaintext": 7}', b'{"Plaintext": "no base64!"}'],
)
def test_an_unreadable_response_proves_nothing(body: bytes) -> None:
    with WireServer(lambda _: answer(200, body)) as server, pytest.raises(RequestError) as caught:
        kms_at(server.url).decrypt(CiphertextBlob=b"w", KeyId="alias/x", EncryptionContext=CONTEXT)
    assert caught.value.outcome is RequestOutcome.UNKNOWN


def test_requests_to_dynamodb_are_those_of_boto3() -> None:
    import json  # noqa: PLC0415

    item = {
        "tenant": {"S": "ä"},
        "revision": {"N": "7"},
        "fingerprint": {"B": b"\0\xff"},
        "before": {"BS": [b"a", b"b"]},
    }
    put: dict[str, Any] = {
        "TableName": "rings",
        "Item": item,
        "ConditionExpression": "revision = :before",
        "ExpressionAttributeValues": {":before": {"N": "6"}},
    }
    get: dict[str, Any] = {"TableName": "rings", "Key": {"tenant": {"S": "ä"}}, "ConsistentRead": True}
    stored: list[Any] = []

    def reply(received: Received) -> Reply:
        if (received.header("x-amz-target") or "").endswith("PutItem"):
            stored.append(json.loads(received.body)["Item"])
            return answer(200, b"{}")
        return answer(200, json.dumps({"Item": stored[-1]} if stored else {}).encode())

    with WireServer(reply) as server:
        ours = dynamodb_at(server.url)
        assert ours.get_item(**get) == {}
        ours.put_item(**put)
        assert ours.get_item(**get) == {"Item": item}
        mine = list(server.received)
        server.received.clear()
        told: list[Any] = []
        theirs: Any = boto3.client("dynamodb")
        theirs.meta.events.register_first("before-send", lambda request, **_: told.append(request))
        for name, arguments in (("get_item", get), ("put_item", put)):
            with pytest.raises(theirs.exceptions.ClientError):
                getattr(theirs, name)(**arguments)
    for sent, expected in zip(mine[:2], told, strict=True):
        assert json.loads(sent.body) == json.loads(expected.body)
        assert sent.header("x-amz-target") == expected.headers["X-Amz-Target"].decode()
        assert sent.header("content-type") == expected.headers["Content-Type"].decode()


def test_a_failed_condition_is_reported_by_its_code() -> None:
    body = b'{"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "message": "x"}'
    with WireServer(lambda _: answer(400, body)) as server, pytest.raises(AnswerError) as caught:
        dynamodb_at(server.url).put_item(TableName="t", Item={}, ConditionExpression="x")
    assert str(caught.value) == "ConditionalCheckFailedException"


def test_requests_of_the_lambda_function_are_those_of_boto3() -> None:
    import json  # noqa: PLC0415

    update: dict[str, Any] = {
        "TableName": "limits",
        "Key": {"id": {"S": "acme/60/1"}},
        "UpdateExpression": "ADD used :amount",
        "ExpressionAttributeValues": {":amount": {"N": "1"}, ":below": {"N": "60"}},
        "ConditionExpression": "attribute_not_exists(used) OR used < :below",
    }
    with WireServer(lambda _: answer(200, b'{"SecretString": "sk-1", "VersionId": "x"}')) as server:
        assert secrets_at(server.url).get_secret_value(SecretId="agent/api-key") == {"SecretString": "sk-1"}
        dynamodb_at(server.url).update_item(**update)
        told: list[Any] = []
        for service, name, arguments in (
            ("secretsmanager", "get_secret_value", {"SecretId": "agent/api-key"}),
            ("dynamodb", "update_item", update),
        ):
            theirs: Any = boto3.client(service)  # type: ignore[call-overload]  # which names each
            theirs.meta.events.register_first("before-send", lambda request, **_: told.append(request))
            with pytest.raises(theirs.exceptions.ClientError):
                getattr(theirs, name)(**arguments)
    for sent, expected in zip(server.received, told, strict=True):
        assert json.loads(sent.body) == json.loads(expected.body)
        assert sent.header("x-amz-target") == expected.headers["X-Amz-Target"].decode()
        assert sent.header("content-type") == expected.headers["Content-Type"].decode()


def test_an_unavailable_secret_is_reported_by_its_code() -> None:
    body = b'{"__type": "ResourceNotFoundException", "Message": "x"}'
    with WireServer(lambda _: answer(400, body)) as server, pytest.raises(AnswerError) as caught:
        secrets_at(server.url).get_secret_value(SecretId="nowhere")
    assert str(caught.value) == "ResourceNotFoundException"
