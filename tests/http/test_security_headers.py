"""Every answer to a browser says what it is not: a page, or something to keep."""

import aiohttp
import pytest

from bridge.app.server import Bridge

pytestmark = pytest.mark.asyncio

SENSITIVE = ["/api/servers", "/api/calls", "/api/me", "/api/audit", "/system", "/v1/models"]
OTHERS = [
    "/openapi.json",
    "/healthz",
    "/api/openapi.json",
    "/nowhere",
    "/tools/none",
    "/files/none",
    "/v1/responses/none",
]
PAGES = ["/", "/probe"]
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0 Safari/537.36"


async def headers_of(
    bridge: Bridge, http: aiohttp.ClientSession, path: str, *, agent: str = BROWSER
) -> dict[str, str]:
    sent = {"Authorization": f"Bearer {bridge.key}", "User-Agent": agent}
    async with http.get(bridge.base_url + path, headers=sent) as response:
        await response.read()
        return {name.lower(): value for name, value in response.headers.items()}


@pytest.mark.parametrize("path", [*SENSITIVE, *OTHERS, *PAGES])
async def test_no_answer_is_sniffed_or_framed_by_others(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """JSON with markup in it, opened in a tab, must stay JSON; errors hold what callers sent."""
    headers = await headers_of(bridge, http, path)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors" in headers["content-security-policy"]


@pytest.mark.parametrize("path", SENSITIVE)
async def test_what_is_somebodys_is_kept_by_nobody_on_the_way(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """A shared proxy or the browser's disk would have it after the session."""
    assert "no-store" in (await headers_of(bridge, http, path))["cache-control"]


async def test_the_page_keeps_its_own_rules(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """They are narrower where it can be, and let its scripts run."""
    headers = await headers_of(bridge, http, "/")
    assert "script-src" in headers["content-security-policy"]
    assert headers["cache-control"] == "private, no-cache"


async def test_programs_get_short_answers(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """They frame nothing, and a call's answer is a few hundred bytes."""
    headers = await headers_of(bridge, http, "/system", agent="python-httpx/1.0")
    assert "content-security-policy" not in headers


async def test_no_route_sends_a_request_back(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """TRACE would show a script the headers that it may not read."""
    key = {"Authorization": f"Bearer {bridge.key}"}
    for path in ("/", "/api/me", "/tools/x", "/v1/models", "/mcp"):
        async with http.request("TRACE", bridge.base_url + path, headers=key) as response:
            assert response.status in (404, 405)
            assert bridge.key not in await response.text()
