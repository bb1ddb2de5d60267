"""What OpenAI's two protocols refuse of a history: outputs without calls, calls without outputs, both twice.

The double of a provider and the played models ask it about every request, so that no test passes with a
history that a strict provider would answer with 400. The messages are OpenAI's.
"""

from collections.abc import Sequence
from typing import Any

from tests.support.models.tool_search_check import find_search_refusal

Json = dict[str, Any]

MAX_ID_CHARS = 64
"""Of the id of a call, in the Responses API."""

_FOREIGN = ("thinking:", "redacted_thinking:")
"""How reasoning begins that Anthropic has signed."""

_CALLS = ("function_call", "custom_tool_call")
_SEARCH = "tool_search_call"


def find_refusal(path: str, body: Json) -> str | None:
    """Return the message with which OpenAI would refuse the history of a request; None: it would not."""
    if path.endswith("/chat/completions"):
        return _refused_messages(body.get("messages") or [])
    items: Any = body.get("input")
    if isinstance(items, str):
        items = []
    return refused_items(items or []) or find_search_refusal(body.get("tools") or [], items or [])


def refused_items(items: Sequence[Any]) -> str | None:
    """Return why the Responses API refuses these items; None: it accepts them."""
    waiting: dict[str, str] = {}
    """Types of the calls without an output so far, by id."""
    for item in items:
        kind = str(item.get("type", ""))
        if str(item.get("encrypted_content", "")).startswith(_FOREIGN):
            return f"The encrypted content for item {item.get('id')} could not be verified."
        call_id, answered = str(item.get("call_id", "")), _answered_kind(kind)
        if answered == _SEARCH and item.get("execution") == "server":
            continue
        if len(call_id) > MAX_ID_CHARS:
            return f"Invalid 'input[].call_id': string too long. Expected at most {MAX_ID_CHARS} characters."
        if kind in (*_CALLS, _SEARCH):
            if call_id in waiting:
                return f"Duplicate function call with call_id {call_id}."
            waiting[call_id] = kind
        elif answered in (*_CALLS, _SEARCH) and waiting.pop(call_id, None) != answered:
            return f"No tool call found for function call output with call_id {call_id}."
    return next((f"No tool output found for function call {call_id}." for call_id in waiting), None)


def _answered_kind(kind: str) -> str:
    return _SEARCH if kind == "tool_search_output" else kind.removesuffix("_output")


def _refused_messages(messages: Sequence[Json]) -> str | None:
    waiting: list[str] = []
    """Ids of the last message's calls that have no output so far."""
    for place, message in enumerate(messages):
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in waiting:
                return (
                    "Invalid parameter: messages with role 'tool' must be a response to a preceding message "
                    f"with 'tool_calls'. (messages[{place}])"
                )
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return _unanswered(waiting)
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        if len(set(waiting)) < len(waiting):
            return f"Duplicate tool call ids in messages[{place}]: {', '.join(waiting)}."
    return _unanswered(waiting) if waiting else None


def _unanswered(waiting: Sequence[str]) -> str:
    return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        "'tool_call_id'. The following tool_call_ids did not have response messages: " + ", ".join(waiting)
    )
