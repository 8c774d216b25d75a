"""Asking before what can't be undone: for the tenant's name, or how many objects a script expects to lose."""

from __future__ import annotations

import sys
from typing import Annotated
from urllib.parse import urlsplit

from s3memory.aws import clients
from s3memory.aws.addresses import is_of_aws, without_password
from s3memory.aws.errors import aws_errors, error_code
from s3memory.cli.options import flag, optional
from s3memory.cli.output import note, printable
from s3memory.config.settings import Settings
from s3memory.errors import ConfigurationError, RefusedError
from s3memory.store.memory_store import MemoryStore

YesOption = Annotated[bool, flag("--yes", "Do not ask. Needs --expect-count.")]
ExpectCountOption = Annotated[
    int | None, optional("--expect-count", "Go on only if exactly this many are affected.", "N", min=0)
]


def tell_where(store: MemoryStore) -> None:
    """Say first which bucket a command is about to change: the environment may be set for another one."""
    endpoint_url, bucket = store.objects.identity
    prefix = store.objects.prefix or "(none)"
    endpoint = without_password(endpoint_url)
    note(printable(f"bucket {bucket}, prefix {prefix}, endpoint {endpoint}, {_account(endpoint_url)}"))


def _account(endpoint_url: str) -> str:
    owner = Settings.from_env().get("BUCKET_OWNER")
    if owner is not None:
        return f"account {owner}"  # S3 refuses every request that expects another owner
    if not is_of_aws(urlsplit(endpoint_url).hostname):
        return "account unknown (not AWS)"
    try:
        answer = clients.PROCESS.sts_client(hasty=True).get_caller_identity()
        return f"account {answer['Account']} (that of the credentials)"
    except ConfigurationError as error:
        return f"account unknown ({type(error).__name__})"
    except aws_errors() as error:
        return f"account unknown ({error_code(error)})"


def confirm(what: str, *, tenant: str, count: int, yes: bool, expect_count: int | None) -> None:
    """Go on only if a person or a script says so, or nothing can be lost.

    Args:
        what: what is about to happen, as a sentence: it is shown.
        tenant: whose memory: its name is what a person has to type.
        count: how many objects, versions or files it concerns.
        yes: the script says so.
        expect_count: how many the script expects; where it is given, a difference refuses.

    Raises:
        ConfigurationError: there is nobody to ask, or `yes` came without a count.
        RefusedError: the answer was no, there was none, or the count differs.
    """
    if expect_count is not None and expect_count != count:
        raise RefusedError(f"It would affect {count}, and --expect-count says {expect_count}. Nothing was changed.")
    if count == 0:
        return
    if yes:
        if expect_count is None:
            raise ConfigurationError(f"--yes needs --expect-count (it would be {count})")
        return
    if not sys.stdin.isatty():
        raise ConfigurationError(f"there is no terminal to ask on: pass --yes --expect-count {count}")
    if _answer_to(f"{what}\nType the tenant's name ({tenant}) to go on: ") != tenant:
        raise RefusedError("That is not the tenant's name. Nothing was changed.")


def _answer_to(question: str) -> str:
    """Ask on standard error: typer's prompt leaves some of its own on standard output, which is for data."""
    try:
        sys.stderr.write(question)
        sys.stderr.flush()
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        line = ""
    if not line:
        sys.stderr.write("\n")
        raise RefusedError("There was no answer. Nothing was changed.")
    return line.strip()
