"""Access control: what the table of routes declares holds for every address, whatever its handler does."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import aiohttp
import pytest
from aiohttp import web

from bridge.app.http_application import ROUTES
from bridge.app.server import Bridge
from bridge.auth.identity import Caller, Identity
from bridge.auth.mcp_callers import McpCallers
from bridge.browsers.gateway import SOCKET_PATH
from bridge.http.access import caller_of, check_access, has_caller
from bridge.http.middleware import is_metadata_path, is_open_path
from bridge.http.routing import Access, Route
from bridge.storage.users import User
from tests.support.running_bridge import running_bridge

pytestmark = pytest.mark.asyncio

UNPROVEN: Mapping[Access, int | None] = {
    "caller": 401,
    "reader": 401,
    "page": 401,
    "mcp": 401,
    "monitor": 401,
    "result_token": 401,
    "public": None,
}
"""Status without any credential; None: whatever the handler says, but never 401 for want of one."""


@asynccontextmanager
async def bridge_and_routes(folder: Path) -> AsyncGenerator[tuple[Bridge, list[Route]]]:
    async with running_bridge(folder) as bridge:
        yield bridge, bridge.runner.app[ROUTES]


async def status_of(bridge: Bridge, route: Route, headers: Mapping[str, str]) -> int:
    return (await refusal_of(bridge, route, headers))[0]


async def refusal_of(
    bridge: Bridge, route: Route, headers: Mapping[str, str], *, ending: str = ""
) -> tuple[int, str]:
    """Status and challenge; `ending`: of the path."""
    path = route.path.replace("{model:.+}", "m").replace("{path:.+}", "app.js")
    for name in (
        "id",
        "key",
        "server",
        "tool",
        "token",
        "message_id",
        "tool_call_id",
        "name",
        "digest",
        "number",
    ):
        path = path.replace(f"{{{name}}}", "x")
    assert "{" not in path, f"give {path} its parameters"
    async with aiohttp.ClientSession(headers=headers) as http:
        url = bridge.base_url + path + ending
        async with http.request(route.method, url, data=b"{}", allow_redirects=False) as answer:
            return answer.status, answer.headers.get("WWW-Authenticate", "")


async def test_no_address_is_answered_but_by_the_table(tmp_path: Path) -> None:
    """A handler that is added beside it would be without a check; the socket checks its own handshake."""
    async with bridge_and_routes(tmp_path) as (bridge, routes):
        table = {(route.method, route.path) for route in routes}
        table |= {("HEAD", route.path) for route in routes if route.answers_head}
        served = {
            (route.method, route.resource.canonical)
            for route in bridge.runner.app.router.routes()
            if route.resource is not None and SOCKET_PATH.strip("/") not in route.resource.canonical
        }
    canonical = {(method, path.replace(":.+}", "}")) for method, path in table}
    assert served == canonical


async def test_nobody_without_a_credential_gets_past_a_route_that_asks_for_one(tmp_path: Path) -> None:
    """The wrapper of the table asks, so that no handler can forget it."""
    async with bridge_and_routes(tmp_path) as (bridge, routes):
        for route in routes:
            status = await status_of(bridge, route, {})
            expected = UNPROVEN[route.access]
            if expected is not None:
                assert status == expected, (route.method, route.path)


async def test_each_401_says_what_it_wants(tmp_path: Path) -> None:
    """Finding W-28: clients look there whether a key or a login is asked for, and RFC 9110 says MUST."""
    wanted = 'Bearer realm="Direct Tool Bridge"'
    async with bridge_and_routes(tmp_path) as (bridge, routes):
        for route in [route for route in routes if UNPROVEN[route.access] is not None]:
            assert await refusal_of(bridge, route, {}) == (401, wanted), route.path
            refused = await refusal_of(bridge, route, {"Authorization": "Bearer tbk_wrong"})
            assert refused == (401, f'{wanted}, error="invalid_token"'), route.path


async def test_what_programs_ask_for_is_reached_with_a_slash_at_the_end(tmp_path: Path) -> None:
    """Finding W-19: a route that is added later is served in both spellings, too, and neither is a way in."""
    async with bridge_and_routes(tmp_path) as (bridge, routes):
        closed = [route for route in routes if UNPROVEN[route.access] and route.access != "monitor"]
        for route in [*closed, *(route for route in routes if is_open_path(route.path))]:
            plain = await refusal_of(bridge, route, {})
            assert await refusal_of(bridge, route, {}, ending="/") == plain, route.path
            origin = {"Origin": "https://evil.example"}
            refused = await refusal_of(bridge, route, origin)
            assert await refusal_of(bridge, route, origin, ending="/") == refused, route.path


async def test_what_a_person_decides_is_refused_to_every_key(tmp_path: Path) -> None:
    """A program that has a key may call and read."""
    async with bridge_and_routes(tmp_path) as (bridge, routes):
        pages = [route for route in routes if route.access == "page"]
        assert len(pages) > 20
        for route in pages:
            status = await status_of(bridge, route, {"Authorization": f"Bearer {bridge.key}"})
            assert status == 403, (route.method, route.path)


async def test_no_route_answers_under_a_foreign_host_and_only_open_ones_a_foreign_origin(
    tmp_path: Path,
) -> None:
    """A page of another site, whether it has its name lead here or asks across origins, even with a key."""
    async with bridge_and_routes(tmp_path) as (bridge, routes):
        key = {"Authorization": f"Bearer {bridge.key}"}
        for route in routes:
            if route.access != "monitor":  # tests/http/test_metrics.py
                assert await status_of(bridge, route, {**key, "Host": "evil.example"}) == 421, route.path
            if not (is_open_path(route.path) or is_metadata_path(route.path)):
                status = await status_of(bridge, route, {**key, "Origin": "https://evil.example"})
                assert status == 403, (route.method, route.path)


class _Everybody:
    """An identity that knows everybody."""

    async def _ann(self, _headers: object) -> Caller:
        return Caller(User("1", "ann"), None)

    authenticate_caller = authenticate_reader = authenticate_page = _ann


@pytest.mark.parametrize(
    ("access", "is_known"),
    [("caller", True), ("reader", True), ("page", True), ("mcp", True), ("public", False)],
)
async def test_a_handler_finds_the_caller_whom_its_route_asked_for(access: Access, is_known: bool) -> None:
    """Of a public route there is none: what strangers do wrong is logged once a minute."""
    seen: list[tuple[bool, str]] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        seen.append((has_caller(request), caller_of(request).user.name if has_caller(request) else ""))
        return web.Response()

    app = web.Application()
    identity = cast(Identity, _Everybody())
    app.router.add_get("/", check_access(handler, access, identity, McpCallers(identity, None)))
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/"):
        pass
    await runner.cleanup()
    assert seen == [(is_known, "ann" if is_known else "")]
