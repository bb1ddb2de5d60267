"""Turns: calls that wait for one, have one, or give it back while their user thinks. On a virtual clock."""

import asyncio
from dataclasses import replace

import pytest

from bridge.browser_protocol import Accepted, DecisionReply
from bridge.calls.admission import AdmissionControl
from bridge.calls.dispatcher import CARD_PATIENCE, RESUME_S
from bridge.calls.limits.call_rules import MIB
from bridge.calls.limits.circuit_breaker import BreakerKey, BreakerVerdict, Ending
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import NO_OPTIONS, CallOptions, CallRequest
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode, WireError
from tests.support.calls.dispatcher_harness import DispatcherHarness, answered, decision_of, request
from tests.support.calls.fake_browser import page
from tests.support.calls.memory_limits import controls

CARD_RESUME_S = CARD_PATIENCE * RESUME_S

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

RELOADING = WireError(code=ErrorCode.NO_BROWSER, message="The page is being replaced.", retryable=True)


class AdmissionHarness(DispatcherHarness):
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


async def test_a_call_has_its_id_and_its_state_before_its_slot() -> None:
    """Whoever waits can be seen, and is known by the id that it keeps."""
    harness = AdmissionHarness()
    first = harness.call(request())
    call_id = await harness.sent()
    second, waiting = await harness.queued(request())
    states = {call.call_id: call.state for call in harness.dispatcher.open_calls("ann")}
    assert states == {call_id: CallState.SENT, waiting: CallState.QUEUED}
    assert harness.browser.changed_calls == ["ann"]
    await harness.finish(call_id)
    await harness.finish(waiting)
    assert [(await first).state, (await second).state] == [CallState.SUCCEEDED] * 2
    assert (await second).call_id == waiting
    assert harness.browser.changed_calls == ["ann", "ann"]
    assert harness.dispatcher.open_calls("ann") == []


@pytest.mark.parametrize("by", ["user", "caller"])
async def test_a_call_that_waits_can_be_stopped(by: str) -> None:
    """It ends at once, is written down, was never sent, and whoever is behind it moves up."""
    harness = AdmissionHarness()
    harness.call(request())
    running = await harness.sent()
    waits, waiting = await harness.queued(request(safe=False))
    behind, last = await harness.queued(request())
    if by == "user":
        assert not harness.dispatcher.cancel_call(waiting, "bob", "user")
        assert harness.dispatcher.cancel_call(waiting, "ann", "user")
        assert (await waits).state is CallState.CANCELLED
    else:
        waits.cancel()
        await asyncio.wait({waits})
    assert [(kept.call_id, kept.state) for kept in harness.journal.ended_records] == [
        (waiting, CallState.CANCELLED)
    ]
    assert harness.browser.cancelled == []
    await harness.finish(running)
    await harness.finish(last)
    assert (await behind).state is CallState.SUCCEEDED
    assert waiting not in {call.call_id for call in harness.browser.sent}


async def test_calls_with_large_arguments_are_refused_before_they_fill_the_memory() -> None:
    """Their number alone limits nothing: a thousand of one user may have a mebibyte each."""
    harness = AdmissionHarness()
    large = replace(request(), arguments_text=f'{{"text":"{"x" * (MIB - 100)}"}}')
    calls = [harness.call(large) for _ in range(64)]
    await asyncio.sleep(0.01)
    with pytest.raises(BridgeError, match="more than 64 MiB of arguments") as refused:
        await asyncio.gather(harness.call(large), harness.call(large))
    assert refused.value.error.code is ErrorCode.QUEUE_FULL
    assert len(harness.browser.sent) == 1
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    running, call_id = await harness.queued(large)
    await harness.finish(call_id)
    assert (await running).state is CallState.SUCCEEDED


async def test_a_call_that_waits_for_too_long_ends_unsent() -> None:
    """Bounded waiting: the caller learns what was full, and the journal has it."""
    harness = AdmissionHarness(wait_s=3)
    harness.call(request())
    await harness.sent()
    outcome = await harness.call(request())
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.QUEUE_FULL)
    assert [kept.call_id for kept in harness.journal.ended_records] == [outcome.call_id]


async def test_a_batch_ends_the_calls_that_wait_in_it() -> None:
    """Its end is theirs, whoever's turn it is."""
    harness = AdmissionHarness()
    harness.call(request())
    await harness.sent()
    ends = asyncio.get_running_loop().time() + 5
    outcome = await harness.call(request(), CallOptions(latest_end=ends))
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.EXPIRED, ErrorCode.TIMEOUT)
    assert asyncio.get_running_loop().time() == pytest.approx(ends, abs=0.1)


