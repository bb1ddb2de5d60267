"""`python -m bench`: both sides of a comparison on one event loop."""

import asyncio
import sys

import pytest

from bench import event_loop
from tests.house.source import files, refuse, text_of


@pytest.mark.parametrize("name", ["asyncio", "uvloop"])
@pytest.mark.skipif(sys.platform == "win32", reason="uvloop has no build for Windows")
def test_a_benchmark_runs_on_the_event_loop_that_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on the quicker loop beside a floor on the slower one would flatter the server."""

    async def module_of_loop() -> str:
        return type(asyncio.get_running_loop()).__module__.partition(".")[0]

    monkeypatch.setenv(event_loop.VARIABLE, name)
    assert (event_loop.loop_name(), event_loop.run(module_of_loop())) == (name, name)


def test_so_does_every_process_that_it_starts() -> None:
    """But for the attacker, which is compared with nothing."""
    refuse(
        f"{path}: asyncio.run, which knows no other loop than its own"
        for path in files(".py", under=("bench/",))
        if "asyncio.run(" in text_of(path) and path != "bench/attacker.py"
    )
