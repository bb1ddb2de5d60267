"""The gateway to the pages of all users, over Socket.IO.

Implements the dispatcher's `Browser` port. A page is eligible for calls from its handshake until its
socket closes; the newest page of a user gets the calls. This is one of the three boundaries that catch every
exception: whatever a page sends, it gets a typed answer and disturbs nobody else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import CoroutineType
from typing import Any, Protocol, cast

import socketio
from aiohttp import web
from pydantic import ValidationError
from socketio.exceptions import ConnectionRefusedError as RefusedConnection

from bridge.auth.identity import Caller, Identity
from bridge.browser_protocol import (
    EVENT_BEAT,
    EVENT_CALL,
    EVENT_CANCEL,
    EVENT_DECISION,
    EVENT_HELLO,
    EVENT_MOVED,
    EVENT_RESULT,
    EVENT_SLOT,
    EVENT_VISIBILITY,
    EVENT_WELCOME,
    FILE_BYTES,
    INLINE_RESULT_BYTES,
    OTHER_VERSION,
    PROTOCOL,
    RESULT_BYTES,
    SOCKET_MESSAGE_BYTES,
    Accepted,
    Decision,
    DecisionReply,
    Hello,
    Result,
    Visibility,
)
from bridge.browsers.announcements import Announcements
from bridge.browsers.connected_pages import ConnectedPages
from bridge.browsers.device_routing import DeviceChoices
from bridge.browsers.heartbeats import BEAT_S, SLOW_CHARS_PER_S, beat_pages, silence_before
from bridge.browsers.message_budget import HANDSHAKE, MessageBudget
from bridge.browsers.page_messages import envelope_of, read_ack, unreadable_report
from bridge.browsers.page_socket import (
    PING_INTERVAL_S,
    PING_TIMEOUT_S,
    MakeSocket,
    PageSocket,
    SharedBySockets,
    page_socket_of,
)
from bridge.browsers.page_writer import Records
from bridge.browsers.socket_io import JsonPacket, WireJson, library_log, use_sockets
from bridge.browsers.unread_messages import AllUnread
from bridge.calls.approvals import Approvals
from bridge.calls.clock import Alarms
from bridge.calls.open_call import Confirmation, OpenCall, Page
from bridge.catalog.registry import Registry
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.heap import PageHeap
from bridge.tasks import Tasks, sleep_safely

SOCKET_PATH = "/ws/socket.io"
"""Path of the socket; the same as in Open WebUI, so that either side can be swapped."""

CLOSING_S = 1.0
"""Seconds that a page has to hang up when told to; it takes milliseconds, and a frozen page never does."""

POLL_S = 0.02
"""Seconds between two looks at whether every page has hung up."""

READERS = 4
"""Sockets for which the database is read at the same time: more would open connections to it, only to close
them again, and with them every call that looks something up would wait behind a crowd that comes back."""

MAX_BUDGETS = 10_000
"""Maximum number of users, including those whose pages are gone, whose message budget is remembered."""

_UNRECORDED = "The call was not sent, because the bridge could not record it first. See the bridge's log."

_log = logging.getLogger(__name__)

FindRoute = Callable[[str], Awaitable[str | None]]
"""Tells of a user where its pages belong: here (None), or where the routing value leads to that it returns.

May make the user at home here. Raises `BridgeError`, `cluster_unavailable`.
"""


class CallListener(Protocol):
    """Receives what pages report about calls: the dispatcher."""

    def accept_call(self, sid: str, accepted: Accepted) -> None:
        """Handle a page's acknowledgement of a call."""
        ...

    async def apply_decision(self, sid: str, decision: Decision) -> DecisionReply:
        """Handle a page's report of what its user decided about a call."""
        ...

    def take_report(self, user_id: str, sid: str, result: Result) -> Confirmation | None:
        """Handle a page's report of how a call ended; its receipt waits for what this returns."""
        ...

    def abandon_session(self, sid: str) -> None:
        """Handle the end of a page's socket."""
        ...

    def reconcile_page(
        self, user_id: str, page: Page, alive: frozenset[str], listed: Mapping[str, str]
    ) -> list[str]:
        """Compare the calls that a page lists in its handshake; returns those that have ended."""
        ...


