"""The public keys that tokens are signed with, fetched from where the issuer publishes them (a JWKS).

Nothing here belongs to an event loop: on Lambda each invocation has a loop of its own, and the keys outlive it.
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

from s3memory.aws.timed_reads import ReadsInTime

_log = logging.getLogger("s3memory")

MAX_AGE_SECONDS = 30.0
"""How old the keys may be. A key that the issuer has withdrawn may work for this long."""

PAUSE_SECONDS = 5.0
"""The shortest time from a request to the issuer to the next one, however many tokens name unknown keys."""

FETCH_SECONDS = 5.0
"""How long the issuer may take, and how long a thread waits for another one's request."""

_MAX_BYTES = 1_048_576

# No "oct" key, and no algorithm of such: anyone who knows a public key could sign with it.
_KEY_TYPES = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
ALGORITHMS = tuple(_KEY_TYPES)
"""The algorithms that tokens may be signed with: all of them are asymmetric."""


class KeySet:
    """The keys of an issuer. Safe to share between threads. A set that can't be fetched leaves the last one in force.

    Args:
        url: where the issuer publishes them.
        fetch: returns what is at a URL; it raises `OSError` or `ValueError` where it can't.
        clock: seconds that only go forward.
    """

    def __init__(
        self, url: str, *, fetch: Callable[[str], bytes] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url, self._fetch, self._clock = url, fetch or fetched, clock
        self._lock = threading.Lock()
        self._keys: tuple[Mapping[str, Any], ...] = ()
        self._asked_at = self._ended_at = -math.inf

    @property
    def is_empty(self) -> bool:
        """Whether no keys were ever fetched, so that nobody can say which tokens are to be trusted."""
        return not self._keys

    @property
    def is_old(self) -> bool:
        """Whether the keys should be fetched before they are used."""
        return self.is_empty or self._clock() - self._asked_at > MAX_AGE_SECONDS

    def candidates(self, *, key_id: str | None, algorithm: str) -> list[PyJWK]:
        """Return the keys that a token may be signed with, by what its header says. No request is made.

        All keys of the algorithm are among them where the header names none (``kid``).
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
        """Fetch the keys, unless that was tried a moment ago; wait a while for a thread that is at it."""
        # A thread whose keys are only old does not wait for another one's request: it goes on with those.
        if not self._lock.acquire(timeout=0 if self._keys and self.is_old else FETCH_SECONDS):
            return
        try:
            # From the end of the last request: threads that waited for a silent issuer would ask it one by one.
            if self._clock() - self._ended_at < PAUSE_SECONDS:
                return
            self._asked_at = self._clock()
            try:
                self._keys = _signing_keys(json.loads(self._fetch(self._url)))
            finally:
                self._ended_at = self._clock()
        except (OSError, ValueError, HTTPException, RecursionError) as error:
            _log.warning("the keys of the issuer of tokens could not be fetched: %s", type(error).__name__)
        finally:
            self._lock.release()


def _signing_keys(document: Any) -> tuple[Mapping[str, Any], ...]:
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError("it is not a JWKS")  # noqa: TRY004 - what was fetched is malformed, as other text may be
    # Some issuers write fields that a key lacks as null or empty, such as `"d": null` or `"key_ops": []`.
    told = ({name: value for name, value in key.items() if value} for key in listed if isinstance(key, dict))
    keys = tuple(
        key
        for key in told
        if key.get("kty") in _KEY_TYPES.values()
        and key.get("use", "sig") == "sig"
        and isinstance(uses := key.get("key_ops", ["verify"]), list)
        and "verify" in uses
    )
    if not keys:  # more likely a mistake of the issuer than its wish
        raise ValueError("it holds no key that signs")
    return keys


def fetched(url: str, *, seconds: float = FETCH_SECONDS) -> bytes:
    """Return what is at a URL, without following redirects: its first megabyte, if there is more.

    Args:
        url: the URL.
        seconds: how long connecting may take, and then the whole answer, however slowly it comes.

    Raises:
        OSError: it can't be had, or not in time.
    """
    opener = urllib.request.build_opener(_NoRedirects, _HTTPInTime, _HTTPSInTime)
    with opener.open(url, timeout=seconds) as answer:
        body: bytes = answer.read(_MAX_BYTES)
    return body


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class _AnswerInTime(HTTPResponse):
    """An answer that has to come, as a whole, within the time that a socket gives each of its reads."""

    def __init__(self, sock: Any, *args: Any, **more: Any) -> None:
        super().__init__(sock, *args, **more)
        self.fp = io.BufferedReader(ReadsInTime(sock, self.fp.detach(), until=time.monotonic() + sock.gettimeout()))


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
