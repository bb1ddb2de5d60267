"""The queue of requests to models: users in rotation, each user's requests first come, first served.

A request holds its place for all its rounds. One user occupies neither all places nor the whole queue: others
find a free place, and when the queue is full, the last request of the user with the most waiting requests is
refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bridge.calls.limits.fair_queue import FairQueue, OpenEntries, QueueEntry, SharedResource
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.limits import Limits, variable_of


class RequestQueue:
    """The places and the waiting requests of all users."""

    def __init__(self, limits: Callable[[], Limits]) -> None:
        """`limits` is read each time; call `limits_changed` after a change."""
        self._limits = limits
        self._queue = FairQueue(_RequestRules(limits))
        self._of_users: Counter[str] = Counter()

    @property
    def running(self) -> int:
        """Number of requests that hold a place."""
        return self._queue.running

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a place."""
        return self._queue.waiting

    def count_user(self, user_id: str) -> int:
        """Return how many requests of a user hold a place or wait for one."""
        return self._of_users[user_id]

    async def take_place(self, user_id: str) -> QueueEntry:
        """Wait for a place, which `leave_place` gives up. Cancelling gives up the wait.

        Raises:
            BridgeError: `server_busy`: too many requests wait, or no place became free within
                `request_queue_wait_seconds`.
        """
        entry = self._queue.enter_queue(_RequestKey(user_id))
        self._of_users[user_id] += 1
        try:
            if not self._queue.grant_now(entry):
                self._make_room_for(user_id)
                await self._queue.wait_for_grant(entry, self._limits().request_queue_wait_seconds)
        except BaseException:
            self.leave_place(user_id, entry)
            raise
        return entry

    def leave_place(self, user_id: str, entry: QueueEntry) -> None:
        """Give up a place."""
        self._of_users -= Counter((user_id,))
        self._queue.leave_queue(entry)

    def limits_changed(self) -> None:
        """Admit the requests that may run now."""
        self._queue.limits_changed()

    def refuse_requests(self) -> None:
        """Admit no more requests, and refuse the waiting ones."""
        self._queue.close_queue()

    def _make_room_for(self, user_id: str) -> None:
        """Refuse the last request of the user with the most waiting; the new one, if that is its own user."""
        if self.waiting < self._limits().request_queue_size:
            return
        busy = _busy(
            f"{self.running} requests run and {self.waiting} wait already, as many as are allowed. "
            f"{variable_of('MAX_CONCURRENT_REQUESTS')} says how many may run."
        )
        waiting = self._queue.waiting_by_user()
        busiest = max(waiting, key=lambda user: waiting[user])
        if waiting[busiest] <= waiting[user_id] + 1:
            raise busy
        self._queue.reject_last(busiest, busy)


class _RequestKey(NamedTuple):
    """A request shares nothing with others but its user."""

    user_id: str

    def list_resources(self) -> Sequence[SharedResource]:
        return ()


class _RequestRules:
    """Implements `QueueRules`; there are no groups and no resources."""

    group_limit = 0

    def __init__(self, limits: Callable[[], Limits]) -> None:
        self._limits = limits

    @property
    def total_limit(self) -> int:
        return self._limits().max_concurrent_requests

    @property
    def user_limit(self) -> int:
        return self._limits().max_concurrent_requests_per_user

    def limits_by_kind(self) -> Mapping[str, int]:
        return {}

    def check_open(self, of_user: OpenEntries, of_all: OpenEntries) -> None:
        """Any number may be open; `RequestQueue` limits how many wait."""

    def timeout_error(self, full: str, seconds: float) -> BridgeError:
        return _busy(f"No other request ended within {seconds:g} s.")

    def closed_error(self) -> BridgeError:
        return _busy("The bridge is stopping.")


def _busy(why: str) -> BridgeError:
    message = f"Server busy (503). {why} Try again in a moment."
    return BridgeError(ErrorCode.SERVER_BUSY, message, detail={"retry_after_s": 1}, retryable=True)
