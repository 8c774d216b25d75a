"""Keys of the clouds: AWS, Google, Azure, DigitalOcean."""

from __future__ import annotations

import re

from s3memory.redaction.rule import (
    BASE32,
    BASE64URL,
    HEX,
    Location,
    Rule,
    at_least,
    exactly,
    secret_group,
    token,
)
from s3memory.redaction.values import entropy, is_placeholder

_AWS_IDENTIFIERS = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html"
_AWS_KEYS = "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html"

# Forty characters of base64 that stand for themselves, neither inside a longer run nor padded.
_FORTY = r"(?<![A-Za-z0-9+/_-])(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=_-])"

# A path or a name of forty characters stays below, a random key above (4.3 and more).
_LEAST_ENTROPY = 4.0


def _aws_secret(match: re.Match[str]) -> Location:
    value = match["secret"]
    is_mixed = any(character.isupper() for character in value) and any(map(str.islower, value))
    if not is_mixed or is_placeholder(value) or entropy(value) < _LEAST_ENTROPY:
        return None
    return match.span("secret")


def _shared_access_signature(match: re.Match[str]) -> Location:
    # "sig" alone is a common name of a parameter; the signed expiry is in every signature's URL.
    around = match.string[max(0, match.start() - 600) : match.end() + 200]
    return match.span("secret") if "se=" in around else None


RULES = (
    # AKIA and ASIA are access keys of users and of sessions, ABIA a bearer token, ACCA a context's credential.
    token(
        "aws-access-key",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        exactly(16, BASE32),
        source=_AWS_IDENTIFIERS,
    ),
    Rule(
        kind="aws-secret-key",
        anchors=("secret",),
        fold=True,
        pattern=r"(?i:secret[ _-]?(?:access[ _-]?)?key)[^\w+/]{1,10}(?:(?:is|was|value)[^\w+/]{1,6})?" + _FORTY,
        locate=_aws_secret,
        source=_AWS_KEYS,
    ),
    # Behind the key that it belongs to, as in a table, a list or the console's CSV file.
    Rule(
        kind="aws-secret-key",
        anchors=("AKIA", "ASIA"),
        pattern=rf"(?:AKIA|ASIA)[{BASE32}]{{16}}(?![{BASE32}])[\s\S]{{1,80}}?" + _FORTY,
        locate=_aws_secret,
        source=_AWS_KEYS,
    ),
    token(
        "google-api-key",
        "AIza",
        exactly(35, BASE64URL),
        source="https://docs.cloud.google.com/docs/authentication/api-keys",
    ),
    token(
        "google-oauth-secret",
        "GOCSPX-",
        exactly(28, BASE64URL),
        source="https://developers.google.com/identity/protocols/oauth2",
    ),
    token(
        "google-oauth-token",
        ("ya29.", "ya29.c."),
        at_least(30, BASE64URL),
        source="https://developers.google.com/identity/protocols/oauth2",
    ),
    Rule(
        kind="azure-storage-key",
        anchors=("accountkey=",),
        fold=True,
        pattern=r"(?i:accountkey)=(?P<secret>[A-Za-z0-9+/]{86}==)",
        locate=secret_group,
        source="https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string",
    ),
    Rule(
        kind="azure-shared-access-key",
        anchors=("sharedaccesskey=",),
        fold=True,
        pattern=r"(?i:sharedaccesskey)=(?P<secret>[A-Za-z0-9+/]{42,43}={1,2})",
        locate=secret_group,
        source="https://learn.microsoft.com/azure/service-bus-messaging/service-bus-sas",
    ),
    Rule(
        kind="azure-shared-access-signature",
        anchors=("sig=",),
        pattern=r"sig=(?P<secret>[A-Za-z0-9%+/]{43,66}(?:%3[Dd]|=))",
        locate=_shared_access_signature,
        source="https://learn.microsoft.com/rest/api/storageservices/create-service-sas",
    ),
    token(
        "digitalocean-token",
        ("dop_v1_", "doo_v1_", "dor_v1_"),
        exactly(64, HEX),
        source="https://docs.digitalocean.com/reference/api/create-personal-access-token/",
    ),
)
