"""Spans of rounds: how each way in which a round ends is told."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.model import ModelError, ModelEvent, ModelRequest
from bridge.models.agent.token_usage import read_count, read_tokens
from bridge.models.agent.traced_turn import TracedModel, trace_turn
from bridge.models.agent.turn import Turn, TurnRequest, TurnSettings
from bridge.tracing.tracer import Span
from tests.support.traces.span_list import SpanList, tracer_into
from toolserver.json_types import JsonObject, JsonValue

pytestmark = pytest.mark.asyncio

TEXT = ModelEvent({"type": "response.output_text.delta", "delta": "Tea."})
ASKED = ModelRequest("m", ())


class OneRound:
    """A model that streams these events, then fails if a test wants that."""

    def __init__(self, *events: ModelEvent, failure: BaseException | None = None) -> None:
        self.events = events
        self.failure = failure
        self.asked: list[ModelRequest] = []

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.asked.append(request)
        for event in self.events:
            yield event
        if self.failure is not None:
            raise self.failure


def ending(kind: str, **response: JsonValue) -> ModelEvent:
    body: JsonObject = {"type": f"response.{kind}", "response": response}
    return ModelEvent(body)


async def spans_of(model: OneRound, *, take: int = 100) -> Span:
    """The span of a round, of which a reader takes so many events."""
    spans = SpanList()
    traced = TracedModel(model, tracer_into(spans), "theirs")
    try:
        async with aclosing(traced.stream_round(ASKED)) as events:
            async for _ in events:
                if not (take := take - 1):
                    break
    except (ModelError, BridgeError, asyncio.CancelledError):
        pass
    return spans.named("chat m")


async def test_a_round_tells_its_model_its_tokens_and_when_its_first_event_came() -> None:
    """As the conventions name them; nothing of its text."""
    usage: JsonObject = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    model = OneRound(TEXT, ending("completed", model="m-2026", usage=usage))
    span = await spans_of(model)
    assert model.asked[0].trace_context == span.context
    assert span.error is None
    assert span.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "theirs",
        "gen_ai.request.model": "m",
        "gen_ai.response.model": "m-2026",
        "gen_ai.response.time_to_first_chunk": 0.001,
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.reasoning.output_tokens": 2,
    }


@pytest.mark.parametrize(
    ("model", "take", "error"),
    [
        (OneRound(TEXT, ending("failed", error={"code": "server_error"})), 100, "server_error"),
        (OneRound(ending("failed")), 100, "_OTHER"),
        (OneRound(TEXT, ending("incomplete")), 100, None),
        (OneRound(TEXT, ending("completed")), 2, None),
        (OneRound(TEXT, ending("completed")), 1, "stream_ended"),
        (OneRound(TEXT), 100, "stream_ended"),
        (OneRound(failure=ModelError("no", code="upstream_timeout")), 100, "upstream_timeout"),
        (OneRound(failure=ModelError("no", code="")), 100, "_OTHER"),
        (OneRound(failure=BridgeError(ErrorCode.REPLICA_LOST, "gone")), 100, "replica_lost"),
        (OneRound(TEXT, failure=asyncio.CancelledError()), 100, "cancelled"),
    ],
)
async def test_a_round_says_why_it_failed_or_broke_off(model: OneRound, take: int, error: str | None) -> None:
    """By a code, since a message may hold what somebody wrote."""
    assert (await spans_of(model, take=take)).error == error


async def test_a_turn_that_raises_is_an_error_and_one_of_a_bug_names_its_class() -> None:
    """Whoever looks for failures finds both."""
    turn = Turn(TurnRequest("ann", "t", "m", ()), OneRound(), TurnSettings("m", provider="theirs"))
    for failure, error in ((KeyError("x"), "KeyError"), (asyncio.CancelledError(), "cancelled")):
        spans = SpanList()
        with pytest.raises(type(failure)), trace_turn(tracer_into(spans), turn):
            raise failure
        assert spans.named("invoke_agent").error == error


async def test_what_is_no_number_in_a_usage_is_not_known() -> None:
    """It is a provider's, and any JSON."""
    odd: JsonObject = {"input_tokens": "10", "input_tokens_details": None, "output_tokens": True}
    assert set(read_tokens(odd).values()) == {None}
    assert [read_count(value) for value in (-3, 2.5, 0, None)] == [0, 2.5, 0, None]
