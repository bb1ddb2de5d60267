"""Dispatch: one validated call to a page of its user, and its one ending.

Receives a `CallRequest` and gives a `CallOutcome`; knows deadlines, approval, pages that go away and come
back, and cancellation. A call that may begin holds its slot; a call whose user is asked does not. It reaches
pages through the `Browser` port and the database through the `Journal` port; what pages report arrives at the
methods below `cancel_call`. It must not know Socket.IO, HTTP or the database. All methods run on one event
loop.

Whether a call may be sent, repeated or ended is decided by its phase (`state_machine`); this module adds
time: deadlines, pauses and waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Literal

from bridge.browser_protocol import Accepted, Decision, DecisionReply, Result
from bridge.calls import endings
from bridge.calls.approvals import Approvals
from bridge.calls.call_ids import CallIds
from bridge.calls.call_watch import CallObservers
from bridge.calls.clock import Alarms
from bridge.calls.open_call import AbortReason, ApprovalVerdict, Confirmation, OpenCall, Page, Slot
from bridge.calls.outcome import CallOutcome, doubtful_error, read_report
from bridge.calls.ports import Browser, HomeLost, Journal, JournalUnavailable
from bridge.calls.request import CallRequest
from bridge.calls.state_machine import (
    MAY_BEGIN,
    RUNNING,
    STATE_OF,
    TERMINAL,
    UNDECIDED,
    WITHOUT_PAGE,
    CallEvent,
    CallPhase,
    UnexpectedEvent,
    next_phase,
)
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.log_lines import name_call
from bridge.settings.approvals import DEFAULT_APPROVAL_S
from bridge.settings.limits import DEFAULTS
from toolserver.answer.result import Answered

RESUME_S = DEFAULTS.page_resume_seconds
"""Seconds that the calls of a page wait for it when its socket closes, unless `PAGE_RESUME_SECONDS` is set;
its first reconnect comes after 0.2 s."""

CARD_PATIENCE = 20
"""Factor by which a call whose user was being asked waits longer for a page when the last one is gone:
nothing of it was begun, so a slow reload may show its card again. The time to decide keeps running."""

MAX_ATTEMPTS = 2
"""Maximum number of times that a page may begin a safe call (S0-78)."""

MAX_SENDINGS = 5
"""Maximum number of times that one call is sent to pages that prove they have not begun it."""

RETRY_WAIT_S = 0.2
"""Pause in seconds before a call is sent again that a page could not take, or whose request failed."""


class Dispatcher:
    """Runs calls, and owns all that are open."""

    def __init__(
        self,
        browser: Browser,
        journal: Journal,
        decisions: Approvals,
        ids: CallIds,
        *,
        no_browser_message: str,
        approval_s: float = DEFAULT_APPROVAL_S,
        resume_s: Callable[[], float] = lambda: RESUME_S,
        observers: CallObservers | None = None,
    ) -> None:
        """`approval_s`: seconds that users may think about a call; `resume_s` gives the resume window."""
        self._ids = ids
        self._browser = browser
        self._journal = journal
        self._decisions = decisions
        self._approval_s = approval_s
        self._resume_s = resume_s
        self._no_browser_message = no_browser_message
        self._open: dict[str, OpenCall] = {}
        self._alarms = Alarms()
        self._observers = observers or CallObservers()

    async def dispatch_call(self, request: CallRequest, slot: Slot) -> CallOutcome:
        """Perform one call in a page of its user, once it has its slot.

        It ends at the latest after the wait for its slot and its deadline, plus the time its user takes to
        approve it, at most `approval_s` and `APPROVAL_GRACE_S`. Never raises for anything
        that happens to the call. Cancelling it settles the call and asks the page to abort its request; an
        unsafe request that was already begun may have been performed.
        """
        call = OpenCall(
            self._ids.make_id(request.context.user_id),
            request,
            self._ids.make_token(),
            slot,
            self._alarms,
            self._approval_s,
            phase=CallPhase.UNAPPROVED if request.needs_approval else CallPhase.QUEUED,
        )
        self._open[call.call_id] = call
        self._observers.tell(call)
        name_call(call.call_id)
        try:
            return await self._perform(call)
        except asyncio.CancelledError:
            self.cancel_call(call.call_id, call.user_id, "caller")
            await self._abort(call)
            raise
        finally:
            name_call("")
            call.stop_clocks()
            del self._open[call.call_id]

    async def _perform(self, call: OpenCall) -> CallOutcome:
        while call.outcome is None:
            if call.phase is CallPhase.RUNNING_UNASKED:  # too late to refuse it, but not to know of it
                await self._is_recorded(call, may_begin=True)
            elif call.phase in UNDECIDED or await self._has_slot(call):
                call.start_counting(self._expire)
                if call.phase in WITHOUT_PAGE:
                    await self._send_somewhere(call)
                elif call.phase is CallPhase.APPROVED:
                    await self._announce_slot(call)
            await call.woken.wait()
        await self._abort(call)
        if call.confirmation is None:
            return call.outcome
        return (await asyncio.shield(call.confirmation)).outcome

    async def _has_slot(self, call: OpenCall) -> bool:
        """Wait for the slot of a call that may begin; returns whether it is still open then."""
        if self._acquires_slot(call) or call.outcome is not None:
            return call.outcome is None
        call.stop_counting()
        self._browser.calls_changed(call.user_id)
        try:
            await call.slot.acquire_slot()
        except BridgeError as error:
            self._turn_away(call, error.error)
        finally:
            self._browser.calls_changed(call.user_id)
        return call.outcome is None

    def _acquires_slot(self, call: OpenCall) -> bool:
        """Whether the call gets its slot without waiting; if it may not run, it has ended."""
        try:
            return call.slot.acquire_now()
        except BridgeError as error:
            self._turn_away(call, error.error)
            return False

    def _turn_away(self, call: OpenCall, error: WireError) -> None:
        is_over = error.code is ErrorCode.TIMEOUT
        event = CallEvent.DEADLINE if is_over else CallEvent.TURNED_AWAY
        self._apply(call, event, error=error, abort="no_slot")

    async def _send_somewhere(self, call: OpenCall) -> None:
        request = call.request
        page = await self._browser.page_for(call.user_id, request.origin, request.server_id)
        if page is None:
            page = await self._page_in_time(call)
        if page is None:
            self._apply(call, CallEvent.PAGE_LOST, error=self._no_page(call))
        elif page.plan_version < request.plan_version:
            self._apply(call, CallEvent.PAGE_LOST, error=endings.page_too_old())
        elif call.outcome is None:
            await self._send(call, page)

    async def _page_in_time(self, call: OpenCall) -> Page | None:
        """Return the page that comes in time; the end of the call ends the wait."""
        request = call.request
        resume_s = self._resume_s() * (CARD_PATIENCE if call.is_asked else 1)
        try:
            async with asyncio.timeout(None) as call.search:
                where = (call.user_id, request.origin, request.server_id)
                return await self._browser.next_page(*where, resume_s)
        except TimeoutError:
            return None
        finally:
            call.search = None

    async def _announce_slot(self, call: OpenCall) -> None:
        """Have the page of an approved call ask for its go-ahead. One that is away asks when it is back."""
        if call.timer is None and call.sid is not None:
            await self._browser.announce_slot(call.sid, call.call_id)

    async def _send(self, call: OpenCall, page: Page) -> None:
        call.page = page
        is_held = call.phase is CallPhase.QUEUED and self._journal.hold_opening(call)
        if not is_held and not await self._is_recorded(call, may_begin=call.phase is CallPhase.QUEUED):
            return
        if call.page is not page:  # it left while the call was recorded, and has never seen it
            call.woken.set()
        elif self._apply(call, CallEvent.SENT):
            call.sendings += 1
            await self._browser.send_call(call)

    async def _is_recorded(self, call: OpenCall, *, may_begin: bool) -> bool:
        """Record an unsafe call before its page may begin it; if that fails, it has ended."""
        knows_already = call.sendings > 0 and not may_begin
        try:
            if not (call.request.safe or knows_already):
                await self._journal.record_opened(call, call.left_ms / 1000, may_begin=may_begin)
            if not self._journal.acts_for(call.user_id):  # this process may have slept while it waited
                raise HomeLost
        except HomeLost:
            error = endings.replica_lost(is_unsent=True)
        except JournalUnavailable:
            error = endings.database_unavailable()
        else:
            return True
        self._apply(call, CallEvent.TURNED_AWAY, error=error, abort="no_slot")
        return False

    async def _abort(self, call: OpenCall) -> None:
        """Tell its page that the call ended without it."""
        if call.abort_reason is not None and call.sid is not None and call.sendings:
            await self._browser.send_cancel(call.sid, call.call_id, call.abort_reason)

    def open_call(self, call_id: str) -> OpenCall | None:
        """Return the open call of that id, or None."""
        return self._open.get(call_id)

    def count_open(self) -> int:
        """Return the number of calls of all users that have not ended."""
        return len(self._open)

    def may_begin_for(self, user_id: str) -> bool:
        """Return whether anything may be begun for a user here now: always, in a bridge alone."""
        return self._journal.acts_for(user_id)

    def open_calls(self, user_id: str) -> list[OpenCall]:
        """Return a user's calls that have not ended, oldest first."""
        return [call for call in self._open.values() if call.user_id == user_id]

    def cancel_call(self, call_id: str, user_id: str, by: Literal["caller", "user"]) -> bool:
        """End an open call of a user; returns whether there was one. Its page aborts the request."""
        call = self._open.get(call_id)
        if call is None or call.user_id != user_id:
            return False
        reason = "caller_gone" if by == "caller" else "stopped"
        return self._apply(call, CallEvent.STOPPED, error=endings.stopped(by), abort=reason)

    def accept_call(self, sid: str, accepted: Accepted) -> None:
        """Apply a page's acknowledgement of `execute:tool`; those of other sessions change nothing."""
        call = self._of_session(sid, accepted.call_id)
        if call is None:
            return
        if accepted.error is not None:
            self._refused(call, accepted.error)
        elif accepted.awaiting_approval:
            self._await_approval(call)
        elif self._apply(call, CallEvent.ACCEPTED):
            call.stop_asking()
            call.start_counting(self._expire)
            if call.phase is CallPhase.RUNNING_UNASKED:
                call.woken.set()

    def _refused(self, call: OpenCall, error: WireError) -> None:
        """End the call; but one that its page cannot take while it is being replaced is sent again."""
        if error.code is not ErrorCode.NO_BROWSER:
            self._apply(call, CallEvent.REFUSED, error=endings.with_first_try(error, call.first_failure))
        else:
            call.declined = error
            self._send_again(call, CallEvent.DECLINED, after_s=RETRY_WAIT_S)

    async def apply_decision(self, sid: str, decision: Decision) -> DecisionReply:
        """Apply a user's decision that a page reports; the page begins nothing before this returns go.

        While a call has to wait for its slot there is no go; its page is told when to ask again. An approval
        is in the journal before go. Reporting it again is harmless; the answer is that of the moment.
        """
        call = self._of_session(sid, decision.call_id)
        if call is None:
            return DecisionReply(may_begin=False)
        if decision.decision == "denied":
            self._deny(call, _verdict(call, decision))
            return DecisionReply(may_begin=False)
        if call.phase not in RUNNING:
            if not self._approve(call, decision):
                return DecisionReply(may_begin=False)
            if not self._acquires_slot(call):
                call.woken.set()
                return DecisionReply(may_begin=False, awaiting_slot=call.outcome is None)
            if not await self._begin(call, sid):
                return DecisionReply(may_begin=False)
        return DecisionReply(may_begin=True, deadline_ms=call.left_ms)

    def _approve(self, call: OpenCall, decision: Decision) -> bool:
        """Whether the call is approved, by this decision or by an earlier one."""
        if self._apply(call, CallEvent.APPROVED):
            call.stop_asking()
            call.verdict = _verdict(call, decision)
            self._decisions.remember_decision(call.call_id, call.request, call.verdict)
        return call.phase is CallPhase.APPROVED

    async def _begin(self, call: OpenCall, sid: str) -> bool:
        """Whether the page of that socket may begin the call now, which has its slot."""
        if not await self._is_recorded(call, may_begin=True):
            return False
        if call.sid != sid:  # it went to another page meanwhile, or this one came back and will ask again
            return False
        if call.phase is CallPhase.RUNNING:  # the page asked twice, and the other question was faster
            return True
        if not self._apply(call, CallEvent.STARTED):
            return False
        call.start_counting(self._expire)
        return True

    def _deny(self, call: OpenCall, verdict: ApprovalVerdict, abort: AbortReason | None = None) -> None:
        call.verdict = verdict
        error = endings.denied(verdict.reason, self._approval_s)
        if self._apply(call, CallEvent.REFUSED, error=error, abort=abort):
            self._decisions.remember_decision(call.call_id, call.request, verdict)

    def take_report(self, user_id: str, sid: str, result: Result) -> Confirmation | None:
        """Apply a page's report of how a call ended. Late and duplicate ones go to the journal, no further.

        Nothing is recorded of a call that another page has, because its end is not known yet, nor of one that
        was never given to this user. The page's receipt waits for the confirmation that this returns.
        """
        call = self._of_session(sid, result.call_id)
        if call is None:
            if not self._is_open(result.call_id, user_id) and self._ids.was_made_for(result.call_id, user_id):
                ended = self._open.get(result.call_id)
                late = self._journal.record_late(user_id, result)
                return late if ended is None else ended.confirmation
            return None
        is_safe, is_proof = call.request.safe, call.proves_unsent
        reading = read_report(result.outcome, call.uploaded, safe=is_safe, proves_unsent=is_proof)
        if is_safe and call.attempts < MAX_ATTEMPTS and reading.may_work_next_time:
            call.first_failure = reading.error
            self._send_again(call, after_s=RETRY_WAIT_S)
            return None
        call.phases_ms = result.outcome.phases_ms
        error = reading.error
        if error is not None and result.outcome.status == "failed" and result.outcome.delivered == "no":
            error = endings.with_first_try(error, call.first_failure)
        self._apply(call, reading.event, answered=reading.answered, error=error)
        return call.confirmation

    def abandon_session(self, sid: str) -> None:
        """Have the calls of a page whose socket closed wait for it to come back."""
        for call in [call for call in self._open.values() if call.sid == sid]:
            if call.phase in WITHOUT_PAGE:
                call.page = None
            else:
                call.start_timer(self._resume_s(), self._give_up)

    def reconcile_page(
        self, user_id: str, page: Page, alive: frozenset[str], listed: Mapping[str, str]
    ) -> list[str]:
        """Settle what became of the calls that a browser had, at each handshake of one of its pages.

        `listed`: state of each call that the page knows (`ListedCall`); `alive`: other workers of that
        browser, whose calls are not listed. Returns the listed calls that have ended for the bridge.
        """
        for call in [call for call in self._open.values() if call.was_known_to(user_id, page, alive)]:
            self._reconcile_call(call, page, listed.get(call.call_id))
        return [call_id for call_id in listed if not self._is_open(call_id, user_id)]

    def stop_calls(self) -> None:
        """End every open call, because the bridge is stopping."""
        for call in list(self._open.values()):
            self._apply(call, CallEvent.PAGE_LOST, error=endings.bridge_stopped())

    def leave_user(self, user_id: str) -> None:
        """End a user's open calls, because the user is at home in another replica."""
        for call in self.open_calls(user_id):
            error = endings.replica_lost(is_unsent=call.phase not in MAY_BEGIN, safe=call.request.safe)
            self._apply(call, CallEvent.PAGE_LOST, error=error)

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
        """Wait for its user; an approved call waits for its page instead, which will ask for go again."""
        if self._apply(call, CallEvent.ASKED):
            call.slot.release_slot()
            call.start_asking(self._no_answer)

    def _no_answer(self, call: OpenCall) -> None:
        """Deny a call whose page has not reported that the time to decide passed."""
        self._deny(call, ApprovalVerdict("denied", "no_answer", None, call.current_time()), abort="no_answer")

    def _give_up(self, call: OpenCall) -> None:
        self._try_elsewhere(call, endings.page_lost())

    def _try_elsewhere(self, call: OpenCall, error: WireError) -> None:
        """The page is lost to the call: another try, if that cannot do anything twice."""
        if not call.in_doubt and call.attempts < MAX_ATTEMPTS:
            self._send_again(call)
        else:
            self._apply(call, CallEvent.PAGE_LOST, error=error)

    def _send_again(
        self, call: OpenCall, event: CallEvent = CallEvent.UNSEEN, *, after_s: float = 0.0
    ) -> None:
        """Take the call back from its page, which has not begun it or may repeat it, and send it again."""
        if not self._apply(call, event):
            return
        call.stop_timer()
        call.uploaded = None
        call.page = None
        if call.sendings >= MAX_SENDINGS:
            self._apply(call, CallEvent.PAGE_LOST, error=self._no_page(call))
        elif after_s:
            call.start_timer(after_s, _wake)
        else:
            call.woken.set()

    def _apply(
        self,
        call: OpenCall,
        event: CallEvent,
        *,
        answered: Answered | None = None,
        error: WireError | None = None,
        abort: AbortReason | None = None,
    ) -> bool:
        """Whether the table has the event for the call's phase; if not, nothing happens.

        `abort`: what its page is told, if the call ends by it.
        """
        before = call.phase
        try:
            after = next_phase(before, event, safe=call.request.safe)
        except UnexpectedEvent:
            return False
        call.enter_phase(after, event)
        if after in TERMINAL:
            if after is CallPhase.OUTCOME_UNKNOWN and error is not None:
                error = doubtful_error(error)
            if error is not None:
                error = endings.with_deadline(error, call.deadline)
            call.abort_reason = abort
            outcome = CallOutcome(call.call_id, STATE_OF[after], answered, error, call.request.server_id)
            self._end(call, outcome, may_begin=before in MAY_BEGIN)
        if STATE_OF[after] is not STATE_OF[before]:
            self._observers.tell(call)
        return True

    def _end(self, call: OpenCall, outcome: CallOutcome, *, may_begin: bool) -> None:
        call.outcome = outcome
        call.slot.record_outcome(outcome)
        call.confirmation = self._journal.record_ended(call, may_begin=may_begin)
        if call.search is not None:
            call.search.reschedule(0.0)
        call.woken.set()

    def _expire(self, call: OpenCall) -> None:
        seconds = call.deadline.seconds if call.deadline is not None else 0.0
        error = endings.out_of_time(seconds, safe=call.request.safe)
        self._apply(call, CallEvent.DEADLINE, error=error, abort="deadline")

    def _of_session(self, sid: str, call_id: str) -> OpenCall | None:
        call = self._open.get(call_id)
        return call if call is not None and call.sid == sid and call.phase not in TERMINAL else None

    def _is_open(self, call_id: str, user_id: str) -> bool:
        call = self._open.get(call_id)
        return call is not None and call.user_id == user_id and call.phase not in TERMINAL

    def _no_page(self, call: OpenCall) -> WireError:
        if call.declined is not None:
            return call.declined
        if call.sendings:
            return endings.page_lost()
        return WireError(code=ErrorCode.NO_BROWSER, message=self._no_browser_message, retryable=True)


def _wake(call: OpenCall) -> None:
    call.woken.set()


def _verdict(call: OpenCall, said: Decision) -> ApprovalVerdict:
    return ApprovalVerdict(said.decision, said.reason, call.device_id, call.current_time())
