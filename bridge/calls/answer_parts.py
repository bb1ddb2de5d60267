"""The files of an answer, for those that give answers to models: the port that reads them, and a bound."""

from __future__ import annotations

from typing import Protocol

IMAGE_BYTES = 5 * 1024 * 1024
"""Maximum size in bytes of an image that a model and the answer get; providers accept this much."""


class StoredFiles(Protocol):
    """The port to the files of answers."""

    def sign_url(self, file_id: str, content_type: str, filename: str) -> str:
        """Return an absolute URL at which the user can read the file for a day."""
        ...

    async def read_content(self, file_id: str) -> bytes | None:
        """Return the file's bytes; None when it has been deleted."""
        ...
