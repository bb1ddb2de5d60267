"""Messages between bridge and page that need code beyond a shape: a call, its ack, an unreadable report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

from pydantic import ValidationError

from bridge.browser_protocol import (
    MAX_CALL_ID_CHARS,
    Accepted,
    AnsweredOutcome,
    FailedOutcome,
    Result,
    TextResultBody,
)
from bridge.calls.open_call import OpenCall
from bridge.calls.request import CallRequest
from bridge.errors import ErrorCode, WireError
from bridge.tracing.context import TraceContext
from toolserver.json_types import dump_json


def envelope_of(call: OpenCall) -> dict[str, Any]:
    """Return `execute:tool` in Open WebUI's envelope, with our extension under `bridge`."""
    request = call.request
    return {
        "chat_id": request.context.chat_id,
        "message_id": request.context.message_id,
        "data": {
            "type": "execute:tool",
            "data": {
                "id": call.call_id,
                "name": request.operation_key,
                "params": request.arguments_text,
                "server": {"id": request.server_id, "digest": request.operation_digest},
                "session_id": call.sid,
                "bridge": {
                    "tool": request.tool_name,
                    "asked_by": request.context.asked_by,
                    "caller_id": request.context.caller_id,
                    "deadline_ms": call.left_ms,
                    "approval": "needed" if call.must_ask else "granted",
                    "approval_ms": call.approval_ms,
                    "attempt": call.sendings,
                    "result_token": call.result_token,
                    "idempotency_key": request.idempotency_key,
                    "doubted": None if request.doubted is None else asdict(request.doubted),
                    **({} if call.trace_context is None else _trace_of(call.trace_context, request)),
                },
            },
        },
    }


def _trace_of(context: TraceContext, request: CallRequest) -> dict[str, Any]:
    return {"traceparent": context.traceparent, "pass_traceparent": request.trace_context}


def unreadable_report(payload: Any, error: ValidationError) -> Result | None:
    """Return the failure that an unreadable report amounts to; None if it names no call that it could end."""
    call_id = cast("dict[str, Any]", payload).get("call_id") if isinstance(payload, dict) else None
    if not isinstance(call_id, str) or not 0 < len(call_id) <= MAX_CALL_ID_CHARS:
        return None
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"])
    message = f"The page reported an outcome that the bridge cannot read: {where}: {problem['msg']}."
    return _failure(call_id, ErrorCode.INTERNAL, message)


def read_ack(call_id: str, arguments: Sequence[Any]) -> Accepted | Result:
    """Return what a page's ack of `execute:tool` says, in our form or in Open WebUI's.

    Open WebUI's page answers in the ack itself: `[data, headers]`, or `{"error": text}` when it does not know
    the server. Any other ack is a failure: a page that answered so reports nothing later, and the call would
    wait for its deadline.
    """
    answer: Any = arguments[0] if len(arguments) == 1 else list(arguments)
    if answer == {"call_id": call_id}:  # as nearly all are
        return Accepted(call_id=call_id)
    match answer:
        case {"error": str(message)}:
            error = WireError(
                code=ErrorCode.NOT_ACCEPTED, message=f"The page refused the call: {message[:500]}"
            )
            return Accepted(call_id=call_id, error=error)
        case [{"error": str(message)}, None]:
            return _failure(call_id, ErrorCode.NETWORK, f"The page could not make the call: {message[:500]}")
        case [value, dict() | None]:
            return _answer(call_id, value)
        case _:
            pass
    try:
        accepted = Accepted.model_validate(answer)
    except ValidationError:
        accepted = None
    if accepted is None or accepted.call_id != call_id:
        message = "The page acknowledged the call in a form that the bridge cannot read."
        return _failure(call_id, ErrorCode.INTERNAL, message)
    return accepted


def _answer(call_id: str, value: Any) -> Result:
    """Return the report of an API's answer as Open WebUI's page gives it: decoded, and without its status."""
    is_text = isinstance(value, str)
    outcome = AnsweredOutcome(
        status="answered",
        http_status=200,
        content_type="text/plain" if is_text else "application/json",
        body=TextResultBody(kind="text", text=value if is_text else dump_json(value).decode()),
    )
    return Result(call_id=call_id, outcome=outcome)


def _failure(call_id: str, code: ErrorCode, message: str) -> Result:
    error = WireError(code=code, message=message)
    return Result(call_id=call_id, outcome=FailedOutcome(status="failed", error=error, delivered="unknown"))
