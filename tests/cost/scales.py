"""A bridge on an event loop of its own, for tests of what it costs."""

import asyncio
from pathlib import Path

from tests.cost.bridge_costs import Measured, measured_bridge
from tests.cost.subjects import Measure


class Scales:
    """A bridge, and the event loop on which it is measured.

    A loop of pytest's would be looptime's, which does eight calls more in each of its turns.
    """

    def __init__(self, folder: Path, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._running = measured_bridge(folder)
        self._measured: Measured = runner.run(self._running.__aenter__())

    def measure_cost(self, measure: Measure, waste: int = 0) -> float:
        """Return the cost of a subject with `waste` more."""

        async def run() -> float:
            return await measure(self._measured, waste)

        return self._runner.run(run())

    def close(self) -> None:
        """Stop the bridge."""

        async def stop() -> None:
            await self._running.__aexit__(None, None, None)

        self._runner.run(stop())
