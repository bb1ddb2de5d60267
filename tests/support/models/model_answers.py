"""What a scripted provider says, in few words: `text("Hi")`, `calls(("search", {"q": "x"}))`.

An `Answer` knows no protocol; `responses_events` and `chat_chunks` write it down in one. Ids are counted
from the answer's number, so that a test can expect them.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]

Ending: TypeAlias = Literal["completed", "length", "content_filter", "paused", "failed", "none"]
"""none: the stream just ends; paused: of Messages alone, as are own tools."""


@dataclass(frozen=True, slots=True)
class Part:
    """One item: what it is, and its text in the pieces in which it comes."""

    kind: Literal["text", "refusal", "reasoning", "call", "search", "own tool", "found"]
    pieces: tuple[str, ...]
    name: str = ""
    """Of a call."""
    namespace: str = ""
    """Of a call of a loaded function."""
    arguments: Any = None
    """Of a search, in any form."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One round of a model."""

    parts: tuple[Part, ...]
    ending: Ending = "completed"
    usage: tuple[int, int] = (11, 7)
    """Tokens read and written."""

    def __add__(self, other: "Answer") -> "Answer":
        """Both, one after the other; the ending and usage of the second."""
        return replace(other, parts=self.parts + other.parts)

    def ending_in(self, ending: Ending) -> "Answer":
        return replace(self, ending=ending)

    def costing(self, read: int, written: int) -> "Answer":
        return replace(self, usage=(read, written))


def text(*pieces: str) -> Answer:
    return Answer((Part("text", pieces),))


def refusal(*pieces: str) -> Answer:
    return Answer((Part("refusal", pieces),))


def reasoning(*pieces: str) -> Answer:
    """A summary in a Responses stream, `reasoning_content` in a chat stream."""
    return Answer((Part("reasoning", pieces),))


def calls(*named: tuple[str, object]) -> Answer:
    """Calls of one round: name and arguments, which are written as JSON unless they are text already.

    Ids are `call_{answer}_{position}`.
    """
    return Answer(
        tuple(
            Part("call", _halves(given if isinstance(given, str) else json.dumps(given)), name)
            for name, given in named
        )
    )


def searches(*arguments: Any) -> Answer:
    """Tool searches of one round, by their arguments; their ids are counted as those of calls."""
    return Answer(tuple(Part("search", (), arguments=each) for each in arguments))


def looks_up(query: str, *found: str) -> Answer:
    """A web search that the provider runs itself, and the titles that it has found."""
    asked = Part("own tool", _halves(json.dumps({"query": query})), "web_search")
    return Answer((asked, Part("found", found)) if found else (asked,))


def loaded_call(namespace: str, name: str, given: object) -> Answer:
    """A call of a function that a search has loaded."""
    return Answer((Part("call", _halves(json.dumps(given)), name, namespace),))


def call_id(answer: int, position: int) -> str:
    """The id of a call of the answer with that number; both count from 0, `position` all items."""
    return f"call_{answer}_{position}"


def responses_events(answer: Answer, number: int, model: str) -> Iterator[Json]:
    """The stream events of the Responses API."""
    response = _response(answer, number, model)
    begun: Json = {**response, "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, part in enumerate(answer.parts):
        yield from _item_events(part, _item(part, number, index), index)
    if answer.ending != "none":
        kind = response["status"]
        yield {"type": f"response.{kind}", "response": response}


def chat_chunks(answer: Answer, number: int, model: str, *, with_usage: bool) -> Iterator[Json]:
    """The chunks of Chat Completions, without `[DONE]`."""
    head = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": model,
    }
    position = -1
    yield {**head, "choices": [_choice({"role": "assistant", "content": ""})]}
    for index, part in enumerate(answer.parts):
        position += part.kind == "call"
        for delta in _deltas(part, call_id(number, index), position):
            yield {**head, "choices": [_choice(delta)]}
    if answer.ending == "failed":
        yield {"error": _FAILURE}
        return
    if answer.ending != "none":
        yield {**head, "choices": [_choice({}, _finish_reason(answer))]}
        if with_usage:
            yield {**head, "choices": [], "usage": _chat_usage(answer)}


_EMPTY: dict[str, Json] = {
    "call": {"arguments": "", "status": "in_progress"},
    "reasoning": {"summary": []},
    "search": {"arguments": {}, "status": "in_progress"},
}
_FAILURE = {"code": "server_error", "message": "The model broke."}


def _halves(text: str) -> tuple[str, ...]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


