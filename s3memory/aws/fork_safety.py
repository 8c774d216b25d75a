"""Connections after a fork: if parent and child shared one, each would read answers that are meant for the other.

The clients of `s3memory.aws.clients` are recreated in a child. Stores that were made before the fork keep their
clients, and so do callers who passed their own. Those clients stay, and open new connections.
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
    """The clients of botocore's that this package uses, whoever made them."""

    def __init__(self) -> None:
        self.clients: weakref.WeakSet[BaseClient] = weakref.WeakSet()
        super().__init__()

    def begin_anew(self) -> None:
        """Drop their connections.

        Of sockets that the parent has as well, this closes the child's side alone; the client can be used after it.
        """
        with ExitStack() as closing:  # one that fails keeps no other from it
            for client in list(self.clients):
                closing.callback(client.close)


_connected = _Connected()


def connect_anew_in_child(client: object) -> None:
    """Let a boto3 client open connections of its own in a forked child. Anything else is left to its owner."""
    if is_of_botocore(client):
        _connected.clients.add(client)


def is_of_botocore(client: object) -> TypeGuard[BaseClient]:
    """Whether a client is botocore's, which is not loaded to find out."""
    botocore_client = sys.modules.get("botocore.client")
    return botocore_client is not None and isinstance(client, botocore_client.BaseClient)
