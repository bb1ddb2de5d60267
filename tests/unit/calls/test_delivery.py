"""Delivery: pages that go away and come back, the journal, and the user's approval. On a virtual clock."""

import asyncio
from dataclasses import replace
from typing import Any, Literal

import pytest

from bridge.browser_protocol import Accepted, DecisionReason, DecisionReply, Result
from bridge.calls.call_ids import new_unsealed_id
from bridge.calls.dispatcher import RESUME_S
from bridge.calls.open_call import APPROVAL_GRACE_S, Page
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.errors import ErrorCode
from bridge.settings.approvals import DEFAULT_APPROVAL_S
from tests.support.calls.dispatcher_harness import DispatcherHarness, answered, decision_of, failed, request
from tests.support.calls.fake_browser import page

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


# Pages that go away and come back


async def test_a_page_that_comes_back_in_time_goes_on_with_its_calls() -> None:
    """A socket that breaks for a second costs nobody a result, whatever the method."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    call_id = await harness.sent()
    harness.dispatcher.abandon_session("page-a")
    back = page("page-a2", device="page-a")
    closed = harness.dispatcher.reconcile_page("ann", back, frozenset(), {call_id: "running", "gone": "done"})
    assert closed == ["gone"]
    await asyncio.sleep(2 * RESUME_S)
    assert not running.done()
    harness.dispatcher.take_report("ann", "page-a2", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED
    assert len(harness.browser.sent) == 1


async def test_an_unsafe_call_that_the_page_never_saw_is_sent_again() -> None:
    """Its journal would name every request that was begun, so nothing can happen twice."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    call_id = await harness.sent()
    harness.dispatcher.abandon_session("page-a")
    harness.browser.pages["ann"] = back = page("page-a2", device="page-a", instance="w2")
    assert harness.dispatcher.reconcile_page("ann", back, frozenset(), {}) == []
    await harness.sent(2)
    harness.dispatcher.take_report("ann", "page-a2", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED
    assert [call.call_id for call in harness.browser.sent] == [call_id, call_id]


@pytest.mark.parametrize(
    ("back", "alive"),
    [
        (page("page-a2", device="page-a", instance="w2", epoch="e2"), frozenset[str]()),
        (page("page-a2", device="page-a", instance="w2", epoch=""), frozenset[str]()),
        (page("page-a2", device="page-a", instance="w2"), frozenset({"w1"})),
        (page("page-x", device="page-x", instance="w2"), frozenset[str]()),
    ],
    ids=["another journal", "no journal", "the old worker lives", "another browser"],
)
async def test_silence_of_a_page_that_cannot_know_proves_nothing(back: Page, alive: frozenset[str]) -> None:
    """Only the journal that the request would stand in can say that it was never begun."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    await harness.sent()
    harness.dispatcher.abandon_session("page-a")
    harness.browser.pages["ann"] = back
    harness.dispatcher.reconcile_page("ann", back, alive, {})
    assert (await running).state is CallState.OUTCOME_UNKNOWN
    assert len(harness.browser.sent) == 1


async def test_a_reload_in_the_middle_of_a_request_is_said_at_once() -> None:
    """The worker that had begun it is dead: an unsafe call is in doubt, a safe one is made again."""
    harness = DispatcherHarness()
    unsafe, safe = harness.start(request(safe=False)), harness.start(request(safe=True))
    await harness.sent(2)
    begun, harmless = (call.call_id for call in harness.browser.sent)
    harness.dispatcher.abandon_session("page-a")
    harness.browser.pages["ann"] = back = page("page-a2", device="page-a", instance="w2")
    harness.dispatcher.reconcile_page("ann", back, frozenset(), {begun: "lost"})
    outcome = await unsafe
    assert (outcome.state, outcome.error and outcome.error.detail["reason"]) == (
        CallState.OUTCOME_UNKNOWN,
        "no_browser",
    )
    await harness.sent(3)
    harness.dispatcher.take_report("ann", "page-a2", answered(harmless))
    assert (await safe).state is CallState.SUCCEEDED


async def test_a_safe_call_goes_to_another_page_of_its_user() -> None:
    """When a laptop is closed, the phone answers."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=True))
    call_id = await harness.sent()
    harness.browser.pages["ann"] = page("phone")
    harness.dispatcher.abandon_session("page-a")
    await harness.sent(2)
    harness.dispatcher.take_report("ann", "phone", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_a_safe_call_is_attempted_twice_and_not_more() -> None:
    """S0-78, W-10: two attempts, and only where doing it twice does no harm."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=True))
    for count in (1, 2):
        call_id = await harness.sent(count)
        report = failed(call_id, ErrorCode.NETWORK, "unknown").model_dump()
        report["outcome"]["error"]["retryable"] = True
        harness.dispatcher.take_report("ann", "page-a", Result.model_validate(report))
    outcome = await running
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.NETWORK)
    assert len(harness.browser.sent) == 2


async def test_what_a_page_reports_after_the_end_is_kept_and_changes_nothing() -> None:
    """The truth that came too late belongs in the journal; the caller has gone with another ending."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False), 1)
    call_id = await harness.sent()
    assert (await running).state is CallState.OUTCOME_UNKNOWN
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    assert [(user, result.call_id) for user, result in harness.journal.late_results] == [("ann", call_id)]


async def test_what_another_page_says_of_a_call_that_is_open_is_no_late_truth() -> None:
    """A tab that never had the call said "not delivered": a user could have thought it safe to repeat."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False), 1)
    call_id = await harness.sent()
    harness.dispatcher.take_report("ann", "another-tab", failed(call_id, ErrorCode.NETWORK, "no"))
    assert (await running).state is CallState.OUTCOME_UNKNOWN
    assert harness.journal.late_results == []
    harness.dispatcher.take_report("ann", "page-a", answered(call_id, 201))
    assert [result.outcome.status for _, result in harness.journal.late_results] == ["answered"]


async def test_a_report_of_a_call_that_was_never_given_to_its_user_costs_nothing() -> None:
    """One page's made-up ids filled the journal's queue, and other users' calls were refused."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False), 1)
    call_id = await harness.sent()
    await running
    harness.dispatcher.take_report("bob", "page-b", answered(call_id))
    harness.dispatcher.take_report("ann", "page-a", answered("call_nope"))
    harness.dispatcher.take_report("ann", "page-a", answered(new_unsealed_id()))
    assert harness.journal.late_results == []


# The journal


async def test_an_unsafe_call_is_written_down_before_it_is_sent_and_a_safe_one_after_it_ended() -> None:
    """A crash between the two must leave a trace of everything that may have been performed (ruling 7)."""
    harness = DispatcherHarness()
    unsafe, safe = harness.start(request(safe=False)), harness.start(request(safe=True))
    await harness.sent(2)
    assert [(kept.request.safe, kept.may_begin) for kept in harness.journal.opened_records] == [(False, True)]
    for call in harness.browser.sent:
        harness.dispatcher.take_report("ann", "page-a", answered(call.call_id))
    assert [(await unsafe).state, (await safe).state] == [CallState.SUCCEEDED] * 2
    assert [kept.state for kept in harness.journal.ended_records] == [CallState.SUCCEEDED] * 2


async def test_without_a_journal_only_harmless_calls_are_made() -> None:
    """A full disk must not stop anybody from reading, and must not hide what was done."""
    harness = DispatcherHarness()
    harness.journal.broken = True
    outcome = await harness.run(request(safe=False))
    assert (outcome.state, outcome.error and outcome.error.code) == (
        CallState.FAILED,
        ErrorCode.DATABASE_UNAVAILABLE,
    )
    assert not harness.browser.sent
    safe = harness.start(request(safe=True))
    harness.dispatcher.take_report("ann", "page-a", answered(await harness.sent()))
    assert (await safe).state is CallState.SUCCEEDED


# Approval


async def asked(harness: DispatcherHarness, **changes: Any) -> tuple["asyncio.Task[CallOutcome]", str]:
    """An unsafe call whose page shows a card."""
    needs = replace(request(safe=False), needs_approval=True, **changes)
    running = harness.start(needs, 2)
    call_id = await harness.sent(len(harness.browser.sent) + 1)
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, awaiting_approval=True))
    return running, call_id


