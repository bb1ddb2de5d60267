"""`tool-bridge open` and `link`: the page of a bridge, and whom its link lets in."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import aiohttp
import pytest

from bridge.operating_system import can_show_pages
from bridge.settings.running_bridge import RUNNING_FILE
from tests.support.commands import Ended, run_command
from tests.support.running_bridge import pair_browser

NO_BROWSER: Mapping[str, str | None] = {"BROWSER": None, "DISPLAY": None, "WAYLAND_DISPLAY": None}


def run(*words: str, data: Path) -> Ended:
    return run_command(*words, "--data", str(data), environ=NO_BROWSER)


def pretend_bridge(data: Path, **facts: str) -> None:
    written = {"base_url": "http://127.0.0.1:8642", "pid": os.getpid(), **facts}
    (data / RUNNING_FILE).write_text(json.dumps(written), encoding="utf-8")


def test_a_link_pairs_a_browser_with_its_user_once(tmp_path: Path) -> None:
    """Whoever has closed the terminal with the first link needs another, and no new key for it."""
    command = [sys.executable, "-m", "bridge", "serve", "--json", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        base_url = json.loads(process.stdout.readline())["base_url"]
        printed = run("link", data=tmp_path)
        address, _, ticket = printed.output.strip().partition("#ticket=")
        asyncio.run(_pair(base_url, ticket))
        process.terminate()
        process.wait(40)
    assert (printed.status, printed.errors, address) == (0, "", f"{base_url}/")
    assert "1 browsers" in run("users", data=tmp_path).output


async def _pair(base_url: str, ticket: str) -> None:
    async with aiohttp.ClientSession() as http:
        await pair_browser(base_url, http, ticket)


def test_a_link_of_somebody_who_is_not_there_creates_nobody(tmp_path: Path) -> None:
    """A mistyped name must not become a user with an empty page."""
    assert run("key", "--user", "annabel", data=tmp_path).status == 0
    mistyped = run("link", "--user", "anabel", data=tmp_path)
    assert (mistyped.status, mistyped.output) == (1, "")
    assert "there is no user 'anabel'. Did you mean annabel?" in mistyped.errors
    assert "tool-bridge key --user bob creates one" in run("link", "--user", "bob", data=tmp_path).errors
    assert run("users", data=tmp_path).output == "annabel  0 browsers, 1 keys\n"
    made = run("link", "--user", "annabel", "--json", data=tmp_path)
    assert set(json.loads(made.output)) == {"user", "page_url"}
    assert "the link waits for it" in made.errors


def test_without_a_browser_the_link_is_printed(tmp_path: Path) -> None:
    """On a server, over ssh: one in the terminal could not run the page."""
    pretend_bridge(tmp_path)
    opened = run("open", data=tmp_path)
    assert opened.status == 0
    assert opened.output.startswith("Open this page in your browser: http://127.0.0.1:8642/#ticket=")


def test_a_browser_gets_the_link_and_the_terminal_does_not(tmp_path: Path) -> None:
    """What stands on a screen is photographed and pasted."""
    pretend_bridge(tmp_path)
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}\n', encoding="utf-8")
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    ran = subprocess.run(
        [sys.executable, "-m", "bridge", "open", "--data", str(tmp_path)],
        env={**os.environ, "BROWSER": str(browser)},
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    assert ran.stdout == "Your browser opens http://127.0.0.1:8642/\n"
    assert seen.read_text(encoding="utf-8").startswith("http://127.0.0.1:8642/#ticket=")


def test_nothing_is_opened_where_no_bridge_runs(tmp_path: Path) -> None:
    """A page that does not load says less than a sentence."""
    opened = run("open", data=tmp_path)
    assert (opened.status, opened.output) == (2, "")
    assert f"no bridge runs on {tmp_path}; tool-bridge serve or demo starts one" in opened.errors


@pytest.mark.parametrize("words", [["link"], ["open"], ["key", "--user", "ann"]])
def test_a_link_is_not_made_in_a_database_that_the_bridge_does_not_use(
    tmp_path: Path, words: list[str]
) -> None:
    """It would be refused as used up, and nobody would know why."""
    pretend_bridge(tmp_path, database="postgresql")
    refused = run(*words, data=tmp_path)
    assert (refused.status, refused.output) == (1, "")
    assert "TOOL_BRIDGE_DATABASE_URL" in refused.errors


@pytest.mark.parametrize(
    ("environ", "platform", "can"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "firefox"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_browser_is_started_where_one_has_a_screen(
    environ: Mapping[str, str], platform: str, can: bool
) -> None:
    """Elsewhere Python would start a browser in the terminal."""
    assert can_show_pages(environ, platform) is can
