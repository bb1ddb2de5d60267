"""Writes the events of a turn as Chat Completions: chunks of a stream, or one completion.

Receives `TurnEvent`s and returns JSON objects: one role, texts, and at the end one `finish_reason`. An answer
that failed ends with its error and without a `finish_reason`: none that OpenAI knows would say that it is
incomplete, and clients that look at the reason alone took the text for whole. Only Open WebUI waits for one
on every path. Calls that the bridge runs are never `tool_calls`: a caller would run them again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge.models.agent.items import ModelCall, model_call
from bridge.models.agent.model import ModelEvent
from bridge.models.agent.rendering.call_details import call_block, image_paragraph
from bridge.models.agent.rendering.markers import ChatMarkers
from bridge.models.agent.rendering.notices import ChatNotices, ShownEvent
from bridge.models.agent.rendering.shown_images import embedded_images, image_links
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
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at


@dataclass(slots=True)
class _Call:
    index: int
    call_id: str
    name: str
    arguments: list[str] = field(default_factory=list[str])


class CallerCalls:
    """The caller's calls of one turn, written as they come. Complete arguments are never an empty text."""

    def __init__(self) -> None:
        self._by_place: dict[Hashable, _Call] = {}
        self._complete_calls: list[JsonObject] = []

    @property
    def complete_calls(self) -> list[JsonObject]:
        """All calls that were given to `flush_calls`."""
        return self._complete_calls

    def read_event(self, place: Hashable, event: ModelEvent) -> Iterator[JsonObject]:
        """Yield deltas for an event of the item at `place`; a call lacking id or name waits for the end."""
        match event.type:
            case "response.output_item.added":
                call = model_call(object_at(event.body, "item"))
                if call and call.call_id and call.name:
                    yield self._begin(place, call)
            case "response.function_call_arguments.delta":
                begun = self._by_place.get(place)
                if begun and (text := text_at(event.body, "delta")):
                    yield _more(begun, text)
            case "response.output_item.done":
                call = model_call(object_at(event.body, "item"))
                if call and (begun := self._by_place.get(place)):
                    yield from _completed(begun, call.arguments_text)
            case _:
                pass

    def flush_calls(self, calls: Sequence[ModelCall]) -> Iterator[JsonObject]:
        """Yield what is still missing of the calls that the caller has to run."""
        by_id = {begun.call_id: begun for begun in self._by_place.values()}
        for call in calls:
            if begun := by_id.get(call.call_id):
                yield from _completed(begun, call.arguments_text)
            else:
                yield {"index": len(by_id), **_complete_call(call)}
                by_id[call.call_id] = _Call(len(by_id), call.call_id, call.name)
            self._complete_calls.append(_complete_call(call))

    def _begin(self, place: Hashable, call: ModelCall) -> JsonObject:
        begun = self._by_place[place] = _Call(len(self._by_place), call.call_id, call.name)
        function: JsonObject = {"name": call.name, "arguments": ""}
        return {"index": begun.index, "id": call.call_id, "type": "function", "function": function}


def _more(begun: _Call, text: str) -> JsonObject:
    begun.arguments.append(text)
    return {"index": begun.index, "function": {"arguments": text}}


def _completed(begun: _Call, arguments: str) -> Iterator[JsonObject]:
    """Yield arguments that came only with the complete item."""
    if not begun.arguments:
        yield _more(begun, arguments or "{}")


def _complete_call(call: ModelCall) -> JsonObject:
    if call.item.get("type") == "custom_tool_call":
        custom: JsonObject = {"name": call.name, "input": call.arguments_text}
        return {"id": call.call_id, "type": "custom", "custom": custom}
    function: JsonObject = {"name": call.name, "arguments": call.arguments_text or "{}"}
    return {"id": call.call_id, "type": "function", "function": function}


SUMMARY_SEPARATOR = "\n\n---\n\n"
"""Separator between the parts of a reasoning summary."""

_REASONS = {"content_filter": "content_filter"}
"""Finish reasons of incomplete responses, other than reaching the maximum length."""


