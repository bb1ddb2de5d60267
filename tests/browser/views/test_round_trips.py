"""How many times the page waits for the bridge, one time after another, before it can be used."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from bench.page.page_load import Line, load_page, open_paired_page, run_installed_bridge, serve_documents
from tests.support.wheel import unpack_wheel

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

ROUND_TRIP_S = 2.0
"""More than all else takes together, so that seconds tell round trips."""

ROUND_TRIPS = 8
TO_CONNECT = 2
"""Those in which TCP connects, for HTTP and for the WebSocket: the proxy's are not delayed."""

TRIES = 3
"""A busy machine delays as well, now and then."""


async def test_the_page_can_be_used_after_eight_round_trips(chromium: Browser, tmp_path: Path) -> None:
    """On a line of 150 ms each further one is seen; docs/reference/benchmarks.md lists them."""
    async with (
        serve_documents(tmp_path) as documents,
        run_installed_bridge(tmp_path / "data", unpack_wheel(tmp_path), documents) as (proxy, page_url),
    ):
        page = await open_paired_page(chromium, page_url)
        proxy.line = Line("slow", ROUND_TRIP_S, float("inf"))
        trips: list[float] = []
        while len(trips) < TRIES and min(trips, default=ROUND_TRIPS) + TO_CONNECT > ROUND_TRIPS:
            trips.append(await load_page(page, page_url, is_cold=True) // ROUND_TRIP_S)
        await page.context.close()
    assert min(trips) + TO_CONNECT <= ROUND_TRIPS
