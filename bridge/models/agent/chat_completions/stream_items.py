"""Items that a chat stream builds piece by piece, and the Responses events for each piece.

Every item is begun, grows, and is finished once; the events of one item are complete and in OpenAI's order.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from bridge.models.agent.chat_completions.call_arguments import CallArguments
from bridge.models.agent.item_events import text_part
from bridge.models.agent.items import Item
from bridge.models.agent.round_bounds import BLOCK_CHARS, RoundBounds
from toolserver.json_types import JsonObject, JsonValue

ItemStatus: TypeAlias = Literal["in_progress", "completed", "incomplete"]


class StreamedMessage:
    """An assistant message of texts and refusals."""

    def __init__(self, item_id: str, output_index: int, bounds: RoundBounds) -> None:
        self._bounds = bounds
        self._id = item_id
        self._index = output_index
        self._parts: list[JsonObject] = []
        self._pieces: list[str] = []
        """Pieces of the last part."""
        self._annotations: list[JsonValue] = []
        """Annotations of the last part."""

    def begin_item(self) -> list[JsonObject]:
        """Return the event that opens the message, without parts yet."""
        return [_added(self._index, self._item("in_progress"))]

    def add_text(self, delta: str, logprobs: list[JsonValue]) -> list[JsonObject]:
        """Return the events for more text; `logprobs` are those of its tokens."""
        self._bounds.count_chars(len(delta))
        began = self._part("output_text")
        self._pieces.append(delta)
        event: JsonObject = {
            "type": "response.output_text.delta",
            **self._place(),
            "delta": delta,
            "logprobs": logprobs,
        }
        return [*began, event]

    def add_refusal(self, delta: str) -> list[JsonObject]:
        """Return the events for more of a refusal."""
        self._bounds.count_chars(len(delta))
        began = self._part("refusal")
        self._pieces.append(delta)
        return [*began, {"type": "response.refusal.delta", **self._place(), "delta": delta}]

    def add_annotation(self, annotation: JsonObject) -> list[JsonObject]:
        """Return the events for a source of the text."""
        self._bounds.count_item()
        began = self._part("output_text")
        self._annotations.append(annotation)
        event: JsonObject = {
            "type": "response.output_text.annotation.added",
            **self._place(),
            "annotation_index": len(self._annotations) - 1,
            "annotation": annotation,
        }
        return [*began, event]

    def finish_item(self, status: ItemStatus) -> list[JsonObject]:
        """Return the events that close the last part and the message."""
        ended = self._end_part()
        return [*ended, _done(self._index, self._item(status))]

    def _part(self, kind: Literal["output_text", "refusal"]) -> list[JsonObject]:
        if self._parts and self._parts[-1]["type"] == kind:
            return []
        self._bounds.count_item()
        ended = self._end_part()
        self._parts.append(text_part("") if kind == "output_text" else {"type": kind, "refusal": ""})
        self._pieces, self._annotations = [], []
        return [
            *ended,
            {"type": "response.content_part.added", **self._place(), "part": dict(self._parts[-1])},
        ]

    def _end_part(self) -> list[JsonObject]:
        if not self._parts:
            return []
        part, full_text = self._parts[-1], "".join(self._pieces)
        if part["type"] == "refusal":
            part["refusal"] = full_text
            said: JsonObject = {"type": "response.refusal.done", **self._place(), "refusal": full_text}
        else:
            part["text"], part["annotations"] = full_text, self._annotations
            said = {"type": "response.output_text.done", **self._place(), "text": full_text, "logprobs": []}
        return [said, {"type": "response.content_part.done", **self._place(), "part": dict(part)}]

    def _place(self) -> JsonObject:
        return {"item_id": self._id, "output_index": self._index, "content_index": len(self._parts) - 1}

    def _item(self, status: ItemStatus) -> Item:
        return {
            "id": self._id,
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": [dict(part) for part in self._parts],
        }


class StreamedReasoning:
    """The reasoning of a model, as text."""

    def __init__(self, item_id: str, output_index: int, bounds: RoundBounds) -> None:
        self._bounds = bounds
        self._id = item_id
        self._index = output_index
        self._pieces: list[str] = []
        self._details: list[JsonValue] = []
        self._sealed = ""

    def begin_item(self) -> list[JsonObject]:
        """Return the events that open the item and its part, both still empty."""
        part: JsonObject = {"type": "reasoning_text", "text": ""}
        return [
            _added(self._index, self._item("in_progress", [])),
            {"type": "response.content_part.added", **self._place(), "part": part},
        ]

    def add_text(self, delta: str) -> JsonObject:
        """Return the event for more reasoning."""
        self._bounds.count_chars(len(delta))
        self._pieces.append(delta)
        return {"type": "response.reasoning_text.delta", **self._place(), "delta": delta}

    def collect_details(self, details: list[JsonValue]) -> None:
        """Store blocks that a gateway wants back verbatim."""
        self._bounds.count_chars(BLOCK_CHARS * len(details))
        self._details += details

    def seal(self, sealed: str) -> None:
        """Store what the provider wants back with the reasoning, unchanged and unread."""
        self._sealed = sealed

    def finish_item(self, status: ItemStatus) -> list[JsonObject]:
        """Return the events that close the item, with the complete text."""
        full_text = "".join(self._pieces)
        part: JsonObject = {"type": "reasoning_text", "text": full_text}
        item = self._item(status, [part])
        if self._details:
            item["reasoning_details"] = self._details
        if self._sealed:
            item["encrypted_content"] = self._sealed
        return [
            {"type": "response.reasoning_text.done", **self._place(), "text": full_text},
            {"type": "response.content_part.done", **self._place(), "part": part},
            _done(self._index, item),
        ]

    def _place(self) -> JsonObject:
        return {"item_id": self._id, "output_index": self._index, "content_index": 0}

    def _item(self, status: ItemStatus, content: list[JsonObject]) -> Item:
        return {"id": self._id, "type": "reasoning", "status": status, "summary": [], "content": [*content]}


class StreamedCall:
    """A function call."""

    def __init__(self, item_id: str, output_index: int) -> None:
        self._id = item_id
        self._place_in_output = output_index
        self.index: int | None = None
        """Index under which the provider began it."""
        self.call_id = ""
        self.has_id = False
        """Whether the provider gave it an id."""
        self.name = ""
        self.has_begun = False
        self.arguments = CallArguments()
        self._extra: JsonValue = None

    @property
    def has_arguments(self) -> bool:
        """Whether a piece of its arguments has come."""
        return not self.arguments.is_blank

    def collect_extra(self, extra: JsonValue) -> None:
        """Store what the provider wants back with the call, such as the signature of its reasoning."""
        self._extra = extra

    def begin_item(self) -> list[JsonObject]:
        """Return the event that opens the call without arguments. `name` and `call_id` are set by now."""
        self.has_begun = True
        return [_added(self._place_in_output, self._item("in_progress", ""))]

    def add_arguments(self, piece: str) -> list[JsonObject]:
        """Return the event for what is certain of the arguments, once more of them has come."""
        told = self.arguments.add_piece(piece) if piece else ""
        return [self._delta(told)] if told else []

    def finish_item(self, status: ItemStatus) -> list[JsonObject]:
        """Return the events that close the call, with its complete arguments."""
        arguments, untold = self.arguments.finish()
        item = self._item(status, arguments)
        if self._extra is not None:
            item["extra_content"] = self._extra
        done: JsonObject = {
            "type": "response.function_call_arguments.done",
            **self._place(),
            "name": self.name,
            "arguments": arguments,
        }
        return [*([self._delta(untold)] if untold else []), done, _done(self._place_in_output, item)]

    def _delta(self, text: str) -> JsonObject:
        return {"type": "response.function_call_arguments.delta", **self._place(), "delta": text}

    def _place(self) -> JsonObject:
        return {"item_id": self._id, "output_index": self._place_in_output}

    def _item(self, status: ItemStatus, arguments: str) -> Item:
        return {
            "id": self._id,
            "type": "function_call",
            "status": status,
            "arguments": arguments,
            "call_id": self.call_id,
            "name": self.name,
        }


def _added(index: int, item: Item) -> JsonObject:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def _done(index: int, item: Item) -> JsonObject:
    return {"type": "response.output_item.done", "output_index": index, "item": item}
