"""What is refused before any handler: foreign hosts, foreign origins, and what CORS lets through."""

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from bridge.app.server import Bridge
from bridge.auth.attempts import Attempts
from bridge.auth.rejected_requests import RejectedRequests
from bridge.http.middleware import AllowedOrigins, build_guard
from bridge.http.routing import error_answer
from bridge.settings.network import origin_of
from tests.support.calls.memory_approvals import FakeAudit
from tests.support.running_bridge import running_bridge
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio

OPEN_WEBUI = "http://localhost:3000"
UNAUTHENTICATED = "https://evil.example"


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    async with running_bridge(
        tmp_path, allowed_origins=(OPEN_WEBUI,), allowed_hosts=("host.docker.internal", "Box.lan:1")
    ) as running:
        yield running


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/openapi.json", "/api/me", "/ws/socket.io/", "/static/app.js"]
)
async def test_a_foreign_host_is_refused_on_every_route(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """DNS rebinding: a page of evil.example that resolves to 127.0.0.1 must not reach anything."""
    async with http.get(bridge.base_url + path, headers={"Host": "evil.example"}) as response:
        assert response.status == 421
        assert (await response.json())["error"]["code"] == "foreign_host"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("LOCALHOST:{port}", 200),
        ("[::1]:{port}", 200),
        ("host.docker.internal:{port}", 200),
        ("host.docker.internal", 200),
        ("box.lan:1", 200),
        ("box.lan:2", 421),
        ("127.0.0.1:1", 421),
        ("127.0.0.1.evil.example:{port}", 421),
    ],
)
async def test_hosts_are_answered_as_configured(
    bridge: Bridge, http: aiohttp.ClientSession, host: str, status: int
) -> None:
    """A name without port stands for every port; case does not matter."""
    port = urlsplit(bridge.base_url).port
    headers = {"Host": host.format(port=port)}
    async with http.get(bridge.base_url + "/healthz", headers=headers) as response:
        assert response.status == status


@pytest.mark.parametrize("path", ["/api/me", "/api/servers", "/api/devices", "/healthz"])
@pytest.mark.parametrize("origin", [UNAUTHENTICATED, OPEN_WEBUI, "null"])
async def test_pages_of_other_origins_may_not_use_the_api(
    bridge: Bridge, http: aiohttp.ClientSession, path: str, origin: str
) -> None:
    """Only the bridge's own page talks to `/api`, not even Open WebUI's (ruling 12)."""
    headers = {"Origin": origin, "Authorization": f"Bearer {bridge.key}"}
    async with http.get(bridge.base_url + path, headers=headers) as response:
        assert response.status == 403
        assert (await response.json())["error"]["code"] == "foreign_origin"
        assert "Access-Control-Allow-Origin" not in response.headers


