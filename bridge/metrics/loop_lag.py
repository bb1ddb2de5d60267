"""Measures how late the event loop runs what is due: everything of a bridge waits at least as long."""

from __future__ import annotations

import asyncio

from prometheus_client import Histogram

from bridge.tasks import sleep_safely

MEASURE_EVERY_S = 0.5
"""Seconds between two measurements."""


async def measure_lag(histogram: Histogram, every_s: float = MEASURE_EVERY_S) -> None:
    """Measure until cancelled; `every_s`: seconds between two measurements."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + every_s
        await sleep_safely(every_s)
        histogram.observe(max(0.0, loop.time() - due))
