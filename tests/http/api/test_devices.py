"""A user's browsers: listed, renamed, chosen, and taken away."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import socketio

from bridge.app.server import Bridge
from tests.support.running_bridge import FakePage, json_answer, pair_browser
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]


async def browser_of(bridge: Bridge, http: aiohttp.ClientSession, user_id: str) -> FakePage:
    page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(user_id))
    await page.open_session()
    return page


@pytest_asyncio.fixture
async def laptop(bridge: Bridge, http: aiohttp.ClientSession) -> AsyncIterator[FakePage]:
    """A connected browser of the local user, which has accepted everything."""
    page = await browser_of(bridge, http, bridge.local_user.id)
    await page.accept_everything()
    await page.connect(answering("laptop"))
    yield page
    await page.close()


@pytest_asyncio.fixture
async def phone(bridge: Bridge, http: aiohttp.ClientSession, laptop: FakePage) -> AsyncIterator[FakePage]:
    """Another one of the same user, connected later."""
    page = await browser_of(bridge, http, bridge.local_user.id)
    await page.connect(answering("phone"))
    yield page
    await page.close()


def answering(name: str) -> Any:
    async def answer(_call: object) -> dict[str, Any]:
        return json_answer({"by": name})

    return answer


async def runs(bridge: Bridge, http: aiohttp.ClientSession) -> str:
    """Which browser performs a call now."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.post(bridge.base_url + "/tools/listProducts", json={}, headers=headers) as response:
        return (await response.json())["by"]


async def devices(page: FakePage) -> dict[str, dict[str, Any]]:
    return {device["id"]: device for device in (await page.get("/api/devices"))["devices"]}


async def code_of(page: FakePage, method: str, path: str, body: Any = None) -> tuple[int, str]:
    status, answer = await page.request(method, path, body)
    return status, answer["error"]["code"]


async def test_browsers_are_listed_with_what_they_are_doing(
    bridge: Bridge, http: aiohttp.ClientSession, laptop: FakePage, phone: FakePage
) -> None:
    """Which one am I, which is connected, which runs my calls."""
    await phone.socket.emit("bridge:visibility", {"visibility": "hidden"})
    await eventually(lambda: is_hidden(phone))
    found = await devices(phone)
    mine, other = found[phone.device_id], found[laptop.device_id]
    assert (mine["this"], mine["connected"], mine["active"], mine["visible"]) == (True, True, True, False)
    assert (other["this"], other["connected"], other["active"], other["visible"]) == (
        False,
        True,
        False,
        True,
    )
    assert mine["created_at"] <= mine["last_seen_at"]
    await phone.close()
    await eventually(lambda: is_away(laptop, phone.device_id))
    assert (await devices(laptop))[laptop.device_id]["active"] is True


async def is_hidden(page: FakePage) -> bool:
    return not (await devices(page))[page.device_id]["visible"]


async def is_away(page: FakePage, device_id: str) -> bool:
    return not (await devices(page))[device_id]["connected"]


async def test_calls_go_to_the_browser_that_was_active_last(
    bridge: Bridge, http: aiohttp.ClientSession, laptop: FakePage, phone: FakePage
) -> None:
    """The user sits in front of that one."""
    assert await runs(bridge, http) == "phone"
    await laptop.socket.emit("bridge:visibility", {"visibility": "hidden"})
    await laptop.socket.emit("bridge:visibility", {"visibility": "visible"})
    await eventually(lambda: is_active(laptop))
    assert await runs(bridge, http) == "laptop"


async def is_active(page: FakePage) -> bool:
    return (await devices(page))[page.device_id]["active"]


async def test_a_server_may_have_a_browser_of_its_own(
    bridge: Bridge, http: aiohttp.ClientSession, laptop: FakePage, phone: FakePage
) -> None:
    """Only the laptop is in the VPN. While it is away another one answers, rather than nobody."""
    path = "/api/servers/shop/device"
    assert (await laptop.request("PUT", path, {"device_id": laptop.device_id}))[0] == 200
    assert await runs(bridge, http) == "laptop"
    assert (await phone.get("/api/devices"))["choices"] == {"shop": laptop.device_id}
    await laptop.close()
    await eventually(lambda: is_away(phone, laptop.device_id))
    assert await runs(bridge, http) == "phone"
    assert (await phone.request("PUT", path, {"device_id": None}))[0] == 200
    assert (await phone.get("/api/devices"))["choices"] == {}


