"""A catalog that is too large for a model, over real HTTP: what is shown, how the rest is reached."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text, operation
from tests.support.mcp_messages import modern_request, post_message
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.waiting import eventually
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

META_TOOLS = ["find_operations", "run_operation", "read_result"]


def many(count: int) -> JsonObject:
    """Operations that take one integer."""
    limit: JsonObject = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
    return {
        f"/thing{number}": {
            "get": {"operationId": f"listThing{number}", "parameters": [limit], "responses": {}}
        }
        for number in range(count)
    }


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path, max_tools=20) as running:
        document = document_text("Things", paths=many(200))
        await running.components.registry.share_document("things.json", document, source_url=None)
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncIterator[FakePage]:
    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"ok": 1})

    async with page_of(bridge, bridge.local_user.id, answer) as connected:
        yield connected


async def listed(bridge: Bridge, path: str = "/openapi.json", tag: str = "") -> tuple[int, str, list[str]]:
    headers = {"Authorization": f"Bearer {bridge.key}", "If-None-Match": tag}
    async with aiohttp.ClientSession() as http, http.get(bridge.base_url + path, headers=headers) as response:
        body = await response.read()
        paths: dict[str, Any] = json.loads(body)["paths"] if body else {}
        return response.status, response.headers["ETag"], [name.removeprefix("/tools/") for name in paths]


async def listed_by_mcp(bridge: Bridge, path: str) -> list[str]:
    async with aiohttp.ClientSession() as http:
        _, answer = await post_message(bridge, http, *modern_request("tools/list"), path=path)
    return [tool["name"] for tool in answer["result"]["tools"]]


async def call(bridge: Bridge, path: str, arguments: str) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with (
        aiohttp.ClientSession() as http,
        http.post(bridge.base_url + path, data=arguments, headers=headers) as response,
    ):
        return response.status, await response.json()


async def test_a_model_finds_an_operation_and_runs_it(bridge: Bridge, page: FakePage) -> None:
    """With two tools instead of two hundred, and every digit of the model's integer."""
    assert (await listed(bridge))[2] == META_TOOLS
    _, found = await call(bridge, "/tools/find_operations", '{"query": "list thing 117", "limit": 2}')
    name = found["operations"][0]["name"]
    assert name == "listThing117"
    assert found["operations"][0]["parameters"]["properties"]["limit"]["type"] == "integer"
    text = f'{{"name": "{name}", "arguments": {{"limit": 9007199254740993}}}}'
    assert await call(bridge, "/servers/things/tools/run_operation", text) == (200, {"ok": 1})
    (sent,) = page.calls
    assert (sent["name"], sent["params"]) == ("GET /thing117", '{"limit": 9007199254740993}')
    assert sent["bridge"]["tool"] == "listThing117"


async def test_a_tool_that_is_not_shown_can_still_be_called_by_its_name(
    bridge: Bridge, page: FakePage
) -> None:
    """A chat that began before the catalog grew goes on."""
    assert await call(bridge, "/tools/listThing5", "{}") == (200, {"ok": 1})
    assert len(page.calls) == 1


async def test_a_changed_selection_changes_the_document_its_tag_and_tells_the_page(
    bridge: Bridge, page: FakePage
) -> None:
    """Open WebUI asks with the old tag and must get the new tools."""
    told: list[object] = []
    page.socket.on("bridge:servers", told.append)
    _, tag, _ = await listed(bridge)
    assert (await listed(bridge, tag=tag))[0] == 304
    status, chosen = await page.request("PUT", "/api/selection", {"pinned": ["listThing9", "gone"]})
    assert (status, chosen["shown"], chosen["missing"]["pinned"]) == (200, 1, ["gone"])
    status, _, names = await listed(bridge, tag=tag)
    assert (status, names) == (200, ["listThing9", *META_TOOLS])
    assert (await listed(bridge, "/servers/things/openapi.json"))[2] == names
    await eventually(lambda: told)


async def test_mcp_clients_are_offered_the_same_tools(bridge: Bridge, page: FakePage) -> None:
    """The same selection and the same three tools of the bridge's own, at every address."""
    assert await listed_by_mcp(bridge, "/mcp") == META_TOOLS
    await page.request("PUT", "/api/selection", {"pinned": ["listThing9"]})
    for path in ("", "/servers/things"):
        assert await listed_by_mcp(bridge, f"{path}/mcp") == ["listThing9", *META_TOOLS]
        assert (await listed(bridge, f"{path}/openapi.json"))[2] == ["listThing9", *META_TOOLS]


async def test_a_large_document_that_is_added_takes_no_accepted_tool_away(tmp_path: Path) -> None:
    """D5: every tool was gone from the lists of programs, before anybody had accepted anything of it."""

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"ok": 1})

    async with running_bridge(tmp_path, max_tools=20) as small:
        registry = small.components.registry
        await registry.share_document("small.json", document_text("Shop"), source_url=None)
        async with page_of(small, small.local_user.id, answer):
            assert (await listed(small))[2] == ["listProducts", "addProduct", "read_result"]
            await registry.share_document("things.json", document_text(paths=many(200)), source_url=None)
            assert (await listed(small))[2] == ["listProducts", "addProduct", *META_TOOLS]
            assert await listed_by_mcp(small, "/mcp") == ["listProducts", "addProduct", *META_TOOLS]


async def test_a_call_changes_no_list_and_no_tag(bridge: Bridge, page: FakePage) -> None:
    """Ruling 50: it is in use from now on; a list that changed would cost its tag, and a model its cache."""
    registry = bridge.components.registry
    await registry.share_document("small.json", document_text("Shop"), source_url=None)
    status, tag, names = await listed(bridge)
    assert (status, names) == (200, ["listProducts", "addProduct", *META_TOOLS])
    assert await call(bridge, "/tools/listThing5", "{}") == (200, {"ok": 1})
    await registry.share_document("small.json", document_text("Shop"), source_url=None)
    assert (await listed(bridge, tag=tag))[0] == 304


