"""What `tool-bridge demo` runs beside the bridge: a sample API, an MCP server, and an intranet.

Their addresses are part of what a user accepts, so the ports of the first start are kept in the data folder.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlsplit

from aiohttp import web

from bridge.app.secret_files import read_private, write_private
from bridge.bundled import load_bundled
from bridge.settings.network import SAMPLE_INTRANET_PORT, SAMPLE_MCP_PORT, SAMPLES_PORT

SAMPLES = ("shop.json", "library.yaml", "thermostat.yaml", "answers.yaml", "mirror.yaml", "untidy.yaml")
"""The sample documents of the demo, most inviting first."""
INTRANET_APIS = ("printer", "staff")
"""APIs of the sample intranet; no page can call them, but the companion extension can."""

PORTS_FILE = "sample-ports.json"
"""File in the data folder: the ports by names of samples."""

_HOST = "127.0.0.1"
_MAX_PORT = 65_535

_Start = Callable[[str, int], Awaitable[tuple[web.AppRunner, str]]]

_STARTS: tuple[tuple[str, int, _Start], ...] = (
    ("API", SAMPLES_PORT, load_bundled("examples.sample_api:start_sample_api")),
    ("MCP server", SAMPLE_MCP_PORT, load_bundled("examples.mcp_server:start_mcp_server")),
    ("intranet", SAMPLE_INTRANET_PORT, load_bundled("examples.intranet:start_intranet")),
)
"""Name, usual port and start of each, in the order of `Samples`."""

_log = logging.getLogger(__name__)


class Samples(NamedTuple):
    """Addresses of what the demo runs beside the bridge."""

    api_url: str
    mcp_url: str
    """The endpoint; adding it in the page is for the user to try."""
    intranet_url: str
    """Of the APIs that keep pages out."""

    def list_documents(self) -> list[tuple[str, str]]:
        """Return addresses of documents with the names they get in messages."""
        samples = [(f"{self.api_url}/documents/{name}", f"sample {name}") for name in SAMPLES]
        return samples + [
            (f"{self.intranet_url}/{api}/openapi.json", f"sample {api}") for api in INTRANET_APIS
        ]


async def start_samples(stack: AsyncExitStack, folder: Path, *, is_fixed: bool) -> Samples:
    """Start them on the ports of the last start on this data folder, else on their usual ones.

    A port in use is replaced by any free one, as is the usual one unless `is_fixed`: two demos may run
    side by side.

    Raises:
        StoreError: the ports cannot be kept.
    """
    kept = _read_ports(folder)
    urls: dict[str, str] = {}
    for what, usual, start in _STARTS:
        wanted = [kept[what]] if what in kept else []
        runner, urls[what] = await _start_one(start, what, [*wanted, *([usual] if is_fixed else [])])
        stack.push_async_callback(runner.cleanup)
    ports = {what: urlsplit(url).port for what, url in urls.items()}
    if ports != kept:
        write_private(folder / PORTS_FILE, json.dumps(ports))
    return Samples(*urls.values())


async def _start_one(start: _Start, what: str, ports: list[int]) -> tuple[web.AppRunner, str]:
    for port in dict.fromkeys(ports):
        try:
            return await start(_HOST, port)
        except OSError:
            _log.warning("Port %d is in use; the sample %s uses another one.", port, what)
    return await start(_HOST, 0)


def _read_ports(folder: Path) -> Mapping[str, int]:
    """Return the ports that were kept; what is no port, or damaged, is as good as none."""
    try:
        value: object = json.loads(read_private(folder / PORTS_FILE) or "{}")
    except ValueError:
        return {}
    ports = cast("dict[str, object]", value if isinstance(value, dict) else {})
    return {what: port for what, port in ports.items() if type(port) is int and 0 < port <= _MAX_PORT}
