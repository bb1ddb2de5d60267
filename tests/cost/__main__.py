"""`python -m tests.cost`: measures every cost and writes the record; `--print` only shows how they differ."""

import argparse
import asyncio
import tempfile
from pathlib import Path

from tests.cost.bridge_costs import measured_bridge
from tests.cost.record import read_record, write_record
from tests.cost.subjects import UNITS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.cost", description="Record what things cost.")
    parser.add_argument("--print", action="store_true", help="write nothing")
    chosen = parser.parse_args()
    _, recorded = read_record()
    measured = asyncio.run(_measure_all())
    for name, cost in measured.items():
        before = recorded.get(name)
        print(f"{name:<55} {cost:>10.1f}" + (f"  {cost / before - 1:+.1%}" if before else "  new"))
    if not chosen.print:
        write_record(measured)


async def _measure_all() -> dict[str, float]:
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="cost-") as folder:
        async with measured_bridge(Path(folder)) as measured:
            for unit, subjects in UNITS.items():
                for name, measure in subjects.items():
                    found[f"{unit}: {name}"] = await measure(measured, 0)
    return found


if __name__ == "__main__":
    main()
