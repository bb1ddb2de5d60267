"""Spans of MCP's messages. A client may name its own trace in `_meta`, apart from the HTTP request's."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from bridge.endpoints.mcp.protocol import VERSION_KEY, RpcError, RpcMessage
from bridge.tracing.context import TRACEPARENT, parse_traceparent
from bridge.tracing.names import (
    MCP_MESSAGE,
    MCP_METHOD,
    MCP_VERSION,
    OPERATION,
    RPC_REQUEST_ID,
    RPC_STATUS,
    TOOL_NAME,
)
from bridge.tracing.tracer import (
    AttributeValue,
    Tracer,
    current_context,
    current_span,
    note_error,
    within_span,
)
from toolserver.json_types import text_at

TOOL_ERROR = "tool_error"
"""Error of a message that was answered with a result that is an error."""


@contextmanager
def trace_message(tracer: Tracer, message: RpcMessage, version: str) -> Generator[None]:
    """Run a block that answers a message; `version`: that of the protocol that its header names."""
    told = parse_traceparent(message.meta.get(TRACEPARENT))
    request = current_context()
    is_call = message.method == "tools/call"
    name = text_at(message.params, "name") if is_call else ""
    about: dict[str, AttributeValue | None] = {
        MCP_METHOD: message.method,
        MCP_VERSION: text_at(message.meta, VERSION_KEY) or version or None,
        RPC_REQUEST_ID: None if message.request_id is None else str(message.request_id),
        OPERATION: "execute_tool" if is_call else None,
        TOOL_NAME: name or None,
    }
    links = () if told is None or request is None else (request,)
    title = f"{message.method} {name}".rstrip()
    span = tracer.start_span(MCP_MESSAGE, title, told or request, about, links=links)
    try:
        with within_span(span):
            yield
    except RpcError as error:
        span.set_attribute(RPC_STATUS, str(error.code))
        tracer.end_span(span, error=str(error.code))
        raise
    except BaseException as failure:
        tracer.end_span(span, error=type(failure).__name__)
        raise
    tracer.end_span(span)


def note_rpc_error(error: RpcError) -> None:
    """Note that the current message is answered with an error, at its span if it has one."""
    note_error(str(error.code))
    if (span := current_span()) is not None:
        span.set_attribute(RPC_STATUS, str(error.code))
