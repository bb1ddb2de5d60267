"""Dispatch: one call, one page, one ending. Deadlines run on a virtual clock."""

import asyncio

import pytest

from bridge.browser_protocol import Accepted, Result
from bridge.calls.dispatcher import RESUME_S
from bridge.calls.state_machine import CallState
from bridge.errors import MESSAGE_CHARS, ErrorCode, WireError
from bridge.http.routing import error_bytes
from tests.support.calls.dispatcher_harness import DispatcherHarness, answered, failed, request
from toolserver.answer.result import LOST, TextBody

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


async def test_a_call_ends_with_what_the_page_reports() -> None:
    """The main line: sent, accepted, answered."""
    harness = DispatcherHarness()
    running = harness.start(request())
    call_id = await harness.sent()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    outcome = await running
    assert outcome.state is CallState.SUCCEEDED
    assert outcome.answered is not None
    assert outcome.answered.body == TextBody('{"ok":true}')
    assert harness.dispatcher.open_call(call_id) is None


async def test_without_a_page_a_call_ends_at_once() -> None:
    """The caller learns what to do instead of waiting for a deadline."""
    outcome = await DispatcherHarness(bob="page-b").run(request(user="ann"))
    assert outcome.error == WireError(code=ErrorCode.NO_BROWSER, message="Open it.", retryable=True)


async def test_an_api_error_is_a_failure_with_the_apis_own_status() -> None:
    """The model reads status and body of the API as data (ruling 9)."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    harness.dispatcher.take_report("ann", "page-a", answered(await harness.sent(), 404, "gone"))
    outcome = await running
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.HTTP_STATUS)
    assert outcome.error
    assert outcome.error.detail == {"status": 404, "content_type": "application/json", "body": "gone"}


@pytest.mark.parametrize(
    ("safe", "state", "code"),
    [
        (True, CallState.EXPIRED, ErrorCode.TIMEOUT),
        (False, CallState.OUTCOME_UNKNOWN, ErrorCode.OUTCOME_UNKNOWN),
    ],
)
async def test_the_server_owns_the_deadline(safe: bool, state: CallState, code: ErrorCode) -> None:
    """Timers of a hidden page lie, so the page is told to abort rather than trusted to."""
    harness = DispatcherHarness()
    loop = asyncio.get_running_loop()
    began = loop.time()
    outcome = await harness.run(request(safe=safe), 30)
    assert loop.time() - began == pytest.approx(30, abs=0.1)
    assert (outcome.state, outcome.error and outcome.error.code) == (state, code)
    assert harness.browser.cancelled == [("page-a", outcome.call_id, "deadline")]


async def test_caller_and_journal_hear_whose_deadline_it_was() -> None:
    """Both read the same error; the words name the setting that was too short."""
    harness = DispatcherHarness()
    outcome = await harness.run(request(), 1.5, "tool")
    assert outcome.error
    assert outcome.error.message == "No answer within 1.5 s. That is the deadline of this tool."
    assert outcome.error.detail == {"deadline_s": 1.5, "set_by": "tool"}
    assert [record.outcome for record in harness.journal.ended_records] == [outcome]


@pytest.mark.parametrize(
    ("safe", "state", "code"),
    [
        (True, CallState.FAILED, ErrorCode.NO_BROWSER),
        (False, CallState.OUTCOME_UNKNOWN, ErrorCode.OUTCOME_UNKNOWN),
    ],
)
async def test_a_lost_page_settles_its_calls_after_the_resume_window(
    safe: bool, state: CallState, code: ErrorCode
) -> None:
    """`sio.call` would wait for its whole timeout; an unsafe call may have been performed."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=safe))
    await harness.sent()
    harness.dispatcher.abandon_session("page-b")
    began = asyncio.get_running_loop().time()
    harness.browser.pages.clear()
    harness.dispatcher.abandon_session("page-a")
    outcome = await running
    assert asyncio.get_running_loop().time() - began == pytest.approx(RESUME_S, abs=0.1)
    assert (outcome.state, outcome.error and outcome.error.code) == (state, code)


