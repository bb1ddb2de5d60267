"""JSON errors that a model reads in place of the output of a call that was skipped or failed. Pure.

The table of `docs/reference/model-loop.md` lists the texts of this module.
"""

from __future__ import annotations

from typing import Literal

from bridge.errors import ErrorCode, WireError
from toolserver.errors import quote_text
from toolserver.json_types import dump_json

BROKE_OFF = "TOOL_CALL_SKIPPED: the answer broke off before it was complete; call not executed."
NO_OUTPUT = (
    "Interrupted: this call has no output. It may or may not have been performed. Do not repeat it if it "
    "changes something; find out by reading, or ask the user."
)
IN_DOUBT = (
    "TOOL_CALL_SKIPPED: the calls of this round came in pieces of which one could not be assigned to its "
    "call; call not executed, because it may change something. Make the call again, and no other with it."
)
HANDED_BACK_IN_DOUBT = (
    "The provider sent the calls of this round in pieces of which one could not be assigned to its call. "
    "None of them was run or handed back, because their arguments may be wrong. Ask again."
)
"""Error of a round with calls for the caller to run."""

NOTHING_SOUGHT = "The search has no words to look for, so nothing is loaded."
"""Shown to people; a model reads only that nothing is loaded."""

NO_ANSWER = (
    "The tools have been called, but the model wrote no answer. Ask again, for example: "
    "*Sum up what the tools returned.*"
)
"""Text in place of the answer that a model did not give."""


def skipped_at_limit(max_rounds: int) -> str:
    """Return the output of a call in the last round that a turn allows."""
    return (
        f"TOOL_CALL_SKIPPED: tool-call loop limit reached ({max_rounds}/{max_rounds}); call not executed. "
        "Answer with what you have."
    )


def skipped_at_call_limit(max_calls: int) -> str:
    """Return the output of a call beyond `max_tool_calls`."""
    return (
        f"TOOL_CALL_SKIPPED: max_tool_calls ({max_calls}) reached; call not executed. "
        "Answer with what you have."
    )


def omitted_notice(name: str) -> str:
    """Return the notice to the user about a result that does not fit into the model's context."""
    return (
        f"The result of {quote_text(name)} is too long for what the model can still read, so it was left "
        "out. The bridge page shows the call under Calls."
    )


def unknown_text(name: str, *, can_search: Literal["run_operation", "tool_search"] | None) -> str:
    """Return the output of a call of an unknown tool; `can_search`: how the model reaches others, or None."""
    if not name.strip():
        return _error_json(WireError(code=ErrorCode.UNKNOWN_TOOL, message="Tool call missing name."))
    message = f"Tool not found: there is no tool {quote_text(name)}. Call only tools that you were given."
    if can_search == "run_operation":
        message += " Other operations are run by run_operation, with their name as argument."
    elif can_search is not None:
        message += " Others are loaded by tool_search."
    return _error_json(WireError(code=ErrorCode.UNKNOWN_TOOL, message=message))


def error_text(error: WireError, name: str) -> str:
    """Return the output of a call that ended with `error`: `{"error": {"code", "message", …}}`."""
    return _error_json(error.model_copy(update={"message": _message(error, f"Tool {quote_text(name)}")}))


def _error_json(error: WireError) -> str:
    return dump_json({"error": error.model_dump(mode="json", exclude_defaults=True)}).decode()


def _message(error: WireError, tool: str) -> str:
    original = error.message
    match error.code:
        case ErrorCode.UNKNOWN_TOOL:  # it was there when the turn started
            return f"{tool} is no longer available in this session."
        case ErrorCode.INVALID_ARGUMENTS:
            return f"Invalid arguments: {original}"
        case ErrorCode.BREAKER_OPEN:
            return f"{tool} skipped due to repeated failures. {original}"
        case ErrorCode.CANCELLED:
            return f"Tool execution cancelled. {original}"
        case ErrorCode.TIMEOUT if error.detail.get("set_by") == "TOOL_BATCH_TIMEOUT_SECONDS":
            return f"Tool batch exceeded its time and was cancelled. {original}"
        case ErrorCode.INTERNAL:
            return f"Tool execution failed before completion: {original}"
        case _:
            return f"Tool error: {original}"
