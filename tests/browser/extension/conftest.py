"""One browser with the extension for all tests of this folder; each test has a bridge of its own."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from tests.browser.extension.companion import Companion, running_companion
from tests.browser.extension.sample_apis import SampleApi, bridge_application
from tests.support.web_servers import serving


@dataclass
class Stage:
    """Two APIs on two ports, and the browser."""

    companion: Companion
    api: SampleApi
    origin: str
    neighbour: SampleApi
    neighbour_origin: str

    def at_host(self, host: str) -> str:
        """The first API by another name."""
        return f"http://{host}:{urlsplit(self.origin).port}"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stage]:
    """The user has allowed api.test and other.test on the port of the first API, and nothing on its neighbour's."""
    api, neighbour = SampleApi(), SampleApi()
    async with (
        serving(api.application(), notices_hang_up=True) as api_url,
        serving(neighbour.application()) as neighbour_url,
        serving(bridge_application()) as bridge_url,
    ):
        port, neighbour_port, bridge_port = (urlsplit(url).port for url in (api_url, neighbour_url, bridge_url))
        assert bridge_port is not None
        hosts = [f"http://api.test:{port}/*", f"http://other.test:{port}/*"]
        folder = tmp_path_factory.mktemp("companion")
        async with running_companion(folder, bridge_port, hosts) as companion:
            yield Stage(
                companion, api, f"http://api.test:{port}", neighbour, f"http://api.test:{neighbour_port}"
            )
