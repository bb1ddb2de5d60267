"""A turn on its way through its stages (`bridge.models.agent.turn_stages`), and who observes it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from bridge.calls.limits.circuit_breaker import BreakerKey, Breakers, BreakerVerdict, Ending
from bridge.errors import ErrorCode, WireError
from bridge.models.agent.loop.turn_log import TurnLogger
from bridge.models.agent.toolbox import Toolbox
from bridge.models.agent.turn import CallEnded, Emit, ModelOutput, Turn, TurnEvent, TurnResult

TurnObserver: TypeAlias = Callable[[TurnEvent], Awaitable[None] | None]
"""Receives every event of a turn. May return what is to be waited for, which delays the turn; None is for the
many events that concern it not at all. Raising ends the turn."""


class TurnEvents:
    """The events of one turn, delivered to its observers one after the other."""

    __slots__ = ("_lock", "observers")

    def __init__(self) -> None:
        self.observers: tuple[TurnObserver, ...] = ()
        self._lock = asyncio.Lock()

    async def tell_observers(self, event: TurnEvent) -> None:
        """Deliver an event. As `Emit`; an observer may emit events of its own while it handles one."""
        for observer in self.observers:
            if (rest := observer(event)) is not None:
                await rest

    async def tell_singly(self, event: TurnEvent) -> None:
        """Deliver an event of one of several tasks, once the event before has been handled. As `Emit`."""
        async with self._lock:
            for observer in self.observers:
                if (rest := observer(event)) is not None:
                    await rest


class SkippedRounds:
    """Counts rounds in which every call was skipped because its circuit breaker is open."""

    __slots__ = ("_breakers", "_calls", "_key", "_title", "failures")

    def __init__(self, breakers: Breakers, key: BreakerKey, title: str) -> None:
        self.failures = 0
        self._breakers = breakers
        self._key = key
        self._title = title
        self._calls: list[CallEnded] = []
        """Calls of the round that ended last."""

    def count_call(self, event: TurnEvent) -> None:
        """Record an event. As `TurnObserver`."""
        if isinstance(event, CallEnded):
            self._calls.append(event)
        elif isinstance(event, ModelOutput):
            self.finish_round()

    def finish_round(self) -> None:
        """Count one failure of the request if every call of the round was skipped."""
        calls, self._calls = self._calls, []
        if calls and all(call.is_breaker_open for call in calls):
            self.failures += 1
            message = "All tools of a round are paused after repeated failures."
            error = WireError(code=ErrorCode.BREAKER_OPEN, message=message)
            ending = Ending(BreakerVerdict.FAILED, self._title, error)
            self._breakers.leave_breaker(self._key, ending, is_probe=False)


@dataclass(slots=True)
class StagedTurn:
    """A turn on its way through the stages, and what one stage leaves for another."""

    turn: Turn
    """The turn as the stages so far have made it."""
    emit: Emit
    """To the caller."""
    events: TurnEvents = field(default_factory=TurnEvents)
    logger: TurnLogger | None = None
    skipped: SkippedRounds = field(init=False)
    toolbox: Toolbox = field(init=False)
    result: TurnResult = field(init=False)
    """How the turn ended: set before any stage is left without an exception."""
