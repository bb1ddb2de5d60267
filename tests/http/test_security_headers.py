"""Every answer says what it is not: a page, or something to keep."""

import re

import aiohttp
import pytest

from bridge.app.server import Bridge

pytestmark = pytest.mark.asyncio

SENSITIVE = ["/api/servers", "/api/calls", "/api/me", "/api/audit", "/system", "/v1/models", "/conversations"]
OTHERS = [
    "/openapi.json",
    "/healthz",
    "/api/openapi.json",
    "/nowhere",
    "/tools/none",
    "/files/none",
    "/v1/responses/none",
]
FRAMES = ["/probe?origin=https://api.example"]
PAGES = ["/", "/probe", "/oauth/callback", *FRAMES]
NOBODY, FRAMED_BY_US = "'none'", "'self'"
JSON = "application/json"
MOMENTS = {"date", "content-length", "x-request-id"}
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0 Safari/537.36"


async def headers_of(
    bridge: Bridge, http: aiohttp.ClientSession, path: str, *, agent: str = BROWSER
) -> dict[str, str]:
    sent = {"Authorization": f"Bearer {bridge.key}", "User-Agent": agent}
    async with http.get(bridge.base_url + path, headers=sent) as response:
        await response.read()
        return {name.lower(): value for name, value in response.headers.items()}


@pytest.mark.parametrize("path", [*SENSITIVE, *OTHERS, *PAGES, "app.js"])
async def test_no_answer_is_sniffed_or_framed_by_others(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """JSON with markup in it, opened in a tab, must stay JSON; errors hold what callers sent."""
    address = path if path.startswith("/") else await address_of_file(bridge, http, path)
    headers = await headers_of(bridge, http, address)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    rules = headers["content-security-policy"].split("; ")
    assert f"frame-ancestors {FRAMED_BY_US if path in FRAMES else NOBODY}" in rules


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *((path, JSON) for path in [*SENSITIVE, *OTHERS, "/mcp"]),
        *((path, "text/html") for path in PAGES if path != "/probe"),
        ("app.js", "text/javascript"),
        ("style.css", "text/css"),
        ("/metrics", "text/plain; version=0.0.4"),
    ],
)
async def test_every_answer_says_its_type_and_texts_their_charset(
    bridge: Bridge, http: aiohttp.ClientSession, path: str, expected: str
) -> None:
    """A browser that has to guess the characters of a text can be made to see others; JSON is UTF-8."""
    address = path if path.startswith("/") else await address_of_file(bridge, http, path)
    said = (await headers_of(bridge, http, address))["content-type"]
    assert said in ({JSON, f"{JSON}; charset=utf-8"} if expected == JSON else {f"{expected}; charset=utf-8"})


async def address_of_file(bridge: Bridge, http: aiohttp.ClientSession, name: str) -> str:
    """Where the page finds one of its files now."""
    async with http.get(bridge.base_url + "/") as response:
        (folder,) = set(re.findall(r"/static/[0-9a-f]+/", await response.text()))
    return f"{folder}{name}"


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


@pytest.mark.parametrize("path", ["/system", "/openapi.json", "/v1/models", "/nowhere"])
async def test_what_a_client_calls_itself_changes_no_header(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """Finding house-H18: a kiosk or a privacy extension renames a browser, which still sniffs and frames."""
    program = await headers_of(bridge, http, path, agent="python-httpx/1.0")
    browser = await headers_of(bridge, http, path)
    assert without_moments(program) == without_moments(browser)
    assert program["x-content-type-options"] == "nosniff"


def without_moments(headers: dict[str, str]) -> dict[str, str]:
    """Leave out what differs between any two answers of a path."""
    return {name: value for name, value in headers.items() if name not in MOMENTS}


async def test_no_route_sends_a_request_back(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """TRACE would show a script the headers that it may not read."""
    key = {"Authorization": f"Bearer {bridge.key}"}
    for path in ("/", "/api/me", "/tools/x", "/v1/models", "/mcp"):
        async with http.request("TRACE", bridge.base_url + path, headers=key) as response:
            assert response.status in (404, 405)
            assert bridge.key not in await response.text()
