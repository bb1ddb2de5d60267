"""Turns: calls that wait for one, have one, or give it back while their user thinks. On a virtual clock."""

import asyncio
from dataclasses import replace

import pytest

from bridge.browser_protocol import Accepted, DecisionReply
from bridge.calls.admission import AdmissionControl
from bridge.calls.dispatcher import CARD_PATIENCE, RESUME_S
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import NO_OPTIONS, CallOptions, CallRequest
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.limits.circuit_breaker import BreakerKey, BreakerVerdict, Ending
from tests.support.calls.dispatcher_harness import Desk, answered, request, said
from tests.support.calls.fake_browser import page
from tests.support.calls.memory_limits import controls

CARD_RESUME_S = CARD_PATIENCE * RESUME_S

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

RELOADING = WireError(code=ErrorCode.NO_BROWSER, message="The page is being replaced.", retryable=True)


class QueueDesk(Desk):
    """One call of a user at a time, unless told otherwise."""

    def __init__(self, *, at_once: int = 1, wait_s: float = 100, **limits: float) -> None:
        super().__init__()
        self.controls = controls(
            max_parallel_tools_per_user=at_once, tool_queue_wait_seconds=wait_s, **limits
        )
        self.admission = AdmissionControl(self.controls)

    async def run_admitted(self, wanted: CallRequest, options: CallOptions) -> CallOutcome:
        """As the engine does."""
        with await self.admission.open_slot(wanted, options) as slot:
            return await self.dispatcher.dispatch_call(wanted, slot)

    def call(self, wanted: CallRequest, options: CallOptions = NO_OPTIONS) -> "asyncio.Task[CallOutcome]":
        return asyncio.create_task(self.run_admitted(wanted, options))

    async def asked(self, wanted: CallRequest | None = None) -> tuple["asyncio.Task[CallOutcome]", str]:
        """A call whose page shows a card."""
        running = self.call(replace(wanted or request(safe=False), needs_approval=True))
        call_id = await self.sent(len(self.browser.sent) + 1)
        self.dispatcher.accept_call("page-a", Accepted(call_id=call_id, awaiting_approval=True))
        return running, call_id

    async def queued(
        self, wanted: CallRequest, options: CallOptions = NO_OPTIONS
    ) -> tuple["asyncio.Task[CallOutcome]", str]:
        """A call that waits for its turn."""
        running = self.call(wanted, options)
        await asyncio.sleep(0.01)
        return running, self.dispatcher.open_calls(wanted.context.user_id)[-1].call_id

    async def finish(self, call_id: str) -> None:
        self.dispatcher.take_report("ann", "page-a", answered(call_id))
        await asyncio.sleep(0.01)


# Waiting


async def test_a_call_has_its_id_and_its_state_before_its_turn() -> None:
    """Whoever waits can be seen, and is known by the id that it keeps."""
    desk = QueueDesk()
    first = desk.call(request())
    call_id = await desk.sent()
    second, waiting = await desk.queued(request())
    states = {call.call_id: call.state for call in desk.dispatcher.open_calls("ann")}
    assert states == {call_id: CallState.SENT, waiting: CallState.QUEUED}
    assert desk.browser.changed_calls == ["ann"]
    await desk.finish(call_id)
    await desk.finish(waiting)
    assert [(await first).state, (await second).state] == [CallState.SUCCEEDED] * 2
    assert (await second).call_id == waiting
    assert desk.browser.changed_calls == ["ann", "ann"]
    assert desk.dispatcher.open_calls("ann") == []


@pytest.mark.parametrize("by", ["user", "caller"])
async def test_a_call_that_waits_can_be_stopped(by: str) -> None:
    """It ends at once, is written down, was never sent, and whoever is behind it moves up."""
    desk = QueueDesk()
    desk.call(request())
    running = await desk.sent()
    waits, waiting = await desk.queued(request(safe=False))
    behind, last = await desk.queued(request())
    if by == "user":
        assert not desk.dispatcher.cancel_call(waiting, "bob", "user")
        assert desk.dispatcher.cancel_call(waiting, "ann", "user")
        assert (await waits).state is CallState.CANCELLED
    else:
        waits.cancel()
        await asyncio.wait({waits})
    assert [(kept.call_id, kept.state) for kept in desk.journal.ended_records] == [
        (waiting, CallState.CANCELLED)
    ]
    assert desk.browser.cancelled == []
    await desk.finish(running)
    await desk.finish(last)
    assert (await behind).state is CallState.SUCCEEDED
    assert waiting not in {call.call_id for call in desk.browser.sent}


async def test_a_call_that_waits_for_too_long_ends_unsent() -> None:
    """Bounded waiting: the caller learns what was full, and the journal has it."""
    desk = QueueDesk(wait_s=3)
    desk.call(request())
    await desk.sent()
    outcome = await desk.call(request())
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.QUEUE_FULL)
    assert [kept.call_id for kept in desk.journal.ended_records] == [outcome.call_id]


