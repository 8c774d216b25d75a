"""Corrections of moto where it differs from AWS in ways that affect this package."""

from __future__ import annotations

import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import wraps
from typing import Any

import moto.kms.models
import moto.s3.models
import moto.s3.responses
import xmltodict  # type: ignore[import-untyped]  # it comes with moto
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.exceptions import JsonRESTError
from moto.s3.exceptions import MissingKey

_Response = tuple[int, dict[str, Any], str | bytes]


def correct(put: Callable[[Any, str, Any], object]) -> None:
    """Correct moto in this process. `put` sets an attribute: `setattr`, or pytest's ``monkeypatch.setattr``."""
    backend, responses = moto.s3.models.S3Backend, moto.s3.responses.S3Response
    put(backend, "list_objects", _without_deleted_folders(backend.list_objects))
    put(responses, "delete_object", _taking_any(responses.delete_object))
    put(responses, "_bucket_response_delete_keys", _reading_etags(responses._bucket_response_delete_keys))  # noqa: SLF001 - as it is called by moto
    # moto raises AccessDeniedException, as if a policy refused: a key ring could not be moved to another KMS key.
    put(moto.kms.models, "AccessDeniedException", IncorrectKeyError)
    put(BotocoreStubber, "__call__", _one_at_a_time(BotocoreStubber.__call__))


class IncorrectKeyError(JsonRESTError):
    """AWS's error for a data key that was wrapped under a different key than the request names."""

    code = 400

    def __init__(self, message: str) -> None:
        super().__init__("IncorrectKeyException", message)


def _one_at_a_time(answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return moto's request handler, serialized.

    S3 compares and stores in one step. moto does so in two, and another thread could get in between.
    """
    lock = threading.RLock()

    @wraps(answer)
    def serialized(*given: Any, **named: Any) -> Any:
        with lock:
            return answer(*given, **named)

    return serialized


def _without_deleted_folders(list_objects: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
    """Return moto's listing without common prefixes that contain only delete markers.

    Otherwise, a tenant whose renames are done would seem to have unfinished ones.
    """

    @wraps(list_objects)
    def listed(self: Any, bucket: Any, prefix: str | None, delimiter: str | None, **more: Any) -> tuple[Any, ...]:
        objects, folders, *rest = list_objects(self, bucket, prefix, delimiter, **more)
        if folders:
            start = prefix or ""
            names = (name for name, key in bucket.keys.items() if not isinstance(key, moto.s3.models.FakeDeleteMarker))
            parts = (name.removeprefix(start).partition(delimiter) for name in names if name.startswith(start))
            current = {f"{start}{folder}{delimiter}" for folder, found, _ in parts if found}
            folders = [folder for folder in folders if folder in current]
        return (objects, folders, *rest)

    return listed


def _taking_any(delete_object: Callable[[Any], _Response]) -> Callable[[Any], _Response]:
    """Return moto's DeleteObject with S3's meaning of ``If-Match: *``: moto takes the ``*`` for an ETag."""

    @wraps(delete_object)
    def delete(self: Any) -> _Response:
        if self.headers.get("If-Match") != "*":
            return delete_object(self)
        object_key = self.parse_key_name()
        if not self.backend.get_object(self.bucket_name, object_key):
            raise MissingKey
        _, fields = self.backend.delete_object(self.bucket_name, object_key)
        return 204, {f"x-amz-{name}": value for name, value in fields.items()}, ""

    return delete


def _reading_etags(delete_keys: Callable[..., _Response]) -> Callable[..., _Response]:
    """Return moto's DeleteObjects with the ETags of its entries as conditions: moto ignores them."""

    @wraps(delete_keys)
    def delete(self: Any, bucket_name: str, *more: Any, **named: Any) -> _Response:
        document = xmltodict.parse(self.body, strip_whitespace=False, force_list=("Object",))
        refused, kept = {}, []
        for entry in document["Delete"].get("Object", []):
            present = self.backend.get_object(bucket_name, entry["Key"]) if "ETag" in entry else None
            if "ETag" in entry and not present:
                refused[entry["Key"]] = "NoSuchKey"
            elif present and present.etag.strip('"') != entry["ETag"].strip('"'):
                refused[entry["Key"]] = "PreconditionFailed"
            else:
                kept.append(entry)
        if not refused:
            return delete_keys(self, bucket_name, *more, **named)
        result: ET.Element = ET.Element("DeleteResult")
        status, headers = 200, dict[str, Any]()
        if kept:
            document["Delete"]["Object"] = kept
            self.body = xmltodict.unparse(document)
            status, headers, body = delete_keys(self, bucket_name, *more, **named)
            result = ET.fromstring(body)  # noqa: S314 - moto's own
        for object_key, code in refused.items():
            error = ET.SubElement(result, "Error")
            ET.SubElement(error, "Key").text = object_key
            ET.SubElement(error, "Code").text = code
        return status, headers, ET.tostring(result, encoding="unicode")

    return delete
