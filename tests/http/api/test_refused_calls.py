"""`GET /api/calls/refused`: calls that were refused before a page was asked, by whichever door they came."""

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.mcp_messages import modern_request, post_message
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge, status_of_call

pytestmark = pytest.mark.asyncio

SECRET = "a value that only the caller may know"


async def answer(_call: object) -> dict[str, Any]:
    return json_answer([])


async def refused_calls(page: FakePage) -> list[dict[str, Any]]:
    return (await page.get("/api/calls/refused"))["calls"]


async def test_what_a_program_got_wrong_is_found_without_its_arguments(bridge: Bridge) -> None:
    """Finding F23: it is what a developer looks for first, and was nowhere."""
    wrong = json.dumps({"limit": SECRET})
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        assert await status_of_call(bridge, "nosuch", json.dumps({"x": SECRET})) == 404
        assert await status_of_call(bridge, "listProducts", wrong) == 400
        assert (
            await status_of_call(bridge, "run_operation", json.dumps({"name": "listProducts", "x": 1})) == 400
        )
        assert await status_of_call(bridge, "listProducts", "{}") == 200
        found = await page.get("/api/calls/refused")
        assert [(call["tool"], call["code"]) for call in found["calls"]] == [
            ("run_operation", "invalid_arguments"),
            ("listProducts", "invalid_arguments"),
            ("nosuch", "unknown_tool"),
        ]
        assert found["total"] == 3
        assert SECRET not in json.dumps(found)
        assert {call["asked_by"] for call in found["calls"]} == {"key printed at start"}
        server = (await page.get("/api/calls"))["calls"][0]["server"]
        assert [call["server"] for call in found["calls"]] == [None, server, None]


async def test_arguments_that_are_no_text_are_refused_and_found(bridge: Bridge) -> None:
    """The tool server refuses them before the engine sees the call."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        headers = {"Authorization": f"Bearer {bridge.key}"}
        async with aiohttp.ClientSession(headers=headers) as http:
            url = f"{bridge.base_url}/tools/listProducts"
            async with http.post(url, data=b"\xff\xfe{") as response:
                assert response.status == 400
        [call] = await refused_calls(page)
        assert (call["tool"], call["code"]) == ("listProducts", "invalid_arguments")


async def test_calls_of_mcp_clients_pages_and_batches_are_found(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Every door leads to the same list."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        await post_message(bridge, http, *modern_request("tools/call", {"name": "by_mcp"}))
        await page.request("POST", "/api/calls", {"tool": "by_page", "arguments": {}})
        wrong: dict[str, Any] = {"id": "a", "tool": "by_batch", "arguments": {}}
        behind = {"id": "b", "tool": "listProducts", "arguments": {"depends_on": "a"}}
        await page.request("POST", "/api/batches", {"calls": [wrong, behind]})
        found = await refused_calls(page)
    assert {(call["tool"], call["code"]) for call in found} == {
        ("by_mcp", "unknown_tool"),
        ("by_page", "unknown_tool"),
        ("by_batch", "unknown_tool"),
        ("listProducts", "dependency_failed"),
    }


async def test_calls_of_a_model_are_found_with_its_name(tmp_path: Path, provider: ScriptedProvider) -> None:
    """A tool that the model was never given, and arguments that do not fit."""
    async with (
        shop_bridge(tmp_path, provider) as bridge,
        page_of(bridge, bridge.local_user.id, products) as page,
    ):
        provider.play(calls(("made_up", {"x": SECRET}), ("listProducts", {"limit": SECRET})), text("Sorry."))
        hello: Any = [{"role": "user", "content": "Hi"}]
        async with client_of(bridge) as client:
            await client.chat.completions.create(model=MODEL, messages=hello)
        found = await page.get("/api/calls/refused")
    assert {(call["tool"], call["code"]) for call in found["calls"]} == {
        ("made_up", "unknown_tool"),
        ("listProducts", "invalid_arguments"),
    }
    assert all(call["asked_by"].endswith(f", model {MODEL}") for call in found["calls"])
    assert SECRET not in json.dumps(found)


async def test_nobody_reads_the_refused_calls_of_another_user(bridge: Bridge) -> None:
    """They are listed for the user whose key was used."""
    ann = await bridge.components.users.ensure_user("ann")
    async with page_of(bridge, ann.id, answer) as page:
        await status_of_call(bridge, "nosuch")
        assert await refused_calls(page) == []


async def test_refused_calls_survive_a_restart(tmp_path: Path) -> None:
    """The bridge writes those in memory when it stops."""
    async with running_bridge(tmp_path) as bridge:
        await status_of_call(bridge, "nosuch")
    async with running_bridge(tmp_path) as bridge, page_of(bridge, bridge.local_user.id, answer) as page:
        assert [call["tool"] for call in await refused_calls(page)] == ["nosuch"]


async def test_a_list_of_calls_is_narrowed_by_its_filters(bridge: Bridge) -> None:
    """Finding F5: a long history is of use only if the bridge searches it."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        await status_of_call(bridge, "listProducts")
        await page.request("POST", "/api/calls", {"tool": "addProduct", "arguments": {"name": "tea"}})
        everything = (await page.get("/api/calls"))["calls"]
        server, at = everything[0]["server"], everything[0]["opened_at"]

        async def tools(query: str) -> list[str]:
            return [call["tool"] for call in (await page.get(f"/api/calls?{query}"))["calls"]]

        assert await tools("") == ["addProduct", "listProducts"]
        assert await tools("asker=key%20printed%20at%20start") == ["listProducts"]
        assert await tools(f"server={server}&state=good") == ["addProduct", "listProducts"]
        assert await tools("server=other") == []
        assert await tools("state=bad") == await tools("state=not_made") == []
        assert await tools("text=ADDprod") == await tools("text=post%20/") == ["addProduct"]
        assert await tools("text=%25") == []
        assert await tools(f"since={at}") == ["addProduct"]
        assert await page.get("/api/calls/askers") == {"askers": ["bridge page", "key printed at start"]}
        for wrong in ("state=odd", "since=x", "operation=GET%20/", f"text={'x' * 201}"):
            assert (await page.request("GET", f"/api/calls?{wrong}"))[0] == 400
