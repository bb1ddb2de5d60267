"""Spans of a turn and of its rounds, sub-queries' included."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace

from bridge.errors import BridgeError
from bridge.models.agent.model import ENDINGS, Model, ModelError, ModelEvent, ModelRequest
from bridge.models.agent.token_usage import read_count, read_tokens
from bridge.models.agent.turn import Turn, TurnResult
from bridge.tracing.names import (
    CACHED_TOKENS,
    FIRST_CHUNK,
    INPUT_TOKENS,
    MODEL_ROUND,
    OPERATION,
    OUTPUT_TOKENS,
    PROVIDER,
    REASONING_TOKENS,
    REQUEST_MODEL,
    RESPONSE_MODEL,
    ROUNDS,
    TURN,
    TURN_STATUS,
)
from bridge.tracing.tracer import Span, Tracer, current_context, within_span
from toolserver.json_types import JsonObject, object_at, text_at

NS_PER_S = 1_000_000_000

OTHER = "_OTHER"
"""What the conventions call an error that has no name."""


@dataclass(frozen=True, slots=True)
class TracedTurn:
    """A turn that is traced."""

    turn: Turn
    """The same turn, with a model whose rounds are traced."""
    span: Span

    def note_result(self, result: TurnResult) -> None:
        """Note how it ended."""
        _add_usage(self.span, result.usage)
        self.span.set_attribute(ROUNDS, read_count(result.usage.get("turn_count")))
        self.span.set_attribute(TURN_STATUS, result.status)


@contextmanager
def trace_turn(tracer: Tracer, turn: Turn) -> Generator[TracedTurn]:
    """Run a block that runs a turn, whose calls are parts of it."""
    about = {
        OPERATION: "invoke_agent",
        PROVIDER: turn.settings.provider,
        REQUEST_MODEL: turn.settings.model,
    }
    span = tracer.start_span(TURN, TURN.title, current_context(), about)
    model = TracedModel(turn.model, tracer, turn.settings.provider)
    traced, error = TracedTurn(replace(turn, model=model), span), None
    try:
        with within_span(span):
            yield traced
        is_failed = span.attributes.get(TURN_STATUS) == "failed"
        error = "model_failed" if is_failed else None
    except BaseException as failure:
        error = _type_of(failure)
        raise
    finally:
        tracer.end_span(span, error=error)


class TracedModel:
    """A model whose rounds are traced. Implements `Model`."""

    def __init__(self, inner: Model, tracer: Tracer, provider: str) -> None:
        self._inner = inner
        self._tracer = tracer
        self._provider = provider

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one round, as `Model.stream_round`."""
        about = {OPERATION: "chat", PROVIDER: self._provider, REQUEST_MODEL: request.model}
        span = self._tracer.start_span(MODEL_ROUND, f"chat {request.model}", current_context(), about)
        error: str | None = "stream_ended"
        has_begun = False
        try:
            asked = replace(request, trace_context=span.context)
            async with aclosing(self._inner.stream_round(asked)) as events:
                async for event in events:
                    if not has_begun:
                        has_begun = True
                        seconds = (self._tracer.now_ns() - span.began_ns) / NS_PER_S
                        span.set_attribute(FIRST_CHUNK, round(seconds, 6))
                    if event.type in ENDINGS:
                        error = _note_ending(span, event)
                    yield event
        except (ModelError, BridgeError, asyncio.CancelledError) as failure:
            error = _type_of(failure)
            raise
        finally:
            self._tracer.end_span(span, error=error)


def _note_ending(span: Span, event: ModelEvent) -> str | None:
    """Note what the last event says; returns why the round failed."""
    response = object_at(event.body, "response")
    span.set_attribute(RESPONSE_MODEL, text_at(response, "model") or None)
    _add_usage(span, object_at(response, "usage"))
    if event.type != "response.failed":
        return None
    return text_at(object_at(response, "error"), "code") or OTHER


def _add_usage(span: Span, usage: JsonObject) -> None:
    tokens = read_tokens(usage)
    span.set_attribute(INPUT_TOKENS, tokens["input"])
    span.set_attribute(CACHED_TOKENS, tokens["cached"])
    span.set_attribute(OUTPUT_TOKENS, tokens["output"])
    span.set_attribute(REASONING_TOKENS, tokens["reasoning"])


def _type_of(failure: BaseException) -> str:
    if isinstance(failure, BridgeError):
        return failure.error.code.value
    if isinstance(failure, ModelError):
        return failure.code or OTHER
    return "cancelled" if isinstance(failure, asyncio.CancelledError) else type(failure).__name__
