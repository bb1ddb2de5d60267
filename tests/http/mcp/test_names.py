"""Names at `/mcp` and in advertised documents leave room for what a client puts before them."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.catalog.server_view import UserSelection
from bridge.endpoints.mcp.readers import CLIENT_INFO_KEY, CLIENT_ROOMS
from tests.support.documents.compiled import document_text, operation
from tests.support.mcp_messages import (
    REQUESTS,
    begin_session,
    legacy_request,
    modern_request,
    next_message,
    post_message,
)
from tests.support.running_bridge import json_answer, page_of, running_bridge
from toolserver.tool.short_names import MIN_ROOM

pytestmark = pytest.mark.asyncio

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
FASTAPI = "read_items_for_project_api_v1_organizations__organization_id__projects__project_id__items_get"
EXACTLY = "update_the_settings_of_an_organization_and_of_its_projects_patch"
DIGIT = "2faVerify_of_a_person_who_lost_the_telephone_of_the_company_post"
GIVEN = [
    "read_items_for_4ecd13ad_id__projects__project_id__items_get",
    EXACTLY,
    DIGIT,
    "x" * 46,
    "list",
]
PREFIXES = {
    "claude-code": "mcp__tool-bridge__",
    "codex-mcp-client": "mcp__tool-bridge__",
    "Visual Studio Code": "mcp_tool-bri_",
    "Visual Studio Code - Insiders": "mcp_tool-bri_",
    "cursor-vscode": "----tool-bridge_",
}
"""What each client puts before a name. Cursor allows 60 with the server's name: as if it put 16 before."""


@asynccontextmanager
async def long_names(folder: Path) -> AsyncGenerator[tuple[Bridge, list[str]]]:
    """A bridge of long names, and the paths that its page was asked for."""
    called: list[str] = []
    ids = [FASTAPI, EXACTLY, DIGIT, "x" * 46, "list"]
    text = document_text(paths={f"/{index}/items": operation(name) for index, name in enumerate(ids)})

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        called.append(call["bridge"]["tool"])
        return json_answer({"ok": True})

    async with running_bridge(folder) as bridge:
        await bridge.components.registry.share_document("names.json", text, source_url=None)
        async with page_of(bridge, bridge.local_user.id, answer):
            yield bridge, called


async def listed(
    bridge: Bridge, http: aiohttp.ClientSession, era: str, client: str, path: str = "/mcp"
) -> list[str]:
    """The names that a client of that name lists, without those of the bridge's own tools."""
    told: dict[str, Any] = {"name": client, "version": "1"}
    if era == "legacy":
        return await listed_in_session(bridge, http, await begin_session(bridge, http, told), path=path)
    message = modern_request("tools/list", **{CLIENT_INFO_KEY: told})
    _, answer = await post_message(bridge, http, *message, path=path)
    return names_in(answer)


async def listed_in_session(
    bridge: Bridge, http: aiohttp.ClientSession, session: dict[str, str], **options: Any
) -> list[str]:
    """The same in a legacy client's session."""
    body, headers = legacy_request("tools/list")
    _, answer = await post_message(bridge, http, body, headers | session, **options)
    return names_in(answer)


def names_in(answer: Any) -> list[str]:
    names = [tool["name"] for tool in answer["result"]["tools"]]
    return [name for name in names if name != "read_result"]


@pytest.mark.parametrize("era", REQUESTS)
@pytest.mark.parametrize(("client", "prefix"), PREFIXES.items())
async def test_names_fit_a_known_client_with_its_prefix_and_call_their_tools(
    tmp_path: Path, http: aiohttp.ClientSession, era: str, client: str, prefix: str
) -> None:
    """Finding W-18: `mcp__tool-bridge__` before 64 characters made 82, and the provider refused them all."""
    assert PREFIXES.keys() == CLIENT_ROOMS.keys()
    async with long_names(tmp_path) as (bridge, called):
        names = await listed(bridge, http, era, client)
        assert all(LEGAL.fullmatch(prefix + name) for name in names)
        assert names == await listed(bridge, http, era, client)
        assert names[3:] == GIVEN[3:]
        for name in names:
            _, answer = await post_message(bridge, http, *REQUESTS[era]("tools/call", {"name": name}))
            assert "isError" not in answer["result"]
        assert called == GIVEN


