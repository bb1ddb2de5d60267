"""Files of a folder as responses, read once and cached in memory until they change.

A page is more than a hundred small modules, each of which a browser checks for changes (`no-cache`); opening
each in a thread would take longer than all the rest.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from aiohttp import hdrs, web
from multidict import CIMultiDict

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Content types by file suffix; all other files are text."""


@dataclass(frozen=True, slots=True)
class _StaticFile:
    body: bytes
    tag: str
    """Entity tag of this content."""
    content_type: str


class StaticFiles:
    """The files below `folder`. Methods run on one event loop; a file is read there, which takes no time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._files: dict[Path, _StaticFile] = {}

    def answer_file(self, request: web.Request, name: str, headers: dict[str, str]) -> web.Response | None:
        """Return the file of that name, or 304 for a client that has it; None when there is none."""
        file = self._read(name)
        if file is None:
            return None
        response_headers = CIMultiDict({**headers, hdrs.ETAG: file.tag})
        if request.headers.get(hdrs.IF_NONE_MATCH) == file.tag:
            return web.Response(status=304, headers=response_headers)
        response_headers[hdrs.CONTENT_TYPE] = file.content_type
        return web.Response(body=file.body, headers=response_headers)

    def _read(self, name: str) -> _StaticFile | None:
        try:
            path = (self._folder / name).resolve()
            if not path.is_relative_to(self._folder):
                return None
            facts = path.stat()
            if not stat.S_ISREG(facts.st_mode):
                return None
            tag = f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'
            cached = self._files.get(path)
            if cached is None or cached.tag != tag:
                content_type = CONTENT_TYPES.get(path.suffix, "text/plain; charset=utf-8")
                cached = self._files[path] = _StaticFile(path.read_bytes(), tag, content_type)
        except (OSError, ValueError):  # a name that no file can have
            return None
        return cached
