"""A call that was sent more than once: what a page says of one sending is no proof about another."""

import asyncio

import pytest

from bridge.browser_protocol import MAX_LISTED_CALLS, PROTOCOL, Accepted, Hello, Result
from bridge.calls.dispatcher import RETRY_WAIT_S
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.errors import ErrorCode, WireError
from tests.support.calls.dispatcher_harness import DispatcherHarness, answered, failed, request
from tests.support.calls.fake_browser import page

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

BACK = page("page-a2", device="page-a", instance="w2")


class SentTwice:
    """An unsafe call that was sent, was unknown to a page that came back, and was sent to that one."""

    def __init__(self, *, safe: bool = False) -> None:
        self.harness = DispatcherHarness()
        self.running = self.harness.start(request(safe=safe))

    async def begin(self) -> str:
        call_id = await self.harness.sent()
        self.harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
        self.harness.dispatcher.abandon_session("page-a")
        self.harness.browser.pages["ann"] = BACK
        self.harness.dispatcher.reconcile_page("ann", BACK, frozenset(), {})
        await self.harness.sent(2)
        return call_id

    def report(self, result: Result) -> None:
        self.harness.dispatcher.take_report("ann", "page-a2", result)


@pytest.mark.parametrize(
    "code", [ErrorCode.BROWSER_STORAGE_UNAVAILABLE, ErrorCode.CANCELLED, ErrorCode.NO_BROWSER]
)
async def test_a_no_of_the_second_sending_is_no_proof_of_the_first(code: ErrorCode) -> None:
    """Finding R-2: the first was accepted, so a page of any version may have begun it; nobody can know."""
    twice = SentTwice()
    call_id = await twice.begin()
    twice.harness.dispatcher.accept_call("page-a2", Accepted(call_id=call_id))
    twice.report(failed(call_id, code, "no"))
    outcome = await twice.running
    assert outcome.state is CallState.OUTCOME_UNKNOWN
    assert outcome.error is not None
    assert (outcome.error.detail["reason"], outcome.error.retryable) == (code.value, False)


async def test_an_answer_to_the_second_sending_is_one() -> None:
    """Finding R-2: only what proves that nothing was sent is doubted."""
    twice = SentTwice()
    twice.report(answered(await twice.begin()))
    assert (await twice.running).state is CallState.SUCCEEDED


async def test_of_a_safe_call_every_no_is_believed() -> None:
    """Finding R-2: what only reads is never in doubt, however often it is sent."""
    twice = SentTwice(safe=True)
    call_id = await twice.begin()
    twice.report(failed(call_id, ErrorCode.BROWSER_STORAGE_UNAVAILABLE, "no"))
    assert (await twice.running).state is CallState.FAILED


async def declined_once(*, acknowledges: bool) -> CallOutcome:
    """A call that a page declined while it was replaced, and of which the next one says `no`."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    call_id = await harness.sent()
    busy = WireError(code=ErrorCode.NO_BROWSER, message="It is being replaced.", retryable=True)
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, error=busy))
    await asyncio.sleep(RETRY_WAIT_S)
    await harness.sent(2)
    if acknowledges:
        harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
    harness.dispatcher.take_report("ann", "page-a", failed(call_id, ErrorCode.LOGIN_NEEDED, "no"))
    return await running


async def test_a_page_that_declined_it_has_not_begun_it() -> None:
    """Finding R-2: then the second `no` is of the only sending that could do anything, and is proof."""
    assert (await declined_once(acknowledges=True)).state is CallState.FAILED


async def test_a_no_before_the_acknowledgement_may_be_that_of_an_earlier_sending() -> None:
    """Finding R-2: what lay in the page's outbox comes first; what it was just sent it begins then."""
    assert (await declined_once(acknowledges=False)).state is CallState.OUTCOME_UNKNOWN


@pytest.mark.parametrize(("count", "epoch"), [(MAX_LISTED_CALLS - 1, "e1"), (MAX_LISTED_CALLS, "")])
async def test_a_list_that_may_have_been_cut_proves_nothing(count: int, epoch: str) -> None:
    """Finding R-2: a page of any version lists a thousand calls, and may have begun the next one, too."""
    calls = [{"call_id": f"c{number}", "state": "done"} for number in range(count)]
    hello = Hello.model_validate({"protocol": PROTOCOL, "page_id": "p", "epoch": "e1", "calls": calls})
    assert hello.whole_epoch == epoch


async def tried_again() -> tuple[DispatcherHarness, "asyncio.Task[CallOutcome]", str]:
    """A safe call whose first try broke off on the way, and which its page has again."""
    harness = DispatcherHarness()
    running = harness.start(request())
    call_id = await harness.sent()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
    broken = failed(call_id, ErrorCode.NETWORK, "unknown", retryable=True)
    harness.dispatcher.take_report("ann", "page-a", broken)
    await asyncio.sleep(RETRY_WAIT_S)
    await harness.sent(2)
    return harness, running, call_id


@pytest.mark.parametrize("is_acknowledged", [True, False])
async def test_a_second_try_that_is_not_sent_does_not_hide_what_the_first_one_met(
    is_acknowledged: bool,
) -> None:
    """Finding P-L5: a grant taken back amid a call was told as "not granted", though the call arrived."""
    harness, running, call_id = await tried_again()
    code = ErrorCode.COMPANION_REFUSED if is_acknowledged else ErrorCode.NOT_ACCEPTED
    refusal = WireError(code=code, message="Not any more.")
    harness.dispatcher.accept_call(
        "page-a", Accepted(call_id=call_id, error=None if is_acknowledged else refusal)
    )
    if is_acknowledged:
        harness.dispatcher.take_report("ann", "page-a", failed(call_id, code, "no"))
    error = (await running).error
    assert error is not None
    assert (error.code, error.detail["second_try"], error.retryable) == (ErrorCode.NETWORK, code.value, False)
    assert "A second try was not sent:" in error.message


async def test_an_answer_to_the_second_try_is_what_happened() -> None:
    """Finding P-L5: sibling. An error of the API itself was heard, whatever the first try met."""
    harness, running, call_id = await tried_again()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
    harness.dispatcher.take_report("ann", "page-a", answered(call_id, status=404))
    error = (await running).error
    assert error is not None
    assert (error.code, "second_try" in error.detail) == (ErrorCode.HTTP_STATUS, False)
