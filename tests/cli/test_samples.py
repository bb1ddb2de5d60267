"""The ports of what a demo runs beside the bridge."""

import socket
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bridge.cli.serve.samples import PORTS_FILE, Samples, start_samples

pytestmark = pytest.mark.asyncio


async def started(folder: Path) -> Samples:
    """Where they listened, of a demo that has ended."""
    async with AsyncExitStack() as stack:
        return await start_samples(stack, folder, is_fixed=False)


async def test_a_restart_finds_the_samples_where_they_were(tmp_path: Path) -> None:
    """Finding F-25: where a usual port was taken, each restart moved them and paused what was accepted."""
    first = await started(tmp_path)
    assert [await started(tmp_path) for _ in range(2)] == [first, first]


async def test_a_port_that_is_in_use_meanwhile_moves_its_sample_once(tmp_path: Path) -> None:
    """Finding F-25: the others stay, and the new place is the one that is kept from then on."""
    first = await started(tmp_path)
    port = urlsplit(first.mcp_url).port
    with socket.create_server(("127.0.0.1", port or 0)):
        moved = await started(tmp_path)
    assert moved.mcp_url != first.mcp_url
    assert (moved.api_url, moved.intranet_url) == (first.api_url, first.intranet_url)
    assert await started(tmp_path) == moved


@pytest.mark.parametrize("text", ["{", "[]", '{"API": 0, "MCP server": "80", "intranet": 99999}'])
async def test_a_file_that_names_no_ports_is_replaced(tmp_path: Path, text: str) -> None:
    """Finding F-25: sibling. A damaged file in the folder must not keep a demo from starting."""
    (tmp_path / PORTS_FILE).write_text(text, encoding="utf-8")
    assert await started(tmp_path) == await started(tmp_path)
