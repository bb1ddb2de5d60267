"""Calls of MCP clients that take long: what keeps their lines open, in each form that a client may read."""

import asyncio
from typing import Any

import aiohttp
import orjson
import pytest
from aiohttp import web

from bridge.app.server import Bridge
from bridge.endpoints.mcp import answer
from bridge.timings import USUAL_TIMINGS
from tests.support.mcp_messages import REQUESTS, modern_request, next_message, post_message
from tests.support.running_bridge import json_answer, page_of

pytestmark = pytest.mark.asyncio

CALL = {"name": "listProducts"}


async def never(_call: dict[str, Any]) -> None:
    return None


async def at_once(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"done": True})


@pytest.mark.parametrize("era", REQUESTS)
@pytest.mark.timings(told_after_s=0.05, keep_alive_s=0.05)
async def test_progress_is_told_again_although_nothing_has_changed(
    bridge: Bridge, http: aiohttp.ClientSession, era: str
) -> None:
    """Every 15 s: Claude Code ends a call that is silent for 300 s, and comments do not count there."""
    assert USUAL_TIMINGS.keep_alive_s == 15.0
    async with page_of(bridge, bridge.local_user.id, never):
        body, headers = REQUESTS[era]("tools/call", CALL, progressToken="p")
        headers["Authorization"] = f"Bearer {bridge.key}"
        told: list[Any] = []
        async with (
            asyncio.timeout(20),
            http.post(f"{bridge.base_url}/mcp", json=body, headers=headers) as response,
        ):
            while [each["message"] for each in told[-3:]] != ["Running in the bridge page."] * 3:
                told.append((await next_message(response))["params"])
    assert [each["progress"] for each in told] == sorted({each["progress"] for each in told})


@pytest.mark.timings(keep_alive_s=0.05)
async def test_the_line_of_a_client_without_a_token_is_kept_by_comments(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A proxy cuts a silent line, and a notification without a token would be against the protocol."""
    async with page_of(bridge, bridge.local_user.id, never):
        body, headers = modern_request("tools/call", CALL)
        headers["Authorization"] = f"Bearer {bridge.key}"
        async with (
            asyncio.timeout(20),
            http.post(f"{bridge.base_url}/mcp", json=body, headers=headers) as response,
        ):
            lines = [await response.content.readline() for _ in range(4)]
    assert lines == [b": waiting\n", b"\n"] * 2


@pytest.mark.timings(silence_s=0.05, space_s=0.05)
async def test_the_line_of_a_client_that_reads_no_streams_is_kept_by_white_space(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """What it gets is one JSON text all the same."""
    may_answer = asyncio.Event()

    async def answer_late(_call: dict[str, Any]) -> dict[str, Any]:
        await may_answer.wait()
        return json_answer({"done": True})

    async with page_of(bridge, bridge.local_user.id, answer_late):
        body, headers = modern_request("tools/call", CALL)
        headers |= {"Authorization": f"Bearer {bridge.key}", "Accept": "application/json"}
        async with (
            asyncio.timeout(20),
            http.post(f"{bridge.base_url}/mcp", json=body, headers=headers) as response,
        ):
            spaces = await response.content.readexactly(2)
            may_answer.set()
            text = await response.read()
    assert (response.content_type, spaces) == ("application/json", b"  ")
    assert orjson.loads(text)["result"]["structuredContent"] == {"done": True}


async def test_a_client_that_hangs_up_amid_its_answer_is_no_failure_of_the_bridge(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It happens every day, and a report of it would hide those that mean something."""

    async def break_off(request: web.Request, _answer: object) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        raise ConnectionResetError

    monkeypatch.setattr(answer, "write_whole", break_off)
    async with page_of(bridge, bridge.local_user.id, at_once):
        with pytest.raises(aiohttp.ClientConnectionError):
            await post_message(bridge, http, *modern_request("tools/call", CALL))
    assert "POST /mcp failed." not in caplog.messages
