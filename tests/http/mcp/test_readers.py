"""Answers at `/mcp` are as long as the client that asks lets its model read."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.endpoints.mcp.content import STRUCTURED_BYTES
from bridge.endpoints.mcp.readers import CLIENT_BYTES, USUAL_BYTES
from tests.support.documents.compiled import document_text
from tests.support.mcp_messages import REQUESTS, begin_session, modern_request, post_message
from tests.support.running_bridge import json_answer, page_of, running_bridge

pytestmark = pytest.mark.asyncio

ERAS = pytest.mark.parametrize("era", REQUESTS)
ROWS = [{"id": number, "name": f'Käthe "the {number}th" 🐻'} for number in range(4000)]
WHOLE = f"Rows: {json.dumps(ROWS, ensure_ascii=False)}"
"""As a text it has marks that JSON escapes once more, and characters of one to four bytes."""

TEXT = {**json_answer(None), "content_type": "text/plain", "body": {"kind": "text", "text": WHOLE}}
CODEX = {"name": "codex-mcp-client", "title": "Codex", "version": "0.171.0"}
INFO_KEY = "io.modelcontextprotocol/clientInfo"


@asynccontextmanager
async def long_answers(
    folder: Path, outcome: dict[str, Any] = TEXT, **settings: Any
) -> AsyncGenerator[Bridge]:
    async with running_bridge(folder, **settings) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)

        async def answer(_call: dict[str, Any]) -> dict[str, Any]:
            return outcome

        async with page_of(bridge, bridge.local_user.id, answer):
            yield bridge


async def result_of(
    bridge: Bridge, http: aiohttp.ClientSession, message: tuple[dict[str, Any], dict[str, str]]
) -> dict[str, Any]:
    status, answer = await post_message(bridge, http, *message)
    assert status == 200
    return answer["result"]


def told_in(result: dict[str, Any]) -> dict[str, Any]:
    """What a model reads, which is there once if it is long, and within the 25,000 tokens of Claude Code."""
    [block] = result["content"]
    assert len(block["text"]) <= STRUCTURED_BYTES or "structuredContent" not in result
    assert len(block["text"]) < 25_000 * 3
    return json.loads(block["text"])


def call(era: str = "modern", name: str = "listProducts", **arguments: Any) -> Any:
    return REQUESTS[era]("tools/call", {"name": name, "arguments": arguments})


@ERAS
async def test_a_long_answer_is_one_that_its_client_takes_and_is_read_on_to_its_end(
    tmp_path: Path, http: aiohttp.ClientSession, era: str
) -> None:
    """Finding W-41: 226 KB were sent, twice; Claude Code put that aside, and its model saw nothing of it."""
    async with long_answers(tmp_path) as bridge:
        result = await result_of(bridge, http, call(era))
        told = told_in(result)
        text, offset = told["text"], told["next_offset"]
        while offset is not None:
            result = await result_of(
                bridge, http, call(era, "read_result", call_id=told["call_id"], offset=offset)
            )
            part = told_in(result)
            assert len(part["text"].encode()) <= USUAL_BYTES
            text, offset = text + part["text"], part.get("next_offset")
    assert text == WHOLE


@pytest.mark.parametrize(("rows", "is_twice"), [(100, True), (700, False)])
async def test_a_result_is_told_twice_only_where_it_is_short(
    tmp_path: Path, http: aiohttp.ClientSession, rows: int, is_twice: bool
) -> None:
    """Finding W-41: `structuredContent` made 472 KB of 226."""
    async with long_answers(tmp_path, json_answer({"rows": ROWS[:rows]})) as bridge:
        result = await result_of(bridge, http, call())
        [block] = result["content"]
        assert (len(block["text"].encode()) <= STRUCTURED_BYTES) is is_twice
        assert ("structuredContent" in result) is is_twice
        assert json.loads(block["text"]) == {"rows": ROWS[:rows]}


async def test_a_client_that_takes_less_gets_less(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    """Finding W-41: Codex cuts the middle out of what is longer. Modern clients name themselves each time."""
    most = CLIENT_BYTES[CODEX["name"]]
    async with long_answers(tmp_path) as bridge:

        async def size(era: str, session: dict[str, str] | None = None, **meta: Any) -> int:
            body, headers = REQUESTS[era]("tools/call", {"name": "listProducts"}, **meta)
            result = await result_of(bridge, http, (body, headers | (session or {})))
            return len(told_in(result)["text"].encode())

        assert most - 4 < await size("modern", **{INFO_KEY: CODEX}) <= most
        assert USUAL_BYTES - 4 < await size("modern") <= USUAL_BYTES
        for name, limit in ((f"{CODEX['name']} (via mcp-remote 0.1)", most), ("another", USUAL_BYTES)):
            session = await begin_session(bridge, http, {**CODEX, "name": name})
            assert limit - 4 < await size("legacy", session) <= limit


@pytest.mark.parametrize(("chosen", "most"), [(2000, 2000), (0, 256 * 1024)])
async def test_the_operators_number_is_that_of_every_client(
    tmp_path: Path, http: aiohttp.ClientSession, chosen: int, most: int
) -> None:
    """Finding W-41: whoever told a client to take more can have that; 0 is as everywhere."""
    async with long_answers(tmp_path, max_mcp_answer_bytes=chosen) as bridge:
        result = await result_of(bridge, http, modern_request("tools/call", {"name": "listProducts"}))
        [block] = result["content"]
        read = json.loads(block["text"])["text"]
        assert (len(read.encode()) <= most, read == WHOLE) == (True, chosen == 0)
        headers = {"Authorization": f"Bearer {bridge.key}"}
        async with http.post(f"{bridge.base_url}/tools/listProducts", json={}, headers=headers) as response:
            assert "next_offset" not in await response.json(), "other endpoints have a limit of their own"


@pytest.mark.parametrize("info", [None, [], {"name": 7}, {"name": "x" * 100_000}])
async def test_a_client_without_a_name_is_one_like_most(
    tmp_path: Path, http: aiohttp.ClientSession, info: object
) -> None:
    """What a client says of itself is foreign text."""
    async with long_answers(tmp_path) as bridge:
        assert await begin_session(bridge, http, info) == {}
        read = told_in(await result_of(bridge, http, call("legacy")))["text"]
        assert USUAL_BYTES - 4 < len(read.encode()) <= USUAL_BYTES
