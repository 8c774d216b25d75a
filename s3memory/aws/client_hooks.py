"""All hooks that this package adds to a boto3 client before using it, whoever made the client."""

from __future__ import annotations

from typing import Any

from s3memory.aws.fork_safety import connect_anew_in_child, is_of_botocore
from s3memory.aws.request_counts import count_answered, count_created
from s3memory.aws.request_deadlines import end_in_time
from s3memory.aws.request_logging import keep_out_of_logs
from s3memory.aws.signing_credentials import check_credentials


def adopt(client: Any, *, is_counted: bool = True) -> None:
    """Make a client safe to use across forks, keep its requests out of debug logs, and count them.

    The client then also refuses responses that are unreadable or not from its service, ends endless redirects, reports
    unusable credentials, and keeps to the caller's time limit. AssumeRole is not counted: it is the process's request,
    not a command's.

    Adopting a client twice is harmless. A client without botocore's events is left as it is.
    """
    events = getattr(getattr(client, "meta", None), "events", None)
    if events is None:
        return
    # Not at the top: they load http.client and an XML parser, 13 ms that the transport on libcurl does not need.
    from s3memory.aws import botocore_answers as answers
    from s3memory.aws.botocore_connections import require_complete_heads_in_time

    # After botocore's own check for an error inside a success, which it retries.
    events.register_last("before-parse", answers.refuse_other_shapes, unique_id="s3memory-answer-shapes")
    events.register_last("before-parse", answers.note_markers, unique_id="s3memory-order-of-versions")
    events.register_last("before-parse", answers.normalize_booleans, unique_id="s3memory-words-of-listings")
    if is_counted:
        events.register("request-created", count_created, unique_id="s3memory-requests-sent")
        events.register("after-call.s3", count_answered, unique_id="s3memory-requests-answered")
    if is_of_botocore(client):
        connect_anew_in_child(client)
        keep_out_of_logs(client)
        answers.classify_unreadable_answers(client)
        require_complete_heads_in_time(client)
        events.register_first(
            "needs-retry.s3.HeadBucket", answers.end_redirect_loop, unique_id="s3memory-region-redirects"
        )
        # Before botocore's own handler: the first answer counts.
        service = client.meta.service_model.service_id.hyphenize()
        events.register_first(f"needs-retry.{service}", end_in_time, unique_id="s3memory-no-time-for-a-repeat")
        events.register_first("before-sign", check_credentials, unique_id="s3memory-credentials")
