"""The session that creates the process's clients, and the sessions that share its loaded service models.

There is only one for the process: a second would load service models and look credentials up again at a cold start. If
the program imports boto3, it is boto3's default session. If not, this package does not import boto3 either: its clients
are botocore's, and boto3 would add a sixteenth to their cost. A program that imports boto3 only after the first client
was created gets its own default session, with the hooks that it has added to botocore by then, as moto does.
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
    """Serializes the use of sessions.

    Threads must not create clients from one session at the same time, nor from sessions that share anything.
    """

    def reset_after_fork(self) -> None:
        """Create a new lock, since the parent's may have been held during a fork."""
        self.lock = threading.Lock()


making = _Making()

# The sessions that this module created: boto3's default session, or the session of a process without boto3.
_own_default_session: boto3.Session | None = None
_own_session: Session | None = None


def client_of_the_process(service: str, *, config: Config, **more: Any) -> Any:
    """Return a new client in the process's region, otherwise as `boto3.client`. The caller must hold the lock."""
    default = _default_session()
    make: Any = _own_botocore_session().create_client if default is None else default.client
    session = _botocore_session()
    return make(service, region_name=_region_for(session), config=_with_user_agent(config, session), **more)


def client_of(session: Session, service: str, *, config: Config, **more: Any) -> Any:
    """Return a new client of a session, in the session's region. Arguments as for `client_of_the_process`."""
    make: Any = session.create_client
    return make(service, config=_with_user_agent(config, session), **more)


def _with_user_agent(config: Config, session: Session | None) -> Config:
    """Return the config with a fixed user agent: botocore builds its own twice per request, a tenth of the CPU time.

    botocore's own stays if the program has put its id into it (``AWS_SDK_UA_APP_ID``).
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
    """Return a session with these credentials only, which shares the service models that are already loaded.

    Sharing makes a session per tenant cheap: without it, its two clients cost 57 ms and 14 MB instead of 12 ms and
    0.75 MB. The region is the process's if left out.
    """
    from botocore.session import Session

    session = parse_timestamps_fast(Session())
    # Replaces the chain of credential providers, so that there is no fallback.
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
    """Return the process's botocore session. Raise `ConfigurationError` if boto3's default session has none."""
    with making.lock:
        session = _botocore_session()
    if session is None:
        raise ConfigurationError("boto3's default session has no session of botocore's")
    return session


def drop_own_sessions() -> None:
    """Drop the process's session with its credentials, if this module created it."""
    global _own_default_session, _own_session  # noqa: PLW0603 - beside boto3's own global
    with making.lock:
        if _own_default_session is not None:
            import boto3  # it is loaded: it created the session

            if boto3.DEFAULT_SESSION is _own_default_session:
                boto3.DEFAULT_SESSION = None
        _own_default_session = _own_session = None


def region() -> str | None:
    """Return the region that boto3 would overlook, or `None` if it finds one by itself."""
    # boto3 reads only AWS_DEFAULT_REGION; every other AWS SDK, and the Lambda runtime, use AWS_REGION.
    return None if os.environ.get("AWS_DEFAULT_REGION") else os.environ.get("AWS_REGION") or None


def _region_for(session: Session | None) -> str | None:
    """Return `region`. Raise `ValueError` if the configured one is malformed: botocore accepts "" and a newline."""
    seen = region()
    found = session.get_config_variable("region") if seen is None and session is not None else seen
    if found is not None and not re.fullmatch("[A-Za-z0-9-]+", found):
        name = "AWS_REGION" if seen or os.environ.get("AWS_DEFAULT_REGION") is None else "AWS_DEFAULT_REGION"
        raise ValueError(f"the region is empty or malformed: see {name}")
    return seen


def _default_session() -> boto3.Session | None:
    """Return boto3's default session; `None` if nothing has imported boto3, or only after our first client."""
    global _own_default_session  # noqa: PLW0603 - beside boto3's own global
    if sys.modules.get("boto3") is None:
        return None
    import boto3  # it is loaded, or another thread is importing it, and this waits for that

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
    """Return the process's botocore session; `None` if boto3's default session is a custom class without one."""
    default = _default_session()
    # boto3 has no public name for this attribute.
    return _own_botocore_session() if default is None else getattr(default, "_session", None)
