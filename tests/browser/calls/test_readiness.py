"""The canary of `/readyz` in a real browser: gateway, socket, page, worker, and a request to an API."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.browser.browser_harness import open_harness

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


async def test_a_bridge_is_ready_while_a_call_works_in_the_canarys_browser(
    chromium: Browser, tmp_path: Path
) -> None:
    """The whole way, as a caller's call takes it; only an answer of the API is a success."""
    named = {"canary_user": "canary", "canary_tool": "getOpeningHours"}
    async with open_harness(chromium, tmp_path, ["shop.json"], **named) as scene:
        await scene.open_page_of("canary")
        async with scene.http.get(f"{scene.bridge.base_url}/readyz") as answer:
            checks = {check["name"]: check for check in (await answer.json())["checks"]}
    assert (answer.status, checks["canary"]["ok"]) == (200, True)
