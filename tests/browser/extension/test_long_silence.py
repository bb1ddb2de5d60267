"""A call that is silent for longer than a service worker lives, without a debugger that keeps it alive."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.extension.companion import extension_arguments, extension_id, seed_profile
from tests.browser.extension.sample_apis import SampleApi, bridge_application
from tests.browser.plain_chromium import plain_chromium
from tests.support.waiting import eventually
from tests.support.web_servers import serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio, pytest.mark.slow, pytest.mark.timeout(120)]

SILENCE_MS = 40_000
"""A service worker that hears nothing is ended after 30 s."""


@pytest.mark.parametrize("pings", [True, False])
async def test_a_silent_stream_lives_as_long_as_its_page_pings(tmp_path: Path, pings: bool) -> None:
    """Without pings it ends, which is why the page sends them: the second case keeps the first honest."""
    api = SampleApi()
    async with (
        serving(api.application(), notices_hang_up=True) as api_url,
        serving(bridge_application()) as bridge,
    ):
        origin = api_url.replace("127.0.0.1", "api.test")
        seed_profile(tmp_path / "profile", [f"{bridge}/*", f"{origin}/*"])
        async with plain_chromium(tmp_path / "profile", *extension_arguments()) as browser:
            own = await browser.open_tab(f"chrome-extension://{extension_id()}/popup.html")
            await own.expect("document.querySelectorAll('li').length > 0")
            await own.run(f"chrome.runtime.sendMessage({json.dumps({'type': 'pair', 'bridge': bridge})})")
            page = await browser.open_tab(bridge)
            await page.expect("window.connectCompanion !== undefined")
            await page.run("connectCompanion()")
            await page.expect("heard.at(-1).type === 'ready'")
            ask = {"api": origin, "login": False, "methods": "safe"}
            await page.run(f"askCompanion({json.dumps(ask)})")
            question = await browser.wait_for_tab("grant.html")
            await question.expect("document.querySelector('#allow')?.ariaDisabled === 'false'")
            await question.run("document.querySelector('#allow').click()")
            await page.expect("heard.some(({ type, grant }) => type === 'asked' && grant)")
            call: dict[str, Any] = {"url": f"{origin}/events", "method": "GET", "headers": [], "body": None}
            asked = json.dumps({**call, "login": False})
            await page.run(f"void performCall({asked}).then((answer) => window.answer = answer)")
            await page.expect("heard.some(({ type }) => type === 'chunk')")
            every = "setInterval(() => post({ type: 'ping' }), 20_000)" if pings else "0"
            await page.run(f"{every}; setTimeout(() => window.wasSilent = true, {SILENCE_MS})")
            await page.expect("window.wasSilent === true", within_s=60)
            api.release.set()
            ending = "window.answer?.type === 'end' && window.answer.text" if pings else "heard.at(-1).type"
            await page.expect(f"({ending}) === " + ("'data: 1\\n\\ndata: 2\\n\\n'" if pings else "'gone'"))
            assert await eventually(lambda: len(api.at("/events")) == 1)
