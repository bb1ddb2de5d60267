"""What the bridge does on systems on which no test runs: its decisions, with those systems played."""

import asyncio
import errno
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uvloop

from bridge import operating_system as system
from tests.support.terminals import Terminal

LINUX, MACOS, WINDOWS = "linux", "darwin", "win32"
EVERYWHERE = pytest.mark.parametrize("platform", [LINUX, MACOS, WINDOWS])


class PlayedMsvcrt:
    """The part of Windows's C library that locks bytes of files."""

    LK_NBLCK = 2

    def __init__(self, *, is_locked: bool = False) -> None:
        self.is_locked = is_locked
        self.locked: list[int] = []

    def locking(self, file: int, mode: int, count: int) -> None:
        assert (mode, count) == (self.LK_NBLCK, 1)
        if self.is_locked:
            raise OSError(errno.EACCES, "Permission denied")
        self.locked.append(os.lseek(file, 0, os.SEEK_CUR))


class PlayedResource:
    """Limits of a system; `most`: what it really grants, whatever it says."""

    RLIMIT_NOFILE, RLIMIT_AS, RLIM_INFINITY = 7, 9, -1

    def __init__(self, soft: int, hard: int, most: int | None = None) -> None:
        self.limits, self.most = (soft, hard), most
        self.memory = 0

    def getrlimit(self, _which: int) -> tuple[int, int]:
        return self.limits

    def setrlimit(self, which: int, limits: tuple[int, int]) -> None:
        if which == self.RLIMIT_AS:
            self.memory = limits[0]
            return
        if self.most is not None and limits[0] > self.most:
            raise ValueError("current limit exceeds maximum limit")
        self.limits = limits


class PlayedLoop:
    """A loop that handles signals, or one of Windows, which cannot."""

    def __init__(self, *, handles_signals: bool) -> None:
        self.handles_signals = handles_signals
        self.handlers: dict[int, Any] = {}
        self.called: list[Any] = []

    def add_signal_handler(self, number: int, handler: Any) -> None:
        if not self.handles_signals:
            raise NotImplementedError
        self.handlers[number] = handler

    def call_soon_threadsafe(self, handler: Any) -> None:
        self.called.append(handler)


def test_a_file_of_our_own_holds_the_bytes_that_were_written(tmp_path: Path) -> None:
    """Windows would write a line feed as two bytes, and the write-ahead log would lose its count."""
    file = system.open_private(tmp_path / "log", os.O_WRONLY | os.O_CREAT)
    os.write(file, b"a\nb\n")
    os.close(file)
    assert (tmp_path / "log").read_bytes() == b"a\nb\n"
    if sys.platform != WINDOWS:
        assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


@EVERYWHERE
def test_what_others_could_read_is_closed_where_modes_mean_that(tmp_path: Path, platform: str) -> None:
    """On Windows a mode says only whether a file is read-only, and to change it would make it so."""
    path = tmp_path / "secret.key"
    path.touch()
    path.chmod(0o644)
    is_posix = platform != WINDOWS
    assert system.close_to_others(path, platform=platform) is is_posix
    assert stat.S_IMODE(path.stat().st_mode) == (0o600 if is_posix else 0o644)
    assert system.close_to_others(path, platform=platform) is False


class HeldOpen(type(Path())):
    """A file that cannot be replaced for a while, because somebody has it open."""

    tries = 0
    free_after = 0

    def replace(self, target: Any) -> Any:
        type(self).tries += 1
        if type(self).tries <= type(self).free_after:
            raise PermissionError(errno.EACCES, "Access is denied")
        return super().replace(target)


@pytest.mark.parametrize(
    ("platform", "free_after", "is_replaced"),
    [(LINUX, 0, True), (LINUX, 1, False), (WINDOWS, 3, True), (WINDOWS, 99, False)],
)
def test_a_file_that_somebody_holds_open_is_replaced_a_moment_later(
    tmp_path: Path, platform: str, free_after: int, is_replaced: bool
) -> None:
    """Virus scanners of Windows open what was just written; elsewhere a refusal is meant."""
    pauses: list[float] = []
    held = type("Held", (HeldOpen,), {"tries": 0, "free_after": free_after})
    unfinished = held(tmp_path / "new")
    unfinished.write_text("x", encoding="utf-8")
    if is_replaced:
        system.replace_file(unfinished, tmp_path / "old", platform=platform, pause=pauses.append)
        assert (tmp_path / "old").read_text(encoding="utf-8") == "x"
    else:
        with pytest.raises(PermissionError):
            system.replace_file(unfinished, tmp_path / "old", platform=platform, pause=pauses.append)
    assert len(pauses) == (min(free_after, system.REPLACE_TRIES - 1) if platform == WINDOWS else 0)


