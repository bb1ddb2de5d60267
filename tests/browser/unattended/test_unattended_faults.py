"""What happens to a page without a person when its browser dies, hangs or grows, or the service is killed."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.unattended.running_page import RunningPage, running_page
from tests.browser.upgrade_proxy import proxy_without_upgrades
from tests.support.tcp_servers import free_port
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

BALLAST_MB = 700
BALLAST = f"import sys; x = bytearray({BALLAST_MB} << 20); print('ready', flush=True); sys.stdin.read()"


@pytest_asyncio.fixture(loop_scope="session")
async def slow(chromium: Browser, tmp_path: Path) -> AsyncIterator[BrowserHarness]:
    """A bridge whose tools take their time, and that asks about no call."""
    (tmp_path / "bridge").mkdir()
    async with open_harness(chromium, tmp_path / "bridge", ["answers.yaml"]) as scene:
        yield scene


async def options_of(slow: BrowserHarness, folder: Path) -> tuple[str, str, str, str]:
    """Bridge, policy, and a ticket in a file."""
    (folder / "ticket").write_text(await slow.bridge.page_url())
    policy = f'[[servers]]\nurl = "{slow.samples_url}/documents/answers.yaml"\naccept = "all"'
    return slow.bridge.base_url, policy, "--ticket-file", str(folder / "ticket")


def main_pid(page: RunningPage) -> int:
    return page.browser_pids()[0]


async def test_a_browser_that_is_killed_is_back_within_ten_seconds(
    slow: BrowserHarness, tmp_path: Path
) -> None:
    """On an idle machine it takes three; its device and what it accepted are still there."""
    async with running_page(tmp_path, *await options_of(slow, tmp_path)) as page:
        await page.wait_until_healthy()
        killed = main_pid(page)
        seen = len(page.lines)
        os.kill(killed, signal.SIGKILL)
        await page.wait_for_line("The page is started again in 1 s: the browser has ended", after=seen)
        await page.wait_for_line("The page is connected", after=seen)
        health = await page.wait_until_healthy()
        assert health["restarts"] == 1
        assert main_pid(page) != killed
        assert (await slow.caller.call("getNothing")).status == 200


@pytest.mark.timeout(150)  # it is found within 25 s, ended within 10, and started again
async def test_a_browser_that_hangs_is_replaced(slow: BrowserHarness, tmp_path: Path) -> None:
    """It would keep its place as if it worked: the page is asked every ten seconds."""
    async with running_page(tmp_path, *await options_of(slow, tmp_path)) as page:
        await page.wait_until_healthy()
        seen = len(page.lines)
        for pid in page.browser_pids():
            os.kill(pid, signal.SIGSTOP)
        await page.wait_for_line("has not answered", after=seen)
        await page.wait_for_line("The page is connected", after=seen)
        assert (await slow.caller.call("getNothing")).status == 200


@pytest.mark.timeout(150)  # three browsers, one after the other
async def test_a_browser_that_grows_is_replaced_without_losing_the_call_that_runs(
    slow: BrowserHarness, tmp_path: Path
) -> None:
    """Finding P-L3: a limit is chosen by what a page without one is seen to use.

    What counts is all of its processes; a large one is put among them here.
    """
    async with running_page(tmp_path, *await options_of(slow, tmp_path)) as page:
        await page.wait_until_healthy()
        used = await eventually(lambda: memory_of(page), what="a measure of the memory")
    limit = "--memory-limit", str(used + BALLAST_MB // 2)
    async with running_page(tmp_path, *await options_of(slow, tmp_path), *limit) as page:
        await page.wait_until_healthy()
        seen = len(page.lines)
        running = asyncio.create_task(slow.caller.call("getSlow", {"seconds": 6}))
        await page.wait_for_running()
        ballast = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", BALLAST),
            process_group=main_pid(page),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        ended = await page.wait_for_line(
            r"started again in 1 s: the browser uses \d+ MB, more than", after=seen
        )
        assert (await running).status == 200
        since = page.lines[page.lines.index(ended.string) :]
        assert not any("The page is connected" in line for line in since), "no other browser has made it"
        assert await asyncio.wait_for(ballast.wait(), 10) == -signal.SIGKILL
        await page.wait_for_line("The page is connected", after=seen)
        await page.wait_until_healthy()
        assert (await slow.caller.call("getNothing")).status == 200


async def memory_of(page: RunningPage) -> int:
    return (await page.health())[1]["memory_mb"]


async def test_a_stop_lets_the_call_that_runs_finish(slow: BrowserHarness, tmp_path: Path) -> None:
    """As a deployment does it."""
    async with running_page(tmp_path, *await options_of(slow, tmp_path)) as page:
        await page.wait_until_healthy()
        running = asyncio.create_task(slow.caller.call("getSlow", {"seconds": 3}))
        await page.wait_for_running()
        assert await page.stop() == 0
        assert (await running).status == 200


async def test_a_service_that_is_killed_leaves_no_browser(slow: BrowserHarness, tmp_path: Path) -> None:
    """The browser ends with the pipe that nobody holds any more, and its profile can be used again."""
    async with running_page(tmp_path, *await options_of(slow, tmp_path)) as page:
        await page.wait_until_healthy()
        page.process.kill()
        await page.ended()
        await eventually(lambda: not page.browser_pids(), what="the end of the browser")
    async with running_page(tmp_path, *await options_of(slow, tmp_path)) as page:
        await page.wait_until_healthy()


async def test_it_waits_for_a_bridge_that_is_not_there_yet(slow: BrowserHarness, tmp_path: Path) -> None:
    """Machines start in any order."""
    _, policy, *_ = await options_of(slow, tmp_path)
    async with running_page(tmp_path, f"http://127.0.0.1:{free_port()}", policy) as page:
        await page.wait_for_line("started again in 1 s: the bridge does not answer at http://127.0.0.1:")
        await page.wait_for_line("started again in 2 s: the bridge does not answer at http://127.0.0.1:")
        status, health = await page.health()
        assert (status, "does not answer" in health["reason"]) == (503, True)


async def test_a_proxy_that_passes_no_websocket_is_named_in_log_and_health(
    chromium: Browser, tmp_path: Path
) -> None:
    """Finding W-21: nobody looks at this page, so log and health must say why it takes no calls."""
    (tmp_path / "bridge").mkdir()
    async with (
        proxy_without_upgrades() as proxy,
        open_harness(chromium, tmp_path / "bridge", ["answers.yaml"], public_url=proxy.url) as scene,
    ):
        proxy.target_port = scene.bridge.server.sockets[0].getsockname()[1]
        _, *options = await options_of(scene, tmp_path)
        async with running_page(tmp_path, proxy.url, *options) as page:
            await page.wait_for_line("The page is not connected: .* WebSocket does not come through")
            status, health = await page.health()
            assert (status, "WebSocket does not come through" in health["reason"]) == (503, True)


async def test_a_stop_is_heard_while_a_bridge_keeps_the_page_waiting(tmp_path: Path) -> None:
    """A service manager would kill it, and its browser would be left behind."""
    opened = asyncio.Event()

    async def keep_waiting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.set()
        await reader.read()  # until the browser gives up
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(keep_waiting, "127.0.0.1", 0) as silent:
        url = f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}"
        async with running_page(tmp_path, url, '[[servers]]\nurl = "https://api.example/"') as page:
            await asyncio.wait_for(opened.wait(), 30)
            assert await asyncio.wait_for(page.stop(), 15) == 0
