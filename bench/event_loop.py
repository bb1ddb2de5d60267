"""The event loop that every process of a benchmark runs on: both sides of a comparison on the same."""

import os
from collections.abc import Coroutine
from typing import Any, TypeVar

from bridge.cli.event_loop import choose_event_loop
from bridge.settings.network import NetworkSettings
from bridge.settings.sources import read_section

VARIABLE = "TOOL_BRIDGE_EVENT_LOOP"
"""Names the loop for this process and for those that it starts."""

T = TypeVar("T")


def loop_name() -> str:
    """The loop that is used."""
    return choose_event_loop(read_section(NetworkSettings, os.environ).event_loop).name


def run(main: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, on that loop, and beside threads as those of a bridge."""
    loop = choose_event_loop(read_section(NetworkSettings, os.environ).event_loop)
    with loop.open_runner() as runner:
        return runner.run(main)
