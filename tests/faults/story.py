"""What every history has, of one bridge or of several replicas: its chance, its trace, its calls."""

import random
from collections.abc import Mapping
from typing import Generic, Protocol, TypeVar

from bridge.calls.admission import Controls
from bridge.calls.request import CallContext, CallRequest
from tests.faults.plan import CallPlan
from tests.support.calls.memory_limits import controls


class PlannedCourse(Protocol):
    """What is remembered of a planned call."""

    @property
    def plan(self) -> CallPlan: ...


CourseT = TypeVar("CourseT", bound=PlannedCourse)


class Story(Generic[CourseT]):
    """A history while it happens. Arguments of its calls are their numbers."""

    def __init__(self, seed: int, courses: Mapping[int, CourseT], *, at_once: int, queue_s: float) -> None:
        """`at_once`: calls of a user that run at the same time; `queue_s`: seconds that others wait."""
        self.trace: list[str] = []
        self.broken: list[str] = []
        self.courses = courses
        self._at_once, self._queue_s = at_once, queue_s
        self._chance = random.Random(seed + 1)
        self._number_of: dict[str, int] = {}

    def now(self) -> float:
        """Seconds since it began."""
        raise NotImplementedError

    def wobble(self, least: float, most: float) -> float:
        return least + (most - least) * self._chance.random()

    def note(self, text: str) -> None:
        self.trace.append(f"{self.now():9.4f}  {text}")

    def controls(self) -> Controls:
        """Limits that make calls of one user wait, as the plan says; breakers that never open."""
        return controls(
            max_parallel_tools_per_user=self._at_once,
            tool_queue_wait_seconds=self._queue_s,
            breaker_max_failures=50,
        )

    def name(self, call_id: str) -> str:
        return f"call {self._number_of.get(call_id, '?')}"

    def plan_of(self, number: int) -> CallPlan:
        return self.courses[number].plan


def request_of(plan: CallPlan, relayed_id: str | None = None) -> CallRequest:
    """What a caller asks for."""
    return CallRequest(
        CallContext(plan.user, relayed_id=relayed_id),
        tool_name="t",
        server_id="s",
        operation_key="POST /t",
        operation_digest="d",
        origin="",
        safe=plan.safe,
        arguments_text=str(plan.number),
        needs_approval=plan.approval == "needed",
    )