async def test_a_batch_ends_the_calls_that_wait_in_it() -> None:
    """Its end is theirs, whoever's turn it is."""
    desk = QueueDesk()
    desk.call(request())
    await desk.sent()
    ends = asyncio.get_running_loop().time() + 5
    outcome = await desk.call(request(), CallOptions(latest_end=ends))
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.EXPIRED, ErrorCode.TIMEOUT)
    assert asyncio.get_running_loop().time() == pytest.approx(ends, abs=0.1)


async def test_the_deadline_counts_from_the_turn() -> None:
    """However long a call waited, its API gets the whole time."""
    desk = QueueDesk()
    desk.call(request())
    first = await desk.sent()
    desk.call(request(), CallOptions(deadline_s=10))
    await asyncio.sleep(50)
    await desk.finish(first)
    await desk.sent(2)
    assert desk.browser.sent[1].left_ms == pytest.approx(10_000, abs=100)


async def test_a_bridge_that_stops_ends_those_that_wait() -> None:
    """Nobody is left with a connection and no word."""
    desk = QueueDesk()
    desk.call(request(user="bob"))
    desk.call(request())
    await desk.sent(2)
    waits, _ = await desk.queued(request(safe=False))
    desk.controls.queue.close_queue()
    outcome = await waits
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.NO_BROWSER)
    with pytest.raises(BridgeError, match="stopping"):
        await desk.call(request())


async def test_a_breaker_that_opens_meanwhile_turns_away_who_waits() -> None:
    """Ten calls to an API that is down need not all wait for it."""
    desk = QueueDesk(breaker_max_failures=1)
    desk.call(request())
    first = await desk.sent()
    waits, _ = await desk.queued(request())
    key = BreakerKey("ann", "tool", "shop", "GET /products")
    desk.controls.breakers.leave_breaker(key, Ending(BreakerVerdict.FAILED, "listProducts"), is_probe=False)
    desk.dispatcher.cancel_call(first, "ann", "user")
    outcome = await waits
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.BREAKER_OPEN)
    assert desk.controls.queue.running == 0


# Approval


async def test_who_thinks_holds_up_nobody() -> None:
    """A card that nobody looks at must not block the user's other calls."""
    desk = QueueDesk()
    thinking, call_id = await desk.asked()
    other = desk.call(request())
    second = await desk.sent(2)
    await desk.finish(second)
    assert (await other).state is CallState.SUCCEEDED
    assert (await desk.dispatcher.apply_decision("page-a", said(call_id, "once"))).may_begin
    await desk.finish(call_id)
    assert (await thinking).state is CallState.SUCCEEDED


async def test_a_page_with_a_rule_of_its_own_holds_up_nobody_either() -> None:
    """The turn that it had is given back when it asks."""
    desk = QueueDesk()
    desk.call(request(safe=False))
    call_id = await desk.sent()
    assert desk.controls.queue.running == 1
    desk.dispatcher.accept_call("page-a", Accepted(call_id=call_id, awaiting_approval=True))
    assert desk.controls.queue.running == 0
    assert (await desk.dispatcher.apply_decision("page-a", said(call_id, "once"))).may_begin
    assert desk.controls.queue.running == 1


async def test_an_approved_call_waits_for_its_turn_and_is_then_called_up() -> None:
    """Its own time stands still until then, and saying yes twice changes nothing."""
    desk = QueueDesk()
    approved, call_id = await desk.asked()
    desk.call(request())
    running = await desk.sent(2)
    assert await desk.dispatcher.apply_decision("page-a", said(call_id, "once")) == DecisionReply(
        may_begin=False, awaiting_slot=True
    )
    assert await desk.dispatcher.apply_decision("page-a", said(call_id, "once")) == DecisionReply(
        may_begin=False, awaiting_slot=True
    )
    await asyncio.sleep(30)
    assert desk.browser.called_up == []
    await desk.finish(running)
    assert desk.browser.called_up == [("page-a", call_id)]
    again = await desk.dispatcher.apply_decision("page-a", said(call_id, "once"))
    assert (again.may_begin, again.deadline_ms) == (True, pytest.approx(60_000, abs=100))
    await desk.finish(call_id)
    assert (await approved).state is CallState.SUCCEEDED
    assert desk.decisions.made == [("GET /products", "once")]


