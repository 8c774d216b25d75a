"""`MemoryBackend`: a memory as a backend of deepagents. It needs the extra ``deepagents``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Generic, TypeVar

from s3memory._extras import extra
from s3memory.audit.recording import audited
from s3memory.commands import MemoryCommands
from s3memory.contract import editing, messages
from s3memory.contract.error_boundary import run_guarded
from s3memory.contract.inputs import checked, checked_string
from s3memory.contract.views import count_lines, split_lines
from s3memory.errors import (
    LABEL,
    ConfigurationError,
    InvalidInputError,
    NotFoundError,
    ReadOnlyError,
    S3MemoryError,
)
from s3memory.format.object_keys import ListedFile
from s3memory.mounts import MountedCommands
from s3memory.paths import ROOT, MemoryPath, shown_below
from s3memory.store.matching import FileToSearch, Searched, fixed_text, search_for_agent

with extra("deepagents", __name__):
    from deepagents.backends.protocol import (
        BackendProtocol,
        DeleteResult,
        EditResult,
        FileDownloadResponse,
        FileInfo,
        FileUploadResponse,
        GlobResult,
        GrepMatch,
        GrepResult,
        LsResult,
        ReadResult,
        WriteResult,
    )
    from deepagents.backends.utils import compile_grep_include_glob, create_file_data, slice_read_response

__all__ = ["MemoryBackend"]

T = TypeVar("T")

_audited = partial(audited, of=attrgetter("_store"))


class _Done(Generic[T]):
    """The outcome of an operation: its value, or the text and the type of its error.

    Texts show paths below `root`: `CompositeBackend` adds the route to the paths of results, but not to errors.
    """

    def __init__(self, call: Callable[[], T], root: str) -> None:
        self.value: T | None = None
        self.kind: type[Exception] | None = None
        with shown_below(root):
            text, is_error = run_guarded(self._run, call)
        self.error = text if is_error else None

    @property
    def error_after_label(self) -> str | None:
        """The text without ``Error:``, which deepagents itself adds for `read`, `ls` and `glob`."""
        return self.error and self.error.removeprefix(LABEL)

    @property
    def code(self) -> str | None:
        """The name that deepagents has for the error, or else its text."""
        return _ERROR_CODES.get(self.kind, self.error) if self.kind else self.error

    def _run(self, call: Callable[[], T]) -> str:
        try:
            self.value = call()
        except S3MemoryError as error:
            self.kind = type(error)
            raise
        return ""


class MemoryBackend(BackendProtocol):
    """A memory as a backend for agents of deepagents, used as a route: ``{"/memories/": MemoryBackend(commands)}``.

    Paths come from `CompositeBackend`, without the route. `write` creates or replaces a file, by compare and swap; all
    texts pass the redactor. Errors are returned in the results, with texts that a model may read.

    Args:
        commands: the memory of one tenant. Instead of mounts, give `CompositeBackend` a route for each memory.
        route: the route to this backend, since errors name files by the full paths that the model knows. ``/`` if the
            agent has no other backend.

    Raises:
        ConfigurationError: the commands are over several memories, or the route does not begin with ``/``.
    """

    def __init__(self, commands: MemoryCommands, *, route: str = f"{ROOT}/") -> None:
        if isinstance(commands, MountedCommands):
            raise ConfigurationError("mounts are not supported here: give each memory its own MemoryBackend and route")
        self._root = _root_of(route)
        self._store = commands.store
        self._commands = MemoryCommands(commands.store, overwrite=True)

    def ls(self, path: str) -> LsResult:
        """List a directory, one level deep."""
        done = self._done(lambda: self._listed(_absolute(path)))
        return LsResult(error=done.error_after_label, entries=done.value)

    def read(self, file_path: str, offset: int = 0, limit: int = 2_000) -> ReadResult:
        """Return at most `limit` lines of a file, from `offset`. CRLF becomes LF, as in deepagents' own backends."""
        done = self._done(lambda: _window(self._text(_absolute(file_path)), offset, limit))
        return done.value or ReadResult(error=done.error_after_label)

    def write(self, file_path: str, content: str) -> WriteResult:
        """Create a file, or replace it if it exists."""
        done = self._done(lambda: self._commands.create(_absolute(file_path), checked_string(content, "content")))
        return WriteResult(error=done.error, path=None if done.error else file_path)

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,  # noqa: FBT001, FBT002 - the protocol's
    ) -> EditResult:
        """Replace the one occurrence of a text in a file, or all of them. New lines get the file's line ending."""
        done = self._done(lambda: self._edited(_absolute(file_path), old_string, new_string, replace_all=replace_all))
        return EditResult(error=done.error, path=None if done.error else file_path, occurrences=done.value)

    def delete(self, file_path: str) -> DeleteResult:
        """Delete a file, or a directory with everything below it."""
        done = self._done(lambda: self._commands.delete(_absolute(file_path)))
        return DeleteResult(error=done.error, path=None if done.error else file_path)

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        """Return the lines that contain a literal text, respecting case, within the limits of a search.

        A file that does not open is included, with a line 0 that says so.
        """
        done = self._done(lambda: self._matches(pattern, _absolute(path or "/"), glob, max_count))
        return done.value or GrepResult(error=done.error)

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Return the files whose paths match a pattern."""
        done = self._done(lambda: [info for _, info in self._matching(pattern, _absolute(path or "/"))])
        return GlobResult(error=done.error_after_label, matches=done.value)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Store files, each as `write` does. Files that are not UTF-8 text are refused."""
        return [FileUploadResponse(path, self._upload(path, content)) for path, content in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Return files as UTF-8."""
        return [self._download(path) for path in paths]

    def _done(self, call: Callable[[], T]) -> _Done[T]:
        return _Done(call, self._root)

    @_audited("ls")
    def _listed(self, path: str) -> list[FileInfo]:
        at = MemoryPath.parse(path)
        entries: list[FileInfo] = []
        for page in self._store.files.pages_below(at, delimited=True):
            entries += map(_info, page.files)
            entries += [FileInfo(path=f"{_relative(directory)}/", is_dir=True) for directory in page.directories]
        if not (entries or at.is_root):
            is_file = self._store.files.info(at) is not None
            # This word tells deepagents that a delete removes one file, so it asks no permission for files below it.
            raise InvalidInputError(f"The path {at} is a file: not_a_directory") if is_file else messages.not_found(at)
        return sorted(entries, key=lambda entry: entry["path"])

    @_audited("view")
    def _text(self, path: str) -> str:
        at = MemoryPath.parse(path)
        file = self._store.files.read(at, touch=True)
        if file is None:
            raise messages.not_found(at)
        return file.text

    @_audited("str_replace")
    def _edited(self, path: str, old: str, new: str, *, replace_all: bool) -> int:
        at = MemoryPath.parse(path)
        checked_string(new, "new_string")
        if not checked_string(old, "old_string"):
            raise InvalidInputError.of("old_string", "it must not be empty")
        count = 0

        def change(text: str) -> str:
            nonlocal count
            read = text if "\r" in old else _with_lf(text)  # a caller that sends a CR knows the stored line endings
            sought = self._store.texts.as_stored(read, old, at)
            if not replace_all:
                editing.only_occurrence(read, sought, at, sent=old, called="old_string")
            count = editing.occurrences(read, sought, at, sent=old, called="old_string")
            placeholders = self._store.texts.placeholders(read)
            editing.refuse_part_of_placeholder(read, sought, placeholders, at, called="old_string")
            return text.replace(sought, new) if read == text else _replaced_across_crlf(text, sought, new)

        self._store.edit(at, change, not_found=messages.not_found_to_edit)
        return count

    @_audited("ls")
    def _matching(self, pattern: str | None, path: str) -> list[tuple[MemoryPath, FileInfo]]:
        """Return the files below a directory whose relative paths match a pattern; or the file at the path itself."""
        at = MemoryPath.parse(path)
        try:
            is_match = (
                (lambda _: True) if pattern is None else compile_grep_include_glob(checked_string(pattern, "glob"))
            )
        except ValueError as error:  # its text is the framework's, and is about the pattern only
            raise InvalidInputError(f"Invalid glob pattern: {error}") from None
        files = [(file.path, _info(file)) for page in self._store.files.pages_below(at) for file in page.files]
        if not files and (found := self._store.files.info(at)) is not None:
            info = FileInfo(path=_relative(at), is_dir=False, modified_at=found.modified.isoformat())
            return [(at, info)] if is_match(at.name) else []
        return [(one, info) for one, info in files if is_match("/".join(one.segments[len(at.segments) :]))]

    @_audited("search")
    def _matches(self, pattern: str, path: str, glob: str | None, max_count: int | None) -> GrepResult:
        text = fixed_text(checked_string(pattern, "pattern"))
        limit = self._store.limits.max_search_files
        files = [FileToSearch(one, info.get("size", 0)) for one, info in self._matching(glob, path)]
        found: list[GrepMatch] = []
        for searched in search_for_agent(self._store, sorted(files[:limit]), text):
            found += _grep_matches(searched)
            if max_count is not None and len(found) > max_count:
                return GrepResult(matches=found[: max(max_count, 0)], truncated=True)
        return GrepResult(matches=found, truncated=len(files) > limit)

    def _upload(self, path: str, content: bytes) -> str | None:
        decoded = self._done(lambda: _decoded(content))
        text = decoded.value
        if text is None:
            return decoded.error  # deepagents has no name for this error
        return self._done(lambda: self._commands.create(_absolute(path), text)).code

    def _download(self, path: str) -> FileDownloadResponse:
        done = self._done(lambda: self._text(_absolute(path)))
        if done.value is not None:
            return FileDownloadResponse(path, done.value.encode("utf-8"))
        is_directory = done.kind is NotFoundError and self._done(lambda: self._is_directory(path)).value
        return FileDownloadResponse(path, error="is_directory" if is_directory else done.code)

    def _is_directory(self, path: str) -> bool:
        return self._store.files.has_directory(MemoryPath.parse(_absolute(path)))


_ERROR_CODES: dict[type[Exception], str] = {
    NotFoundError: "file_not_found",
    InvalidInputError: "invalid_path",
    ReadOnlyError: "permission_denied",
}


def _root_of(route: object) -> str:
    if not isinstance(route, str) or not route.startswith("/"):
        raise ConfigurationError('route must be a route of CompositeBackend, such as "/memories/"')
    return route.rstrip("/")


def _absolute(path: str) -> str:
    return f"{ROOT}/{checked(path, 'path', str).removeprefix('/')}"


def _relative(path: MemoryPath) -> str:
    return str(path).removeprefix(ROOT)


def _window(text: str, offset: int, limit: int) -> ReadResult:
    r"""Return lines of a text for `read`: lines end at ``\n`` alone, as they do in views and for `grep`."""
    lines = split_lines(text)[: count_lines(text)]
    first = max(checked(offset, "offset", int), 0)
    if not text.strip() or checked(limit, "limit", int) <= 0:
        return slice_read_response(create_file_data(text), 0, limit)  # deepagents has its own marks for these cases
    if first >= len(lines):
        should = f"It should be within the lines of the file, the first of which is 0: [0, {len(lines) - 1}]"
        raise InvalidInputError.of("offset", f"{offset}. {should}")
    end = min(first + limit, len(lines))
    is_ended = end < len(lines) or text.endswith("\n")
    return ReadResult(
        file_data=create_file_data(_with_lf("\n".join(lines[first:end]) + "\n" * is_ended)),
        total_lines=len(lines),
        start_line=first + 1,
        end_line=end,
        next_offset=end if end < len(lines) else None,
    )


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def _replaced_across_crlf(text: str, sought: str, new: str) -> str:
    """Replace a text that was read with LF in a file with CRLF. The new lines end like the file's first line."""
    line_end = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    written = _with_lf(new).replace("\n", line_end)
    return re.sub("\r?\n".join(map(re.escape, sought.split("\n"))), lambda _: written, text)


def _grep_matches(searched: Searched) -> list[GrepMatch]:
    """Return the lines found in a file, as `read` shows them, or one line that says why the file was not searched.

    An error would count for all backends: `CompositeBackend` drops their results for it, and does not add the route.
    """
    path = _relative(searched.path)
    if searched.is_unreadable or searched.code is not None:
        why = "This file does not open" if searched.is_unreadable else "The memory store refuses this file"
        return [GrepMatch(path=path, line=0, text=f"({why}, so it was not searched. This needs an operator.)")]
    return [GrepMatch(path=path, line=line.line, text=line.text.removesuffix("\r")) for line in searched.lines]


def _decoded(content: bytes) -> str:
    if not isinstance(content, bytes):
        raise InvalidInputError.of("content", "it must be bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError("The file is not UTF-8 text; a memory only holds text.") from None


def _info(file: ListedFile) -> FileInfo:
    return FileInfo(
        path=_relative(file.path), is_dir=False, size=file.size_bytes, modified_at=file.listed.modified.isoformat()
    )
