"""The client of a provider, against a real HTTP server that plays scripts."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bridge.edges.model_client import ResponsesModel
from bridge.edges.model_provider import Provider
from bridge.models import ProviderSettings
from bridge.turns.model import ModelEvent, ModelRequest
from tests.support.model_answers import Answer, responses_events, text
from tests.support.scripted_provider import KEY, ScriptedProvider, script, scripted_provider

HELLO = ModelRequest("scripted-small", ({"role": "user", "content": "Hello"},))


@dataclass
class Scene:
    provider: ScriptedProvider
    client: Provider
    model: ResponsesModel
    rests: list[float]

    async def ask(self, request: ModelRequest = HELLO) -> list[ModelEvent]:
        return [event async for event in self.model.stream(request)]


@asynccontextmanager
async def scene() -> AsyncGenerator[Scene]:
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    async with scripted_provider() as provider:
        settings = ProviderSettings(name="Test", base_url=provider.base_url)
        client = Provider(settings, KEY, rest=rest)
        try:
            yield Scene(provider, client, ResponsesModel(client), rests)
        finally:
            await client.close()


def expected(answer: Answer, number: int = 0) -> list[ModelEvent]:
    return [ModelEvent(event) for event in responses_events(answer, number, "scripted-small")]


@pytest.mark.asyncio
async def test_events_come_as_the_provider_wrote_them() -> None:
    """S4-07: what a model said must go back to it verbatim, so nothing between may add or lose a member."""
    async with scene() as now:
        now.provider.play(text("Good ", "day"))
        assert await now.ask() == expected(text("Good ", "day"))
        [asked] = now.provider.requests
        assert asked.body == {"model": "scripted-small", "input": list(HELLO.input), "stream": True}
        assert asked.headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [1, 7, 100])
async def test_events_may_be_cut_anywhere_have_crlf_and_comments_between(size: int) -> None:
    """S0-151: the network cuts where it likes, and gateways keep lines open with comments."""
    answer = text("Grüße, ", "👋🏽")
    async with scene() as now:
        now.provider.play(script(answer).with_comments().with_crlf().cut(size))
        assert await now.ask() == expected(answer)
