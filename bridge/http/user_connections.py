"""How many connections users hold, and which give way: those on which nothing is asked just now.

A connection counts for the user of its last request, whichever key was shown: a forwarder's connections count
for the users whom it names, and those of a proxy for whoever came through them last.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Protocol

from bridge.errors import BridgeError, ErrorCode
from bridge.log_lines import OncePerMinute
from bridge.operating_system import descriptor_limit

MAX_OF_USER = 2_000
"""Maximum number of connections of one user (chosen), or an eighth of the descriptors if less."""

MAX_STREAMS = 64
"""Maximum number of event streams of one user that have no end of their own (chosen)."""

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute())


class UsedConnection(Protocol):
    """A connection on which requests of users come."""

    user_id: str | None
    """For whom it counts; None: for nobody."""
    is_serving: bool
    idle_since: int
    """Number of requests that all connections had answered when this one's last was."""

    def cut_connection(self) -> None:
        """Close it at once."""
        ...


class UserConnections:
    """The connections of all users. Methods run on one event loop and never wait."""

    def __init__(self, max_of_user: int | None = None, max_in_all: int | None = None) -> None:
        """`max_of_user`, `max_in_all`: None for `MAX_OF_USER`, and half of the descriptors."""
        self._max_of_user = max_of_user or max(1, min(MAX_OF_USER, descriptor_limit() // 8))
        self._max_in_all = max_in_all or descriptor_limit() // 2
        self._of_users: dict[str, dict[UsedConnection, None]] = {}
        self._count = 0
        self._streams: dict[str, int] = {}

    def count_for(self, user_id: str, connection: UsedConnection) -> None:
        """Count a connection for the user of its present request, and for nobody else.

        Raises:
            BridgeError: `rate_limited`: all that the user may have are in use; `server_busy`: all that there
                may be. It counts as before.
        """
        own = self._of_users.get(user_id, {})
        if len(own) >= self._max_of_user:
            if not self._close_oldest(own):
                raise _too_many(f"{self._max_of_user} connections of this user are in use")
            _log.warning("A user has %d connections: those that are idle are closed.", self._max_of_user)
        elif connection.user_id is None and self._count >= self._max_in_all:
            if not any(map(self._close_oldest, sorted(self._of_users.values(), key=len, reverse=True))):
                raise _all_in_use(self._max_in_all)
            _log.warning("There are %d connections: those that are idle are closed.", self._max_in_all)
        self.forget(connection)
        self._of_users.setdefault(user_id, {})[connection] = None
        self._count += 1
        connection.user_id = user_id

    def forget(self, connection: UsedConnection) -> None:
        """Count a connection no more."""
        if (user_id := connection.user_id) is None:
            return
        own = self._of_users[user_id]
        del own[connection]
        if not own:
            del self._of_users[user_id]
        self._count -= 1
        connection.user_id = None

    def enter_stream(self, user_id: str) -> None:
        """Count an event stream of a user that has no end of its own.

        Raises:
            BridgeError: `rate_limited`: the user has `MAX_STREAMS` already.
        """
        streams = self._streams.get(user_id, 0)
        if streams >= MAX_STREAMS:
            raise _too_many(f"This user has {MAX_STREAMS} event streams already")
        self._streams[user_id] = streams + 1

    def leave_stream(self, user_id: str) -> None:
        """Count one stream less."""
        self._streams[user_id] -= 1
        if not self._streams[user_id]:
            del self._streams[user_id]

    def _close_oldest(self, connections: Iterable[UsedConnection]) -> bool:
        """Close the connection that has been idle for longest; returns whether one was idle."""
        idle = [each for each in connections if not each.is_serving]
        if not idle:
            return False
        oldest = min(idle, key=lambda each: each.idle_since)
        self.forget(oldest)
        oldest.cut_connection()
        return True


def _too_many(what: str) -> BridgeError:
    return BridgeError(ErrorCode.RATE_LIMITED, f"{what}. Close one of them.", retryable=True)


def _all_in_use(number: int) -> BridgeError:
    message = f"All {number} connections that this bridge has for callers are in use. Try again in a moment."
    return BridgeError(ErrorCode.SERVER_BUSY, message, retryable=True)
