"""Sends spans to a collector: OTLP over HTTP, in batches, from a thread of its own.

The bridge never waits for a collector: while it is away spans are dropped, and one line a minute says so.
"""

from __future__ import annotations

import asyncio
import logging
import platform
import threading
from contextlib import suppress
from http import HTTPStatus

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from bridge import __version__
from bridge.tracing.context import TraceContext
from bridge.tracing.names import HTTP_STATUS, REQUEST
from bridge.tracing.tracer import Span

BATCH_EVERY_S = 1.0
"""Seconds between two batches."""

MAX_WAITING = 4096
"""Maximum number of spans that wait for the collector; a call has about ten."""

ANSWER_S = 5.0
"""Seconds for one batch, repetitions included."""

CLOSE_S = 3.0
"""Seconds for what is left when the bridge stops."""

_KINDS = {"server": SpanKind.SERVER, "client": SpanKind.CLIENT, "internal": SpanKind.INTERNAL}
_SCOPE = InstrumentationScope("tool_bridge", __version__)

_log = logging.getLogger(__name__)


class OtlpExporter:
    """The way of spans to one collector. Implements `SpanSink`."""

    def __init__(self, endpoint: str, replica: str) -> None:
        """`endpoint`: such as `http://127.0.0.1:4318/v1/traces`; `replica`: its id; "": a bridge alone."""
        about = {
            "service.name": "tool-bridge",
            "service.version": __version__,
            "process.runtime.name": platform.python_implementation().lower(),
            "process.runtime.version": platform.python_version(),
            **({"service.instance.id": replica} if replica else {}),
        }
        self._resource = Resource.create(about)  # OTEL_RESOURCE_ATTRIBUTES adds to it
        self._processor = BatchSpanProcessor(
            OTLPSpanExporter(endpoint, timeout=ANSWER_S),
            max_queue_size=MAX_WAITING,
            schedule_delay_millis=BATCH_EVERY_S * 1000,
        )

    def take_span(self, span: Span) -> None:
        """Queue a span. See `SpanSink`."""
        self._processor.on_end(
            ReadableSpan(
                span.title,
                _context_of(span.context, is_remote=False),
                None if span.parent is None else _context_of(span.parent, is_remote=True),
                self._resource,
                span.attributes,
                links=[Link(_context_of(each, is_remote=True)) for each in span.links],
                kind=_KINDS[span.type.kind],
                status=_status_of(span),
                start_time=span.began_ns,
                end_time=span.ended_ns,
                instrumentation_scope=_SCOPE,
            )
        )

    async def close(self) -> None:
        """Send what is left, for `CLOSE_S` at most; what is not sent by then is lost."""
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def shut_down() -> None:
            self._processor.shutdown()
            with suppress(RuntimeError):  # the loop has ended before
                loop.call_soon_threadsafe(ended.set)

        # A thread of its own, which no end of the process waits for: a collector may be silent for longer.
        threading.Thread(target=shut_down, name="last spans", daemon=True).start()
        try:
            async with asyncio.timeout(CLOSE_S):
                await ended.wait()
        except TimeoutError:
            _log.warning("The collector of traces does not answer: the last spans are lost.")


_FINE = Status(StatusCode.UNSET)
_REFUSALS = range(HTTPStatus.BAD_REQUEST, HTTPStatus.INTERNAL_SERVER_ERROR)


def _status_of(span: Span) -> Status:
    """The status of a span. By the conventions a request refused with 4xx is no error of its server."""
    answered = span.attributes.get(HTTP_STATUS) if span.type is REQUEST else None
    is_refused = isinstance(answered, int) and answered in _REFUSALS
    return _FINE if span.error is None or is_refused else Status(StatusCode.ERROR, span.error)


def _context_of(context: TraceContext, *, is_remote: bool) -> SpanContext:
    flags = TraceFlags.SAMPLED | (TraceFlags.RANDOM_TRACE_ID if context.is_random else 0)
    return SpanContext(context.trace_id, context.span_id, is_remote, TraceFlags(flags))
