"""`KmsKeyWrapper`: wraps data keys with AWS KMS."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Self

from s3memory._arguments import checking, client_for
from s3memory.aws.clients import ClientUser
from s3memory.aws.errors import aws_errors, error_code, is_answer, to_backend_error
from s3memory.errors import ConfigurationError, KeyRingError
from s3memory.format.envelope import DATA_KEY_BYTES

if TYPE_CHECKING:
    from mypy_boto3_kms.client import KMSClient

NO_SUCH_KEY_CODE = "NotFoundException"
"""KMS's error code for a key or an alias that does not exist."""
# The next key may open it: the key is missing, or the wrapped key was made under another key or context, or altered.
_NEXT_KEY_CODES = frozenset(
    {"InvalidCiphertextException", "IncorrectKeyException", "ValidationException", NO_SUCH_KEY_CODE}
)


class KmsKeyWrapper(ClientUser["KMSClient"]):
    """Wraps data keys with a symmetric KMS key. Every request names the key, and has the tenant in its context.

    IAM actions: ``kms:Decrypt`` to use existing key rings, and ``kms:GenerateDataKey`` too to make or rotate them.
    Policies can limit both with ``kms:EncryptionContext:s3memory:tenant``.

    Args:
        key_id: key id, key ARN, alias name (``alias/...``) or alias ARN; this key wraps.
        older_key_ids: more keys, which only unwrap what they once wrapped, while key rings are moved to another key.
        kms_client: a boto3 KMS client; the process's shared one if left out, made when it is first used. Unwrapped keys
            are cached by client, so keep the client instead of making one for each request.
        endpoint_url: a server other than AWS, for the shared client.

    Raises:
        ConfigurationError: `key_id` is empty, `kms_client` is not a client, or both a client and an endpoint are given.
    """

    name = "aws-kms"

    @checking(kms_client=client_for("KMS", "decrypt"))
    def __init__(
        self, key_id: str, *older_key_ids: str, kms_client: KMSClient | None = None, endpoint_url: str | None = None
    ) -> None:
        if not all(one and isinstance(one, str) for one in (key_id, *older_key_ids)):
            raise ConfigurationError("a KMS key id is needed")
        if kms_client is not None and endpoint_url is not None:
            raise ConfigurationError("give either kms_client or endpoint_url: a client has its endpoint already")
        super().__init__(kms_client, called="kms_client")
        self._key_id = key_id
        self._older_key_ids = older_key_ids
        self._endpoint_url = endpoint_url

    def prepare(self) -> Self:
        """Make the shared client now, so that a missing region is noticed before the first command.

        Raises:
            ConfigurationError: the client can't be made.
        """
        _ = self._kms
        return self

    def generate(self, context: dict[str, str], /) -> tuple[bytes, bytes]:
        """Return a new data key, in clear and wrapped (``kms:GenerateDataKey``)."""
        try:
            answer = self._kms.generate_data_key(
                KeyId=self._key_id, NumberOfBytes=DATA_KEY_BYTES, EncryptionContext=context
            )
            return answer["Plaintext"], answer["CiphertextBlob"]
        except aws_errors() as error:
            raise to_backend_error(error) from _without_tracebacks(error)

    def unwrap(self, wrapped: bytes, context: dict[str, str], /) -> bytes:
        """Return the data key (``kms:Decrypt``, with the configured keys only, one after the other).

        A key that does not exist is skipped, since a tenant may not have its own yet. If none of the others opens it
        either, the error says that the key is missing.

        Raises:
            KeyRingError: it was wrapped under another key or context, or altered.
        """
        refusals: list[Exception] = []
        for key_id in (self._key_id, *self._older_key_ids):
            try:
                return self._kms.decrypt(CiphertextBlob=wrapped, KeyId=key_id, EncryptionContext=context)["Plaintext"]
            except aws_errors() as error:
                _without_tracebacks(error)
                if not is_answer(error) or error_code(error) not in _NEXT_KEY_CODES:
                    raise to_backend_error(error) from error
                refusals.append(error)
        for refusal in refusals:
            if error_code(refusal) == NO_SUCH_KEY_CODE:
                raise to_backend_error(refusal) from refusal
        raise KeyRingError(
            "The tenant's key ring does not open with the configured KMS key.", configured=self.name
        ) from refusals[-1]

    def wrap(self, data_key: bytes, context: dict[str, str], /) -> bytes:
        """Return a data key wrapped under the first key (``kms:Encrypt``)."""
        try:
            answer = self._kms.encrypt(KeyId=self._key_id, Plaintext=data_key, EncryptionContext=context)
            return answer["CiphertextBlob"]
        except aws_errors() as error:
            del data_key  # this frame is in the traceback
            raise to_backend_error(error) from _without_tracebacks(error)

    def first_alone(self) -> Self:
        """Return a wrapper with only the key that wraps, without the older ones."""
        other = copy.copy(self)
        other._older_key_ids = ()  # noqa: SLF001 - of this class
        return other

    @property
    def _kms(self) -> KMSClient:
        return self._client or self._clients.kms_client(endpoint_url=self._endpoint_url)

    def _identity(self) -> tuple[object, ...]:
        return (self._key_id, self._older_key_ids, self._endpoint_url, *super()._identity())


def _without_tracebacks(error: BaseException) -> BaseException:
    """Strip the tracebacks from a botocore error and return it: their frames hold requests and responses with keys."""
    one: BaseException | None = error
    while one is not None:
        one.__traceback__ = None
        one = one.__cause__ or one.__context__
    return error
