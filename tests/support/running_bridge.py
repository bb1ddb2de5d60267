"""A real bridge on a free port in this process, and a page played by a Socket.IO client."""

import base64
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import socketio
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from jwt.algorithms import ECAlgorithm

from bridge.app.part import AmongReplicas
from bridge.app.parts.documents import Offer
from bridge.app.server import Bridge
from bridge.app.start import offer_nothing, start_bridge
from bridge.documents.reader import DocumentReader
from bridge.settings.bridge import BridgeSettings
from bridge.storage.database import open_database
from bridge.storage.store import Store
from bridge.timings import USUAL_TIMINGS, Timings
from tests.support.cluster.bridge_pairs import current_pairs, home_url
from tests.support.cluster.replica_settings import make_patient
from tests.support.documents.inline_reader import InlineReader
from tests.support.settings import bridge_settings
from tests.support.sockets.library_paths import is_straight
from tests.support.sockets.path_prefix import placed, socket_path
from tests.support.stores.databases import Where, with_tables

TEST_LIMITS = {"TOOL_SHUTDOWN_TIMEOUT_SECONDS": 0, "DATABASE_WAIT_SECONDS": 60}
"""A bridge of a test does not wait at its end for calls that the test has left open, and keeps what it should
however slow the disk is just then."""

Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]


@asynccontextmanager
async def running_bridge(
    folder: Path,
    *,
    database: Where | None = None,
    deadline_s: float = 60,
    limits: Mapping[str, float] = TEST_LIMITS,
    documents: DocumentReader | None = None,
    among: Callable[[Store], AmongReplicas] | None = None,
    offer: Offer = offer_nothing,
    timings: Timings = USUAL_TIMINGS,
    **settings: Any,
) -> AsyncGenerator[Bridge]:
    """A bridge on its own data folder; closed at the end, without waiting for calls that run.

    No call asks its user, unless a test wants that. `documents`: who reads them, if not this process.
    `among`: makes it one of several replicas. In a test that sees two replicas these are two: `BridgePairs`.
    """
    limits = {"TOOL_TIMEOUT_SECONDS": deadline_s, **TEST_LIMITS, **limits}
    place = with_tables(database or folder / "bridge.sqlite3")
    chosen = placed(bridge_settings(folder, limits=limits, **settings))

    pairs = None if among or chosen.cluster.redis_url else current_pairs()
    waits = timings if pairs is None else make_patient(timings)

    @asynccontextmanager
    async def run(settings: BridgeSettings) -> AsyncGenerator[Bridge]:
        reader = documents if documents and settings.data_dir == folder else InlineReader()
        bridge = await start_bridge(
            settings,
            open_database(place),
            documents=reader,
            among=among,
            offer=offer,
            is_straight=is_straight(),
            timings=waits,
        )
        try:
            yield bridge
        finally:
            await bridge.close()

    async with run(chosen) if pairs is None else pairs.run_pair(chosen, run) as bridge:
        yield bridge


def json_answer(value: Any, status: int = 200) -> dict[str, Any]:
    """The outcome a page reports for a JSON answer."""
    return {
        "status": "answered",
        "http_status": status,
        "content_type": "application/json",
        "headers": {"content-type": "application/json"},
        "body": {"kind": "text", "text": json.dumps(value)},
    }


