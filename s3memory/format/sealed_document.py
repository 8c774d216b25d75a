"""Sealed documents: JSON objects of the package's own beside the files, such as intents and tombstones. No I/O.

The id of each is derived from what it is about, with the tenant's oldest data key: whoever knows that finds it without
looking for it, and a rotation changes no id. The bytes are specified in ``docs/format.md``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from s3memory.errors import IntegrityError, InvalidInputError
from s3memory.format.envelope import DataKey, Place, derive_id, open_sealed, seal
from s3memory.format.object_keys import Folder

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SealedDocument(Generic[T]):
    """A kind of sealed document.

    Attributes:
        folder: where its documents are.
        purpose: keeps what is sealed apart from other kinds.
        parse: makes of a JSON object what the document says; raises `ValueError`, `KeyError`, `TypeError`,
            `AttributeError` or `InvalidInputError` where it is not as described.
        name: what an error calls one.
    """

    folder: Folder
    purpose: str
    parse: Callable[[Any], T]
    name: str

    def id_of(self, oldest: DataKey, tenant: str, *about: str) -> str:
        """Return the id of the document that is about these texts."""
        return derive_id(oldest, self.purpose, tenant, *about)

    def sealed(self, fields: Mapping[str, object], *, data_key: DataKey, tenant: str, document_id: str) -> bytes:
        """Return a document as it is stored."""
        return seal(json.dumps(fields).encode("utf-8"), data_key=data_key, place=self._place(tenant, document_id))

    def opened(self, sealed: bytes, *, data_key: DataKey, tenant: str, document_id: str) -> T:
        """Return what a document says.

        Raises:
            IntegrityError: it does not open, or is of a kind that is not known here.
        """
        plaintext = open_sealed(sealed, data_key=data_key, place=self._place(tenant, document_id))
        try:
            return self.parse(json.loads(plaintext))
        except (InvalidInputError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # Sealed by a later version of this package, which knows what it means, or by somebody who has the key.
            raise IntegrityError(f"{self.name} is of a kind that is not known here. This needs an operator.") from None

    def resealed(self, sealed: bytes, *, data_key: DataKey, newest: DataKey, tenant: str, document_id: str) -> bytes:
        """Return the same document, byte for byte, under the newest data key.

        Raises:
            IntegrityError: it does not open.
        """
        place = self._place(tenant, document_id)
        return seal(open_sealed(sealed, data_key=data_key, place=place), data_key=newest, place=place)

    def _place(self, tenant: str, document_id: str) -> Place:
        return Place(self.purpose, tenant, document_id)
