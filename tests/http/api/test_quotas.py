"""What one user may have of keys, browsers and conversations: the next one is refused, with what to do."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.models.conversations import local_messages
from bridge.settings.quotas import QuotaSettings
from bridge.storage.users import UserTables
from tests.support.running_bridge import (
    FakePage,
    json_answer,
    new_browser,
    page_of,
    public_key_of,
    running_bridge,
)
from tests.support.stores.databases import Where

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

QUOTAS = QuotaSettings(servers=1, keys=3, browsers=2, conversations=2)


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path, database=database, quotas=QUOTAS) as running:
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncIterator[FakePage]:
    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({})

    async with page_of(bridge, bridge.local_user.id, answer) as connected:
        yield connected


def setting_in(answer: Any) -> str:
    """The setting that an error names, for a person and for a program."""
    error = answer["error"]
    assert error["code"] == "quota_exceeded"
    assert error["detail"]["setting"] in error["message"]
    return error["detail"]["setting"]


async def test_a_user_makes_so_many_keys(page: FakePage) -> None:
    """Finding S-L10: a page made 300 in a second and a half. Those that are there count on."""
    made: list[str] = []
    while (answered := await page.request("POST", "/api/keys", {"label": "mine"}))[0] == 201:
        made.append(answered[1]["id"])
    assert (answered[0], setting_in(answered[1])) == (409, "TOOL_BRIDGE_KEYS_PER_USER")
    listed = (await page.get("/api/keys"))["keys"]
    assert len(listed) == QUOTAS.keys
    assert (await page.request("DELETE", f"/api/keys/{made[0]}"))[0] == 200
    assert (await page.request("POST", "/api/keys", {"label": "next"}))[0] == 201


async def test_a_user_pairs_so_many_browsers_by_link_and_by_code(
    bridge: Bridge, page: FakePage, http: aiohttp.ClientSession
) -> None:
    """Finding S-L10: the link and the code are not used up, and count again once there is room."""
    store, user_id = bridge.components.store, bridge.local_user.id
    url = f"{bridge.base_url}/api/devices"
    ticket = await UserTables(store).add_ticket(user_id)
    pairing = {"ticket": ticket, "public_key": public_key_of(new_browser(bridge.base_url, http).key)}
    async with http.post(
        url, json={**pairing, "ticket": await UserTables(store).add_ticket(user_id)}
    ) as response:
        assert response.status == 201
    async with http.post(url, json=pairing) as response:
        assert (response.status, setting_in(await response.json())) == (409, "TOOL_BRIDGE_BROWSERS_PER_USER")
    waiting = {"public_key": public_key_of(new_browser(bridge.base_url, http).key)}
    async with http.post(f"{bridge.base_url}/api/pairings", json=waiting) as response:
        code = (await response.json())["code"]
    decision = {"code": code, "accept": True}
    status, answer = await page.request("POST", "/api/pairings/decision", decision)
    assert (status, setting_in(answer)) == (409, "TOOL_BRIDGE_BROWSERS_PER_USER")
    other = next(each for each in await UserTables(store).list_devices(user_id) if each.id != page.device_id)
    assert (await page.request("DELETE", f"/api/devices/{other.id}"))[0] == 200
    assert (await page.request("POST", "/api/pairings/decision", decision))[0] == 200
    assert len(await UserTables(store).list_devices(user_id)) == QUOTAS.browsers


async def test_a_user_begins_so_many_conversations(page: FakePage) -> None:
    """Finding S-L10: a key begins them, and each is a row of the database."""
    begun = [await page.request("POST", "/conversations", {}) for _ in range(3)]
    assert [status for status, _ in begun] == [201, 201, 409]
    assert setting_in(begun[-1][1]) == "TOOL_BRIDGE_CONVERSATIONS_PER_USER"
    first = begun[0][1]["conversation"]["id"]
    assert (await page.request("DELETE", f"/conversations/{first}"))[0] == 200
    assert (await page.request("POST", "/conversations", {}))[0] == 201


async def test_a_conversation_has_so_many_messages(page: FakePage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding S-L10: each run reads them all; the limit is lowered here."""
    monkeypatch.setattr(local_messages, "MAX_MESSAGES", 2)
    _, begun = await page.request("POST", "/conversations", {})
    path = f"/conversations/{begun['conversation']['id']}"
    said = [
        await page.request("POST", f"{path}/messages", {"role": "user", "content": "Hello"}) for _ in range(2)
    ]
    assert [status for status, _ in said] == [201, 201]
    message = f"{path}/messages/{said[-1][1]['message']['id']}"
    for method, where, body in (
        ("POST", f"{path}/messages", {"role": "user", "content": "more"}),
        ("PATCH", message, {"content": "else"}),
        ("POST", f"{path}/chat", {"content": "more", "model": "demo"}),
    ):
        status, answer = await page.request(method, where, body)
        assert (status, answer["error"]["code"]) == (409, "quota_exceeded"), where
    assert (await page.request("DELETE", message))[0] == 200
    assert (await page.request("POST", f"{path}/messages", {"role": "user", "content": "more"}))[0] == 201
