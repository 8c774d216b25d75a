"""Checking what a model sent: it is one command and its parameters, or an error that names the field.

Parameters and their types are declared only here; the schemas that adapters show are made of this.

Nothing validates tool inputs before: fields can be missing, null or of another type, and commands unknown. Two common
slips of models are accepted (`_ALIASES`); everything else is refused by the name of the field.
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

_REQUIRED: dict[str, dict[str, type]] = {
    VIEW: {"path": str},
    CREATE: {"path": str, "file_text": str},
    STR_REPLACE: {"path": str, "old_str": str},
    INSERT: {"path": str, "insert_line": int, "insert_text": str},
    DELETE: {"path": str},
    RENAME: {"old_path": str, "new_path": str},
    SEARCH: {"query": str},
}
_OPTIONAL: dict[str, dict[str, type]] = {
    VIEW: {"view_range": list},
    STR_REPLACE: {"new_str": str},
    SEARCH: {"path": str},
}
_ALIASES = {INSERT: {"new_str": "insert_text"}, RENAME: {"path": "old_path"}}
_TYPE_NAMES: dict[type, str] = {str: "a string", int: "an integer", list: "a list of two integers"}
_JSON_TYPES: dict[type, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    list: {"type": "array", "items": {"type": "integer"}},
}

COMMANDS = tuple(command for command in _REQUIRED if command != SEARCH)
"""Those of the memory tool. A search is not among them: it is a tool of its own."""


class ParsedCommand(NamedTuple):
    """A command and its parameters, of the types that the command takes."""

    command: str
    parameters: dict[str, Any]


def parse_call(sent: object) -> ParsedCommand:
    """Check a tool input.

    Raises:
        InvalidInputError: it is not an object, the command is unknown, or a field is missing, unknown or of the wrong
            type. The text names the field.
    """
    if not isinstance(sent, Mapping):
        raise InvalidInputError("The input must be an object with a `command`")
    command = sent.get("command")
    if not isinstance(command, str) or command not in COMMANDS:
        known = ", ".join(COMMANDS)
        what = f" {shown(command)}" if isinstance(command, str) else ""
        raise InvalidInputError(f"Unknown command{what}. The commands are: {known}")
    return ParsedCommand(command, parse_parameters(command, sent))


def parse_parameters(command: str, sent: object) -> dict[str, Any]:
    """Check the parameters of a command that is known, or of a search.

    Raises:
        InvalidInputError: they are not an object, or one is missing, unknown or of the wrong type. The text names it.
    """
    if not isinstance(sent, Mapping):
        raise InvalidInputError(f"The input of {command} must be an object")
    fields = _named(command, sent)
    required = _REQUIRED[command]
    types = _types_of(command)
    for name in required:
        if name not in fields:
            raise InvalidInputError(f"Missing required parameter `{name}` for {command}")
    for name, value in fields.items():
        if name not in types:
            takes = ", ".join(f"`{parameter}`" for parameter in types)
            raise InvalidInputError(f"Unknown parameter `{shown(name)}` for {command}. It takes: {takes}")
        check_text(value, name)
        checked(value, name, types[name])
    return fields


def schema_of(command: str, told: Mapping[str, str | Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON schema of a command's parameters, for a framework that shows it to a model.

    What is told of each stands beside its type: a description, or all that its schema holds.
    """
    more = {name: {"description": said} if isinstance(said, str) else said for name, said in told.items()}
    properties = {name: {**_JSON_TYPES[kind], **more[name]} for name, kind in _types_of(command).items()}
    required = list(_REQUIRED[command])
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def number_of(digits: str) -> int | float:
    """Return an integer of JSON; one of more digits than Python reads as a float, so that the rest is read."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def checked(value: object, parameter: str, kind: type[T]) -> T:
    """Return a parameter's value if it is of its type. A bool is an int to Python, but not to anybody else.

    Raises:
        InvalidInputError: it is of another type.
    """
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInputError.of(parameter, f"it must be {_TYPE_NAMES[kind]}")
    return value


def checked_string(value: object, parameter: str) -> str:
    """Return a string that can be written as UTF-8.

    Raises:
        InvalidInputError: it is of another type, or holds a lone surrogate.
    """
    text = checked(value, parameter, str)
    check_text(text, parameter)
    return text


def check_text(value: object, parameter: str) -> None:
    """Refuse a string that can't be written as UTF-8, and so could not go back to the model in an error either.

    Raises:
        InvalidInputError: it holds a lone surrogate.
    """
    if isinstance(value, str) and not is_unicode_text(value):
        raise InvalidInputError.of(parameter, "it holds a lone surrogate, which is no character")


def _types_of(command: str) -> dict[str, type]:
    return _REQUIRED[command] | _OPTIONAL.get(command, {})


def _named(command: str, sent: Mapping[object, object]) -> dict[str, object]:
    """Return the fields that are there, by the names that the command knows. A null is as good as nothing."""
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
