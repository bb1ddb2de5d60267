"""Residents: what is done around the time in which a user is at home in this replica.

Before anything is served, what older homes left is settled; while a user is here, requests are counted; when
the user is at home elsewhere, everything here ends. It acts through its ports alone, on one event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property

from bridge.errors import BridgeError
from bridge.homes import Home
from bridge.tasks import Tasks, sleep_safely

IDLE_S = 30.0
"""Seconds without a page, an open request, call or run after which a user may be at home anywhere."""

RETRY_S = 1.0
"""Seconds between two attempts to settle what a lost home left, while the database does not answer."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ResidentWork:
    """What a user may have in a replica."""

    settle: Callable[[Home], Awaitable[None]]
    """Ends or goes on with what older claims left open. Raises `BridgeError`: it is to be tried again."""
    end_work: Callable[[str], Awaitable[None]]
    """Ends the user's calls, runs and responses here, and disconnects the pages; never fails."""
    is_busy: Callable[[str], bool]
    """Whether a page, call, run or response of the user is open here."""
    expect_page: Callable[[str], None]
    """Has calls wait a moment for the page of a user who comes from another home."""


@dataclass(slots=True)
class _Stay:
    """One user's time here."""

    settling: asyncio.Task[None] | None = None
    requests: int = 0
    """Open requests that are served here."""
    left_idle_at: float = field(default=0.0)
    """The loop's time at which the last request ended, or something else was seen to be open."""


class ServedUser:
    """The context in which a request of a user is served; without a stay it waits for nothing.

    A class, as a generator would take twice as long, and every request of a replica is in one.
    """

    __slots__ = ("_stay",)

    def __init__(self, stay: _Stay | None) -> None:
        self._stay = stay

    async def __aenter__(self) -> None:
        """Wait until what older homes left is settled."""
        if (stay := self._stay) is None:
            return
        stay.requests += 1
        if stay.settling is not None and not stay.settling.done():
            try:
                await asyncio.wait({stay.settling})
            except BaseException:
                self._leave(stay)
                raise

    async def __aexit__(self, *_: object) -> None:
        """End."""
        if self._stay is not None:
            self._leave(self._stay)

    @staticmethod
    def _leave(stay: _Stay) -> None:
        stay.requests -= 1
        stay.left_idle_at = _now()


class Residents:
    """The users at home here."""

    def __init__(self, tasks: Tasks, make_work: Callable[[], ResidentWork]) -> None:
        """`make_work` is called when the first user comes."""
        self._make_work = make_work
        self._tasks = tasks
        self._stays: dict[str, _Stay] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}

    @cached_property
    def _work(self) -> ResidentWork:
        return self._make_work()

    async def enter(self, home: Home) -> None:
        """Begin a stay, once an earlier one has ended here; what others left is settled meanwhile."""
        if (leaving := self._leaving.get(home.user_id)) is not None:
            await asyncio.shield(leaving)
        stay = self._stays[home.user_id] = _Stay(left_idle_at=_now())
        if home.epoch > 1:
            self._work.expect_page(home.user_id)
        stay.settling = self._tasks.start_task(self._settle(home, stay), f"settle {home.user_id}")

    def leave(self, user_id: str) -> None:
        """End a stay: the user is at home elsewhere, and everything here ends."""
        stay = self._stays.pop(user_id, None)
        if stay is not None and stay.settling is not None:
            stay.settling.cancel()
        task = self._tasks.start_task(self.end_work(user_id), f"end of {user_id} here")
        self._leaving[user_id] = task
        task.add_done_callback(lambda ended: self._forget_leaving(user_id, ended))

    def is_idle(self, user_id: str) -> bool:
        """Whether nothing of a user is open here, and was not for `IDLE_S` seconds."""
        if (stay := self._stays.get(user_id)) is None:
            return True
        if not self.is_free(user_id):
            stay.left_idle_at = _now()
        return _now() - stay.left_idle_at >= IDLE_S

    def is_free(self, user_id: str) -> bool:
        """Whether nothing of a user is open here now."""
        if (stay := self._stays.get(user_id)) is None:
            return True
        is_settling = stay.settling is not None and not stay.settling.done()
        return not (stay.requests or is_settling or self._work.is_busy(user_id))

    def serve_user(self, user_id: str) -> ServedUser:
        """Run a block that serves a request of a user, once what older homes left is settled."""
        return ServedUser(self._stays.get(user_id))

    async def _settle(self, home: Home, stay: _Stay) -> None:
        while self._stays.get(home.user_id) is stay:
            try:
                await self._work.settle(home)
            except BridgeError as error:
                _log.warning("What a lost replica left is not settled yet: %s", error.error.message)
                await sleep_safely(RETRY_S)
            else:
                return

    async def end_work(self, user_id: str) -> None:
        """End a user's calls, runs and responses here, and disconnect the pages."""
        await self._work.end_work(user_id)

    def _forget_leaving(self, user_id: str, task: asyncio.Task[None]) -> None:
        if self._leaving.get(user_id) is task:
            del self._leaving[user_id]


def _now() -> float:
    return asyncio.get_running_loop().time()
