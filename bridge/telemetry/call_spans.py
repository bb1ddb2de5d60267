"""Spans of calls: how long each waited for what, and what its page did. An observer of the dispatcher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from bridge.calls.open_call import OpenCall
from bridge.calls.refusals import RefusedCall
from bridge.calls.waits import WAIT_OF, Wait
from bridge.errors import ErrorCode
from bridge.tracing.context import TraceContext
from bridge.tracing.names import (
    ANSWER_READING,
    ANSWER_UPLOAD,
    API_REQUEST,
    APPROVAL_WAIT,
    CALL_ID,
    CALL_OUTCOME,
    ERROR_TYPE,
    HTTP_METHOD,
    HTTP_STATUS,
    MCP_METHOD,
    MCP_REQUEST,
    OPERATION,
    PAGE_PREPARATION,
    PAGE_RUN,
    PAGE_WAIT,
    SERVER_ADDRESS,
    SERVER_ID,
    SERVER_PORT,
    SLOT_WAIT,
    TOOL_CALL,
    TOOL_CALL_ID,
    TOOL_NAME,
    TRANSPORT,
    URL_TEMPLATE,
    SpanType,
)
from bridge.tracing.tracer import AttributeValue, Span, Tracer, current_context, current_span
from toolserver.mcp.tool_list import CALL

NS_PER_MS = 1_000_000

_SPAN_OF: Mapping[Wait, SpanType] = {
    "slot": SLOT_WAIT,
    "page": PAGE_WAIT,
    "approval": APPROVAL_WAIT,
    "api": PAGE_RUN,
}

_SPANS_OF_PAGE = (PAGE_PREPARATION, API_REQUEST, ANSWER_READING, ANSWER_UPLOAD)
"""As `PAGE_PHASES`."""

_PORTS = {"http": 80, "https": 443}


@dataclass(slots=True)
class _OpenSpans:
    """The spans of a call that has not ended."""

    of_call: Span
    waits_for: Wait | None = None
    stretch: Span | None = None
    """Of what it waits for."""


class _Stretch(NamedTuple):
    """A phase of the page, in nanoseconds since 1970."""

    kind: SpanType
    began_ns: int
    ended_ns: int


class CallSpans:
    """Makes the spans of calls; nothing waits or fails."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._open: dict[str, _OpenSpans] = {}

    def note_move(self, call: OpenCall) -> None:
        """Follow a call that has been opened or has changed. As an observer of the dispatcher.

        A call that was just opened is told of in the task of who asked for it.
        """
        spans = self._open.get(call.call_id)
        if spans is None:
            spans = self._open[call.call_id] = self._begin(call)
        now = self._tracer.now_ns()
        waits_for = WAIT_OF.get(call.phase)
        if waits_for is None:
            del self._open[call.call_id]
            self._end(call, spans, now)
        elif waits_for is not spans.waits_for:
            self._end_stretch(spans, now)
            parent = spans.of_call.context
            kind = _SPAN_OF[waits_for]
            spans.stretch = self._tracer.start_span(kind, kind.title, parent, {}, began_ns=now)
            spans.waits_for = waits_for

    def note_refusal(self, refused: RefusedCall) -> None:
        """Note why a call was refused before it was opened, at the request or message that asked for it.

        A turn goes on: its model reads why, and may do better.
        """
        span = current_span()
        if span is not None and span.type.kind == "server":
            span.set_attribute(ERROR_TYPE, refused.code.value)

    def _begin(self, call: OpenCall) -> _OpenSpans:
        request = call.request
        about: dict[str, AttributeValue | None] = {
            OPERATION: "execute_tool",
            TOOL_NAME: request.tool_name,
            TOOL_CALL_ID: request.context.turn_call_id,
            CALL_ID: call.call_id,
            SERVER_ID: request.server_id,
        }
        span = self._tracer.start_span(
            TOOL_CALL, f"execute_tool {request.tool_name}", current_context(), about
        )
        call.trace_context = self._tracer.make_context(span.context)
        return _OpenSpans(span)

    def _end(self, call: OpenCall, spans: _OpenSpans, now: int) -> None:
        if spans.of_call.context.is_sampled and call.phases_ms and spans.stretch is not None:
            self._add_page(call, spans.stretch, now)
        self._end_stretch(spans, now)
        span, outcome = spans.of_call, call.outcome
        span.set_attribute(CALL_OUTCOME, call.state.value)
        error = None if outcome is None or outcome.error is None else outcome.error.code.value
        self._tracer.end_span(span, error=error, ended_ns=now)

    def _end_stretch(self, spans: _OpenSpans, now: int) -> None:
        if spans.stretch is not None:
            self._tracer.end_span(spans.stretch, ended_ns=now)
            spans.stretch = None

    def _add_page(self, call: OpenCall, around: Span, now: int) -> None:
        """Add what the page says it did, within the time that the bridge has seen it take."""
        for stretch in place_phases(call.phases_ms, around.began_ns, now):
            if stretch.kind is API_REQUEST:
                self._add_request(call, stretch, around.context)
            else:
                self._add(stretch, stretch.kind.title, around.context, {})

    def _add(
        self,
        stretch: _Stretch,
        title: str,
        parent: TraceContext,
        about: Mapping[str, AttributeValue | None],
        *,
        error: str | None = None,
        context: TraceContext | None = None,
    ) -> None:
        began = stretch.began_ns
        span = self._tracer.start_span(stretch.kind, title, parent, about, began_ns=began, context=context)
        self._tracer.end_span(span, error=error, ended_ns=stretch.ended_ns)

    def _add_request(self, call: OpenCall, stretch: _Stretch, parent: TraceContext) -> None:
        """Add the request to the API, under the context that the page may have given it."""
        request, outcome = call.request, call.outcome
        method, _, path = request.operation_key.partition(" ")
        answered, error = (None, None) if outcome is None else (outcome.answered, outcome.error)
        about = {**_address(request.origin), TRANSPORT: None if answered is None else answered.transport}
        code = None if error is None else error.code.value
        if method == CALL:
            about |= {MCP_METHOD: "tools/call", OPERATION: "execute_tool", TOOL_NAME: path}
            stretch, title = stretch._replace(kind=MCP_REQUEST), f"tools/call {path}"
        else:
            status = _status_of(call)
            about |= {HTTP_METHOD: method, URL_TEMPLATE: path, HTTP_STATUS: status}
            title = request.operation_key
            code = str(status) if error is not None and error.code is ErrorCode.HTTP_STATUS else code
        self._add(stretch, title, parent, about, error=code, context=call.trace_context)


def place_phases(phases_ms: Sequence[float], began_ns: int, ended_ns: int) -> Iterator[_Stretch]:
    """Return the phases of a page, one after the other, in the middle of the time in which they must lie.

    The page has another clock, and its durations are its own word: what does not fit is cut off.
    """
    longest = ended_ns - began_ns
    whole = [
        (kind, round(min(ms * NS_PER_MS, longest)))
        for kind, ms in zip(_SPANS_OF_PAGE, phases_ms, strict=False)
    ]
    at = began_ns + max(0, longest - sum(ns for _, ns in whole)) // 2
    for kind, ns in whole:
        until = min(at + ns, ended_ns)
        yield _Stretch(kind, at, until)
        at = until


def _status_of(call: OpenCall) -> int | None:
    outcome = call.outcome
    if outcome is None:
        return None
    if outcome.answered is not None:
        return outcome.answered.http_status
    status = None if outcome.error is None else outcome.error.detail.get("status")
    return status if isinstance(status, int) else None


def _address(origin: str) -> dict[str, AttributeValue | None]:
    parts = urlsplit(origin)
    port = parts.port or _PORTS.get(parts.scheme)
    return {SERVER_ADDRESS: parts.hostname, SERVER_PORT: port if parts.hostname else None}
