"""One replica's ports to PostgreSQL and Redis: statements take time, and some are lost or ambiguous."""

import asyncio
import copy
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from bridge.browser_protocol import Result
from bridge.calls.fenced_journal import KnownCall, LeftCall
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall
from bridge.cluster.ports import ClusterUnavailable
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from bridge.storage.write_thread import CATCH_UP_S
from bridge.tasks import Tasks, sleep_safely
from tests.support.cluster.engines import DirectoryModel, RedisModel
from tests.support.cluster.tables import Tables

T = TypeVar("T")

REDIS_S = 1.0
"""As `bridge.cluster.redis_connection` waits."""

PLAIN_S = 0.7
"""Between two writes of the ordinary journal."""


class EngineLost(Exception):
    """No answer; the statement may have been executed."""


class Way(Protocol):
    """Carries statements of one replica to an engine."""

    async def ask(self, name: str, statement: Callable[[], T], call_id: str = "") -> T:
        """Raises `EngineLost`."""
        ...


class FarDirectory(DirectoryModel):
    """Redis over a network."""

    def __init__(self, redis: RedisModel, way: Way) -> None:
        super().__init__(redis)
        self._way = way

    async def _ask(self, command: Callable[[], T]) -> T:
        try:
            async with asyncio.timeout(REDIS_S):
                return await self._way.ask("redis", command)
        except (EngineLost, TimeoutError):
            raise ClusterUnavailable("no answer") from None


class FarTables:
    """PostgreSQL over a network. Implements `HomeStore`, `FencedRows` and `RelayedRecords`."""

    def __init__(self, tables: Tables, way: Way) -> None:
        self._tables = tables
        self._way = way

    async def find_home(self, user_id: str) -> Home | None:
        return await self._ask("find_home", lambda: self._tables.homes.get(user_id))

    async def claim_home(self, user_id: str, replica: str, held: Home | None) -> Home:
        return await self._ask("claim", lambda: self._tables.claim_home(user_id, replica, held))

    async def release_home(self, home: Home) -> bool:
        return await self._ask("release", lambda: self._tables.release_home(home))

    async def list_homes(self, replica: str) -> Mapping[str, int]:
        return await self._ask("list_homes", lambda: self._tables.list_homes(replica))

    async def claim_left(self, replica: str, live: Sequence[str], limit: int) -> Sequence[tuple[Home, Home]]:
        return await self._ask("claim_left", lambda: self._tables.claim_left(replica, live, limit))

    async def write_call(self, call: OpenCall, epoch: int, *, may_begin: bool) -> bool:
        said = copy.copy(call)  # as it is when the statement leaves
        name = "ending" if said.outcome is not None else "go" if may_begin and said.sendings else "opening"
        return await self._ask(
            name, lambda: self._tables.write_call(said, epoch, may_begin=may_begin), call.call_id
        )

    async def end_left(self, user_id: str, epoch: int, outcome: CallOutcome) -> bool:
        return await self._ask(
            "end_left", lambda: self._tables.end_left(user_id, epoch, outcome), outcome.call_id
        )

    async def list_left(self, user_id: str, epoch: int) -> Sequence[LeftCall]:
        return await self._ask("list_left", lambda: self._tables.list_left(user_id, epoch))

    async def find_known(self, call_id: str) -> KnownCall | None:
        return await self._ask("find_known", lambda: self._tables.find_known(call_id))

    async def find_keyed(self, user_id: str, caller: str, key_digest: str) -> RecordedCall | None:
        return await self._ask("find_keyed", lambda: self._tables.find_keyed(user_id, caller, key_digest))

    async def find_relayed(self, user_id: str, request_id: str) -> Sequence[KnownCall]:
        return await self._ask("find_relayed", lambda: self._tables.find_relayed(user_id, request_id))

    async def find_response(self, user_id: str, request_id: str) -> str | None:
        return await self._ask("find_response", lambda: self._tables.find_response(user_id, request_id))

    async def write_late(self, call_id: str, user_id: str) -> None:
        def write() -> None:
            row = self._tables.calls.get(call_id)
            if row is not None and row.user_id == user_id:
                row.late += 1

        await self._ask("late", write)

    async def _ask(self, name: str, statement: Callable[[], T], call_id: str = "") -> T:
        try:
            return await self._way.ask(name, statement, call_id)
        except EngineLost:
            raise BridgeError(ErrorCode.DATABASE_UNAVAILABLE, "No answer.", retryable=True) from None


class QueuedJournal:
    """The journal that every bridge has: it queues, and writes when the database answers."""

    def __init__(self, tables: FarTables, tasks: Tasks, excuse: Callable[[OpenCall], None]) -> None:
        """`excuse` is called with the unsafe calls whose ending was told without a commit."""
        self._tables, self._tasks, self._excuse = tables, tasks, excuse
        self._waiting: deque[tuple[OpenCall, bool, int | None] | tuple[str, str]] = deque()

    def record_ended(self, call: OpenCall, *, may_begin: bool, epoch: int | None = None) -> None:
        if not call.request.safe:
            self._excuse(call)
        self._waiting.append((call, may_begin, epoch))
        self._write_soon()

    def record_late(self, user_id: str, result: Result) -> None:
        self._waiting.append((result.call_id, user_id))
        self._write_soon()

    async def catch_up(self, within_s: float) -> None:
        """Wait up to so many seconds until everything is written."""
        until = asyncio.get_running_loop().time() + within_s
        while self._waiting and asyncio.get_running_loop().time() < until:
            await sleep_safely(0.05)

    def record_delivery(self, user_id: str, call_id: str, *, heard: bool) -> None:
        """Nothing: it concerns calls without a key, which are not sent again."""

    async def find_keyed(
        self, user_id: str, caller: str, key_digest: str, *, within_s: float
    ) -> RecordedCall | None:
        await self.catch_up(CATCH_UP_S)
        return await self._tables.find_keyed(user_id, caller, key_digest)

    def _write_soon(self) -> None:
        if len(self._waiting) == 1:
            self._tasks.start_task(self._write(), "journal")

    async def _write(self) -> None:
        while self._waiting:
            await sleep_safely(PLAIN_S)
            try:
                await self._write_one(self._waiting[0])
            except BridgeError:
                continue
            self._waiting.popleft()

    async def _write_one(self, entry: tuple[OpenCall, bool, int | None] | tuple[str, str]) -> None:
        if len(entry) == 2:
            await self._tables.write_late(*entry)
        else:
            call, may_begin, epoch = entry
            await self._tables.write_call(call, epoch or 0, may_begin=may_begin)
