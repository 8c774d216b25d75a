"""SSE-KMS with a bucket key instead of encryption by the client, and with 32 threads for directories.

S3 itself calls KMS now and then. The latencies here do not include that.
"""

from __future__ import annotations

import os
from typing import Final

from peers.objects import client
from peers.side_by_side import SideBySide
from peers.texts import PeerTool

_STORED_WITH: Final = {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": "alias/benchmark", "BucketKeyEnabled": True}


def make() -> PeerTool:
    """Return the tool."""
    return PeerTool(SideBySide(os.environ["BENCH_BUCKET"], client("s3"), stored_with=_STORED_WITH))
