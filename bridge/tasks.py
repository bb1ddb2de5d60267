"""The only module that starts background tasks, waits for them, abandons them, or logs their failures.

Nothing else in `bridge` may start a task or sleep.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

ResultT = TypeVar("ResultT")
CompanionT = TypeVar("CompanionT")

YIELD_EVERY_S = 0.001
"""Seconds for which a turn may emit events before it lets other tasks run."""

AGAIN_S = 1.0
"""Seconds until a task that must not end begins again after a failure."""

_log = logging.getLogger(__name__)


class Tasks:
    """Background tasks with a name, an owner and an end.

    A task that fails is logged with its name; the others continue.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def start_task(self, work: Coroutine[Any, Any, ResultT], name: str) -> asyncio.Task[ResultT]:
        """Run `work` until it ends or `close` is called; returns its task, for who waits for it."""
        task = asyncio.create_task(work, name=name)
        self._hold(task)
        return task

    def keep_running(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Run `work` until it returns or `close` is called; if it fails, begin it again after `AGAIN_S`.

        For what watches, sweeps or beats for as long as the process lives: it would end for good at a failure
        that nobody thought of, and only the log would know.
        """
        self.start_task(_run_again(work, name), name)

    def adopt_task(self, task: asyncio.Task[Any]) -> None:
        """Own a task that others have started, and do not own any more; after `close` it is cancelled."""
        self._hold(task)
        if self._is_closed:
            task.cancel()

    async def close(self) -> None:
        """Cancel every task and wait for all of them."""
        self._is_closed = True
        for task in self._running:
            task.cancel()
        await asyncio.wait(self._running) if self._running else None

    def _hold(self, task: asyncio.Task[Any]) -> None:
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            _log.error("Background task %s failed.", task.get_name(), exc_info=failure)


async def _run_again(work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
    while True:
        try:
            return await work()
        except Exception:  # a boundary: what must not end for good begins again
            _log.exception("Background task %s failed, and begins again in %g s.", name, AGAIN_S)
        await asyncio.sleep(AGAIN_S)


class Abandoned(Exception):
    """Work was cancelled by somebody other than its caller."""


class AbandonableWork:
    """What the current task does within this context, which others may cancel without ending the task.

    It is the task's own work: a task for it would hold three kilobytes more. Cancelling the task cancels the
    work, too. Leaving raises `Abandoned` if nobody but the others has cancelled it.
    """

    __slots__ = ("_cancelled_before", "_has_ended", "_owner", "_times")

    def __enter__(self) -> AbandonableWork:
        """Begin the work."""
        owner = asyncio.current_task()
        assert owner is not None
        self._owner = owner
        self._cancelled_before = owner.cancelling()
        self._times = 0
        self._has_ended = False
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End it.

        Raises:
            Abandoned: others have cancelled it.
        """
        self._has_ended = True
        left = self._owner.cancelling()
        for _time in range(self._times):
            left = self._owner.uncancel()
        if self._times and kind is asyncio.CancelledError and left <= self._cancelled_before:
            raise Abandoned from None

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing left to cancel."""
        return self._has_ended

    def cancel(self) -> None:
        """Cancel the work, unless it has ended."""
        if not self._has_ended:
            self._times += 1
            self._owner.cancel()


class SideTask:
    """One task beside the work of the current task in this context, whenever there is something for it to do.

    It does what a task group with one task does, and holds next to nothing while that does not run. If it
    fails, it cancels the work, and leaving raises its failure. Leaving waits for its end; leaving by an
    exception cancels it.
    """

    __slots__ = ("_cancelled_before", "_failure", "_has_cancelled", "_has_ended", "_owner", "_running")

    def __init__(self) -> None:
        self._running: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._has_ended = False
        self._has_cancelled = False

    async def __aenter__(self) -> SideTask:
        """Begin the work."""
        owner = asyncio.current_task()
        assert owner is not None
        self._owner = owner
        self._cancelled_before = owner.cancelling()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: object
    ) -> None:
        """End it.

        Raises:
            Exception: the task's failure.
        """
        self._has_ended = True
        if self._running is not None:
            await self._wait_for_end(is_cancelled=error is not None)
        if self._failure is None:
            return
        if not self._has_cancelled:
            if kind is not asyncio.CancelledError:
                raise self._failure from None
        elif self._owner.uncancel() <= self._cancelled_before:
            raise self._failure from None

    @property
    def is_running(self) -> bool:
        """Whether the task runs."""
        return self._running is not None and not self._running.done()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` in the task, which does not run."""
        self._running = asyncio.create_task(work)
        self._running.add_done_callback(self._note_end)

    def cancel(self) -> None:
        """Cancel the task, if it runs."""
        if self._running is not None:
            self._running.cancel()

    async def _wait_for_end(self, *, is_cancelled: bool) -> None:
        running = self._running
        assert running is not None
        if is_cancelled:
            running.cancel()
        try:
            await asyncio.wait({running})
        except asyncio.CancelledError:
            running.cancel()
            await asyncio.wait({running})
            raise
        self._note_end(running)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        if self._running is task:
            self._running = None
        if task.cancelled() or (failure := task.exception()) is None:
            return
        self._failure = failure
        if not self._has_ended:
            self._has_cancelled = True
            self._owner.cancel()


async def run_with_companion(
    work: Coroutine[Any, Any, ResultT],
    companion: Callable[[asyncio.Future[ResultT]], Coroutine[Any, Any, CompanionT]],
    after_s: float,
    *,
    ends_work: bool = True,
) -> tuple[ResultT, CompanionT | None]:
    """Return the result of `work`, run by the caller's own task: most work needs no second one.

    When it takes longer than `after_s`, `companion` runs beside it in a task, waits for the future that it is
    given, which gets the result, and ends; its own result is returned, too. Work that fails cancels it, and a
    companion that fails cancels the work if it `ends_work`. Cancelling cancels both.

    Raises:
        Exception: what `work` raises, or the companion; of one that ends no work, once that has ended.
    """
    accompanied = _Accompanied(companion, ends_work=ends_work)
    timer = asyncio.get_running_loop().call_later(after_s, accompanied.start)
    try:
        result = await work
    except BaseException as error:
        timer.cancel()
        await accompanied.cancel()
        is_cancelled, failure = isinstance(error, asyncio.CancelledError), accompanied.failure
        if is_cancelled and failure is not None and accompanied.owner.uncancel() == 0:
            raise failure from None
        raise
    timer.cancel()
    return result, None if accompanied.running is None else await accompanied.finish(result)


class _Accompanied(Generic[ResultT, CompanionT]):
    """The companion of some work, whose failure may cancel the task that runs the work."""

    __slots__ = ("_companion", "_ends_work", "_has_ended", "_result", "failure", "owner", "running")

    def __init__(
        self,
        companion: Callable[[asyncio.Future[ResultT]], Coroutine[Any, Any, CompanionT]],
        *,
        ends_work: bool,
    ) -> None:
        owner = asyncio.current_task()
        assert owner is not None
        self.owner = owner
        self.running: asyncio.Task[CompanionT] | None = None
        self.failure: BaseException | None = None
        """That for which the work was cancelled."""
        self._companion = companion
        self._ends_work = ends_work
        self._result: asyncio.Future[ResultT] | None = None
        self._has_ended = False

    def start(self) -> None:
        self._result = asyncio.get_running_loop().create_future()
        self.running = asyncio.create_task(self._companion(self._result))
        self.running.add_done_callback(self._note_end)

    async def finish(self, result: ResultT) -> CompanionT:
        """Give it the result, and return its own."""
        assert self.running is not None
        assert self._result is not None
        self._has_ended = True
        self._result.set_result(result)
        return await self.running

    async def cancel(self) -> None:
        """Cancel it, and wait until it has ended."""
        self._has_ended = True
        if self.running is not None:
            self.running.cancel()
            await asyncio.wait({self.running})

    def _note_end(self, task: asyncio.Task[CompanionT]) -> None:
        failure = None if task.cancelled() else task.exception()
        if failure is not None and self._ends_work and not self._has_ended:
            self.failure = failure
            self.owner.cancel()


def run_without_waiting(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Return the result of `work`, of which the caller knows that it waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError(f"{work} waits")


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
