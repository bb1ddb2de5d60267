"""A provider that plays scripts, with a real client of it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.models.agent.model import Model, ModelError, ModelEvent, ModelRequest
from bridge.models.providers.http_provider import HttpProvider
from bridge.models.providers.models import ChatModel, MessagesModel, ResponsesModel
from bridge.settings.chat.models import ProviderApi, ProviderSettings
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import Answer, responses_events
from tests.support.models.scripted_provider import (
    KEY,
    Script,
    ScriptedProvider,
    scripted_provider,
)

HELLO = ModelRequest("scripted-small", ({"role": "user", "content": "Hello"},))
FRAMES_OF_FIRST_DELTA = {"responses": 5, "chat": 2, "messages": 4}
"""Of an answer that is a text."""

APIS: tuple[ProviderApi, ...] = ("responses", "chat", "messages")
both_protocols = pytest.mark.parametrize("api", APIS)


@dataclass
class ProviderHarness:
    """A provider that plays scripts, and a model of it."""

    server: ScriptedProvider
    provider: HttpProvider
    model: Model
    rests: list[float] = field(default_factory=list[float])
    """Seconds that the client wanted to wait between two tries; it waited for none."""
    time: float = 1000.0

    async def ask(self, request: ModelRequest = HELLO) -> list[ModelEvent]:
        return [event async for event in self.model.stream_round(request)]

    async def failure(self, *scripts: Answer | Script) -> ModelError:
        """How a round fails that these scripts answer."""
        self.server.play(*scripts)
        with pytest.raises(ModelError) as failed:
            await self.ask()
        return failed.value


@asynccontextmanager
async def provider_harness(
    api: ProviderApi = "responses", **settings: Any
) -> AsyncGenerator[ProviderHarness]:
    async with scripted_provider(MESSAGES) as server:
        settings = {"name": "Test", "base_url": server.base_url, "api": api, **settings}
        chosen = ProviderSettings(**settings)

        async def rest(seconds: float) -> None:
            now.rests.append(seconds)
            now.time += seconds

        provider = HttpProvider(chosen, KEY, clock=lambda: now.time, pause=rest)
        model = {"responses": ResponsesModel, "chat": ChatModel, "messages": MessagesModel}[api](provider)
        now = ProviderHarness(server, provider, model)
        try:
            yield now
        finally:
            await provider.close_client()


def expected(answer: Answer, number: int = 0) -> list[ModelEvent]:
    return [ModelEvent(event) for event in responses_events(answer, number, "scripted-small")]


def joined_text(stream: list[ModelEvent]) -> str:
    return "".join(str(event.body["delta"]) for event in stream if event.type == "response.output_text.delta")


async def first_delta(stream: AsyncGenerator[ModelEvent]) -> object:
    async for event in stream:
        if event.type == "response.output_text.delta":
            return event.body["delta"]
    raise AssertionError("no text came")


def ending(stream: list[ModelEvent]) -> dict[str, Any]:
    response = stream[-1].body["response"]
    assert isinstance(response, dict)
    return response