def _response(answer: Answer, number: int, model: str) -> Json:
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(answer.ending)
    status = "failed" if answer.ending == "failed" else "incomplete" if reason else "completed"
    read, written = answer.usage
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_790_000_000,
        "status": status,
        "model": model,
        "error": _FAILURE if status == "failed" else None,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [_item(part, number, index) for index, part in enumerate(answer.parts)],
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + written,
        },
    }


def _item(part: Part, number: int, index: int) -> Json:
    whole = "".join(part.pieces)
    match part.kind:
        case "call":
            return {
                "type": "function_call",
                "id": f"fc_{number}_{index}",
                "call_id": call_id(number, index),
                "name": part.name,
                "arguments": whole,
                "status": "completed",
                **({"namespace": part.namespace} if part.namespace else {}),
            }
        case "search":
            return {
                "type": "tool_search_call",
                "id": f"tsc_{number}_{index}",
                "call_id": call_id(number, index),
                "execution": "client",
                "arguments": part.arguments,
                "status": "completed",
            }
        case "reasoning":
            summary = [{"type": "summary_text", "text": whole}]
            return {"type": "reasoning", "id": f"rs_{number}_{index}", "summary": summary}
        case "own tool" | "found":
            raise AssertionError(f"{part.kind}: of Messages alone")
        case "text" | "refusal":
            return {
                "type": "message",
                "id": f"msg_{number}_{index}",
                "role": "assistant",
                "status": "completed",
                "content": [_content(part, whole)],
            }


def _content(part: Part, whole: str) -> Json:
    if part.kind == "refusal":
        return {"type": "refusal", "refusal": whole}
    return {"type": "output_text", "text": whole, "annotations": []}


def _item_events(part: Part, item: Json, index: int) -> Iterator[Json]:
    empty: Json = _EMPTY.get(part.kind, {"content": [], "status": "in_progress"})
    where = {"item_id": item["id"], "output_index": index}
    yield {"type": "response.output_item.added", "output_index": index, "item": {**item, **empty}}
    yield from _piece_events(part, item, where)
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _piece_events(part: Part, item: Json, where: Json) -> Iterator[Json]:
    whole = "".join(part.pieces)
    if part.kind == "search":
        return
    if part.kind == "call":
        kind, name, place, frame, key = "function_call_arguments", "arguments", {}, "", ""
    elif part.kind == "reasoning":
        place = {"summary_index": 0}
        kind, name, frame, key = "reasoning_summary_text", "text", "reasoning_summary_part", "summary"
    else:
        place, frame, key = {"content_index": 0}, "content_part", "content"
        kind, name = ("refusal", "refusal") if part.kind == "refusal" else ("output_text", "text")
    at = {**where, **place}
    if frame:
        yield {"type": f"response.{frame}.added", **at, "part": {**item[key][0], name: ""}}
    for piece in part.pieces:
        yield {"type": f"response.{kind}.delta", **at, "delta": piece}
    yield {"type": f"response.{kind}.done", **at, name: whole}
    if frame:
        yield {"type": f"response.{frame}.done", **at, "part": item[key][0]}


def _choice(delta: Json, finish_reason: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "finish_reason": finish_reason}


def _deltas(part: Part, id_: str, position: int) -> Iterator[Json]:
    if part.kind == "call":
        named = {"name": part.name, "arguments": ""}
        yield {"tool_calls": [{"index": position, "id": id_, "type": "function", "function": named}]}
        for piece in part.pieces:
            yield {"tool_calls": [{"index": position, "function": {"arguments": piece}}]}
        return
    name = {"text": "content", "refusal": "refusal", "reasoning": "reasoning_content"}[part.kind]
    for piece in part.pieces:
        yield {name: piece}


def _finish_reason(answer: Answer) -> str:
    if answer.ending == "completed":
        return "tool_calls" if any(part.kind == "call" for part in answer.parts) else "stop"
    return answer.ending


def _chat_usage(answer: Answer) -> Json:
    read, written = answer.usage
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def frames(events: Sequence[Json], *, with_names: bool) -> list[bytes]:
    """Server-sent events, one for each JSON object; named by their types, as the Responses API does it."""
    return [_frame(event, number, with_name=with_names) for number, event in enumerate(events)]


def _frame(event: Json, number: int, *, with_name: bool) -> bytes:
    if with_name:
        event = {**event, "sequence_number": number}
    name = f"event: {event['type']}\n" if with_name else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()
