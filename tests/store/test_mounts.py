"""Several memories as one tree: which one a path belongs to, what is refused, and that only paths are mapped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from anthropic.lib.tools import ToolError
from conftest import TENANT, MakeCommands, MakeStore
from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from support.faults import FaultLayer, refused
from support.memory_s3 import InMemoryS3
from support.recorder import Recorder

from s3memory import Limits, LocalKeyWrapper, MemoryCommands, MemoryStore, MountedCommands, S3MemoryError, S3MemoryTool
from s3memory.admin.listing_files import file_status
from s3memory.audit import Outcome as AuditOutcome
from s3memory.config.settings import Settings
from s3memory.contract.error_boundary import run_guarded
from s3memory.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    ConfigurationError,
    InvalidInputError,
    NotFoundError,
    ReadOnlyError,
    RedactionError,
)
from s3memory.keys.key_cache import KeyCache
from s3memory.paths import MemoryPath, shown_below
from s3memory.redaction import Redaction
from s3memory.testing.machine import MemoryMachine
from s3memory.testing.machine.model import Backend, CommandOutcome, ToolInput, reference

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

TEAM = "/memories/team"


@pytest.fixture
def own(make_commands: MakeCommands) -> MemoryCommands:
    return make_commands()


@pytest.fixture
def team(make_commands: MakeCommands) -> MemoryCommands:
    return make_commands(tenant="team")


@pytest.fixture
def mounted(own: MemoryCommands, team: MemoryCommands) -> MountedCommands:
    return MountedCommands({"/memories": own, TEAM: team})


class Refuses:
    """Refuses one text."""

    def redact(self, text: str, /) -> Redaction:
        if text == "text":
            raise RedactionError("refused. Nothing was changed.")
        return Redaction(text)


class TestWhereAPathBelongs:
    def test_the_longest_mount_point_wins(self, make_commands: MakeCommands) -> None:
        tenants = {"/memories": "a", "/memories/x": "b", "/memories/x/y": "c"}
        parts = {path: make_commands(tenant=tenant) for path, tenant in tenants.items()}
        mounted = MountedCommands(parts)
        for path in (
            "/memories/n.md",
            "/memories/x/n.md",
            "/memories/x/y/n.md",
            "/memories/xy.md",
            "/memories/x/./y//m",
        ):
            assert mounted.create(path, "text").startswith("File created successfully at: /memories/")
        assert "\t/memories/n.md\n" in parts["/memories"].view("/memories")
        assert parts["/memories"].view("/memories").endswith("\t/memories/xy.md")
        assert parts["/memories/x"].view("/memories").endswith("\n4B\t/memories/n.md")
        assert parts["/memories/x/y"].view("/memories").endswith("\n4B\t/memories/m\n4B\t/memories/n.md")

    def test_each_command_works_below_a_mount_and_reports_the_path_in_the_tree(
        self, mounted: MountedCommands, team: MemoryCommands
    ) -> None:
        said = [
            mounted.call({"command": "create", "path": f"{TEAM}/a.md", "file_text": "one\n"}),
            mounted.call({"command": "insert", "path": f"{TEAM}/a.md", "insert_line": 1, "insert_text": "two"}),
            mounted.call({"command": "str_replace", "path": f"{TEAM}/a.md", "old_str": "one", "new_str": "1"}),
            mounted.call({"command": "rename", "old_path": f"{TEAM}/a.md", "new_path": f"{TEAM}/b/c.md"}),
            mounted.call({"command": "view", "path": f"{TEAM}/b/c.md"}),
            mounted.call({"command": "view", "path": f"{TEAM}/b"}),
            mounted.call({"command": "delete", "path": f"{TEAM}/b"}),
        ]
        assert said[0] == f"File created successfully at: {TEAM}/a.md"
        assert said[1] == f"The file {TEAM}/a.md has been edited."
        assert said[3] == f"Successfully renamed {TEAM}/a.md to {TEAM}/b/c.md"
        assert said[4] == f"Here's the content of {TEAM}/b/c.md with line numbers:\n     1\t1\n     2\ttwo\n     3\t"
        assert said[5].endswith(f"\n6B\t{TEAM}/b\n6B\t{TEAM}/b/c.md")
        assert said[6] == f"Successfully deleted {TEAM}/b"
        assert team.view("/memories").endswith("\n0B\t/memories")

    def test_errors_name_paths_of_the_tree_wherever_they_come_from(
        self, mounted: MountedCommands, s3: S3Client, bucket: str
    ) -> None:
        mounted.create(f"{TEAM}/a.md", "x")
        s3.put_object(Bucket=bucket, Key="memories/team/bad.md", Body=b"S3M1" + b"\0" * 100)
        for sent, text in [
            ({"command": "view", "path": f"{TEAM}/b.md"}, f"The path {TEAM}/b.md does not exist."),
            ({"command": "delete", "path": f"{TEAM}/b"}, f"Error: The path {TEAM}/b does not exist"),
            ({"command": "create", "path": f"{TEAM}/a.md", "file_text": ""}, f"Error: File {TEAM}/a.md already exists"),
            ({"command": "create", "path": f"{TEAM}/a.md/b", "file_text": ""}, f"because {TEAM}/a.md is a file"),
            ({"command": "view", "path": f"{TEAM}/bad.md"}, f"Error: The file {TEAM}/bad.md does not open"),
            ({"command": "view", "path": TEAM, "view_range": [1, 2]}, f"parameter: {TEAM} is a directory"),
            ({"command": "rename", "old_path": f"{TEAM}/a.md", "new_path": f"{TEAM}/a.md/b"}, f"move {TEAM}/a.md into"),
        ]:
            told, is_error = run_guarded(partial(mounted.call, sent))
            assert is_error
            assert text in told

    def test_a_file_that_blocks_a_directory_rename_is_named_by_its_path_in_the_tree(
        self, own: MemoryCommands, team: MemoryCommands, make_commands: MakeCommands
    ) -> None:
        team.create("/memories/d/a.md", "text")
        mounted = MountedCommands({"/memories": own, TEAM: make_commands(tenant="team", redactor=Refuses())})
        with pytest.raises(RedactionError) as raised:
            mounted.rename(f"{TEAM}/d", f"{TEAM}/e")
        assert str(raised.value).endswith(f" It is about {TEAM}/d/a.md.")

    def test_texts_are_never_rewritten(self, mounted: MountedCommands) -> None:
        text = "see /memories/a.md and /memories/team/a.md\n"
        mounted.create(f"{TEAM}/a.md", text)
        assert f"     1\t{text}" in mounted.view(f"{TEAM}/a.md")
        assert f"     1\t{text}" in mounted.str_replace(f"{TEAM}/a.md", "see", "see")
        with pytest.raises(
            S3MemoryError, match=r"old_str `/memories/b\.md` did not appear verbatim in /memories/team/a\.md"
        ):
            mounted.str_replace(f"{TEAM}/a.md", "/memories/b.md", "")
        assert mounted.search("/memories/a.md", TEAM) == f"{TEAM}/a.md:1: {text.rstrip()}"

    @pytest.mark.parametrize("name_mode", ["plain", "encrypted"])
    def test_a_file_is_sealed_under_its_path_in_its_own_store(
        self, make_commands: MakeCommands, make_store: MakeStore, name_mode: str
    ) -> None:
        team = make_commands(tenant="team", name_mode=name_mode, actor="anna", key_cache=KeyCache())
        mounted = MountedCommands({"/memories": make_commands(), TEAM: team})
        mounted.create(f"{TEAM}/d/a.md", "text")
        mounted.rename(f"{TEAM}/d", f"{TEAM}/e")
        alone = make_store(tenant="team", key_cache=KeyCache())
        assert "text" in MemoryCommands(alone).view("/memories/e/a.md")
        status = file_status(alone, MemoryPath.parse("/memories/e/a.md"))
        assert status is not None
        assert status.actor == "anna"

    def test_a_crashed_directory_rename_below_a_mount_can_be_finished_by_the_store_alone(
        self, mounted: MountedCommands, team: MemoryCommands, s3: S3Client
    ) -> None:
        mounted.create(f"{TEAM}/d/a.md", "text")
        mounted.create(f"{TEAM}/d/b.md", "text")
        with FaultLayer(s3) as faults:
            faults.hit("DeleteObject", refused(403, "AccessDenied"))
            with pytest.raises(S3MemoryError, match=f"{TEAM}/d"):
                mounted.rename(f"{TEAM}/d", f"{TEAM}/e")
        assert team.rename("/memories/d", "/memories/e") == "Successfully renamed /memories/d to /memories/e"

    def test_each_store_uses_its_own_credentials(self, own: MemoryCommands, make_commands: MakeCommands) -> None:
        server = InMemoryS3()
        team = make_commands(tenant="team", s3_client=server.client(), key_wrapper=LocalKeyWrapper(os.urandom(32)))
        mounted = MountedCommands({"/memories": own, TEAM: team})
        mounted.create(f"{TEAM}/a.md", "text")
        assert "text" in mounted.view(f"{TEAM}/a.md")
        (objects,) = server.objects.values()
        assert set(objects) == {"keyrings/team", "memories/team/a.md"}


class TestViews:
    def test_a_view_of_the_root_shows_mounts_as_part_of_one_tree(self, mounted: MountedCommands) -> None:
        assert mounted.view("/memories").endswith(f":\n0B\t/memories\n0B\t{TEAM}/")
        mounted.create("/memories/a.md", "12345")
        mounted.create("/memories/z/z.md", "1")
        mounted.create(f"{TEAM}/x/deep/y.md", "123")
        assert mounted.view("/memories").splitlines()[1:] == [
            "9B\t/memories",
            "5B\t/memories/a.md",
            f"3B\t{TEAM}/",
            f"3B\t{TEAM}/x/",
            "1B\t/memories/z/",
            "1B\t/memories/z/z.md",
        ]

    def test_a_deeply_nested_mount_is_visible_from_above_even_if_nothing_else_is_there(
        self, own: MemoryCommands, team: MemoryCommands
    ) -> None:
        mounted = MountedCommands({"/memories": own, "/memories/a/b/c": team})
        team.create("/memories/n.md", "123")
        assert mounted.view("/memories").splitlines()[1:] == ["3B\t/memories", "3B\t/memories/a/", "3B\t/memories/a/b/"]
        assert mounted.view("/memories/a").endswith("3B\t/memories/a/b/\n3B\t/memories/a/b/c/")
        assert mounted.view("/memories/a/b/c").endswith("\n3B\t/memories/a/b/c/n.md")

    @pytest.mark.parametrize(("n_hidden", "size"), [(1, "6B"), (1_100, "5B+")])
    def test_a_mount_in_a_mount_is_visible_from_everywhere_under_the_paths_of_the_tree(
        self, make_commands: MakeCommands, n_hidden: int, size: str
    ) -> None:
        server, sub = InMemoryS3(), f"{TEAM}/x/sub"
        parts = {
            path: make_commands(tenant=tenant, s3_client=server.client())
            for path, tenant in (("/memories", "own"), (TEAM, "team"), (sub, "sub"))
        }
        mounted = MountedCommands(parts)
        mounted.create(f"{TEAM}/.hidden/0", "1")
        mounted.create(f"{TEAM}/n.md", "12")
        mounted.create(f"{sub}/m.md", "123")
        (objects,) = server._objects.values()
        stored = objects["memories/team/.hidden/0"]
        objects.update({f"memories/team/.hidden/{number}": stored for number in range(n_hidden)})
        assert mounted.view("/memories").splitlines()[1:] == [
            f"{size}\t/memories",
            f"{size}\t{TEAM}/",
            f"2B\t{TEAM}/n.md",
            f"3B\t{TEAM}/x/",
        ]
        assert mounted.view(TEAM).splitlines()[1:] == [
            f"{size}\t{TEAM}",
            f"2B\t{TEAM}/n.md",
            f"3B\t{TEAM}/x/",
            f"3B\t{sub}/",
        ]
        assert mounted.view(f"{TEAM}/x").splitlines()[1:] == [f"3B\t{TEAM}/x", f"3B\t{sub}/", f"3B\t{sub}/m.md"]
        assert mounted.view(sub).splitlines()[1:] == [f"3B\t{sub}", f"3B\t{sub}/m.md"]

    def test_files_covered_by_a_mount_are_inaccessible_and_not_counted(
        self, own: MemoryCommands, mounted: MountedCommands
    ) -> None:
        own.create(f"{TEAM}/hidden.md", "12345")
        assert mounted.view("/memories").endswith(f":\n0B\t/memories\n0B\t{TEAM}/")
        assert mounted.search("1") == "No matches in /memories."
        with pytest.raises(NotFoundError):
            mounted.view(f"{TEAM}/hidden.md")

    @pytest.mark.parametrize("n_own", [3, 1_100])
    @pytest.mark.parametrize("n_team", [2, 1_200])
    def test_large_trees_show_the_same_sizes(self, make_commands: MakeCommands, n_own: int, n_team: int) -> None:
        server = InMemoryS3()
        own, team = (make_commands(tenant=name, s3_client=server.client()) for name in ("own", "team"))
        own.create("/memories/d/0", "1")
        team.create("/memories/d/0", "1")
        (objects,) = server._objects.values()
        for name, count in (("own", n_own), ("team", n_team)):
            stored = objects[f"memories/{name}/d/0"]
            objects.update({f"memories/{name}/d/{number}": stored for number in range(count)})
        mounted = MountedCommands({"/memories": own, TEAM: team})
        lines = mounted.view("/memories").splitlines()[1:]
        shown = {path: size for size, path in (line.split("\t") for line in lines if "\t" in line)}
        if n_own + n_team < 10:
            assert shown["/memories"] == f"{n_own + n_team}B"
            assert shown[f"{TEAM}/d/"] == f"{n_team}B"
        deeper = mounted.view(TEAM).splitlines()[1]
        assert deeper == team.view("/memories").splitlines()[1].replace("/memories", TEAM)

    def test_a_mount_whose_store_is_unavailable_is_an_error_and_not_an_empty_directory(
        self, mounted: MountedCommands, s3: S3Client
    ) -> None:
        mounted.create(f"{TEAM}/a.md", "x")
        mounted.create("/memories/a.md", "x")
        with FaultLayer(s3) as faults:
            faults.hit("ListObjectsV2", refused(403, "AccessDenied"), nth=3)
            with pytest.raises(AccessDeniedError):
                mounted.view("/memories")


class TestWhatIsRefused:
    @pytest.mark.parametrize("path", [TEAM, f"{TEAM}/", "/memories/x/../team", "/memories"])
    def test_a_mount_point_cannot_be_deleted_or_renamed(self, mounted: MountedCommands, path: str) -> None:
        mounted.create(f"{TEAM}/a.md", "x")
        canonical = str(MemoryPath.parse(path))
        with pytest.raises(InvalidInputError) as raised:
            mounted.delete(path)
        assert str(raised.value) == f"Cannot delete the {canonical} directory itself"
        with pytest.raises(InvalidInputError) as raised:
            mounted.rename(path, "/memories/elsewhere")
        assert str(raised.value) == f"Cannot rename the {canonical} directory itself"
        assert "x" in mounted.view(f"{TEAM}/a.md")

    def test_a_directory_above_a_mount_is_protected_in_the_same_way(
        self, own: MemoryCommands, team: MemoryCommands
    ) -> None:
        mounted = MountedCommands({"/memories": own, "/memories/a/b": team})
        mounted.create("/memories/a/own.md", "x")
        team.create("/memories/n.md", "x")
        for refused_call in (
            {"command": "delete", "path": "/memories/a"},
            {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/c"},
        ):
            with pytest.raises(InvalidInputError, match="another memory is mounted in it, at /memories/a/b"):
                mounted.call(refused_call)
        mounted.delete("/memories/a/own.md")
        with pytest.raises(AlreadyExistsError, match=r"^File /memories/a already exists$"):
            mounted.create("/memories/a", "x")
        mounted.create("/memories/m.md", "x")
        for new in ("/memories/a", "/memories/a/b"):
            with pytest.raises(AlreadyExistsError, match=f"^The destination {new} already exists$"):
                mounted.rename("/memories/m.md", new)
        assert "m.md" in mounted.view("/memories")

    def test_a_file_in_the_place_of_a_directory_above_a_mount_can_be_read_and_edited_and_stays(
        self, own: MemoryCommands, team: MemoryCommands
    ) -> None:
        """A file may have been there before the mount: after an unmount, it is found again."""
        own.create("/memories/x", "tea\n")
        mounted = MountedCommands({"/memories": own, "/memories/x/team": team})
        shown = mounted.view("/memories").split("\n")
        assert [line.split("\t")[1] for line in shown[2:]] == ["/memories/x", "/memories/x/", "/memories/x/team/"]
        mounted.str_replace("/memories/x", "tea", "coffee")
        assert mounted.view("/memories/x").endswith("     1\tcoffee\n     2\t")
        for refused_command in (
            partial(mounted.delete, "/memories/x"),
            partial(mounted.rename, "/memories/x", "/memories/y"),
        ):
            with pytest.raises(InvalidInputError, match="another memory is mounted in it, at /memories/x/team"):
                refused_command()
        assert own.delete("/memories/x") == "Successfully deleted /memories/x"

    @pytest.mark.parametrize(("old", "new"), [("/memories/a.md", f"{TEAM}/b.md"), (f"{TEAM}/a.md", "/memories/b.md")])
    def test_nothing_is_renamed_from_one_memory_to_another(self, mounted: MountedCommands, old: str, new: str) -> None:
        mounted.create(old, "x")
        with pytest.raises(InvalidInputError, match="different memories"):
            mounted.rename(old, new)
        assert "x" in mounted.view(old)
        with pytest.raises(NotFoundError):
            mounted.view(new)

    def test_a_read_only_mount_names_itself_and_the_rest_is_writable(
        self, own: MemoryCommands, team: MemoryCommands, make_commands: MakeCommands
    ) -> None:
        team.create("/memories/a.md", "x")
        mounted = MountedCommands({"/memories": own, TEAM: make_commands(tenant="team", read_only=True)})
        for sent in (
            {"command": "create", "path": f"{TEAM}/b.md", "file_text": ""},
            {"command": "str_replace", "path": f"{TEAM}/a.md", "old_str": "x"},
            {"command": "insert", "path": f"{TEAM}/a.md", "insert_line": 0, "insert_text": ""},
            {"command": "delete", "path": f"{TEAM}/a.md"},
            {"command": "rename", "old_path": f"{TEAM}/a.md", "new_path": f"{TEAM}/b.md"},
        ):
            with pytest.raises(ReadOnlyError) as raised:
                mounted.call(sent)
            assert str(raised.value) == f"The memory at {TEAM} is read-only. Nothing was changed."
        assert "x" in mounted.view(f"{TEAM}/a.md")
        mounted.create("/memories/b.md", "y")
        assert mounted.search("x") == f"{TEAM}/a.md:1: x"

    def test_clearing_empties_only_the_memory_at_the_root(
        self, mounted: MountedCommands, own: MemoryCommands, team: MemoryCommands
    ) -> None:
        mounted.create("/memories/a.md", "x")
        mounted.create(f"{TEAM}/a.md", "x")
        assert mounted.clear() == "All memory cleared"
        assert own.view("/memories").endswith("\n0B\t/memories")
        assert team.view("/memories").endswith("\n1B\t/memories/a.md")

    @pytest.mark.parametrize("name_mode", ["plain", "encrypted"])
    def test_clearing_spares_files_covered_by_mounts_and_costs_the_same_as_without_mounts(
        self, make_commands: MakeCommands, team: MemoryCommands, name_mode: str
    ) -> None:
        recorder = Recorder()
        own = make_commands(name_mode=name_mode, auditor=recorder)
        for path in ("/memories/a.md", "/memories/teams.md", f"{TEAM}/b.md", f"{TEAM}/c/d.md", "/memories/x/y"):
            own.create(path, "x")
        other = make_commands(tenant="other")
        mounted = MountedCommands({"/memories": own, TEAM: team, "/memories/x/y": other})
        assert mounted.clear() == "All memory cleared"
        # The directory's intent, one delete for both files, and one for the intent.
        assert recorder.last.requests == {"DeleteObject": 1, "DeleteObjects": 1, "ListObjectsV2": 1, "PutObject": 1}
        left = {f"{TEAM}/b.md", f"{TEAM}/c/d.md", "/memories/x/y"}
        assert {str(file.path) for file in own.store.files.below(MemoryPath())} == left
        assert mounted.clear() == "All memory cleared"
        assert "DeleteObject" not in recorder.last.requests
        assert "x" in own.view(f"{TEAM}/c/d.md")

    def test_invalid_mounts_are_refused(self, own: MemoryCommands, mounted: MountedCommands) -> None:
        bad: list[dict[Any, Any]] = [
            {},
            {TEAM: own},
            {"/memories": own, TEAM: own, f"{TEAM}/": own},
            {"/memories": own, "/memories/cafe\u0301": own, "/memories/caf\u00e9": own},
            {"/memories": own, "/team": own},
            {"/memories": own, "/memories/..": own},
            {"/memories": own, 7: own},
            {"/memories": own, TEAM: mounted},
            {"/memories": own, TEAM: "team"},
        ]
        for mounts in bad:
            with pytest.raises(ConfigurationError):
                MountedCommands(mounts)

    def test_a_tenant_can_be_mounted_only_once_because_a_copy_of_its_file_would_be_the_file_itself(
        self, own: MemoryCommands, team: MemoryCommands, make_store: MakeStore
    ) -> None:
        again = make_store().refusing_writes()
        for mounts, where in (
            ({"/memories": own, TEAM: own}, f"at /memories and at {TEAM}"),
            ({TEAM: again, "/memories": own}, f"at /memories and at {TEAM}"),
            ({"/memories": own, "/memories/x": team, TEAM: team.store}, f"at {TEAM} and at /memories/x"),
        ):
            with pytest.raises(ConfigurationError, match=f"memory is {where}: it can be mounted once"):
                MountedCommands(mounts)  # type: ignore[arg-type]  # of both kinds

    def test_a_tenant_of_the_same_name_in_another_deployment_is_a_different_tenant(
        self, own: MemoryCommands, make_store: MakeStore
    ) -> None:
        mounted = MountedCommands({"/memories": own, TEAM: make_store(prefix="other/")})
        mounted.create("/memories/a.md", "x")
        assert mounted.view(TEAM).endswith(f"\n0B\t{TEAM}")

    def test_a_store_can_be_mounted_directly(self, make_store: MakeStore) -> None:
        assert MountedCommands({"/memories": make_store()}).view("/memories").endswith("\n0B\t/memories")


class TestSearching:
    @pytest.mark.parametrize("mount", ["/memories/.team", "/memories/node_modules/team"])
    def test_a_search_from_above_says_that_it_left_out_a_memory_at_a_hidden_path(
        self, own: MemoryCommands, team: MemoryCommands, mount: str
    ) -> None:
        team.create("/memories/a.md", "tea")
        mounted = MountedCommands({"/memories": own, mount: team})
        assert mounted.search("tea").splitlines() == [
            "No matches in /memories.",
            f"[Not searched, because hidden or in node_modules: {mount}. Search each by its own path.]",
        ]
        assert mounted.search("tea", mount) == f"{mount}/a.md:1: tea"

    def test_a_search_spans_mounts_within_one_limit(self, make_commands: MakeCommands) -> None:
        limits = Limits(max_search_files=3)
        own, team = make_commands(limits=limits), make_commands(tenant="team", limits=limits)
        mounted = MountedCommands({"/memories": own, TEAM: team})
        for number in range(2):
            mounted.create(f"/memories/{number}.md", "tea")
            mounted.create(f"{TEAM}/{number}.md", "tea")
        *shown, note = mounted.search("TEA").splitlines()
        assert shown == ["/memories/0.md:1: tea", "/memories/1.md:1: tea", f"{TEAM}/0.md:1: tea"]
        assert note.startswith("[1 more file not looked at")
        assert mounted.search("tea", TEAM).splitlines() == [f"{TEAM}/0.md:1: tea", f"{TEAM}/1.md:1: tea"]

    def test_no_file_of_a_mount_is_opened_once_the_result_is_full(
        self, make_commands: MakeCommands, s3: S3Client
    ) -> None:
        own, team = make_commands(limits=Limits(max_view_chars=2_000)), make_commands(tenant="team")
        own.create("/memories/a.md", "tea and cake\n" * 200)
        team.create("/memories/b.md", "tea")
        with FaultLayer(s3) as recorded:
            found = MountedCommands({"/memories": own, TEAM: team}).search("tea")
        assert "and 1 more file not looked at" in found
        assert recorded.requests.count("GetObject") == 1

    def test_unreadable_files_of_a_mount_are_named_by_their_path_in_the_tree(
        self, mounted: MountedCommands, s3: S3Client, bucket: str
    ) -> None:
        mounted.create(f"{TEAM}/a.md", "tea")
        s3.put_object(Bucket=bucket, Key="memories/team/bad.md", Body=b"S3M1" + b"\0" * 100)
        assert f"they do not open: {TEAM}/bad.md." in mounted.search("tea")


class TestAuditing:
    def test_an_event_names_the_tenant_of_the_memory_that_was_used(self, make_commands: MakeCommands) -> None:
        recorder = Recorder(with_paths=True)
        mounted = MountedCommands(
            {"/memories": make_commands(auditor=recorder), TEAM: make_commands(tenant="team", auditor=recorder)}
        )
        mounted.call({"command": "create", "path": f"{TEAM}/a.md", "file_text": "tea"})
        mounted.call({"command": "create", "path": "/memories/b.md", "file_text": "tea"})
        told = [(one.tenant, one.operation, one.paths) for one in recorder.events]
        assert told == [("team", "create", ("/memories/a.md",)), (TENANT, "create", ("/memories/b.md",))]
        recorder.events.clear()
        mounted.search("tea")
        assert sorted((one.tenant, one.operation, one.paths) for one in recorder.events) == [
            (TENANT, "search", ("/memories",)),
            ("team", "search", ("/memories",)),
        ]

    def test_the_event_of_a_refused_command_names_the_path_too(self, make_commands: MakeCommands) -> None:
        recorder = Recorder(with_paths=True)
        own, team = (make_commands(tenant=tenant, auditor=recorder) for tenant in (TENANT, "team"))
        mounted = MountedCommands({"/memories": own, "/memories/a/team": team.store.refusing_writes()})
        refused_calls = (
            partial(mounted.create, "/memories/a", "x"),
            partial(mounted.delete, "/memories/a"),
            partial(mounted.delete, "/memories/a/team/b"),
            partial(mounted.view, "/etc"),
        )
        for call in refused_calls:
            with pytest.raises(S3MemoryError):
                call()
        told = [(one.tenant, one.operation, one.paths) for one in recorder.events]
        assert told == [
            (TENANT, "create", ("/memories/a",)),
            (TENANT, "delete", ("/memories/a",)),
            ("team", "delete", ("/memories/b",)),
            (TENANT, "view", ("/etc",)),
        ]

    @pytest.mark.parametrize(
        "sent",
        [
            {"command": "delete", "path": TEAM},
            {"command": "rename", "old_path": "/memories/a", "new_path": f"{TEAM}/a"},
            {"command": "view", "path": "/etc"},
            {"command": "format"},
            None,
        ],
        ids=repr,
    )
    def test_a_refused_command_is_also_one_event(self, make_commands: MakeCommands, sent: object) -> None:
        recorder = Recorder()
        mounted = MountedCommands(
            {"/memories": make_commands(auditor=recorder), TEAM: make_commands(tenant="team", auditor=recorder)}
        )
        with pytest.raises(S3MemoryError):
            mounted.call(sent)
        assert [one.outcome for one in recorder.events] == [AuditOutcome.REFUSED]


class TestTheToolAndSettings:
    def test_the_tool_accepts_a_mounted_memory(self, mounted: MountedCommands) -> None:
        tool = S3MemoryTool.from_commands(mounted)
        assert tool.call({"command": "create", "path": f"{TEAM}/a.md", "file_text": "x"}).endswith(f"{TEAM}/a.md")
        with pytest.raises(ToolError, match="directory itself"):
            tool.call({"command": "delete", "path": TEAM})

    def test_settings_mount_memories(self, bucket: str, s3: S3Client) -> None:
        environ = {
            "S3MEMORY_BUCKET": bucket,
            "S3MEMORY_LOCAL_KEY": LocalKeyWrapper.generate_key_text(),
            "S3MEMORY_TENANT": "anna",
        }
        MemoryCommands.from_env(environ=environ, tenant="docs", s3_client=s3).create("/memories/a.md", "x")
        environ["S3MEMORY_MOUNTS"] = "/memories/team =team, /memories/docs= docs:ro "
        mounted = MemoryCommands.from_env(environ=environ, s3_client=s3)
        assert isinstance(mounted, MountedCommands)
        mounted.create(f"{TEAM}/b.md", "y")
        assert mounted.view("/memories").endswith(
            "1B\t/memories/docs/a.md\n1B\t/memories/team/\n1B\t/memories/team/b.md"
        )
        with pytest.raises(ReadOnlyError, match="/memories/docs is read-only"):
            mounted.delete("/memories/docs/a.md")
        assert S3MemoryTool.from_env(environ=environ, s3_client=s3).call({"command": "view", "path": TEAM})

        for tenant, mounts in (("team", "/memories/team=team"), ("anna", "/memories/a=team,/memories/b=team:ro")):
            environ["S3MEMORY_MOUNTS"] = mounts
            with pytest.raises(ConfigurationError, match=r"^S3MEMORY_MOUNTS: the same tenant's memory"):
                S3MemoryTool.from_env(environ=environ, tenant=tenant, s3_client=s3)

        class Mine(MemoryCommands):
            pass

        with pytest.raises(ConfigurationError, match="S3MEMORY_MOUNTS is set, and Mine is for one memory"):
            Mine.from_env(environ=environ, s3_client=s3)

    @pytest.mark.parametrize(
        "value",
        [
            "team",
            "/memories/team",
            "/memories=team",
            "/memories/a=b=c:rw",
            "/x=team",
            "/memories/t=a,/memories/t/=b",
            ",",
        ],
    )
    def test_a_malformed_mount_setting_is_refused_by_its_name(self, value: str) -> None:
        with pytest.raises(ConfigurationError, match=r"^S3MEMORY_MOUNTS is malformed: "):
            Settings.from_env({"S3MEMORY_MOUNTS": value})


class TestShownPaths:
    def test_sealed_and_compared_paths_stay_unchanged(self) -> None:
        path = MemoryPath.parse("/memories/a")
        with shown_below(MemoryPath.parse(TEAM)):
            assert (f"{path}", str(path), f"{path!s}") == (f"{TEAM}/a", "/memories/a", "/memories/a")
        assert f"{path}" == "/memories/a"


class _Pair:
    """A memory, and another one mounted at ``/memories/d``, where the machine's commands often go."""

    mount = MemoryPath.parse("/memories/d")

    def __init__(self) -> None:
        client: Any = InMemoryS3().client()
        wrapper = LocalKeyWrapper(os.urandom(32))
        self._stores = [
            MemoryStore(bucket="bucket", tenant=tenant, key_wrapper=wrapper, s3_client=client, key_cache=KeyCache())
            for tenant in ("own", "team")
        ]

    def client(self) -> _Pair:
        return self

    def call(self, tool_input: ToolInput) -> tuple[str, bool]:
        own, team = self._stores
        mounted = MountedCommands({"/memories": own, str(self.mount): MemoryCommands(team)})
        return run_guarded(lambda: mounted.call(tool_input))

    def files(self) -> Mapping[str, str]:
        found = {}
        for store, mount in zip(self._stores, (MemoryPath(), self.mount), strict=True):
            for listed in store.files.below(MemoryPath()):
                file = store.read(listed.path)
                assert file is not None
                found[str(listed.path.rebased(MemoryPath(), mount))] = file.text
        return found


