"""`traceparent`, as W3C Trace Context writes it."""

import pytest

from bridge.tracing.context import TraceContext, parse_traceparent

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@pytest.mark.parametrize("flags", ["00", "01", "02", "03"])
def test_what_is_read_is_written_the_same(flags: str) -> None:
    """Whoever comes after the bridge sees the trace, the decision to record it, and how its id was made."""
    text = f"00-{TRACE}-{SPAN}-{flags}"
    context = parse_traceparent(text)
    assert context is not None
    assert (context.trace_hex, context.span_hex) == (TRACE, SPAN)
    assert context.traceparent == text


def test_a_later_version_is_read_by_its_beginning() -> None:
    """Version 00 says so of the versions to come; flags that it does not know are left out."""
    assert parse_traceparent(f"cc-{TRACE}-{SPAN}-09-what-comes") == TraceContext(
        int(TRACE, 16), int(SPAN, 16), is_sampled=True
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        None,
        7,
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01-more",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01\n",
        f"00-{TRACE[1:]}-{SPAN}-01",
    ],
)
def test_what_is_malformed_is_no_context(text: object) -> None:
    """It is ignored, as the standard wants: a trace begins anew, and the call goes on."""
    assert parse_traceparent(text) is None
