"""The least of a failing history that still fails: without one fault, without one call, again and again."""

from collections.abc import Iterator
from dataclasses import replace

from tests.faults.page_journal import JournalPlayer
from tests.faults.plan import Plan
from tests.faults.world import History, play


def shrink(history: History, journals: JournalPlayer) -> History:
    """A history that breaks a promise with as few faults and calls as can be; itself when it breaks none."""
    smaller: History | None = history
    while smaller is not None:
        history = smaller
        played = (play(plan, journals) for plan in _smaller(history.plan))
        smaller = next((found for found in played if found.broken), None)
    return history


def _smaller(plan: Plan) -> Iterator[Plan]:
    for index in range(len(plan.faults)):
        yield replace(plan, faults=plan.faults[:index] + plan.faults[index + 1 :])
    for index in range(len(plan.calls) if len(plan.calls) > 1 else 0):
        yield replace(plan, calls=plan.calls[:index] + plan.calls[index + 1 :])
