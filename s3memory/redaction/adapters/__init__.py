"""Detectors that call other services and engines: Amazon Comprehend, Amazon Bedrock Guardrails and Presidio.

None of them is used unless you pass it in, and the rest of the package imports none. The two for AWS need only boto3,
which is installed anyway. Presidio comes with ``s3memory[presidio]`` and is never imported here: you pass in the
engine, as you pass in the AWS clients. `RememberingDetector` caches the answers, so that no text is sent twice.

Any failure (no answer in time, an undocumented answer, a value that is not in the text) refuses the write. No part of
the text gets into an error, a log or a ``repr``.
"""

from s3memory.redaction.adapters.comprehend import ComprehendDetector
from s3memory.redaction.adapters.guardrail import BedrockGuardrailDetector
from s3memory.redaction.adapters.presidio import PresidioDetector
from s3memory.redaction.adapters.remembering import RememberingDetector

__all__ = ["BedrockGuardrailDetector", "ComprehendDetector", "PresidioDetector", "RememberingDetector"]
