"""An API Gateway authorizer for tokens of any OpenID Connect provider: who calls, and which tenant's they are.

It checks a JWT's signature (RS256 or ES256), issuer, audience and times, and hands the tenant and the subject on. With
Cognito alone, API Gateway's own authorizer does the same without code.

``AUTHORIZER_ISSUER``, ``AUTHORIZER_AUDIENCE`` and ``AUTHORIZER_JWKS_URL`` say whose tokens they are, and
``AGENT_TENANT_CLAIM`` which claim names the tenant: one that no caller can set.
"""

from __future__ import annotations

import base64
import json
import os
import time
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256

from s3memory.errors import ConfigurationError
from s3memory.paths import check_tenant

LEEWAY_SECONDS = 30
_KEYS_SECONDS = 3600
_ASK_AGAIN_SECONDS = 60
_MAX_TOKEN_CHARS = 8_192
_MAX_KEYS_BYTES = 1024 * 1024
_MIN_RSA_BITS = 2048
_P256_BYTES = 32

PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey


class BadTokenError(Exception):
    """The token is not one of the issuer's for this API, or it is over."""


class Keys:
    """The issuer's keys, fetched again after an hour, and for an unknown key at most once a minute.

    Args:
        fetch: returns the JWKS document.
    """

    def __init__(self, fetch: Callable[[], bytes]) -> None:
        self._fetch = fetch
        self._keys: dict[str, PublicKey] = {}
        self._fetched_at = -float(_KEYS_SECONDS)

    def key(self, key_id: object) -> PublicKey:
        """Return a key by its id. Raises `BadTokenError` where the issuer has none."""
        age = time.monotonic() - self._fetched_at
        if age >= _KEYS_SECONDS or (key_id not in self._keys and age >= _ASK_AGAIN_SECONDS):
            document = json.loads(self._fetch())
            self._keys = {jwk["kid"]: key for jwk in document["keys"] if (key := _public_key(jwk)) and "kid" in jwk}
            self._fetched_at = time.monotonic()
        if not isinstance(key_id, str) or key_id not in self._keys:
            raise BadTokenError("unknown key")
        return self._keys[key_id]


def checked(token: str, *, keys: Keys, issuer: str, audience: str) -> Mapping[str, Any]:
    """Return a token's claims.

    Args:
        token: the JWT.
        keys: the issuer's.
        issuer: what `iss` has to be.
        audience: what `aud` has to be, or hold; or `client_id` where there is no `aud`, as in Cognito's access tokens.

    Raises:
        BadTokenError: it is no good.
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
    """Allow the call, with tenant and subject, or have API Gateway answer 401."""
    token = str(event.get("authorizationToken", "")).removeprefix("Bearer ")
    environment = os.environ
    try:
        claims = checked(
            token,
            keys=_keys,
            issuer=environment["AUTHORIZER_ISSUER"],
            audience=environment["AUTHORIZER_AUDIENCE"],
        )
        tenant = check_tenant(claims.get(environment.get("AGENT_TENANT_CLAIM", "tenant")))
    except (BadTokenError, ConfigurationError):
        raise Exception("Unauthorized") from None  # noqa: TRY002 - the text by which API Gateway answers 401
    subject = claims.get("sub")
    # What is allowed is cached by token: all methods of this stage, not only the one that was called first.
    stage = "/".join(str(event["methodArn"]).split("/")[:2])
    allow = {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": f"{stage}/*"}
    return {
        "principalId": subject if isinstance(subject, str) else "unknown",
        "policyDocument": {"Version": "2012-10-17", "Statement": [allow]},
        "context": {"tenant": tenant, **({"sub": subject} if isinstance(subject, str) else {})},
    }


def _fetch() -> bytes:
    url = os.environ["AUTHORIZER_JWKS_URL"]
    if not url.startswith("https://"):
        raise ValueError("AUTHORIZER_JWKS_URL has to begin with https://")
    with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - see above
        document: bytes = answer.read(_MAX_KEYS_BYTES)
    return document


_keys = Keys(_fetch)


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
        pass  # a key of a kind that is not used here
    return None


def _verify(algorithm: object, key: PublicKey, signature: bytes, signed: bytes) -> None:
    """Check a signature. The key says of which kind it is; the token's word has to be the same."""
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
