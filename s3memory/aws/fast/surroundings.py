"""The process's AWS settings: region, credentials, addresses, certificates, proxies.

If the environment variables hold credentials and there are no shared AWS files, nothing else is read. Otherwise,
botocore has to be imported: its session reads files and profiles, and finds and renews credentials of every kind. A
setting that this transport can't follow is refused here, by its name, before any request.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from s3memory.aws import sessions
from s3memory.aws.addresses import is_url
from s3memory.aws.fast.http import Route, SigningKeys
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from botocore.credentials import Credentials
    from botocore.session import Session

_PROFILE_VARIABLES = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CREDENTIAL_EXPIRATION")
_FILES = {"AWS_CONFIG_FILE": "~/.aws/config", "AWS_SHARED_CREDENTIALS_FILE": "~/.aws/credentials"}

# botocore's names for settings, and their environment variables.
_VARIABLES = {
    "ca_bundle": "AWS_CA_BUNDLE",
    "use_fips_endpoint": "AWS_USE_FIPS_ENDPOINT",
    "use_dualstack_endpoint": "AWS_USE_DUALSTACK_ENDPOINT",
    "sts_regional_endpoints": "AWS_STS_REGIONAL_ENDPOINTS",
    "auth_scheme_preference": "AWS_AUTH_SCHEME_PREFERENCE",
    "response_checksum_validation": "AWS_RESPONSE_CHECKSUM_VALIDATION",
    "ignore_configured_endpoint_urls": "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
}
# The settings that this transport can't follow, with the values that are fine.
_REFUSED = {
    "use_fips_endpoint": {"", "false"},
    "use_dualstack_endpoint": {"", "false"},
    "sts_regional_endpoints": {"", "regional"},
    "auth_scheme_preference": {"", "sigv4"},
}
# The same in the section ``s3`` of a profile.
_REFUSED_OF_S3 = {
    "use_accelerate_endpoint": {"", "false"},
    "use_dualstack_endpoint": {"", "false"},
    "addressing_style": {"", "auto", "path"},
    "payload_signing_enabled": {"", "true", "false"},
}

_REGION = re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d{1,2}", re.ASCII)
# By a region's first letters: https://docs.aws.amazon.com/general/latest/gr/rande.html
_DOMAINS = {"cn-": "amazonaws.com.cn", "eusc-": "amazonaws.eu"}
_UNKNOWN_PARTITIONS = ("us-iso", "eu-iso")


class Surroundings(NamedTuple):
    """The process's AWS settings.

    Attributes:
        keys: returns the process's credentials, renewed before they expire.
        endpoint: returns the configured address of a service, by its name in ``AWS_ENDPOINT_URL_...``, or ``None``.
        validates_checksums: whether to ask S3 for checksums of objects.
        uses_paths: whether to address buckets by path, even on AWS.
    """

    region: str
    keys: Callable[[], SigningKeys]
    endpoint: Callable[[str], str | None]
    route: Route
    validates_checksums: bool
    uses_paths: bool


def look_around() -> Surroundings:
    """Return the process's AWS settings.

    Raises:
        ConfigurationError: there is no region, there are no credentials, or this transport can't follow a setting.
    """
    settings = _of_environment() if _environment_is_all() else _of_botocore()
    if not settings.region:
        raise ConfigurationError("transport 'fast' needs a region: set AWS_REGION")
    _refuse(settings)
    return Surroundings(
        region=settings.region,
        keys=settings.keys,
        endpoint=partial(_endpoint, ignored=settings.values["ignore_configured_endpoint_urls"].lower() == "true"),
        route=Route(_ca_file(settings.values["ca_bundle"] or os.environ.get("REQUESTS_CA_BUNDLE", "")), _proxies()),
        validates_checksums=settings.values["response_checksum_validation"].lower() != "when_required",
        uses_paths=_text(settings.s3_values.get("addressing_style")) == "path",
    )


_REGION_SETTINGS = "see AWS_REGION, AWS_DEFAULT_REGION and the profile"


def domain_of(region: str) -> str:
    """Return the domain of AWS's services in a region. Raise `ConfigurationError` for an unknown one."""
    if not _REGION.fullmatch(region) or region.startswith(_UNKNOWN_PARTITIONS):
        raise ConfigurationError(f"transport 'fast' does not know the region {region!a:.80}: {_REGION_SETTINGS}")
    return next((domain for start, domain in _DOMAINS.items() if region.startswith(start)), "amazonaws.com")


