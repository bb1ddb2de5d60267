"""Plain requests to the demo model, at every door that has models."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.settings.chat.models import ModelsFile
from tests.support.conversation_client import open_conversation
from tests.support.documents.compiled import document_text
from tests.support.models.model_bridge import client_of, products
from tests.support.running_bridge import FakePage, page_of, running_bridge

pytestmark = pytest.mark.asyncio

ASKED = "Zeig mir bitte 2 Produkte"
CHAT: Any = [{"role": "user", "content": ASKED}]
SAID = "Ich bin das Demo-Modell und arbeite nach Regeln."


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path, models=ModelsFile()) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def client(bridge: Bridge) -> AsyncGenerator[AsyncOpenAI]:
    async with client_of(bridge) as made:
        yield made


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncGenerator[FakePage]:
    async with page_of(bridge, bridge.local_user.id, products) as made:
        yield made


async def _completion(client: AsyncOpenAI) -> str:
    answer = await client.chat.completions.create(model="demo", messages=CHAT)
    return str(answer.choices[0].message.content)


async def _streamed_completion(client: AsyncOpenAI) -> str:
    stream = await client.chat.completions.create(model="demo", messages=CHAT, stream=True)
    return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])


async def _response(client: AsyncOpenAI) -> str:
    return (await client.responses.create(model="demo", input=ASKED)).output_text


async def _streamed_response(client: AsyncOpenAI) -> str:
    stream = await client.responses.create(model="demo", input=ASKED, stream=True)
    return "".join([event.delta async for event in stream if event.type == "response.output_text.delta"])


@pytest.mark.parametrize("ask", [_completion, _streamed_completion, _response, _streamed_response])
async def test_each_program_hears_what_was_called_in_its_language(
    ask: Any, client: AsyncOpenAI, page: FakePage
) -> None:
    """Issue 44, point 4: at every door, whole and streamed, and the call runs once in the page."""
    said = await ask(client)
    assert len(page.calls) == 1
    assert SAID in said
    assert 'listProducts {"limit":2}' in said
    assert "tea" in said


async def test_a_conversation_shows_the_call_and_says_that_it_is_a_demo(
    bridge: Bridge, page: FakePage
) -> None:
    """Issue 44, point 4: the same in the page's chat."""
    async with open_conversation(bridge, model="demo") as talk:
        await talk.say(ASKED)
        said = str((await talk.messages())[-1])
    assert len(page.calls) == 1
    assert SAID in said


async def test_a_change_without_its_verb_reaches_no_page(client: AsyncOpenAI, page: FakePage) -> None:
    """Issue 44, point 4: no changing call that is wrong; a question about one is none."""
    answer = await client.responses.create(model="demo", input="Should I add a product?")
    assert "I called nothing." in answer.output_text
    assert page.calls == []
