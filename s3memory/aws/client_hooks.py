"""All hooks that a boto3 client gets before this package uses it, whoever made the client."""

from __future__ import annotations

from typing import Any

from s3memory.aws.fork_safety import connect_anew_in_child, is_of_botocore
from s3memory.aws.request_counts import count_answered, count_created
from s3memory.aws.request_deadlines import end_in_time
from s3memory.aws.request_logging import keep_out_of_logs
from s3memory.aws.signing_credentials import look_at_credentials


def adopt(client: Any, *, is_counted: bool = True) -> None:
    """Make a client safe to use across forks, keep its requests out of debug logs, and count them.

    The client also refuses answers that are not its service's or can't be read, ends a circle of redirects, reports
    useless credentials, and keeps to the time that a caller has left. AssumeRole is not counted: the process sends it,
    and no command.

    This can be done again. A client without botocore's events is left as it is.
    """
    events = getattr(getattr(client, "meta", None), "events", None)
    if events is None:
        return
    # Not at the top: they load http.client and an XML parser, 13 ms that the transport on libcurl does without.
    from s3memory.aws import botocore_answers as answers
    from s3memory.aws.botocore_connections import read_heads_whole_and_in_time

    # After botocore's own look for an error inside a success, which it tries again.
    events.register_last("before-parse", answers.refuse_other_shapes, unique_id="s3memory-answer-shapes")
    events.register_last("before-parse", answers.tell_kinds, unique_id="s3memory-order-of-versions")
    events.register_last("before-parse", answers.write_as_s3_does, unique_id="s3memory-words-of-listings")
    if is_counted:
        events.register("request-created", count_created, unique_id="s3memory-requests-sent")
        events.register("after-call.s3", count_answered, unique_id="s3memory-requests-answered")
    if is_of_botocore(client):
        connect_anew_in_child(client)
        keep_out_of_logs(client)
        answers.sort_unreadable_answers(client)
        read_heads_whole_and_in_time(client)
        events.register_first(
            "needs-retry.s3.HeadBucket", answers.end_at_head_bucket, unique_id="s3memory-region-redirects"
        )
        # Before botocore's own handler, whose answer would count: the first one does.
        service = client.meta.service_model.service_id.hyphenize()
        events.register_first(f"needs-retry.{service}", end_in_time, unique_id="s3memory-no-time-for-a-repeat")
        events.register_first("before-sign", look_at_credentials, unique_id="s3memory-credentials")
