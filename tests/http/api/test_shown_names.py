"""Names that others read: none holds what nobody sees."""

import json
from urllib.parse import quote

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.running_bridge import FakePage, pair_browser

pytestmark = pytest.mark.asyncio

HIDDEN = ("open\u200bai", "\u202eia-nepo", "key\0", "red\x1b[31m", "two\nlines", "tag\U000e0041")
PLAIN = ("Zürich", "\u0430openai", "\u0645\u06cc\u200c\u062e\u0648", "👩\u200d👩\u200d👧", "仕事\u3000PC")


async def page_of(bridge: Bridge, http: aiohttp.ClientSession) -> FakePage:
    ticket = await bridge.components.users.add_ticket(bridge.local_user.id)
    page = await pair_browser(bridge.base_url, http, ticket)
    await page.open_session()
    return page


@pytest.mark.parametrize("name", HIDDEN)
async def test_a_name_that_nobody_can_read_whole_is_refused(
    bridge: Bridge, http: aiohttp.ClientSession, name: str
) -> None:
    """Finding S-L9: whoever shares a provider or is asked by a key is known to others by its name."""
    page = await page_of(bridge, http)
    provider = quote(name, safe="")
    for method, path, body in (
        ("POST", "/api/keys", {"label": name}),
        ("PATCH", f"/api/devices/{page.device_id}", {"name": f"my {name}"}),
        ("PUT", f"/api/providers/{provider}", {"base_url": "http://127.0.0.1:9/v1"}),
    ):
        status, answer = await page.request(method, path, body)
        assert (status, answer["error"]["code"]) == (400, "invalid_request"), path
        assert "characters that cannot be seen, such as U+" in answer["error"]["message"], path


@pytest.mark.parametrize("name", PLAIN)
async def test_a_name_of_any_language_is_taken(
    bridge: Bridge, http: aiohttp.ClientSession, name: str
) -> None:
    """Letters that look alike are letters: which of them somebody means nobody can tell."""
    page = await page_of(bridge, http)
    status, made = await page.request("POST", "/api/keys", {"label": name})
    assert (status, made["label"]) == (201, name)


async def test_a_shared_document_loses_what_nobody_sees_of_its_title(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding S-L9: *Review …* names it where its user decides, and so do programs that list tools."""
    page = await page_of(bridge, http)
    info = {"title": "Official \u202ebank\u202c \u200bAPI\n", "version": "1\u2066.0"}
    document = json.dumps({"openapi": "3.1.0", "info": info, "paths": {}})
    _, added = await page.request("POST", "/api/servers", {"text": document})
    assert (added["title"], added["version"]) == ("Official bank API", "1.0")
