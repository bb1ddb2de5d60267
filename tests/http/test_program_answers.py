"""Answers to programs are written in one piece, and are what aiohttp would write."""

import json
from collections.abc import Mapping

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.settings.network import origin_of
from tests.support.mcp_messages import modern_request

pytestmark = pytest.mark.asyncio

_BODY, _HEADERS = modern_request("tools/list")
REQUESTS: list[tuple[str, Mapping[str, object], Mapping[str, str]]] = [
    ("/tools/find_operations", {"query": "nothing of the kind"}, {}),
    ("/mcp", _BODY, _HEADERS),
]


async def answer_of(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    path: str,
    body: Mapping[str, object],
    headers: Mapping[str, str],
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Status, headers in their order without the date, and body."""
    sent = {"Authorization": f"Bearer {bridge.key}", **headers}
    async with http.post(bridge.base_url + path, data=json.dumps(body), headers=sent) as response:
        assert b"Date" in dict(response.raw_headers)
        found = [
            (name, value) for name, value in response.raw_headers if name not in (b"Date", b"Connection")
        ]
        return response.status, found, await response.read()


@pytest.mark.parametrize(("path", "body", "headers"), REQUESTS, ids=["tools", "mcp"])
async def test_an_answer_to_a_program_is_that_of_aiohttp_byte_for_byte(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    path: str,
    body: Mapping[str, object],
    headers: Mapping[str, str],
) -> None:
    """A connection that ends with its answer has it from aiohttp, and from the application's signals."""
    plain = await answer_of(bridge, http, path, body, headers)
    assert plain == await answer_of(bridge, http, path, body, {**headers, "Connection": "close"})
    assert plain[0] == 200
    assert (b"Vary", b"Origin") in plain[1]
    names = [name.lower() for name, _ in plain[1]]
    assert sorted(set(names)) == sorted(names)
    assert {b"x-content-type-options", b"content-security-policy", b"cache-control"} <= set(names)


@pytest.mark.parametrize(("path", "body", "headers"), REQUESTS, ids=["tools", "mcp"])
async def test_pages_get_the_headers_that_let_them_read_it(
    bridge: Bridge,
    http: aiohttp.ClientSession,
    path: str,
    body: Mapping[str, object],
    headers: Mapping[str, str],
) -> None:
    """What is written in one piece has none of them."""
    own = {**headers, "Origin": origin_of(bridge.base_url)}
    _, found, _ = await answer_of(bridge, http, path, body, own)
    named = {name.decode().lower(): value.decode() for name, value in found}
    assert named["access-control-allow-origin"] == own["Origin"]
    assert named["x-content-type-options"] == "nosniff"
