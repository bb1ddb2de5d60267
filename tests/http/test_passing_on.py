"""Requests and sockets that arrive at another replica than their user's home: two bridges, one database."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import socketio
from socketio.exceptions import ConnectionError as SocketRefused

from bridge.app.server import SHUTDOWN_SECONDS, Bridge
from bridge.cluster.relay_listener import REFUSED_HEADER, TOKEN_HEADER
from bridge.homes import Home
from bridge.timings import Timings
from tests.support.cluster.odd_requests import LIST, ODD_REQUESTS
from tests.support.conversation_client import listen_to_events, open_conversation
from tests.support.linked_bridges import LinkedBridges, linked_bridges
from tests.support.mcp_messages import modern_request, post_message
from tests.support.running_bridge import Answer, FakePage, json_answer, pair_browser
from tests.support.tcp_servers import serving_connections
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

WEBSOCKET = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}

PRODUCTS = {"result": [{"id": 1, "name": "tea"}]}


@pytest_asyncio.fixture
async def two(tmp_path: Path, timings: Timings) -> AsyncGenerator[LinkedBridges]:
    async with linked_bridges(tmp_path, timings=timings) as running:
        yield running


@pytest_asyncio.fixture
async def page(two: LinkedBridges, http: aiohttp.ClientSession) -> AsyncGenerator[FakePage]:
    """A page that has accepted everything; it knows the replica only at which its user is not at home."""
    ticket = await two.here.components.users.add_ticket(two.here.local_user.id)
    made = await pair_browser(two.here.base_url, http, ticket)
    await made.open_session()
    await made.accept_everything()
    yield made
    await made.close()


async def products(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer([{"id": 1, "name": "tea"}])


def products_after(go_on: asyncio.Event) -> Answer:
    """What a page answers once it may."""

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        await go_on.wait()
        return await products(call)

    return answer


async def never(_call: dict[str, Any]) -> None:
    return None


def keyed(two: LinkedBridges) -> dict[str, str]:
    return {"Authorization": f"Bearer {two.here.key}"}


async def call_list(two: LinkedBridges, http: aiohttp.ClientSession) -> tuple[int, Any]:
    async with http.post(two.here.base_url + LIST, json={"limit": 2}, headers=keyed(two)) as response:
        return response.status, await response.json()


def page_counts(two: LinkedBridges) -> tuple[int, int]:
    """Connected pages of the user at the replica where it arrived, and at its home."""
    user_id = two.here.local_user.id
    here, there = (each.components.gateway.pages.count_pages(user_id) for each in (two.here, two.there))
    return here, there


async def test_page_and_caller_meet_at_the_home_of_their_user(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Whatever the load balancer does, one user's calls and pages are in one replica (REPLICAS 31)."""
    await page.connect(products)

    assert page_counts(two) == (0, 1)
    assert await call_list(two, http) == (200, PRODUCTS)
    assert len(page.calls) == 1


