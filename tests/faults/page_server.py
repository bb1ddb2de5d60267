"""What one process of the bridge does for pages and callers: the real dispatcher, and a gateway around it."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from bridge.browser_protocol import Accepted, Decision, Result
from bridge.calls.admission import AdmissionControl, Controls
from bridge.calls.call_ids import CallIds
from bridge.calls.call_watch import CallObservers
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.open_call import Confirmation, OpenCall, Page
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import Journal
from bridge.calls.request import CallOptions, CallRequest
from bridge.settings.approvals import DEFAULT_APPROVAL_S
from tests.faults.link import Link
from tests.faults.plan import Kind
from tests.support.calls.fake_browser import FakeDecisions
from toolserver.answer.result import TextBody

RECEIPT_DELAY_S = 0.05


class ServerSurroundings(Protocol):
    """What a bridge needs of its world."""

    def now(self) -> float: ...
    def later(self, delay: float, action: Callable[[], None]) -> None: ...
    def note(self, text: str) -> None: ...
    def name(self, call_id: str) -> str: ...
    def controls(self) -> Controls: ...
    def last_page_left(self, calls: Iterable[OpenCall]) -> None:
        """The only page of a user is gone, which might be sending the requests of these calls."""
        ...

    def page_came(self, user_id: str) -> None: ...


@dataclass
class PageSocket:
    """A connection and what waits to be read from it: one message at a time, as the gateway does."""

    user_id: str
    device_id: str
    link: Link
    page: Page | None = None
    inbox: deque[tuple[Kind, Any]] = field(default_factory=deque[tuple[Kind, Any]])
    is_busy: bool = False
    owed: list[str] = field(default_factory=list[str])


class PageServer:
    """Serves pages and callers. Follows `bridge/browsers/gateway.py`."""

    def __init__(
        self,
        journal: Journal,
        around: ServerSurroundings,
        *,
        approval_s: float = DEFAULT_APPROVAL_S,
        observers: CallObservers | None = None,
    ) -> None:
        self.around = around
        self.is_dead = False
        self.dispatcher = Dispatcher(
            self,
            journal,
            FakeDecisions(),
            CallIds(b"secret"),
            no_browser_message="Open the page.",
            approval_s=approval_s,
            observers=observers,
        )
        self._admission = AdmissionControl(around.controls())
        self._sockets: dict[str, PageSocket] = {}
        self._pages: dict[str, dict[str, Page]] = {}
        self._left_at: dict[str, float] = {}
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()

    # The dispatcher's port

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        return self._newest(user_id)

    async def next_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        page = self._newest(user_id)
        patience = 0.0 if page else self.patience_s(user_id, resume_s)
        if page is None and patience > 0:
            try:
                async with asyncio.timeout(patience):
                    while page is None:
                        await self._changed.wait()
                        page = self._newest(user_id)
            except TimeoutError:
                return None
        return page

    def patience_s(self, user_id: str, resume_s: float) -> float:
        """How long a call waits for a page of a user who has none."""
        return self._left_at.get(user_id, -99.0) + resume_s - self.around.now()

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
        self.send_message(socket, "call", message, self.around.name(call.call_id))

    def send_message(self, socket: PageSocket, kind: Kind, payload: Any, about: str) -> None:
        """Send a message to a page, after all before it."""
        socket.link.send("page", kind, payload, about)

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        if sid in self._sockets and not self.is_dead:
            about = f"{self.around.name(call_id)} ({reason})"
            self.send_message(self._sockets[sid], "cancel", call_id, about)

    async def announce_slot(self, sid: str, call_id: str) -> None:
        if sid in self._sockets and not self.is_dead:
            self.send_message(self._sockets[sid], "slot", call_id, self.around.name(call_id))

    def calls_changed(self, user_id: str) -> None: ...

    # What pages do

    def connected(self, link: Link, user_id: str, device_id: str) -> None:
        self._sockets[link.sid] = PageSocket(user_id, device_id, link)

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

    def _newest(self, user_id: str) -> Page | None:
        pages = self._pages.get(user_id)
        return next(reversed(pages.values())) if pages else None

    def _tell_waiting(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _read_on(self, socket: PageSocket) -> None:
        while socket.inbox and not socket.is_busy:
            kind, payload = socket.inbox.popleft()
            if kind == "hello":
                self._handle_hello(socket, payload)
            elif kind == "ack":
                self.dispatcher.accept_call(socket.link.sid, Accepted.model_validate(payload))
            elif kind == "result":
                result = Result.model_validate(payload)
                confirmation = self.dispatcher.take_report(socket.user_id, socket.link.sid, result)
                if confirmation is None:
                    self._owe_receipt(socket, result.call_id)
                else:
                    confirmation.add_done_callback(partial(self._confirm, socket, result.call_id))
            elif kind == "decision":
                socket.is_busy = True
                self.start(self._decided(socket, Decision.model_validate(payload)))

    async def _decided(self, socket: PageSocket, decision: Decision) -> None:
        reply = await self.dispatcher.apply_decision(socket.link.sid, decision)
        if self.is_dead:
            return
        said = "awaiting slot" if reply.awaiting_slot else str(reply.may_begin)
        answer = reply.model_dump() | {"call_id": decision.call_id}
        socket.link.send("page", "reply", answer, f"{self.around.name(decision.call_id)} {said}")
        socket.is_busy = False
        self._read_on(socket)

    def _handle_hello(self, socket: PageSocket, hello: dict[str, Any]) -> None:
        sid = socket.link.sid
        page = Page(sid, socket.device_id, hello["instance"], hello["epoch"])
        self._pages.setdefault(socket.user_id, {})[sid] = page
        self.around.page_came(socket.user_id)
        alive, listed = frozenset(hello["alive"]), dict(hello["calls"])
        ended = self.dispatcher.reconcile_page(socket.user_id, page, alive, listed)
        self._tell_waiting()
        socket.link.send("page", "welcome", ended, f"ended: {len(ended)}")

    def _confirm(self, socket: PageSocket, call_id: str, confirmation: Confirmation) -> None:
        if not confirmation.cancelled() and confirmation.result().is_stored:
            self._owe_receipt(socket, call_id)

    def _owe_receipt(self, socket: PageSocket, call_id: str) -> None:
        socket.owed.append(call_id)
        if len(socket.owed) == 1:
            self.around.later(RECEIPT_DELAY_S, lambda: self._receipt(socket))

    def _receipt(self, socket: PageSocket) -> None:
        owed, socket.owed = socket.owed, []
        if not self.is_dead:
            names = ", ".join(map(self.around.name, owed))
            socket.link.send("page", "receipt", owed, names)
