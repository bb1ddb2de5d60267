"""Which browser is run, with which words, and where its profile is."""

from pathlib import Path

import pytest

from bridge.tasks import Tasks
from bridge.unattended.browser import (
    MAX_OUTPUT_BYTES,
    BrowserChoice,
    BrowserUnusable,
    RunningBrowser,
    arguments_of,
    check_sandbox,
    claim_profile,
    default_profile,
    find_browser,
)
from bridge.unattended.devtools import DevTools


def test_the_best_browser_on_the_search_path_is_found() -> None:
    """A machine may have several."""
    there = {"google-chrome": "/opt/chrome", "chromium-browser": "/usr/bin/chromium-browser"}
    assert find_browser(None, there.get) == "/usr/bin/chromium-browser"
    assert find_browser("google-chrome", there.get) == "/opt/chrome"


@pytest.mark.parametrize(
    ("named", "message"), [(None, "no browser was found"), ("/x", "there is no program /x")]
)
def test_no_browser_is_said_with_what_to_do(named: str | None, message: str) -> None:
    """It is the first thing that a new machine lacks."""
    with pytest.raises(BrowserUnusable, match=f"{message}.*--browser"):
        find_browser(named, lambda _: None)


def test_a_browser_is_spoken_to_by_a_pipe_and_confined_unless_that_is_given_up() -> None:
    """A debugging port would be open to every program of the machine."""
    choice = BrowserChoice("/usr/bin/chromium", Path("/p"), sandbox=True, environ={})
    words = arguments_of(choice)
    assert words[0] == "/usr/bin/chromium"
    assert {"--remote-debugging-pipe", "--user-data-dir=/p"} <= set(words)
    assert not any("port" in word or "no-sandbox" in word for word in words)
    assert "--no-sandbox" in arguments_of(BrowserChoice("/c", Path("/p"), sandbox=False, environ={}))


def test_a_start_as_root_is_refused_unless_something_else_confines_the_browser() -> None:
    """Chromium would end with a line that few understand."""
    with pytest.raises(BrowserUnusable, match="as another user"):
        check_sandbox(sandbox=True, superuser=True)
    check_sandbox(sandbox=False, superuser=True)
    check_sandbox(sandbox=True, superuser=False)


def test_a_profile_is_its_owners_alone_and_for_one_process(tmp_path: Path) -> None:
    """It holds the key of a device, and secrets."""
    profile = tmp_path / "state" / "page"
    claim_profile(profile)
    assert profile.stat().st_mode & 0o077 == 0
    with pytest.raises(BrowserUnusable, match="another process uses the profile"):
        claim_profile(profile)
    (tmp_path / "file").write_text("")
    with pytest.raises(BrowserUnusable, match="cannot be used"):
        claim_profile(tmp_path / "file" / "page")


def test_a_profile_without_a_name_is_in_the_users_state() -> None:
    """As other programs keep theirs."""
    assert default_profile({"XDG_STATE_HOME": "/s"}) == Path("/s/tool-bridge/page")
    assert default_profile({}) == Path.home() / ".local/state/tool-bridge/page"


@pytest.mark.asyncio
async def test_what_a_browser_writes_does_not_fill_the_disk(tmp_path: Path) -> None:
    """Some complain about every machine that has no desktop."""
    output = tmp_path / "browser.log"
    tasks = Tasks()
    ended = tasks.start_task(_nothing(), "a browser that has ended")
    browser = RunningBrowser(0, DevTools(tasks, lambda _: None), ended, output)
    output.write_text("no desktop " * 100)
    browser.trim_output()
    assert browser.last_words().endswith("no desktop")
    output.write_text("missing library\n[1:2:1128/1:ERROR:dbus/bus.cc:405] Failed to connect\n")
    assert browser.last_words() == "missing library"
    output.write_text("x" * (MAX_OUTPUT_BYTES + 1))
    browser.trim_output()
    assert browser.last_words() == ""
    await tasks.close()


async def _nothing() -> int:
    return 0
