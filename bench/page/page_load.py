"""How long the page of an installed bridge takes from navigation to *Connected* with its list of tools.

Behind a TCP proxy that delays and slows every byte down: the browser's own emulation slows neither workers
nor WebSockets. Needs Chromium, and `node_modules` for the built page (`make bench` sees to both).
"""

import asyncio
import json
import os
import socket
import statistics
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from playwright.async_api import Browser, Page

from bench.documents.worker import generate_document
from bench.event_loop import run
from bench.report import print_table
from bridge.bundled import INSTALLED
from examples.document_files import DOCUMENT_NAMES
from examples.sample_api import start_sample_api
from tests.support.chromium import running_chromium
from tests.support.tcp_servers import serving_connections
from tests.support.wheel import unpack_wheel

CHUNK = 16_384
LOADS, QUICK_LOADS = 5, 2
TOOLS = 118
"""Tools in the list."""
MORE_OPERATIONS = 36
"""Operations of them that no sample has."""
CONNECTED = "#connection[data-state=connected]"
LISTED = ".tool-list li"
WATCH = f"""new MutationObserver((_, observer) => {{
  const isConnected = document.querySelector("{CONNECTED}");
  if (!isConnected || document.querySelectorAll("{LISTED}").length < {TOOLS}) return;
  window.usableAt = performance.now();
  observer.disconnect();
}}).observe(document, {{ subtree: true, childList: true, attributes: true }});"""
"""Notes when the page can be used, in milliseconds from the navigation."""


class Line(NamedTuple):
    """A network between browser and bridge."""

    name: str
    round_trip_s: float
    bytes_per_s: float


LINES = (
    Line("0 ms", 0.0, float("inf")),
    Line("50 ms", 0.05, float("inf")),
    Line("150 ms, 1.6 Mbit/s", 0.15, 200_000),
)


@dataclass
class DelayingProxy:
    """Passes bytes on as a line would; the line may be changed between loads."""

    port: int
    line: Line = LINES[0]
    free_at: float = 0.0
    """Loop time at which the line has sent everything to the browser."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection on until either side ends it."""
        upstream, downstream = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pass(reader, downstream, is_slow=False))
                both.create_task(self._pass(upstream, writer, is_slow=True))
        finally:
            downstream.close()
            writer.close()

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_slow: bool
    ) -> None:
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while (sent := await waiting.get())[1]:
                await asyncio.sleep(max(0.0, sent[0] - loop.time()))
                writer.write(sent[1])
            writer.close()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(deliver())
            data = b"more"
            while data:
                data = await _read(reader)
                sent_at = loop.time()
                if is_slow:
                    sent_at = self.free_at = max(sent_at, self.free_at) + len(data) / self.line.bytes_per_s
                waiting.put_nowait((sent_at + self.line.round_trip_s / 2, data))


async def _read(reader: asyncio.StreamReader) -> bytes:
    """Return the next bytes; none at the end, even if a browser leaves without a word."""
    with suppress(ConnectionResetError):
        return await reader.read(CHUNK)
    return b""


def measure_page_load(*, quick: bool) -> dict[str, object]:
    """Load the built page and the sources over every line, cold and warm; prints medians in seconds."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        return run(_measure(Path(folder), QUICK_LOADS if quick else LOADS))


async def _measure(folder: Path, loads: int) -> dict[str, object]:
    figures: dict[str, dict[str, float]] = {}
    async with running_chromium(whole=True) as browser, serve_documents(folder) as documents:
        for form, packages in (("built", _unpack_built(folder)), ("sources", Path.cwd())):
            async with run_installed_bridge(folder / form, packages, documents) as (proxy, page_url):
                page = await open_paired_page(browser, page_url)
                for line in LINES:
                    proxy.line = line
                    cold, warm = [
                        await _median_load(page, page_url, loads, is_cold=it) for it in (True, False)
                    ]
                    figures[f"{form}, {line.name}"] = {"cold": cold, "warm": warm}
                await page.context.close()
    rows = [[name, *found.values()] for name, found in figures.items()]
    print_table("Page usable, median s", ["form and line", "cold", "warm"], rows)
    return {**figures}


def _unpack_built(folder: Path) -> Path:
    packages = unpack_wheel(folder)
    if not (packages / "bridge" / INSTALLED / "built_page").is_dir():
        raise RuntimeError("The wheel has no built page: make/page_tools brings what builds it.")
    return packages


async def _median_load(page: Page, page_url: str, loads: int, *, is_cold: bool) -> float:
    return statistics.median([await load_page(page, page_url, is_cold=is_cold) for _ in range(loads)])


@asynccontextmanager
async def serve_documents(folder: Path) -> AsyncGenerator[list[str]]:
    """Files and addresses of the documents that the bridge offers."""
    more = folder / "more.json"
    more.write_text(json.dumps(generate_document(MORE_OPERATIONS)), encoding="utf-8")
    runner, url = await start_sample_api()
    try:
        yield [str(more), *(f"{url}/documents/{name}" for name in DOCUMENT_NAMES)]
    finally:
        await runner.cleanup()


@asynccontextmanager
async def run_installed_bridge(
    data: Path, packages: Path, documents: Sequence[str]
) -> AsyncGenerator[tuple[DelayingProxy, str]]:
    """A bridge of the `bridge` in that folder, the proxy in front of it and the link of its page."""
    words = [word for document in documents for word in ("--spec", document)]
    async with run_behind_proxy(packages, "serve", "--data", str(data), *words) as (proxy, page_url):
        yield proxy, page_url


@asynccontextmanager
async def run_behind_proxy(packages: Path, *words: str) -> AsyncGenerator[tuple[DelayingProxy, str]]:
    """The same of a command, `serve` or `demo`, with its options."""
    proxy = DelayingProxy(_free_port())
    async with serving_connections(proxy.serve) as port:
        public_url = f"http://127.0.0.1:{port}"
        options = [*words, "--port", str(proxy.port), "--json", "--public-url", public_url]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bridge", *options),
            stdout=asyncio.subprocess.PIPE,
            cwd=packages,
            env={**os.environ, "PYTHONPATH": str(packages)},
        )
        assert process.stdout is not None
        try:
            facts = json.loads(await process.stdout.readline())
            yield proxy, facts["page_url"]
        finally:
            process.terminate()
            await process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def open_paired_page(browser: Browser, page_url: str) -> Page:
    """The page of a new profile that has used the link, and has accepted what was named at the start."""
    page = await (await browser.new_context()).new_page()
    await page.add_init_script(WATCH)
    await page.goto(page_url)
    await page.locator(CONNECTED).wait_for()
    return page


async def load_page(page: Page, page_url: str, *, is_cold: bool) -> float:
    """Seconds from navigation until the page can be used."""
    await page.goto("about:blank")
    if is_cold:
        session: Any = await page.context.new_cdp_session(page)
        await session.send("Network.clearBrowserCache")
        await session.detach()
    await page.goto(page_url.partition("#")[0] + "#/tools", wait_until="commit")
    await page.locator(CONNECTED).wait_for()
    await page.locator(LISTED).nth(TOOLS - 1).wait_for()
    return float(await page.evaluate("window.usableAt")) / 1000
