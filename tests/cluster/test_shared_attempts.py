"""Attempts to get in through two bridges that count them in a real Redis."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric import ec

from bridge.app.part import AmongReplicas
from bridge.app.server import Bridge
from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.shared_limits import SharedLimits
from bridge.endpoints.api.pairing import PAIRINGS
from tests.support.running_bridge import public_key_of, running_bridge
from tests.support.stores.redis import RedisServer

pytestmark = pytest.mark.asyncio

LEAST = 10
"""The least that `UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS` may be."""


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / "here", tmp_path / "there"]
    for folder in made:
        folder.mkdir()
    return made


@pytest_asyncio.fixture
async def bridges(folders: list[Path], redis_server: RedisServer) -> AsyncIterator[tuple[Bridge, Bridge]]:
    """Two bridges, each with a connection of its own."""
    async with AsyncExitStack() as stack:
        started: list[Bridge] = []
        for folder in folders:
            connection = RedisConnection(redis_server.url)
            stack.push_async_callback(connection.close)
            limits = {"UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS": LEAST}
            counts = SharedLimits(connection)
            started.append(
                await stack.enter_async_context(
                    running_bridge(
                        folder,
                        limits=limits,
                        among=lambda _store, counts=counts: AmongReplicas(counts=counts),
                    )
                )
            )
        yield started[0], started[1]


async def code_of(bridge: Bridge, path: str, body: dict[str, Any] | None = None) -> str | None:
    """The error code of one request without a valid key; None: there was no error."""
    method, headers = "GET" if body is None else "POST", {"Authorization": "Bearer wrong"}
    async with (
        aiohttp.ClientSession(bridge.base_url) as http,
        http.request(method, path, json=body, headers=headers) as response,
    ):
        return (await response.json()).get("error", {}).get("code")


async def test_wrong_keys_are_counted_by_both(bridges: tuple[Bridge, Bridge]) -> None:
    """An address that is refused at one replica must not go on at the next."""
    here, there = bridges
    answers = [await code_of((here, there)[number % 2], "/api/me") for number in range(LEAST)]
    assert answers == ["unauthorized"] * LEAST
    assert [await code_of(bridge, "/api/me") for bridge in bridges] == ["rate_limited"] * 2


async def test_attempts_to_pair_are_counted_by_both(bridges: tuple[Bridge, Bridge]) -> None:
    """Each that succeeds has a browser wait for its code, and makes a guess likelier."""
    here, there = bridges
    body: dict[str, Any] = {"public_key": {}}
    answers = [await code_of((here, there)[number % 2], "/api/pairings", body) for number in range(PAIRINGS)]
    assert answers == ["invalid_request"] * PAIRINGS
    assert [await code_of(bridge, "/api/pairings", body) for bridge in bridges] == ["rate_limited"] * 2


async def test_without_redis_nobody_is_let_in(
    bridges: tuple[Bridge, Bridge], redis_server: RedisServer
) -> None:
    """Whoever can cut a replica off Redis must not be able to guess without end."""
    here, _ = bridges
    session = {"device_id": "nobody", "nonce": here.components.identity.issue_challenge(), "signature": "x"}
    ticket = {"ticket": "none", "public_key": public_key_of(ec.generate_private_key(ec.SECP256R1()))}
    paths: dict[str, dict[str, Any] | None] = {
        "/api/me": None,
        "/api/sessions": session,
        "/api/devices": ticket,
        "/api/pairings": {"public_key": ticket["public_key"]},
    }
    with redis_server.stopped():
        codes = {path: await code_of(here, path, body) for path, body in paths.items()}
    assert set(codes.values()) == {"cluster_unavailable"}, codes


async def test_a_valid_key_needs_no_redis(bridges: tuple[Bridge, Bridge], redis_server: RedisServer) -> None:
    """Only attempts are counted: who is known is served, whatever is away."""
    here, _ = bridges
    with redis_server.stopped():
        async with (
            aiohttp.ClientSession(here.base_url) as http,
            http.get("/api/me", headers={"Authorization": f"Bearer {here.key}"}) as response,
        ):
            assert response.status == 200