async def test_nobody_chooses_for_another_user(
    bridge: Bridge, http: aiohttp.ClientSession, laptop: FakePage
) -> None:
    """Ids are no secret; a browser of somebody else does not exist."""
    bob = await bridge.components.users.ensure_user("bob")
    page = await browser_of(bridge, http, bob.id)
    stolen = {"device_id": laptop.device_id}
    assert await code_of(page, "PUT", "/api/servers/shop/device", stolen) == (404, "not_found")
    path = f"/api/devices/{laptop.device_id}"
    assert await code_of(page, "PATCH", path, {"name": "Mine"}) == (404, "not_found")
    assert await code_of(page, "DELETE", path) == (404, "not_found")
    assert list(await devices(page)) == [page.device_id]


async def test_a_browser_is_renamed(laptop: FakePage) -> None:
    """Three of them are "Chrome on Windows"."""
    path = f"/api/devices/{laptop.device_id}"
    assert (await laptop.request("PATCH", path, {"name": "  Desk  "}))[0] == 200
    assert (await devices(laptop))[laptop.device_id]["name"] == "Desk"
    for name in ("", " ", "x" * 101):
        assert await code_of(laptop, "PATCH", path, {"name": name}) == (400, "invalid_request")


async def test_a_removed_browser_is_out_at_once(
    bridge: Bridge, http: aiohttp.ClientSession, laptop: FakePage, phone: FakePage
) -> None:
    """A lost laptop: its socket, its token and its key are worth nothing from that moment."""
    await laptop.request("PUT", "/api/servers/shop/device", {"device_id": laptop.device_id})
    assert (await phone.request("DELETE", f"/api/devices/{laptop.device_id}"))[0] == 200
    await eventually(lambda: not laptop.socket.connected)
    assert await code_of(laptop, "GET", "/api/me") == (401, "unauthorized")
    with pytest.raises(socketio.exceptions.ConnectionError):
        await socketio.AsyncClient(reconnection=False).connect(
            bridge.base_url,
            socketio_path="ws/socket.io",
            transports=["websocket"],
            auth={"token": laptop.token},
        )
    with pytest.raises(KeyError):
        await laptop.open_session()
    assert await runs(bridge, http) == "phone"
    assert (await phone.get("/api/devices"))["choices"] == {}
    assert list(await devices(phone)) == [phone.device_id]


async def test_a_browser_removes_itself(bridge: Bridge, laptop: FakePage, phone: FakePage) -> None:
    """On a borrowed computer, before leaving."""
    assert (await phone.request("DELETE", f"/api/devices/{phone.device_id}"))[0] == 200
    assert await code_of(phone, "GET", "/api/me") == (401, "unauthorized")
    assert list(await devices(laptop)) == [laptop.device_id]


async def test_pages_hear_that_their_list_changed(bridge: Bridge, laptop: FakePage, phone: FakePage) -> None:
    """The view of devices is right without a reload; another user hears nothing."""
    heard: list[Any] = []
    laptop.socket.on("bridge:devices", heard.append)
    await phone.request("PATCH", f"/api/devices/{phone.device_id}", {"name": "Phone"})
    await eventually(lambda: heard)
    assert heard[0] == {}


@pytest.mark.parametrize("payload", [None, {}, {"visibility": "sideways"}, 7])
async def test_a_visibility_that_is_none_changes_nothing(
    bridge: Bridge, laptop: FakePage, payload: Any
) -> None:
    """Whatever a page sends disturbs nobody."""
    await laptop.socket.emit("bridge:visibility", payload)
    assert (await devices(laptop))[laptop.device_id]["visible"] is True
    assert laptop.socket.connected


async def test_a_page_that_is_gone_before_its_handshake_gets_no_calls(
    bridge: Bridge, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database took its time, and the socket ended meanwhile: nobody would ever take the page away."""
    page = await browser_of(bridge, http, bridge.local_user.id)
    looking, found = asyncio.Event(), asyncio.Event()
    mode = bridge.components.approvals.mode_of_user

    async def slowly(user_id: str) -> str:
        looking.set()
        await found.wait()
        return await mode(user_id)

    monkeypatch.setattr(bridge.components.approvals, "mode_of_user", slowly)
    gone = socketio.AsyncClient(reconnection=False)
    auth = {"token": page.token}
    url = page.routed(bridge.base_url)
    await gone.connect(url, socketio_path="ws/socket.io", transports=["websocket"], auth=auth)
    await gone.emit("bridge:hello", {"protocol": 2, "page_id": "gone"})
    await looking.wait()
    await bridge.components.gateway.disconnect_device(page.device_id)
    found.set()
    await page.connect(answering("page"))
    assert bridge.components.gateway.pages.count_pages(bridge.local_user.id) == 1
    await page.close()
    await eventually(lambda: bridge.components.gateway.pages.count_pages(bridge.local_user.id) == 0)
    await gone.disconnect()
