"""Answers that are files, as MCP clients get them: what a model can take as content, the rest as links."""

import base64
import io
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from tests.support.cluster.bridge_pairs import home_url
from tests.support.mcp_messages import modern_request, post_message
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

FILE = bytes(range(256)) * 4


def uploading(
    bridge: Bridge, http: aiohttp.ClientSession, mime: str, file: bytes
) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]:
    """A page whose API answers with a file."""

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        headers = {
            "X-Result-Token": call["bridge"]["result_token"],
            "X-Result-Kind": "file",
            "Content-Type": mime,
        }
        url = f"{home_url(bridge.base_url)}/api/calls/{call['id']}/result"
        async with http.put(url, data=io.BytesIO(file), headers=headers) as response:
            assert response.status == 200
        return {"status": "answered", "http_status": 200, "content_type": mime, "body": {"kind": "uploaded"}}

    return answer


async def answer_of(
    bridge: Bridge, http: aiohttp.ClientSession, mime: str, file: bytes = FILE
) -> dict[str, Any]:
    """The result of a call that a file answers."""
    async with page_of(bridge, bridge.local_user.id, uploading(bridge, http, mime, file)) as page:
        _, answer = await post_message(bridge, http, *modern_request("tools/call", {"name": "listProducts"}))
        assert answer["result"]["_meta"]["tool-bridge/call-id"] == page.calls[0]["id"]
    return answer["result"]


@pytest.mark.parametrize(("mime", "kind"), [("image/png", "image"), ("audio/wav", "audio")])
async def test_images_and_audio_are_content_themselves(
    bridge: Bridge, http: aiohttp.ClientSession, mime: str, kind: str
) -> None:
    """A model sees or hears them; a link it would have to fetch."""
    result = await answer_of(bridge, http, mime)
    assert result["content"] == [{"type": kind, "data": base64.b64encode(FILE).decode(), "mimeType": mime}]
    assert "structuredContent" not in result


async def test_another_file_is_a_link_that_whoever_has_it_may_follow(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Clients follow links without the key; its signature is the permission."""
    [link] = (await answer_of(bridge, http, "application/pdf"))["content"]
    assert (link["type"], link["mimeType"], link["size"]) == ("resource_link", "application/pdf", len(FILE))
    async with http.get(link["uri"]) as response:
        assert (response.status, await response.read()) == (200, FILE)


async def test_an_image_that_is_too_large_for_a_message_is_a_link(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Providers refuse images above 5 MiB, and with them the whole conversation."""
    file = bytes(5 * 1024 * 1024 + 1)
    [link] = (await answer_of(bridge, http, "image/png", file))["content"]
    assert (link["type"], link["mimeType"]) == ("resource_link", "image/png")
