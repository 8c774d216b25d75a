"""An API Gateway authorizer for the tokens of any OpenID Connect provider.

It checks a JWT's signature (RS256 or ES256), issuer, audience and times, and passes on the tenant, the subject and the
actor. If you only use Cognito, API Gateway's own authorizer does the same without code.

``AUTHORIZER_ISSUER``, ``AUTHORIZER_AUDIENCE`` and ``AUTHORIZER_JWKS_URL`` say which tokens to accept.
``AGENT_TENANT_CLAIM`` is the claim that names the tenant: use one that no caller can set. ``AGENT_ACTOR_CLAIM`` is the
claim that names the actor. The tenant is passed on as ``tenant``, the actor under its claim's name.
"""

from __future__ import annotations

import base64
import json
import logging
import math
import os
import time
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any, TypeGuard

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256

from s3memory import check_tenant
from s3memory.errors import ConfigurationError

LEEWAY_SECONDS = 30
_KEYS_SECONDS = 3600
_ASK_AGAIN_SECONDS = 60
_WITHOUT_KEYS_SECONDS = 5
_MAX_TOKEN_CHARS = 8_192
_MAX_KEYS_BYTES = 1024 * 1024
_MIN_RSA_BITS = 2048
_P256_BYTES = 32

_log = logging.getLogger("agent")

PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey


class BadTokenError(Exception):
    """The token is not from the issuer, not for this API, expired, or malformed."""


class NoKeysError(Exception):
    """There are no keys: fetching them failed a moment ago. Whether the token is good is unknown."""


class Keys:
    """The issuer's keys. They are fetched again after an hour, and for an unknown key at most once a minute.

    If fetching fails, the last keys stay in force, and the next attempt is a minute later.

    Args:
        fetch: returns the JWKS document. It raises `OSError`, `ValueError` or `HTTPException` if it can't.
    """

    def __init__(self, fetch: Callable[[], bytes]) -> None:
        self._fetch = fetch
        self._keys: dict[str, PublicKey] = {}
        self._fetched_at = self._asked_at = -math.inf

    def key(self, key_id: object) -> PublicKey:
        """Return the key with this id.

        Raises:
            BadTokenError: the issuer has no such key, or the id is not a text.
            NoKeysError: there are no keys at all.
            Exception: there are no keys at all, and this is what `fetch` has raised.
        """
        if not isinstance(key_id, str):
            raise BadTokenError("no key id")
        now = time.monotonic()
        is_wanted = key_id not in self._keys or now - self._fetched_at >= _KEYS_SECONDS
        if is_wanted and now - self._asked_at >= (_ASK_AGAIN_SECONDS if self._keys else _WITHOUT_KEYS_SECONDS):
            self._refresh(now)
        if not self._keys:
            raise NoKeysError
        if key_id not in self._keys:
            raise BadTokenError("unknown key")
        return self._keys[key_id]

    def _refresh(self, now: float) -> None:
        self._asked_at = now  # even if fetching fails: not every request should wait for an issuer that is down
        try:
            self._keys = _signing_keys(json.loads(self._fetch()))
            self._fetched_at = now
        except (OSError, ValueError, HTTPException, RecursionError) as error:
            _log.warning("the token issuer's keys could not be fetched: %s", type(error).__name__)
            if not self._keys:
                raise


