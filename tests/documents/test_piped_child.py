"""Child processes, started without holding the event loop."""

from __future__ import annotations

import asyncio
import os
import sys

import uvloop

from bridge.documents.piped_child import spawn_child

ECHO = [sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.readline())"]


async def echo_twice() -> list[set[str]]:
    """The descriptors of this process after each of two children, which answer and end."""
    open_ones: list[set[str]] = []
    for _ in range(2):
        child = await spawn_child(ECHO, os.environ)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"hello\n")
        assert await asyncio.wait_for(child.stdout.readline(), 20) == b"hello\n"
        await child.communicate()
        await asyncio.sleep(0)
        open_ones.append(set(os.listdir("/proc/self/fd")))
    return open_ones


def test_a_child_that_has_ended_leaves_no_descriptor_behind() -> None:
    """A bridge starts one for every few documents."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        first, second = runner.run(echo_twice())
    assert first == second
