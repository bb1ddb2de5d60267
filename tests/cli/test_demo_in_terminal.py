"""`tool-bridge demo` before a person: colours, how to stop it, and the browser that it opens."""

import os
import re
import stat
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from tests.support.terminals import running_in_terminal

ROOT = Path(__file__).parents[2]
LAST_LINE = "Ctrl+C stops the bridge."
COLOR = re.compile(r"\033\[[0-9;]*m")


def command(data: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "bridge", "demo", "--port", "0", "--data", str(data), *words]


def environ(**more: str) -> dict[str, str]:
    """Variables of a plain terminal without a screen."""
    usual = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "DISPLAY", "BROWSER")
    }
    return {**usual, "TERM": "xterm", **more}


@pytest.mark.slow
def test_a_terminal_shows_in_colour_what_is_copied_and_says_how_to_stop(tmp_path: Path) -> None:
    """Eight lines at once: the eye must find the link, the key and what goes into Open WebUI."""
    with running_in_terminal(command(tmp_path), ROOT, environ()) as demo:
        said = demo.read_until(LAST_LINE)
        demo.press_control_c()
        demo.read_to_end()
        assert demo.process.wait() == 0
    painted = re.findall(r"\033\[[0-9;]+m([^\033]+)\033\[0m", said)
    address = painted[1]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
    assert painted[0].startswith(f"{address}/#ticket=")
    assert painted[2].startswith("tbk_")
    assert painted[3:5] == [f"{address}/v1", address]
    assert f"Open WebUI:  add \033[36m{address}\033[0m and the key" in said
    assert LAST_LINE in said


@pytest.mark.slow
def test_a_terminal_without_colour_gets_none(tmp_path: Path) -> None:
    """https://no-color.org: a user who sets it has a reason."""
    with running_in_terminal(command(tmp_path), ROOT, environ(NO_COLOR="1")) as demo:
        assert not COLOR.search(demo.read_until(LAST_LINE))


def test_the_browser_gets_a_private_file_that_leads_to_the_printed_link(tmp_path: Path) -> None:
    """Every user may list the arguments of programs, and the first browser with the ticket is paired."""
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "opened <$1>"\n', encoding="utf-8")
    browser.chmod(0o755)
    with running_in_terminal(command(tmp_path, "--open"), ROOT, environ(BROWSER=str(browser))) as demo:
        demo.read_until("opened <")
        said = demo.read_until(">")
        link = re.findall(r"http\S+#ticket=[\w-]+", said)[0]
        doorway = Path(said.partition("opened <file://")[2].partition(">")[0])
        assert doorway == tmp_path / "open.html"
        assert stat.S_IMODE(doorway.stat().st_mode) == 0o600
        assert f'content="0; url={link}"' in unescape(doorway.read_text(encoding="utf-8"))
        demo.press_control_c()
        demo.read_to_end()
    assert not doorway.exists(), "nothing is left of it"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("browser", "why"), [("false", "No browser was opened;"), ("", "there is no screen here")]
)
def test_a_browser_that_does_not_open_is_a_line_and_nothing_more(
    tmp_path: Path, browser: str, why: str
) -> None:
    """The link stands there already; and with `--json` standard output has one line, as ever."""
    with subprocess.Popen(
        command(tmp_path, "--open", "--json"),
        cwd=ROOT,
        env=environ(BROWSER=browser),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as demo:
        assert demo.stdout is not None
        assert demo.stderr is not None
        assert demo.stdout.readline().startswith('{"page_url"')
        assert any(why in line for line in demo.stderr)
        demo.terminate()
        assert demo.stdout.read() == ""
    assert demo.returncode == 0
