"""Items of the Responses API: a model's input and output, as JSON objects stored verbatim.

Receives and returns `Item`s; reads from them only what the loop decides by. Never changes one in place.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at

Item: TypeAlias = JsonObject
"""One item as a caller or a provider wrote it, unknown members included."""


AWAITING_TYPES = frozenset(
    {
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "mcp_approval_request",
    }
)
"""Items other than a `function_call` that need an answer from the caller before the model can continue."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A `function_call` item, or another one that awaits an answer, in parsed form."""

    call_id: str
    """The provider's id of the call, which its output must name; "" when the provider gave none."""
    name: str
    """Name as the model wrote it; "" when it wrote none."""
    arguments_text: str
    """JSON text as the model wrote it: perhaps broken, perhaps empty."""
    item: Item

    @property
    def is_in_doubt(self) -> bool:
        """Whether its arguments may lack something, or have something of another call.

        Of such a function call the item is `incomplete`, though its round is complete.
        """
        return self.item.get("type") == "function_call" and self.item.get("status") == "incomplete"


def model_call(item: Item) -> ModelCall | None:
    """Parse an item as a `function_call`; None for any other item."""
    if item.get("type") != "function_call":
        return None
    return ModelCall(text_at(item, "call_id"), text_at(item, "name"), arguments_text(item), item)


def arguments_text(item: Item) -> str:
    """Return the arguments of a `function_call` as JSON text; some providers send the object itself."""
    arguments = item.get("arguments")
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return dump_json(arguments).decode()


def awaiting_call(item: Item) -> ModelCall | None:
    """Parse an item of `AWAITING_TYPES`, with its input in place of arguments; None for any other."""
    if text_at(item, "type") not in AWAITING_TYPES:
        return None
    call_id = text_at(item, "call_id") or text_at(item, "id")
    return ModelCall(call_id, text_at(item, "name"), text_at(item, "input"), item)


def call_id_of(item: Item) -> str:
    """Return the id of the call that an item makes; "" for any other item."""
    call = model_call(item) or awaiting_call(item)
    return call.call_id if call else ""


def answered_call_id(item: Item) -> str:
    """Return the id of the call that an item answers; "" for any other item."""
    kind = text_at(item, "type")
    if kind == "mcp_approval_response":
        return text_at(item, "approval_request_id")
    return (text_at(item, "call_id") or text_at(item, "id")) if kind.endswith("_call_output") else ""


def new_call_id() -> str:
    """Create an id for a call that came without one."""
    return f"call_{secrets.token_hex(12)}"


def output_item(call_id: str, output: str | Sequence[JsonObject]) -> Item:
    """Build a call's output, from a text or content parts. A failure too: any other status is refused."""
    content: JsonValue = output if isinstance(output, str) else [*output]
    return {
        "type": "function_call_output",
        "id": f"fco_{secrets.token_hex(8)}",
        "status": "completed",
        "call_id": call_id,
        "output": content,
    }


def message_item(role: Literal["user", "assistant", "system", "developer"], text: str) -> Item:
    """Build a message of one text."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def message_text(item: Item) -> str:
    """Return the text of a message item, its parts joined, refusals left out. "" for any other item."""
    if item.get("type", "message") != "message":
        return ""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = [part for part in array_at(item, "content") if isinstance(part, dict)]
    return "".join(text_at(part, "text") for part in parts)


_NO_ANSWERS = ("reasoning", "_call", "mcp_list_tools", "mcp_approval_request")
"""Endings of item types that are the model's work, not part of its answer."""


def is_answer(item: Item) -> bool:
    """Return whether an item of a model says something to the user: a text, a refusal, an image.

    Reasoning, tool calls, and what the provider searched or ran on the model's behalf do not count.
    """
    kind = text_at(item, "type") or "message"
    if kind != "message":
        return kind == "image_generation_call" or not kind.endswith(_NO_ANSWERS)
    parts = [part for part in array_at(item, "content") if isinstance(part, dict)]
    return message_text(item).strip() != "" or any(text_at(part, "refusal") for part in parts)


def usage_of(response: JsonObject) -> JsonObject:
    """Return the `usage` of a response object; empty when the provider gave none."""
    return object_at(response, "usage")


def add_usage(usage: JsonObject, more: JsonObject) -> JsonObject:
    """Add two usages, member by member: numbers and objects are summed; of anything else the later one wins.

    A member that is null, or of another type than before, leaves the known value unchanged.
    """
    total = dict(usage)
    for name, value in more.items():
        total[name] = _sum(total.get(name), value)
    return total


def _sum(known: JsonValue, value: JsonValue) -> JsonValue:
    if known is None or value is None:
        return value if known is None else known
    if isinstance(known, dict):
        return add_usage(known, value) if isinstance(value, dict) else known
    if _is_number(known):
        return _added(known, value) if _is_number(value) else known
    return value


def _added(known: JsonValue, value: JsonValue) -> JsonValue:
    assert isinstance(known, int | float)
    assert isinstance(value, int | float)
    return known + value


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
