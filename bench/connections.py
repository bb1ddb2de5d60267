"""What an idle connection holds in memory: our page's beside an empty one of python-socketio.

Bytes that Python has allocated, in the process of the servers; the pages are in another.
"""

import gc
import tracemalloc
from collections.abc import Awaitable, Callable

from aiohttp import web

from bench.bridge_variants import start_measured
from bench.peer import PageOrder
from bench.peer_link import PeerLink
from bench.plain_variants import SOCKET, list_connections, listen, tuned_server
from bench.report import print_table

FIRST, MORE = 10, 30
"""Connections before the measurement, and those that are measured; the peer can hold 100 in all."""


async def measure_connections() -> dict[str, object]:
    """Open connections to both servers, print a table and give the bytes of one."""
    peer = await PeerLink.start()
    sio, app = tuned_server(), web.Application()
    list_connections(sio, app)
    runner, host, port = await listen(app)
    running = await start_measured(peer)
    url = f"ws://{host}:{port}{SOCKET}"

    async def connect_page(number: int) -> None:
        user = await running.bridge.components.users.ensure_user(f"user-{number}")
        await peer.connect_page(await running.page_of(user))

    try:
        empty = await _bytes_of(lambda _: peer.connect_page(PageOrder(url)))
        page = await _bytes_of(connect_page)
    finally:
        await peer.close()
        await running.stop()
        await sio.shutdown()
        await runner.cleanup()
    rows = [["python-socketio, empty", empty / 1024], ["page of the bridge", page / 1024]]
    print_table("An idle connection", ["connection", "KiB"], rows)
    return {"empty_bytes": empty, "page_bytes": page}


async def _bytes_of(connect: Callable[[int], Awaitable[None]]) -> float:
    tracemalloc.start()
    try:
        for number in range(FIRST):
            await connect(number)
        before = _held()
        for number in range(FIRST, FIRST + MORE):
            await connect(number)
        return (_held() - before) / MORE
    finally:
        tracemalloc.stop()


def _held() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
