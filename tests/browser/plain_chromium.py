"""A Chromium driven by its own protocol, because Playwright makes every tab believe that it is seen."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.support.chromium import ARGUMENTS, chromium_path
from tests.support.waiting import eventually


class CommandRefused(Exception):
    """Chromium cannot do that now."""


class PlainChromium:
    """One browser over one DevTools connection; commands one after the other."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    async def command(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and give its result; events in between are dropped.

        Raises:
            CommandRefused: for example there is no document in the tab yet.
        """
        number = await self.send(method, session, **parameters)
        while (answer := await self._socket.receive_json(loads=json.loads)).get("id") != number:
            pass
        if "error" in answer:
            raise CommandRefused(answer["error"]["message"])
        return answer["result"]

    async def send(self, method: str, session: str | None = None, **parameters: Any) -> int:
        """Send a command and wait for nothing: one that ends its tab may have no answer. Gives its number."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        await self._socket.send_json(message if session is None else {**message, "sessionId": session})
        return number

    async def open_tab(self, url: str) -> "PlainTab":
        """A new tab in front of all others."""
        return await self._attach((await self.command("Target.createTarget", url=url))["targetId"])

    async def wait_for_tab(self, words: str) -> "PlainTab":
        """The tab whose address has these words in it, once it is there."""

        async def find() -> str:
            targets = (await self.command("Target.getTargets"))["targetInfos"]
            return next((each["targetId"] for each in targets if words in each["url"]), "")

        return await self._attach(await eventually(find, what=f"a tab with {words}"))

    async def _attach(self, target: str) -> "PlainTab":
        attached = await self.command("Target.attachToTarget", targetId=target, flatten=True)
        await self.command("Target.activateTarget", targetId=target)
        return PlainTab(self, attached["sessionId"])


class PlainTab:
    """One tab."""

    def __init__(self, browser: PlainChromium, session: str) -> None:
        self._browser = browser
        self._session = session

    async def run(self, script: str) -> None:
        """Evaluate an expression as if its user had pressed a key, and the promise that it gives."""
        how = {"expression": script, "awaitPromise": True, "userGesture": True}
        await self._browser.command("Runtime.evaluate", self._session, **how)

    async def value(self, expression: str) -> Any:
        """What a JavaScript expression is in the tab.

        Raises:
            CommandRefused: there is no document yet.
        """
        how = {"expression": expression, "returnByValue": True}
        answer = await self._browser.command("Runtime.evaluate", self._session, **how)
        return answer["result"].get("value")

    async def press(self, x: float, y: float, count: int = 1) -> None:
        """Press and release the mouse there; `count`: which press of a double-click it is."""
        for kind in ("mousePressed", "mouseReleased"):
            await self._browser.command(**self._mouse_event(kind, x, y, count))

    async def begin_press(self, x: float, y: float) -> None:
        """Press the mouse there, which may close the tab."""
        await self._browser.send(**self._mouse_event("mousePressed", x, y, 1))

    def _mouse_event(self, kind: str, x: float, y: float, count: int) -> dict[str, Any]:
        where = {"x": x, "y": y, "button": "left", "clickCount": count}
        return {"method": "Input.dispatchMouseEvent", "session": self._session, "type": kind, **where}

    async def expect(self, condition: str, within_s: float = 20) -> None:
        """Wait until a JavaScript expression is true in the tab."""

        async def is_true() -> bool:
            try:
                return await self.value(condition) is True
            except CommandRefused:
                return False

        await eventually(is_true, within_s=within_s, what=condition)


@asynccontextmanager
async def plain_chromium(folder: Path, *arguments: str) -> AsyncGenerator[PlainChromium]:
    """A browser with a profile of its own in `folder`."""
    browser = await asyncio.create_subprocess_exec(
        chromium_path(),
        *ARGUMENTS,
        *arguments,
        "--headless=new",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert browser.stderr is not None
        while b"DevTools listening on " not in (line := await browser.stderr.readline()):
            assert line, "Chromium ended before it was ready"
        address = line.decode().partition(" on ")[2].strip()
        async with aiohttp.ClientSession() as http, http.ws_connect(address, max_msg_size=0) as socket:
            yield PlainChromium(socket)
            await socket.send_json({"id": 0, "method": "Browser.close"})
        await browser.communicate()
    finally:
        if browser.returncode is None:
            browser.kill()
            await browser.wait()
