"""`RememberingDetector`: caches the answers of a detector, so that it is not called, and paid for, twice for one text.

Texts repeat: every write checks each name in its path again, and a rename checks each moved text again.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b

from s3memory.errors import ConfigurationError
from s3memory.redaction.detector import Detector, is_detector, known_kinds_of
from s3memory.redaction.interface import Span


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RememberingDetector:
    """Calls another detector once per text, and returns the same spans for that text until they expire.

    Texts are not kept: the cache is indexed by a hash with a key of this object. Refusals are not cached. Safe to share
    between threads if `detector` is.

    Attributes:
        detector: The detector to call. What it finds must depend on the text alone.
        max_texts: The size of the cache; beyond it, the least recently used text is forgotten.
        ttl_seconds: How long spans are cached. A change to a guardrail takes effect after that time at the latest.
        clock: Returns the time in seconds.

    Raises:
        ConfigurationError: `detector` has no method ``find``, or a number is not above zero.
    """

    detector: Detector
    max_texts: int = 1_000
    ttl_seconds: float = 300.0
    clock: Callable[[], float] = time.monotonic
    _key: bytes = field(init=False, default_factory=lambda: secrets.token_bytes(32))
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _remembered: OrderedDict[bytes, tuple[float, tuple[Span, ...]]] = field(init=False, default_factory=OrderedDict)

    def __post_init__(self) -> None:
        if not is_detector(self.detector):
            raise ConfigurationError("a detector has a method find(text) that returns spans")
        if self.max_texts < 1 or not self.ttl_seconds > 0:
            raise ConfigurationError("max_texts and ttl_seconds must be above 0")

    @property
    def known_kinds(self) -> frozenset[str]:
        """The kinds that the detector declares."""
        return known_kinds_of(self.detector)

    def find(self, text: str, /) -> tuple[Span, ...]:
        """Return what the detector finds in `text`, or recently found there. Raises whatever it raises."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=32).digest()
        with self._lock:
            expires_at, spans = self._remembered.get(digest, (0.0, ()))
            if digest in self._remembered and self.clock() < expires_at:
                self._remembered.move_to_end(digest)
                return spans
        # Not under the lock, so that other threads do not wait for a service to answer this one.
        spans = tuple(self.detector.find(text))
        with self._lock:
            self._remembered[digest] = (self.clock() + self.ttl_seconds, spans)
            self._remembered.move_to_end(digest)
            while len(self._remembered) > self.max_texts:
                self._remembered.popitem(last=False)
        return spans

    def __repr__(self) -> str:
        return f"RememberingDetector(detector={type(self.detector).__name__}, max_texts={self.max_texts})"
