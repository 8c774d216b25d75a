"""What an operator may have set wrongly, where AWS's code alone does not say it.

Errors name no resource, since models read them. Who types a command knows the settings, and is told which to look at.
"""

from __future__ import annotations

from s3memory.errors import AccessDeniedError, S3MemoryError, UnfinishedError

_HINTS = {
    "NoSuchBucket": " There is no such bucket: see S3MEMORY_BUCKET, and S3MEMORY_ENDPOINT_URL if it is set.",
    "NotFoundException": " KMS has no such key in this account and region: see S3MEMORY_KMS_KEY_ID.",
    "NoCredentialsError": " No AWS credentials were found: see AWS_PROFILE, or AWS_ACCESS_KEY_ID.",
}


def hint_for(error: S3MemoryError) -> str:
    """Return which setting to look at, to stand behind the error's text; nothing where the error does not tell.

    Args:
        error: what ended the command.
    """
    if isinstance(error, UnfinishedError) and isinstance(error.__cause__, S3MemoryError):
        error = error.__cause__
    if not isinstance(error, AccessDeniedError) or not isinstance(error.__cause__, Exception):
        return ""
    from s3memory.aws.errors import error_code  # noqa: PLC0415 - botocore comes with it, and is loaded by now

    return _HINTS.get(error_code(error.__cause__), "")
