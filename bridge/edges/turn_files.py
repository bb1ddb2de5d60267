"""Files of answers for the model loop: addresses that a user can open anywhere, and bytes for models."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bridge.http.answer_files import AnswerFiles


class TurnFiles:
    """The loop's port to the files that are kept."""

    def __init__(self, files: AnswerFiles, base_url: str) -> None:
        """`base_url`: of the bridge, as its users reach it."""
        self._files = files
        self._base_url = base_url

    def url(self, file_id: str, content_type: str, filename: str) -> str:
        """The signed address of a file, good for a day."""
        return self._base_url + self._files.url_path(file_id, content_type, filename)

    async def content(self, file_id: str) -> bytes | None:
        """The bytes of a file; None when it is gone."""
        path = self._files.path_of(file_id)
        return await asyncio.to_thread(_read, path) if path else None


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # newer answers needed the room
        return None
