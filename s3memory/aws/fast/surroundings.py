"""The process's settings for AWS: region, credentials, addresses, certificates, proxies.

If the environment holds credentials and there are no shared files of AWS's, only the environment is read. Otherwise,
botocore has to be imported: its session reads files and profiles, and finds and renews credentials of every kind. What
this transport can't do is refused here, by the name of its setting, before any request.
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

# botocore's names of settings, and the environment's.
_VARIABLES = {
    "ca_bundle": "AWS_CA_BUNDLE",
    "use_fips_endpoint": "AWS_USE_FIPS_ENDPOINT",
    "use_dualstack_endpoint": "AWS_USE_DUALSTACK_ENDPOINT",
    "sts_regional_endpoints": "AWS_STS_REGIONAL_ENDPOINTS",
    "auth_scheme_preference": "AWS_AUTH_SCHEME_PREFERENCE",
    "response_checksum_validation": "AWS_RESPONSE_CHECKSUM_VALIDATION",
    "ignore_configured_endpoint_urls": "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
}
# What can't be had, and what it may be all the same.
_REFUSED = {
    "use_fips_endpoint": {"", "false"},
    "use_dualstack_endpoint": {"", "false"},
    "sts_regional_endpoints": {"", "regional"},
    "auth_scheme_preference": {"", "sigv4"},
}
# Of the section ``s3`` of a profile.
_REFUSED_OF_S3 = {
    "use_accelerate_endpoint": {"", "false"},
    "use_dualstack_endpoint": {"", "false"},
    "addressing_style": {"", "auto", "path"},
    "payload_signing_enabled": {"", "true", "false"},
}

_REGION = re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d{1,2}", re.ASCII)
# By what a region begins with: https://docs.aws.amazon.com/general/latest/gr/rande.html
_DOMAINS = {"cn-": "amazonaws.com.cn", "eusc-": "amazonaws.eu"}
_UNKNOWN_PARTITIONS = ("us-iso", "eu-iso")


class Surroundings(NamedTuple):
    """What was found.

    Attributes:
        keys: gives the credentials of the process, renewed where they end.
        endpoint: gives the configured address of a service, by its name in ``AWS_ENDPOINT_URL_...``, or ``None``.
        validates_checksums: whether S3 is asked for checksums of what it sends.
        uses_paths: whether buckets are addressed by path, also on AWS.
    """

    region: str
    keys: Callable[[], SigningKeys]
    endpoint: Callable[[str], str | None]
    route: Route
    validates_checksums: bool
    uses_paths: bool


def look_around() -> Surroundings:
    """Return what the process says.

    Raises:
        ConfigurationError: there is no region, there are no credentials, or a setting that this transport can't follow.
    """
    said = _of_environment() if _environment_is_all() else _of_botocore()
    if not said.region:
        raise ConfigurationError("transport 'fast' needs a region: set AWS_REGION")
    _refuse(said)
    return Surroundings(
        region=said.region,
        keys=said.keys,
        endpoint=partial(_endpoint, ignored=said.of["ignore_configured_endpoint_urls"].lower() == "true"),
        route=Route(_ca_file(said.of["ca_bundle"] or os.environ.get("REQUESTS_CA_BUNDLE", "")), _proxies()),
        validates_checksums=said.of["response_checksum_validation"].lower() != "when_required",
        uses_paths=_text(said.of_s3.get("addressing_style")) == "path",
    )


def domain_of(region: str) -> str:
    """Return the domain of AWS's services in a region; raise `ConfigurationError` for one that is not known here."""
    if not _REGION.fullmatch(region) or region.startswith(_UNKNOWN_PARTITIONS):
        raise ConfigurationError("transport 'fast' does not know the region that AWS_REGION names")
    return next((domain for start, domain in _DOMAINS.items() if region.startswith(start)), "amazonaws.com")


def checked_region(region: str) -> str:
    """Return a region, perhaps of another server than AWS's; raise `ConfigurationError` if botocore takes none such."""
    if not re.fullmatch(r"[A-Za-z0-9-]{1,63}", region):
        raise ConfigurationError("transport 'fast' can't sign for the region that AWS_REGION names")
    return region


def checked_address(url: str) -> str:
    """Return a server's address without a slash at its end; raise `ConfigurationError` if it is none, or holds more."""
    if not _is_ascii_url(url) or "?" in url or "#" in url or "@" in urlsplit(url).netloc or "/." in urlsplit(url).path:
        raise ConfigurationError("an endpoint URL is malformed: it must be like https://host:port")
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
        and getattr(boto3, "DEFAULT_SESSION", None) is None  # it may be set up in any way
    )


def _is_there(path: str) -> bool:
    return path != os.devnull and os.path.exists(os.path.expanduser(path))  # noqa: PTH110, PTH111 - pathlib costs more


