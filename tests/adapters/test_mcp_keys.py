"""An issuer's keys: cached, fetched again, and kept when they can't be."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from mcp_servers import AUDIENCE, CLAIM, Issuer, private_key, public_jwk
from starlette.types import Message, Scope
from support.certificates import Certificates
from support.wire_server import Drip, WireServer, answer

from s3memory.adapters.mcp.auth import Auth
from s3memory.adapters.mcp.bearer import Bearer
from s3memory.adapters.mcp.key_sets import FETCH_SECONDS, MAX_AGE_SECONDS, PAUSE_SECONDS, KeySet, fetch_url
from s3memory.adapters.mcp.tokens import MAX_WAITING, TokenVerifier, UndecidedError

pytestmark = pytest.mark.anyio

ISSUER = "https://issuer.example"


class Published:
    """What an issuer publishes, and a clock.

    Attributes:
        document: the JWKS; an error to be raised in its place.
        fetched: how often it was fetched.
        takes_seconds: how long an answer takes, by the clock.
        may_answer: set unless it is to keep everybody waiting.
        now: the clock's seconds.
    """

    def __init__(self, *names: str) -> None:
        self.document: Any = {"keys": [public_jwk(name) for name in names]}
        self.fetched = 0
        self.takes_seconds = 0.0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.now = 1_000.0
        url = f"{ISSUER}/jwks"
        self.auth = Auth(issuer=ISSUER, audience=AUDIENCE, jwks_url=url, tenant_claim=CLAIM)
        self.keys = KeySet(url, fetch=self.fetch, clock=lambda: self.now)
        self.verifier = TokenVerifier(self.keys, self.auth)

    def fetch(self, _: str) -> bytes:
        self.fetched += 1
        assert self.may_answer.wait(30)
        self.now += self.takes_seconds
        if isinstance(self.document, Exception):
            raise self.document
        return self.document if isinstance(self.document, bytes) else json.dumps(self.document).encode()

    async def tenant(self, key: str = "first", **more: Any) -> str | None:
        header = {"kid": key, **more}
        return await self.verifier.tenant_of(
            jwt.encode(claims(), private_key(key), "RS256", {k: v for k, v in header.items() if v is not None})
        )


def claims() -> dict[str, Any]:
    return {"iss": ISSUER, "aud": [AUDIENCE, "other"], "exp": int(time.time()) + 600, CLAIM: "acme"}


async def test_keys_are_fetched_once_for_many_tokens() -> None:
    published = Published("first")
    assert [await published.tenant() for _ in range(5)] == ["acme"] * 5
    assert published.fetched == 1


async def test_keys_are_fetched_again_when_they_are_old_and_one_that_was_taken_back_is_refused() -> None:
    published = Published("first")
    assert await published.tenant() == "acme"
    published.document = {"keys": [public_jwk("second")]}
    published.now += MAX_AGE_SECONDS + 1
    assert await published.tenant() is None
    assert await published.tenant("second") == "acme"
    assert MAX_AGE_SECONDS + PAUSE_SECONDS <= 45


async def test_a_rotated_key_works_after_the_pause_under_a_new_id_and_under_the_old_one() -> None:
    published = Published("first")
    assert await published.tenant() == "acme"
    published.document = {"keys": [public_jwk("second"), public_jwk("third") | {"kid": "first"}]}
    assert await published.tenant("second") is None
    published.now += PAUSE_SECONDS
    assert await published.tenant("second") == "acme"
    assert await published.tenant() is None
    assert await published.tenant("third", kid="first") == "acme"


async def test_tokens_with_ids_that_nobody_knows_do_not_make_a_flood() -> None:
    published = Published("first")
    for _ in range(50):
        published.now += PAUSE_SECONDS / 25
        assert await published.tenant("forged") is None
    assert published.fetched <= 3


@pytest.mark.parametrize(
    "document",
    [OSError("down"), TimeoutError(), b"", b"<html>", b"[]", b"7", {}, {"keys": []}, {"keys": 7}, {"keys": [7, {}]}],
    ids=repr,
)
async def test_the_last_good_keys_stay_when_there_are_no_others(document: Any) -> None:
    published = Published("first")
    assert await published.tenant() == "acme"
    published.document = document
    for _ in range(3):
        published.now += MAX_AGE_SECONDS + 1
        assert await published.tenant() == "acme"
        with pytest.raises(UndecidedError):
            await published.tenant("second")
    published.document = {"keys": [public_jwk("second")]}
    published.now += PAUSE_SECONDS
    assert await published.tenant("second") == "acme"


@pytest.mark.parametrize("document", [OSError("down"), {"keys": []}, {"keys": [{"kty": "oct", "k": "AAAA"}]}], ids=repr)
async def test_without_keys_nobody_is_let_in_and_nobody_refused_until_the_issuer_answers(document: Any) -> None:
    published = Published("first")
    good, published.document = published.document, document
    for _ in range(2):
        with pytest.raises(UndecidedError):
            await published.tenant()
    assert await published.verifier.tenant_of("no token") is None
    assert published.fetched == 1
    published.document = good
    published.now += PAUSE_SECONDS
    assert await published.tenant() == "acme"


async def test_who_can_not_be_told_yet_whether_a_token_is_good_is_asked_to_come_back_and_keeps_the_token() -> None:
    published, sent = Published(), []
    published.document = OSError("down")

    async def send(message: Message) -> None:
        sent.append(message)

    async def never(*_: Any) -> Any:
        raise AssertionError

    header = jwt.encode(claims(), private_key("first"), "RS256", {"kid": "first"})
    scope: Scope = {"type": "http", "headers": [(b"authorization", f"Bearer {header}".encode())]}
    await Bearer(never, published.verifier, resource_url=AUDIENCE)(scope, never, send)
    headers = dict(sent[0]["headers"])
    assert (sent[0]["status"], headers[b"retry-after"]) == (503, b"5")
    assert b"www-authenticate" not in headers
    assert "can't be verified now" in json.loads(sent[1]["body"])["error_description"]


async def test_a_token_of_an_unknown_key_is_undecided_until_the_issuer_was_asked_again() -> None:
    published = Published("first")
    await published.tenant()
    published.document, published.now = OSError("down"), published.now + PAUSE_SECONDS + 1
    for _ in range(2):  # the second within the pause
        with pytest.raises(UndecidedError):
            await published.tenant("second")
    published.document, published.now = {"keys": [public_jwk("first")]}, published.now + PAUSE_SECONDS + 1
    assert await published.tenant("second") is None


async def test_an_issuer_that_does_not_answer_is_not_asked_again_as_soon_as_it_was_given_up() -> None:
    published = Published("first")
    published.takes_seconds = FETCH_SECONDS
    published.document = TimeoutError()
    for _ in range(3):
        with pytest.raises(UndecidedError):
            await published.tenant()
    assert published.fetched == 1


async def test_all_tokens_of_a_server_without_keys_wait_for_one_request() -> None:
    published, tenants = Published("first"), []
    published.may_answer.clear()

    async def ask() -> None:
        tenants.append(await published.tenant())

    async with anyio.create_task_group() as group:
        for _ in range(2 * MAX_WAITING):
            group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        assert tenants == []
        published.may_answer.set()
    assert tenants == ["acme"] * 2 * MAX_WAITING
    assert published.fetched == 1


async def test_of_tokens_that_nobody_known_has_signed_a_few_wait_for_newer_keys_and_good_ones_do_not() -> None:
    published, answers = Published("first"), []
    assert await published.tenant() == "acme"
    published.now += PAUSE_SECONDS
    published.may_answer.clear()

    async def ask() -> None:
        try:
            answers.append(await published.tenant("second"))
        except UndecidedError:
            answers.append("undecided")

    async with anyio.create_task_group() as group:
        for _ in range(1 + MAX_WAITING + 3):  # the first has the keys fetched
            group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        assert answers == ["undecided"] * 3
        published.now += MAX_AGE_SECONDS + 1
        assert await published.tenant() == "acme", "the last keys are in force, however old"
        published.document = {"keys": [public_jwk("second")]}
        published.may_answer.set()
    assert answers == ["undecided"] * 3 + ["acme"] * (1 + MAX_WAITING)
    assert published.fetched == 2


@pytest.mark.parametrize("has_keys", [False, True])
async def test_a_token_does_not_wait_for_keys_for_ever(*, has_keys: bool) -> None:
    published = Published("first", "second")
    published.verifier = TokenVerifier(published.keys, published.auth, wait_seconds=0)
    if has_keys:
        assert await published.tenant() == "acme"
        published.now += PAUSE_SECONDS
    published.may_answer.clear()
    async with anyio.create_task_group() as group:
        group.start_soon(published.tenant, "third")
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(UndecidedError):
            await published.tenant("third")
        published.may_answer.set()


@pytest.mark.parametrize(
    "altered", [{"use": "enc"}, {"key_ops": ["encrypt"]}, {"alg": "RS512"}, {"kty": "oct", "k": "AAAA"}, {"n": "AA"}]
)
async def test_a_key_that_is_for_something_else_verifies_nothing(altered: dict[str, Any]) -> None:
    published = Published()
    published.document = {"keys": [public_jwk("first") | altered, public_jwk("second")]}
    assert await published.tenant() is None


@pytest.mark.parametrize("nothing", [None, []], ids=repr)
async def test_what_an_issuer_says_a_key_has_not_is_as_if_it_were_left_out(nothing: object) -> None:
    published = Published()
    published.document = {"keys": [public_jwk("first") | dict.fromkeys(("use", "key_ops", "alg", "d", "x5c"), nothing)]}
    assert await published.tenant() == "acme"


async def test_a_malformed_key_keeps_nobody_from_using_the_others() -> None:
    published = Published()
    published.document = {"keys": [public_jwk("other") | {"key_ops": 7, "kty": ["RSA"]}, public_jwk("first")]}
    assert await published.tenant() == "acme"
    published.document["keys"][0] = public_jwk("other") | {"key_ops": 7}
    published.now += MAX_AGE_SECONDS + 1
    assert await published.tenant() == "acme"


async def test_a_secret_among_the_keys_verifies_nothing() -> None:
    published = Published()
    secret = jwt.utils.base64url_encode(b"s" * 64).decode()
    published.document = {"keys": [{"kty": "oct", "kid": "shared", "k": secret, "alg": "HS256"}, public_jwk("first")]}
    forged = jwt.encode(claims(), b"s" * 64, "HS256", {"kid": "shared"})
    assert await published.verifier.tenant_of(forged) is None


async def test_a_token_without_an_id_is_tried_with_the_keys_there_are() -> None:
    published = Published("first", "second")
    assert await published.tenant("second", kid=None) == "acme"


@pytest.mark.parametrize("curve", ["EC", "OKP"])
async def test_keys_on_curves_verify_as_well(curve: str) -> None:
    published = Published()
    if curve == "EC":
        ec_key = ec.generate_private_key(ec.SECP256R1())
        jwk = jwt.algorithms.ECAlgorithm.to_jwk(ec_key.public_key(), as_dict=True)
        token = jwt.encode(claims(), ec_key, "ES256", {"kid": "k"})
    else:
        okp_key = ed25519.Ed25519PrivateKey.generate()
        jwk = jwt.algorithms.OKPAlgorithm.to_jwk(okp_key.public_key(), as_dict=True)
        token = jwt.encode(claims(), okp_key, "EdDSA", {"kid": "k"})
    published.document = {"keys": [{**jwk, "kid": "k"}]}
    assert await published.verifier.tenant_of(token) == "acme"


def test_threads_that_find_no_keys_wait_for_the_one_that_fetches_them() -> None:
    published, is_asked, may_answer = Published("first"), threading.Event(), threading.Event()
    document = json.dumps(published.document).encode()

    def fetch(_: str) -> bytes:
        is_asked.set()
        assert may_answer.wait(30)
        return document

    keys = KeySet("", fetch=fetch)
    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(keys.refresh)
        assert is_asked.wait(30)
        others = [threads.submit(keys.refresh) for _ in range(2)]
        may_answer.set()
        for done in (first, *others):
            done.result()
    assert len(keys.candidates(key_id="first", algorithm="RS256")) == 1


def test_keys_come_over_http_and_neither_from_files_nor_from_where_an_answer_leads() -> None:
    with Issuer() as issuer:
        keys = KeySet(f"{issuer.url}/jwks")
        keys.refresh()
        assert keys.candidates(key_id="first", algorithm="RS256")
        issuer.is_down = True
        broken = KeySet(f"{issuer.url}/jwks")
        broken.refresh()
        assert broken.candidates(key_id="first", algorithm="RS256") == []


CHUNKED = b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
DRIPS = {
    "head": Drip(b"HTTP/1.1 200 X\r\nA: 1\r\n", again=16, every_seconds=0.01),
    "body": Drip(b"\r\n".join((b"HTTP/1.1 200 X", b"Content-Length: 100000", b"", b" ")), again=42, every_seconds=0.01),
    "chunks": Drip(CHUNKED + b"1\r\n \r\n", again=len(CHUNKED), every_seconds=0.01),
}


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("drip", DRIPS)
def test_an_answer_that_comes_byte_by_byte_is_not_waited_for_longer_than_any(
    drip: str, scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificates = Certificates(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
    with WireServer(lambda _: DRIPS[drip], tls=certificates.server_context() if scheme == "https" else None) as server:
        begun = time.monotonic()
        with pytest.raises(TimeoutError):
            fetch_url(server.url, seconds=0.3)
        assert time.monotonic() - begun < 5
        assert len(server.received) == 1


def test_keys_come_over_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates = Certificates(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
    with WireServer(lambda _: answer(200, b"keys"), tls=certificates.server_context()) as server:
        assert fetch_url(server.url) == b"keys"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"exp": 1}, "ExpiredSignatureError"),
        ({"aud": "https://elsewhere.example"}, "InvalidAudienceError"),
        ({CLAIM: "../globex"}, f"its claim {CLAIM!r} is not the name of a tenant"),
        ({CLAIM: None}, f"its claim {CLAIM!r} is not the name of a tenant"),
    ],
)
async def test_the_log_says_once_why_a_token_was_refused_and_nothing_of_it(
    changed: dict[str, Any], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    published = Published("first")
    token = jwt.encode(claims() | changed, private_key("first"), "RS256", {"kid": "first"})
    for _ in range(3):
        assert await published.verifier.tenant_of(token) is None
    assert caplog.messages == [f"a token was refused: {why}"]


async def test_the_log_says_that_a_token_has_no_claim_for_the_tenant(caplog: pytest.LogCaptureFixture) -> None:
    published = Published("first")
    token = jwt.encode(
        {name: value for name, value in claims().items() if name != CLAIM},
        private_key("first"),
        "RS256",
        {"kid": "first"},
    )
    assert await published.verifier.tenant_of(token) is None
    assert await published.verifier.tenant_of("no token") is None
    assert caplog.messages == [
        f"a token was refused: it has no claim {CLAIM!r}",
        "a token was refused: it is not a JSON Web Token",
    ]
