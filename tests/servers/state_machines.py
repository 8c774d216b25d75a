"""Step Functions in front of moto: it checks a definition, and knows that a state machine has no versions.

The provider asks both. moto answers each with a 500, and the provider sends it again for a quarter of an hour.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser, ASLParserException

_VALIDATE, _VERSIONS = (
    f"AWSStepFunctions.{operation}" for operation in ("ValidateStateMachineDefinition", "ListStateMachineVersions")
)


def faults_of(definition: str) -> list[str]:
    """Return what the grammar of the Amazon States Language, as moto has it, finds wrong with a definition."""
    # moto knows percentages with a fraction alone, and of the inputs that are read line by line, CSV.
    definition = re.sub(r'("ToleratedFailurePercentage":\d+)(?=[,}])', r"\1.0", definition)
    definition = definition.replace('"InputType":"JSONL"', '"InputType":"JSON"')
    try:
        AmazonStateLanguageParser.parse(definition)
    except ASLParserException as error:
        return [str(error)]
    return []


@contextmanager
def step_functions(moto_url: str) -> Iterator[str]:
    """Serve Step Functions on this machine. Yield its address."""
    moto = urlsplit(moto_url).netloc

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers["X-Amz-Target"] == _VALIDATE:
                faults = faults_of(json.loads(body)["definition"])
                diagnostics = [{"severity": "ERROR", "code": "SCHEMA", "message": fault} for fault in faults]
                answer = {"result": "FAIL" if faults else "OK", "diagnostics": diagnostics, "truncated": False}
                self._send(200, json.dumps(answer).encode())
                return
            if self.headers["X-Amz-Target"] == _VERSIONS:
                self._send(200, b'{"stateMachineVersions": []}')
                return
            connection = http.client.HTTPConnection(moto, timeout=60)
            connection.request("POST", self.path, body, dict(self.headers))
            answered = connection.getresponse()
            self._send(answered.status, answered.read())
            connection.close()

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
