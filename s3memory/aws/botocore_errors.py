"""What botocore raises, sorted by what it says of the request that met it. Loaded only where botocore is in use.

`s3memory.aws.errors` asks this for what it does not know itself.
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
from urllib3.exceptions import HTTPError as TransportError

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
_NOT_SENT_ERRORS = (EndpointConnectionError, ConnectTimeoutError, ProxyConnectionError)

# The second is raised where code takes a field from a success that the service always gives, the third for a checksum
# that is none, once the body is read. (Not `ValueError`, which a `ConfigurationError` is as well.)
_UNREADABLE_ERRORS = (ResponseParserError, KeyError, binascii.Error)

ERRORS = (ClientError, BotoCoreError, TransportError, *_UNREADABLE_ERRORS)
"""What to catch around a botocore call, around taking fields of its answer, and around reading its body: of that,
botocore wraps only some errors."""


def understood(error: Exception) -> RequestError:
    """Return an error of botocore's in this package's own words: its code is the service's, or the exception's type."""
    if isinstance(error, ClientError):
        metadata = error.response.get("ResponseMetadata", {})
        return AnswerError(
            status=metadata.get("HTTPStatusCode", 0),
            code=error.response.get("Error", {}).get("Code", "unknown"),
            headers=metadata.get("HTTPHeaders", ()),
        )
    code = ResponseParserError.__name__ if isinstance(error, _UNREADABLE_ERRORS) else type(error).__name__
    if isinstance(error, EndpointConnectionError):  # it blames the server where this process can open no more sockets
        code = next(filter(None, map(code_without_files, _causes(error))), code)
    return RequestError(code=code, outcome=_outcome_of(error))


def _outcome_of(error: Exception) -> RequestOutcome:
    if isinstance(error, _CREDENTIAL_ERRORS):
        return RequestOutcome.DENIED
    if isinstance(error, _NOT_SENT_ERRORS) or (isinstance(error, SSLError) and _is_of_handshake(error)):
        return RequestOutcome.NOT_DONE
    if isinstance(error, (HTTPClientError, SSLError, IncompleteReadError, TransportError, *_UNREADABLE_ERRORS)):
        return RequestOutcome.UNKNOWN
    return RequestOutcome.FAILED


def _is_of_handshake(error: SSLError) -> bool:
    """Whether TLS failed before the request was sent. An error that does not show it may be one of its answer."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError) or _was_raised_in_handshake(cause) for cause in _causes(error)
    )


def _causes(error: BotoCoreError) -> Iterator[BaseException]:
    """Yield what botocore's error is made of: urllib3's error, and the one of ``ssl`` or ``socket`` that this wraps."""
    found: list[object] = [error.kwargs.get("error")]
    for _ in range(8):
        cause = found.pop(0) if found else None
        if not isinstance(cause, BaseException):
            continue
        yield cause
        found += [cause.__cause__, cause.__context__, *cause.args]


def _was_raised_in_handshake(error: BaseException) -> bool:
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code is ssl.SSLSocket.do_handshake.__code__:
            return True
        frame = frame.tb_next
    return False
