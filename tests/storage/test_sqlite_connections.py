"""Threads of SQLite's connections: they end before the event loop does, whatever was cancelled."""

import asyncio
import threading
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from bridge.storage.database import open_sqlite

SLOW = text(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT count(*) FROM n"
)


@pytest.mark.asyncio
async def test_a_statement_that_was_cancelled_has_ended_when_its_database_is_closed(tmp_path: Path) -> None:
    """Its thread would answer to a loop that is closed, and end with a traceback on standard error."""
    before = set(threading.enumerate())
    engines = open_sqlite(tmp_path / "bridge.db")
    running = asyncio.create_task(_count_slowly(engines.reading, began := asyncio.Event()))
    await began.wait()
    while not running.done():
        running.cancel()  # a second time while the connection is closed: SQLAlchemy no longer waits then
        await asyncio.sleep(0)
    assert _new_threads(before)

    await engines.reading.dispose()
    assert engines.connections is not None
    await engines.connections.wait_ended()

    assert _new_threads(before) == []


async def _count_slowly(engine: AsyncEngine, began: asyncio.Event) -> None:
    event.listen(engine.sync_engine, "before_cursor_execute", lambda *_: began.set())
    async with engine.connect() as connection:
        await connection.execute(SLOW)


def _new_threads(before: set[threading.Thread]) -> list[str]:
    """Return the names of database threads that were not there before; the loop's own threads stay."""
    new = set(threading.enumerate()) - before
    return [each.name for each in new if not each.name.startswith("asyncio")]
