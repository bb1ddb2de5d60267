"""A caller who may not get in any more loses what is open: at every door, whoever took the access away."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socket import create_server
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from bridge.app.http_application import ROUTES
from bridge.app.server import Bridge
from bridge.auth.access_tokens import CLOCK_SKEW_S
from bridge.auth.access_watch import AccessWatch
from bridge.auth.logins import secret_of_cookie
from bridge.auth.mcp_callers import McpCallers
from bridge.http.access import check_access
from bridge.http.connections import Connections
from bridge.http.middleware import AllowedOrigins, build_guard
from bridge.http.user_connections import MAX_STREAMS
from bridge.storage.accounts.logins import Login, LoginTable
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from bridge.timings import Timings
from tests.support.authorization_server import AuthorizationServer, authorization_server
from tests.support.conversation_client import listen_to_events, open_conversation
from tests.support.forwarded_users import SECRET, sign_token
from tests.support.held_requests import HeldRequest, held_request
from tests.support.mcp_messages import legacy_request, modern_request
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, script
from tests.support.oauth_client import oauth_client
from tests.support.running_bridge import FakePage, page_of, pair_browser
from tests.support.sockets.library_paths import connection_class
from tests.support.stores.databases import place_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

WITHIN_S = 10.0
"""Maximum seconds for what takes a second, and is promised within two; other tests may run beside it."""

TOOL = "listProducts"
DECLARED: dict[str, Any] = {
    "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}
}
ENDED = b"access_ended"


HURRY = Timings(silence_s=0.1, keep_alive_s=0.1, task_after_s=0.1)
"""Answers are kept alive, and calls become tasks, at once instead of after seconds."""


@dataclass
class House:
    """A bridge, a page that answers no call, and a second key of its user."""

    bridge: Bridge
    page: FakePage
    provider: ScriptedProvider
    key: str
    key_id: str
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)
    """What the model waits for in the middle of an answer."""

    async def revoke(self) -> None:
        status, _ = await self.page.request("DELETE", f"/api/keys/{self.key_id}")
        assert status == 200

    def play_held(self) -> None:
        """The model begins to answer, and waits."""
        self.provider.play(script(text("One ", "two.")).held(self.may_go_on, after=5))

    def open(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        return held_request(self.bridge.base_url, method, path, self.key, body, headers)

    async def called(self) -> bool:
        return len(self.page.calls) > 0


async def no_answer(_call: dict[str, Any]) -> None:
    return None


@pytest_asyncio.fixture
async def house(tmp_path: Path, provider: ScriptedProvider) -> AsyncIterator[House]:
    async with (
        shop_bridge(tmp_path, provider, timings=HURRY) as bridge,
        page_of(bridge, bridge.local_user.id, no_answer) as page,
    ):
        key_id, key = await bridge.components.users.add_key(bridge.local_user.id, "stolen")
        made = House(bridge, page, provider, key, key_id)
        yield made
        made.may_go_on.set()


Door = Callable[[House], AsyncGenerator[HeldRequest]]


async def tool_server(house: House) -> AsyncGenerator[HeldRequest]:
    async with house.open("POST", f"/tools/{TOOL}", {}) as held:
        await eventually(lambda: held.received)
        yield held


async def batch(house: House) -> AsyncGenerator[HeldRequest]:
    body: dict[str, Any] = {"calls": [{"id": "a", "tool": TOOL, "arguments": {}}]}
    async with house.open("POST", "/api/batches", body) as held:
        await eventually(lambda: held.received)
        yield held


async def mcp_call(house: House) -> AsyncGenerator[HeldRequest]:
    body, headers = modern_request("tools/call", {"name": TOOL})
    async with house.open("POST", "/mcp", body, headers) as held:
        await eventually(lambda: held.received)
        yield held


async def mcp_call_without_streams(house: House) -> AsyncGenerator[HeldRequest]:
    body, headers = modern_request("tools/call", {"name": TOOL})
    async with house.open("POST", "/mcp", body, {**headers, "Accept": "application/json"}) as held:
        await eventually(lambda: held.received)
        yield held


async def legacy_mcp_call(house: House) -> AsyncGenerator[HeldRequest]:
    body, headers = legacy_request("tools/call", {"name": TOOL, "arguments": {}})
    async with house.open("POST", "/mcp", body, headers) as held:
        await eventually(lambda: held.received)
        yield held


async def subscription(house: House) -> AsyncGenerator[HeldRequest]:
    body, headers = modern_request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    async with house.open("POST", "/mcp", body, headers) as held:
        await eventually(lambda: held.received)
        yield held


async def conversation_events(house: House) -> AsyncGenerator[HeldRequest]:
    async with (
        open_conversation(house.bridge) as client,
        house.open("GET", f"/conversations/{client.id}/events") as held,
    ):
        await eventually(lambda: held.received)
        yield held


async def chat_completion(house: House) -> AsyncGenerator[HeldRequest]:
    house.play_held()
    body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "Count"}]}
    async with house.open("POST", "/v1/chat/completions", body) as held:
        await eventually(lambda: held.received)
        yield held


async def live_response(house: House) -> AsyncGenerator[HeldRequest]:
    house.play_held()
    body = {"model": MODEL, "stream": True, "input": "Count"}
    async with house.open("POST", "/v1/responses", body) as held:
        await eventually(lambda: held.received)
        yield held


async def background_stream(house: House) -> AsyncGenerator[HeldRequest]:
    house.play_held()
    body = {"model": MODEL, "stream": True, "background": True, "input": "Count"}
    async with house.open("POST", "/v1/responses", body) as held:
        await eventually(lambda: b"One" in held.received)
        yield held


async def resumed_response(house: House) -> AsyncGenerator[HeldRequest]:
    """Of a response that another key began."""
    house.play_held()
    body = {"model": MODEL, "background": True, "input": "Count"}
    headers = {"Authorization": f"Bearer {house.bridge.key}"}
    url = f"{house.bridge.base_url}/v1/responses"
    async with aiohttp.ClientSession() as http, http.post(url, json=body, headers=headers) as begun:
        response_id = (await begun.json())["id"]
    async with house.open("GET", f"/v1/responses/{response_id}?stream=true") as held:
        await eventually(lambda: b"One" in held.received)
        yield held


async def unanswered_call(house: House) -> AsyncGenerator[HeldRequest]:
    """One of which nothing has been sent to its caller so far."""
    async with house.open("POST", "/api/calls", {"tool": TOOL, "arguments": {}}) as held:
        await eventually(house.called)
        yield held


STREAMS: dict[Door, bytes] = {
    tool_server: ENDED,
    batch: ENDED,
    mcp_call: ENDED,
    mcp_call_without_streams: ENDED,
    legacy_mcp_call: ENDED,
    subscription: ENDED,
    conversation_events: ENDED,
    chat_completion: b"invalid_api_key",
    live_response: b"invalid_api_key",
    background_stream: b"",
    resumed_response: b"invalid_api_key",
}
"""What is open at each door, and what the last bytes of its answer say; a response in the background that is
cancelled ends with its own last event."""


@pytest.mark.parametrize("door", STREAMS, ids=lambda door: door.__name__)
async def test_what_a_revoked_key_has_open_ends_with_a_reason(house: House, door: Door) -> None:
    """Finding S-M3: a stolen key went on hearing what its user wrote after it was revoked."""
    async with asynccontextmanager(door)(house) as held:
        began = time.monotonic()
        await house.revoke()
        await eventually(lambda: held.is_over, within_s=WITHIN_S)
        print(f"{door.__name__} ended after {time.monotonic() - began:.2f} s")
        assert (held.status, held.was_cut) == (200, False)
        assert STREAMS[door] in bytes(held.received)


async def test_a_request_of_which_nothing_was_answered_gets_its_refusal(house: House) -> None:
    """Finding S-M3: an error of HTTP, as every other request with that key."""
    async with asynccontextmanager(unanswered_call)(house) as held:
        await house.revoke()
        await eventually(lambda: held.is_over, within_s=WITHIN_S)
        assert (held.status, ENDED in held.received) == (401, True)


async def test_a_call_at_the_page_is_cancelled_there_and_not_lost(house: House) -> None:
    """Finding S-M3: as when its caller hangs up: the page is told, and its user sees an end of it."""
    async with asynccontextmanager(tool_server)(house) as held:
        call_id = house.page.calls[0]["id"]
        await house.revoke()
        await eventually(lambda: held.is_over, within_s=WITHIN_S)
    await eventually(lambda: house.page.cancelled)

    async def has_ended() -> bool:
        call = await house.page.get(f"/api/calls/{call_id}")
        return call["state"] in ("cancelled", "outcome_unknown")

    await eventually(has_ended)
    assert len(house.page.calls) == 1


async def test_what_goes_on_without_a_connection_ends_too(house: House) -> None:
    """Finding S-M3: tasks, responses in the background and runs act for the key that began them."""
    house.provider.play(script(calls((TOOL, {}))), script(calls((TOOL, {}))))
    async with AsyncExitStack() as stack:
        body, headers = modern_request("tools/call", {"name": TOOL}, **DECLARED)
        task = await stack.enter_async_context(house.open("POST", "/mcp", body, headers))
        await eventually(lambda: task.is_over)
        assert b"taskId" in task.received
        background = {"model": MODEL, "background": True, "input": "Count"}
        made = await stack.enter_async_context(house.open("POST", "/v1/responses", background))
        await eventually(lambda: made.is_over)
        client = await stack.enter_async_context(open_conversation(house.bridge, house.key, model=MODEL))
        await client.begin("What is there?")
        legacy = legacy_request("tools/call", {"name": TOOL, "arguments": {}})
        await stack.enter_async_context(house.open("POST", "/mcp", *legacy))
        await eventually(lambda: len(house.page.calls) == 4)
    await house.revoke()
    await eventually(lambda: len(house.page.cancelled) == 4, within_s=WITHIN_S)
    await eventually(lambda: house.bridge.components.dispatcher.count_open() == 0)


async def other_browser(house: House) -> FakePage:
    async with aiohttp.ClientSession() as http:
        ticket = await house.bridge.components.users.add_ticket(house.bridge.local_user.id)
        other = await pair_browser(house.bridge.base_url, http, ticket)
        await other.open_session()
    return other


async def test_the_stream_of_a_removed_browser_ends(house: House) -> None:
    """Finding S-M3: a lost laptop went on reading the conversations."""
    other = await other_browser(house)
    async with (
        open_conversation(house.bridge) as client,
        held_request(house.bridge.base_url, "GET", f"/conversations/{client.id}/events", other.token) as held,
        listen_to_events(client) as mine,
    ):
        await eventually(lambda: held.received)
        assert (await house.page.request("DELETE", f"/api/devices/{other.device_id}"))[0] == 200
        await eventually(lambda: held.is_over, within_s=WITHIN_S)
        assert ENDED in held.received
        assert not mine.is_over  # of another key of the same user


@dataclass
class Ending:
    """How a command, in another process, or the time ends the access of a user."""

    store: Store
    user_id: str
    name: str

    async def disable(self) -> None:
        assert await LoginTable(self.store).set_disabled(self.user_id, disabled=True)

    async def delete_key(self) -> None:
        for key in await UserTables(self.store).list_keys(self.user_id):
            assert await UserTables(self.store).delete_key(self.user_id, key.id)


@pytest.mark.parametrize("how", ["disable", "delete_key"])
async def test_what_a_command_ends_is_ended_in_a_bridge_that_nobody_tells(
    house: House, tmp_path: Path, how: str
) -> None:
    """Finding S-M3: the streams of a disabled user were open after 78 s."""
    eve = await house.bridge.components.users.ensure_user("eve")
    _, key = await house.bridge.components.users.add_key(eve.id, "hers")
    other_process = Store.open_store(place_of(tmp_path / "bridge.sqlite3"))
    async with (
        open_conversation(house.bridge, key) as client,
        held_request(house.bridge.base_url, "GET", f"/conversations/{client.id}/events", key) as held,
    ):
        await eventually(lambda: held.received)
        await getattr(Ending(other_process, eve.id, "eve"), how)()
        await eventually(lambda: held.is_over, within_s=WITHIN_S)
        assert ENDED in held.received
        assert (await client.ask("GET", "/conversations"))[0] == 401  # and is not cached any longer
    await other_process.close()


async def test_a_stream_ends_with_its_users_login(house: House) -> None:
    """Finding S-M3: nobody tells when a login ends, and a group that was left counts from then on."""
    store = house.bridge.components.store
    login = Login("issuer:ada", "Ada", (), is_operator=False, hours=3 / 3600)
    ada = await LoginTable(store).note_login(login)
    assert ada is not None
    ticket = await UserTables(store).add_ticket(ada.id, bound_to=secret_of_cookie(""))
    async with aiohttp.ClientSession() as http:
        browser = await pair_browser(house.bridge.base_url, http, ticket)
        await browser.open_session()
        _, made = await browser.request("POST", "/conversations", {})
    path = f"/conversations/{made['conversation']['id']}/events"
    async with held_request(house.bridge.base_url, "GET", path, browser.token) as held:
        await eventually(lambda: held.received)
        await eventually(lambda: held.is_over, within_s=WITHIN_S)
        assert ENDED in held.received


async def test_a_forwarded_user_who_is_disabled_loses_the_stream_and_others_do_not(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Finding S-M3: a forwarder's key is good for all others still."""
    async with shop_bridge(tmp_path, provider, timings=HURRY, user_jwt_secret=SECRET) as bridge:
        store = bridge.components.store
        users = UserTables(store)
        _, key = await users.add_key(bridge.local_user.id, "Open WebUI", forwarder=True)
        body, headers = modern_request("subscriptions/listen", {"notifications": {}})
        ada = {**headers, "X-OpenWebUI-User-Jwt": sign_token(sub="ada")}
        bob = {**headers, "X-OpenWebUI-User-Jwt": sign_token(sub="bob")}
        async with (
            held_request(bridge.base_url, "POST", "/mcp", key, body, ada) as hers,
            held_request(bridge.base_url, "POST", "/mcp", key, body, bob) as his,
        ):
            await eventually(lambda: hers.received and his.received)
            ids = {user.name: user.id for user in await users.list_users()}
            await LoginTable(store).set_disabled(ids["open-webui:ada"], disabled=True)
            await eventually(lambda: hers.is_over, within_s=WITHIN_S)
            assert not his.is_over


