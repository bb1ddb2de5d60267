"""Files of the page, at addresses that hold the digest of all of them, so that browsers keep them for good.

A wheel carries the built page: bundled, minified and compressed (`make/build_page.mjs`). In a clone
`make run` builds it, and it is served while the sources stay what it was built of. After a change the sources
are served, so that a change needs no build.
"""

from __future__ import annotations

import json
import logging
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from aiohttp import hdrs, web

from bridge.http.page_digest import SOURCES_MEMBER, digest_of_files, list_sources

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Content types by file suffix; all other files are text."""

ADDRESS = "/static/"
"""What the page's documents write for the folder of its files; they are sent with the digest behind it."""

SaidName: TypeAlias = Literal["session-nonce", "login", "models"]
"""What a document's tags say of the bridge: a nonce for the page's first session, which saves asking for one;
where to log in, "" for nowhere; and "off" if it serves no models."""

MANIFEST = "manifest.json"
"""File of a built page: `{"digest", "preloads": {document: [names]}}`; a clone's names its `sources` too."""

_IMMUTABLE = "public, max-age=31536000, immutable"
_ENTRIES = {
    "index.html": ("app.js", "executor_worker.js"),
    "probe.html": ("probe.js",),
    "oauth.html": ("oauth_callback.js",),
}
"""Documents, and the modules that they or their workers begin with."""

_IMPORT = re.compile(r'^(?:import|export)\s(?:[^"\';]*?\sfrom\s)?"(\.{1,2}/[^"]+)"', re.MULTILINE)
"""A static import or re-export of another file of the page."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Version:
    """One state of all files."""

    folder: Path
    digest: str
    preloads: Mapping[str, tuple[str, ...]]
    """Document to the modules that it loads in any case, so that none waits for the one that imports it."""


class PageFiles:
    """The built page, if there is one, or else the sources. Methods run on one event loop."""

    def __init__(self, sources: Path, built: Path, of_clone: Path | None = None, *, prefix: str = "") -> None:
        """`built`: served in any case, if it is there; `of_clone`: while it was built of these sources.

        `prefix`: path below which browsers reach the bridge.
        """
        self._prefix = prefix
        self._sources = sources.resolve()
        self._built = built.resolve() if built.is_dir() else None
        self._of_clone = of_clone and of_clone.resolve()
        self._state: frozenset[tuple[str, int, int]] = frozenset()
        self._version: _Version | None = None

    def read_document(self, name: str, said: Mapping[SaidName, str] = MappingProxyType({})) -> str:
        """Return an HTML file with the addresses of the present version, and what its tags say of the bridge.

        In a clone this is where changed sources are noticed, because every page begins with a document.
        """
        version = self._version = self._read_version()
        address = f"{self._prefix}{ADDRESS}{version.digest}/"
        links = "".join(
            f'<link rel="modulepreload" href="{address}{module}">\n'
            for module in version.preloads.get(name, ())
        )
        text = (version.folder / name).read_text(encoding="utf-8").replace(ADDRESS, address)
        for tag, content in said.items():
            begun = f'<meta name="{tag}" content="'
            text = text.replace(f'{begun}">', f'{begun}{escape(content)}">')
        return text.replace("</head>", f"{links}</head>")

    @property
    def digest(self) -> str:
        """The digest of all files, as it stands in their addresses."""
        return self._last_version().digest

    def open_file(self, name: str, headers: Mapping[str, str]) -> web.FileResponse | None:
        """Return the file of that name, or its compressed sibling; None if there is no such file."""
        folder = self._last_version().folder
        try:
            path = (folder / name).resolve()
            if not path.is_relative_to(folder) or not path.is_file():
                return None
        except (OSError, ValueError):  # a name that no file can have
            return None
        own = {
            hdrs.CONTENT_TYPE: CONTENT_TYPES.get(path.suffix, "text/plain; charset=utf-8"),
            hdrs.CACHE_CONTROL: _IMMUTABLE,
        }
        return web.FileResponse(path, headers={**headers, **own})

    def _last_version(self) -> _Version:
        if self._version is None:  # a page of before the bridge's start asks
            self._version = self._read_version()
        return self._version

    def _read_version(self) -> _Version:
        if self._built:
            return self._version or _version_in(
                self._built, json.loads((self._built / MANIFEST).read_bytes())
            )
        paths = list_sources(self._sources)
        of_clone = self._of_clone and self._of_clone / MANIFEST
        watched = [*paths, *([of_clone] if of_clone and of_clone.is_file() else [])]
        facts = ((path, path.stat()) for path in watched)
        state = frozenset((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in facts)
        if self._version is not None and state == self._state:
            return self._version
        self._state = state
        return self._choose_version(digest_of_files(self._sources, paths))

    def _choose_version(self, digest: str) -> _Version:
        """Return the clone's built page, if it was built of the sources of that digest, or else these."""
        if self._of_clone and (built := _read_built_of(self._of_clone, digest)):
            return built
        if self._version and self._version.folder == self._of_clone:
            _log.info(
                "static/ has changed: the page is served from its sources until make run builds it anew."
            )
        return _Version(self._sources, digest, _list_preloads(self._sources))


def _read_built_of(folder: Path, digest: str) -> _Version | None:
    """Return the page in a folder, if it was built of these sources; None too if it is being replaced."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    return _version_in(folder, manifest) if manifest.get(SOURCES_MEMBER) == digest else None


def _version_in(folder: Path, manifest: dict[str, Any]) -> _Version:
    return _Version(folder, manifest["digest"], manifest["preloads"])


def _list_preloads(folder: Path) -> dict[str, tuple[str, ...]]:
    return {
        document: tuple(dict.fromkeys(name for entry in entries for name in _list_imports(folder, entry)))
        for document, entries in _ENTRIES.items()
    }


def _list_imports(folder: Path, entry: str) -> Iterator[str]:
    """Yield a module and all that it imports statically, the nearest first."""
    seen = {entry}
    waiting = [entry]
    for name in waiting:
        yield name
        for specifier in _IMPORT.findall((folder / name).read_text(encoding="utf-8")):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), specifier))
            if target not in seen:
                seen.add(target)
                waiting.append(target)
