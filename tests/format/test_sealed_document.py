"""A sealed document opens only at its own place, and keeps its content when it is resealed."""

from __future__ import annotations

import os
from typing import Any

import pytest

from s3memory.errors import IntegrityError
from s3memory.format.envelope import INTENT_PURPOSE, REDACTION_PURPOSE, DataKey, Place, open_sealed, sealed_generation
from s3memory.format.object_keys import Folder
from s3memory.format.sealed_document import SealedDocument

OLDEST, NEWEST = DataKey(1, os.urandom(32)), DataKey(2, os.urandom(32))
FIELDS = {"text": "größer", "number": 7}


def _text_of(fields: Any) -> str:
    return str(fields["text"])


KIND = SealedDocument(Folder.INTENTS, INTENT_PURPOSE, _text_of, "A note")
OTHER = SealedDocument(Folder.REDACTIONS, REDACTION_PURPOSE, _text_of, "A record")


def test_it_returns_what_was_sealed() -> None:
    sealed = KIND.sealed(FIELDS, data_key=OLDEST, tenant="acme", document_id="one")
    assert KIND.opened(sealed, data_key=OLDEST, tenant="acme", document_id="one") == "größer"


@pytest.mark.parametrize(
    ("kind", "tenant", "document_id"), [(OTHER, "acme", "one"), (KIND, "globex", "one"), (KIND, "acme", "two")]
)
def test_it_opens_only_at_its_own_place(kind: SealedDocument[str], tenant: str, document_id: str) -> None:
    sealed = KIND.sealed(FIELDS, data_key=OLDEST, tenant="acme", document_id="one")
    with pytest.raises(IntegrityError, match="does not open"):
        kind.opened(sealed, data_key=OLDEST, tenant=tenant, document_id=document_id)


def test_a_document_of_an_unknown_kind_is_refused_by_its_name() -> None:
    sealed = KIND.sealed({"body": ""}, data_key=OLDEST, tenant="acme", document_id="one")
    with pytest.raises(IntegrityError, match=r"^A note is of a kind that is not known here"):
        KIND.opened(sealed, data_key=OLDEST, tenant="acme", document_id="one")


def test_resealed_it_has_the_same_content_under_the_newest_key() -> None:
    place = Place(INTENT_PURPOSE, "acme", "one")
    sealed = KIND.sealed(FIELDS, data_key=OLDEST, tenant="acme", document_id="one")
    resealed = KIND.resealed(sealed, data_key=OLDEST, newest=NEWEST, tenant="acme", document_id="one")
    assert sealed_generation(resealed) == NEWEST.generation
    before = open_sealed(sealed, data_key=OLDEST, place=place)
    assert open_sealed(resealed, data_key=NEWEST, place=place) == before


def test_its_id_is_derived_from_its_subject() -> None:
    assert KIND.id_of(OLDEST, "acme", "a", "b") == KIND.id_of(OLDEST, "acme", "a", "b")
    others = {
        KIND.id_of(OLDEST, "acme", "ab"),
        KIND.id_of(OLDEST, "globex", "a", "b"),
        OTHER.id_of(OLDEST, "acme", "a", "b"),
    }
    assert KIND.id_of(OLDEST, "acme", "a", "b") not in others
