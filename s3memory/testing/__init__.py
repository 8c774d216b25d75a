"""What users import to test their own agents offline."""

from s3memory.testing.messages_api import ScriptedMessagesAPI
from s3memory.testing.messages_script import Failure, RecordedRequest, ScriptError, Step, ToolCall, ToolResult, Turn
from s3memory.testing.moto_server import MotoServer, ServedRequest

__all__ = [
    "Failure",
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
