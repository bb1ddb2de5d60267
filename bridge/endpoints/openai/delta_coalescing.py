"""Deltas that come soon after each other, told as one: fewer and larger events for a reader who is slow.

A delta after a pause is told at once. Those that follow wait for others for a moment, and no longer; anything
else that happens tells them first, so that order and text stay as they were.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import TracebackType

from bridge.models.agent.model import ModelEvent
from bridge.models.agent.turn import Emit, ModelOutput, TurnEvent
from bridge.tasks import SideTask, sleep_safely
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


class CoalescedDeltas:
    """An `Emit` that joins deltas up to `char_limit` characters for up to `wait_s`; 0 characters: none.

    What waits is told before the context is left, unless it is left by an exception. What `emit` raises in
    between cancels what runs in the context, and is raised here.
    """

    __slots__ = (
        "_char_limit",
        "_chars",
        "_emit",
        "_flush_lock",
        "_flushed_at",
        "_timer",
        "_wait_s",
        "_waiting",
    )

    def __init__(self, emit: Emit, char_limit: int, wait_s: float) -> None:
        self._emit = emit
        self._char_limit = char_limit
        self._wait_s = wait_s
        self._waiting: list[ModelOutput] = []
        """Of one place, in order."""
        self._chars = 0
        self._flushed_at = float("-inf")

    async def __aenter__(self) -> Emit:
        """Begin."""
        if self._char_limit == 0:
            return self._emit
        self._timer = SideTask()
        self._flush_lock = asyncio.Lock()
        await self._timer.__aenter__()
        return self.add_event

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Tell what waits, unless there is an exception.

        Raises:
            Exception: what `emit` raises.
        """
        if self._char_limit == 0:
            return
        try:
            if error is None:
                await self.flush_deltas()
            self._timer.cancel()
        finally:
            await self._timer.__aexit__(kind, error, trace)

    async def add_event(self, event: TurnEvent) -> None:
        """As `Emit`."""
        if not isinstance(event, ModelOutput) or not _can_wait(event):
            await self._flush_then_emit(event)
            return
        if self._waiting and _place(self._waiting[0]) != _place(event):
            await self.flush_deltas()
        is_first = not self._waiting and _now() - self._flushed_at >= self._wait_s
        self._waiting.append(event)
        self._chars += len(text_at(event.event.body, "delta"))
        if is_first or self._chars >= self._char_limit:
            await self.flush_deltas()
        elif not self._timer.is_running:
            self._timer.start(self._flush_in_time())

    async def flush_deltas(self) -> None:
        """Tell what waits."""
        await self._flush_then_emit(None)

    async def _flush_in_time(self) -> None:
        """Tell what has waited long enough, while something waits."""
        while self._waiting:
            await sleep_safely(self._wait_s)
            await self.flush_deltas()

    async def _flush_then_emit(self, event: TurnEvent | None) -> None:
        """Tell what waits, then the event; the timer and the turn may both come here."""
        async with self._flush_lock:
            waiting, self._waiting, self._chars = self._waiting, [], 0
            if waiting:
                await self._emit(_join_deltas(waiting))
                self._flushed_at = _now()
            if event is not None:
                await self._emit(event)


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