async def test_the_resume_window_is_what_it_is_now() -> None:
    """Whoever runs the bridge may change it while calls run: slow machines need more."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    await harness.sent()
    harness.resume_s = 7.0
    began = asyncio.get_running_loop().time()
    harness.browser.pages.clear()
    harness.dispatcher.abandon_session("page-a")
    assert (await running).state is CallState.OUTCOME_UNKNOWN
    assert asyncio.get_running_loop().time() - began == pytest.approx(7.0, abs=0.1)


async def test_results_and_acks_of_another_page_change_nothing() -> None:
    """Bob's page must not be able to answer Ann's call, whatever call id it names."""
    harness = DispatcherHarness()
    running = harness.start(request(user="ann"))
    call_id = await harness.sent()
    refusal = WireError(code=ErrorCode.NOT_ACCEPTED, message="No.")
    harness.dispatcher.accept_call("page-b", Accepted(call_id=call_id, error=refusal))
    harness.dispatcher.take_report("bob", "page-b", answered(call_id, text='{"forged":true}'))
    harness.dispatcher.take_report("ann", "page-a", answered("call_of_somebody_else"))
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    assert (await running).state is CallState.SUCCEEDED
    assert [call.sid for call in harness.browser.sent] == ["page-a"]


async def test_the_first_ending_stands() -> None:
    """A result that arrives twice, or after the deadline, is ignored."""
    harness = DispatcherHarness()
    running = harness.start(request())
    call_id = await harness.sent()
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    harness.dispatcher.take_report("ann", "page-a", failed(call_id, ErrorCode.NETWORK, "no"))
    assert (await running).state is CallState.SUCCEEDED
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))


async def test_a_page_that_refuses_ends_the_call_as_denied() -> None:
    """The page is the last gate: what its user has not accepted it does not run."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    refusal = WireError(code=ErrorCode.NOT_ACCEPTED, message="Not here.")
    harness.dispatcher.accept_call("page-a", Accepted(call_id=await harness.sent(), error=refusal))
    outcome = await running
    assert (outcome.state, outcome.error) == (CallState.DENIED, refusal)


@pytest.mark.parametrize(
    ("delivered", "safe", "state"),
    [
        ("no", False, CallState.FAILED),
        ("unknown", False, CallState.OUTCOME_UNKNOWN),
        ("unknown", True, CallState.FAILED),
    ],
)
async def test_an_unsafe_failure_is_certain_only_with_proof(
    delivered: str, safe: bool, state: CallState
) -> None:
    """`fetch` rejects both before and after delivery; only proof makes it a failure (ruling 2)."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=safe))
    harness.dispatcher.take_report("ann", "page-a", failed(await harness.sent(), ErrorCode.CORS, delivered))
    outcome = await running
    assert outcome.state is state
    assert outcome.error
    assert (outcome.error.code is ErrorCode.OUTCOME_UNKNOWN) == (state is CallState.OUTCOME_UNKNOWN)
    assert outcome.error.detail.get("reason") == ("cors" if state is CallState.OUTCOME_UNKNOWN else None)


async def test_a_caller_that_goes_away_cancels_the_request_in_the_page() -> None:
    """Stop must stop: the page is asked to abort, and the call no longer counts as open."""
    harness = DispatcherHarness()
    running = harness.start(request())
    call_id = await harness.sent()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert harness.browser.cancelled == [("page-a", call_id, "caller_gone")]
    assert harness.dispatcher.open_call(call_id) is None


async def test_an_announced_answer_that_never_arrived_is_no_success() -> None:
    """A page that claims an upload without one must not produce an empty answer."""
    harness = DispatcherHarness()
    running = harness.start(request())
    harness.dispatcher.take_report("ann", "page-a", announced(await harness.sent(), 200))
    outcome = await running
    assert outcome.state is CallState.FAILED
    assert outcome.error
    assert outcome.error.code is ErrorCode.INTERNAL


@pytest.mark.parametrize(("status", "state"), [(201, CallState.SUCCEEDED), (409, CallState.FAILED)])
async def test_what_changed_something_ends_by_its_status_though_its_answer_is_lost(
    status: int, state: CallState
) -> None:
    """What the API did is known; calling that a doubt would have somebody do it again."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    harness.dispatcher.take_report("ann", "page-a", announced(await harness.sent(), status))
    outcome = await running
    assert outcome.state is state
    if outcome.answered:
        kept = outcome.answered
        assert (kept.http_status, kept.body, kept.truncated) == (status, None, True)
    else:
        assert outcome.error
        assert outcome.error.code is ErrorCode.HTTP_STATUS
        assert (outcome.error.detail["status"], outcome.error.detail["note"]) == (status, LOST)


