"""Writes the events of a turn as one stream of the Responses API, however many rounds it took.

Receives `TurnEvent`s and returns event bodies with `sequence_number`, which a caller cannot tell from
OpenAI's: one `response.created`, items with consecutive `output_index`es, one ending with all of them. Items
stay as the model wrote them. Calls of the bridge are left out, shown in a text, or sent as items
(`CallDisplay`). Markers are part of messages of the bridge's own. What only Open WebUI shows is sent as
`tool_bridge.event`s and `tool_bridge.image`s.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from bridge.models.agent.item_events import MessageEvents, call_events, call_item, text_part
from bridge.models.agent.items import SEARCH_CALL, Item
from bridge.models.agent.model import ENDINGS
from bridge.models.agent.rendering.call_details import call_block
from bridge.models.agent.rendering.markers import ChatMarkers
from bridge.models.agent.rendering.notices import ChatNotices
from bridge.models.agent.rendering.open_webui_output import open_webui_output
from bridge.models.agent.rendering.shown_images import embedded_images, image_links
from bridge.models.agent.responses.response_object import complete_usage, response_error
from bridge.models.agent.turn import (
    ApprovalAwaited,
    Attached,
    CallEnded,
    CallFile,
    CallStarted,
    ItemStored,
    ModelOutput,
    Notice,
    Settled,
    TurnEvent,
    TurnResult,
)
from bridge.settings.answer_format import CallDisplay, MarkerForm
from toolserver.json_types import JsonObject, JsonValue, object_at, text_at

_OF_A_ROUND = ENDINGS | {"response.created", "response.in_progress", "response.queued", "error"}
"""Events that concern a single round, which the caller knows nothing of."""

_SEARCHES = {"response.web_search_call.searching": False, "response.web_search_call.completed": True}
"""Events of a search, and whether it has ended."""

_PROVIDERS_WORD = ("reasoning", "service_tier", "temperature", "top_p", "truncation")
"""Members that the provider may have chosen itself; its response has their values."""


EVENT_TYPE = "tool_bridge.event"
"""Type of the events that Open WebUI shows beside an answer: its event emitter takes `event` as is."""

IMAGE_TYPE = "tool_bridge.image"
"""Type of the events with an image of a call, a `data:` URL: `image_url` for the Pipe; `choices` as in Chat
Completions, which Open WebUI reads in every stream (0.12.4, from its code)."""


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """How an answer is written, beyond the model's output."""

    display: CallDisplay
    markers: MarkerForm = "off"
    """Form in which the items of the answer are named in its text."""
    for_open_webui: bool = False
    """Whether status, notifications and sources are sent as events of `EVENT_TYPE`."""


@dataclass(slots=True)
class _Part:
    """A text part of an unfinished item."""

    texts: list[str] = field(default_factory=list[str])
    is_text_ended: bool = False
    ended: JsonObject | None = None
    """The part as its end had it."""


