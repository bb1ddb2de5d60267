"""A bridge in a process of its own that a test kills with -9 and starts again, and its page."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import socketio
from openai import AsyncOpenAI

from tests.support.documents.compiled import document_text
from tests.support.models.scripted_provider import KEY, ScriptedProvider
from tests.support.running_bridge import TEST_LIMITS, FakePage, pair_browser
from tests.support.tcp_servers import free_port

START_S = 60


@dataclass
class KillableBridge:
    """One data folder and one port, over any number of processes."""

    folder: Path
    provider: ScriptedProvider
    http: aiohttp.ClientSession
    approve: str = "all"
    port: int = 0
    facts: dict[str, str] = field(default_factory=dict[str, str])
    """What the last process printed."""
    process: asyncio.subprocess.Process | None = None
    page: FakePage | None = None
    ledger: list[str] = field(default_factory=list[str])
    """Operations that the page was asked to perform, in order."""

    async def start(self) -> None:
        """Until it answers."""
        spec = self.folder / "shop.json"
        spec.write_text(document_text())
        environment = {
            **os.environ,
            **{name: str(value) for name, value in TEST_LIMITS.items()},
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": self.provider.base_url,
        }
        options = ("--data", str(self.folder), "--port", str(self.port), "--spec", str(spec))
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "bridge", "serve", *options, "--approve", self.approve, "--json"),
            stdout=asyncio.subprocess.PIPE,
            env=environment,
        )
        assert self.process.stdout is not None
        async with asyncio.timeout(START_S):
            self.facts = json.loads(await self.process.stdout.readline())

    async def kill(self) -> None:
        """With -9: nothing is written down that is not yet."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def open_page(
        self, answer: Callable[[str], Awaitable[dict[str, Any] | None]], *, asks_user: bool = False
    ) -> None:
        """A page of the local user; after a restart the same browser again. `answer` gets the operation."""

        async def performed(call: dict[str, Any]) -> dict[str, Any] | None:
            self.ledger.append(call["name"])
            return await answer(call["name"])

        if self.page is None:
            ticket = self.facts["page_url"].partition("#ticket=")[2]
            self.page = await pair_browser(self.facts["base_url"], self.http, ticket)
            await self.page.open_session()
            await self.page.accept_everything()
        else:
            await self.page.close()
            self.page.socket = socketio.AsyncClient(reconnection=False)
            await self.page.open_session()
        self.page.asks_user = asks_user
        await self.page.connect(performed)

    @asynccontextmanager
    async def client(self) -> AsyncGenerator[AsyncOpenAI]:
        """OpenAI's own."""
        url = f"{self.facts['base_url']}/v1"
        async with AsyncOpenAI(base_url=url, api_key=self.facts["key"], max_retries=0, timeout=30) as made:
            yield made


@asynccontextmanager
async def killable_bridge(
    folder: Path, provider: ScriptedProvider, *, approve: str = "all"
) -> AsyncGenerator[KillableBridge]:
    """A bridge that runs; killed at the end."""
    async with aiohttp.ClientSession() as http:
        bridge = KillableBridge(folder, provider, http, approve, free_port())
        await bridge.start()
        try:
            yield bridge
        finally:
            if bridge.page is not None:
                await bridge.page.close()
            await bridge.kill()
