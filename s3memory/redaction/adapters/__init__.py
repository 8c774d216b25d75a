"""Detectors that ask somebody else: Amazon Comprehend, Amazon Bedrock Guardrails, Presidio.

None is used unless it is named, and none is imported by the rest of the package. The two of AWS need nothing but
boto3, which is there already; Presidio comes with ``s3memory[presidio]`` and is never imported here: the engine is
passed in, and so are the clients. `RememberingDetector` spares asking about the same text again.

Whatever a detector of these can't do (no answer in time, an answer that is not as documented, a value that is not
where it is said to be) refuses the write. Nothing of the text gets into an error, a log or a ``repr``.
"""

from s3memory.redaction.adapters.comprehend import ComprehendDetector
from s3memory.redaction.adapters.guardrail import BedrockGuardrailDetector
from s3memory.redaction.adapters.presidio import PresidioDetector
from s3memory.redaction.adapters.remembering import RememberingDetector

__all__ = ["BedrockGuardrailDetector", "ComprehendDetector", "PresidioDetector", "RememberingDetector"]