@pytest_asyncio.fixture
async def server() -> AsyncIterator[AuthorizationServer]:
    async with authorization_server() as running:
        yield running


async def test_a_subscription_ends_with_its_access_token(tmp_path: Path, server: AuthorizationServer) -> None:
    """Finding S-M3: an authorization server takes a grant back by not renewing its token."""
    async with oauth_client(tmp_path, server, timings=HURRY) as client:
        body, headers = modern_request("subscriptions/listen", {"notifications": {}})
        token = server.sign(exp=int(time.time()) + 4 - CLOCK_SKEW_S)
        async with held_request(client.bridge.base_url, "POST", "/mcp", token, body, headers) as held:
            await eventually(lambda: held.received)
            await eventually(lambda: held.is_over, within_s=WITHIN_S)
            assert b'"reason":"expired"' in held.received


async def test_a_user_has_only_so_many_streams_that_do_not_end(house: House) -> None:
    """Finding S-M4: 400 of one conversation were open, and each holds a connection."""
    async with AsyncExitStack() as stack:
        for door in (conversation_events, background_stream, *[subscription] * (MAX_STREAMS - 2)):
            await stack.enter_async_context(asynccontextmanager(door)(house))
        client = await stack.enter_async_context(open_conversation(house.bridge))
        status, refused = await client.ask("GET", f"/conversations/{client.id}/events")
        assert (status, refused["error"]["code"]) == (429, "rate_limited")
        assert (await client.ask("GET", "/api/me"))[0] == 200
    async with asynccontextmanager(conversation_events)(house) as held:
        assert held.status == 200


