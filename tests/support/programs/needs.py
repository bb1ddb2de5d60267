"""What some tests need besides Python: found or, under `make test`, installed when the first of them asks.

Without `TEST_INSTALL`, which `make test` sets, nothing is installed: who asks in vain is skipped.
"""

import fcntl
import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from make.install_packages import installers_folder
from tests.clients.environments import ClientEnvironment

ROOT = Path(__file__).parents[3]
INSTALL_S = 1200
"""For one installation, in seconds: a browser is 100 MB, over any line."""


@dataclass(frozen=True, slots=True)
class Need:
    """A program, packages or an environment."""

    title: str
    command: tuple[str, ...]
    """Installs it where it is missing, and prints where it is; with `--find` it only looks."""

    @property
    def shown(self) -> str:
        """The command as one types it."""
        return " ".join(self.command)


CHROMIUM = Need("Chromium", ("make/chromium",))
HEADLESS_SHELL = Need("Chromium's headless shell", ("make/headless_shell",))
FIREFOX = Need("Firefox", ("make/firefox",))
POSTGRESQL = Need("PostgreSQL", ("make/postgres",))
REDIS = Need("Redis", ("make/redis",))
NGINX = Need("nginx", ("make/proxy", "nginx"))
CADDY = Need("Caddy", ("make/proxy", "caddy"))
HAPROXY = Need("HAProxy", ("make/proxy", "haproxy"))
PROMETHEUS = Need("Prometheus", ("make/prometheus",))
COMPOSE = Need("Docker Compose", ("make/compose",))
BUILT_PAGE = Need("the built page", ("make/built_page",))
PAGE_TOOLS = Need("the packages of package-lock.json", ("make/page_tools",))


def find(need: Need) -> str:
    """Where it is, as its command prints it; installs it, or skips the test, where it is not.

    Waits while another test process installs it. The time does not count as the test's own.
    """
    return _find(need) if may_install() else _look_for(need)


def need_environment(environment: ClientEnvironment) -> None:
    """See that it is made, as `find` does."""
    if environment.is_made:
        return
    need = Need(f"what {environment.lock.name} names", ("make/client_environments", environment.name))
    if not may_install():
        _skip(need)
    _find(need)


def need_uv() -> None:
    """See that the pinned uv is where `make setup` leaves it; without one, skip the test."""
    if not installers_folder().exists():
        _skip(Need("uv", ("make/setup", "dev")))


def may_install() -> bool:
    """Whether `make test` runs the tests, rather than someone who has pytest only."""
    return bool(os.environ.get("TEST_INSTALL"))


class _Terminal:
    """Standard error of this process as it was before pytest began to capture it."""

    descriptor = 2


def keep_terminal() -> None:
    """Remember where people read: an installation takes minutes, and says so at once."""
    _Terminal.descriptor = os.dup(2)


@cache
def _look_for(need: Need) -> str:
    try:
        asked = subprocess.run(
            [*need.command, "--find"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
    except OSError:  # a system without bash
        _skip(need)
    if asked.returncode:
        _skip(need)
    return asked.stdout.strip()


def _find(need: Need) -> str:
    found = _installed(need)
    if found is None:
        pytest.fail(f"needs {need.title}, which cannot be had here: {need.shown} says why", pytrace=False)
    return found


def _skip(need: Need) -> NoReturn:
    pytest.skip(f"needs {need.title}: {need.shown} installs it or says how, and make test runs that")


@cache
def _installed(need: Need) -> str | None:
    """What the command prints; None if it fails, which only the first process of a run tries and shows."""
    with _without_deadline(), _alone(need) as failed_in:
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
        if failed_in.read_text(encoding="utf-8") == run:
            return None
        done = subprocess.run(
            need.command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=_Terminal.descriptor,
            text=True,
            check=False,
            timeout=INSTALL_S,
        )
        if done.returncode == 0:
            return done.stdout.strip()
        failed_in.write_text(run or "", encoding="utf-8")
    return None


@contextmanager
def _alone(need: Need) -> Generator[Path]:
    """Keep the other processes waiting; gives a file in which the run stands that tried in vain."""
    cache_folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tool-bridge-tests"
    cache_folder.mkdir(parents=True, exist_ok=True)
    path = cache_folder / f"{Path(need.shown).name.replace(' ', '-')}.lock"
    with path.open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # its holder gives up after INSTALL_S
        yield path


@contextmanager
def _without_deadline() -> Generator[None]:
    """Stop the clock of pytest-timeout, which interrupts a test by this timer."""
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)
