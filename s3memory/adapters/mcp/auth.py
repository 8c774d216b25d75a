"""`Auth`: the options for bearer tokens, from the command line or ``S3MEMORY_MCP_*`` variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self
from urllib.parse import urlsplit

from s3memory.aws.addresses import is_url
from s3memory.errors import ConfigurationError

_HERE = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Auth:
    """Which JSON Web Tokens are accepted: those that the issuer has signed for this audience.

    Attributes:
        issuer: the ``iss`` of the tokens, character for character.
        audience: the ``aud`` of the tokens, or one of several.
        jwks_url: where the issuer publishes its keys.
        tenant_claim: the claim that names the tenant.
    """

    issuer: str
    audience: str
    jwks_url: str
    tenant_claim: str

    @classmethod
    def of(cls, given: Mapping[str, str | None]) -> Self | None:
        """Make it from options by the attributes' names. Return `None` if none is given.

        Raises:
            ConfigurationError: an option is missing, a URL is malformed, or the keys would be sent unencrypted.
        """
        names = [field.name for field in fields(cls)]
        if all(given.get(name) is None for name in names):  # an empty option counts as given: its user wants tokens
            return None
        missing = [f"--{name.replace('_', '-')} (S3MEMORY_MCP_{name.upper()})" for name in names if not given.get(name)]
        if missing:
            raise ConfigurationError(f"tokens can't be verified without {' and '.join(missing)}")
        auth = cls(**{name: given[name] or "" for name in names})
        check_url(auth.issuer, "the issuer")
        check_url(auth.jwks_url, "the URL of the issuer's keys")
        # Anyone who can alter the keys on their way could sign tokens for every tenant.
        if not auth.jwks_url.startswith("https://") and urlsplit(auth.jwks_url).hostname not in _HERE:
            raise ConfigurationError("the URL of the issuer's keys must begin with https://")
        return auth


def check_url(url: str, what: str) -> str:
    """Return a URL, or raise `ConfigurationError` if it is not one that is safe both in a header and in JSON."""
    if not is_url(url) or not url.isascii() or not url.isprintable() or not {'"', " ", "#", "\\"}.isdisjoint(url):
        raise ConfigurationError(f"{what} must be a URL such as https://host/path")
    return url
