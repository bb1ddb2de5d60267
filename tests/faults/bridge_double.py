"""The bridge of a history: the real dispatcher, with a gateway and a journal that can be killed around it."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from bridge.browser_protocol import Accepted, Decision, Result
from bridge.calls.admission import AdmissionControl, Controls
from bridge.calls.call_ids import CallIds
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.open_call import OpenCall, Page
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import JournalUnavailable
from bridge.calls.request import CallOptions, CallRequest
from bridge.calls.state_machine import STATE_OF, TERMINAL, CallState
from tests.faults.link import Link
from tests.faults.plan import Kind
from tests.support.calls.fake_browser import FakeDecisions, Recorded
from toolserver.call.result import TextBody

COMMIT_S = 0.4
"""Between the gathering of a moment and that of a second."""

ENDED = frozenset(STATE_OF[phase] for phase in TERMINAL)

MAX_WAITING = 3
"""So many entries wait before calls that may change something have to."""

RECEIPT_DELAY_S = 0.05


class Surroundings(Protocol):
    """What a bridge needs of its world."""

    def now(self) -> float: ...
    def later(self, delay: float, action: Callable[[], None]) -> None: ...
    def note(self, text: str) -> None: ...
    def name(self, call_id: str) -> str: ...
    def ended(self, record: Recorded) -> None: ...
    def controls(self) -> Controls: ...
    def last_page_left(self, calls: Iterable[OpenCall]) -> None:
        """The only page of a user is gone, which might be sending the requests of these calls."""
        ...

    def page_came(self, user_id: str) -> None: ...


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


@dataclass
class _Socket:
    """A connection and what waits to be read from it: one message at a time, as the gateway does."""

    user_id: str
    device_id: str
    link: Link
    page: Page | None = None
    inbox: deque[tuple[Kind, Any]] = field(default_factory=deque[tuple[Kind, Any]])
    is_busy: bool = False
    owed: list[str] = field(default_factory=list[str])


class BridgeDouble:
    """One process of the bridge. Follows `bridge/browsers/gateway.py`."""

    def __init__(self, disk: Disk, around: Surroundings) -> None:
        disk.settle()
        self.around = around
        self.is_dead = False
        self.journal = DiskJournal(disk, around)
        self.dispatcher = Dispatcher(
            self,
            self.journal,
            FakeDecisions(),
            CallIds(b"secret"),
            no_browser_message="Open the page.",
        )
        self._admission = AdmissionControl(around.controls())
        self._sockets: dict[str, _Socket] = {}
        self._pages: dict[str, dict[str, Page]] = {}
        self._left_at: dict[str, float] = {}
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()

    # The dispatcher's port

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        return self._newest(user_id)

    async def next_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        page = self._newest(user_id)
        patience = 0.0 if page else self._left_at.get(user_id, -99.0) + resume_s - self.around.now()
        if page is None and patience > 0:
            try:
                async with asyncio.timeout(patience):
                    while page is None:
                        await self._changed.wait()
                        page = self._newest(user_id)
            except TimeoutError:
                return None
        return page

    async def send_call(self, call: OpenCall) -> None:
        socket = self._sockets.get(call.sid or "")
        if socket is None or self.is_dead:
            return
        message = {
            "call_id": call.call_id,
            "attempt": call.sendings,
            "deadline_ms": call.left_ms,
            "approval": "needed" if call.must_ask else "granted",
            "approval_ms": call.approval_ms,
            "token": call.result_token,
            "plan": int(call.request.arguments_text),
        }
        socket.link.send("page", "call", message, self.around.name(call.call_id))

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        if sid in self._sockets and not self.is_dead:
            self._sockets[sid].link.send("page", "cancel", call_id, f"{self.around.name(call_id)} ({reason})")

    async def announce_slot(self, sid: str, call_id: str) -> None:
        if sid in self._sockets and not self.is_dead:
            self._sockets[sid].link.send("page", "slot", call_id, self.around.name(call_id))

    def calls_changed(self, user_id: str) -> None: ...

    # What pages do

    def connected(self, link: Link, user_id: str, device_id: str) -> None:
        self._sockets[link.sid] = _Socket(user_id, device_id, link)

    def heard(self, sid: str, kind: Kind, payload: Any) -> None:
        socket = self._sockets.get(sid)
        if socket is not None and not self.is_dead:
            socket.inbox.append((kind, payload))
            self._read_on(socket)

    def hung_up(self, sid: str) -> None:
        socket = self._sockets.pop(sid, None)
        if socket is None or self.is_dead:
            return
        self.around.note(f"{sid}: bridge notices that it is closed")
        pages = self._pages.get(socket.user_id, {})
        if pages.pop(sid, None) is not None and not pages:
            self._left_at[socket.user_id] = self.around.now()
            calls = self.dispatcher.open_calls(socket.user_id)
            self.around.last_page_left(call for call in calls if call.sid == sid and call.in_doubt)
        self._tell_waiting()
        self.dispatcher.abandon_session(sid)

    def take_upload(self, call_id: str, token: str) -> bool:
        """`PUT /api/calls/{id}/result`, with the call's id as the text."""
        call = None if self.is_dead else self.dispatcher.open_call(call_id)
        if call is None or call.result_token != token:
            return False
        call.uploaded = call.uploaded or TextBody(call_id)
        return True

    # Callers

    def call(self, request: CallRequest, deadline_s: float) -> "asyncio.Task[CallOutcome]":
        return self.start(self._run_call(request, CallOptions(deadline_s=deadline_s)))

    async def _run_call(self, request: CallRequest, options: CallOptions) -> CallOutcome:
        with await self._admission.open_slot(request, options) as slot:
            return await self.dispatcher.dispatch_call(request, slot)

    def start(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

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

    def _newest(self, user_id: str) -> Page | None:
        pages = self._pages.get(user_id)
        return next(reversed(pages.values())) if pages else None

    def _tell_waiting(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _read_on(self, socket: _Socket) -> None:
        while socket.inbox and not socket.is_busy:
            kind, payload = socket.inbox.popleft()
            if kind == "hello":
                self._handle_hello(socket, payload)
            elif kind == "ack":
                self.dispatcher.accept_call(socket.link.sid, Accepted.model_validate(payload))
            elif kind == "result":
                result = Result.model_validate(payload)
                self.dispatcher.take_report(socket.user_id, socket.link.sid, result)
                self._owe_receipt(socket, result.call_id)
            elif kind == "decision":
                socket.is_busy = True
                self.start(self._decided(socket, Decision.model_validate(payload)))

    async def _decided(self, socket: _Socket, decision: Decision) -> None:
        reply = await self.dispatcher.apply_decision(socket.link.sid, decision)
        if self.is_dead:
            return
        said = "awaiting slot" if reply.awaiting_slot else str(reply.may_begin)
        answer = reply.model_dump() | {"call_id": decision.call_id}
        socket.link.send("page", "reply", answer, f"{self.around.name(decision.call_id)} {said}")
        socket.is_busy = False
        self._read_on(socket)

    def _handle_hello(self, socket: _Socket, hello: dict[str, Any]) -> None:
        sid = socket.link.sid
        page = Page(sid, socket.device_id, hello["instance"], hello["epoch"])
        self._pages.setdefault(socket.user_id, {})[sid] = page
        self.around.page_came(socket.user_id)
        alive, listed = frozenset(hello["alive"]), dict(hello["calls"])
        ended = self.dispatcher.reconcile_page(socket.user_id, page, alive, listed)
        self._tell_waiting()
        socket.link.send("page", "welcome", ended, f"ended: {len(ended)}")

    def _owe_receipt(self, socket: _Socket, call_id: str) -> None:
        socket.owed.append(call_id)
        if len(socket.owed) == 1:
            self.around.later(RECEIPT_DELAY_S, lambda: self._receipt(socket))

    def _receipt(self, socket: _Socket) -> None:
        owed, socket.owed = socket.owed, []
        if not self.is_dead:
            names = ", ".join(map(self.around.name, owed))
            socket.link.send("page", "receipt", owed, names)
