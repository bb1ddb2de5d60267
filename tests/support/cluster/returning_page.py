"""A page that comes back as the real one does (`static/connection/reconnection.js`), played by Socket.IO."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

import aiohttp
import socketio
from socketio.exceptions import SocketIOError

from bridge.browser_protocol import PROTOCOL
from tests.support.running_bridge import FakePage, pair_browser

SILENT_BEATS = 3
RETRY_FIRST_S, RETRY_HURRY_S, MOVED_LAST_S = 0.2, 1.0, 0.2
LONGEST_TRY_S = 20.0
OPEN_S, QUICK_TRIES = 0.7, 4
GOODBYE_S = 1.0
"""Seconds for closing a socket whose other end may be frozen."""

Perform = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""Performs a call once and returns its outcome."""


@dataclass
class _Connection:
    """One try, and the socket that came of it."""

    client: socketio.AsyncClient
    welcome: asyncio.Future[Mapping[str, Any]]
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    heard_at: float = 0.0
    is_moved: bool = False
    is_redirected: bool = False
    is_silent: bool = False
    """Whether nothing was heard of it at all."""

    def note(self, *_anything: object) -> None:
        """Something came from the bridge."""
        self.heard_at = now()


class ReturningPage:
    """A page that connects again until it is closed, and reports every result until its receipt is there."""

    def __init__(self, browser: FakePage, perform: Perform) -> None:
        self.browser = browser
        self.greetings: list[float] = []
        """When handshakes were complete, by the loop's time."""
        self.asked: list[tuple[str, int]] = []
        """Calls that came, with their attempts."""
        self._perform = perform
        self._outbox: dict[str, dict[str, Any]] = {}
        self._begun: set[str] = set()
        self._running: set[str] = set()
        self._beat_s = self._silences = self._unopened = self._redirects = 0
        self._is_led = True
        self._connection: _Connection | None = None
        self._work: set[asyncio.Task[None]] = set()
        self._random = random.Random(browser.device_id)

    @property
    def is_connected(self) -> bool:
        """Whether the last handshake still holds, as far as the page knows."""
        return self._connection is not None

    async def stay(self) -> None:
        """Connect, and connect again after every loss, until cancelled."""
        while True:
            connection = self._open_connection()
            try:
                await self._serve(connection)
            finally:
                self._connection = None
                self._start(_say_goodbye(connection.client))
            await asyncio.sleep(self._delay(connection))

    async def close(self) -> None:
        """Leave, after `stay` was cancelled."""
        await asyncio.gather(*self._work, return_exceptions=True)

    def _delay(self, connection: _Connection) -> float:
        self._is_led = connection.is_moved or connection.is_redirected
        self._redirects += connection.is_redirected
        if connection.is_redirected and self._redirects == 1:
            return 0
        if connection.is_moved or connection.is_silent:
            return self._random.uniform(0, MOVED_LAST_S)
        return self._random.uniform(RETRY_FIRST_S, RETRY_HURRY_S)

    def _open_connection(self) -> _Connection:
        client = socketio.AsyncClient(reconnection=False, http_session=self.browser.http)
        connection = _Connection(client, asyncio.get_running_loop().create_future())

        def moved(*_message: object) -> None:
            connection.is_moved = True
            connection.lost.set()

        def welcomed(welcome: dict[str, Any]) -> None:
            connection.note()
            if not connection.welcome.done():
                connection.welcome.set_result(welcome)

        def refused(refusal: Any = None) -> None:
            connection.lost.set()
            connection.is_redirected = self._note_refusal(refusal) == "wrong_replica"

        async def called(envelope: dict[str, Any]) -> dict[str, Any]:
            connection.note()
            return self._take_call(envelope["data"]["data"])

        left = client.eio.handlers["disconnect"]

        async def cut(reason: str) -> None:  # Socket.IO tells of it only once its own handshake is complete
            connection.lost.set()
            await left(reason)

        client.eio.on("disconnect", cut)
        client.on("bridge:welcome", welcomed)
        client.on("bridge:moved", moved)
        client.on("bridge:receipt", self._forget_results)
        client.on("connect_error", refused)
        client.on("events", called)
        client.on("*", connection.note)
        return connection

    async def _serve(self, connection: _Connection) -> None:
        """Until the connection is lost, refused or too silent."""
        patience_s = min(LONGEST_TRY_S, self._patience_s * 2**self._silences)
        open_s = min(LONGEST_TRY_S, OPEN_S * 2 ** max(0, self._unopened - QUICK_TRIES))
        is_open = False
        try:
            async with asyncio.timeout(patience_s if self._is_led else open_s):
                await self._connect(connection.client)
            is_open = True
            async with asyncio.timeout(min(LONGEST_TRY_S, 2 * patience_s)):
                welcome = await _welcome_of(connection)
        except TimeoutError:
            connection.is_silent = True
            if is_open or self._is_led:
                self._silences += 1
            else:
                self._unopened += 1
            return
        except (SocketIOError, aiohttp.ClientError, OSError):
            return
        if welcome is None:
            return
        self._beat_s, self._silences = welcome.get("beat_s", 0), 0
        self._unopened = self._redirects = 0
        self._connection = connection
        self.greetings.append(now())
        for call_id in list(self._outbox):
            await self._send_result(call_id)
        connection.note()
        await self._wait_for_silence(connection)

    @property
    def _patience_s(self) -> float:
        return SILENT_BEATS * self._beat_s if self._beat_s else LONGEST_TRY_S

    async def _connect(self, client: socketio.AsyncClient) -> None:
        browser = self.browser
        token = browser.token or await browser.open_session()
        done = [{"call_id": call_id, "state": "done"} for call_id in self._outbox]
        running = [{"call_id": call_id, "state": "running"} for call_id in self._running - set(self._outbox)]
        names = {"page_id": browser.device_id, "instance": browser.device_id, "epoch": browser.device_id}
        await client.connect(
            f"{browser.base_url}?route={browser.route}"
            if self._is_led and browser.route
            else browser.base_url,
            socketio_path="ws/socket.io",
            transports=["websocket"],
            auth={"token": token, "hello": {"protocol": PROTOCOL, **names, "calls": done + running}},
            wait=False,
        )

    async def _wait_for_silence(self, connection: _Connection) -> None:
        while (left_s := connection.heard_at + self._patience_s - now()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await connection.lost.wait()
                return

    def _note_refusal(self, refusal: Any) -> str:
        """The code of a refusal; what it says is done at the next try."""
        problem = cast("dict[str, Any]", refusal) if isinstance(refusal, dict) else {}
        found: dict[str, Any] = problem.get("data", problem)
        if found.get("code") == "unauthorized":
            self.browser.token = ""
        if found.get("code") == "wrong_replica":
            self.browser.route = found["detail"]["route"]
        return found.get("code", "")

    def _take_call(self, call: dict[str, Any]) -> dict[str, Any]:
        """The ack; a call that came before is not begun again, as the page's journal has it."""
        call_id = call["id"]
        self.asked.append((call_id, int(call["bridge"].get("attempt", 1))))
        if call_id not in self._begun:
            self._begun.add(call_id)
            self._running.add(call_id)
            self._start(self._run(call))
        elif call_id in self._outbox:
            self._start(self._send_result(call_id))
        return {"call_id": call_id}

    async def _run(self, call: dict[str, Any]) -> None:
        outcome = await self._perform(call)
        self._outbox[call["id"]] = outcome
        self._running.discard(call["id"])
        await self._send_result(call["id"])

    async def _send_result(self, call_id: str) -> None:
        connection, outcome = self._connection, self._outbox.get(call_id)
        if connection is not None and outcome is not None:
            with suppress(SocketIOError):
                await connection.client.emit("bridge:result", {"call_id": call_id, "outcome": outcome})

    def _forget_results(self, receipt: dict[str, list[str]]) -> None:
        if self._connection is not None:
            self._connection.note()
        for call_id in receipt["call_ids"]:
            self._outbox.pop(call_id, None)

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)


