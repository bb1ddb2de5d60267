"""The bell: a channel of Redis that every replica listens to, on a connection of its own."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any

from bridge.cluster.ports import ClusterUnavailable
from bridge.cluster.redis_connection import KEY_PREFIX, Channel, RedisConnection
from bridge.tasks import sleep_safely

RECONNECT_S = 0.5
"""Seconds between two attempts to listen."""

_CHANNEL = f"{KEY_PREFIX}bell"

_log = logging.getLogger(__name__)


class RedisBell:
    """`Bell` over publish and subscribe, which keeps nothing for who does not listen."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection
        self._own = secrets.token_hex(8)
        self.is_listening = False
        """Whether rings of others arrive."""

    async def ring(self, topic: str) -> None:
        """Wake the others; never fails."""
        try:
            await self._connection.execute("PUBLISH", _CHANNEL, f"{self._own} {topic}")
        except ClusterUnavailable as error:
            _log.warning("A change is noticed by other replicas within seconds only: %s", error)

    async def listen(self, hear: Callable[[str | None], None]) -> None:
        """Listen until cancelled; after a failure, again and again. See `Bell`."""
        while True:
            try:
                await self._listen_once(hear)
            except ClusterUnavailable as error:
                if self.is_listening:
                    _log.warning("Changes of other replicas are noticed within seconds only: %s", error)
            finally:
                self.is_listening = False
            await sleep_safely(RECONNECT_S)

    async def _listen_once(self, hear: Callable[[str | None], None]) -> None:
        """Listen until the connection fails.

        Raises:
            ClusterUnavailable: it did.
        """
        channel = self._connection.open_channel()
        try:
            await self._connection.answer_of(channel.subscribe(_CHANNEL))
            await self._receive_message(channel)  # that it is subscribed: from now on nothing is lost
            self.is_listening = True
            hear(None)
            while True:
                if (topic := await self._receive_ring(channel)) is not None:
                    hear(topic)
        finally:
            await channel.aclose()

    async def _receive_ring(self, channel: Channel) -> str | None:
        """Return the topic of a ring; None: of this replica's own, or of a ping that broke the silence."""
        message = await self._receive_message(channel)
        if message is None:
            await self._connection.answer_of(channel.ping())
            message = await self._receive_message(channel)
            if message is None:
                raise ClusterUnavailable(f"{self._connection.shown}: a ping was not answered")
        if message["type"] == "message":
            sender, _, topic = str(message["data"]).partition(" ")
            return topic if sender != self._own else None
        return None

    async def _receive_message(self, channel: Channel) -> dict[str, Any] | None:
        """Return the next message; None after half of the time that an answer may take."""
        half_s = self._connection.timeout_s / 2
        return await self._connection.answer_of(channel.get_message(timeout=half_s))
