"""Stored answers as files, a folder for each user, bounded in time and size. Its methods block."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from bridge.errors import BridgeError, ErrorCode
from bridge.operating_system import replace_file

KEEP_SECONDS = 24 * 3600
"""How long a stored answer and its URL last, in seconds (ruling 10)."""

KEPT_BYTES_PER_USER = 256 * 1024 * 1024
"""Maximum bytes of stored answers per user: sixteen of the largest. Then the oldest go; chosen by feel."""

KEPT_ANSWERS_PER_USER = 1000

FOLDER = "files"
"""Name of the folder in the data folder."""

TEXT, FILE = ".txt", ".bin"

_CALL_ID = re.compile(r"call_[0-9a-f]{32}")
_ENDINGS = (TEXT, FILE)

_log = logging.getLogger(__name__)


class AnswerFolder:
    """Answers by user and call. The id of a file is its path below the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def find_file(self, file_id: str) -> Path | None:
        """Return the file of that id, unless it is gone or older than a day."""
        path = self.path / file_id
        with suppress(OSError):
            if path.stat().st_mtime >= _oldest() and path.is_file():
                return path
        return None

    def of_call(self, user_id: str, call_id: str) -> str | None:
        """Return the id of the stored answer of a user's call; None also for a malformed call id."""
        if not _CALL_ID.fullmatch(call_id):
            return None
        ids = (f"{user_id}/{call_id}{ending}" for ending in _ENDINGS)
        return next((file_id for file_id in ids if self.find_file(file_id)), None)

    def date_file(self, file_id: str, at: float) -> None:
        """Say since when a file is kept, in UTC seconds since 1970; does nothing when it is gone."""
        with suppress(OSError):
            os.utime(self.path / file_id, (at, at))

    def list_files(self, user_id: str) -> list[Path]:
        """Return all stored answers of a user, by call."""
        with suppress(FileNotFoundError):
            return sorted(path for path in (self.path / user_id).iterdir() if path.suffix in _ENDINGS)
        return []

    def delete_user(self, user_id: str) -> None:
        """Delete all stored answers of a user.

        Raises:
            OSError: one cannot be deleted.
        """
        with suppress(FileNotFoundError):
            shutil.rmtree(self.path / user_id)

    def sweep_files(self) -> None:
        """Delete files that are older than a day, and of each user the oldest over the quota; never fails."""
        with suppress(OSError):
            for path in self.path.iterdir():
                if path.is_dir():
                    _sweep_user(path)
                elif path.stat().st_mtime < _oldest():  # from version 0.1.0, which did not separate users
                    path.unlink(missing_ok=True)


class Upload:
    """An answer on its way into the folder; it gets its name once it is complete.

    When the disk refuses it, its bytes are counted and dropped.
    """

    def __init__(
        self, folder: AnswerFolder, user_id: str, name: str, *, max_bytes: int, head_bytes: int = 0
    ) -> None:
        self._folder = folder
        self._target = folder.path / user_id / name
        self._path = self._target.with_name(f".{name}.{secrets.token_hex(4)}")
        self._max_bytes = max_bytes
        self._head_bytes = head_bytes
        self._file: IO[bytes] | None = None
        self._has_room = True
        self.size = 0
        """Number of bytes received, stored or not."""
        self.head = bytearray()
        """The first `head_bytes` of the bytes received."""

    def count_chunk(self, chunk: bytes) -> None:
        """Count a chunk.

        Raises:
            BridgeError: `too_large`: it exceeds `max_bytes`.
        """
        self.size += len(chunk)
        if self.size > self._max_bytes:
            message = f"The answer exceeds {self._max_bytes} bytes."
            detail = {"limit_bytes": self._max_bytes}
            raise BridgeError(ErrorCode.TOO_LARGE, message, detail=detail)
        self.head += chunk[: max(0, self._head_bytes - len(self.head))]

    def write_chunk(self, chunk: bytes) -> None:
        """Append to the file; does nothing once the disk has refused a chunk."""
        if not self._has_room:
            return
        try:
            if self._file is None:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file = self._path.open("xb")
            self._file.write(chunk)
        except OSError as error:
            self._give_up(error)

    def finish_file(self) -> str | None:
        """Give the file its name and sweep; returns its id, None when the disk refused it."""
        self.write_chunk(b"")
        if self._file is None or not self._has_room:
            return None
        try:
            self._file.close()
            replace_file(self._path, self._target)
        except OSError as error:
            self._give_up(error)
            return None
        self._folder.sweep_files()
        return f"{self._target.parent.name}/{self._target.name}"

    def discard_file(self) -> None:
        """Delete what was written, unless it has its name."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                self._path.unlink()

    def _give_up(self, error: OSError) -> None:
        self._has_room = False
        self.discard_file()
        _log.warning("An answer could not be stored: %s", error.strerror or error)


async def store_upload(upload: Upload, chunks: AsyncIterator[bytes]) -> str | None:
    """Store all chunks, which are always read to their end; returns the id of the file, None without space.

    Raises:
        BridgeError: `too_large`. What `chunks` raises; nothing is left of the file then.
    """
    try:
        async for chunk in chunks:
            upload.count_chunk(chunk)
            await asyncio.to_thread(upload.write_chunk, chunk)
        return await asyncio.to_thread(upload.finish_file)
    finally:
        upload.discard_file()


def _oldest() -> float:
    return time.time() - KEEP_SECONDS


def _sweep_user(folder: Path) -> None:
    files: list[tuple[float, int, Path]] = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # another upload sweeps too
            facts = path.stat()
            files.append((facts.st_mtime, facts.st_size, path))
    left = KEPT_BYTES_PER_USER
    for count, (changed, size, path) in enumerate(sorted(files, reverse=True)):
        left -= size
        if changed < _oldest() or left < 0 or count >= KEPT_ANSWERS_PER_USER:
            path.unlink(missing_ok=True)
