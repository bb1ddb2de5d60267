"""One edited server, as each door shows and calls it: tool server, MCP, OpenAI's API, conversations, Pipe.

The page's own door is in `tests/browser/views/test_editing_tools.py`, with the request that the API gets.
"""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.conversation_client import open_conversation
from tests.support.documents.compiled import document_text, overlay_text
from tests.support.fake_open_webui import Browser, Chat
from tests.support.loaded_plugins import load_pipe, weather
from tests.support.mcp_messages import REQUESTS, post_message
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import json_answer, page_of
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

LIST = "$.paths['/products'].get"
DEBUG: JsonObject = {
    "name": "debug",
    "in": "query",
    "schema": {"type": "boolean"},
    "x-tool-bridge": {"fixed": True},
}
OVERLAY = overlay_text(
    {"target": LIST, "update": {"x-tool-bridge": {"name": "findProducts", "result_select": "products[0]"}}},
    {"target": f"{LIST}.parameters[0]", "update": {"x-tool-bridge": {"name": "count"}}},
    {"target": LIST, "update": {"parameters": [DEBUG]}},
)


@asynccontextmanager
async def edited_shop(folder: Path, provider: ScriptedProvider) -> AsyncGenerator[tuple[Bridge, list[Any]]]:
    """A bridge with the shop as the overlay leaves it, and what its page was asked.

    The shop was there before its edits, so that its tools have former names.
    """
    asked: list[Any] = []

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        asked.append((call["name"], json.loads(call["params"])))
        return json_answer({"products": ["tea", "salt"]})

    async with model_bridge(folder, provider) as bridge:
        share = bridge.components.registry.share_document
        await share("shop.json", document_text(), source_url=None)
        await bridge.components.registry.view_of_user(bridge.local_user.id)  # where names are given
        await share("shop.json", document_text(), source_url=None, overlays=[OVERLAY])
        async with page_of(bridge, bridge.local_user.id, answer):
            yield bridge, asked


Told: TypeAlias = tuple[dict[str, Any], str]
"""The arguments of `findProducts` by name, as a model reads them, and what it reads of a call."""


async def by_tool_server(bridge: Bridge, _provider: ScriptedProvider, name: str) -> Told:
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with aiohttp.ClientSession(bridge.base_url, headers=headers) as http:
        async with http.get("/openapi.json") as listed:
            document = await listed.json()
        async with http.post(f"/tools/{name}", json={"count": 2}) as called:
            read = await called.text()
        async with http.post(f"/tools/{name}", json={"debug": False}) as refused:
            assert refused.status == 400, await refused.text()
    body = document["paths"]["/tools/findProducts"]["post"]["requestBody"]
    return body["content"]["application/json"]["schema"]["properties"], read


async def by_mcp(bridge: Bridge, _provider: ScriptedProvider, name: str) -> Told:
    request = next(iter(REQUESTS.values()))
    async with aiohttp.ClientSession() as http:
        _, listed = await post_message(bridge, http, *request("tools/list", {}))
        call = {"name": name, "arguments": {"count": 2}}
        _, called = await post_message(bridge, http, *request("tools/call", call))
    return properties_of(listed["result"]["tools"], "inputSchema"), called["result"]["content"][0]["text"]


async def by_openai(bridge: Bridge, provider: ScriptedProvider, _name: str) -> Told:
    async with client_of(bridge) as client:
        await client.responses.create(model=MODEL, input="Which products are there?")
    return told_by(provider)


async def by_conversation(bridge: Bridge, provider: ScriptedProvider, _name: str) -> Told:
    async with open_conversation(bridge, model=MODEL) as chat:
        await chat.say("Which products are there?")
    return told_by(provider)


async def by_pipe(bridge: Bridge, provider: ScriptedProvider, _name: str) -> Told:
    await Chat(load_pipe(bridge), MODEL, Browser(weather)).ask("Which products are there?")
    return told_by(provider)


def told_by(provider: ScriptedProvider) -> Told:
    """What the provider was offered, and what it got for its call."""
    offered, continued = [request.body for request in provider.requests[-2:]]
    return properties_of(offered["tools"], "parameters"), continued["input"][-1]["output"]


def properties_of(tools: list[dict[str, Any]], schema: str) -> dict[str, Any]:
    assert "listProducts" not in [tool.get("name") for tool in tools]
    (found,) = [tool for tool in tools if tool.get("name") == "findProducts"]
    return found[schema]["properties"]


@pytest.mark.parametrize("name", ["findProducts", "listProducts"], ids=["new name", "former name"])
@pytest.mark.parametrize("door", [by_tool_server, by_mcp, by_openai, by_conversation, by_pipe])
async def test_each_door_shows_and_calls_an_edited_tool(
    tmp_path: Path,
    provider: ScriptedProvider,
    door: Callable[[Bridge, ScriptedProvider, str], Awaitable[Told]],
    name: str,
) -> None:
    """Issue 41: names, withheld arguments and the query of an edit hold at every door, old names too."""
    provider.play(calls((name, {"count": 2})), text("Tea."))
    async with edited_shop(tmp_path, provider) as (bridge, asked):
        arguments, read = await door(bridge, provider, name)
    assert list(arguments) == ["count"]
    assert "tea" in read
    assert "salt" not in read
    assert asked == [("GET /products", {"count": 2})]
