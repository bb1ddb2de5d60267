"""What an https bridge in the public network cannot call from its page, and can through the companion."""

from pathlib import Path

import pytest

from tests.browser.extension.companion import BridgePage, running_companion
from tests.browser.extension.sample_apis import SampleApi, bridge_application
from tests.browser.tls_proxy import tls_proxy
from tests.support.web_servers import for_every_page, serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_plain_http_and_the_local_network_are_no_walls(tmp_path: Path) -> None:
    """Mixed content stops the page at the name, Local Network Access at the address; neither asks the API."""
    api = SampleApi()
    async with (
        serving(for_every_page(api.application())) as api_url,
        serving(bridge_application()) as bridge_url,
        tls_proxy(tmp_path) as front,
    ):
        front.target_port = int(bridge_url.rpartition(":")[2])
        named = api_url.replace("127.0.0.1", "api.test")
        hosts = [f"{front.url}/*", f"{named}/*", f"{api_url}/*"]
        how = ("--ignore-certificate-errors", f"--ip-address-space-overrides=127.0.0.1:{front.port}=public")
        async with running_companion(tmp_path / "profile", front.target_port, hosts, *how) as companion:
            assert await companion.request(type="pair", bridge=front.url) is True
            page = await companion.context.new_page()
            await page.goto(front.url)
            bridge = BridgePage(page, front.url)
            assert (await bridge.connect())["type"] == "ready"
            for origin in (named, api_url):
                fetched = "url => fetch(url).then(() => 'answered', () => 'refused')"
                assert await page.evaluate(fetched, f"{origin}/walled") == "refused"
                assert api.at("/walled") == []
                await companion.grant(bridge, origin)
                assert (await bridge.call(f"{origin}/reached"))["status"] == 200
