"""`memory_tool`: the memory tool for agents of pydantic-ai. It needs the extra ``pydantic-ai``."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any, Final, cast

from s3memory._extras import extra
from s3memory.audit.recording import as_one_event
from s3memory.commands import MemoryCommands, check_commands
from s3memory.contract.error_boundary import guarded
from s3memory.contract.inputs import COMMANDS, PARAMETERS, number_of, property_schema
from s3memory.errors import InvalidInputError

with extra("pydantic-ai", __name__):
    from pydantic_ai import Tool, ToolFailed

__all__ = ["memory_tool"]

NAME: Final = "memory"
DESCRIPTION: Final = (
    "Keep notes in files under /memories, which outlive this conversation. View /memories before you begin, "
    "and note what you will need later."
)


def _properties() -> dict[str, Any]:
    """Return the schemas of all parameters. Each description names the commands that take it."""
    properties: dict[str, Any] = {}
    for name in dict.fromkeys(chain.from_iterable(PARAMETERS[command] for command in COMMANDS)):
        taking = [command for command in COMMANDS if name in PARAMETERS[command]]
        schema = property_schema(PARAMETERS[taking[0]][name], is_required=False)
        description = schema["description"]
        properties[name] = {
            **schema,
            "description": f"For {', '.join(taking)}: {description[0].lower()}{description[1:]}",
        }
    return properties


INPUT_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"command": {"type": "string", "enum": list(COMMANDS)}, **_properties()},
    "required": ["command"],
}


# The name of the only argument of a call whose arguments are not a JSON object.
_NO_OBJECT: Final = "not a JSON object"


class _Objects:
    """Accepts arguments as a model sent them. If they are not a JSON object, the tool itself reports that to the model.

    pydantic's own parser refuses lone surrogates; the commands explain to the model what is wrong with them.
    """

    def validate_json(self, sent: str | bytes, **_: Any) -> dict[str, Any]:
        try:
            return self.validate_python(json.loads(sent, parse_int=number_of))
        except (ValueError, RecursionError):
            return {_NO_OBJECT: sent}

    def validate_python(self, sent: Any, **_: Any) -> dict[str, Any]:
        return sent if isinstance(sent, dict) else {_NO_OBJECT: sent}


def memory_tool(commands: MemoryCommands) -> Tool[Any]:
    """Return a tool for `pydantic_ai.Agent` that any model can call.

    For Claude, add the capability ``NativeTool(MemoryTool())``: the model then gets its native memory tool, and this
    tool handles its calls. Calls run one after another. An error reaches the model as a failed result, and uses up no
    retry.

    Args:
        commands: the memory.

    Raises:
        ConfigurationError: `commands` are not commands.
    """
    check_commands(commands, taken_by="memory_tool")

    def call(tool_input: dict[str, Any]) -> str:
        if _NO_OBJECT not in tool_input:
            return commands.call(tool_input)
        with as_one_event(commands.store, "call", is_named=False):
            raise InvalidInputError(
                "The arguments are not a complete JSON object. If they were cut off, write less at once. "
                "Nothing was changed."
            )

    def memory(**tool_input: Any) -> str:
        return guarded(call, tool_input, error=ToolFailed)

    tool = Tool.from_schema(memory, NAME, DESCRIPTION, INPUT_SCHEMA, sequential=True)
    # By itself, pydantic-ai ends the run with a TypeError if the arguments are JSON but not an object. If they are not
    # JSON, it asks the model to retry, and a second failure ends the run.
    tool.function_schema.validator = cast("Any", _Objects())
    return tool
