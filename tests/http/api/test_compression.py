"""Which answers to the page are compressed: long lists, and nothing that holds a secret."""

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.catalog.server_view import UserSelection
from examples.document_files import read_document_text
from tests.support.running_bridge import pair_browser
from tests.support.stores.devices import add_device

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("path", ["/api/tools", "/api/servers", "/api/selection", "/api/devices"])
async def test_a_long_list_is_compressed_for_whoever_takes_it(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """Each load asks for them, and a thousand tools are a megabyte, five seconds of a slow line."""
    for name in ("mirror.yaml", "shop.json", "library.yaml"):
        await bridge.components.registry.share_document(name, read_document_text(name), source_url=None)
    for number in range(10):
        await add_device(bridge.components.store, bridge.local_user.id, f"browser {number}")
    chosen = UserSelection(names=tuple(f"tool_{number}_*" for number in range(100)))
    await bridge.components.registry.save_selection(bridge.local_user.id, chosen)
    page = await pair_browser(bridge.base_url, http, (await bridge.page_url()).partition("#ticket=")[2])
    await page.open_session()
    await page.accept_everything()
    headers = {"Authorization": f"Bearer {page.token}"}
    url = bridge.base_url + path
    async with http.get(url, headers={**headers, "Accept-Encoding": "identity"}) as plain:
        body = await plain.read()
        assert (len(body) > 1024, "Content-Encoding" in plain.headers) == (True, False)
    async with http.get(url, headers={**headers, "Accept-Encoding": "gzip"}) as packed:
        assert (packed.headers["Content-Encoding"], await packed.read()) == ("gzip", body)


@pytest.mark.parametrize("path", ["/api/me", "/healthz"])
async def test_a_short_answer_is_not_compressed(
    bridge: Bridge, http: aiohttp.ClientSession, path: str
) -> None:
    """It is one packet in either form."""
    headers = {"Authorization": f"Bearer {bridge.key}", "Accept-Encoding": "gzip"}
    async with http.get(bridge.base_url + path, headers=headers) as answer:
        assert (answer.status, "Content-Encoding" in answer.headers) == (200, False)
