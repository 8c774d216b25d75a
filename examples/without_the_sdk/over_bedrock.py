"""Claude on Amazon Bedrock, through boto3's InvokeModel: the Messages API's body, with the model in the URL."""

from __future__ import annotations

import functools
import json
import os
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError


def send(body: dict[str, Any]) -> dict[str, Any]:
    """Send a request for the model or inference profile ``BEDROCK_MODEL_ID``. Return the message.

    IAM action: ``bedrock:InvokeModel``.

    Raises:
        ConnectionError: there was no answer, or one that is no JSON, or Bedrock refused.
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
        # botocore quotes a header that can't be sent, such as a session token with a line end
        told = type(error).__name__ if type(error) is HTTPClientError else error
        raise ConnectionError(f"no answer from Claude on Bedrock: {told}") from error
    return message


@functools.cache
def _client() -> Any:
    # A turn of Claude's takes longer than boto3's 60 s, and asking again would be paid twice.
    config = Config(read_timeout=300, retries={"mode": "standard", "total_max_attempts": 2})
    return boto3.client("bedrock-runtime", region_name=os.environ.get("AWS_REGION"), config=config)
