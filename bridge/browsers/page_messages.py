"""Messages between bridge and page that need code beyond a shape: a call, and an unreadable report."""

from __future__ import annotations

from typing import Any, cast

from pydantic import ValidationError

from bridge.browser_protocol import MAX_CALL_ID_CHARS, Result
from bridge.calls.open_call import OpenCall
from bridge.errors import ErrorCode


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
                    "deadline_ms": call.left_ms,
                    "approval": "needed" if call.must_ask else "granted",
                    "approval_ms": call.approval_ms,
                    "attempt": call.sendings,
                    "result_token": call.result_token,
                    "idempotency_key": request.idempotency_key,
                },
            },
        },
    }


def unreadable_report(payload: Any, error: ValidationError) -> Result | None:
    """Return the failure that an unreadable report amounts to; None if it names no call that it could end."""
    call_id = cast("dict[str, Any]", payload).get("call_id") if isinstance(payload, dict) else None
    if not isinstance(call_id, str) or not 0 < len(call_id) <= MAX_CALL_ID_CHARS:
        return None
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"])
    message = f"The page reported an outcome that the bridge cannot read: {where}: {problem['msg']}."
    report = {
        "status": "failed",
        "error": {"code": ErrorCode.INTERNAL, "message": message},
        "delivered": "unknown",
    }
    return Result.model_validate({"call_id": call_id, "outcome": report})
