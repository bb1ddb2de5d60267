"""A page that the making plays: it answers by what a call says, and its user decides when told to."""

import json
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import socketio
from jwt.algorithms import ECAlgorithm

from tests.support.running_bridge import FakePage, json_answer, pair_browser
from tests.support.waiting import eventually

Json = dict[str, Any]

LONG_TEXT = "".join(f"{line:03d} The shelf has tea, coffee and a lamp.\n" for line in range(60))
PRODUCTS = {"products": ["tea", "coffee"]}


@dataclass
class PlayedPage:
    """A browser of a user, which is paired once and opened again after each start of the bridge."""

    page: FakePage
    user: str
    reported: set[str] = field(default_factory=set[str])
    """Calls that the page is done with."""

    @property
    def facts(self) -> Json:
        """What another program needs to be the same browser; the key is one of tests."""
        secret: str = ECAlgorithm.to_jwk(self.page.key)
        return {"user": self.user, "device_id": self.page.device_id, "private_key": json.loads(secret)}

    async def open(self) -> None:
        """Connect, with an answer for every call."""
        self.page.socket = socketio.AsyncClient(reconnection=False)
        self.page.calls.clear()
        await self.page.open_session()
        await self.page.connect(self._never)
        self.page.socket.on("events", self._received)

    async def change(self, method: str, path: str, body: Any = None) -> Any:
        """Decide something, as its user does by clicks."""
        status, answer = await self.page.request(method, path, body)
        assert status in (200, 201), answer
        return answer

    async def accept(self, server_id: str, *keys: str) -> None:
        """Accept operations of a server; without keys all."""
        tools = (await self.page.get(f"/api/servers/{server_id}"))["tools"]
        wanted = {tool["key"]: tool["digest"] for tool in tools if not keys or tool["key"] in keys}
        await self.change("PUT", f"/api/servers/{server_id}/acceptance", {"operations": wanted})

    async def asked(self, tool: str) -> str:
        """The id of a call of this tool that the page is not done with, once there is one."""

        def look() -> str:
            left = [call for call in self.page.calls if call["id"] not in self.reported]
            return next((call["id"] for call in left if call["bridge"]["tool"] == tool), "")

        return await eventually(look, within_s=30)

    async def decide(self, tool: str, decision: str) -> None:
        """Say something of the newest call; allowed, it runs."""
        call_id = await self.asked(tool)
        self.reported.add(call_id)
        said = {"call_id": call_id, "decision": decision}
        if (await self.page.socket.call("bridge:decision", said, timeout=20))["may_begin"]:
            await self.report(call_id, json_answer({"ok": True}, 201))

    async def report(self, call_id: str, outcome: Json) -> None:
        self.reported.add(call_id)
        await self.page.socket.emit("bridge:result", {"call_id": call_id, "outcome": outcome})

    async def _never(self, _call: Json) -> None:
        return None

    async def _received(self, envelope: Json) -> Json:
        call = envelope["data"]["data"]
        self.page.calls.append(call)
        if call["bridge"]["approval"] == "needed":
            return {"call_id": call["id"], "awaiting_approval": True}
        self.page.socket.start_background_task(self._answer, call)
        return {"call_id": call["id"]}

    async def _answer(self, call: Json) -> None:
        given = json.loads(call["params"])
        if "silent" in (given.get("name"), call["bridge"]["tool"]) or given.get("limit") == 1:
            return
        if given.get("name") == "broken":
            await self.report(call["id"], json_answer({"title": "The till is stuck."}, 500))
        elif given.get("limit") == 99:
            await self._upload(call)
        else:
            await self.report(call["id"], json_answer(PRODUCTS))

    async def _upload(self, call: Json) -> None:
        token = call["bridge"]["result_token"]
        headers = {"X-Result-Token": token, "X-Result-Kind": "text", "Content-Type": "text/plain"}
        url = f"{self.page.base_url}/api/calls/{call['id']}/result"
        async with self.page.http.put(url, data=LONG_TEXT.encode(), headers=headers) as response:
            assert response.status == 200, await response.text()
        outcome = json_answer({})
        outcome |= {"content_type": "text/plain", "body": {"kind": "uploaded"}}
        await self.report(call["id"], outcome)


async def played(base_url: str, http: aiohttp.ClientSession, user: str, page_url: str) -> PlayedPage:
    """A browser that its user's link has paired."""
    paired = PlayedPage(await pair_browser(base_url, http, page_url.partition("#ticket=")[2]), user)
    await paired.open()
    return paired
