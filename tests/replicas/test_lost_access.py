"""A caller who may not get in any more, with requests open at a replica that is not the home of the user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import URL

from bridge.app.server import Bridge
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from bridge.timings import Timings
from tests.support.cluster.replicas import running_replicas
from tests.support.conversation_client import open_conversation
from tests.support.held_requests import HeldRequest, held_request
from tests.support.mcp_messages import modern_request
from tests.support.running_bridge import page_of
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

WITHIN_S = 10.0
"""Maximum seconds for what takes a second, and is promised within two; other tests may run beside it."""


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


async def no_answer(_call: dict[str, Any]) -> None:
    return None


async def open_everywhere(stack: AsyncExitStack, bridge: Bridge, key: str) -> list[HeldRequest]:
    """A stream of events, a subscription and a call that waits, asked of one replica."""
    client = await stack.enter_async_context(open_conversation(bridge, key))
    body, headers = modern_request("subscriptions/listen", {"notifications": {}})
    opened = [
        held_request(bridge.base_url, "GET", f"/conversations/{client.id}/events", key),
        held_request(bridge.base_url, "POST", "/mcp", key, body, headers),
        held_request(bridge.base_url, "POST", "/tools/listProducts", key, {}),
    ]
    held = [await stack.enter_async_context(each) for each in opened]
    await eventually(lambda: all(each.received for each in held))
    return held


@pytest.mark.parametrize("by_command", [False, True])
async def test_what_is_passed_on_ends_with_its_callers_access(
    tmp_path: Path,
    database: URL,
    redis_server: RedisServer,
    http: aiohttp.ClientSession,
    by_command: bool,
) -> None:
    """Finding S-M3: the other replica had let the caller in, and the home believed it ever after."""
    hurry = Timings(silence_s=0.1)
    async with (
        running_replicas(tmp_path, database, redis_server.url, timings=hurry) as (home, there),
        page_of(home, home.local_user.id, no_answer) as page,
        AsyncExitStack() as stack,
    ):
        store, user_id = home.components.store, home.local_user.id
        key_id, key = await UserTables(store).add_key(user_id, "stolen")
        opened = [
            *await open_everywhere(stack, there, key),
            *await open_everywhere(stack, home, key),
        ]
        if by_command:
            command = Store.open_store(database)
            assert await UserTables(command).delete_key(user_id, key_id)
            await command.close()
        else:
            url = f"{there.base_url}/api/keys/{key_id}"
            headers = {"Authorization": f"Bearer {page.token}"}
            async with http.delete(url, headers=headers) as answer:
                assert answer.status == 200
        await eventually(lambda: all(each.is_over for each in opened), within_s=WITHIN_S)
        assert [b"access_ended" in each.received for each in opened] == [True] * 6
        assert not any(each.was_cut for each in opened)
        assert len(page.calls) == 2
        await eventually(lambda: len(page.cancelled) == 2)
