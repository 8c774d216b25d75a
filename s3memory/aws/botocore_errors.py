"""botocore's errors, classified by what they say about the request. Loaded only if botocore is in use.

`s3memory.aws.errors` calls this module for errors that are not its own.
"""

from __future__ import annotations

import binascii
import ssl
from collections.abc import Iterator

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    ProxyConnectionError,
    SSLError,
    SSOTokenLoadError,
    TokenRetrievalError,
    UnauthorizedSSOTokenError,
)
from botocore.exceptions import CredentialRetrievalError as BotoCredentialRetrievalError
from botocore.parsers import ResponseParserError
from urllib3.exceptions import ConnectTimeoutError as URLConnectTimeoutError
from urllib3.exceptions import HTTPError as TransportError
from urllib3.exceptions import NewConnectionError

from s3memory.aws.errors import AnswerError, RequestError, RequestOutcome
from s3memory.errors import code_without_files

_CREDENTIAL_ERRORS = (
    NoCredentialsError,
    PartialCredentialsError,
    BotoCredentialRetrievalError,
    TokenRetrievalError,
    NoRegionError,
    ProfileNotFound,
    SSOTokenLoadError,
    UnauthorizedSSOTokenError,
)
# The request never reached the server: no name, no route, no connection.
_NOT_SENT_ERRORS = (EndpointConnectionError, ConnectTimeoutError)
# The functions that set up TLS (ssl) and the tunnel through a proxy (urllib3). By name, so that a version of urllib3
# without the second leaves more outcomes open, and is not an error.
_BEFORE_REQUEST = frozenset({"do_handshake", "_prepare_proxy"})

# A `KeyError` comes if a successful response lacks a field that the service always sends; a `binascii.Error`, after the
# body is read, if its checksum is malformed. (Not `ValueError`, which includes `ConfigurationError`.)
_UNREADABLE_ERRORS = (ResponseParserError, KeyError, binascii.Error)

ERRORS = (ClientError, BotoCoreError, TransportError, *_UNREADABLE_ERRORS)
"""What to catch around a botocore call, around accessing fields of its response, and around reading its body, where
botocore wraps only some errors."""


def understood(error: Exception) -> RequestError:
    """Return a botocore error in this package's own terms. Its code is the service's, or the exception's type."""
    if isinstance(error, ClientError):
        metadata = error.response.get("ResponseMetadata", {})
        return AnswerError(
            status=metadata.get("HTTPStatusCode", 0),
            code=error.response.get("Error", {}).get("Code", "unknown"),
            headers=metadata.get("HTTPHeaders", ()),
        )
    code = ResponseParserError.__name__ if isinstance(error, _UNREADABLE_ERRORS) else type(error).__name__
    if isinstance(error, EndpointConnectionError):  # it blames the server even if this process has run out of sockets
        code = next(filter(None, map(code_without_files, _causes(error))), code)
    return RequestError(code=code, outcome=_outcome_of(error))


def _outcome_of(error: Exception) -> RequestOutcome:
    if isinstance(error, _CREDENTIAL_ERRORS):
        return RequestOutcome.DENIED
    if isinstance(error, _NOT_SENT_ERRORS):
        return RequestOutcome.NOT_DONE
    if isinstance(error, (SSLError, ProxyConnectionError)):
        return RequestOutcome.NOT_DONE if _is_before_request(error) else RequestOutcome.UNKNOWN
    if isinstance(error, (HTTPClientError, IncompleteReadError, TransportError, *_UNREADABLE_ERRORS)):
        return RequestOutcome.UNKNOWN
    return RequestOutcome.FAILED


def _is_before_request(error: SSLError | ProxyConnectionError) -> bool:
    """Whether TLS or the proxy failed before the request was sent.

    If that can't be seen, it may have been during the response: urllib3 blames the proxy for a lost response as well.
    """
    return any(
        isinstance(cause, (ssl.SSLCertVerificationError, NewConnectionError, URLConnectTimeoutError))
        or _was_raised_before_request(cause)
        for cause in _causes(error)
    )


def _causes(error: BotoCoreError) -> Iterator[BaseException]:
    """Yield the errors that botocore's wraps: urllib3's, and the error of ``ssl`` or ``socket`` inside that."""
    found: list[object] = [error.kwargs.get("error")]
    for _ in range(8):
        cause = found.pop(0) if found else None
        if not isinstance(cause, BaseException):
            continue
        yield cause
        found += [cause.__cause__, cause.__context__, *cause.args]


def _was_raised_before_request(error: BaseException) -> bool:
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_name in _BEFORE_REQUEST:
            return True
        frame = frame.tb_next
    return False
