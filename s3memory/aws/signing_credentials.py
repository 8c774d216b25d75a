"""The credentials that sign a request, read just before it is sent, and what an error there means for the request.

botocore may look credentials up, or renew them, while it signs, and lets any error of that through: for a token in a
file, a command that prints no JSON, or a service that it calls. None of these is a response to the request.
"""

from __future__ import annotations

from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from s3memory.aws.errors import RequestError, RequestOutcome, aws_errors, error_code, outcome_without_credentials
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from botocore.credentials import Credentials, ReadOnlyCredentials


_OLDEST_BOTOCORE = (1, 43)  # as pyproject.toml has it


def frozen_credentials(credentials: Credentials) -> ReadOnlyCredentials:
    """Return the credentials to sign a request with. This may call a service first.

    Raises:
        RequestError: there are no usable credentials, so the request is not sent.
        ConfigurationError: the service can't be called.
    """
    try:
        taken = credentials.get_frozen_credentials()
    except (RequestError, ConfigurationError):
        raise
    # Without a cause: botocore logs a failure with its whole chain, in which STS names roles and ARNs.
    except aws_errors() as error:
        raise RequestError(code=error_code(error), outcome=outcome_without_credentials(error)) from None
    except RuntimeError:  # botocore refuses credentials that have expired by this machine's clock
        raise RequestError(code="ExpiredToken", outcome=RequestOutcome.DENIED) from None
    except Exception as error:  # noqa: BLE001 - what the search for credentials raises is not documented
        raise RequestError(code=error_code(error), outcome=RequestOutcome.DENIED) from None
    if not taken.access_key or not taken.secret_key:
        raise RequestError(code="NoCredentialsError", outcome=RequestOutcome.DENIED)
    # Such as a newline from a file or a secret: it can't be sent in a header, and makes the signature wrong.
    texts: tuple[object, ...] = (taken.access_key, taken.secret_key, taken.token or "")
    if not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise RequestError(code="MalformedCredentials", outcome=RequestOutcome.DENIED)
    return taken


def reason_of(error: Exception) -> str:
    """Return the reason to report for an error with which a session failed to find credentials or settings.

    Errors that are meant to be read explain themselves. Python's own errors about unexpected values do not.
    """
    import botocore  # it is loaded: it made the search
    from botocore.exceptions import BotoCoreError, ProfileNotFound

    if isinstance(error, JSONDecodeError):
        return "credential_process printed no JSON"
    if isinstance(error, ProfileNotFound):
        return f"{error}: see AWS_PROFILE"
    if isinstance(error, BotoCoreError | OSError | ValueError):
        return str(error)
    version = botocore.__version__
    if tuple(map(int, version.split(".")[:2])) < _OLDEST_BOTOCORE:  # such as the one in a Lambda runtime
        return f"botocore {version} is too old: install boto3>={'.'.join(map(str, _OLDEST_BOTOCORE))}"
    return f"AWS credentials or settings are malformed where botocore looks for them ({error_code(error)})"


class _Frozen:
    """The credentials of one request, already read, so that botocore does not read them a second time."""

    def __init__(self, taken: ReadOnlyCredentials) -> None:
        self._taken = taken

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        return self._taken


def check_credentials(*, request: Any, request_signer: Any, signature_version: Any, **_: object) -> None:
    """Have botocore send no request without usable credentials, and report it as not sent (``before-sign``)."""
    from botocore import UNSIGNED  # botocore is loaded: it is signing

    signing = request.context.get("signing", {})
    credentials = request_signer._credentials  # noqa: SLF001 - it is about to sign with these
    has_others = not isinstance(signing.get("request_credentials"), _Frozen | None)
    if credentials is None or has_others or signature_version is UNSIGNED:
        return
    request.context["signing"] = {**signing, "request_credentials": _Frozen(frozen_credentials(credentials))}
