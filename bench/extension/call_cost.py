"""A safe call of 1 KB by the page's own fetch, the companion and the least extension: same API, in turn.

And by the page of a browser that has no extension, which says whether having it makes anything slower.
"""

import statistics
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from aiohttp import web
from aiohttp.typedefs import Handler
from playwright.async_api import Page

from bench.event_loop import run
from bench.extension.bare_relay import write_bare_relay
from bench.extension.page_size import measure_page_size
from bench.report import print_table
from tests.browser.extension.companion import running_companion
from tests.browser.extension.sample_apis import bridge_application
from tests.support.chromium import running_chromium
from tests.support.web_servers import for_every_page, serving

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "static"
ANSWER_BYTES = 1024
ROUNDS, QUICK_ROUNDS = 20, 6
CALLS = 40
"""Calls of each way in a round. All together stay below what the companion lets one bridge have at once."""
AIM_MS = 1.0
PLAIN, PAGE = "page, no extension", "page, extension installed"
BARE, COMPANION = "bare relay", "companion"
_TOLD = {"companion": COMPANION, "bare_relay": BARE}
WARM_UP = 20
"""Calls before the rounds: connections are made, and code is compiled."""


class Way(NamedTuple):
    """How calls are made, and in which browser."""

    page: Page
    name: str
    api: str

    async def time_calls(self, count: int) -> list[float]:
        """Milliseconds of each call."""
        asked = {"way": self.name, "url": f"{self.api}/answer", "count": count, "bytes": ANSWER_BYTES}
        return await self.page.evaluate("round => askWorker(round)", asked)


def measure_extension(*, quick: bool) -> dict[str, object]:
    """Print the p50 of each way and their difference, and what the companion adds to the first view."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        rounds = run(_measure(Path(folder), QUICK_ROUNDS if quick else ROUNDS))
        size = measure_page_size(Path(folder))
    found = {way: [statistics.median(times) for times in of_way] for way, of_way in rounds.items()}
    medians = {way: statistics.median(p50s) for way, p50s in found.items()}
    rows = [[way, p50, min(found[way]), max(found[way]), _added(found, way)] for way, p50 in medians.items()]
    print_table(
        "A safe call of 1 KB, ms: median of the rounds' p50, lowest, highest, added to the page's own",
        ["way", "p50", "", "", "added"],
        rows,
    )
    added = {name: _added(found, way) for name, way in _TOLD.items()}
    met = "met" if added["companion"] <= AIM_MS else "not met"
    print(f"The companion adds {added['companion']:.2f} ms at p50; the aim, {AIM_MS} ms, is {met}.")
    return {"p50_ms": medians, "added_ms": added, "rounds": len(found[PAGE]), "first_view": size}


def _added(p50s: dict[str, list[float]], way: str) -> float:
    """Milliseconds: the median of the rounds' own differences; a machine is not always as fast."""
    return statistics.median(one - own for one, own in zip(p50s[way], p50s[PAGE], strict=True))


async def _measure(folder: Path, rounds: int) -> dict[str, list[list[float]]]:
    times: dict[str, list[list[float]]] = {way: [] for way in (PLAIN, PAGE, *_TOLD.values())}
    async with serving(_api()) as api_url, serving(_bridge()) as bridge_url:
        port = int(bridge_url.rpartition(":")[2])
        async with _open_ways(folder, port, api_url) as ways:
            for way in ways.values():
                await way.time_calls(WARM_UP)
            for number in range(rounds):
                for name in list(ways) if number % 2 else reversed(ways):
                    times[name].append(await ways[name].time_calls(CALLS))
    return times


@asynccontextmanager
async def _open_ways(folder: Path, port: int, api_url: str) -> AsyncGenerator[dict[str, Way]]:
    bare = write_bare_relay(folder / "bare", [f"{api_url}/*", f"http://*.localhost:{port}/*"])
    async with (
        running_chromium(whole=True) as plain,
        running_companion(folder / "profile", port, [f"{api_url}/*"], beside=[bare]) as companion,
    ):
        bridge = await companion.open_bridge({"api": api_url})
        page = await plain.new_page()
        await page.goto(bridge.origin)
        for each, is_there in ((page, False), (bridge.page, True)):
            await each.evaluate(
                "async isThere => { await import('/calls.js'); await connectWorker(isThere); }", is_there
            )
        yield {
            PLAIN: Way(page, "page", api_url),
            PAGE: Way(bridge.page, "page", api_url),
            BARE: Way(bridge.page, "bare", api_url),
            COMPANION: Way(bridge.page, "companion", api_url),
        }


def _api() -> web.Application:
    """It allows CORS, and answers at once."""
    content = b"x" * ANSWER_BYTES

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=content, content_type="application/json")

    app = web.Application()
    app.router.add_get("/answer", answer)
    return for_every_page(app)


def _bridge() -> web.Application:
    """The page of the extension's tests, with the scripts of this benchmark and the bridge page's own."""
    app = web.Application()
    app.router.add_static("/static", STATIC)
    for name in ("calls.js", "calls_worker.js"):
        app.router.add_get(f"/{name}", _script(HERE / name))
    return bridge_application(app)


def _script(path: Path) -> Handler:
    async def serve(_request: web.Request) -> web.FileResponse:
        return web.FileResponse(path)

    return serve
