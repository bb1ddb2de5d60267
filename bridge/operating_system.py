"""What differs between Linux, macOS and Windows: the only module that may ask on which of them it runs.

Standard library only: `make run` asks before anything is installed. What was tried where is in
docs/reference/platforms.md.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop  # which many commands do without

OWNER_ONLY = 0o600

NICENESS = 10
"""Of processes whose work can wait; ordinary ones have 0, the last ones 19."""

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

PIPES_FROM = 10
"""Lowest number for a pipe on its way to another process, so that none takes another's place there."""

PROCESSES = Path("/proc")
"""Where Linux says what processes use."""

GROUP_FIELD, RESIDENT_FIELD = 2, 21
"""Which fields of a process's `stat`, counted from the one after its name, hold its group and its pages."""

REPLACE_TRIES, REPLACE_PAUSE_S = 6, 0.05
"""Tries, and seconds between, to replace a file that others hold open on Windows, as virus scanners do."""


class NoHomeFolder(Exception):
    """Whoever runs this process has no home folder, as in many containers; the text says so."""


def _optional(module: str) -> Any:
    """Import a module that some systems lack; None: this one does."""
    try:
        return import_module(module)
    except ImportError:
        return None


_FCNTL = _optional("fcntl")
_RESOURCE = _optional("resource")
_MSVCRT = _optional("msvcrt")

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


def replace_private_file(path: Path, text: str) -> None:
    """Write a text file that only its owner may use, in place of an older one, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.new")
    unfinished.unlink(missing_ok=True)
    file = open_private(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(file, "w", encoding="utf-8") as writing:
        writing.write(text)
    replace_file(unfinished, path)


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


def is_uvloop(loop: AbstractEventLoop) -> bool:
    """Return whether a loop is uvloop's, which starts programs and closes pipes in ways of its own."""
    return type(loop).__module__.startswith("uvloop")


def give_pipe_to_loop(descriptor: int, mode: Literal["rb", "wb"], loop: AbstractEventLoop) -> IO[bytes]:
    """Return the file of a pipe for the loop's `connect_read_pipe` or `connect_write_pipe`, which closes it.

    uvloop closes the descriptor, and then the file. If that closed it once more, it would take away what
    another thread has opened meanwhile under the number: the database, or the connection of a client.
    """
    return os.fdopen(descriptor, mode, buffering=0, closefd=not is_uvloop(loop))


def home_folder() -> Path:
    """Return the home folder of whoever runs this process.

    Raises:
        NoHomeFolder: there is none.
    """
    try:
        return Path.home()
    except RuntimeError:
        raise NoHomeFolder("this user has no home folder") from None


# Browsers


def can_drive_browsers(platform: str = sys.platform) -> bool:
    """Return whether a browser can be given pipes by their numbers, as it is not on Windows."""
    return platform != "win32"


def is_superuser() -> bool:
    """Return whether this process may do everything: a browser does not confine its pages then."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def start_in_group(
    arguments: list[str], environ: Mapping[str, str], pipes: Mapping[int, int], output: int
) -> int:
    """Start a program in a process group of its own and return the id of both; `wait_for_exit` must follow.

    It inherits `pipes`, descriptors of this process by the numbers that they get, and writes to `output`.

    Raises:
        OSError: it cannot be started.
    """
    own = {number: _FCNTL.fcntl(pipe, _FCNTL.F_DUPFD_CLOEXEC, PIPES_FROM) for number, pipe in pipes.items()}
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        *((os.POSIX_SPAWN_DUP2, output, number) for number in (1, 2)),
        *((os.POSIX_SPAWN_DUP2, pipe, number) for number, pipe in own.items()),
    ]
    try:
        return os.posix_spawn(arguments[0], arguments, environ, file_actions=actions, setpgroup=0)
    finally:
        for pipe in own.values():
            os.close(pipe)


def wait_for_exit(pid: int) -> int:
    """Wait, without a limit, for a program that this process started; returns its exit status, or -signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def kill_group(group: int) -> None:
    """Kill every process of a group; nothing where there is none."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def measures_groups(processes: Path = PROCESSES) -> bool:
    """Return whether the memory of other processes can be read, as it can on Linux."""
    return (processes / "self" / "stat").exists()


def used_bytes(group: int, processes: Path = PROCESSES) -> int | None:
    """Return how much memory a group of processes uses; None where the system does not say, or none is left.

    It is their proportional set size: what several share counts once. Of a process that this one may not look
    into it is the resident memory, which is more.
    """
    used = 0
    for status in processes.glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            fields = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[GROUP_FIELD]) == group:
                own = _proportional_bytes(status.with_name("smaps_rollup"))
                used += int(fields[RESIDENT_FIELD]) * _RESOURCE.getpagesize() if own is None else own
    return used or None


def _proportional_bytes(rollup: Path) -> int | None:
    try:
        lines = rollup.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    shares = [line.split()[1] for line in lines if line.startswith("Pss:")]
    return int(shares[0]) * 1024 if shares else None


def notify_systemd(news: str, environ: Mapping[str, str] = os.environ) -> None:
    """Tell systemd how the service is, as `sd_notify` does; nothing where nobody listens, and never fails.

    See sd_notify(3): `READY=1`, `WATCHDOG=1`, `STATUS=…`, one a line.
    """
    place = environ.get("NOTIFY_SOCKET", "")
    if not place:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaker:
        speaker.sendto(news.encode(), "\0" + place[1:] if place.startswith("@") else place)


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


def limit_processor_time(seconds: float) -> None:
    """End this process as soon as it has worked for so many seconds from now on; 0: no longer.

    Windows has no such clock, so a caller that waits for the process needs a limit as well.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def used_up_its_time(status: int | None) -> bool:
    """Return whether a child process that ended so has reached its `limit_processor_time`."""
    return hasattr(signal, "SIGPROF") and status == -signal.SIGPROF


def lower_priority() -> None:
    """Let other processes go first, where the system knows priorities."""
    if nice := getattr(os, "nice", None):
        nice(NICENESS)


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


def has_descriptors() -> bool:
    """Return whether one more file could be opened now."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno not in (errno.EMFILE, errno.ENFILE)
    return True


# What people see


def can_show_pages(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Return whether a browser may be started: not where only one in the terminal would be found."""
    if environ.get("BROWSER") or platform in ("darwin", "win32"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def opens_pages_unasked(
    output: IO[str], environ: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> bool:
    """Return whether a program may open a browser unasked: a person sits before its terminal and a screen.

    Not over SSH, where a forwarded display shows a browser of the other machine, and not in CI.
    """
    has_screen = platform in ("darwin", "win32") or environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    is_elsewhere = any(environ.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "CI"))
    return bool(has_screen) and not is_elsewhere and output.isatty()


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


def read_boottime() -> float:
    """Return seconds of a clock that goes on while the machine sleeps, where there is one."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)
