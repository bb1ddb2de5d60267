"""Two bridges in this process on one PostgreSQL, each of which follows what the other changes."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from bridge.app.secret_files import write_private
from bridge.app.server import Bridge
from bridge.app.start import start_bridge
from bridge.cluster.changes import LOOK_S, Changes, ring_with
from bridge.cluster.redis_bell import RedisBell
from bridge.cluster.redis_connection import RedisConnection
from bridge.storage.database import open_database
from bridge.storage.replicas.change_counters import ChangeCounters
from bridge.storage.store import StoreHooks
from bridge.tasks import Tasks
from tests.support.documents.inline_reader import InlineReader
from tests.support.running_bridge import TEST_LIMITS
from tests.support.settings import bridge_settings
from tests.support.waiting import eventually


@dataclass(frozen=True)
class FollowingBridges:
    """Something is changed `here`, and must be seen `there`."""

    here: Bridge
    there: Bridge


@asynccontextmanager
async def following_bridges(
    folder: Path, database: URL, redis_url: str, *, look_s: float = LOOK_S
) -> AsyncGenerator[FollowingBridges]:
    """Two such bridges; rings arrive when this yields, unless they look often, as without Redis."""
    secret, folders = secrets.token_hex(32), [folder / "here", folder / "there"]
    for own in folders:
        own.mkdir()
        write_private(own / "secret.key", secret)
    async with AsyncExitStack() as stack:
        bridges = [
            await stack.enter_async_context(_following(own, database, redis_url, look_s)) for own in folders
        ]
        yield FollowingBridges(*bridges)


@asynccontextmanager
async def _following(folder: Path, database: URL, redis_url: str, look_s: float) -> AsyncGenerator[Bridge]:
    connection, tasks = RedisConnection(redis_url), Tasks()
    bell = RedisBell(connection)
    bridge = await start_bridge(
        bridge_settings(folder, limits=TEST_LIMITS),
        open_database(database),
        documents=InlineReader(),
        hooks=StoreHooks(on_commit=ring_with(bell, tasks), is_shared=True),
    )
    followed = bridge.components.list_followed()
    changes = Changes(ChangeCounters(bridge.components.store), bell, tasks, followed, look_s=look_s)
    await changes.read_first()  # no one has changed anything since the start
    await bridge.components.documents.followed.note_versions()
    tasks.start_task(bell.listen(changes.hear_ring), "the bell")
    tasks.start_task(changes.keep_looking(), "changes")
    if look_s >= LOOK_S:
        await eventually(lambda: bell.is_listening)
    try:
        yield bridge
    finally:
        await tasks.close()
        await connection.close()
        await bridge.close()
