"""The afternoon version with cached data keys, and with 32 threads for directories."""

from __future__ import annotations

import os

from peers.cached_key import CachedKeyFiles
from peers.objects import client
from peers.side_by_side import SideBySide
from peers.texts import PeerTool


class CachedKeySideBySide(CachedKeyFiles, SideBySide):
    """Encrypted files with cached data keys and parallel work on directories."""


def make() -> PeerTool:
    """Return the tool."""
    return PeerTool(CachedKeySideBySide(os.environ["BENCH_BUCKET"], client("s3"), client("kms")))
