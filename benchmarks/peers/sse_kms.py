"""Nothing is encrypted by the client: SSE-KMS with a bucket key, and directories by 32 threads.

S3 asks KMS itself, now and then. What that takes is not in any latency here.
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
