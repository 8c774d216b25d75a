"""Everything that is hung on a boto3 client before this package uses it, whoever made the client."""

from __future__ import annotations

from typing import Any

from s3memory.aws.answer_parsers import sort_unreadable_answers
from s3memory.aws.answer_shapes import refuse_other_shapes
from s3memory.aws.fork_safety import connect_anew_in_child
from s3memory.aws.region_redirects import end_at_head_bucket
from s3memory.aws.request_counts import count_requests
from s3memory.aws.request_logging import keep_out_of_logs
from s3memory.aws.signing_credentials import look_at_credentials


def adopt(client: Any, *, is_counted: bool = True) -> None:
    """Make a client safe to use across forks, keep its requests out of debug logs, and count them.

    It also refuses what is not an answer of its service or can't be read, ends a circle of redirects, and tells of
    credentials that are of no use.

    It can be done again. A client that is not botocore's is left as it is.

    Args:
        client: the client.
        is_counted: whether its requests are those of commands. AssumeRole's are the process's own.
    """
    connect_anew_in_child(client)
    keep_out_of_logs(client)
    refuse_other_shapes(client)
    sort_unreadable_answers(client)
    end_at_head_bucket(client)
    look_at_credentials(client)
    if is_counted:
        count_requests(client)
