"""Fixtures that every kind of test may use; nothing here starts a server or a browser."""

import asyncio
import gc
import os
import signal
from collections.abc import Generator, Mapping

import pytest
from hypothesis import settings

from bridge.cli.event_loop import LoopFactory, choose_event_loop
from bridge.heap import freeze_heap
from tests.faults.virtual_time import VirtualLoop
from tests.support.examples import WIDE
from tests.support.programs import needs

pytest_plugins = [
    "tests.support.sockets.library_paths",
    "tests.support.stores.shared_statements",
    "tests.support.contract_runs",
    "tests.promises",
    "tests.real_documents.corpus",
    "tests.support.fixtures",
    "tests.wings",
]


def pytest_configure() -> None:
    """Declare that no event loop exists between tests; keep the terminal, which pytest captures later.

    looptime asks for the current loop before every test, synchronous ones included; below Python 3.14 asyncio
    would answer by making one, which nobody closes, and an unclosed loop is an error here.
    """
    asyncio.set_event_loop(None)
    needs.keep_terminal()
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # of a shell's job; programs of tests would ignore it, too
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, LoopFactory]:
    """Run what is marked so on both event loops, or on virtual time; everything else on asyncio's own.

    `make test` runs tests that are also `wide` on the quicker one, and `make test-all` on the other.
    """
    if item.get_closest_marker("virtual_time") is not None:
        return {"virtual": VirtualLoop}
    own: dict[str, LoopFactory] = {"asyncio": asyncio.new_event_loop}
    quicker = None if item.config.getoption("--two-replicas") else choose_event_loop("auto").factory
    if item.get_closest_marker("both_event_loops") is None or quicker is None:
        return own
    if item.get_closest_marker("wide") is not None:
        return own if os.environ.get(WIDE) else {"uvloop": quicker}
    return own | {"uvloop": quicker}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while modules and tests are made, all of which stay: a sixth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave modules and collected tests out of later searches for garbage: a quarter of a bridge's start."""
    freeze_heap()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the browsers, whose files take longest, so that all processes end at about the same time."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


# A deadline for each example would measure how busy the machine is. Time is bounded by pytest's own timeout.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_report_header() -> str:
    """Say early what will be skipped, so that a green run is not taken for more than it is."""
    lacking = "are installed" if needs.may_install() else "skip their tests (make test installs them)"
    return f"missing programs: {lacking}"
