"""Dispatch: one validated call to one page of its user, and its one ending.

Receives a `CallRequest` and gives a `CallOutcome`; knows deadlines, admission and cancellation. It reaches
pages only through the `Browser` port and is told what they report by `accept`, `report` and
`abandon_session`. It must not know Socket.IO, HTTP or the database. All methods run on one event loop.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from typing import Protocol

from bridge.calls import TERMINAL, CallEvent, CallState, UnexpectedEvent, next_state
from bridge.outcome import CallOutcome, doubtful_error, read_report
from bridge.wire import Accepted, ErrorCode, Result, WireError
from toolserver.result import Answered, FileBody, TextBody


@dataclass(frozen=True, slots=True)
class CallRequest:
    """One call, already looked up, accepted by its user and validated."""

    user_id: str
    tool_name: str
    server_id: str
    operation_key: str
    """For example `GET /pets/{id}`."""
    operation_digest: str
    origin: str
    """Where the request goes; empty while the document names no server."""
    safe: bool
    """GET, HEAD or OPTIONS: performing it twice does no harm."""
    arguments_text: str
    """JSON text of an object; it travels as text so that no integer is lost."""
    deadline_s: float
    chat_id: str | None = None
    message_id: str | None = None


@dataclass(slots=True)
class OpenCall:
    """A call between its first and its terminal state; owned by the dispatcher."""

    call_id: str
    request: CallRequest
    result_token: str
    """One use: authorizes the upload of this call's answer."""
    future: asyncio.Future[CallOutcome]
    sid: str | None = None
    """The page that has the call; None until one is chosen."""
    state: CallState = CallState.QUEUED
    uploaded: TextBody | FileBody | None = field(default=None)


class Browser(Protocol):
    """The pages of all users, as the dispatcher sees them."""

    async def session_for(self, user_id: str, origin: str) -> str | None:
        """Return the session id of the page that should run a call to `origin` now.

        None when no page of the user is open. A page that is just taking over newly accepted origins is
        waited for, briefly.
        """
        ...

    async def send_call(self, call: OpenCall) -> None:
        """Send `execute:tool`; the page's ack comes back through `Dispatcher.accept`."""
        ...

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        """Ask a page to abort a call; never fails and never waits for an answer."""
        ...


