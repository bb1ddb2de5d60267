"""What a terminal gets and a pipe does not: colours, how far a long step is, and no controls of strangers."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import threading
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import BinaryIO, Final, TextIO, cast

BOLD: Final = "1"
GREEN: Final = "32"
YELLOW: Final = "33"
RED: Final = "31"
CYAN: Final = "36"

QUIET_S = 1.0
"""Seconds for which a step says nothing: most end before."""

TICK_S = 0.2
"""Seconds between two looks of a line that counts."""

BAR_CELLS = 24

_CLEARED = "\r\033[K"
_OWN = re.compile(r"(\A\r|\033\[K|\033\[(?:[01](?:;3[0-7])?|3[0-7])?m)")
"""What this program and Python write themselves: the line of a step begins anew and is cleared; colours."""

_HEADING = re.compile(r"^(\S.*:)$", re.MULTILINE)
_NAME = re.compile(r"^( {2,4})(-[\w-]+(?:, -[\w-]+)*|[a-z-]+(?= {2}))", re.MULTILINE)


def takes_color(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether to paint what goes to `stream`: a terminal, unless `NO_COLOR` or `TERM=dumb` is set."""
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb" and stream.isatty()


def paint(text: str, style: str, stream: TextIO) -> str:
    """Return the text in a style, if the stream takes colours."""
    return painted(text, style) if text and takes_color(stream) else text


def painted(text: str, style: str) -> str:
    """Return the text in a style."""
    return f"\033[{style}m{text}\033[0m"


def paint_help(text: str) -> str:
    """Return a help text with its headings and names painted."""
    headed = _HEADING.sub(f"\033[{BOLD}m\\1\033[0m", text)
    return _NAME.sub(f"\\1\033[{CYAN}m\\2\033[0m", headed)


class ProgressLine:
    """One line on a terminal about a step that takes long; at first nothing."""

    def __init__(self, what: str, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._stream = stream
        self._now = now
        self._began_at = now()
        self._has_line = False
        self._done = 0
        self._total = 0

    def set_done(self, done: int, total: int) -> None:
        """Say how much is done; from any thread."""
        self._done, self._total = done, total

    def show(self) -> None:
        """Write the line, if it is time for one; not from two threads."""
        taken_s = self._now() - self._began_at
        if taken_s < QUIET_S:
            return
        self._has_line = True
        self._stream.write(f"{_CLEARED}{self._line(taken_s)}")
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._has_line:
            self._stream.write(_CLEARED)
            self._stream.flush()

    def _line(self, taken_s: float) -> str:
        if not self._total:
            return f"{self._what}: {taken_s:.0f} s"
        share = min(self._done / self._total, 1.0)
        bar = "#" * round(share * BAR_CELLS)
        return f"{self._what}: [{bar:{BAR_CELLS}}] {self._done:,} of {self._total:,}, {taken_s:.0f} s"


@contextmanager
def showing_progress(what: str, stream: TextIO | None = None) -> Generator[ProgressLine]:
    """Show on a terminal how long a step takes while the block runs; `stream`: None for standard error.

    The line is written by a thread, as the step may never give control away.
    """
    progress = ProgressLine(what, stream or sys.stderr)
    if not (stream or sys.stderr).isatty():
        yield progress
        return
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(TICK_S):
            progress.show()

    ticker = threading.Thread(target=tick, name="progress", daemon=True)
    ticker.start()
    try:
        yield progress
    finally:
        ended.set()
        ticker.join()
        progress.clear()


def printable(text: str) -> str:
    """Replace what is not printable: texts of documents, APIs and callers must not control the terminal."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text
    )


class _GuardedTerminal(io.TextIOWrapper):
    """A terminal that obeys nobody but this program, whatever a command prints."""

    def write(self, text: str, /) -> int:
        own_at_odd_places = enumerate(_OWN.split(text))
        super().write("".join(part if place % 2 else printable(part) for place, part in own_at_odd_places))
        return len(text)


def guard_terminal(stream: TextIO) -> TextIO:
    """Return the stream, or if it is a terminal, one that passes no control of a stranger on to it.

    Control characters, marks of writing direction and other invisible ones are replaced.
    """
    if not hasattr(stream, "buffer") or not stream.isatty():
        return stream
    return _GuardedTerminal(stream.buffer, stream.encoding, stream.errors, line_buffering=True)


class _BytesForTerminal(io.RawIOBase):
    """UTF-8 on its way to a stream of text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, content: object, /) -> int:
        given = bytes(cast(bytes, content))
        self._stream.write(self._decoder.decode(given))
        return len(given)

    def flush(self) -> None:
        self._stream.flush()


def print_result(facts: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print what a command found: as JSON, or as lines for people."""
    for line in [json.dumps(facts)] if as_json else lines:
        print(line)


def bytes_to(stream: TextIO) -> BinaryIO:
    """Return where UTF-8 for a stream of text is written: unchanged, but for a terminal."""
    takes_bytes = hasattr(stream, "buffer") and not stream.isatty()
    return stream.buffer if takes_bytes else cast(BinaryIO, _BytesForTerminal(stream))
