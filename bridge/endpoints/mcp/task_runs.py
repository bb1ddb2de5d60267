"""Calls that may become tasks, while they run in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from bridge.auth.identity import Caller
from bridge.calls.endings import stopped
from bridge.endpoints.mcp.content import JsonResult, render_error
from bridge.endpoints.mcp.progress import CallProgress
from bridge.endpoints.mcp.protocol import RpcError
from bridge.errors import BUG
from bridge.tasks import AbandonableWork, Abandoned


class NoteDelivery(Protocol):
    """Takes whether the answer to a call was heard (ruling 39)."""

    def __call__(self, *, heard: bool) -> None:
        """Note it."""
        ...


@dataclass(slots=True)
class TaskRun:
    """One call on its way to its result."""

    owner: Caller
    progress: CallProgress
    note_delivery: NoteDelivery
    created_at: float = field(default_factory=time.time)
    is_task: bool = False
    """Whether its client was given a handle, or is about to be."""
    is_cancelled: bool = False
    outcome: JsonResult | RpcError | None = None
    """Set once."""
    _is_answered: bool = False
    _work: AbandonableWork | None = None

    async def run(self, work: Coroutine[Any, Any, JsonResult]) -> None:
        """Run the call to its end; a bug is its end, too, and is raised."""
        try:
            with AbandonableWork() as self._work:
                self.outcome = await work
        except Abandoned:
            self.outcome = render_error(stopped("caller"), self.progress.call_id)
        except RpcError as error:
            self.outcome = error
        finally:  # whatever has ended it: its client waits for that
            self.outcome = self.outcome or render_error(BUG, self.progress.call_id)
            self.progress.wake(None)
            self._note_heard()

    async def wait_for_task(self, task_after_s: float) -> None:
        """Return when the call has ended, or may become a task; see `Timings.task_after_s`."""
        becomes_at, seen = time.monotonic() + task_after_s, 0
        while self.outcome is None and not (self.progress.call_id and self.progress.is_asking):
            try:
                async with asyncio.timeout(becomes_at - time.monotonic()):
                    seen = await self.progress.wait_for_news(seen)
            except TimeoutError:
                return

    def mark_answered(self) -> None:
        """Count the call as heard once it has ended: its client has the result, or the handle."""
        self._is_answered = True
        self._note_heard()

    def _note_heard(self) -> None:
        if self._is_answered and self.outcome is not None:
            self.note_delivery(heard=True)

    def cancel(self) -> None:
        """Abort the call, unless it has ended."""
        if self._work is not None and not self._work.has_ended:
            self.is_cancelled = True
            self._work.cancel()
