"""`RememberingDetector`: what was asked a moment ago is not asked, waited for and paid for again.

The names in a path are checked with every write, one by one, and a rename checks each moved text again.
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
from s3memory.redaction.model import Span


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RememberingDetector:
    """Asks another detector once about a text, and returns the same spans for that text until some time has passed.

    Texts are not kept: they are told apart by a hash under a key of this object. Refusals are not remembered. Safe to
    share between threads if `detector` is.

    Attributes:
        detector: is asked. What it finds must depend on the text alone.
        max_texts: about how many texts something is remembered; then the one longest unused is forgotten.
        ttl_seconds: how long, so that a guardrail that was changed counts by then.
        clock: tells the time in seconds.

    Raises:
        ConfigurationError: `detector` has no method ``find``, or a number is not above nought.
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
        """The kinds that the detector says it finds."""
        return known_kinds_of(self.detector)

    def find(self, text: str, /) -> tuple[Span, ...]:
        """Return what the detector finds in `text`, or found there lately. Raises whatever it raises."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=32).digest()
        with self._lock:
            until, spans = self._remembered.get(digest, (0.0, ()))
            if digest in self._remembered and self.clock() < until:
                self._remembered.move_to_end(digest)
                return spans
        # Not under the lock: others need not wait for a service to answer.
        spans = tuple(self.detector.find(text))
        with self._lock:
            self._remembered[digest] = (self.clock() + self.ttl_seconds, spans)
            self._remembered.move_to_end(digest)
            while len(self._remembered) > self.max_texts:
                self._remembered.popitem(last=False)
        return spans

    def __repr__(self) -> str:
        return f"RememberingDetector(detector={type(self.detector).__name__}, max_texts={self.max_texts})"
