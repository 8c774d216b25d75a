"""The session that the process's clients are made in, and those that share what it loaded.

There is one: a second would cost a cold start its own loading of service models and its own look-up of credentials.
Where the program imports boto3, it is boto3's default session. Where it does not, nothing here does either: the clients
are botocore's, and boto3 around them would be a sixteenth of what they cost. A program that imports boto3 only after
the first of them has a default session of its own, with whatever it has hooked into botocore by then, as moto does.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from s3memory._forks import OfOneProcess
from s3memory.aws.timestamps import parse_timestamps_fast
from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    import boto3
    from botocore.config import Config
    from botocore.credentials import Credentials
    from botocore.session import Session


class _Making(OfOneProcess):
    """What is made of sessions, one after another.

    A session is not safe to make clients from in several threads at once, nor is what sessions share.
    """

    def begin_anew(self) -> None:
        """Have a lock of its own in a forked child, where the parent's may have been held."""
        self.lock = threading.Lock()


making = _Making()

# What was made here: boto3's default session, or the session of a process that has not imported boto3.
_own_default_session: boto3.Session | None = None
_own_session: Session | None = None


def client_of_the_process(service: str, *, config: Config, **more: Any) -> Any:
    """Return a new client, in the region of the process. As `boto3.client` otherwise. The caller has the lock."""
    default = _default_session()
    make: Any = _own_botocore_session().create_client if default is None else default.client
    session = _botocore_session()
    return make(service, region_name=_region_for(session), config=_with_user_agent(config, session), **more)


def client_of(session: Session, service: str, *, config: Config, **more: Any) -> Any:
    """Return a new client of a session, in the session's region. The arguments are those of `client_of_the_process`."""
    make: Any = session.create_client
    return make(service, config=_with_user_agent(config, session), **more)


def _with_user_agent(config: Config, session: Session | None) -> Config:
    """Name what asks once and for all: botocore's own text is put together twice for each request, a tenth of its CPU.

    That text stays where the program has an id of its own in it (``AWS_SDK_UA_APP_ID``).
    """
    if session is None or session.get_config_variable("user_agent_appid"):
        return config
    import botocore
    from botocore.config import Config

    python = ".".join(map(str, sys.version_info[:3]))
    parts = [f"Botocore/{botocore.__version__}", f"os/{sys.platform}", f"lang/python#{python}"]
    if where := os.environ.get("AWS_EXECUTION_ENV"):
        parts.append(f"exec-env/{where}")
    return config.merge(Config(user_agent=" ".join(parts)))


def session_with(credentials: Credentials, *, region_name: str | None = None, share_models: bool = True) -> Session:
    """Return a session that has these credentials, looks for no others, and shares the service models that are loaded.

    Sharing is what makes a session for each tenant cheap: without it, its two clients cost 57 ms and 14 MB in place of
    12 ms and 0.75 MB. Its region is that of the process if left out.
    """
    from botocore.session import Session

    session = parse_timestamps_fast(Session())
    # In place of a chain of providers: there is no next one to fall back to.
    session.register_component("credential_provider", SimpleNamespace(load_credentials=lambda: credentials))
    with making.lock:
        of_the_process = _botocore_session()
        region_name = region_name or region()
        if of_the_process is not None:
            region_name = region_name or of_the_process.get_config_variable("region")
            if share_models:
                session.register_component("data_loader", of_the_process.get_component("data_loader"))
    if region_name is not None:
        session.set_config_variable("region", region_name)
    return session


def of_the_process() -> Session:
    """Return the process's session, as botocore has it; raise `ConfigurationError` if boto3's default one has none."""
    with making.lock:
        session = _botocore_session()
    if session is None:
        raise ConfigurationError("boto3's default session has no session of botocore's")
    return session


def drop_own_sessions() -> None:
    """Drop the session of the process, and its credentials, if it was made here."""
    global _own_default_session, _own_session  # noqa: PLW0603 - beside boto3's own global
    with making.lock:
        if _own_default_session is not None:
            import boto3  # which made it

            if boto3.DEFAULT_SESSION is _own_default_session:
                boto3.DEFAULT_SESSION = None
        _own_default_session = _own_session = None


def region() -> str | None:
    """Return the region that boto3 would not see; `None` where it sees for itself."""
    # boto3 looks at AWS_DEFAULT_REGION alone; every other AWS SDK, and the Lambda runtime, know AWS_REGION.
    return None if os.environ.get("AWS_DEFAULT_REGION") else os.environ.get("AWS_REGION") or None


def _region_for(session: Session | None) -> str | None:
    """Return `region`. Raise `ValueError` if what is set is none: botocore lets an empty one and a line end through."""
    seen = region()
    found = session.get_config_variable("region") if seen is None and session is not None else seen
    if found is not None and not re.fullmatch("[A-Za-z0-9-]+", found):
        name = "AWS_REGION" if seen or os.environ.get("AWS_DEFAULT_REGION") is None else "AWS_DEFAULT_REGION"
        raise ValueError(f"the region is empty or malformed: see {name}")
    return seen


def _default_session() -> boto3.Session | None:
    """Return boto3's default session; `None` where nothing has imported boto3, or only after our first client."""
    global _own_default_session  # noqa: PLW0603 - beside boto3's own global
    if sys.modules.get("boto3") is None:
        return None
    import boto3  # it is there, or another thread is at it, which this waits for

    if boto3.DEFAULT_SESSION is None and _own_session is None:
        boto3.setup_default_session(botocore_session=_new_session())
        _own_default_session = boto3.DEFAULT_SESSION
    return boto3.DEFAULT_SESSION


def _new_session() -> Session:
    from botocore.session import get_session

    return parse_timestamps_fast(get_session())


def _own_botocore_session() -> Session:
    global _own_session  # noqa: PLW0603 - of a process without boto3
    if _own_session is None:
        _own_session = _new_session()
    return _own_session


def _botocore_session() -> Session | None:
    """Return the session of the process; `None` if boto3's default one is somebody's own kind."""
    default = _default_session()
    # boto3 has no public name for it.
    return _own_botocore_session() if default is None else getattr(default, "_session", None)