async def test_what_an_apis_headers_tell_passes_with_the_answer(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Finding O-8, W-27: an object's is a header of ours, whichever replica the caller reached."""

    async def one_of_many(_call: dict[str, Any]) -> dict[str, Any]:
        return {**json_answer({"id": 1}), "headers": {"x-total-count": "57"}}

    await page.connect(one_of_many)
    async with http.post(two.here.base_url + LIST, json={"limit": "2"}, headers=keyed(two)) as response:
        assert (response.status, await response.json()) == (200, {"id": 1})
        assert json.loads(response.headers["X-Tool-Bridge-Answer-Headers"]) == {"x-total-count": "57"}
    assert [call["params"] for call in page.calls] == ['{"limit":2}']


async def test_a_socket_without_a_route_is_told_where_it_belongs(two: LinkedBridges, page: FakePage) -> None:
    """A page of another replica's user never gets calls here: it comes back with the route."""
    refusals: list[Any] = []
    page.socket.on("connect_error", refusals.append)
    route, page.route = page.route, ""
    with pytest.raises(SocketRefused):
        await page.connect(products)

    assert refusals[0]["data"]["detail"] == {"route": route}
    assert page_counts(two) == (0, 0)


async def test_a_page_that_closes_is_gone_at_its_home(two: LinkedBridges, page: FakePage) -> None:
    """The home must not wait for a page whose connection ended at another replica."""
    await page.connect(products)
    await page.close()

    await eventually(lambda: page_counts(two) == (0, 0))


async def test_a_caller_that_hangs_up_cancels_its_call(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Cancelling reaches the page through both replicas."""
    await page.connect(never)
    calling = asyncio.create_task(call_list(two, http))
    await eventually(lambda: page.calls)
    calling.cancel()

    await eventually(lambda: page.cancelled)


@pytest.mark.parametrize("asking", [{"Upgrade": "websocket"}, WEBSOCKET])
async def test_a_header_makes_no_request_a_socket(
    two: LinkedBridges,
    page: FakePage,
    http: aiohttp.ClientSession,
    caplog: pytest.LogCaptureFixture,
    asking: dict[str, str],
) -> None:
    """Finding S-L11: the route tells what opens one; it went on as a GET, which the home took for forged."""
    await page.connect(products)
    headers = {**keyed(two), **asking}
    async with http.post(two.here.base_url + LIST, json={}, headers=headers) as response:
        assert (response.status, await response.json()) == (200, PRODUCTS)
    async with http.get(two.here.base_url + "/api/me", headers=headers) as response:
        assert (response.status, (await response.json())["pages"]) == (200, 1)
    unsigned = f"{two.here.base_url}/api/calls/none/result?route={page.route}"
    async with http.put(unsigned, data=b"{}", headers=asking) as response:
        assert response.status == 401
    assert two.homes.asked == [None] * len(two.homes.asked), "the home was given up"
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


@pytest.mark.parametrize("named", ["content-length", "host", "content-length, host, x-else"])
async def test_a_caller_cannot_remove_what_says_where_a_request_ends(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession, named: str
) -> None:
    """Requests of several callers share a connection: the body of one would be read as the next request."""
    await page.connect(products)
    inner = b"POST /tools/listProducts HTTP/1.1\r\nContent-Encoding: evil\r\nX-Ignore: "
    headers = {**keyed(two), "Connection": named, "Content-Type": "application/json"}
    async with http.post(two.here.base_url + LIST, data=inner, headers=headers) as refused:
        assert (refused.status, (await refused.json())["error"]["code"]) == (400, "invalid_arguments")
    for _ in range(3):
        assert await call_list(two, http) == (200, PRODUCTS)
    assert len(page.calls) == 3


async def test_a_model_answer_is_streamed_as_it_comes(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Nothing waits on the way: the caller has the beginning while the tool still runs."""
    go_on = asyncio.Event()
    await page.connect(products_after(go_on))
    async with ask_model(two, http) as response:
        first = await response.content.readany()
        await eventually(lambda: page.calls)
        assert not response.content.is_eof()
        go_on.set()
        text = (first + await response.read()).decode()

    assert (response.status, text.rstrip().endswith("data: [DONE]")) == (200, True)


def ask_model(two: LinkedBridges, http: aiohttp.ClientSession) -> Any:
    """A streamed answer of the demo model, which calls a tool."""
    said = {"role": "user", "content": 'CALL listProducts {"limit": 2}'}
    body = {"model": "demo", "stream": True, "messages": [said]}
    return http.post(f"{two.here.base_url}/v1/chat/completions", json=body, headers=keyed(two))


async def test_a_stream_whose_home_is_lost_ends_unterminated(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """No caller takes half an answer for a whole one (REPLICAS 34)."""
    assert two.here.relay is not None
    await page.connect(never)
    async with ask_model(two, http) as response:
        await response.content.readany()
        await eventually(lambda: page.calls)
        two.here.relay.router.cut_replica("b")
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()


async def test_a_call_whose_home_is_lost_is_told_that_it_may_have_been_made(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Nobody may repeat it unasked."""
    assert two.here.relay is not None
    await page.connect(never)
    calling = asyncio.create_task(call_list(two, http))
    await eventually(lambda: page.calls)
    two.here.relay.router.cut_replica("b")
    status, body = await calling

    assert (status, body["error"]["code"], body["error"]["retryable"]) == (503, "replica_lost", False)


async def test_the_pages_of_a_lost_home_are_cut_off(two: LinkedBridges, page: FakePage) -> None:
    """They connect again at once, and not when a ping goes unanswered."""
    assert two.here.relay is not None
    await page.connect(products)
    two.here.relay.router.cut_replica("b")

    await eventually(lambda: not page.socket.connected)


async def test_a_page_whose_home_is_lost_before_its_socket_opens_may_try_again(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """It is told that nothing was sent, and the log holds no failure of ours."""
    relay = two.here.relay
    assert relay is not None
    reached = asyncio.Event()

    async def stay_silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        reached.set()
        await reader.read()

    async with serving_connections(stay_silent) as port:
        two.table.urls["b"] = f"http://127.0.0.1:{port}"
        address = f"{two.here.base_url}/ws/socket.io/?EIO=4&transport=websocket&route={page.route}"
        opening = asyncio.create_task(http.get(address, headers=WEBSOCKET))
        await reached.wait()
        relay.router.cut_replica("b")
        async with await opening as refused:
            assert (refused.status, (await refused.json())["error"]["code"]) == (503, "cluster_unavailable")


async def test_a_replica_that_stops_lets_go_of_the_pages_of_others(
    two: LinkedBridges, page: FakePage
) -> None:
    """Its own stop reads nothing more for seconds, in which such a page would be without its bridge."""
    await page.connect(products)
    assert two.here.relay is not None
    await two.here.relay.hang_up()
    await eventually(lambda: not page.socket.connected and page_counts(two) == (0, 0))
    page.socket = socketio.AsyncClient(reconnection=False)
    with pytest.raises(SocketRefused):
        await page.connect(products)


async def test_a_replica_that_stops_waits_for_the_requests_that_it_passed_on(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """A rolling restart cancels no call that ends within the shutdown time, wherever its user is at home."""
    may_answer = asyncio.Event()
    page.base_url = two.there.base_url
    await page.connect(products_after(may_answer))
    calling = asyncio.create_task(call_list(two, http))
    await eventually(lambda: page.calls)
    await two.here.components.controls.limits.change_limits({"TOOL_SHUTDOWN_TIMEOUT_SECONDS": 30})
    stopping = asyncio.ensure_future(two.stop_here())
    await asyncio.wait([stopping], timeout=2.5 * SHUTDOWN_SECONDS)  # longer than responses get otherwise
    may_answer.set()
    assert await calling == (200, PRODUCTS)
    await stopping


async def test_a_replica_that_stops_tells_whose_request_it_passed_on_in_vain(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """An answer that says what is known, not a broken connection; its call ends as when a caller leaves."""
    page.base_url = two.there.base_url
    await page.connect(never)
    calling = asyncio.create_task(call_list(two, http))
    await eventually(lambda: page.calls)
    await two.stop_here()
    status, answer = await calling
    assert (status, answer["error"]["code"]) == (503, "replica_lost")
    await eventually(lambda: page.cancelled)


async def test_events_of_a_conversation_come_through(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """The feed stays open as long as its listener."""
    await page.connect(products)
    async with open_conversation(two.here) as client, listen_to_events(client) as listener:
        await client.say('CALL listProducts {"limit": 2}', model="demo")
        await eventually(lambda: listener.has("run_ended"))


async def test_mcp_clients_are_answered_by_the_home(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Its stream is one more response."""
    await page.connect(products)
    body, headers = modern_request("tools/call", {"name": "listProducts", "arguments": {"limit": 2}})
    status, answer = await post_message(two.here, http, body, headers, key=two.here.key)
    assert (status, answer["result"]["structuredContent"]) == (200, PRODUCTS)


@pytest.mark.timings(task_after_s=0.1)
async def test_a_task_is_polled_and_cancelled_through_any_replica(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Its client keeps no connection, and the load balancer sends each question wherever it likes."""
    knows: dict[str, Any] = {
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    }

    async def ask(bridge: Bridge, method: str, **params: str) -> Any:
        message = modern_request(method, params, **knows)
        return (await post_message(bridge, http, *message, key=two.here.key))[1]["result"]

    await page.connect(never)
    task_id = (await ask(two.here, "tools/call", name="listProducts"))["taskId"]
    for replica in (two.here, two.there):
        assert (await ask(replica, "tasks/get", taskId=task_id))["status"] == "working"
    await ask(two.here, "tasks/cancel", taskId=task_id)
    await eventually(lambda: [each["call_id"] for each in page.cancelled] == [task_id])

    async def is_cancelled() -> bool:
        return (await ask(two.here, "tasks/get", taskId=task_id))["status"] == "cancelled"

    await eventually(is_cancelled)


async def test_large_bodies_go_both_ways(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """An upload with a routing value, and the link to what was uploaded, find the home without a key."""
    content = bytes(range(256)) * 3_900
    uploaded: list[int] = []

    async def upload(call: dict[str, Any]) -> dict[str, Any]:
        headers = {
            "X-Result-Token": call["bridge"]["result_token"],
            "X-Result-Kind": "file",
            "Content-Type": "image/png",
        }
        url = f"{two.here.base_url}/api/calls/{call['id']}/result?route={page.route}"
        async with http.put(url, data=content, headers=headers) as response:
            uploaded.append(response.status)
        body = {"kind": "uploaded"}
        return {**json_answer({}), "content_type": "image/png", "body": body}

    await page.connect(upload)
    async with http.post(two.here.base_url + LIST, json={}, headers=keyed(two)) as response:
        assert (response.status, await response.read() == content) == (200, True)
    status, link = await page.request("GET", f"/api/calls/{page.calls[0]['id']}/answer")
    async with http.get(two.here.base_url + link["url"]) as response:
        received = await response.read()

    assert (uploaded, status, received == content) == ([200], 200, True)


async def test_a_document_of_a_megabyte_is_added_through_another_replica(
    two: LinkedBridges, page: FakePage
) -> None:
    """Its body follows only when the home has admitted the request, and then whole."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Large", "version": "1", "description": "x" * 900_000},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "paths": {"/a": {"get": {"operationId": "readA", "responses": {"200": {"description": "ok"}}}}},
    }
    status, body = await page.request("POST", "/api/servers", {"text": json.dumps(document)})

    assert status in {200, 201}, body
    assert page_counts(two) == (0, 0)


async def test_a_moved_user_is_found_once_anew(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """A replica that believes an old home is refused before anything is read, and asks again, once."""
    await page.connect(products)
    stale = Home(two.here.local_user.id, "b", 0)
    two.homes.believed = stale
    two.homes.asked.clear()

    assert (await call_list(two, http))[0] == 200
    assert two.homes.asked == [None, stale]
    assert page.calls[0]["params"] == '{"limit": 2}'


async def test_what_was_sent_to_an_old_home_in_vain_is_served_here(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """The arguments went with the request that was refused; they are still at hand."""
    user_id = two.here.local_user.id
    two.table.moved[user_id] = "a"
    await page.accept_everything()
    await page.connect(products)
    two.homes.believed = Home(user_id, "b", 0)

    assert await call_list(two, http) == (200, PRODUCTS)
    assert page.calls[0]["params"] == '{"limit": 2}'


async def test_a_home_that_refuses_connections_is_unavailable(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Nothing was sent, so everything may be repeated."""
    two.table.urls["b"] = two.table.urls["b"].rpartition(":")[0] + ":1"
    status, body = await call_list(two, http)

    assert (status, body["error"]["code"], body["error"]["retryable"]) == (503, "cluster_unavailable", True)


async def test_a_user_at_home_here_is_not_passed_on(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """One that moves here is served here, by the same key and page."""
    two.table.moved[two.here.local_user.id] = "a"
    await page.accept_everything()
    await page.connect(products)

    assert (page_counts(two), await call_list(two, http)) == ((1, 0), (200, PRODUCTS))


async def test_a_key_revoked_at_the_home_counts_no_more(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """The home checks for itself; the replica at which the caller arrives may not have heard of it yet."""
    user_id = two.here.local_user.id
    key_id, key = await two.here.components.users.add_key(user_id, "short-lived")
    headers = {"Authorization": f"Bearer {key}"}
    async with http.get(two.here.base_url + "/openapi.json", headers=headers) as response:
        before = response.status
    await two.there.components.users.delete_key(user_id, key_id)
    two.there.components.identity.forget_credentials()
    async with http.get(two.here.base_url + "/openapi.json", headers=headers) as response:
        assert (before, response.status) == (200, 401)


async def test_a_caller_cannot_write_what_replicas_tell_each_other(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """A token is the replica's own; that a request was refused is said by the replica that refuses it."""
    await page.connect(products)
    forged = {**keyed(two), TOKEN_HEADER: "1.forged.forged", REFUSED_HEADER: "wrong_replica"}
    async with http.post(two.here.base_url + LIST, json={"limit": 2}, headers=forged) as answer:
        assert (answer.status, await answer.json()) == (200, PRODUCTS)
        assert not {TOKEN_HEADER, REFUSED_HEADER} & set(answer.headers)
    assert len(page.calls) == 1


@pytest.mark.parametrize(("target", "headers", "rest"), ODD_REQUESTS)
async def test_no_request_is_passed_on_as_two(
    two: LinkedBridges, page: FakePage, http: aiohttp.ClientSession, target: str, headers: str, rest: str
) -> None:
    """What replicas pass on shares connections: the next caller would get the answer of the second one."""
    await page.connect(products)
    host = two.here.base_url.split("/")[2]
    head = f"POST {target} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {two.here.key}\r\n"
    reader, writer = await asyncio.open_connection(*host.split(":"))
    writer.write(f"{head}Connection: close\r\n{headers}\r\n{rest}".encode())
    async with asyncio.timeout(20):
        answer = await reader.read()
    writer.close()
    assert len(re.findall(rb"^HTTP/1\.[01] \d{3} ", answer, re.MULTILINE)) == 1
    performed = int(b" 200 OK" in answer)
    assert len(page.calls) == performed
    assert await call_list(two, http) == (200, PRODUCTS)
    assert len(page.calls) == performed + 1
