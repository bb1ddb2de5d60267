"""Who may change a conversation now: one at a time, and nobody but its run while one is under way."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from bridge.calls.open_call import OpenCall
from bridge.conversations.conversation import Message, RunState
from bridge.errors import BridgeError, ErrorCode, WireError
from toolserver.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended."""

    state: RunState
    answer: Message | None = None
    """The last thing that the model said in it."""
    error: WireError | None = None
    usage: JsonObject = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class LiveRun:
    """A turn of a conversation that is under way, or has just ended."""

    id: str
    conversation_id: str
    user_id: str
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[Any] | None = None
    """What a stop cancels; None before it has begun."""
    stopped_by: Literal["user", "bridge"] | None = None
    end: RunEnd | None = None
    """Set with `ended`."""
    on_call: Callable[[OpenCall], None] = lambda _: None
    """Told each call of the run that comes to another state."""

    def stop_run(self, by: Literal["user", "bridge"]) -> None:
        """End it soon; the first who does so counts."""
        self.stopped_by = self.stopped_by or by
        if self.task is not None:
            self.task.cancel()


class ConversationLocks:
    """The conversations that somebody is at. All methods run on one event loop."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()
        """Who has a lock, or waits for it."""
        self._runs: dict[str, LiveRun] = {}

    @property
    def runs(self) -> list[LiveRun]:
        """All that are under way."""
        return list(self._runs.values())

    def run_of(self, conversation_id: str) -> LiveRun | None:
        """The run that is under way in a conversation."""
        return self._runs.get(conversation_id)

    @asynccontextmanager
    async def lock_settings(self, conversation_id: str) -> AsyncGenerator[None]:
        """Change what a run does not: waits for whoever does so, too."""
        lock = self._locks.setdefault(conversation_id, asyncio.Lock())
        self._waiting[conversation_id] += 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[conversation_id] -= 1
            if not self._waiting[conversation_id]:
                del self._waiting[conversation_id], self._locks[conversation_id]

    @asynccontextmanager
    async def lock_messages(self, conversation_id: str) -> AsyncGenerator[None]:
        """Change its messages.

        Raises:
            BridgeError: `conversation_busy`: a run is under way.
        """
        async with self.lock_settings(conversation_id):
            self._check(conversation_id)
            yield

    def enter_run(self, run: LiveRun) -> None:
        """A run begins; its caller holds the conversation by `free`."""
        self._runs[run.conversation_id] = run

    def leave_run(self, run: LiveRun, end: RunEnd) -> None:
        """It has ended, and what came of it is kept."""
        if self._runs.get(run.conversation_id) is run:
            del self._runs[run.conversation_id]
        run.end = end
        run.ended.set()

    def _check(self, conversation_id: str) -> None:
        run = self._runs.get(conversation_id)
        if run is not None:
            message = (
                "An answer is being made in this conversation. Wait until it has ended, or stop it: "
                f"POST /conversations/{conversation_id}/stop."
            )
            detail = {"run_id": run.id}
            raise BridgeError(ErrorCode.CONVERSATION_BUSY, message, detail=detail, retryable=True)
