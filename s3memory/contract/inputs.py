"""Validates what a model sent: the result is one command with its parameters, or an error that names the field.

Only this module declares parameters, their types and their descriptions for models; adapters build schemas from it.

Tool inputs arrive unvalidated: fields may be missing, null or of the wrong type, and commands unknown. Two common
mistakes of models are accepted (`_ALIASES`); everything else is refused with an error that names the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from s3memory.errors import InvalidInputError
from s3memory.paths import is_unicode_text, shown

T = TypeVar("T")

VIEW = "view"
CREATE = "create"
STR_REPLACE = "str_replace"
INSERT = "insert"
DELETE = "delete"
RENAME = "rename"
SEARCH = "search"


class Parameter(NamedTuple):
    """A parameter of a command: its type, and its description for models."""

    kind: type
    description: str
    is_required: bool = True


_PATH = Parameter(str, "A path that begins with /memories, such as /memories/notes.md")

PARAMETERS: Mapping[str, Mapping[str, Parameter]] = {
    VIEW: {
        "path": _PATH,
        "view_range": Parameter(
            list,
            "Of a file, the first and the last line to show, from 1; -1 as the last means the end",
            is_required=False,
        ),
    },
    CREATE: {"path": _PATH, "file_text": Parameter(str, "The whole text of the file")},
    STR_REPLACE: {
        "path": _PATH,
        "old_str": Parameter(str, "The text to replace, exactly as it stands in the file; it must be there once"),
        "new_str": Parameter(str, "What to put in its place; left out, the text is removed", is_required=False),
    },
    INSERT: {
        "path": _PATH,
        "insert_line": Parameter(int, "The line to insert after; 0 is the top"),
        "insert_text": Parameter(str, "The text to insert"),
    },
    DELETE: {"path": _PATH},
    RENAME: {
        "old_path": Parameter(str, "The path to rename, which begins with /memories"),
        "new_path": Parameter(str, "The new path, which begins with /memories as well"),
    },
    SEARCH: {
        "query": Parameter(str, "The text to look for, taken as it is: a word or part of one line"),
        "path": Parameter(str, "The file or directory to search; /memories if left out", is_required=False),
    },
}
"""The parameters of each command, required ones first."""

_ALIASES = {INSERT: {"new_str": "insert_text"}, RENAME: {"path": "old_path"}}
_TYPE_NAMES: dict[type, str] = {str: "a string", int: "an integer", list: "a list of two integers"}
_JSON_TYPES: dict[type, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    list: {"type": "array", "items": {"type": "integer"}},
}

COMMANDS = tuple(command for command in PARAMETERS if command != SEARCH)
"""The memory tool's commands. Search is not one of them: it is a separate tool."""


class ParsedCommand(NamedTuple):
    """A command and its parameters, which have the right types."""

    command: str
    parameters: dict[str, Any]


def parse_call(sent: object) -> ParsedCommand:
    """Validate and parse a tool input.

    Raises:
        InvalidInputError: it is not an object, the command is unknown, or a field is missing, unknown or of the wrong
            type. The text names the field.
    """
    if not isinstance(sent, Mapping):
        hint = ", not text: parse the JSON first" if isinstance(sent, str) and sent.lstrip().startswith("{") else ""
        raise InvalidInputError(f"The input must be an object with a `command`{hint}")
    command = sent.get("command")
    if not isinstance(command, str) or command not in COMMANDS:
        known = ", ".join(COMMANDS)
        what = f" {shown(command)}" if isinstance(command, str) else ""
        raise InvalidInputError(f"Unknown command{what}. The commands are: {known}")
    return ParsedCommand(command, parse_parameters(command, sent))


def parse_parameters(command: str, sent: object) -> dict[str, Any]:
    """Validate the parameters of a known command, or of a search.

    Raises:
        InvalidInputError: they are not an object, or one is missing, unknown or of the wrong type. The text names it.
    """
    if not isinstance(sent, Mapping):
        raise InvalidInputError(f"The input of {command} must be an object")
    fields = _by_parameter_name(command, sent)
    taken = PARAMETERS[command]
    for name, parameter in taken.items():
        if parameter.is_required and name not in fields:
            raise InvalidInputError(f"Missing required parameter `{name}` for {command}")
    for name, value in fields.items():
        if name not in taken:
            takes = ", ".join(f"`{one}`" for one in taken)
            raise InvalidInputError(f"Unknown parameter `{shown(name)}` for {command}. It takes: {takes}")
        check_text(value, name)
        fields[name] = checked(_with_integers(value), name, taken[name].kind)
    return fields


def schema_of(command: str, bounds: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """Return the JSON schema of a command's parameters, for a framework that shows it to a model.

    Args:
        command: the command, or a search.
        bounds: further schema keywords by parameter name, such as ``{"insert_line": {"minimum": 0}}``.
    """
    bounds, taken = bounds or {}, PARAMETERS[command]
    properties = {
        name: property_schema(parameter, is_required=parameter.is_required, **bounds.get(name, {}))
        for name, parameter in taken.items()
    }
    required = [name for name, parameter in taken.items() if parameter.is_required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def property_schema(parameter: Parameter, *, is_required: bool, **bounds: Any) -> dict[str, Any]:
    """Return the JSON schema of a parameter. One that may be left out may be null.

    Strict tools, such as OpenAI's, declare every parameter as required, and models then send a null for none.
    """
    schema = {**_JSON_TYPES[parameter.kind], **bounds, "description": parameter.description}
    return schema if is_required else {**schema, "type": [schema["type"], "null"]}


def number_of(digits: str) -> int | float:
    """Parse a JSON integer. One with too many digits for Python becomes a float, so that the rest can be parsed."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def _with_integers(value: object) -> object:
    """Return a value, or a list, with 1.0 as 1: JSON does not tell them apart, and protobuf's structs send floats."""
    if isinstance(value, list):
        return [_with_integers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def checked(value: object, parameter: str, kind: type[T]) -> T:
    """Return a parameter's value if it has the right type. A bool does not count as an int, although it is in Python.

    Raises:
        InvalidInputError: it has another type.
    """
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInputError.of(parameter, f"it must be {_TYPE_NAMES[kind]}")
    return value


def checked_string(value: object, parameter: str) -> str:
    """Return a parameter's value if it is a string that can be encoded as UTF-8.

    Raises:
        InvalidInputError: it has another type, or contains a lone surrogate.
    """
    text = checked(value, parameter, str)
    check_text(text, parameter)
    return text


def check_text(value: object, parameter: str) -> None:
    """Refuse a string that can't be encoded as UTF-8, and so could not be returned to the model in an error either.

    Raises:
        InvalidInputError: it contains a lone surrogate.
    """
    if isinstance(value, str) and not is_unicode_text(value):
        raise InvalidInputError.of(parameter, "it holds a lone surrogate, which is not a character")


def _by_parameter_name(command: str, sent: Mapping[object, object]) -> dict[str, object]:
    """Return the fields of an input by the command's parameter names. Aliases are resolved, and nulls left out."""
    fields = {}
    for name, value in sent.items():
        if not isinstance(name, str):
            raise InvalidInputError("The names of parameters must be strings")
        if value is not None and name != "command":
            fields[name] = value
    for alias, name in _ALIASES.get(command, {}).items():
        if alias in fields and name not in fields:
            fields[name] = fields.pop(alias)
    return fields
