"""How long the first view of a clone takes: the link of `make run`, in a browser that was never paired.

From navigation until it shows the sample servers, and until it is *Connected* and has accepted them, over a
line of 50 ms: with the page that `make run` builds, and from the sources. The floor, in the same run and over
the same line, is a page that does the least that ours has to: a document, a script of the same size, one
answer and a WebSocket.
Needs Chromium and `node_modules`.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from aiohttp import web
from playwright.async_api import Browser

from bench.event_loop import run
from bench.page.page_load import CONNECTED, DelayingProxy, Line, run_behind_proxy
from bench.report import print_table
from bridge.cli.serve.settings import PAGE_FOLDER
from tests.support.chromium import running_chromium
from tests.support.tcp_servers import serving_connections
from tests.support.web_servers import serving

AIM_S = 1.0
LINE = Line("50 ms", 0.05, float("inf"))
VIEWS, QUICK_VIEWS = 7, 2
SERVERS = 8
"""Of the samples, in the first view."""
SHOWN_AT, USABLE_AT = "data-shown-at", "data-usable-at"
BUILD = Path.cwd() / "build"
WATCH = f"""new MutationObserver((_, observer) => {{
  const noted = document.documentElement.dataset;
  if (document.querySelectorAll("article.card[data-server]").length < {SERVERS}) return;
  noted.shownAt ??= performance.now();
  if (!document.querySelector("{CONNECTED}")) return;
  observer.disconnect();
  noted.usableAt = performance.now();
}}).observe(document, {{ subtree: true, childList: true, attributes: true }});"""
"""Notes when the servers are there, and when they can be called, in milliseconds from the navigation."""

BARE_SCRIPT = """await fetch("/answer");
document.documentElement.dataset.shownAt = performance.now();
const socket = new WebSocket("/socket");
socket.onopen = () => { document.documentElement.dataset.usableAt = performance.now(); };
"""
BARE_PAGE = '<!doctype html><title>floor</title><script type="module" src="/script.js"></script>'


class View(NamedTuple):
    """When the servers are there, and when they can be called, in seconds from the navigation."""

    shown_s: float
    usable_s: float


def measure_first_view(*, quick: bool) -> dict[str, object]:
    """Print medians in seconds, and whether the aim is met."""
    subprocess.run([sys.executable, "-m", "make.clone_page"], check=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        return run(_measure(Path(folder), QUICK_VIEWS if quick else VIEWS))


async def _measure(folder: Path, times: int) -> dict[str, object]:
    async with running_chromium(whole=True) as browser:
        found = {"floor": await _view_bare_page(browser, times)}
        for form, words in (("built by make run", ("--build", str(BUILD))), ("sources", ())):
            found[form] = await _view_clone(browser, folder / form, words, times)
    rows = [
        [form, *(statistics.median(each) for each in zip(*views, strict=True))]
        for form, views in found.items()
    ]
    print_table(f"First view of a clone, {LINE.name}, medians in s", ["form", "shown", "connected"], rows)
    built = statistics.median(view.shown_s for view in found["built by make run"])
    print(f"The aim, {AIM_S} s for the built page, is {'met' if built <= AIM_S else 'not met'}.")
    return {form: [view._asdict() for view in views] for form, views in found.items()}


async def _view_clone(browser: Browser, data: Path, words: Sequence[str], times: int) -> list[View]:
    async with run_behind_proxy(Path.cwd(), "demo", "--data", str(data), *words) as (proxy, _):
        proxy.line = LINE
        return [await _view(browser, _link_of(data)) for _ in range(times)]


def _link_of(data: Path) -> str:
    """A fresh link: each pairs one browser."""
    command = [sys.executable, "-m", "bridge", "link", "--json", "--data", str(data)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["page_url"]


async def _view_bare_page(browser: Browser, times: int) -> list[View]:
    scripts = ("app.js.br", "executor_worker.js.br", "style.css.br")
    size = sum((BUILD / PAGE_FOLDER / name).stat().st_size for name in scripts)
    async with _serve_bare_page(size) as url:
        return [await _view(browser, url) for _ in range(times)]


@asynccontextmanager
async def _serve_bare_page(size: int) -> AsyncGenerator[str]:
    async def answer_socket(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for _ in socket:
            pass
        return socket

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/script.js":
            text = f"{BARE_SCRIPT}//{'x' * max(0, size - len(BARE_SCRIPT))}"
            return web.Response(text=text, content_type="text/javascript")
        return web.Response(text=BARE_PAGE, content_type="text/html")

    app = web.Application()
    app.router.add_get("/socket", answer_socket)
    app.router.add_get("/{name:.*}", answer)
    async with serving(app) as url:
        proxy = DelayingProxy(int(url.rpartition(":")[2]), LINE)
        async with serving_connections(proxy.serve) as port:
            yield f"http://127.0.0.1:{port}/"


async def _view(browser: Browser, url: str) -> View:
    """One view in a profile that has nothing of this address yet."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script(WATCH)
    await page.goto(url, wait_until="commit")
    noted = page.locator(f"html[{USABLE_AT}]")
    shown, usable = [float(await noted.get_attribute(name) or "nan") / 1000 for name in (SHOWN_AT, USABLE_AT)]
    await context.close()
    return View(shown, usable)
