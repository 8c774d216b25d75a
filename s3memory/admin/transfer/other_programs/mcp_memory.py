"""The knowledge graph of MCP's reference memory server: entities and relations, one JSON object per line.

The lines are those of ``@modelcontextprotocol/server-memory``:
``{"type": "entity", "name": ..., "entityType": ..., "observations": [...]}`` and
``{"type": "relation", "from": ..., "to": ..., "relationType": ...}``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from s3memory.admin.transfer.import_sources import (
    MAX_FILES,
    PathSource,
    SourceFile,
    bounded_text,
    damaged,
    read_bounded,
    refuse_packed,
)
from s3memory.admin.transfer.other_programs.mending import mended

MAX_BYTES = 64 * 1024 * 1024
"""A larger graph is refused: it is held in memory as a whole."""

_UNBOUND = "relations.md"


@dataclass(slots=True)
class _Entity:
    name: str
    kind: str
    observations: dict[str, None] = field(default_factory=dict)  # an ordered set
    relations: dict[str, None] = field(default_factory=dict)


class KnowledgeGraph(PathSource):
    """A graph as files: ``TYPE/NAME.md`` for an entity, with its observations and the relations that start at it.

    Two processes may have written an entity twice: it becomes one file with all observations. Relations that start at
    no entity go to ``relations.md``.
    """

    def files(self) -> Iterator[SourceFile]:
        """Yield all entities, in the order of their first lines."""
        entities, unbound = self._graph()
        for entity in entities.values():
            name = f"{mended(entity.kind)}/{mended(f'{entity.name}.md')}"
            file = bounded_text(name, "\n".join((*_lines(entity), "")), self.max_bytes)
            yield replace(file, origin=f"{entity.kind}: {entity.name}")
        if unbound:
            yield bounded_text(_UNBOUND, "\n".join(("# Relations", "", *unbound, "")), self.max_bytes)

    def _graph(self) -> tuple[dict[tuple[str, str], _Entity], dict[str, None]]:
        entities: dict[tuple[str, str], _Entity] = {}
        by_name: dict[str, _Entity] = {}
        relations: list[tuple[str, str, str]] = []
        data = read_bounded(self.path, MAX_BYTES)
        refuse_packed(data)
        for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if not line.strip():
                continue
            if number > MAX_FILES:
                raise damaged(f"{self.path.name} has too many lines")
            item = self._item(line, number)
            if item["type"] == "relation":
                relations.append((item["from"], item["relationType"], item["to"]))
                continue
            entity = entities.setdefault((item["entityType"], item["name"]), _Entity(item["name"], item["entityType"]))
            entity.observations |= dict.fromkeys(item["observations"])
            by_name.setdefault(entity.name, entity)
        unbound: dict[str, None] = {}
        for source, kind, target in relations:
            if source in by_name:
                by_name[source].relations[f"- {_folded(kind)} [[{_folded(target)}]]"] = None
            else:
                unbound[f"- [[{_folded(source)}]] {_folded(kind)} [[{_folded(target)}]]"] = None
        return entities, unbound

    def _item(self, line: bytes, number: int) -> dict[str, Any]:
        at = f"{self.path.name} line {number}"
        try:
            item = json.loads(line)
        except (ValueError, RecursionError):
            raise damaged(f"{at} is not JSON") from None
        kind = item.get("type") if isinstance(item, dict) else None
        wanted = {"entity": ("name", "entityType"), "relation": ("from", "relationType", "to")}.get(str(kind))
        if wanted is None:
            raise damaged(f"{at} is neither an entity nor a relation")
        for name in wanted:
            if not isinstance(item.get(name), str) or not item[name].strip():
                raise damaged(f"{at} has no text as {name}")
        if kind == "entity":
            observations = item.get("observations")
            if not isinstance(observations, list) or not all(isinstance(one, str) for one in observations):
                raise damaged(f"{at} has no list of texts as observations")
        return {**item}


def _lines(entity: _Entity) -> list[str]:
    lines = [f"# {_folded(entity.name)}", "", f"Type: {_folded(entity.kind)}"]
    if entity.observations:
        # An observation with several lines stays one item of the list.
        lines += ["", "## Observations", "", *("- " + one.replace("\n", "\n  ") for one in entity.observations)]
    if entity.relations:
        lines += ["", "## Relations", "", *entity.relations]
    return lines


def _folded(text: str) -> str:
    return " ".join(text.split())
