"""The example's handler, with counts of the clients that its process creates and of the requests that they send.

It is next to the handler on the search path, so the package is tested unchanged.
"""

from __future__ import annotations

import sys
from typing import Any

import botocore.client
import botocore.session

_made: list[str] = []
_sent: list[str] = []
_sessions: Any = botocore.session.Session
_clients: Any = botocore.client.BaseClient
_create_client = _sessions.create_client
_make_api_call = _clients._make_api_call


def _counted_client(session: Any, service: str, *more: Any, **arguments: Any) -> Any:
    _made.append(service)
    return _create_client(session, service, *more, **arguments)


def _counted_call(client: Any, operation: str, arguments: Any) -> Any:
    _sent.append(f"{client.meta.service_model.service_name}:{operation}")
    return _make_api_call(client, operation, arguments)


_sessions.create_client = _counted_client
_clients._make_api_call = _counted_call

import handler as counted  # noqa: E402 - what it does when it is imported is counted

made_at_init = list(_made)
sent_at_init = list(_sent)


def _is_installed(module: Any) -> bool:
    return "-packages" in (getattr(module, "__file__", None) or "")


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Answer as the handler does, and add the counts."""
    _made.clear()
    _sent.clear()
    response = counted.handler(event, context)
    return {
        "response": response,
        "clients": list(_made),
        "requests": list(_sent),
        "clients_at_init": made_at_init,
        "requests_at_init": sent_at_init,
        "installed": [name for name, module in list(sys.modules.items()) if _is_installed(module)],
    }
