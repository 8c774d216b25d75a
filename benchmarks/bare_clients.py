"""Sends the requests of a process's first command with bare clients: the baseline that any program would pay."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from typing import Any


class Bare:
    """Bare clients for S3 and KMS.

    Args:
        make: makes a client for a service, with boto3 or botocore.
    """

    def __init__(self, make: Callable[[str], Any]) -> None:
        self._bucket = os.environ["S3MEMORY_BUCKET"]
        self._s3: Any = make("s3")
        self._kms: Any = make("kms")

    def view(self) -> None:
        """Fetch the key ring, unwrap a data key, fetch a file."""
        self._unwrap()
        self._s3.get_object(Bucket=self._bucket, Key="memories/acme/notes.md")["Body"].read()

    def create(self) -> None:
        """Fetch the key ring, unwrap a data key, look for obstacles, store a file."""
        self._unwrap()
        key = f"memories/acme/{os.getpid()}.md"
        self._s3.list_objects_v2(Bucket=self._bucket, Prefix=f"{key}/", MaxKeys=1)
        self._s3.put_object(Bucket=self._bucket, Key=key, Body=bytes(1_100), IfNoneMatch="*")

    def _unwrap(self) -> None:
        ring = json.loads(self._s3.get_object(Bucket=self._bucket, Key="keyrings/acme")["Body"].read())
        self._kms.decrypt(
            KeyId=os.environ["S3MEMORY_KMS_KEY_ID"],
            CiphertextBlob=base64.b64decode(ring["keys"][0]["wrapped"]),
            EncryptionContext={
                "s3memory:tenant": "acme",
                "s3memory:purpose": "data-key",
                "s3memory:generation": "1",
                "s3memory:name-mode": "plain",
            },
        )
