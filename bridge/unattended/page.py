"""The bridge page in one tab of a browser that this process drives: opened, told its policy, asked how it is.

The page knows its driver by the function `DRIVER`, which the browser puts there before any script of the page
runs, and offers `toolBridgePage` in return; see static/unattended/.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from bridge.tasks import Tasks
from bridge.unattended.browser import BrowserChoice, RunningBrowser, start_browser
from bridge.unattended.devtools import BrowserLost, CommandRefused, Event
from bridge.unattended.policy import origin_of
from bridge.unattended.reports import Entered, Report, parse_report

DRIVER = "toolBridgeDriver"

OPEN_S = 60.0
"""Seconds within which the page says whether it was let in."""

PING_S = 15.0
"""Seconds within which the page and its executor answer."""

POLICY_S = 300.0
"""Seconds within which the page does what its policy says, which may fetch documents."""

LOCAL_NETWORK = ("local-network-access", "local-network", "loopback-network")
"""Permissions under their names in different versions."""

_log = logging.getLogger(__name__)


class PageFailed(Exception):
    """The page cannot be used and is to be started again; the text says why."""


class BridgePage:
    """One browser with the page of one bridge."""

    def __init__(self, url: str, policy: Mapping[str, Any], told: Callable[[Report], None]) -> None:
        """`policy` is what `prepare_policy` returns; `told` is called for every report, and must not wait."""
        self._url = url
        self._origin = origin_of(url)
        self._policy = policy
        self._told = told
        self._tasks: Tasks | None = None
        self._browser: RunningBrowser | None = None
        self._target, self._session = "", ""
        self._context: int | None = None
        """The page's own scripts, while it is the bridge's."""
        self._heard = asyncio.Event()
        self.failure: asyncio.Future[PageFailed] = asyncio.get_running_loop().create_future()
        """Why it is to be started again, once it is."""

    @property
    def browser(self) -> RunningBrowser:
        """The browser, once it was started."""
        assert self._browser is not None
        return self._browser

    async def open(self, choice: BrowserChoice, tasks: Tasks, *, ticket: str, local_network: bool) -> None:
        """Start the browser, open the page, and wait until it has said whether it was let in.

        Raises:
            BrowserUnusable: the browser cannot be started.
            BrowserLost: it ended, or does not answer.
            PageFailed: the bridge does not answer, or its page says nothing.
        """
        self._tasks = tasks
        self._browser = await start_browser(choice, tasks, self._notice)
        tasks.start_task(self._note_loss(self._browser), "notice the end of the browser")
        devtools = self._browser.devtools
        target = await devtools.send_command("Target.createTarget", {"url": "about:blank"})
        attached = await devtools.send_command(
            "Target.attachToTarget", {"targetId": target["targetId"], "flatten": True}
        )
        self._target, self._session = target["targetId"], attached["sessionId"]
        for method in ("Page.enable", "Runtime.enable", "Inspector.enable"):
            await self._send(method)
        await self._send("Runtime.addBinding", {"name": DRIVER})
        if local_network:
            await self._allow_local_network()
        opened = await self._send(
            "Page.navigate", {"url": f"{self._url}/" + (f"#ticket={ticket}" if ticket else "")}
        )
        if opened.get("errorText"):
            raise PageFailed(f"the bridge does not answer at {self._url}: {opened['errorText']}")
        try:
            async with asyncio.timeout(OPEN_S):
                await self._heard.wait()
        except TimeoutError:
            raise PageFailed(f"{self._url} is no bridge page, or it does not start") from None

    async def ping(self) -> None:
        """Wait until the page and its executor have answered.

        Raises:
            BrowserLost: they do not answer.
            CommandRefused: the page is being loaded.
        """
        await self._call("pingExecutor()", within_s=PING_S)

    async def drain(self, within_s: float) -> None:
        """Let the calls that run finish, and take no others.

        Raises:
            BrowserLost: they take longer, or the browser has ended.
            CommandRefused: the page is being loaded.
        """
        await self._call("drainCalls()", within_s=within_s)

    def fail(self, why: str) -> None:
        """Say that it is to be started again; what was said first counts."""
        if not self.failure.done():
            self.failure.set_result(PageFailed(why))

    async def close(self) -> None:
        """End the browser; never fails."""
        if self._browser is not None:
            await self._browser.close()

    async def _note_loss(self, browser: RunningBrowser) -> None:
        await browser.devtools.lost.wait()
        self.fail(f"the browser has ended. It wrote: {browser.last_words()}")

    async def _call(self, expression: str, *, within_s: float) -> None:
        if self._context is None:
            raise CommandRefused("the page is being loaded")
        answer = await self._send(
            "Runtime.evaluate",
            {"expression": f"toolBridgePage.{expression}", "awaitPromise": True, "contextId": self._context},
            within_s=within_s,
        )
        if "exceptionDetails" in answer:
            raise CommandRefused(f"the page has no {expression.partition('(')[0]}")

    async def _send(
        self, method: str, parameters: Mapping[str, Any] | None = None, *, within_s: float | None = None
    ) -> dict[str, Any]:
        devtools = self.browser.devtools
        if within_s is None:
            return await devtools.send_command(method, parameters, session=self._session)
        return await devtools.send_command(method, parameters, session=self._session, within_s=within_s)

    async def _allow_local_network(self) -> None:
        for name in LOCAL_NETWORK:
            permission = {"permission": {"name": name}, "setting": "granted", "origin": self._origin}
            try:
                await self.browser.devtools.send_command("Browser.setPermission", permission)
            except CommandRefused:
                _log.debug("This browser has no permission %s.", name)

    def _notice(self, event: Event) -> None:
        if event.session != self._session or not event.session:
            return
        match event.method:
            case "Runtime.executionContextCreated":
                context = event.parameters["context"]
                if self._is_own(context["origin"], context.get("auxData", {})):
                    self._context = context["id"]
            case "Runtime.executionContextsCleared":
                self._context = None
            case "Runtime.bindingCalled":
                if event.parameters["executionContextId"] == self._context:
                    self._receive(event.parameters["payload"])
            case "Inspector.targetCrashed":
                self.fail("the page crashed")
            case _:
                pass

    def _is_own(self, origin: str, about: Mapping[str, Any]) -> bool:
        """Whether scripts run as the bridge's in the tab itself, and not in a frame or beside the page."""
        return (
            origin == self._origin and about.get("isDefault") is True and about.get("frameId") == self._target
        )

    def _receive(self, text: str) -> None:
        try:
            report = parse_report(text)
        except ValueError:
            _log.warning("The page said something that this version does not understand.")
            return
        if isinstance(report, Entered) and self._tasks is not None:
            self._tasks.start_task(self._apply_policy(), "tell the page its policy")
        self._heard.set()
        self._told(report)

    async def _apply_policy(self) -> None:
        try:
            await self._call(f"applyPolicy({json.dumps(self._policy)})", within_s=POLICY_S)
        except (BrowserLost, CommandRefused) as error:
            self.fail(f"the page does not take its policy: {error}")
