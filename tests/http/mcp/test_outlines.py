"""Outlines and queries at `/mcp`: for a key of its own what is cut there anyway, for a forwarder early."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.http.mcp.test_readers import call, long_answers, result_of, told_in
from tests.support.forwarded_users import SECRET, sign_token
from tests.support.mcp_messages import REQUESTS
from tests.support.running_bridge import json_answer, page_of

pytestmark = pytest.mark.asyncio

ERAS = pytest.mark.parametrize("era", REQUESTS)


def rows(count: int) -> dict[str, Any]:
    return json_answer({"rows": [{"n": number, "text": "x" * 80} for number in range(count)]})


@ERAS
async def test_a_client_with_an_own_key_reads_whole_what_it_takes_and_outlines_of_the_rest(
    tmp_path: Path, http: aiohttp.ClientSession, era: str
) -> None:
    """Ruling 55: 40 KB fit into Claude Code; of 100 KB it read the beginning, and reads the shape now."""
    async with long_answers(tmp_path, rows(400)) as bridge:
        assert len(told_in(await result_of(bridge, http, call(era)))["rows"]) == 400
    async with long_answers(tmp_path, rows(1000)) as bridge:
        told = told_in(await result_of(bridge, http, call(era)))
        assert told["outline"]["shape"] == "{rows: [1,000 of {n: integer, text: string}]}"
        read = call(era, "read_result", call_id=told["call_id"], select="rows[-1].n")
        assert told_in(await result_of(bridge, http, read)) == {"selected": 999}


@ERAS
async def test_a_call_carries_its_query_through_mcp(
    tmp_path: Path, http: aiohttp.ClientSession, era: str
) -> None:
    """Ruling 57: at every door."""
    async with long_answers(tmp_path, rows(1000)) as bridge:
        told = told_in(await result_of(bridge, http, call(era, result_select="rows[7].n")))
        assert told["selected"] == 7
        assert told["file"]["bytes"] > 90_000


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
    async with long_answers(tmp_path, rows(400), user_jwt_secret=SECRET) as bridge:
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