async def test_pages_of_other_origins_may_not_open_the_socket(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A WebSocket is not held back by CORS, so the server must look at the origin."""
    url = bridge.base_url + "/ws/socket.io/?EIO=4&transport=websocket"
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await http.ws_connect(url, headers={"Origin": UNAUTHENTICATED})
    assert refused.value.status == 403
    async with http.ws_connect(url, headers={"Origin": origin_of(bridge.base_url)}) as socket:
        assert (await socket.receive_str()).startswith("0{")


async def test_long_polling_is_not_offered(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Websocket only: no sticky sessions, no request storms."""
    async with http.get(bridge.base_url + "/ws/socket.io/?EIO=4&transport=polling") as response:
        assert response.status == 400


async def test_the_socket_does_not_compress(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Per-message deflate costs 100 KB a page and half the speed (measured)."""
    url = bridge.base_url + "/ws/socket.io/?EIO=4&transport=websocket"
    async with http.ws_connect(url, compress=15) as socket:
        assert socket.compress == 0


@pytest.mark.parametrize(
    "path", ["/openapi.json", "/tools/x", "/servers/s/openapi.json", "/servers/s/tools/x"]
)
async def test_a_configured_origin_passes_the_preflight(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """Open WebUI's page sends content-type, authorization and x-session-id on every call."""
    asked = {
        "Origin": OPEN_WEBUI,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-session-id",
    }
    async with http.options(bridge.base_url + path, headers=asked) as response:
        assert response.status == 204
        assert response.headers["Access-Control-Allow-Origin"] == OPEN_WEBUI
        assert "POST" in response.headers["Access-Control-Allow-Methods"]
        allowed = response.headers["Access-Control-Allow-Headers"]
        assert {"authorization", "content-type", "x-session-id"} <= set(allowed.split(", "))
        assert "Access-Control-Allow-Credentials" not in response.headers


async def test_errors_too_are_readable_for_a_configured_origin(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Without CORS headers on a 401 the user sees "Failed to fetch" instead of "wrong key"."""
    headers = {"Origin": OPEN_WEBUI, "Authorization": "Bearer tbk_wrong"}
    for path in ("/openapi.json", "/servers/none/openapi.json"):
        async with http.get(bridge.base_url + path, headers=headers) as response:
            assert response.status == 401
            assert response.headers["Access-Control-Allow-Origin"] == OPEN_WEBUI
            assert "Origin" in response.headers["Vary"]


async def test_an_origin_that_is_not_configured_gets_no_cors_headers(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The answer of the preflight says how to allow it."""
    async with http.options(
        bridge.base_url + "/openapi.json", headers={"Origin": UNAUTHENTICATED}
    ) as response:
        assert response.status == 403
        assert f"--allow-origin {UNAUTHENTICATED}" in (await response.json())["error"]["message"]
        assert "Access-Control-Allow-Origin" not in response.headers
    headers = {"Origin": UNAUTHENTICATED, "Authorization": f"Bearer {bridge.key}"}
    async with http.get(bridge.base_url + "/openapi.json", headers=headers) as response:
        assert "Access-Control-Allow-Origin" not in response.headers


async def test_an_address_that_ends_with_a_slash_works(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Open WebUI's user dialog asks `//openapi.json` then, with a preflight before it."""
    for path in ("//openapi.json", "//api/config", "//system", "//tools/x"):
        asked = {"Origin": OPEN_WEBUI, "Access-Control-Request-Method": "GET"}
        async with http.options(bridge.base_url + path, headers=asked) as response:
            assert response.status == 204
    headers = {"Authorization": f"Bearer {bridge.key}", "Origin": OPEN_WEBUI}
    async with http.get(bridge.base_url + "//openapi.json", headers=headers) as response:
        assert response.status == 200
        assert response.headers["Access-Control-Allow-Origin"] == OPEN_WEBUI


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("DELETE", "/openapi.json", 405, "method_not_allowed"),
        ("GET", "/static/../pyproject.toml", 404, "not_found"),
        ("GET", "/static/%2e%2e/pyproject.toml", 404, "not_found"),
        ("GET", "/static/%00", 404, "not_found"),
        ("GET", f"/static/{'a' * 300}", 404, "not_found"),
        ("GET", "/files/none", 401, "unauthorized"),
        ("GET", "/probe?origin=https://*", 400, "invalid_request"),
        ("GET", "/probe?origin=https://x;%20frame-ancestors%20*", 400, "invalid_request"),
        ("GET", "/probe?origin=https://a,b", 400, "invalid_request"),
        ("GET", "/executor/none.js", 401, "unauthorized"),
    ],
)
async def test_every_failure_has_the_one_error_shape(
    bridge: Bridge, http: aiohttp.ClientSession, method: str, path: str, status: int, code: str
) -> None:
    """Also what aiohttp itself would answer in plain text."""
    async with http.request(method, bridge.base_url + path) as response:
        assert response.status == status
        assert (await response.json())["error"]["code"] == code


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/healthz", {"Host": "h" * 5000}, 421),
        ("/healthz", {"Host": "h\udcff"}, 421),
        ("/api/me", {"Origin": "http://" + "o" * 5000}, 403),
        ("/" + "p" * 5000, {}, 404),
        ("/tools/" + "t" * 5000, {}, 404),
    ],
)
async def test_long_and_undecodable_texts_have_their_own_status(
    bridge: Bridge, path: str, headers: dict[str, str], status: int
) -> None:
    """Foreign text ends up in our messages; it must not end up as an internal error."""
    port = urlsplit(bridge.base_url).port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    method = "POST" if path.startswith("/tools/") else "GET"
    lines = {"Host": f"127.0.0.1:{port}", "Authorization": f"Bearer {bridge.key}", "Content-Length": "0"}
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in (lines | headers).items())
    writer.write(head.encode("utf-8", "surrogateescape") + b"Connection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b'{"error":' in answer


@pytest.mark.parametrize("path", ["/api/devices", "/api/sessions", "/api/sessions/challenge"])
async def test_a_large_body_is_not_read_without_need(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """Routes that need no key must not take megabytes into memory."""
    async with http.post(bridge.base_url + path, data=io.BytesIO(b"[" + b"1," * 100_000)) as response:
        assert response.status == 413
        assert (await response.json())["error"]["code"] == "too_large"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/keys"),
        ("DELETE", "/api/keys/x"),
        ("POST", "/api/servers"),
        ("PATCH", "/api/servers/x"),
        ("DELETE", "/api/servers/x"),
        ("PUT", "/api/servers/x/document"),
        ("PUT", "/api/servers/x/acceptance"),
        ("POST", "/api/tickets"),
    ],
)
async def test_an_api_key_may_not_decide(
    bridge: Bridge, http: aiohttp.ClientSession, method: str, path: str
) -> None:
    """The key lies in Open WebUI's settings; whoever has it may call tools, and no more."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.request(method, bridge.base_url + path, json={}, headers=headers) as response:
        assert response.status == 403
        assert (await response.json())["error"]["code"] == "page_only"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Origin": "null"}, 403),
    ],
)
async def test_a_fetch_of_another_site_is_refused_even_without_an_origin(
    bridge: Bridge, http: aiohttp.ClientSession, headers: dict[str, str], status: int
) -> None:
    """A browser sends no Origin with a plain GET; following a link to the page must stay possible.

    With a form that is posted it sends one, `null` if the page wants that.
    """
    async with http.get(bridge.base_url + "/healthz", headers=headers) as response:
        assert response.status == status


async def test_an_unexpected_error_is_logged_and_its_caller_learns_nothing_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Queries, paths and values of the inside stand in such errors; whoever runs the bridge needs them."""

    async def fail(_request: web.Request) -> web.StreamResponse:
        raise RuntimeError("SELECT key FROM canaries")

    origins = AllowedOrigins(frozenset({"127.0.0.1"}), frozenset(), frozenset())
    attempts = Attempts().limit_attempts("any", per_key=1, window_s=60)
    rejected = RejectedRequests(FakeAudit())
    guard = build_guard(
        origins, rejected, attempts, lambda _, error: error_answer(error), socket_path="/socket/"
    )
    app = web.Application(middlewares=[guard])
    app.router.add_get("/things/{name}", fail)
    async with (
        serving(app) as base_url,
        aiohttp.ClientSession() as http,
        http.get(f"{base_url}/things/secret") as answer,
    ):
        told = (await answer.json())["error"]
    assert (answer.status, told["code"], told["detail"]) == (500, "internal", {})
    assert "canaries" not in str(told)
    (record,) = [each for each in caplog.records if each.name == "bridge.http.middleware"]
    assert record.getMessage() == "GET /things/{name} failed."
    assert record.exc_info is not None
