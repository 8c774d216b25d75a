"""Calls Claude on Amazon Bedrock through boto3: InvokeModel takes the Messages API's body, and the model separately."""

from __future__ import annotations

import functools
import json
import os
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError


def send(body: dict[str, Any]) -> dict[str, Any]:
    """Send a request to the model or inference profile ``BEDROCK_MODEL_ID``, and return Claude's message.

    IAM action: ``bedrock:InvokeModel``.

    Raises:
        ConnectionError: Bedrock did not answer, refused the request, or answered something other than JSON.
    """
    sent = {
        "anthropic_version": "bedrock-2023-05-31",
        "anthropic_beta": ["context-management-2025-06-27"],
        **body,
    }
    try:
        answer = _client().invoke_model(
            modelId=os.environ["BEDROCK_MODEL_ID"],
            contentType="application/json",
            accept="application/json",
            body=json.dumps(sent),
        )
        message: dict[str, Any] = json.loads(answer["body"].read())
    except (BotoCoreError, ClientError, ValueError) as error:
        # botocore's text may quote a header that can't be sent, such as a session token with a newline in it.
        reason = type(error).__name__ if type(error) is HTTPClientError else error
        raise ConnectionError(f"no answer from Claude on Bedrock: {reason}") from error
    return message


@functools.cache
def _client() -> Any:
    # Claude's reply can take longer than boto3's default timeout of 60 s, and a retry would be paid for twice.
    config = Config(read_timeout=300, retries={"mode": "standard", "total_max_attempts": 2})
    return boto3.client("bedrock-runtime", region_name=os.environ.get("AWS_REGION"), config=config)
