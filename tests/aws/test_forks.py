"""Clients created before a fork and used after it, in both processes: neither uses a connection of the other."""

from __future__ import annotations

import subprocess
import sys

# Answers every request with the port that it came from, in the format of each service, which shows the connection
# that was used. Every kind of client then sends one request before a fork, in the child, and in the parent after it.
PROGRAM = """
import base64, json, os, threading
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer

import boto3
from botocore.config import Config

from s3memory import KmsKeyWrapper, LocalKeyWrapper, MemoryStore, TenantSessions
from s3memory.aws import clients
from s3memory.redaction.adapters import ComprehendDetector


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(b"%d" % self.client_address[1])

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        port = b"%d" % self.client_address[1]
        if self.headers.get("X-Amz-Target", "").startswith("TrentService"):
            self.answer(json.dumps({"Plaintext": base64.b64encode(port).decode()}).encode())
        elif "Comprehend" in self.headers.get("X-Amz-Target", ""):
            self.answer(b'{"Entities": [{"Type": "NAME", "Score": 1, "BeginOffset": 0, "EndOffset": %s}]}' % port)
        else:
            self.answer(b"<R><AssumeRoleResult><PackedPolicySize>%s</PackedPolicySize></AssumeRoleResult></R>" % port)

    def answer(self, body):
        self.send_response(200)
        self.send_header("ETag", '"x"')
        self.send_header("Last-Modified", "Mon, 02 Mar 2026 12:00:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingTCPServer.daemon_threads = True
server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}"


def given(service):
    return boto3.client(service, endpoint_url=url, config=Config(s3={"addressing_style": "path"}))


def store(client):
    return MemoryStore(bucket="bucket", tenant="acme", key_wrapper=LocalKeyWrapper(os.urandom(32)), s3_client=client)


def read(store):
    return lambda: int(store.objects.get(store.key_ring.object_key).body)


def unwrap(wrapper):
    return lambda: int(wrapper.unwrap(b"wrapped", {}))


sts, comprehend = given("sts"), given("comprehend")
sessions = TenantSessions("arn:aws:iam::123456789012:role/tenant", sts_client=sts)
detector = ComprehendDetector(client=comprehend)
asked = {
    "shared S3 client": read(store(clients.PROCESS.s3_client(endpoint_url=url))),
    "given S3 client": read(store(given("s3"))),
    "shared KMS client": unwrap(KmsKeyWrapper("alias/key", endpoint_url=url)),
    "given KMS client": unwrap(KmsKeyWrapper("alias/key", kms_client=given("kms"))),
    "given STS client": lambda: sts.assume_role(RoleArn="arn:aws:iam::123456789012:role/tenant", RoleSessionName="acme")
    ["PackedPolicySize"],
    "given Comprehend client": lambda: comprehend.detect_pii_entities(Text="x", LanguageCode="en")
    ["Entities"][0]["EndOffset"],
}
before = {name: ask() for name, ask in asked.items()}
assert before == {name: ask() for name, ask in asked.items()}, "a connection is used again"
child = os.fork()
if not child:
    shared = [name for name, ask in asked.items() if ask() in before.values()]
    print(*shared, sep=", ", flush=True)
    os._exit(bool(shared))
_, status = os.waitpid(child, 0)
assert before == {name: ask() for name, ask in asked.items()}, "the parent keeps its connections"
raise SystemExit(os.waitstatus_to_exitcode(status))
"""


def test_a_forked_child_opens_its_own_connections_for_clients_created_before() -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stdout + done.stderr