async def test_the_deadline_counts_from_the_turn() -> None:
    """However long a call waited, its API gets the whole time."""
    harness = AdmissionHarness()
    harness.call(request())
    first = await harness.sent()
    harness.call(request(), CallOptions(deadline_s=10))
    await asyncio.sleep(50)
    await harness.finish(first)
    await harness.sent(2)
    assert harness.browser.sent[1].left_ms == pytest.approx(10_000, abs=100)


async def test_a_bridge_that_stops_ends_those_that_wait() -> None:
    """Nobody is left with a connection and no word."""
    harness = AdmissionHarness()
    harness.call(request(user="bob"))
    harness.call(request())
    await harness.sent(2)
    waits, _ = await harness.queued(request(safe=False))
    harness.controls.queue.close_queue()
    outcome = await waits
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.NO_BROWSER)
    with pytest.raises(BridgeError, match="stopping"):
        await harness.call(request())


async def test_a_breaker_that_opens_meanwhile_turns_away_who_waits() -> None:
    """Ten calls to an API that is down need not all wait for it."""
    harness = AdmissionHarness(breaker_max_failures=1)
    harness.call(request())
    first = await harness.sent()
    waits, _ = await harness.queued(request())
    key = BreakerKey("ann", "tool", "shop", "GET /products")
    harness.controls.breakers.leave_breaker(
        key, Ending(BreakerVerdict.FAILED, "listProducts"), is_probe=False
    )
    harness.dispatcher.cancel_call(first, "ann", "user")
    outcome = await waits
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.BREAKER_OPEN)
    assert harness.controls.queue.running == 0


# Approval


async def test_who_thinks_holds_up_nobody() -> None:
    """A card that nobody looks at must not block the user's other calls."""
    harness = AdmissionHarness()
    thinking, call_id = await harness.asked()
    other = harness.call(request())
    second = await harness.sent(2)
    await harness.finish(second)
    assert (await other).state is CallState.SUCCEEDED
    assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).may_begin
    await harness.finish(call_id)
    assert (await thinking).state is CallState.SUCCEEDED


async def test_a_page_with_a_rule_of_its_own_holds_up_nobody_either() -> None:
    """The turn that it had is given back when it asks."""
    harness = AdmissionHarness()
    harness.call(request(safe=False))
    call_id = await harness.sent()
    assert harness.controls.queue.running == 1
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, awaiting_approval=True))
    assert harness.controls.queue.running == 0
    assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).may_begin
    assert harness.controls.queue.running == 1


async def test_an_approved_call_waits_for_its_turn_and_is_then_called_up() -> None:
    """Its own time stands still until then, and saying yes twice changes nothing."""
    harness = AdmissionHarness()
    approved, call_id = await harness.asked()
    harness.call(request())
    running = await harness.sent(2)
    assert await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once")) == DecisionReply(
        may_begin=False, awaiting_slot=True
    )
    assert await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once")) == DecisionReply(
        may_begin=False, awaiting_slot=True
    )
    await asyncio.sleep(30)
    assert harness.browser.announced_slots == []
    await harness.finish(running)
    assert harness.browser.announced_slots == [("page-a", call_id)]
    again = await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))
    assert (again.may_begin, again.deadline_ms) == (True, pytest.approx(60_000, abs=100))
    await harness.finish(call_id)
    assert (await approved).state is CallState.SUCCEEDED
    assert harness.decisions.made == [("GET /products", "once")]


@pytest.mark.parametrize("ending", ["user", "denied", "queue"])
async def test_an_approved_call_that_gets_no_slot_was_not_begun(ending: str) -> None:
    """Whatever ends it, nothing was sent, and its page is told."""
    harness = AdmissionHarness(wait_s=20)
    approved, call_id = await harness.asked()
    harness.call(request())
    await harness.sent(2)
    assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).awaiting_slot
    await asyncio.sleep(0.01)
    if ending == "user":
        harness.dispatcher.cancel_call(call_id, "ann", "user")
    elif ending == "denied":
        await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "denied"))
    outcome = await approved
    states = {"user": CallState.CANCELLED, "denied": CallState.DENIED, "queue": CallState.FAILED}
    assert outcome.state is states[ending]
    told = {"user": [("page-a", call_id, "stopped")], "queue": [("page-a", call_id, "no_slot")]}
    assert harness.browser.cancelled == told.get(ending, [])
    assert harness.browser.announced_slots == []


