"""What ended calls add up to."""

from bridge.calls.state_machine import CallState
from bridge.calls.statistics import CallFigures, EndedCall, count_by_time, figures_of, group_figures


def ended(
    seconds: float = 1.0,
    *,
    tool: str = "getShop",
    state: CallState = CallState.SUCCEEDED,
    status: int | None = 200,
    opened_at: float = 100.0,
    waited: float = 0.0,
) -> EndedCall:
    """A call that took so long after a wait for its user."""
    began_at = opened_at + waited
    return EndedCall(tool, "shop", state, status, opened_at, began_at, began_at + seconds)


def test_the_wait_for_a_decision_is_not_the_time_of_the_api() -> None:
    """Otherwise who thinks longest owns the slowest API."""
    assert figures_of([ended(0.25, waited=60)]).median_ms == 250


def test_an_error_status_fails_a_denied_call_does_not() -> None:
    """Who says no sees a decision in the charts, not a broken API; its time counts for nothing."""
    calls = [
        ended(1),
        ended(2, status=404),
        ended(3, state=CallState.EXPIRED, status=None),
        ended(90, state=CallState.DENIED, status=None),
        ended(90, state=CallState.CANCELLED, status=None),
    ]
    assert figures_of(calls) == CallFigures(calls=5, failed=2, not_made=2, median_ms=2000, p95_ms=3000)


def test_without_a_call_there_is_no_time() -> None:
    """Zero milliseconds would be a good API."""
    assert figures_of([]) == CallFigures(0, 0, 0, None, None)


def test_groups_come_with_most_calls_first() -> None:
    """And by name among equals, so that a list does not jump about."""
    calls = [ended(tool="b"), ended(tool="a"), ended(tool="c"), ended(tool="c")]
    names = [name for name, _ in group_figures(calls, lambda call: (call.tool,))]
    assert names == [("c",), ("a",), ("b",)]


def test_each_call_is_in_the_stretch_in_which_it_was_opened() -> None:
    """The last moment belongs to no stretch: it is not over."""
    calls = [ended(opened_at=at) for at in (0.0, 9.9, 10.0, 25.0, 40.0)]
    parts = count_by_time(calls, since=0.0, until=40.0, parts=4)
    assert [part.calls for part in parts] == [2, 1, 1, 0]
