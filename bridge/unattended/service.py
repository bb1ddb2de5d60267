"""The service: keeps one page connected, and starts its browser again when it dies, hangs or grows too large.

One browser runs after the other, each in `_run_browser`; what the page says comes to `_note_report`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bridge.errors import code_of
from bridge.tasks import Tasks, sleep_safely
from bridge.told_failure import ToldFailure
from bridge.unattended.browser import BrowserChoice, BrowserUnusable
from bridge.unattended.devtools import BrowserLost, CommandRefused
from bridge.unattended.health import PageStanding
from bridge.unattended.page import BridgePage, PageFailed
from bridge.unattended.reports import AcceptedServer, Code, Entered, Entrance, PolicyApplied, Report, State

LOOK_EVERY_S = 2.0
"""Seconds between two looks at the memory."""

PING_EVERY_S = 10.0
FIRST_PAUSE_S, LAST_PAUSE_S = 1.0, 60.0
"""Seconds before the browser is started again: doubled with every start, up to the second number."""

STEADY_S = 300.0
"""Seconds of work after which the next pause is the first one again."""

DRAIN_S = 60.0
"""Seconds for calls to finish before a browser that has grown too large is started again."""

STOP_S = 20.0
"""The same before this service stops."""

PASSING = frozenset({"unreachable", "database_unavailable", "cluster_unavailable", "replica_lost"})
"""Refusals after which the page tries again by itself."""

WAITING = frozenset({"not_paired", "device_unknown"})
"""Refusals that a confirmed code ends."""

_NEW_LINK = "Give a new link by --ticket-file, or start with --code"
ADVICE: Mapping[str, str] = {
    "not_paired": _NEW_LINK,
    "ticket_refused": _NEW_LINK,
    "device_unknown": _NEW_LINK,
    "other_user": "Give the page of another user a profile of its own: --profile",
    "user_changed": "Give the page of another user a profile of its own: --profile",
    "insecure_context": "Name the bridge by its https address, or run this command where the bridge runs",
    "browser_storage_unavailable": "Check that the profile can be written",
}
"""Refusals that a new start does not end, and what does; after others the browser is started again."""

FAILURES = (BrowserLost, BrowserUnusable, CommandRefused, PageFailed)
"""After which the browser is started again."""

_log = logging.getLogger(__name__)


class NotPaired(ToldFailure):
    """The bridge does not let this browser in, and will not by itself: to start again does not help."""

    status = 3


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """What the service was asked for."""

    url: str
    browser: BrowserChoice
    policy: Mapping[str, Any] = field(repr=False)
    """As the page reads it, secrets included."""
    local_network: bool
    ticket: str = field(repr=False)
    """Used until the browser is paired; empty: none."""
    by_code: bool
    """Whether to wait for somebody to confirm a code."""
    memory_limit_bytes: int | None


class PageService:
    """Runs the page until it is stopped."""

    def __init__(
        self, settings: ServiceSettings, standing: PageStanding, show_code: Callable[[str], None]
    ) -> None:
        """`show_code` shows a person the code to confirm."""
        self._settings = settings
        self._standing = standing
        self._show_code = show_code
        self._has_entered = False
        self._refusal: asyncio.Future[NotPaired | PageFailed] | None = None
        self._code_ends_at: float | None = None
        self._is_online = False
        self._connection_error = ""
        self._logged: Sequence[str] = ()
        """What was said of the policy last."""

    async def run(self, stop: asyncio.Event) -> None:
        """Keep the page running until `stop` is set.

        Raises:
            NotPaired: the bridge does not let this browser in.
            BrowserUnusable: the first browser cannot be started.
        """
        pause = FIRST_PAUSE_S
        while not stop.is_set():
            began = time.monotonic()
            try:
                await self._run_browser(stop)
            except FAILURES as error:
                if isinstance(error, BrowserUnusable) and not self._standing.restarts:
                    raise
                if time.monotonic() - began > STEADY_S:
                    pause = FIRST_PAUSE_S
                _log.warning("The page is started again in %g s: %s.", pause, error)
                self._standing.begin(f"The page is started again: {error}.")
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await stop.wait()
                pause = min(LAST_PAUSE_S, 2 * pause)
            self._standing.restarts += not stop.is_set()

    async def _run_browser(self, stop: asyncio.Event) -> None:
        """Run one browser; returns once the service is to stop."""
        watching = Tasks()
        tasks = Tasks()
        self._refusal = asyncio.get_running_loop().create_future()
        self._code_ends_at, self._is_online, self._connection_error = None, False, ""
        page = BridgePage(self._settings.url, self._settings.policy, self._note_report)
        try:
            opening = watching.start_task(self._open(page, tasks), "open the page")
            stopping = watching.start_task(stop.wait(), "wait for the stop")
            await asyncio.wait({opening, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if opening.done():
                if (failure := opening.result()) is not None:
                    raise failure
                watching.start_task(self._keep_asking(page), "ask the page how it is")
                await self._watch(page, stopping)
        finally:
            await watching.close()
            await page.close()
            await tasks.close()

    async def _open(self, page: BridgePage, tasks: Tasks) -> Exception | None:
        """Open the page; returns why it cannot be opened: what a task raises is logged as a bug."""
        settings = self._settings
        ticket = "" if self._has_entered else settings.ticket
        try:
            await page.open(settings.browser, tasks, ticket=ticket, local_network=settings.local_network)
        except FAILURES as error:
            return error
        return None

    async def _watch(self, page: BridgePage, stopping: asyncio.Task[bool]) -> None:
        """Wait for the stop, and let calls finish then."""
        assert self._refusal is not None
        while not stopping.done():
            await asyncio.wait(
                {stopping, page.failure, self._refusal},
                timeout=LOOK_EVERY_S,
                return_when=asyncio.FIRST_COMPLETED,
            )
            for ended in (self._refusal, page.failure):
                if ended.done():
                    raise ended.result()
            self._check_code()
            page.browser.trim_output()
            await self._check_memory(page, stopping)
        self._standing.reason = "The service stops."
        await self._drain(page, stopping)

    async def _keep_asking(self, page: BridgePage) -> None:
        """Ask the page again and again whether it still answers, and say so when it does not."""
        while True:
            await sleep_safely(PING_EVERY_S)
            try:
                await page.ping()
            except CommandRefused:
                continue  # it is being loaded, and says itself how that ended
            except BrowserLost as error:
                return page.fail(str(error))

    async def _check_memory(self, page: BridgePage, stopping: asyncio.Task[bool]) -> None:
        """End a browser that uses more memory than it may, once its calls have ended."""
        self._standing.memory_bytes = used = page.browser.used_bytes()
        limit = self._settings.memory_limit_bytes
        if limit is None or used is None or used <= limit:
            return
        if not self._standing.has_policy:  # one that only begins may need more
            return
        why = f"the browser uses {used // 2**20} MB, more than {limit // 2**20}"
        self._standing.reason = f"The page takes no more calls: {why}."
        await self._drain(page, stopping)
        raise PageFailed(why)

    async def _drain(self, page: BridgePage, stopping: asyncio.Task[bool]) -> None:
        """Let calls finish within `DRAIN_S`, and within `STOP_S` from the stop of the service."""
        tasks = Tasks()
        draining = tasks.start_task(self._finish_calls(page), "finish calls")
        await asyncio.wait({draining, stopping}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({draining}, timeout=STOP_S)
        await tasks.close()

    async def _finish_calls(self, page: BridgePage) -> None:
        try:
            await page.drain(DRAIN_S)
        except CommandRefused:
            return  # it is being loaded, and takes no calls
        except BrowserLost as error:
            _log.warning("Calls may not have finished: %s.", error)

    def _check_code(self) -> None:
        if self._code_ends_at is not None and time.time() > self._code_ends_at:
            raise NotPaired("nobody confirmed the code in time. Start this command again for another one")

    def _note_report(self, report: Report) -> None:
        self._standing.note_report(report)
        match report:
            case Entrance(code=code, message=message):
                self._note_refusal(code, message)
            case Code(code=code, ends_at=ends_at):
                self._note_code(code, ends_at / 1000)
            case Entered(user=user):
                _log.info("This browser is %s's.", user)
                self._has_entered, self._code_ends_at = True, None
            case PolicyApplied(accepted=accepted, changes=changes, problems=problems):
                for change in changes:
                    _log.warning("What the page accepts has changed: %s", change)
                self._log_policy(accepted, problems)
            case State(connection=connection, error=error):
                if error and error != self._connection_error:
                    _log.warning("The page is not connected: %s", error)
                self._connection_error = error
                if (is_online := connection == "online") != self._is_online:
                    self._is_online = is_online
                    _log.info("The page is connected." if is_online else "The page is not connected.")

    def _log_policy(self, accepted: Sequence[AcceptedServer], problems: Sequence[str]) -> None:
        lines = [f"Accepted: {server.title}, {server.operations} operations." for server in accepted]
        for line in lines:
            if line not in self._logged:
                _log.info("%s", line)
        for problem in problems:
            if problem not in self._logged:
                _log.warning("The policy is not fully in force: %s", problem)
        self._logged = [*lines, *problems]

    def _note_refusal(self, code: str, message: str) -> None:
        code = code_of(code)
        if code in PASSING:
            _log.warning("%s It is asked again.", message)
            return
        is_waiting = code == "confirmation_needed" or (self._settings.by_code and code in WAITING)
        if is_waiting or self._refusal is None or self._refusal.done():
            return
        advice = ADVICE.get(code)
        if advice is None:
            self._refusal.set_result(PageFailed(message.rstrip(".")))
        else:
            self._refusal.set_result(NotPaired(f"{message} {advice}"))

    def _note_code(self, code: str, ends_at: float) -> None:
        self._code_ends_at = ends_at
        until = datetime.fromtimestamp(ends_at, UTC).strftime("%H:%M:%S UTC")
        self._show_code(
            f"Confirm this browser before {until}: in one that is paired already, open Devices and type "
            f"{code[:4]}-{code[4:]} under Add a device."
        )
