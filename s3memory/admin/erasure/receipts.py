"""Receipts of erasures: what was destroyed and when, as canonical JSON, signed if there is a key.

The format is specified in ``docs/operations.md``.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from s3memory.admin.erasure.erasing import Erasure
from s3memory.aws.addresses import without_password
from s3memory.contract.views import shown_time
from s3memory.errors import ConfigurationError, IntegrityError
from s3memory.keys.key_cache import MAX_KEY_TTL_SECONDS
from s3memory.s3.versions import ListedVersion
from s3memory.store.memory_store import MemoryStore

FORMAT = "s3memory/erasure-receipt/1"

NOT_PROVED = (
    "That there are no copies elsewhere: replicas, backups, exports, other prefixes, logs, other regions.",
    "That no process still has the key ring or a text in its memory.",
    "That nothing is written afterwards: a process that has the key ring cached may, until caches_end, and in vain.",
    "What an earlier run destroyed: the counts are of this run.",
    "Which of two runs at the same time destroyed a version: the counts of both may have it.",
    "How the storage service frees what it deletes.",
)
"""What a receipt does not prove, as the receipt itself says."""

_ALTERED = "The receipt was altered, or signed by another key."


def receipt_of(store: MemoryStore, erasure: Erasure) -> dict[str, Any]:
    """Return the unsigned receipt of an erasure, ready for JSON."""
    endpoint_url, bucket = store.objects.identity
    return {
        "format": FORMAT,
        "tenant": store.tenant,
        "bucket": bucket,
        "endpoint": without_password(endpoint_url),
        "erased": list(store.objects.folders),
        "begun": shown_time(erasure.begun),
        "verified": shown_time(erasure.verified),
        "found_nothing": erasure.found_nothing,
        "destroyed": {folder: asdict(tally) for folder, tally in erasure.destroyed.items()},
        "destroyed_sha256": erasure.destroyed_sha256,
        "left": erasure.left,
        "refusals": erasure.refusals,
        "uploads_aborted": erasure.uploads_aborted,
        "uploads_listed": not erasure.uploads_unlisted,
        "named_in": None if erasure.naming is None else _identified(erasure.naming.named_in),
        "not_read": None if erasure.naming is None else _identified(erasure.naming.unread),
        "caches_end": shown_time(erasure.verified + timedelta(seconds=MAX_KEY_TTL_SECONDS)),
        "not_proved": list(NOT_PROVED),
    }


def signed(receipt: Mapping[str, Any], private_key_pem: bytes) -> dict[str, Any]:
    """Return a receipt with an Ed25519 signature of its canonical JSON.

    Args:
        receipt: the result of `receipt_of`.
        private_key_pem: an Ed25519 private key, PEM, without a passphrase.

    Raises:
        ConfigurationError: it is not such a key.
    """
    key = load_private_key(private_key_pem)
    value = key.sign(canonical(receipt))
    return {**receipt, "signature": _signature(key.public_key(), value)}


def load_private_key(pem: bytes) -> Ed25519PrivateKey:
    """Return the signing key. Call it before anything is destroyed, to be sure that `signed` will accept the key.

    Raises:
        ConfigurationError: it is not an Ed25519 private key, PEM, without a passphrase.
    """
    with suppress(ValueError, TypeError, UnsupportedAlgorithm):
        key = load_pem_private_key(pem, password=None)
        if isinstance(key, Ed25519PrivateKey):
            return key
    raise ConfigurationError("the key to sign with must be an Ed25519 private key, PEM, without a passphrase")


def checked(document: bytes, public_key_pem: bytes | None = None) -> dict[str, Any]:
    """Check a receipt and its signature, if it has one, and return it.

    Args:
        document: the receipt as it was written.
        public_key_pem: the key that must have signed it. Without one, the receipt's own key is used, which anyone could
            have put there.

    Raises:
        IntegrityError: it is not a receipt, was altered, or is not signed by that key.
        ConfigurationError: `public_key_pem` is not an Ed25519 public key.
    """
    try:
        receipt = json.loads(document)
        if receipt["format"] != FORMAT or canonical(receipt) + b"\n" != document:
            raise IntegrityError("This is not a receipt of an erasure, or it was altered.")
        signature = receipt.pop("signature", None)
        if signature is not None:
            key = Ed25519PublicKey.from_public_bytes(base64.b64decode(signature["public_key"], validate=True))
            key = key if public_key_pem is None else _public_key(public_key_pem)
            value = base64.b64decode(signature["value"], validate=True)
            key.verify(value, canonical(receipt))
            if signature != _signature(key, value):  # its fields are not signed, so they could name another key
                raise IntegrityError(_ALTERED)
            receipt["signature"] = signature
        elif public_key_pem is not None:
            raise IntegrityError("The receipt is not signed.")
    except InvalidSignature:
        raise IntegrityError(_ALTERED) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise IntegrityError("This is not a receipt of an erasure, or it was altered.") from None
    return dict(receipt)


def canonical(receipt: Mapping[str, Any]) -> bytes:
    """Return the canonical JSON of a receipt: sorted names, no white space, ASCII."""
    return json.dumps(receipt, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _signature(key: Ed25519PublicKey, value: bytes) -> dict[str, str]:
    return {
        "algorithm": "ed25519",
        "public_key": base64.b64encode(key.public_bytes_raw()).decode("ascii"),
        "value": base64.b64encode(value).decode("ascii"),
    }


def _public_key(pem: bytes) -> Ed25519PublicKey:
    with suppress(ValueError, TypeError, UnsupportedAlgorithm):
        key = load_pem_public_key(pem)
        if isinstance(key, Ed25519PublicKey):
            return key
    raise ConfigurationError("the key to check with must be an Ed25519 public key, PEM")


def _identified(versions: Iterable[ListedVersion]) -> list[dict[str, str]]:
    return [{"object_key": version.object_key, "version_id": version.version_id} for version in versions]