async def test_the_selection_says_which_servers_are_listed_and_lets_its_user_choose(
    bridge: Bridge, page: FakePage
) -> None:
    """Finding F-1: with a switch. What the chat, programs and Tools count is the same."""
    registry = bridge.components.registry
    await registry.share_document("small.json", document_text("Shop"), source_url=None)
    await accept_all(bridge, page, "things")
    chosen = await accept_all(bridge, page, "shop")
    assert (chosen["accepted"], chosen["accepted_shown"], chosen["shown"]) == (202, 2, 2)
    assert chosen["listing"] == [
        {"server": "shop", "tools": 2, "listed": True},
        {"server": "things", "tools": 200, "listed": False},
    ]
    _, offered = await page.request("GET", "/api/selection/offered?form=responses")
    assert len(offered["document"]) == 2 + len(META_TOOLS)
    _, chosen = await page.request("PUT", "/api/selection", {"searched": ["shop", "gone"]})
    assert [each["listed"] for each in chosen["listing"]] == [False, False]
    assert (chosen["shown"], chosen["missing"]["servers"]) == (0, ["gone"])
    _, chosen = await page.request("PUT", "/api/selection", {"pinned": [f"listThing{n}" for n in range(18)]})
    assert (chosen["shown"], chosen["pins_left"]) == (17, 1)


async def test_a_forecast_says_what_accepting_operations_would_do(bridge: Bridge, page: FakePage) -> None:
    """Finding F-1: the review says before it happens that a server will be searched, and who gives way."""
    registry = bridge.components.registry
    paths: JsonObject = {f"/{number}": operation(f"op{number}") for number in range(10)}
    await registry.share_document("small.json", document_text("Shop", paths=paths), source_url=None)
    await accept_all(bridge, page, "shop")
    asked = "/api/selection/forecast?server=things&accepted="
    assert await page.request("GET", asked + "10") == (
        200,
        {"listed": True, "giving_way": [], "others_listed": 10},
    )
    assert (await page.request("GET", asked + "200"))[1]["listed"] is False
    await page.request("PUT", "/api/selection", {"listed": ["things"]})
    assert (await page.request("GET", asked + "15"))[1] == {
        "listed": True,
        "giving_way": ["shop"],
        "others_listed": 0,
    }
    assert (await page.request("GET", asked + "many"))[0] == 400
    assert (await page.request("GET", "/api/selection/forecast?server=none&accepted=1"))[0] == 404


async def accept_all(bridge: Bridge, page: FakePage, server_id: str) -> Any:
    """The page accepts every operation; returns the selection then."""
    registry = bridge.components.registry
    server = (await registry.view_of_user(bridge.local_user.id)).find_server(server_id)
    digests = {operation.key: operation.digest for operation in server.compiled.operations}
    await registry.accept_operations(bridge.local_user.id, server_id, digests)
    return (await page.request("GET", "/api/selection"))[1]


async def test_the_preview_is_what_clients_receive(bridge: Bridge, page: FakePage) -> None:
    """Word for word, so that its user can trust it, with what each tool costs."""
    await page.request("PUT", "/api/selection", {"pinned": ["listThing9"]})
    names = ["listThing9", *META_TOOLS]
    status, shown = await page.request("GET", "/api/selection/offered")
    assert status == 200
    assert [path.removeprefix("/tools/") for path in shown["document"]["paths"]] == names
    assert [tool["name"] for tool in shown["tools"]] == names
    assert shown["tokens"] == sum(tool["tokens"] for tool in shown["tools"]) > 300
    _, shown = await page.request("GET", "/api/selection/offered?form=mcp")
    assert [tool["name"] for tool in shown["document"]["tools"]] == names
    _, shown = await page.request("GET", "/api/selection/offered?form=responses")
    assert [tool["type"] for tool in shown["document"]] == ["function"] * len(names)


async def test_only_a_page_chooses_and_a_mistake_names_its_field(bridge: Bridge, page: FakePage) -> None:
    """An API key reads the selection; a person makes it."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    url = bridge.base_url + "/api/selection"
    async with aiohttp.ClientSession() as http:
        async with http.get(url, headers=headers) as response:
            chosen = await response.json()
        assert (chosen["defaults"], chosen["over"]) == ({"max_tools": 20, "max_tokens": None}, "over_limit")
        async with http.put(url, json={}, headers=headers) as response:
            assert (await response.json())["error"]["code"] == "page_only"
    for body, field in (
        ({"max_tools": 2}, "max_tools"),
        ({"max_tools": "many"}, "max_tools"),
        ({"max_tokens": 5}, "max_tokens"),
        ({"pinned": "listThing1"}, "pinned"),
        ({"names": [""]}, "names.0"),
        ({"names": ["x"] * 101}, "names"),
        ({"servers": ["x" * 65]}, "servers.0"),
    ):
        status, refused = await page.request("PUT", "/api/selection", body)
        assert (status, refused["error"]["code"]) == (400, "invalid_request")
        assert refused["error"]["detail"] == {"field": field}


async def test_a_result_that_is_not_kept_cannot_be_read_on(bridge: Bridge, page: FakePage) -> None:
    """With a code of its own, and nobody's page is asked."""
    asked = '{"call_id": "call_none", "offset": 0}'
    status, answer = await call(bridge, "/tools/read_result", asked)
    assert (status, answer["error"]["code"]) == (404, "not_found")
    assert page.calls == []
