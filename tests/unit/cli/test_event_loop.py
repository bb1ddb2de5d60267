"""Which event loop a bridge runs on, and what its log says of it."""

import asyncio
import sys
from collections.abc import Callable, Generator

import pytest

from bridge.cli.event_loop import THREADS_YIELD_S, choose_event_loop
from bridge.settings.declaration import SettingsError
from bridge.settings.network import EventLoopName

Loading = Callable[[], Callable[[], asyncio.AbstractEventLoop]]


def load() -> Callable[[], asyncio.AbstractEventLoop]:
    return asyncio.new_event_loop


def fail_to_load() -> Callable[[], asyncio.AbstractEventLoop]:
    raise ImportError("No module named 'uvloop'")


@pytest.mark.parametrize(
    ("wanted", "loading", "expected"),
    [
        ("auto", load, ("uvloop", "it is installed", asyncio.new_event_loop)),
        ("auto", fail_to_load, ("asyncio", "uvloop cannot be loaded: No module named 'uvloop'", None)),
        ("uvloop", load, ("uvloop", "the settings say so", asyncio.new_event_loop)),
        ("asyncio", load, ("asyncio", "the settings say so", None)),
        ("asyncio", fail_to_load, ("asyncio", "the settings say so", None)),
    ],
)
def test_the_quicker_loop_is_used_where_there_is_one(
    wanted: EventLoopName, loading: Loading, expected: tuple[object, ...]
) -> None:
    """There is no uvloop for Windows; a bridge there must start all the same, and say what it runs on."""
    assert choose_event_loop(wanted, loading) == expected


def test_a_loop_that_was_asked_for_and_cannot_be_loaded_ends_the_start() -> None:
    """Whoever names it wants to know that it is not used."""
    with pytest.raises(SettingsError) as refused:
        choose_event_loop("uvloop", fail_to_load)
    assert str(refused.value) == (
        "TOOL_BRIDGE_EVENT_LOOP or --event-loop is uvloop, which cannot be loaded: No module named 'uvloop'. "
        "Install the package uvloop, or choose auto or asyncio."
    )


@pytest.fixture
def threads_as_before() -> Generator[None]:
    """The process of the tests shares its time as ever."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("threads_as_before")
def test_threads_give_way_to_the_loop_of_a_bridge_soon() -> None:
    """A call beside a thread that reads a long answer waited for 5 ms at each of its steps."""

    async def read_interval() -> float:
        return sys.getswitchinterval()

    with choose_event_loop("asyncio").open_runner() as runner:
        assert runner.run(read_interval()) == pytest.approx(THREADS_YIELD_S)
    assert THREADS_YIELD_S <= 0.001
