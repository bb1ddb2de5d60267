"""A model that turns calls written into another model's text into `function_call` items."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from bridge.models.agent.item_events import call_events, call_item
from bridge.models.agent.items import Item
from bridge.models.agent.model import ENDINGS, Model, ModelEvent, ModelRequest
from bridge.models.agent.round_bounds import RoundBounds
from bridge.models.agent.text_calls.parser import TextCall, TextCallReader
from bridge.models.agent.text_calls.prompt import told_in_words
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at


class TextCallModel:
    """Wraps another `Model`. Calls in its texts become `function_call` items at the end of the round.

    They count only in rounds in which the model made no calls of its own, and may make some. A message that
    was nothing but calls is left out. Everything else passes as it comes.
    """

    def __init__(
        self, inner: Model, *, tells_tools: bool, new_id: Callable[[], str] = lambda: uuid.uuid4().hex
    ) -> None:
        """`tells_tools`: `inner` has no function calling; instructions describe its tools.

        `new_id`: returns a text that is never returned twice.
        """
        self._inner = inner
        self._tells_tools = tells_tools
        self._new_id = new_id

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one round, as `Model.stream_round`."""
        schemas = {
            text_at(tool, "name"): object_at(tool, "parameters")
            for tool in request.tools
            if tool.get("type") == "function" and tool.get("name")
        }
        may_call = request.options.get("tool_choice") != "none"
        round_ = _Round(schemas, self._new_id) if schemas and may_call else None
        asked = told_in_words(request) if self._tells_tools else request
        async with aclosing(self._inner.stream_round(asked)) as events:
            async for event in events:
                if round_ is None:
                    yield event
                    continue
                for body in round_.read(event):
                    yield ModelEvent(body)


@dataclass(slots=True)
class _Message:
    """A message that is being streamed."""

    item_id: str
    begun: list[JsonObject]
    """Its first events, held back until there is text to send."""
    readers: dict[int, TextCallReader] = field(default_factory=dict[int, TextCallReader])
    """Readers, by the index of the part of its content."""
    read: dict[int, int] = field(default_factory=dict[int, int])
    """Number of characters of each part that the reader was given."""
    said: dict[int, list[str]] = field(default_factory=dict[int, list[str]])

    def text(self, part: int) -> str:
        return "".join(self.said.get(part, []))

    @property
    def calls(self) -> list[TextCall]:
        return [call for _, reader in sorted(self.readers.items()) for call in reader.calls]


