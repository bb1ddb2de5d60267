"""Responses that are being made now: the one owner of their tasks.

One in the foreground lives as long as its caller's connection. One in the background lives until it has
ended, somebody cancels it, or the bridge stops; others listen to it meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bridge.endpoints.openai.frames import encode_events
from bridge.endpoints.openai.responses_api.event_log import EventLog
from bridge.errors import ErrorCode, WireError
from bridge.models.agent.responses.writer import ResponsesWriter
from bridge.openai_errors import ApiError, ApiFailure, of_wire
from bridge.tasks import AbandonableWork, Abandoned, Tasks

MAX_IN_BACKGROUND = 20
"""Maximum background responses of one user at once. Chosen."""

STOP_S = 5.0
"""Seconds for background responses to store their state when the bridge stops."""


class Cancelled(Exception):
    """The response was cancelled by its id, or the bridge stops."""

    def __init__(self, frames: bytes) -> None:
        """`frames`: with which its stream ends; empty when the bridge stops."""
        super().__init__()
        self.frames = frames


@dataclass(slots=True)
class RunningResponse:
    """Show one conversation."""

    user_id: str
    response_id: str
    answer: ResponsesWriter
    log: EventLog | None = None
    """Of one in the background."""
    work: AbandonableWork | None = None
    """What a cancel ends; None before it has begun."""
    last_frames: bytes = b""
    """Of one that was cancelled by its id."""
    keeping: asyncio.Task[None] | None = None
    """Of one in the background: its task, which also stores how it ended."""
    _is_gone: bool = False
    _gone: asyncio.Event | None = None
    """What others wait for, if any do."""

    async def wait_gone(self) -> None:
        """Wait until it runs no more, and what is kept of it is kept."""
        if not self._is_gone:
            self._gone = self._gone or asyncio.Event()
            await self._gone.wait()

    def mark_gone(self) -> None:
        """Tell whoever waits that it runs no more."""
        self._is_gone = True
        if self._gone is not None:
            self._gone.set()


class CancellableWork(AbandonableWork):
    """The work on an answer, for which a cancelled response is a `Cancelled`."""

    __slots__ = ("_running",)

    def __init__(self, running: RunningResponse) -> None:
        self._running = running

    def __enter__(self) -> CancellableWork:
        """Begin the work.

        Raises:
            Cancelled: the response was cancelled before.
        """
        if self._running.last_frames:
            raise Cancelled(self._running.last_frames)
        super().__enter__()
        self._running.work = self
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """End it.

        Raises:
            Cancelled: somebody has cancelled this response, or the bridge stops.
        """
        running = self._running
        del self._running  # which holds this, and the whole answer
        try:
            super().__exit__(kind, *rest)
        except Abandoned:
            raise Cancelled(running.last_frames) from None


class FoundResponse:
    """A response that can be found while the context is open."""

    __slots__ = ("_all", "_running")

    def __init__(self, all_running: dict[tuple[str, str], RunningResponse], running: RunningResponse) -> None:
        self._all = all_running
        self._running = running

    def __enter__(self) -> None:
        """Begin."""
        self._all[self._running.user_id, self._running.response_id] = self._running

    def __exit__(self, *_: object) -> None:
        """End."""
        del self._all[self._running.user_id, self._running.response_id]
        self._running.mark_gone()


class RunningResponses:
    """The running responses of all users. All methods run on one event loop."""

    def __init__(self, tasks: Tasks) -> None:
        """`tasks`: where those in the background run."""
        self._tasks = tasks
        self._running: dict[tuple[str, str], RunningResponse] = {}
        self._in_background: Counter[str] = Counter()
        self._is_stopping = False

    def find_running(self, user_id: str, response_id: str) -> RunningResponse | None:
        """A user's running response."""
        return self._running.get((user_id, response_id))

    def count_user(self, user_id: str) -> int:
        """Return how many responses of a user are running."""
        return sum(running.user_id == user_id for running in self._running.values())

    def enter_running(self, running: RunningResponse) -> FoundResponse:
        """It can be found while the context is open."""
        return FoundResponse(self._running, running)

    def run_cancellable(self, running: RunningResponse) -> CancellableWork:
        """Return the context for the work on an answer, which `cancel_running` ends.

        When the caller itself is cancelled, so is the work.
        """
        return CancellableWork(running)

    def start_background(
        self, running: RunningResponse, work: Coroutine[Any, Any, None]
    ) -> asyncio.Task[None]:
        """Do the work in the background, in a task that is returned; it can be found until it is done."""
        self._in_background[running.user_id] += 1
        self._running[running.user_id, running.response_id] = running
        name = f"background response {running.response_id}"
        running.keeping = self._tasks.start_task(self._done(running, work), name)
        return running.keeping

    def check_room(self, user_id: str) -> None:
        """See whether one more may run in the background.

        Raises:
            ApiFailure: too many of this user's do, or the bridge stops.
        """
        if self._is_stopping:
            error = WireError(code=ErrorCode.SERVER_BUSY, message="The bridge is stopping.", retryable=True)
            raise ApiFailure(of_wire(error))
        if self._in_background[user_id] >= MAX_IN_BACKGROUND:
            message = (
                f"{MAX_IN_BACKGROUND} of your responses already run in the background, which is the limit. "
                "Wait for one to end, or cancel one."
            )
            raise ApiFailure(ApiError(429, message, "rate_limit_error", "rate_limit_exceeded", "background"))

    def cancel_running(self, user_id: str, response_id: str) -> RunningResponse | None:
        """Cancel a user's running response; its listeners get its end. None when there is none."""
        running = self.find_running(user_id, response_id)
        if running is None or (running.work is not None and running.work.has_ended):
            return None
        if not running.last_frames:
            running.last_frames = encode_events(running.answer.write_cancelled())
            if running.work is not None:
                running.work.cancel()
        return running

    async def stop_background(self) -> None:
        """End those in the background in order, so that another process can go on with them."""
        self._is_stopping = True
        await _stop([running for running in self._running.values() if running.log is not None])

    async def stop_user(self, user_id: str) -> None:
        """End a user's responses in the background in order: the user is at home elsewhere from now on."""
        own = [running for running in self._running.values() if running.user_id == user_id]
        await _stop([running for running in own if running.log is not None])

    async def _done(self, running: RunningResponse, work: Coroutine[Any, Any, None]) -> None:
        try:
            with self.enter_running(running):
                await work
        finally:
            self._in_background[running.user_id] -= 1


async def _stop(background: Sequence[RunningResponse]) -> None:
    for running in background:
        if running.work is not None:
            running.work.cancel()
    with suppress(TimeoutError):
        async with asyncio.timeout(STOP_S):
            for running in background:
                await running.wait_gone()
    for running in background:  # what is not written down in time is asked for again, perhaps elsewhere
        if running.keeping is not None:
            running.keeping.cancel()
