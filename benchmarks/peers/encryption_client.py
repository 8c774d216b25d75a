"""Amazon's S3 Encryption Client for Python, used as in its README, in its own environment."""

from __future__ import annotations

import os

import boto3
from s3_encryption import S3EncryptionClient, S3EncryptionClientConfig
from s3_encryption.materials.kms_keyring import KmsKeyring

from peers.objects import ObjectFiles
from peers.texts import PeerTool


def make() -> PeerTool:
    """Return the tool. Texts go through the encryption client, all other requests through a plain client."""
    keyring = KmsKeyring(boto3.client("kms"), "alias/benchmark")
    encrypting = S3EncryptionClient(boto3.client("s3"), S3EncryptionClientConfig(keyring=keyring))
    return PeerTool(ObjectFiles(os.environ["BENCH_BUCKET"], boto3.client("s3"), encrypting))
