"""The process behind `MotoServer`: moto on a free port of 127.0.0.1, with a record of its requests.

It writes the port to standard output once it accepts connections, which is before it imports moto, and again once it
answers. It exits at the end of standard input, so it never outlives its parent.
"""

from __future__ import annotations

import functools
import io
import json
import os
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from s3memory.testing.moto_server import REQUESTS_PATH

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

# The operation for a method with a subresource. Without one, it is the method's name with Object or Bucket.
_SUBRESOURCES = {
    ("GET", "list-type"): "ListObjectsV2",
    ("GET", "versions"): "ListObjectVersions",
    ("POST", "delete"): "DeleteObjects",
    ("PUT", "versioning"): "PutBucketVersioning",
}

_BACKLOG = 128


class RecordingApplication:
    """A WSGI application that records the requests that another one answers, and serves the record.

    It passes them on one at a time: S3 compares and stores in one step, but moto does so in two.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application
        self._served: list[dict[str, Any]] = []
        self._one_at_a_time = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        if environ["PATH_INFO"] == REQUESTS_PATH:
            start_response("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(self._served).encode()]

        service, operation = classified(environ)

        def recording(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            # Recorded before the response is sent, so that a client with its response finds the request in the record.
            path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
            self._served.append(
                {"service": service, "operation": operation, "path": path, "status": int(status.split(maxsplit=1)[0])}
            )
            return start_response(status, headers, *more)

        if environ.get("CONTENT_LENGTH"):
            _body(environ)  # read before the lock is taken, so that a slow client does not block the others
        with self._one_at_a_time:
            return self._application(environ, recording)


def classified(environ: WSGIEnvironment) -> tuple[str, str]:
    """Return the service of a request, and AWS's name of its operation."""
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    if target:
        return _signed_service(environ), target.rpartition(".")[2]
    if environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded"):
        return _signed_service(environ), parse_qs(_body(environ)).get(b"Action", [b"unknown"])[0].decode()
    method = environ["REQUEST_METHOD"]
    query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    for (its_method, subresource), operation in _SUBRESOURCES.items():
        if method == its_method and subresource in query:
            return "s3", operation
    if method == "PUT" and "HTTP_X_AMZ_COPY_SOURCE" in environ:
        return "s3", "CopyObject"
    of_object = "/" in environ["PATH_INFO"].strip("/")
    if not of_object and method == "PUT":
        return "s3", "CreateBucket"
    return "s3", method.capitalize() + ("Object" if of_object else "Bucket")


def _body(environ: WSGIEnvironment) -> bytes:
    """Return a request's body, and keep it readable for the next reader."""
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    return body


def main() -> None:
    """Serve until standard input ends."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
    _write_port(listening)

    # Requests that arrive during these imports wait.
    from moto.moto_server.werkzeug_app import (
        DomainDispatcherApplication,
        MotoRequestHandler,
        create_backend_app,
    )
    from werkzeug.serving import make_server

    from s3memory.testing.moto_corrections import correct

    class QuietHandler(MotoRequestHandler):
        def log_request(self, *_args: object) -> None:
            """Log nothing: the requests are recorded."""

    correct(setattr)
    # To find the service, moto lists its own directory at every request, which takes half of the request's time.
    dispatcher = DomainDispatcherApplication
    dispatcher.get_backend_for_host = functools.cache(dispatcher.get_backend_for_host)  # type: ignore[method-assign]
    application = RecordingApplication(dispatcher(create_backend_app))
    server = make_server(
        "127.0.0.1", 0, application, threaded=True, request_handler=QuietHandler, fd=listening.fileno()
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _write_port(listening)
    sys.stdin.buffer.read()
    os._exit(0)  # there is nothing to save, and a regular exit takes a while with moto's modules


def _write_port(listening: socket.socket) -> None:
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()


def _signed_service(environ: WSGIEnvironment) -> str:
    """Return the service from the signature's scope: ``Credential=id/date/region/service/aws4_request``."""
    scope = environ.get("HTTP_AUTHORIZATION", "").partition("Credential=")[2].partition(",")[0].split("/")
    return str(scope[3]) if len(scope) == 5 else "unknown"  # noqa: PLR2004 - the parts of a scope


if __name__ == "__main__":
    main()