HANGING = web.AppKey("hanging", list[str])


async def _hang(request: web.Request) -> web.StreamResponse:
    request.app[HANGING].append(request.path)
    await asyncio.Event().wait()
    raise AssertionError


@asynccontextmanager
async def hanging_routes(house: House) -> AsyncGenerator[tuple[str, web.Application]]:
    """Every route of the bridge's own table that has a caller, with a handler that never ends."""
    parts = house.bridge.components
    origins = AllowedOrigins(frozenset({"127.0.0.1"}), frozenset(), frozenset())
    guard = build_guard(
        origins,
        _NoRejections(),  # pyright: ignore[reportArgumentType]
        parts.identity.attempts.limit_attempts("tests", per_key=10_000, window_s=60),
        lambda _request, error: web.Response(status=error.code.facts.http_status, text=str(error.detail)),
        socket_path="/ws/",
    )
    app = web.Application(middlewares=[guard])
    app[HANGING] = []
    for route in house.bridge.runner.app[ROUTES]:
        if route.access in ("caller", "reader", "page", "mcp"):
            handler = check_access(_hang, route.access, parts.identity, McpCallers(parts.identity, None))
            app.router.add_route(route.method, route.path, handler)
    runner = web.AppRunner(app)
    await runner.setup()
    assert runner.server is not None
    connections = Connections(kind=connection_class())
    watch = AccessWatch(parts.users, parts.identity)
    listener = create_server(("127.0.0.1", 0))
    served = await connections.listen_on(runner.server, listener)
    looking = asyncio.create_task(watch.keep_looking(connections.list_work))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", app
    finally:
        looking.cancel()
        served.close()
        await runner.cleanup()


class _NoRejections:
    def record_rejection(self, *_: object, **__: object) -> None:
        """Nothing is recorded."""


async def test_every_route_that_has_a_caller_ends_with_the_callers_access(house: House) -> None:
    """Finding S-M3: a route that lasts, and is added one day, must not be forgotten."""
    other = await other_browser(house)
    async with hanging_routes(house) as (base_url, app), AsyncExitStack() as stack:
        opened: list[HeldRequest] = []
        for route in house.bridge.runner.app[ROUTES]:
            if route.access not in ("caller", "reader", "page", "mcp"):
                continue
            shown = other.token if route.access == "page" else house.key
            path = route.path.replace(":.+}", "}").replace("{", "").replace("}", "")
            opened.append(await stack.enter_async_context(held_request(base_url, route.method, path, shown)))
        await eventually(lambda: len(app[HANGING]) == len(opened) > 80)
        await house.revoke()
        assert (await house.page.request("DELETE", f"/api/devices/{other.device_id}"))[0] == 200
        await eventually(lambda: all(each.is_over for each in opened), within_s=WITHIN_S)
        assert {each.status for each in opened} == {401}
