"""Statements of replicas on their way to PostgreSQL and Redis, and back."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from tests.faults.replicas.engines import EngineLost
from tests.faults.replicas.network import LOST_S, Wires
from tests.faults.replicas.replica import ReplicaDouble

DRIVER_TURNS = 3
"""Turns of the event loop that a driver needs from its caller to its socket, and back."""

SLOW_S = 0.9
"""A statement that takes longer has trouble."""


class Observer(Protocol):
    """Who sees what happens to statements of PostgreSQL."""

    def note(self, text: str) -> None: ...
    def reach(self, step: str, replica: ReplicaDouble, call_id: str) -> None: ...
    def executed(self, replica: ReplicaDouble, name: str, call_id: str, result: Any) -> None: ...


@dataclass
class _Statement:
    """One of them."""

    replica: ReplicaDouble
    name: str
    call_id: str
    run: Callable[[], Any]
    sent_at: float
    answer: "asyncio.Future[Any]"

    @property
    def engine(self) -> str:
        return "redis" if self.name == "redis" else "postgres"

    def settle(self, result: Any) -> None:
        if self.answer.done():
            return
        if isinstance(result, EngineLost):
            self.answer.set_exception(result)
        else:
            self.answer.set_result(result)


class Statements:
    """The ways of all replicas to the engines."""

    def __init__(self, wires: Wires, observer: Observer) -> None:
        self._wires, self._observer = wires, observer
        self.away_until = {"postgres": 0.0, "redis": 0.0}
        self.loses_answer: set[str] = set()
        """Replicas that do not hear of their next statement of PostgreSQL, by their places."""

    async def ask(self, replica: ReplicaDouble, name: str, run: Callable[[], Any], call_id: str) -> Any:
        """Have an engine execute a statement. Raises `EngineLost`."""
        is_seen = name != "redis"
        if is_seen:
            self._observer.reach(f"asked {name}", replica, call_id)
            await _take_turns()
        future = asyncio.get_running_loop().create_future()
        statement = _Statement(replica, name, call_id, run, self._wires.now(), future)
        if is_seen:
            replica.pending[id(future)] = statement.sent_at
        self._wires.later(self._wires.latency(), lambda: self._arrive(statement))
        try:
            result = await future
            if is_seen:
                await _take_turns()
        except EngineLost:
            replica.troubles += is_seen
            raise
        finally:
            replica.pending.pop(id(future), None)
            took_s = self._wires.now() - max(statement.sent_at, replica.process.stood_until)
            replica.troubles += is_seen and took_s > SLOW_S
        if is_seen:
            self._observer.reach(f"known {name}", replica, call_id)
        return result

    def _arrive(self, statement: _Statement) -> None:
        place, engine, now = statement.replica.slot, statement.engine, self._wires.now()
        blocked_s = self._wires.blocked_s(place, engine)
        if blocked_s > 0 and now + blocked_s - statement.sent_at > LOST_S:
            self._wires.later(LOST_S, lambda: statement.settle(EngineLost()))
        elif blocked_s > 0:
            self._wires.later(blocked_s + self._wires.latency(), lambda: self._arrive(statement))
        elif now < self.away_until[engine] or self._is_withdrawn(statement):
            statement.settle(EngineLost())
        else:
            self._execute(statement)

    def _is_withdrawn(self, statement: _Statement) -> bool:
        """Whether what nobody waits for any more is not executed."""
        is_over = statement.answer.cancelled() or statement.replica.process.is_dead
        return is_over and self._wires.wobble(0, 1) < 0.4

    def _execute(self, statement: _Statement) -> None:
        replica, result = statement.replica, statement.run()
        if statement.engine == "postgres":
            self._observer.executed(replica, statement.name, statement.call_id, result)
            if replica.slot in self.loses_answer:
                self.loses_answer.discard(replica.slot)
                self._observer.note(f"{replica.id}: does not hear of its {statement.name}")
                self._wires.later(self._wires.wobble(0.001, 0.8), lambda: statement.settle(EngineLost()))
                return
        self._wires.later(self._wires.delay(replica.slot, statement.engine), lambda: statement.settle(result))


async def _take_turns() -> None:
    for _ in range(DRIVER_TURNS):
        await asyncio.sleep(0)
