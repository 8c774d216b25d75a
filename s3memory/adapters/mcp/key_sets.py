"""`KeySet`: the issuer's public keys, with which tokens are verified, fetched from its JWKS URL.

Nothing here is bound to an event loop: on Lambda, each invocation has its own loop, and the keys outlive it.
"""

from __future__ import annotations

import io
import json
import logging
import math
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any

from jwt import PyJWK, PyJWTError

from s3memory.aws.timed_reads import DeadlineReader

_log = logging.getLogger("s3memory")

MAX_AGE_SECONDS = 30.0
"""How old the keys may be. A key that the issuer has withdrawn may be accepted for this long."""

PAUSE_SECONDS = 5.0
"""The minimum time between two requests to the issuer, however many tokens name unknown keys."""

FETCH_SECONDS = 5.0
"""How long the issuer may take, and how long a thread waits for another thread's request."""

_MAX_BYTES = 1_048_576

# No "oct" keys, and no symmetric algorithms: anyone who knows a public key could sign with it.
_KEY_TYPES = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
ALGORITHMS = tuple(_KEY_TYPES)
"""The algorithms that tokens may be signed with: all of them are asymmetric."""


class KeySet:
    """The keys of an issuer. Safe to share between threads. If fetching fails, the previous keys stay in use.

    Args:
        url: where the issuer publishes its keys.
        fetch: returns the content of a URL; raises `OSError` or `ValueError` if it can't.
        clock: a monotonic clock, in seconds.
    """

    def __init__(
        self, url: str, *, fetch: Callable[[str], bytes] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url, self._fetch, self._clock = url, fetch or fetch_url, clock
        self._lock = threading.Lock()
        self._keys: tuple[Mapping[str, Any], ...] = ()
        self._asked_at = self._ended_at = -math.inf
        self.has_failed = False
        """Whether the last request to the issuer failed, so that it may have newer keys."""

    @property
    def is_empty(self) -> bool:
        """Whether no keys were fetched yet, so that no token can be verified."""
        return not self._keys

    @property
    def is_old(self) -> bool:
        """Whether the keys should be fetched before they are used."""
        return self.is_empty or self._clock() - self._asked_at > MAX_AGE_SECONDS

    def candidates(self, *, key_id: str | None, algorithm: str) -> list[PyJWK]:
        """Return the keys that may have signed a token with this header. No request is sent.

        If the header names no key (``kid``), these are all keys of the algorithm.
        """
        found = []
        for key in self._keys:
            if key_id is not None and key.get("kid") != key_id:
                continue
            if key.get("kty") != _KEY_TYPES.get(algorithm) or key.get("alg", algorithm) != algorithm:
                continue
            try:
                found.append(PyJWK(dict(key), algorithm))
            except (PyJWTError, ValueError, TypeError):  # of another curve, or malformed
                continue
        return found

    def refresh(self) -> None:
        """Fetch the keys, unless that was tried a moment ago. Wait for another thread that is fetching them."""
        # If the keys are merely old, a thread does not wait for another thread's request: it uses the old ones.
        if not self._lock.acquire(timeout=0 if self._keys and self.is_old else FETCH_SECONDS):
            return
        try:
            # Counted from the end of the last request: else, threads that waited for a silent issuer would each ask it.
            if self._clock() - self._ended_at < PAUSE_SECONDS:
                return
            self._asked_at = self._clock()
            try:
                self._keys = _signing_keys(json.loads(self._fetch(self._url)))
            finally:
                self._ended_at = self._clock()
            self.has_failed = False
        except (OSError, ValueError, HTTPException, RecursionError) as error:
            self.has_failed = True
            _log.warning("the keys of the issuer of tokens could not be fetched: %s", type(error).__name__)
        finally:
            self._lock.release()


def _signing_keys(document: Any) -> tuple[Mapping[str, Any], ...]:
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError("it is not a JWKS")  # noqa: TRY004 - the fetched document is malformed, like other bad text
    # Some issuers write fields that a key lacks as null or empty, such as `"d": null` or `"key_ops": []`.
    compact = ({name: value for name, value in key.items() if value} for key in listed if isinstance(key, dict))
    keys = tuple(
        key
        for key in compact
        if key.get("kty") in _KEY_TYPES.values()
        and key.get("use", "sig") == "sig"
        and isinstance(uses := key.get("key_ops", ["verify"]), list)
        and "verify" in uses
    )
    if not keys:  # more likely a mistake of the issuer than intended
        raise ValueError("it contains no signing key")
    return keys


def fetch_url(url: str, *, seconds: float = FETCH_SECONDS) -> bytes:
    """Return the content of a URL, at most its first megabyte, without following redirects.

    Connecting may take `seconds`, and then the whole response.

    Raises:
        OSError: the URL can't be fetched, or not in time.
    """
    opener = urllib.request.build_opener(_NoRedirects, _HTTPInTime, _HTTPSInTime)
    with opener.open(url, timeout=seconds) as answer:
        body: bytes = answer.read(_MAX_BYTES)
    return body


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class _AnswerInTime(HTTPResponse):
    """A response that must arrive as a whole within the socket's timeout, which otherwise applies to each read."""

    def __init__(self, sock: Any, *args: Any, **more: Any) -> None:
        super().__init__(sock, *args, **more)
        self.fp = io.BufferedReader(DeadlineReader(sock, self.fp.detach(), until=time.monotonic() + sock.gettimeout()))


class _HTTPConnection(HTTPConnection):
    response_class = _AnswerInTime


class _HTTPSConnection(HTTPSConnection):
    response_class = _AnswerInTime


class _HTTPInTime(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_HTTPConnection, req)


class _HTTPSInTime(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_HTTPSConnection, req)
