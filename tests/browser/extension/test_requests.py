"""What the companion performs for a page, which the page could not: the rows of the design that we rely on."""

import pytest

from tests.browser.extension.conftest import Stage

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_an_api_without_cors_is_read_without_a_preflight(stage: Stage) -> None:
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    answer = await bridge.call(f"{stage.origin}/things", headers=[["Authorization", "Bearer x"], ["X-Api-Key", "k"]])
    print(answer)
    assert answer["status"] == 200
