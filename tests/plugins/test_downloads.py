"""The plugins for Open WebUI as a running bridge offers them."""

import aiohttp
import pytest

from bridge.app.server import Bridge
from plugins.open_webui.assemble import PLUGINS, assemble_plugin

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(("name", "file"), PLUGINS.items())
async def test_a_browser_downloads_a_plugin_as_its_sources_make_it(
    bridge: Bridge, name: str, file: str
) -> None:
    """No assembled file is in the repository or in a package; a download shows no key."""
    async with aiohttp.ClientSession(bridge.base_url) as http, http.get(f"/plugins/{file}") as answer:
        assert (answer.status, answer.content_type, answer.charset) == (200, "text/x-python", "utf-8")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{file}"'
        assert await answer.text() == assemble_plugin(name)


@pytest.mark.parametrize("path", ["/plugins/", "/plugins/example_agent_pipe.py", "/plugins/source/pipe.py"])
async def test_nothing_else_of_that_folder_is_served(bridge: Bridge, path: str) -> None:
    """A name is looked up, and is not a path."""
    async with aiohttp.ClientSession(bridge.base_url) as http, http.get(path) as answer:
        assert answer.status == 404
