"""`/api/servers/{id}/overlays`: who may edit a server's tools, and what is kept of it."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.support.audit_entries import told_in
from tests.support.documents.compiled import document_text, overlay_text
from tests.support.running_bridge import FakePage, json_answer, open_page_of, running_bridge
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

EDIT = overlay_text({"target": "$.paths['/products'].get", "update": {"summary": "All that we sell"}})


@pytest_asyncio.fixture
async def http() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest_asyncio.fixture
async def ann(tmp_path: Path, http: aiohttp.ClientSession) -> AsyncGenerator[FakePage]:
    async with running_bridge(tmp_path) as bridge:
        yield await open_page_of(bridge, http, "ann")


async def add(page: FakePage, text: str | None = None) -> str:
    return (await page.post("/api/servers", {"text": text or document_text()}))["id"]


async def put(page: FakePage, server_id: str, overlays: list[Any]) -> tuple[int, Any]:
    return await page.request("PUT", f"/api/servers/{server_id}/overlays", {"overlays": overlays})


async def summary_of(page: FakePage, server_id: str) -> str:
    tools = (await page.get(f"/api/servers/{server_id}"))["tools"]
    return next(tool["summary"] for tool in tools if tool["method"] == "GET")


async def test_the_owner_edits_a_server_and_takes_that_back(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Issue 41: the page reads an edit back as it was written, also after a restart."""
    async with running_bridge(tmp_path) as bridge:
        ann = await open_page_of(bridge, http, "ann")
        shop = await add(ann)
        status, stored = await put(ann, shop, [EDIT])
        assert (status, stored["overlays"]) == (200, [EDIT])
        assert await summary_of(ann, shop) == "All that we sell"
        assert [each["overlays"] for each in (await ann.get("/api/servers"))["servers"]] == [1]
        audited = (await ann.get("/api/audit"))["entries"]
        (entry,) = [entry for entry in audited if entry["kind"] == "document_changed"]
        assert told_in(entry)["overlays"] == 1
    async with running_bridge(tmp_path) as bridge:
        ann = await open_page_of(bridge, http, "ann")
        assert await ann.get(f"/api/servers/{shop}/overlays") == stored
        assert await summary_of(ann, shop) == "All that we sell"
        name: JsonObject = {"x-tool-bridge": {"name": "seeAll"}}
        renaming = overlay_text({"target": "$.paths['/products'].get", "update": name})
        assert (await put(ann, shop, [renaming]))[0] == 200
        assert (await ann.get("/api/tools/listProducts"))["name"] == "seeAll"
        status, none = await ann.request("DELETE", f"/api/servers/{shop}/overlays")
        assert (status, none["overlays"]) == (200, [])
        assert await summary_of(ann, shop) == ""


