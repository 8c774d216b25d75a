"""Confirmation before irreversible work: a person types the tenant's name, a script passes the expected count."""

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


def show_bucket(store: MemoryStore) -> None:
    """Say which bucket a command is about to change: the environment may be set up for another one."""
    endpoint_url, bucket = store.objects.identity
    prefix = store.objects.prefix or "(none)"
    endpoint = without_password(endpoint_url)
    note(printable(f"bucket {bucket}, prefix {prefix}, endpoint {endpoint}, {_account(endpoint_url)}"))


def _account(endpoint_url: str) -> str:
    owner = Settings.from_env().get("BUCKET_OWNER")
    if owner is not None:
        return f"account {owner}"  # S3 refuses requests if the bucket belongs to another account
    if not is_of_aws(urlsplit(endpoint_url).hostname):
        return "account unknown (not AWS)"
    try:
        answer = clients.PROCESS.sts_client(hasty=True).get_caller_identity()
        return f"account {answer['Account']} (of the credentials)"
    except ConfigurationError as error:
        return f"account unknown ({type(error).__name__})"
    except aws_errors() as error:
        return f"account unknown ({error_code(error)})"


def confirm(what: str, *, tenant: str, count: int, yes: bool, expect_count: int | None) -> None:
    """Return only if a person or a script confirms, or nothing would be affected.

    Args:
        what: a sentence that says what is about to happen, for the question.
        tenant: the tenant's name, which a person has to type.
        count: how many objects, versions or files are affected.
        yes: a script confirms.
        expect_count: how many a script expects; any other count is refused.

    Raises:
        ConfigurationError: there is no terminal to ask on, or `yes` came without an expected count.
        RefusedError: the answer was no, there was none, or the count differs.
    """
    if expect_count is not None and expect_count != count:
        raise RefusedError(f"This would affect {count}, but --expect-count says {expect_count}. Nothing was changed.")
    if count == 0:
        return
    if yes:
        if expect_count is None:
            raise ConfigurationError(f"--yes needs --expect-count (it would be {count})")
        return
    if not sys.stdin.isatty():
        raise ConfigurationError(f"there is no terminal to ask on: pass --yes --expect-count {count}")
    if _answer_to(f"{what}\nType the tenant's name ({tenant}) to continue: ") != tenant:
        raise RefusedError("That is not the tenant's name. Nothing was changed.")


def _answer_to(question: str) -> str:
    """Ask on standard error: typer's prompt also writes to standard output, which is for data."""
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
