"""Outlines and queries at `/mcp`: for a key of its own what is cut there anyway, for a forwarder early."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text
from tests.support.forwarded_users import SECRET, sign_token
from tests.support.mcp_messages import REQUESTS, post_message
from tests.support.running_bridge import json_answer, page_of, running_bridge

pytestmark = pytest.mark.asyncio

ERAS = pytest.mark.parametrize("era", REQUESTS)


@asynccontextmanager
async def answering(folder: Path, outcome: dict[str, Any], **settings: Any) -> AsyncGenerator[Bridge]:
    """A bridge whose page gives each call this outcome."""
    async with running_bridge(folder, **settings) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)

        async def answer(_call: object) -> dict[str, Any]:
            return outcome

        async with page_of(bridge, bridge.local_user.id, answer):
            yield bridge


async def told(
    bridge: Bridge, http: aiohttp.ClientSession, era: str, name: str = "listProducts", **arguments: Any
) -> dict[str, Any]:
    """What a model reads of a call."""
    message = REQUESTS[era]("tools/call", {"name": name, "arguments": arguments})
    _, answer = await post_message(bridge, http, *message)
    [block] = answer["result"]["content"]
    read: dict[str, Any] = json.loads(block["text"])
    return read


def rows(count: int) -> dict[str, Any]:
    return json_answer({"rows": [{"n": number, "text": "x" * 80} for number in range(count)]})


@ERAS
async def test_a_client_with_an_own_key_reads_whole_what_it_takes_and_outlines_of_the_rest(
    tmp_path: Path, http: aiohttp.ClientSession, era: str
) -> None:
    """Ruling 55: 40 KB fit into Claude Code; of 100 KB it read the beginning, and reads the shape now."""
    async with answering(tmp_path, rows(400)) as bridge:
        assert len((await told(bridge, http, era))["rows"]) == 400
    async with answering(tmp_path, rows(1000)) as bridge:
        outline = await told(bridge, http, era)
        assert outline["outline"]["shape"] == "{rows: [1,000 of {n: integer, text: string}]}"
        query = {"call_id": outline["call_id"], "select": "rows[-1].n"}
        assert await told(bridge, http, era, "read_result", **query) == {"selected": 999}


@ERAS
async def test_a_call_carries_its_query_through_mcp(
    tmp_path: Path, http: aiohttp.ClientSession, era: str
) -> None:
    """Ruling 57: at every door."""
    async with answering(tmp_path, rows(1000)) as bridge:
        answer = await told(bridge, http, era, result_select="rows[7].n")
        assert answer["selected"] == 7
        assert answer["file"]["bytes"] > 90_000


async def asked(bridge: Bridge, http: aiohttp.ClientSession, key: str, **headers: str) -> dict[str, Any]:
    auth = {"Authorization": f"Bearer {key}"}
    url = f"{bridge.base_url}/tools/listProducts"
    async with http.post(url, json={}, headers=auth | headers) as response:
        answer: dict[str, Any] = await response.json()
        return answer


async def test_callers_behind_a_forwarder_read_outlines_early_unless_it_says_no(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Ruling 55: Open WebUI puts all that a tool answers into a chat, for ever."""
    async with answering(tmp_path, rows(400), user_jwt_secret=SECRET) as bridge:
        _, key = await bridge.components.users.add_key(bridge.local_user.id, "Open WebUI", forwarder=True)
        ada = {"X-OpenWebUI-User-Jwt": sign_token(sub="a", name="Ada")}
        assert "error" in await asked(bridge, http, key, **ada)
        known = {user.name: user.id for user in await bridge.components.users.list_users()}

        async def answer(_call: object) -> dict[str, Any]:
            return rows(400)

        async with page_of(bridge, known["open-webui:a"], answer):
            assert "outline" in await asked(bridge, http, key, **ada)
            whole = await asked(bridge, http, key, **ada, **{"X-Tool-Outline": "false"})
            assert len(whole["rows"]) == 400
