"""Responses that are being made now, so that they can be cancelled by their id from another connection."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class Cancelled(Exception):
    """The response was cancelled by its id; whoever waits for it is told so."""


class RunningResponses:
    """The running responses of all users. All methods run on one event loop."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, str], asyncio.Task[Any]] = {}
        self._cancelled: set[tuple[str, str]] = set()

    async def run(self, user_id: str, response_id: str, work: Coroutine[Any, Any, T]) -> T:
        """Do the work, which `cancel` ends. When the caller itself is cancelled, so is the work.

        Raises:
            Cancelled: somebody cancelled this response.
        """
        key = (user_id, response_id)
        try:
            async with asyncio.TaskGroup() as group:
                task = group.create_task(work, name=f"response {response_id}")
                with self._named(key, task):
                    await asyncio.wait({task})
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        if task.cancelled():
            raise Cancelled
        return task.result()

    def cancel(self, user_id: str, response_id: str) -> bool:
        """Cancel a user's running response; False when there is none of that id."""
        task = self._running.get((user_id, response_id))
        return task is not None and task.cancel()

    @contextmanager
    def _named(self, key: tuple[str, str], task: asyncio.Task[Any]) -> Generator[None]:
        self._running[key] = task
        try:
            yield
        finally:
            del self._running[key]
