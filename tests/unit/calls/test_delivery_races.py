"""Delivery: what may happen while something else is under way. On a virtual clock."""

import asyncio
from dataclasses import replace

import pytest

from bridge.browser_protocol import Accepted, DecisionReply, Result
from bridge.calls.dispatcher import MAX_ATTEMPTS, RESUME_S
from bridge.calls.open_call import APPROVAL_GRACE_S, OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import JournalUnavailable
from bridge.calls.request import CallRequest
from bridge.calls.state_machine import CallState
from bridge.errors import ErrorCode
from bridge.settings.approvals import DEFAULT_APPROVAL_S
from tests.support.calls.dispatcher_harness import DispatcherHarness, answered, decision_of, failed, request
from tests.support.calls.fake_browser import FakeJournal, page
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

NOBODY = frozenset[str]()


class SlowJournal(FakeJournal):
    """Commits when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_commit = asyncio.Event()

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        try:
            async with asyncio.timeout(within_s):
                await self.may_commit.wait()
        except TimeoutError:
            raise JournalUnavailable from None
        await super().record_opened(call, within_s, may_begin=may_begin)


class SlowJournalHarness(DispatcherHarness):
    def __init__(self) -> None:
        self.slow = SlowJournal()
        super().__init__(journal=self.slow)


def needs_approval(*, safe: bool = False) -> CallRequest:
    return replace(request(safe=safe), needs_approval=True)


async def asked(harness: DispatcherHarness, *, safe: bool = False) -> tuple["asyncio.Task[CallOutcome]", str]:
    """A call whose page shows a card."""
    running = harness.start(needs_approval(safe=safe), 2)
    call_id = await harness.sent()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, awaiting_approval=True))
    return running, call_id


def lost(call_id: str) -> Result:
    """The request went out, and nothing came back; it may work next time."""
    report = failed(call_id, ErrorCode.NETWORK, "unknown").model_dump()
    report["outcome"]["error"]["retryable"] = True
    return Result.model_validate(report)


async def test_a_page_that_did_not_hear_go_is_still_believed_to_have_begun() -> None:
    """It lists the call as waiting, gets go again and begins; a loss after that is one in mid-request."""
    harness = DispatcherHarness()
    running, call_id = await asked(harness)
    assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).may_begin
    back = page("page-a2", device="page-a")
    harness.dispatcher.reconcile_page("ann", back, NOBODY, {call_id: "waiting"})
    assert (await harness.dispatcher.apply_decision("page-a2", decision_of(call_id, "once"))).may_begin
    harness.dispatcher.abandon_session("page-a2")
    assert (await running).state is CallState.OUTCOME_UNKNOWN
    assert len(harness.browser.sent) == 1


async def test_an_ack_that_its_decision_overtook_takes_nothing_back() -> None:
    """What was told to go may have begun, whatever is said of it later."""
    harness = DispatcherHarness()
    running = harness.start(needs_approval(), 2)
    call_id = await harness.sent()
    assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).may_begin
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, awaiting_approval=True))
    assert (await running).state is CallState.OUTCOME_UNKNOWN


async def test_a_call_that_a_page_takes_up_twice_is_not_tried_more_often() -> None:
    """A connection may bring a call twice: of one the page says that it runs, of the other that it asks."""
    harness = DispatcherHarness()
    running = harness.start(needs_approval(safe=True))
    for attempt in range(1, MAX_ATTEMPTS + 1):
        call_id = await harness.sent(attempt)
        harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
        harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, awaiting_approval=True))
        assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).may_begin
        harness.dispatcher.take_report("ann", "page-a", lost(call_id))
    assert (await running).state is CallState.FAILED
    assert len(harness.browser.sent) == MAX_ATTEMPTS


async def test_a_page_that_runs_what_it_was_to_ask_about_has_tried_it() -> None:
    """It may have a rule of its own; what counts is how often the request was made."""
    harness = DispatcherHarness()
    running = harness.start(needs_approval(safe=True))
    for attempt in range(1, MAX_ATTEMPTS + 1):
        call_id = await harness.sent(attempt)
        harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
        harness.dispatcher.take_report("ann", "page-a", lost(call_id))
    assert (await running).state is CallState.FAILED


async def test_reconnecting_gives_nobody_more_time_to_decide() -> None:
    """Else a call whose page stumbles every minute would never end (ruling 8)."""
    harness = DispatcherHarness()
    began = asyncio.get_running_loop().time()
    running, call_id = await asked(harness)
    for number in range(3):
        await asyncio.sleep(DEFAULT_APPROVAL_S / 4)
        back = page(f"back-{number}", device="page-a")
        harness.dispatcher.reconcile_page("ann", back, NOBODY, {call_id: "waiting"})
    assert (await running).state is CallState.DENIED
    took = asyncio.get_running_loop().time() - began
    assert took == pytest.approx(DEFAULT_APPROVAL_S + APPROVAL_GRACE_S, abs=0.1)


async def test_nobody_is_asked_twice_about_one_call() -> None:
    """A second attempt after a network failure is the same call, which its user has approved."""
    harness = DispatcherHarness()
    running, call_id = await asked(harness, safe=True)
    assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).may_begin
    harness.dispatcher.take_report("ann", "page-a", lost(call_id))
    await harness.sent(2)
    assert harness.browser.asked_for_approval == [True, False]
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_a_page_that_left_while_the_call_was_written_down_leaves_no_doubt() -> None:
    """It was never sent there; the next page gets it."""
    harness = SlowJournalHarness()
    running = harness.start(request(safe=False))
    await asyncio.sleep(0.1)
    harness.browser.pages["ann"] = page("phone")
    harness.dispatcher.abandon_session("page-a")
    harness.slow.may_commit.set()
    call_id = await harness.sent()
    await asyncio.sleep(2 * RESUME_S)
    assert harness.browser.sent[0].sid == "phone"
    harness.dispatcher.take_report("ann", "phone", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_a_decision_said_twice_is_one_decision() -> None:
    """The page says it again after a reconnect, perhaps while the first is still being written down."""
    harness = SlowJournalHarness()
    harness.slow.may_commit.set()
    running, call_id = await asked(harness)
    harness.slow.may_commit.clear()
    async with asyncio.TaskGroup() as group:
        answers = [
            group.create_task(harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once")))
            for _ in range(2)
        ]
        await asyncio.sleep(0.1)
        harness.slow.may_commit.set()
    assert [answer.result().may_begin for answer in answers] == [True, True]
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_only_the_page_that_has_the_call_is_told_to_go() -> None:
    """Two cards for one call, and both users' fingers on yes: one request."""
    harness = SlowJournalHarness()
    harness.slow.may_commit.set()
    running, call_id = await asked(harness)
    harness.slow.may_commit.clear()
    harness.browser.pages["ann"] = page("phone")
    async with asyncio.TaskGroup() as group:
        first = group.create_task(harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once")))
        await asyncio.sleep(0.1)
        harness.dispatcher.abandon_session("page-a")
        await asyncio.sleep(RESUME_S + 0.1)
        harness.slow.may_commit.set()
    await harness.sent(2)
    assert first.result() == DecisionReply(may_begin=False)
    assert (await harness.dispatcher.apply_decision("phone", decision_of(call_id, "once"))).may_begin
    harness.dispatcher.take_report("ann", "phone", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_a_journal_that_hangs_holds_nobody_beyond_the_deadline() -> None:
    """A caller must get its ending, whatever the database does."""
    harness = SlowJournalHarness()
    outcome = await harness.run(request(safe=False), 3)
    assert outcome.state is CallState.EXPIRED
    assert not harness.browser.sent


async def test_a_page_that_begins_without_a_go_is_on_record_as_one_that_may_have() -> None:
    """No page of ours does; but if the bridge is lost now, nobody may say that nothing was sent (33)."""
    harness = DispatcherHarness()
    running = harness.start(needs_approval(), 2)
    call_id = await harness.sent()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
    await eventually(lambda: [one.may_begin for one in harness.journal.opened_records] == [False, True])
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_a_page_that_begins_without_a_go_may_end_while_that_is_recorded() -> None:
    """The journal keeps the ending, whichever of the two it writes first."""
    harness = SlowJournalHarness()
    harness.slow.may_commit.set()
    running = harness.start(needs_approval(), 2)
    call_id = await harness.sent()
    harness.slow.may_commit.clear()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
    await asyncio.sleep(0.1)
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    assert harness.slow.ended_records[-1].may_begin
    harness.slow.may_commit.set()
    assert (await running).state is CallState.SUCCEEDED
