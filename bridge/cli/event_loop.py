"""Which event loop a bridge runs on: uvloop where it can be loaded, else asyncio's own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from bridge.lazy_modules import load_lazily
from bridge.settings.declaration import SettingsError
from bridge.settings.network import EventLoopName

THREADS_YIELD_S = 0.0005
"""Seconds after which a thread that runs Python gives way to the event loop, which waits so long whenever it
comes back from its sockets. With Python's own 5 ms a call beside a busy thread takes 5 ms more."""

LoopFactory: TypeAlias = Callable[[], asyncio.AbstractEventLoop]


class EventLoop(NamedTuple):
    """An event loop, and why it is that one."""

    name: str
    reason: str
    factory: LoopFactory | None
    """None: asyncio's own."""

    def open_runner(self) -> asyncio.Runner:
        """Return what runs the loop, and have the other threads of this process give way to it soon."""
        sys.setswitchinterval(THREADS_YIELD_S)
        return asyncio.Runner(loop_factory=self.factory)


def load_uvloop() -> LoopFactory:
    """Return what makes a loop of uvloop.

    Raises:
        ImportError: it is not installed, as on Windows, or cannot be loaded.
    """
    return load_lazily("uvloop")


def choose_event_loop(wanted: EventLoopName, load: Callable[[], LoopFactory] = load_uvloop) -> EventLoop:
    """Return the event loop that a setting means.

    Raises:
        SettingsError: `uvloop` is wanted and cannot be loaded.
    """
    if wanted == "asyncio":
        return EventLoop("asyncio", "the settings say so", None)
    try:
        factory = load()
    except ImportError as error:
        if wanted == "uvloop":
            raise SettingsError(
                f"TOOL_BRIDGE_EVENT_LOOP or --event-loop is uvloop, which cannot be loaded: {error}. "
                "Install the package uvloop, or choose auto or asyncio."
            ) from None
        return EventLoop("asyncio", f"uvloop cannot be loaded: {error}", None)
    reason = "the settings say so" if wanted == "uvloop" else "it is installed"
    return EventLoop("uvloop", reason, factory)
