"""The spans that a tracer of a test has made."""

import itertools
from dataclasses import dataclass, field

from bridge.tracing.tracer import Span, Tracer


@dataclass
class SpanList:
    """Implements `SpanSink`."""

    spans: list[Span] = field(default_factory=list[Span])

    def take_span(self, span: Span) -> None:
        self.spans.append(span)

    def named(self, title: str) -> Span:
        """The one span of that title."""
        (span,) = (span for span in self.spans if span.title == title)
        return span


def tracer_into(spans: SpanList, ratio: float = 1.0) -> Tracer:
    """A tracer whose clock goes on by a millisecond with each look."""
    ticks = itertools.count(1_000_000, 1_000_000)
    return Tracer(spans, ratio, clock=lambda: next(ticks))
