"""What is chosen for a conversation: parameters of its model, and its place among the pinned ones."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.conversation_client import ConversationClient, open_conversation
from tests.support.models.model_answers import text
from tests.support.models.model_bridge import model_bridge
from tests.support.models.scripted_provider import ScriptedProvider

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    provider.models = ["plain", "o4-mini"]
    async with model_bridge(tmp_path, provider) as running:
        yield running


@pytest_asyncio.fixture
async def client(bridge: Bridge) -> AsyncGenerator[ConversationClient]:
    async with open_conversation(bridge, tools=[]) as made:
        yield made


ALL = {"temperature": 0.5, "top_p": 0.9, "max_output_tokens": 300, "reasoning_effort": "low"}


@pytest.mark.parametrize(
    ("model", "taken", "sent"),
    [
        ("plain", ["max_output_tokens", "temperature", "top_p"], {"temperature": 0.5, "top_p": 0.9}),
        ("o4-mini", ["max_output_tokens", "reasoning_effort"], {"reasoning": {"effort": "low"}}),
    ],
)
async def test_a_model_is_sent_the_parameters_that_it_takes(
    client: ConversationClient, provider: ScriptedProvider, model: str, taken: list[str], sent: dict[str, Any]
) -> None:
    """The others are kept for when the model is changed: it would refuse them."""
    listed = (await client.ask("GET", "/v1/models"))[1]["data"]
    assert next(each["supported_parameters"] for each in listed if each["id"] == model) == taken
    changed = await client.of("PATCH", body={"model": model, "parameters": ALL})
    assert changed["conversation"]["parameters"] == ALL
    provider.play(text("Hello."))
    await client.say("Hi")
    body = provider.requests[-1].body
    names = ("temperature", "top_p", "max_output_tokens", "reasoning")
    asked = {name: body[name] for name in names if name in body}
    assert {**asked, "reasoning": {"effort": asked.get("reasoning", {}).get("effort")}} == {
        "max_output_tokens": 300,
        "reasoning": {"effort": None},
        **sent,
    }


async def test_parameters_are_remembered_and_reset(client: ConversationClient) -> None:
    """They are replaced as a whole; a value out of range changes nothing."""
    await client.of("PATCH", body={"parameters": {"temperature": 1}})
    await client.of("PATCH", body={"title": "Tea"})
    assert (await client.facts())["parameters"] == {"temperature": 1}
    for wrong in ({"temperature": 3}, {"top_p": -1}, {"max_output_tokens": 0}, {"reasoning_effort": "much"}):
        await client.of("PATCH", body={"parameters": wrong}, status=400)
    assert (await client.facts())["parameters"] == {"temperature": 1}
    await client.of("PATCH", body={"parameters": {}})
    assert (await client.facts())["parameters"] == {}


async def test_pinned_conversations_have_an_order_of_their_own(client: ConversationClient) -> None:
    """A pin moves nothing in the list of all, and a place between two others is a number between theirs."""
    ids = [client.id]
    for title in ("b", "c"):
        status, made = await client.ask("POST", "/conversations", {"title": title})
        assert status == 201
        ids.append(made["conversation"]["id"])
    before = [each["id"] for each in (await client.ask("GET", "/conversations"))[1]["conversations"]]

    async def pinned() -> list[str]:
        return [
            each["id"] for each in (await client.ask("GET", "/conversations?pinned=true"))[1]["conversations"]
        ]

    async def pin(conversation_id: str, place: bool | float) -> float | None:
        status, told = await client.ask("PATCH", f"/conversations/{conversation_id}", {"pinned": place})
        assert status == 200, told
        return told["conversation"]["pinned"]

    assert await pinned() == []
    places = [await pin(each, place=True) for each in ids]
    assert await pinned() == ids
    assert places[0] is not None
    await pin(ids[2], places[0] - 1)
    assert await pinned() == [ids[2], ids[0], ids[1]]
    assert await pin(ids[0], place=False) is None
    assert await pinned() == [ids[2], ids[1]]
    after = [each["id"] for each in (await client.ask("GET", "/conversations"))[1]["conversations"]]
    assert after == before
