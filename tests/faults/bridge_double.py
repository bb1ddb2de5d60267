"""The bridge of a history: the real dispatcher, with a gateway and a journal that can be killed around it."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from bridge.browser_protocol import Accepted, Result
from bridge.calls.open_call import OpenCall
from bridge.calls.ports import JournalUnavailable
from bridge.calls.state_machine import STATE_OF, TERMINAL, CallState
from bridge.errors import ErrorCode, WireError
from tests.faults.page_server import PageServer, PageSocket, ServerSurroundings
from tests.faults.plan import Kind
from tests.support.calls.fake_browser import Recorded

COMMIT_S = 0.4
"""Between the gathering of a moment and that of a second."""

GATHER_S = 0.01
"""Between the first message of a moment and their writing: long enough for faults to come in between."""

ENDED = frozenset(STATE_OF[phase] for phase in TERMINAL)

MAX_WAITING = 3
"""So many entries wait before calls that may change something have to."""


class Surroundings(ServerSurroundings, Protocol):
    """What a bridge and its journal need of their world."""

    def ended(self, record: Recorded) -> None: ...


@dataclass
class Row:
    """What is kept of a call."""

    user_id: str
    safe: bool
    state: CallState
    may_begin: bool
    endings: int = 0
    late: int = 0


@dataclass
class Disk:
    """What survives a killed bridge: the database, and the log of what was on its way there."""

    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    intents: list[Recorded] = field(default_factory=list[Recorded])
    is_full: bool = False
    hangs: bool = False
    """The database does; the log is taken by the system."""

    def save(self, record: Recorded) -> None:
        """As the database does; an ending stays."""
        request = record.request
        row = self.rows.setdefault(
            record.call_id, Row(request.context.user_id, request.safe, record.state, record.may_begin)
        )
        if not row.endings:
            row.state, row.may_begin = record.state, record.may_begin
            row.endings += record.state in ENDED

    def settle(self) -> None:
        """As `CallJournal.settle_orphans`."""
        for record in self.intents:
            self.save(record)
        self.intents.clear()
        for row in self.rows.values():
            if row.state not in ENDED:
                doubtful = row.may_begin and not row.safe
                row.state = CallState.OUTCOME_UNKNOWN if doubtful else CallState.FAILED
                row.endings += 1


class DiskJournal:
    """One writer, in order; what neither log nor database had when its bridge died never was."""

    def __init__(self, disk: Disk, around: Surroundings) -> None:
        self._disk, self._around = disk, around
        self._waiting: deque[tuple[Recorded | Result, str]] = deque()
        self._under_way: set[str] = set()
        self._held: list[Recorded] = []
        self._is_writing = False
        self._moved = asyncio.Event()
        self.is_dead = False

    @property
    def unwritten(self) -> set[str]:
        """Calls whose ending a killed bridge takes along."""
        logged = {record.call_id for record in self._disk.intents if record.state in ENDED}
        return {what.call_id for what, _ in self._waiting} - logged

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        record = Recorded.of_call(call, may_begin=may_begin)
        try:
            async with asyncio.timeout(within_s):
                while len(self._waiting) > MAX_WAITING:
                    await self._moved.wait()
        except TimeoutError:
            raise JournalUnavailable from None
        if self._disk.is_full:
            raise JournalUnavailable
        self._under_way.add(record.call_id)
        self._disk.intents.append(record)
        self._enter(record, record.request.context.user_id)

    def hold_opening(self, call: OpenCall) -> bool:
        if call.request.safe:
            return True
        if self._disk.is_full or len(self._waiting) > MAX_WAITING:
            return False
        record = Recorded.of_call(call, may_begin=True)
        self._under_way.add(record.call_id)
        self._held.append(record)
        self._enter(record, record.request.context.user_id)
        return True

    def write_openings(self) -> set[str]:
        """Write what is held to the log; returns the calls of which that was not possible."""
        held, self._held = self._held, []
        if self._disk.is_full:
            return {record.call_id for record in held}
        self._disk.intents += held
        return set()

    def acts_for(self, user_id: str) -> bool:
        return True

    def record_ended(self, call: OpenCall, *, may_begin: bool) -> None:
        record = Recorded.of_call(call, may_begin=may_begin)
        if not self.is_dead:
            self._around.ended(record)
            if record.call_id in self._under_way and not self._disk.is_full:
                self._disk.intents.append(record)
            self._enter(record, record.request.context.user_id)

    def record_late(self, user_id: str, result: Result) -> None:
        self._enter(result, user_id)

    def _enter(self, what: Recorded | Result, user_id: str) -> None:
        self._waiting.append((what, user_id))
        self._write_soon(COMMIT_S)

    def _write_soon(self, delay: float) -> None:
        if not self._is_writing and not self.is_dead:
            self._is_writing = True
            self._around.later(delay, self._write)

    def _write(self) -> None:
        self._is_writing = False
        if self.is_dead:
            return
        if self._disk.hangs or self._disk.is_full:
            self._write_soon(0.5)
            return
        batch, self._waiting = self._waiting, deque()
        for what, user_id in batch:
            self._save(what, user_id)
        self._disk.intents.clear()
        self._moved.set()
        self._moved = asyncio.Event()

    def _save(self, what: Recorded | Result, user_id: str) -> None:
        if not isinstance(what, Result):
            self._disk.save(what)
            return
        row = self._disk.rows.get(what.call_id)
        if row is not None and row.user_id == user_id:
            row.late += 1


class BridgeDouble(PageServer):
    """One process of the bridge, which is alone."""

    def __init__(self, disk: Disk, around: Surroundings) -> None:
        disk.settle()
        self.journal = DiskJournal(disk, around)
        super().__init__(self.journal, around)
        self._gathered: list[tuple[PageSocket, Kind, Any, str]] = []

    def send_message(self, socket: PageSocket, kind: Kind, payload: Any, about: str) -> None:
        """Gather the messages of a moment: their calls are recorded together before."""
        if not self._gathered:
            self.around.later(GATHER_S, self._write_gathered)
        self._gathered.append((socket, kind, payload, about))

    def _write_gathered(self) -> None:
        gathered, self._gathered = self._gathered, []
        if self.is_dead:
            return
        lost = self.journal.write_openings()
        for socket, kind, payload, about in gathered:
            if kind == "call" and payload["call_id"] in lost:
                error = WireError(code=ErrorCode.NO_BROWSER, message="It cannot be recorded.", retryable=True)
                declined = Accepted(call_id=payload["call_id"], error=error)
                self.dispatcher.accept_call(socket.link.sid, declined)
            elif socket.link.sid in self._sockets:
                socket.link.send("page", kind, payload, about)

    @property
    def unwritten(self) -> set[str]:
        """Calls whose ending is not on the disk yet."""
        return self.journal.unwritten

    def kill(self, notices: Callable[[], float]) -> None:
        """-9: nothing more is written or sent; each page learns of it after `notices()` seconds."""
        self.is_dead = self.journal.is_dead = True
        for socket in list(self._sockets.values()):
            socket.link.cut(notices(), 0.0)
        for task in list(self._tasks):
            task.cancel()

    async def stop(self) -> None:
        """In order: every open call is settled and every socket closed."""
        self.dispatcher.stop_calls()
        for socket in list(self._sockets.values()):
            socket.link.cut(0.01, 0.0)
