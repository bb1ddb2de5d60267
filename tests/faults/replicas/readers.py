"""Clients that have responses made in the background, and read them until they have ended, at any replica."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from bridge.errors import BridgeError
from tests.faults.replicas.asks import ResponseAsk
from tests.faults.replicas.judge import ReplicaTotals, ResponseCourse, broken_rules_of_response
from tests.faults.replicas.plan import ResponsePlan
from tests.faults.replicas.replica import ReplicaDouble
from tests.faults.replicas.responses import read_body
from tests.support.cluster.tables import Tables
from tests.support.stores.memory_item_store import UNFINISHED

READ_EVERY_S, MOST_READINGS = 1.5, 4
"""How often a response is read, and how often after it has ended."""

FIRST_ASK = 1000
"""Numbers of requests that concern responses; those below are calls."""


class ReaderSurroundings(Protocol):
    """What clients need of their world."""

    tables: Tables
    replicas: dict[str, ReplicaDouble]

    def later(self, delay: float, action: Callable[[], None]) -> None: ...
    def note(self, text: str) -> None: ...
    def alarm(self, text: str) -> None: ...


class Readers:
    """All clients of a history that want responses, and what it knows of those."""

    def __init__(
        self, world: ReaderSurroundings, plans: Sequence[ResponsePlan], chance: random.Random
    ) -> None:
        self._world, self._chance = world, chance
        self._courses = {plan.number: ResponseCourse(plan) for plan in plans}
        self._asks: dict[int, ResponseAsk] = {}

    # What replicas ask for

    def response_plan(self, number: int) -> ResponsePlan:
        return self._courses[number].plan

    def asked_model(self, replica: str, number: int, *, is_at_home: bool) -> int:
        course = self._courses[number]
        course.times_asked += 1
        self._world.note(f"{replica}: asks a model for response {number}")
        self._check_run(replica, number, is_at_home=is_at_home)
        return course.times_asked

    def model_answered(self, replica: str, number: int, *, is_at_home: bool) -> None:
        self._world.note(f"{replica}: its model has answered response {number}")
        self._check_run(replica, number, is_at_home=is_at_home)

    def _check_run(self, replica: str, number: int, *, is_at_home: bool) -> None:
        if not is_at_home:
            self._world.alarm(f"response {number} goes on at {replica}, which knows that its user has left")

    def number_ask(self, ask: ResponseAsk) -> int:
        """The number under which it is passed on, which is none of a call."""
        number = FIRST_ASK + len(self._asks)
        self._asks[number] = ask
        return number

    def ask_of(self, number: int) -> ResponseAsk | None:
        return self._asks.get(number)

    def told(self, ask: ResponseAsk, what: Any) -> None:
        """An id, status and output, an error, or None: nothing can be said."""
        course = self._courses[ask.plan.number]
        if isinstance(what, str):
            course.response_id = what
        elif isinstance(what, BridgeError):
            course.response_id = course.response_id or str(what.error.detail.get("response_id", ""))
        elif what is not None and what[0] not in UNFINISHED:
            course.times_read += 1
            if course.told is None:
                kept = self._world.tables.items.responses.get(course.response_id)
                is_kept = kept is not None and read_body(kept.body) == what
                if not is_kept:
                    self._world.alarm(f"response {ask.plan.number}: told {what} before it was kept")
                course.told = what
                self._world.note(f"response {ask.plan.number}: told {what}")
            elif course.told != what:
                self._world.alarm(f"response {ask.plan.number}: told {what}, and {course.told} before")

    # The course of things

    def begin(self) -> None:
        for course in self._courses.values():
            self._world.later(course.plan.at, lambda course=course: self._ask(course.plan))
            self._world.later(course.plan.at + READ_EVERY_S, lambda course=course: self._read_on(course))

    def _ask(self, plan: ResponsePlan, response_id: str = "") -> None:
        alive = [each for each in self._world.replicas.values() if not each.process.is_dead]
        if alive:
            replica = self._chance.choice(alive)
            replica.process.start(replica.answer_reader(ResponseAsk(plan, response_id)))

    def _read_on(self, course: ResponseCourse) -> None:
        if course.response_id:
            self._ask(course.plan, course.response_id)
        if course.times_read < MOST_READINGS:
            self._world.later(READ_EVERY_S, lambda: self._read_on(course))

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        kept = self._world.tables.items.responses.values()
        is_awaited = any(each.response_id and each.told is None for each in self._courses.values())
        return is_awaited or any(each.status in UNFINISHED for each in kept)

    def find_broken(self) -> list[str]:
        """What is wrong, in words."""
        kept = self._world.tables.items.responses
        return [
            f"response {number}: {problem}"
            for number, course in self._courses.items()
            for problem in broken_rules_of_response(course, kept)
        ]

    def count(self, totals: ReplicaTotals) -> None:
        for course in self._courses.values():
            totals.responses["not told" if course.told is None else f"told {course.told[0]}"] += 1
            totals.responses["asked again"] += course.times_asked > 1
