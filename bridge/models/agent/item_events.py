"""Stream events of the Responses API for items that the bridge makes itself.

Event bodies come without `sequence_number`, complete and in OpenAI's order: a client that reads the stream
with OpenAI's SDK cannot tell them from a provider's. Knows nothing of models and callers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from bridge.models.agent.items import Item
from bridge.models.agent.model import ModelRequest
from toolserver.json_types import JsonObject, JsonValue, text_at

EndStatus = Literal["completed", "incomplete"]


class MessageEvents:
    """One assistant message of one text: `begin_message`, any number of `add_text`, `finish_message`."""

    def __init__(self, item_id: str, output_index: int) -> None:
        self.output_index = output_index
        self._id = item_id
        self._texts: list[str] = []

    def begin_message(self) -> list[JsonObject]:
        """Return the events that open the message and its part, both still empty."""
        return [
            {
                "type": "response.output_item.added",
                "output_index": self.output_index,
                "item": self._item("in_progress", []),
            },
            {"type": "response.content_part.added", **self._place(), "part": text_part("")},
        ]

    def add_text(self, text: str) -> JsonObject:
        """Return the delta event for more text."""
        self._texts.append(text)
        return {"type": "response.output_text.delta", **self._place(), "delta": text, "logprobs": []}

    def finish_message(self, status: EndStatus = "completed") -> list[JsonObject]:
        """Return the closing events, which carry the complete text; the last one carries the item."""
        text = "".join(self._texts)
        return [
            {"type": "response.output_text.done", **self._place(), "text": text, "logprobs": []},
            {"type": "response.content_part.done", **self._place(), "part": text_part(text)},
            {
                "type": "response.output_item.done",
                "output_index": self.output_index,
                "item": self._item(status, [text_part(text)]),
            },
        ]

    def _place(self) -> JsonObject:
        return {"item_id": self._id, "output_index": self.output_index, "content_index": 0}

    def _item(self, status: str, content: list[JsonObject]) -> Item:
        return {
            "id": self._id,
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": [*content],
        }


def text_part(text: str) -> JsonObject:
    """Build the content part that holds a text."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def call_item(item_id: str, call_id: str, name: str, arguments: str) -> Item:
    """Build a finished `function_call`."""
    return {
        "id": item_id,
        "type": "function_call",
        "status": "completed",
        "arguments": arguments,
        "call_id": call_id,
        "name": name,
    }


def call_events(item: Item, output_index: int) -> Iterator[JsonObject]:
    """Yield all events of a finished `function_call`; its arguments come in one delta."""
    arguments = text_at(item, "arguments")
    place: JsonObject = {"item_id": text_at(item, "id"), "output_index": output_index}
    begun: Item = {**item, "status": "in_progress", "arguments": ""}
    yield {"type": "response.output_item.added", "output_index": output_index, "item": begun}
    yield {"type": "response.function_call_arguments.delta", **place, "delta": arguments}
    yield {
        "type": "response.function_call_arguments.done",
        **place,
        "name": text_at(item, "name"),
        "arguments": arguments,
    }
    yield {"type": "response.output_item.done", "output_index": output_index, "item": item}


def started_response(request: ModelRequest, response_id: str, created_at: int) -> JsonObject:
    """Build the object of `response.created`: every member that OpenAI's SDK requires, and no output yet.

    `created_at`: seconds since 1970.
    """
    return {
        "id": response_id,
        "object": "response",
        "created_at": created_at,
        "status": "in_progress",
        "model": request.model,
        "instructions": request.instructions,
        "output": [],
        "tools": [*request.tools],
        "tool_choice": request.options.get("tool_choice", "auto"),
        "parallel_tool_calls": request.options.get("parallel_tool_calls", True),
        "error": None,
        "incomplete_details": None,
        "usage": None,
    }


def beginning_events(response: JsonObject) -> Iterator[JsonObject]:
    """Yield the events by which a response begins, each with the object as it is now."""
    for kind in ("created", "in_progress"):
        yield {"type": f"response.{kind}", "response": {**response}}


def ending_event(
    response: JsonObject,
    status: EndStatus | Literal["failed"],
    output: list[JsonValue],
    why: str | None = None,
) -> JsonObject:
    """Build the event by which a response ends; `why`: it is incomplete."""
    ended: JsonObject = {**response, "status": status, "output": output}
    if why is not None:
        ended["incomplete_details"] = {"reason": why}
    return {"type": f"response.{status}", "response": ended}
