"""What users import to test their own agents offline."""

from s3memory.testing.messages_api import ScriptedMessagesAPI
from s3memory.testing.messages_script import Failure, RecordedRequest, ScriptError, Step, ToolCall, ToolResult, Turn

__all__ = [
    "Failure",
    "RecordedRequest",
    "ScriptError",
    "ScriptedMessagesAPI",
    "Step",
    "ToolCall",
    "ToolResult",
    "Turn",
]
