"""The pages of all users, over Socket.IO.

Implements the dispatcher's `Browser` port. A page is eligible for calls from its `bridge:hello` until its
socket closes; the newest page of a user gets the calls. One of the three boundaries that catch everything:
whatever a page sends, it gets a typed answer and disturbs nobody else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, cast

import socketio
from aiohttp import web
from pydantic import ValidationError
from socketio.exceptions import ConnectionRefusedError as RefusedConnection

from bridge.auth.identity import Caller, Identity
from bridge.browser_protocol import (
    EVENT_APPROVALS,
    EVENT_BREAKERS,
    EVENT_CALL,
    EVENT_CALLS,
    EVENT_CANCEL,
    EVENT_DECISION,
    EVENT_DEVICES,
    EVENT_HELLO,
    EVENT_RECEIPT,
    EVENT_RESULT,
    EVENT_SERVERS,
    EVENT_TURN,
    EVENT_VISIBILITY,
    FILE_BYTES,
    INLINE_RESULT_BYTES,
    PROTOCOL,
    RESULT_BYTES,
    SOCKET_MESSAGE_BYTES,
    Accepted,
    BridgeError,
    Decision,
    ErrorCode,
    Go,
    Hello,
    Result,
    Visibility,
    WireError,
)
from bridge.browsers.device_routing import DeviceChoices, Presence, prefer
from bridge.browsers.page_messages import envelope_of, unreadable_report
from bridge.browsers.socket_io import (
    JsonPacket,
    OnePageSender,
    PageSocket,
    WireJson,
    library_log,
    page_socket_of,
    use_page_sockets,
)
from bridge.calls.approvals import Approvals
from bridge.calls.dispatcher import CARD_RESUME_S
from bridge.calls.open_call import OpenCall, Page
from bridge.limits.message_budget import GREETING, MessageBudget
from bridge.tasks import Tasks, pause

SOCKET_PATH = "/ws/socket.io"
"""Where Open WebUI has it, so that either side can be swapped."""

PING_INTERVAL_S = 25
PING_TIMEOUT_S = 20
"""Engine.IO's own defaults: a frozen page is noticed after 20 to 45 s (measured in Chromium)."""

PING_TIMEOUT = "ping timeout"
"""Why a socket has ended, as python-engineio says it."""

HANDOVER_S = 3.0
"""How long a call waits for a page that may reach its origin while another page is open; a new worker takes a
fraction of a second."""

CLOSING_S = 1.0
"""A page hangs up within milliseconds of being told; a frozen one never does."""

GLANCE_S = 0.02

ANNOUNCE_DELAY_S = 0.25
"""Pages hear so much later that calls wait for their turn, or that a browser came, went or was active: what
is over by then is not worth a message."""

MAX_BUDGETS = 10_000
"""Users whose pages were there lately, and what they may say at once."""

RECEIPT_DELAY_S = 0.05
"""Receipts of results are batched for so long (ruling 6)."""

_log = logging.getLogger(__name__)


class CallListener(Protocol):
    """Who is told what pages say about calls: the dispatcher."""

    def accept(self, sid: str, accepted: Accepted) -> None:
        """A page acknowledged a call."""
        ...

    async def decide(self, sid: str, decision: Decision) -> Go:
        """A page reported what its user said of a call."""
        ...

    def report(self, user_id: str, sid: str, result: Result) -> None:
        """A page reported how a call ended."""
        ...

    def abandon_session(self, sid: str) -> None:
        """A page's socket closed."""
        ...

    def reconcile(
        self, user_id: str, page: Page, alive: frozenset[str], listed: Mapping[str, str]
    ) -> list[str]:
        """A page greets and lists its calls; gives those that have ended."""
        ...


@dataclass(frozen=True, slots=True)
class _Connected:
    """A page that has greeted."""

    page: Page
    hello: Hello


