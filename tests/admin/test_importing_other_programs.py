"""Memories of other programs come in as the page says, the same every time; what is damaged writes nothing."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shlex
import sys
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.cli_runs import Run
from support.repository import REPOSITORY
from support.stored import texts_of

from s3memory import MemoryStore
from s3memory.admin.transfer.import_sources import FolderSource, Source, SourceFile
from s3memory.admin.transfer.importing import Import, ImportOutcome, import_files, plan
from s3memory.admin.transfer.other_programs.basic_memory import BasicMemory
from s3memory.admin.transfer.other_programs.claude_code import AutoMemory, ClaudeMdTree
from s3memory.admin.transfer.other_programs.claude_export import ClaudeExport
from s3memory.admin.transfer.other_programs.mcp_memory import KnowledgeGraph
from s3memory.admin.transfer.other_programs.mending import mended
from s3memory.errors import ConfigurationError, InvalidInputError
from s3memory.paths import MemoryPath

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

PAGE = (REPOSITORY / "docs" / "import.md").read_text("utf-8")
MAX_BYTES = 409_600
SECRET = "AKIA" + "QWERTYUIOPASDFGH"


def tree(root: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return root


def imported(store: MemoryStore, source: Source) -> dict[str, str]:
    """Import a source twice, which has to change nothing the second time."""
    assert import_files(store, source).count(ImportOutcome.REFUSED) == 0
    texts = texts_of(store)
    again = import_files(store, source)
    assert {file.outcome for file in again.files} <= {ImportOutcome.UNCHANGED, ImportOutcome.SKIPPED}
    assert texts_of(store) == texts
    return texts


def reasons(result: Import) -> dict[str, str | None]:
    return {
        file.path: file.reason
        for file in result.files
        if file.outcome in {ImportOutcome.REFUSED, ImportOutcome.SKIPPED}
    }


def entity(name: str, kind: str = "person", *observations: str) -> dict[str, Any]:
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations)}


def relation(source: str, kind: str, target: str) -> dict[str, Any]:
    return {"type": "relation", "from": source, "to": target, "relationType": kind}


def graph(path: Path, *items: Any) -> KnowledgeGraph:
    file = path / "memory.jsonl"
    file.write_text("\n".join(json.dumps(item) for item in items), "utf-8")
    return KnowledgeGraph(file, MAX_BYTES)


def zipped(documents: dict[str, Any], **more: Any) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for name, document in documents.items():
            archive.writestr(name, document if isinstance(document, bytes) else json.dumps(document))
    return out.getvalue()


def export(path: Path, data: bytes) -> ClaudeExport:
    file = path / "export.zip"
    file.write_bytes(data)
    return ClaudeExport(file, MAX_BYTES)


ACCOUNT = {
    "conversations_memory": "**Work**\n\nLikes tea.",
    "project_memories": {"11111111-aaaa": "Uses Rust.", "22222222-bbbb": "Plans a trip."},
    "account_uuid": "acc-1",
}
PROJECTS = [{"uuid": "11111111-aaaa", "name": "Compiler/IR"}, {"uuid": "22222222-bbbb", "name": "Trip"}]


class TestClaudeCode:
    def test_each_project_becomes_a_folder(self, store: MemoryStore, tmp_path: Path) -> None:
        home = tree(
            tmp_path,
            {
                "projects/-home-a/memory/MEMORY.md": "# A\n",
                "projects/-home-a/memory/topics/db.md": "uses sqlite",
                "projects/-home-a/session.jsonl": "no memory",
                "projects/-home-b/memory/MEMORY.md": "# B\n",
                "projects/-home-c/session.jsonl": "no memory",
            },
        )
        expected = {"-home-a/MEMORY.md": "# A\n", "-home-a/topics/db.md": "uses sqlite", "-home-b/MEMORY.md": "# B\n"}
        assert imported(store, AutoMemory(home, MAX_BYTES)) == expected
        assert {file.name for file in AutoMemory(home / "projects", MAX_BYTES).files()} == set(expected)

    @pytest.mark.parametrize("named", ["projects/-a/memory", "projects/-a"])
    def test_one_projects_memory_is_the_root(self, store: MemoryStore, tmp_path: Path, named: str) -> None:
        home = tree(tmp_path, {"projects/-a/memory/MEMORY.md": "x", "projects/-a/memory/.DS_Store": "y"})
        assert imported(store, AutoMemory(home / named, MAX_BYTES)) == {"MEMORY.md": "x"}

    def test_a_folder_without_memory_is_refused(self, store: MemoryStore, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match=r"no Claude Code memory in this folder.*Nothing was imported"):
            plan(store, AutoMemory(tree(tmp_path, {"a/b": "x"}), MAX_BYTES))

    def test_links_are_named_and_not_followed(self, store: MemoryStore, tmp_path: Path) -> None:
        outside = tree(tmp_path / "outside", {"secret": "s"})
        home = tree(tmp_path / "home", {"a/memory/MEMORY.md": "x", "b/nothing": ""})
        (home / "a/memory/linked").symlink_to(outside)
        (home / "a/memory/link.md").symlink_to(outside / "secret")
        (home / "b/memory").symlink_to(outside)
        (home / "c").symlink_to(home / "a")
        result = plan(store, AutoMemory(home, MAX_BYTES))
        assert reasons(result) == dict.fromkeys(
            ["/memories/a/link.md", "/memories/a/linked", "/memories/b"], "it is a link"
        )


class TestClaudeMd:
    def test_files_that_claude_code_reads_are_taken_at_their_paths(self, store: MemoryStore, tmp_path: Path) -> None:
        root = tree(
            tmp_path / "shop",
            {
                "CLAUDE.md": "top",
                "CLAUDE.local.md": "mine",
                "api/CLAUDE.md": "api",
                ".claude/CLAUDE.md": "settings",
                ".claude/rules/sub/style.md": "rule",
                ".claude/agents/CLAUDE.md": "no",
                ".git/CLAUDE.md": "no",
                "node_modules/x/CLAUDE.md": "no",
                "README.md": "no",
            },
        )
        assert imported(store, ClaudeMdTree(root, MAX_BYTES)) == {
            "CLAUDE.md": "top",
            "CLAUDE.local.md": "mine",
            "api/CLAUDE.md": "api",
            "claude/CLAUDE.md": "settings",
            "claude/rules/sub/style.md": "rule",
        }

    def test_the_folder_of_settings_itself_may_be_named(self, store: MemoryStore, tmp_path: Path) -> None:
        root = tree(tmp_path / ".claude", {"CLAUDE.md": "a", "rules/b.md": "b", "projects/x/CLAUDE.md": "no"})
        assert imported(store, ClaudeMdTree(root, MAX_BYTES)) == {"CLAUDE.md": "a", "rules/b.md": "b"}

    def test_imported_files_come_along_and_texts_stay_as_they_are(self, store: MemoryStore, tmp_path: Path) -> None:
        text = "See @docs/a.md, and @missing.md and anna@docs/mail.md.\n`@docs/code.md`\n```\n@docs/code.md\n```\n"
        root = tree(
            tmp_path,
            {"CLAUDE.md": text, "docs/a.md": "@b.md", "docs/b.md": "@a.md", "docs/code.md": "", "docs/mail.md": ""},
        )
        found = imported(store, ClaudeMdTree(root, MAX_BYTES))
        assert found == {"CLAUDE.md": text, "docs/a.md": "@b.md", "docs/b.md": "@a.md"}

    def test_imports_are_followed_five_deep(self, store: MemoryStore, tmp_path: Path) -> None:
        root = tree(tmp_path, {"CLAUDE.md": "@0.md", **{f"{n}.md": f"@{n + 1}.md" for n in range(9)}})
        assert set(imported(store, ClaudeMdTree(root, MAX_BYTES))) == {"CLAUDE.md", *(f"{n}.md" for n in range(5))}

    @pytest.mark.parametrize("text", ["@0.md\n@4.md", "@4.md\n@0.md"])
    def test_the_shortest_chain_of_imports_counts(self, store: MemoryStore, tmp_path: Path, text: str) -> None:
        chain = {f"{n}.md": f"@{n + 1}.md" for n in range(7)}
        root = tree(tmp_path, {"CLAUDE.md": text, **chain, "7.md": ""})
        found = set(imported(store, ClaudeMdTree(root, MAX_BYTES)))
        assert found == {"CLAUDE.md", *(f"{n}.md" for n in range(8))}

    def test_imports_from_elsewhere_are_named_and_left(self, store: MemoryStore, tmp_path: Path) -> None:
        outside = tree(tmp_path / "outside", {"secret.md": "s"})
        text = f"@../outside/secret.md\n@{outside}/secret.md\n@linked/secret.md\n@link.md\n@/etc\x00\n@~no-such-user/x"
        root = tree(tmp_path / "shop", {"CLAUDE.md": text})
        (root / "linked").symlink_to(outside)
        (root / "link.md").symlink_to(outside / "secret.md")
        result = plan(store, ClaudeMdTree(root, MAX_BYTES))
        assert reasons(result) == {
            "../outside/secret.md": "it is imported by CLAUDE.md and lies outside of the folder",
            "linked/secret.md": "it is imported by CLAUDE.md and lies behind a link",
            "/memories/link.md": "it is a link",
        }


class TestClaudeExport:
    @pytest.mark.parametrize(
        "documents",
        [
            {"memories.json": [ACCOUNT], "projects.json": PROJECTS, "conversations.json": b"\xff no JSON"},
            {"memories/acc-1.json": ACCOUNT, **{f"projects/{one['uuid']}.json": one for one in PROJECTS}},
        ],
        ids=["2025", "2026"],
    )
    @pytest.mark.parametrize("is_unpacked", [False, True])
    def test_memories_are_taken_of_the_zip_and_of_its_folder(
        self, store: MemoryStore, tmp_path: Path, documents: dict[str, Any], *, is_unpacked: bool
    ) -> None:
        source = export(tmp_path, zipped(documents))
        if is_unpacked:
            with zipfile.ZipFile(source.path) as archive:
                archive.extractall(tmp_path / "folder")
            source = ClaudeExport(tmp_path / "folder", MAX_BYTES)
        assert imported(store, source) == {
            "conversations.md": "**Work**\n\nLikes tea.",
            f"projects/{mended('Compiler/IR.md')}": "Uses Rust.",
            "projects/Trip.md": "Plans a trip.",
        }

    def test_the_file_of_memories_alone_will_do(self, store: MemoryStore, tmp_path: Path) -> None:
        file = tmp_path / "memories.json"
        file.write_text(json.dumps([ACCOUNT]))
        assert set(imported(store, ClaudeExport(file, MAX_BYTES))) == {
            "conversations.md",
            "projects/11111111-aaaa.md",
            "projects/22222222-bbbb.md",
        }

    def test_accounts_and_projects_of_one_name_stay_apart(self, store: MemoryStore, tmp_path: Path) -> None:
        projects = [{**one, "name": "Same"} for one in PROJECTS]
        other = {"conversations_memory": "other", "account_uuid": "../acc"}
        found = imported(
            store, export(tmp_path, zipped({"memories.json": [ACCOUNT, other], "projects.json": projects}))
        )
        assert found == {
            "acc-1/conversations.md": ACCOUNT["conversations_memory"],
            "acc-1/projects/Same 11111111.md": "Uses Rust.",
            "acc-1/projects/Same 22222222.md": "Plans a trip.",
            f"{mended('../acc')}/conversations.md": "other",
        }

    def test_memory_files_with_a_path_are_taken_and_others_named(self, store: MemoryStore, tmp_path: Path) -> None:
        files = [{"path": "/a/b.md", "content": "x"}, {"path": "../../c", "content": "y"}, {"name": "d"}, 7]
        source = export(tmp_path, zipped({"memories.json": {"memory_files": files}}))
        result = plan(store, source)
        assert [file.outcome for file in result.files] == [ImportOutcome.CREATED] * 2 + [ImportOutcome.REFUSED] * 2
        assert result.files[0].path == "/memories/files/a/b.md"
        assert ".." not in result.files[1].path

    @pytest.mark.parametrize(
        ("documents", "said"),
        [
            ({"conversations.json": []}, "no memories.json"),
            ({"memories.json": b'[\n{"conversations_memory": }]'}, "memories.json line 2 is not JSON"),
            ({"memories.json": b"[" * 100_000}, "memories.json is not JSON"),
            ({"memories.json": ["x"]}, "item 1 of memories.json is not an object"),
            ({"memories.json": [{"x": 1}]}, "memories.json holds something other than memories"),
            ({"memories.json": [{"project_memories": ["x"]}]}, "project_memories of memories.json is not an object"),
            ({"memories.json": bytes(65 * 1024 * 1024)}, "its JSON files are too large"),
        ],
    )
    def test_what_is_damaged_is_told_by_file_and_line(
        self, store: MemoryStore, tmp_path: Path, documents: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(InvalidInputError, match=re.escape(said)) as refused:
            plan(store, export(tmp_path, zipped(documents)))
        assert "Nothing was imported" in str(refused.value)

    @settings(max_examples=150)
    @given(data=st.data())
    def test_a_zip_that_was_altered_anywhere_is_read_or_refused(self, data: st.DataObject, tmp_path: Path) -> None:
        packed = bytearray(zipped({"memories.json": [ACCOUNT], "projects.json": PROJECTS}))
        for _ in range(data.draw(st.integers(1, 4))):
            packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
        cut = data.draw(st.integers(0, len(packed)))
        for altered in (packed, packed[:cut]):
            try:
                files = list(export(tmp_path, bytes(altered)).files())
            except InvalidInputError:
                continue
            assert all(isinstance(file, SourceFile) for file in files)


class TestBasicMemory:
    def test_notes_stay_as_they_are_and_what_is_none_is_left(self, store: MemoryStore, tmp_path: Path) -> None:
        note = "---\ntitle: Tea\ntype: note\npermalink: tea\n---\n\n- [fact] green #tea\n- part_of [[Drinks]]\n"
        texts = {"drinks/Tea.md": note, "photo.png": "x", ".obsidian/workspace.md": "no", "a\u200bb.md": "y"}
        root = tree(tmp_path, texts)
        assert imported(store, BasicMemory(root, MAX_BYTES)) == {"drinks/Tea.md": note, mended("a\u200bb.md"): "y"}
        assert reasons(plan(store, BasicMemory(root, MAX_BYTES))) == {"photo.png": "it is not a note"}


class TestHostileFolders:
    @pytest.mark.long
    @settings(max_examples=60)
    @given(
        names=st.lists(
            st.binary(min_size=1, max_size=60).map(lambda name: name.replace(b"/", b"_").replace(b"\0", b"%2f")),
            min_size=1,
            max_size=5,
            unique=True,
        ),
        texts=st.lists(st.text(max_size=30) | st.sampled_from(["@../x", "@~/", "@.", "@/", "@CLAUDE.md"]), min_size=5),
    )
    def test_whatever_is_called_what_becomes_a_path_or_is_named(
        self, store: MemoryStore, tmp_path_factory: pytest.TempPathFactory, *, names: list[bytes], texts: list[str]
    ) -> None:
        root = tmp_path_factory.mktemp("hostile")
        outside = tree(root / "outside", {"s.md": "stays outside"})
        inside = tree(root / "inside", {"CLAUDE.md": "\n".join(texts), "MEMORY.md": ""})
        for name, text in zip(names, texts, strict=False):
            folder = os.fsencode(inside) + b"/" + name
            if name not in {b".", b"..", b"CLAUDE.md", b"MEMORY.md"}:
                os.mkdir(folder)  # noqa: PTH102 - pathlib takes no bytes
                with open(folder + b"/CLAUDE.md", "wb") as file:  # noqa: PTH123 - same
                    file.write(text.encode())
                os.symlink(outside, folder + b"/link.md")  # noqa: PTH211 - same
        for source in (BasicMemory, AutoMemory, ClaudeMdTree, FolderSource):
            files = list(source(inside, MAX_BYTES).files())
            assert not any(b"stays outside" in one.data for one in files)
            for one in plan(store, source(inside, MAX_BYTES)).files:
                assert {"Cc", "Cf", "Cs", "Zl", "Zp"}.isdisjoint(map(unicodedata.category, one.path))
                assert one.outcome in {ImportOutcome.CREATED, ImportOutcome.SKIPPED} or one.reason

    def test_what_is_left_does_not_stop_an_import_whatever_its_name(self, store: MemoryStore, tmp_path: Path) -> None:
        root = tree(tmp_path, {f"{SECRET}.png": "x", "a.md": "y"})
        result = import_files(store, BasicMemory(root, MAX_BYTES))
        assert result.is_done
        assert SECRET not in repr(result)
        assert texts_of(store) == {"a.md": "y"}


class TestKnowledgeGraph:
    def test_an_entity_becomes_a_file(self, store: MemoryStore, tmp_path: Path) -> None:
        source = graph(
            tmp_path,
            relation("Anna", "works at", "Acme"),
            entity("Anna", "person", "likes tea", "two\nlines"),
            entity("Acme", "company"),
            relation("Nobody", "knows", "Anna"),
        )
        assert imported(store, source) == {
            "person/Anna.md": (
                "# Anna\n\nType: person\n\n## Observations\n\n- likes tea\n- two\n  lines\n"
                "\n## Relations\n\n- works at [[Acme]]\n"
            ),
            "company/Acme.md": "# Acme\n\nType: company\n",
            "relations.md": "# Relations\n\n- [[Nobody]] knows [[Anna]]\n",
        }

    def test_an_entity_that_was_written_twice_is_one_file(self, store: MemoryStore, tmp_path: Path) -> None:
        source = graph(tmp_path, entity("A", "t", "x", "y"), entity("A", "t", "y", "z"))
        assert imported(store, source)["t/A.md"].endswith("- x\n- y\n- z\n")

    def test_names_that_no_path_can_have_are_mended_and_stay_apart(self, store: MemoryStore, tmp_path: Path) -> None:
        names = ["a/b", "a\\b", "a_b", "..", ".", "%2e%2e%2f", "\u202eb", "x" * 400, ".env", "b\n"]
        source = graph(tmp_path, *(entity(name, "t/../t", name) for name in names))
        texts = imported(store, source)
        assert len(texts) == len(names)
        assert all(not segment.startswith(".") for path in texts for segment in path.split("/"))

    @pytest.mark.parametrize("name", [SECRET, f"{SECRET[:9]}\u200b{SECRET[9:]}", f"/{SECRET}/"])
    def test_a_secret_in_a_name_is_refused_and_shown_nowhere(
        self, store: MemoryStore, tmp_path: Path, name: str
    ) -> None:
        result = import_files(store, graph(tmp_path, entity(name)))
        assert result.count(ImportOutcome.REFUSED) == 1
        assert SECRET not in repr(result)
        assert not result.is_done

    def test_texts_pass_the_redactor(self, store: MemoryStore, tmp_path: Path) -> None:
        source = graph(tmp_path, entity("A", "t", f"aws_access_key_id = {SECRET}"))
        assert plan(store, source).files[0].kinds == ("aws-access-key",)
        assert SECRET not in imported(store, source)["t/A.md"]

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("{", "is not JSON"),
            ("[" * 100_000, "is not JSON"),
            ("9" * 5_000, "is not JSON"),
            ("[]", "is neither an entity nor a relation"),
            ('{"type": ["entity"]}', "is neither an entity nor a relation"),
            ('{"type": "entity", "name": 1}', "has no text as name"),
            ('{"type": "entity", "name": " ", "entityType": "t"}', "has no text as name"),
            ('{"type": "entity", "name": "a", "entityType": "t", "observations": [1]}', "has no list of texts"),
            ('{"type": "relation", "from": "a", "to": "b"}', "has no text as relationType"),
        ],
    )
    def test_what_is_malformed_is_told_by_file_and_line(
        self, store: MemoryStore, tmp_path: Path, s3: S3Client, bucket: str, *, line: str, said: str
    ) -> None:
        file = tmp_path / "memory.jsonl"
        file.write_text(f"{json.dumps(entity('A'))}\n\n{line}\n")
        with pytest.raises(InvalidInputError, match=rf"memory\.jsonl line 3 {said}.*Nothing was imported"):
            import_files(store, KnowledgeGraph(file, MAX_BYTES))
        assert "Contents" not in s3.list_objects_v2(Bucket=bucket)

    @settings(max_examples=150)
    @given(
        items=st.lists(
            st.one_of(
                st.builds(entity, st.text(), st.text(), st.text()),
                st.builds(relation, st.text(), st.text(), st.text()),
                st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text(), inner) | st.lists(inner)),
            ),
            max_size=6,
        ),
        tail=st.binary(max_size=40),
    )
    @example(items=[entity("\ud800", "t", "\udfff")], tail=b"")
    def test_whatever_is_in_it_becomes_files_or_one_clear_error(
        self, items: list[Any], tail: bytes, tmp_path: Path
    ) -> None:
        file = tmp_path / "memory.jsonl"
        file.write_bytes(b"\n".join(json.dumps(item).encode() for item in items) + b"\n" + tail)
        files: list[SourceFile] = []
        refused: str | None = None
        try:
            files = list(KnowledgeGraph(file, MAX_BYTES).files())
        except InvalidInputError as error:
            refused = str(error)
        assert refused is None or re.search(r"memory\.jsonl line \d+ |first", refused)
        for one in files:
            assert str(MemoryPath.parse(f"/memories/{one.name}")).count("/") == one.name.count("/") + 2


class TestNames:
    @settings(max_examples=400)
    @given(st.text(alphabet=st.characters(codec=None), max_size=300))
    @example("\ud800")
    @example("%25252e%252e")
    @example(".")
    def test_a_mended_name_is_a_segment_that_views_show_the_same_each_time(self, name: str) -> None:
        found = mended(name)
        assert len(MemoryPath.parse(f"/memories/{found}").segments) == 1
        assert not found.startswith(".")
        assert found == mended(name) == mended(found)

    @pytest.mark.parametrize("name", ["a", "Ünï ☕.md", "-x", "a b", "100%", "x" * 255])
    def test_a_name_that_is_one_stays(self, name: str) -> None:
        assert mended(name) == name


class Changing:
    """A source that is another at the second look."""

    def __init__(self, *looks: Callable[[], list[SourceFile]]) -> None:
        self.looks = list(looks)

    def files(self) -> Any:
        return iter(self.looks.pop(0)())


def damaged() -> list[SourceFile]:
    raise InvalidInputError("Nothing was imported.")


class TestSourcesThatChange:
    def test_a_file_that_is_gone_is_not_told_as_created(self, store: MemoryStore) -> None:
        both = [SourceFile("a", b"1"), SourceFile("b", b"2")]
        result = import_files(store, Changing(lambda: both, lambda: both[:1]))
        assert {file.path: file.outcome for file in result.files} == {
            "/memories/a": ImportOutcome.CREATED,
            "/memories/b": ImportOutcome.REFUSED,
        }

    def test_damage_at_the_second_look_does_not_say_that_nothing_was_imported(self, store: MemoryStore) -> None:
        with pytest.raises(ConfigurationError, match="some of its files may be in the memory"):
            import_files(store, Changing(lambda: [SourceFile("a", b"1")], damaged))

    def test_a_folder_with_too_many_files_is_refused(
        self, store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("s3memory.admin.transfer.import_sources.MAX_FILES", 2)
        with pytest.raises(InvalidInputError, match="too many files"):
            plan(store, FolderSource(tree(tmp_path, dict.fromkeys("abc", "x")), MAX_BYTES))


@pytest.mark.parametrize(("source", "look"), [(FolderSource, "is_dir"), (AutoMemory, "is_file")])
def test_a_folder_that_may_not_be_looked_into_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: type[FolderSource | AutoMemory], look: str
) -> None:
    def denied(_: Path) -> bool:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "within")

    monkeypatch.setattr(Path, look, denied)
    with pytest.raises(ConfigurationError, match=f"^{re.escape(str(tmp_path))} can't be read: Permission denied$"):
        list(source(tmp_path, 1).files())


@pytest.mark.usefixtures("settings")
class TestCommandLine:
    @pytest.fixture(autouse=True)
    def _at_home(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path)

    def test_a_dry_run_lists_what_becomes_what(self, run: Run, tmp_path: Path) -> None:
        tree(tmp_path, {"p/-a/memory/MEMORY.md": f"aws_access_key_id = {SECRET}", "p/-a/memory/.x": ""})
        ran = run("import", "--from", "claude-code", "p", "--tenant", "acme", "--dry-run")
        assert ran.out.splitlines() == [
            "skipped\t-a/memory/.x (it is hidden)",
            "created\t/memories/-a/MEMORY.md (from -a/memory/MEMORY.md; redacted: aws-access-key)",
        ]
        assert ran.exit_code == 0
        ran = run("import", "--from", "claude-code", "p", "--tenant", "acme", "--json")
        assert ran.json["files"][1]["origin"] == "-a/memory/MEMORY.md"
        assert run("ls", "--tenant", "acme").out == "/memories/-a/MEMORY.md\n"

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--from", "notes", "file"], "--from must be one of claude-code, claude-md"),
            (["--from", "claude-code", "missing"], "missing does not exist"),
            (["--from", "mcp-memory", "."], "takes a file"),
            (["--from", "basic-memory", "file"], "takes a folder"),
            (["x" * 300], "can't be read: File name too long"),
        ],
    )
    def test_what_is_wrong_with_the_options_is_told(
        self, run: Run, tmp_path: Path, arguments: list[str], said: str
    ) -> None:
        tree(tmp_path, {"file": "x"})
        ran = run("import", *arguments, "--tenant", "acme")
        assert ran.exit_code == 2
        assert said in ran.err

    @pytest.mark.parametrize("kind", [[], ["--from", "mcp-memory"], ["--from", "claude-export"]])
    def test_a_pipe_is_no_source_and_is_not_waited_for(self, run: Run, tmp_path: Path, kind: list[str]) -> None:
        os.mkfifo(tmp_path / "pipe")
        ran = run("import", *kind, "pipe", "--tenant", "acme")
        assert (ran.exit_code, "pipe is neither a file nor a folder" in ran.err) == (2, True)

    @pytest.mark.skipif(sys.platform != "linux", reason="needs a file that opens and can't be read")
    def test_a_source_that_the_disk_does_not_give_is_named(self, run: Run) -> None:
        ran = run("import", "/proc/self/mem", "--tenant", "acme")
        told = "s3memory: /proc/self/mem can't be read: Input/output error\n"
        assert (ran.exit_code, ran.out, ran.err) == (2, "", told)

    def test_a_source_that_is_empty_is_not_the_working_directory(self, run: Run, tmp_path: Path) -> None:
        """As a script passes it whose variable is not set."""
        tree(tmp_path, {"private.md": "x"})
        ran = run("import", "", "--tenant", "acme")
        assert (ran.exit_code, ran.out, ran.err) == (2, "", "s3memory: SOURCE is empty: name a file or a folder\n")

    def test_a_source_that_is_not_json_is_named(self, run: Run, tmp_path: Path) -> None:
        tree(tmp_path, {"notes.md": "no JSON"})
        ran = run("import", "--from", "claude-export", "notes.md", "--tenant", "acme")
        assert (ran.exit_code, "notes.md line 1 is not JSON" in ran.err) == (1, True)

    @pytest.mark.parametrize("line", re.findall(r"^s3memory .*", PAGE, re.MULTILINE))
    def test_the_command_lines_of_the_page_run(self, run: Run, tmp_path: Path, line: str) -> None:
        tree(tmp_path, {".claude/projects/-home-anna-shop/memory/MEMORY.md": "x", "shop/CLAUDE.md": "y"})
        tree(tmp_path, {"basic-memory/n.md": "z", "memory.jsonl": json.dumps(entity("A"))})
        tree(tmp_path, {"memories/tea.md": "Anna: tea"})
        tree(tmp_path, {"memories.jsonl": json.dumps({"path": "/a", "content": "b"})})
        (tmp_path / "data-2026-11-20-batch-0000.zip").write_bytes(zipped({"memories.json": [ACCOUNT]}))
        arguments = [word.replace("~", str(tmp_path)) for word in shlex.split(line)[1:]]
        dry = run(*arguments)
        assert (dry.exit_code, dry.out[:8]) == (0, "created\t")
        done = run(*(word for word in arguments if word != "--dry-run"))
        assert (done.exit_code, done.out) == (0, dry.out)

    def test_the_page_is_short_and_names_what_is(self) -> None:
        assert len(PAGE.splitlines()) <= 80
        assert mended("C/C++.md") in PAGE
        assert PAGE.splitlines()[4].startswith("```")
