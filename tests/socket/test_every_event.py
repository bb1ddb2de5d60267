"""Every event of the browser protocol once, between a bridge and one page."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge import browser_protocol
from bridge.app.server import Bridge
from bridge.browser_protocol import PROTOCOL
from tests.support.cluster.bridge_pairs import home_url
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, pair_browser, running_bridge

pytestmark = [pytest.mark.asyncio, pytest.mark.two_replicas]

WAIT_S = 20
EVENTS = {value for name, value in vars(browser_protocol).items() if name.startswith("EVENT_")}
HELLO: dict[str, Any] = {"protocol": PROTOCOL, "page_id": "p1", "instance": "w1", "epoch": "e1"}
TEA: dict[str, Any] = {"name": "tea"}
UNREACHED = {
    "status": "failed",
    "error": {"code": "network", "message": "Nobody answers at api.example."},
    "delivered": "no",
}


class Witness:
    """A page that asks its user about each call, and notes the events that it has said and heard."""

    def __init__(self, page: FakePage) -> None:
        self.page = page
        self.exchanged: set[str] = set()
        self._heard: dict[str, asyncio.Queue[Any]] = {event: asyncio.Queue() for event in EVENTS}
        page.socket.on("*", self._listen)

    async def _listen(self, event: str, data: Any = None) -> dict[str, Any] | None:
        self._heard[event].put_nowait(data)
        if event != "events":
            return None
        return {"call_id": data["data"]["data"]["id"], "awaiting_approval": True}

    async def connect(self) -> None:
        await self.page.socket.connect(
            home_url(self.page.base_url),
            socketio_path="ws/socket.io",
            transports=["websocket"],
            auth={"token": self.page.token, "hello": HELLO},
            wait_timeout=WAIT_S,
        )

    async def hear(self, event: str) -> Any:
        """The next of its kind, from now on or since the last one."""
        async with asyncio.timeout(WAIT_S):
            heard = await self._heard[event].get()
        self.exchanged.add(event)
        return heard

    async def hear_call(self) -> str:
        """The id of the next call."""
        return (await self.hear("events"))["data"]["data"]["id"]

    async def ask(self, event: str, said: object) -> Any:
        answer = await self.page.socket.call(event, said, timeout=WAIT_S)
        self.exchanged.add(event)
        return answer

    async def say(self, event: str, said: object) -> None:
        await self.page.socket.emit(event, said)
        self.exchanged.add(event)


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    limits = {"MAX_PARALLEL_TOOLS_GLOBAL": 1, "BREAKER_MAX_FAILURES": 1}
    async with running_bridge(tmp_path, approve="ask", limits=limits) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def witness(bridge: Bridge, http: aiohttp.ClientSession) -> AsyncGenerator[Witness]:
    """Of a page that has accepted everything and is not connected yet."""
    page = await pair_browser(
        bridge.base_url, http, await bridge.components.users.add_ticket(bridge.local_user.id)
    )
    await page.open_session()
    await page.accept_everything()
    yield Witness(page)
    await page.close()


async def test_every_event_of_the_protocol_is_exchanged(bridge: Bridge, witness: Witness) -> None:
    """A page meets them in any replica; one that this walk leaves out is exchanged by no test of two."""
    bridge.components.gateway.start_beats(every_s=0.01)
    await witness.connect()
    assert (await witness.hear("bridge:welcome"))["user"] == "local"
    assert (await witness.ask("bridge:hello", HELLO))["protocol"] == PROTOCOL
    await witness.hear("bridge:beat")
    await _change_lists(witness)
    async with asyncio.TaskGroup() as callers:
        await _run_calls(bridge, witness, callers)
    await bridge.components.gateway.move_user(bridge.local_user.id)
    await witness.hear("bridge:moved")
    assert witness.exchanged == EVENTS


async def _change_lists(witness: Witness) -> None:
    page = witness.page
    await witness.hear("bridge:devices")  # it is connected itself
    await witness.say("bridge:visibility", {"visibility": "hidden"})
    await witness.hear("bridge:devices")
    await page.request("PATCH", "/api/servers/shop", {"inline_html": True})
    await witness.hear("bridge:servers")
    await page.request("PUT", "/api/approval", {"mode": "ask"})
    assert await witness.hear("bridge:approvals") == {"approval_mode": "ask"}


async def _run_calls(bridge: Bridge, witness: Witness, callers: asyncio.TaskGroup) -> None:
    """One call that succeeds, one that waits for its slot and fails, one whose caller leaves."""
    calling = [callers.create_task(call(bridge, witness.page.http)) for _ in range(2)]
    first, second = [await witness.hear_call() for _ in calling]
    assert (await witness.ask("bridge:decision", allowed(first)))["may_begin"]
    assert (await witness.ask("bridge:decision", allowed(second)))["awaiting_slot"]
    await witness.hear("bridge:calls")
    await witness.say("bridge:result", {"call_id": first, "outcome": json_answer({"ok": 1})})
    assert await witness.hear("bridge:receipt") == {"call_ids": [first]}
    assert await witness.hear("bridge:slot") == {"call_id": second}
    assert (await witness.ask("bridge:decision", allowed(second)))["may_begin"]
    await witness.say("bridge:result", {"call_id": second, "outcome": UNREACHED})
    await witness.hear("bridge:breakers")
    assert sorted([await each for each in calling])[0] == 200
    await witness.page.request("POST", "/api/breakers/reset", {})
    leaving = callers.create_task(call(bridge, witness.page.http))
    third = await witness.hear_call()
    leaving.cancel()
    assert (await witness.hear("cancel:tool"))["call_id"] == third


def allowed(call_id: str) -> dict[str, Any]:
    return {"call_id": call_id, "decision": "once"}


async def call(bridge: Bridge, http: aiohttp.ClientSession) -> int:
    """The status of a call that changes something."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    url = f"{bridge.base_url}/tools/addProduct"
    async with http.post(url, json=TEA, headers=headers) as response:
        await response.read()
        return response.status
