"""`KmsKeyWrapper`: data keys wrapped by AWS KMS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from botocore.exceptions import ClientError

from s3memory.aws_errors import AWS_ERRORS, error_code, to_backend_error
from s3memory.clients import kms_client as shared_kms_client
from s3memory.envelope import DATA_KEY_BYTES
from s3memory.errors import ConfigurationError, KeyRingError

if TYPE_CHECKING:
    from mypy_boto3_kms.client import KMSClient

# The wrap was made under another key or context, or altered.
_DOES_NOT_UNWRAP_CODES = frozenset({"InvalidCiphertextException", "IncorrectKeyException", "ValidationException"})


class KmsKeyWrapper:
    """Wraps data keys under a symmetric KMS key, always named in the request, with the tenant in the context.

    IAM actions: ``kms:Decrypt`` to use existing key rings, ``kms:GenerateDataKey`` beside it to make or rotate them.
    Both can be limited by ``kms:EncryptionContext:s3memory:tenant``.

    Args:
        key_id: key id, key ARN, alias name (``alias/...``) or alias ARN.
        kms_client: a boto3 KMS client; the process's shared one if left out, made when it is first used.
        endpoint_url: another server than AWS for the shared client.

    Raises:
        ConfigurationError: `key_id` is empty, or both a client and an endpoint are given.
    """

    name = "aws-kms"

    def __init__(self, key_id: str, *, kms_client: KMSClient | None = None, endpoint_url: str | None = None) -> None:
        if not key_id or not isinstance(key_id, str):
            raise ConfigurationError("a KMS key id is needed")
        if kms_client is not None and endpoint_url is not None:
            raise ConfigurationError("give either kms_client or endpoint_url: a client has its endpoint already")
        self._key_id = key_id
        self._client = kms_client
        self._endpoint_url = endpoint_url

    def prepare(self) -> Self:
        """Make the shared client now, so that a missing region is found before the first command.

        Raises:
            ConfigurationError: no client can be made.
        """
        _ = self._kms
        return self

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        """Return a new data key, in clear and wrapped (``kms:GenerateDataKey``)."""
        try:
            answer = self._kms.generate_data_key(
                KeyId=self._key_id, NumberOfBytes=DATA_KEY_BYTES, EncryptionContext=context
            )
        except AWS_ERRORS as error:
            raise to_backend_error(error) from error
        return answer["Plaintext"], answer["CiphertextBlob"]

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        """Return the data key (``kms:Decrypt``, with the configured key only).

        Raises:
            KeyRingError: it was wrapped under another key or context, or altered.
        """
        try:
            answer = self._kms.decrypt(CiphertextBlob=wrapped, KeyId=self._key_id, EncryptionContext=context)
        except ClientError as error:
            if error_code(error) in _DOES_NOT_UNWRAP_CODES:
                raise KeyRingError("Error: The tenant's key ring does not open with the configured KMS key.") from error
            raise to_backend_error(error) from error
        except AWS_ERRORS as error:
            raise to_backend_error(error) from error
        return answer["Plaintext"]

    @property
    def _kms(self) -> KMSClient:
        return self._client or shared_kms_client(endpoint_url=self._endpoint_url)

    def _identity(self) -> tuple[object, ...]:
        # A client that was passed in carries credentials: what one role unwrapped is not another's to use.
        return (self._key_id, self._endpoint_url, None if self._client is None else id(self._client))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KmsKeyWrapper) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return "KmsKeyWrapper(...)"