async def test_a_user_may_take_longer_to_decide_than_the_call_may_take() -> None:
    """The time for a decision is counted apart from the deadline (ruling 8)."""
    harness = DispatcherHarness()
    running, call_id = await asked(harness)
    await asyncio.sleep(60)
    go = await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))
    assert (go.may_begin, go.deadline_ms) == (True, pytest.approx(2000, abs=20))
    assert await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once")) == go
    assert [kept.may_begin for kept in harness.journal.opened_records] == [False, True]
    assert (await running).state is CallState.OUTCOME_UNKNOWN


@pytest.mark.parametrize("decision", ["once", "chat", "timed", "always"])
async def test_what_was_decided_is_told_and_written_down(
    decision: Literal["once", "chat", "timed", "always"],
) -> None:
    """Once, however often the page says it: the answer to the first may have been lost."""
    harness = DispatcherHarness()
    running, call_id = await asked(harness)
    await harness.dispatcher.apply_decision("page-a", decision_of(call_id, decision))
    await harness.dispatcher.apply_decision("page-a", decision_of(call_id, decision))
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    await running
    assert harness.decisions.made == [("GET /products", decision)]
    (ended,) = harness.journal.ended_records
    assert ended.verdict is not None
    assert (ended.verdict.decision, ended.verdict.reason, ended.verdict.device_id) == (
        decision,
        "user",
        "page-a",
    )


