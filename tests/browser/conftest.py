"""One Chromium for the whole session, and so one event loop; every test has browser profiles of its own."""

from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from bridge.cli.serve.samples import SAMPLES
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.served_page import serving_sources
from tests.support.chromium import running_chromium

# A page opens in a second on an idle machine and in seven beside a build; no test judges by this bound.
expect.set_options(timeout=20_000)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """Knows hosts below `.test`, which are this machine, so that addresses need not look like loopback."""
    async with running_chromium("--host-resolver-rules=MAP *.test 127.0.0.1") as browser:
        yield browser


@pytest.fixture
def page_sources() -> Generator[None]:
    """Have the bridges of a test serve the modules of the page, which it imports one by one."""
    with serving_sources():
        yield


@pytest_asyncio.fixture(loop_scope="session")
async def demo(chromium: Browser, tmp_path: Path) -> AsyncIterator[BrowserHarness]:
    """What `tool-bridge demo` runs."""
    async with open_harness(chromium, tmp_path, SAMPLES) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="session")
async def scene(chromium: Browser, tmp_path: Path) -> AsyncIterator[BrowserHarness]:
    """A bridge that offers one small document, the mirror, for tests of the page itself."""
    async with open_harness(chromium, tmp_path, ["mirror.yaml"], deadline_s=20) as small:
        yield small


@pytest_asyncio.fixture(loop_scope="session")
async def odd(chromium: Browser, tmp_path: Path) -> AsyncIterator[BrowserHarness]:
    """A bridge that offers the odd answers: slow, unreadable, redirected."""
    async with open_harness(chromium, tmp_path, ["answers.yaml"], deadline_s=20) as small:
        yield small
