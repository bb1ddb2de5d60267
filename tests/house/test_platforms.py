"""One file knows on which system it runs; whatever else asks, or calls what only one has, is refused."""

import ast
from collections.abc import Iterator

from tests.house.source import files, refuse, tree_of

PLACE = "bridge/operating_system.py"
OURS = ("bridge/", "toolserver/", "plugins/open_webui/source/")


def _words(text: str) -> list[str]:
    """A list that is easier to read as text."""
    return text.split()


MODULES = frozenset(
    _words("""
        fcntl resource pwd grp spwd crypt termios tty pty posix syslog readline msvcrt winreg winsound
        _winapi signal
    """)
)
"""Modules that some systems lack, or that mean something else there."""

OF_OS = frozenset(
    _words("""
        chmod chown fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid
        getpgrp getppid getpriority getresuid getuid initgroups kill killpg lchown link lockf mkfifo
        mknod name nice open openpty posix_spawn readlink register_at_fork sched_getaffinity setegid
        seteuid setgid setpgid setpriority setsid setuid symlink sync sysconf umask uname wait wait3
        wait4 waitid waitpid
    """)
)
OF_OTHERS = frozenset(
    _words("""
        AF_UNIX SO_REUSEPORT add_signal_handler chmod create_unix_connection create_unix_server
        open_unix_connection preexec_fn start_unix_server symlink_to hardlink_to
        WindowsSelectorEventLoopPolicy
    """)
)
"""Attributes of paths, loops and sockets."""

HARMLESS = frozenset({"bridge/__main__.py os.open"})
"""`os.devnull` is opened there, which every system has."""

FOLDERS = ("/proc/", "/dev/", "/tmp", "/etc/", "/sys/", "/var/")


def test_only_one_file_asks_on_which_system_it_runs() -> None:
    """Two of four systems are not at hand: what differs must be seen in one place, and be played there."""
    found = [f"{file}: {what}" for file in files(".py", under=OURS) if file != PLACE for what in _asked(file)]
    refuse(sorted(set(found)))


def test_the_rule_sees_what_it_forbids() -> None:
    """It would pass as well if it looked for nothing."""
    assert {*_asked(PLACE)} >= {
        "os.kill",
        "os.open",
        "signal",
        ".add_signal_handler",
        ".chmod",
        "sys.platform",
    }


def _asked(file: str) -> Iterator[str]:
    for node in ast.walk(tree_of(file)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if name.name in MODULES)
            case ast.ImportFrom(module=str(module)) if module in MODULES:
                yield module
            case ast.Attribute(value=ast.Name(id="os"), attr=attribute) if attribute in OF_OS:
                if f"{file} os.{attribute}" not in HARMLESS:
                    yield f"os.{attribute}"
            case ast.Attribute(value=ast.Name(id="sys"), attr="platform"):
                yield "sys.platform"
            case ast.Attribute(value=ast.Name(id="platform"), attr="system" | "uname" | "release"):
                yield "platform.system"
            case ast.Attribute(attr=attribute) if attribute in OF_OTHERS:
                yield f".{attribute}"
            case ast.Constant(value=str(text)) if text.startswith(FOLDERS):
                yield repr(text)
            case _:
                pass