@dataclass(frozen=True, slots=True)
class ChatShell:
    """What all chunks of an answer have in common, and how it is written."""

    completion_id: str
    created_at: int
    """Creation time in seconds since 1970."""
    model: str
    """The caller's name for the model."""
    display: CallDisplay
    """How calls are shown; `items`, which Chat Completions lacks, are shown as `details`."""
    with_usage: bool = False
    """Whether a last chunk has the usage (`stream_options.include_usage`)."""
    markers: MarkerForm = "off"
    """Form in which the items of the answer are named in its text."""
    for_open_webui: bool = False
    """Whether status, notifications and sources are sent as events at the top level of chunks."""


class ChatWriter:
    """Writes one turn. Without streaming, the chunks are discarded and `completion` is the answer."""

    def __init__(self, shell: ChatShell) -> None:
        self._shell = shell
        self._head: JsonObject = {
            "id": shell.completion_id,
            "object": "chat.completion.chunk",
            "created": shell.created_at,
            "model": shell.model,
        }
        self._has_begun = False
        self._finish_reason: str | None = None
        self._usage: JsonValue = None
        self._texts: dict[str, list[str]] = {}
        """Pieces of text, by member of the message."""
        self._logprobs: list[JsonValue] = []
        """Log probabilities of the model's tokens, where the provider sends them."""
        self._content_place: tuple[object, ...] = ()
        """Origin of the last text; text from elsewhere starts a new paragraph."""
        self._reasoning_place: tuple[object, ...] = ()
        self._line_end = "\n"
        """Last character of the content."""
        self._content_chars = 0
        self._annotation_offset = 0
        self._annotations: list[JsonValue] = []
        self._images: list[JsonObject] = []
        self._calls = CallerCalls()
        self._markers = ChatMarkers(shell.markers)
        self._notices = ChatNotices() if shell.for_open_webui else None

    def write_event(self, event: TurnEvent) -> list[JsonObject]:
        """Return the chunks for an event; the very first chunk carries the role."""
        match event:
            case ModelOutput():
                if event.event.type == "response.output_text.delta" and self._goes_on(event):
                    return self._text_chunk(event.event.body)
                chunks = self._said(event)
            case CallStarted() | ApprovalAwaited():
                chunks = self._notice_chunks(event)
            case CallEnded():
                chunks = self._call_ended(event)
            case Notice():
                chunks = self._paragraph(event.text) if event.in_answer else self._notice_chunks(event)
            case Attached():
                chunks = [self._notices.report_document(event)] if self._notices else []
            case ItemStored():
                chunks = self._marked(self._markers.name_item(event.id))
            case Settled():
                return []
        return [*self._begin(), *chunks]

    def write_end(self, result: TurnResult, error: JsonObject | None = None) -> list[JsonObject]:
        """Return the rest: calls that the caller has to run, an error or a `finish_reason`, the usage.

        `error`: in OpenAI's form, of a turn that failed; None: the error of the result.
        """
        chunks = self._begin()
        chunks.extend(
            self._delta({"tool_calls": [call]}) for call in self._calls.flush_calls(result.caller_calls)
        )
        self._usage = chat_usage(result.usage)
        if result.status == "failed":
            return [*chunks, *self._fail(error or _error(object_at(result.response, "error")))]
        self._finish_reason = _finish_reason(result)
        return [*chunks, *self._finish()]

    def write_failure(self, error: JsonObject) -> list[JsonObject]:
        """Return the end of a turn without a result, perhaps after some output; `error`: in OpenAI's form."""
        return [*self._begin(), *self._fail(error)]

    @property
    def completion(self) -> JsonObject:
        """The answer as one object; complete after `write_end`."""
        message: JsonObject = {"role": "assistant", "content": self._text("content"), "refusal": None}
        for name in ("refusal", "reasoning_content"):
            if name in self._texts:
                message[name] = self._text(name)
        if self._annotations:
            message["annotations"] = self._annotations
        if self._images:
            message["images"] = [*self._images]
        if calls := self._calls.complete_calls:
            message["tool_calls"] = [*calls]
        if not message["content"] and (calls or message["refusal"]):
            message["content"] = None
        choice: JsonObject = {
            "index": 0,
            "message": message,
            "logprobs": _logprobs(self._logprobs),
            "finish_reason": self._finish_reason,
        }
        return {**self._head, "object": "chat.completion", "choices": [choice], "usage": self._usage}

    def _text(self, name: str) -> str:
        return "".join(self._texts.get(name, []))

    def _chunk(self, choices: list[JsonValue], usage: JsonValue = None) -> JsonObject:
        chunk: JsonObject = {**self._head, "choices": choices}
        return {**chunk, "usage": usage} if self._shell.with_usage else chunk

    def _delta(
        self, delta: JsonObject, finish_reason: str | None = None, logprobs: Sequence[JsonValue] = ()
    ) -> JsonObject:
        choice: JsonObject = {
            "index": 0,
            "delta": delta,
            "logprobs": _logprobs(logprobs),
            "finish_reason": finish_reason,
        }
        return self._chunk([choice])

    def _begin(self) -> list[JsonObject]:
        if self._has_begun:
            return []
        self._has_begun = True
        return [self._delta({"role": "assistant", "content": ""})]

    def _fail(self, error: JsonObject) -> Iterator[JsonObject]:
        if self._shell.for_open_webui:
            self._finish_reason = "stop"
        yield {"error": error}
        yield from self._finish()

    def _finish(self) -> Iterator[JsonObject]:
        yield from self._marked(self._markers.flush_names())
        if self._notices:
            yield from self._notices.report_end()
        if self._finish_reason is not None:
            yield self._delta({}, self._finish_reason)
        if self._shell.with_usage and self._usage is not None:
            yield self._chunk([], self._usage)

    def _said(self, said: ModelOutput) -> Iterator[JsonObject]:
        body = said.event.body
        index = body.get("output_index")
        place = (said.round, index if isinstance(index, int) else None)
        self._markers.note_event(said.event.type, place)
        match said.event.type:
            case "response.output_text.delta":
                yield from self._text_delta(text_at(body, "delta"), place, array_at(body, "logprobs"))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                part = (*place, said.event.type, body.get("summary_index"))
                yield from self._reasoning(text_at(body, "delta"), part)
            case "response.refusal.delta":
                yield self._add("refusal", text_at(body, "delta"))
            case "response.output_text.annotation.added":
                yield from self._annotation(object_at(body, "annotation"))
            case "response.web_search_call.searching" | "response.web_search_call.completed" as kind:
                if self._notices:
                    yield self._notices.report_search(has_ended=kind.endswith("completed"))
            case "response.output_item.done" if (
                text_at(object_at(body, "item"), "type") == "image_generation_call"
            ):
                yield from self._image(object_at(body, "item"))
            case _ if not said.is_own_call:
                for call in self._calls.read_event(place, said.event):
                    yield self._delta({"tool_calls": [call]})
            case _:
                pass

    def _goes_on(self, said: ModelOutput) -> bool:
        """Return whether a delta goes on with the text written last, so that nothing is written but it."""
        return self._content_place == (said.round, said.event.body.get("output_index"))

    def _text_chunk(self, body: JsonObject) -> list[JsonObject]:
        """Return the chunk of such a delta: the short way of `_said`, for most events of an answer."""
        text = text_at(body, "delta")
        if not text:
            return []
        self._markers.read_text(text)
        return [self._put(text, array_at(body, "logprobs"))]

    def _text_delta(
        self, text: str, place: tuple[object, ...], logprobs: Sequence[JsonValue]
    ) -> Iterator[JsonObject]:
        if text:
            yield from self._marked(self._markers.text_at(place))
            yield from self._content(text, place, logprobs)

    def _content(
        self, text: str, place: tuple[object, ...], logprobs: Sequence[JsonValue] = ()
    ) -> Iterator[JsonObject]:
        """Yield text of the content; `logprobs`: those of its tokens."""
        if not text:
            return
        if self._content_place != place:
            self._content_place = place
            gap = "\n\n" if self._line_end != "\n" else self._markers.separator
            text = f"{gap}{text}"
            self._annotation_offset = self._content_chars + len(gap)
        self._markers.read_text(text)
        yield self._put(text, logprobs)

    def _marked(self, text: str) -> Iterator[JsonObject]:
        if text:
            self._content_place = ("marker",)
            yield self._put(text)

    def _put(self, text: str, logprobs: Sequence[JsonValue] = ()) -> JsonObject:
        self._line_end = text[-1]
        self._content_chars += len(text)
        self._logprobs.extend(logprobs)
        return self._add("content", text, logprobs)

    def _paragraph(self, text: str) -> Iterator[JsonObject]:
        return self._content(text, (object(),))

    def _block(self, block: str) -> Iterator[JsonObject]:
        """Yield markup that must start on a new line."""
        self._content_place = ("block",)
        return self._content(block if self._line_end == "\n" else f"\n{block}", self._content_place)

    def _reasoning(self, text: str, part: tuple[object, ...]) -> Iterator[JsonObject]:
        if not text:
            return
        if self._reasoning_place != part and "reasoning_content" in self._texts:
            text = SUMMARY_SEPARATOR + text
        self._reasoning_place = part
        yield self._add("reasoning_content", text)

    def _add(self, name: str, text: str, logprobs: Sequence[JsonValue] = ()) -> JsonObject:
        self._texts.setdefault(name, []).append(text)
        return self._delta({name: text}, logprobs=logprobs)

    def _annotation(self, annotation: JsonObject) -> Iterator[JsonObject]:
        """Yield a citation; its indexes refer to the whole content."""
        if annotation.get("type") != "url_citation":
            return
        citation = {name: value for name, value in annotation.items() if name != "type"}
        for name in ("start_index", "end_index"):
            if isinstance(index := citation.get(name), int):
                citation[name] = index + self._annotation_offset
        cited: JsonObject = {"type": "url_citation", "url_citation": citation}
        self._annotations.append(cited)
        yield self._delta({"annotations": [cited]})
        if self._notices:
            yield self._notices.report_source(citation)

    def _image(self, item: JsonObject) -> Iterator[JsonObject]:
        if paragraph := image_paragraph(item):
            yield from self._paragraph(f"{paragraph}\n")

    def _call_ended(self, ended: CallEnded) -> Iterator[JsonObject]:
        yield from self._notice_chunks(ended)
        if self._shell.display != "hidden" and not ended.is_omitted:
            yield from self._block(call_block(ended.call, ended.output, ended.files))
            yield from self._call_images(ended.files)

    def _call_images(self, files: Sequence[CallFile]) -> Iterator[JsonObject]:
        if images := embedded_images(files):
            self._images += images
            yield self._delta({"images": [*images]})
        if links := image_links(files):
            yield from self._paragraph(f"{links}\n")

    def _notice_chunks(self, event: ShownEvent) -> Iterator[JsonObject]:
        """Yield what only Open WebUI can show."""
        return self._notices.report_event(event) if self._notices else iter(())


def _logprobs(tokens: Sequence[JsonValue]) -> JsonValue:
    return {"content": [*tokens], "refusal": None} if tokens else None


def chat_usage(usage: JsonObject) -> JsonValue:
    """Convert a usage to Chat Completions; null when the provider counted nothing."""
    if not isinstance(usage.get("input_tokens"), int):
        return None
    own = {
        "input_tokens": "prompt_tokens",
        "output_tokens": "completion_tokens",
        "input_tokens_details": "prompt_tokens_details",
        "output_tokens_details": "completion_tokens_details",
    }
    renamed: JsonObject = {own.get(name, name): value for name, value in usage.items()}
    return {"completion_tokens": 0, "total_tokens": 0, **renamed}


def _finish_reason(result: TurnResult) -> str:
    if result.status == "incomplete":
        return _REASONS.get(text_at(object_at(result.response, "incomplete_details"), "reason"), "length")
    return "tool_calls" if result.status == "completed" and result.caller_calls else "stop"


def _error(failure: JsonObject) -> JsonObject:
    message = text_at(failure, "message") or "The provider failed and did not say why."
    code = text_at(failure, "code") or "upstream_error"
    return {"message": message, "type": "upstream_error", "param": None, "code": code}
