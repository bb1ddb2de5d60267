"""Makes spans: gives them ids, decides which traces are recorded, hands those that have ended to a sink."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from bridge.tracing.context import TraceContext
from bridge.tracing.names import ERROR_TYPE, SpanType

AttributeValue: TypeAlias = str | int | float
"""Foreign text among them is cut at `MAX_TEXT_CHARS`."""

MAX_TEXT_CHARS = 200
"""Maximum characters of an attribute or a title: they come from documents and clients, too."""

_DECIDING_BITS = 56
"""Random bits of a trace's id by which all who take part decide alike (W3C Trace Context 2)."""


@dataclass(slots=True)
class Span:
    """A stretch of work. Whoever started it ends it, once."""

    type: SpanType
    title: str
    context: TraceContext
    parent: TraceContext | None
    began_ns: int
    """Nanoseconds since 1970, UTC; as `ended_ns`."""
    attributes: dict[str, AttributeValue] = field(default_factory=dict[str, AttributeValue])
    links: tuple[TraceContext, ...] = ()
    """Spans of which it is no part, and which belong to it."""
    ended_ns: int = 0
    """0: it has not ended."""

    def set_attribute(self, name: str, value: AttributeValue | None) -> None:
        """Set an attribute; None: it is not known, and is left out. Of a span that has ended nothing changes.

        Its work may go on in tasks that it has started, while the sink already reads the span.
        """
        if value is not None and self.context.is_sampled and not self.ended_ns:
            self.attributes[name] = value[:MAX_TEXT_CHARS] if isinstance(value, str) else value

    @property
    def error(self) -> str | None:
        """Why it failed; None: it did not."""
        value = self.attributes.get(ERROR_TYPE)
        return None if value is None else str(value)


class SpanSink(Protocol):
    """Receives the spans that have ended and are recorded."""

    def take_span(self, span: Span) -> None:
        """Take a span. Never fails, and never waits."""
        ...


class Tracer:
    """Makes the spans of one bridge. Of a trace that is not recorded only the ids are kept."""

    def __init__(
        self,
        sink: SpanSink,
        ratio: float = 1.0,
        *,
        clock: Callable[[], int] = time.time_ns,
        random_bits: Callable[[int], int] = random.getrandbits,
    ) -> None:
        """`ratio`: share of the traces that begin here which are recorded; whoever began another decides."""
        self._sink = sink
        self._bound = round(ratio * 2**_DECIDING_BITS)
        self.now_ns = clock
        self._random_bits = random_bits

    def start_span(
        self,
        kind: SpanType,
        title: str,
        parent: TraceContext | None,
        attributes: Mapping[str, AttributeValue | None],
        *,
        links: tuple[TraceContext, ...] = (),
        began_ns: int | None = None,
        context: TraceContext | None = None,
    ) -> Span:
        """Start a span, now unless `began_ns` says since when; `parent`: None begins a trace.

        `context`: one of `make_context` that others know already; None: a new one.
        """
        now = self.now_ns() if began_ns is None else began_ns
        context = context or self.make_context(parent)
        span = Span(kind, title[:MAX_TEXT_CHARS], context, parent, now, links=links)
        if span.context.is_sampled:
            for name, value in attributes.items():
                span.set_attribute(name, value)
        return span

    def make_context(self, parent: TraceContext | None) -> TraceContext:
        """Return the context of a new span, whose parent that is."""
        span_id = self._make_id(64)
        if parent is not None:
            return TraceContext(parent.trace_id, span_id, parent.is_sampled, parent.is_random)
        trace_id = self._make_id(128)
        is_sampled = trace_id % 2**_DECIDING_BITS < self._bound
        return TraceContext(trace_id, span_id, is_sampled, is_random=True)

    def end_span(self, span: Span, *, error: str | None = None, ended_ns: int | None = None) -> None:
        """End a span, now unless `ended_ns` says when; `error`: why it failed."""
        span.set_attribute(ERROR_TYPE, error)
        span.ended_ns = max(span.began_ns, self.now_ns() if ended_ns is None else ended_ns)
        if span.context.is_sampled:
            self._sink.take_span(span)

    def _make_id(self, bits: int) -> int:
        while not (number := self._random_bits(bits)):
            pass
        return number


_current: ContextVar[Span | None] = ContextVar("span", default=None)


def current_span() -> Span | None:
    """Return the span of which this task's work is a part; None: it is not traced."""
    return _current.get()


def current_context() -> TraceContext | None:
    """Return the context of the span of which this task's work is a part; None: it is not traced."""
    span = _current.get()
    return None if span is None else span.context


@contextmanager
def within_span(span: Span) -> Generator[None]:
    """Run a block, and the tasks that it starts, as parts of a span."""
    before = _current.set(span)
    try:
        yield
    finally:
        _current.reset(before)


def note_error(error_type: str) -> None:
    """Note why the current span fails, if there is one; it may still go on."""
    if (span := _current.get()) is not None:
        span.set_attribute(ERROR_TYPE, error_type)
