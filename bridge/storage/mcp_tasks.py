"""Tasks of MCP clients in the database, so that a client can poll for a result after any restart.

Each method is one transaction, committed when it returns; all raise `BridgeError` (`database_unavailable`).
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Table, delete, select, update

from bridge.settings.storage import StorageSettings
from bridge.storage.encryption import Encrypted, Encryption, Unreadable
from bridge.storage.store import Store
from bridge.storage.tables import McpTaskRow

KEEP_SECONDS = 24 * 3600
"""Seconds for which a task can be read."""

MAX_TASKS = 200
"""Maximum number of a user's tasks; beyond it the oldest go."""

MAX_RESULT_BYTES = 8 * 1024 * 1024
"""Maximum bytes of a result that is stored: an image of 5 MiB in base64, and its envelope."""

TASKS = cast(Table, McpTaskRow.__table__)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task as stored. Times are UTC seconds since 1970."""

    task_id: str
    created_at: float
    ended_at: float | None
    is_cancelled: bool
    result: bytes | None
    """JSON of the result; None: not ended yet, or not stored."""


class McpTaskTable:
    """Writes and reads tasks."""

    def __init__(self, store: Store, settings: StorageSettings) -> None:
        self._session = store.sessions
        self._encryption = Encryption(settings)

    async def add_task(self, task_id: str, user_id: str, asked_by: str, created_at: float) -> None:
        """Store a task that has begun, and delete the user's expired and oldest ones."""
        async with self._session.begin_transaction() as session:
            row = McpTaskRow(
                id=task_id, user_id=user_id, asked_by=asked_by, created_at=created_at, is_cancelled=False
            )
            session.add(row)
            await session.flush()
            of_user = McpTaskRow.user_id == user_id
            newest = select(McpTaskRow.id).where(of_user).order_by(McpTaskRow.created_at.desc())
            is_kept = McpTaskRow.id.in_(newest.limit(MAX_TASKS))
            is_old = McpTaskRow.created_at < time.time() - KEEP_SECONDS
            await session.execute(delete(McpTaskRow).where(of_user, is_old | ~is_kept))

    async def end_task(self, task_id: str, user_id: str, result: bytes, *, is_cancelled: bool) -> None:
        """Store how a task has ended; a result that is too large is not stored."""
        encrypted = Encrypted(b"", None)
        if len(result) <= MAX_RESULT_BYTES:
            encrypted = self._encryption.encrypt_bytes(
                result, place_of_task(user_id, task_id), is_reasoning=False
            )
        values = {
            "ended_at": time.time(),
            "is_cancelled": is_cancelled,
            "result": encrypted.content or None,
            "key_id": encrypted.key_id,
        }
        async with self._session.begin_transaction() as session:
            await session.execute(update(McpTaskRow).where(McpTaskRow.id == task_id).values(**values))

    async def find_task(self, task_id: str, user_id: str, asked_by: str) -> StoredTask | None:
        """Return a task of one key of a user; None when there is none, or it has expired."""
        async with self._session() as session:
            row = await session.get(McpTaskRow, task_id)
        if row is None or (row.user_id, row.asked_by) != (user_id, asked_by):
            return None
        if row.created_at < time.time() - KEEP_SECONDS:
            return None
        return StoredTask(task_id, row.created_at, row.ended_at, row.is_cancelled, self._result_of(row))

    def _result_of(self, row: McpTaskRow) -> bytes | None:
        if row.result is None:
            return None
        try:
            place = place_of_task(row.user_id, row.id)
            return self._encryption.decrypt_bytes(Encrypted(row.result, row.key_id), place)
        except Unreadable as error:
            _log.warning("The result of task %s cannot be read: %s", row.id, error)
            return None


def place_of_task(user_id: str, task_id: str) -> str:
    """Return the place to which the result of a task is bound by its encryption."""
    return f"mcp task {user_id} {task_id}"
