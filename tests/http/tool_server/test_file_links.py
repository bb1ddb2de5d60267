"""Links to stored answers: short enough to be copied by a model, and of use to nobody who made one up."""

import base64
from pathlib import Path

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.auth.identity import FILE
from bridge.storage.answer_files import KEEP_SECONDS

pytestmark = pytest.mark.asyncio

CALL = f"call_{7:032x}"


def stored_file(bridge: Bridge, folder: Path, content: bytes = b"\x89PNG") -> str:
    """Store a file as the answer of a call of the local user; returns its id."""
    path = folder / "files" / bridge.local_user.id / f"{CALL}.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return f"{bridge.local_user.id}/{CALL}.bin"


async def download(bridge: Bridge, http: aiohttp.ClientSession, path: str) -> tuple[int, bytes]:
    async with http.get(bridge.base_url + path) as response:
        return response.status, await response.read()


async def test_a_link_is_short_and_opens_its_file(
    bridge: Bridge, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """A model copies it character by character; it had 387 of them."""
    file_id = stored_file(bridge, tmp_path)
    link = bridge.components.calls.files.url_path(file_id, "image/png", "Quartalsübersicht 3.png")
    assert len(link) < 130
    async with http.get(bridge.base_url + link) as response:
        assert await response.read() == b"\x89PNG"
        assert response.headers["Content-Type"] == "image/png"
        name = response.headers["Content-Disposition"]
        assert name == "inline; filename*=UTF-8''Quartals%C3%BCbersicht%203.png"


async def test_an_altered_link_opens_nothing(
    bridge: Bridge, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """Whoever has a link to one answer has no link to any other, and none that a browser would execute."""
    link = bridge.components.calls.files.url_path(stored_file(bridge, tmp_path), "text/html", "a.htm")
    sealed = link.removeprefix("/files/")
    raw = base64.urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
    for place in range(len(raw)):
        other = bytes([*raw[:place], raw[place] ^ 1, *raw[place + 1 :]])
        text = base64.urlsafe_b64encode(other).rstrip(b"=").decode()
        assert (await download(bridge, http, f"/files/{text}"))[0] == 401
    for text in (sealed[:-2], sealed[:40], "A", "%C3%BC", "a.b.c", "A" * 5000):
        assert (await download(bridge, http, f"/files/{text}"))[0] == 401


async def test_a_link_of_a_file_that_is_gone_says_so(
    bridge: Bridge, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """Its holder should not look for a mistake in it."""
    link = bridge.components.calls.files.url_path(stored_file(bridge, tmp_path), "image/png")
    (tmp_path / "files" / bridge.local_user.id / f"{CALL}.bin").unlink()
    assert (await download(bridge, http, link))[0] == 404


async def test_links_of_the_form_before_open_their_files_until_these_expire(
    bridge: Bridge, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """They stand in chats that an update must not break."""
    claims = {"file": stored_file(bridge, tmp_path), "mime": "image/png", "name": ""}
    token = bridge.components.identity.sign_token(FILE, claims, KEEP_SECONDS)
    assert await download(bridge, http, f"/files/{token}") == (200, b"\x89PNG")
