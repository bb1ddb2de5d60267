"""The models of providers, as the agent's loop uses them, in the protocol that each provider speaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from bridge.agent.chat_completions.options import with_responses_options
from bridge.agent.chat_completions.stream_decoder import ChatReading
from bridge.agent.chat_completions.upstream_request import OPENAI_DIALECT, ChatDialect, chat_request
from bridge.agent.fitted_request import fit_request
from bridge.agent.model import ENDINGS, ModelError, ModelEvent, ModelRequest, Note
from bridge.agent.responses.stream_repair import StreamRepair
from bridge.agent.responses.surrogate_pairs import SurrogateJoiner
from bridge.agent.tools.arguments import sendable_call
from bridge.providers.ports import Provider
from bridge.tracing.context import TraceContext
from toolserver.json_types import JsonObject, JsonValue

_LEFTOVERS_S = 0.1
"""Seconds for a finished stream to end, so that its connection can be reused."""

_USAGE_S = 5.0
"""Maximum seconds for a provider to count the tokens of a finished answer. Chosen."""


class ResponsesModel:
    """Models of a provider that speaks the Responses API.

    Events are passed on unchanged; texts and items that arrive without their events get them added.
    """

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._rules = provider.settings.rules

    def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Run one round, as `Model.stream_round` says."""
        body = responses_body(fit_request(request, self._rules))
        return self._read_round(self._provider.stream_events("/responses", body, *_about(request)))

    async def _read_round(self, streaming: AsyncGenerator[JsonObject]) -> AsyncGenerator[ModelEvent]:
        """Read one round. Its request is not held while its answer comes."""
        pairs, items = SurrogateJoiner(), StreamRepair()
        async with aclosing(streaming) as events:
            async for raw_event in events:
                if raw_event.get("type") == "error":
                    raise self._provider.failures.of_body(raw_event, status=None)
                raw_event.pop("sequence_number", None)
                completed = map(pairs.join_pair, items.complete_event(raw_event))
                told = [ModelEvent(joined) for joined in completed if joined is not None]
                del raw_event, completed  # nobody needs them while the next one is awaited
                while told:
                    if told[0].type in ENDINGS:
                        await read_leftovers(events)
                        yield told[0]
                        return
                    yield told.pop(0)
        raise self._provider.failures.broken_off()


class ChatModel:
    """Models of a provider that speaks Chat Completions, with its stream translated to Responses events."""

    def __init__(self, provider: Provider, dialect: ChatDialect = OPENAI_DIALECT) -> None:
        self._provider = provider
        self._dialect = dialect
        self._rules = provider.settings.rules

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Run one round, as `Model.stream_round` says."""
        reading, pairs = ChatReading(request), SurrogateJoiner()
        body = chat_request(fit_request(request, self._rules), self._dialect)
        streaming = self._provider.stream_events("/chat/completions", body, *_about(request))
        async with aclosing(streaming) as chunks:
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


def _about(request: ModelRequest) -> tuple[Note | None, TraceContext | None]:
    return request.note, request.trace_context


async def _read_usage(chunks: AsyncGenerator[JsonObject], reading: ChatReading) -> None:
    """Read what follows the end of the answer; a failure here does not lose a complete answer."""
    limit = asyncio.timeout(_LEFTOVERS_S if reading.has_usage else _USAGE_S)
    try:
        async with limit:
            async for chunk in chunks:
                reading.read_usage(chunk)
                limit.reschedule(asyncio.get_running_loop().time() + _LEFTOVERS_S)
    except (TimeoutError, ModelError):
        pass


def responses_body(request: ModelRequest) -> JsonObject:
    """Return the body of a streaming Responses request."""
    options = with_responses_options(request.options, request.chat_options)
    items = map(sendable_call, request.input)
    body: dict[str, JsonValue] = {**options, "model": request.model, "input": [*items]}
    if request.instructions is not None:
        body["instructions"] = request.instructions
    if request.tools:
        body["tools"] = list(request.tools)
    body["stream"] = True
    return body


async def read_leftovers(events: AsyncGenerator[JsonObject]) -> None:
    """Give a stream whose last event has arrived a moment to end, so that its connection can be reused."""
    try:
        async with asyncio.timeout(_LEFTOVERS_S):
            async for _ in events:
                pass
    except (TimeoutError, ModelError):
        pass  # nothing was lost
