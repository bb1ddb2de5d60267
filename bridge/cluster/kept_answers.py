"""Answers that other replicas keep, got from them while they live."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from aiohttp import ClientError, ClientResponse

from bridge.calls.call_ids import names_replica
from bridge.cluster.membership import Membership
from bridge.cluster.relay_client import (
    RelayClient,
    ReplicaGone,
    ReplicaRefused,
    ReplicaUnreachable,
)
from bridge.errors import BridgeError, ErrorCode
from bridge.http.answers_elsewhere import KeeperGone

_ABSENT = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class KeptAnswers:
    """Asks the replica that a call's id names. Implements `bridge.http.answers_elsewhere.OtherReplicas`."""

    def __init__(self, own: str, members: Membership, client: RelayClient) -> None:
        """`own`: id of this replica."""
        self._own = own
        self._members = members
        self._client = client

    @asynccontextmanager
    async def open_answer(
        self, user_id: str, call_id: str, path: str
    ) -> AsyncGenerator[AsyncIterator[bytes] | None]:
        """Open the answer behind the path of a signed link, at the replica that the call's id names.

        Gives the bytes; None: that replica has no such answer, or no longer.

        Raises:
            KeeperGone: that replica does not live.
            BridgeError: `cluster_unavailable`: it lives and is not reached, or breaks off.
        """
        live = [info for info in self._members.live.values() if info.id != self._own]
        keepers = [info for info in live if names_replica(call_id, info.id)]
        if not keepers:
            raise KeeperGone
        keeper = keepers[0]  # of two with the same digits one would have to be in 65,536
        try:
            async with self._client.get_answer(path, user_id, keeper) as response:
                if response.status not in {HTTPStatus.OK, *_ABSENT}:
                    raise _unreached(call_id)
                yield None if response.status in _ABSENT else _pieces(response, call_id)
        except ReplicaRefused:  # another process answers at that address
            raise KeeperGone from None
        except (ReplicaUnreachable, ReplicaGone):
            raise _unreached(call_id) from None


async def _pieces(response: ClientResponse, call_id: str) -> AsyncIterator[bytes]:
    try:
        async for piece in response.content.iter_any():
            yield piece
    except (ClientError, OSError):
        raise _unreached(call_id) from None


def _unreached(call_id: str) -> BridgeError:
    message = (
        f"The replica that keeps the answer of {call_id} is not reached from here. Try again in a moment."
    )
    return BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, message, retryable=True)
