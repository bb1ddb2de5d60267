"""One browser with the extension for all tests of this folder; each test has a bridge of its own."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from tests.browser.extension.companion import Companion, running_companion
from tests.browser.extension.sample_apis import SampleApi, bridge_application
from tests.browser.tls_proxy import tls_proxy
from tests.support.tcp_servers import free_port
from tests.support.web_servers import serving

FAILING = ("http://closed.test/*", "http://broken.test/*", "http://nowhere.invalid/*", "https://tls.test/*")
"""Allowed at every port."""


@dataclass
class Stage:
    """Two APIs on two ports, and the browser."""

    companion: Companion
    api: SampleApi
    origin: str
    neighbour: SampleApi
    neighbour_origin: str
    closed_port: int
    """Nothing listens there."""
    tls_port: int
    """Behind a certificate that nobody signed."""

    def at_host(self, host: str) -> str:
        """The first API by another name."""
        return f"http://{host}:{urlsplit(self.origin).port}"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stage]:
    """The user has allowed hosts on the first API's port, nothing on its neighbour's."""
    api, neighbour = SampleApi(), SampleApi()
    async with (
        serving(api.application(), notices_hang_up=True) as api_url,
        serving(neighbour.application()) as neighbour_url,
        serving(bridge_application()) as bridge_url,
        tls_proxy(tmp_path_factory.mktemp("certificate")) as proxy,
    ):
        proxy.target_port = _port_of(api_url)
        port, neighbour_port, bridge_port = map(_port_of, (api_url, neighbour_url, bridge_url))
        named = [f"http://{host}:{port}/*" for host in ("api.test", "other.test", "shop.localhost")]
        hosts = [*named, f"http://rebound.test:{bridge_port}/*", *FAILING]
        folder = tmp_path_factory.mktemp("companion")
        async with running_companion(folder / "profile", bridge_port, hosts) as companion:
            origins = f"http://api.test:{port}", f"http://api.test:{neighbour_port}"
            yield Stage(companion, api, origins[0], neighbour, origins[1], free_port(), proxy.port)


def _port_of(url: str) -> int:
    return int(url.rpartition(":")[2])
