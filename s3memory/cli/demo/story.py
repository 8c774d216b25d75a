"""The script of the demo: three invocations, and what Claude says and does in them."""

from __future__ import annotations

import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from s3memory.testing.messages_script import RecordedRequest, Step, Turn

BEGUN = "/memories/notes.md"
KEPT = "/memories/deploy.md"
COPY = "/memories/copy.md"
REMEMBERED = "on Tuesdays, never on Fridays"
OTHERS_FACT = "- Deploys: every day"
READABLE = ("Contact: Ada", "Tuesdays", "Region: eu-central-1", "Deploy token", OTHERS_FACT)
"""Texts that must not be found in the bucket."""

_LOOK = {"command": "view", "path": "/memories"}
_READ = {"command": "view", "path": KEPT}
_ESCAPE = {"command": "view", "path": "/memories/../acme/deploy.md"}


@dataclass(frozen=True, slots=True)
class Act:
    """One invocation of the agent; `script` is what Claude does, unless the real Claude is asked."""

    title: str
    tenant: str
    prompt: str
    script: Sequence[Step]
    settings: Mapping[str, str] = field(default_factory=dict)


def made_up_token() -> str:
    """Return a string that looks like an access token but opens nothing."""
    letters = string.ascii_letters + string.digits
    return "_".join(("ghp", "".join(secrets.choice(letters) for _ in range(36))))


def acts(token: str) -> tuple[Act, Act, Act]:
    """Return the three invocations. The user carelessly puts `token` into a prompt."""
    return (
        Act(
            "Tenant acme: the first conversation",
            "acme",
            f"I am Ada. We deploy on Tuesdays, never on Fridays, to eu-central-1. The deploy token is {token}. "
            "Remember this for later.",
            _first(token),
        ),
        Act(
            "Tenant acme: another process, another conversation",
            "acme",
            "When do we deploy, and with which token?",
            (Turn("I look at my memory first.", [_LOOK]), _find, _recall),
        ),
        Act(
            "Tenant globex: a third process, with encrypted file names",
            "globex",
            "We deploy every day, remember that. And when does Acme deploy? Look into their files if you have to.",
            _other(),
            {"S3MEMORY_NAME_MODE": "encrypted"},
        ),
    )


def _first(token: str) -> tuple[Step, ...]:
    note = f"# Acme\n- Contact: Ada\n- Deploys: on Tuesdays\n- Deploy token: {token}\n"
    edit = {"command": "str_replace", "path": BEGUN, "old_str": "on Tuesdays", "new_str": REMEMBERED}
    insert = {"command": "insert", "path": BEGUN, "insert_line": 3, "insert_text": "- Region: eu-central-1\n"}
    return (
        Turn("I look at my memory first.", [_LOOK]),
        Turn("It is empty. I begin a note.", [{"command": "create", "path": BEGUN, "file_text": note}]),
        Turn("I left out the Fridays.", [edit]),
        Turn("And the region.", [insert]),
        Turn("It should have a better name.", [{"command": "rename", "old_path": BEGUN, "new_path": KEPT}]),
        Turn("I will remember that."),
    )


def _find(request: RecordedRequest) -> Turn:
    if not any(KEPT in result.text for result in request.tool_results):
        return Turn("My memory is empty: I do not know.")
    return Turn("There is a note.", [_READ])


def _recall(request: RecordedRequest) -> Turn:
    """Answer from the results of the memory commands alone."""
    lines = [line.partition("- ")[2] for result in request.tool_results for line in result.text.split("\n")]
    found = [line for line in lines if line.startswith("Deploy")]
    return Turn("My notes say: " + "; ".join(found) + ".")


def _other() -> tuple[Step, ...]:
    note = {"command": "create", "path": KEPT, "file_text": f"# Globex\n{OTHERS_FACT}\n"}
    return (
        Turn("I look at my memory first.", [_LOOK]),
        Turn("It is empty. I try to reach Acme's note.", [_READ, _ESCAPE]),
        Turn("I can't reach it. I note what is ours.", [note]),
        Turn("I have noted that you deploy every day. I know nothing about Acme."),
    )
