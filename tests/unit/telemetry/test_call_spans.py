"""Spans of calls: what a call waited for, and where its page's time is put."""

import pytest

from bridge.browser_protocol import Accepted, Result
from bridge.calls.call_watch import CallObservers
from bridge.calls.refusals import RefusedCall
from bridge.calls.request import CallContext, CallRequest
from bridge.errors import ErrorCode
from bridge.telemetry.call_spans import CallSpans, place_phases
from bridge.tracing.names import REQUEST, TURN
from bridge.tracing.tracer import Tracer, within_span
from tests.support.calls.dispatcher_harness import DispatcherHarness, answered, decision_of, failed, request
from tests.support.traces.span_list import SpanList, tracer_into

REFUSED = RefusedCall(CallContext("ann"), "nosuch", None, ErrorCode.UNKNOWN_TOOL)

MS = 1_000_000


def reporting(result: Result, *phases_ms: float) -> Result:
    outcome = result.outcome.model_copy(update={"phases_ms": phases_ms})
    return result.model_copy(update={"outcome": outcome})


def traced(spans: SpanList) -> tuple[DispatcherHarness, Tracer]:
    tracer = tracer_into(spans)
    return DispatcherHarness(observers=CallObservers([CallSpans(tracer).note_move])), tracer


async def perform(spans: SpanList, call: CallRequest, result: Result, *phases_ms: float) -> None:
    """A call of a request, whose page reports that."""
    harness, tracer = traced(spans)
    span = tracer.start_span(REQUEST, "POST /tools/{tool}", None, {})
    with within_span(span):
        running = harness.start(call)
    call_id = await harness.sent()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id))
    report = result.model_copy(update={"call_id": call_id})
    harness.dispatcher.take_report("ann", "page-a", reporting(report, *phases_ms))
    await running
    tracer.end_span(span)


@pytest.mark.asyncio
async def test_each_wait_of_a_call_is_a_span_within_that_of_the_call() -> None:
    """And that one within the span of who asked for it."""
    spans = SpanList()
    await perform(spans, request(), answered("c"), 0, 0.5)
    call = spans.named("execute_tool listProducts")
    assert call.parent == spans.named("POST /tools/{tool}").context
    waits = [spans.named(f"wait for {each}") for each in ("slot", "page")]
    run = spans.named("run in page")
    assert [span.parent for span in (*waits, run)] == [call.context] * 3
    assert waits[0].ended_ns <= waits[1].began_ns <= waits[1].ended_ns <= run.began_ns
    assert spans.named("GET /products").parent == run.context
    assert call.attributes["gen_ai.tool.name"] == "listProducts"
    assert (call.attributes["tool_bridge.call.outcome"], call.error) == ("succeeded", None)


@pytest.mark.asyncio
async def test_a_failure_is_an_error_of_the_call_and_of_its_request() -> None:
    """By the bridge's code for the call, by the status for the request, as HTTP's conventions want."""
    spans = SpanList()
    await perform(spans, request(safe=False), answered("c", 409), 0, 0.5)
    assert spans.named("execute_tool listProducts").error == "http_status"
    fetch = spans.named("GET /products")
    assert (fetch.error, fetch.attributes["http.response.status_code"]) == ("409", 409)
    assert (fetch.attributes["server.address"], fetch.attributes["server.port"]) == ("api.example", 80)


@pytest.mark.asyncio
async def test_a_request_that_was_never_sent_has_no_span() -> None:
    """The page says how far it came; an older one says nothing."""
    for phases_ms in ([0.1], []):
        spans = SpanList()
        await perform(spans, request(safe=False), failed("c", ErrorCode.NOT_ACCEPTED, "no"), *phases_ms)
        titles = {span.title for span in spans.spans}
        assert ("prepare request" in titles) is bool(phases_ms)
        assert "GET /products" not in titles


@pytest.mark.asyncio
async def test_the_tool_of_an_mcp_server_is_called_by_the_words_of_mcp() -> None:
    """Its address and method are those of the transport, and tell nothing."""
    spans = SpanList()
    call = request()
    call = CallRequest(
        call.context,
        "echo",
        "mcp",
        "CALL echo",
        "d",
        "http://mcp.example:8080",
        safe=True,
        arguments_text="{}",
    )
    await perform(spans, call, answered("c"), 0, 0.2)
    span = spans.named("tools/call echo")
    assert span.attributes["mcp.method.name"] == "tools/call"
    assert span.attributes["server.port"] == 8080


@pytest.mark.asyncio
async def test_the_time_in_which_a_user_is_asked_is_a_span() -> None:
    """Most of a slow call may be its user."""
    spans = SpanList()
    harness, _ = traced(spans)
    running = harness.start(request(safe=False))
    call_id = await harness.sent()
    harness.dispatcher.accept_call("page-a", Accepted(call_id=call_id, awaiting_approval=True))
    assert (await harness.dispatcher.apply_decision("page-a", decision_of(call_id, "once"))).may_begin
    harness.dispatcher.take_report("ann", "page-a", answered(call_id))
    await running
    assert spans.named("wait for approval").ended_ns <= spans.named("run in page").began_ns


def test_a_refused_call_is_an_error_of_its_request_and_not_of_a_models_turn() -> None:
    """The model reads why, and the turn goes on."""
    tracer = tracer_into(SpanList())
    calls = CallSpans(tracer)
    for kind, error in ((REQUEST, "unknown_tool"), (TURN, None)):
        span = tracer.start_span(kind, "x", None, {})
        with within_span(span):
            calls.note_refusal(REFUSED)
        assert span.error == error
    calls.note_refusal(REFUSED)


def test_the_phases_of_a_page_lie_in_the_middle_of_the_time_that_it_took() -> None:
    """The message to the page and its report take the rest, about as long each."""
    phases = [1, 4, 1]
    placed = [(each.kind.title, each.began_ns, each.ended_ns) for each in place_phases(phases, 0, 10 * MS)]
    assert placed == [
        ("prepare request", 2 * MS, 3 * MS),
        ("{method} {template}", 3 * MS, 7 * MS),
        ("read answer", 7 * MS, 8 * MS),
    ]


def test_a_page_that_says_more_than_it_took_is_not_believed() -> None:
    """A page is a user's own browser, whatever runs in it."""
    phases = [3, 1.7e308, 5, 1, 2]
    placed = [(each.began_ns, each.ended_ns) for each in place_phases(phases, 0, 10 * MS)]
    assert placed == [(0, 3 * MS), (3 * MS, 10 * MS), (10 * MS, 10 * MS), (10 * MS, 10 * MS)]
