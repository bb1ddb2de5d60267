"""A scene of pages that go away and do not come back: nobody waits longer for them than by default."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Browser

from bridge.calls.dispatcher import RESUME_S
from tests.browser.browser_harness import BrowserHarness, open_harness


@pytest_asyncio.fixture(loop_scope="session")
async def short_wait(chromium: Browser, tmp_path: Path) -> AsyncIterator[BrowserHarness]:
    """As `odd`, which gives a page that is reloaded on a busy machine the time to be back."""
    limits = {"PAGE_RESUME_SECONDS": RESUME_S}
    async with open_harness(chromium, tmp_path, ["answers.yaml"], deadline_s=20, limits=limits) as small:
        yield small
