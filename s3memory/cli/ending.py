"""How a command ends: its exit code, and what it says about an error.

An error's own text names no resource, since models read it. People who type commands know the settings, so the command
line adds which one to check.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from urllib.parse import urlsplit

import typer

from s3memory.cli.output import UNWRITTEN, discard, output_error_text, warn
from s3memory.errors import (
    AccessDeniedError,
    BackendError,
    ConfigurationError,
    IntegrityError,
    KeyRingError,
    MissingKeyRingError,
    OlderKeyRingError,
    OutcomeUnknownError,
    ReadOnlyError,
    S3MemoryError,
    UnavailableError,
    UnfinishedError,
)

OK = 0
FAILED = 1
USAGE = 2
STORE = 3
KILLED = 128
"""A process that a signal ended has this exit code plus the signal's number, as in shells."""
ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that Ctrl-C, a supervisor and a closing terminal send."""

NOTHING_CHANGED = "Nothing was changed."

HELP = """
Exit codes:
  0  success
  1  a command was refused, a check failed, or the output can't be written
  2  wrong usage, a wrong or missing setting, or a missing extra
  3  the store can't be reached, refuses access, or holds something that
     does not open, or that is not a memory file (call reports these as
     results, and exits with 1)
  130  interrupted (129 by SIGHUP, 143 by SIGTERM): the last line says how
     far the command got
"""

SHARED_CODES = """
  2  a setting or an option is wrong
  3  the store can't be reached, refuses access, or holds something that
     does not open, or that is not a memory file
