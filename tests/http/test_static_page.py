"""The page's documents and files, as a running bridge serves them."""

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.running_bridge import pair_browser

pytestmark = pytest.mark.asyncio

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "media-src": "'self'",
    "manifest-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "frame-src": "'none'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "tool-bridge-executor",
}
"""What documents may do at most: nothing inline, nothing from elsewhere, no text that becomes script."""

EXECUTOR = "executor"


@pytest.mark.parametrize(
    ("path", "wider"),
    [
        ("/", {"connect-src": "'self' {socket}", "frame-src": "'self'"}),
        (
            "/probe?origin=https://api.example",
            {"connect-src": "'self' https://api.example", "frame-ancestors": "'self'"},
        ),
        (EXECUTOR, {"connect-src": "'self' {socket}"}),
    ],
    ids=["page", "probe", "executor"],
)
async def test_what_the_browser_runs_may_do_no_more_than_it_needs(
    bridge: Bridge, http: aiohttp.ClientSession, path: str, wider: dict[str, str]
) -> None:
    """Whatever gets into the page from a document or an answer stays text, and reaches nobody else."""
    if path == EXECUTOR:
        page = await pair_browser(bridge.base_url, http, (await bridge.page_url()).partition("#ticket=")[2])
        await page.open_session()
        path = (await page.post("/api/executor", {}))["script_url"]
    async with http.get(bridge.base_url + path) as answer:
        assert answer.status == 200
        rules = answer.headers["Content-Security-Policy"].split("; ")
    socket = bridge.base_url.replace("http", "ws", 1)
    expected = {**POLICY, **{name: value.format(socket=socket) for name, value in wider.items()}}
    assert dict(rule.split(" ", 1) for rule in rules) == expected


async def test_a_file_of_another_version_is_gone(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """A page put together from two versions would not run; its own reloads it when it learns of this."""
    async with http.get(bridge.base_url + "/") as answer:
        digest = (await answer.text()).partition("/static/")[2].partition("/")[0]
    found: list[int] = []
    for version in (digest, "0123456789abcdef"):
        for method in ("GET", "HEAD"):
            async with http.request(method, f"{bridge.base_url}/static/{version}/app.js") as answer:
                found.append(answer.status)
    assert found == [200, 200, 404, 404]
