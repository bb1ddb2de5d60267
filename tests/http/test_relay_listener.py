"""The listener for other replicas: who and what is let in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from bridge.auth.identity import Caller
from bridge.cluster.relay_listener import REFUSED_HEADER, TOKEN_HEADER
from bridge.cluster.relay_token import KEPT_EPOCH, TOKEN_S, RelayedRequest, RelayPass
from tests.support.linked_bridges import LinkedBridges, linked_bridges

pytestmark = pytest.mark.asyncio

PATH = "/openapi.json"


@pytest_asyncio.fixture
async def two(tmp_path: Path) -> AsyncGenerator[LinkedBridges]:
    async with linked_bridges(tmp_path) as running:
        yield running


async def vouched_for(two: LinkedBridges) -> RelayPass:
    """What `here` says of a request of the local user."""
    user = two.here.local_user
    key = (await two.here.components.users.list_keys(user.id))[0]
    caller = Caller(user, None, key_id=key.id)
    return RelayPass(user.id, caller, "10.0.0.7", "b", 1, "request-1", time.time() + TOKEN_S)


async def refusal(
    two: LinkedBridges, http: aiohttp.ClientSession, vouched: RelayPass, *, path: str = PATH
) -> tuple[int, str]:
    """Status, and why the replica did not admit a request; "" when it did."""
    token = two.tokens.sign_pass(vouched, RelayedRequest("GET", PATH))
    async with http.get(two.table.urls["b"] + path, headers={TOKEN_HEADER: token}) as response:
        return response.status, response.headers.get(REFUSED_HEADER, "")


async def test_a_request_is_served_once(two: LinkedBridges, http: aiohttp.ClientSession) -> None:
    """Nobody who has seen a request can have it done again."""
    vouched = await vouched_for(two)

    assert await refusal(two, http, vouched) == (200, "")
    assert await refusal(two, http, vouched) == (421, "repeated")


async def test_what_is_not_for_this_replica_is_refused(
    two: LinkedBridges, http: aiohttp.ClientSession
) -> None:
    """Another replica, another epoch, another user's home, another path."""
    vouched = await vouched_for(two)
    two.table.moved["somebody"] = "a"

    assert await refusal(two, http, replace(vouched, target="c")) == (421, "wrong_replica")
    assert await refusal(two, http, replace(vouched, epoch=2)) == (421, "wrong_replica")
    assert await refusal(two, http, replace(vouched, user_id="somebody")) == (421, "wrong_replica")
    assert await refusal(two, http, vouched, path="/api/me") == (421, "forged")


async def test_whoever_has_the_user_a_kept_answer_is_given_out_and_nothing_else(
    two: LinkedBridges, http: aiohttp.ClientSession
) -> None:
    """The user may have moved since; a pass for that opens signed links, which the handler checks."""
    vouched = replace(await vouched_for(two), epoch=KEPT_EPOCH)
    assert await refusal(two, http, vouched) == (421, "wrong_replica")
    token = two.tokens.sign_pass(vouched, RelayedRequest("GET", "/files/made-up"))
    async with http.get(two.table.urls["b"] + "/files/made-up", headers={TOKEN_HEADER: token}) as response:
        assert (response.status, response.headers.get(REFUSED_HEADER)) == (401, None)


async def test_without_a_token_nothing_is_served(two: LinkedBridges, http: aiohttp.ClientSession) -> None:
    """A key counts on the public listener only; not even the health is told here."""
    headers = {"Authorization": f"Bearer {two.here.key}"}
    for path in (PATH, "/healthz", "/"):
        async with http.get(two.table.urls["b"] + path, headers=headers) as response:
            assert (response.status, response.headers[REFUSED_HEADER]) == (421, "forged")


async def test_the_public_listener_believes_no_token(two: LinkedBridges, http: aiohttp.ClientSession) -> None:
    """There a token of the cluster is worth nothing."""
    token = two.tokens.sign_pass(await vouched_for(two), RelayedRequest("GET", PATH))
    async with http.get(two.there.base_url + PATH, headers={TOKEN_HEADER: token}) as response:
        assert response.status == 401


async def test_a_refused_request_is_not_asked_for_its_body(two: LinkedBridges) -> None:
    """So it can still go to another home, whole: no `100 Continue` comes before the request is admitted."""
    vouched = replace(await vouched_for(two), epoch=2)
    token = two.tokens.sign_pass(vouched, RelayedRequest("POST", "/tools/addProduct"))
    address = two.table.urls["b"].removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(address[0], int(address[1]))
    head = f"POST /tools/addProduct HTTP/1.1\r\nHost: b\r\n{TOKEN_HEADER}: {token}\r\n"
    writer.write(f"{head}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n".encode())
    async with asyncio.timeout(10):
        status = await reader.readline()
    writer.close()
    await writer.wait_closed()

    assert status.split()[1] == b"421"


async def test_half_headers_take_nobodys_request(two: LinkedBridges, http: aiohttp.ClientSession) -> None:
    """Whoever reaches this listener has no token, and other replicas must."""
    address = two.table.urls["b"].removeprefix("http://").split(":")
    lines = [await asyncio.open_connection(*address) for _ in range(300)]
    for _, writer in lines:
        writer.write(b"GET / HTTP/1.1\r\nHost: ")
    assert await refusal(two, http, await vouched_for(two)) == (200, "")
    for _, writer in lines:
        writer.close()