class BrowserGateway:
    """All connected pages."""

    def __init__(
        self,
        identity: Identity,
        choices: DeviceChoices,
        approvals: Approvals,
        tasks: Tasks,
        own_origins: list[str],
    ) -> None:
        """Pages may connect from `own_origins` only; an empty list would switch the check off."""
        self._identity = identity
        self._choices = choices
        self._approvals = approvals
        self._tasks = tasks
        self._callers: dict[str, Caller] = {}
        self._pages_of_user: dict[str, dict[str, _Connected]] = {}
        self._left_at: dict[str, float] = {}
        self._sockets: dict[str, PageSocket] = {}
        self._budgets: dict[str, MessageBudget] = {}
        self._changes_of_pages: dict[str, asyncio.Event] = {}
        """By user, where somebody waits for one of the user's pages."""
        self._receipts: dict[str, list[str]] = {}
        self._announced_soon: set[tuple[str, str]] = set()
        """Events and users."""
        self._listener: CallListener | None = None
        self._sio = socketio.AsyncServer(
            async_mode="aiohttp",
            json=WireJson,
            serializer=JsonPacket,
            client_manager=OnePageSender(),
            async_handlers=False,
            cors_allowed_origins=own_origins,
            transports=["websocket"],
            max_http_buffer_size=SOCKET_MESSAGE_BYTES,
            ping_interval=PING_INTERVAL_S,
            ping_timeout=PING_TIMEOUT_S,
            logger=library_log(),
            engineio_logger=library_log(),
        )
        use_page_sockets(self._sio)
        self._sio.on("connect", self._connected)
        self._sio.on("disconnect", self._disconnected)
        self._sio.on(EVENT_HELLO, self._greeted)
        self._sio.on(EVENT_RESULT, self._reported)
        self._sio.on(EVENT_DECISION, self._decided)
        self._sio.on(EVENT_VISIBILITY, self._looked_at)

    def attach(self, app: web.Application, listener: CallListener) -> None:
        """Serve the socket at `SOCKET_PATH` of `app` and tell `listener` what pages report."""
        self._listener = listener
        self._sio.attach(app, socketio_path=SOCKET_PATH.lstrip("/"))

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        """A user's page that may reach `origin`: in the server's chosen browser, else the last active."""
        chosen = (await self._choices.of(user_id)).get(server_id)
        return self._able_page(user_id, origin, chosen)

    async def next_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        """The page that comes, or the last active one.

        After an acceptance the page starts a worker with a wider content policy; it is waited for up to
        `HANDOVER_S` before the call goes to a page that will say that its policy forbids it. A page that left
        is waited for until `resume_s` after that: it is being reloaded, or its network stumbles.
        """
        page = await self.page_for(user_id, origin, server_id)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s(user_id, resume_s)):
                while page is None:
                    change = self._changes_of_pages.setdefault(user_id, asyncio.Event())
                    page = await self.page_for(user_id, origin, server_id)
                    if page is None:  # nor has it come while that was looked up
                        await change.wait()
        return page or self.newest_page(user_id)

    def _patience_s(self, user_id: str, resume_s: float) -> float:
        if self.page_count(user_id) > 0:
            return HANDOVER_S
        left_at = self._left_at.get(user_id)
        return 0.0 if left_at is None else left_at + resume_s - asyncio.get_running_loop().time()

    def newest_page(self, user_id: str) -> Page | None:
        """The page of a user that was active last: said hello, or was brought to the front."""
        pages = self._pages_of_user.get(user_id)
        return next(reversed(pages.values())).page if pages else None

    def presence_of(self, user_id: str) -> list[Presence]:
        """The connected pages of a user, the one active last first."""
        pages = reversed(self._pages_of_user.get(user_id, {}).values())
        return [Presence(each.page.device_id, each.hello.visibility == "visible") for each in pages]

    def page_count(self, user_id: str) -> int:
        """How many pages of a user are connected."""
        return len(self._pages_of_user.get(user_id, ()))

    async def send_call(self, call: OpenCall) -> None:
        """Emit `execute:tool` in Open WebUI's envelope with our extension under `bridge`."""
        sid = call.sid
        if sid is None:
            raise ValueError("A call is sent to a page that was chosen for it.")

        def acknowledged(*arguments: Any) -> None:
            self._acknowledged(sid, call.call_id, arguments)

        if (socket := self._sockets.get(sid)) is not None:
            socket.sent_call()
        await self._sio.emit(EVENT_CALL, envelope_of(call), to=sid, callback=acknowledged)

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        """Emit `cancel:tool`."""
        await self._sio.emit(EVENT_CANCEL, {"call_id": call_id, "reason": reason}, to=sid)

    async def send_turn(self, sid: str, call_id: str) -> None:
        """Emit `bridge:turn`."""
        await self._sio.emit(EVENT_TURN, {"call_id": call_id}, to=sid)

    def calls_changed(self, user_id: str) -> None:
        """Tell the pages of a user, soon, that calls began to wait or wait no more."""
        self._announce_soon(EVENT_CALLS, user_id)

    def _announce_soon(self, event: str, user_id: str) -> None:
        """Tell the pages of a user `ANNOUNCE_DELAY_S` later: however often it happens, one word is enough."""
        if (event, user_id) in self._announced_soon or not self._pages_of_user.get(user_id):
            return
        self._announced_soon.add((event, user_id))
        asyncio.get_running_loop().call_later(ANNOUNCE_DELAY_S, self._start_announcing, event, user_id)

    def _start_announcing(self, event: str, user_id: str) -> None:
        self._announced_soon.discard((event, user_id))
        self._tasks.start(self._announce(event, user_id), f"{event} of {user_id}")

    async def announce_servers(self, user_id: str | None) -> None:
        """Tell the pages of one user, or of all, that the list of servers changed."""
        for user in [user_id] if user_id is not None else list(self._pages_of_user):
            await self._announce(EVENT_SERVERS, user)

    async def announce_breakers(self, user_id: str) -> None:
        """Tell the pages of a user that a breaker opened or closed."""
        await self._announce(EVENT_BREAKERS, user_id)

    async def _announce(self, event: str, user_id: str) -> None:
        for sid in list(self._pages_of_user.get(user_id, ())):
            await self._sio.emit(event, {}, to=sid)

    async def announce_devices(self, user_id: str) -> None:
        """Tell the pages of a user that a device of theirs came, went, or was active."""
        await self._announce(EVENT_DEVICES, user_id)

    async def announce_approvals(self, user_id: str) -> None:
        """Tell the pages of a user which calls they are to be asked about now."""
        mode = await self._approvals.mode(user_id)
        for sid in list(self._pages_of_user.get(user_id, ())):
            await self._sio.emit(EVENT_APPROVALS, {"approval_mode": mode}, to=sid)

    async def disconnect_device(self, device_id: str) -> None:
        """End every socket of a browser that was removed; its open calls end with it.

        The browser is told, and has `CLOSING_S` to hang up.
        """
        for sid in [sid for sid, caller in self._callers.items() if caller.device_id == device_id]:
            socket = self._sockets[sid]
            await self._sio.disconnect(sid)
            asyncio.get_running_loop().call_later(CLOSING_S, socket.cut)

    async def close(self) -> None:
        """Disconnect every page, and wait up to `CLOSING_S` until they have hung up.

        Once aiohttp shuts down it reads nothing more: a socket still open holds it up to its timeout.
        """
        for sid in list(self._callers):
            await self._sio.disconnect(sid)
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                while self._sio.eio.sockets:
                    await pause(GLANCE_S)
        await self._sio.shutdown()

    async def _connected(self, sid: str, environ: dict[str, Any], auth: Any) -> None:
        token = cast("dict[str, Any]", auth).get("token") if isinstance(auth, dict) else None
        try:
            caller = await self._identity.caller_of_session(str(token))
        except BridgeError as error:
            raise RefusedConnection(error.error.message, error.error.model_dump(mode="json")) from None
        self._callers[sid] = caller
        self._sockets[sid] = page_socket_of(environ)
        self._sockets[sid].authenticated(self._budget_of(caller.user.id))

    def _budget_of(self, user_id: str) -> MessageBudget:
        """That of all sockets of the user, also of those of before: it does not grow by hanging up."""
        budget = self._budgets.pop(user_id, None) or MessageBudget()
        self._budgets[user_id] = budget
        if len(self._budgets) > MAX_BUDGETS:
            del self._budgets[next(iter(self._budgets))]
        return budget

    async def _disconnected(self, sid: str, reason: str) -> None:
        caller = self._callers.pop(sid, None)
        socket = self._sockets.pop(sid, None)
        if socket is not None and reason == PING_TIMEOUT:
            socket.cut()  # it reads nothing either, so that no goodbye would reach it
        self._receipts.pop(sid, None)
        if caller is None:
            return
        pages = self._pages_of_user.get(caller.user.id, {})
        if pages.pop(sid, None) is not None and not pages:
            del self._pages_of_user[caller.user.id]
            self._remember_leaving(caller.user.id)
        self._tell_waiting(caller.user.id)
        self._announce_soon(EVENT_DEVICES, caller.user.id)
        if self._listener is not None:
            self._listener.abandon_session(sid)

    async def _greeted(self, sid: str, payload: Any = None) -> dict[str, Any]:
        self._sockets[sid].charge(GREETING)
        try:
            hello = Hello.model_validate(payload)
        except ValidationError as error:
            return _refusal(
                ErrorCode.INVALID_REQUEST, f"This is no bridge:hello: {error.errors()[0]['msg']}."
            )
        if hello.protocol != PROTOCOL:
            return _refusal(
                ErrorCode.INVALID_REQUEST, f"This bridge speaks protocol {PROTOCOL}. Reload the page."
            )
        caller = self._callers[sid]
        mode = await self._approvals.mode(caller.user.id)
        if self._callers.get(sid) is not caller:
            return _refusal(ErrorCode.UNAUTHORIZED, "This connection has ended.")
        page = Page(sid, caller.device_id, hello.instance, hello.epoch)
        self._pages_of_user.setdefault(caller.user.id, {})[sid] = _Connected(page, hello)
        self._sockets[sid].greeted()
        closed = self._reconciled(caller, page, hello)
        self._tell_waiting(caller.user.id)
        self._announce_soon(EVENT_DEVICES, caller.user.id)
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
            "closed": closed,
        }

    def _reconciled(self, caller: Caller, page: Page, hello: Hello) -> list[str]:
        if self._listener is None:
            return []
        listed: dict[str, str] = {call.call_id: call.state for call in hello.calls}
        return self._listener.reconcile(caller.user.id, page, frozenset(hello.alive), listed)

    async def _looked_at(self, sid: str, payload: Any = None) -> None:
        """A page came to the front or went to the back; the one in front is the one its user works with."""
        user_id = self._callers[sid].user.id
        pages = self._pages_of_user.get(user_id, {})
        try:
            visibility = Visibility.model_validate(payload).visibility
        except ValidationError:
            return
        if sid not in pages or pages[sid].hello.visibility == visibility:
            return
        hello = pages[sid].hello.model_copy(update={"visibility": visibility})
        pages[sid] = _Connected(pages[sid].page, hello)
        if visibility == "visible":
            pages[sid] = pages.pop(sid)
        self._announce_soon(EVENT_DEVICES, user_id)

    async def _reported(self, sid: str, payload: Any = None) -> None:
        try:
            result = Result.model_validate(payload)
        except ValidationError as error:
            result = unreadable_report(payload, error)
        if result is None or self._listener is None:
            return
        self._listener.report(self._callers[sid].user.id, sid, result)
        self._owe_receipt(sid, result.call_id)

    async def _decided(self, sid: str, payload: Any = None) -> dict[str, Any]:
        try:
            decision = Decision.model_validate(payload)
        except ValidationError as error:
            problem = error.errors()[0]["msg"]
            return _refusal(ErrorCode.INVALID_REQUEST, f"This is no bridge:decision: {problem}.")
        go = await self._listener.decide(sid, decision) if self._listener is not None else Go(go=False)
        return go.model_dump()

    def _acknowledged(self, sid: str, call_id: str, arguments: tuple[Any, ...]) -> None:
        try:
            accepted = Accepted.model_validate(arguments[0] if arguments else None)
        except ValidationError:
            _log.warning("A page acknowledged call %s in an unknown form.", call_id)
            return
        if accepted.call_id == call_id and self._listener is not None:
            self._listener.accept(sid, accepted)

    def _able_page(self, user_id: str, origin: str, chosen: str | None) -> Page | None:
        pages = self._pages_of_user.get(user_id, {})
        able = (each.page for each in reversed(pages.values()) if _may_reach(each.hello, origin))
        return prefer(able, chosen)

    def _remember_leaving(self, user_id: str) -> None:
        now = asyncio.get_running_loop().time()
        self._left_at = {user: at for user, at in self._left_at.items() if now - at < CARD_RESUME_S}
        self._left_at[user_id] = now

    def _tell_waiting(self, user_id: str) -> None:
        """Wake whoever waits for a page of the user; each looks again for itself."""
        if (change := self._changes_of_pages.pop(user_id, None)) is not None:
            change.set()

    def _owe_receipt(self, sid: str, call_id: str) -> None:
        owed = self._receipts.get(sid)
        if owed is not None:
            owed.append(call_id)
            return
        self._receipts[sid] = [call_id]
        asyncio.get_running_loop().call_later(RECEIPT_DELAY_S, self._start_receipts, sid)

    def _start_receipts(self, sid: str) -> None:
        call_ids = self._receipts.pop(sid, None)
        if call_ids:
            payload = {"call_ids": call_ids}
            self._tasks.start(self._sio.emit(EVENT_RECEIPT, payload, to=sid), f"receipts of {sid}")


def _may_reach(hello: Hello, origin: str) -> bool:
    return hello.origins is None or not origin or origin in hello.origins


def _refusal(code: ErrorCode, message: str) -> dict[str, Any]:
    return {"error": WireError(code=code, message=message).model_dump(mode="json")}
