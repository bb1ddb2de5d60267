"""While the worker of one document is held, the tools of every other one are there, at each door."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.documents.piped_child import Child
from bridge.documents.worker import DocumentWorker
from bridge.timings import Timings
from tests.support.documents.compiled import document_text, operation
from tests.support.mcp_messages import modern_request, post_message
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.waiting import eventually
from toolserver.tool.argument_schemas import ToolSchema

pytestmark = pytest.mark.asyncio

GOOD, SLOW = {"useGood"}, {"useSlow"}


class HeldWorker(DocumentWorker):
    """A worker that keeps a process for as long as the test wants when it describes the document `Slow`."""

    def __init__(self) -> None:
        super().__init__(patience_s=0.2)
        self.may_end = asyncio.Event()
        self.is_held = False

    async def compile_schemas(
        self, text: str, digest: str, keys: Sequence[str], *, bare: str = "", overlays: Sequence[str] = ()
    ) -> dict[str, ToolSchema]:
        if '"Slow"' in text and not self.may_end.is_set():
            await self._ask(self._hold)
        return await super().compile_schemas(text, digest, keys, bare=bare, overlays=overlays)

    async def _hold(self, _child: Child) -> None:
        self.is_held = True
        await self.may_end.wait()


@pytest_asyncio.fixture
async def worker() -> AsyncIterator[HeldWorker]:
    worker = HeldWorker()
    yield worker
    worker.may_end.set()


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, worker: HeldWorker) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path, documents=worker, timings=Timings(list_wait_s=3)) as running:
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncIterator[FakePage]:
    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"ok": 1})

    async with page_of(bridge, bridge.local_user.id, answer) as connected:
        yield connected


async def add_document(bridge: Bridge, title: str) -> None:
    document = document_text(title, paths={f"/{title}": operation(f"use{title}")})
    registry, user_id = bridge.components.registry, bridge.local_user.id
    server = await registry.add_server(user_id, document, source_url=None)
    digests = {each.key: each.digest for each in server.compiled.operations}
    await registry.accept_operations(user_id, server.record.id, digests)


async def advertised(bridge: Bridge, path: str = "/openapi.json") -> tuple[str, set[str]]:
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with aiohttp.ClientSession() as http, http.get(bridge.base_url + path, headers=headers) as response:
        assert response.status == 200
        paths: Mapping[str, Any] = json.loads(await response.read())["paths"]
        return response.headers["ETag"], {name.removeprefix("/tools/") for name in paths}


async def listed_by_mcp(bridge: Bridge) -> set[str]:
    async with aiohttp.ClientSession() as http:
        _, answer = await post_message(bridge, http, *modern_request("tools/list"))
    return {tool["name"] for tool in answer["result"]["tools"]}


async def offered_to_models(page: FakePage) -> set[str]:
    """What `/v1` and conversations send to a model, as the page shows it."""
    return {tool["name"] for tool in (await page.get("/api/selection/offered?form=responses"))["tools"]}


@pytest.mark.slow
async def test_a_held_worker_takes_no_tools_of_other_documents(
    bridge: Bridge, page: FakePage, worker: HeldWorker
) -> None:
    """Finding O-3: with one slow document every list ended after a minute, as an error that named none."""
    await add_document(bridge, "Slow")
    await eventually(lambda: worker.is_held)
    await add_document(bridge, "Good")
    tag, names = await advertised(bridge)
    for told in (names, await listed_by_mcp(bridge), await offered_to_models(page)):
        assert told >= GOOD
        assert not SLOW & told
    told_page: list[object] = []
    page.socket.on("bridge:servers", told_page.append)
    worker.may_end.set()
    await eventually(lambda: told_page)
    later, names = await advertised(bridge)
    assert later != tag
    for told in (names, await listed_by_mcp(bridge), await offered_to_models(page)):
        assert told >= GOOD | SLOW


@pytest.mark.slow
async def test_a_call_of_a_good_tool_does_not_wait_for_a_held_worker(
    bridge: Bridge, page: FakePage, worker: HeldWorker
) -> None:
    """Finding O-3: its arguments are validated against a schema that another process makes."""
    await add_document(bridge, "Slow")
    await eventually(lambda: worker.is_held)
    await add_document(bridge, "Good")
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{bridge.base_url}/tools/useGood", data="{}", headers=headers) as response,
    ):
        assert (response.status, await response.json()) == (200, {"ok": 1})


async def test_the_page_is_shown_why_a_document_is_told_by_types_only(
    bridge: Bridge, page: FakePage, worker: HeldWorker
) -> None:
    """Finding O-3: the reason stands at the server's place, and no traceback in the log."""
    await add_document(bridge, "Slow")
    await eventually(lambda: worker.is_held)
    (server,) = (await bridge.components.registry.view_of_user(bridge.local_user.id)).servers
    server.trouble = "The arguments of the tools of 'Slow' cannot be described: it died."
    _, shown = await page.request("GET", "/api/servers/slow")
    assert shown["warnings"] == [server.trouble]