class _PairMachine(MemoryMachine):
    def make_backend(self) -> Backend:
        return _Pair()

    def outcomes(self, call: ToolInput) -> list[CommandOutcome]:
        """As in the reference, except that the mount point always exists and is protected."""
        mount = _Pair.mount
        path, new = (MemoryPath.parse(call[name]) if name in call else None for name in ("path", "new_path"))
        old = MemoryPath.parse(call["old_path"]) if "old_path" in call else path
        assert old is not None
        refused_call = CommandOutcome(self.files)
        if call["command"] in {"delete", "create"} and path == mount:
            return [refused_call]
        if new is not None and (mount in {old, new} or old.is_below(mount) != new.is_below(mount)):
            return [refused_call]
        is_empty = not any(file.is_below(mount) for file in self.files)
        if is_empty and call["command"] == "view" and (old.is_root or old == mount):
            return [CommandOutcome(self.files, is_error=False)]  # the reference has no empty directories
        return [reference(self.files, call)]


@pytest.mark.long
@pytest.mark.parametrize("mount", ["/memories/1team", "/memories/zteam"])
def test_a_truncated_view_shows_what_sorts_first_wherever_a_mount_sorts(mount: str) -> None:
    client: Any = InMemoryS3().client()
    key = LocalKeyWrapper(bytes(range(32)))
    own, team = (
        MemoryStore(bucket="bucket", tenant=tenant, key_wrapper=key, s3_client=client, redactor=None)
        for tenant in ("own", "team")
    )
    MemoryCommands(own).create("/memories/2026/a.md", "listed behind 2026-0000.md")
    body = client.get_object(Bucket="bucket", Key="memories/own/2026/a.md")["Body"].read()
    for number in range(1_100):
        client.put_object(Bucket="bucket", Key=f"memories/own/2026-{number:04}.md", Body=body)
    shown = MountedCommands({"/memories": own, mount: team}).view("/memories").split("\n")
    assert any(line.endswith("\t/memories/2026/") for line in shown)


def test_a_directory_does_not_move_to_where_a_file_in_it_could_not_be_named(
    mounted: MountedCommands, team: MemoryCommands
) -> None:
    deep = "/d" + "/k" * 17
    mounted.create(f"{TEAM}{deep}/f.md", "text")
    with pytest.raises(InvalidInputError, match="Use shorter or fewer names"):
        mounted.rename(f"{TEAM}/d", f"{TEAM}/a/d")
    assert "text" in mounted.view(f"{TEAM}{deep}/f.md")
    team.rename("/memories/d", "/memories/a/d")
    assert "text" in team.view(f"/memories/a{deep}/f.md")


def test_a_mounted_pair_behaves_like_the_reference_except_for_its_mount_point() -> None:
    run_state_machine_as_test(
        seed(1)(_PairMachine),
        settings=settings(
            max_examples=60, stateful_step_count=40, phases=(Phase.explicit, Phase.generate), database=None
        ),
    )
    assert _PairMachine.steps.total() > 1_000
    # A machine whose commands never meet a mount finds nothing.
    assert _PairMachine.events["done: create"] > 50
    assert _PairMachine.events["done: rename"] >= 1