def checked_region(region: str) -> str:
    """Return a region, which need not be AWS's. Raise `ConfigurationError` for one that botocore would refuse."""
    if not re.fullmatch(r"[A-Za-z0-9-]{1,63}", region):
        raise ConfigurationError(f"transport 'fast' can't sign for the region {region!a:.80}: {_REGION_SETTINGS}")
    return region


def checked_address(url: str) -> str:
    """Return a server's URL without a final slash. Raise `ConfigurationError` if it is malformed or has extra parts."""
    if not _is_ascii_url(url) or "?" in url or "#" in url or "@" in urlsplit(url).netloc or "/." in urlsplit(url).path:
        raise ConfigurationError("an endpoint URL must be like https://host:port, without a user name or a query")
    return url.rstrip("/")


def _is_ascii_url(url: str) -> bool:
    return is_url(url) and re.fullmatch(r"[!-~]+", url) is not None


def _environment_is_all() -> bool:
    environ = os.environ
    boto3 = sys.modules.get("boto3")
    return bool(
        environ.get("AWS_ACCESS_KEY_ID")
        and environ.get("AWS_SECRET_ACCESS_KEY")
        and (environ.get("AWS_DEFAULT_REGION") or environ.get("AWS_REGION"))
        and not any(environ.get(name) for name in _PROFILE_VARIABLES)
        and not any(_is_there(environ.get(name) or at) for name, at in _FILES.items())
        and getattr(boto3, "DEFAULT_SESSION", None) is None  # its setup is unknown
    )


def _is_there(path: str) -> bool:
    return path != os.devnull and os.path.exists(os.path.expanduser(path))  # noqa: PTH110, PTH111 - pathlib costs more


class _Settings(NamedTuple):
    region: str | None
    values: Mapping[str, str]
    s3_values: Mapping[str, Any]
    keys: Callable[[], SigningKeys]


def _of_environment() -> _Settings:
    # Don't put credentials into local variables here: an error report may show those.
    keys = _checked_keys(_keys_of_environment())
    values = {name: os.environ.get(variable, "") for name, variable in _VARIABLES.items()}
    return _Settings(os.environ.get("AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION"), values, {}, lambda: keys)


