"""The example function on the second transport: libcurl sends all its AWS requests."""

from __future__ import annotations

import sys

import pytest
from support.lambda_exercise import exercise_on_libcurl

from s3memory.testing import MotoServer

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="awslambdaric is for Linux"),
]


def test_the_function_works_on_libcurl_with_its_secret_and_its_limits_and_imports_no_botocore() -> None:
    with MotoServer() as aws:
        aws.make_bucket("agent-memory")
        aws.make_kms_key("alias/agent-memory")
        environment = {"S3MEMORY_BUCKET": "agent-memory", "S3MEMORY_KMS_KEY_ID": "alias/agent-memory"}
        assert exercise_on_libcurl(environment, aws.endpoint_url)