async def _welcome_of(connection: _Connection) -> Mapping[str, Any] | None:
    """What the bridge says to the handshake; None: it has ended the connection instead."""
    lost = asyncio.ensure_future(connection.lost.wait())
    try:
        await asyncio.wait({lost, connection.welcome}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        lost.cancel()
    return connection.welcome.result() if connection.welcome.done() else None


async def _say_goodbye(client: socketio.AsyncClient) -> None:
    with suppress(TimeoutError, SocketIOError, aiohttp.ClientError, OSError):
        async with asyncio.timeout(GOODBYE_S):
            await client.disconnect()


def now() -> float:
    """The loop's time."""
    return asyncio.get_running_loop().time()


def params_of(call: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call."""
    return json.loads(call["params"] or "{}")


@asynccontextmanager
async def returning_page(base_url: str, ticket: str, perform: Perform) -> AsyncGenerator[ReturningPage]:
    """A page of the ticket's user, who accepts everything; it comes back until the end."""
    async with aiohttp.ClientSession() as http:
        browser = await pair_browser(base_url, http, ticket)
        await browser.open_session()
        await browser.accept_everything()
        async with returning(browser, perform) as page:
            yield page


@asynccontextmanager
async def returning(browser: FakePage, perform: Perform) -> AsyncGenerator[ReturningPage]:
    """The page of a browser that is paired; it comes back until the end."""
    page = ReturningPage(browser, perform)
    staying = asyncio.create_task(page.stay())
    try:
        yield page
    finally:
        staying.cancel()
        await asyncio.gather(staying, return_exceptions=True)
        await page.close()