@dataclass
class FakePage:
    """A paired browser of one user, with its socket."""

    base_url: str
    http: aiohttp.ClientSession
    device_id: str
    key: ec.EllipticCurvePrivateKey
    token: str = ""
    route: str = ""
    """The routing value of the session."""
    socket: socketio.AsyncClient = field(default_factory=lambda: socketio.AsyncClient(reconnection=False))
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    cancelled: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    receipts: list[str] = field(default_factory=list[str])
    handshake: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the bridge answered to `bridge:hello`."""
    asks_user: bool = False
    """Whether it says of calls that need an approval that they wait for one; else it begins them unasked."""

    def routed(self, url: str) -> str:
        """A replica's address for a socket of this page: it leads to the home of its user from there."""
        return f"{url}?route={self.route}" if self.route else url

    async def open_session(self) -> str:
        """A fresh session token, by signing a challenge."""
        nonce = (await self.post("/api/sessions/challenge", {"device_id": self.device_id}))["nonce"]
        session = await self.post("/api/sessions", self.sign_nonce(nonce))
        self.token, self.route = session["token"], session["route"]
        return self.token

    def sign_nonce(self, nonce: str) -> dict[str, str]:
        """The body that opens a session."""
        signed = self.key.sign(f"tool-bridge session {nonce}".encode(), ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(signed)
        signature = base64.urlsafe_b64encode(r.to_bytes(32) + s.to_bytes(32)).rstrip(b"=").decode()
        return {"device_id": self.device_id, "nonce": nonce, "signature": signature}

    async def connect(self, answer: Answer, hello: dict[str, Any] | None = None) -> dict[str, Any]:
        """Open the socket, say hello, and answer every call by `answer`; None: never report anything."""

        async def received(envelope: dict[str, Any]) -> dict[str, Any]:
            call = envelope["data"]["data"]
            self.calls.append(call)
            self.socket.start_background_task(self._report, call, answer)
            is_waiting = self.asks_user and call["bridge"]["approval"] == "needed"
            return {"call_id": call["id"], **({"awaiting_approval": True} if is_waiting else {})}

        self.socket.on("events", received)
        self.socket.on("cancel:tool", self.cancelled.append)
        self.socket.on("bridge:receipt", self._receipted)
        token = self.token or await self.open_session()
        await self.socket.connect(
            self.routed(home_url(self.base_url)),
            socketio_path=socket_path(self.base_url),
            transports=["websocket"],
            auth={"token": token},
            wait_timeout=20,
        )
        said = hello or {"protocol": 2, "page_id": "p1", "plan_version": 2}
        self.handshake = await self.socket.call("bridge:hello", said, timeout=20)
        return self.handshake

    async def accept_everything(self) -> None:
        """Accept every operation of every server as it stands."""
        for server in (await self.get("/api/servers"))["servers"]:
            tools = (await self.get(f"/api/servers/{server['id']}"))["tools"]
            body = {"operations": {tool["key"]: tool["digest"] for tool in tools}}
            await self.request("PUT", f"/api/servers/{server['id']}/acceptance", body)

    async def close(self) -> None:
        await self.socket.disconnect()

    async def get(self, path: str) -> Any:
        return (await self.request("GET", path))[1]

    async def post(self, path: str, body: Any) -> Any:
        return (await self.request("POST", path, body))[1]

    async def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        async with self.http.request(method, self.base_url + path, json=body, headers=headers) as response:
            return response.status, await response.json()

    def _receipted(self, receipt: dict[str, list[str]]) -> None:
        self.receipts.extend(receipt["call_ids"])

    async def _report(self, call: dict[str, Any], answer: Answer) -> None:
        outcome = await answer(call)
        if outcome is not None:
            await self.socket.emit("bridge:result", {"call_id": call["id"], "outcome": outcome})


def public_key_of(key: ec.EllipticCurvePrivateKey) -> dict[str, str]:
    """The JSON Web Key that a browser gives the bridge."""
    return json.loads(ECAlgorithm.to_jwk(key.public_key()))


def new_browser(base_url: str, http: aiohttp.ClientSession) -> FakePage:
    """A browser with a key of its own that is nobody's yet."""
    return FakePage(base_url, http, "", ec.generate_private_key(ec.SECP256R1()))


async def pair_browser(base_url: str, http: aiohttp.ClientSession, ticket: str) -> FakePage:
    """Make a browser that holds its own key a device of the ticket's user."""
    page = new_browser(base_url, http)
    body = {"ticket": ticket, "public_key": public_key_of(page.key)}
    status, paired = await page.request("POST", "/api/devices", body)
    assert status == 201, paired
    page.device_id = paired["device_id"]
    return page


async def open_page_of(bridge: Bridge, http: aiohttp.ClientSession, name: str) -> FakePage:
    """A page of the user of that name, paired and with a session, which has accepted nothing."""
    user = await bridge.components.users.ensure_user(name)
    page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(user.id))
    await page.open_session()
    return page


async def accept_everything(bridge: Bridge, user_id: str) -> None:
    """A user accepts everything it is offered, on a page that is not open any more."""
    async with aiohttp.ClientSession() as http:
        page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(user_id))
        await page.open_session()
        await page.accept_everything()


@asynccontextmanager
async def page_of(
    bridge: Bridge, user_id: str, answer: Answer, *, hello: dict[str, Any] | None = None
) -> AsyncGenerator[FakePage]:
    """A connected page of a user that has accepted everything it is offered."""
    async with aiohttp.ClientSession() as http:
        page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(user_id))
        await page.open_session()
        await page.accept_everything()
        await page.connect(answer, hello)
        yield page
        await page.close()


async def status_of_call(bridge: Bridge, tool: str, arguments: str = "{}", **headers: str) -> int:
    """The status of `POST /tools/NAME` with the bridge's key and further headers."""
    headers["Authorization"] = f"Bearer {bridge.key}"
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.post(f"{bridge.base_url}/tools/{tool}", data=arguments) as response,
    ):
        return response.status
