"""The plugins for Open WebUI as downloads, assembled of the sources that a clone and a wheel hold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cache

from aiohttp import hdrs, web

from bridge.bundled import load_bundled
from bridge.http.declared_routes import DeclaredRoutes, route
from bridge.http.static_page import COMMON_HEADERS

PLUGINS: Mapping[str, str] = load_bundled("plugins.open_webui.assemble:PLUGINS")
"""File of each plugin, by the module that has its class."""

assemble_plugin: Callable[[str], str] = load_bundled("plugins.open_webui.assemble:assemble_plugin")


class PluginRoutes(DeclaredRoutes):
    """Handlers of the plugins' downloads. Each is assembled once; another text needs a new start."""

    @route("GET /plugins/tool_bridge_pipe.py", access="public", answers_head=True)
    @route("GET /plugins/tool_bridge_subquery.py", access="public", answers_head=True)
    async def serve_plugin(self, request: web.Request) -> web.Response:
        """Serve a plugin as a download: a browser shows no credential for it."""
        file = request.path.rpartition("/")[2]
        text = await asyncio.to_thread(_read_plugin, file)  # 40 ms the first time
        disposition = f'attachment; filename="{file}"'
        headers = {**COMMON_HEADERS, hdrs.CONTENT_DISPOSITION: disposition, hdrs.CACHE_CONTROL: "no-cache"}
        return web.Response(text=text, content_type="text/x-python", headers=headers)


@cache
def _read_plugin(file: str) -> str:
    (name,) = (name for name, known in PLUGINS.items() if known == file)
    return assemble_plugin(name)