class _Round:
    """One round, rewritten while it is streamed."""

    def __init__(self, schemas: Mapping[str, JsonObject], new_id: Callable[[], str]) -> None:
        self._schemas = schemas
        self._bounds = RoundBounds()
        """Of the calls in texts; the texts themselves are bounded already."""
        self._new_id = new_id
        self._messages: dict[int, _Message] = {}
        """Open messages, by the provider's `output_index`."""
        self._ended: dict[int, _Message] = {}
        self._indexes: dict[int, int] = {}
        """Our `output_index` of an item, by the provider's."""
        self._items: dict[int, Item] = {}
        """Finished items, by our `output_index`."""
        self._has_own_calls = False

    def read(self, event: ModelEvent) -> Iterator[JsonObject]:
        body, kind = event.body, event.type
        index = body.get("output_index")
        if kind in ENDINGS:
            yield from self._end(body)
        elif not isinstance(index, int):
            yield body
        elif kind == "response.output_item.added" and _is_message(body):
            self._messages[index] = _Message(text_at(object_at(body, "item"), "id"), [body])
        elif index in self._messages:
            yield from self._read_message(self._messages[index], index, body)
        else:
            yield from self._pass(index, body)

    def _read_message(self, message: _Message, index: int, body: JsonObject) -> Iterator[JsonObject]:
        part = body.get("content_index")
        part = part if isinstance(part, int) else 0
        match body.get("type"):
            case "response.output_text.delta":
                yield from self._say(message, index, part, text_at(body, "delta"), body)
            case "response.output_text.done":
                yield from self._end_part(message, index, part, text_at(body, "text"))
                if not message.begun:
                    yield from self._pass(index, {**body, "text": message.text(part)})
            case "response.content_part.added" | "response.content_part.done" if message.begun:
                message.begun.append(body)
            case "response.content_part.done":
                yield from self._pass(index, {**body, "part": _rewritten(body.get("part"), message, part)})
            case "response.output_item.done":
                yield from self._end_message(message, index, body)
            case _:
                yield from self._begin(message, index)
                yield from self._pass(index, body)

    def _begin(self, message: _Message, index: int) -> Iterator[JsonObject]:
        begun, message.begun = message.begun, []
        for body in begun:
            yield from self._pass(index, body)

    def _say(
        self, message: _Message, index: int, part: int, text: str, like: JsonObject
    ) -> Iterator[JsonObject]:
        reader = message.readers.setdefault(part, TextCallReader(self._schemas, self._bounds))
        message.read[part] = message.read.get(part, 0) + len(text)
        yield from self._text_events(message, index, part, reader.feed_text(text), like)

    def _end_part(self, message: _Message, index: int, part: int, full_text: str) -> Iterator[JsonObject]:
        """Finish a part; `full_text` is its complete text, of which a provider may have sent no deltas."""
        like: JsonObject = {
            "type": "response.output_text.delta",
            "item_id": message.item_id,
            "output_index": index,
            "content_index": part,
            "logprobs": [],
        }
        reader = message.readers.setdefault(part, TextCallReader(self._schemas, self._bounds))
        rest = reader.feed_text(full_text[message.read.get(part, 0) :]) + reader.finish_text()
        message.read[part] = len(full_text)
        yield from self._text_events(message, index, part, rest, like)

    def _text_events(
        self, message: _Message, index: int, part: int, text: str, like: JsonObject
    ) -> Iterator[JsonObject]:
        if text:
            message.said.setdefault(part, []).append(text)
            yield from self._begin(message, index)
            yield from self._pass(index, {**like, "delta": text})

    def _end_message(self, message: _Message, index: int, body: JsonObject) -> Iterator[JsonObject]:
        item: Item = object_at(body, "item")
        content = array_at(item, "content")
        for part, value in enumerate(content):
            if isinstance(value, dict) and value.get("type") == "output_text":
                yield from self._end_part(message, index, part, text_at(value, "text"))
        del self._messages[index]
        self._ended[index] = message
        if message.calls:
            if message.begun:
                return  # nothing but calls
            contents: list[JsonValue] = [_rewritten(value, message, at) for at, value in enumerate(content)]
            item = {**item, "content": contents}
        yield from self._begin(message, index)
        yield from self._pass(index, {**body, "item": item})

    def _pass(self, index: int, body: JsonObject) -> Iterator[JsonObject]:
        ours = self._indexes.setdefault(index, len(self._indexes))
        if body.get("type") == "response.output_item.done":
            item = self._items[ours] = object_at(body, "item")
            self._has_own_calls = self._has_own_calls or item.get("type") == "function_call"
        yield body if ours == index else {**body, "output_index": ours}

    def _end(self, body: JsonObject) -> Iterator[JsonObject]:
        for index, message in sorted(self._messages.items()):  # messages that broke off
            for part in sorted(message.readers):
                yield from self._end_part(message, index, part, "")
        messages = sorted((self._messages | self._ended).items())
        calls = [call for _, message in messages for call in message.calls]
        if not calls:
            yield body
            return
        response = object_at(body, "response")
        output = self._complete_output(array_at(response, "output"))
        if body.get("type") == "response.completed" and not self._has_own_calls:
            for call in calls:
                item = call_item("fc_" + self._new_id(), "call_" + self._new_id(), call.name, call.arguments)
                yield from call_events(item, len(self._indexes))
                self._indexes[-len(self._indexes) - 1] = len(self._indexes)  # not a provider's item
                output.append(item)
        yield {**body, "response": {**response, "output": output}}

    def _complete_output(self, output: list[JsonValue]) -> list[JsonValue]:
        """Return the provider's items as they were emitted; a provider may leave them out of its ending."""
        if not output:
            return [item for _, item in sorted(self._items.items())]
        return [
            self._items.get(self._indexes.get(index, -1), item)
            for index, item in enumerate(output)
            if index not in self._ended or index in self._indexes
        ]


def _is_message(body: JsonObject) -> bool:
    return text_at(object_at(body, "item"), "type") == "message"


def _rewritten(content: JsonValue, message: _Message, part: int) -> JsonValue:
    """Return a part of the content without its calls."""
    if not isinstance(content, dict) or content.get("type") != "output_text" or part not in message.readers:
        return content
    return {**content, "text": message.text(part)}
