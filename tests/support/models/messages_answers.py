"""What a scripted provider says in the events of Anthropic's Messages API."""

import json
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress

from tests.support.models.messages_types import find_odd_event
from tests.support.models.model_answers import Answer, Json, Part, call_id
from tests.support.models.scripted_provider import Thought

_REASONS = {"length": "max_tokens", "content_filter": "refusal", "paused": "pause_turn"}
_FAILURE = {"type": "error", "error": {"type": "api_error", "message": "The model broke."}}


def messages_frames(answer: Answer, number: int, model: str) -> list[bytes]:
    """The stream as bytes; each event is one that the official client knows, or an error."""
    events = list(messages_events(answer, number, model))
    for event in events:
        assert event["type"] in ("error", "ping") or find_odd_event(event) is None, find_odd_event(event)
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


def messages_events(answer: Answer, number: int, model: str) -> Iterator[Json]:
    """The events of one answer. A `ping` comes where one may."""
    read, written = answer.usage
    usage = {"input_tokens": read, "output_tokens": 1}
    message: Json = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield {"type": "message_start", "message": message}
    blocks = [(index, part) for index, part in enumerate(answer.parts) if part.kind != "refusal"]
    for index, part in blocks:
        yield {"type": "content_block_start", "index": index, "content_block": _begun(part, number, index)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _deltas(part):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    if answer.ending == "failed":
        yield _FAILURE
    elif answer.ending != "none":
        delta = {"stop_reason": _stop_reason(answer), "stop_sequence": None}
        if refused := [part for part in answer.parts if part.kind == "refusal"]:
            explanation = "".join(refused[0].pieces)
            details = {"type": "refusal", "category": None, "explanation": explanation}
            delta = {"stop_reason": "refusal", "stop_details": details}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": written}}
        yield {"type": "message_stop"}


def thinking_in(frames: Iterable[bytes]) -> Thought:
    """The id of the first call in a stream, and the blocks of thinking in it as they have to come back."""
    blocks: dict[int, Json] = {}
    for data in re.findall(rb"^data: (\{.*)$", b"".join(frames), re.MULTILINE):
        with suppress(
            ValueError, KeyError, TypeError, AttributeError
        ):  # of a stream that is broken on purpose
            _read_block(json.loads(data), blocks)
    calls = [str(block.get("id", "")) for block in blocks.values() if block.get("type") == "tool_use"]
    thinking = [block for block in blocks.values() if str(block.get("type")).endswith("thinking")]
    return calls[0] if calls else "", thinking


def _read_block(event: Json, blocks: dict[int, Json]) -> None:
    if event["type"] == "content_block_start":
        blocks[event["index"]] = {**event["content_block"]}
    elif event["type"] == "content_block_delta":
        for member in {"thinking", "signature"} & event["delta"].keys():
            blocks[event["index"]][member] += event["delta"][member]


def _begun(part: Part, number: int, index: int) -> Json:
    match part.kind:
        case "call":
            return {"type": "tool_use", "id": call_id(number, index), "name": part.name, "input": {}}
        case "reasoning":
            return {"type": "thinking", "thinking": "", "signature": ""}
        case "own tool":
            return {
                "type": "server_tool_use",
                "id": f"srvtoolu_{number}_{index}",
                "name": part.name,
                "input": {},
            }
        case "found":
            asked = f"srvtoolu_{number}_{index - 1}"
            return {
                "type": "web_search_tool_result",
                "tool_use_id": asked,
                "content": [*map(_found, part.pieces)],
            }
        case _:
            return {"type": "text", "text": ""}


def _found(title: str) -> Json:
    return {
        "type": "web_search_result", "title": title, "url": f"https://shop.example/{title}",
        "encrypted_content": "EqgfCioIARgB", "page_age": None,
    }  # fmt: skip


def _deltas(part: Part) -> Iterator[Json]:
    if part.kind == "found":
        return
    kind, member = {
        "call": ("input_json_delta", "partial_json"),
        "own tool": ("input_json_delta", "partial_json"),
        "reasoning": ("thinking_delta", "thinking"),
    }.get(part.kind, ("text_delta", "text"))
    for piece in part.pieces:
        yield {"type": kind, member: piece}
    if part.kind == "reasoning":
        yield {"type": "signature_delta", "signature": f"Eq{secrets.token_hex(8)}=="}


def _stop_reason(answer: Answer) -> str:
    if answer.ending == "completed":
        return "tool_use" if any(part.kind == "call" for part in answer.parts) else "end_turn"
    return _REASONS[answer.ending]
