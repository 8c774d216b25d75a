"""The questions to IAM for each request on the wire: actions, resources and context keys.

Sources: "Required permissions for Amazon S3 API operations" and "Condition keys" of the S3 user's guide, "Condition
keys" of the KMS developer's guide, "Tagging sessions" of the IAM user's guide, "Actions, resources, and condition keys
for Amazon DynamoDB" of the service authorization reference. An unknown operation is an error: look up a new request of
the library first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree as ET

from botocore.awsrequest import AWSPreparedRequest
from iam_policies import Request, Values
from moto.core.models import DEFAULT_ACCOUNT_ID

# The actions for a bucket's configuration, by the query parameter that requests it.
_CONFIGURATION = {
    "versioning": "GetBucketVersioning",
    "encryption": "GetEncryptionConfiguration",
    "lifecycle": "GetLifecycleConfiguration",
    "object-lock": "GetBucketObjectLockConfiguration",
    "replication": "GetReplicationConfiguration",
    "publicAccessBlock": "GetBucketPublicAccessBlock",
    "policy": "GetBucketPolicy",
}
_XML_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


def derive(service: str, sent: AWSPreparedRequest, *, bucket: str) -> list[Request]:
    """Return the questions to IAM about a request, as far as the request itself determines them.

    Args:
        service: ``s3``, ``kms``, ``sts`` or ``dynamodb``.
        sent: the request as it is signed and about to be sent.
        bucket: the bucket that the request may be about.
    """
    by_service = {
        "s3": lambda: _s3(sent, bucket),
        "kms": lambda: _kms(sent),
        "sts": lambda: _sts(sent),
        "dynamodb": lambda: _dynamodb(sent),
    }
    return list(by_service[service]())


def object_key(sent: AWSPreparedRequest, *, bucket: str) -> str:
    """Return the object key that an S3 request is about; empty for one about the bucket."""
    parts = urlsplit(sent.url)
    path = unquote(parts.path).removeprefix("/")
    if (parts.hostname or "").startswith(f"{bucket}."):
        return path
    return path.removeprefix(bucket).removeprefix("/")


def condition_headers(sent: AWSPreparedRequest) -> dict[str, Values]:
    """Return the condition keys of the conditional headers."""
    headers = {"s3:if-match": _header(sent, "If-Match"), "s3:if-none-match": _header(sent, "If-None-Match")}
    return {key: value for key, value in headers.items() if value}


def get_object(arn: str, context: Mapping[str, Values]) -> Request:
    """Return the question whether an object may be read."""
    return Request("s3:GetObject", arn, context)


def list_bucket(bucket: str, context: Mapping[str, Values], *, prefix: str) -> Request:
    """Return the question whether a prefix may be listed.

    S3 asks this, with the object key as the prefix, before it answers 404 instead of 403 for a missing object.
    """
    return Request("s3:ListBucket", f"arn:aws:s3:::{bucket}", {**context, "s3:prefix": prefix})


def _s3(sent: AWSPreparedRequest, bucket: str) -> Iterator[Request]:
    query = {name: values[0] for name, values in parse_qs(urlsplit(sent.url).query, keep_blank_values=True).items()}
    key = object_key(sent, bucket=bucket)
    arn = f"arn:aws:s3:::{bucket}/{key}"
    transport: dict[str, Values] = {
        "aws:SecureTransport": str(sent.url.startswith("https:")).lower(),
        "s3:TlsVersion": "1.3",
    }
    conditions = condition_headers(sent)
    match sent.method, bool(key):
        case ("GET" | "HEAD", True) if not query.keys() - {"x-id"}:
            yield get_object(arn, transport)
        case ("GET" | "HEAD", True) if query.keys() - {"x-id"} == {"versionId"}:
            yield Request("s3:GetObjectVersion", arn, {**transport, "s3:versionid": query["versionId"]})
        case ("PUT", True) if not query.keys() - {"x-id"}:
            yield Request("s3:PutObject", arn, {**transport, **conditions})
            if "s3:if-match" in conditions:  # documented for deletes; assumed for writes as well
                yield get_object(arn, transport)
        case ("DELETE", True) if not query.keys() - {"x-id"}:
            yield Request("s3:DeleteObject", arn, {**transport, **conditions})
            if "s3:if-match" in conditions:
                yield get_object(arn, transport)
        case ("POST", False) if "delete" in query:
            yield from _deletions(sent, bucket, transport)
        case ("GET", False) if query.get("list-type") == "2" or "versions" in query:
            listed: dict[str, Values] = {
                f"s3:{name}": query[name] for name in ("delimiter", "max-keys") if query.get(name)
            }
            request = list_bucket(bucket, {**transport, **listed}, prefix=query["prefix"])
            yield replace(request, action="s3:ListBucketVersions") if "versions" in query else request
        case ("GET", False) if len(asked := _CONFIGURATION.keys() & query.keys()) == 1:
            yield Request(f"s3:{_CONFIGURATION[asked.pop()]}", f"arn:aws:s3:::{bucket}", transport)
        case _:
            yield _of_uploads(sent, query, bucket, arn, transport)


def _of_uploads(
    sent: AWSPreparedRequest, query: Mapping[str, str], bucket: str, arn: str, transport: Mapping[str, Values]
) -> Request:
    if sent.method == "DELETE" and "uploadId" in query:
        return Request("s3:AbortMultipartUpload", arn, dict(transport))
    if sent.method == "GET" and "uploads" in query:
        return Request("s3:ListBucketMultipartUploads", f"arn:aws:s3:::{bucket}", dict(transport))
    raise AssertionError(f"which permission does this need? {sent.method} {sent.url}")


def _deletions(sent: AWSPreparedRequest, bucket: str, transport: Mapping[str, Values]) -> Iterator[Request]:
    for entry in ET.fromstring(_body(sent)).iter(f"{_XML_NAMESPACE}Object"):  # noqa: S314 - our own request
        one = f"arn:aws:s3:::{bucket}/{entry.findtext(f'{_XML_NAMESPACE}Key')}"
        version_id = entry.findtext(f"{_XML_NAMESPACE}VersionId")
        if version_id:
            yield Request("s3:DeleteObjectVersion", one, {**transport, "s3:versionid": version_id})
            continue
        etag = entry.findtext(f"{_XML_NAMESPACE}ETag")
        yield Request("s3:DeleteObject", one, {**transport, **({"s3:if-match": etag} if etag else {})})
        if etag:
            yield get_object(one, transport)


def _kms(sent: AWSPreparedRequest) -> Iterator[Request]:
    operation = (_header(sent, "X-Amz-Target") or "").removeprefix("TrentService.")
    if operation not in {"Decrypt", "Encrypt", "GenerateDataKey"}:
        raise AssertionError(f"which permission does this need? {operation}")
    parameters = json.loads(_body(sent))
    encryption_context = parameters.get("EncryptionContext", {})
    context: dict[str, Values] = {f"kms:EncryptionContext:{key}": value for key, value in encryption_context.items()}
    if encryption_context:
        context["kms:EncryptionContextKeys"] = tuple(sorted(encryption_context))
    yield Request(f"kms:{operation}", parameters["KeyId"], context)


def _dynamodb(sent: AWSPreparedRequest) -> Iterator[Request]:
    operation = (_header(sent, "X-Amz-Target") or "").removeprefix("DynamoDB_20120810.")
    parameters = json.loads(_body(sent))
    table = f"arn:aws:dynamodb:eu-central-1:{DEFAULT_ACCOUNT_ID}:table/{parameters['TableName']}"
    match operation:
        case "GetItem" | "DeleteItem":
            yield Request(f"dynamodb:{operation}", table, {"dynamodb:LeadingKeys": (parameters["Key"]["tenant"]["S"],)})
        case "PutItem":
            yield Request("dynamodb:PutItem", table, {"dynamodb:LeadingKeys": (parameters["Item"]["tenant"]["S"],)})
        case "DescribeTable" | "DescribeContinuousBackups":
            yield Request(f"dynamodb:{operation}", table)
        case _:
            raise AssertionError(f"which permission does this need? {operation}")


def _sts(sent: AWSPreparedRequest) -> Iterator[Request]:
    parameters = {name: values[0] for name, values in parse_qs(_body(sent).decode()).items()}
    if parameters["Action"] != "AssumeRole":
        raise AssertionError(f"which permission does this need? {parameters['Action']}")
    tags = session_tags(sent)
    context: dict[str, Values] = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    context["sts:RoleSessionName"] = parameters["RoleSessionName"]
    if tags:
        context["aws:TagKeys"] = tuple(sorted(tags))
    yield Request("sts:AssumeRole", parameters["RoleArn"], context)
    if tags:
        yield Request("sts:TagSession", parameters["RoleArn"], context)


def session_tags(sent: AWSPreparedRequest) -> dict[str, str]:
    """Return the tags that a request to STS asks for."""
    parameters = {name: values[0] for name, values in parse_qs(_body(sent).decode()).items()}
    return {
        parameters[name]: parameters[f"{name.removesuffix('Key')}Value"]
        for name in parameters
        if re.fullmatch(r"Tags\.member\.\d+\.Key", name)
    }


def access_key(sent: AWSPreparedRequest) -> str:
    """Return the access key that signed a request."""
    found = re.search(r"Credential=([^/]+)/", _header(sent, "Authorization") or "")
    assert found is not None
    return found[1]


def _header(sent: AWSPreparedRequest, name: str) -> str | None:
    value: str | bytes | None = sent.headers.get(name)
    return value.decode() if isinstance(value, bytes) else value


def _body(sent: AWSPreparedRequest) -> bytes:
    body = sent.body
    if isinstance(body, str):
        return body.encode()
    assert isinstance(body, (bytes, bytearray))
    return bytes(body)