def test_a_lock_of_windows_leaves_the_file_readable_and_where_it_was(tmp_path: Path) -> None:
    """There a locked byte cannot be read by anybody else: it lies behind everything that is ever written."""
    played = PlayedMsvcrt()
    with (tmp_path / "log").open("w+b") as file:
        file.write(b"line\n")
        file.flush()
        system.lock_file(file.fileno(), posix=None, windows=played)
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == 5
    assert played.locked == [system.LOCKED_AT]
    assert (tmp_path / "log").stat().st_size == 5


def test_a_lock_that_another_has_is_told_alike(tmp_path: Path) -> None:
    """Of Windows it is a refused permission; two bridges on one folder must not start there either."""
    with (tmp_path / "log").open("w+b") as file, pytest.raises(BlockingIOError):
        system.lock_file(file.fileno(), posix=None, windows=PlayedMsvcrt(is_locked=True))


@pytest.mark.skipif(sys.platform == WINDOWS, reason="asks the system about processes")
def test_a_process_is_asked_for_where_asking_does_not_end_it() -> None:
    """Signal 0 is Ctrl-C on Windows, and everything else ends the process."""
    assert system.is_running(os.getpid(), platform=LINUX)
    assert not system.is_running(2**22 + 1, platform=LINUX)
    assert system.is_running(2**22 + 1, platform=WINDOWS)


@EVERYWHERE
def test_a_program_stops_on_what_each_system_sends(platform: str) -> None:
    """A service manager that waits in vain kills the bridge, amid the calls it has open."""
    assert system.stop_signals(platform) == (
        ("SIGINT", "SIGBREAK") if platform == WINDOWS else ("SIGINT", "SIGTERM")
    )
    loop, stop = PlayedLoop(handles_signals=platform != WINDOWS), lambda: None
    before = signal.getsignal(signal.SIGINT)
    try:
        system.call_on_stop(loop, stop, platform=platform)  # pyright: ignore[reportArgumentType] - played
        if platform == WINDOWS:
            handler: Any = signal.getsignal(signal.SIGINT)
            handler(signal.SIGINT, None)
            assert loop.called == [stop]
        else:
            assert loop.handlers == {signal.SIGINT: stop, signal.SIGTERM: stop}
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("platform", "limited"), [(LINUX, True), (MACOS, False), (WINDOWS, False)])
def test_memory_is_limited_where_that_can_be_done(platform: str, limited: bool) -> None:
    """MacOS refuses such a limit: the process that reads documents would end at its start."""
    resource = PlayedResource(256, -1)
    assert system.limit_memory(4096, resource=resource, platform=platform) is limited
    assert resource.memory == (4096 if limited else 0)


@pytest.mark.parametrize(
    ("resource", "granted"),
    [
        (PlayedResource(1024, 1_048_576), 65_536),
        (PlayedResource(1024, 4096), 4096),
        (PlayedResource(256, -1, most=10_240), 10_240),
        (PlayedResource(256, -1, most=512), 256),
        (PlayedResource(100_000, 1_048_576), 100_000),
        (PlayedResource(-1, -1), 65_536),
        (None, 4096),
    ],
)
def test_as_many_descriptors_are_asked_for_as_a_system_grants(resource: Any, granted: int) -> None:
    """One system says that there is no maximum, and grants 10,240 (macOS); Windows has no such limit."""
    system.raise_descriptor_limit(resource=resource)
    assert system.descriptor_limit(resource=resource) == granted


def test_a_console_that_lacks_a_character_gets_its_escape() -> None:
    """A title in Greek must not end a command with a traceback."""
    written = BytesIO()
    stream = TextIOWrapper(written, encoding="cp1252")
    system.write_any_character(stream, SimpleNamespace())
    print("Tools of Ωmega → 3", file=stream, flush=True)
    assert written.getvalue().strip() == b"Tools of \\u03a9mega \\u2192 3"


