"""`tool-bridge page` in a process of its own, with a real browser, as a service manager runs it."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests.support.chromium import chromium_path
from tests.support.waiting import eventually

STARTED_S = 40.0
"""A browser starts in two seconds on an idle machine, and in twenty beside a build."""


@dataclass
class RunningPage:
    """The command while it runs, and all that it wrote."""

    process: asyncio.subprocess.Process
    profile: Path
    http: aiohttp.ClientSession
    lines: list[str] = field(default_factory=list[str])
    """Of both streams."""

    async def wait_for_line(
        self, pattern: str, *, after: int = 0, within_s: float = STARTED_S
    ) -> re.Match[str]:
        """The first line with that in it, of those from number `after` on."""

        def find() -> re.Match[str] | None:
            return next(filter(None, (re.search(pattern, line) for line in self.lines[after:])), None)

        try:
            return await eventually(find, within_s=within_s, what=f"a line with {pattern!r}")  # type: ignore[return-value]
        except AssertionError as error:
            raise AssertionError(f"{error}; it wrote:\n" + "\n".join(self.lines)) from None

    async def health(self) -> tuple[int, dict[str, Any]]:
        """What a monitor reads."""
        url = (await self.wait_for_line(r"Health: (http://\S+)"))[1]
        async with self.http.get(url) as answer:
            return answer.status, await answer.json()

    async def wait_until_healthy(self) -> dict[str, Any]:
        """Wait until a monitor is content, and return what it reads."""

        async def look() -> dict[str, Any] | None:
            status, body = await self.health()
            return body if status == 200 else None

        try:
            return await eventually(look, within_s=STARTED_S, what="a healthy page")  # type: ignore[return-value]
        except AssertionError as error:
            raise AssertionError(f"{error}; it wrote:\n" + "\n".join(self.lines)) from None

    async def wait_for_running(self) -> None:
        """Wait until the page performs a call."""

        async def look() -> bool:
            return (await self.health())[1]["running"] > 0

        await eventually(look, what="a call that runs")

    def browser_pids(self) -> list[int]:
        """Of the browser's processes, the main one first; empty: none runs."""
        return [pid for pid, words in command_lines().items() if f"--user-data-dir={self.profile}" in words]

    async def stop(self) -> int:
        """Ask it to stop, and return its exit status."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await self.ended()

    async def ended(self) -> int:
        """Wait until it has ended, and return its exit status."""
        return await asyncio.wait_for(self.process.wait(), STARTED_S)


def command_lines() -> dict[int, list[str]]:
    """Of all processes, by their ids."""
    found: dict[int, list[str]] = {}
    for path in sorted(Path("/proc").glob("[0-9]*/cmdline"), key=lambda each: int(each.parent.name)):
        try:
            found[int(path.parent.name)] = path.read_text(errors="replace").split("\0")
        except OSError:
            continue
    return found


def environs_of(pids: list[int]) -> list[bytes]:
    """The environments of these processes."""
    return [Path(f"/proc/{pid}/environ").read_bytes() for pid in pids]


def files_with(text: str, folder: Path) -> list[Path]:
    """The files below a folder that hold a text."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def listening_sockets() -> set[str]:
    """Of this machine, as the links of descriptors name them."""
    lines = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    return {f"socket:[{fields[9]}]" for fields in lines if fields[3] == "0A"}


def descriptors_of(pids: list[int]) -> set[str]:
    """What the descriptors of these processes lead to."""
    links = [link for pid in pids for link in Path(f"/proc/{pid}/fd").glob("*")]
    return {str(link.readlink()) for link in links if link.is_symlink()}


@asynccontextmanager
async def running_page(
    folder: Path,
    url: str,
    policy: str,
    *options: str,
    environ: Mapping[str, str] | None = None,
    flags: str = "",
) -> AsyncGenerator[RunningPage]:
    """Run the command with a profile in the folder; it and its browser are gone afterwards, without a bug.

    `flags`: further ones for the browser, which the command itself hands on none.
    """
    (folder / "policy.toml").write_text(policy)
    profile = folder / "profile"
    words = ["--url", url, "--policy", str(folder / "policy.toml"), "--profile", str(profile)]
    browser = ["--browser", _browser_with(flags, folder), "--no-sandbox", "--health-port", "0"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge", "page", *words, *browser, *options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, **(environ or {})},
    )
    async with aiohttp.ClientSession() as http:
        page = RunningPage(process, profile, http)
        reading = asyncio.create_task(_read(page))
        try:
            yield page
        finally:
            await page.stop()
            await reading
            assert page.browser_pids() == []
            bugs = [line for line in page.lines if line.startswith("ERROR") or "Traceback" in line]
            assert not bugs, "\n".join(page.lines)


def _browser_with(flags: str, folder: Path) -> str:
    if not flags:
        return chromium_path()
    program = folder / "browser"
    program.write_text(f'#!/bin/sh\nexec "{chromium_path()}" {flags} "$@"\n')
    program.chmod(0o755)
    return str(program)


async def _read(page: RunningPage) -> None:
    assert page.process.stdout is not None
    async for line in page.process.stdout:
        page.lines.append(line.decode().rstrip())