@pytest.mark.parametrize("ending", ["user", "denied", "queue"])
async def test_an_approved_call_that_gets_no_slot_was_not_begun(ending: str) -> None:
    """Whatever ends it, nothing was sent, and its page is told."""
    desk = QueueDesk(wait_s=20)
    approved, call_id = await desk.asked()
    desk.call(request())
    await desk.sent(2)
    assert (await desk.dispatcher.apply_decision("page-a", said(call_id, "once"))).awaiting_slot
    await asyncio.sleep(0.01)
    if ending == "user":
        desk.dispatcher.cancel_call(call_id, "ann", "user")
    elif ending == "denied":
        await desk.dispatcher.apply_decision("page-a", said(call_id, "denied"))
    outcome = await approved
    states = {"user": CallState.CANCELLED, "denied": CallState.DENIED, "queue": CallState.FAILED}
    assert outcome.state is states[ending]
    told = {"user": [("page-a", call_id, "stopped")], "queue": [("page-a", call_id, "no_slot")]}
    assert desk.browser.cancelled == told.get(ending, [])
    assert desk.browser.called_up == []


async def test_an_approved_call_whose_page_leaves_goes_to_the_next_one() -> None:
    """It is not asked about again, and is in no doubt: it was not begun."""
    desk = QueueDesk()
    approved, call_id = await desk.asked()
    desk.call(request())
    running = await desk.sent(2)
    assert (await desk.dispatcher.apply_decision("page-a", said(call_id, "once"))).awaiting_slot
    desk.browser.pages["ann"] = page("phone")
    desk.dispatcher.take_report("ann", "page-a", answered(running))
    desk.dispatcher.abandon_session("page-a")
    await desk.sent(3)
    assert (desk.browser.sent[2].sid, desk.browser.had_to_ask[2]) == ("phone", False)
    desk.dispatcher.take_report("ann", "phone", answered(call_id))
    assert (await approved).state is CallState.SUCCEEDED


# Cards whose page leaves


async def test_a_slow_reload_keeps_the_card_and_the_time_that_is_left() -> None:
    """Nothing was begun, so the call waits for longer than one that may have been."""
    desk = QueueDesk()
    running, call_id = await desk.asked()
    assert desk.browser.sent[0].approval_ms == 120_000
    await asyncio.sleep(60)
    desk.browser.pages.clear()
    desk.dispatcher.abandon_session("page-a")
    await asyncio.sleep(CARD_RESUME_S - 2)
    assert not running.done()
    desk.browser.pages["ann"] = page("page-a2", device="page-a", instance="w2")
    await desk.sent(2)
    assert desk.browser.sent[1].approval_ms == pytest.approx(60_000 - 1000 * CARD_RESUME_S, abs=3000)
    desk.dispatcher.accept_call("page-a2", Accepted(call_id=call_id, awaiting_approval=True))
    assert (await desk.dispatcher.apply_decision("page-a2", said(call_id, "once"))).deadline_ms > 59_000
    desk.dispatcher.take_report("ann", "page-a2", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_a_card_whose_page_stays_away_ends_its_call() -> None:
    """Longer than other calls, and not for ever."""
    desk = QueueDesk()
    running, _ = await desk.asked()
    desk.browser.pages.clear()
    began = asyncio.get_running_loop().time()
    desk.dispatcher.abandon_session("page-a")
    outcome = await running
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.NO_BROWSER)
    assert asyncio.get_running_loop().time() - began == pytest.approx(CARD_RESUME_S, abs=0.6)


@pytest.mark.parametrize("ending", ["no answer", "stopped"])
async def test_a_call_whose_card_is_away_still_ends_at_once(ending: str) -> None:
    """The time to decide goes on without a page, and so does Stop."""
    desk = QueueDesk()
    running, call_id = await desk.asked()
    await asyncio.sleep(110)
    desk.browser.pages.clear()
    desk.dispatcher.abandon_session("page-a")
    await asyncio.sleep(RESUME_S + 1)
    if ending == "stopped":
        desk.dispatcher.cancel_call(call_id, "ann", "user")
    began = asyncio.get_running_loop().time()
    outcome = await running
    assert outcome.state is (CallState.CANCELLED if ending == "stopped" else CallState.DENIED)
    assert asyncio.get_running_loop().time() - began < (0.1 if ending == "stopped" else 13)


# Pages that are being replaced


async def test_a_page_that_is_being_replaced_passes_the_call_on() -> None:
    """It has not begun it, so even a call that changes something goes to the next page."""
    desk = QueueDesk()
    running = desk.call(request(safe=False))
    call_id = await desk.sent()
    desk.dispatcher.accept_call("page-a", Accepted(call_id=call_id, error=RELOADING))
    desk.browser.pages["ann"] = page("page-a2", device="page-a", instance="w2")
    await desk.sent(2)
    assert desk.browser.sent[1].sid == "page-a2"
    desk.dispatcher.take_report("ann", "page-a2", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_without_a_next_page_the_call_has_failed_and_says_why() -> None:
    """Nobody denied it: the page is reloading, and the caller may try again."""
    desk = QueueDesk()
    running = desk.call(request(safe=False))
    for count in range(1, 6):
        call_id = await desk.sent(count)
        desk.dispatcher.accept_call("page-a", Accepted(call_id=call_id, error=RELOADING))
    outcome = await running
    assert (outcome.state, outcome.error) == (CallState.FAILED, RELOADING)
