"""Locks of conversations: one change at a time, and message changes only while no run is active."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from bridge.calls.open_call import OpenCall
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.models.conversations.conversation import Message, RunState
from bridge.tasks import AbandonableWork
from toolserver.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended."""

    state: RunState
    answer: Message | None = None
    """The model's last message in the run."""
    error: WireError | None = None
    usage: JsonObject = field(default_factory=dict[str, Any])
    goes_on: bool = False
    """Whether the next home of its user goes on with it."""


@dataclass(slots=True)
class LiveRun:
    """A run of a conversation that is active, or has just ended."""

    id: str
    conversation_id: str
    user_id: str
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    work: AbandonableWork | None = None
    """What a stop cancels; None before it has begun."""
    task: asyncio.Task[None] | None = None
    """What executes it; None before it has begun."""
    goes_on: bool = False
    """Whether nobody waits here for its end, so that it may come at another home."""
    is_to_move: bool = False
    """Whether it is to be given up after its present round, for another home."""
    stopped_by: Literal["user", "bridge", "move"] | None = None
    end: RunEnd | None = None
    """How the run ended; set together with `ended`."""
    on_call: Callable[[OpenCall], None] = lambda _: None
    """Callback for each call of the run whose state has changed."""

    def request_stop(self, by: Literal["user", "bridge", "move"]) -> None:
        """Cancel the run's work; the first caller is recorded as the one who stopped it."""
        self.stopped_by = self.stopped_by or by
        if self.work is not None:
            self.work.cancel()


class ConversationLocks:
    """Locks and active runs, by conversation. All methods run on one event loop."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()
        """Number of tasks that hold a conversation's lock or wait for it."""
        self._runs: dict[str, LiveRun] = {}

    @property
    def runs(self) -> list[LiveRun]:
        """All active runs."""
        return list(self._runs.values())

    def run_of(self, conversation_id: str) -> LiveRun | None:
        """Return the active run of a conversation; None when there is none."""
        return self._runs.get(conversation_id)

    def forward_call(self, call: OpenCall) -> None:
        """Forward a call of any user whose state has changed to its run."""
        context = call.request.context
        run = self.run_of(context.chat_id or "")
        if run is not None and run.id == context.turn_id:
            run.on_call(call)

    @asynccontextmanager
    async def lock_settings(self, conversation_id: str) -> AsyncGenerator[None]:
        """Hold the lock while changing what no run changes, such as settings. Waits for other holders."""
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
        """Hold the lock while changing messages.

        Raises:
            BridgeError: `conversation_busy`: a run is under way.
        """
        async with self.lock_settings(conversation_id):
            self._refuse_during_run(conversation_id)
            yield

    def enter_run(self, run: LiveRun) -> None:
        """Register a run; the caller holds the conversation by `lock_messages`."""
        self._runs[run.conversation_id] = run

    def leave_run(self, run: LiveRun, end: RunEnd) -> None:
        """Remove a run that has ended, and wake whoever waits for `ended`. Its results are stored by now."""
        if self._runs.get(run.conversation_id) is run:
            del self._runs[run.conversation_id]
        run.end = end
        run.ended.set()

    def _refuse_during_run(self, conversation_id: str) -> None:
        run = self._runs.get(conversation_id)
        if run is not None:
            message = (
                "This conversation is being answered. Wait for the answer, or stop it: "
                f"POST /conversations/{conversation_id}/stop."
            )
            detail = {"run_id": run.id}
            raise BridgeError(ErrorCode.CONVERSATION_BUSY, message, detail=detail, retryable=True)
