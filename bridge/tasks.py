"""The only module that starts background tasks, waits for them, abandons them, or logs their failures.

Nothing else in `bridge` may start a task or sleep.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")

YIELD_EVERY_S = 0.001
"""Seconds for which a turn may emit events before it lets other tasks run."""

_log = logging.getLogger(__name__)


class Tasks:
    """Background tasks with a name, an owner and an end.

    A task that fails is logged with its name; the others continue.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start_task(self, work: Coroutine[Any, Any, ResultT], name: str) -> asyncio.Task[ResultT]:
        """Run `work` until it ends or `close` is called; returns its task, for who waits for it."""
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def close(self) -> None:
        """Cancel every task and wait for all of them."""
        for task in self._running:
            task.cancel()
        await asyncio.wait(self._running) if self._running else None

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            _log.error("Background task %s failed.", task.get_name(), exc_info=failure)


class Abandoned(Exception):
    """Work was cancelled by somebody other than its caller."""


async def run_abandonable(
    work: Coroutine[Any, Any, ResultT], name: str, hold: Callable[[asyncio.Task[ResultT]], None]
) -> ResultT:
    """Return the result of `work`, run in a task that `hold` receives and that others may cancel.

    Cancelling the caller cancels the work, too.

    Raises:
        Abandoned: somebody else cancelled the task.
    """
    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(work, name=name)
            hold(task)
            await asyncio.wait({task})
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    if task.cancelled():
        raise Abandoned
    return task.result()


async def yield_to_loop() -> None:
    """Let the event loop run all other tasks once, in the middle of long work."""
    await asyncio.sleep(0)


async def sleep_safely(seconds: float) -> None:
    """Wait; cancelling it is safe."""
    await asyncio.sleep(seconds)


async def run_within(seconds: float, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Return the result of `work`; when the time is up, cancel it and do not wait for its cleanup.

    `asyncio.timeout` waits for the work to clean up, which may take as long as what it waited for. Cancelling
    cancels the work and does not wait for it either.

    Raises:
        TimeoutError: `work` took longer than `seconds`.
    """
    return await _run_in_slices(1, seconds, work)


async def run_while_awake(seconds: float, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """As `run_within`, but a pause of the whole process takes at most a tenth of the time from `work`.

    After a pause timers are due at once, though what was awaited may have come meanwhile.
    """
    return await _run_in_slices(10, seconds / 10, work)


async def _run_in_slices(slices: int, seconds: float, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    task = asyncio.create_task(work)
    try:
        for _ in range(slices):
            await asyncio.wait({task}, timeout=seconds)
            if task.done():
                break
    finally:
        if not task.done():
            task.cancel()
            _abandoned.add(task)
            task.add_done_callback(_forget_abandoned)
    if task.cancelled() or not task.done():
        raise TimeoutError
    return task.result()


_abandoned: set[asyncio.Task[Any]] = set()
"""Cancelled tasks that have not ended yet; nothing else references them."""


def _forget_abandoned(task: asyncio.Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()  # or asyncio logs that nobody retrieved it


async def log_failures(work: Coroutine[Any, Any, ResultT], what: str) -> ResultT | None:
    """Return what optional `work` gives; None when it raised, which is logged under `what`.

    Cancelling cancels it.
    """
    try:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(work, name=what)
    except ExceptionGroup as failures:
        _log.error("%s failed.", what, exc_info=failures.exceptions[0])
        return None
    return running.result()
