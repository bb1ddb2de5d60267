"""Dispatch: one validated call to a page of its user, and its one ending.

Receives a `CallRequest` and gives a `CallOutcome`; knows deadlines, approval, pages that go away and come
back, and cancellation. What may begin holds its `Turn`; a call whose user is asked does not. It reaches pages
through the `Browser` port and the database through the `Journal` port, and is told what pages say by the
methods below `cancel`. It must not know Socket.IO, HTTP or the database. All methods run on one event loop.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Literal

from bridge.browser_protocol import Accepted, Decision, DecisionReply, Result
from bridge.calls import endings
from bridge.calls.call_ids import CallIds
from bridge.calls.open_call import AbortReason, ApprovalVerdict, CallRecord, CallRequest, OpenCall, Page, Slot
from bridge.calls.outcome import CallOutcome, ReportedOutcome, doubtful_error, read_report
from bridge.calls.ports import Browser, Decisions, Journal, JournalUnavailable
from bridge.calls.state_machine import TERMINAL, CallEvent, CallState, UnexpectedEvent, next_state
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.limits.settings import DEFAULTS
from bridge.settings.bridge import DEFAULT_APPROVAL_S
from toolserver.call.result import Answered

RESUME_S = DEFAULTS.page_resume_seconds
"""How long the calls of a page wait for it when its socket closes, where `PAGE_RESUME_SECONDS` says nothing
else; its first reconnect comes after 0.2 s."""

CARD_PATIENCE = 20
"""So many times as long a call whose user was being asked waits for a page when the last one is gone: nothing
of it was begun, so a slow reload may have its card back. The time to decide goes on."""

MAX_ATTEMPTS = 2
"""Of a safe call, in all (S0-78)."""

MAX_SENDINGS = 5
"""Of one call to pages that then proved they had not begun it."""

RETRY_WAIT_S = 0.2


class Dispatcher:
    """Runs calls and owns all that are open."""

    def __init__(
        self,
        browser: Browser,
        journal: Journal,
        decisions: Decisions,
        ids: CallIds,
        *,
        no_browser_message: str,
        approval_s: float = DEFAULT_APPROVAL_S,
        resume_s: Callable[[], float] = lambda: RESUME_S,
    ) -> None:
        """`approval_s`: how long users may think about a call; `resume_s`: gives what `RESUME_S` is now."""
        self._ids = ids
        self._browser = browser
        self._journal = journal
        self._decisions = decisions
        self._approval_s = approval_s
        self._resume_s = resume_s
        self._no_browser_message = no_browser_message
        self._open: dict[str, OpenCall] = {}
        self._watchers: list[Callable[[OpenCall], None]] = []

    def on_move(self, tell: Callable[[OpenCall], None]) -> None:
        """Have told every call that is opened or comes to another state; `tell` must not fail, nor wait."""
        self._watchers.append(tell)

    async def dispatch_call(self, request: CallRequest, turn: Slot) -> CallOutcome:
        """Perform one call in a page of its user, when it is its turn.

        It has its terminal state at the latest after the wait for its turn and its deadline, plus the time
        its user takes to approve it, `approval_s` and `APPROVAL_GRACE_S` at most. Never raises for anything
        that happens to the call. Cancelling it settles the call and asks the page to abort its request; an
        unsafe request that was already begun may have been performed.
        """
        token = secrets.token_urlsafe(24)
        call = OpenCall(self._ids.make_id(request.user_id), request, token, turn, approval_s=self._approval_s)
        self._open[call.call_id] = call
        self._tell(call)
        try:
            return await self._perform(call)
        except asyncio.CancelledError:
            self.cancel_call(call.call_id, request.user_id, "caller")
            await self._abort(call)
            raise
        finally:
            call.stop_clocks()
            del self._open[call.call_id]

    async def _perform(self, call: OpenCall) -> CallOutcome:
        while call.outcome is None:
            if await self._may_go_on(call):
                call.start_counting(lambda: self._expire(call))
                if call.state is CallState.QUEUED:
                    await self._send_somewhere(call)
                elif call.awaits_go:
                    await self._call_up(call)
            await call.moved.wait()
            call.moved.clear()
        await self._abort(call)
        return call.outcome

    async def _may_go_on(self, call: OpenCall) -> bool:
        """Wait for its turn, unless its user has to be asked first; whether the call is still open then."""
        if call.approval == "needed":
            return True
        call.stop_asking()
        if self._takes_turn(call) or call.outcome is not None:
            return call.outcome is None
        if call.clock is not None:
            call.clock.hold_time()
        self._browser.calls_changed(call.request.user_id)
        try:
            await call.turn.acquire_slot()
        except BridgeError as error:
            self._turn_away(call, error.error)
        finally:
            self._browser.calls_changed(call.request.user_id)
        return call.outcome is None

    def _takes_turn(self, call: OpenCall) -> bool:
        """Whether it has its turn without waiting; if it may not run, it has ended."""
        try:
            return call.turn.acquire_now()
        except BridgeError as error:
            self._turn_away(call, error.error)
            return False

    def _turn_away(self, call: OpenCall, error: WireError) -> None:
        is_over = error.code is ErrorCode.TIMEOUT
        event = CallEvent.DEADLINE if is_over else CallEvent.TURNED_AWAY
        self._apply(call, event, error=error, abort="no_slot")

    async def _send_somewhere(self, call: OpenCall) -> None:
        request = call.request
        page = await self._browser.page_for(request.user_id, request.origin, request.server_id)
        if page is None:
            page = await self._page_in_time(call)
        if page is None:
            self._apply(call, CallEvent.PAGE_LOST, error=self._no_page(call))
        elif call.outcome is None:
            await self._send(call, page)

    async def _page_in_time(self, call: OpenCall) -> Page | None:
        """The page that comes; the end of the call ends the wait."""
        request = call.request
        resume_s = self._resume_s() * (CARD_PATIENCE if call.is_asked else 1)
        try:
            async with asyncio.timeout(None) as call.search:
                where = (request.user_id, request.origin, request.server_id)
                return await self._browser.next_page(*where, resume_s)
        except TimeoutError:
            return None
        finally:
            call.search = None

    async def _call_up(self, call: OpenCall) -> None:
        """It has its turn: its page is to ask for its go. One that is away asks when it is back."""
        if call.timer is None and call.sid is not None:
            await self._browser.announce_slot(call.sid, call.call_id)

    async def _send(self, call: OpenCall, page: Page) -> None:
        call.page = page
        begins = call.request.approval == "granted" or call.is_approved
        if not await self._written_down(call, may_begin=begins):
            return
        if call.page is not page:  # it left while the call was written down, and has never seen it
            call.moved.set()
        elif self._apply(call, CallEvent.SENT):
            call.may_begin = begins
            call.attempts += begins
            call.sendings += 1
            await self._browser.send_call(call)

    async def _written_down(self, call: OpenCall, *, may_begin: bool) -> bool:
        """Have an unsafe call in the journal before its page may begin it; if that fails, it has ended."""
        is_kept = call.sendings > 0 and call.may_begin == may_begin
        if call.request.safe or is_kept:
            return True
        try:
            await self._journal.record_opened(_record(call, may_begin=may_begin), call.left_ms / 1000)
        except JournalUnavailable:
            self._apply(call, CallEvent.TURNED_AWAY, error=endings.store_unavailable(), abort="no_slot")
            return False
        return True

    async def _abort(self, call: OpenCall) -> None:
        """Tell the page of a call that ended without it."""
        if call.abort_reason is not None and call.sid is not None and call.sendings:
            await self._browser.send_cancel(call.sid, call.call_id, call.abort_reason)

    def open_call(self, call_id: str) -> OpenCall | None:
        """The open call of that id, for the upload of its answer."""
        return self._open.get(call_id)

    def open_calls(self, user_id: str) -> list[OpenCall]:
        """A user's calls that have not ended, oldest first."""
        return [call for call in self._open.values() if call.request.user_id == user_id]

    def cancel_call(self, call_id: str, user_id: str, by: Literal["caller", "user"]) -> bool:
        """End an open call of a user; whether there was one. Its page aborts the request."""
        call = self._open.get(call_id)
        if call is None or call.request.user_id != user_id:
            return False
        reason = "caller_gone" if by == "caller" else "stopped"
        return self._apply(call, CallEvent.STOPPED, error=endings.stopped(by), abort=reason)

    def accept_call(self, sid: str, accepted: Accepted) -> None:
        """A page acknowledged `execute:tool` or refused it; acks of other sessions change nothing."""
        call = self._of_session(sid, accepted.call_id)
        if call is None:
            return
        if accepted.error is not None:
            self._refused(call, accepted.error)
        elif accepted.awaiting_approval:
            self._await_approval(call)
        else:
            call.attempts += not call.may_begin
            call.may_begin = True  # it says that it runs: whatever was asked of it, that is what counts
            if self._apply(call, CallEvent.ACCEPTED):
                call.stop_asking()
                call.start_counting(lambda: self._expire(call))

    def _refused(self, call: OpenCall, error: WireError) -> None:
        """A page that is being replaced has not begun it: the next one, perhaps still to come, gets it."""
        if error.code is not ErrorCode.NO_BROWSER:
            self._apply(call, CallEvent.REFUSED, error=error)
        elif call.state is CallState.SENT:
            self._take_back(call)
            call.declined = error
            call.start_timer(RETRY_WAIT_S, self._send_again)

    def _take_back(self, call: OpenCall) -> None:
        """Its page has not begun it and will not."""
        call.attempts -= call.may_begin
        call.may_begin = False

    async def apply_decision(self, sid: str, decision: Decision) -> DecisionReply:
        """A page reported what its user said; it begins nothing before this returned go.

        While a call has to wait for its turn there is no go; its page is told when to ask again. An approval
        is in the journal before go. Saying it again is harmless; the answer is that of the moment.
        """
        call = self._of_session(sid, decision.call_id)
        if call is None:
            return DecisionReply(may_begin=False)
        if decision.decision == "denied":
            self._refuse(call, _verdict(call, decision))
            return DecisionReply(may_begin=False)
        if call.state is not CallState.RUNNING:
            if not self._approve(call, decision):
                return DecisionReply(may_begin=False)
            if not self._takes_turn(call):
                call.moved.set()
                return DecisionReply(may_begin=False, awaiting_slot=call.outcome is None)
            if not await self._begin(call, sid):
                return DecisionReply(may_begin=False)
        return DecisionReply(may_begin=True, deadline_ms=call.left_ms)

    def _approve(self, call: OpenCall, decision: Decision) -> bool:
        if call.state not in (CallState.SENT, CallState.AWAITING_APPROVAL):
            return False
        if not call.is_approved:
            call.stop_asking()
            call.is_approved = True
            call.verdict = _verdict(call, decision)
            self._decisions.remember_decision(call.call_id, call.request, call.verdict)
        return True

    async def _begin(self, call: OpenCall, sid: str) -> bool:
        """Whether the page of that socket may begin the call now, which has its turn."""
        if not await self._written_down(call, may_begin=True):
            return False
        if call.sid != sid:  # it went to another page meanwhile, or this one came back and will say it again
            return False
        if call.state is CallState.RUNNING:  # it was said twice, and the other one was faster
            return True
        if not self._apply(call, CallEvent.APPROVED):
            return False
        call.may_begin = True
        call.attempts += 1
        call.start_counting(lambda: self._expire(call))
        return True

    def _refuse(self, call: OpenCall, verdict: ApprovalVerdict, abort: AbortReason | None = None) -> None:
        call.verdict = verdict
        error = endings.denied(verdict.reason, self._approval_s)
        if self._apply(call, CallEvent.REFUSED, error=error, abort=abort):
            self._decisions.remember_decision(call.call_id, call.request, verdict)

    def take_report(self, user_id: str, sid: str, result: Result) -> None:
        """A page reported how a call ended. Late and doubled reports go to the journal and change nothing.

        Nothing is kept of a call that another page has: what becomes of it is not known yet. Nor of one that
        was never given to this user.
        """
        call = self._of_session(sid, result.call_id)
        if call is None:
            if not self._is_open(result.call_id, user_id) and self._ids.was_made_for(result.call_id, user_id):
                self._journal.record_late(user_id, result)
            return
        reading = read_report(result.outcome, call.uploaded, safe=call.request.safe)
        if call.request.safe and call.attempts < MAX_ATTEMPTS and _may_work_next_time(reading):
            call.start_timer(RETRY_WAIT_S, self._send_again)
            return
        self._apply(call, reading.event, answered=reading.answered, error=reading.error)

    def abandon_session(self, sid: str) -> None:
        """A page's socket closed: its calls wait for it to come back."""
        for call in [call for call in self._open.values() if call.sid == sid]:
            if call.state is CallState.QUEUED:
                call.page = None
            else:
                call.start_timer(self._resume_s(), self._give_up)

    def reconcile_page(
        self, user_id: str, page: Page, alive: frozenset[str], listed: Mapping[str, str]
    ) -> list[str]:
        """A page greets, perhaps once more: settle what became of the calls that this browser had.

        `listed`: what the page says of the calls it knows (`ListedCall`); `alive`: other workers of that
        browser, whose calls are not listed. Returns the listed calls that have ended for the bridge.
        """
        for call in [call for call in self._open.values() if _is_of(call, user_id, page, alive)]:
            self._reconcile_call(call, page, listed.get(call.call_id))
        return [call_id for call_id in listed if not self._is_open(call_id, user_id)]

    def stop_calls(self) -> None:
        """The bridge is stopping: settle every open call."""
        for call in list(self._open.values()):
            self._apply(call, CallEvent.PAGE_LOST, error=endings.bridge_stopped())

    def _reconcile_call(self, call: OpenCall, page: Page, said: str | None) -> None:
        if said in ("waiting", "running", "done"):
            call.page = page
            call.stop_timer()
            if said == "waiting":
                self._await_approval(call)
        elif said == "lost":
            self._try_elsewhere(call, endings.worker_lost())
        elif call.page is not None and call.page.epoch == page.epoch and page.epoch:
            # Its journal would name every request that was begun.
            if call.request.safe:
                self._try_elsewhere(call, endings.page_lost())
            else:
                self._send_again(call)

    def _await_approval(self, call: OpenCall) -> None:
        """Not when it was told to go and has not heard it: then it will say its decision again."""
        if not self._apply(call, CallEvent.ASKED):
            return
        if call.may_begin:  # it need not have asked, but has a rule of its own
            self._take_back(call)
            call.is_approved = False
            call.turn.release_slot()
        if not call.is_approved:
            call.start_asking(lambda: self._no_answer(call))

    def _no_answer(self, call: OpenCall) -> None:
        """The bridge's own patience is over: its page has not said that the time passed."""
        self._refuse(call, ApprovalVerdict("denied", "no_answer", None, time.time()), abort="no_answer")

    def _give_up(self, call: OpenCall) -> None:
        self._try_elsewhere(call, endings.page_lost())

    def _try_elsewhere(self, call: OpenCall, error: WireError) -> None:
        """The page is lost to the call: another try, if that cannot do anything twice."""
        if not call.in_doubt and call.attempts < MAX_ATTEMPTS:
            self._send_again(call)
        else:
            self._apply(call, CallEvent.PAGE_LOST, error=error)

    def _send_again(self, call: OpenCall) -> None:
        call.stop_timer()
        if call.sendings >= MAX_SENDINGS:
            self._apply(call, CallEvent.PAGE_LOST, error=self._no_page(call))
        elif self._apply(call, CallEvent.UNSEEN):
            call.may_begin = False
            call.uploaded = None
            call.page = None
            call.moved.set()

    def _apply(
        self,
        call: OpenCall,
        event: CallEvent,
        *,
        answered: Answered | None = None,
        error: WireError | None = None,
        abort: AbortReason | None = None,
    ) -> bool:
        """Whether the table knows the event for the call's state; if not, nothing happens.

        `abort`: what its page is told, if the call ends by it.
        """
        try:
            state = next_state(call.state, event, in_doubt=call.in_doubt)
        except UnexpectedEvent:
            return False
        if state is CallState.OUTCOME_UNKNOWN and error is not None:
            error = doubtful_error(error)
        call.state = state
        if state in TERMINAL:
            if error is not None:
                error = endings.with_deadline(error, call.deadline)
            call.abort_reason = abort
            self._end(call, CallOutcome(call.call_id, state, answered, error, call.request.server_id))
        self._tell(call)
        return True

    def _tell(self, call: OpenCall) -> None:
        for tell in self._watchers:
            tell(call)

    def _end(self, call: OpenCall, outcome: CallOutcome) -> None:
        call.outcome = outcome
        call.turn.record_outcome(outcome)
        self._journal.record_ended(_record(call, may_begin=call.may_begin))
        if call.search is not None:
            call.search.reschedule(0.0)
        call.moved.set()

    def _expire(self, call: OpenCall) -> None:
        seconds = call.deadline.seconds if call.deadline is not None else 0.0
        error = endings.out_of_time(seconds, safe=call.request.safe)
        self._apply(call, CallEvent.DEADLINE, error=error, abort="deadline")

    def _of_session(self, sid: str, call_id: str) -> OpenCall | None:
        call = self._open.get(call_id)
        return call if call is not None and call.sid == sid and call.state not in TERMINAL else None

    def _is_open(self, call_id: str, user_id: str) -> bool:
        call = self._open.get(call_id)
        return call is not None and call.request.user_id == user_id and call.state not in TERMINAL

    def _no_page(self, call: OpenCall) -> WireError:
        if call.declined is not None:
            return call.declined
        if call.sendings:
            return endings.page_lost()
        return WireError(code=ErrorCode.NO_BROWSER, message=self._no_browser_message, retryable=True)


def _record(call: OpenCall, *, may_begin: bool) -> CallRecord:
    return CallRecord(
        call.call_id,
        call.request,
        call.state,
        may_begin,
        call.device_id,
        call.opened_at,
        call.outcome,
        call.verdict,
    )


def _verdict(call: OpenCall, said: Decision) -> ApprovalVerdict:
    return ApprovalVerdict(said.decision, said.reason, call.device_id, time.time())


def _is_of(call: OpenCall, user_id: str, page: Page, alive: frozenset[str]) -> bool:
    """Whether a greeting page can tell what became of a call: it had it, or a dead worker of its browser."""
    had = call.page
    if had is None or had.sid == page.sid or call.request.user_id != user_id:
        return False
    if had.device_id != page.device_id:
        return False
    return had.instance == page.instance or had.instance not in alive


def _may_work_next_time(reading: ReportedOutcome) -> bool:
    error = reading.error
    return error is not None and error.code is ErrorCode.NETWORK and error.retryable
