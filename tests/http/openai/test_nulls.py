"""Nulls in a PATCH, by every door: what is left out stays alone, and what is set to null becomes null."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text
from tests.support.mcp_messages import REQUESTS, post_message
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge, products
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import FakePage, page_of
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

USER: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "phone": {"type": "string", "nullable": True},
        "homes": {"type": "array", "items": {"type": "object", "properties": {"city": {"type": "string"}}}},
    },
}
PATCH: JsonObject = {
    "operationId": "patchUser",
    "requestBody": {"required": True, "content": {"application/json": {"schema": USER}}},
    "responses": {"200": {"description": "ok"}},
}
PAGED: JsonObject = {"name": "page", "in": "query", "schema": {"type": "integer"}}
LIST: JsonObject = {
    "operationId": "listUsers",
    "parameters": [PAGED],
    "responses": {"200": {"description": "ok"}},
}
SAID = {"name": None, "phone": None, "homes": [{"city": None}]}
MEANT: JsonObject = {"phone": None, "homes": [{}]}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncIterator[Bridge]:
    async with model_bridge(tmp_path, provider) as running:
        paths: JsonObject = {"/users": {"patch": PATCH, "get": LIST}}
        await running.components.registry.share_document(
            "users.json", document_text(paths=paths), source_url=None
        )
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncIterator[FakePage]:
    async with page_of(bridge, bridge.local_user.id, products) as page:
        yield page


def sent(page: FakePage) -> Any:
    [call] = page.calls
    return json.loads(call["params"])


async def test_a_model_is_offered_a_patch_without_strict_and_means_its_nulls(
    bridge: Bridge, provider: ScriptedProvider, page: FakePage
) -> None:
    """Finding W-42: asked to change a name, a strict model would have erased the phone number."""
    provider.play(calls(("patchUser", SAID)), text("Done."))
    async with client_of(bridge) as client:
        await client.responses.create(model=MODEL, input="Hi")
    offered = {tool["name"]: tool for tool in provider.requests[0].body["tools"]}
    assert (offered["patchUser"]["strict"], offered["listUsers"]["strict"]) == (False, True)
    assert "required" not in offered["patchUser"]["parameters"]["properties"]["homes"]["items"]
    assert sent(page) == MEANT


async def test_a_strict_tool_of_the_caller_is_the_callers(
    bridge: Bridge, provider: ScriptedProvider, page: FakePage
) -> None:
    """Finding W-42: what its nulls mean, only the caller knows; they come back as the model wrote them."""
    theirs: Any = {
        "type": "function",
        "name": "patch",
        "parameters": {**USER, "required": [*SAID]},
        "strict": True,
    }
    provider.play(calls(("patch", SAID)))
    async with client_of(bridge) as client:
        answer: Any = await client.responses.create(model=MODEL, input="Hi", tools=[theirs])
    assert provider.requests[0].body["tools"][-1] == theirs
    assert json.loads(answer.output[0].arguments) == SAID
    assert page.calls == []


@pytest.mark.parametrize("tool", ["patchUser", "run_operation"])
async def test_a_tool_server_passes_on_what_is_meant(
    bridge: Bridge, http: aiohttp.ClientSession, page: FakePage, tool: str
) -> None:
    """Finding W-42: Open WebUI's models are as strict as their providers make them."""
    body = SAID if tool == "patchUser" else {"name": "patchUser", "arguments": SAID}
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.post(f"{bridge.base_url}/tools/{tool}", json=body, headers=headers) as response:
        assert response.status == 200, await response.text()
    assert sent(page) == MEANT


async def test_an_mcp_client_passes_on_what_is_meant(
    bridge: Bridge, http: aiohttp.ClientSession, page: FakePage
) -> None:
    """Finding W-42: its model may be strict, too."""
    message, headers = REQUESTS["modern"]("tools/call", {"name": "patchUser", "arguments": SAID})
    status, _ = await post_message(bridge, http, json.dumps(message).encode(), headers)
    assert (status, sent(page)) == (200, MEANT)
