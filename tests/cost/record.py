"""The recorded costs, and what has become dearer or cheaper since."""

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("recorded.toml")

MARGIN = 0.15
"""Share by which a cost may be above the record."""

SLACK = 0.04
"""Share by which it may be below. Of one that is cheaper still, a fifth more would stay within the margin."""

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""Another version of Python makes other calls of its own."""

Costs = Mapping[str, float]
"""By `unit: name`."""

_HEAD = """\
# What the guard on cost compares with (test_costs.py). Written by `python -m tests.cost`, not by hand.
"""


@dataclass(frozen=True)
class Difference:
    """One cost that is not as recorded."""

    name: str
    recorded: float
    measured: float

    @property
    def share(self) -> float:
        """Part of the record by which it grew; less than 0 if it shrank."""
        return self.measured / self.recorded - 1

    def __str__(self) -> str:
        change = f"{self.share:+.0%}, from {self.recorded:g} to {self.measured:g}"
        if self.share > 0:
            advice = "Find out what it does more (git bisect helps). If it is worth that, record it"
        else:
            advice = "Record it, so that it stays cheap"
        return f"{self.name}: {change}. {advice}: .venv/bin/python -m tests.cost"


def differing(measured: Costs, recorded: Costs) -> list[Difference]:
    """The costs above the margin or below the slack, those that grew most first."""
    found = [Difference(name, recorded[name], cost) for name, cost in measured.items()]
    outside = [each for each in found if not -SLACK <= each.share <= MARGIN]
    return sorted(outside, key=lambda each: -each.share)


def read_record() -> tuple[str, Costs]:
    """The version of Python that it was made with, and the costs."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    costs = {
        f"{unit}: {name}": cost for unit in read if unit != "python" for name, cost in read[unit].items()
    }
    return read["python"], costs


def write_record(costs: Costs) -> None:
    """Make the measured costs the recorded ones."""
    lines = [f'{_HEAD}python = "{PYTHON}"\n']
    unit = ""
    for name, cost in costs.items():
        of_unit, _, subject = name.partition(": ")
        if of_unit != unit:
            unit = of_unit
            lines.append(f"\n[{unit}]\n")
        lines.append(f'"{subject}" = {cost:.1f}\n')
    FILE.write_text("".join(lines), encoding="utf-8")