class _Said(NamedTuple):
    region: str | None
    of: Mapping[str, str]
    of_s3: Mapping[str, Any]
    keys: Callable[[], SigningKeys]


def _of_environment() -> _Said:
    # No credential is a local variable here: a report of an error may show them.
    keys = _checked_keys(_keys_of_environment())
    said = {name: os.environ.get(variable, "") for name, variable in _VARIABLES.items()}
    return _Said(os.environ.get("AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION"), said, {}, lambda: keys)


def _keys_of_environment() -> SigningKeys:
    token = os.environ.get("AWS_SECURITY_TOKEN") or os.environ.get("AWS_SESSION_TOKEN") or None  # as botocore has it
    return SigningKeys(os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"], token)


def _of_botocore() -> _Said:
    try:
        return _of_session(sessions.of_the_process())
    except ConfigurationError:
        raise
    except Exception as error:  # no list of what looking for credentials raises is known
        from s3memory.aws.signing_credentials import told_of

        raise ConfigurationError(f"transport 'fast' can't be set up: {told_of(error)}") from error


def _of_session(session: Session) -> _Said:
    if not session.get_scoped_config().keys().isdisjoint({"endpoint_url", "services"}):
        raise ConfigurationError(
            "transport 'fast' can't follow endpoint_url or services of a profile: set AWS_ENDPOINT_URL"
        )
    if session.get_default_client_config() is not None:
        raise ConfigurationError("transport 'fast' can't follow the session's default client configuration")
    said = {name: _text(session.get_config_variable(name)) for name in _VARIABLES}
    of_session = session.get_config_variable("region")
    region = sessions.region() or of_session
    if region and not of_session:
        session.set_config_variable("region", region)  # where STS is asked for a role's credentials
    credentials = session.get_credentials()
    if credentials is None:
        raise ConfigurationError(
            "transport 'fast' found no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    return _Said(region, said, session.get_config_variable("s3") or {}, _keys_of(credentials))


def _keys_of(credentials: Credentials) -> Callable[[], SigningKeys]:
    from botocore.credentials import RefreshableCredentials  # not loaded where the environment is all

    from s3memory.aws.signing_credentials import taken_of

    def keys() -> SigningKeys:
        taken = taken_of(credentials)
        return SigningKeys(str(taken.access_key), str(taken.secret_key), taken.token)

    if not isinstance(credentials, RefreshableCredentials):  # for those, a service may have to be asked
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


def _refuse(said: _Said) -> None:
    for name, allowed in _REFUSED.items():
        if said.of[name].lower() not in allowed:
            raise ConfigurationError(f"transport 'fast' can't follow {_VARIABLES[name]}, or {name} of a profile")
    for name, allowed in _REFUSED_OF_S3.items():
        if _text(said.of_s3.get(name)).lower() not in allowed:
            raise ConfigurationError(f"transport 'fast' can't follow {name} in the section s3 of a profile")


def _endpoint(service: str, *, ignored: bool) -> str | None:
    if ignored:
        return None
    return os.environ.get(f"AWS_ENDPOINT_URL_{service}") or os.environ.get("AWS_ENDPOINT_URL") or None


def _ca_file(named: str) -> str:
    """Return the file of trusted certificates, as botocore does: the one that is named, or certifi's, or botocore's."""
    if named:
        path = Path(named)
        if not path.is_file():
            raise ConfigurationError("AWS_CA_BUNDLE or REQUESTS_CA_BUNDLE names no file of certificates")
        return named
    for package in ("certifi", "botocore"):  # found, and not imported
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            path = Path(folder, "cacert.pem")
            if path.is_file():
                return str(path)
    raise ConfigurationError("transport 'fast' found no certificates: set AWS_CA_BUNDLE")


def _proxies() -> Callable[[str], str]:
    """Return what names the proxy for a URL, by the rules of Python's own library, which are botocore's."""
    named = any(os.environ[name] for name in os.environ if name.lower() in {"http_proxy", "https_proxy"})
    if not named and sys.platform not in {"darwin", "win32"}:  # where a system's settings may name one
        return lambda _: ""
    from urllib.request import getproxies, proxy_bypass  # costly, and needed where there is a proxy

    proxies = {scheme: _proxy_url(url) for scheme, url in getproxies().items() if scheme in {"http", "https"}}

    def proxy_of(url: str) -> str:
        parts = urlsplit(url)
        proxy = proxies.get(parts.scheme, "")
        return "" if not proxy or proxy_bypass(parts.netloc) else proxy

    return proxy_of


def _proxy_url(url: str) -> str:
    # As botocore puts it right.
    url = url if "://" in url else f"http:{url}" if url.startswith("//") else f"http://{url}"
    if not _is_ascii_url(url):
        raise ConfigurationError(
            "transport 'fast' can use proxies of http:// and https:// alone, such as http://user:password@host:port, "
            "with other letters than ASCII's percent-encoded; see HTTPS_PROXY"
        )
    return url
