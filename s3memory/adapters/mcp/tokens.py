"""`TokenVerifier`: verifies a bearer token, and returns the tenant that it names."""

from __future__ import annotations

import logging
import time
from typing import Any

import jwt
from anyio import Event, move_on_after
from anyio.to_thread import run_sync

from s3memory.adapters.mcp.auth import Auth
from s3memory.adapters.mcp.key_sets import ALGORITHMS, FETCH_SECONDS, KeySet
from s3memory.errors import ConfigurationError
from s3memory.paths import check_tenant

_log = logging.getLogger("s3memory")

MAX_WAITING = 32
"""How many tokens signed by no known key may wait for newer keys at once, so that they don't block other requests."""

_MAX_TOKEN_CHARS = 16_384
_PAUSE_SECONDS = 30.0  # between two log lines with the same reason: anyone can send tokens

_OPTIONS: Any = {
    "require": ["exp", "iss", "aud"],
    "verify_iat": False,  # a clock that is a second ahead is no reason to refuse; nbf says when a token becomes valid
    "enforce_minimum_key_length": True,
}


class _RefusedTokenError(Exception):
    """A token is not trusted. The text says why, and quotes nothing from the token."""


class _UnknownKeyError(_RefusedTokenError):
    """A token is signed by none of the known keys."""


class UndecidedError(Exception):
    """A token can't be verified now: the issuer's keys, or its newer keys, were not fetched yet."""


class TokenVerifier:
    """Verifies JSON Web Tokens: signature, algorithm, issuer, audience, and the period in which they are valid.

    Args:
        keys: the issuer's keys.
        auth: which tokens are accepted.
        wait_seconds: how long a token waits for keys that are being fetched for another token.
    """

    def __init__(self, keys: KeySet, auth: Auth, *, wait_seconds: float = FETCH_SECONDS) -> None:
        self._keys, self._auth, self._wait_seconds = keys, auth, wait_seconds
        self._fetched: Event | None = None  # while the keys are being fetched
        self._n_waiting = 0
        self._logged: dict[str, float] = {}

    async def tenant_of(self, token: str) -> str | None:
        """Return the tenant that a token names, or `None` if it is not trusted; the log says why.

        Raises:
            UndecidedError: the token can't be verified now.
        """
        try:
            return await self._tenant_of(token)
        except _RefusedTokenError as refusal:
            why, now = str(refusal), time.monotonic()
            if now - self._logged.get(why, -_PAUSE_SECONDS) >= _PAUSE_SECONDS:
                self._logged[why] = now
                _log.warning("a token was refused: %s", why)
            return None

    async def _tenant_of(self, token: str) -> str:
        header = _header(token)
        if self._keys.is_old and (self._keys.is_empty or self._fetched is None):
            await self._refresh()
        if self._keys.is_empty:
            raise UndecidedError
        try:
            claims = self._claims(token, header)
        except _RefusedTokenError:
            # Perhaps the issuer has changed its keys. `refresh` asks it at most once every few seconds.
            await self._refresh()
            try:
                claims = self._claims(token, header)
            except _UnknownKeyError:
                if self._keys.has_failed:
                    raise UndecidedError from None
                raise
        if self._auth.tenant_claim not in claims:
            raise _RefusedTokenError(f"it has no claim {self._auth.tenant_claim!r}")
        try:
            return check_tenant(claims[self._auth.tenant_claim])
        except ConfigurationError:
            raise _RefusedTokenError(f"its claim {self._auth.tenant_claim!r} is not the name of a tenant") from None

    async def _refresh(self) -> None:
        """Have the keys fetched, unless that was tried a moment ago, or wait if they are being fetched.

        Only one thread fetches them, however many tokens wait.
        """
        fetched = self._fetched
        if fetched is None:
            self._fetched = fetched = Event()
            try:
                await run_sync(self._keys.refresh)
            finally:
                self._fetched = None
                fetched.set()
            return
        if self._n_waiting >= MAX_WAITING and not self._keys.is_empty:
            raise UndecidedError
        self._n_waiting += 1
        try:
            with move_on_after(self._wait_seconds) as waiting:
                await fetched.wait()
        finally:
            self._n_waiting -= 1
        if waiting.cancelled_caught:
            raise UndecidedError

    def _claims(self, token: str, header: dict[str, Any]) -> dict[str, Any]:
        """Return the claims of a token that is valid here and now, and signed by one of the known keys."""
        why: _RefusedTokenError = _UnknownKeyError("the issuer has no key of its key id and algorithm")
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
            except Exception as error:  # noqa: BLE001 - a token with any problem is not trusted
                why = _RefusedTokenError(type(error).__name__)  # such as ExpiredSignatureError
        raise why


def _header(token: str) -> dict[str, Any]:
    if len(token) > _MAX_TOKEN_CHARS:
        raise _RefusedTokenError("it is too long")
    try:
        header = jwt.get_unverified_header(token)
    except Exception:  # noqa: BLE001 - as above
        raise _RefusedTokenError("it is not a JSON Web Token") from None
    if header.get("alg") not in ALGORITHMS or not isinstance(header.get("kid", ""), str):
        raise _RefusedTokenError("its algorithm or key id is not accepted")
    return header
