"""The connections to Redis or Valkey: one server, a socket of this machine, or what Sentinels name.

A command is sent once, and answered within a second or not at all: the library's own repetitions would hide
that Redis is away for as long as ten of them take.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from redis.asyncio import Redis, Sentinel
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from bridge.cluster.ports import ClusterUnavailable
from bridge.settings.redis_url import parse_redis_url
from bridge.tasks import run_within
from bridge.timings import USUAL_TIMINGS

KEY_PREFIX = "tool-bridge:"
"""Beginning of every key and channel: the Redis may have other users."""

ResultT = TypeVar("ResultT")

Argument: TypeAlias = str | int


class Channel(Protocol):
    """A connection that receives messages, as far as the bell needs it."""

    def subscribe(self, channel: str) -> Coroutine[Any, Any, None]:
        """Ask for the messages of a channel."""
        ...

    def ping(self) -> Coroutine[Any, Any, object]:
        """Ask for a message that says nothing."""
        ...

    def get_message(self, *, timeout: float) -> Coroutine[Any, Any, dict[str, Any] | None]:
        """Return the next message; None when none comes within so many seconds."""
        ...

    def aclose(self) -> Coroutine[Any, Any, None]:
        """Close the connection."""
        ...


class RedisConnection:
    """Sends commands; connections are made when they are needed, and made anew after a failure."""

    def __init__(self, url: str, timeout_s: float = USUAL_TIMINGS.redis_s) -> None:
        """`timeout_s`: as `Timings.redis_s`."""
        address = parse_redis_url(url)
        self.timeout_s = timeout_s
        self.shown = address.shown
        """The address without passwords."""
        # redis-py does not say all of its types; what its commands answer is narrowed where it is read.
        self._client: Any
        self._sentinels: list[Any]
        self._client, self._sentinels = _client_of(url, timeout_s)

    async def execute(self, *command: Argument) -> Any:
        """Return the answer to one command, texts as `str`.

        Raises:
            ClusterUnavailable: there is none within `timeout_s`, or it is an error.
        """
        return await self.answer_of(self._client.execute_command(*command))

    async def evaluate(self, script: str, keys: tuple[str, ...], *arguments: Argument) -> Any:
        """Return what a script answers; Redis runs nothing else meanwhile.

        Raises:
            ClusterUnavailable: there is no answer within `timeout_s`, or it is an error.
        """
        return await self.execute("EVAL", script, len(keys), *keys, *arguments)

    async def answer_of(self, asking: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Return what the client answers in time.

        Raises:
            ClusterUnavailable: it does not, or answers an error.
        """
        try:
            return await run_within(self.timeout_s, asking)
        except (RedisError, OSError, TimeoutError) as error:
            raise ClusterUnavailable(f"{self.shown}: {str(error) or type(error).__name__}") from None

    def open_channel(self) -> Channel:
        """Return a connection of its own for messages; whoever opens it closes it."""
        return cast("Channel", self._client.pubsub())

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()
        for sentinel in self._sentinels:
            await sentinel.aclose()


def _client_of(url: str, timeout_s: float) -> tuple[Redis, list[Redis]]:
    """Return the client, and the clients of the Sentinels that it asks."""
    address = parse_redis_url(url)
    common: dict[str, Any] = {
        "socket_timeout": timeout_s,
        "socket_connect_timeout": timeout_s,
        "retry": Retry(NoBackoff(), 0),
        "decode_responses": True,
        "protocol": 2,  # every version of Redis and Valkey speaks it
        **({"ssl": True, **dict(address.tls_files)} if address.tls else {}),
    }
    own: dict[str, Any] = {
        **common,
        "db": address.db,
        "username": address.user or None,
        "password": address.password or None,
    }
    if address.socket:
        return Redis(unix_socket_path=address.socket, **own), []
    if not address.service:
        host, port = address.hosts[0]
        return Redis(host=host, port=port, **own), []
    asking: dict[str, Any] = {
        **common,
        "username": address.sentinel_user or None,
        "password": address.sentinel_password or None,
    }
    sentinel: Any = Sentinel(address.hosts, sentinel_kwargs=asking, **own)
    return sentinel.master_for(address.service), list(sentinel.sentinels)
