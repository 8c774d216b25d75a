"""What users import to test their own agents offline."""

from s3memory.testing.lambda_api import FunctionError
from s3memory.testing.lambda_runtime import InitError, Invocation, LambdaFunction
from s3memory.testing.messages_api import ScriptedMessagesAPI
from s3memory.testing.messages_script import Failure, RecordedRequest, ScriptError, Step, ToolCall, ToolResult, Turn
from s3memory.testing.moto_server import MotoServer, ServedRequest

__all__ = [
    "Failure",
    "FunctionError",
    "InitError",
    "Invocation",
    "LambdaFunction",
    "MotoServer",
    "RecordedRequest",
    "ScriptError",
    "ScriptedMessagesAPI",
    "ServedRequest",
    "Step",
    "ToolCall",
    "ToolResult",
    "Turn",
]
