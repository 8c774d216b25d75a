"""KMS, STS, DynamoDB and Secrets Manager on libcurl: the few requests that are needed, with boto3's names.

No part of a request or response is kept or shown, since they hold data keys and credentials. Errors carry a code only.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode

from s3memory.aws.errors import unreadable
from s3memory.aws.fast.http import HttpAnswer
from s3memory.aws.fast.service import Meta, Service, answer_error, is_ok, xml_of
from s3memory.aws.timestamps import parse_timestamp

_STS_NAMESPACE = "{https://sts.amazonaws.com/doc/2011-06-15/}"


class _Client:
    def __init__(self, service: Service) -> None:
        self._service = service
        self.meta: Meta = service.meta


class _Json(_Client):
    """A client that speaks AWS's JSON protocols, https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html."""

    _target: str
    _content_type: str

    def _call(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"content-type": self._content_type, "x-amz-target": f"{self._target}.{operation}"}
        body = json.dumps({name: _as_json(name, value) for name, value in params.items()}).encode()
        answer = self._service.answer_to(
            operation, "POST", f"{self._service.address}/", headers, body, checked=_checked_json
        )
        with suppress(*_NOT_JSON):
            parsed = json.loads(answer.body or b"")
            if isinstance(parsed, dict):
                return parsed
        raise unreadable()


class Kms(_Json):
    """A client of KMS. Safe to share between threads."""

    _target = "TrentService"
    _content_type = "application/x-amz-json-1.1"

    def generate_data_key(self, **params: Any) -> dict[str, bytes]:
        """Generate a data key: ``Plaintext`` and ``CiphertextBlob``."""
        return _bytes_of(self._call("GenerateDataKey", params), "Plaintext", "CiphertextBlob")

    def decrypt(self, **params: Any) -> dict[str, bytes]:
        """Unwrap a data key: ``Plaintext``."""
        return _bytes_of(self._call("Decrypt", params), "Plaintext")

    def encrypt(self, **params: Any) -> dict[str, bytes]:
        """Wrap a data key: ``CiphertextBlob``."""
        return _bytes_of(self._call("Encrypt", params), "CiphertextBlob")


class DynamoDb(_Json):
    """A client of DynamoDB: a `DynamoDBClient`. Safe to share between threads."""

    _target = "DynamoDB_20120810"
    _content_type = "application/x-amz-json-1.0"

    def get_item(self, *, ConsistentRead: bool = False, **params: Any) -> dict[str, Any]:
        """Fetch an item: ``Item``, if there is one."""
        result = self._call("GetItem", {**params, "ConsistentRead": ConsistentRead})
        return {"Item": _received(result["Item"])} if "Item" in result else {}

    def put_item(self, **params: Any) -> dict[str, Any]:
        """Store an item if the condition holds for the stored one."""
        return self._call("PutItem", params)

    def update_item(self, **params: Any) -> dict[str, Any]:
        """Change or create an item if the condition holds for the stored one."""
        return self._call("UpdateItem", params)


class SecretsManager(_Json):
    """A client of Secrets Manager. Safe to share between threads."""

    _target = "secretsmanager"
    _content_type = "application/x-amz-json-1.1"

    def get_secret_value(self, *, SecretId: str) -> dict[str, Any]:
        """Fetch a secret: ``SecretString``, if it is text."""
        result = self._call("GetSecretValue", {"SecretId": SecretId})
        return {name: result[name] for name in ("SecretString",) if name in result}


class Sts(_Client):
    """A client of STS. Safe to share between threads."""

    def assume_role(self, *, Tags: Sequence[Mapping[str, str]] = (), **params: object) -> dict[str, Any]:
        """Get credentials of a role: ``Credentials``."""
        form = {"Action": "AssumeRole", "Version": "2011-06-15", **{name: str(value) for name, value in params.items()}}
        for number, tag in enumerate(Tags, start=1):
            form |= {f"Tags.member.{number}.{name}": value for name, value in tag.items()}
        answer = self._service.answer_to(
            "AssumeRole",
            "POST",
            f"{self._service.address}/",
            {"content-type": "application/x-www-form-urlencoded; charset=utf-8"},
            urlencode(form, quote_via=quote, safe="-_.~").encode(),
            checked=_checked_query,
        )
        root = xml_of(answer)
        if root is None:
            raise unreadable()
        given = {
            name: root.findtext(f".//{_STS_NAMESPACE}Credentials/{_STS_NAMESPACE}{name}", "")
            for name in ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
        }
        if not all(given.values()):
            raise unreadable()
        try:
            return {"Credentials": {**given, "Expiration": parse_timestamp(given["Expiration"])}}
        except ValueError:
            raise unreadable() from None


_NOT_JSON = (ValueError, RecursionError)  # the second for brackets that are nested too deeply


def _checked_json(answer: HttpAnswer) -> HttpAnswer:
    if is_ok(answer):
        return answer
    parsed: object = None
    with suppress(*_NOT_JSON):
        parsed = json.loads(answer.body or b"null")
    code = answer.headers.get("x-amzn-errortype", "")
    if not code and isinstance(parsed, dict):
        code = str(parsed.get("__type") or parsed.get("code") or "")
    # A namespace may precede the code, and a URL may follow it.
    raise answer_error(answer, code.rpartition("#")[2].partition(":")[0] or str(answer.status)) from None


def _checked_query(answer: HttpAnswer) -> HttpAnswer:
    if is_ok(answer):
        return answer
    root = xml_of(answer)
    code = None if root is None else root.findtext(f".//{_STS_NAMESPACE}Code") or root.findtext(".//Code")
    raise answer_error(answer, code or str(answer.status))


def _bytes_of(result: Mapping[str, Any], *names: str) -> dict[str, bytes]:
    try:
        return {name: b64decode(result[name], validate=True) for name in names}
    except (KeyError, TypeError, ValueError):
        raise unreadable() from None


def _text(value: bytes) -> str:
    return b64encode(value).decode()


def _as_json(name: str, value: Any) -> Any:
    """Return an argument's value for JSON, given the argument's name: bytes are encoded as Base64."""
    if name in {"Plaintext", "CiphertextBlob"}:
        return _text(value)
    return _converted(value, _text) if name in {"Item", "Key", "ExpressionAttributeValues"} else value


def _received(item: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    try:
        return _converted(item, b64decode)
    except (AttributeError, TypeError, ValueError):
        raise unreadable() from None


def _converted(item: Mapping[str, Mapping[str, Any]], convert: Callable[[Any], Any]) -> dict[str, dict[str, Any]]:
    """Return a DynamoDB item with its bytes, and its sets of bytes, converted."""

    def converted(kind: str, value: Any) -> Any:
        if kind == "BS":
            return [convert(one) for one in value]
        return convert(value) if kind == "B" else value

    return {name: {kind: converted(kind, value) for kind, value in one.items()} for name, one in item.items()}
