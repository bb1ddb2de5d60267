"""The companion extension as a download: bytes that depend on its files alone, so that digests compare.

A clone and a wheel hold the same files and give the same archive; nothing is built or stored.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from aiohttp import hdrs, web

from bridge.bundled import bundled_folder
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok, route
from bridge.http.routing import ApiModel, json_answer
from bridge.http.static_page import COMMON_HEADERS

EXTENSION = bundled_folder("extension")
MANIFEST = "manifest.json"
DOWNLOAD = "/companion.zip"

_PACKED = (".css", ".html", ".js", ".json", ".png")
_DATE = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644 << 16
_CHROMIUM_ONLY = ("key", "minimum_chrome_version", "message_serialization")


class CompanionRelease(ApiModel):
    """The companion extension that this bridge offers."""

    version: str
    download_url: str
    sha256: str
    """Of the archive."""
    bytes: int


@dataclass(frozen=True, slots=True)
class _Archive:
    release: CompanionRelease
    content: bytes


def build_archive(folder: Path = EXTENSION, browser: Literal["chromium", "firefox"] = "chromium") -> bytes:
    """Pack the extension; stored, because compressors differ between versions of zlib.

    Chromium loads the manifest as it stands; Firefox's check wants it without Chromium's own keys.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(folder.iterdir()):
            if path.suffix in _PACKED:
                entry = zipfile.ZipInfo(path.name, _DATE)
                entry.create_system = 3
                entry.external_attr = _READABLE
                text = path.read_bytes()
                is_adapted = browser == "firefox" and path.name == MANIFEST
                archive.writestr(entry, _firefox_manifest(text) if is_adapted else text)
    return content.getvalue()


def _firefox_manifest(text: bytes) -> bytes:
    manifest = json.loads(text)
    for key in _CHROMIUM_ONLY:
        del manifest[key]
    del manifest["background"]["service_worker"]
    return json.dumps(manifest, indent=2).encode() + b"\n"


@cache
def _archive() -> _Archive:
    content = build_archive()
    version = json.loads((EXTENSION / MANIFEST).read_bytes())["version"]
    digest = hashlib.sha256(content).hexdigest()
    release = CompanionRelease(version=version, download_url=DOWNLOAD, sha256=digest, bytes=len(content))
    return _Archive(release, content)


class CompanionRoutes(DeclaredApiRoutes):
    """Handlers of the extension's download. It is read once; a bridge is started anew for another one."""

    @api_route("GET /api/companion", ok("What the bridge offers.", CompanionRelease))
    async def get_companion(self, _request: web.Request) -> web.Response:
        """Get the version and digest of the companion extension."""
        return json_answer(_archive().release)

    @route(f"GET {DOWNLOAD}", access="public", answers_head=True)
    async def serve_archive(self, _request: web.Request) -> web.Response:
        """Serve the archive: public, because a browser's download shows no credential."""
        version = _archive().release.version
        disposition = f'attachment; filename="direct-tool-bridge-companion-{version}.zip"'
        headers = {**COMMON_HEADERS, hdrs.CONTENT_DISPOSITION: disposition, hdrs.CACHE_CONTROL: "no-cache"}
        return web.Response(body=_archive().content, content_type="application/zip", headers=headers)
