"""Binary answers kept for a day as files of the data folder, behind signed URLs."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bridge.edges.identity import FILE, Identity
from bridge.wire import MAX_CALL_ID_CHARS, BridgeError, ErrorCode
from toolserver.json_types import JsonObject

KEEP_SECONDS = 24 * 3600
"""Lifetime of a kept answer and of its URL (ruling 10)."""

_MIME = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}")


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A kept answer."""

    path: Path
    mime: str


class AnswerFiles:
    """Kept answers; the file's name is the call's id."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        self._folder = folder
        self._identity = identity

    async def keep(self, call_id: str, content: bytes) -> None:
        """Write an answer and sweep those that are older than `KEEP_SECONDS`."""
        await asyncio.to_thread(self._write, call_id, content)

    def url_path(self, call_id: str, mime: str) -> str:
        """Path and query of the signed URL; whoever has it may read this one file until it expires."""
        token = self._identity.sign(FILE, {"file": call_id, "mime": plain_mime(mime)}, KEEP_SECONDS)
        return f"/files/{token}"

    def path_of(self, call_id: str) -> Path:
        """Where the answer of a call is kept."""
        return self._folder / call_id

    def open(self, token: str) -> KeptFile | None:
        """The file that a signed URL stands for; None when it is gone.

        Raises:
            BridgeError: `unauthorized`: the token is forged or expired.
        """
        claims = self._identity.read(FILE, token)
        path = self._folder / claims["file"]
        return KeptFile(path, claims["mime"]) if path.is_file() else None

    async def page(self, user_id: str, call_id: str, offset: int) -> JsonObject:
        """One part of a cut answer (the engine's port); texts that were cut are not kept yet.

        Raises:
            BridgeError: `not_found`.
        """
        message = f"No answer of call {call_id[:MAX_CALL_ID_CHARS]!r} is kept; this one cannot be read on."
        raise BridgeError(ErrorCode.NOT_FOUND, message)

    def _write(self, call_id: str, content: bytes) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        oldest = time.time() - KEEP_SECONDS
        for path in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another upload sweeps too
                if path.stat().st_mtime < oldest:
                    path.unlink()
        (self._folder / call_id).write_bytes(content)


def plain_mime(content_type: str) -> str:
    """Type and subtype of a `Content-Type`, or `application/octet-stream` when it is none."""
    found = _MIME.match(content_type)
    return found[0].lower() if found else "application/octet-stream"
