"""Deltas that come soon after each other, told as one: fewer and larger events for a reader who is slow.

A delta after a pause is told at once. Those that follow wait for others for a moment, and no longer; anything
else that happens tells them first, so that order and text stay as they were.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from bridge.agent.model import ModelEvent
from bridge.agent.turn import Emit, ModelOutput, TurnEvent
from bridge.tasks import sleep_safely
from toolserver.json_types import text_at

_JOINABLE = frozenset(
    {
        "response.output_text.delta",
        "response.refusal.delta",
        "response.reasoning_text.delta",
        "response.reasoning_summary_text.delta",
        "response.function_call_arguments.delta",
    }
)
_PLACE = ("type", "item_id", "output_index", "content_index", "summary_index")


@asynccontextmanager
async def coalesce_deltas(emit: Emit, char_limit: int, wait_s: float) -> AsyncGenerator[Emit]:
    """An `Emit` that joins deltas up to `char_limit` characters for up to `wait_s`; 0 characters: none.

    What waits is told before the context is left, unless it is left by an exception. What `emit` raises in
    between cancels what runs in the context, and is raised here.
    """
    if char_limit == 0:
        yield emit
        return
    coalescer = _Coalescer(emit, char_limit, wait_s)
    try:
        async with asyncio.TaskGroup() as group:
            timer = group.create_task(coalescer.flush_in_time(), name="deltas that wait")
            yield coalescer.add_event
            await coalescer.flush_deltas()
            timer.cancel()
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


@dataclass(slots=True)
class _Coalescer:
    emit: Emit
    char_limit: int
    wait_s: float
    _waiting: list[ModelOutput] = field(default_factory=list[ModelOutput])
    """Of one place, in order."""
    _chars: int = 0
    _flushed_at: float = float("-inf")
    _something: asyncio.Event = field(default_factory=asyncio.Event)
    _flush_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def add_event(self, event: TurnEvent) -> None:
        """As `Emit`."""
        if not isinstance(event, ModelOutput) or not _can_wait(event):
            await self._flush_then_emit(event)
            return
        if self._waiting and _place(self._waiting[0]) != _place(event):
            await self.flush_deltas()
        is_first = not self._waiting and _now() - self._flushed_at >= self.wait_s
        self._waiting.append(event)
        self._chars += len(text_at(event.event.body, "delta"))
        if is_first or self._chars >= self.char_limit:
            await self.flush_deltas()
        else:
            self._something.set()

    async def flush_deltas(self) -> None:
        """Tell what waits."""
        await self._flush_then_emit(None)

    async def flush_in_time(self) -> None:
        """Tell what has waited long enough, until cancelled."""
        while True:
            await self._something.wait()
            self._something.clear()
            await sleep_safely(self.wait_s)
            await self.flush_deltas()

    async def _flush_then_emit(self, event: TurnEvent | None) -> None:
        """Tell what waits, then the event; the timer and the turn may both come here."""
        async with self._flush_lock:
            waiting, self._waiting, self._chars = self._waiting, [], 0
            if waiting:
                await self.emit(_join_deltas(waiting))
                self._flushed_at = _now()
            if event is not None:
                await self.emit(event)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _can_wait(output: ModelOutput) -> bool:
    """Probabilities belong to single tokens, and cannot be joined."""
    return output.event.type in _JOINABLE and not output.event.body.get("logprobs")


def _place(output: ModelOutput) -> tuple[object, ...]:
    return (output.round, *(output.event.body.get(name) for name in _PLACE))


def _join_deltas(waiting: list[ModelOutput]) -> ModelOutput:
    """The first of them with the text of all."""
    text = "".join(text_at(output.event.body, "delta") for output in waiting)
    return replace(waiting[0], event=ModelEvent({**waiting[0].event.body, "delta": text}))
