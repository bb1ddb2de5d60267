"""Files of the page, at addresses that hold the digest of all of them, so that browsers keep them for good.

A wheel carries the built page: bundled, minified and compressed (`make/build_page.mjs`). A clone has only the
sources, which are served as they are, so that whoever changes the page needs no build.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aiohttp import hdrs, web

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Content types by file suffix; all other files are text."""

ADDRESS = "/static/"
"""What the page's documents write for the folder of its files; they are sent with the digest behind it."""

NONCE_TAG = '<meta name="session-nonce" content="">'
"""Tag of a document that gets a nonce for the page's first session, which saves asking for one."""

LOGIN_TAG = '<meta name="login" content="">'
"""Tag of a document that says where to log in; empty: nowhere."""

MANIFEST = "manifest.json"
"""File of a built page: `{"digest", "preloads": {document: [names]}}`."""

_IMMUTABLE = "public, max-age=31536000, immutable"
_DIGEST_CHARS = 16
_ENTRIES = {
    "index.html": ("app.js", "executor_worker.js"),
    "probe.html": ("probe.js",),
    "oauth.html": ("oauth_callback.js",),
}
"""Documents, and the modules that they or their workers begin with."""

_IMPORT = re.compile(r'^(?:import|export)\s(?:[^"\';]*?\sfrom\s)?"(\.{1,2}/[^"]+)"', re.MULTILINE)
"""A static import or re-export of another file of the page."""


@dataclass(frozen=True, slots=True)
class _Version:
    """One state of all files."""

    digest: str
    preloads: Mapping[str, tuple[str, ...]]
    """Document to the modules that it loads in any case, so that none waits for the one that imports it."""


class PageFiles:
    """The built page, if that folder exists, or else the sources. Methods run on one event loop."""

    def __init__(self, sources: Path, built: Path) -> None:
        self._is_built = built.is_dir()
        self._folder = (built if self._is_built else sources).resolve()
        self._state: frozenset[tuple[str, int, int]] = frozenset()
        self._version: _Version | None = None

    def read_document(self, name: str, *, nonce: str = "", has_login: bool = False) -> str:
        """Return an HTML file with the addresses of the present version, and what its tags say of the bridge.

        `nonce`: for the first session; `has_login`: whether people may log in at a provider.

        In a clone this is where changed sources are noticed, because every page begins with a document.
        """
        version = self._version = self._read_version()
        address = f"{ADDRESS}{version.digest}/"
        links = "".join(
            f'<link rel="modulepreload" href="{address}{module}">\n'
            for module in version.preloads.get(name, ())
        )
        text = (self._folder / name).read_text(encoding="utf-8").replace(ADDRESS, address)
        text = text.replace(NONCE_TAG, NONCE_TAG.replace('""', f'"{nonce}"'))
        if has_login:
            text = text.replace(LOGIN_TAG, LOGIN_TAG.replace('""', '"/login"'))
        return text.replace("</head>", f"{links}</head>")

    @property
    def digest(self) -> str:
        """The digest of all files, as it stands in their addresses."""
        if self._version is None:  # a page of before the bridge's start asks
            self._version = self._read_version()
        return self._version.digest

    def open_file(self, name: str, headers: Mapping[str, str]) -> web.FileResponse | None:
        """Return the file of that name, or its compressed sibling; None if there is no such file."""
        try:
            path = (self._folder / name).resolve()
            if not path.is_relative_to(self._folder) or not path.is_file():
                return None
        except (OSError, ValueError):  # a name that no file can have
            return None
        own = {
            hdrs.CONTENT_TYPE: CONTENT_TYPES.get(path.suffix, "text/plain; charset=utf-8"),
            hdrs.CACHE_CONTROL: _IMMUTABLE,
        }
        return web.FileResponse(path, headers={**headers, **own})

    def _read_version(self) -> _Version:
        if self._is_built:
            return self._version or _read_manifest(self._folder / MANIFEST)
        paths = sorted(path for path in self._folder.rglob("*") if path.is_file())
        facts = ((path, path.stat()) for path in paths)
        state = frozenset((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in facts)
        if self._version is not None and state == self._state:
            return self._version
        self._state = state
        return _Version(_digest_of(self._folder, paths), _list_preloads(self._folder))


def _read_manifest(path: Path) -> _Version:
    manifest = json.loads(path.read_bytes())
    return _Version(manifest["digest"], manifest["preloads"])


def _digest_of(folder: Path, paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:_DIGEST_CHARS]


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
