"""The context of a trace as it passes from program to program: the header `traceparent` of W3C Trace Context.

`tracestate` and `baggage` are not passed on: they are other people's, and a page or an API need not see them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TRACEPARENT = "traceparent"
"""Name of the header, and of the member of MCP's `_meta` (SEP-414)."""

_PATTERN = re.compile(
    r"(?P<version>[0-9a-f]{2})-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})(?P<more>-.*)?",
    re.ASCII,
)
_SAMPLED, _RANDOM = 1, 2


@dataclass(frozen=True, slots=True)
class TraceContext:
    """A span, as others refer to it."""

    trace_id: int
    """128 bits, not 0."""
    span_id: int
    """64 bits, not 0."""
    is_sampled: bool
    """Whether whoever made it records the trace."""
    is_random: bool = False
    """Whether the last 56 bits of the trace's id are random, so that others may sample by them."""

    @property
    def trace_hex(self) -> str:
        """The trace's id as people read it."""
        return f"{self.trace_id:032x}"

    @property
    def span_hex(self) -> str:
        """The span's id as people read it."""
        return f"{self.span_id:016x}"

    @property
    def traceparent(self) -> str:
        """The value of the header."""
        flags = _SAMPLED * self.is_sampled | _RANDOM * self.is_random
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{flags:02x}"


def parse_traceparent(text: object) -> TraceContext | None:
    """Return the context that a header or member names; None for one that is malformed, which is ignored.

    A later version may have more parts; their beginning is read as this one's.
    """
    found = _PATTERN.fullmatch(text) if isinstance(text, str) else None
    if found is None or found["version"] == "ff" or (found["version"] == "00" and found["more"]):
        return None
    trace_id, span_id, flags = (int(found[part], 16) for part in ("trace", "span", "flags"))
    if not trace_id or not span_id:
        return None
    return TraceContext(trace_id, span_id, bool(flags & _SAMPLED), bool(flags & _RANDOM))
