"""An endpoint that redirects every request, such as a proxy that sends ``http`` to ``https``.

botocore takes a redirect for one to a bucket's region. Where the answer does not name the region, it asks with
HeadBucket, takes that one's redirect for the same, and would ask until Python's stack ends.
"""

from __future__ import annotations

from typing import Any

from s3memory.aws.fork_safety import is_of_botocore

_REGION_HEADER = "x-amz-bucket-region"


def end_at_head_bucket(client: Any) -> None:
    """Let a boto3 client ask for a bucket's region once, and take an answer without one for an error of the request.

    A client that is not botocore's is left as it is.
    """
    if is_of_botocore(client):
        client.meta.events.register_first("needs-retry.s3.HeadBucket", _check, unique_id="s3memory-region-redirects")


def _check(*, response: Any, request_dict: Any, **_: object) -> None:
    if response is not None and _REGION_HEADER not in response[1]["ResponseMetadata"].get("HTTPHeaders", {}):
        request_dict["context"].setdefault("s3_redirect", {})["redirected"] = True  # botocore leaves such a one alone
