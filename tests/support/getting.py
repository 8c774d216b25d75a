"""A loopback server that also answers GET requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from s3memory.testing.loopback import Handler, LoopbackServer, Response


class _Getting(Handler):
    server: GettingServer

    def do_GET(self) -> None:  # noqa: N802 - the base class calls it so
        self.send(self.server.answer_get(self.path))


class GettingServer(LoopbackServer):
    """Answers POST and GET requests, each with its own function."""

    handler = _Getting

    def __init__(
        self, answer: Callable[[str, Mapping[str, str], bytes], Response], answer_get: Callable[[str], Response]
    ) -> None:
        super().__init__(answer)
        self.answer_get = answer_get
