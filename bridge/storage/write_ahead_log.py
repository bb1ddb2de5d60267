"""Write-ahead log: lines that must survive a killed bridge before the database has them, in two files.

The files are filled in turn. A line is in the page cache of the system when `append_lines` returns: it
survives the process, not always the machine. Its methods block, for about a microsecond unless the disk
stalls, and run on the event loop.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bridge.operating_system import lock_file, open_private
from bridge.storage.errors import FolderInUse, StoreError

NAMES = ("intents-0.jsonl", "intents-1.jsonl")
"""Names of the files in the data folder."""

SEGMENT_BYTES = 1_000_000
"""Size in bytes from which the other file is filled, as soon as that one's lines are not needed any more."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Segment:
    """One open file. A line that was appended only in part is cut off before the next ones."""

    path: Path
    file: int
    size: int
    is_torn: bool = False

    def append(self, lines: bytes) -> None:
        if self.is_torn:
            os.ftruncate(self.file, self.size)
        self.is_torn = True
        if os.write(self.file, lines) < len(lines):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.is_torn = False
        self.size += len(lines)

    def empty(self) -> None:
        if self.size or self.is_torn:
            os.ftruncate(self.file, 0)
            self.size, self.is_torn = 0, False

    def lines(self) -> Iterator[bytes]:
        text = self.path.read_bytes()
        *complete, torn = text.split(b"\n")
        if torn:
            self.size, self.is_torn = len(text) - len(torn), True
            _log.warning("%s: the last line is incomplete and left out; nothing followed from it.", self.path)
        yield from filter(None, complete)


class WriteAheadLog:
    """The two files, locked for this process."""

    def __init__(self, segments: Sequence[_Segment]) -> None:
        """Use `open_log`."""
        self._filling, self._resting = segments
        self._due = 0
        """Number of entries that must be settled before the resting file may be cleared."""

    @classmethod
    def open_log(cls, folder: Path) -> WriteAheadLog:
        """Open or create the files in a folder; lines that are there are preserved.

        Raises:
            FolderInUse: another process uses them.
            StoreError: they cannot be written.
        """
        segments: list[_Segment] = []
        try:
            for path in (folder / name for name in NAMES):
                file = open_private(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
                segments.append(_Segment(path, file, os.fstat(file).st_size))
            lock_file(segments[0].file)
        except OSError as error:
            for segment in segments:
                os.close(segment.file)
            if isinstance(error, BlockingIOError):
                raise FolderInUse(_in_use(folder)) from None
            raise StoreError(f"{error.filename} cannot be written: {error.strerror}") from None
        return cls(segments)

    def read_lines(self) -> Iterator[bytes]:
        """Yield the lines appended since the last clearing, without newlines and in no particular order."""
        for segment in (self._resting, self._filling):
            yield from segment.lines()

    def append_lines(self, lines: bytes, *, accepted: int, settled: int) -> None:
        """Append lines, each with its newline, by one write.

        Each belongs to an entry that was given to the database, or is given to it next.

        `accepted`, `settled`: how many entries were given so far, and how many of the first ones need no line
        any more.

        Raises:
            OSError: they were not written, and will not be: the disk is full, for example.
        """
        if self._filling.size >= SEGMENT_BYTES and settled >= self._due:
            self._resting.empty()
            self._filling, self._resting = self._resting, self._filling
            self._due = accepted
        self._filling.append(lines)

    def clear_lines(self) -> None:
        """Delete all lines; their entries are settled.

        Raises:
            OSError: some may still be there.
        """
        for segment in (self._filling, self._resting):
            segment.empty()

    def close(self) -> None:
        """Close the files, so that another process can use them."""
        for segment in (self._filling, self._resting):
            os.close(segment.file)
            segment.file = -1  # another file may get its number


def check_unused(folder: Path) -> None:
    """Check that no process uses the log in a folder; one that cannot be read counts as unused.

    Raises:
        FolderInUse: one does.
    """
    with suppress(OSError), (folder / NAMES[0]).open("rb") as log:
        try:
            lock_file(log.fileno())
        except BlockingIOError:
            raise FolderInUse(_in_use(folder)) from None


def _in_use(folder: Path) -> str:
    return f"another tool-bridge runs on {folder}; stop it or choose another --data"