def announced(call_id: str, status: int) -> Result:
    """A report whose body is said to have come by PUT."""
    outcome = {"status": "answered", "http_status": status, "body": {"kind": "uploaded"}}
    return Result.model_validate({"call_id": call_id, "outcome": outcome})


async def test_results_reach_the_call_they_belong_to_in_any_order() -> None:
    """Acks of Socket.IO can answer another call after a reconnect; call ids cannot."""
    harness = DispatcherHarness()
    running = [harness.start(request()) for _ in range(2)]
    await harness.sent(2)
    for number, call in reversed(list(enumerate(harness.browser.sent))):
        harness.dispatcher.take_report("ann", "page-a", answered(call.call_id, text=f'{{"n":{number}}}'))
    bodies = [(await task).answered for task in running]
    assert [body and body.body for body in bodies] == [TextBody('{"n":0}'), TextBody('{"n":1}')]


@pytest.mark.parametrize(
    ("safe", "status", "retryable"), [(True, 503, True), (False, 503, False), (True, 404, False)]
)
async def test_a_busy_api_may_be_asked_again_only_if_that_does_no_harm(
    safe: bool, status: int, retryable: bool
) -> None:
    """`retryable` means: doing it again cannot do it twice."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=safe))
    harness.dispatcher.take_report("ann", "page-a", answered(await harness.sent(), status))
    outcome = await running
    assert outcome.error
    assert outcome.error.retryable is retryable


async def test_a_page_that_has_much_to_say_still_ends_its_call() -> None:
    """A message of full length grows when the outcome is doubtful; it is cut, and the call settles."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    call_id = await harness.sent()
    error = {"code": ErrorCode.NETWORK, "message": "x" * 9000}
    outcome = {"status": "failed", "error": error, "delivered": "unknown"}
    harness.dispatcher.take_report(
        "ann", "page-a", Result.model_validate({"call_id": call_id, "outcome": outcome})
    )
    ended = await running
    assert ended.state is CallState.OUTCOME_UNKNOWN
    assert ended.error
    assert len(ended.error.message) == MESSAGE_CHARS


async def test_an_answer_too_large_to_read_leaves_no_doubt_that_there_was_one() -> None:
    """The API performed the request and answered; only its answer cannot be passed on."""
    harness = DispatcherHarness()
    running = harness.start(request(safe=False))
    harness.dispatcher.take_report(
        "ann", "page-a", failed(await harness.sent(), ErrorCode.TOO_LARGE, "unknown")
    )
    outcome = await running
    assert (outcome.state, outcome.error and outcome.error.code) == (CallState.FAILED, ErrorCode.TOO_LARGE)


async def test_what_an_api_says_of_its_failure_reaches_the_model() -> None:
    """problem+json is passed on as a value, and its sentence stands in the message."""
    harness = DispatcherHarness()
    running = harness.start(request())
    problem = '{"title": "Not Found", "detail": "Shelf 7 is gone.", "shelf": 123456789012345678901234567890}'
    report = answered(await harness.sent(), 404, problem).model_dump()
    report["outcome"]["status_text"] = "Not Found"
    harness.dispatcher.take_report("ann", "page-a", Result.model_validate(report))
    outcome = await running
    assert outcome.error
    assert outcome.error.message == "The API answered 404 Not Found: Shelf 7 is gone."
    assert outcome.error.detail["body"]["shelf"] == 123456789012345678901234567890
    assert b"123456789012345678901234567890" in error_bytes(outcome.error)
