"""What only reads changes nothing, so that no link, picture or frame of another page can change anything."""

import sqlite3
from collections.abc import AsyncGenerator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.app.http_application import ROUTES
from bridge.app.server import Bridge
from bridge.http.routing import Route
from bridge.storage.tables import Base
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge

pytestmark = pytest.mark.asyncio

ENDLESS = ("/sse/conversations/{id}", "/conversations/{id}/events")
"""They tell what happens, until their caller leaves."""

LOGS = frozenset({"audit"})
"""Tables that say who read: an export is noted."""


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
        yield running


async def answer(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"ok": 1})


async def test_no_get_changes_anything(bridge: Bridge, tmp_path: Path) -> None:
    """ASVS 3.5.3: asked by the page itself, with everything there that could be changed."""
    user_id = bridge.components.registry.operator_id
    await bridge.components.registry.add_server(user_id, document_text(), source_url=None)
    async with page_of(bridge, user_id, answer) as page:
        ids = await _things_of(page)
        await page.get("/api/selection")  # decides once what is listed: a decision of the bridge
        await bridge.components.journal.list_calls(user_id, before=None, limit=1)  # all of it is written
        before = _rows_of(tmp_path)
        statuses: dict[str, int] = {}
        for route in bridge.runner.app[ROUTES]:
            if route.method == "GET" and route.path not in ENDLESS:
                statuses[route.path] = await _status_of(page, _address_of(route, ids))
                assert _rows_of(tmp_path) == before, route.path
    reached = {path for path, status in statuses.items() if status == 200}
    assert {
        "/api/calls/{id}",
        "/api/servers/{id}",
        "/conversations/{id}",
        "/api/stored-data/export",
    } <= reached
    assert len(reached) > 45


async def _things_of(page: FakePage) -> Mapping[str, str]:
    """One of each kind: the first part of its paths, to its id."""
    (server,) = (await page.get("/api/servers"))["servers"]
    await page.post("/api/keys", {"label": "chat"})
    made = await page.post("/conversations", {"title": "Tea"})
    called = await page.post("/api/calls", {"tool": "listProducts"})
    return {
        "/api/calls": called["call_id"],
        "/api/servers": server["id"],
        "/conversations": made["conversation"]["id"],
        "/servers": server["id"],
        "/api/tools": "listProducts",
    }


def _address_of(route: Route, ids: Mapping[str, str]) -> str:
    path = route.path.replace("{path:.+}", "app.js").replace("{model:.+}", "demo")
    kind, brace, _ = path.partition("/{")
    if brace:
        first = path.index("{"), path.index("}") + 1
        path = f"{path[: first[0]]}{ids.get(kind, 'x')}{path[first[1] :]}"
    for name in ("message_id", "number", "server"):
        path = path.replace(f"{{{name}}}", "1")
    assert "{" not in path, f"give {path} its parameters"
    return path.replace("/probe", "/probe?origin=https://api.example")


async def _status_of(page: FakePage, path: str) -> int:
    headers = {"Authorization": f"Bearer {page.token}"}
    url = page.base_url + path
    async with page.http.get(url, headers=headers, allow_redirects=False) as response:
        await response.read()
        return response.status


def _rows_of(folder: Path) -> Mapping[str, Any]:
    names = [table.name for table in Base.metadata.sorted_tables if table.name not in LOGS]
    with closing(sqlite3.connect(folder / "bridge.sqlite3")) as database:
        return {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in names}
