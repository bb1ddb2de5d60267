"""The first process's hold on the second: starts it, gives orders, takes answers."""

import asyncio
import os
import sys
import threading
from dataclasses import asdict

import orjson

from bench.measure import Sample
from bench.peer import LoadOrder, PageOrder

_ORDER_S = 120


class PeerLink:
    """One running peer process."""

    def __init__(self, running: asyncio.subprocess.Process) -> None:
        self._running = running
        self.cores: list[int] = []
        """This process's own core and the peer's; empty where they cannot be chosen, or there is one only."""
        self.cpu_s = 0.0
        """Processor time of the peer at its last answer."""

    @classmethod
    async def start(cls) -> "PeerLink":
        """Start the peer, then move it and this process to different cores."""
        running = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bench.peer",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        link = cls(running)
        if hasattr(os, "sched_setaffinity"):
            cores = sorted(os.sched_getaffinity(0))
            if len(cores) > 1:
                link.cores = cores[:2]
                os.sched_setaffinity(running.pid, {cores[1]})
                os.sched_setaffinity(0, {cores[0]})
        return link

    def place_threads(self, *, beside_the_peer: bool) -> None:
        """Let the other threads of this process use the peer's core too, or only that of the event loop."""
        for thread in threading.enumerate():
            if self.cores and thread is not threading.main_thread() and thread.native_id is not None:
                os.sched_setaffinity(thread.native_id, self.cores if beside_the_peer else self.cores[:1])

    async def connect_page(self, order: PageOrder) -> None:
        """Have a page connected; returns once it takes calls."""
        await self._order("page", asdict(order))

    async def load(self, order: LoadOrder) -> Sample:
        """Have the tool route called from the peer."""
        answer = await self._order("load", asdict(order))
        return Sample(int(answer["calls"]), answer["seconds"], answer["p50_ms"], answer["p99_ms"])

    async def touch(self) -> None:
        """Refresh `cpu_s`."""
        await self._order("touch", {})

    async def close(self) -> None:
        """End the peer by closing its input."""
        assert self._running.stdin is not None
        self._running.stdin.close()
        await self._running.wait()

    async def _order(self, kind: str, order: dict[str, object]) -> dict[str, "int | float"]:
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        self._running.stdin.write(orjson.dumps({"kind": kind, "order": order}) + b"\n")
        async with asyncio.timeout(_ORDER_S):
            line = await self._running.stdout.readline()
        if not line:
            raise ConnectionError("The peer process ended; its error is above.")
        answer: dict[str, int | float] = orjson.loads(line)
        self.cpu_s = answer["cpu_s"]
        return answer
