"""The models of providers: what the loop asks, in the protocol that a provider speaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from bridge.edges.model_provider import Provider
from bridge.turns.model import ENDINGS, ModelError, ModelEvent, ModelRequest
from toolserver.json_types import JsonObject, JsonValue

_LEFTOVERS_S = 0.1
"""That the end of a finished stream may take, so that its connection can be used again."""


class ResponsesModel:
    """Models of a provider that speaks the Responses API. Events are passed on as they came."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """One round, as `Model.stream` says."""
        async with aclosing(self._provider.events("/responses", responses_body(request))) as events:
            async for body in events:
                if body.get("type") == "error":
                    raise self._provider.failures.of_body(body, status=None)
                body.pop("sequence_number", None)
                event = ModelEvent(body)
                if event.type in ENDINGS:
                    await read_leftovers(events)
                    yield event
                    return
                yield event
        raise self._provider.failures.broken_off()


def responses_body(request: ModelRequest) -> JsonObject:
    """The body of a streaming Responses request."""
    body: dict[str, JsonValue] = {**request.options, "model": request.model, "input": list(request.input)}
    if request.instructions is not None:
        body["instructions"] = request.instructions
    if request.tools:
        body["tools"] = list(request.tools)
    body["stream"] = True
    return body


async def read_leftovers(events: AsyncGenerator[JsonObject]) -> None:
    """Give a stream that has said all a moment to end, for the sake of its connection."""
    try:
        async with asyncio.timeout(_LEFTOVERS_S):
            async for _ in events:
                pass
    except (TimeoutError, ModelError):
        pass  # nothing was lost
