"""The models of providers: what the loop asks, in the protocol that a provider speaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from bridge.agent.chat_completions.options import with_responses_options
from bridge.agent.chat_completions.stream_decoder import ChatReading
from bridge.agent.chat_completions.upstream_request import OPENAI_DIALECT, ChatDialect, chat_request
from bridge.agent.model import ENDINGS, ModelError, ModelEvent, ModelRequest
from bridge.agent.responses.stream_repair import StreamRepair
from bridge.agent.responses.surrogate_pairs import SurrogateJoiner
from bridge.providers.ports import Provider
from toolserver.json_types import JsonObject, JsonValue

_LEFTOVERS_S = 0.1
"""That the end of a finished stream may take, so that its connection can be used again."""

_USAGE_S = 5.0
"""That a provider may take to count the tokens of a finished answer. Chosen."""


class ResponsesModel:
    """Models of a provider that speaks the Responses API.

    Events are passed on as they came; texts and items that came without theirs get them.
    """

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """One round, as `Model.stream_round` says."""
        pairs, items, body = SurrogateJoiner(), StreamRepair(), responses_body(request)
        async with aclosing(self._provider.stream_events("/responses", body, request.note)) as events:
            async for told in events:
                if told.get("type") == "error":
                    raise self._provider.failures.of_body(told, status=None)
                told.pop("sequence_number", None)
                for whole in pairs.join_pairs(items.complete_event(told)):
                    event = ModelEvent(whole)
                    if event.type in ENDINGS:
                        await read_leftovers(events)
                        yield event
                        return
                    yield event
        raise self._provider.failures.broken_off()


class ChatModel:
    """Models of a provider that speaks Chat Completions, heard as if they spoke Responses."""

    def __init__(self, provider: Provider, dialect: ChatDialect = OPENAI_DIALECT) -> None:
        self._provider = provider
        self._dialect = dialect

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """One round, as `Model.stream_round` says."""
        reading, pairs = ChatReading(request), SurrogateJoiner()
        body = chat_request(request, self._dialect)
        async with aclosing(self._provider.stream_events("/chat/completions", body, request.note)) as chunks:
            async for chunk in chunks:
                for event in pairs.join_pairs(reading.decode_chunk(chunk)):
                    yield ModelEvent(event)
                if reading.has_finished:
                    await _read_usage(chunks, reading)
                    break
        if not reading.has_finished:
            raise self._provider.failures.broken_off()
        for event in pairs.join_pairs(reading.finish_stream()):
            yield ModelEvent(event)


async def _read_usage(chunks: AsyncGenerator[JsonObject], reading: ChatReading) -> None:
    """What comes after the model has finished; an answer that is whole is not lost by it."""
    limit = asyncio.timeout(_LEFTOVERS_S if reading.has_usage else _USAGE_S)
    try:
        async with limit:
            async for chunk in chunks:
                reading.read_usage(chunk)
                limit.reschedule(asyncio.get_running_loop().time() + _LEFTOVERS_S)
    except (TimeoutError, ModelError):
        pass


def responses_body(request: ModelRequest) -> JsonObject:
    """The body of a streaming Responses request."""
    options = with_responses_options(request.options, request.chat_options)
    body: dict[str, JsonValue] = {**options, "model": request.model, "input": list(request.input)}
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
