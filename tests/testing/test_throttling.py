"""A client of boto3 that is throttled by a hook, as the page on testing says, is an S3 that throttles."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from conftest import MakeCommands

from s3memory.errors import OutcomeUnknownError, UnavailableError


def slow_down(*, model: Any, **_: Any) -> None:
    answer: Any = {"Error": {"Code": "SlowDown"}, "ResponseMetadata": {"HTTPStatusCode": 503}}
    raise ClientError(answer, model.name)


def test_a_throttled_read_is_unavailable_and_what_became_of_a_throttled_write_is_not_known(
    make_commands: MakeCommands,
) -> None:
    s3 = boto3.client("s3")
    commands = make_commands(s3_client=s3)
    commands.create("/memories/a.md", "tea")
    s3.meta.events.register("before-call.s3.GetObject", slow_down)
    with pytest.raises(UnavailableError):
        commands.view("/memories/a.md")
    s3.meta.events.unregister("before-call.s3.GetObject", slow_down)
    s3.meta.events.register("before-call.s3.PutObject", slow_down)
    with pytest.raises(OutcomeUnknownError):
        commands.create("/memories/b.md", "coffee")
