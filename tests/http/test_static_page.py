"""The page's documents and files, as a running bridge serves them."""

from urllib.parse import urljoin, urlsplit

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.settings.network import origin_of
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

EXECUTOR, DOCUMENT_WORKER = "executor", "document worker"


@pytest.mark.parametrize(
    ("path", "wider"),
    [
        ("/", {"connect-src": "'self' {socket}", "frame-src": "'self'"}),
        (
            "/probe?origin=https://api.example",
            {"connect-src": "'self' https://api.example", "frame-ancestors": "'self'"},
        ),
        (EXECUTOR, {"connect-src": "'self' {socket} https://login.example"}),
        (DOCUMENT_WORKER, {"connect-src": "'none'"}),
        ("/oauth/callback?code=c0de&state=s", {"connect-src": "'none'"}),
    ],
    ids=["page", "probe", "executor", "document worker", "callback"],
)
async def test_what_the_browser_runs_may_do_no_more_than_it_needs(
    bridge: Bridge, http: aiohttp.ClientSession, path: str, wider: dict[str, str]
) -> None:
    """Whatever gets into the page from a document or an answer stays text, and reaches nobody else."""
    if path == EXECUTOR:
        page = await pair_browser(bridge.base_url, http, (await bridge.page_url()).partition("#ticket=")[2])
        await page.open_session()
        path = (await page.post("/api/executor", {"login_origins": ["https://login.example"]}))["script_url"]
    if path == DOCUMENT_WORKER:
        async with http.get(f"{bridge.base_url}/") as document:
            digest = (await document.text()).partition("/static/")[2].partition("/")[0]
        path = f"/document-worker/{digest}.js"
    async with http.get(urljoin(bridge.base_url, path)) as answer:
        assert answer.status == 200
        rules = answer.headers["Content-Security-Policy"].split("; ")
    socket = origin_of(bridge.base_url).replace("http", "ws", 1)
    expected = {**POLICY, **{name: value.format(socket=socket) for name, value in wider.items()}}
    assert dict(rule.split(" ", 1) for rule in rules) == expected


@pytest.mark.parametrize(
    "origin", ["https://a; script-src *", "https://*", "login.example", "https://a/path"]
)
async def test_a_login_origin_cannot_widen_the_workers_policy(
    bridge: Bridge, http: aiohttp.ClientSession, origin: str
) -> None:
    """It stands in a header: whatever is no plain origin is refused, with the name of the field."""
    page = await pair_browser(bridge.base_url, http, (await bridge.page_url()).partition("#ticket=")[2])
    await page.open_session()
    headers = {"Authorization": f"Bearer {page.token}"}
    asked = {"login_origins": ["https://login.example", origin]}
    async with http.post(f"{bridge.base_url}/api/executor", json=asked, headers=headers) as answer:
        error = (await answer.json())["error"]
        assert (answer.status, error["code"]) == (400, "invalid_request")
        assert "login_origins" in error["message"]


async def test_the_page_describes_itself_to_authorization_servers(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Client ID Metadata Document: the id is the document's own address; answers come to one address."""
    async with http.get(f"{bridge.base_url}/oauth/client.json") as answer:
        assert answer.content_type == "application/json"
        assert await answer.json() == {
            "client_id": f"{bridge.base_url}/oauth/client.json",
            "client_name": "Tool Bridge",
            "client_uri": f"{bridge.base_url}/",
            "redirect_uris": [f"{bridge.base_url}/oauth/callback"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "native",
        }


async def test_the_callback_page_is_the_same_whatever_it_is_asked(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The answer of a login is for the page's script alone; a bridge that read it could log or show it."""
    texts: list[str] = []
    for query in ("", "?code=c0de&state=<script>", "?error=x"):
        async with http.get(f"{bridge.base_url}/oauth/callback{query}") as answer:
            texts.append(await answer.text())
            assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert len(set(texts)) == 1


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


@pytest.mark.parametrize("path", ["/", "/?next=https://evil.example", "/?to=//evil.example"])
async def test_the_page_sends_nobody_on_but_to_its_own_address(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """ASVS 3.7.2: what is stored belongs to one address; what a link says decides nothing."""
    port = urlsplit(bridge.base_url).port
    for host, status in ((f"localhost:{port}", 307), ("evil.example", 421)):
        url, headers = bridge.base_url + path, {"Host": host, "X-Forwarded-Host": "evil.example"}
        async with http.get(url, headers=headers, allow_redirects=False) as answer:
            assert answer.status == status
            assert answer.headers.get("Location") in (None, bridge.base_url + "/")
