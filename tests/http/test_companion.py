"""The companion extension as a running bridge offers it."""

import hashlib
import io
import json
import os
import shutil
import struct
import zipfile
from pathlib import Path

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.http.companion import EXTENSION, build_archive


@pytest.mark.asyncio
async def test_the_download_is_what_the_bridge_says_it_is(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Who compares the digest knows that nobody on the way has changed what is installed."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.get(f"{bridge.base_url}/api/companion", headers=headers) as answer:
        release = await answer.json()
    async with http.get(bridge.base_url + release["download_url"]) as download:
        content = await download.read()
        assert download.content_type == "application/zip"
        assert release["version"] in download.headers["Content-Disposition"]
    assert (hashlib.sha256(content).hexdigest(), len(content)) == (release["sha256"], release["bytes"])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    assert packed == {path.name: path.read_bytes() for path in EXTENSION.iterdir()}


def test_the_same_files_give_the_same_bytes_elsewhere_and_later(tmp_path: Path) -> None:
    """Times, modes and places of files are those of a machine, not of a release."""
    copy = tmp_path / "copy"
    shutil.copytree(EXTENSION, copy)
    for path in copy.iterdir():
        os.utime(path, (1, 1))
        path.chmod(0o600)
    assert build_archive(copy) == build_archive()


def test_every_icon_that_the_manifest_names_is_packed_in_its_size() -> None:
    """A browser that misses one refuses the extension, and blurs one that it has to scale."""
    with zipfile.ZipFile(io.BytesIO(build_archive())) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        named = [*manifest["icons"].items(), *manifest["action"]["default_icon"].items()]
        drawn = {(size, name): archive.read(name) for size, name in named}
    assert {"16", "32", "48", "128"} == set(manifest["icons"])
    for (size, name), image in drawn.items():
        assert image.startswith(b"\x89PNG\r\n\x1a\n"), name
        assert struct.unpack(">II", image[16:24]) == (int(size), int(size)), name


def test_a_firefox_gets_no_keys_that_are_chromium_s_own() -> None:
    """Mozilla's check calls each of them a warning; everything else is the same source."""
    archives = [zipfile.ZipFile(io.BytesIO(build_archive(browser=name))) for name in ("chromium", "firefox")]
    ours, theirs = ({name: each.read(name) for name in each.namelist()} for each in archives)
    manifest = json.loads(theirs.pop("manifest.json"))
    assert ours.pop("manifest.json")
    assert ours == theirs
    assert manifest["background"] == {"scripts": ["service_worker.js"], "type": "module"}
    assert "key" not in manifest
