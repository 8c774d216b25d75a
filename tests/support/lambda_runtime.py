"""A Lambda function on this machine: its handler runs in its own process, through AWS's runtime interface client.

The client (``awslambdaric``, which also runs handlers on Lambda) talks to a Runtime API server on loopback. This tests
what matters on Lambda: the init phase, events as JSON, the context with its deadline, a process that stays warm, the
reports when the init phase or the handler fails, and the SnapStart hooks. It needs Linux and the package
``awslambdaric``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from support.lambda_api import Event, FunctionError, RuntimeAPI

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

_CLIENT_PACKAGES: Final = ("awslambdaric", "simplejson", "snapshot-restore-py")
_INIT_SECONDS: Final = 60.0  # Lambda allows 10, on processors that do nothing else
_POLL_SECONDS: Final = 0.02
_FUNCTION_NAME: Final = "agent"
_ARN: Final = f"arn:aws:lambda:eu-central-1:123456789012:function:{_FUNCTION_NAME}"


class InitError(Exception):
    """The init phase failed.

    Attributes:
        error: what was reported.
    """

    def __init__(self, error: FunctionError, log: str) -> None:
        super().__init__(f"{error.error_type}: {error.message}\n{log}".strip())
        self.error = error


@dataclass(frozen=True, slots=True)
class Invocation:
    """One finished invocation.

    Attributes:
        request_id: Lambda's id of the invocation.
        response: what the handler returned, or ``None``.
        error: what was reported if it failed, or ``None``.
        log: what the process wrote during the invocation.
        seconds: how long it took.
    """

    request_id: str
    response: Any
    error: FunctionError | None
    log: str
    seconds: float

    @property
    def log_lines(self) -> list[dict[str, Any]]:
        """The lines of the log that are JSON objects."""
        return [json.loads(line) for line in self.log.splitlines() if line.startswith("{")]


class LambdaFunction:
    """A context manager that runs a handler as Lambda does. Entering the context runs the init phase.

    Invocations run one after another, as in an execution environment, and all in the same process, until it ends or is
    killed for taking too long; the next invocation then starts a new process.

    Example:
        ```python
        with LambdaFunction("handler.handler", search_path=["src"], environment=settings) as function:
            assert function.invoke({"body": "..."}).response["statusCode"] == 200
        ```

    Args:
        handler: ``module.function``.
        search_path: directories to search for modules first; the unzipped package, for example.
        environment: the function's variables. The process sees none of this process's variables.
        timeout_seconds: the function's timeout. The process is killed when an invocation takes longer.
        site_packages: whether it also finds the packages of this environment; otherwise only the search path, the
            standard library and the runtime interface client.
        snap_start: whether to run the snapshot hooks after the init phase.
    """

    def __init__(
        self,
        handler: str,
        *,
        search_path: Sequence[str | Path],
        environment: Mapping[str, str],
        timeout_seconds: float = 30.0,
        site_packages: bool = True,
        snap_start: bool = False,
    ) -> None:
        self._handler = handler
        self._search_path = [str(Path(directory).resolve()) for directory in search_path]
        self._function_environment = dict(environment)
        self._timeout_seconds = timeout_seconds
        self._site_packages = site_packages
        self._snap_start = snap_start
        self._cleanup = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        self._api = RuntimeAPI()

    def __enter__(self) -> Self:
        """Start the process and wait until it asks for its first event.

        Raises:
            ModuleNotFoundError: the runtime interface client is not installed.
            InitError: the init phase failed.
        """
        with ExitStack() as cleanup:
            self._directory = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="lambda-")))
            self._runtime = _link_client(self._directory / "runtime")
            self._api.start()
            cleanup.callback(self._api.stop)
            self._log = (self._directory / "log").open("w+b")
            cleanup.callback(self._log.close)
            cleanup.callback(self._end)
            self._start()
            self._cleanup = cleanup.pop_all()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()

    def invoke(self, event: Any, *, tenant_id: str | None = None) -> Invocation:
        """Hand an event to the handler, and wait for the result.

        Args:
            event: the handler's event, as JSON.
            tenant_id: whose execution environment this is, in Lambda's tenant isolation mode.

        Raises:
            InitError: a new process had to be started, and its init phase failed.
        """
        if self._process is None or self._process.poll() is not None:
            self._start()
        began, log_start = time.monotonic(), self._log_size()
        deadline_ms = int((time.time() + self._timeout_seconds) * 1000)
        sent = Event(str(uuid.uuid4()), json.dumps(event).encode(), deadline_ms, _ARN, tenant_id)
        self._api.send(sent)
        response, error = self._outcome(began + self._timeout_seconds)
        log = self._log_from(log_start)
        return Invocation(sent.request_id, response, error, log, time.monotonic() - began)

    @property
    def asked(self) -> list[str]:
        """The process's calls of the Runtime API, in order: ``next``, ``response``, ``error``, ``init/error``, ..."""
        return list(self._api.asked)

    @property
    def log(self) -> str:
        """Everything that the process has written."""
        return self._log_from(0)

    def _start(self) -> None:
        self._api.expect()
        arguments = [sys.executable, "-m", "awslambdaric", self._handler]
        if not self._site_packages:
            arguments.insert(1, "-S")
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, on the caller's handler
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=self._environment(),
            cwd=self._search_path[0],
        )
        give_up = time.monotonic() + _INIT_SECONDS
        while not self._api.initialised.wait(_POLL_SECONDS):
            if self._process.poll() is not None or time.monotonic() > give_up:
                self._end()
                error = self._api.init_error or FunctionError(
                    "Runtime.ExitError", "the process ended in its init phase"
                )
                raise InitError(error, self.log)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.defpath,
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            "PYTHONPATH": os.pathsep.join([*self._search_path, str(self._runtime)]),
            "PYTHONDONTWRITEBYTECODE": "1",  # a function's code is read-only
            "LAMBDA_TASK_ROOT": self._search_path[0],
            "_HANDLER": self._handler,
            "AWS_LAMBDA_RUNTIME_API": self._api.address,
            "AWS_LAMBDA_FUNCTION_NAME": _FUNCTION_NAME,
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
            "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start" if self._snap_start else "on-demand",
            **self._function_environment,
        }

    def _outcome(self, deadline: float) -> tuple[Any, FunctionError | None]:
        while True:
            is_running = self._process is not None and self._process.poll() is None
            left = deadline - time.monotonic() if is_running else 0.0
            outcome = self._api.outcome(min(_POLL_SECONDS, left))
            if outcome is not None:
                return outcome
            if not is_running:
                return None, FunctionError("Runtime.ExitError", "the process ended before it answered")
            if left <= 0:
                self._end()
                said = f"Task timed out after {self._timeout_seconds:.2f} seconds"
                return None, FunctionError("Sandbox.Timedout", said)

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._api.release()

    def _log_size(self) -> int:
        return os.fstat(self._log.fileno()).st_size

    def _log_from(self, start: int) -> str:
        size = self._log_size() - start
        return os.pread(self._log.fileno(), size, start).decode("utf-8", "replace")


def _link_client(directory: Path) -> Path:
    """Make a directory in which only the runtime interface client is found, and nothing else of this environment.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    directory.mkdir()
    for package in _CLIENT_PACKAGES:
        try:
            files = metadata.files(package) or []
        except metadata.PackageNotFoundError:
            raise ModuleNotFoundError(f"LambdaFunction needs {package}: pip install awslambdaric brings it") from None
        for name in {file.parts[0] for file in files if file.parts[0] not in {"..", "__pycache__"}}:
            (directory / name).symlink_to(Path(str(metadata.distribution(package).locate_file(name))))
    return directory