async def test_a_client_that_is_not_known_lists_names_as_they_were_given(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Names that were given stay."""
    async with long_names(tmp_path) as (bridge, _):
        for era in REQUESTS:
            assert await listed(bridge, http, era, "another") == GIVEN
        proxied = await listed(bridge, http, "legacy", "claude-code (via mcp-remote 0.1.37)")
        assert max(map(len, proxied)) == CLIENT_ROOMS["claude-code"]


async def test_the_address_says_how_long_a_name_may_be(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    """Finding W-18: a limit that its user chooses, for clients that the bridge does not know."""
    async with long_names(tmp_path) as (bridge, _):
        for room in (MIN_ROOM, 40, 41, 63):
            names = await listed(bridge, http, "modern", "another", f"/mcp?names={room}")
            assert len({*names}) == len(GIVEN)
            assert max(map(len, names)) <= room
        assert await listed(bridge, http, "modern", "claude-code", "/mcp?names=64") == GIVEN
        short = await listed(bridge, http, "modern", "another", "/servers/shop/mcp?names=40")
        assert max(map(len, short)) <= 40


async def test_the_document_has_short_names_where_open_webui_puts_its_id_before_them(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Finding W-18: `<id>_` counts within the 64."""
    prefix = "tool-bridge_"
    async with long_names(tmp_path) as (bridge, called):
        headers = {"Authorization": f"Bearer {bridge.key}"}

        async def document(query: str) -> tuple[str, dict[str, Any]]:
            url = f"{bridge.base_url}/openapi.json{query}"
            async with http.get(url, headers=headers) as response:
                return response.headers["ETag"], (await response.json())["paths"]

        whole, whole_paths = await document("")
        tag, paths = await document(f"?names={64 - len(prefix)}")
        assert whole != tag
        assert [path for path in whole_paths if path != "/tools/read_result"] == [
            f"/tools/{name}" for name in GIVEN
        ]
        names = [item["post"]["operationId"] for item in paths.values()]
        assert all(LEGAL.fullmatch(prefix + name) for name in names)
        for path in paths:
            if path != "/tools/read_result":
                async with http.post(f"{bridge.base_url}{path}", json={}, headers=headers) as response:
                    assert (response.status, await response.json()) == (200, {"ok": True})
        assert called == GIVEN


@pytest.mark.parametrize("number", ["31", "65", "", "-46", "0046", "1" * 5000])
async def test_another_number_is_refused_in_words(
    bridge: Bridge, http: aiohttp.ClientSession, number: str
) -> None:
    """A typing error must not pass for the usual length."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    params = {"names": number}
    async with http.get(f"{bridge.base_url}/openapi.json", params=params, headers=headers) as response:
        error = (await response.json())["error"]
        assert (response.status, error["code"]) == (400, "invalid_request")
        assert "from 32 to 64" in error["message"]
    body, told = modern_request("tools/list")
    async with http.post(
        f"{bridge.base_url}/mcp", params=params, json=body, headers=headers | told
    ) as response:
        assert response.status == 400
        assert "from 32 to 64" in (await response.json())["error"]["message"]


async def test_a_call_by_a_name_that_only_looks_shortened_is_refused(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """A name that is nearly right means no tool."""
    async with long_names(tmp_path) as (bridge, called):
        name = (await listed(bridge, http, "modern", "claude-code"))[1]
        for wrong in (name[1:], f"{name}x", name.upper()):
            _, answer = await post_message(bridge, http, *modern_request("tools/call", {"name": wrong}))
            assert answer["error"]["code"] == -32602
        assert called == []


async def test_a_change_is_told_to_who_reads_short_names(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    """`list_changed` is about the list that its client reads."""
    async with long_names(tmp_path) as (bridge, _):
        body, headers = modern_request(
            "subscriptions/listen",
            {"notifications": {"toolsListChanged": True}},
            **{CLIENT_INFO_KEY: {"name": "claude-code", "version": "1"}},
        )
        headers["Authorization"] = f"Bearer {bridge.key}"
        async with http.post(f"{bridge.base_url}/mcp", json=body, headers=headers) as response:
            await next_message(response)
            await bridge.components.registry.save_selection(
                bridge.local_user.id, UserSelection(names=("read_*",))
            )
            assert (await next_message(response))["method"] == "notifications/tools/list_changed"


async def test_two_clients_with_one_key_list_each_its_own_names(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Finding W-18: the one that introduced itself last had the names of the other change in mid-chat."""
    async with long_names(tmp_path) as (bridge, _):
        clients = ("claude-code", "Visual Studio Code", "another")
        sessions = [await begin_session(bridge, http, {"name": each, "version": "1"}) for each in clients]
        lists = [await listed_in_session(bridge, http, each) for each in sessions]
        for client, names in zip(clients[:2], lists, strict=False):
            assert names == await listed(bridge, http, "modern", client)
        assert lists[0] != lists[1]
        assert lists[2] == GIVEN


async def test_a_restarted_bridge_knows_each_short_name(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    """Finding W-18: nothing of it is stored, and a session that goes on lists what it listed before."""
    async with long_names(tmp_path) as (bridge, _):
        session = await begin_session(bridge, http, {"name": "claude-code", "version": "1"})
        names = await listed_in_session(bridge, http, session)
        assert max(map(len, names)) == CLIENT_ROOMS["claude-code"]
        key = bridge.key
    async with long_names(tmp_path) as (bridge, called):
        assert await listed_in_session(bridge, http, session, key=key) == names
        for name in names:
            message = legacy_request("tools/call", {"name": name})
            _, answer = await post_message(bridge, http, *message, key=key)
            assert json.loads(answer["result"]["content"][0]["text"]) == {"ok": True}
        assert called == GIVEN
