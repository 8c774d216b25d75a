"""The six commands over a `MemoryStore`.

Each command returns text, or raises an `S3MemoryError` with the text that the model should read. The strings follow the
documentation of Claude's memory tool; where it is silent, they follow the SDK's local filesystem tool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Self, Unpack

from s3memory._arguments import FLAG, checking
from s3memory.audit.recording import as_one_event, audited
from s3memory.config.hidden_values import hidden
from s3memory.config.settings import Settings
from s3memory.contract import editing, messages
from s3memory.contract.error_boundary import leave_command
from s3memory.contract.inputs import (
    CREATE,
    DELETE,
    INSERT,
    RENAME,
    SEARCH,
    STR_REPLACE,
    VIEW,
    checked,
    checked_string,
    parse_call,
    parse_parameters,
)
from s3memory.contract.views import directory_view, file_view, redaction_notes, snippet, split_lines
from s3memory.errors import AlreadyExistsError, ConfigurationError, InvalidInputError, LimitError, NotFoundError
from s3memory.limits import MAX_VIEW_LINES
from s3memory.paths import ROOT, MemoryPath
from s3memory.store.files import MemoryFile, WrittenFile
from s3memory.store.memory_store import MemoryStore
from s3memory.store.options import SettingsOverrides, passing_options_to

if TYPE_CHECKING:
    from s3memory.format.object_keys import ListedPage
    from s3memory.store.listing import Listing
    from s3memory.store.searching import Search

_audited = partial(audited, of=attrgetter("store"), leave=leave_command)
_command = partial(_audited, begin=lambda store: store.retry.ensure_time())


class MemoryCommands:
    """The memory tool's commands without the SDK: for agents that call the API directly, or through Bedrock.

    Args:
        store: the tenant's memory.
        overwrite: let `create` replace an existing file instead of refusing.

    Attributes:
        store: the same store.

    Raises:
        ConfigurationError: `store` is not a `MemoryStore`, or `overwrite` is not a bool.

    A refused command raises a `RefusedError` with the contract's text; other failures are raised as by `MemoryStore`.
    All of these are `S3MemoryError`; show the model their `for_model`. They are not chained to the errors of AWS's
    libraries, which name buckets, keys and ARNs: a traceback would write those to a log.
    """

    @checking(overwrite=FLAG)
    def __init__(self, store: MemoryStore, *, overwrite: bool = False) -> None:
        if not isinstance(store, MemoryStore):
            raise ConfigurationError("MemoryCommands takes a MemoryStore, such as the `store` of other commands")
        self.store = store
        self.overwrite = overwrite

    @classmethod
    @passing_options_to(MemoryStore.from_settings)
    def from_env(cls, *, environ: Mapping[str, str] | None = None, **overrides: Unpack[SettingsOverrides]) -> Self:
        """Make the commands from ``S3MEMORY_*`` variables; ``docs/reference/settings.md`` lists them.

        Args:
            environ: the process's environment if left out.
            tenant, actor, auditor, s3_client, remaining_seconds: as for `MemoryStore.from_settings`.

        Raises:
            ConfigurationError: a variable is missing, malformed, unknown or contradicts another; the text names it. Or
                `tenant` is `None`.
        """
        if overrides.get("tenant", "") is None:  # a missing claim must not open another tenant's memory
            raise ConfigurationError("tenant is None: pass a tenant's name, or leave it out to use S3MEMORY_TENANT")
        environ = hidden(environ)
        settings = Settings.from_env(environ)
        overwrite = settings.get("OVERWRITE", False)
        commands = cls(MemoryStore.from_settings(settings, **overrides), overwrite=overwrite)
        if "MOUNTS" not in settings.values:
            return commands
        if cls is not MemoryCommands:
            raise ConfigurationError(f"S3MEMORY_MOUNTS is set, and {cls.__name__} is for one memory")
        from s3memory.mounts import MountedCommands  # not loaded if nothing is mounted

        mounted = {}
        for path, other, read_only in settings.values["MOUNTS"]:
            store = MemoryStore.from_settings(settings, **{**overrides, "tenant": other})
            mounted[path] = MemoryCommands(store.refusing_writes() if read_only else store, overwrite=overwrite)
        try:
            return MountedCommands({ROOT: commands, **mounted})  # type: ignore[return-value]  # a subclass of this one
        except ConfigurationError as error:
            raise ConfigurationError(f"S3MEMORY_MOUNTS: {error}") from None

    @_audited("call", is_named=False)
    def call(self, tool_input: object) -> str:
        """Run a tool input as a model sent it: ``{"command": "view", "path": "/memories"}``."""
        call = parse_call(tool_input)
        text: str = getattr(self, call.command)(**call.parameters)  # each command is a method with its name
        return text

    @_command(VIEW)
    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Return a file with line numbers, or the contents of a directory, two levels deep.

        Args:
            path: a file or directory.
            view_range: first and last line, 1-based and inclusive; -1 as the last line means the end.
        """
        memory_path = MemoryPath.parse(path)
        is_likely_directory = view_range is None and _is_likely_directory(path)
        found = self.store.files.look_up(memory_path, is_likely_directory=is_likely_directory)
        if isinstance(found, MemoryFile):
            return self._file_view(memory_path, found.text, view_range)
        listing = self._listed(memory_path, found)
        if listing is None:
            raise messages.not_found_to_view(memory_path)
        if view_range is not None:
            raise InvalidInputError.of("view_range", f"{memory_path} is a directory, and lines are in files")
        return directory_view(listing.items, more=listing.cut, max_chars=self.store.limits.max_view_chars)

    @_command(CREATE)
    def create(self, path: str, file_text: str) -> str:
        """Store a new file, byte for byte except for what the redactor replaces."""
        memory_path = MemoryPath.parse(path)
        checked(file_text, "file_text", str)
        self.store.ensure_writable()
        if memory_path.is_root:
            raise messages.file_exists(memory_path)
        written = (self._overwritten if self.overwrite else self.store.create)(memory_path, file_text)
        return f"File created successfully at: {memory_path}{redaction_notes([('', written.findings)])}"

    @_command(STR_REPLACE)
    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Replace the one occurrence of a text in a file; without `new_str`, delete it."""
        memory_path = MemoryPath.parse(path)
        checked(new_str, "new_str", str)
        if not checked_string(old_str, "old_str"):
            raise InvalidInputError.of("old_str", "it must not be empty")
        changed_line = 1

        def change(text: str) -> str:
            nonlocal changed_line
            sought = self.store.texts.as_stored(text, old_str, memory_path)
            start = editing.only_occurrence(text, sought, memory_path, sent=old_str)
            editing.refuse_part_of_placeholder(text, sought, self.store.texts.placeholders(text), memory_path)
            changed_line = text.count("\n", 0, start) + 1
            return text[:start] + new_str + text[start + len(sought) :]

        written = self.store.edit(memory_path, change, not_found=messages.not_found_to_edit)
        shown = snippet(written.text, changed_line=changed_line, max_chars=self.store.limits.max_view_chars)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            f"{shown}{redaction_notes([('', written.findings)])}"
        )

    @_command(INSERT)
    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert text after a line of a file; line 0 is the beginning."""
        memory_path = MemoryPath.parse(path)
        checked(insert_line, "insert_line", int)
        checked(insert_text, "insert_text", str)
        written = self.store.edit(memory_path, lambda text: editing.inserted(text, insert_line, insert_text))
        return f"The file {memory_path} has been edited.{redaction_notes([('', written.findings)])}"

    @_command(DELETE)
    def delete(self, path: str) -> str:
        """Delete a file, or a directory with everything below it."""
        memory_path = MemoryPath.parse(path)
        if memory_path.is_root:
            raise messages.must_stay(DELETE, memory_path)
        from s3memory.store import tree

        tree.delete(self.store, memory_path, is_likely_directory=_is_likely_directory(path))
        return f"Successfully deleted {memory_path}"

    @_command(RENAME)
    def rename(self, old_path: str, new_path: str) -> str:
        """Move a file, or a directory with everything below it."""
        old = MemoryPath.parse(old_path, parameter="old_path")
        new = MemoryPath.parse(new_path, parameter="new_path")
        if old.is_root:
            raise messages.must_stay(RENAME, old)
        self.store.ensure_writable()
        if new.is_root:
            raise messages.destination_exists(new)
        from s3memory.store import tree

        written = tree.rename(self.store, old, new)
        notes = redaction_notes([("" if file.path == new else f"{file.path}", file.findings) for file in written])
        return f"Successfully renamed {old} to {new}{notes}"

    @_command(SEARCH)
    def search(self, query: str, path: str = ROOT) -> str:
        """Return the lines that contain a text, each as ``path:line: text``, ignoring case.

        This is not a command of the memory tool: `call` refuses it, and `search_tool` makes it a tool. After the lines,
        notes in brackets say what was left out, and why.

        Args:
            query: a literal text of one line.
            path: the file to search, or the directory with everything below it. As in views, hidden files and
                ``node_modules`` in it are left out.
        """
        from s3memory.store.searching import Search

        memory_path = MemoryPath.parse(path)
        remaining_seconds = self.store.retry.remaining_seconds
        search = Search(query, limits=self.store.limits, remaining_seconds=remaining_seconds)
        if not self._searched(search, memory_path):
            raise messages.not_found_to_view(memory_path)
        return search.text(memory_path)

    def call_search(self, tool_input: object) -> str:
        """Run the input of a search tool as a model sent it: ``{"query": "tea", "path": "/memories"}``."""
        try:
            parameters = parse_parameters(SEARCH, tool_input)
        except InvalidInputError:
            with as_one_event(self.store, SEARCH):
                raise
        return self.search(**parameters)

    def clear(self) -> str:
        """Delete all memory files of the tenant. Models have no such command; it is for the agent's program."""
        return self._cleared()

    @_command("clear")
    def _cleared(self, *, is_kept: Callable[[MemoryPath], bool] | None = None) -> str:
        from s3memory.store import tree

        tree.delete_everything(self.store, is_kept=is_kept)
        return "All memory cleared"

    def _listed(self, path: MemoryPath, page: ListedPage) -> Listing | None:
        from s3memory.store.listing import list_directory

        return list_directory(self.store.files, path, page, max_chars=self.store.limits.max_view_chars)

    def _searched(self, search: Search, path: MemoryPath) -> bool:
        return search.run(self.store, path)

    def _overwritten(self, path: MemoryPath, text: str) -> WrittenFile:
        """Create a file, or replace the existing one."""
        for _ in self.store.retry.attempts():
            try:
                return self.store.create(path, text)
            except AlreadyExistsError as error:
                if error.at != str(path) or self.store.files.has_directory(path):
                    raise
            with suppress(NotFoundError):  # another client deleted or moved it, so the next attempt can create it
                return self.store.edit(path, lambda _: text)
        raise messages.changed_during_every_attempt(path)

    def _file_view(self, path: MemoryPath, text: str, view_range: Sequence[int] | None) -> str:
        n_lines = len(split_lines(text))
        if n_lines > MAX_VIEW_LINES:
            raise LimitError(f"File {path} exceeds maximum line limit of {MAX_VIEW_LINES:,} lines.", is_bare=True)
        first, last = (1, n_lines) if view_range is None else editing.line_range(view_range, n_lines)
        return file_view(path, text, first=first, last=last, max_chars=self.store.limits.max_view_chars)


def check_commands(commands: object, *, taken_by: str) -> None:
    """Refuse an object without the commands, such as a tool or a store: every call would end in an internal error.

    Raises:
        ConfigurationError: it has no commands. The text names `taken_by`, the function or class that takes them.
    """
    if not hasattr(commands, "call_search"):
        raise ConfigurationError(f"{taken_by} takes commands, such as the `commands` of an S3MemoryTool")


def _is_likely_directory(path: str) -> bool:
    """Whether a path looks like a directory: models give files an extension (docs/decisions/0012)."""
    return "." not in path.rpartition("/")[2]