@pytest.mark.parametrize(("platform", "keeps"), [(LINUX, False), (MACOS, True), (WINDOWS, True)])
def test_certificates_are_judged_by_whom_the_system_trusts(platform: str, keeps: bool) -> None:
    """A company's own authority stands in the keychain there, and in a file elsewhere."""
    assert system.keeps_authorities(platform) is keeps


@pytest.mark.parametrize(("platform", "can"), [(LINUX, True), (MACOS, True), (WINDOWS, False)])
def test_postgresql_is_refused_where_its_driver_cannot_wait(platform: str, can: bool) -> None:
    """A sentence at the start is better than an error with the first query."""
    assert system.can_use_postgresql(platform) is can


@pytest.mark.asyncio
@pytest.mark.skipif(sys.platform == WINDOWS, reason="sends itself a signal")
async def test_the_real_loop_of_this_system_stops_on_a_signal() -> None:
    """What is played above is what this system does."""
    stopped = asyncio.Event()
    system.call_on_stop(asyncio.get_running_loop(), stopped.set)
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(20):
        await stopped.wait()
    for name in system.stop_signals():
        asyncio.get_running_loop().remove_signal_handler(getattr(signal, name))


@pytest.mark.skipif(sys.platform != LINUX, reason="reads /proc")
def test_a_program_of_a_group_is_given_pipes_by_number_and_ends_with_its_group(tmp_path: Path) -> None:
    """A browser reads commands from 3 and answers on 4, whichever numbers the pipes have here."""
    its_read, our_write = os.pipe()
    our_read, its_write = os.pipe()
    with (tmp_path / "output").open("wb") as output:
        words = ["/bin/sh", "-c", "read line <&3; echo $line $WORD >&4; echo said; sleep 60"]
        pid = system.start_in_group(words, {"WORD": "back"}, {3: its_read, 4: its_write}, output.fileno())
    os.close(its_read)
    os.close(its_write)
    os.write(our_write, b"there\n")
    assert os.read(our_read, 100) == b"there back\n"
    assert (system.used_bytes(pid) or 0) > 0
    system.kill_group(pid)
    assert system.wait_for_exit(pid) == -signal.SIGKILL
    assert os.read(our_read, 100) == b""
    system.kill_group(pid)
    assert system.used_bytes(pid) is None
    assert (tmp_path / "output").read_text() in ("", "said\n")
    os.close(our_write)
    os.close(our_read)


@pytest.mark.skipif(sys.platform != LINUX, reason="reads /proc")
def test_a_program_that_is_not_there_leaves_no_descriptor_open() -> None:
    """A service tries again for ever."""
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(FileNotFoundError):
        system.start_in_group(["/nowhere/program"], {}, {3: 0}, 1)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(sys.platform != LINUX, reason="reads /proc")
def test_the_memory_of_processes_is_known_where_the_system_says_it(tmp_path: Path) -> None:
    """A name may hold anything, parentheses too."""
    for pid, line in {
        "7": "7 (a) b) S 1 7 " + "0 " * 18 + "250 0",
        "8": "8 (c) S 1 8 " + "0 " * 18 + "1 0",
    }.items():
        (tmp_path / pid).mkdir()
        (tmp_path / pid / "stat").write_text(line)
    (tmp_path / "9").mkdir()
    assert system.used_bytes(7, tmp_path) == 250 * os.sysconf("SC_PAGE_SIZE")
    assert not system.measures_groups(tmp_path)
    assert system.measures_groups()


@pytest.mark.skipif(sys.platform != LINUX, reason="pages have a size there")
def test_what_processes_share_counts_once(tmp_path: Path) -> None:
    """Finding P-L4: a browser's processes share most of what each has: a limit meant four times less."""
    for pid, own_kb in {"7": "100", "8": "28", "9": None}.items():
        (tmp_path / pid).mkdir()
        (tmp_path / pid / "stat").write_text(f"{pid} (chromium) S 1 7 " + "0 " * 18 + "250 0")
        if own_kb:
            rollup = f"00400000-7ffd rollup\nRss: 1000 kB\nPss: {own_kb} kB\nPss_Dirty: 3 kB\n"
            (tmp_path / pid / "smaps_rollup").write_text(rollup)
    closed_to_us = 250 * os.sysconf("SC_PAGE_SIZE")
    assert system.used_bytes(7, tmp_path) == 128 * 1024 + closed_to_us


def test_the_memory_of_no_process_is_not_known(tmp_path: Path) -> None:
    """Finding P-L3: none at all would be taken for a measure."""
    assert system.used_bytes(7, tmp_path) is None