async def test_an_approved_call_whose_page_leaves_goes_to_the_next_one() -> None:
    """It is not asked about again, and is in no doubt: it was not begun."""
    harness = AdmissionHarness()
    approved, call_id = await harness.asked()
    harness.call(request())
    running = await harness.sent(2)
    assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).awaiting_slot
    harness.browser.pages["ann"] = page("phone")
    harness.dispatcher.take_report("ann", "page-a", answered(running))
    harness.dispatcher.abandon_session("page-a")
    await harness.sent(3)
    assert (harness.browser.sent[2].sid, harness.browser.asked_for_approval[2]) == ("phone", False)
    harness.dispatcher.take_report("ann", "phone", answered(call_id))
    assert (await approved).state is CallState.SUCCEEDED


# Cards whose page leaves


async def test_a_slow_reload_keeps_the_card_and_the_time_that_is_left() -> None:
    """Nothing was begun, so the call waits for longer than one that may have been."""
    harness = AdmissionHarness()
    running, call_id = await harness.asked()
    assert harness.browser.sent[0].approval_ms == 120_000
    await asyncio.sleep(60)
    harness.browser.pages.clear()
    harness.dispatcher.abandon_session("page-a")
    await asyncio.sleep(CARD_RESUME_S - 2)
    assert not running.done()
    harness.browser.pages["ann"] = page("page-a2", device="page-a", instance="w2")
    await harness.sent(2)
    assert harness.browser.sent[1].approval_ms == pytest.approx(60_000 - 1000 * CARD_RESUME_S, abs=3000)
    harness.dispatcher.accept_call("page-a2", Accepted(call_id=call_id, awaiting_approval=True))
    assert (
        await harness.dispatcher.apply_decision("page-a2", decision_of(call_id, "once"))
    ).deadline_ms > 59_000
    harness.dispatcher.take_report("ann", "page-a2", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_a_card_whose_page_stays_away_ends_its_call() -> None:
    """Longer than other calls, and not for ever."""
    harness = AdmissionHarness()
    running, _ = await harness.asked()
    harness.browser.pages.clear()
    began = asyncio.get_running_loop().time()
    harness.dispatcher.abandon_session("page-a")
    outcome = await running
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.NO_BROWSER)
    assert asyncio.get_running_loop().time() - began == pytest.approx(CARD_RESUME_S, abs=0.6)


@pytest.mark.parametrize("ending", ["no answer", "stopped"])
async def test_a_call_whose_card_is_away_still_ends_at_once(ending: str) -> None:
    """The time to decide goes on without a page, and so does Stop."""
    harness = AdmissionHarness()
    running, call_id = await harness.asked()
    await asyncio.sleep(110)
    harness.browser.pages.clear()
    harness.dispatcher.abandon_session("page-a")
    await asyncio.sleep(RESUME_S + 1)
    if ending == "stopped":
        harness.dispatcher.cancel_call(call_id, "ann", "user")
    began = asyncio.get_running_loop().time()
    outcome = await running
    assert outcome.state is (CallState.CANCELLED if ending == "stopped" else CallState.DENIED)
    assert asyncio.get_running_loop().time() - began < (0.1 if ending == "stopped" else 13)


# Pages that are being replaced


async def test_a_page_that_is_being_replaced_passes_the_call_on() -> None:
    """It has not begun it, so even a call that changes something goes to the next page."""
    harness = AdmissionHarness()
    running = harness.call(request(safe=False))
    call_id = await harness.sent()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, error=RELOADING))
    harness.browser.pages["ann"] = page("page-a2", device="page-a", instance="w2")
    await harness.sent(2)
    assert harness.browser.sent[1].sid == "page-a2"
    harness.dispatcher.take_report("ann", "page-a2", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_without_a_next_page_the_call_has_failed_and_says_why() -> None:
    """Nobody denied it: the page is reloading, and the caller may try again."""
    harness = AdmissionHarness()
    running = harness.call(request(safe=False))
    for count in range(1, 6):
        call_id = await harness.sent(count)
        harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, error=RELOADING))
    outcome = await running
    assert (outcome.state, outcome.error) == (CallState.FAILED, RELOADING)