@pytest.mark.parametrize("reason", ["user", "policy", "no_answer"])
async def test_a_denial_is_a_normal_ending(reason: DecisionReason) -> None:
    """Nothing was sent, and the model is told who decided."""
    harness = DispatcherHarness()
    running, call_id = await asked(harness)
    assert await harness.dispatcher.apply_decision(
        "page-a", decision_of(call_id, "denied", reason)
    ) == DecisionReply(may_begin=False)
    outcome = await running
    assert outcome.state is CallState.DENIED
    assert outcome.error
    assert (outcome.error.code, outcome.error.detail) == (ErrorCode.DENIED, {"reason": reason})
    assert harness.decisions.made == [("GET /products", "denied")]
    (ended,) = harness.journal.ended_records
    assert ended.verdict is not None
    assert (ended.verdict.decision, ended.verdict.reason) == ("denied", reason)


async def test_no_answer_is_a_denial_even_when_the_page_sleeps() -> None:
    """The page keeps the time; a frozen one is not waited for."""
    harness = DispatcherHarness()
    running, call_id = await asked(harness)
    began = asyncio.get_running_loop().time()
    outcome = await running
    assert outcome.state is CallState.DENIED
    took = asyncio.get_running_loop().time() - began
    assert took == pytest.approx(DEFAULT_APPROVAL_S + APPROVAL_GRACE_S, abs=0.1)
    assert harness.browser.cancelled == [("page-a", call_id, "no_answer")]
    assert await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once")) == DecisionReply(
        may_begin=False
    )


@pytest.mark.parametrize("ending", ["caller", "page", "user"])
async def test_before_go_nothing_is_in_doubt(ending: str) -> None:
    """A call that still waits for its user was certainly not performed, however it ends."""
    harness = DispatcherHarness()
    running, call_id = await asked(harness)
    if ending == "page":
        harness.browser.pages.clear()
        harness.dispatcher.abandon_session("page-a")
    elif ending == "user":
        assert harness.dispatcher.cancel_call(call_id, "ann", "user")
    else:
        running.cancel()
    done, _ = await asyncio.wait({running})
    outcome = None if ending == "caller" else done.pop().result()
    assert [kept.state for kept in harness.journal.ended_records] == [
        CallState.FAILED if ending == "page" else CallState.CANCELLED
    ]
    assert outcome is None or outcome.error is not None


async def test_a_card_that_was_lost_with_its_page_is_shown_again() -> None:
    """A reload while the user thinks must not cost the call."""
    harness = DispatcherHarness()
    running, call_id = await asked(harness)
    harness.dispatcher.abandon_session("page-a")
    harness.browser.pages["ann"] = back = page("page-a2", device="page-a", instance="w2")
    harness.dispatcher.reconcile_page("ann", back, frozenset(), {})
    await harness.sent(2)
    harness.dispatcher.accept_call("page-a2", Accepted(call_id=call_id, awaiting_approval=True))
    assert (await harness.dispatcher.apply_decision("page-a2", decision_of(call_id, "once"))).may_begin
    harness.dispatcher.take_report("ann", "page-a2", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED


async def test_only_the_owner_stops_a_call() -> None:
    """Knowing a call's id is no right to end it."""
    harness = DispatcherHarness()
    running = harness.start(request())
    call_id = await harness.sent()
    assert not harness.dispatcher.cancel_call(call_id, "bob", "user")
    assert harness.dispatcher.cancel_call(call_id, "ann", "user")
    assert (await running).state is CallState.CANCELLED
    assert harness.browser.cancelled == [("page-a", call_id, "stopped")]
