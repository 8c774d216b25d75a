"""The credentials that a request is signed with, taken just before it is sent, and what it means that there are none.

botocore looks some of them up, or renews them, while it signs, and lets out whatever goes wrong with that: of a token
in a file, of a command that prints no JSON, of a service that it asks. None of that is an answer to the request.
"""

from __future__ import annotations

from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from s3memory.aws.errors import RequestError, RequestOutcome, aws_errors, error_code, outcome_without_credentials
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
        taken = credentials.get_frozen_credentials()
    except (RequestError, ConfigurationError):
        raise
    # Without a cause: botocore logs a failure with its whole chain, and STS names roles and ARNs in it.
    except aws_errors() as error:
        raise RequestError(code=error_code(error), outcome=outcome_without_credentials(error)) from None
    except RuntimeError:  # botocore takes none that have ended, or that have by the clock of this machine
        raise RequestError(code="ExpiredToken", outcome=RequestOutcome.DENIED) from None
    except Exception as error:  # noqa: BLE001 - no list of what looking them up raises is known
        raise RequestError(code=error_code(error), outcome=RequestOutcome.DENIED) from None
    if not taken.access_key or not taken.secret_key:
        raise RequestError(code="NoCredentialsError", outcome=RequestOutcome.DENIED)
    # The newline of a file or a secret: as a header no client sends it, and AWS finds the signature wrong.
    texts: tuple[object, ...] = (taken.access_key, taken.secret_key, taken.token or "")
    if not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise RequestError(code="MalformedCredentials", outcome=RequestOutcome.DENIED)
    return taken


def told_of(error: Exception) -> str:
    """Return what to tell of an error by which a session found no credentials, or no settings.

    Most that are meant to be read say it themselves; one of Python's on something else than was expected does not.
    """
    from botocore.exceptions import BotoCoreError, ProfileNotFound  # which is there: it looked for them

    if isinstance(error, JSONDecodeError):
        return "credential_process printed no JSON"
    if isinstance(error, ProfileNotFound):
        return f"{error}: see AWS_PROFILE"
    if isinstance(error, BotoCoreError | OSError | ValueError):
        return str(error)
    return f"AWS credentials or settings are malformed where botocore looks for them ({error_code(error)})"


class _Taken:
    """What was taken for one request, where botocore would take once more."""

    def __init__(self, taken: ReadOnlyCredentials) -> None:
        self._taken = taken

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        return self._taken


def look_at_credentials(*, request: Any, request_signer: Any, signature_version: Any, **_: object) -> None:
    """Let botocore send nothing for want of credentials, and say so as of a request not sent (``before-sign``)."""
    from botocore import UNSIGNED  # which is there: it signs

    signing = request.context.get("signing", {})
    credentials = request_signer._credentials  # noqa: SLF001 - what it is about to sign with
    has_others = not isinstance(signing.get("request_credentials"), _Taken | None)
    if credentials is None or has_others or signature_version is UNSIGNED:
        return
    request.context["signing"] = {**signing, "request_credentials": _Taken(taken_of(credentials))}
