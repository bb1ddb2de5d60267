"""The bridge is killed with -9 while the page performs a call, and started again on the same folder."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Browser, BrowserContext

from examples.ledger import LEDGER
from examples.sample_api import start_sample_api
from tests.support.chromium import Caller, expect_connection, open_page
from tests.support.tcp_servers import free_port
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(120),
    pytest.mark.slow,
]

START_S = 60


@dataclass
class Running:
    """A bridge in a process of its own."""

    bridge: asyncio.subprocess.Process
    facts: dict[str, str]


@asynccontextmanager
async def own_bridge(folder: Path, port: int, spec: str) -> AsyncGenerator[Running]:
    """Until it is killed; gives what it printed once it was ready."""
    arguments = (
        "serve",
        "--data",
        str(folder),
        "--port",
        str(port),
        "--spec",
        spec,
        "--approve",
        "all",
        "--json",
    )
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bridge", *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert running.stdout is not None
        async with asyncio.timeout(START_S):
            line = await running.stdout.readline()
        yield Running(running, json.loads(line))
    finally:
        if running.returncode is None:
            running.kill()
        await running.wait()


async def calls_of(caller: Caller) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {caller.key}"}
    async with caller.http.get(f"{caller.base_url}/api/calls", headers=headers) as response:
        return (await response.json())["calls"]


@dataclass
class KilledBridgeHarness:
    """What outlives the bridge."""

    samples: web.AppRunner
    spec: str
    folder: Path
    port: int
    context: BrowserContext
    http: aiohttp.ClientSession

    @property
    def notes(self) -> list[str]:
        """Of everything the API has really done."""
        return [json.loads(entry.body)["note"] for entry in self.samples.app[LEDGER].entries]


@pytest_asyncio.fixture(loop_scope="session")
async def harness(chromium: Browser, tmp_path: Path) -> AsyncGenerator[KilledBridgeHarness]:
    samples, samples_url = await start_sample_api()
    context = await chromium.new_context()
    async with aiohttp.ClientSession() as http:
        spec = f"{samples_url}/documents/answers.yaml"
        yield KilledBridgeHarness(samples, spec, tmp_path, free_port(), context, http)
    await context.close()
    await samples.cleanup()


async def test_a_bridge_killed_in_mid_call_says_what_it_knows_and_learns_the_rest(
    harness: KilledBridgeHarness,
) -> None:
    """Its journal has the call: it is in doubt, not forgotten; the page tells the truth when it is back."""
    page = await harness.context.new_page()
    async with own_bridge(harness.folder, harness.port, harness.spec) as running:
        await open_page(page, running.facts["page_url"])
        caller = Caller(running.facts["base_url"], running.facts["key"], harness.http)
        await eventually(lambda: tool_is_ready(caller))
        assert (await caller.call("writeSlowly", {"seconds": 0, "note": "told"})).status == 200
        writing = asyncio.create_task(caller.call("writeSlowly", {"seconds": 1, "note": "killed"}))
        await eventually(lambda: len(harness.notes) == 2)
        running.bridge.kill()
        with pytest.raises(aiohttp.ClientError):
            await writing

    async def written() -> list[dict[str, Any]]:
        """Newest first."""
        return [call for call in await calls_of(caller) if call["tool"] == "writeSlowly"]

    async def late() -> Any:
        return (await written())[0]["late"]

    async with own_bridge(harness.folder, harness.port, harness.spec):
        assert [call["state"] for call in await written()] == ["outcome_unknown", "succeeded"]
        await expect_connection(page, "connected")
        assert (await eventually(late, within_s=20))["http_status"] == 200
        assert (await caller.call("writeSlowly", {"seconds": 0, "note": "after"})).status == 200
    assert harness.notes == ["told", "killed", "after"]


async def tool_is_ready(caller: Caller) -> bool:
    """The page accepts what its ticket offers a moment after it is connected."""
    return (await caller.call("getNothing")).status == 200
