"""What a model reads of a call that was not run, or failed: one JSON error, in words it knows. Pure.

The table of `docs/reference/model-loop.md` is made of what stands here.
"""

from __future__ import annotations

from bridge.errors import ErrorCode, WireError
from toolserver.errors import quote_text
from toolserver.json_types import dump_json

BROKE_OFF = "TOOL_CALL_SKIPPED: the answer broke off before it was complete; call not executed."
NOTHING_SAID = (
    "The tools have been called, but the model wrote no answer. Ask again, for example: "
    "*Sum up what the tools returned.*"
)
"""In place of the answer that a model did not give."""


def skipped_at_limit(max_rounds: int) -> str:
    """The output of a call in the last round that a turn allows."""
    return (
        f"TOOL_CALL_SKIPPED: tool-call loop limit reached ({max_rounds}/{max_rounds}); call not executed. "
        "Answer with what you have."
    )


def skipped_at_call_limit(max_calls: int) -> str:
    """The output of a call beyond `max_tool_calls`."""
    return (
        f"TOOL_CALL_SKIPPED: max_tool_calls ({max_calls}) reached; call not executed. "
        "Answer with what you have."
    )


def omitted_notice(name: str) -> str:
    """What a user is told of a result that does not fit into the model's context."""
    return (
        f"The result of {quote_text(name)} is too long for what the model can still read, so it was left "
        "out. The call stands in the bridge page under Calls."
    )


def unknown_text(name: str, *, can_search: bool) -> str:
    """The output of a call of a tool that the model was not given; `can_search`: it can look further."""
    if not name.strip():
        return _error_json(WireError(code=ErrorCode.UNKNOWN_TOOL, message="Tool call missing name."))
    message = f"Tool not found: there is no tool {quote_text(name)}. Call only tools that you were given."
    if can_search:
        message += " Other operations are run by run_operation, with their name as argument."
    return _error_json(WireError(code=ErrorCode.UNKNOWN_TOOL, message=message))


def error_text(error: WireError, name: str) -> str:
    """The output of a call of a tool that ended with `error`: `{"error": {"code", "message", …}}`."""
    return _error_json(error.model_copy(update={"message": _message(error, f"Tool {quote_text(name)}")}))


def _error_json(error: WireError) -> str:
    return dump_json({"error": error.model_dump(mode="json", exclude_defaults=True)}).decode()


def _message(error: WireError, tool: str) -> str:
    said = error.message
    match error.code:
        case ErrorCode.UNKNOWN_TOOL:  # it was there when the turn began
            return f"{tool} is no longer available in this session."
        case ErrorCode.INVALID_ARGUMENTS:
            return f"Invalid arguments: {said}"
        case ErrorCode.BREAKER_OPEN:
            return f"{tool} skipped due to repeated failures. {said}"
        case ErrorCode.CANCELLED:
            return f"Tool execution cancelled. {said}"
        case ErrorCode.TIMEOUT if error.detail.get("set_by") == "TOOL_BATCH_TIMEOUT_SECONDS":
            return f"Tool batch exceeded its time and was cancelled. {said}"
        case ErrorCode.INTERNAL:
            return f"Tool execution failed before completion: {said}"
        case _:
            return f"Tool error: {said}"