@pytest.mark.parametrize(("platform", "can"), [("linux", True), ("darwin", True), ("win32", False)])
def test_browsers_are_driven_where_pipes_have_numbers(platform: str, can: bool) -> None:
    """Windows hands handles on in another way."""
    assert system.can_drive_browsers(platform) is can


@pytest.mark.parametrize(
    ("environ", "platform", "opens"),
    [
        ({"DISPLAY": ":0"}, LINUX, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, LINUX, True),
        ({}, MACOS, True),
        ({}, WINDOWS, True),
        ({}, LINUX, False),
        ({"BROWSER": "lynx"}, LINUX, False),
        ({"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "::1 1 ::1 22"}, LINUX, False),
        ({"SSH_TTY": "/dev/ttys1"}, MACOS, False),
        ({"DISPLAY": ":0", "CI": "true"}, LINUX, False),
    ],
)
def test_a_browser_is_opened_unasked_only_before_a_person(
    environ: dict[str, str], platform: str, opens: bool
) -> None:
    """A window on another machine, or in CI, helps no one; and a log does not read."""
    assert system.opens_pages_unasked(Terminal(), environ, platform) is opens
    assert not system.opens_pages_unasked(StringIO(), environ, platform)


@pytest.mark.skipif(sys.platform == WINDOWS, reason="systemd listens on a Unix socket")
def test_a_service_manager_is_told_where_one_listens(tmp_path: Path) -> None:
    """It is no reason to fail that nobody does."""
    system.notify_systemd("READY=1", {})
    system.notify_systemd("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "gone")})
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        system.notify_systemd("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "notify")})
        assert manager.recv(100) == b"READY=1"


LOOPS = pytest.mark.parametrize("make_loop", [asyncio.new_event_loop, uvloop.new_event_loop])


@LOOPS
def test_a_loop_closes_the_pipes_that_it_is_given(make_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """Each program that was started would otherwise leave two descriptors behind."""

    async def close_both() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        (read, far_write), (far_read, write) = os.pipe(), os.pipe()
        giving = system.give_pipe_to_loop(write, "wb", loop)
        writing, _ = await loop.connect_write_pipe(asyncio.Protocol, giving)
        reading, _ = await loop.connect_read_pipe(
            asyncio.Protocol, system.give_pipe_to_loop(read, "rb", loop)
        )
        reading.close()
        writing.close()
        for far in (far_write, far_read):
            os.close(far)
        await asyncio.sleep(0)
        return read, write

    with asyncio.Runner(loop_factory=make_loop) as runner:
        closed = runner.run(close_both())
        for descriptor in closed:
            with pytest.raises(OSError, match="Bad file descriptor"):
                os.fstat(descriptor)


def test_a_pipe_that_uvloop_has_closed_takes_no_other_file_along(tmp_path: Path) -> None:
    """It closes the descriptor and then the file; a thread may have opened something under the number."""
    loop = uvloop.new_event_loop()
    read, write = os.pipe()
    file = system.give_pipe_to_loop(read, "rb", loop)
    os.close(read)
    opened = os.open(tmp_path / "database", os.O_RDWR | os.O_CREAT)
    try:
        assert opened == read
        file.close()
        assert os.write(opened, b"kept") == 4
    finally:
        os.close(opened)
        os.close(write)
        loop.close()


FULL = """
import os, resource, sys
from bridge.operating_system import has_descriptors
before, lowest_free = has_descriptors(), os.dup(0)
resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
sys.exit(2 * before + has_descriptors())
"""


def test_it_is_told_when_no_descriptor_is_left() -> None:
    """Finding S-M4: the log said nothing while every new connection was reset."""
    assert subprocess.run([sys.executable, "-c", FULL], check=False).returncode == 2


WORKS = """
import sys
from bridge.operating_system import limit_processor_time
limit_processor_time(0.2)
while sys.argv[1:] == ["on"]:
    pass
limit_processor_time(0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="another system has no such clock")
def test_a_process_ends_by_the_time_that_it_has_worked() -> None:
    """Ruling 56: on a busy machine a clock would end what has hardly begun."""
    ended = [
        subprocess.run([sys.executable, "-c", WORKS, word], check=False).returncode for word in ("on", "off")
    ]
    assert [system.used_up_its_time(status) for status in ended] == [True, False]
    assert ended[1] == 0
