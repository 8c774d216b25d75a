"""Code outside `s3memory.store` calls a store's methods; it names no object keys and seals no texts."""

from __future__ import annotations

import ast
from pathlib import Path

import s3memory

_PACKAGE = Path(s3memory.__file__).parent
# Attributes of a store, and of the objects and texts that it holds.
_INSIDE = {
    "store": {"bucket", "keys", "layout"},
    "objects": {"layout"},
    "deletes": {"whatever"},  # it has no conditional delete
    "texts": {"seal", "seal_actor"},
}


def reaching_through(source: str) -> list[str]:
    """Return the expressions of a module that reach through a store."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "attr", "") or getattr(node.value, "id", "")
            if node.attr in _INSIDE.get(str(owner).lstrip("_"), ()):
                found.append(ast.unparse(node))
    return found


def test_no_code_outside_of_store_reaches_through_it() -> None:
    modules = {path: path.read_text("utf-8") for path in _PACKAGE.rglob("*.py")}
    outside = {path: text for path, text in modules.items() if _PACKAGE / "store" not in path.parents}
    assert len(outside) < len(modules)
    assert {str(path): found for path, text in outside.items() if (found := reaching_through(text))} == {}


def test_reaching_through_is_detected_in_every_spelling() -> None:
    found = reaching_through("self._store.keys.of(store.objects.layout, store.texts.seal)")
    assert sorted(found) == ["self._store.keys", "store.objects.layout", "store.texts.seal"]
    assert reaching_through("store.texts.open(store.objects.get(store.key_ring.object_key))") == []
