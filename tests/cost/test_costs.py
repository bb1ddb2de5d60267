"""What the bridge costs, without a clock: calls that Python makes, bytes sent, bytes that stay allocated.

Times differ between machines and from run to run; these do not, so 15 % more is a change of the program. They
are counted on asyncio's own event loop, because uvloop does its work where Python sees nothing of it.
"""

import math
import warnings

import pytest

from tests.cost.record import PYTHON, Difference, differing, read_record
from tests.cost.scales import Scales
from tests.cost.subjects import UNITS, Measure

RECORDED_PYTHON, RECORDED = read_record()

SUBJECTS = {f"{unit}: {name}": measure for unit, named in UNITS.items() for name, measure in named.items()}

of_this_python = pytest.mark.skipif(
    PYTHON != RECORDED_PYTHON, reason=f"the record was made with Python {RECORDED_PYTHON}"
)
each_subject = pytest.mark.parametrize(("name", "measure"), SUBJECTS.items(), ids=list(SUBJECTS))

HELD = (
    "bytes: idle page",
    "bytes: idle stream of a model",
    "percent: document with its schemas, to json.loads",
)
"""Memory, which takes longest to measure and changes seldom."""

each_subject_in_time = pytest.mark.parametrize(
    ("name", "measure"),
    [
        pytest.param(*each, id=each[0], marks=[pytest.mark.slow] * (each[0] in HELD))
        for each in SUBJECTS.items()
    ],
)


@pytest.mark.filterwarnings("default:.*tests.cost:UserWarning")
@of_this_python
@each_subject_in_time
def test_nothing_costs_more_than_recorded(scales: Scales, name: str, measure: Measure) -> None:
    """A tenth here and a tenth there is how a program becomes slow, and no clock in CI would notice."""
    cost = scales.measure_cost(measure)
    if cost > RECORDED[name]:  # what disturbs a measurement makes it dearer
        cost = min(cost, scales.measure_cost(measure))
    for difference in differing({name: cost}, RECORDED):
        if difference.share > 0:
            pytest.fail(str(difference), pytrace=False)
        warnings.warn(str(difference), stacklevel=1)


@pytest.mark.slow
@each_subject
def test_a_fifth_more_is_noticed(scales: Scales, name: str, measure: Measure) -> None:
    """A guard that sees nothing would always pass: each cost is made dearer here."""
    for _ in range(3):  # a busy machine may disturb one of the two measurements more than the other
        cost = scales.measure_cost(measure)
        dearer = scales.measure_cost(measure, math.ceil(cost / 5))
        if [difference.name for difference in differing({name: dearer}, {name: cost})] == [name]:
            return
    pytest.fail(f"a fifth more was not noticed: {name}")


def test_every_recorded_cost_is_still_measured() -> None:
    """And the other way round: a new one is recorded with the change that adds it."""
    assert list(RECORDED) == list(SUBJECTS)


def test_what_became_cheaper_is_told_before_a_fifth_more_of_it_would_pass() -> None:
    """The record would allow the program to lose again what it has gained, and more."""
    recorded = {"calls: a": 100.0, "calls: b": 100.0}
    measured = {"calls: a": 95.5, "calls: b": 96.5}
    assert [each.name for each in differing(measured, recorded)] == ["calls: a"]
    dearer = {name: cost * 1.2 for name, cost in measured.items()}
    assert [each.name for each in differing(dearer, recorded)] == ["calls: b"]


def test_a_difference_says_what_grew_by_how_much_and_what_to_do() -> None:
    """Whoever reads it has changed something else and knows nothing of this guard."""
    recorded = {"calls: a": 100.0, "calls: b": 100.0, "bytes: c": 100.0, "bytes: d": 100.0}
    measured = {"calls: a": 115.0, "calls: b": 116.0, "bytes: c": 84.0, "bytes: d": 130.0}
    found = differing(measured, recorded)
    assert [each.name for each in found] == ["bytes: d", "calls: b", "bytes: c"]
    assert str(Difference("calls: b", 100.0, 116.0)) == (
        "calls: b: +16%, from 100 to 116. Find out what it does more (git bisect helps). "
        "If it is worth that, record it: .venv/bin/python -m tests.cost"
    )
    assert str(Difference("bytes: c", 100.0, 84.0)) == (
        "bytes: c: -16%, from 100 to 84. Record it, so that it stays cheap: .venv/bin/python -m tests.cost"
    )
