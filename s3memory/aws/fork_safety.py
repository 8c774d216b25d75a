"""Connections after a fork: if parent and child shared one, each would read responses meant for the other.

The clients of `s3memory.aws.clients` are recreated in a child. But stores that were created before the fork, and
callers who passed their own clients, keep those clients. They then open new connections.
"""

from __future__ import annotations

import sys
import weakref
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeGuard

from s3memory._forks import OfOneProcess

if TYPE_CHECKING:
    from botocore.client import BaseClient


class _Connected(OfOneProcess):
    """The botocore clients that this package uses, whoever made them."""

    def __init__(self) -> None:
        self.clients: weakref.WeakSet[BaseClient] = weakref.WeakSet()
        super().__init__()

    def reset_after_fork(self) -> None:
        """Drop their connections.

        This closes only the child's copies of the sockets, not the parent's. The clients stay usable.
        """
        with ExitStack() as closing:  # one that fails does not stop the others
            for client in list(self.clients):
                closing.callback(client.close)


_connected = _Connected()


def connect_anew_in_child(client: object) -> None:
    """Have a boto3 client open new connections in a forked child. Any other client is left to its owner."""
    if is_of_botocore(client):
        _connected.clients.add(client)


def is_of_botocore(client: object) -> TypeGuard[BaseClient]:
    """Whether a client is botocore's. This does not load botocore."""
    botocore_client = sys.modules.get("botocore.client")
    return botocore_client is not None and isinstance(client, botocore_client.BaseClient)
