"""Everything that is hung on a boto3 client before this package uses it, whoever made the client."""

from __future__ import annotations

from typing import Any

from s3memory.aws import answer_shapes
from s3memory.aws.fork_safety import connect_anew_in_child
from s3memory.aws.request_counts import watch
from s3memory.aws.request_logging import keep_out_of_logs


def adopt(client: Any, *, is_counted: bool = True) -> None:
    """Make a client safe to use across forks, keep its requests out of debug logs, and count them.

    It also refuses what is no answer of its service's.

    It can be done again. A client that is no botocore client is left as it is.

    Args:
        client: the client.
        is_counted: whether its requests are those of commands. AssumeRole's are the process's own.
    """
    connect_anew_in_child(client)
    keep_out_of_logs(client)
    answer_shapes.watch(client)
    if is_counted:
        watch(client)