""".strip("\n")

_EXPIRED = (
    "The AWS credentials have expired, or this machine's clock is off: sign in again (aws sso login), or renew them."
)
_SIGNATURE = "AWS_SECRET_ACCESS_KEY does not belong to AWS_ACCESS_KEY_ID, or this machine's clock is off."
_UNKNOWN_KEY = (
    "AWS does not know this access key, or not in this region: see AWS_ACCESS_KEY_ID or AWS_PROFILE, and AWS_REGION."
)
_REGION = "The bucket is in another region: see AWS_REGION."
_KEY_STATE = "The KMS key is disabled, or scheduled for deletion: see S3MEMORY_KMS_KEY_ID."
_NO_STS = "STS did not answer: see AWS_REGION, and your network. A VPC without internet access needs an STS endpoint."
# By AWS's error code. If STS refused a tenant's session, the code begins with `AssumeRole: `.
_HINTS = {
    "NoSuchBucket": "There is no such bucket: see S3MEMORY_BUCKET, and S3MEMORY_ENDPOINT_URL if it is set.",
    "NoSuchAccessPoint": "There is no such access point: see S3MEMORY_BUCKET.",
    "NotFoundException": "KMS has no such key in this account and region: see S3MEMORY_KMS_KEY_ID or --kms-key.",
    "ResourceNotFoundException": "DynamoDB has no such table in this account and region: see S3MEMORY_KEY_RING_TABLE.",
    "DisabledException": _KEY_STATE,
    "KMSInvalidStateException": _KEY_STATE,
    "MalformedCredentials": "The AWS credentials contain an invalid character: see AWS_ACCESS_KEY_ID and the like.",
    "NoCredentialsError": "No AWS credentials were found: see AWS_PROFILE, or AWS_ACCESS_KEY_ID.",
    "FileNotFoundError": "The token file does not exist: see AWS_WEB_IDENTITY_TOKEN_FILE.",
    "IsADirectoryError": "The token file is a directory: see AWS_WEB_IDENTITY_TOKEN_FILE.",
    "PermissionError": "The token file may not be read: see AWS_WEB_IDENTITY_TOKEN_FILE.",
    "ExpiredToken": _EXPIRED,
    "ExpiredTokenException": _EXPIRED,
    "SSOTokenLoadError": _EXPIRED,
    "TokenRetrievalError": _EXPIRED,
    "UnauthorizedSSOTokenError": _EXPIRED,
    "RequestTimeTooSkewed": "This machine's clock is off.",
    "SignatureDoesNotMatch": _SIGNATURE,
    "InvalidSignatureException": _SIGNATURE,
    "InvalidAccessKeyId": _UNKNOWN_KEY,
    "InvalidClientTokenId": _UNKNOWN_KEY,
    "UnrecognizedClientException": _UNKNOWN_KEY,
    "AuthorizationHeaderMalformed": _REGION,
    "PermanentRedirect": _REGION,
    "EMFILE": "This process has too many files and connections open: raise its limit (ulimit -n).",
    "ENFILE": "All processes of this machine together have too many files and connections open.",
    "EndpointResolutionError": "A server's address must be like https://host:port: see AWS_ENDPOINT_URL and the like.",
    "AssumeRole: AccessDenied": "These credentials may not become the tenant: see S3MEMORY_TENANT_ROLE_ARN, which "
    "operators leave unset.",
    "AssumeRole: ConnectTimeoutError": _NO_STS,
    "AssumeRole: EndpointConnectionError": _NO_STS,
    "SSLError": "TLS failed: see AWS_CA_BUNDLE, and any proxy in between.",
    # Anything that keeps urllib3 from sending a request, such as a malformed address of a proxy.
    "HTTPClientError": "The request could not be sent: see HTTP_PROXY, HTTPS_PROXY, and any other proxy setting.",
    "ProxyConnectionError": "The proxy did not answer, or refused: see HTTPS_PROXY, or HTTP_PROXY for a server without "
    "TLS, and NO_PROXY.",
}
_ADDRESSES = (
    "S3MEMORY_ENDPOINT_URL",
    "S3MEMORY_KMS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL_KMS",
    "AWS_ENDPOINT_URL_STS",
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_ENDPOINT_URL",
)
# The error does not say whether S3 or KMS was asked, so these name both.
_NOT_AWS = (
    " The response does not come from AWS: see S3MEMORY_ENDPOINT_URL and S3MEMORY_KMS_ENDPOINT_URL if they are set, "
    "and any proxy in between."
)
_NO_ANSWER = (
    " No answer: see S3MEMORY_ENDPOINT_URL and S3MEMORY_KMS_ENDPOINT_URL if they are set, AWS_REGION, and your network."
)
_UNREACHED_CODES = frozenset({"ConnectTimeoutError", "EndpointConnectionError"})
_KEY_SETTINGS = {"local": "S3MEMORY_LOCAL_KEY or S3MEMORY_LOCAL_KEY_FILE", "aws-kms": "S3MEMORY_KMS_KEY_ID"}


def exit_code_of(error: S3MemoryError) -> int:
    """Return the exit code for an error. Codes differ where a caller would react differently."""
    if isinstance(error, ConfigurationError):
        return USAGE
    return STORE if isinstance(error, BackendError | IntegrityError) else FAILED


class SignalledError(KeyboardInterrupt):
    """A signal that ends a command as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Turn signals that would end the process at once into an interrupt, as Ctrl-C is one.

    A signal that the caller handles, or ignores as `nohup` does, is left alone. Only the main thread can do this.
    """
    is_main = threading.current_thread() is threading.main_thread()
    caught = [number for number in ENDING_SIGNALS if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise SignalledError(number)


@contextmanager
def report_and_exit() -> Iterator[None]:
    """End a command: report what went wrong, or that it was interrupted, and exit with the code for it.

    If the reader of the output closes the pipe before the work is done, that is a failure, except within
    `success_if_unread`.
    """
    exit_code = OK
    try:
        yield
    except typer.Exit as ended:
        exit_code = ended.exit_code
    except BrokenPipeError as unread:
        warn(_with_notes("The output was closed before the command was done.", unread))
        exit_code = FAILED
    except KeyboardInterrupt as interrupt:
        warn(_with_notes("Interrupted.", interrupt))
        exit_code = KILLED + (interrupt.number if isinstance(interrupt, SignalledError) else signal.SIGINT)
    except S3MemoryError as error:
        warn(f"{error}{hint_for(error)}")
        exit_code = exit_code_of(error)
    except OSError as error:  # an error without a file name is about the output, as when a disk is full
        warn(_with_notes(output_error_text(error) if error.filename is None else str(error), error))
        exit_code = FAILED
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError) and exit_code == OK:
            warn(output_error_text(error))
            exit_code = UNWRITTEN
        discard(sys.stdout)
    try:
        sys.stderr.flush()
    except OSError:  # such as for lines of the audit log
        discard(sys.stderr)
    raise typer.Exit(exit_code)


@contextmanager
def note_if_interrupted(note: str) -> Iterator[None]:
    """Have `report_and_exit` add a note on what is left behind if Ctrl-C, a closed pipe or a full disk ends this."""
    try:
        yield
    except (KeyboardInterrupt, OSError) as interrupt:
        interrupt.add_note(note)
        raise


@contextmanager
def success_if_unread(event: AbstractContextManager[object]) -> Iterator[None]:
    """Enter the audit event of a command that only reads. A reader that closes the pipe early makes it a success."""
    is_unread = False
    with event:
        try:
            yield
        except BrokenPipeError:
            is_unread = True
    if is_unread:
        raise typer.Exit(OK)


def _with_notes(text: str, error: BaseException) -> str:
    return " ".join([text, *getattr(error, "__notes__", ())])


def hint_for(error: S3MemoryError) -> str:
    """Return what to add to an error's text: how a write of unknown outcome ended, and which setting to check."""
    if isinstance(error, OutcomeUnknownError) and error.code is not None:
        return f" The last attempt ended with {error.code}.{_setting_for(error)}"
    return _setting_for(error)


