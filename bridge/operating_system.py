"""What differs between Linux, macOS and Windows: the only module that may ask on which of them it runs.

Standard library only: `make run` asks before anything is installed. What was tried where is in
docs/reference/platforms.md.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop  # which many commands do without

OWNER_ONLY = 0o600

ENOUGH_DESCRIPTORS = 65_536
"""Maximum number of descriptors to ask for."""

FEW_DESCRIPTORS = 10_240
"""Number that macOS grants to everybody, whatever it says that the maximum is."""

UNLIMITED_SYSTEM = 4_096
"""Limit of descriptors to assume where the system states none."""

AUTHORITIES = (
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/cert.pem",
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/ca-bundle.pem",
)
"""Where systems keep their certificate authorities, for a Python whose OpenSSL was built for another one."""

LOCKED_AT = 1 << 30
"""Offset of the byte that stands for a whole file on Windows, where what is locked cannot be read."""

REPLACE_TRIES, REPLACE_PAUSE_S = 6, 0.05
"""Tries, and seconds between, to replace a file that others hold open on Windows, as virus scanners do."""


def _optional(module: str) -> Any:
    """Import a module that some systems lack; None: this one does."""
    try:
        return import_module(module)
    except ImportError:
        return None


_FCNTL, _RESOURCE, _MSVCRT = _optional("fcntl"), _optional("resource"), _optional("msvcrt")

# Files


def open_private(path: Path, flags: int) -> int:
    """Open a file as `os.open` does; if it is made, only its owner may use it.

    Bytes are written as they are: by default Windows writes a line feed as two bytes. There, who may read a
    file is inherited from its folder.

    Raises:
        OSError: as `os.open`.
    """
    return os.open(path, flags | getattr(os, "O_BINARY", 0), OWNER_ONLY)


def close_to_others(path: Path, *, platform: str = sys.platform) -> bool:
    """Let only its owner read and write a file; returns whether others could.

    On Windows nothing is changed.

    Raises:
        OSError: it is not there, or is another user's.
    """
    if platform == "win32" or not path.stat().st_mode & ~OWNER_ONLY & 0o777:
        return False
    path.chmod(OWNER_ONLY)
    return True


def replace_file(
    unfinished: Path, path: Path, *, platform: str = sys.platform, pause: Callable[[float], None] = time.sleep
) -> None:
    """Give a finished file its name, in place of an older one; may block for a moment on Windows.

    Raises:
        OSError: it has not got the name.
    """
    tries = REPLACE_TRIES if platform == "win32" else 1
    for left in reversed(range(tries)):
        try:
            unfinished.replace(path)
            return
        except PermissionError:
            if not left:
                raise
            pause(REPLACE_PAUSE_S)


def lock_file(file: int, *, posix: Any = _FCNTL, windows: Any = _MSVCRT) -> None:
    """Lock an open file until it is closed or the process ends, however it ends.

    Raises:
        BlockingIOError: another process has locked it.
    """
    if posix is not None:
        posix.flock(file, posix.LOCK_EX | posix.LOCK_NB)
        return
    place = os.lseek(file, 0, os.SEEK_CUR)
    os.lseek(file, LOCKED_AT, os.SEEK_SET)
    try:
        windows.locking(file, windows.LK_NBLCK, 1)
    except OSError as error:
        raise BlockingIOError(error.errno, "another process has locked it") from None
    finally:
        os.lseek(file, place, os.SEEK_SET)


# Processes and signals


def is_running(pid: int, *, platform: str = sys.platform) -> bool:
    """Return whether a process runs. On Windows always True: to ask with signal 0 would end it there."""
    if platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it runs, as another user
    return True


def stop_signals(platform: str = sys.platform) -> Sequence[str]:
    """Return the names of the signals that ask a program to stop.

    Windows sends no SIGTERM; SIGBREAK is what Ctrl-Break and service managers send there.
    """
    return ("SIGINT", "SIGBREAK") if platform == "win32" else ("SIGINT", "SIGTERM")


def call_on_stop(loop: AbstractEventLoop, stop: Callable[[], None], *, platform: str = sys.platform) -> None:
    """Call `stop` in a loop that runs, when somebody asks the process to stop.

    Loops of Windows cannot handle signals: there a handler of the process wakes the loop.
    """

    def wake(_number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(stop)

    numbers = [getattr(signal, name) for name in stop_signals(platform) if hasattr(signal, name)]
    for number in numbers:
        if platform == "win32":
            signal.signal(number, wake)
        else:
            loop.add_signal_handler(number, stop)


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent, which ends this process by closing its standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# Limits


def limits_memory(platform: str = sys.platform) -> bool:
    """Return whether a process can be given a limit of address space.

    macOS refuses one below what a process has mapped, which is more than the machine has; Windows knows none.
    """
    return platform not in ("win32", "darwin")


def limit_memory(bytes_: int, *, resource: Any = _RESOURCE, platform: str = sys.platform) -> bool:
    """Limit the address space of this process; returns whether it is limited now."""
    if resource is None or not limits_memory(platform):
        return False
    resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))
    return True


def raise_descriptor_limit(*, resource: Any = _RESOURCE) -> None:
    """Raise this process's limit of descriptors up to `ENOUGH_DESCRIPTORS`; never fails.

    Many systems start processes with 1,024 although they may have a million. macOS says that there is no
    maximum, and refuses more than it has.
    """
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = ENOUGH_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, ENOUGH_DESCRIPTORS)
    for target in (most, min(most, FEW_DESCRIPTORS)):
        if soft == resource.RLIM_INFINITY or soft >= target:
            return
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
            return


def descriptor_limit(*, resource: Any = _RESOURCE) -> int:
    """Return how many descriptors this process may have now."""
    if resource is None:
        return UNLIMITED_SYSTEM
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return ENOUGH_DESCRIPTORS if soft == resource.RLIM_INFINITY else int(soft)


# What people see


def can_show_pages(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Return whether a browser may be started: not where only one in the terminal would be found."""
    if environ.get("BROWSER") or platform in ("darwin", "win32"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def write_any_character(*streams: Any) -> None:
    """Have text streams write what their encoding lacks as an escape instead of failing.

    Consoles of Windows and `LANG=C` know few characters; titles of documents have any.
    """
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


# Libraries


def keeps_authorities(platform: str = sys.platform) -> bool:
    """Return whether the system itself judges certificates, and not a file of authorities."""
    return platform in ("win32", "darwin")


def can_use_postgresql(platform: str = sys.platform) -> bool:
    """Return whether the driver of PostgreSQL works with the event loop, which it does not on Windows."""
    return platform != "win32"
