"""From a bearer token to the tenant whose memory it opens."""

from __future__ import annotations

from typing import Any

import jwt
from anyio.to_thread import run_sync

from s3memory.adapters.mcp.auth import Auth
from s3memory.adapters.mcp.key_sets import ALGORITHMS, KeySet
from s3memory.errors import ConfigurationError
from s3memory.paths import check_tenant

_MAX_TOKEN_CHARS = 16_384

_OPTIONS: Any = {
    "require": ["exp", "iss", "aud"],
    "verify_iat": False,  # a clock that is a second ahead is no reason to refuse; nbf says from when a token holds
    "enforce_minimum_key_length": True,
}


class TokenVerifier:
    """Verifies JSON Web Tokens: signature, algorithm, issuer, audience, and the time from and until when they hold."""

    def __init__(self, keys: KeySet, auth: Auth) -> None:
        self._keys, self._auth = keys, auth

    async def tenant_of(self, token: str) -> str | None:
        """Return the tenant that a token names; `None` if the token is not to be trusted, or names none."""
        header = _header(token)
        if header is None:
            return None
        if self._keys.is_old:
            await run_sync(self._keys.refresh)
        claims = self._claims(token, header)
        if claims is None:
            # Perhaps the issuer has changed its keys. It is asked at most once in a few seconds.
            await run_sync(self._keys.refresh)
            claims = self._claims(token, header)
        tenant = (claims or {}).get(self._auth.tenant_claim)
        try:
            return check_tenant(tenant)
        except ConfigurationError:
            return None

    def _claims(self, token: str, header: dict[str, Any]) -> dict[str, Any] | None:
        """Return the claims of a token that one of the keys at hand has signed, and that holds here and now."""
        for key in self._keys.candidates(key_id=header.get("kid"), algorithm=header["alg"]):
            try:
                return jwt.decode(
                    token,
                    key,
                    algorithms=[header["alg"]],  # one of ours: see _header
                    issuer=self._auth.issuer,
                    audience=self._auth.audience,
                    options=_OPTIONS,
                )
            except Exception:  # noqa: BLE001, S112 - whatever is wrong with a token, it is not trusted
                continue
        return None


def _header(token: str) -> dict[str, Any] | None:
    if len(token) > _MAX_TOKEN_CHARS:
        return None
    try:
        header = jwt.get_unverified_header(token)
    except Exception:  # noqa: BLE001 - as above
        return None
    return header if header.get("alg") in ALGORITHMS and isinstance(header.get("kid", ""), str) else None
