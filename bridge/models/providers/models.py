"""The models of providers, as the agent's loop uses them, in the protocol that each provider speaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace

from bridge.models.agent.chat_completions.options import with_responses_options
from bridge.models.agent.chat_completions.stream_decoder import ChatReading, Finish
from bridge.models.agent.chat_completions.upstream_request import OPENAI_DIALECT, ChatDialect, chat_request
from bridge.models.agent.fitted_request import fit_request
from bridge.models.agent.messages.sealed_blocks import is_sealed
from bridge.models.agent.messages.stream_decoder import MessagesReading
from bridge.models.agent.messages.upstream_request import messages_request
from bridge.models.agent.model import ENDINGS, ModelError, ModelEvent, ModelRequest, Note
from bridge.models.agent.responses.stream_repair import StreamRepair
from bridge.models.agent.responses.surrogate_pairs import SurrogateJoiner
from bridge.models.agent.round_bounds import RoundBounds
from bridge.models.agent.tools.arguments import sendable_call
from bridge.models.providers.error_words import is_error
from bridge.models.providers.errors import RESPONSES_PATH
from bridge.models.providers.http_provider import HttpProvider
from bridge.models.providers.ports import STREAM_DONE
from bridge.tracing.context import TraceContext
from toolserver.json_types import JsonObject, JsonValue

_LEFTOVERS_S = 0.1
"""Seconds for a finished stream to end, so that its connection can be reused."""

_SILENCE_S: Mapping[Finish, float | None] = {
    "none": None,
    "beside output": 5.0,
    "alone": 1.0,
    "counted": 0.2,
}
"""Maximum seconds without a chunk in a stream that does not end, by how the model has finished: a call may
follow a call with a finish reason as late as the model writes it, a usage follows soon. Chosen."""


class ResponsesModel:
    """Models of a provider that speaks the Responses API.

    Events are passed on unchanged; texts and items that arrive without their events get them added.
    """

    def __init__(self, provider: HttpProvider) -> None:
        self._provider = provider
        self._rules = provider.settings.rules

    def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Run one round, as `Model.stream_round` says."""
        body = responses_body(without_sealed(fit_request(request, self._rules)))
        streaming = self._provider.stream_events(RESPONSES_PATH, body, *_about(request))
        return self._read_round(streaming, RoundBounds(request.tools))

    async def _read_round(
        self, streaming: AsyncGenerator[JsonObject], bounds: RoundBounds
    ) -> AsyncGenerator[ModelEvent]:
        """Read one round. Its request is not held while its answer comes."""
        pairs = SurrogateJoiner()
        items = StreamRepair()
        async with aclosing(streaming) as events:
            async for raw_event in events:
                kind = raw_event.get("type")
                if kind == "error" or (kind is None and is_error(raw_event)):
                    raise self._provider.failures.of_body(raw_event, status=None)
                raw_event.pop("sequence_number", None)
                is_done = raw_event is STREAM_DONE
                found = items.finish_stream() if is_done else items.complete_event(raw_event)
                completed = map(pairs.join_pair, found)
                told = [bounds.read_event(ModelEvent(joined)) for joined in completed if joined is not None]
                del raw_event, found, completed  # nobody needs them while the next one is awaited
                while told:
                    if told[0].type in ENDINGS:
                        await read_leftovers(events)
                        yield told[0]
                        return
                    yield told.pop(0)
        raise self._provider.failures.broken_off()


class ChatModel:
    """Models of a provider that speaks Chat Completions, with its stream translated to Responses events."""

    def __init__(self, provider: HttpProvider, dialect: ChatDialect = OPENAI_DIALECT) -> None:
        self._provider = provider
        self._dialect = dialect
        self._rules = provider.settings.rules

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Run one round, as `Model.stream_round` says."""
        reading = ChatReading(request)
        pairs = SurrogateJoiner()
        body = chat_request(without_sealed(fit_request(request, self._rules)), self._dialect)
        streaming = self._provider.stream_events("/chat/completions", body, *_about(request))
        is_done = False
        async with aclosing(streaming) as chunks:
            while not is_done and (chunk := await _next_chunk(chunks, reading.finish)) is not None:
                if chunk is STREAM_DONE:
                    is_done = True
                elif "choices" not in chunk and is_error(chunk):
                    raise self._provider.failures.of_body(chunk, status=None)
                else:
                    for event in pairs.join_pairs(reading.decode_chunk(chunk)):
                        yield ModelEvent(event)
            await read_leftovers(chunks)
        if not reading.is_complete(is_done=is_done):
            raise self._provider.failures.broken_off()
        for event in pairs.join_pairs(reading.finish_stream()):
            yield ModelEvent(event)


class MessagesModel:
    """Models of a provider that speaks Anthropic's Messages API, with its stream translated as well."""

    def __init__(self, provider: HttpProvider) -> None:
        self._provider = provider
        self._rules = provider.settings.rules

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Run one round, as `Model.stream_round` says."""
        reading = MessagesReading(request)
        pairs = SurrogateJoiner()
        body = messages_request(fit_request(request, self._rules))
        streaming = self._provider.stream_events("/messages", body, *_about(request))
        async with aclosing(streaming) as events:
            while (event := await _next_chunk(events, reading.finish)) is not None:
                if event is STREAM_DONE or event.get("type") == "message_stop":
                    break
                if is_error(event):
                    raise self._provider.failures.of_body(event, status=None)
                for each in pairs.join_pairs(reading.decode_event(event)):
                    yield ModelEvent(each)
            await read_leftovers(events)
        if reading.finish == "none":
            raise self._provider.failures.broken_off()
        for each in pairs.join_pairs(reading.finish_stream()):
            yield ModelEvent(each)


def _about(request: ModelRequest) -> tuple[Note | None, TraceContext | None]:
    return request.note, request.trace_context


async def _next_chunk(chunks: AsyncGenerator[JsonObject], finish: Finish) -> JsonObject | None:
    """Return the next chunk; None at the end of the stream.

    After a finish reason silence and failures are its end, too: they do not lose a complete answer.
    """
    silence_s = _SILENCE_S[finish]
    if silence_s is None:
        return await anext(chunks, None)
    try:
        async with asyncio.timeout(silence_s):
            return await anext(chunks, None)
    except (TimeoutError, ModelError):
        return None


def without_sealed(request: ModelRequest) -> ModelRequest:
    """Return the request without what the Messages API has sealed: no other provider reads its thinking."""
    kept = tuple(item for item in request.input if not is_sealed(item))
    return request if len(kept) == len(request.input) else replace(request, input=kept)


def responses_body(request: ModelRequest) -> JsonObject:
    """Return the body of a streaming Responses request."""
    options = with_responses_options(request.options, request.chat_options)
    items: list[JsonValue] = [sendable_call(item) for item in request.input]
    body: dict[str, JsonValue] = {**options, "model": request.model, "input": items}
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
