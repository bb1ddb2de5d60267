"""Odd tools in the dialect of each provider, by each way to the bridge: all are taken, and the model acts."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import pytest

from bridge.settings.chat.models import ModelsFile, ProviderApi, ProviderSettings
from bridge.settings.chat.provider_rules import Dialect
from tests.support.conversation_client import open_conversation
from tests.support.documents.compiled import document_text
from tests.support.fake_open_webui import Browser, Chat, direct, tools_by_name
from tests.support.loaded_plugins import CITY, load_pipe, weather
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge
from tests.support.models.scripted_provider import scripted_provider
from tests.support.models.tool_types import find_tool_problems
from tests.support.running_bridge import json_answer, page_of
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

APIS: dict[str, ProviderApi] = {"openai": "responses", "anthropic": "messages"}
"""Protocols of dialects, where it is not Chat Completions."""

ODD: JsonObject = {
    "operationId": "2faVerify",
    "summary": "Verify a person.",
    "description": "It takes the code of a telephone. " * 100,
    "parameters": [
        {"name": "code", "in": "query", "schema": {"type": ["integer", "string"], "exclusiveMinimum": 0}},
        {"name": "kind", "in": "query", "schema": {"type": "integer", "enum": [1, 2], "default": 1}},
        {"name": "since", "in": "query", "schema": {"type": ["string", "null"], "format": "date"}},
    ],
    "responses": {},
}
"""An operation that each provider but OpenAI's newest models refuses some part of."""


@asynccontextmanager
async def odd_bridge(folder: Path, dialect: Dialect, called: list[str]) -> AsyncGenerator[Any]:
    """A bridge with that operation before a provider of the dialect; `called`: what its page was asked."""

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        called.append(call["bridge"]["tool"])
        return json_answer({"ok": "verified"})

    async with scripted_provider(MESSAGES) as provider:
        settings = ProviderSettings(
            name="scripted",
            base_url=provider.base_url,
            api_key_env="SCRIPTED_KEY",
            api=APIS.get(dialect, "chat"),
            dialect=dialect,
        )
        async with model_bridge(folder, provider, models=ModelsFile(provider=(settings,))) as bridge:
            document = document_text(paths={"/2fa": {"get": ODD}})
            await bridge.components.registry.share_document("odd.json", document, source_url=None)
            name = "_2faVerify" if dialect == "gemini" else "2faVerify"
            provider.play(calls((name, {"code": 7, "kind": 2})), text("Verified."))
            async with page_of(bridge, bridge.local_user.id, answer):
                yield bridge, provider


@pytest.mark.parametrize("dialect", get_args(Dialect))
@pytest.mark.parametrize("door", ["chat", "responses", "conversation", "pipe"])
async def test_each_dialect_holds_at_each_door(tmp_path: Path, dialect: Dialect, door: str) -> None:
    """Issue 42: Pipe, `/v1` and conversations, as the page has them; the call is known by its own name."""
    called: list[str] = []
    async with odd_bridge(tmp_path, dialect, called) as (bridge, provider):
        if door == "pipe":
            chat = Chat(
                load_pipe(bridge), MODEL, Browser(weather), tools_by_name(direct("get_weather", **CITY))
            )
            answer = await chat.ask("Verify me.")
            assert (answer.error, "Verified." in answer.content) == (None, True)
        elif door == "conversation":
            async with open_conversation(bridge) as talk:
                assert (await talk.say("Verify me."))["state"] == "completed"
                assert "Verified." in str(await talk.messages())
        else:
            async with client_of(bridge) as client:
                said = await _ask(client, door)
                assert "Verified." in said
        assert called == ["2faVerify"]
        first, second = (asked.body["tools"] for asked in provider.requests)
        assert first == second
        assert find_tool_problems(first, dialect) == []


async def _ask(client: Any, door: str) -> str:
    if door == "responses":
        return str((await client.responses.create(model=MODEL, input="Verify me.")).output_text)
    answer = await client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Verify me."}]
    )
    return str(answer.choices[0].message.content)