class ResponsesWriter:
    """Writes one turn. Without streaming, the events are discarded and `response` is the answer."""

    __slots__ = (
        "_display",
        "_has_begun",
        "_has_text",
        "_indexes",
        "_is_created",
        "_is_line_empty",
        "_items",
        "_markers",
        "_new_id",
        "_next_index",
        "_notices",
        "_now",
        "_own_message",
        "_parts",
        "_sequence",
        "_text_key",
        "response",
    )

    def __init__(
        self,
        shell: JsonObject,
        style: AnswerStyle,
        *,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        now: Callable[[], float] | None = None,
    ) -> None:
        """`shell`: from `response_shell`; `now`: seconds since 1970, for `completed_at`."""
        self.response: JsonObject = shell
        """The response so far; complete after `write_end`, `write_failure` or `write_cancelled`."""
        self._display: CallDisplay = style.display
        self._markers = ChatMarkers(style.markers)
        self._notices = ChatNotices() if style.for_open_webui else None
        self._new_id = new_id
        self._now = now
        self._is_created = False
        self._has_begun = False
        self._sequence = 0
        self._indexes: dict[tuple[int, JsonValue], int] = {}
        self._items: dict[int, Item] = {}
        """Items by `output_index`, in that order."""
        self._next_index = 0
        self._text_key: tuple[int, JsonValue] | None = None
        """Round and `output_index` of the last delta of a text."""
        self._parts: dict[int, dict[int, _Part]] = {}
        """Text parts of unfinished items, by `output_index` and `content_index`."""
        self._own_message: MessageEvents | None = None
        """The bridge's own message, while it is open."""
        self._has_text = False
        self._is_line_empty = True

    @property
    def next_number(self) -> int:
        """Sequence number of the next event."""
        return self._sequence

    @property
    def next_index(self) -> int:
        """`output_index` of the next item."""
        return self._next_index

    @property
    def partial(self) -> JsonObject:
        """The response with the finished items so far; the same as `response` once it has ended."""
        done = [item for index, item in self._items.items() if item and index not in self._parts]
        return self.response if self.response["output"] else {**self.response, "output": [*done]}

    def mark_unstored(self) -> None:
        """Say in the response that it is not stored."""
        self.response = {**self.response, "store": False}

    def write_queued(self) -> list[JsonObject]:
        """Begin a response whose turn starts later; `write_event` or `write_start` announces the start."""
        self.response = {**self.response, "status": "queued"}
        self._is_created = True
        return [
            self._numbered_one({"type": kind, "response": self.response})
            for kind in ("response.created", "response.queued")
        ]

    def write_start(self) -> list[JsonObject]:
        """Begin the response, unless it has begun."""
        return self._numbered(())

    @property
    def left_out(self) -> tuple[int, ...]:
        """`output_index`es of items that were sent and are not part of the response."""
        return tuple(index for index in range(self._next_index) if index not in self._items)

    def take_up(
        self, earlier: Iterable[JsonObject], *, standing: int, left_out: Collection[int] = (), skip: int
    ) -> list[JsonObject]:
        """Resume a response that another process began, before anything is written.

        `earlier`: its events, as far as they are known. Items whose `output_index` is `standing` or more, or
        in `left_out`, are not part of the response any more: their round is requested again. The next event's
        number is `skip` greater than the number after the last known one, for events that were sent and are
        not known. Returns the events which end the items that were open.
        """
        kind = ""
        for body in earlier:
            kind = text_at(body, "type")
            self._take_note(kind, body)
        self._is_created = kind != ""
        self._has_begun = kind not in ("", "response.created", "response.queued")
        self._sequence += skip
        open_items = sorted(index for index in self._parts if index in self._items)
        bodies = [body for index in open_items for body in self._broken_off(index)]
        self._parts.clear()
        self._items = {
            index: item for index, item in self._items.items() if index < standing and index not in left_out
        }
        return self._numbered(bodies)

    def write_event(self, event: TurnEvent) -> list[JsonObject]:
        """Return what the caller is sent for an event; the first one also begins the response."""
        if isinstance(event, ModelOutput) and event.event.type == "response.output_text.delta":
            if (delta := self._continued(event)) is not None:
                return [delta]
        elif isinstance(event, Settled):
            return []
        return self._numbered([*self._aside(event), *self._written(event)])

    def _written(self, event: TurnEvent) -> Iterator[JsonObject]:
        match event:
            case ModelOutput():
                bodies = self._said(event)
            case ItemStored():
                bodies = self._mark(self._markers.name_item(event.id))
            case CallEnded() if self._display == "details" and not event.is_omitted:
                bodies = self._block(event)
            case CallEnded() if self._display == "items":
                bodies = self._output(event)
            case Notice() if event.in_answer:
                bodies = self._write_paragraph(event.text)
            case _:
                bodies = iter(())
        yield from bodies

    def _aside(self, event: TurnEvent) -> Iterator[JsonObject]:
        """Yield what only Open WebUI can show."""
        if self._notices is None:
            return
        match event:
            case CallEnded() if self._display != "hidden":
                told = self._notices.report_event(event)
                yield from _image_events(event.files)
            case CallStarted() | CallEnded() | ApprovalAwaited() | Notice(in_answer=False):
                told = self._notices.report_event(event)
            case Attached():
                told = iter([self._notices.report_document(event)])
            case ModelOutput() if event.event.type in _SEARCHES:
                told = iter([self._notices.report_search(has_ended=_SEARCHES[event.event.type])])
            case _:
                told = iter(())
        yield from map(_for_open_webui, told)

    def write_end(self, result: TurnResult, error: JsonObject | None = None) -> list[JsonObject]:
        """Return the rest of the items, and the one ending.

        `error`: of a turn that failed, in OpenAI's form; None: as the provider's response says.
        """
        told = result.response
        for name in _PROVIDERS_WORD:
            if told.get(name) is not None:
                self.response = {**self.response, name: told[name]}
        failure = object_at(told, "error") if error is None else error
        return self._numbered(
            self._ending(
                result.status,
                usage=complete_usage(result.usage),
                incomplete_details=told.get("incomplete_details") if result.status == "incomplete" else None,
                error=response_error(failure) if result.status == "failed" else None,
            )
        )

    def write_failure(self, error: JsonObject) -> list[JsonObject]:
        """Return the ending of a turn without a result; `error`: an error in OpenAI's form."""
        return self._numbered(self._ending("failed", error=response_error(error)))

    def write_cancelled(self) -> list[JsonObject]:
        """Return the ending of a cancelled turn: its output stays, and its status is `cancelled`."""
        return self._numbered(self._ending("cancelled"))

    def _numbered(self, bodies: Iterable[JsonObject]) -> list[JsonObject]:
        numbered: list[JsonObject] = []
        if not self._has_begun:
            self._has_begun = True
            if self.response.get("status") != "in_progress":
                self.response = {**self.response, "status": "in_progress"}
            for kind in ("response.created", "response.in_progress")[self._is_created :]:
                numbered.append(self._numbered_one({"type": kind, "response": self.response}))
        numbered.extend(self._numbered_one(body) for body in bodies)
        return numbered

    def _numbered_one(self, body: JsonObject) -> JsonObject:
        body = {**body, "sequence_number": self._sequence}
        self._sequence += 1
        return body

    def _continued(self, said: ModelOutput) -> JsonObject | None:
        """Return the one body of a delta that goes on with the text written last; None: there may be more.

        The short way of `_written` for what most events of an answer are.
        """
        body = said.event.body
        key = (said.round, body.get("output_index"))
        if key != self._text_key:
            return None
        index = self._indexes[key]
        self._note_delta(index, body)
        number, self._sequence = self._sequence, self._sequence + 1
        return {**body, "output_index": index, "sequence_number": number}

    def _said(self, said: ModelOutput) -> Iterator[JsonObject]:
        body, kind = said.event.body, said.event.type
        if not kind or kind in _OF_A_ROUND or (said.is_own_call and not self._shows(body)):
            return
        index = body.get("output_index")
        if not isinstance(index, int):
            yield body
            return
        key = (said.round, index)
        self._markers.note_event(kind, key)
        if kind == "response.output_text.delta":
            yield from self._mark(self._markers.text_at(key))
            self._text_key = key
        if key not in self._indexes:
            yield from self._close()
            self._indexes[key] = self._new_item({})
        ours = self._indexes[key]
        self._note(ours, kind, body)
        yield {**body, "output_index": ours}

    def _shows(self, body: JsonObject) -> bool:
        """Return whether events of the bridge's calls are sent; of a search Open WebUI knows no item."""
        is_search = object_at(body, "item").get("type") == SEARCH_CALL
        return self._display == "items" and not (self._notices and is_search)

    def _take_note(self, kind: str, body: JsonObject) -> None:
        """Record an event that another process sent."""
        number = body.get("sequence_number")
        index = body.get("output_index")
        if isinstance(number, int):
            self._sequence = max(self._sequence, number + 1)
        if isinstance(index, int):
            self._next_index = max(self._next_index, index + 1)
            self._note(index, kind, body)

    def _note(self, index: int, kind: str, body: JsonObject) -> None:
        match kind:
            case "response.output_item.added":
                self._items[index] = object_at(body, "item")
                self._parts[index] = {}
            case "response.output_item.done":
                self._items[index] = object_at(body, "item")
                self._parts.pop(index, None)
            case "response.output_text.delta":
                self._note_delta(index, body)
            case "response.output_text.done" if index in self._parts:
                self._part(index, body).is_text_ended = True
            case "response.content_part.done" if index in self._parts:
                if (part := object_at(body, "part")).get("type") == "output_text":
                    self._part(index, body).ended = part
            case _:
                pass

    def _note_delta(self, index: int, body: JsonObject) -> None:
        text = text_at(body, "delta")
        self._part(index, body).texts.append(text)
        self._note_text(text)
        self._markers.read_text(text)

    def _part(self, index: int, body: JsonObject) -> _Part:
        number = body.get("content_index")
        number = number if isinstance(number, int) else 0
        if (parts := self._parts.get(index)) is None:
            parts = self._parts[index] = {}
        if (part := parts.get(number)) is None:
            part = parts[number] = _Part()
        return part

    def _note_text(self, text: str) -> None:
        if text:
            self._has_text = True
            self._is_line_empty = text.endswith("\n")

    def _new_item(self, item: Item) -> int:
        index, self._next_index = self._next_index, self._next_index + 1
        self._items[index] = item
        return index

    def _output(self, ended: CallEnded) -> Iterator[JsonObject]:
        yield from self._close()
        if self._notices and ended.call.is_search:
            yield from self._search_call(ended)
        item = open_webui_output(ended) if self._notices else _output_of(ended)
        index = self._new_item(item)
        begun: Item = {**item, "status": "in_progress", "output": [] if self._notices else ""}
        yield {"type": "response.output_item.added", "output_index": index, "item": begun}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
        if self._notices:
            yield from self._write_images(ended)

    def _search_call(self, ended: CallEnded) -> Iterator[JsonObject]:
        """Yield a search as a call of a function, the only kind that Open WebUI shows."""
        call = ended.call
        item = call_item(f"fc_{self._new_id()}", call.call_id, call.name, call.arguments_text)
        yield from call_events(item, self._new_item(item))

    def _block(self, ended: CallEnded) -> Iterator[JsonObject]:
        yield from self._write_block(call_block(ended.call, ended.output, ended.files))
        yield from self._write_images(ended)

    def _write_images(self, ended: CallEnded) -> Iterator[JsonObject]:
        if links := image_links(ended.files):
            yield from self._write_paragraph(f"{links}\n")

    def _write_block(self, block: str) -> Iterator[JsonObject]:
        return self._write_text(block if self._is_line_empty else f"\n{block}")

    def _write_paragraph(self, text: str) -> Iterator[JsonObject]:
        return self._write_text(f"\n\n{text}" if self._has_text else text)

    def _write_text(self, text: str) -> Iterator[JsonObject]:
        self._markers.read_text(text)
        return self._mark(text)

    def _mark(self, text: str) -> Iterator[JsonObject]:
        """Yield text of the bridge that the markers have already read."""
        if not text:
            return
        if self._own_message is None:
            self._own_message = MessageEvents("msg_" + self._new_id(), self._new_item({}))
            yield from self._own_message.begin_message()
        self._note_text(text)
        yield self._own_message.add_text(text)

    def _close(self) -> Iterator[JsonObject]:
        """End the bridge's own message: what comes next is another item."""
        if self._own_message is not None:
            if self._markers.separator:
                yield from self._write_text(self._markers.separator)
            told, self._own_message = self._own_message, None
            bodies = told.finish_message()
            self._items[told.output_index] = object_at(bodies[-1], "item")
            yield from bodies

    def _ending(self, status: str, **members: JsonValue) -> Iterator[JsonObject]:
        yield from self._mark(self._markers.flush_names())
        yield from self._close()
        if self._notices:
            yield from map(_for_open_webui, self._notices.report_end())
        for index in sorted(self._parts):
            yield from self._broken_off(index)
        ended: JsonObject = {
            "status": status,
            "completed_at": int(self._now()) if self._now and status == "completed" else None,
            "output": [*self._items.values()],
            **members,
        }
        self.response = {**self.response, **ended}
        # OpenAI's clients know the status, but no event of that name.
        kind = "incomplete" if status == "cancelled" else status
        yield {"type": f"response.{kind}", "response": self.response}

    def _broken_off(self, index: int) -> Iterator[JsonObject]:
        """Yield the end of an item that the provider began and did not finish."""
        item = self._items[index]
        content: list[JsonValue] = []
        for number, part in sorted(self._parts[index].items()):
            place: JsonObject = {
                "item_id": text_at(item, "id"),
                "output_index": index,
                "content_index": number,
            }
            whole = part.ended or text_part("".join(part.texts))
            content.append(whole)
            if not part.is_text_ended:
                yield {"type": "response.output_text.done", **place, "text": whole["text"], "logprobs": []}
            if not part.ended:
                yield {"type": "response.content_part.done", **place, "part": whole}
        item = {**item, "status": "incomplete"}
        if content:
            item["content"] = content
        self._items[index] = item
        yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _output_of(ended: CallEnded) -> Item:
    links: list[JsonValue] = [file.link() for file in ended.files]
    return {**ended.output, "files": links} if links else ended.output


def _image_events(files: Iterable[CallFile]) -> Iterator[JsonObject]:
    for file in files:
        if images := embedded_images([file]):
            delta: JsonObject = {"images": [*images]}
            choices: list[JsonValue] = [{"index": 0, "delta": delta, "finish_reason": None}]
            yield {"type": IMAGE_TYPE, "image_url": file.data_url, "choices": choices}


def _for_open_webui(event: JsonObject) -> JsonObject:
    return {"type": EVENT_TYPE, **event}
