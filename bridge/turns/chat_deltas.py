"""What one delta of a chat stream holds, whichever provider wrote it. Reads; never raises."""

from __future__ import annotations

from collections.abc import Iterator

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at


def said_in(delta: JsonObject) -> str:
    """The text of an answer; some providers give it in parts."""
    return text_at(delta, "content") or _joined(array_at(delta, "content"), "text")


def thought_in(delta: JsonObject) -> str:
    """The text of a thought.

    `reasoning_content`: DeepSeek and many servers of open models; `reasoning`: OpenRouter and Ollama; parts
    of the content: Mistral.
    """
    plain = text_at(delta, "reasoning_content") or text_at(delta, "reasoning")
    return plain or "".join(
        _joined(array_at(part, "thinking"), "text")
        for part in array_at(delta, "content")
        if isinstance(part, dict) and part.get("type") == "thinking"
    )


def calls_in(delta: JsonObject) -> Iterator[JsonObject]:
    """Entries of `tool_calls`; the older `function_call` reads as one of them."""
    for call in array_at(delta, "tool_calls"):
        if isinstance(call, dict):
            yield call
    if older := object_at(delta, "function_call"):
        yield {"index": 0, "function": older}


def annotations_in(delta: JsonObject) -> Iterator[JsonObject]:
    """Sources, as Responses writes them: what chat nests under the type's name stands beside it."""
    for annotation in array_at(delta, "annotations"):
        if isinstance(annotation, dict):
            kind = text_at(annotation, "type")
            yield {"type": kind, **object_at(annotation, kind)}


def _joined(parts: list[JsonValue], kind: str) -> str:
    return "".join(
        text_at(part, "text") for part in parts if isinstance(part, dict) and part.get("type") == kind
    )
