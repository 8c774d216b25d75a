"""What this package asks of S3 is a list of requests: no other is made, and both transports have them all."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

from support.repository import REPOSITORY

from s3memory.s3.transport import Transport

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

REQUESTS = {name for name, member in vars(Transport).items() if inspect.isfunction(member) and not name.startswith("_")}
NO_REQUESTS = {"meta"}


def test_the_requests_of_the_package_are_those_of_the_protocol() -> None:
    made: set[str] = set()
    for module in (REPOSITORY / "s3memory" / "s3").glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                if owner in {"client", "_client"} and not node.attr.startswith("_"):
                    made.add(node.attr)
    assert made - NO_REQUESTS == REQUESTS


def test_a_client_of_boto3_is_a_transport(s3: S3Client) -> None:
    transport: Transport = s3
    assert {name for name in REQUESTS if not callable(getattr(transport, name, None))} == set()
    assert transport.meta.endpoint_url
