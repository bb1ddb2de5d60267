"""Items of the Responses API: what a model is given and what it answers, as JSON objects kept verbatim.

Receives and gives `Item`s; reads from them only what the loop decides by. Never changes one in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolserver.json_types import JsonObject, array_at, object_at, text_at

Item: TypeAlias = JsonObject
"""One item as a caller or a provider wrote it, unknown members included."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A `function_call` item, read."""

    call_id: str
    """The provider's id of the call, which its output must name; "" when the provider gave none."""
    name: str
    """As the model wrote it; "" when it wrote none."""
    arguments_text: str
    """JSON text as the model wrote it: perhaps broken, perhaps empty."""
    item: Item


def model_call(item: Item) -> ModelCall | None:
    """The call that an item is; None for any other item."""
    if item.get("type") != "function_call":
        return None
    return ModelCall(text_at(item, "call_id"), text_at(item, "name"), text_at(item, "arguments"), item)


def output_item(call_id: str, output: str, *, item_id: str) -> Item:
    """The output of a call, for the next round. A failure is told in the text: its status is refused."""
    return {
        "type": "function_call_output",
        "id": item_id,
        "status": "completed",
        "call_id": call_id,
        "output": output,
    }


def message_item(role: Literal["user", "assistant", "system", "developer"], text: str) -> Item:
    """A message of one text."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def message_text(item: Item) -> str:
    """The text of a message item, its parts joined; refusals are not text. "" for any other item."""
    if item.get("type", "message") != "message":
        return ""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = [part for part in array_at(item, "content") if isinstance(part, dict)]
    return "".join(text_at(part, "text") for part in parts)


def usage_of(response: JsonObject) -> JsonObject:
    """The `usage` of a response object; empty when the provider gave none."""
    return object_at(response, "usage")
