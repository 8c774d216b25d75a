"""Sealed documents: JSON objects of the package itself, stored next to files, such as intents and tombstones. No I/O.

A document's id is derived from its subject with the tenant's oldest data key. So it can be found without a listing by
its subject, and a rotation changes no id. ``docs/format.md`` specifies the bytes.
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
        folder: the folder that holds its documents.
        purpose: keeps its sealed documents apart from other kinds.
        parse: turns the JSON object into the document's content; raises `ValueError`, `KeyError`, `TypeError`,
            `AttributeError` or `InvalidInputError` if it is not as expected.
        name: what errors call such a document.
    """

    folder: Folder
    purpose: str
    parse: Callable[[Any], T]
    name: str

    def id_of(self, oldest: DataKey, tenant: str, *about: str) -> str:
        """Return the id of the document about this subject."""
        return derive_id(oldest, self.purpose, tenant, *about)

    def sealed(self, fields: Mapping[str, object], *, data_key: DataKey, tenant: str, document_id: str) -> bytes:
        """Return a document as it is stored."""
        return seal(json.dumps(fields).encode("utf-8"), data_key=data_key, place=self._place(tenant, document_id))

    def opened(self, sealed: bytes, *, data_key: DataKey, tenant: str, document_id: str) -> T:
        """Return the parsed content of a document.

        Raises:
            IntegrityError: it does not open, or is of an unknown kind.
        """
        plaintext = open_sealed(sealed, data_key=data_key, place=self._place(tenant, document_id))
        try:
            return self.parse(json.loads(plaintext))
        except (InvalidInputError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # Sealed by a later version of this package, which knows this kind, or by somebody who has the key.
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