def _keys_of_environment() -> SigningKeys:
    token = os.environ.get("AWS_SECURITY_TOKEN") or os.environ.get("AWS_SESSION_TOKEN") or None  # as botocore has it
    return SigningKeys(os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"], token)


def _of_botocore() -> _Settings:
    try:
        return _of_session(sessions.of_the_process())
    except ConfigurationError:
        raise
    except Exception as error:  # what the search for credentials raises is not documented
        from s3memory.aws.signing_credentials import reason_of

        raise ConfigurationError(f"transport 'fast' can't be set up: {reason_of(error)}") from error


def _of_session(session: Session) -> _Settings:
    if not session.get_scoped_config().keys().isdisjoint({"endpoint_url", "services"}):
        raise ConfigurationError(
            "transport 'fast' can't follow endpoint_url or services of a profile: set AWS_ENDPOINT_URL"
        )
    if session.get_default_client_config() is not None:
        raise ConfigurationError("transport 'fast' can't follow the session's default client configuration")
    values = {name: _text(session.get_config_variable(name)) for name in _VARIABLES}
    of_session = session.get_config_variable("region")
    region = sessions.region() or of_session
    if region and not of_session:
        session.set_config_variable("region", region)  # for calls to STS for a role's credentials
    credentials = session.get_credentials()
    if credentials is None:
        raise ConfigurationError(
            "transport 'fast' found no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    return _Settings(region, values, session.get_config_variable("s3") or {}, _keys_of(credentials))


def _keys_of(credentials: Credentials) -> Callable[[], SigningKeys]:
    from botocore.credentials import RefreshableCredentials  # not loaded if the environment has all settings

    from s3memory.aws.signing_credentials import frozen_credentials

    def keys() -> SigningKeys:
        taken = frozen_credentials(credentials)
        return SigningKeys(str(taken.access_key), str(taken.secret_key), taken.token)

    if not isinstance(credentials, RefreshableCredentials):  # those may need a call to a service
        _checked_keys(keys())
    return keys


def _checked_keys(keys: SigningKeys) -> SigningKeys:
    if not keys.are_fit:
        raise ConfigurationError(
            "transport 'fast' can't sign with these credentials: an access key has letters, digits and _.-~ alone, "
            "its secret and token printable ASCII; see AWS_ACCESS_KEY_ID"
        )
    return keys


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _refuse(settings: _Settings) -> None:
    for name, allowed in _REFUSED.items():
        if settings.values[name].lower() not in allowed:
            raise ConfigurationError(f"transport 'fast' can't follow {_VARIABLES[name]}, or {name} of a profile")
    for name, allowed in _REFUSED_OF_S3.items():
        if _text(settings.s3_values.get(name)).lower() not in allowed:
            raise ConfigurationError(f"transport 'fast' can't follow {name} in the section s3 of a profile")


def _endpoint(service: str, *, ignored: bool) -> str | None:
    if ignored:
        return None
    return os.environ.get(f"AWS_ENDPOINT_URL_{service}") or os.environ.get("AWS_ENDPOINT_URL") or None


def _ca_file(named: str) -> str:
    """Return the file of trusted certificates that botocore would use: the configured one, certifi's, or botocore's."""
    if named:
        path = Path(named)
        if not path.is_file():
            raise ConfigurationError("AWS_CA_BUNDLE or REQUESTS_CA_BUNDLE names no file of certificates")
        return named
    for package in ("certifi", "botocore"):  # located, not imported
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            path = Path(folder, "cacert.pem")
            if path.is_file():
                return str(path)
    raise ConfigurationError("transport 'fast' found no certificates: set AWS_CA_BUNDLE")


def _proxies() -> Callable[[str], str]:
    """Return a function that finds the proxy for a URL, by the rules of Python's standard library, as botocore does."""
    named = any(os.environ[name] for name in os.environ if name.lower() in {"http_proxy", "https_proxy"})
    if not named and sys.platform not in {"darwin", "win32"}:  # their system settings may name one
        return lambda _: ""
    from urllib.request import getproxies, proxy_bypass  # costly, and needed only with a proxy

    proxies = {scheme: _proxy_url(url) for scheme, url in getproxies().items() if scheme in {"http", "https"}}

    def proxy_of(url: str) -> str:
        parts = urlsplit(url)
        proxy = proxies.get(parts.scheme, "")
        return "" if not proxy or proxy_bypass(parts.netloc) else proxy

    return proxy_of


def _proxy_url(url: str) -> str:
    # As botocore corrects it.
    url = url if "://" in url else f"http:{url}" if url.startswith("//") else f"http://{url}"
    user, at, host = url.rpartition("@")
    url = user.replace("@", "%40") + at + host  # as urllib3 reads a password with an @ in it
    if not _is_ascii_url(url):
        raise ConfigurationError(
            "transport 'fast' can use proxies of http:// and https:// alone, such as http://user:password@host:port, "
            "with other letters than ASCII's percent-encoded; see HTTPS_PROXY"
        )
    return url