class Dispatcher:
    """Runs calls and owns all that are open."""

    def __init__(self, browser: Browser, *, max_open_calls_per_user: int, no_browser_message: str) -> None:
        self._browser = browser
        self._max_open = max_open_calls_per_user
        self._no_browser_message = no_browser_message
        self._open: dict[str, OpenCall] = {}
        self._open_of_user: dict[str, int] = {}

    async def run(self, request: CallRequest) -> CallOutcome:
        """Perform one call in a page of its user; at the latest after `deadline_s` it has its terminal state.

        Never raises for anything that happens to the call. Cancelling it settles the call and asks the page
        to abort its request; an unsafe request that was already sent may have been performed.
        """
        call_id = new_call_id()
        if self._open_of_user.get(request.user_id, 0) >= self._max_open:
            return _ended(call_id, CallState.FAILED, _queue_full(self._max_open))
        loop = asyncio.get_running_loop()
        call = OpenCall(call_id, request, secrets.token_urlsafe(24), loop.create_future())
        self._enter(call)
        timer = loop.call_later(request.deadline_s, self._expire, call)
        try:
            call.sid = await self._browser.session_for(request.user_id, request.origin)
            if call.sid is None:
                return _ended(call_id, CallState.FAILED, self._no_browser())
            if self._apply(call, CallEvent.SENT):
                await self._browser.send_call(call)
            outcome = await call.future
        except asyncio.CancelledError:
            self._apply(call, CallEvent.STOPPED, error=_stopped())
            await self._abort(call, "caller_gone")
            raise
        finally:
            timer.cancel()
            self._leave(call)
        if _ran_out_of_time(outcome):
            await self._abort(call, "deadline")
        return outcome

    async def _abort(self, call: OpenCall, reason: str) -> None:
        if call.sid is not None:
            await self._browser.send_cancel(call.sid, call.call_id, reason)

    def open_call(self, call_id: str) -> OpenCall | None:
        """The open call of that id, for the upload of its answer."""
        return self._open.get(call_id)

    def accept(self, sid: str, accepted: Accepted) -> None:
        """A page acknowledged `execute:tool` or refused it; acks of other sessions change nothing."""
        call = self._of_session(sid, accepted.call_id)
        if call is None:
            return
        if accepted.error is None:
            self._apply(call, CallEvent.ACCEPTED)
        else:
            self._apply(call, CallEvent.REFUSED, error=accepted.error)

    def report(self, sid: str, result: Result) -> None:
        """A page reported how a call ended. Late, doubled and foreign reports change nothing."""
        call = self._of_session(sid, result.call_id)
        if call is None:
            return
        reading = read_report(result.outcome, call.uploaded, safe=call.request.safe)
        self._apply(call, reading.event, answered=reading.answered, error=reading.error)

    def abandon_session(self, sid: str) -> None:
        """A page's socket closed: settle its open calls at once."""
        for call in [call for call in self._open.values() if call.sid == sid]:
            self._apply(call, CallEvent.PAGE_LOST, error=_page_lost())

    def stop(self) -> None:
        """The bridge is stopping: settle every open call."""
        message = "The bridge was stopped while the call was running."
        error = WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)
        for call in list(self._open.values()):
            self._apply(call, CallEvent.PAGE_LOST, error=error)

    def _apply(
        self,
        call: OpenCall,
        event: CallEvent,
        *,
        answered: Answered | None = None,
        error: WireError | None = None,
    ) -> bool:
        """Whether the table knows the event for the call's state; if not, nothing happens."""
        try:
            state = next_state(call.state, event, safe=call.request.safe)
        except UnexpectedEvent:
            return False
        if state is CallState.OUTCOME_UNKNOWN and error is not None:
            error = doubtful_error(error)
        call.state = state
        if state in TERMINAL and not call.future.done():
            call.future.set_result(CallOutcome(call.call_id, state, answered, error, call.request.server_id))
        return True

    def _expire(self, call: OpenCall) -> None:
        seconds = call.request.deadline_s
        message = f"No answer within {seconds:g} s."
        error = WireError(
            code=ErrorCode.TIMEOUT,
            message=message,
            detail={"deadline_s": seconds},
            retryable=call.request.safe,
        )
        self._apply(call, CallEvent.DEADLINE, error=error)

    def _of_session(self, sid: str, call_id: str) -> OpenCall | None:
        call = self._open.get(call_id)
        return call if call is not None and call.sid == sid else None

    def _enter(self, call: OpenCall) -> None:
        self._open[call.call_id] = call
        user_id = call.request.user_id
        self._open_of_user[user_id] = self._open_of_user.get(user_id, 0) + 1

    def _leave(self, call: OpenCall) -> None:
        del self._open[call.call_id]
        user_id = call.request.user_id
        left = self._open_of_user[user_id] - 1
        if left:
            self._open_of_user[user_id] = left
        else:
            del self._open_of_user[user_id]

    def _no_browser(self) -> WireError:
        return WireError(code=ErrorCode.NO_BROWSER, message=self._no_browser_message, retryable=True)


def new_call_id() -> str:
    """`call_` and 128 random bits in hexadecimal."""
    return f"call_{secrets.token_hex(16)}"


def _ran_out_of_time(outcome: CallOutcome) -> bool:
    if outcome.state is CallState.EXPIRED:
        return True
    return outcome.error is not None and outcome.error.detail.get("reason") == ErrorCode.TIMEOUT.value


def _ended(call_id: str, state: CallState, error: WireError) -> CallOutcome:
    return CallOutcome(call_id, state, None, error)


def _queue_full(limit: int) -> WireError:
    message = f"{limit} calls of this user are open already. Wait for one of them to end."
    return WireError(code=ErrorCode.QUEUE_FULL, message=message, detail={"limit": limit}, retryable=True)


def _page_lost() -> WireError:
    message = "The bridge page was closed, reloaded or lost its connection while the call was running."
    return WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)


def _stopped() -> WireError:
    return WireError(code=ErrorCode.CANCELLED, message="The caller went away before the call ended.")
