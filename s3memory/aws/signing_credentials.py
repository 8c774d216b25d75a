"""The credentials that a request is signed with, taken just before it is sent, and what it means that there are none.

botocore looks some of them up, or renews them, while it signs, and lets out whatever goes wrong with that: of a token
in a file, of a command that prints no JSON, of a service that it asks. None of that is an answer to the request.
"""

from __future__ import annotations

from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from s3memory.aws.errors import (
    RequestError,
    RequestOutcome,
    aws_errors,
    error_code,
    outcome_without_credentials,
)
from s3memory.aws.fork_safety import is_of_botocore
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from botocore.credentials import Credentials, ReadOnlyCredentials


def taken_of(credentials: Credentials) -> ReadOnlyCredentials:
    """Return what a request is signed with. It may be asked of a service first.

    Raises:
        RequestError: there is nothing to sign with, so the request is not sent.
        ConfigurationError: the service can't be asked.
    """
    try:
        return credentials.get_frozen_credentials()
    except (RequestError, ConfigurationError):
        raise
    # Without a cause: botocore logs a failure with its whole chain, and STS names roles and ARNs in it.
    except aws_errors() as error:
        raise RequestError(code=error_code(error), outcome=outcome_without_credentials(error)) from None
    except RuntimeError:  # botocore takes none that have ended, or that have by the clock of this machine
        raise RequestError(code="ExpiredToken", outcome=RequestOutcome.DENIED) from None
    except (OSError, ValueError) as error:
        raise RequestError(code=error_code(error), outcome=RequestOutcome.DENIED) from None


def told_of(error: Exception) -> str:
    """Return what to tell of an error by which a session found no credentials: most say it themselves."""
    return "credential_process printed no JSON" if isinstance(error, JSONDecodeError) else str(error)


def look_at_credentials(client: Any) -> None:
    """Let a boto3 client send nothing for want of credentials, and say so as of a request that was not sent.

    A client that is not botocore's is left as it is.
    """
    if is_of_botocore(client):
        client.meta.events.register_first("before-sign", _look, unique_id="s3memory-credentials")


class _Taken:
    """What was taken for one request, where botocore would take once more."""

    def __init__(self, taken: ReadOnlyCredentials) -> None:
        self._taken = taken

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        return self._taken


def _look(*, request: Any, request_signer: Any, signature_version: Any, **_: object) -> None:
    from botocore import UNSIGNED  # noqa: PLC0415 - which is there: it signs

    signing = request.context.get("signing", {})
    credentials = request_signer._credentials  # noqa: SLF001 - what it is about to sign with
    has_others = not isinstance(signing.get("request_credentials"), _Taken | None)
    if credentials is None or has_others or signature_version is UNSIGNED:
        return
    taken = taken_of(credentials)
    # The newline of a file or a secret: as a header no client sends it, and AWS finds the signature wrong.
    if not all(text.isprintable() for text in taken[:3] if text):
        raise RequestError(code="MalformedCredentials", outcome=RequestOutcome.DENIED)
    request.context["signing"] = {**signing, "request_credentials": _Taken(taken)}
