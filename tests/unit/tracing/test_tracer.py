"""The tracer: whose trace a span belongs to, and which ones are recorded."""

from bridge.tracing.context import TraceContext
from bridge.tracing.names import ERROR_TYPE, REQUEST, TOOL_NAME
from bridge.tracing.tracer import MAX_TEXT_CHARS, Tracer, current_span, note_error, within_span
from tests.support.traces.span_list import SpanList, tracer_into


def test_a_span_belongs_to_the_trace_of_its_parent() -> None:
    """Also when another program began it."""
    spans = SpanList()
    tracer = tracer_into(spans)
    theirs = TraceContext(5, 6, is_sampled=True)
    span = tracer.start_span(REQUEST, "GET /a", theirs, {})
    tracer.end_span(span)
    assert (span.context.trace_id, span.parent) == (5, theirs)
    assert span.context.span_id not in (0, 6)
    assert spans.spans == [span]
    assert span.ended_ns > span.began_ns


def test_whoever_began_a_trace_decides_whether_it_is_recorded() -> None:
    """A caller that does not record would never see the spans' beginning."""
    spans = SpanList()
    for ratio, is_sampled in ((1.0, False), (0.0, True)):
        tracer = tracer_into(spans, ratio)
        span = tracer.start_span(REQUEST, "GET /a", TraceContext(5, 6, is_sampled), {TOOL_NAME: "x"})
        tracer.end_span(span)
        assert span.context.is_sampled is is_sampled
    assert [span.context.is_sampled for span in spans.spans] == [True]


def test_of_the_traces_that_begin_here_a_share_is_recorded_by_their_ids() -> None:
    """So that all replicas, and all programs with the same share, record the same ones."""
    for trace_id, is_recorded in ((1, True), (2**55 - 1, True), (2**55, False), (2**120 + 1, True)):
        ids = iter((3, trace_id))
        tracer = Tracer(SpanList(), 0.5, random_bits=lambda _bits, ids=ids: next(ids))
        assert tracer.make_context(None).is_sampled is is_recorded, trace_id


def test_foreign_text_in_a_span_is_short_and_what_is_not_known_is_left_out() -> None:
    """Names come from documents and clients."""
    span = tracer_into(SpanList()).start_span(REQUEST, "x" * 5000, None, {TOOL_NAME: "y" * 5000, "a": None})
    assert len(span.title) == MAX_TEXT_CHARS
    assert span.attributes == {TOOL_NAME: "y" * MAX_TEXT_CHARS}


def test_of_a_span_that_has_ended_nothing_changes() -> None:
    """Its work may go on, and the thread that sends it must not meet a change."""
    spans = SpanList()
    tracer = tracer_into(spans)
    span = tracer.start_span(REQUEST, "GET /a", None, {})
    tracer.end_span(span)
    with within_span(span):
        note_error("late")
    assert span.attributes == {}


def test_an_error_is_noted_at_the_span_of_the_work_that_meets_it() -> None:
    """Whoever meets it need not be given the span."""
    span = tracer_into(SpanList()).start_span(REQUEST, "GET /a", None, {})
    note_error("nobody_listens")
    with within_span(span):
        note_error("unknown_tool")
    assert current_span() is None
    assert span.attributes[ERROR_TYPE] == span.error == "unknown_tool"
