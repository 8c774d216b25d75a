"""The example's authorizer: which tokens it accepts, and what it returns about the caller."""

from __future__ import annotations

import base64
import json
import time
from http.client import IncompleteRead
from pathlib import Path
from typing import Any

import authorizer
import pytest
from authorizer import BadTokenError, Keys, NoKeysError, checked
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256
from support.certificates import Certificates
from support.wire_server import WireServer, answer, in_turn

NOW = time.time()
ISSUER, AUDIENCE = "https://login.example.com", "agents"
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
SHORT_KEY = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505 - to be refused
EC_KEY = ec.generate_private_key(ec.SECP256R1())
METHOD_ARN = "arn:aws:execute-api:eu-central-1:111122223333:a1/live/POST/messages"


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokens below are created at collection, which may be long before a test runs."""
    monkeypatch.setattr("time.time", lambda: NOW)


def text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def number(value: int) -> str:
    return text(value.to_bytes((value.bit_length() + 7) // 8))


def rsa_jwk(key: rsa.RSAPrivateKey, key_id: str) -> dict[str, str]:
    numbers = key.public_key().public_numbers()
    return {"kty": "RSA", "kid": key_id, "use": "sig", "n": number(numbers.n), "e": number(numbers.e)}


EC_NUMBERS = EC_KEY.public_key().public_numbers()
DOCUMENT = {
    "keys": [
        rsa_jwk(RSA_KEY, "r1"),
        rsa_jwk(SHORT_KEY, "short"),
        {"kty": "EC", "kid": "e1", "crv": "P-256", "x": number(EC_NUMBERS.x), "y": number(EC_NUMBERS.y)},
        {"kty": "OKP", "kid": "unknown-kind"},
        {"kty": "RSA"},
    ]
}


def token(head: dict[str, Any] | None = None, *, key: Any = RSA_KEY, **claims: Any) -> str:
    given = {"iss": ISSUER, "aud": AUDIENCE, "sub": "anna", "tenant": "acme", "exp": NOW + 300, **claims}
    given = {name: value for name, value in given.items() if value is not None}
    head = head or {"alg": "RS256", "kid": "r1"}
    signed = f"{text(json.dumps(head).encode())}.{text(json.dumps(given).encode())}"
    if isinstance(key, rsa.RSAPrivateKey):
        signature = key.sign(signed.encode(), padding.PKCS1v15(), SHA256())
    else:
        r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
        signature = r.to_bytes(32) + s.to_bytes(32)
    return f"{signed}.{text(signature)}"


def keys() -> Keys:
    return Keys(lambda: json.dumps(DOCUMENT).encode())


def claims_of(given: str) -> Any:
    return checked(given, keys=keys(), issuer=ISSUER, audience=AUDIENCE)


@pytest.mark.parametrize(
    "given",
    [
        token(),
        token({"alg": "ES256", "kid": "e1"}, key=EC_KEY),
        token(aud=["others", AUDIENCE]),
        token(aud=None, client_id=AUDIENCE),
        token(nbf=NOW - 5),
        token(exp=NOW - 5),  # clocks differ
    ],
    ids=["RS256", "ES256", "several audiences", "Cognito's access token", "begun", "just over"],
)
def test_the_issuers_tokens_for_this_api_are_accepted(given: str) -> None:
    assert claims_of(given)["tenant"] == "acme"


def changed(given: str, **claims: Any) -> str:
    head, _, signature = given.split(".")
    return f"{head}.{text(json.dumps({'iss': ISSUER, 'aud': AUDIENCE, 'exp': 9e9, **claims}).encode())}.{signature}"


@pytest.mark.parametrize(
    "given",
    [
        "",
        "a.b",
        "a.b.c",
        "..",
        token() + "x.y",
        token()[:-4] + "AAAA",
        changed(token(), tenant="globex"),
        token(key=OTHER_KEY),
        token({"alg": "RS256", "kid": "short"}, key=SHORT_KEY),
        token({"alg": "none", "kid": "r1"}),
        token({"alg": "HS256", "kid": "r1"}),
        token({"alg": "ES256", "kid": "r1"}),
        token({"alg": "RS256", "kid": "e1"}),
        token({"alg": "RS256", "kid": "r2"}),
        token({"alg": "RS256"}),
        token({"alg": "RS256", "kid": ["r1"]}),
        token({"alg": "RS256", "kid": "r1", "crit": ["x"]}),
        token(iss="https://other.example.com"),
        token(iss=None),
        token(aud="others"),
        token(aud=None),
        token(aud=[]),
        token(exp=NOW - 60),
        token(exp=None),
        token(exp="9999999999"),
        token(exp=True),
        token(nbf=NOW + 60),
        "x" * 9_000,
    ],
)
def test_any_other_token_is_refused(given: str) -> None:
    with pytest.raises(BadTokenError):
        claims_of(given)


@pytest.mark.parametrize("key_id", [[], {}, None, 7], ids=repr)
def test_a_key_id_that_is_not_text_is_refused_even_if_there_are_keys(key_id: object) -> None:
    held = keys()
    held.key("r1")
    with pytest.raises(BadTokenError):
        held.key(key_id)


def test_keys_are_fetched_once_and_again_for_an_unknown_key_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []

    def fetch() -> bytes:
        fetched.append(1)
        return json.dumps(DOCUMENT if len(fetched) > 1 else {"keys": [rsa_jwk(OTHER_KEY, "r0")]}).encode()

    now = 10_000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    rotated = Keys(fetch)
    for _ in range(3):
        with pytest.raises(BadTokenError):
            rotated.key("r1")
    assert len(fetched) == 1
    now += 60
    assert rotated.key("r1") == rotated.key("r1")
    assert len(fetched) == 2
    now += 3600
    rotated.key("r1")
    assert len(fetched) == 3


class Issuer:
    """Publishes keys, unless it is set to fail."""

    def __init__(self) -> None:
        self.asked = 0
        self.answer: bytes | Exception = json.dumps(DOCUMENT).encode()

    def fetch(self) -> bytes:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


NO_KEYS: list[bytes | Exception] = [
    TimeoutError(),
    IncompleteRead(b""),
    b"<html>",
    b"[" * 100_000,
    b"[]",
    b"{}",
    b'{"keys": 1}',
    b'{"keys": []}',
    b'{"keys": ["x", {"kty": "OKP", "kid": "o1"}]}',
]


@pytest.mark.parametrize("answer", NO_KEYS, ids=[repr(answer)[:40] for answer in NO_KEYS])
def test_if_keys_cannot_be_fetched_the_last_ones_stay_valid_and_are_requested_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, answer: bytes | Exception
) -> None:
    now, issuer = 10_000.0, Issuer()
    monkeypatch.setattr("time.monotonic", lambda: now)
    held = Keys(issuer.fetch)
    key, issuer.answer = held.key("r1"), answer
    now += 3600
    assert [held.key("r1") for _ in range(3)] == [key] * 3
    with pytest.raises(BadTokenError):
        held.key("r2")
    assert issuer.asked == 2
    assert "the token issuer's keys could not be fetched" in caplog.text
    now += 60
    issuer.answer = json.dumps({"keys": [rsa_jwk(RSA_KEY, "r2")]}).encode()
    with pytest.raises(BadTokenError):  # it was revoked
        held.key("r1")
    held.key("r2")
    assert issuer.asked == 3


def test_without_any_keys_no_token_is_called_bad_and_not_every_request_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    now, issuer = 10_000.0, Issuer()
    monkeypatch.setattr("time.monotonic", lambda: now)
    document, issuer.answer = issuer.answer, TimeoutError()
    held = Keys(issuer.fetch)
    with pytest.raises(TimeoutError):
        held.key("r1")
    with pytest.raises(NoKeysError):
        held.key("r1")
    assert issuer.asked == 1
    now += 5
    issuer.answer = document
    held.key("r1")
    assert issuer.asked == 2


@pytest.fixture
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTHORIZER_ISSUER", ISSUER)
    monkeypatch.setenv("AUTHORIZER_AUDIENCE", AUDIENCE)
    monkeypatch.setattr(authorizer, "_keys", keys())


@pytest.mark.usefixtures("_environment")
def test_the_gateway_gets_the_tenant_and_the_subject_for_its_stage() -> None:
    told = authorizer.handler({"authorizationToken": f"Bearer {token()}", "methodArn": METHOD_ARN}, None)
    assert told["context"] == {"tenant": "acme", "sub": "anna"}
    (statement,) = told["policyDocument"]["Statement"]
    assert statement["Resource"] == "arn:aws:execute-api:eu-central-1:111122223333:a1/live/*"
    from caller import tenant_of  # noqa: PLC0415 - what the agent makes of it

    assert tenant_of({"requestContext": {"authorizer": {"principalId": "anna", **told["context"]}}}) == "acme"


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("scheme", ["bearer", "BEARER"])
def test_the_scheme_before_the_token_is_case_insensitive(scheme: str) -> None:
    """https://www.rfc-editor.org/rfc/rfc9110#section-11.1."""
    told = authorizer.handler({"authorizationToken": f"{scheme} {token()}", "methodArn": METHOD_ARN}, None)
    assert told["context"]["tenant"] == "acme"


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ({"email": "anna@example.com"}, {"sub": "anna", "email": "anna@example.com"}),
        ({"email": ["a", "b"], "sub": 7}, {"sub": "7", "email": '["a", "b"]'}),
        ({"sub": None}, {}),
    ],
    ids=["text", "no text", "none"],
)
def test_the_claim_that_names_the_actor_is_passed_on_as_text(
    monkeypatch: pytest.MonkeyPatch, claims: dict[str, Any], told: dict[str, str]
) -> None:
    monkeypatch.setenv("AGENT_ACTOR_CLAIM", "email")
    answer = authorizer.handler({"authorizationToken": token(**claims), "methodArn": METHOD_ARN}, None)
    assert answer["context"] == {"tenant": "acme", **told}


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("name", ["tenant", "sub"])
def test_the_claim_that_names_the_actor_never_names_the_tenant(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("AGENT_TENANT_CLAIM", "org")
    monkeypatch.setenv("AGENT_ACTOR_CLAIM", name)
    event = {"authorizationToken": token(org="acme", tenant="globex"), "methodArn": METHOD_ARN}
    assert authorizer.handler(event, None)["context"] == {"tenant": "acme", "sub": "anna"}


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    "event", [{}, {"authorizationToken": "Bearer x"}, {"authorizationToken": f"Bearer {token(tenant='a/b')}"}]
)
def test_a_caller_without_a_valid_tenant_is_answered_with_401(event: dict[str, str]) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$") as caught:
        authorizer.handler({**event, "methodArn": METHOD_ARN}, None)
    assert caught.value.__cause__ is None


def test_keys_are_fetched_only_over_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTHORIZER_JWKS_URL", "http://127.0.0.1:9/keys")
    with pytest.raises(ValueError, match="https"):
        authorizer._fetch()


def test_redirects_away_from_tls_are_not_followed_for_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
    with (
        WireServer(lambda _: answer(body=json.dumps(DOCUMENT).encode())) as plain,
        WireServer(lambda _: answer(302, Location=f"{plain.url}/keys"), tls=certificates.server_context()) as issuer,
    ):
        monkeypatch.setenv("AUTHORIZER_JWKS_URL", f"{issuer.url}/keys")
        with pytest.raises(ValueError, match="https"):
            authorizer._fetch()
        assert (len(issuer.received), len(plain.received)) == (1, 0)


def test_redirects_within_tls_are_followed_for_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
    moved = in_turn([answer(302, Location="/keys/v2"), answer(body=b"{}")])
    with WireServer(moved, tls=certificates.server_context()) as issuer:
        monkeypatch.setenv("AUTHORIZER_JWKS_URL", f"{issuer.url}/keys")
        assert authorizer._fetch() == b"{}"
