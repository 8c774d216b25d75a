"""Makes moto and botocore cheaper, with the same results: caches what they recompute though it never changes."""

from __future__ import annotations

import copy
import functools
import io
import string
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import boto3
import botocore.auth
from botocore.hooks import EventAliaser
from botocore.loaders import Loader
from botocore.session import get_session
from botocore.useragent import UserAgentComponent
from moto import backend_index
from moto.core.base_backend import BaseBackend
from moto.core.errors import ErrorLookupFactory
from moto.core.request import (
    PRESERVED_HEADER_NAMES_ENVIRON_KEY,
    Request,
    environ_key_for_header,
    should_preserve_original_header_name,
)
from moto.kms.utils import generate_private_key
from moto.moto_api._internal.moto_random import MotoRandom
from moto.s3.responses import S3Response

from s3memory.aws.timestamps import parse_timestamp, parse_timestamps_fast

if TYPE_CHECKING:
    import pytest
    from mypy_boto3_s3.client import S3Client

_ASKED_MOST = {"s3", "kms"}
_CHARACTERS = string.ascii_letters + string.digits


def remember(patch: pytest.MonkeyPatch) -> None:
    """Install the caches and shortcuts in this process."""
    # moto looks up its URLs at each request, S3's from a module that it reloads in case a variable has changed.
    found = functools.cached_property(vars(BaseBackend)["urls"].fget)
    found.__set_name__(BaseBackend, "urls")
    patch.setattr(BaseBackend, "urls", found)
    # It tries the patterns of all services in alphabetical order.
    patterns = sorted(backend_index.backend_url_patterns, key=lambda one: one[0] not in _ASKED_MOST)
    patch.setattr(backend_index, "backend_url_patterns", patterns)
    # It determines several times per request whether the host names the bucket.
    patch.setattr(S3Response, "subdomain_based_buckets", staticmethod(_of_host(S3Response.subdomain_based_buckets)))
    # It copies all versions of a bucket, including their bytes, to mark the latest ones of a listing.
    patch.setattr("moto.s3.models.copy", SimpleNamespace(copy=copy.copy, deepcopy=lambda versions: versions))
    # It parses with dateutil each time that it has just formatted.
    patch.setattr("moto.core.serialize.parse_to_aware_datetime", _aware)
    # It rebuilds a request's URL each time that it reads it.
    for name in ("raw_path", "raw_url"):
        put_together = functools.cached_property(vars(Request)[name].fget)
        put_together.__set_name__(Request, name)
        patch.setattr(Request, name, put_together)
    # It has werkzeug, which supports forms and files, build a request that already exists.
    patch.setattr(Request, "from_primitives", _as_it_came(Request.from_primitives))
    # For each error, it builds a table of all errors that the service knows.
    tables = functools.cache(ErrorLookupFactory._create_error_lut)
    patch.setattr(ErrorLookupFactory, "_create_error_lut", staticmethod(tables))
    # It draws request ids letter by letter.
    patch.setattr(MotoRandom, "get_random_string", _random_string)
    # It generates an RSA key for each KMS key, even for symmetric ones, which never use it.
    patch.setattr("moto.kms.models.generate_private_key", functools.cache(generate_private_key))
    # botocore extracts the host from each URL several times.
    auth: Any = botocore.auth
    patch.setattr(auth, "_host_from_url", functools.lru_cache(auth._host_from_url))
    # It reads the service models, several megabytes of JSON, for each session.
    patch.setattr(Loader, "__init__", _with_what_others_read(Loader.__init__))
    # It builds the event names for each session.
    aliaser: Any = EventAliaser
    named = functools.cache(aliaser(None)._alias_event_name)
    patch.setattr(aliaser, "_alias_event_name", staticmethod(named))
    # It cleans each part of the user agent, twice.
    patch.setattr(UserAgentComponent, "to_string", functools.cache(UserAgentComponent.to_string))


def s3_client() -> S3Client:
    """Return a client that parses timestamps as this package's clients do; botocore has dateutil guess the format."""
    return boto3.Session(botocore_session=parse_timestamps_fast(get_session())).client("s3")


def _as_it_came(built: Callable[..., Request]) -> Callable[..., Request]:
    def request(method: str, url: str, headers: Any, body: Any = None) -> Request:
        if not url.isascii() or not isinstance(body or b"", bytes):
            return built(method, url, headers, body)
        address = urlsplit(url)
        host, _, port = address.netloc.partition(":")
        content = body or b""
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote(address.path).encode().decode("latin-1"),
            "QUERY_STRING": address.query,
            "REQUEST_URI": address.path,
            "RAW_URI": address.path,
            "SERVER_NAME": host,
            "SERVER_PORT": port or {"https": "443"}.get(address.scheme, "80"),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": address.netloc,
            "wsgi.url_scheme": address.scheme,
            "wsgi.input": io.BytesIO(content),
            PRESERVED_HEADER_NAMES_ENVIRON_KEY: {},
        }
        for key, value in headers.items():
            name = environ_key_for_header(key)
            if should_preserve_original_header_name(key):
                environ[PRESERVED_HEADER_NAMES_ENVIRON_KEY][name] = key
            if name != "HTTP_TRANSFER_ENCODING":
                text = value.decode() if isinstance(value, bytes) else value
                environ[name] = f"{environ[name]}, {text}" if name in environ and name != "HTTP_HOST" else text
        environ["CONTENT_LENGTH"] = str(len(content))
        return Request(environ)

    return request


def _with_what_others_read(make: Any) -> Any:
    of_paths: dict[tuple[str, ...], dict[Any, Any]] = {}

    @functools.wraps(make)
    def init(self: Any, *given: Any, **named: Any) -> None:
        make(self, *given, **named)
        # Clients of one session share what its loader has read.
        self._cache = of_paths.setdefault(tuple(self.search_paths), self._cache)

    return init


def _of_host(names_bucket: Any) -> Any:
    known: dict[str, bool] = {}

    def names(request: Any) -> bool:
        host = request.headers["host"]
        if host not in known:
            known[host] = names_bucket(request)
        return known[host]

    return names


def _random_string(
    self: MotoRandom,
    length: int = 20,
    include_digits: bool = True,  # noqa: FBT001, FBT002 - as moto's
    lower_case: bool = False,  # noqa: FBT001, FBT002
) -> str:
    drawn = "".join(self.choices(_CHARACTERS if include_digits else string.ascii_letters, k=length))
    return drawn.lower() if lower_case else drawn


def _aware(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else parse_timestamp(value)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