def hint_for_code(code: str | None) -> str:
    """Return which setting to check if nothing but an error's code is known, or an empty text."""
    return "" if code is None else _hint(code) or (_NO_ANSWER.strip() if code in _UNREACHED_CODES else "")


def _hint(code: str) -> str:
    return _HINTS.get(code) or _HINTS.get(code.removeprefix("AssumeRole: "), "")


def _setting_for(error: S3MemoryError) -> str:
    if isinstance(error, UnfinishedError) and isinstance(error.__cause__, S3MemoryError):
        error = error.__cause__
    if isinstance(error, ReadOnlyError):
        from s3memory.config.settings import Settings

        return " S3MEMORY_READ_ONLY is set." if Settings.from_env().get("READ_ONLY") else ""
    if isinstance(error, KeyRingError):
        return _key_for(error)
    cause = error.__cause__
    if isinstance(error, BackendError) and isinstance(cause, Exception):
        from s3memory.aws.errors import error_code, has_code

        code = error_code(cause)
        hint = f" {_hint(code)}".rstrip()
        if isinstance(error, UnavailableError) and code not in {"EMFILE", "ENFILE"}:
            return f"{_unreachable(cause, code)}{hint}" or (_NOT_AWS if code == "ResponseParserError" else "")
        if isinstance(error, AccessDeniedError) or hint:
            return hint
        # No code, only a status: the response had no error document of S3. Responses to HEAD never have one.
        if not has_code(cause) and not getattr(cause, "operation_name", "").startswith("Head"):
            return _NOT_AWS
    return ""


def _key_for(error: KeyRingError) -> str:
    """Return what to do about a key ring that can't be used."""
    if isinstance(error, MissingKeyRingError | OlderKeyRingError):
        return ' Put its newest version back: see "Restoring" in docs/recover.md.'
    if error.made_with is not None and error.configured is not None:
        return f" It needs {_kind(error.made_with)}, but {_kind(error.configured)} is configured."
    setting = _KEY_SETTINGS.get(error.configured or "")
    return f" Set {setting} to the key that it was created with." if setting else ""


def _kind(wrapper: str) -> str:
    return f'a key of kind "{wrapper}" ({_KEY_SETTINGS.get(wrapper, "your own wrapper")})'


def _unreachable(cause: BaseException, code: str) -> str:
    """Return which address did not answer, if the error says so, and which setting it comes from."""
    url = getattr(cause, "endpoint_url", None) or getattr(cause, "kwargs", {}).get("endpoint_url")
    if not isinstance(url, str):
        return _NO_ANSWER if code in _UNREACHED_CODES else ""
    parts = urlsplit(url)
    address = f"{parts.scheme}://{parts.netloc}"
    setting = next((name for name in _ADDRESSES if os.environ.get(name, "").rstrip("/") == address), None)
    return f" No answer from {shown_address(url)}: see {setting or 'AWS_REGION, and your network'}."


def shown_address(url: str) -> str:
    """Return the scheme and host of a URL, without path and password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