class BrowserGateway:
    """All connected pages."""

    def __init__(
        self,
        identity: Identity,
        choices: DeviceChoices,
        approvals: Approvals,
        tasks: Tasks,
        records: Records,
        *,
        own_origins: list[str],
        make_socket: MakeSocket,
        ack_s: float,
        find_route: FindRoute | None = None,
    ) -> None:
        """Pages may connect from `own_origins` only; an empty list would switch the check off.

        `records`: the journal, which writes together what is sent and reported at the same time.
        `make_socket`: the kind of the pages' sockets. `ack_s`: as in `Timings`. `find_route`: of a replica,
        which accepts only sockets of users who are at home in it.
        """
        self._identity = identity
        self._approvals = approvals
        self._tasks = tasks
        self._callers: dict[str, Caller] = {}
        self._sockets: dict[str, PageSocket] = {}
        self._budgets: dict[str, MessageBudget] = {}
        self._awaited_acks = Alarms()
        """By call."""
        self._listener: CallListener | None = None
        self._registry: Registry | None = None
        self._ack_s = ack_s
        self._find_route = find_route
        self._has_beats = False
        self._readers = asyncio.Semaphore(READERS)
        self._heap = PageHeap()
        self.unread = AllUnread()
        self._sio = socketio.AsyncServer(
            async_mode="aiohttp",
            json=WireJson,
            serializer=JsonPacket,
            async_handlers=False,
            cors_allowed_origins=own_origins,
            transports=["websocket"],
            max_http_buffer_size=SOCKET_MESSAGE_BYTES,
            ping_interval=PING_INTERVAL_S,
            ping_timeout=PING_TIMEOUT_S,
            monitor_clients=False,
            logger=library_log(),
            engineio_logger=library_log(),
        )
        shared = SharedBySockets(self.unread, Alarms(), tasks, records)
        use_sockets(self._sio, partial(make_socket, shared=shared))
        self.pages = ConnectedPages(choices)
        self.announcements = Announcements(self.pages, self._send)
        self._sio.on("connect", self._handle_connect)
        self._sio.on("disconnect", self._handle_disconnect)
        self._sio.on(EVENT_HELLO, self._handle_hello)
        self._sio.on(EVENT_RESULT, self._handle_result)
        self._sio.on(EVENT_DECISION, self._handle_decision)
        self._sio.on(EVENT_VISIBILITY, self._handle_visibility)

    def attach_socket(self, app: web.Application, listener: CallListener, registry: Registry) -> None:
        """Serve the socket at `SOCKET_PATH` of `app`, and pass to `listener` what pages report.

        `registry` knows the revision of what a page was shown before it connected.
        """
        self._listener, self._registry = listener, registry
        self._sio.attach(app, socketio_path=SOCKET_PATH.lstrip("/"))

    async def route_to(self, user_id: str) -> str | None:
        """Return what leads to the user's home in another replica; None: it is here. See `FindRoute`."""
        return None if self._find_route is None else await self._find_route(user_id)

    def start_beats(self, *, every_s: float = BEAT_S) -> None:
        """Tell all pages from now on, each second, that this replica lives; each is told to expect it."""
        self._has_beats = True
        sockets = self._sockets
        beat = partial(beat_pages, lambda: [socket.writer for socket in sockets.values()], every_s)
        self._tasks.keep_running(beat, "beats of pages")

    def page_for(self, user_id: str, origin: str, server_id: str) -> CoroutineType[Any, Any, Page | None]:
        """See `ConnectedPages.choose_page`."""
        return self.pages.choose_page(user_id, origin, server_id)

    async def next_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        """See `ConnectedPages.wait_for_page`; waits up to `HANDOVER_S` or `resume_s`."""
        return await self.pages.wait_for_page(user_id, origin, server_id, resume_s)

    def calls_changed(self, user_id: str) -> None:
        """See `Announcements.calls_changed`."""
        self.announcements.calls_changed(user_id)

    async def send_call(self, call: OpenCall) -> None:
        """Emit `execute:tool` in Open WebUI's envelope with our extension under `bridge`."""
        sid = call.sid
        if sid is None:
            raise ValueError("A call is sent to a page that was chosen for it.")

        if (socket := self._sockets.get(sid)) is None:
            return
        chars = len(call.request.arguments_text)
        since = asyncio.get_running_loop().time()
        self._expect_ack(sid, call.call_id, since, self._ack_s + chars / SLOW_CHARS_PER_S)
        socket.reader.add_call_allowance()
        if self._has_beats and (silence_s := silence_before(chars)) is not None:
            socket.writer.send_event(EVENT_BEAT, {"silence_s": silence_s})
        socket.writer.send_event(EVENT_CALL, envelope_of(call), of_call=call.call_id)

    def _expect_ack(self, sid: str, call_id: str, since: float, patience_s: float) -> None:
        """Disconnect the page unless it acknowledges a call, or anything is heard of it, in time."""
        look = partial(self._look_for_ack, sid, call_id, since, patience_s)
        self._awaited_acks.set_alarm(call_id, since + patience_s, look)

    def _look_for_ack(self, sid: str, call_id: str, since: float, patience_s: float) -> None:
        if (socket := self._sockets.get(sid)) is None:
            return
        if (heard_at := socket.reader.heard_at) > since:
            self._expect_ack(sid, call_id, heard_at, patience_s)
        else:
            _log.warning("A page is disconnected because it did not acknowledge a call: it is frozen.")
            socket.cut_connection()

    def decline_unrecorded(self, call_ids: Sequence[str]) -> None:
        """Withdraw calls that cannot be recorded, and decline each in its page's place: it is sent again."""
        withdrawn = [
            (sid, call_id)
            for call_id in call_ids
            for sid, socket in self._sockets.items()
            if socket.writer.withdraw_call(call_id)
        ]
        for sid, call_id in withdrawn:
            self._awaited_acks.cancel_alarm(call_id)
            if self._listener is not None:
                error = WireError(code=ErrorCode.NO_BROWSER, message=_UNRECORDED, retryable=True)
                self._listener.accept_call(sid, Accepted(call_id=call_id, error=error))

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        """Emit `cancel:tool`."""
        self._send(sid, EVENT_CANCEL, {"call_id": call_id, "reason": reason})

    async def announce_slot(self, sid: str, call_id: str) -> None:
        """Emit `bridge:slot`."""
        self._send(sid, EVENT_SLOT, {"call_id": call_id})

    async def announce_approvals(self, user_id: str) -> None:
        """Announce to the pages of a user which calls they have to ask about now."""
        await self.announcements.approvals_changed(user_id, await self._approvals.mode_of_user(user_id))

    async def move_user(self, user_id: str) -> None:
        """Tell a user's pages that the user's home is elsewhere from now on, and disconnect them.

        They connect again at once; their open calls end as those of any page that is lost.
        """
        for sid in [sid for sid, caller in self._callers.items() if caller.user.id == user_id]:
            self._send(sid, EVENT_MOVED, {})
            await self._hang_up(sid)

    def device_ids(self) -> frozenset[str]:
        """Return the browsers of all sockets, also of those that have not said hello."""
        return frozenset(caller.device_id for caller in self._callers.values() if caller.device_id)

    async def disconnect_device(self, device_id: str) -> None:
        """Disconnect every socket of a browser that was removed; its open calls end with it.

        The browser is asked to hang up first, and has `CLOSING_S` to do so.
        """
        for sid in [sid for sid, caller in self._callers.items() if caller.device_id == device_id]:
            await self._hang_up(sid)

    async def close_sockets(self) -> None:
        """Disconnect every page, and wait up to `CLOSING_S` for them to hang up.

        Once aiohttp shuts down, it reads nothing more, and a socket that is still open delays it up to its
        timeout.
        """
        async with asyncio.TaskGroup() as group:
            for sid in list(self._callers):
                group.create_task(self._hang_up(sid), name=f"hang up {sid}")
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                while self._sio.eio.sockets:
                    await sleep_safely(POLL_S)
        await self._sio.shutdown()

    async def _hang_up(self, sid: str) -> None:
        """Ask a page to hang up, after what it was sent before; one that does not read is cut off."""
        if (socket := self._sockets.get(sid)) is not None:
            asyncio.get_running_loop().call_later(CLOSING_S, socket.cut_connection)
        await self._sio.disconnect(sid)

    async def _handle_connect(self, sid: str, environ: dict[str, Any], auth: Any) -> None:
        said = cast("dict[str, Any]", auth) if isinstance(auth, dict) else {}
        try:
            async with self._readers:
                caller = await self._identity.caller_of_session(token := str(said.get("token")))
            if self._find_route is not None:
                await self._refuse_strangers(caller.user.id, self._find_route)
                # A browser that was removed meanwhile was not among `device_ids`.
                caller = await self._identity.caller_of_session(token)
        except BridgeError as error:
            raise RefusedConnection(error.error.message, error.error.model_dump(mode="json")) from None
        self._callers[sid] = caller
        self._sockets[sid] = page_socket_of(environ)
        environ.clear()  # the library keeps it as long as the page is connected
        self._sockets[sid].mark_authenticated(sid, caller.user.id, self._budget_of(caller.user.id), self)
        if (hello := said.get("hello")) is not None:  # answered when the library has confirmed the connection
            self._tasks.start_task(self._welcome_page(sid, hello), f"welcome {sid}")

    async def _refuse_strangers(self, user_id: str, find_route: FindRoute) -> None:
        if (route := await find_route(user_id)) is None:
            return
        message = "The user is at home in another replica."
        raise BridgeError(ErrorCode.WRONG_REPLICA, message, detail={"route": route}, retryable=True)

    async def _welcome_page(self, sid: str, hello: object) -> None:
        """Answer the handshake that came with a connection, or else disconnect: then the page tries again."""
        if (socket := self._sockets.get(sid)) is None:
            return
        is_welcome = False
        try:
            self._send(sid, EVENT_WELCOME, await self._handle_hello(sid, hello))
            is_welcome = True
        finally:
            if not is_welcome:
                socket.cut_connection()

    def _budget_of(self, user_id: str) -> MessageBudget:
        """Return the budget of all of a user's sockets, past ones too: reconnecting does not refill it."""
        budget = self._budgets.pop(user_id, None) or MessageBudget()
        self._budgets[user_id] = budget
        if len(self._budgets) > MAX_BUDGETS:
            del self._budgets[next(iter(self._budgets))]
        return budget

    async def _handle_disconnect(self, sid: str, _reason: str) -> None:
        caller = self._callers.pop(sid, None)
        self._sockets.pop(sid, None)
        self.announcements.forget_socket(sid)
        if caller is None:
            return
        self.pages.remove_socket(caller.user.id, sid)
        self._heap.page_left(len(self._callers))
        self._announce_page(caller.user.id)
        if self._listener is not None:
            self._listener.abandon_session(sid)

    async def _handle_hello(self, sid: str, payload: Any = None) -> dict[str, Any]:
        self._sockets[sid].reader.charge_budget(HANDSHAKE)
        try:
            hello = Hello.model_validate(payload)
        except ValidationError as error:
            return _error_answer(
                ErrorCode.INVALID_REQUEST, f"This bridge:hello cannot be read: {error.errors()[0]['msg']}."
            )
        if hello.protocol != PROTOCOL:
            return _error_answer(ErrorCode.INVALID_REQUEST, OTHER_VERSION)
        caller = self._callers[sid]
        async with self._readers:
            mode = await self._approvals.mode_of_user(caller.user.id)
            revision = await self._revision_of(caller.user.id)
        # The socket may have closed while the database was asked, and a page added now would stay for ever.
        if self._callers.get(sid) is not caller:
            return _error_answer(ErrorCode.UNAUTHORIZED, "This connection has ended.")
        page = Page(sid, caller.device_id, hello.instance, hello.whole_epoch, hello.plan_version)
        self.pages.add_page(caller.user.id, page, hello)
        self._sockets[sid].mark_ready()
        self._heap.page_greeted()
        ended = self._ended_calls(caller, page, hello)
        self._announce_page(caller.user.id)
        limits = {
            "inline_result_bytes": INLINE_RESULT_BYTES,
            "result_bytes": RESULT_BYTES,
            "file_bytes": FILE_BYTES,
        }
        return {
            "protocol": PROTOCOL,
            "user": caller.user.name,
            "limits": limits,
            "approval_mode": mode,
            "ended_calls": ended,
            "revision": revision,
        } | ({"beat_s": BEAT_S} if self._has_beats else {})

    async def _revision_of(self, user_id: str) -> str:
        return "" if self._registry is None else (await self._registry.view_of_user(user_id)).revision

    def _ended_calls(self, caller: Caller, page: Page, hello: Hello) -> list[str]:
        if self._listener is None:
            return []
        listed: dict[str, str] = {call.call_id: call.state for call in hello.calls}
        return self._listener.reconcile_page(caller.user.id, page, frozenset(hello.alive), listed)

    async def _handle_visibility(self, sid: str, payload: Any = None) -> None:
        """Handle a page that came to the front or went to the back."""
        user_id = self._callers[sid].user.id
        try:
            seen = Visibility.model_validate(payload)
        except ValidationError:
            return
        if self.pages.change_visibility(user_id, sid, seen):
            self.announcements.presence_changed(user_id)

    async def _handle_result(self, sid: str, payload: Any = None) -> None:
        """Handle a result whose page asks for an acknowledgement; ours do not."""
        self.take_result(sid, payload)

    def take_result(self, sid: str, payload: Any = None) -> None:
        """Handle a page's report of how a call ended: see `Reports`."""
        caller = self._callers.get(sid)
        try:
            result = Result.model_validate(payload)
        except ValidationError as error:
            result = unreadable_report(payload, error)
        if result is None or self._listener is None or caller is None:
            return
        # A page forgets a result when it has its receipt, so the receipt waits until the result is stored.
        confirmation = self._listener.take_report(caller.user.id, sid, result)
        if confirmation is None:
            self.announcements.schedule_receipt(sid, result.call_id)
        else:
            confirmation.add_done_callback(partial(self._send_receipt, sid, result.call_id))

    def _send_receipt(self, sid: str, call_id: str, confirmation: Confirmation) -> None:
        """Tell a page, if it is still there, that its report is stored; else it reports again."""
        is_stored = not confirmation.cancelled() and confirmation.result().is_stored
        if is_stored and sid in self._callers:
            self.announcements.schedule_receipt(sid, call_id)

    async def _handle_decision(self, sid: str, payload: Any = None) -> dict[str, Any]:
        try:
            decision = Decision.model_validate(payload)
        except ValidationError as error:
            problem = error.errors()[0]["msg"]
            return _error_answer(
                ErrorCode.INVALID_REQUEST, f"This bridge:decision cannot be read: {problem}."
            )
        reply = (
            await self._listener.apply_decision(sid, decision)
            if self._listener is not None
            else DecisionReply(may_begin=False)
        )
        return reply.model_dump()

    def take_ack(self, sid: str, call_id: str, arguments: list[Any]) -> None:
        """Handle a page's acknowledgement of a call: see `Reports`. That of a closed socket never comes."""
        self._awaited_acks.cancel_alarm(call_id)
        caller = self._callers.get(sid)
        if caller is None or self._listener is None:
            return
        answer = read_ack(call_id, arguments)
        if isinstance(answer, Accepted):
            self._listener.accept_call(sid, answer)
        else:
            self._listener.take_report(caller.user.id, sid, answer)

    def _announce_page(self, user_id: str) -> None:
        """Wake the calls that wait for a page of the user, and announce the change to the user's pages."""
        self.pages.wake_waiters(user_id)
        self.announcements.presence_changed(user_id)

    def _send(self, sid: str, event: str, data: object) -> None:
        if (socket := self._sockets.get(sid)) is not None:
            socket.writer.send_event(event, data)


def _error_answer(code: ErrorCode, message: str) -> dict[str, Any]:
    return {"error": WireError(code=code, message=message).model_dump(mode="json")}
