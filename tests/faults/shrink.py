"""The least of a failing history that still fails: without one fault, without one call, again and again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from tests.faults.page_journal import JournalPlayer
from tests.faults.plan import Plan
from tests.faults.world import History, play


class Played(Protocol):
    """A history of any suite."""

    broken: list[str]
    plan: Any
    """Has calls and faults."""


PlayedT = TypeVar("PlayedT", bound=Played)


def shrink(history: History, journals: JournalPlayer) -> History:
    """A history that breaks a promise with as few faults and calls as can be; itself when it breaks none."""
    return shrink_played(history, lambda plan: play(plan, journals), _smaller)


def shrink_played(
    history: PlayedT, play_again: Callable[[Any], PlayedT], smaller_plans: Callable[[Any], Iterator[Any]]
) -> PlayedT:
    """As `shrink`, by how a plan is played and what can be left out of it."""
    smaller: PlayedT | None = history
    while smaller is not None:
        history = smaller
        played = (play_again(plan) for plan in smaller_plans(history.plan))
        smaller = next((found for found in played if found.broken), None)
    return history


def _smaller(plan: Plan) -> Iterator[Plan]:
    for index in range(len(plan.faults)):
        yield replace(plan, faults=plan.faults[:index] + plan.faults[index + 1 :])
    for index in range(len(plan.calls) if len(plan.calls) > 1 else 0):
        yield replace(plan, calls=plan.calls[:index] + plan.calls[index + 1 :])
