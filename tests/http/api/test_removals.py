"""A revoked key or browser counts for nothing at once; its remover alone can put it back, for a moment."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.auth.identity import Caller
from bridge.auth.removals import MAX_REMOVALS, UNDO_S, Removals
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.quotas import QuotaSettings
from bridge.storage.users import User
from tests.support.running_bridge import FakePage, pair_browser, running_bridge
from tests.support.stores.databases import Where

pytestmark = pytest.mark.asyncio

ANN = Caller(User("ann", "ann"), "laptop")


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path, database=database) as running:
        yield running


async def status_of(bridge: Bridge, http: aiohttp.ClientSession, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    async with http.get(f"{bridge.base_url}/api/servers", headers=headers) as response:
        return response.status


async def code_of(page: FakePage, method: str, path: str) -> tuple[int, str]:
    status, answer = await page.request(method, path)
    return status, answer.get("error", {}).get("code", "")


async def browser_of(bridge: Bridge, http: aiohttp.ClientSession, user: str = "local") -> FakePage:
    """One more browser of a user."""
    owner = await bridge.components.users.ensure_user(user)
    ticket = await bridge.components.users.add_ticket(owner.id)
    page = await pair_browser(bridge.base_url, http, ticket)
    await page.open_session()
    return page


@pytest.mark.both_databases
async def test_a_revoked_key_is_refused_at_once_and_undoing_restores_the_same(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding F20: the program goes on with the key that it has, in the same place of the list."""
    page = await browser_of(bridge, http)
    made = await page.post("/api/keys", {"label": "Cursor", "markers": "link"})
    before = (await page.get("/api/keys"))["keys"]
    assert await status_of(bridge, http, made["key"]) == 200
    assert (await page.request("DELETE", f"/api/keys/{made['id']}"))[1] == {"ok": True, "undo_s": UNDO_S}
    assert await status_of(bridge, http, made["key"]) == 401
    assert made["id"] not in [key["id"] for key in (await page.get("/api/keys"))["keys"]]
    await page.post(f"/api/keys/{made['id']}/restore", {})
    assert await status_of(bridge, http, made["key"]) == 200
    assert (await page.get("/api/keys"))["keys"] == before
    entries = (await page.get("/api/audit"))["entries"]
    kinds = [entry["kind"] for entry in entries if entry["detail"].get("key") == made["id"]]
    assert sorted(kinds) == ["key_made", "key_restored", "key_revoked"]


async def test_nothing_undoes_a_removal_but_the_browser_that_made_it_and_once(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """An attacker with another page, a key, or an old request brings no key back to life."""
    page, other = [await browser_of(bridge, http) for _ in range(2)]
    stranger = await browser_of(bridge, http, "ann")
    made = await page.post("/api/keys", {"label": "Cursor"})
    restore = f"/api/keys/{made['id']}/restore"
    gone = (404, "not_found")
    assert await code_of(page, "POST", restore) == gone, "nothing was removed"
    await page.request("DELETE", f"/api/keys/{made['id']}")
    assert await code_of(stranger, "POST", restore) == gone
    assert await code_of(other, "POST", restore) == gone
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.post(bridge.base_url + restore, headers=headers) as response:
        assert (response.status, (await response.json())["error"]["code"]) == (403, "page_only")
    assert await status_of(bridge, http, made["key"]) == 401
    assert await code_of(page, "POST", restore) == (200, "")
    assert await code_of(page, "POST", restore) == gone, "used up"
    await page.request("DELETE", f"/api/keys/{made['id']}")
    await bridge.components.users.add_key(bridge.local_user.id, "again", key=made["key"])
    assert await code_of(page, "POST", restore) == gone, "the key was made anew, under another id"


async def test_undoing_makes_no_more_keys_than_a_user_may_have(
    tmp_path: Path, database: Where, http: aiohttp.ClientSession
) -> None:
    """Revoke, make another, undo: the way round a quota. The undo is not used up by the refusal."""
    quotas = QuotaSettings(keys=2)
    async with running_bridge(tmp_path, database=database, quotas=quotas) as bridge:
        page = await browser_of(bridge, http)
        first = await page.post("/api/keys", {"label": "first"})
        await page.request("DELETE", f"/api/keys/{first['id']}")
        second = await page.post("/api/keys", {"label": "second"})
        restore = f"/api/keys/{first['id']}/restore"
        assert (await code_of(page, "POST", restore)) == (409, "quota_exceeded")
        await page.request("DELETE", f"/api/keys/{second['id']}")
        assert await code_of(page, "POST", restore) == (200, "")


@pytest.mark.both_databases
async def test_a_removed_browser_is_out_at_once_and_undoing_pairs_the_same(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding F20: it comes back with its own key and is chosen for what it was chosen for."""
    page, other = [await browser_of(bridge, http) for _ in range(2)]
    before = await page.get("/api/devices")
    path = f"/api/devices/{other.device_id}"
    assert await code_of(page, "DELETE", path) == (200, "")
    assert (await other.request("GET", "/api/me"))[0] == 401
    assert await code_of(page, "POST", f"{path}/restore") == (200, "")
    assert await code_of(page, "POST", f"{path}/restore") == (404, "not_found")
    await other.open_session()
    assert (await other.request("GET", "/api/me"))[0] == 200
    names = [(device["id"], device["created_at"]) for device in (await page.get("/api/devices"))["devices"]]
    assert names == [(device["id"], device["created_at"]) for device in before["devices"]]


async def test_a_removal_is_final_after_ten_seconds() -> None:
    """A key taken from a thief must not come back because a page was left open."""
    now = 0.0
    removals = Removals[str](lambda: now)
    removals.note_removal(ANN, "key", "the key")
    now = UNDO_S
    with pytest.raises(BridgeError) as refusal, removals.undo(ANN, "key"):
        pass
    assert refusal.value.error.code is ErrorCode.NOT_FOUND


async def test_removals_are_bounded_and_another_replica_knows_none() -> None:
    """The oldest is final first; what a replica keeps in memory no other can give out a second time."""
    here, there = Removals[int](), Removals[int]()
    for number in range(MAX_REMOVALS + 1):
        here.note_removal(ANN, str(number), number)
    for removals, removed in ((here, "0"), (there, "1")):
        with pytest.raises(BridgeError), removals.undo(ANN, removed):
            pass
    with here.undo(ANN, "1") as removed_one:
        assert removed_one == 1