async def test_a_renamed_tool_is_called_by_its_old_name(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    """Issue 41: a program that knows the old name goes on, and its errors are those of the tool itself."""
    name: JsonObject = {"x-tool-bridge": {"name": "seeAll"}}
    async with running_bridge(tmp_path) as bridge:
        ann = await open_page_of(bridge, http, "ann")
        shop = await add(ann)
        assert (await ann.get("/api/tools"))["tools"][0]["name"] == "listProducts"
        await put(ann, shop, [overlay_text({"target": "$.paths['/products'].get", "update": name})])
        await ann.accept_everything()

        async def answer(_call: dict[str, Any]) -> dict[str, Any]:
            return json_answer({"all": 1})

        await ann.connect(answer)
        user = await bridge.components.users.ensure_user("ann")
        _, key = await bridge.components.users.add_key(user.id, "x")
        headers = {"Authorization": f"Bearer {key}"}
        for called in ("seeAll", "listProducts"):
            url = f"{bridge.base_url}/tools/{called}"
            async with http.post(url, json={}, headers=headers) as answered:
                assert (answered.status, await answered.json()) == (200, {"all": 1})
            async with http.post(url, json={"limit": 0}, headers=headers) as refused:
                error = (await refused.json())["error"]
                assert (error["code"], error["detail"]) == (
                    "invalid_arguments",
                    {"argument": "limit", "pointer": "/limit"},
                )


async def test_what_is_not_an_overlay_changes_nothing_and_says_why(ann: FakePage) -> None:
    """Its author has to find the action at fault."""
    shop = await add(ann)
    await put(ann, shop, [EDIT])
    failing = overlay_text({"target": "$.info", "update": 1})
    status, refused = await put(ann, shop, [EDIT, failing])
    assert (status, refused["error"]["code"]) == (422, "invalid_document")
    assert "Action 1 of the overlay 'Edits' cannot be applied" in refused["error"]["message"]
    assert refused["error"]["detail"] == {"code": "overlay_failed", "pointer": "#/actions/0"}
    assert (await put(ann, shop, [EDIT] * 21))[0] == 400
    assert (await ann.get(f"/api/servers/{shop}/overlays"))["overlays"] == [EDIT]


async def test_who_saves_last_does_not_undo_what_another_tab_saved(ann: FakePage) -> None:
    """Issue 41: two tabs edit one server; the later one reads what is there before it replaces that."""
    shop = await add(ann)
    path = f"/api/servers/{shop}/overlays"
    seen = (await ann.get(path))["version"]
    status, saved = await ann.request("PUT", path, {"overlays": [EDIT], "version": seen})
    assert (status, saved["version"] != seen) == (200, True)
    status, refused = await ann.request("PUT", path, {"overlays": [], "version": seen})
    assert (status, refused["error"]["code"]) == (409, "document_changed")
    assert await ann.get(path) == saved


async def test_an_editor_sees_the_original_and_what_the_edits_save(ann: FakePage) -> None:
    """Issue 41: the original stands beside each field, and the page shows what an edit saves."""
    shop = await add(ann)
    shorter: JsonObject = {"x-tool-bridge": {"name": "all"}}
    removing = overlay_text({"target": "$.paths['/products'].post", "remove": True})
    renaming = overlay_text({"target": "$.paths['/products'].get", "update": shorter})
    await put(ann, shop, [removing, renaming])
    path = f"/api/servers/{shop}/original"
    found = await ann.get(f"{path}?key=GET%20/products&overlays=1")
    (argument,) = found["arguments"]
    target = "$.paths['/products'].get"
    assert (found["name"], found["target"], list(found["schema"]["properties"])) == (
        "listProducts",
        target,
        ["limit"],
    )
    assert (argument["in"], argument["sent_as"], argument["default"]["path"]) == (
        "query",
        "limit",
        ["schema", "default"],
    )
    assert argument["target"] == f"{target}.parameters[?@.name == 'limit' && @.in == 'query']"
    assert (await ann.get(f"{path}?key=POST%20/products"))["name"] == "addProduct"
    assert (await ann.request("GET", f"{path}?key=POST%20/products&overlays=1"))[0] == 404
    assert (await ann.request("GET", f"{path}?key=GET%20/products&overlays=-1"))[0] == 400
    before, now = await ann.get(f"{path}/tokens"), await ann.get("/api/tokens")
    assert before["tokens"] == sum(before["tools"].values())
    assert list(now["tools"]) == ["all"]
    assert now["tools"]["all"] < before["tools"]["GET /products"] == found["tokens"]


async def test_a_tool_that_nothing_edits_takes_as_many_tokens_as_before(ann: FakePage) -> None:
    """Issue 41: the page shows what an edit saves, not what another count of the same would give."""
    limited: JsonObject = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
    operation: JsonObject = {
        "operationId": "listAll",
        "parameters": [{"name": "limit", "in": "query", "schema": limited}],
        "responses": {"200": {"description": "ok"}},
    }
    text = document_text(paths={"/all": {"get": operation}})
    server = await add(ann, text)
    path = f"/api/servers/{server}/original"
    before, now = await ann.get(f"{path}/tokens"), await ann.get("/api/tokens")
    assert now["tools"] == {"listAll": before["tokens"]}
    assert (await ann.get(f"{path}?key=GET%20/all"))["tokens"] == before["tokens"]


async def test_a_tool_counts_as_edited_if_only_its_arguments_are(ann: FakePage) -> None:
    """Issue 41: the review marks what an edit changes, also where name and description stay."""
    shop = await add(ann)
    target = "$.paths['/products'].get.parameters[0]"
    await put(ann, shop, [overlay_text({"target": target, "update": {"x-tool-bridge": {"fixed": 5}}})])
    tools = {tool["name"]: tool["original"] for tool in (await ann.get(f"/api/servers/{shop}"))["tools"]}
    assert tools == {"listProducts": {"name": None, "description": None}, "addProduct": None}


async def test_tools_of_an_mcp_server_are_found_for_edits_as_well(ann: FakePage) -> None:
    """Issue 41: MCP tools are edited the same way."""
    query: JsonObject = {"type": "string", "description": "Words"}
    tool: JsonObject = {"name": "search", "inputSchema": {"type": "object", "properties": {"query": query}}}
    text = json.dumps({"mcp": "2025-06-18", "endpoint": "http://a.test/mcp", "tools": [tool]})
    server = await add(ann, text)
    found = await ann.get(f"/api/servers/{server}/original?key=CALL%20search")
    (argument,) = found["arguments"]
    assert argument["description"] == "Words"
    shorter: JsonObject = {"x-tool-bridge": {"name": "q"}}
    renaming: JsonObject = {"x-tool-bridge": {"name": "find"}}
    edit = overlay_text(
        {"target": found["target"], "update": renaming}, {"target": argument["target"], "update": shorter}
    )
    assert (await put(ann, server, [edit]))[0] == 200
    renamed = await ann.get("/api/tools/find")
    assert list(renamed["schema"]["properties"]) == ["q"]


async def test_a_key_others_and_operators_edit_nothing(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    """Ruling 52: setting an overlay is a page's decision, and the server's owner's."""
    async with running_bridge(tmp_path, sharing="everyone") as bridge:
        ann, bob, local = [await open_page_of(bridge, http, name) for name in ("ann", "bob", "local")]
        shop = await add(ann)
        path = f"/api/servers/{shop}/overlays"
        assert (await bob.request("GET", path))[0] == 404
        await ann.request("PUT", f"/api/servers/{shop}/sharing", {"shared": True})
        for method, body in (("GET", None), ("PUT", {"overlays": [EDIT]}), ("DELETE", None)):
            for other in (bob, local):
                status, refused = await other.request(method, path, body)
                assert (status, refused["error"]["code"]) == (403, "operator_only")
        ann_user = await bridge.components.users.ensure_user("ann")
        _, key = await bridge.components.users.add_key(ann_user.id, "x")
        headers = {"Authorization": f"Bearer {key}"}
        for method in ("GET", "PUT", "DELETE"):
            async with http.request(
                method, bridge.base_url + path, json={"overlays": []}, headers=headers
            ) as no:
                assert no.status in (401, 403)


async def test_a_page_reads_what_an_edit_changed_beside_what_was_there(ann: FakePage) -> None:
    """Issue 41: who reviews an edited tool sees the name and description that its author gave."""
    shop = await add(ann)
    name: JsonObject = {"x-tool-bridge": {"name": "seeAll"}}
    await put(ann, shop, [overlay_text({"target": "$.paths['/products'].get", "update": name})])
    tools = (await ann.get(f"/api/servers/{shop}"))["tools"]
    assert [(each["name"], each["original"]) for each in tools] == [
        ("seeAll", {"name": "listProducts", "description": None}),
        ("addProduct", None),
    ]