def checked(token: str, *, keys: Keys, issuer: str, audience: str) -> Mapping[str, Any]:
    """Verify a token and return its claims.

    Args:
        token: the JWT.
        keys: the issuer's keys.
        issuer: the required `iss`.
        audience: what `aud` must be or contain; without `aud`, as in Cognito's access tokens, what `client_id` must be.

    Raises:
        BadTokenError: the token is not valid here.
        Exception: as for `Keys.key`.
    """
    if len(token) > _MAX_TOKEN_CHARS or token.count(".") != 2:  # noqa: PLR2004 - head, claims, signature
        raise BadTokenError("no JWT")
    head_text, claims_text, signature_text = token.split(".")
    try:
        head, claims = json.loads(_bytes(head_text)), json.loads(_bytes(claims_text))
        signature = _bytes(signature_text)
    except (ValueError, RecursionError):
        raise BadTokenError("no JWT") from None
    if not isinstance(head, dict) or not isinstance(claims, dict) or "crit" in head:
        raise BadTokenError("no JWT")
    _verify(head.get("alg"), keys.key(head.get("kid")), signature, f"{head_text}.{claims_text}".encode())
    if claims.get("iss") != issuer:
        raise BadTokenError("another issuer")
    audiences = claims.get("aud", claims.get("client_id"))
    if audience not in (audiences if isinstance(audiences, list) else [audiences]):
        raise BadTokenError("another audience")
    now = time.time()
    ends, begins = claims.get("exp"), claims.get("nbf", 0)
    if not _is_time(ends) or not _is_time(begins) or not begins - LEEWAY_SECONDS <= now < ends + LEEWAY_SECONDS:
        raise BadTokenError("not now")
    return claims


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - as Lambda calls it
    """Allow the call and pass on tenant, subject and actor, or have API Gateway answer 401."""
    given = str(event.get("authorizationToken", ""))
    scheme, _, token = given.partition(" ")
    environment = os.environ
    try:
        claims = checked(
            token if scheme.lower() == "bearer" else given,
            keys=_keys,
            issuer=environment["AUTHORIZER_ISSUER"],
            audience=environment["AUTHORIZER_AUDIENCE"],
        )
        tenant = check_tenant(claims.get(environment.get("AGENT_TENANT_CLAIM", "tenant")))
    except (BadTokenError, ConfigurationError):
        raise Exception("Unauthorized") from None  # noqa: TRY002 - the text by which API Gateway answers 401
    subject = claims.get("sub")
    # API Gateway caches the policy by token, so it must allow all methods of this stage, not only the one called now.
    stage = "/".join(str(event["methodArn"]).split("/")[:2])
    allow = {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": f"{stage}/*"}
    return {
        "principalId": subject if isinstance(subject, str) else "unknown",
        "policyDocument": {"Version": "2012-10-17", "Statement": [allow]},
        "context": {**_identity(claims, environment.get("AGENT_ACTOR_CLAIM", "sub")), "tenant": tenant},
    }


def _identity(claims: Mapping[str, Any], actor_claim: str) -> dict[str, str]:
    """Return the claims that say who calls. API Gateway accepts no list or object, so non-texts are passed as JSON."""
    given = {name: claims[name] for name in ("sub", actor_claim) if claims.get(name) is not None}
    return {name: one if isinstance(one, str) else json.dumps(one, sort_keys=True) for name, one in given.items()}


def _fetch() -> bytes:
    opener = urllib.request.build_opener(_RedirectsOverTls)
    with opener.open(_over_tls(os.environ["AUTHORIZER_JWKS_URL"]), timeout=5) as answer:
        document: bytes = answer.read(_MAX_KEYS_BYTES)
    return document


def _over_tls(url: str) -> str:
    if not url.startswith("https://"):
        raise ValueError("AUTHORIZER_JWKS_URL and the URLs that it redirects to must begin with https://")
    return url


class _RedirectsOverTls(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given: Any) -> Any:
        _over_tls(given[-1])
        return super().redirect_request(*given)


_keys = Keys(_fetch)


def _signing_keys(document: Any) -> dict[str, PublicKey]:
    listed = document.get("keys") if isinstance(document, dict) else None
    found = ((jwk, _public_key(jwk)) for jwk in (listed if isinstance(listed, list) else []))
    keys = {jwk["kid"]: key for jwk, key in found if key and isinstance(jwk.get("kid"), str)}
    if not keys:  # more likely the issuer's mistake than its intention, so the last keys stay in force
        raise ValueError("the JWKS document holds no usable signing key")
    return keys


def _public_key(jwk: Mapping[str, Any]) -> PublicKey | None:
    try:
        if jwk.get("use", "sig") != "sig":
            return None
        if jwk["kty"] == "RSA":
            key = rsa.RSAPublicNumbers(e=_number(jwk["e"]), n=_number(jwk["n"])).public_key()
            return key if key.key_size >= _MIN_RSA_BITS else None
        if jwk["kty"] == "EC" and jwk["crv"] == "P-256":
            return ec.EllipticCurvePublicNumbers(_number(jwk["x"]), _number(jwk["y"]), ec.SECP256R1()).public_key()
    except (KeyError, ValueError, TypeError, AttributeError):
        pass  # a kind of key that is not used here
    return None


def _verify(algorithm: object, key: PublicKey, signature: bytes, signed: bytes) -> None:
    """Check a signature. The key decides which algorithm is used; the token's `alg` must agree."""
    try:
        if isinstance(key, rsa.RSAPublicKey) and algorithm == "RS256":
            key.verify(signature, signed, padding.PKCS1v15(), SHA256())
        elif isinstance(key, ec.EllipticCurvePublicKey) and algorithm == "ES256" and len(signature) == 2 * _P256_BYTES:
            r, s = (int.from_bytes(half) for half in (signature[:_P256_BYTES], signature[_P256_BYTES:]))
            key.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(SHA256()))
        else:
            raise BadTokenError("another algorithm")
    except InvalidSignature:
        raise BadTokenError("the signature is wrong") from None


def _bytes(text: str) -> bytes:
    if set(text) & set("+/="):
        raise ValueError("not base64url")
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _number(text: str) -> int:
    return int.from_bytes(_bytes(text))


def _is_time(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
