"""The afternoon version with its data keys cached, and directories by 32 threads."""

from __future__ import annotations

import os

from peers.cached_key import CachedKeyFiles
from peers.objects import client
from peers.side_by_side import SideBySide
from peers.texts import PeerTool


class CachedKeySideBySide(CachedKeyFiles, SideBySide):
    """Both."""


def make() -> PeerTool:
    """Return the tool."""
    return PeerTool(CachedKeySideBySide(os.environ["BENCH_BUCKET"], client("s3"), client("kms")))
