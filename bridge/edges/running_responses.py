"""Responses that are being made now, so that they can be cancelled by their id from another connection."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from bridge.edges.model_answers import ResponsesAnswer
from toolserver.json_types import JsonObject

T = TypeVar("T")


class Cancelled(Exception):
    """The response was cancelled by its id."""

    def __init__(self, frames: bytes) -> None:
        """`frames`: with which its stream ends."""
        super().__init__()
        self.frames = frames


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[Any]
    answer: ResponsesAnswer
    last_frames: bytes = b""


class RunningResponses:
    """The running responses of all users. All methods run on one event loop."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, str], _Running] = {}

    async def run(self, key: tuple[str, str], answer: ResponsesAnswer, work: Coroutine[Any, Any, T]) -> T:
        """Do the work on an answer, which `cancel` ends. When the caller itself is cancelled, so is the work.

        `key`: the user's id and the response's.

        Raises:
            Cancelled: somebody cancelled this response.
        """
        try:
            async with asyncio.TaskGroup() as group:
                task = group.create_task(work, name=f"response {key[1]}")
                entry = self._running[key] = _Running(task, answer)
                await asyncio.wait({task})
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            self._running.pop(key, None)
        if task.cancelled():
            raise Cancelled(entry.last_frames)
        return task.result()

    def cancel(self, user_id: str, response_id: str) -> JsonObject | None:
        """Cancel a user's running response; returns it as far as it goes, None when there is none."""
        entry = self._running.pop((user_id, response_id), None)
        if entry is None or entry.task.done():
            return None
        entry.last_frames = entry.answer.cancelled()
        entry.task.cancel()
        return entry.answer.whole()
