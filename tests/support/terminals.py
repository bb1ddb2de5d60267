"""Terminals: one that keeps what is written to it, and one in which a program runs."""

import io
import os
import pty
import signal
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class ProgramInTerminal:
    """A program whose three streams are a terminal of its own, with all that it has said."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self._screen = screen
        self._said = b""

    def read_until(self, words: str, within_s: float = 60) -> str:
        """What it has said, once these words are among it; they, or its end, are waited for."""
        with DefaultSelector() as selector:
            selector.register(self._screen, EVENT_READ)
            while words.encode() not in self._said:
                assert selector.select(within_s), f"no {words!r} in {self.said!r}"
                if not (more := self._read()):
                    raise AssertionError(f"it ended without {words!r}: {self.said!r}")
                self._said += more
        return self.said

    def read_to_end(self) -> str:
        """All that it has said; its end is waited for."""
        while more := self._read():
            self._said += more
        return self.said

    @property
    def said(self) -> str:
        return self._said.decode()

    def press_control_c(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def _read(self) -> bytes:
        with suppress(OSError):  # Linux says so at the end of a terminal
            return os.read(self._screen, 65_536)
        return b""


@contextmanager
def running_in_terminal(
    command: Sequence[str], folder: Path, environ: Mapping[str, str]
) -> Generator[ProgramInTerminal]:
    """Start it in that folder; killed at the end with all that it has started, if it still runs."""
    screen, own = pty.openpty()
    try:
        with subprocess.Popen(
            command,
            cwd=folder,
            env=environ,
            stdin=own,
            stdout=own,
            stderr=own,
            start_new_session=True,
        ) as process:
            os.close(own)
            try:
                yield ProgramInTerminal(process, screen)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    finally:
        os.close(screen)
