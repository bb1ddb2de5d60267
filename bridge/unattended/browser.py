"""A headless Chromium with a profile of its own: found, started, measured and ended."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bridge.operating_system import (
    NoHomeFolder,
    home_folder,
    is_superuser,
    kill_group,
    lock_file,
    open_private,
    start_in_group,
    used_bytes,
    wait_for_exit,
)
from bridge.tasks import Tasks
from bridge.told_failure import ToldFailure
from bridge.unattended.devtools import BrowserLost, CommandRefused, DevTools, Event

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge",
)
"""Names on the search path, best first."""

FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
)
"""It asks nobody on the network for anything, is never slowed down, and needs no desktop."""

READ_FROM, WRITE_TO = 3, 4
"""Descriptors from which Chromium reads commands, and to which it writes."""

LOCKS = ("SingletonLock", "SingletonCookie", "SingletonSocket")
"""What a Chromium that was killed leaves in its profile; another host's would be believed for ever."""

LOCK, OUTPUT = "tool-bridge.lock", "browser.log"
CLOSE_S = 5.0
"""Seconds for a browser to end by itself."""

TAIL_CHARS = 600
MAX_OUTPUT_BYTES = 1024 * 1024


class BrowserUnusable(ToldFailure):
    """No browser can be started here; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class BrowserChoice:
    """Which browser is run, and how."""

    path: str
    profile: Path
    sandbox: bool
    """Whether it confines its pages, as it should wherever it can."""
    environ: Mapping[str, str]


def find_browser(named: str | None, search: Callable[[str], str | None] = shutil.which) -> str:
    """Return the path of a browser: the one that is named, else the first on the search path.

    Raises:
        BrowserUnusable: there is none.
    """
    found = next(filter(None, map(search, [named] if named else BROWSERS)), None)
    if found is not None:
        return found
    if named:
        raise BrowserUnusable(
            f"there is no program {named}: --browser takes the path of a Chromium or Chrome"
        )
    raise BrowserUnusable(
        f"no browser was found: none of {', '.join(BROWSERS)} is on the search path. Install Chromium, "
        "or name one by --browser"
    )


def default_profile(environ: Mapping[str, str]) -> Path:
    """Return `tool-bridge/page` in the user's folder for state (XDG base directories).

    Raises:
        BrowserUnusable: the user has no home folder, and the environment names no folder for state.
    """
    base = environ.get("XDG_STATE_HOME")
    try:
        return (Path(base) if base else home_folder() / ".local" / "state") / "tool-bridge" / "page"
    except NoHomeFolder as error:
        raise BrowserUnusable(f"{error}: name a folder for the profile by --profile") from None


def claim_profile(profile: Path) -> int:
    """Make the profile if need be and lock it until this process ends; returns the descriptor of the lock.

    Raises:
        BrowserUnusable: it cannot be written, or another process uses it.
    """
    try:
        profile.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = open_private(profile / LOCK, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise BrowserUnusable(f"the profile {profile} cannot be used: {error.strerror}") from None
    try:
        lock_file(lock)
    except BlockingIOError:
        os.close(lock)
        raise BrowserUnusable(
            f"another process uses the profile {profile}: name another by --profile"
        ) from None
    return lock


class RunningBrowser:
    """One process group of Chromium, from its start to its end."""

    def __init__(self, pid: int, devtools: DevTools, exited: asyncio.Task[int], output: Path) -> None:
        self.pid = pid
        self.devtools = devtools
        self._exited = exited
        self._output = output

    def used_bytes(self) -> int | None:
        """Return how much memory its processes use; None where that is not known."""
        return used_bytes(self.pid)

    def trim_output(self) -> None:
        """Forget what it wrote once that is much: a browser may complain for months."""
        if self._output.stat().st_size > MAX_OUTPUT_BYTES:
            os.truncate(self._output, 0)

    def last_words(self) -> str:
        """Return the end of what it wrote, without what it says wherever there is no desktop."""
        lines = self._output.read_text(encoding="utf-8", errors="replace").splitlines()
        return " ".join(" ".join(line for line in lines if ":dbus/" not in line)[-TAIL_CHARS:].split())

    async def close(self) -> None:
        """End it, at the latest after `CLOSE_S`; never fails."""
        with suppress(BrowserLost, CommandRefused):
            await self.devtools.send_command("Browser.close", within_s=CLOSE_S)
        self.devtools.close()
        await asyncio.wait({self._exited}, timeout=CLOSE_S)
        kill_group(self.pid)
        await asyncio.wait({self._exited}, timeout=CLOSE_S)


async def start_browser(
    choice: BrowserChoice, tasks: Tasks, notice: Callable[[Event], None]
) -> RunningBrowser:
    """Start a browser and wait until it answers.

    Raises:
        BrowserUnusable: it cannot be started, or ends at once.
    """
    _forget_locks(choice.profile)
    devtools = DevTools(tasks, notice)
    browser_reads, we_write = os.pipe()
    we_read, browser_writes = os.pipe()
    output_path = choice.profile / OUTPUT
    output = open_private(output_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    try:
        pipes = {READ_FROM: browser_reads, WRITE_TO: browser_writes}
        pid = start_in_group(arguments_of(choice), choice.environ, pipes, output)
    except OSError as error:
        os.close(we_write)
        os.close(we_read)
        raise BrowserUnusable(f"{choice.path} cannot be started: {error.strerror}") from None
    finally:
        for descriptor in (browser_reads, browser_writes, output):
            os.close(descriptor)
    exited = tasks.start_task(asyncio.to_thread(wait_for_exit, pid), "wait for the browser to end")
    browser = RunningBrowser(pid, devtools, exited, output_path)
    try:
        await devtools.open(we_read, we_write)
        await devtools.send_command("Browser.getVersion")
    except BrowserLost as error:
        await browser.close()
        raise BrowserUnusable(
            f"{choice.path} does not start: {error}. It wrote: {browser.last_words()}"
        ) from None
    except BaseException:
        await browser.close()
        raise
    return browser


def arguments_of(choice: BrowserChoice) -> list[str]:
    """Return the command line, which holds no secret."""
    sandbox = () if choice.sandbox else ("--no-sandbox",)
    return [choice.path, *FLAGS, *sandbox, f"--user-data-dir={choice.profile}", "about:blank"]


def check_sandbox(*, sandbox: bool, superuser: bool | None = None) -> None:
    """Refuse a start as root: Chromium confines no page then, and says so less clearly.

    Raises:
        BrowserUnusable: as root, and the sandbox was not given up.
    """
    if sandbox and (is_superuser() if superuser is None else superuser):
        raise BrowserUnusable(
            "Chromium does not confine its pages when it runs as root: run this command as another user. "
            "Only where something else confines it, such as a container, --no-sandbox gives that up"
        )


def _forget_locks(profile: Path) -> None:
    for name in LOCKS:
        with suppress(OSError):
            (profile / name).unlink(missing_ok=True)
