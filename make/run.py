"""`python -m make.run`: the steps of `make run`, and how far they are; the last one becomes the bridge."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bridge.cli.terminal import ProgressLine, showing_progress
from bridge.operating_system import kill_group, opens_pages_unasked
from make.can_start import refusal_of

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
PAGE_LOG = BUILD / "page.log"
PROGRAM = ROOT / ".venv" / "bin" / "tool-bridge"
SETUP = (str(ROOT / "make" / "setup"), "runtime")
CLONE_PAGE = (sys.executable, "-m", "make.clone_page")
PLUGINS = (sys.executable, "-m", "plugins.open_webui.assemble", str(BUILD / "plugins"))

STEPS = ("environment", "packages", "page", "start")
PAGE_WAIT_S = 20
"""Seconds to wait for the page once the packages are there; without it the sources are served."""

INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Go through the steps; returns only if one of them fails."""
    if refusal := refusal_of(arguments):
        print(f"make run: {refusal}", file=sys.stderr)
        return 1
    _say(_begun("environment", f"Python {platform.python_version()}; data folder and port are free"))
    page = _start_page_build()
    try:
        if status := _set_up():
            kill_group(page.pid)
            return status
        _wait_for_page(page)
    except KeyboardInterrupt:
        kill_group(page.pid)
        return INTERRUPTED
    subprocess.run(PLUGINS, cwd=ROOT, check=False)  # says what is wrong with their sources; the bridge starts
    _say(_begun("start", "the bridge and its sample APIs"))
    opens = opens_pages_unasked(sys.stdout) and "--json" not in arguments
    command = [str(PROGRAM), "demo", "--build", str(BUILD), *(["--open"] if opens else []), *arguments]
    return os.execv(command[0], command)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _begun(step: str, what: str = "") -> str:
    """Return the line of a step: how many there are, which one it is, and what is to be known of it."""
    return f"[{STEPS.index(step) + 1}/{len(STEPS)}] {step}{what and ': '}{what}"


@dataclass
class _Step:
    """A step that takes long, and how it ended."""

    progress: ProgressLine
    ending: str = "ready"
    remark: str = ""


@contextmanager
def _step(step: str) -> Generator[_Step]:
    """Say how long a step takes: on a terminal meanwhile, everywhere when it begins and when it is over."""
    begun_at = time.monotonic()
    _say(_begun(step, "…"))
    with showing_progress(_begun(step)) as progress:
        taken = _Step(progress)
        yield taken
    _say(_begun(step, f"{taken.ending} after {time.monotonic() - begun_at:.1f} s{taken.remark}"))


def _start_page_build() -> subprocess.Popen[bytes]:
    """Build the page beside the installation, in a group of its own: it may go on when the bridge runs."""
    BUILD.mkdir(exist_ok=True)
    with PAGE_LOG.open("wb") as log:
        return subprocess.Popen(
            CLONE_PAGE,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _set_up() -> int:
    """Install the packages and return the status; what the installer says goes above the line of the step."""
    with (
        _step("packages") as step,
        subprocess.Popen(
            SETUP, stderr=subprocess.PIPE, stdout=sys.stderr, text=True, errors="replace"
        ) as setup,
    ):
        assert setup.stderr is not None
        for line in setup.stderr:
            step.progress.clear()
            _say(line.rstrip())
        if setup.wait():
            step.ending = "not installed"
    return setup.returncode


def _wait_for_page(page: subprocess.Popen[bytes]) -> None:
    with _step("page") as step:
        try:
            if page.wait(PAGE_WAIT_S):
                step.ending = "not built"
                step.remark = (
                    f" ({PAGE_LOG.relative_to(ROOT)} says why); its sources are served, which are slower"
                )
        except subprocess.TimeoutExpired:
            step.ending = "not built"
            step.remark = "; that goes on, and its sources are served until then"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
